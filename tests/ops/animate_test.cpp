// SPDX-License-Identifier: MIT
// The verb animate: what changes in a file, maps, clips, refusals, and every motion there is on real
// characters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dermis/ops.h"
#include "notes.h"
#include "ops/glb_document.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

using Json = nlohmann::json;

class Animate : public testing::Test {
 protected:
  Animate() {
    const Result<Character> made = make_character(MadeKind::humanoid, {1500}, {});
    EXPECT_TRUE(made);
    EXPECT_TRUE(save(input, {*made, {}, nullptr}));
  }
  AnimateJob job(const std::string& motion, const std::string& name = "moved.glb") const {
    AnimateJob asked;
    asked.input = input;
    asked.motion = motion;
    asked.output = folder.file(name);
    return asked;
  }

  // A mesh of the data with a found skeleton.
  std::string rigged(const std::string& mesh, const std::string& group = "") const {
    RigJob rigging;
    rigging.input = std::getenv("DERMIS_DATA") + mesh;
    rigging.output = folder.file(std::filesystem::path(mesh).stem().string() + "_rigged.glb");
    if (!group.empty()) rigging.groups = {group};
    rigging.run.force = true;
    const Result<RigReport> report = rig(rigging);
    EXPECT_TRUE(report) << report.error().sentence;
    return rigging.output;
  }

  const test::TemporaryFolder folder;
  const std::string input = folder.file("human.glb");
};

TEST_F(Animate, LimbsThroughTheBodyAreExitCodeThreeUnlessAccepted) {
  // The motion of a body whose left arm goes through its trunk.
  Character source = load(input)->character;
  const std::vector<Affined> rest = rest_world(source);
  const auto place = [&](const char* name) { return rest[at(*find_node(source, name))].translation; };
  const Vec3d shoulder = place("upper_arm_L");
  const Quat turn(quat_between(place("forearm_L") - shoulder, place("hips") - shoulder));
  source.clips.resize(1);
  source.clips[0] = {"through",
                     {{ChannelPath::rotation,
                       *find_node(source, "upper_arm_L"),
                       Interpolation::linear,
                       {0.0f, 1.0f},
                       {0, 0, 0, 1, turn.x, turn.y, turn.z, turn.w}}}};
  const std::string motion = folder.file("through.glb");
  ASSERT_TRUE(save(motion, {source, {}, nullptr}));
  std::vector<std::string> words = {"animate", input, "--motion", motion, "-o", folder.file("x.glb")};
  // Held outside, it is fine.
  const test::CliResult kept_off = test::run_cli(words);
  EXPECT_EQ(kept_off.code, 0) << kept_off.out << kept_off.err;
  EXPECT_NE(kept_off.err.find("arms are held further from the body"), std::string::npos) << kept_off.err;
  words.insert(words.end(), {"--no-foot-lock", "--force"});
  const test::CliResult doubted = test::run_cli(words);
  EXPECT_EQ(doubted.code, 3) << doubted.out << doubted.err;
  EXPECT_NE(doubted.out.find("passes through"), std::string::npos) << doubted.out;
  EXPECT_TRUE(std::filesystem::exists(folder.file("x.glb")));
  words.emplace_back("--accept");
  EXPECT_EQ(test::run_cli(words).code, 0);
}

// Front legs beside the trunk are not inside it.
TEST_F(Animate, TrotOnAnimalsIsNotDoubted) {
  const Result<Character> made = make_character(MadeKind::quadruped, {1500}, {});
  ASSERT_TRUE(made);
  std::vector<std::string> animals{folder.file("quadruped.glb")};
  ASSERT_TRUE(save(animals[0], {*made, {}, nullptr}));
  if (!test::data_folder().empty()) {
    for (const char* name : {"khronos/Fox.glb", "quaternius/Cow.gltf", "quaternius/Pug.gltf",
                             "quaternius/Horse.gltf", "quaternius/Sheep.gltf"})
      animals.push_back((test::data_folder() / "gltf" / name).string());
  }
  for (const std::string& animal : animals) {
    AnimateJob asked = job("trot", "trotting.glb");
    asked.input = animal;
    asked.run.force = true;
    const Result<AnimateReport> report = animate(asked);
    ASSERT_TRUE(report) << animal << ": " << report.error().sentence;
    EXPECT_EQ(report->doubt, "") << animal;
    EXPECT_LT(report->crossing.depth, 0.01) << animal;
  }
}

TEST_F(Animate, AddsAClipAndLeavesTheRestOfTheFileAlone) {
  AnimateJob asked = job("wave");
  const Result<AnimateReport> report = animate(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->clip, "wave");
  EXPECT_EQ(report->clip_count, 2u);
  const Json before = test::glb_document(input), after = test::glb_document(report->output);
  for (const char* kept : {"nodes", "skins", "meshes", "materials", "scenes"})
    EXPECT_EQ(before[kept], after[kept]) << kept;
  EXPECT_EQ(before["animations"][0], after["animations"][0]);
  const Result<Asset> old_asset = load(input), asset = load(report->output);
  ASSERT_TRUE(old_asset && asset);
  ASSERT_EQ(asset->character.clips.size(), 2u);
  EXPECT_EQ(asset->character.clips[1].name, "wave");
  EXPECT_EQ(asset->character.meshes[0].weights, old_asset->character.meshes[0].weights);
  for (std::size_t c = 0; c < old_asset->character.clips[0].channels.size(); ++c)
    EXPECT_EQ(asset->character.clips[0].channels[c].values, old_asset->character.clips[0].channels[c].values);
}

TEST_F(Animate, GivesANewClipItsOwnNameAndDropsOthersWhenAsked) {
  const Result<AnimateReport> twice = animate(job("walk"));
  ASSERT_TRUE(twice) << twice.error().sentence;
  EXPECT_EQ(twice->clip, "walk 2");
  EXPECT_TRUE(has_note(twice->notes, "clip-renamed"));
  AnimateJob asked = job("walk", "only.glb");
  asked.drops_clips = true;
  const Result<AnimateReport> only = animate(asked);
  ASSERT_TRUE(only);
  EXPECT_EQ(only->clip, "walk");
  EXPECT_EQ(test::glb_document(only->output)["animations"].size(), 1u);
  EXPECT_LT(std::filesystem::file_size(only->output), std::filesystem::file_size(twice->output));
}

TEST_F(Animate, SavesAMapThatGivesTheSameMotionWhenReadBack) {
  AnimateJob asked = job("run");
  asked.save_map = folder.file("map.json");
  const Result<AnimateReport> first = animate(asked);
  ASSERT_TRUE(first) << first.error().sentence;
  AnimateJob again = job("run", "again.glb");
  again.map = asked.save_map;
  const Result<AnimateReport> second = animate(again);
  ASSERT_TRUE(second) << second.error().sentence;
  const Result<Asset> a = load(first->output), b = load(second->output);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->character.clips[1].channels.size(), b->character.clips[1].channels.size());
  for (std::size_t c = 0; c < a->character.clips[1].channels.size(); ++c)
    EXPECT_EQ(a->character.clips[1].channels[c].values, b->character.clips[1].channels[c].values);
}

TEST_F(Animate, RefusesMapsWithUnknownJointsAndRolesByTheNearestName) {
  const auto refused = [&](const std::string& roles) {
    AnimateJob asked = job("walk");
    asked.map = folder.file("map.json");
    std::ofstream(asked.map) << "{\"dermis_motion_map\": 1, \"roles\": {" << roles << "}}";
    const Result<AnimateReport> report = animate(asked);
    return report ? std::string() : report.error().sentence;
  };
  EXPECT_NE(refused("\"hips\": {\"source\": \"hipps\", \"target\": \"hips\"}").find("'hips'"),
            std::string::npos);
  const std::string role = refused("\"hip\": {\"source\": \"hips\", \"target\": \"hips\"}");
  EXPECT_NE(role.find("did you mean 'hips'"), std::string::npos) << role;
  const std::string list = refused("\"head\": {\"source\": [\"neck\", \"head\"], \"target\": \"head\"}");
  EXPECT_NE(list.find("takes one joint"), std::string::npos) << list;
  const std::string twice = refused(
      "\"hips\": {\"source\": \"hips\", \"target\": \"hips\"}, \"head\": {\"source\": \"hips\", \"target\": "
      "\"head\"}");
  EXPECT_NE(twice.find("named twice"), std::string::npos) << twice;
  EXPECT_FALSE(std::filesystem::exists(folder.file("moved.glb")));
}

TEST_F(Animate, TakesANameForABuiltInMotionAndAnExtensionForAFile) {
  const Result<AnimateReport> unknown = animate(job("wlak"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::usage);
  EXPECT_NE(unknown.error().sentence.find("'walk'"), std::string::npos);
  // A file called like a motion is not in its way.
  std::ofstream(folder.file("walk")) << "nothing";
  EXPECT_TRUE(animate(job("walk")));
  const Result<AnimateReport> missing = animate(job(folder.file("walk.bvh")));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::unreadable);
}

TEST_F(Animate, SaysThatMarkersAreNoSkeleton) {
  const std::string path = folder.file("take.trc");
  std::ofstream(path) << "PathFileType\t4\t(X/Y/Z)\ttake.trc\n"
                         "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFram"
                         "e\tOrigNumFrames\n"
                         "100\t100\t2\t2\tmm\t100\t1\t2\n"
                         "Frame#\tTime\thead\t\t\tfoot\t\t\n"
                         "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
                         "1\t0\t0\t1700\t0\t0\t10\t0\n"
                         "2\t0.01\t0\t1701\t0\t0\t11\t0\n";
  const Result<AnimateReport> report = animate(job(path));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::bad_rig);
  EXPECT_NE(report.error().sentence.find("take.trc: holds markers, which have no joints"), std::string::npos)
      << report.error().sentence;
}

TEST_F(Animate, SparesItsInputs) {
  AnimateJob asked = job("walk");
  asked.output = input;
  EXPECT_FALSE(animate(asked));
  asked.output = folder.file("moved.obj");
  EXPECT_FALSE(animate(asked));
  asked = job("walk");
  asked.save_map = folder.file("map.txt");
  EXPECT_FALSE(animate(asked));
}

TEST_F(Animate, SaysWhichClipsThereAreWhenThereAreSeveral) {
  const Result<AnimateReport> two = animate(job("wave", "two.glb"));
  ASSERT_TRUE(two);
  AnimateJob asked = job(two->output);
  const Result<AnimateReport> unsaid = animate(asked);
  ASSERT_FALSE(unsaid);
  EXPECT_NE(unsaid.error().sentence.find("'wave'"), std::string::npos);
  asked.clip = "wave";
  EXPECT_TRUE(animate(asked));
  asked.clip = "wav";
  EXPECT_FALSE(animate(asked));
}

TEST_F(Animate, WritesAReportAndJsonWithItsFigures) {
  AnimateJob asked = job("walk");
  asked.report = folder.file("animate.html");
  const Result<AnimateReport> report = animate(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  std::ifstream file(asked.report);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(page.find("feet: slide"), std::string::npos);
  EXPECT_NE(page.find("longest slide of a standing foot"), std::string::npos);
  EXPECT_NE(page.find("data:image/png"), std::string::npos);
  const Json json = Json::parse(to_json(*report));
  EXPECT_EQ(json["verb"], "animate");
  EXPECT_LT(json["feet"]["slide"].get<double>(), 0.01);
  EXPECT_EQ(json["hinges"]["flipped"], 0);
  EXPECT_GT(json["map"].size(), 20u);
}

// Every motion of the data on every character of it that stands on two legs, with a skeleton of its own or a
// found one.
TEST_F(Animate, PlaysEveryMotionThereIsOnEveryCharacter) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  const std::string root = data;
  std::size_t count = 0;
  for (const std::string& character :
       {root + "/gltf/khronos/CesiumMan.glb", root + "/gltf/khronos/RiggedFigure.glb",
        root + "/gltf/kaykit/Mage.glb", input, rigged("/autorig/human_man.obj"),
        rigged("/autorig/makehuman/base.obj", "body")}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/motion")) {
      if (entry.path().extension() != ".bvh") continue;
      SCOPED_TRACE(character + " " + entry.path().filename().string());
      AnimateJob asked = job(entry.path().string());
      asked.input = character;
      asked.run.force = true;
      const Result<AnimateReport> report = animate(asked);
      ASSERT_TRUE(report) << report.error().sentence;
      // A body that is raised out of the floor takes planted feet along where legs are too short.
      EXPECT_LT(report->figures.slide, report->figures.body_sink_carried > 0.1 ? 0.02 : 0.01);
      EXPECT_LT(report->figures.sink, 0.01);
      EXPECT_EQ(report->figures.flipped_count, 0u);
      const bool is_cmu = entry.path().parent_path().filename() == "cmu";
      EXPECT_EQ(report->figures.has_t_pose, is_cmu);
      EXPECT_GE(report->map.size(), entry.path().filename() == "simple.bvh" ? 4u : 17u);
      const Result<Asset> moved = load(asked.output);
      ASSERT_TRUE(moved);
      ++count;
    }
  }
  EXPECT_GE(count, 42u);
}

// Bodies without a skeleton of their own, from the bare mesh to the moving character.
TEST_F(Animate, FoundSkeletonsWalkAndFlipWithFeetOnTheGround) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  const std::string root = data;
  for (const auto& [mesh, group] :
       {std::pair{"/autorig/human_man.obj", ""}, {"/autorig/makehuman/base.obj", "body"}}) {
    const std::string character = rigged(mesh, group);
    for (const char* motion : {"/motion/cmu/02_01.bvh", "/motion/cmu/87_03.bvh"}) {
      SCOPED_TRACE(std::string(mesh) + motion);
      AnimateJob asked = job(root + motion);
      asked.input = character;
      asked.run.force = true;
      const Result<AnimateReport> report = animate(asked);
      ASSERT_TRUE(report) << report.error().sentence;
      EXPECT_GT(report->figures.contact_count, 1u);
      EXPECT_LT(report->figures.slide, 0.01);
      EXPECT_LT(report->figures.sink, 0.01);
      EXPECT_EQ(report->figures.flipped_count, 0u);
      EXPECT_FALSE(has_note(report->notes, "motion-unlike"));
    }
  }
}

// A trot needs four legs that move as such: feet that stand, and nothing taken for a leg that is none.
TEST_F(Animate, TrotsOnFourLeggedCharacters) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  for (const char* file :
       {"/gltf/khronos/Fox.glb", "/gltf/quaternius/Cow.gltf", "/gltf/quaternius/Pug.gltf"}) {
    SCOPED_TRACE(file);
    AnimateJob asked = job("trot");
    asked.input = data + std::string(file);
    asked.run.force = true;
    const Result<AnimateReport> report = animate(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_FALSE(has_note(report->notes, "mapped-by-structure"));
    EXPECT_FALSE(has_note(report->notes, "motion-unlike"));
    // Feet of the others hang from the root, where no leg leads to.
    EXPECT_EQ(has_note(report->notes, "ends-carried"), !std::string(file).ends_with("Fox.glb"));
    EXPECT_FALSE(has_note(report->notes, "feet-apart"));
    EXPECT_EQ(report->figures.contact_count, 4u);
    EXPECT_LT(report->figures.slide, 0.01);
    EXPECT_LT(report->figures.sink, 0.01);
    EXPECT_EQ(report->figures.flipped_count, 0u);
    for (const MotionMapRow& row : report->map) {
      const bool is_hind = row.source[0].starts_with("hind");
      const bool is_leg = row.role.starts_with("thigh") || row.role.starts_with("shin") ||
                          row.role.starts_with("foot") || row.role.starts_with("toe");
      EXPECT_EQ(is_hind, is_leg) << row.role;
    }
  }
}

TEST_F(Animate, CarriesClipsFromOneGltfToAnother) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  const std::string man = std::string(data) + "/gltf/khronos/CesiumMan.glb",
                    mage = std::string(data) + "/gltf/kaykit/Mage.glb";
  AnimateJob asked = job(man);
  asked.input = mage;
  const Result<AnimateReport> walk = animate(asked);
  ASSERT_TRUE(walk) << walk.error().sentence;
  EXPECT_EQ(walk->figures.flipped_count, 0u);
  for (const char* clip : {"Running_A", "Jump_Full_Long", "Lie_Down", "2H_Melee_Attack_Spin"}) {
    asked = job(mage);
    asked.input = man;
    asked.clip = clip;
    asked.run.force = true;
    const Result<AnimateReport> report = animate(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_LT(report->figures.slide, 0.01);
    EXPECT_EQ(report->figures.flipped_count, 0u);
  }
}

}  // namespace
}  // namespace dermis
