// SPDX-License-Identifier: MIT
// BVH in its dialects: joints stand where an evaluation of the test's own says, and files go back as they
// came.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dermis/io.h"
#include "dermis/motion.h"
#include "io/bvh/document.h"
#include "io/made_gltf.h"
#include "io/tiny_bvh.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::has_note;
using test::TinyBvh;

Result<Asset> load_bvh(const std::string& text, UpAxis up = UpAxis::guess) {
  LoadOptions options;
  options.up = up;
  return load_from_memory(std::as_bytes(std::span(text.data(), text.size())), "made.bvh", options);
}

void expect_refused(const std::string& text, const std::string& words) {
  const Result<Asset> asset = load_bvh(text);
  ASSERT_FALSE(asset) << "loaded, but should be refused: " << words;
  EXPECT_NE(asset.error().sentence.find(words), std::string::npos) << asset.error().sentence;
  EXPECT_EQ(asset.error().sentence.find('\n'), std::string::npos);
}

// The largest distance of any node at any frame from where the text puts it, in parts of the figure's size.
double worst_distance(const Asset& asset, const TinyBvh& truth) {
  const Character& character = asset.character;
  const bool is_added = has_note(asset.notes, "positions-from-offsets");
  const bool is_turned = has_note(asset.notes, "turned-y-up");
  Box box;
  for (const Affined& rest : rest_world(character)) box.add(rest.translation);
  double worst = 0;
  for (std::size_t frame = 0; frame < truth.frames.size(); ++frame) {
    const double time = static_cast<double>(character.clips[0].channels[0].times[frame]);
    EXPECT_NEAR(time, static_cast<double>(frame) * truth.frame_time, 1e-6 * (1 + time));
    const Result<PoseFrame> pose = pose_frame(character, {0, time, nullptr});
    const std::vector<TinyBvh::Point> wanted = truth.positions(frame, is_added);
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const auto& [x, y, z] = wanted[j];
      const Vec3d point = is_turned ? Vec3d{x, z, -y} : Vec3d{x, y, z};
      worst = std::max(worst, length(pose->world_from_node[j].translation - point) / box.diagonal());
    }
  }
  return worst;
}

void expect_as_evaluated(const std::string& text, const std::string& name) {
  const Result<Asset> asset = load_bvh(text);
  ASSERT_TRUE(asset) << name << ": " << asset.error().sentence;
  const TinyBvh truth(text);
  ASSERT_EQ(asset->character.nodes.size(), truth.joints.size()) << name;
  const double worst = worst_distance(*asset, truth);
  EXPECT_LE(worst, 1e-6) << name;
  ::testing::Test::RecordProperty(name, fmt::format("{:.1e}", worst));
}

// Word for word the same, numbers by value.
void expect_same_words(const std::string& a, const std::string& b, const std::string& name) {
  const std::vector<std::string> left = test::words_of(a), right = test::words_of(b);
  ASSERT_EQ(left.size(), right.size()) << name;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k] == right[k]) continue;
    char *left_end = nullptr, *right_end = nullptr;
    const double x = std::strtod(left[k].c_str(), &left_end), y = std::strtod(right[k].c_str(), &right_end);
    ASSERT_TRUE(*left_end == '\0' && *right_end == '\0' && x == y)
        << name << ", word " << k << ": " << left[k] << " became " << right[k];
  }
}

std::string written(const Asset& asset) {
  const test::TemporaryFolder folder;
  const Result<Notes> saved = save(folder.file("out.bvh"), asset);
  EXPECT_TRUE(saved) << saved.error().sentence;
  return test::read_text(folder.file("out.bvh"));
}

// A figure of three joints and an End Site, `channels` on its middle joint.
std::string figure(const std::string& channels, const std::string& numbers) {
  return "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0.9 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
         "Xrotation Yrotation\n JOINT Chest\n {\n  OFFSET 0.01 0.4 0.02\n  " +
         channels +
         "\n  JOINT Head\n  {\n   OFFSET 0 0.3 0.05\n   CHANNELS 3 Zrotation Xrotation Yrotation\n"
         "   End Site\n   {\n    OFFSET 0 0.2 0\n   }\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n"
         "0.1 0.9 0.2 10 20 30 " +
         numbers + " 5 6 7\n0.2 0.95 0.1 -10 25 31 " + numbers + " 5 -6 8\n";
}
const std::string kZxy = "CHANNELS 3 Zrotation Xrotation Yrotation";

std::string with(std::string text, const std::string& old_words, const std::string& new_words) {
  for (std::size_t at = text.find(old_words); at != std::string::npos;
       at = text.find(old_words, at + new_words.size()))
    text.replace(at, old_words.size(), new_words);
  return text;
}

std::vector<fs::path> bvh_files() {
  std::vector<fs::path> files;
  for (const fs::path& folder : {test::data_folder() / "motion", test::assimp_folder() / "BVH"}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".bvh") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// ---- Channels -----------------------------------------------------------------------------------------

TEST(BvhChannels, TurnInAnyOrderNumberAndRepetition) {
  for (const char* order : {"ZXY", "XYZ", "XZY", "YXZ", "YZX", "ZYX", "XYX", "Z", "YX", "XXZ", "ZXYZX"}) {
    std::string channels, numbers;
    for (const char* axis = order; *axis != '\0'; ++axis) {
      channels += std::string(" ") + *axis + "rotation";
      numbers += " " + std::to_string(17 * (axis - order) - 23);
    }
    const std::string count = std::to_string(std::string(order).size());
    expect_as_evaluated(figure("CHANNELS " + count + channels, numbers), order);
  }
}

TEST(BvhChannels, OfPositionReplaceTheOffsetWhereverTheyStand) {
  expect_as_evaluated(figure("CHANNELS 6 Zrotation Xposition Xrotation Zposition Yrotation Yposition",
                             "10 0.02 20 0.03 30 0.42"),
                      "mixed");
  // An axis without a channel keeps its offset.
  expect_as_evaluated(figure("CHANNELS 2 Yposition Zrotation", "0.5 10"), "one axis");
}

TEST(BvhChannels, OfPositionCountFromTheOffsetWhenJointsWouldCollapseOtherwise) {
  const std::string text = figure("CHANNELS 3 Xposition Yposition Zposition", "0.001 0 -0.002");
  const Result<Asset> asset = load_bvh(text);
  ASSERT_TRUE(asset);
  EXPECT_TRUE(has_note(asset->notes, "positions-from-offsets"));
  expect_as_evaluated(text, "relative to the offset");
}

TEST(BvhChannels, MayBeAbsent) {
  expect_as_evaluated(figure("CHANNELS 0", ""), "none");
  expect_as_evaluated(figure("", ""), "not said");
}

TEST(BvhChannels, AreCountedByTheirNamesWhenTheNumberIsWrong) {
  const Result<Asset> asset = load_bvh(figure("CHANNELS 4 Zrotation Xrotation Yrotation", "1 2 3"));
  ASSERT_TRUE(asset);
  EXPECT_TRUE(has_note(asset->notes, "channels-miscounted"));
  EXPECT_EQ(asset->character.clips[0].channels[0].times.size(), 2u);
}

TEST(BvhChannels, OfUnknownNameAreRefused) {
  expect_refused(figure("CHANNELS 1 Wrotation", "1"), "line 9: joint 'Chest' has channel 'Wrotation'");
}

TEST(BvhRotations, KeepTheirSignFromKeyToKey) {
  std::string text = with(figure(kZxy, "0 0 0"), "Frames: 2", "Frames: 60");
  text.resize(text.find("0.1 0.9"));
  for (int frame = 0; frame < 60; ++frame)
    text += "0 0.9 0 " + std::to_string(frame * 30) + " 0 0  0 0 0  0 0 0\n";
  const Result<Asset> asset = load_bvh(text);
  ASSERT_TRUE(asset);
  const std::vector<float>& keys = asset->character.clips[0].channels[1].values;
  for (std::size_t k = 4; k < keys.size(); k += 4)
    EXPECT_GT(keys[k + 2] * keys[k - 2] + keys[k + 3] * keys[k - 1], 0.9f) << k / 4;
}

// ---- Text ---------------------------------------------------------------------------------------------

TEST(BvhText, ReadsTheSameWithTabsAndAnyLineEnds) {
  const std::string text = figure(kZxy, "1 2 3");
  const std::string plain = written(*load_bvh(text));
  for (const std::string& variant :
       {with(text, "\n", "\r\n"), with(text, "\n", "\r"), with(text, " ", "\t"),
        with(text, "\n ", "\n\n\t \t"), with(text, "Frame Time:", "FrameTime:"),
        with(text, "Frame Time:", "FRAME TIME :"), with(text, "Frames:", "frames"),
        with(text, "HIERARCHY", "\xEF\xBB\xBFHierarchy"), with(text, "JOINT Chest\n {", "Joint Chest{"),
        with(text, "End Site", "End site"), with(text, "End Site", "ENDSITE"),
        with(text, "30 1 2 3", "3.0e1\n1 2\n3"), with(text, "5 6 7\n", "5 6 7 "), with(text, "0.9", "+0.9"),
        with(text, "0.4", ".4")}) {
    const Result<Asset> asset = load_bvh(variant);
    ASSERT_TRUE(asset) << asset.error().sentence << "\n" << variant;
    EXPECT_EQ(written(*asset), plain) << variant;
  }
}

TEST(BvhText, KeepsNamesWithBlanksColonsAndOldLetters) {
  std::string text = with(figure(kZxy, "1 2 3"), "Chest", "mixamorig:Upper  Chest 2");
  text = with(text, "Head",
              "Kopf \xE4u\xDF"
              "erer");
  const Result<Asset> asset = load_bvh(text);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_EQ(asset->character.nodes[1].name, "mixamorig:Upper  Chest 2");
  EXPECT_EQ(asset->character.nodes[2].name,
            "Kopf \xC3\xA4u\xC3\x9F"
            "erer");
  EXPECT_TRUE(has_note(asset->notes, "names-not-utf8"));
  EXPECT_NE(written(*asset).find("Kopf \xE4u\xDF"
                                 "erer"),
            std::string::npos);
}

TEST(BvhText, WithWrongFrameCountsIsReadWholeAndNoted) {
  for (const char* promise : {"Frames: 1", "Frames: 3", "Frames: -3", "Frames: 4", "Frames: 1e9"}) {
    const Result<Asset> asset = load_bvh(with(figure(kZxy, "1 2 3"), "Frames: 2", promise));
    ASSERT_TRUE(asset) << promise;
    // One frame more than there are is a mistake of counting; of two or more, the end is missing.
    const bool is_cut = std::string(promise) == "Frames: 4" || std::string(promise) == "Frames: 1e9";
    EXPECT_EQ(has_note(asset->notes, "frames-cut-off"), is_cut) << promise;
    EXPECT_EQ(has_note(asset->notes, "frames-miscounted"), !is_cut) << promise;
    EXPECT_EQ(asset->character.clips[0].channels[0].times.size(), 2u) << promise;
  }
}

TEST(BvhText, LeavesACutOffFrameOutAndSaysSo) {
  const std::string text = figure(kZxy, "1 2 3");
  const Result<Asset> asset = load_bvh(text.substr(0, text.size() - 6));
  ASSERT_TRUE(asset);
  EXPECT_TRUE(has_note(asset->notes, "frame-cut-off"));
  EXPECT_EQ(asset->character.clips[0].channels[0].times.size(), 1u);
}

// A joint that turns about Z, with these lines of motion.
std::string turning(const std::string& motion) {
  return "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET "
         "0 1 "
         "0\n}\n}\nMOTION\nFrames: 4\nFrame Time: 0.1\n" +
         motion;
}

TEST(BvhText, WithALineOfAnotherLengthShiftedTheFramesBehindIt) {
  struct Case {
    const char *motion, *words;
  };
  for (const auto& [motion, words] :
       {Case{"1 2 3\n4 5\n7 8 9 55\n10 11 12\n", "line 15 has 2 numbers"},
        Case{"1 2 3\n\n4 5 5 5\n7 8\n10 11 12\n", "line 16 has 4 numbers"},
        Case{"1 2 3\r\n4\r\n6 6 6 6 6\r\n10 11 12\r\n", "line 15 has 1 number but a frame has 3"}}) {
    const Result<Asset> asset = load_bvh(turning(motion));
    ASSERT_TRUE(asset) << asset.error().sentence;
    const auto note = std::find_if(asset->notes.begin(), asset->notes.end(),
                                   [](const Note& one) { return one.id == "frame-line-miscounted"; });
    ASSERT_NE(note, asset->notes.end()) << motion;
    EXPECT_EQ(note->kind, Note::Kind::repair);
    EXPECT_TRUE(note->sentence.starts_with(words)) << note->sentence;
    EXPECT_NE(note->sentence.find("and 1 more"), std::string::npos) << note->sentence;
    EXPECT_NE(written(*asset).find("1 2 3\n1 2 3\n1 2 3\n10 11 12\n"), std::string::npos) << written(*asset);
  }
}

TEST(BvhText, MayBreakFramesIntoLinesAnywhere) {
  for (const char* motion : {"1 2 3\n4 5\n6\n7 8 9\n10 11 12\n", "1 2\n3 4\n5 6\n7 8\n9 10\n11 12\n",
                             "1 2 3 4 5 6 7 8 9 10 11 12\n", "1 2 3 4 5 6\n7 8 9\n10 11 12"}) {
    const Result<Asset> asset = load_bvh(turning(motion));
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_FALSE(has_note(asset->notes, "frame-line-miscounted")) << motion;
    EXPECT_NE(written(*asset).find("1 2 3\n4 5 6\n7 8 9\n10 11 12\n"), std::string::npos) << motion;
  }
}

TEST(BvhText, WithoutAnOffsetOrWithTwoIsNoted) {
  const std::string text = turning("1 2 3\n");
  EXPECT_TRUE(has_note(load_bvh(with(text, "OFFSET 0 1 0", ""))->notes, "offset-missing"));
  const Result<Asset> twice = load_bvh(with(text, "OFFSET 0 1 0", "OFFSET 0 1 0\nOFFSET 0 2 0"));
  EXPECT_TRUE(has_note(twice->notes, "offset-repeated"));
  EXPECT_EQ(twice->character.nodes[1].rest.translation, (Vec3{0, 2, 0}));
}

TEST(BvhText, WithoutMotionOrFrameTimeIsNoted) {
  const std::string text = figure(kZxy, "1 2 3");
  const Result<Asset> still = load_bvh(text.substr(0, text.find("MOTION")));
  ASSERT_TRUE(still);
  EXPECT_TRUE(has_note(still->notes, "motion-missing"));
  EXPECT_TRUE(still->character.clips.empty());
  EXPECT_TRUE(has_note(load_bvh(with(text, "Frame Time: 0.04", ""))->notes, "frame-time-missing"));
  EXPECT_TRUE(has_note(load_bvh(with(text, "0.04", "0"))->notes, "frame-time-unusable"));
}

TEST(BvhText, ThatIsBrokenIsRefusedWithItsLine) {
  const std::string text = figure(kZxy, "1 2 3");
  expect_refused("", "does not start with HIERARCHY");
  expect_refused("solid cube", "does not start with HIERARCHY");
  expect_refused("HIERARCHY\nMOTION\n", "has no ROOT");
  expect_refused(text.substr(0, text.find("OFFSET 0 0.2")), "the file ends before the '}'");
  expect_refused(with(text, "0.02", "nan"), "'nan' in the OFFSET of joint 'Chest'");
  expect_refused(with(text, "25", "nan"), "frame 1, Xrotation of joint 'Hips' is 'nan'");
  expect_refused(with(text, "25", "inf"), "is not a finite number");
  expect_refused(with(text, "25", "1e999"), "is not a finite number");
  expect_refused(with(text, "25", "twenty"), "line 25: frame 1");
}

TEST(BvhText, MayHaveSeveralRoots) {
  const std::string one = figure(kZxy, "1 2 3");
  const std::string hierarchy = one.substr(10, one.find("MOTION") - 10);
  const std::string text = "HIERARCHY\n" + hierarchy + with(hierarchy, "Hips", "Hips 2") +
                           "MOTION\nFrames: 1\nFrame Time: 0.1\n" +
                           "1 0.9 0 1 2 3  4 5 6  7 8 9   -1 0.9 0 -1 2 -3  4 -5 6  7 8 -9\n";
  expect_as_evaluated(text, "two roots");
  expect_same_words(written(*load_bvh(text)), text, "two roots");
}

// ---- Figures ------------------------------------------------------------------------------------------

TEST(BvhFigure, StandsAlongYWhateverTheFileSays) {
  // The same figure with Z up: (x, y, z) is written (x, -z, y).
  const std::string upright =
      "HIERARCHY\nROOT a\n{\n OFFSET 0 90 5\n CHANNELS 3 Xposition Yposition Zposition\n"
      " JOINT b\n {\n  OFFSET 1 80 3\n  CHANNELS 1 Xrotation\n"
      "  End Site\n  {\n   OFFSET 40 10 0\n  }\n }\n}\n"
      "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 30\n";
  std::string lying = with(with(upright, "0 90 5", "0 -5 90"), "1 80 3", "1 -3 80");
  lying = with(with(lying, "40 10 0", "40 0 10"), "1 2 3 30", "1 -3 2 30");
  const Result<Asset> y_up = load_bvh(upright), z_up = load_bvh(lying);
  ASSERT_TRUE(y_up && z_up);
  EXPECT_FALSE(has_note(y_up->notes, "turned-y-up"));
  EXPECT_TRUE(has_note(z_up->notes, "turned-y-up"));
  for (const Index clip : {kNone, 0}) {
    const Result<PoseFrame> a = pose_frame(y_up->character, {clip, 0, nullptr});
    const Result<PoseFrame> b = pose_frame(z_up->character, {clip, 0, nullptr});
    for (std::size_t n = 0; n < 3; ++n)
      EXPECT_LE(length(a->world_from_node[n].translation - b->world_from_node[n].translation), 1e-5) << n;
  }
  EXPECT_FALSE(has_note(load_bvh(lying, UpAxis::y)->notes, "turned-y-up"));
  EXPECT_TRUE(has_note(load_bvh(upright, UpAxis::z)->notes, "turned-y-up"));
}

TEST(BvhFigure, HasTheUnitThatMakesItAPerson) {
  const struct {
    const char* scale;
    double metres;
  } rows[] = {{"1.75", 1},     {"172", 0.01}, {"70", 0.0254},
              {"1700", 0.001}, {"17", 0.1},   {"30", 0.0254 / 0.45}};
  for (const auto& row : rows) {
    const std::string text =
        std::string("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nEnd Site\n{\nOFFSET 0 ") + row.scale + " 0\n}\n}\n";
    const Result<Asset> asset = load_bvh(text);
    ASSERT_TRUE(asset);
    EXPECT_EQ(asset->character.metres_per_unit, row.metres) << row.scale;
    EXPECT_TRUE(asset->character.is_unit_guessed);
    EXPECT_TRUE(has_note(asset->notes, "unit-guessed"));
  }
}

// ---- Files made elsewhere -----------------------------------------------------------------------------

TEST(BvhFiles, HaveTheirJointsWhereTheTextPutsThem) {
  if (bvh_files().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  for (const fs::path& file : bvh_files())
    expect_as_evaluated(test::read_text(file), file.filename().string());
}

TEST(BvhFiles, GoBackAsTheyCame) {
  if (bvh_files().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  for (const fs::path& file : bvh_files()) {
    std::string text = test::read_text(file);
    const Result<Asset> asset = load_bvh(text);
    ASSERT_TRUE(asset) << file << asset.error().sentence;
    // One of assimp's files promises a frame less than it has; what is written counts right.
    if (has_note(asset->notes, "frames-miscounted")) text = with(text, "Frames:    3069", "Frames: 3070");
    expect_same_words(written(*asset), text, file.string());
  }
}

// ---- From other characters ------------------------------------------------------------------------------

TEST(BvhFromCharacter, RefusesWhatTheFormatCannotHold) {
  Asset asset;
  asset.character.nodes.resize(1);
  asset.character.nodes[0].rest.rotation = Quat(quat_from_axis_angle({1, 0, 0}, 0.5));
  const test::TemporaryFolder folder;
  const Result<Notes> saved = save(folder.file("out.bvh"), asset);
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().sentence.find("is rotated or scaled at rest"), std::string::npos)
      << saved.error().sentence;
  EXPECT_TRUE(folder.names().empty());
}

TEST(BvhFromCharacter, HasAnglesWithoutJumps) {
  // Through the pole of the Z X Y angles and around twice.
  Character character;
  character.nodes.resize(2);
  character.nodes[0].name = "a";
  character.nodes[1] = {"a End Site", 0, {}, {}};
  character.nodes[1].rest.translation = {0, 1, 0};
  Channel channel{ChannelPath::rotation, 0, Interpolation::linear, {}, {}};
  for (int frame = 0; frame < 200; ++frame) {
    const Quatd q =
        quat_from_axis_angle({1, 0.01, 0.02}, 0.07 * frame) * quat_from_axis_angle({0, 1, 0}, 0.3);
    channel.times.push_back(static_cast<float>(frame) / 25);
    for (const double value : {q.x, q.y, q.z, q.w}) channel.values.push_back(static_cast<float>(value));
  }
  character.clips.push_back({"turn", {channel}});
  const Result<BvhDocument> document = bvh_from_character(character, "out.bvh");
  ASSERT_TRUE(document) << document.error().sentence;
  EXPECT_TRUE(document->joints[1].is_end_site);
  EXPECT_NEAR(document->frame_time, 0.04, 1e-9);
  double largest = 0;
  for (std::size_t k = 3; k < document->values.size(); ++k)
    largest = std::max(largest, std::abs(document->values[k] - document->values[k - 3]));
  EXPECT_LE(largest, 100);  // near the pole angles turn fast, but never by a half turn or a whole one
  const TinyBvh truth(text_of(*document));
  const Vec3d tip = rotate(quat_from_axis_angle({1, 0.01, 0.02}, 0.07 * 199), Vec3d{0, 1, 0});
  const std::array<double, 3> at = truth.positions(199)[1];
  EXPECT_LE(length(Vec3d{at[0], at[1], at[2]} - tip), 1e-6);
}

// A chain of joints at these offsets below a root at the origin.
std::string chain(const std::vector<Vec3d>& offsets) {
  std::string text = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 0\n";
  for (const Vec3d& o : offsets)
    text += fmt::format("JOINT j\n{{\nOFFSET {} {} {}\nCHANNELS 0\n}}\n", o.x, o.y, o.z);
  return text + "}\n";
}

TEST(ReadBvh, AFigureOnTheGroundOrAlongZCameBackTurned) {
  // What lies in the plane of x and z, and an animal whose back runs along z.
  for (const auto& offsets : std::vector<std::vector<Vec3d>>{
           {{1.5, 0.2, 0.7}, {1.5, -0.2, -0.7}, {-1.5, 0.2, 0.6}, {-1.5, -0.1, -0.6}},
           {{0.4, -2, 4}, {-0.4, -2, 4}, {0.4, -2, -3}, {-0.4, -2, -3}}}) {
    const Result<Asset> asset = load_bvh(chain(offsets));
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_FALSE(has_note(asset->notes, "turned-y-up"));
  }
  // A person along z: tall, wide and not deep.
  const Result<Asset> person = load_bvh(chain({{7, 0, 5}, {-7, 0, 5}, {1, 1, -9}, {-1, -1, -9}}));
  ASSERT_TRUE(person);
  EXPECT_TRUE(has_note(person->notes, "turned-y-up"));
}

TEST(SaveGltf, AMotionInGuessedUnitsWasSaidToBeInMetresUnscaled) {
  const test::TemporaryFolder out;
  const Result<Asset> figure = load_bvh(chain({{0, 90, 0}, {0, -80, 0}, {0, -80, 5}}));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->character.metres_per_unit, 0.01);
  const Result<Notes> saved = save(out.file("figure.glb"), *figure);
  ASSERT_TRUE(saved) << saved.error().sentence;
  EXPECT_TRUE(has_note(*saved, "scaled-to-metres"));
  const Result<Asset> again = load(out.file("figure.glb"));
  ASSERT_TRUE(again);
  EXPECT_FLOAT_EQ(again->character.nodes[1].rest.translation.y, 0.9f);
}

}  // namespace
}  // namespace dermis
