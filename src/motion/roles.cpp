// SPDX-License-Identifier: MIT
// The table of roles: the body parts that motions are transferred between, and the names of their joints.
#include <fmt/format.h>

#include "dermis/motion.h"

namespace dermis {
namespace {

constexpr const char* kShoulder = "clavicle clav collar collarbone shoulder";
constexpr const char* kUpperArm = "upperarm uparm uarm armupper arm humerus shldr shldrbend shoulder";
constexpr const char* kForearm = "forearm lowerarm loarm lowarm armlower elbow radius forearmbend";
constexpr const char* kHand = "wrist hand";
constexpr const char* kThigh = "thigh upleg upperleg legupper femur thighbend hip leg";
constexpr const char* kShin = "shin calf lowerleg loleg lowleg leglower knee tibia shank leg";
constexpr const char* kFoot = "ankle foot";
constexpr const char* kToe = "toe toes ball foot";
constexpr const char* kThumb = "thumb handthumb fthumb finger";
constexpr const char* kIndex = "index handindex findex pointer finger";
constexpr const char* kMiddle = "middle handmiddle fmiddle mid finger";
constexpr const char* kRing = "ring handring fring finger";
constexpr const char* kPinky = "pinky handpinky fpinky little finger";

using enum JointRole;
constexpr std::array<RoleRow, kRoleCount> kRoles{{
    {hips, "hips", false, "hips hip pelvis"},
    {spine, "spine", true, ""},
    {neck, "neck", true, ""},
    {head, "head", false, "head"},
    {shoulder_l, "shoulder_L", false, kShoulder},
    {upper_arm_l, "upper_arm_L", false, kUpperArm},
    {forearm_l, "forearm_L", false, kForearm},
    {hand_l, "hand_L", false, kHand},
    {thumb_l, "thumb_L", true, kThumb},
    {index_l, "index_L", true, kIndex},
    {middle_l, "middle_L", true, kMiddle},
    {ring_l, "ring_L", true, kRing},
    {pinky_l, "pinky_L", true, kPinky},
    {thigh_l, "thigh_L", false, kThigh},
    {shin_l, "shin_L", false, kShin},
    {foot_l, "foot_L", false, kFoot},
    {toe_l, "toe_L", false, kToe},
    {shoulder_r, "shoulder_R", false, kShoulder},
    {upper_arm_r, "upper_arm_R", false, kUpperArm},
    {forearm_r, "forearm_R", false, kForearm},
    {hand_r, "hand_R", false, kHand},
    {thumb_r, "thumb_R", true, kThumb},
    {index_r, "index_R", true, kIndex},
    {middle_r, "middle_R", true, kMiddle},
    {ring_r, "ring_R", true, kRing},
    {pinky_r, "pinky_R", true, kPinky},
    {thigh_r, "thigh_R", false, kThigh},
    {shin_r, "shin_R", false, kShin},
    {foot_r, "foot_R", false, kFoot},
    {toe_r, "toe_R", false, kToe},
}};

}  // namespace

std::span<const RoleRow> joint_roles() { return kRoles; }

const char* name_of(JointRole role) { return kRoles[static_cast<std::size_t>(role)].name; }

Result<JointRole> find_role(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(kRoleCount);
  for (const RoleRow& row : kRoles) {
    if (name == row.name) return row.role;
    names.emplace_back(row.name);
  }
  return Error{Errc::bad_argument,
               fmt::format("there is no role {}{}", quoted_name(name), did_you_mean(name, names))};
}

std::size_t RoleMap::count() const {
  std::size_t sum = 0;
  for (const std::vector<Index>& list : joints) sum += list.empty() ? 0 : 1;
  return sum;
}

}  // namespace dermis
