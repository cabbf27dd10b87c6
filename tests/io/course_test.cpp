// SPDX-License-Identifier: MIT
// The teaching format: scans load as what was meant, bones move with their parent joint, and characters
// written in it pose as before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "io/course/listing.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::has_note;
using test::TemporaryFolder;

Result<CourseSkeleton> skeleton_of(const std::string& text, Notes& notes) {
  MemoryBudget budget(1 << 20);
  return parse_course_skeleton(text, "skeleton.out", budget, notes);
}
Result<CourseWeights> weights_of(const std::string& text, std::size_t bones, Notes& notes) {
  MemoryBudget budget(1 << 20);
  return parse_course_weights(text, bones, "attachment.out", budget, notes);
}

// Twelve joints, so that indices have two digits.
const std::string kClean =
    "0 -0.08 -0.22 -0.92 -1\n1 -0.56 -0.54 -0.89 0\n2 0.26 0.55 -0.78 1\n3 0.578 0.53 -0.66 2\n"
    "4 1.07 0.73 -0.09 3\n5 12.5 0.7 0.15 4\n6 -0.37 0.53 -0.85 0\n7 -0.67 0.48 -0.77 6\n"
    "8 -0.93 0.47 -0.67 7\n9 0.57 0.78 -0.35 8\n10 0.82 0.89 0.05 9\n11 0.36 -0.42 -0.97 10\n";
const std::string kScanned =
    "0-0.08 -0.22 -0.92 -1\n1-0.56-0.54 -0.89 0\n20.26 0.55-0.78 1\n30578 0.53 -0.66 2\n"
    "41.070.73 -0.09 3\n512.5 0.7 0.15 4\n6 -0.37 0.53 -0.85 0\n7-0.67 0.48 -0.77 6\n"
    "8 -093 0.47 -0.67 7\n9057 0.78 -0.35 8\n100.82 0.89 0.05 9\n110.36 -0.42 -0.97 10\n";

TEST(CourseListing, OfAScanHasTheJointsThatWereMeant) {
  Notes none, repairs;
  const Result<CourseSkeleton> clean = skeleton_of(kClean, none), scanned = skeleton_of(kScanned, repairs);
  ASSERT_TRUE(clean) << clean.error().sentence;
  ASSERT_TRUE(scanned) << scanned.error().sentence;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(scanned->points, clean->points);
  EXPECT_EQ(scanned->parents, clean->parents);
  EXPECT_EQ(repairs.size(), 11u);  // every line but that of joint 6
  EXPECT_EQ(
      repairs[3].sentence,
      "joint 3: '30578 0.53 -0.66 2' is read as 3 0.578 0.53 -0.66 2, with a lost decimal point put back");
}

TEST(CourseListing, OfAScanHasTheWeightsThatWereMeant) {
  const std::string clean =
      "0 0 0.0002 0.0173 0.9825 0 0 0\n1 0 0 0 0 0 0 0\n0 0 0.5 1.2e-05 0.5 0 0 0\n"
      "0 0.25 0 0 0 0 0.75 0\n";
  const std::string scanned = "00 0.00020.0173 0.9825000\n1000 0000\n000.51.2e-050.5000\n00.2500000.750\n";
  Notes none, repairs;
  const Result<CourseWeights> a = weights_of(clean, 8, none), b = weights_of(scanned, 8, repairs);
  ASSERT_TRUE(a) << a.error().sentence;
  ASSERT_TRUE(b) << b.error().sentence;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(b->values, a->values);
  EXPECT_EQ(repairs.size(), 4u);
}

TEST(CourseListing, WithFixedDecimalsIsTakenAsItStands) {
  Notes notes;
  const Result<CourseWeights> weights = weights_of("0.500000 0.500000 0.000000\n", 3, notes);
  ASSERT_TRUE(weights) << weights.error().sentence;
  EXPECT_EQ(weights->values, (std::vector<float>{0.5f, 0.5f, 0}));
  EXPECT_TRUE(notes.empty());
}

TEST(CourseListing, WithALostPointInANumberAboveOneIsDoubted) {
  const auto notes_of = [](const std::string& text) {
    const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(text)), "skeleton.out");
    EXPECT_TRUE(asset) << asset.error().sentence;
    return asset ? asset->notes : Notes{};
  };
  const Notes notes = notes_of("0 0.1 0.2 0.3 -1\n1 0.1 1578372 0.3 0\n2 0.1 1.7 0.3 1\n");
  const auto note =
      std::find_if(notes.begin(), notes.end(), [](const Note& one) { return one.id == "joint-far-out"; });
  ASSERT_NE(note, notes.end());
  EXPECT_EQ(note->kind, Note::Kind::guess);
  EXPECT_TRUE(note->sentence.starts_with("joint 1: '1578372' is far larger")) << note->sentence;
  for (const char* good : {"0 0 0 0 -1\n1 0 1500000 0 0\n", "0 0.5 0 0 -1\n1 0.5 1500000 0 0\n",
                           "0 0.5 0.5 0 -1\n1 0.5 2 0 0\n"})
    EXPECT_FALSE(test::has_note(notes_of(good), "joint-far-out")) << good;
}

TEST(CourseListing, ThatDoesNotWorkOutIsRefusedWithItsLine) {
  const auto sentence = [](const std::string& text) {
    Notes notes;
    const Result<CourseSkeleton> skeleton = skeleton_of(text, notes);
    return skeleton ? std::string("loaded") : skeleton.error().sentence;
  };
  EXPECT_EQ(sentence(""), "skeleton.out: has no joints");
  EXPECT_NE(sentence("0 1 2 3 -1\n7 1 2 3 0\n").find("line 2: joint 1 should be here"), std::string::npos);
  EXPECT_NE(sentence("0 1 2 -1\n").find("has 3 numbers"), std::string::npos);
  EXPECT_NE(sentence("0 1 2 nan -1\n").find("'nan' of joint 0 is not a finite number"), std::string::npos);
  EXPECT_NE(sentence("0 1 2 3 5\n").find("joint 0 has parent 5, but there are 1 joints"), std::string::npos);
  EXPECT_NE(sentence("0 1 2 3 0\n").find("is its own parent"), std::string::npos);
  Notes notes;
  const Result<CourseWeights> weights = weights_of("0 1\n0 1 0\n", 2, notes);
  ASSERT_FALSE(weights);
  EXPECT_NE(weights.error().sentence.find("line 2: has 3 weights, but there are 2 bones"), std::string::npos);
}

TEST(CourseListing, OfTheLectureLoadsAsTheCleanOne) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const fs::path folder = test::data_folder() / "course";
  Notes none, repairs;
  const Result<CourseSkeleton> clean = skeleton_of(test::read_text(folder / "skeleton-clean.out"), none);
  const Result<CourseSkeleton> scanned =
      skeleton_of(test::read_text(folder / "skeleton-scanned.out"), repairs);
  ASSERT_TRUE(clean && scanned);
  EXPECT_EQ(clean->points.size(), 22u);
  EXPECT_EQ(scanned->points, clean->points);
  EXPECT_EQ(scanned->parents, clean->parents);
  const Result<CourseWeights> a = weights_of(test::read_text(folder / "attachment-clean.out"), 21, none);
  const Result<CourseWeights> b = weights_of(test::read_text(folder / "attachment-scanned.out"), 21, repairs);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->row_count(), 5u);
  EXPECT_EQ(b->values, a->values);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(repairs.size(), 18u + 5u);
}

// ---- Folders --------------------------------------------------------------------------------------------

// A Y: joint 0 at the foot, 1 at the fork, the siblings 2 and 3 at the tips of its arms. Bone 0 (to joint 1)
// moves with joint 0; bones 1 and 2 (to the tips) both move with joint 1.
void write_fork(const TemporaryFolder& folder, const std::string& ending = "") {
  test::write_text(folder.file("skeleton" + ending + ".out"),
                   "0 0 0 0 -1\n1 0 1 0 0\n2 -1 2 0 1\n3 1 2 0 1\n");
  test::write_text(folder.file("attachment" + ending + ".out"), "1 0 0\n0 1 0\n0 0 1\n0.5 0.25 0.25\n");
  test::write_text(folder.file("fork.obj"), "v 0 0.5 0\nv -1 2 0\nv 1 2 0\nv 0 1 0\nf 1 2 4\nf 1 4 3\n");
}

std::vector<Vec3> posed(const Character& character, const std::string& joint, const Quatd& turn) {
  Pose pose;
  pose.nodes.push_back({joint, {}, {}, {}, Quat(turn)});
  const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
  EXPECT_TRUE(frame) << frame.error().sentence;
  return deform_character(character, *frame, {})->meshes[0].points;
}

void expect_points(const std::vector<Vec3>& points, const std::vector<Vec3>& wanted) {
  ASSERT_EQ(points.size(), wanted.size());
  for (std::size_t v = 0; v < points.size(); ++v)
    EXPECT_LE(length(points[v] - wanted[v]), 1e-6f) << "point " << v;
}

TEST(CourseFolder, MovesBonesOfSiblingsWithTheirParent) {
  const TemporaryFolder folder;
  write_fork(folder);
  const Result<Asset> asset = load(folder.file("skeleton.out"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(has_note(asset->notes, "mesh-beside"));
  const Character& character = asset->character;
  EXPECT_EQ(character.skins.at(0).node, (std::vector<Index>{0, 1}));
  EXPECT_EQ(character.meshes[0].weights.row(3).size(), 2u);  // the siblings' shares are one joint's
  const Quatd quarter = quat_from_axis_angle({0, 0, 1}, kPi / 2);
  // The fork turns: both arms go round it, the foot stays, the half point goes half way.
  expect_points(posed(character, "joint_1", quarter), {{0, 0.5f, 0}, {-1, 0, 0}, {-1, 2, 0}, {0, 1, 0}});
  // A tip turns: nothing moves with it.
  expect_points(posed(character, "joint_2", quarter), {{0, 0.5f, 0}, {-1, 2, 0}, {1, 2, 0}, {0, 1, 0}});
  // The foot turns: all of it.
  expect_points(posed(character, "joint_0", quarter), {{-0.5f, 0, 0}, {-2, -1, 0}, {-2, 1, 0}, {-1, 0, 0}});
}

TEST(CourseFolder, FindsItsFilesByTheEndingOfTheirNames) {
  const TemporaryFolder folder;
  write_fork(folder, "-clean");
  const Result<Asset> asset = load(folder.file("skeleton-clean.out"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->character.meshes.size(), 1u);
  const Result<Asset> weights = load(folder.file("attachment-clean.out"));
  ASSERT_FALSE(weights);
  EXPECT_NE(weights.error().sentence.find("give the skeleton they belong to, skeleton-clean.out"),
            std::string::npos)
      << weights.error().sentence;
}

TEST(CourseFolder, WithoutAFittingMeshGivesTheSkeletonAndSaysWhy) {
  const TemporaryFolder folder;
  write_fork(folder);
  test::write_text(folder.file("fork.obj"), "v 0 0 0\n");
  const Result<Asset> without_mesh = load(folder.file("skeleton.out"));
  ASSERT_TRUE(without_mesh);
  EXPECT_TRUE(has_note(without_mesh->notes, "mesh-missing"));
  EXPECT_EQ(without_mesh->character.nodes.size(), 4u);
  fs::remove(folder.file("attachment.out"));
  const Result<Asset> alone = load(folder.file("skeleton.out"));
  ASSERT_TRUE(alone);
  EXPECT_TRUE(has_note(alone->notes, "attachment-missing"));
}

TEST(CourseFolder, WithTwoFittingMeshesIsRefusedByName) {
  const TemporaryFolder folder;
  write_fork(folder);
  fs::copy_file(folder.file("fork.obj"), folder.file("spoon.obj"));
  const Result<Asset> asset = load(folder.file("skeleton.out"));
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("fork.obj and spoon.obj both have the 4 points"), std::string::npos)
      << asset.error().sentence;
}

TEST(CourseFolder, TurnsAFigureWithZUpMeshAndAll) {
  const TemporaryFolder folder;
  test::write_text(folder.file("skeleton.out"), "0 0 0 0 -1\n1 0 0 1 0\n2 0 0.1 2 1\n");
  test::write_text(folder.file("attachment.out"), "1 0\n0 1\n0 1\n");
  test::write_text(folder.file("a.obj"), "v 0 0 0.5\nv 0 0.1 2\nv 1 0 2\nf 1 2 3\n");
  const Result<Asset> asset = load(folder.file("skeleton.out"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(has_note(asset->notes, "turned-y-up"));
  const Result<PoseFrame> frame = pose_frame(asset->character, {});
  expect_points(deform_character(asset->character, *frame, {})->meshes[0].points,
                {{0, 0.5f, 0}, {0, 2, -0.1f}, {1, 2, 0}});
}

// ---- Out ------------------------------------------------------------------------------------------------

TEST(CourseOut, GoesBackAsItCame) {
  const TemporaryFolder folder, out;
  write_fork(folder);
  const Result<Asset> asset = load(folder.file("skeleton.out"));
  ASSERT_TRUE(asset);
  const Result<Notes> saved = save(out.file("skeleton-2.out"), *asset);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_EQ(test::read_text(out.file("skeleton-2.out")), test::read_text(folder.file("skeleton.out")));
  // The last point's halves of the arms are one joint's half now, and both arms are equally near.
  EXPECT_EQ(test::read_text(out.file("attachment-2.out")), "1 0 0\n0 1 0\n0 0 1\n0.5 0.5 0\n");
  const Result<Asset> again = load(out.file("skeleton-2.out"));
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->character.meshes[0].weights, asset->character.meshes[0].weights);
  EXPECT_EQ(again->character.meshes[0].points, asset->character.meshes[0].points);
}

TEST(CourseOut, LosesItsUnitWithANoteUnlessItWasGuessed) {
  const TemporaryFolder folder, out;
  write_fork(folder);
  Result<Asset> asset = load(folder.file("skeleton.out"));
  ASSERT_TRUE(asset);
  asset->character.metres_per_unit = 0.01;
  for (const bool is_guessed : {true, false}) {
    asset->character.is_unit_guessed = is_guessed;
    const Result<Notes> saved = save(out.file(is_guessed ? "skeleton-2.out" : "skeleton-3.out"), *asset);
    ASSERT_TRUE(saved) << saved.error().sentence;
    EXPECT_EQ(test::has_note(*saved, "unit-dropped"), !is_guessed);
  }
}

TEST(CourseOut, PosesAsTheCharacterItWasMadeFrom) {
  for (const MadeKind kind : {MadeKind::humanoid, MadeKind::hand, MadeKind::quadruped}) {
    Result<Character> made = make_character(kind, {1500});
    ASSERT_TRUE(made);
    Asset asset;
    asset.character = std::move(*made);
    const Character& before = asset.character;
    const TemporaryFolder folder;
    const Result<Notes> saved = save(folder.file("skeleton.out"), asset);
    ASSERT_TRUE(saved) << saved.error().sentence;
    EXPECT_TRUE(has_note(*saved, "names-left-out"));
    EXPECT_TRUE(has_note(*saved, "not-in-format"));  // its clip
    LoadOptions options;
    options.up = UpAxis::y;
    const Result<Asset> again = load(folder.file("skeleton.out"), options);
    ASSERT_TRUE(again) << again.error().sentence;
    const std::vector<Affined> old_rest = rest_world(before), new_rest = rest_world(again->character);
    // Every joint is turned, about an axis of its own; in the listing it is found by its place.
    Pose old_pose, new_pose;
    for (std::size_t s = 0; s < before.skins[0].node.size(); ++s) {
      const auto n = static_cast<std::size_t>(before.skins[0].node[s]);
      const double k = static_cast<double>(s);
      const Quat turn(quat_from_axis_angle({std::sin(k), std::cos(k), 0.3}, 0.2));
      for (std::size_t j = 0; j < new_rest.size(); ++j) {
        if (length(new_rest[j].translation - old_rest[n].translation) > 1e-5) continue;
        if (again->character.nodes[j].name.find("joint") == std::string::npos) continue;
        old_pose.nodes.push_back({node_label(before, before.skins[0].node[s]), {}, {}, {}, turn});
        new_pose.nodes.push_back({again->character.nodes[j].name, {}, {}, {}, turn});
        break;
      }
    }
    EXPECT_EQ(old_pose.nodes.size(), before.skins[0].node.size());
    const Result<PoseFrame> old_frame = pose_frame(before, {kNone, 0, &old_pose});
    const Result<PoseFrame> new_frame = pose_frame(again->character, {kNone, 0, &new_pose});
    ASSERT_TRUE(old_frame && new_frame);
    const Result<Character> a = deform_character(before, *old_frame, {});
    const Result<Character> b = deform_character(again->character, *new_frame, {});
    ASSERT_TRUE(a && b);
    expect_points(b->meshes[0].points, a->meshes[0].points);
  }
}

TEST(CourseOut, ThatCannotBeWrittenLeavesNoMeshBehind) {
  const TemporaryFolder folder;
  const Result<Character> arm = make_character(MadeKind::arm, {1000}, {});
  ASSERT_TRUE(arm);
  fs::create_directories(folder.path() / "attachment.out" / "full");  // in the way
  SaveOptions options;
  options.overwrite_side_files = true;
  EXPECT_FALSE(save(folder.file("skeleton.out"), {*arm, {}, nullptr}, options));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"attachment.out"}));
}

TEST(CourseOut, IsRefusedUnderANameThatHasNoCompanion) {
  const TemporaryFolder folder, out;
  write_fork(folder);
  const Result<Notes> saved = save(out.file("bones.out"), *load(folder.file("skeleton.out")));
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().sentence.find("must start with 'skeleton'"), std::string::npos);
  EXPECT_TRUE(out.names().empty());
}

}  // namespace
}  // namespace dermis
