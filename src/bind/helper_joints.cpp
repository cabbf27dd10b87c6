// SPDX-License-Identifier: MIT
// Adds helper joints: their nodes, their slots in skins, and the drivers that move them.
#include "bind/helper_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace dermis {
namespace {

// A half-angle joint would flatten the surface at rest if its two bones rest turned by more than 154 degrees
// from the bind pose: the mean of two rotations by t has the determinant cos(t / 2)^2.
constexpr double kLeastMean = 0.05;
// Keys of the curve that keeps the volume: with exact slopes its error is below 1e-3 up to a scale of 2.
constexpr int kVolumeKeys = 7;

// Thickness s from 1 to `scale`, and 1 / s^2, which keeps the volume, while an input goes from 0 to `full`.
struct ThicknessCurves {
  DriverCurve across, along;
};

// `is_smooth`: starts and ends without a kink.
ThicknessCurves thickness_curves(double scale, double full, bool is_smooth) {
  ThicknessCurves curves;
  for (DriverCurve* curve : {&curves.across, &curves.along}) {
    curve->keys.clear();
    curve->is_spline = true;
    curve->extends = false;
  }
  for (int k = 0; k < kVolumeKeys; ++k) {
    const double t = static_cast<double>(k) / (kVolumeKeys - 1);
    const double step = is_smooth ? t * t * (3 - 2 * t) : t, slope = is_smooth ? 6 * t * (1 - t) : 1;
    const double s = 1 + (scale - 1) * step, ds = (scale - 1) * slope / full;
    const auto input = static_cast<float>(full * t);
    curves.across.keys.push_back({input, static_cast<float>(s), static_cast<float>(ds)});
    curves.along.keys.push_back(
        {input, static_cast<float>(1 / (s * s)), static_cast<float>(-2 * ds / (s * s * s))});
  }
  return curves;
}

DriverCurve proportional(double share) {
  const auto slope = static_cast<float>(share);
  DriverCurve curve;
  curve.keys = {{0, 0, slope}, {1, slope, slope}};
  return curve;
}

class HelperBuilder {
 public:
  HelperBuilder(Character& character, std::span<const HelperRequest> requests, const Progress& progress)
      : character_(character),
        requests_(requests),
        skeleton_(character, progress.part(0, 0.3)),
        rows_(character) {
    for (const Node& node : character.nodes) node_names_.insert(node.name);
    for (const Driver& driver : character.drivers) driver_names_.insert(driver.name);
  }

  Status build(const Progress& progress) {
    if (!skeleton_.mapped()) return skeleton_.mapped();
    for (const HelperRequest& request : requests_)
      if (Status good = check(request); !good) return good;
    // Half-angle joints share what two bones have; twist joints then spread what is left of each.
    for (const HelperKind kind :
         {HelperKind::half, HelperKind::bulge, HelperKind::breathe, HelperKind::twist}) {
      for (std::size_t k = 0; k < requests_.size(); ++k) {
        if (requests_[k].kind != kind) continue;
        if (Status going = progress.at("adding helper joints", 0.3); !going) return going;
        if (is_present(k)) {
          added_.present.push_back(k);
        } else if (Status done = add(k); !done) {
          return done;
        }
      }
    }
    return rows_.finish(added_, progress.part(0.4, 1));
  }
  AddedHelpers take() { return std::move(added_); }

 private:
  std::string label(Index node) const { return quoted_name(node_label(character_, node)); }

  Status check(const HelperRequest& request) const {
    const auto is_node = [&](Index node) { return node >= 0 && at(node) < character_.nodes.size(); };
    const bool is_bulge = request.kind == HelperKind::bulge;
    if (!is_node(request.joint) || (is_bulge && !is_node(request.bend)))
      return Error{Errc::bad_argument, "a helper joint is for a joint that does not exist"};
    for (const Index joint : {request.joint, is_bulge ? request.bend : request.joint}) {
      if (!skeleton_.is_joint(joint))
        return Error{Errc::bad_argument, fmt::format("{} is not a joint of a skin", label(joint))};
    }
    if (request.kind == HelperKind::twist && (request.count < 1 || request.count > kMostTwistJoints))
      return Error{Errc::bad_argument, fmt::format("{} twist joints for {}: there can be 1 to {}",
                                                   request.count, label(request.joint), kMostTwistJoints)};
    const bool has_scale = is_bulge || request.kind == HelperKind::breathe;
    if (has_scale && !(request.scale >= 0.1 && request.scale <= 10))
      return Error{Errc::bad_argument,
                   fmt::format("{} for {}: a scale of {:g} is not between 0.1 and 10", name_of(request.kind),
                               label(request.joint), request.scale)};
    if (is_bulge && !(request.angle > 0 && request.angle <= kPi))
      return Error{Errc::bad_argument,
                   fmt::format("bulge for {}: an angle of {:g} degrees is not above 0 and at most 180",
                               label(request.joint), degrees_from_radians(request.angle))};
    if (is_bulge && request.bend == request.joint)
      return Error{
          Errc::bad_argument,
          fmt::format("bulge for {}: the bone and the joint that bends are the same", label(request.joint))};
    const bool needs_bone = request.kind == HelperKind::twist || is_bulge;
    if (needs_bone && !skeleton_.bone_of(request.joint))
      return Error{Errc::bad_argument,
                   fmt::format("{} has no bone: no joint of the skin follows it at another place",
                               label(request.joint))};
    if (request.kind == HelperKind::half && skeleton_.above(request.joint) == kNone)
      return Error{Errc::bad_argument,
                   fmt::format("{} has no joint above it that points follow, so nothing turns half as far",
                               label(request.joint))};
    return Done{};
  }

  // Such a joint was there before, or an equal request came first.
  bool is_present(std::size_t k) const {
    const HelperRequest& request = requests_[k];
    if (!skeleton_.helpers_of(request.joint, request.kind).empty()) return true;
    return std::any_of(
        requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(k),
        [&](const HelperRequest& one) { return one.kind == request.kind && one.joint == request.joint; });
  }

  Status add(std::size_t k) {
    switch (requests_[k].kind) {
      case HelperKind::half:
        return add_half(k);
      case HelperKind::twist:
        return add_twists(k);
      case HelperKind::bulge:
        return add_bulge(k);
      default:
        return add_breath(k);
    }
  }

  // ---- Nodes, slots and drivers ----

  static std::string free_name(std::set<std::string>& taken, const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{} {}", wanted, number);
    return name;
  }

  // A joint below `joint`, which moves like it in all skins that have it.
  Index add_below(Index joint, const Transform& rest, const std::string& name) {
    Node node;
    node.name = free_name(node_names_, name);
    node.parent = joint;
    node.rest = rest;
    const auto index = static_cast<Index>(character_.nodes.size());
    character_.nodes.push_back(std::move(node));
    const Affined node_from_joint = inverse(affine_from_transform(rest));
    for (Skin& skin : character_.skins) {
      const auto found = std::find(skin.node.begin(), skin.node.end(), joint);
      if (found == skin.node.end()) continue;
      const Affined joint_from_bind(skin.inverse_bind[static_cast<std::size_t>(found - skin.node.begin())]);
      skin.node.push_back(index);
      skin.inverse_bind.push_back(Affine(node_from_joint * joint_from_bind));
    }
    return index;
  }

  void drive(const std::string& name, decltype(Driver::rule) rule) {
    character_.drivers.push_back({free_name(driver_names_, name), std::move(rule)});
  }

  // `node` shows `share` of the twists that its bone spreads. `axis` is the bone in the node's own frame.
  void spread_twist(Index node, const Vec3d& axis, Index joint, const HelperBone& bone, TwistSpread spread,
                    double share) {
    const auto turn = [&](Index source, const Vec3d& source_axis, double part, const char* word) {
      DrivenValue value;
      value.output = DriverOutput::turn;
      value.node = node;
      value.axis = Vec3(axis);
      value.factors.emplace_back();
      value.factors[0].input = DriverInput::turn;
      value.factors[0].node = source;
      value.factors[0].axis = Vec3(source_axis);
      value.factors[0].curve = proportional(part);
      drive(character_.nodes[at(node)].name + word, value);
    };
    if (spread != TwistSpread::next && share != 1)
      turn(joint, normalized(bone.along), share - 1, " takes back");
    if (spread != TwistSpread::own && share != 0)
      turn(bone.end, bone.axis_of_end, share * bone.sign, " follows");
  }

  // True if the own twist of a joint is spread along its bone, now or before.
  bool is_spread(Index joint) const {
    const bool is_asked = std::any_of(requests_.begin(), requests_.end(), [&](const HelperRequest& one) {
      return one.kind == HelperKind::twist && one.joint == joint;
    });
    return is_asked || !skeleton_.helpers_of(joint, HelperKind::twist).empty();
  }

  // The twists that a bone spreads, now or before. A twist that the next bone spreads itself is not spread
  // here as well.
  TwistSpread spread_of(Index joint, const HelperBone& bone) const {
    if (const std::optional<TwistSpread> before = spread_before(joint, bone)) return *before;
    for (const HelperRequest& one : requests_)
      if (one.kind == HelperKind::twist && one.joint == joint && one.spread) return *one.spread;
    const TwistSpread spread = skeleton_.spread_of(joint, bone);
    if (spread != TwistSpread::both || !is_spread(bone.end)) return spread;
    const std::optional<HelperBone> next = skeleton_.bone_of(bone.end);
    const bool is_taken = next && skeleton_.spread_of(bone.end, *next) != TwistSpread::next;
    return is_taken ? TwistSpread::own : spread;
  }

  // By the drivers of twist joints that were there before.
  std::optional<TwistSpread> spread_before(Index joint, const HelperBone& bone) const {
    const std::vector<Index> twists = skeleton_.helpers_of(joint, HelperKind::twist);
    bool reads_own = false, reads_next = false;
    for (const Driver& driver : character_.drivers) {
      const auto* value = std::get_if<DrivenValue>(&driver.rule);
      if (value == nullptr || std::find(twists.begin(), twists.end(), value->node) == twists.end()) continue;
      reads_own = reads_own || value->factors[0].node == joint;
      reads_next = reads_next || value->factors[0].node == bone.end;
    }
    if (reads_own && reads_next) return TwistSpread::both;
    if (reads_own) return TwistSpread::own;
    if (reads_next) return TwistSpread::next;
    return std::nullopt;
  }

  // A helper in the middle of a bone turns like what is around it.
  void turn_with_bone(Index node, const Vec3d& axis, Index joint, double place) {
    const std::optional<HelperBone> bone = skeleton_.bone_of(joint);
    if (bone && is_spread(joint)) spread_twist(node, axis, joint, *bone, spread_of(joint, *bone), place);
  }

  std::string control_named(const std::string& name) {
    const bool is_there = std::any_of(character_.controls.begin(), character_.controls.end(),
                                      [&](const Control& control) { return control.name == name; });
    if (!is_there) character_.controls.push_back({name, 0, 0, 1});
    return name;
  }

  Index control_index(const std::string& name) const {
    const auto found = std::find_if(character_.controls.begin(), character_.controls.end(),
                                    [&](const Control& control) { return control.name == name; });
    return static_cast<Index>(found - character_.controls.begin());
  }

  void scale_by(Index node, const Vec3& axis, const DriverFactor& input, const DriverCurve& curve,
                const char* word) {
    DrivenValue value;
    value.output = DriverOutput::scale;
    value.node = node;
    value.axis = axis;
    value.factors = {input};
    value.factors[0].curve = curve;
    drive(character_.nodes[at(node)].name + word, value);
  }

  AddedHelper& report(std::size_t k, Index node) {
    AddedHelper& helper = added_.joints.emplace_back();
    helper.kind = requests_[k].kind, helper.request = k;
    helper.node = node, helper.joint = requests_[k].joint;
    return helper;
  }

  // ---- The four kinds ----

  Status add_half(std::size_t k) {
    const Index joint = requests_[k].joint, above = skeleton_.above(joint);
    const std::vector<Index> upper = skeleton_.family_of(above), lower = skeleton_.family_of(joint);
    if (!(rows_.shared_weight(upper, lower) > 0)) {
      added_.useless.push_back(k);
      return Done{};
    }
    Node node = character_.nodes[at(joint)];
    node.name = free_name(node_names_, helper_stem(character_, joint, HelperKind::half));
    const auto half = static_cast<Index>(character_.nodes.size());
    // At rest it moves points like the mean of both bones: what it takes from them equally stays in place.
    // Drivers replace a rest matrix by its nearest TRS.
    node.rest_matrix.reset();
    const Affined world_from_parent = node.parent == kNone ? Affined{} : skeleton_.world(node.parent);
    const Affined node_from_world = inverse(world_from_parent * affine_from_transform(node.rest));
    for (Skin& skin : character_.skins) {
      const auto bind_of = [&](Index wanted) -> const Affine* {
        const auto found = std::find(skin.node.begin(), skin.node.end(), wanted);
        return found == skin.node.end()
                   ? nullptr
                   : &skin.inverse_bind[static_cast<std::size_t>(found - skin.node.begin())];
      };
      const Affine *upper_bind = bind_of(above), *lower_bind = bind_of(joint);
      if (upper_bind == nullptr || lower_bind == nullptr) continue;
      const Affined a = skeleton_.world(above) * Affined(*upper_bind);
      const Affined b = skeleton_.world(joint) * Affined(*lower_bind);
      const Affined mean{(a.linear + b.linear) * 0.5, (a.translation + b.translation) * 0.5};
      if (!(std::abs(determinant(mean.linear)) > kLeastMean * std::abs(determinant(b.linear))) ||
          !is_finite(node_from_world))
        return Error{Errc::bad_rig,
                     fmt::format("{} rests turned by about half a circle from its bind pose; a half-angle "
                                 "joint would flatten the surface there",
                                 label(joint))};
      skin.node.push_back(half);
      skin.inverse_bind.push_back(Affine(node_from_world * mean));
    }
    character_.nodes.push_back(std::move(node));
    drive_half(joint, above, half);
    rows_.take_half(upper, lower, half);
    AddedHelper& helper = report(k, half);
    helper.source = joint, helper.share = 0.5;
    return Done{};
  }

  // Half of the rotation. A twist that is spread along a bone is not half way here: between the bones remains
  // the step from the last station above, or to the first below, and half of that is shown.
  void drive_half(Index joint, Index above, Index half) {
    const std::string& name = character_.nodes[at(half)].name;
    const std::optional<HelperBone> own = skeleton_.bone_of(joint), upper = skeleton_.bone_of(above);
    DrivenRotation rotation;
    rotation.node = half, rotation.source = joint;
    const bool is_below_spread = own && is_spread(joint) && spread_of(joint, *own) != TwistSpread::next;
    const bool is_above_spread =
        upper && upper->end == joint && is_spread(above) && spread_of(above, *upper) != TwistSpread::own;
    if (is_below_spread || is_above_spread) {
      const Vec3d axis = is_above_spread ? upper->axis_of_end : normalized(own->along);
      rotation.part = RotationPart::swing;
      rotation.axis = Vec3(axis);
      const Index bone = is_above_spread ? above : joint;
      const double step = 1.0 / (twist_count(bone) + 1);
      DrivenValue turn;
      turn.output = DriverOutput::turn;
      turn.node = half;
      turn.axis = Vec3(axis);
      turn.factors.emplace_back();
      turn.factors[0].input = DriverInput::turn;
      turn.factors[0].node = joint;
      turn.factors[0].axis = Vec3(axis);
      turn.factors[0].curve = proportional(is_above_spread ? 1 - step / 2 : step / 2);
      drive(name + " twist", turn);
    }
    drive(name, rotation);
  }

  int twist_count(Index joint) const {
    const std::size_t there = skeleton_.helpers_of(joint, HelperKind::twist).size();
    if (there > 0) return static_cast<int>(there);
    for (const HelperRequest& one : requests_)
      if (one.kind == HelperKind::twist && one.joint == joint) return one.count;
    return 0;
  }

  Status add_twists(std::size_t k) {
    const HelperRequest& request = requests_[k];
    if (!(rows_.weight_of(std::array{request.joint}) > 0)) {
      added_.useless.push_back(k);
      return Done{};
    }
    const HelperBone bone = *skeleton_.bone_of(request.joint);
    const TwistSpread spread = spread_of(request.joint, bone);
    const std::string stem = helper_stem(character_, request.joint, HelperKind::twist);
    const std::vector<bool> is_used = rows_.used_stations(request.joint, bone.along, spread, request.count);
    std::vector<Index> twists(static_cast<std::size_t>(request.count), kNone);
    for (int station = 1; station <= request.count; ++station) {
      if (!is_used[static_cast<std::size_t>(station)]) continue;
      const double share = twist_share(station, request.count);
      const Index node =
          add_below(request.joint, {Vec3(bone.along * share), {}}, fmt::format("{}_{}", stem, station));
      spread_twist(node, normalized(bone.along), request.joint, bone, spread, share);
      twists[static_cast<std::size_t>(station - 1)] = node;
      AddedHelper& helper = report(k, node);
      helper.source = bone.end, helper.place = helper.share = share, helper.spread = spread;
    }
    rows_.take_twist(request.joint, bone.along, spread, twists);
    return Done{};
  }

  // A joint that gets thicker and thinner; its Y axis is that of the bone.
  Index add_thick(Index joint, const Vec3d& place, const Vec3d& along, HelperKind kind) {
    const Transform rest{Vec3(place), Quat(quat_between({0, 1, 0}, along))};
    return add_below(joint, rest, helper_stem(character_, joint, kind));
  }

  Status add_bulge(std::size_t k) {
    const HelperRequest& request = requests_[k];
    const std::vector<Index> family = skeleton_.family_of(request.joint);
    if (!(rows_.weight_of(family) > 0)) {
      added_.useless.push_back(k);
      return Done{};
    }
    const HelperBone bone = *skeleton_.bone_of(request.joint);
    const Index node = add_thick(request.joint, bone.along * 0.5, bone.along, HelperKind::bulge);
    // The bend tilts the bone of the joint that bends, or if it has none, continues the first.
    const std::optional<HelperBone> bent = skeleton_.bone_of(request.bend);
    const Vec3d onwards = skeleton_.world(request.joint).linear * bone.along;
    Vec3d axis = normalized(bent ? bent->along : inverse(skeleton_.world(request.bend).linear) * onwards);
    if (!is_finite(axis) || length(axis) == 0) axis = {0, 1, 0};
    DriverFactor angle;
    angle.input = DriverInput::swing;
    angle.node = request.bend;
    angle.axis = Vec3(axis);
    const ThicknessCurves by_angle = thickness_curves(request.scale, request.angle, true);
    scale_by(node, {1, 0, 1}, angle, by_angle.across, " across");
    scale_by(node, {0, 1, 0}, angle, by_angle.along, " along");
    const std::string name = request.control.empty()
                                 ? fmt::format("flex.{}", node_label(character_, request.joint))
                                 : request.control;
    DriverFactor flexed;
    flexed.control = control_index(control_named(name));
    const ThicknessCurves by_control = thickness_curves(request.scale, 1, false);
    scale_by(node, {1, 0, 1}, flexed, by_control.across, " flexed across");
    scale_by(node, {0, 1, 0}, flexed, by_control.along, " flexed along");
    turn_with_bone(node, {0, 1, 0}, request.joint, 0.5);
    rows_.take_bulge(request.joint, bone.along, family, node);
    AddedHelper& helper = report(k, node);
    helper.source = request.bend, helper.place = 0.5, helper.control = name;
    return Done{};
  }

  Status add_breath(std::size_t k) {
    const HelperRequest& request = requests_[k];
    const std::vector<Index> family = skeleton_.family_of(request.joint);
    const std::optional<Vec3d> middle = rows_.middle_of(request.joint, family);
    if (!middle) {
      added_.useless.push_back(k);
      return Done{};
    }
    const std::optional<HelperBone> bone = skeleton_.bone_of(request.joint);
    const Vec3d along = bone ? bone->along : Vec3d{0, 1, 0};
    const Index node = add_thick(request.joint, *middle, along, HelperKind::breathe);
    const std::string name = request.control.empty() ? "breathe" : request.control;
    DriverFactor breath;
    breath.control = control_index(control_named(name));
    DriverCurve curve;
    curve.extends = false;
    curve.keys = {{0, 1, 0}, {1, static_cast<float>(request.scale), 0}};
    // A chest gets wider and deeper, not longer.
    scale_by(node, bone ? Vec3{1, 0, 1} : Vec3{1, 1, 1}, breath, curve, " breathes");
    const double place = std::clamp(dot(*middle, along) / dot(along, along), 0.0, 1.0);
    turn_with_bone(node, {0, 1, 0}, request.joint, place);
    rows_.take_breath(family, node);
    AddedHelper& helper = report(k, node);
    helper.place = bone ? place : 0, helper.control = name;
    return Done{};
  }

  Character& character_;
  std::span<const HelperRequest> requests_;
  HelperSkeleton skeleton_;
  HelperRows rows_;
  std::set<std::string> node_names_, driver_names_;
  AddedHelpers added_;
};

}  // namespace

Result<AddedHelpers> add_helper_joints(Character& character, std::span<const HelperRequest> requests,
                                       const Progress& progress) {
  return without_throwing("adding helper joints", [&]() -> Result<AddedHelpers> {
    // On a copy: a failure leaves the character as it was.
    Character changed = character;
    HelperBuilder builder(changed, requests, progress);
    if (Status built = builder.build(progress); !built) return built.error();
    AddedHelpers added = builder.take();
    character = std::move(changed);
    return added;
  });
}

}  // namespace dermis
