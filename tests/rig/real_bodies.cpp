// SPDX-License-Identifier: MIT
// Bodies of real files, and what is right about skeletons found in them.
#include "rig/real_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dermis/deform.h"
#include "dermis/io.h"

namespace dermis::test {
namespace {

using nlohmann::json;

std::string with_side_of(const std::string& name, const std::map<std::string, std::string>& names) {
  const bool is_sided = name.ends_with("_L") || name.ends_with("_R");
  const std::string side = is_sided ? name.substr(name.size() - 2) : "";
  const auto found = names.find(name.substr(0, name.size() - side.size()));
  return found == names.end() ? name : found->second + side;
}

std::string joint_of_role(const std::string& kind, JointRole role) {
  static const std::map<std::string, std::string> kFour{
      {"upper_arm", "front_upper"}, {"forearm", "front_lower"}, {"hand", "front_foot"},
      {"thigh", "hind_upper"},      {"shin", "hind_lower"},     {"foot", "hind_foot"}};
  return kind == "quadruped" ? with_side_of(name_of(role), kFour) : name_of(role);
}

Body with_antlers(Body body) {
  body.name += ", antlers";
  const Vec3d head = body.truth.at("head");
  const double size = size_of(body.soup);
  Vec3d left{1, 0, 0};
  for (const auto& [l, r] : {std::pair{"thigh_L", "thigh_R"}, std::pair{"hind_upper_L", "hind_upper_R"}}) {
    if (body.truth.contains(l) && body.truth.contains(r))
      left = normalized(body.truth.at(l) - body.truth.at(r));
  }
  for (const double side : {1.0, -1.0})
    body.soup.add(spike(head + Vec3d{0, 0.05 * size, 0},
                        head + Vec3d{0, 0.4 * size, 0} + left * (side * 0.3 * size), 0.03 * size));
  return body;
}

Places places_of(const std::string& kind, const Character& character, const std::vector<Affined>& world) {
  Places places;
  const Result<MappedJoints> mapped = map_joints(character);
  if (!mapped) return places;
  for (const RoleRow& row : joint_roles()) {
    if (const Index joint = mapped->roles.first(row.role); joint != kNone)
      places[joint_of_role(kind, row.role)] = world[at(joint)].translation;
  }
  return places;
}

// A character without what its joints do not deform, if they deform most of it.
Character without_props(Character character) {
  if (!is_mostly_skinned(character)) return character;
  for (Instance& instance : character.instances)
    if (instance.skin == kNone) instance.in_scene = false;
  return character;
}

bool has_props(const Character& character) {
  return is_mostly_skinned(character) &&
         std::any_of(character.instances.begin(), character.instances.end(), [](const Instance& instance) {
           return instance.in_scene && instance.mesh != kNone && instance.skin == kNone;
         });
}

// At rest and in the middle of some of its clips, without and with what it carries.
void add_artists_body(const std::string& data, const std::string& file, const std::string& kind,
                      std::size_t clip_count, std::vector<Body>& bodies) {
  const Result<Asset> asset = load(data + "/" + file);
  if (!asset) return;
  const Character& full = asset->character;
  const Character bare = without_props(full);
  const std::string stem = std::filesystem::path(file).stem().string();
  const auto add_body = [&](const Character& character, const PoseRequest& request, const std::string& name,
                            bool with_props) {
    const Result<PoseFrame> frame = pose_frame(character, request);
    if (!frame) return;
    const Result<Character> still = deform_character(character, *frame, {});
    if (!still) return;
    Places truth = places_of(kind, character, frame->world_from_node);
    if (!truth.empty())
      bodies.push_back(
          {name, kind, "", rest_soup(*still), std::move(truth), request.clip != kNone, with_props});
  };
  const auto add_both = [&](const PoseRequest& request, const std::string& name) {
    add_body(bare, request, name, false);
    if (has_props(full)) add_body(full, request, name + ", with props", true);
  };
  add_both({}, stem);
  const std::size_t count = full.clips.size(), picks = std::min(count, clip_count);
  for (std::size_t k = 0; k < picks; ++k) {
    const std::size_t c = k * count / picks;
    const Clip& clip = full.clips[c];
    const double time = 0.5 * (double{clip.start()} + double{clip.end()});
    add_both({static_cast<Index>(c), time, nullptr}, stem + " in " + clip.name);
  }
}

void add_landmark_bodies(const std::string& data, std::vector<Body>& bodies) {
  std::ifstream file(DERMIS_SOURCE_DIR "/tests/rig/landmarks.json");
  const json meshes = json::parse(file)["meshes"];
  for (const auto& [path, mesh] : meshes.items()) {
    if (mesh.contains("nodes") || mesh["class"] == "other") continue;
    const Result<Asset> asset = load(data + "/" + path);
    if (!asset) continue;
    Body body{std::filesystem::path(path).stem().string(),
              mesh["class"],
              "",
              rest_soup(asset->character, mesh.value("group", "")),
              {}};
    for (const auto& [role, joint] : mesh["joints"].items())
      body.truth[joint_at_landmark(body.kind, role)] = {joint["at"][0], joint["at"][1], joint["at"][2]};
    bodies.push_back(body);
  }
}

// Artists of animals put the foot anywhere between the hock and the tip of the toes.
double distance_from(const Vec3d& truth, const Body& body, const FoundSkeleton& found,
                     const FoundJoint& joint) {
  const std::size_t foot = joint.name.find("_foot_");
  if (body.kind != "quadruped" || foot == std::string::npos) return length(joint.at - truth);
  const FoundJoint* tip =
      joint_named(found, joint.name.substr(0, foot) + "_toe_end" + joint.name.substr(joint.name.size() - 2));
  return tip == nullptr ? length(joint.at - truth) : distance_to_segment(truth, joint.at, tip->at);
}

bool is_limb_joint(const FoundJoint& joint) {
  return joint.name.ends_with("_L") || joint.name.ends_with("_R");
}
// Small parts that artists draw anywhere.
bool is_small(const FoundJoint& joint) {
  return joint.name.find("toe") != std::string::npos || joint.name.find("shoulder") != std::string::npos ||
         joint.is_end;
}

bool has_joint(const std::string& kind, const std::string& name) {
  for (const RigTemplate& rig : rig_templates()) {
    if (rig.name != kind) continue;
    return std::any_of(rig.joints.begin(), rig.joints.end(),
                       [&](const RigTemplate::Joint& joint) { return joint.name == name && !joint.is_end; });
  }
  return false;
}

}  // namespace

std::string joint_at_landmark(const std::string& kind, const std::string& role) {
  static const std::map<std::string, std::map<std::string, std::string>> kNames{
      {"biped",
       {{"shoulder", "upper_arm"},
        {"elbow", "forearm"},
        {"wrist", "hand"},
        {"hip", "thigh"},
        {"knee", "shin"},
        {"ankle", "foot"}}},
      {"quadruped",
       {{"front_shoulder", "front_upper"},
        {"front_elbow", "front_lower"},
        {"front_wrist", "front_foot"},
        {"front_foot", "front_toe_end"},
        {"hind_hip", "hind_upper"},
        {"hind_knee", "hind_lower"},
        {"hind_ankle", "hind_foot"},
        {"hind_foot", "hind_toe_end"},
        {"tail", "tail_1"},
        {"neck", "neck_1"}}},
      {"hand", {{"wrist", "hand"}}}};
  return with_side_of(role, kNames.at(kind));
}

Soup spike(const Vec3d& from, const Vec3d& to, double radius) {
  Soup soup;
  const Vec3d along = normalized(to - from);
  const Vec3d aside = normalized(cross(along, std::abs(along.x) < 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
  const Vec3d other = cross(along, aside);
  for (const auto& [end, wide] : {std::pair{from, radius}, std::pair{to, 0.6 * radius}}) {
    for (int k = 0; k < 6; ++k)
      soup.points.push_back(
          Vec3(end + (aside * std::cos(kPi * k / 3) + other * std::sin(kPi * k / 3)) * wide));
  }
  for (std::uint32_t k = 0; k < 6; ++k) {
    const std::uint32_t next = (k + 1) % 6;
    soup.triangles.push_back({k, next, 6 + next});
    soup.triangles.push_back({k, 6 + next, 6 + k});
    if (k == 0 || next == 0) continue;
    soup.triangles.push_back({0, next, k});
    soup.triangles.push_back({6, 6 + k, 6 + next});
  }
  return soup;
}

void add_variants(const Body& body, std::vector<Body>& bodies) {
  bodies.push_back(body);
  if (body.truth.contains("head")) bodies.push_back(with_antlers(body));
  for (const char* asked : {"biped", "quadruped"}) {
    if (body.kind == asked) continue;
    bodies.push_back(body);
    bodies.back().asked = asked;
    bodies.back().name += fmt::format(", as {}", asked);
  }
}

std::vector<Body> real_bodies(const std::string& data, std::size_t clip_count) {
  std::vector<Body> bodies;
  add_landmark_bodies(data, bodies);
  for (const char* file :
       {"khronos/CesiumMan.glb", "khronos/RiggedFigure.glb", "kaykit/Barbarian.glb", "kaykit/Mage.glb",
        "kaykit/Rogue.glb", "babylon/Yeti.gltf", "babylon/riggedMesh.glb", "momentum/test_24fps.glb",
        "quaternius/EnemyLarge.glb", "quaternius/Mike.glb", "three/RobotExpressive.glb"})
    add_artists_body(data, std::string("gltf/") + file, "biped", clip_count, bodies);
  for (const char* file : {"khronos/Fox.glb", "quaternius/Cow.gltf", "quaternius/Horse.gltf",
                           "quaternius/Pug.gltf", "quaternius/Sheep.gltf"})
    add_artists_body(data, std::string("gltf/") + file, "quadruped", clip_count, bodies);
  return bodies;
}

std::optional<bool> is_right(const Body& body, const FoundSkeleton& found) {
  if (found.name == "extract") return std::nullopt;
  if (found.name != body.kind) return false;
  const double size = size_of(body.soup);
  for (const FoundJoint& joint : found.joints) {
    const auto truth = body.truth.find(joint.name);
    const bool is_limb = is_limb_joint(joint);
    if (truth == body.truth.end() || is_small(joint) || !(is_limb || joint.name == "head")) continue;
    if (distance_from(truth->second, body, found, joint) > (is_limb ? kWrong : kWrongHead) * size)
      return false;
  }
  return true;
}

LimbCount count_limbs(const Body& body, const FoundSkeleton& found) {
  LimbCount count;
  for (const auto& [name, place] : body.truth) {
    const FoundJoint* joint = joint_named(found, name);
    const FoundJoint known{name, kNone, place, 0, false};
    if (!is_limb_joint(known) || is_small(known) || !has_joint(body.kind, name)) continue;
    const bool is_right_here = found.name == body.kind && joint != nullptr &&
                               distance_from(place, body, found, *joint) <= joint->radius;
    ++count.all;
    count.right += is_right_here ? 1 : 0;
    std::array<int, 2>& own = count.by_joint[name.substr(0, name.size() - 2)];
    own[0] += is_right_here ? 1 : 0;
    if (!is_right_here && joint != nullptr)
      count.misses +=
          fmt::format(" {} {:.1f}", name, distance_from(place, body, found, *joint) / joint->radius);
    ++own[1];
  }
  return count;
}

std::uint32_t hash_of(const std::string& name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace dermis::test
