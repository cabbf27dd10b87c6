// SPDX-License-Identifier: MIT
// Prepares drivers and rules of shapes, and follows the turns that drivers read along clips.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "motion/driven.h"
#include "motion/poser.h"

namespace dermis {
namespace {

// Between two moments at which a turn is followed it changes by about this much at most.
constexpr double kFollowedStep = kPi / 8;
// The pieces of a key interval whose keys do not tell how far it turns.
constexpr int kBlindPieces = 8;
// How often a piece is halved whose ends are more than a quarter turn apart.
constexpr int kMostHalvings = 8;

struct WeightLimits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

class DrivenPreparation {
 public:
  explicit DrivenPreparation(const Poser& poser) : character_(*poser.character) {
    for (std::size_t k = 0; k < character_.instances.size(); ++k) {
      const Mesh& mesh = character_.meshes[at(character_.instances[k].mesh)];
      for (std::size_t s = 0; s < mesh.shapes.size(); ++s) shapes_[shape_label(mesh, s)].push_back({k, s});
    }
    for (const ShapeRule& rule : character_.shape_rules)
      limits_[rule.shape] = {static_cast<double>(rule.low), static_cast<double>(rule.high)};
    // At rest without drivers: what they write is relative to that.
    std::vector<Affined> world(character_.nodes.size());
    for (const Index n : poser.parents_first) {
      const Index parent = character_.nodes[at(n)].parent;
      world[at(n)] =
          parent == kNone ? poser.parent_from_rest[at(n)] : world[at(parent)] * poser.parent_from_rest[at(n)];
    }
    rest_world_ = std::move(world);
  }

  DrivenPlan plan() {
    plan_.written = driven_parts(character_);
    const DriverOrder order = driver_order(character_);
    // A value is complete after its last driver.
    std::map<Output, std::size_t> last;
    for (std::size_t k = 0; k < order.order.size(); ++k) {
      for (const Output& output : outputs_of(order.order[k])) last[output] = k;
    }
    std::map<Output, std::vector<Index>> drivers_of;
    for (std::size_t d = 0; d < character_.drivers.size(); ++d) {
      for (const Output& output : outputs_of(static_cast<Index>(d)))
        drivers_of[output].push_back(static_cast<Index>(d));
    }
    for (std::size_t k = 0; k < order.order.size(); ++k) {
      for (const Output& output : outputs_of(order.order[k])) {
        if (last[output] == k) add_step(output, drivers_of[output]);
      }
    }
    add_reserved();
    add_rules();
    return std::move(plan_);
  }

 private:
  using Kind = DrivenStep::Kind;
  using Output = std::tuple<Kind, Index, std::string_view>;  // kind, node, label of a shape

  std::vector<Output> outputs_of(Index driver) const {
    const auto& rule = character_.drivers[at(driver)].rule;
    if (const auto* value = std::get_if<DrivenValue>(&rule)) {
      switch (value->output) {
        case DriverOutput::turn:
          return {{Kind::turn, value->node, {}}};
        case DriverOutput::translation:
          return {{Kind::translation, value->node, {}}};
        case DriverOutput::scale:
          return {{Kind::scale, value->node, {}}};
        case DriverOutput::shape:
          return {{Kind::shape, kNone, value->shape}};
      }
    }
    if (const auto* turn = std::get_if<DrivenRotation>(&rule)) return {{Kind::turn, turn->node, {}}};
    const auto& aim = std::get<DrivenAim>(rule);
    if (!aim.stretches) return {{Kind::aim, aim.node, {}}};
    return {{Kind::aim, aim.node, {}}, {Kind::scale, aim.node, {}}};
  }

  void add_step(const Output& output, const std::vector<Index>& drivers) {
    DrivenStep step;
    step.kind = std::get<Kind>(output);
    step.node = std::get<Index>(output);
    for (const Index d : drivers) step.terms.push_back(term_of(character_.drivers[at(d)]));
    if (step.kind == Kind::shape) {
      const auto found = shapes_.find(std::string(std::get<std::string_view>(output)));
      if (found != shapes_.end()) step.shapes = found->second;
      step.label = &std::get<DrivenValue>(character_.drivers[at(drivers.front())].rule).shape;
    }
    plan_.steps.push_back(std::move(step));
  }

  DrivenTerm term_of(const Driver& driver) {
    DrivenTerm term;
    term.driver = &driver;
    if (const auto* value = std::get_if<DrivenValue>(&driver.rule)) {
      term.axis = value->output == DriverOutput::scale ? Vec3d(value->axis) : normalized(Vec3d(value->axis));
      for (const DriverFactor& factor : value->factors) term.inputs.push_back(input_of(factor));
    } else if (const auto* turn = std::get_if<DrivenRotation>(&driver.rule)) {
      term.turn = followed(turn->source, turn->part, turn->axis);
      const Mat3d node = polar(rest_world_[at(turn->node)].linear).rotation,
                  source = polar(rest_world_[at(turn->source)].linear).rotation;
      term.node_from_source = transposed(node) * source;
    } else {
      const auto& aim = std::get<DrivenAim>(driver.rule);
      const Node& node = character_.nodes[at(aim.node)];
      const Affined parent = node.parent == kNone ? Affined{} : rest_world_[at(node.parent)];
      const Vec3d way =
          inverse(parent) * rest_world_[at(aim.target)].translation - Vec3d(node.rest.translation);
      if (is_finite(way)) term.axis = rotate(conjugate(normalized(Quatd(node.rest.rotation))), way);
    }
    return term;
  }

  DrivenInput input_of(const DriverFactor& factor) {
    DrivenInput input;
    input.factor = &factor;
    input.axis = normalized(Vec3d(factor.axis));
    if (factor.input == DriverInput::turn)
      input.turn = followed(factor.node, RotationPart::twist, factor.axis);
    if (factor.input != DriverInput::shape) return input;
    input.shape_of.resize(character_.instances.size(), kNone);
    if (const auto found = shapes_.find(factor.shape); found != shapes_.end()) {
      for (auto shape = found->second.rbegin(); shape != found->second.rend(); ++shape) {
        input.shape_of[shape->instance] = static_cast<Index>(shape->shape);
        input.first_instance = static_cast<Index>(shape->instance);
      }
    }
    const auto limits = limits_.find(factor.shape);
    const WeightLimits range = limits == limits_.end() ? WeightLimits{} : limits->second;
    input.low = range.low;
    input.high = range.high;
    return input;
  }

  Index followed(Index node, RotationPart part, const Vec3& axis) {
    const std::tuple key{node, part, axis.x, axis.y, axis.z};
    const auto [entry, is_new] = followed_.emplace(key, static_cast<Index>(plan_.turns.size()));
    if (is_new) plan_.turns.push_back({node, part, normalized(Vec3d(axis))});
    return entry->second;
  }

  void reserve(const std::string& label) {
    if (const auto found = shapes_.find(label); found != shapes_.end())
      plan_.reserved.push_back({&label, found->second});
  }

  void add_reserved() {
    for (const ShapeRule& rule : character_.shape_rules) {
      for (const InBetween& between : rule.in_betweens) reserve(between.shape);
    }
    for (const PoseSpace& space : character_.pose_spaces) {
      for (const PoseExample& example : space.examples) reserve(example.shape);
    }
  }

  void add_rules() {
    for (const ShapeRule& rule : character_.shape_rules) {
      const auto found = shapes_.find(rule.shape);
      if (found == shapes_.end()) continue;
      for (const ShapeOfInstance& main : found->second) {
        ShapeStops stops{main.instance, main.shape, static_cast<double>(rule.low),
                         static_cast<double>(rule.high)};
        stops.stops = {{0, kNone}, {1, static_cast<Index>(main.shape)}};
        for (const InBetween& between : rule.in_betweens) add_stop(between, main.instance, stops.stops);
        std::sort(stops.stops.begin(), stops.stops.end(),
                  [](const auto& a, const auto& b) { return a.weight < b.weight; });
        plan_.rules.push_back(std::move(stops));
      }
    }
  }

  void add_stop(const InBetween& between, std::size_t instance, std::vector<ShapeStops::Stop>& stops) {
    const auto found = shapes_.find(between.shape);
    if (found == shapes_.end()) return;
    for (const ShapeOfInstance& shape : found->second) {
      if (shape.instance != instance) continue;
      stops.push_back({static_cast<double>(between.weight), static_cast<Index>(shape.shape), &between.shape});
      return;
    }
  }

  const Character& character_;
  std::vector<Affined> rest_world_;
  std::unordered_map<std::string, std::vector<ShapeOfInstance>> shapes_;  // by label
  std::unordered_map<std::string_view, WeightLimits> limits_;
  std::map<std::tuple<Index, RotationPart, float, float, float>, Index> followed_;
  DrivenPlan plan_;
};

// ---- Following turns ----------------------------------------------------------------------------------

// Appends moments to a track, each followed from the one before.
class TurnTrail {
 public:
  TurnTrail(const FollowedTurn& turn, FollowedTurn::Track& track) : turn_(turn), track_(track) {}

  void add(double time, const Quatd& rotation) {
    if (!track_.times.empty() && !(time > track_.times.back())) return;
    const Vec3d before = track_.turns.empty() ? Vec3d{} : track_.turns.back();
    track_.turns.push_back(part_near(rotation, turn_.part, turn_.axis, before));
    track_.times.push_back(time);
  }

  // A turn that stays within half a turn needs no track.
  void finish() {
    const auto is_far = [](const Vec3d& turn) { return length(turn) > kPi - kFollowedStep; };
    if (std::none_of(track_.turns.begin(), track_.turns.end(), is_far)) track_ = {};
  }

 private:
  const FollowedTurn& turn_;
  FollowedTurn::Track& track_;
};

const Channel* rotation_channel(const Clip& clip, Index node) {
  const auto is_it = [&](const Channel& channel) {
    return channel.path == ChannelPath::rotation && channel.target == node;
  };
  const auto found = std::find_if(clip.channels.begin(), clip.channels.end(), is_it);
  return found == clip.channels.end() ? nullptr : &*found;
}

// Along the keys of a node that no driver turns.
void follow_channel(const Channel& channel, const Quatd& rest, TurnTrail& trail) {
  const auto rotation_at = [&](double time) {
    std::array<float, 4> v{};
    sample_channel(channel, time, v);
    return normalized(conjugate(rest) * Quatd(Quat{v[0], v[1], v[2], v[3]}));
  };
  const std::vector<float>& times = channel.times;
  trail.add(static_cast<double>(times.front()), rotation_at(static_cast<double>(times.front())));
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    const auto from = static_cast<double>(times[k]), to = static_cast<double>(times[k + 1]);
    if (channel.interpolation == Interpolation::step) {
      const double end = std::nextafter(to, from);
      trail.add(end, rotation_at(end));
    } else {
      int pieces = kBlindPieces;
      if (channel.interpolation == Interpolation::linear) {
        const double arc = length(log(conjugate(rotation_at(from)) * rotation_at(to)));
        pieces = 1 + static_cast<int>(arc / kFollowedStep);
      }
      for (int piece = 1; piece < pieces; ++piece) {
        const double time = from + (to - from) * piece / pieces;
        trail.add(time, rotation_at(time));
      }
    }
    trail.add(to, rotation_at(to));
  }
}

// Along a clip of a node that drivers turn.
class DrivenTrail {
 public:
  DrivenTrail(const Poser& poser, Index clip, Index node, TurnTrail& trail)
      : poser_(poser), clip_(clip), node_(node), trail_(trail) {}

  Status run() {
    std::vector<float> times;
    for (const Channel& channel : poser_.character->clips[at(clip_)].channels)
      times.insert(times.end(), channel.times.begin(), channel.times.end());
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    Quatd before;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto to = static_cast<double>(times[k]);
      if (k == 0) {
        if (Status s = rotation_at(to, before); !s) return s;
        trail_.add(to, before);
        continue;
      }
      const auto from = static_cast<double>(times[k - 1]);
      for (int piece = 1; piece <= kBlindPieces; ++piece) {
        const double start = from + (to - from) * (piece - 1) / kBlindPieces;
        const double end = piece == kBlindPieces ? to : from + (to - from) * piece / kBlindPieces;
        if (Status s = add(start, end, before, kMostHalvings); !s) return s;
      }
    }
    return Done{};
  }

 private:
  Status rotation_at(double time, Quatd& rotation) {
    if (Status s = pose_locally(poser_, {clip_, time, nullptr}, frame_); !s) return s;
    const Quatd rest(poser_.character->nodes[at(node_)].rest.rotation);
    rotation = normalized(conjugate(rest) * Quatd(frame_.local[at(node_)].transform.rotation));
    return Done{};
  }

  Status add(double start, double end, Quatd& before, int halvings) {
    Quatd now;
    if (Status s = rotation_at(end, now); !s) return s;
    if (halvings > 0 && length(log(conjugate(before) * now)) > kPi / 2) {
      const double middle = (start + end) / 2;
      if (Status s = add(start, middle, before, halvings - 1); !s) return s;
      return add(middle, end, before, halvings - 1);
    }
    trail_.add(end, now);
    before = now;
    return Done{};
  }

  const Poser& poser_;
  Index clip_, node_;
  TurnTrail& trail_;
  PoseFrame frame_;
};

Status follow(const Poser& poser, const DrivenPlan& plan, std::size_t turn, Index clip,
              FollowedTurn::Track& track) {
  const FollowedTurn& followed = plan.turns[turn];
  TurnTrail trail(followed, track);
  if (plan.written[at(followed.node)].rotation) {
    if (Status s = DrivenTrail(poser, clip, followed.node, trail).run(); !s) return s;
  } else if (const Channel* channel = rotation_channel(poser.character->clips[at(clip)], followed.node)) {
    follow_channel(*channel, Quatd(poser.character->nodes[at(followed.node)].rest.rotation), trail);
  }
  trail.finish();
  return Done{};
}

}  // namespace

Status prepare_driven(Poser& poser, Index clip) {
  const Character& character = *poser.character;
  if (!has_driven_values(character)) return Done{};
  const auto plan = std::make_shared<DrivenPlan>(DrivenPreparation(poser).plan());
  poser.driven = plan;
  // Turns are numbered in the order of evaluation, so those that another one depends on are followed first.
  for (std::size_t turn = 0; turn < plan->turns.size(); ++turn) {
    std::vector<FollowedTurn::Track> tracks(character.clips.size());
    bool is_far = false;
    for (std::size_t c = 0; c < tracks.size(); ++c) {
      if (clip != kNone && at(clip) != c) continue;
      if (Status s = follow(poser, *plan, turn, static_cast<Index>(c), tracks[c]); !s) return s;
      is_far = is_far || !tracks[c].times.empty();
    }
    if (is_far) plan->turns[turn].tracks = std::move(tracks);
  }
  return Done{};
}

}  // namespace dermis
