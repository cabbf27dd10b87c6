// SPDX-License-Identifier: MIT
// The invariants of drivers, rules of shapes and pose spaces, and dropping what breaks them.
#include "model/driving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace dermis {
namespace {

// As for rotations in files.
constexpr float kUnitAxisTolerance = 1e-3f;
// Of more cycles than this, all drivers are dropped that depend on one.
constexpr int kMaxCycles = 64;
// Examples of a space are compared with this many before them, so that no file takes forever to read. Posing
// compares all.
constexpr std::size_t kMostComparedExamples = 4096;

// Why something is broken, "its axis is not unit"; empty: it is not.
using Fault = std::string;

bool is_unit_axis(const Vec3& axis) { return std::abs(length(axis) - 1) <= kUnitAxisTolerance; }
bool is_fraction(float x) { return x >= 0 && x <= 1; }

// What a shape does in rules and pose spaces.
enum class ShapeDuty : std::uint8_t { free, in_between, corrective };

double angle_between_directions(const Vec3d& a, const Vec3d& b) {
  return std::atan2(length(cross(a, b)), dot(a, b));
}

double twist_about(const Quatd& q, const Vec3d& axis) { return 2 * std::atan2(dot(q.xyz(), axis), q.w); }

// Radians, as a pose space measures.
double distance_of_poses(const PoseSpace& space, const PoseExample& a, const PoseExample* b) {
  double sum = 0;
  for (std::size_t j = 0; j < space.joints.size(); ++j) {
    const Quatd other = b == nullptr ? Quatd{} : normalized(Quatd(b->rotation[j]));
    const double angle = pose_angle(space.joints[j], normalized(Quatd(a.rotation[j])), other);
    sum += std::pow(static_cast<double>(space.joints[j].share) * angle, 2);
  }
  return std::sqrt(sum);
}

// The first of `earlier` that is at the pose of the example, or rest.
struct SamePose {
  const PoseExample* example = nullptr;
  bool is_at_rest = false;
};
SamePose same_pose(const PoseSpace& space, std::span<const PoseExample> earlier, const PoseExample& example) {
  if (distance_of_poses(space, example, nullptr) < kSamePose) return {nullptr, true};
  if (earlier.size() > kMostComparedExamples) return {};
  for (const PoseExample& other : earlier)
    if (distance_of_poses(space, example, &other) < kSamePose) return {&other, false};
  return {};
}

class Faults {
 public:
  explicit Faults(const Character& character) : character_(character), below_(character.nodes) {
    for (const Mesh& mesh : character.meshes) {
      for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
        duties_.emplace(shape_label(mesh, s), ShapeDuty::free);
    }
    for (const Driver& driver : character.drivers) {
      const auto* value = std::get_if<DrivenValue>(&driver.rule);
      if (value != nullptr && value->output == DriverOutput::shape) driven_shapes_.insert(value->shape);
    }
    for (const ShapeRule& rule : character.shape_rules) {
      for (const InBetween& between : rule.in_betweens) set_duty(between.shape, ShapeDuty::in_between);
    }
    for (const PoseSpace& space : character.pose_spaces) {
      for (const PoseExample& example : space.examples) set_duty(example.shape, ShapeDuty::corrective);
    }
    for (const ShapeRule& rule : character.shape_rules) ruled_shapes_.insert(rule.shape);
  }

  // Drivers, rules and spaces are given in their order; each claims its name.
  Fault of(const Driver& driver) {
    if (driver.name.empty()) return "it has no name";
    if (!driver_names_.insert(driver.name).second) return "another driver has that name";
    Fault fault = std::visit([&](const auto& rule) { return of_rule(rule); }, driver.rule);
    if (!fault.empty()) return fault;
    const Index turned = turned_by(driver);
    const bool is_aim = std::holds_alternative<DrivenAim>(driver.rule);
    if (turned == kNone) return {};
    const auto [before, is_first] = turned_.emplace(turned, is_aim);
    if (is_first || !(is_aim || before->second)) return {};
    return fmt::format("another driver turns {} too, which only one can if one of them is an aim",
                       node(turned));
  }

  Fault of(const ShapeRule& rule) {
    if (!is_known(rule.shape)) return no_shape(rule.shape);
    if (!rules_.insert(rule.shape).second) return "another rule has its shape";
    if (duties_.at(rule.shape) == ShapeDuty::in_between) return "its shape is an in-between of another one";
    if (!(rule.low <= rule.high)) return fmt::format("its limits are {} and {}", rule.low, rule.high);
    for (std::size_t k = 1; k < rule.in_betweens.size(); ++k) {
      if (!(rule.in_betweens[k].weight > rule.in_betweens[k - 1].weight))
        return "the weights of its in-betweens do not increase";
    }
    for (const InBetween& between : rule.in_betweens) {
      if (Fault fault = of_in_between(between); !fault.empty()) return fault;
    }
    return {};
  }

  Fault of(const PoseSpace& space) {
    if (space.name.empty()) return "it has no name";
    if (!space_names_.insert(space.name).second) return "another pose space has that name";
    if (space.joints.empty()) return "it has no joints";
    if (space.kernel > PoseKernel::thin_plate) return "its kernel is not one of the three";
    for (const PoseJoint& joint : space.joints) {
      if (!is_node(joint.node)) return no_node("measures", joint.node);
      if (joint.distance > PoseDistance::twist) return "a distance is not rotation, swing or twist";
      if (!is_unit_axis(joint.axis)) return fmt::format("the axis of {} is not unit", node(joint.node));
      if (!(joint.share > 0 && std::isfinite(joint.share)))
        return fmt::format("the share of {} is not above zero", node(joint.node));
    }
    for (const PoseExample& example : space.examples) {
      if (Fault fault = of(example, space); !fault.empty()) return fault;
    }
    for (std::size_t e = 0; e < space.examples.size(); ++e) {
      const PoseExample& example = space.examples[e];
      const SamePose same = same_pose(space, std::span(space.examples).first(e), example);
      if (same.is_at_rest)
        return fmt::format("example {} is at the rest pose, where there is nothing to correct",
                           quoted_name(example.shape));
      if (same.example != nullptr)
        return fmt::format("examples {} and {} are at the same pose; keep one of them",
                           quoted_name(same.example->shape), quoted_name(example.shape));
    }
    return {};
  }

  Fault of(const PoseExample& example, const PoseSpace& space) const {
    const std::string name = fmt::format("its example {}", quoted_name(example.shape));
    if (!is_known(example.shape)) return no_shape(example.shape);
    if (duties_.at(example.shape) == ShapeDuty::in_between) return name + " is an in-between of a shape";
    if (driven_shapes_.contains(example.shape)) return name + " is written by a driver";
    if (ruled_shapes_.contains(example.shape)) return name + " has a rule";
    if (example.rotation.size() != space.joints.size()) {
      return fmt::format("{} has {} rotations for {} joints", name, example.rotation.size(),
                         space.joints.size());
    }
    for (const Quat& rotation : example.rotation) {
      if (!(std::abs(std::sqrt(dot(rotation, rotation)) - 1) <= kUnitAxisTolerance))
        return name + " has a rotation that is not unit";
    }
    if (!(example.radius >= 0 && std::isfinite(example.radius))) return name + " has a negative radius";
    if (!std::isfinite(example.strength)) return name + " has a strength that is not finite";
    return {};
  }

  Fault of_in_between(const InBetween& between) {
    if (!std::isfinite(between.weight) || between.weight == 0 || between.weight == 1)
      return fmt::format("its in-between {} is at {}", quoted_name(between.shape), between.weight);
    if (!is_known(between.shape)) return no_shape(between.shape);
    const std::string name = fmt::format("its in-between {}", quoted_name(between.shape));
    if (!in_betweens_.insert(between.shape).second) return name + " is one of another weight or rule";
    if (ruled_shapes_.contains(between.shape)) return name + " has a rule of its own";
    if (driven_shapes_.contains(between.shape)) return name + " is written by a driver";
    return {};
  }

 private:
  void set_duty(const std::string& shape, ShapeDuty duty) {
    if (const auto known = duties_.find(shape); known != duties_.end() && known->second == ShapeDuty::free)
      known->second = duty;
  }

  bool is_node(Index node) const { return node >= 0 && at(node) < character_.nodes.size(); }
  bool is_known(const std::string& shape) const { return duties_.contains(shape); }
  std::string node(Index node) const {
    const std::string& name = character_.nodes[at(node)].name;
    return name.empty() ? fmt::format("node #{}", node) : fmt::format("node {}", quoted_name(name));
  }
  Fault no_node(const char* verb, Index node) const {
    return node == kNone ? fmt::format("it {} no node", verb)
                         : fmt::format("it {} node {} of {}", verb, node, character_.nodes.size());
  }
  static Fault no_shape(const std::string& shape) {
    return fmt::format("no mesh has the shape {}", quoted_name(shape));
  }

  // A shape that drivers may read and write.
  Fault of_shape(const std::string& shape) const {
    if (!is_known(shape)) return no_shape(shape);
    if (duties_.at(shape) == ShapeDuty::in_between)
      return fmt::format("{} is an in-between of a shape, which only its rule moves", quoted_name(shape));
    if (duties_.at(shape) == ShapeDuty::corrective)
      return fmt::format("{} is a corrective of a pose space, which only the space moves",
                         quoted_name(shape));
    return {};
  }

  static Fault of_curve(const DriverCurve& curve) {
    if (curve.keys.empty()) return "a curve has no keys";
    for (std::size_t k = 0; k < curve.keys.size(); ++k) {
      const DriverKey& key = curve.keys[k];
      if (!std::isfinite(key.input) || !std::isfinite(key.value) || !std::isfinite(key.slope))
        return "a key of a curve is not finite";
      if (k > 0 && key.input <= curve.keys[k - 1].input) return "the inputs of a curve do not increase";
    }
    return {};
  }

  Fault of_factor(const DriverFactor& factor) const {
    switch (factor.input) {
      case DriverInput::turn:
      case DriverInput::swing:
      case DriverInput::translation:
      case DriverInput::scale:
        if (!is_node(factor.node)) return no_node("reads", factor.node);
        if (!is_unit_axis(factor.axis)) return "the axis of an input is not unit";
        break;
      case DriverInput::shape:
        if (Fault fault = of_shape(factor.shape); !fault.empty()) return fault;
        break;
      case DriverInput::control:
        if (factor.control < 0 || at(factor.control) >= character_.controls.size())
          return factor.control == kNone
                     ? Fault("it reads no control")
                     : fmt::format("it reads control {} of {}", factor.control, character_.controls.size());
        break;
      default:
        return "an input is not one of the six";
    }
    return of_curve(factor.curve);
  }

  Fault of_rule(const DrivenValue& value) const {
    switch (value.output) {
      case DriverOutput::turn:
      case DriverOutput::translation:
        if (!is_node(value.node)) return no_node("writes", value.node);
        if (!is_unit_axis(value.axis)) return "its axis is not unit";
        break;
      case DriverOutput::scale:
        if (!is_node(value.node)) return no_node("writes", value.node);
        if (!is_fraction(value.axis.x) || !is_fraction(value.axis.y) || !is_fraction(value.axis.z))
          return "a share of its scale is outside 0 to 1";
        break;
      case DriverOutput::shape:
        if (Fault fault = of_shape(value.shape); !fault.empty()) return fault;
        break;
      default:
        return "its output is not one of the four";
    }
    if (!std::isfinite(value.base)) return "its base is not finite";
    if (value.factors.empty()) return "it has no factors";
    for (const DriverFactor& factor : value.factors) {
      if (Fault fault = of_factor(factor); !fault.empty()) return fault;
    }
    return {};
  }

  Fault of_rule(const DrivenRotation& turn) const {
    if (!is_node(turn.node)) return no_node("writes", turn.node);
    if (!is_node(turn.source)) return no_node("reads", turn.source);
    if (turn.node == turn.source) return fmt::format("{} would follow itself", node(turn.node));
    if (turn.part > RotationPart::twist) return "its part is not whole, swing or twist";
    if (!is_unit_axis(turn.axis)) return "its axis is not unit";
    if (!std::isfinite(turn.share)) return "its share is not finite";
    return {};
  }

  Fault of_rule(const DrivenAim& aim) const {
    if (!is_node(aim.node)) return no_node("writes", aim.node);
    if (!is_node(aim.target)) return no_node("aims at", aim.target);
    if (below_.is_in(aim.target, aim.node)) {
      return aim.target == aim.node
                 ? fmt::format("{} would aim at itself", node(aim.node))
                 : fmt::format("{} would aim at {}, which is below it", node(aim.node), node(aim.target));
    }
    if (!is_fraction(aim.keeps_volume)) return "what it keeps of the volume is outside 0 to 1";
    return {};
  }

  static Index turned_by(const Driver& driver) {
    if (const auto* value = std::get_if<DrivenValue>(&driver.rule))
      return value->output == DriverOutput::turn ? value->node : kNone;
    if (const auto* turn = std::get_if<DrivenRotation>(&driver.rule)) return turn->node;
    return std::get<DrivenAim>(driver.rule).node;
  }

  const Character& character_;
  const Subtrees below_;
  std::unordered_map<std::string, ShapeDuty> duties_;  // of all labels of shapes
  std::unordered_set<std::string> driven_shapes_, ruled_shapes_;
  // Of those that were looked at.
  std::unordered_set<std::string> driver_names_, space_names_, rules_, in_betweens_;
  std::unordered_map<Index, bool> turned_;  // the nodes that drivers turn, and whether by an aim
};

std::string named(const char* kind, const std::string& name) {
  return fmt::format("{} {}", kind, quoted_name(name));
}

// Drops items of a list that have a fault, and says so.
template <class Item>
void drop_faulty(std::vector<Item>& items, const char* kind,
                 const std::function<Fault(const Item&)>& fault_of,
                 const std::function<std::string(const Item&)>& name_of,
                 std::vector<DroppedDriving>& dropped) {
  std::erase_if(items, [&](const Item& item) {
    Fault fault = fault_of(item);
    if (fault.empty()) return false;
    dropped.push_back({named(kind, name_of(item)), std::move(fault)});
    return true;
  });
}

// Of examples at one pose the first is kept.
void drop_same_poses(PoseSpace& space, std::vector<DroppedDriving>& dropped) {
  std::vector<PoseExample> kept;
  for (PoseExample& example : space.examples) {
    const SamePose same = same_pose(space, kept, example);
    if (!same.is_at_rest && same.example == nullptr) {
      kept.push_back(std::move(example));
      continue;
    }
    dropped.push_back(
        {named("example", example.shape),
         same.is_at_rest ? "it is at the rest pose, where there is nothing to correct"
                         : fmt::format("example {} is at the same pose", quoted_name(same.example->shape))});
  }
  space.examples = std::move(kept);
}

void drop_cycles(Character& character, std::vector<DroppedDriving>& dropped) {
  for (int round = 0;; ++round) {
    const DriverOrder found = driver_order(character);
    if (found.cycle.empty()) return;
    std::vector<bool> is_dropped(character.drivers.size(), round == kMaxCycles);
    if (round == kMaxCycles) {
      for (const Index driver : found.order) is_dropped[at(driver)] = false;
    } else {
      for (const Index driver : found.cycle) is_dropped[at(driver)] = true;
    }
    const std::string why = fmt::format("it is part of the cycle {}", cycle_words(character, found.cycle));
    std::vector<Driver> kept;
    for (std::size_t d = 0; d < is_dropped.size(); ++d) {
      if (is_dropped[d])
        dropped.push_back({named("driver", character.drivers[d].name), why});
      else
        kept.push_back(std::move(character.drivers[d]));
    }
    character.drivers = std::move(kept);
  }
}

}  // namespace

std::vector<DriverKey> identity_keys() { return {{0, 0, 1}, {1, 1, 1}}; }

double pose_angle(const PoseJoint& joint, const Quatd& a, const Quatd& b) {
  const Vec3d axis(joint.axis);
  switch (joint.distance) {
    case PoseDistance::rotation: {
      const Quatd turn = conjugate(a) * b;
      return 2 * std::atan2(length(turn.xyz()), std::abs(turn.w));
    }
    case PoseDistance::swing:
      return angle_between_directions(rotate(a, axis), rotate(b, axis));
    case PoseDistance::twist:
      return std::abs(std::remainder(twist_about(a, axis) - twist_about(b, axis), 2 * kPi));
  }
  return 0;
}

Status check_driving(const Character& character) {
  if (!has_driven_values(character)) return Done{};
  Faults faults(character);
  const auto broken = [](const char* kind, const std::string& name, const Fault& fault) {
    return Error{Errc::bad_rig, fmt::format("{}: {}", named(kind, name), fault)};
  };
  for (const Driver& driver : character.drivers) {
    if (const Fault fault = faults.of(driver); !fault.empty()) return broken("driver", driver.name, fault);
  }
  for (const ShapeRule& rule : character.shape_rules) {
    if (const Fault fault = faults.of(rule); !fault.empty())
      return broken("the rule of shape", rule.shape, fault);
  }
  for (const PoseSpace& space : character.pose_spaces) {
    if (const Fault fault = faults.of(space); !fault.empty()) return broken("pose space", space.name, fault);
  }
  const DriverOrder order = driver_order(character);
  if (order.cycle.empty()) return Done{};
  return Error{Errc::bad_rig, fmt::format("the drivers {} form a cycle: each writes what the next one reads",
                                          cycle_words(character, order.cycle))};
}

std::vector<DroppedDriving> drop_broken_driving(Character& character) {
  std::vector<DroppedDriving> dropped;
  if (!has_driven_values(character)) return dropped;
  // Shapes in rules and spaces are what drivers must not touch, so those that remain are found first.
  {
    Faults faults(character);
    for (ShapeRule& rule : character.shape_rules) {
      drop_faulty<InBetween>(
          rule.in_betweens, "the in-between", [&](const InBetween& one) { return faults.of_in_between(one); },
          [](const InBetween& one) { return one.shape; }, dropped);
    }
    for (PoseSpace& space : character.pose_spaces) {
      drop_faulty<PoseExample>(
          space.examples, "example", [&](const PoseExample& one) { return faults.of(one, space); },
          [](const PoseExample& one) { return one.shape; }, dropped);
      drop_same_poses(space, dropped);
    }
  }
  {
    Faults faults(character);
    drop_faulty<ShapeRule>(
        character.shape_rules, "the rule of shape", [&](const ShapeRule& one) { return faults.of(one); },
        [](const ShapeRule& one) { return one.shape; }, dropped);
    drop_faulty<PoseSpace>(
        character.pose_spaces, "pose space", [&](const PoseSpace& one) { return faults.of(one); },
        [](const PoseSpace& one) { return one.name; }, dropped);
  }
  Faults faults(character);
  drop_faulty<Driver>(
      character.drivers, "driver", [&](const Driver& one) { return faults.of(one); },
      [](const Driver& one) { return one.name; }, dropped);
  drop_cycles(character, dropped);
  return dropped;
}

void note_dropped(std::span<const DroppedDriving> dropped, Notes& notes) {
  constexpr std::size_t kMostNamed = 6;
  if (dropped.empty()) return;
  std::string words;
  for (const DroppedDriving& one : dropped.first(std::min(dropped.size(), kMostNamed)))
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", one.what, one.why);
  if (dropped.size() > kMostNamed) words += fmt::format(" and {} more", dropped.size() - kMostNamed);
  notes.push_back({Note::Kind::loss, "driving-dropped",
                   fmt::format("{} left out: {}",
                               dropped.size() == 1 ? "a driven value was" : "driven values were", words)});
}

// ---- Renumbering and renaming -------------------------------------------------------------------------

void renumber_driven(Character& character, std::span<const Index> new_node,
                     std::span<const Index> new_control) {
  const auto renumber = [](Index& index, std::span<const Index> numbers) {
    if (!numbers.empty() && index != kNone) index = numbers[at(index)];
  };
  for (Driver& driver : character.drivers) {
    if (auto* value = std::get_if<DrivenValue>(&driver.rule)) {
      renumber(value->node, new_node);
      for (DriverFactor& factor : value->factors) {
        renumber(factor.node, new_node);
        renumber(factor.control, new_control);
      }
    } else if (auto* turn = std::get_if<DrivenRotation>(&driver.rule)) {
      renumber(turn->node, new_node);
      renumber(turn->source, new_node);
    } else if (auto* aim = std::get_if<DrivenAim>(&driver.rule)) {
      renumber(aim->node, new_node);
      renumber(aim->target, new_node);
    }
  }
  for (PoseSpace& space : character.pose_spaces) {
    for (PoseJoint& joint : space.joints) renumber(joint.node, new_node);
  }
}

namespace {

// What a driver writes, to compare: kind, node, shape. An aim writes a rotation.
using WrittenValue = std::tuple<int, Index, std::string>;
WrittenValue written_value(const Driver& driver) {
  if (const auto* value = std::get_if<DrivenValue>(&driver.rule)) {
    const bool is_shape = value->output == DriverOutput::shape;
    return {static_cast<int>(value->output), is_shape ? kNone : value->node, is_shape ? value->shape : ""};
  }
  const auto* turn = std::get_if<DrivenRotation>(&driver.rule);
  const Index node = turn != nullptr ? turn->node : std::get<DrivenAim>(driver.rule).node;
  return {static_cast<int>(DriverOutput::turn), node, ""};
}

std::string free_name(const std::string& wanted, const std::unordered_set<std::string>& taken) {
  std::string name = wanted;
  for (int k = 2; taken.contains(name); ++k) name = fmt::format("{} {}", wanted, k);
  return name;
}

// For each control of `from` that drivers read its number in `to`.
std::vector<Index> lend_controls(const Character& from, Character& to) {
  std::vector<Index> numbers(from.controls.size(), kNone);
  for (const Driver& driver : from.drivers) {
    const auto* value = std::get_if<DrivenValue>(&driver.rule);
    if (value == nullptr) continue;
    for (const DriverFactor& factor : value->factors) {
      if (factor.control == kNone || numbers[at(factor.control)] != kNone) continue;
      const Control& control = from.controls[at(factor.control)];
      const auto same = std::find_if(to.controls.begin(), to.controls.end(),
                                     [&](const Control& other) { return other.name == control.name; });
      numbers[at(factor.control)] = static_cast<Index>(same - to.controls.begin());
      if (same == to.controls.end()) to.controls.push_back(control);
    }
  }
  return numbers;
}

// Of two spaces with one corrective, both would move it; only the space that `to` has remains.
void add_spaces(std::vector<PoseSpace> lent, Character& to, std::vector<DroppedDriving>& dropped) {
  std::unordered_set<std::string> names, correctives;
  for (const PoseSpace& space : to.pose_spaces) {
    names.insert(space.name);
    for (const PoseExample& example : space.examples) correctives.insert(example.shape);
  }
  const std::size_t own_count = to.pose_spaces.size();
  for (PoseSpace& space : lent) {
    const auto end = to.pose_spaces.begin() + static_cast<std::ptrdiff_t>(own_count);
    if (std::find(to.pose_spaces.begin(), end, space) != end) continue;
    const bool had_examples = !space.examples.empty();
    std::erase_if(space.examples, [&](const PoseExample& example) {
      if (!correctives.contains(example.shape)) return false;
      dropped.push_back({named("example", example.shape), "another pose space has its shape"});
      return true;
    });
    if (had_examples && space.examples.empty()) continue;
    space.name = free_name(space.name, names);
    names.insert(space.name);
    to.pose_spaces.push_back(std::move(space));
  }
}

}  // namespace

std::vector<DroppedDriving> add_driven(const Character& from, std::span<const Index> new_node,
                                       Character& to) {
  if (!has_driven_values(from)) return {};
  Character lent;
  lent.drivers = from.drivers;
  lent.shape_rules = from.shape_rules;
  lent.pose_spaces = from.pose_spaces;
  renumber_driven(lent, new_node, lend_controls(from, to));
  std::set<WrittenValue> written;
  std::unordered_set<std::string> names;
  for (const Driver& driver : to.drivers) {
    written.insert(written_value(driver));
    names.insert(driver.name);
  }
  std::vector<DroppedDriving> dropped;
  for (Driver& driver : lent.drivers) {
    if (written.contains(written_value(driver))) {
      const bool is_there = std::any_of(to.drivers.begin(), to.drivers.end(),
                                        [&](const Driver& own) { return own.rule == driver.rule; });
      if (!is_there) dropped.push_back({named("driver", driver.name), "another driver writes its value"});
      continue;
    }
    driver.name = free_name(driver.name, names);
    names.insert(driver.name);
    to.drivers.push_back(std::move(driver));
  }
  for (ShapeRule& rule : lent.shape_rules) {
    const auto own = std::find_if(to.shape_rules.begin(), to.shape_rules.end(),
                                  [&](const ShapeRule& other) { return other.shape == rule.shape; });
    if (own == to.shape_rules.end())
      to.shape_rules.push_back(std::move(rule));
    else if (!(*own == rule))
      dropped.push_back({named("the rule of shape", rule.shape), "another rule has its shape"});
  }
  add_spaces(std::move(lent.pose_spaces), to, dropped);
  const std::vector<DroppedDriving> broken = drop_broken_driving(to);
  dropped.insert(dropped.end(), broken.begin(), broken.end());
  return dropped;
}

void rename_driven_shape(Character& character, std::string_view from, const std::string& to) {
  const auto rename = [&](std::string& shape) {
    if (shape == from) shape = to;
  };
  for (Driver& driver : character.drivers) {
    auto* value = std::get_if<DrivenValue>(&driver.rule);
    if (value == nullptr) continue;
    rename(value->shape);
    for (DriverFactor& factor : value->factors) rename(factor.shape);
  }
  for (ShapeRule& rule : character.shape_rules) {
    rename(rule.shape);
    for (InBetween& between : rule.in_betweens) rename(between.shape);
  }
  for (PoseSpace& space : character.pose_spaces) {
    for (PoseExample& example : space.examples) rename(example.shape);
  }
}

}  // namespace dermis
