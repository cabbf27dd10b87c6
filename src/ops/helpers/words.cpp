// SPDX-License-Identifier: MIT
// Reads which helper joints are wanted, and finds the joints that they are for.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "dermis/ops/helpers.h"

namespace dermis {
namespace {

// What people call the places where bones begin, without the side.
struct PlaceWord {
  std::string_view place;
  JointRole left;
};
constexpr std::array kPlaces{PlaceWord{"elbow", JointRole::forearm_l}, PlaceWord{"wrist", JointRole::hand_l},
                             PlaceWord{"hip", JointRole::thigh_l}, PlaceWord{"knee", JointRole::shin_l},
                             PlaceWord{"ankle", JointRole::foot_l}};

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc{} ? number : static_cast<double>(NAN);
}

// The text before its last colon and the text after it; none without a colon.
std::optional<std::pair<std::string_view, std::string_view>> last_field(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair{text.substr(0, colon), text.substr(colon + 1)};
}

Error unreadable_helper(HelperKind kind, std::string_view text, const char* example) {
  return {Errc::usage, fmt::format("{} {}: write it as {}", name_of(kind), quoted_name(text), example)};
}

Result<HelperWish> parse_twist(std::string_view text) {
  HelperWish wish;
  wish.kind = HelperKind::twist;
  wish.joint = text;
  const auto field = last_field(text);
  const std::optional<double> count = field ? number_of(field->second) : std::nullopt;
  if (!count) return wish;
  wish.joint = field->first;
  if (!(*count >= 1 && *count <= kMostTwistJoints) || *count != std::floor(*count))
    return Error{Errc::usage, fmt::format("twist {}: the number of joints must be 1 to {}", quoted_name(text),
                                          kMostTwistJoints)};
  wish.count = static_cast<int>(*count);
  return wish;
}

Status check_scale(const HelperWish& wish, std::string_view text) {
  if (wish.scale >= 0.1 && wish.scale <= 10) return Done{};
  return Error{Errc::usage, fmt::format("{} {}: the scale must be a number from 0.1 to 10",
                                        name_of(wish.kind), quoted_name(text))};
}

Result<HelperWish> parse_bulge(std::string_view text) {
  constexpr const char* kExample = "BONE=JOINT:SCALE, as in upper_arm_L=elbow_L:1.3";
  HelperWish wish;
  wish.kind = HelperKind::bulge;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return unreadable_helper(wish.kind, text, kExample);
  wish.joint = text.substr(0, equals);
  std::string_view rest = text.substr(equals + 1);
  std::vector<double> numbers;  // the last one first
  for (auto field = last_field(rest); field && numbers.size() < 2; field = last_field(rest)) {
    const std::optional<double> number = number_of(field->second);
    if (!number) break;
    numbers.push_back(*number);
    rest = field->first;
  }
  wish.bend = rest;
  if (!numbers.empty()) wish.scale = numbers.back();
  if (numbers.size() == 2) wish.angle = radians_from_degrees(numbers.front());
  if (wish.joint.empty() || wish.bend.empty()) return unreadable_helper(wish.kind, text, kExample);
  if (Status good = check_scale(wish, text); !good) return good.error();
  if (!(wish.angle > 0 && wish.angle <= kPi))
    return Error{Errc::usage, fmt::format("bulge {}: the angle must be above 0 and at most 180 degrees",
                                          quoted_name(text))};
  return wish;
}

Result<HelperWish> parse_breath(std::string_view text) {
  HelperWish wish;
  wish.kind = HelperKind::breathe;
  wish.scale = 1.05;
  wish.joint = text;
  const auto last = last_field(text);
  if (last) {
    const auto before = last_field(last->first);
    if (const std::optional<double> number = number_of(last->second)) {
      wish.scale = *number;
      wish.joint = last->first;
    } else if (const std::optional<double> scale = before ? number_of(before->second) : std::nullopt) {
      wish.scale = *scale;
      wish.joint = before->first;
      wish.control = last->second;
    }
  }
  if (wish.joint.empty()) return unreadable_helper(wish.kind, text, "JOINT:SCALE, as in chest:1.05");
  if (Status good = check_scale(wish, text); !good) return good.error();
  return wish;
}

// "elbow_L" is where forearm_L begins.
std::optional<JointRole> role_of_place(std::string_view word) {
  for (const PlaceWord& row : kPlaces) {
    if (!word.starts_with(row.place) || word.size() != row.place.size() + 2) continue;
    const std::string_view side = word.substr(row.place.size());
    if (side != "_L" && side != "_R") continue;
    std::string name = name_of(row.left);
    name.back() = side.back();
    const Result<JointRole> role = find_role(name);
    if (role) return *role;
  }
  return std::nullopt;
}

}  // namespace

Result<HelperWish> parse_helper(HelperKind kind, std::string_view text) {
  if (text.empty()) return Error{Errc::usage, fmt::format("{}: a joint must be named", name_of(kind))};
  switch (kind) {
    case HelperKind::twist:
      return parse_twist(text);
    case HelperKind::bulge:
      return parse_bulge(text);
    case HelperKind::breathe:
      return parse_breath(text);
    default: {
      HelperWish wish;
      wish.kind = kind;
      wish.joint = text;
      return wish;
    }
  }
}

Result<Index> find_helped_joint(const Character& character, const RoleMap* roles, std::string_view joint) {
  Result<Index> named = find_node(character, joint);
  if (named) return named;
  std::vector<std::string> names;
  const std::vector<bool> is_joint = skin_joints(character);
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    // Several nodes of that name: find_node says so.
    if (character.nodes[n].name == joint) return named;
    if (is_joint[n] && !character.nodes[n].name.empty()) names.push_back(character.nodes[n].name);
  }
  if (roles != nullptr) {
    std::optional<JointRole> role = role_of_place(joint);
    if (joint == "chest" && !roles->of(JointRole::spine).empty()) return roles->of(JointRole::spine).back();
    for (const RoleRow& row : joint_roles()) {
      if (row.name == joint) role = row.role;
      if (roles->first(row.role) != kNone) names.emplace_back(row.name);
    }
    if (role && roles->first(*role) != kNone) return roles->first(*role);
    for (const PlaceWord& row : kPlaces)
      for (const char* side : {"_L", "_R"}) names.push_back(std::string(row.place) + side);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return Error{Errc::bad_argument, fmt::format("no joint has the name or the role {}{}", quoted_name(joint),
                                               did_you_mean(joint, views))};
}

}  // namespace dermis
