// SPDX-License-Identifier: MIT
// A found skeleton as a character, with the joint names of this or other programs.
#include <array>

#include "dermis/rig.h"

namespace dermis {
namespace {

struct NamePair {
  std::string_view dermis, mixamo;
};
// Without sides; Mixamo puts Left and Right in front.
constexpr std::array kMiddleNames{
    NamePair{"hips", "Hips"}, NamePair{"spine", "Spine"}, NamePair{"chest", "Spine2"},
    NamePair{"neck", "Neck"}, NamePair{"head", "Head"},   NamePair{"head_end", "HeadTop_End"},
};
constexpr std::array kSided{
    NamePair{"shoulder", "Shoulder"}, NamePair{"upper_arm", "Arm"}, NamePair{"forearm", "ForeArm"},
    NamePair{"hand", "Hand"},         NamePair{"thigh", "UpLeg"},   NamePair{"shin", "Leg"},
    NamePair{"foot", "Foot"},         NamePair{"toe", "ToeBase"},   NamePair{"toe_end", "Toe_End"},
    NamePair{"hand_end", "Hand_End"},
};
// Of fingers, whose joints are numbered; the end is the fourth.
constexpr std::array kFingers{
    NamePair{"thumb", "Thumb"}, NamePair{"index", "Index"}, NamePair{"middle", "Middle"},
    NamePair{"ring", "Ring"},   NamePair{"pinky", "Pinky"},
};

}  // namespace

std::string mixamo_name(std::string_view name) {
  for (const NamePair& pair : kMiddleNames)
    if (pair.dermis == name) return "mixamorig:" + std::string(pair.mixamo);
  if (!name.ends_with("_L") && !name.ends_with("_R")) return std::string(name);
  const std::string side = std::string("mixamorig:") + (name.back() == 'L' ? "Left" : "Right");
  const std::string_view own = name.substr(0, name.size() - 2);
  for (const NamePair& pair : kSided)
    if (pair.dermis == own) return side + std::string(pair.mixamo);
  for (const NamePair& pair : kFingers) {
    if (!own.starts_with(pair.dermis) || own.size() < pair.dermis.size() + 2) continue;
    const std::string_view number = own.substr(pair.dermis.size());
    for (const auto& [ours, theirs] :
         {NamePair{"_1", "1"}, NamePair{"_2", "2"}, NamePair{"_3", "3"}, NamePair{"_end", "4"}})
      if (number == ours) return side + "Hand" + std::string(pair.mixamo) + std::string(theirs);
  }
  return std::string(name);
}

Character skeleton_character(const FoundSkeleton& found, RigNames names) {
  Character character;
  for (const FoundJoint& joint : found.joints) {
    Node node;
    node.name = names == RigNames::mixamo ? mixamo_name(joint.name) : joint.name;
    node.parent = joint.parent;
    const Vec3d from =
        joint.parent == kNone ? Vec3d{} : found.joints[static_cast<std::size_t>(joint.parent)].at;
    node.rest.translation = Vec3(joint.at - from);
    character.nodes.push_back(std::move(node));
  }
  return character;
}

}  // namespace dermis
