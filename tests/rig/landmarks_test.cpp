// SPDX-License-Identifier: MIT
// Skeletons found in real meshes against the joints of artists and those placed by eye (landmarks.json).
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "dermis/io.h"
#include "rig/real_bodies.h"

namespace dermis {
namespace {

using nlohmann::json;

struct Landmark {
  std::string role;  // "elbow_L"
  Vec3d at;
  double radius = 0;  // of the limb there; 0: not known
};

// Ends only mark where a limb ends: their distance counts, but they have no limb to lie in.
bool is_limb(const std::string& kind, const std::string& role) {
  if (test::joint_at_landmark(kind, role).find("_end") != std::string::npos) return false;
  return kind == "hand" || role.ends_with("_L") || role.ends_with("_R");
}

std::vector<Landmark> landmarks_of(const json& mesh, const Character& character) {
  std::vector<Landmark> landmarks;
  if (mesh.contains("nodes")) {
    const std::vector<Affined> world = rest_world(character);
    for (const auto& [role, node] : mesh["nodes"].items()) {
      const Result<Index> found = find_node(character, node.get<std::string>());
      EXPECT_TRUE(found) << node;
      if (found) landmarks.push_back({role, world[at(*found)].translation, 0});
    }
    return landmarks;
  }
  for (const auto& [role, joint] : mesh["joints"].items()) {
    const json& at = joint["at"];
    landmarks.push_back({role, {at[0], at[1], at[2]}, joint["radius"]});
  }
  return landmarks;
}

// What holds today: how near the joints are in the mean, in percent of the largest side, and which limb
// joints are not right, with the reason.
struct Expected {
  const char* file;
  const char* name;  // of the template
  double mean;
  std::set<std::string> wrong{};
  const char* why = "";
};

class Landmarks : public testing::TestWithParam<Expected> {};

TEST_P(Landmarks, AreMet) {
  const char* data = std::getenv("DERMIS_DATA");
  const std::string path = std::string(data == nullptr ? "" : data) + "/" + GetParam().file;
  if (data == nullptr || !std::filesystem::exists(path)) GTEST_SKIP() << "needs DERMIS_DATA";
  std::ifstream file(DERMIS_SOURCE_DIR "/tests/rig/landmarks.json");
  const json mesh = json::parse(file)["meshes"][GetParam().file];
  const Result<Asset> asset = load(path);
  ASSERT_TRUE(asset) << asset.error().sentence;
  const test::Soup soup = test::rest_soup(asset->character, mesh.value("group", ""));
  RigOptions options = test::any_template();
  options.cells = RigOptions{}.cells;  // as users have it
  const Result<FoundSkeleton> found = test::find_in(soup, options);
  ASSERT_TRUE(found) << found.error().sentence;
  ASSERT_EQ(found->name, GetParam().name);
  if (found->name == "extract") return;
  const std::string kind = mesh["class"];
  double sum = 0, count = 0;
  std::set<std::string> wrong;
  for (const Landmark& landmark : landmarks_of(mesh, asset->character)) {
    if (landmark.role.starts_with("end_")) continue;
    const FoundJoint* joint = test::joint_named(*found, test::joint_at_landmark(kind, landmark.role));
    if (joint == nullptr) {
      if (is_limb(kind, landmark.role)) wrong.insert(landmark.role);
      continue;
    }
    const double off = length(joint->at - landmark.at);
    sum += off, count += 1;
    if (is_limb(kind, landmark.role) && off > std::max(landmark.radius, joint->radius))
      wrong.insert(landmark.role);
  }
  const double mean = 100 * sum / count / test::size_of(soup);
  RecordProperty("mean", std::to_string(mean));
  EXPECT_LT(mean, GetParam().mean);
  EXPECT_EQ(testing::PrintToString(wrong), testing::PrintToString(GetParam().wrong))
      << GetParam().why << "; mean " << mean;
}

INSTANTIATE_TEST_SUITE_P(
    Files, Landmarks,
    testing::Values(
        Expected{"autorig/human_man.obj", "biped", 2.2},
        Expected{"autorig/makehuman/base.obj",
                 "biped",
                 1,
                 {"index_1_L", "index_1_R"},
                 "a first joint lies 1.1 radii too deep in the palm"},
        Expected{"autorig/human_neutral.obj",
                 "biped",
                 1,
                 {"thumb_2_L", "thumb_2_R"},
                 "a thumb joint of a curled hand, off by 1.2 radii"},
        Expected{"fem/vega-turtle/turtle.obj", "biped", 4.5, {"toe_L", "toe_R"}, "stumps have no toes"},
        Expected{"gltf/khronos/CesiumMan.glb", "biped", 2.5},
        Expected{"gltf/khronos/RiggedFigure.glb", "biped", 2.5}, Expected{"gltf/kaykit/Mage.glb", "biped", 3},
        Expected{"gltf/three/RobotExpressive.glb", "biped", 3.5},
        Expected{"gltf/momentum/test_24fps.glb", "biped", 2, {"toe_L", "toe_R"}, "balls of thin feet"},
        Expected{"autorig/spot_control_mesh.obj", "quadruped", 9},
        Expected{"autorig/koala_low_resolution.obj", "quadruped", 3.6},
        Expected{"autorig/triceratops.off", "quadruped", 3},
        Expected{"autorig/elephant-with-holes.off", "quadruped", 6.5},
        Expected{"sequences/cragl-wolf/rest.obj",
                 "quadruped",
                 3.5,
                 {"front_wrist_L", "front_wrist_R"},
                 "a wolf's wrists lie lower, off by a tenth of the leg's thickness"},
        Expected{"gltf/khronos/Fox.glb", "quadruped", 3.6},
        Expected{"gltf/quaternius/Cow.gltf",
                 "quadruped",
                 4.8,
                 {"hind_ankle_L", "hind_ankle_R"},
                 "the artist's legs have two joints"},
        Expected{"gltf/quaternius/Pug.gltf", "quadruped", 9},
        Expected{"autorig/hand_lowres.obj", "hand", 2.2}, Expected{"gltf/webxr/hand_left.glb", "hand", 4}),
    [](const auto& tried) {
      std::string name = std::filesystem::path(tried.param.file).stem().string();
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

}  // namespace
}  // namespace dermis
