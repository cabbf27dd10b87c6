// SPDX-License-Identifier: MIT
// Drivers as keys, for programs that do not know them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dermis/ops/convert.h"

namespace dermis {
namespace {

// Of the character's size, for one joint or shape: several of them add up to less than a ten-thousandth.
constexpr double kBakedTolerance = 2e-5;
constexpr int kMostHalved = 12;
// A clip of more moments than this is cut off where it is finest.
constexpr std::size_t kMostMoments = 1 << 18;

struct Moment {
  float time = 0;
  std::vector<Transform> nodes;             // of the baked ones
  std::vector<std::vector<float>> weights;  // of the baked instances
};

// What a change of one unit moves, as a fraction of the character's size.
struct Reach {
  double per_length = 0, per_turn = 0;
  Vec3d per_scale;
};

class DriverBaker {
 public:
  explicit DriverBaker(Character& character) : character_(character), parts_(driven_parts(character)) {
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      if (parts_[n].any()) nodes_.push_back(static_cast<Index>(n));
    }
    find_instances();
    measure();
  }

  Result<BakedDrivers> bake(const Progress& progress) {
    for (const Index node : nodes_) character_.nodes[at(node)].rest_matrix.reset();
    out_.joint_count = nodes_.size();
    for (const auto& is_baked : is_baked_shape_)
      out_.shape_count += static_cast<std::size_t>(std::count(is_baked.begin(), is_baked.end(), true));
    if (nodes_.empty() && instances_.empty()) return std::move(out_);
    const Result<Poser> poser = prepare_poser(character_);
    if (!poser) return poser.error();
    std::vector<std::vector<Channel>> baked;
    const std::size_t clip_count = std::max<std::size_t>(character_.clips.size(), 1);
    for (std::size_t c = 0; c < clip_count; ++c) {
      const double done = static_cast<double>(c) / static_cast<double>(clip_count);
      if (Status going = progress.at("baking drivers", done); !going) return going.error();
      clip_ = character_.clips.empty() ? kNone : static_cast<Index>(c);
      if (Status s = sample(*poser); !s) return s.error();
      baked.push_back(channels());
    }
    // The poser refers to the clips, so they change last.
    if (character_.clips.empty()) character_.clips.push_back({"drivers", {}});
    for (std::size_t c = 0; c < clip_count; ++c) put(std::move(baked[c]), character_.clips[c]);
    note_points();
    return std::move(out_);
  }

 private:
  // ---- What is baked ----

  void find_instances() {
    std::vector<std::string> labels;
    for (const Driver& driver : character_.drivers) {
      const auto* value = std::get_if<DrivenValue>(&driver.rule);
      if (value != nullptr && value->output == DriverOutput::shape) labels.push_back(value->shape);
    }
    for (const ShapeRule& rule : character_.shape_rules) {
      labels.push_back(rule.shape);
      for (const InBetween& between : rule.in_betweens) labels.push_back(between.shape);
    }
    for (std::size_t space = 0; space < character_.pose_spaces.size(); ++space) {
      const auto& examples = character_.pose_spaces[space].examples;
      for (std::size_t e = 0; e < examples.size(); ++e) {
        labels.push_back(examples[e].shape);
        examples_[examples[e].shape].emplace_back(space, e);
      }
    }
    std::sort(labels.begin(), labels.end());
    for (std::size_t i = 0; i < character_.instances.size(); ++i) {
      const Mesh& mesh = character_.meshes[at(character_.instances[i].mesh)];
      std::vector<bool> is_baked(mesh.shapes.size());
      for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
        is_baked[s] = std::binary_search(labels.begin(), labels.end(), shape_label(mesh, s));
      if (std::find(is_baked.begin(), is_baked.end(), true) == is_baked.end()) continue;
      instances_.push_back(i);
      is_baked_shape_.push_back(std::move(is_baked));
    }
  }

  // How far each joint's points are from it, and each shape's offsets, in the units of the bind pose.
  void measure() {
    const std::vector<Affined> world = rest_world(character_);
    std::vector<Box> boxes(character_.nodes.size());
    Box all;
    for (const Instance& instance : character_.instances) {
      const Mesh& mesh = character_.meshes[at(instance.mesh)];
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        if (instance.skin == kNone) {
          boxes[at(instance.node)].add(world[at(instance.node)] * Vec3d(mesh.points[v]));
          continue;
        }
        const Skin& skin = character_.skins[at(instance.skin)];
        for (const Influence& influence : mesh.weights.row(v)) {
          const Index node = skin.node[at(influence.slot)];
          const Affined bind = world[at(node)] * Affined(skin.inverse_bind[at(influence.slot)]);
          boxes[at(node)].add(bind * Vec3d(mesh.points[v]));
        }
      }
    }
    for (std::size_t n = 0; n < boxes.size(); ++n) boxes[n].add(world[n].translation);
    const std::vector<Index> order = parents_first(character_.nodes);
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      all.add(boxes[at(*n)].lower);
      all.add(boxes[at(*n)].upper);
      const Index parent = character_.nodes[at(*n)].parent;
      if (parent == kNone) continue;
      boxes[at(parent)].add(boxes[at(*n)].lower);
      boxes[at(parent)].add(boxes[at(*n)].upper);
    }
    const double size = std::max(all.diagonal(), 1e-30);
    for (const Index n : nodes_) {
      const Vec3d& place = world[at(n)].translation;
      const Vec3d lower = boxes[at(n)].lower - place, upper = boxes[at(n)].upper - place;
      const double reach = std::max(length(lower), length(upper));
      const Index parent = character_.nodes[at(n)].parent;
      const Mat3d linear = parent == kNone ? Mat3d{} : world[at(parent)].linear;
      const double unit = std::max({length(linear.x), length(linear.y), length(linear.z)});
      const Vec3 scale = character_.nodes[at(n)].rest.scale;
      Reach one{unit / size, reach / size, {}};
      for (int i = 0; i < 3; ++i)
        one.per_scale[i] = reach / size / std::max(1e-6, std::abs(static_cast<double>(scale[i])));
      reach_.push_back(one);
    }
    for (const std::size_t i : instances_) {
      const Mesh& mesh = character_.meshes[at(character_.instances[i].mesh)];
      Box box;
      for (const Vec3& point : mesh.points) box.add(Vec3d(point));
      std::vector<double> reach;
      for (const Shape& shape : mesh.shapes) {
        double far = 0;
        for (const Vec3& offset : shape.offsets) far = std::max(far, length(Vec3d(offset)));
        reach.push_back(far / std::max(box.diagonal(), 1e-30));
      }
      shape_reach_.push_back(std::move(reach));
    }
  }

  // ---- Moments ----

  Status add_moment(const Poser& poser, double time, std::vector<Moment>& moments) {
    if (Status s = pose(poser, {clip_, time, nullptr}, frame_); !s) return s;
    Moment& moment = moments.emplace_back();
    moment.time = static_cast<float>(time);
    for (const Index n : nodes_) moment.nodes.push_back(frame_.local[at(n)].transform);
    for (const std::size_t i : instances_) {
      std::vector<float> weights = frame_.shape_weights[i];
      const Mesh& mesh = character_.meshes[at(character_.instances[i].mesh)];
      for (std::size_t s = 0; !examples_.empty() && s < weights.size(); ++s) {
        const auto found = examples_.find(shape_label(mesh, s));
        if (found == examples_.end()) continue;
        for (const auto& [space, example] : found->second)
          weights[s] += frame_.example_weights[space][example];
      }
      moment.weights.push_back(std::move(weights));
    }
    return Done{};
  }

  double error_between(const Moment& a, const Moment& now, const Moment& b) const {
    const double t = (static_cast<double>(now.time) - static_cast<double>(a.time)) /
                     (static_cast<double>(b.time) - static_cast<double>(a.time));
    double error = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Transform &x = a.nodes[k], &y = b.nodes[k], &is = now.nodes[k];
      const Vec3d moved = lerp(Vec3d(x.translation), Vec3d(y.translation), t) - Vec3d(is.translation);
      const Quatd turn = slerp(normalized(Quatd(x.rotation)), normalized(Quatd(y.rotation)), t);
      const double turned = length(log(normalized(conjugate(turn) * Quatd(is.rotation))));
      const Vec3d scaled = lerp(Vec3d(x.scale), Vec3d(y.scale), t) - Vec3d(is.scale);
      double sum = length(moved) * reach_[k].per_length + turned * reach_[k].per_turn;
      for (int i = 0; i < 3; ++i) sum += std::abs(scaled[i]) * reach_[k].per_scale[i];
      error = std::max(error, sum);
    }
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      double sum = 0;
      for (std::size_t s = 0; s < now.weights[i].size(); ++s) {
        const auto weight = [&](const Moment& moment) { return static_cast<double>(moment.weights[i][s]); };
        sum += std::abs(weight(a) + (weight(b) - weight(a)) * t - weight(now)) * shape_reach_[i][s];
      }
      error = std::max(error, sum);
    }
    return error;
  }

  // Halves the piece until what is in between is where linear keys put it.
  Status refine(const Poser& poser, Moment a, const Moment& b, int halvings) {
    if (halvings == 0 || moments_.size() > kMostMoments) return Done{};
    const double from = static_cast<double>(a.time), to = static_cast<double>(b.time);
    std::vector<Moment> between;
    for (const double part : {0.25, 0.5, 0.75}) {
      const double time = from + (to - from) * part;
      const auto as_key = static_cast<float>(time);
      if (as_key <= a.time || as_key >= b.time) return Done{};
      if (Status s = add_moment(poser, static_cast<double>(as_key), between); !s) return s;
    }
    if (between[0].time >= between[1].time || between[1].time >= between[2].time) return Done{};
    const bool is_good = std::all_of(between.begin(), between.end(), [&](const Moment& moment) {
      return error_between(a, moment, b) <= kBakedTolerance;
    });
    if (is_good) return Done{};
    if (Status s = refine(poser, std::move(a), between[1], halvings - 1); !s) return s;
    moments_.push_back(between[1]);
    return refine(poser, std::move(between[1]), b, halvings - 1);
  }

  Status sample(const Poser& poser) {
    moments_.clear();
    std::vector<Moment> keys;
    for (const float time : key_times()) {
      if (Status s = add_moment(poser, static_cast<double>(time), keys); !s) return s;
    }
    moments_.push_back(keys.front());
    for (std::size_t k = 1; k < keys.size(); ++k) {
      if (Status s = refine(poser, keys[k - 1], keys[k], kMostHalved); !s) return s;
      moments_.push_back(keys[k]);
    }
    out_.key_count += moments_.size();
    return Done{};
  }

  // All key times of the clip; jumps get one more just before them.
  std::vector<float> key_times() const {
    if (clip_ == kNone || character_.clips[at(clip_)].channels.empty()) return {0};
    std::vector<float> times;
    for (const Channel& channel : character_.clips[at(clip_)].channels) {
      if (is_baked(channel)) continue;  // from an earlier run
      times.insert(times.end(), channel.times.begin(), channel.times.end());
      if (channel.interpolation != Interpolation::step) continue;
      for (std::size_t k = 1; k < channel.times.size(); ++k)
        times.push_back(std::nextafter(channel.times[k], channel.times[k - 1]));
    }
    if (times.empty()) times = {character_.clips[at(clip_)].start(), character_.clips[at(clip_)].end()};
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  // ---- Keys ----

  // Keys of nodes that drivers write. Those of shapes are the values that drivers start from.
  bool is_baked(const Channel& channel) const {
    if (parts_.empty()) return false;
    switch (channel.path) {
      case ChannelPath::translation:
        return parts_[at(channel.target)].translation;
      case ChannelPath::rotation:
        return parts_[at(channel.target)].rotation;
      case ChannelPath::scale:
        return parts_[at(channel.target)].scale;
      default:
        return false;
    }
  }

  template <class Put>
  void add_channel(ChannelPath path, Index target, const Put& put, std::vector<Channel>& to) const {
    Channel channel;
    channel.path = path;
    channel.target = target;
    for (const Moment& moment : moments_) {
      std::vector<float> now = put(moment);
      const bool is_turned = path == ChannelPath::rotation && !channel.times.empty();
      if (is_turned) {  // on the same side as the key before
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k)
          sum += static_cast<double>(now[k]) *
                 static_cast<double>(channel.values[channel.values.size() - 4 + k]);
        for (float& x : now) x = sum < 0 ? -x : x;
      }
      channel.times.push_back(moment.time);
      channel.values.insert(channel.values.end(), now.begin(), now.end());
    }
    drop_even_keys(channel.values.size() / channel.times.size(), channel);
    to.push_back(std::move(channel));
  }

  // Drops keys between equal ones.
  static void drop_even_keys(std::size_t width, Channel& channel) {
    const auto is_same = [&](std::size_t a, std::size_t b) {
      const auto first = channel.values.begin();
      return std::equal(first + static_cast<std::ptrdiff_t>(a * width),
                        first + static_cast<std::ptrdiff_t>((a + 1) * width),
                        first + static_cast<std::ptrdiff_t>(b * width));
    };
    std::vector<float> times, values;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      const bool is_inside = k > 0 && k + 1 < channel.times.size();
      if (is_inside && is_same(k - 1, k) && is_same(k, k + 1)) continue;
      times.push_back(channel.times[k]);
      const auto first = channel.values.begin() + static_cast<std::ptrdiff_t>(k * width);
      values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    channel.times = std::move(times);
    channel.values = std::move(values);
  }

  std::vector<Channel> channels() const {
    std::vector<Channel> channels;
    const auto list = [](const Vec3& v) { return std::vector<float>{v.x, v.y, v.z}; };
    const auto quat = [](const Quat& q) { return std::vector<float>{q.x, q.y, q.z, q.w}; };
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Index n = nodes_[k];
      const NodeParts& parts = parts_[at(n)];
      using enum ChannelPath;
      if (parts.translation)
        add_channel(
            translation, n, [&](const Moment& m) { return list(m.nodes[k].translation); }, channels);
      if (parts.rotation)
        add_channel(
            rotation, n, [&](const Moment& m) { return quat(m.nodes[k].rotation); }, channels);
      if (parts.scale)
        add_channel(
            scale, n, [&](const Moment& m) { return list(m.nodes[k].scale); }, channels);
    }
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      add_channel(
          ChannelPath::shape_weights, static_cast<Index>(instances_[i]),
          [&](const Moment& m) { return m.weights[i]; }, channels);
    }
    return channels;
  }

  void put(std::vector<Channel> channels, Clip& clip) const {
    std::erase_if(clip.channels, [&](const Channel& channel) {
      const auto is_of_it = [&](const Channel& one) {
        return one.path == channel.path && one.target == channel.target;
      };
      return is_baked(channel) || std::any_of(channels.begin(), channels.end(), is_of_it);
    });
    for (Channel& channel : channels) clip.channels.push_back(std::move(channel));
  }

  void note_points() {
    const auto is_it = [](const PoseSpace& space) { return space.is_per_point; };
    const auto count = std::count_if(character_.pose_spaces.begin(), character_.pose_spaces.end(), is_it);
    if (count == 0) return;
    out_.notes.push_back(
        {Note::Kind::loss, "pose-space-per-point",
         fmt::format(
             "{} with weights that differ from point to point; keys have one weight per shape",
             counted(static_cast<std::size_t>(count), "pose space was baked", "pose spaces were baked"))});
  }

  Character& character_;
  const std::vector<NodeParts> parts_;
  std::vector<Index> nodes_;
  std::vector<std::size_t> instances_;
  std::vector<std::vector<bool>> is_baked_shape_;
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> examples_;  // space, example
  std::vector<Reach> reach_;
  std::vector<std::vector<double>> shape_reach_;
  Index clip_ = kNone;
  std::vector<Moment> moments_;
  PoseFrame frame_;
  BakedDrivers out_;
};

}  // namespace

Result<BakedDrivers> bake_drivers(Character& character, const Progress& progress) {
  return without_throwing("baking drivers", [&]() -> Result<BakedDrivers> {
    Character baked = character;
    Result<BakedDrivers> result = DriverBaker(baked).bake(progress);
    if (result) character = std::move(baked);
    return result;
  });
}

}  // namespace dermis
