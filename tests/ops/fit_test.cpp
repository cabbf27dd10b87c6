// SPDX-License-Identifier: MIT
// bind with skeletons that lie elsewhere: fitted to the body, left alone, or doubted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

const Note* note_of(const BindReport& report, const std::string& id) {
  const auto found =
      std::find_if(report.notes.begin(), report.notes.end(), [&](const Note& note) { return note.id == id; });
  return found == report.notes.end() ? nullptr : &*found;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Fit : public testing::Test {
 protected:
  Fit() {
    human = make_character(MadeKind::humanoid, {3000}, {}).value();
    Character bare = human;
    bare.skins.clear();
    bare.clips.clear();
    bare.instances.resize(1);
    Node shown = bare.nodes[at(bare.instances[0].node)];
    shown.parent = kNone;
    bare.nodes = {shown};
    bare.instances[0].node = 0;
    bare.instances[0].skin = kNone;
    for (Mesh& mesh : bare.meshes) mesh.weights = {};
    EXPECT_TRUE(save(body, {bare, {}, nullptr}));
  }

  // The humanoid's own skeleton with its clips, far away, a twentieth of its size, turned about and with arms
  // a third longer.
  std::string skeleton_elsewhere() const {
    Character joints = human;
    joints.meshes.clear();
    joints.instances.clear();
    joints.skins.resize(1);
    const Quatd about = quat_from_axis_angle({0, 1, 0}, kPi);
    for (Node& node : joints.nodes) {
      const bool is_arm = node.name.find("arm") != std::string::npos;
      node.rest.translation = Vec3(Vec3d(node.rest.translation) * (is_arm ? 0.05 * 4 / 3 : 0.05));
      if (node.parent != kNone) continue;
      node.rest.rotation = Quat(about * Quatd(node.rest.rotation));
      node.rest.translation = Vec3(Vec3d{10, 20, 30} + rotate(about, Vec3d(node.rest.translation)));
    }
    scale_keys(joints, about);
    const std::string path = folder.file("elsewhere.glb");
    EXPECT_TRUE(save(path, {joints, {}, nullptr}));
    return path;
  }
  // Keys as the skeleton's rest: a twentieth of their size, roots turned about and far away.
  static void scale_keys(Character& joints, const Quatd& about) {
    for (Clip& clip : joints.clips) {
      for (Channel& channel : clip.channels) {
        const bool is_root = joints.nodes[at(channel.target)].parent == kNone;
        ASSERT_NE(channel.interpolation, Interpolation::cubic_spline);
        if (channel.path == ChannelPath::translation) {
          for (std::size_t k = 0; k < channel.values.size(); k += 3) {
            float* value = &channel.values[k];
            const Vec3d own = Vec3d(value[0], value[1], value[2]) * 0.05;
            const Vec3 moved(is_root ? Vec3d{10, 20, 30} + rotate(about, own) : own);
            value[0] = moved.x, value[1] = moved.y, value[2] = moved.z;
          }
        } else if (channel.path == ChannelPath::rotation && is_root) {
          for (std::size_t k = 0; k < channel.values.size(); k += 4) {
            float* value = &channel.values[k];
            const Quat turned(about * Quatd(value[0], value[1], value[2], value[3]));
            value[0] = turned.x, value[1] = turned.y, value[2] = turned.z, value[3] = turned.w;
          }
        }
      }
    }
  }
  BindJob job(const std::string& skeleton, const std::string& output) const {
    BindJob asked;
    asked.input = body;
    asked.skeleton = skeleton;
    asked.output = folder.file(output);
    asked.run.force = true;
    return asked;
  }

  const test::TemporaryFolder folder;
  const std::string body = folder.file("body.glb");
  Character human;
};

TEST_F(Fit, ASkeletonFarAwayEndsWhereItsTwinLies) {
  const Result<BindReport> report = bind(job(skeleton_elsewhere(), "fitted.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->fit);
  EXPECT_EQ(report->fit->how, "biped");
  EXPECT_NEAR(report->fit->turn, kPi, 0.1);
  EXPECT_NEAR(report->fit->scale, 20, 1);
  EXPECT_EQ(report->fit->outside_share, 1);
  EXPECT_LT(report->outside_share, 0.1);
  EXPECT_EQ(report->doubt, "");
  const Note* note = note_of(*report, "skeleton-fitted");
  ASSERT_NE(note, nullptr);
  EXPECT_NE(note->sentence.find("turned by 180 degrees"), std::string::npos) << note->sentence;
  const Result<Asset> fitted = load(report->output);
  ASSERT_TRUE(fitted);
  const std::vector<Affined> twin = rest_world(human), world = rest_world(fitted->character);
  for (const char* name : {"hips", "thigh_L", "shin_R", "foot_L", "upper_arm_R", "forearm_L", "hand_R"}) {
    const Result<Index> own = find_node(fitted->character, name), other = find_node(human, name);
    ASSERT_TRUE(own && other) << name;
    // The humanoid is 1.8 tall, its thinnest limb 0.05 thick.
    EXPECT_LT(length(world[at(*own)].translation - twin[at(*other)].translation), 0.06) << name;
  }
  EXPECT_NEAR(nlohmann::json::parse(to_json(*report))["fit"]["turn_deg"].get<double>(), 180, 6);
}

// The walk comes along: feet stand on the floor, and limbs point where they do on the twin.
TEST_F(Fit, ASkeletonFarAwayWalksAsItsTwin) {
  const Result<BindReport> report = bind(job(skeleton_elsewhere(), "fitted.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> fitted = load(report->output);
  ASSERT_TRUE(fitted);
  ASSERT_EQ(fitted->character.clips.size(), human.clips.size());
  ASSERT_FALSE(human.clips.empty());
  const auto place = [](const Character& character, const PoseFrame& frame, const char* name) {
    const Result<Index> node = find_node(character, name);
    EXPECT_TRUE(node) << name;
    return frame.world_from_node[at(*node)].translation;
  };
  double lowest = INFINITY, twin_lowest = INFINITY;
  for (int k = 0; k <= 20; ++k) {
    const double time = static_cast<double>(human.clips[0].end()) * k / 20;
    const Result<PoseFrame> own = pose_frame(fitted->character, {0, time, nullptr}),
                            twin = pose_frame(human, {0, time, nullptr});
    ASSERT_TRUE(own && twin);
    for (const char* foot : {"foot_L", "foot_R"}) {
      lowest = std::min(lowest, place(fitted->character, *own, foot).y);
      twin_lowest = std::min(twin_lowest, place(human, *twin, foot).y);
    }
    for (const auto& [from, to] : {std::pair{"thigh_L", "shin_L"}, std::pair{"shin_R", "foot_R"}}) {
      const Vec3d bone = place(fitted->character, *own, to) - place(fitted->character, *own, from);
      const Vec3d twin_bone = place(human, *twin, to) - place(human, *twin, from);
      const double degrees = degrees_from_radians(std::acos(dot(normalized(bone), normalized(twin_bone))));
      EXPECT_LT(degrees, 12) << from << " at " << time << " s";
    }
  }
  // The humanoid is 1.8 tall.
  EXPECT_NEAR(lowest, twin_lowest, 0.05);
}

// All of its joints lie in the trunk, so that none is outside.
TEST_F(Fit, ASkeletonThatIsMuchTooSmallIsFittedAlthoughItLiesInTheBody) {
  Character joints = human;
  joints.meshes.clear();
  joints.instances.clear();
  joints.clips.clear();
  joints.skins.resize(1);
  for (Node& node : joints.nodes) {
    node.rest.translation = node.rest.translation * 0.1f;
    if (node.parent == kNone) node.rest.translation.y += 1.1f;
  }
  const std::string path = folder.file("small.glb");
  ASSERT_TRUE(save(path, {joints, {}, nullptr}));
  const Result<BindReport> report = bind(job(path, "fitted.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->fit);
  EXPECT_NEAR(report->fit->scale, 10, 0.5);
}

TEST_F(Fit, ASkeletonThatLiesInTheBodyIsNotTouched) {
  const std::string own = folder.file("own.glb");
  ASSERT_TRUE(save(own, {human, {}, nullptr}));
  BindJob fitting = job(own, "fitting.glb"), kept = job(own, "kept.glb");
  kept.fits = false;
  const Result<BindReport> one = bind(fitting), other = bind(kept);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->fit);
  EXPECT_EQ(note_of(*one, "skeleton-fitted"), nullptr);
  EXPECT_EQ(bytes_of(one->output), bytes_of(other->output));
}

TEST_F(Fit, NoFitAndAScaleKeepTheSkeletonWhereItLies) {
  const std::string elsewhere = skeleton_elsewhere();
  BindJob kept = job(elsewhere, "kept.glb"), scaled = job(elsewhere, "scaled.glb");
  kept.fits = false;
  scaled.attach.scale = 20;
  for (const BindJob& asked : {kept, scaled}) {
    const Result<BindReport> report = bind(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_FALSE(report->fit);
    EXPECT_NE(report->doubt, "");
    EXPECT_EQ(note_of(*report, "skeleton-not-fitted"), nullptr);
  }
  const test::CliResult told =
      test::run_cli({"bind", body, "--skeleton", elsewhere, "--no-fit", "-o", folder.file("told.glb")});
  EXPECT_EQ(told.code, 3) << told.err;
}

// A rope of joints shows no body; its box does.
TEST_F(Fit, ASkeletonWithoutRolesIsFittedByItsBoxOrSaysWhyNot) {
  const auto rope = [&](const std::string& name, double aside) {
    const std::string path = folder.file(name);
    std::ofstream file(path);
    file << "HIERARCHY\nROOT r0\n{\nOFFSET 0 500 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n";
    for (int k = 1; k < 8; ++k)
      file << "JOINT r" << k << "\n{\nOFFSET " << (k % 2 == 0 ? aside : -aside)
           << " 10 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n";
    file << "End Site\n{\nOFFSET 0 1 0\n}\n";
    for (int k = 0; k < 8; ++k) file << "}\n";
    file << "MOTION\nFrames: 1\nFrame Time: 0.1\n";
    for (int k = 0; k < 24; ++k) file << "0 ";
    file << "\n";
    return path;
  };
  const std::string pillar = folder.file("pillar.obj");
  std::ofstream(pillar) << "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv -1 9 -1\nv 1 9 -1\nv 1 9 1\nv -1 9 1\n"
                           "f 1 2 3 4\nf 8 7 6 5\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";
  BindJob straight = job(rope("straight.bvh", 0), "straight.glb");
  straight.input = pillar;
  const Result<BindReport> fitted = bind(straight);
  ASSERT_TRUE(fitted) << fitted.error().sentence;
  ASSERT_TRUE(fitted->fit);
  EXPECT_EQ(fitted->fit->how, "box");
  EXPECT_LE(fitted->outside_share, 0.5);
  BindJob wide = job(rope("wide.bvh", 200), "wide.glb");
  wide.input = pillar;
  const Result<BindReport> refused = bind(wide);
  ASSERT_TRUE(refused) << refused.error().sentence;
  EXPECT_FALSE(refused->fit);
  EXPECT_NE(refused->doubt, "");
  const Note* reason = note_of(*refused, "skeleton-not-fitted");
  ASSERT_NE(reason, nullptr);
  EXPECT_NE(reason->sentence.find("as a box, most of its joints would stay outside"), std::string::npos)
      << reason->sentence;
}

// Clips of the data: hips at the origin, in inches, legs astride, arms out.
TEST_F(Fit, CapturedSkeletonsLieInRealBodies) {
  const test::fs::path data = test::data_folder();
  if (data.empty()) GTEST_SKIP() << "needs DERMIS_DATA";
  for (const char* mesh : {"autorig/human_man.obj", "autorig/human_neutral.obj"}) {
    for (const char* motion : {"motion/cmu/02_01.bvh", "motion/cmu/90_10.bvh"}) {
      SCOPED_TRACE(std::string(mesh) + " " + motion);
      BindJob asked = job(data / motion, "captured.glb");
      asked.input = data / mesh;
      const Result<BindReport> report = bind(asked);
      ASSERT_TRUE(report) << report.error().sentence;
      ASSERT_TRUE(report->fit);
      EXPECT_LE(report->outside_share, 0.1);
      EXPECT_EQ(report->doubt, "");
    }
  }
}

}  // namespace
}  // namespace dermis
