// SPDX-License-Identifier: MIT
// The verb animate with takes of weights and keys by hand, from file to file.
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/made.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

class FaceOnFile : public testing::Test {
 protected:
  FaceOnFile() {
    Result<Character> made = make_character(MadeKind::face, {1200});
    EXPECT_TRUE(made);
    character = *made;
    Asset asset{.character = std::move(*made), .name = "face.glb"};
    EXPECT_TRUE(save(folder.file("face.glb"), asset));
    test::write_text(folder.path() / "take.csv",
                     "Timecode,BlendShapeCount,EyeBlinkLeft,JawOpen,MouthSmileLeft,HeadYaw\n"
                     "10:00:00:00.0,61,0,0,0.5,1\n10:00:01:00.0,61,1,0.5,0.5,1\n10:00:02:00.0,61,0,1,0.5,1\n"
                     "10:00:02:59.0,61,0,1,0.5,1\n");
    job.input = folder.file("face.glb");
    job.output = folder.file("out.glb");
  }
  static double weight(const Character& character, const std::string& clip, const std::string& shape,
                       double time) {
    const Result<Index> found = find_clip(character, clip);
    EXPECT_TRUE(found);
    const Result<PoseFrame> frame = pose_frame(character, {*found, time, nullptr});
    EXPECT_TRUE(frame);
    const Mesh& mesh = character.meshes[0];
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
      if (mesh.shapes[s].name == shape) return static_cast<double>(frame->shape_weights[0][s]);
    return NAN;
  }
  test::TemporaryFolder folder;
  Character character;
  AnimateJob job;
};

TEST_F(FaceOnFile, ATakePlaysByNamesAndBuiltInMaps) {
  job.take = folder.file("take.csv");
  job.save_shape_map = folder.file("map.txt");
  const Result<AnimateReport> report = animate(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "take-mapped-by-names"));
  EXPECT_EQ(report->unused_columns, std::vector<std::string>{"HeadYaw"});
  EXPECT_EQ(report->figures.fps, 60);
  const Result<Asset> read = load(job.output);
  ASSERT_TRUE(read);
  EXPECT_NEAR(weight(read->character, "take", "blink_L", 1), 1, 1e-6);
  EXPECT_NEAR(weight(read->character, "take", "jaw_open", 1.5), 0.75, 1e-6);
  EXPECT_NEAR(weight(read->character, "take", "smile_L", 0.3), 0.5, 1e-6);
  EXPECT_EQ(weight(read->character, "take", "blink_R", 1), 0);
  // The map that was saved gives the same; another one something else.
  AnimateJob again = job;
  again.shape_map = folder.file("map.txt"), again.save_shape_map = "",
  again.output = folder.file("again.glb");
  ASSERT_TRUE(animate(again));
  const Result<Asset> same = load(again.output);
  EXPECT_NEAR(weight(same->character, "take", "blink_L", 1), 1, 1e-6);
  test::write_text(folder.path() / "own.txt", "brows_up = 2*JawOpen - EyeBlinkLeft\n");
  again.shape_map = folder.file("own.txt"), again.output = folder.file("own.glb");
  ASSERT_TRUE(animate(again));
  const Result<Asset> own = load(again.output);
  EXPECT_NEAR(weight(own->character, "take", "brows_up", 1), 0, 1e-6);
  EXPECT_NEAR(weight(own->character, "take", "brows_up", 2), 2, 1e-6);
  EXPECT_EQ(weight(own->character, "take", "blink_L", 1), 0);
}

TEST_F(FaceOnFile, ATakeJoinsAClipOrIsSampled) {
  job.take = folder.file("take.csv");
  job.into = "look_and_talk";
  Result<AnimateReport> report = animate(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->clip_count, 1u);
  Result<Asset> read = load(job.output);
  EXPECT_NEAR(weight(read->character, "look_and_talk", "blink_L", 1), 1, 1e-6);
  // Shapes that the take does not move keep their keys.
  EXPECT_NEAR(weight(read->character, "look_and_talk", "smile_R", 0.7),
              weight(character, "look_and_talk", "smile_R", 0.7), 1e-6);
  job.into = "", job.retarget.fps = 4, job.output = folder.file("four.glb");
  report = animate(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->figures.frame_count, 12u);
  read = load(job.output);
  EXPECT_NEAR(weight(read->character, "take", "jaw_open", 1.5), 0.75, 1e-6);
}

TEST_F(FaceOnFile, AClipComesBackFromItsKeys) {
  job.output = folder.file("keys.json");
  const Result<AnimateReport> written = write_keys(job);
  ASSERT_TRUE(written) << written.error().sentence;
  EXPECT_GT(written->key_count, 1u);
  AnimateJob back;
  back.input = job.input;
  back.keys = job.output;
  back.retarget.name = "again";
  back.output = folder.file("back.glb");
  const Result<AnimateReport> report = animate(back);
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> read = load(back.output);
  ASSERT_TRUE(read);
  const Index old = *find_clip(read->character, "look_and_talk"), made = *find_clip(read->character, "again");
  for (const double time : {0.0, 0.31, 1.7, 2.9}) {
    const Result<PoseFrame> a = pose_frame(read->character, {old, time, nullptr});
    const Result<PoseFrame> b = pose_frame(read->character, {made, time, nullptr});
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->shape_weights, b->shape_weights);
    for (std::size_t n = 0; n < a->world_from_node.size(); ++n)
      EXPECT_LT(length(a->world_from_node[n].translation - b->world_from_node[n].translation), 1e-7);
  }
}

TEST_F(FaceOnFile, BadTakesAndKeysAreOneSentence) {
  test::write_text(folder.path() / "tree.csv", "time,leaf\n0,1\n1,0\n");
  job.take = folder.file("tree.csv");
  const Result<AnimateReport> nothing = animate(job);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().sentence.find("follows a column"), std::string::npos) << nothing.error().sentence;
  job.take = "";
  test::write_text(folder.path() / "bad.json",
                   R"({"dermis_keys": 1, "keys": [{"time": 0, "shapes": {"smirk": 1}}]})");
  job.keys = folder.file("bad.json");
  const Result<AnimateReport> keys = animate(job);
  ASSERT_FALSE(keys);
  EXPECT_NE(keys.error().sentence.find("no shape 'smirk'"), std::string::npos) << keys.error().sentence;
  EXPECT_FALSE(std::filesystem::exists(job.output));
}

TEST_F(FaceOnFile, AMapOfShapesWithoutATakeIsRefused) {
  test::write_text(folder.path() / "keys.json",
                   R"({"dermis_keys": 1, "keys": [{"time": 0, "shapes": {"smile": 1}}]})");
  job.take = "";
  job.keys = folder.file("keys.json");
  job.save_shape_map = folder.file("map.txt");
  const Result<AnimateReport> report = animate(job);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::usage);
  EXPECT_NE(report.error().sentence.find("for recorded weights"), std::string::npos);
}

}  // namespace
}  // namespace dermis
