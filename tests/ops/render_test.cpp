// SPDX-License-Identifier: MIT
// The verb render: pictures that show what they should, films, sheets, and one sentence when they cannot.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "notes.h"
#include "ops/page/page.h"
#include "ops/page/shot.h"
#include "ops/render/work.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

class Rendered : public testing::Test {
 protected:
  Rendered() {
    const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
    EXPECT_TRUE(tube);
    EXPECT_TRUE(save(input, {*tube, {}, nullptr}));
  }
  RenderJob job(const std::string& name) const {
    RenderJob asked;
    asked.input = input;
    asked.output = folder.file(name);
    asked.width = 120;
    asked.height = 90;
    asked.samples = 4;
    return asked;
  }
  Pixels pixels_of(const std::string& path) const {
    const Result<std::vector<std::byte>> bytes = load_bytes(path, 1 << 28);
    EXPECT_TRUE(bytes) << path;
    const Result<Pixels> pixels = decode_image(*bytes, path);
    EXPECT_TRUE(pixels) << path;
    return *pixels;
  }
  static std::size_t different_pixels(const Pixels& a, const Pixels& b) {
    EXPECT_EQ(a.rgba.size(), b.rgba.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < a.rgba.size(); k += 4)
      count += std::equal(&a.rgba[k], &a.rgba[k] + 3, &b.rgba[k]) ? 0u : 1u;
    return count;
  }
  bool is_folder_clean(std::set<std::string> expected) const {
    expected.insert("tube.glb");
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file(".")))
      found.insert(entry.path().filename().string());
    return found == expected;
  }

  const test::TemporaryFolder folder;
  const std::string input = folder.file("tube.glb");
};

TEST_F(Rendered, ShowsThePose) {
  const Result<RenderReport> rest = render_character(job("rest.png"));
  ASSERT_TRUE(rest) << rest.error().sentence;
  EXPECT_EQ(rest->width, 120);
  EXPECT_EQ(rest->height, 90);
  EXPECT_GT(rest->triangle_count, 1000u);
  RenderJob bent = job("bent.png");
  bent.poses = {{"0", 1, "", {}}};
  ASSERT_TRUE(render_character(bent));
  EXPECT_GT(different_pixels(pixels_of(job("rest.png").output), pixels_of(bent.output)), 500u);
}

TEST_F(Rendered, WritesJpegByName) {
  ASSERT_TRUE(render_character(job("rest.jpg")));
  EXPECT_EQ(pixels_of(folder.file("rest.jpg")).width, 120);
}

TEST_F(Rendered, MakesASheetOfMethodsAndTimes) {
  RenderJob sheet = job("sheet.png");
  sheet.stacks = {deform_stack("lbs"), deform_stack("dqs"), deform_stack("cor")};
  sheet.poses = {{"0", 0.5, "", {}}, {"0", 1, "", {}}};
  const Result<RenderReport> report = render_character(sheet);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->methods, (std::vector<std::string>{"lbs", "dqs", "cor"}));
  EXPECT_EQ(report->pose_count, 2u);
  EXPECT_GE(report->width, 3 * 120);
  EXPECT_GE(report->height, 2 * 90);
  EXPECT_EQ(pixels_of(sheet.output).width, report->width);
}

// The sheets that users complained about were one row or one column.
TEST_F(Rendered, SheetsHaveAboutTheShapeOfAScreen) {
  RenderLook look;
  look.width = 480;
  look.height = 420;
  const auto shape = [&](std::size_t methods, std::size_t poses) {
    look.stacks.assign(methods, Stack{});
    const SheetGrid grid = sheet_grid(look, poses);
    EXPECT_GE(grid.rows * grid.columns, methods * poses);
    EXPECT_LT(grid.rows * grid.columns, methods * poses + grid.columns * std::max<std::size_t>(poses, 1));
    return std::pair(grid.columns, grid.rows);
  };
  using Shape = std::pair<std::size_t, std::size_t>;  // columns, rows
  EXPECT_EQ(shape(1, 1), Shape(1, 1));
  EXPECT_EQ(shape(2, 1), Shape(2, 1));
  EXPECT_EQ(shape(3, 1), Shape(3, 1));
  EXPECT_EQ(shape(1, 3), Shape(3, 1));
  EXPECT_EQ(shape(1, 4), Shape(2, 2));
  EXPECT_EQ(shape(6, 1), Shape(3, 2));
  EXPECT_EQ(shape(1, 12), Shape(4, 3));
  EXPECT_EQ(shape(3, 2), Shape(3, 2));   // a table, a row per pose
  EXPECT_EQ(shape(16, 2), Shape(8, 4));  // each pose takes two rows
  for (std::size_t count = 4; count <= 64; ++count) {
    const auto [columns, rows] = shape(1, count);
    const double aspect = static_cast<double>(columns) * 480 / (static_cast<double>(rows) * 420);
    EXPECT_GT(aspect, 0.9) << count;
    EXPECT_LT(aspect, 3.5) << count;
  }
  look.columns = 5;
  EXPECT_EQ(shape(1, 12), Shape(5, 3));
  EXPECT_EQ(shape(1, 3), Shape(3, 1));
}

TEST_F(Rendered, WrapsManyMethodsInOnePose) {
  for (const std::size_t count : {6u, 7u, 10u}) {
    RenderJob sheet = job("many.png");
    const std::vector<Stack> all = every_stack();
    sheet.stacks.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const Result<RenderReport> report = render_character(sheet);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_GE(report->width, 3 * 120);
    EXPECT_LT(report->width, 6 * 120);
    EXPECT_GE(report->height, 2 * 90);
    EXPECT_LT(report->height, 4 * 90 + 150);
  }
}

TEST_F(Rendered, TakesTheColumnsItIsGiven) {
  RenderJob sheet = job("moments.png");
  sheet.poses = {{"0", 0, "", {}}};
  sheet.moments = 4;
  sheet.columns = 4;
  const Result<RenderReport> report = render_character(sheet);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GE(report->width, 4 * 120);
  EXPECT_LT(report->height, 2 * 90);
  sheet.moments = 0;
  EXPECT_EQ(render_character(sheet).error().code, Errc::usage);
}

TEST_F(Rendered, PaintsWeightsStrainAndErrorWithTheirLargestValue) {
  const struct {
    const char* map;
    double least, most;
  } cases[] = {{"weight=middle", 0.99, 1},
               {"strain", 5, 500},
               {"error=dqs", 0.5, 30},
               {"error=lbs", 0, 1e-3},
               // Which ends like a file.
               {"error=dqs:bulge_correction=0.5", 0.5, 30}};
  for (const auto& [map, least, most] : cases) {
    SCOPED_TRACE(map);
    RenderJob asked = job("heat.png");
    asked.poses = {{"0", 1, "", {}}};
    asked.heat = *parse_heat_map(map);
    const Result<RenderReport> report = render_character(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    ASSERT_TRUE(report->heat_max);
    EXPECT_EQ(report->heat_unit.empty(), asked.heat.kind == HeatMap::Kind::weight);
    EXPECT_GE(*report->heat_max, least);
    EXPECT_LE(*report->heat_max, most);
  }
}

// A film may take hours.
TEST_F(Rendered, RefusesToReplaceFramesBeforeAnythingIsPosed) {
  RenderJob film = job("walk_##.png");
  film.motion = RenderMotion::clip;
  film.poses = {{"0", 0, "", {}}};
  film.fps = 2;
  test::write_text(folder.file("walk_02.png"), "mine");
  std::vector<std::string> stages;
  film.run.progress = Progress([&](std::string_view stage, double) { stages.emplace_back(stage); }, nullptr);
  const Result<RenderReport> report = render_character(film);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().sentence.find("walk_02.png"), std::string::npos) << report.error().sentence;
  EXPECT_EQ(std::count(stages.begin(), stages.end(), "posing meshes"), 0);
}

TEST_F(Rendered, NumbersTheFramesOfATurntable) {
  RenderJob asked = job("turn_##.png");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 4;
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->frame_count, 4u);
  EXPECT_TRUE(is_folder_clean({"turn_00.png", "turn_01.png", "turn_02.png", "turn_03.png"}));
  const Result<RenderReport> again = render_character(asked);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().sentence.find("already exists"), std::string::npos);
}

// A lifted camera leans back; walked around, it must lean back from where it then is.
TEST(Turntable, KeepsTheHorizonLevel) {
  const Box box{{-1, 0, -0.5}, {1, 2, 0.5}};
  const std::vector<Vec3> ends{Vec3(box.lower), Vec3(box.upper)};
  const Camera start = frame_points(turning_points(ends, box.centre()), {0.5, 0.6}, 4.0 / 3);
  for (double angle = 0; angle < 2 * kPi; angle += 0.7) {
    const Camera camera = walked_around(start, box.centre(), angle);
    const Vec3d forward = normalized(camera.target - camera.eye);
    EXPECT_NEAR(normalized(cross(forward, camera.up)).y, 0, 1e-12) << angle;
    EXPECT_GT(camera.up.y, 0.5);
  }
}

TEST_F(Rendered, ATurntableByStrainNeedsNoLimitAsItsPoseStands) {
  RenderJob asked = job("turn_##.png");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 2;
  asked.poses = {{"0", 1, "", {}}};
  asked.heat = *parse_heat_map("strain");
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GT(*report->heat_max, 5);
}

// The tube's clip ends as it starts.
TEST_F(Rendered, MomentsOfALoopShowNoPoseTwice) {
  RenderJob asked = job("moments.png");
  asked.poses = {{"0", 0, "", {}}};
  asked.moments = 2;
  ASSERT_TRUE(render_character(asked));
  RenderJob times = job("times.png");
  const Result<Asset> tube = load(input);
  ASSERT_TRUE(tube);
  const Clip& clip = tube->character.clips[0];
  const double end = static_cast<double>(clip.end());
  const bool is_loop = different_pixels(
                           [&] {
                             RenderJob start = job("start.png");
                             start.poses = {{"0", 0, "", {}}};
                             EXPECT_TRUE(render_character(start));
                             return pixels_of(start.output);
                           }(),
                           [&] {
                             RenderJob last = job("last.png");
                             last.poses = {{"0", end, "", {}}};
                             EXPECT_TRUE(render_character(last));
                             return pixels_of(last.output);
                           }()) == 0;
  times.poses = {{"0", 0, "", {}}, {"0", is_loop ? end / 2 : end, "", {}}};
  ASSERT_TRUE(render_character(times));
  EXPECT_EQ(different_pixels(pixels_of(asked.output), pixels_of(times.output)), 0u);
}

TEST_F(Rendered, SaysWhatNormalsAreOnlyToThoseWhoAskedForThem) {
  RenderJob asked = job("mush.png");
  asked.stacks = {deform_stack("direct_delta_mush")};
  const auto says = [&] {
    const Result<RenderReport> report = render_character(asked);
    EXPECT_TRUE(report);
    return std::any_of(report->notes.begin(), report->notes.end(),
                       [](const Note& note) { return note.id == "normals-measured"; });
  };
  EXPECT_FALSE(says());
  asked.normals = NormalMode::exact;
  EXPECT_TRUE(says());
}

TEST_F(Rendered, DrawsTheJointsOfASkeletonWithoutASurface) {
  test::write_text(folder.path() / "walk.bvh",
                   "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "JOINT knee\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                   "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n"
                   "0 0 0 0 0 0\n");
  RenderJob asked = job("walk.png");
  asked.input = folder.file("walk.bvh");
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "joints-alone"));
}

TEST_F(Rendered, SaysThatAFileWithoutASkeletonHasNoJoints) {
  test::write_text(folder.path() / "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  RenderJob asked = job("flat.png");
  asked.input = folder.file("flat.obj");
  asked.has_joints = true;
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "no-joints"));
}

TEST_F(Rendered, AFarPointThatNoPolygonUsesDoesNotShrinkThePicture) {
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  test::write_text(folder.path() / "square.obj", square);
  test::write_text(folder.path() / "far.obj", square + "v 100000 0 0\n");
  RenderJob near = job("near.png"), far = job("far.png");
  near.input = folder.file("square.obj");
  far.input = folder.file("far.obj");
  ASSERT_TRUE(render_character(near));
  const Result<RenderReport> report = render_character(far);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(test::has_note(report->notes, "nothing-seen"));
  EXPECT_EQ(different_pixels(pixels_of(near.output), pixels_of(far.output)), 0u);
}

TEST_F(Rendered, SaysThatNothingIsSeenOfATriangleWithoutArea) {
  test::write_text(folder.path() / "spot.obj", "v 1 2 3\nv 1 2 3\nv 1 2 3\nf 1 2 3\n");
  RenderJob asked = job("spot.png");
  asked.input = folder.file("spot.obj");
  const Result<RenderReport> still = render_character(asked);
  ASSERT_TRUE(still) << still.error().sentence;
  EXPECT_TRUE(test::has_note(still->notes, "nothing-seen"));
  asked.output = folder.file("spot_#.png");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 2;
  const Result<RenderReport> turning = render_character(asked);
  ASSERT_TRUE(turning) << turning.error().sentence;
  EXPECT_TRUE(test::has_note(turning->notes, "nothing-seen"));
}

TEST_F(Rendered, ReadsAReferenceAsItReadsTheCharacter) {
  test::write_text(folder.path() / "square.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 2\nf 1 2 3 4\n");
  RenderJob asked = job("square.png");
  asked.input = folder.file("square.obj");
  asked.heat = *parse_heat_map("error=" + asked.input);
  asked.run.up = UpAxis::z;
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(*report->heat_max, 0);
}

TEST_F(Rendered, PosesAReferenceThatCanMoveAsItPosesTheCharacter) {
  RenderJob asked = job("moving.png");
  asked.poses = {{"0", 0.3, "", {}}, {"0", 1, "", {}}};
  asked.heat = *parse_heat_map("error=" + input);
  const Result<RenderReport> same = render_character(asked);
  ASSERT_TRUE(same) << same.error().sentence;
  EXPECT_LT(*same->heat_max, 1e-3);
  RenderJob film = job("moving_##.png");
  film.motion = RenderMotion::clip;
  film.poses = {{"0", 0, "", {}}};
  film.fps = 2;
  film.heat = asked.heat;
  film.heat.max = 1;
  const Result<RenderReport> filmed = render_character(film);
  ASSERT_TRUE(filmed) << filmed.error().sentence;
  EXPECT_LT(*filmed->heat_max, 1e-3);
  // Against a reference that stands, it is as far off as it has bent.
  const Result<Asset> tube = load(input);
  ASSERT_TRUE(tube);
  const Result<Character> rest = bare_at_rest(tube->character, input, {});
  ASSERT_TRUE(rest);
  ASSERT_TRUE(save_posed(folder.file("rest.obj"), *tube, *rest));
  asked.heat = *parse_heat_map("error=" + folder.file("rest.obj"));
  const Result<RenderReport> bent = render_character(asked);
  ASSERT_TRUE(bent) << bent.error().sentence;
  EXPECT_GT(*bent->heat_max, 5);
}

TEST_F(Rendered, SaysWhichLabelsShowBoxes) {
  const auto says = [&](const std::string& name) {
    std::filesystem::copy_file(input, folder.file(name));
    RenderJob asked = job("sheet.png");
    asked.input = folder.file(name);
    asked.stacks = {deform_stack("lbs"), deform_stack("dqs")};
    const Result<RenderReport> report = render_character(asked);
    EXPECT_TRUE(report) << report.error().sentence;
    return test::has_note(report->notes, "letters-as-boxes");
  };
  EXPECT_FALSE(
      says("Gr\xc3\xb6\xc3\x9f"
           "e.glb"));
  EXPECT_TRUE(says("\xe6\xad\xa9\xe3\x81\x8f.glb"));
}

TEST_F(Rendered, SaysOnceWhatAReferenceGuesses) {
  const auto guesses = [&](std::vector<Stack> stacks) {
    RenderJob asked = job("guess.png");
    asked.stacks = std::move(stacks);
    asked.heat = *parse_heat_map("error=lbs_dqs");
    const Result<RenderReport> report = render_character(asked);
    EXPECT_TRUE(report) << report.error().sentence;
    return std::count_if(report->notes.begin(), report->notes.end(),
                         [](const Note& note) { return note.kind == Note::Kind::guess; });
  };
  EXPECT_EQ(guesses({deform_stack("lbs")}), 1);
  EXPECT_EQ(guesses({deform_stack("lbs_dqs")}), 1);
}

TEST(TimeLabels, TellTimesApartWithAsManyDecimals) {
  const auto labels = [](std::vector<double> times) { return time_labels(times); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(labels({0, 0.5, 12}), (Words{"0.00 s", "0.50 s", "12.00 s"}));
  EXPECT_EQ(labels({0, 1.0 / 3, 2.0 / 3}), (Words{"0.000 s", "0.333 s", "0.667 s"}));
  EXPECT_EQ(labels({0.0001, 0.0002}), (Words{"0.0001 s", "0.0002 s"}));
  EXPECT_EQ(labels({1, 1}), (Words{"1.00 s", "1.00 s"}));
  EXPECT_TRUE(labels({}).empty());
}

TEST(Looks, AreOneForEachStack) {
  std::set<int> looks;
  std::vector<Stack> stacks = every_stack();
  stacks.push_back(deform_stack("dqs,delta_mush"));
  for (const Stack& stack : stacks) EXPECT_TRUE(looks.insert(look_of(stack)).second) << name_of(stack);
  EXPECT_LT(*looks.rbegin(), kLooks);
}

// A film where ffmpeg is, frames and an error where it is not; never both, and nothing half-written.
TEST_F(Rendered, FilmsAClip) {
  RenderJob asked = job("walk.mp4");
  asked.motion = RenderMotion::clip;
  asked.poses = {{"0", 0, "", {}}};
  asked.fps = 3;
  asked.width = asked.height = 64;
  const Result<RenderReport> report = render_character(asked);
  EXPECT_EQ(report.ok(), std::filesystem::exists(asked.output));
  EXPECT_NE(report.ok(), std::filesystem::exists(folder.file("walk_0000.png")));
  if (!report) GTEST_SKIP() << report.error().sentence;
  EXPECT_EQ(report->files, std::vector<std::string>{asked.output});
  EXPECT_GT(std::filesystem::file_size(asked.output), 100u);
}

// As on a machine without ffmpeg.
TEST_F(Rendered, FailsAndKeepsTheFramesOfAFilmWhereFfmpegIsMissing) {
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  ::setenv("PATH", folder.file("").c_str(), 1);
  RenderJob asked = job("turn.mp4");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 2;
  const Result<RenderReport> report = render_character(asked);
  asked.view.turn += 1;  // the same frames again would replace nothing
  const Result<RenderReport> again = render_character(asked);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().code, Errc::usage);  // exit code 1
  EXPECT_NE(report.error().sentence.find("not installed"), std::string::npos) << report.error().sentence;
  EXPECT_NE(report.error().sentence.find("2 frames were kept, from turn_0000.png on"), std::string::npos)
      << report.error().sentence;
  EXPECT_TRUE(is_folder_clean({"turn_0000.png", "turn_0001.png"}));
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().sentence.find("already exists"), std::string::npos);
}

// Puts a program named ffmpeg in front of all others while it lives.
class FakeFfmpeg {
 public:
  FakeFfmpeg(const std::filesystem::path& folder, const std::string& script)
      : path_(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "") {
    std::filesystem::create_directory(folder);
    test::write_text(folder / "ffmpeg", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
  }
  FakeFfmpeg(const FakeFfmpeg&) = delete;
  FakeFfmpeg& operator=(const FakeFfmpeg&) = delete;
  ~FakeFfmpeg() { ::setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

// Two frames in one second, in a folder whose name ffmpeg would read as a number's place.
TEST_F(Rendered, TellsFfmpegWhichFramesHowFastAndWhere) {
  std::filesystem::create_directory(folder.path() / "100%d");
  const std::string said = folder.file("said.txt");
  const FakeFfmpeg fake(folder.path() / "bin", "for word; do echo \"$word\"; last=$word; done > '" + said +
                                                   "'\necho film > \"$last\"\n");
  RenderJob asked = job("100%d/turn.mp4");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 2;
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->files, std::vector<std::string>{asked.output});
  EXPECT_EQ(test::read_text(asked.output), "film\n");
  std::vector<std::string> words;
  std::istringstream lines(test::read_text(said));
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  const auto after = [&](const char* option) {
    const auto found = std::find(words.begin(), words.end(), option);
    return found == words.end() || found + 1 == words.end() ? std::string() : *(found + 1);
  };
  EXPECT_EQ(after("-framerate"), "2");
  EXPECT_EQ(after("-pix_fmt"), "yuv420p");
  EXPECT_TRUE(after("-i").ends_with("turn_%04d.png")) << after("-i");
  EXPECT_NE(after("-i").find("100%%d"), std::string::npos) << after("-i");
  EXPECT_TRUE(words.back().ends_with(".mp4"));
  EXPECT_EQ(std::count(words.begin(), words.end(), "-nostdin"), 1);
}

TEST_F(Rendered, FailsAndKeepsTheFramesOfAFilmThatFfmpegCouldNotMake) {
  const FakeFfmpeg fake(folder.path() / "bin", "echo half > \"$(eval echo \\${$#})\"\nexit 3\n");
  RenderJob asked = job("turn.mp4");
  asked.motion = RenderMotion::turntable;
  asked.seconds = 1;
  asked.fps = 2;
  const Result<RenderReport> report = render_character(asked);
  ASSERT_FALSE(report);
  EXPECT_TRUE(is_folder_clean({"bin", "turn_0000.png", "turn_0001.png"}));
  EXPECT_NE(report.error().sentence.find("exit code 3"), std::string::npos) << report.error().sentence;
}

// Real characters at four moments: something of them is seen in each, and nothing is cut off.
TEST_F(Rendered, ShowsEveryRiggedFileWholeInEveryMoment) {
  if (test::data_folder().empty()) GTEST_SKIP() << "no data at hand";
  std::size_t seen = 0;
  for (const test::fs::path& path : test::good_gltf_files()) {
    const Result<Asset> asset = load(path.string());
    if (!asset || asset->character.skins.empty() || asset->character.clips.empty()) continue;
    SCOPED_TRACE(path.string());
    RenderJob asked = job("real_#.png");
    asked.input = path.string();
    asked.width = 96;
    asked.height = 80;
    asked.samples = 1;
    asked.has_ground = false;
    asked.has_textures = false;
    asked.output = folder.file("real.png");
    const Clip& clip = asset->character.clips[0];
    for (int k = 0; k < 4; ++k) {
      const auto start = static_cast<double>(clip.start()), end = static_cast<double>(clip.end());
      asked.poses = {{"0", start + (end - start) * k / 3, "", {}}};
      const Result<RenderReport> report = render_character(asked);
      if (!report && report.error().sentence.find("nothing to draw") != std::string::npos) break;
      ASSERT_TRUE(report) << report.error().sentence;
      const Pixels pixels = pixels_of(asked.output);
      const auto is_paper = [&](int x, int y) {
        return std::equal(pixels.at(x, y), pixels.at(x, y) + 3,
                          std::array<std::uint8_t, 3>{238, 240, 243}.data());
      };
      std::size_t covered = 0, cut = 0;
      for (int y = 0; y < pixels.height; ++y) {
        for (int x = 0; x < pixels.width; ++x) {
          const bool is_edge = x == 0 || y == 0 || x + 1 == pixels.width || y + 1 == pixels.height;
          covered += is_paper(x, y) ? 0u : 1u;
          cut += is_edge && !is_paper(x, y) ? 1u : 0u;
        }
      }
      EXPECT_GT(covered, 40u) << "moment " << k;
      EXPECT_EQ(cut, 0u) << "moment " << k;
    }
    ++seen;
  }
  EXPECT_GT(seen, 10u);
}

TEST_F(Rendered, RefusesInOneSentenceAndWritesNothing) {
  RenderJob no_joint = job("a.png");
  no_joint.heat = *parse_heat_map("weight=nobody");
  RenderJob no_clip = job("a.png");
  no_clip.poses = {{"jump", 0, "", {}}};
  RenderJob film_of_rest = job("a.mp4");
  film_of_rest.motion = RenderMotion::clip;
  RenderJob moving_sheet = job("a.mp4");
  moving_sheet.motion = RenderMotion::turntable;
  moving_sheet.stacks = {deform_stack("lbs"), deform_stack("dqs")};
  RenderJob still_film = job("a.png");
  still_film.motion = RenderMotion::turntable;
  RenderJob shifting_colours = job("a.mp4");
  shifting_colours.motion = RenderMotion::clip;
  shifting_colours.poses = {{"0", 0, "", {}}};
  shifting_colours.heat = *parse_heat_map("strain");
  RenderJob numbered_still = job("a_##.png");
  RenderJob other_points = job("a.png");
  const std::string two_points = folder.file("two.xyz");
  ASSERT_TRUE(save_bytes(two_points, std::as_bytes(std::span("0 0 0\n1 1 1\n", 12))));
  other_points.heat = *parse_heat_map("error=" + two_points);
  for (const RenderJob& asked : {no_joint, no_clip, film_of_rest, moving_sheet, still_film, shifting_colours,
                                 numbered_still, other_points, job("a.gif")}) {
    const Result<RenderReport> report = render_character(asked);
    ASSERT_FALSE(report);
    EXPECT_FALSE(report.error().sentence.empty());
    EXPECT_EQ(report.error().sentence.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(is_folder_clean({"two.xyz"}));
}

// What a listener hears of a job.
std::vector<std::pair<std::string, double>> heard_of(RenderJob asked) {
  std::vector<std::pair<std::string, double>> heard;
  asked.run.progress = Progress(
      [&](std::string_view stage, double fraction) { heard.emplace_back(stage, fraction); }, nullptr);
  const Result<RenderReport> report = render_character(asked);
  EXPECT_TRUE(report) << report.error().sentence;
  return heard;
}

TEST_F(Rendered, TellsItsProgressOfTheWholeWork) {
  RenderJob sheet = job("sheet.png");
  sheet.stacks = {deform_stack("lbs"), deform_stack("dqs"), deform_stack("cor")};
  sheet.heat = *parse_heat_map("error=dqs");
  RenderJob turntable = job("turn_##.png");
  turntable.motion = RenderMotion::turntable;
  turntable.seconds = 1;
  turntable.fps = 4;
  RenderJob film = job("film_##.png");
  film.motion = RenderMotion::clip;
  film.poses = {{"0", 0, "", {}}};
  film.fps = 2;
  film.heat = *parse_heat_map("strain");
  film.heat.max = 50;
  for (const RenderJob& asked : {job("still.png"), sheet, turntable, film}) {
    SCOPED_TRACE(asked.output);
    double last = 0;
    for (const auto& [stage, fraction] : heard_of(asked)) {
      EXPECT_GE(fraction, last - 1e-12) << stage;
      EXPECT_LE(fraction, 1 + 1e-12) << stage;
      last = fraction;
    }
    EXPECT_NEAR(last, 1, 1e-9);
  }
}

TEST_F(Rendered, RefusesWrongHeatMapsAndPosesBeforeAnythingIsPosed) {
  RenderJob no_joint = job("a.png");
  no_joint.heat = *parse_heat_map("weight=nobody");
  EXPECT_FALSE(parse_heat_map("error=dqz"));
  RenderJob other_points = job("a.png");
  const std::string one_point = folder.file("one.xyz");
  ASSERT_TRUE(save_bytes(one_point, std::as_bytes(std::span("0 0 0\n", 6))));
  other_points.heat = *parse_heat_map("error=" + one_point);
  RenderJob last_pose = job("a.png");
  last_pose.poses = {{}, {"jump", 0, "", {}}};
  RenderJob film = no_joint;
  film.output = folder.file("a_##.png");
  film.motion = RenderMotion::turntable;
  for (RenderJob asked : {no_joint, other_points, last_pose, film}) {
    std::vector<std::string> stages;
    asked.run.progress =
        Progress([&](std::string_view stage, double) { stages.emplace_back(stage); }, nullptr);
    ASSERT_FALSE(render_character(asked));
    EXPECT_EQ(std::count(stages.begin(), stages.end(), "posing meshes"), 0) << asked.heat.reference;
  }
}

// One square with the picture of one half of it clear.
Asset half_clear_square() {
  Pixels pixels = blank_pixels(2, 1, 200, 30, 30);
  pixels.at(1, 0)[3] = 0;
  auto bytes = std::make_shared<std::vector<std::byte>>(*encode_png(pixels));
  Character character;
  character.nodes.resize(1);
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.polygons.first = {0, 4};
  mesh.polygons.corners = {0, 1, 2, 3};
  mesh.parts = {{0, 4, 0, 1, 0}};
  mesh.uvs = {{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}, {}}};
  mesh.weld = {0, 1, 2, 3};
  character.meshes = {mesh};
  character.materials.resize(1);
  character.materials[0].name = "glass";
  character.materials[0].base_colour = {1, 1, 1, 0.999f};
  character.materials[0].base_colour_image = 0;
  character.images = {{"glass.png", "", *bytes, bytes}};
  character.instances.resize(1);
  character.instances[0].node = character.instances[0].mesh = 0;
  return {std::move(character), {}, nullptr};
}

TEST_F(Rendered, SaysWhenOpacityInAPictureIsNotDrawn) {
  ASSERT_TRUE(save(folder.file("square.glb"), half_clear_square()));
  RenderJob asked = job("square.png");
  asked.input = folder.file("square.glb");
  asked.view = {0, 0};
  asked.has_ground = false;
  const Result<RenderReport> with = render_character(asked);
  ASSERT_TRUE(with) << with.error().sentence;
  EXPECT_FALSE(has_note(with->notes, "opacity-left-out"));
  const Pixels clear = pixels_of(asked.output);
  asked.has_textures = false;
  const Result<RenderReport> without = render_character(asked);
  ASSERT_TRUE(without);
  EXPECT_TRUE(has_note(without->notes, "opacity-left-out"));
  // With its picture the right half shows the background, without it nothing does.
  const auto is_background = [](const Pixels& pixels, int x) { return pixels.at(x, 45)[2] > 230; };
  EXPECT_TRUE(is_background(clear, 80));
  EXPECT_FALSE(is_background(clear, 40));
}

TEST_F(Rendered, SaysWhenAMeshHasNoPlaceForAPicture) {
  Asset asset = half_clear_square();
  asset.character.materials[0].base_colour_place.uv_set = 1;
  ASSERT_TRUE(save(folder.file("square.glb"), asset));
  RenderJob asked = job("square.png");
  asked.input = folder.file("square.glb");
  const Result<RenderReport> report = render_character(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "texture-unplaced"));
}

TEST(HeatMap, IsReadFromItsWords) {
  EXPECT_EQ(parse_heat_map("weight=a=b")->joint, "a=b");
  EXPECT_EQ(parse_heat_map("error=x.obj")->reference, "x.obj");
  for (const char* text : {"", "weight", "weight=", "strain=1", "error", "heat"})
    EXPECT_FALSE(parse_heat_map(text)) << text;
}

}  // namespace
}  // namespace dermis
