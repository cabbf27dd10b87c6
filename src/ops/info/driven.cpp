// SPDX-License-Identifier: MIT
// Drivers, rules of shapes and pose spaces in words.
#include "ops/info/driven.h"

#include <fmt/format.h>

#include <cmath>

namespace dermis {
namespace {

class DrivenWords {
 public:
  explicit DrivenWords(const Character& character) : character_(character), labels_(node_labels(character)) {}

  std::string of(const DrivenValue& value) const {
    std::string words;
    switch (value.output) {
      case DriverOutput::turn:
        words = "turns " + node(value.node);
        break;
      case DriverOutput::translation:
        words = "moves " + node(value.node);
        break;
      case DriverOutput::scale:
        words = "scales " + node(value.node);
        break;
      case DriverOutput::shape:
        words = "shows " + quoted_name(value.shape);
    }
    words += " by ";
    for (std::size_t k = 0; k < value.factors.size(); ++k)
      words += (k == 0 ? "" : " and ") + input(value.factors[k]);
    return words;
  }
  std::string of(const DrivenRotation& turn) const {
    const char* part = turn.part == RotationPart::whole   ? "rotation"
                       : turn.part == RotationPart::swing ? "swing"
                                                          : "twist";
    return fmt::format("gives {} {:.3g} of the {} of {}", node(turn.node), turn.share, part,
                       node(turn.source));
  }
  std::string of(const DrivenAim& aim) const {
    return fmt::format("points {} at {}{}", node(aim.node), node(aim.target),
                       aim.stretches ? " and stretches it" : "");
  }
  static std::string of(const ShapeRule& rule) {
    std::string words;
    const bool has_low = std::isfinite(rule.low), has_high = std::isfinite(rule.high);
    if (has_low && has_high)
      words = fmt::format("from {:g} to {:g}", rule.low, rule.high);
    else if (has_low)
      words = fmt::format("at least {:g}", rule.low);
    else if (has_high)
      words = fmt::format("at most {:g}", rule.high);
    for (const InBetween& between : rule.in_betweens)
      words +=
          fmt::format("{}{} at {:g}", words.empty() ? "" : ", ", quoted_name(between.shape), between.weight);
    return words;
  }
  std::string of(const PoseSpace& space) const {
    std::string joints, shapes;
    for (const PoseJoint& joint : space.joints) joints += (joints.empty() ? "" : ", ") + node(joint.node);
    for (const PoseExample& example : space.examples)
      shapes += (shapes.empty() ? "" : ", ") + quoted_name(example.shape);
    return fmt::format("poses of {} show {}", joints, shapes.empty() ? "nothing" : shapes);
  }

 private:
  std::string node(Index n) const { return quoted_name(labels_[at(n)]); }
  std::string input(const DriverFactor& factor) const {
    switch (factor.input) {
      case DriverInput::turn:
        return "the turn of " + node(factor.node);
      case DriverInput::swing:
        return "the swing of " + node(factor.node);
      case DriverInput::translation:
        return "the translation of " + node(factor.node);
      case DriverInput::scale:
        return "the scale of " + node(factor.node);
      case DriverInput::shape:
        return "the weight of " + quoted_name(factor.shape);
      default:
        return "control " + quoted_name(character_.controls[at(factor.control)].name);
    }
  }

  const Character& character_;
  const std::vector<std::string> labels_;
};

}  // namespace

void list_driven(const Character& character, InfoReport& report) {
  if (!has_driven_values(character)) return;
  const DrivenWords words(character);
  for (const Driver& driver : character.drivers) {
    report.drivers.push_back(
        {driver.name, std::visit([&](const auto& rule) { return words.of(rule); }, driver.rule)});
  }
  for (const ShapeRule& rule : character.shape_rules)
    report.shape_rules.push_back({rule.shape, DrivenWords::of(rule)});
  for (const PoseSpace& space : character.pose_spaces)
    report.pose_spaces.push_back({space.name, words.of(space)});
}

}  // namespace dermis
