// SPDX-License-Identifier: MIT
// Evaluates drivers and rules of shapes.
#include "motion/driven.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dermis {
namespace {

// A swing within this of half a turn leaves no twist to be read.
constexpr double kLeastTwist = 1e-6;
// A rotation this close to none has an axis that is mostly rounding.
constexpr double kLeastTurn = 1e-3;
constexpr double kLargest = std::numeric_limits<float>::max();
// A stretched and thinned aim settles within float rounding in this many rounds.
constexpr int kStretchRounds = 8;

double within_floats(double x) { return std::isnan(x) ? 0 : std::clamp(x, -kLargest, kLargest); }

Quatd turn_from_rest(const Poser& poser, const PoseFrame& frame, Index node) {
  const LocalPose& local = frame.local[at(node)];
  return rotation_from_rest(Quatd(poser.character->nodes[at(node)].rest.rotation), local);
}

bool sets_shape(const PoseRequest& request, const std::string& label) {
  if (request.pose == nullptr) return false;
  const auto is_it = [&](const NamedValue& value) { return value.name == label; };
  return std::any_of(request.pose->shapes.begin(), request.pose->shapes.end(), is_it);
}

// ---- One frame ----------------------------------------------------------------------------------------

class DrivenEvaluation {
 public:
  DrivenEvaluation(const Poser& poser, const PoseRequest& request, PoseFrame& frame)
      : poser_(poser), plan_(*poser.driven), request_(request), frame_(frame) {}

  void run() {
    for (const DrivenStep& step : plan_.steps) {
      if (step.kind == DrivenStep::Kind::shape)
        write_shape(step);
      else
        write_node(step);
    }
  }

 private:
  Vec3d turn_at(Index turn) const {
    const FollowedTurn& followed = plan_.turns[at(turn)];
    Vec3d reference;
    const bool is_of_clip = request_.clip != kNone && !frame_.local[at(followed.node)].posed.rotation;
    if (is_of_clip && at(request_.clip) < followed.tracks.size())
      reference = followed.tracks[at(request_.clip)].at(request_.time);
    return part_near(turn_from_rest(poser_, frame_, followed.node), followed.part, followed.axis, reference);
  }

  double input_value(const DrivenInput& input, std::size_t instance) const {
    const DriverFactor& factor = *input.factor;
    switch (factor.input) {
      case DriverInput::turn:
        return dot(turn_at(input.turn), input.axis);
      case DriverInput::swing: {
        const Quatd turn = turn_from_rest(poser_, frame_, factor.node);
        const double along = dot(turn.xyz(), input.axis);
        return 2 * std::atan2(length(turn.xyz() - input.axis * along), std::hypot(turn.w, along));
      }
      case DriverInput::translation: {
        const Vec3d rest(poser_.character->nodes[at(factor.node)].rest.translation);
        return dot(Vec3d(frame_.local[at(factor.node)].transform.translation) - rest, input.axis);
      }
      case DriverInput::scale:
        return scale_along(factor.node, input.axis);
      case DriverInput::shape: {
        const bool has_own = instance < input.shape_of.size() && input.shape_of[instance] != kNone;
        if (!has_own && input.first_instance == kNone) return 0;
        const std::size_t from = has_own ? instance : at(input.first_instance);
        const double weight = static_cast<double>(frame_.shape_weights[from][at(input.shape_of[from])]);
        return std::clamp(weight, input.low, input.high);
      }
      case DriverInput::control:
        return static_cast<double>(frame_.controls[at(factor.control)]);
    }
    return 0;
  }

  double scale_along(Index node, const Vec3d& axis) const {
    const Vec3d rest(poser_.character->nodes[at(node)].rest.scale);
    const Vec3d now(frame_.local[at(node)].transform.scale);
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += axis[i] * axis[i] * (rest[i] == 0 ? 1 : now[i] / rest[i]);
    return sum;
  }

  double value_of(const DrivenTerm& term, std::size_t instance) const {
    double product = 1;
    for (const DrivenInput& input : term.inputs)
      product = within_floats(product * curve_at(input.factor->curve, input_value(input, instance)));
    return within_floats(static_cast<double>(std::get<DrivenValue>(term.driver->rule).base) + product);
  }

  void write_shape(const DrivenStep& step) {
    if (sets_shape(request_, *step.label)) return;
    for (const ShapeOfInstance& shape : step.shapes) {
      double sum = 0;
      for (const DrivenTerm& term : step.terms) sum += value_of(term, shape.instance);
      frame_.shape_weights[shape.instance][shape.shape] = static_cast<float>(within_floats(sum));
    }
  }

  void write_node(const DrivenStep& step) {
    LocalPose& local = frame_.local[at(step.node)];
    const Transform& rest = poser_.character->nodes[at(step.node)].rest;
    switch (step.kind) {
      case DrivenStep::Kind::turn:
        if (local.posed.rotation) return;
        local.transform.rotation = Quat(Quatd(rest.rotation) * exp(turn_of(step)));
        break;
      case DrivenStep::Kind::aim:
        if (local.posed.rotation) return;
        local.transform.rotation = Quat(aimed(step.terms.front()).rotation * Quatd(rest.rotation));
        break;
      case DrivenStep::Kind::translation: {
        if (local.posed.translation) return;
        Vec3d sum(rest.translation);
        for (const DrivenTerm& term : step.terms) sum += term.axis * value_of(term, 0);
        local.transform.translation =
            Vec3(Vec3d{within_floats(sum.x), within_floats(sum.y), within_floats(sum.z)});
        break;
      }
      default:
        if (local.posed.scale) return;
        local.transform.scale = scale_of(step, rest.scale);
    }
    local.is_replaced = true;
  }

  Vec3d turn_of(const DrivenStep& step) const {
    Vec3d sum;
    for (const DrivenTerm& term : step.terms) {
      if (term.turn == kNone) {
        sum += term.axis * value_of(term, 0);
        continue;
      }
      const double share = static_cast<double>(std::get<DrivenRotation>(term.driver->rule).share);
      sum += term.node_from_source * turn_at(term.turn) * share;
    }
    return {within_floats(sum.x), within_floats(sum.y), within_floats(sum.z)};
  }

  Vec3 scale_of(const DrivenStep& step, const Vec3& rest) const {
    Vec3d scale(rest);
    for (const DrivenTerm& term : step.terms) {
      Vec3d factor{1, 1, 1};
      if (std::holds_alternative<DrivenAim>(term.driver->rule)) {
        factor = aimed(term).scale;
      } else {
        const double change = value_of(term, 0) - 1;
        for (int i = 0; i < 3; ++i) factor[i] += term.axis[i] * change;
      }
      for (int i = 0; i < 3; ++i) scale[i] = within_floats(scale[i] * factor[i]);
    }
    return Vec3(scale);
  }

  struct Aimed {
    Quatd rotation;  // in the parent's frame, on top of rest
    Vec3d scale{1, 1, 1};
  };

  Affined world_of(Index node) const {
    Affined world;
    for (; node != kNone; node = poser_.character->nodes[at(node)].parent)
      world = local_matrix(poser_, frame_, node) * world;
    return world;
  }

  Aimed aimed(const DrivenTerm& term) const {
    const auto& aim = std::get<DrivenAim>(term.driver->rule);
    const Node& node = poser_.character->nodes[at(aim.node)];
    const Vec3d target = world_of(aim.target).translation;
    const Vec3d there = inverse(world_of(node.parent)) * target;
    const Vec3d way = there - Vec3d(frame_.local[at(aim.node)].transform.translation);
    Aimed result;
    Vec3d tip = term.axis;  // the target at rest, along the node's own axes
    if (!is_finite(way) || !(length(way) > 0) || !(length(tip) > 0)) return result;
    if (aim.stretches) {
      result.scale = stretch(tip, length(way), static_cast<double>(aim.keeps_volume));
      for (int i = 0; i < 3; ++i) tip[i] *= result.scale[i];
    }
    result.rotation = quat_between(rotate(Quatd(node.rest.rotation), tip), way);
    return result;
  }

  // Scales by which `tip` gets the length `wanted`: the axis nearest to it, the others only for the volume.
  static Vec3d stretch(const Vec3d& tip, double wanted, double keeps_volume) {
    int along = 0;
    for (int i = 1; i < 3; ++i) {
      if (std::abs(tip[i]) > std::abs(tip[along])) along = i;
    }
    const double across2 = std::max(0.0, dot(tip, tip) - tip[along] * tip[along]);
    double longer = 1, thinner = 1;
    for (int round = 0; round < kStretchRounds; ++round) {
      longer = std::sqrt(std::max(0.0, wanted * wanted - thinner * thinner * across2)) / std::abs(tip[along]);
      longer = std::clamp(longer, 1e-6, kLargest);
      thinner = std::pow(longer, -keeps_volume / 2);
    }
    Vec3d scale{thinner, thinner, thinner};
    scale[along] = longer;
    return scale;
  }

  const Poser& poser_;
  const DrivenPlan& plan_;
  const PoseRequest& request_;
  PoseFrame& frame_;
};

// The weights of the targets of one shape.
void mix_stops(const ShapeStops& rule, const PoseRequest& request, std::vector<float>& weights) {
  const double weight = std::clamp(static_cast<double>(weights[rule.shape]), rule.low, rule.high);
  weights[rule.shape] = 0;
  const auto show = [&](const ShapeStops::Stop& stop, double share) {
    if (stop.shape == kNone || (stop.label != nullptr && sets_shape(request, *stop.label))) return;
    weights[at(stop.shape)] += static_cast<float>(share);
  };
  const auto& stops = rule.stops;
  const auto next = std::upper_bound(stops.begin(), stops.end(), weight,
                                     [](double w, const ShapeStops::Stop& stop) { return w < stop.weight; });
  // Beyond the last target its part goes on, as in Maya.
  const auto end = std::clamp(next, stops.begin() + 1, stops.end() - 1);
  const ShapeStops::Stop &a = end[-1], &b = *end;
  const double part = (weight - a.weight) / (b.weight - a.weight);
  show(a, 1 - part);
  show(b, part);
}

}  // namespace

double curve_at(const DriverCurve& curve, double input) {
  const std::vector<DriverKey>& keys = curve.keys;
  const auto x = [&](std::size_t k) { return static_cast<double>(keys[k].input); };
  const auto y = [&](std::size_t k) { return static_cast<double>(keys[k].value); };
  const auto slope = [&](std::size_t k) { return static_cast<double>(keys[k].slope); };
  // The slope between two keys, of which a curve with one key has none.
  const auto chord = [&](std::size_t k) { return (y(k + 1) - y(k)) / (x(k + 1) - x(k)); };
  const std::size_t last = keys.size() - 1;
  if (input < x(0) || last == 0) {
    if (!curve.extends) return y(0);
    const double rise = curve.is_spline ? slope(0) : last == 0 ? 0 : chord(0);
    return y(0) + rise * (input - x(0));
  }
  if (input >= x(last)) {
    if (!curve.extends) return y(last);
    return y(last) + (curve.is_spline ? slope(last) : chord(last - 1)) * (input - x(last));
  }
  const auto next = std::upper_bound(keys.begin(), keys.end(), input, [](double at, const DriverKey& key) {
    return at < static_cast<double>(key.input);
  });
  const auto k = static_cast<std::size_t>(next - keys.begin()) - 1;
  const double span = x(k + 1) - x(k), t = (input - x(k)) / span;
  if (!curve.is_spline) return y(k) + (y(k + 1) - y(k)) * t;
  // Cubic Hermite.
  const double t2 = t * t, t3 = t2 * t;
  return y(k) * (2 * t3 - 3 * t2 + 1) + y(k + 1) * (3 * t2 - 2 * t3) +
         span * (slope(k) * (t3 - 2 * t2 + t) + slope(k + 1) * (t3 - t2));
}

Vec3d log_near(const Quatd& rotation, const Vec3d& reference) {
  const Vec3d turn = log(rotation);
  const double angle = length(turn), far = length(reference);
  if (far == 0) return turn;
  Vec3d axis = reference * (1 / far);
  double start = dot(turn, axis);
  if (angle > kLeastTurn) {
    axis = turn * (1 / angle);
    start = angle;
  }
  // The candidates are axis * (start + 2 pi k).
  const double rounds = std::nearbyint((dot(axis, reference) - start) / (2 * kPi));
  if (rounds == 0) return turn;
  return axis * (start + 2 * kPi * rounds);
}

Vec3d part_near(const Quatd& rotation, RotationPart part, const Vec3d& axis, const Vec3d& reference) {
  if (part == RotationPart::whole) return log_near(rotation, reference);
  const double along = dot(rotation.xyz(), axis);
  const bool has_twist = std::hypot(along, rotation.w) > kLeastTwist;
  if (part == RotationPart::twist) {
    // A swing of half a turn does not determine the twist: it stays as it was.
    if (!has_twist) return axis * dot(reference, axis);
    const double sign = rotation.w < 0 ? -1 : 1;
    const double angle = 2 * std::atan2(sign * along, sign * rotation.w);  // -pi to pi
    return axis * (angle + 2 * kPi * std::nearbyint((dot(reference, axis) - angle) / (2 * kPi)));
  }
  if (!has_twist) return log_near(rotation, reference);
  const Vec3d about = axis * along;
  const Quatd twist = normalized(Quatd{about.x, about.y, about.z, rotation.w});
  return log_near(rotation * conjugate(twist), reference);
}

Vec3d FollowedTurn::Track::at(double time) const {
  if (times.empty()) return {};
  const auto next = std::upper_bound(times.begin(), times.end(), time);
  if (next == times.begin()) return turns.front();
  if (next == times.end()) return turns.back();
  const auto k = static_cast<std::size_t>(next - times.begin());
  return lerp(turns[k - 1], turns[k], (time - times[k - 1]) / (times[k] - times[k - 1]));
}

Affined local_matrix(const Poser& poser, const PoseFrame& frame, Index node) {
  const LocalPose& local = frame.local[at(node)];
  const Affined parent_from_node =
      local.is_replaced ? affine_from_transform(local.transform) : poser.parent_from_rest[at(node)];
  return parent_from_node * Affined(matrix_from_quat(local.turn), Vec3d{});
}

void apply_drivers(const Poser& poser, const PoseRequest& request, PoseFrame& frame) {
  DrivenEvaluation(poser, request, frame).run();
}

void apply_shape_rules(const Poser& poser, const PoseRequest& request, PoseFrame& frame) {
  for (const ShapeStops& rule : poser.driven->rules)
    mix_stops(rule, request, frame.shape_weights[rule.instance]);
}

}  // namespace dermis
