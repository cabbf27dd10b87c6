// SPDX-License-Identifier: MIT
// Vertex caches: the published byte layouts, sizes that lie, sequences, and shapes that give the frames back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dermis/deform.h"
#include "dermis/motion.h"
#include "io/made_bytes.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::put;
using test::TemporaryFolder;

PointCache two_frames() {
  PointCache cache;
  cache.times = {0.5f, 0.75f};
  cache.point_count = 2;
  cache.points = {{1, 2, 3}, {-4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  return cache;
}

// As 3ds Max wrote them: a mark of twelve bytes, version, points, first frame, step, frames, floats.
std::string pc2(std::int32_t points, float first, float step, std::int32_t frames,
                const std::vector<float>& numbers) {
  std::string out("POINTCACHE2\0", 12);
  put(out, std::int32_t{1});
  put(out, points);
  put(out, first);
  put(out, step);
  put(out, frames);
  for (const float number : numbers) put(out, number);
  return out;
}

// As LightWave wrote them, all big endian: frames, points, times, floats.
std::string mdd(std::int32_t frames, std::int32_t points, const std::vector<float>& numbers) {
  std::string out;
  put(out, frames, true);
  put(out, points, true);
  for (const float number : numbers) put(out, number, true);
  return out;
}

const std::vector<float> kNumbers = {1, 2, 3, -4, 5, 6, 7, 8, 9, 10, 11, 12};

Result<CacheAsset> load_bytes(const std::string& bytes, const char* name, const CacheOptions& options = {}) {
  return load_cache_from_memory(std::as_bytes(std::span(bytes)), name, options);
}

TEST(Pc2, IsReadByItsPublishedLayout) {
  CacheOptions options;
  options.fps = 24;
  const Result<CacheAsset> asset = load_bytes(pc2(2, 12, 6, 2, kNumbers), "a.pc2", options);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(asset->notes.empty());
  EXPECT_EQ(asset->cache.times, two_frames().times);
  EXPECT_EQ(asset->cache.points, two_frames().points);
}

TEST(Pc2, WithoutARateSaysThatItWasGuessed) {
  const Result<CacheAsset> asset = load_bytes(pc2(2, 15, 3, 2, kNumbers), "a.pc2");
  ASSERT_TRUE(asset);
  EXPECT_TRUE(test::has_note(asset->notes, "fps-guessed"));
  EXPECT_EQ(asset->cache.times[1], 0.6f);
}

TEST(Pc2, WithTimesThatDoNotRiseSaysOnceThatTheRateWasGuessed) {
  const Result<CacheAsset> asset = load_bytes(pc2(2, 0, 0, 2, kNumbers), "a.pc2");
  ASSERT_TRUE(asset);
  EXPECT_EQ(std::count_if(asset->notes.begin(), asset->notes.end(),
                          [](const Note& note) { return note.id == "fps-guessed"; }),
            1);
}

TEST(Pc2, IsTurnedAsTheMeshThatItMovesIs) {
  CacheOptions options;
  options.up = UpAxis::z;
  const Result<CacheAsset> asset = load_bytes(pc2(2, 0, 1, 2, kNumbers), "a.pc2", options);
  ASSERT_TRUE(asset);
  const Vec3 before = two_frames().points[1];
  EXPECT_EQ(asset->cache.points[1], (Vec3{before.x, before.z, -before.y}));
  EXPECT_TRUE(test::has_note(asset->notes, "turned-up"));
}

TEST(Pc2, IsWrittenByItsPublishedLayout) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_cache(folder.file("a.pc2"), two_frames()));
  EXPECT_EQ(test::read_text(folder.file("a.pc2")), pc2(2, 2, 1, 2, kNumbers));  // 0.5 s at 4 frames a second
}

TEST(Mdd, IsReadAndWrittenByItsPublishedLayout) {
  const TemporaryFolder folder;
  std::vector<float> numbers = {0.5f, 0.75f};
  numbers.insert(numbers.end(), kNumbers.begin(), kNumbers.end());
  const Result<CacheAsset> asset = load_bytes(mdd(2, 2, numbers), "a.mdd");
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(asset->notes.empty());
  EXPECT_EQ(asset->cache.times, two_frames().times);
  EXPECT_EQ(asset->cache.points, two_frames().points);
  ASSERT_TRUE(save_cache(folder.file("a.mdd"), two_frames()));
  EXPECT_EQ(test::read_text(folder.file("a.mdd")), mdd(2, 2, numbers));
}

TEST(Mdd, TimesThatDoNotRiseAreSpacedEvenlyWithANote) {
  std::vector<float> numbers = {0.5f, 0.5f};
  numbers.insert(numbers.end(), kNumbers.begin(), kNumbers.end());
  const Result<CacheAsset> asset = load_bytes(mdd(2, 2, numbers), "a.mdd");
  ASSERT_TRUE(asset);
  EXPECT_TRUE(test::has_note(asset->notes, "times-not-rising"));
  EXPECT_EQ(asset->cache.times[0], 0);
}

TEST(Caches, SizesThatLieAreRefused) {
  std::vector<float> bad = kNumbers;
  bad[7] = NAN;
  CacheOptions three;
  three.point_count = 3;
  const std::tuple<std::string, const char*, const char*> cases[] = {
      {"", "a.pc2", "does not start with POINTCACHE2"},
      {pc2(2, 0, 1, 3, kNumbers), "a.pc2", "cut short: 3 frames of 2 points are announced, 48 bytes follow"},
      {pc2(0x7fffffff, 0, 1, 0x7fffffff, kNumbers), "a.pc2", "cut short"},
      {pc2(-2, 0, 1, 2, kNumbers), "a.pc2", "negative count"},
      {pc2(0, 0, 1, 2, kNumbers), "a.pc2", "has no points"},
      {pc2(2, 0, 1, 2, bad), "a.pc2", "point 0 of frame 1 is not finite"},
      {mdd(2, 2, kNumbers), "a.mdd", "cut short: 2 frames of 2 points"},
      {mdd(-1, -1, kNumbers), "a.mdd", "cut short"},
      {"abc", "a.mdd", "too short for an MDD file"},
      {std::string(49, 'x'), "a.f32", "does not state how many points"},
      {"x", "a.obj", "caches are read from .pc2, .mdd, .f32"},
  };
  for (const auto& [bytes, name, words] : cases) {
    const Result<CacheAsset> asset = load_bytes(bytes, name);
    ASSERT_FALSE(asset) << words;
    EXPECT_NE(asset.error().sentence.find(words), std::string::npos) << asset.error().sentence;
  }
  EXPECT_FALSE(load_bytes(std::string(48, '\0'), "a.f32", three));
  CacheOptions tight;
  tight.max_memory = 40;
  EXPECT_EQ(load_bytes(pc2(2, 0, 1, 2, kNumbers), "a.pc2", tight).error().code, Errc::too_large);
}

TEST(Caches, WriterGivesTheSameBytesFrameByFrame) {
  const TemporaryFolder folder;
  const PointCache cache = two_frames();
  for (const char* extension : {".pc2", ".mdd"}) {
    const std::string whole = folder.file(std::string("whole") + extension),
                      pieces = folder.file(std::string("pieces") + extension);
    ASSERT_TRUE(save_cache(whole, cache));
    Result<CacheWriter> writer = CacheWriter::create(pieces, cache.point_count, cache.times);
    ASSERT_TRUE(writer);
    for (std::size_t k = 0; k < cache.frame_count(); ++k) ASSERT_TRUE(writer->add(cache.frame(k)));
    ASSERT_TRUE(writer->close());
    EXPECT_EQ(test::read_text(whole), test::read_text(pieces));
  }
}

TEST(Caches, UnevenTimesAreNotedWhenPc2LosesThem) {
  const TemporaryFolder folder;
  PointCache cache = two_frames();
  cache.times.push_back(2);
  cache.points.insert(cache.points.end(), {{0, 0, 0}, {1, 1, 1}});
  EXPECT_TRUE(test::has_note(*save_cache(folder.file("a.pc2"), cache), "times-uneven"));
  EXPECT_TRUE(save_cache(folder.file("a.mdd"), cache)->empty());
  EXPECT_EQ(load_cache(folder.file("a.mdd"))->cache.times, cache.times);
}

// ---- Sequences ----

std::string ply_of(float x) {
  return fmt::format(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n{} 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
      x);
}

TEST(Caches, ARateThatPc2LosesIsNoted) {
  const std::vector<float> slow{0, 0.1f, 0.2f}, usual{0, 1 / 30.0f, 2 / 30.0f};
  const Notes notes = lost_times("walk.pc2", slow);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].kind, Note::Kind::loss);
  EXPECT_EQ(notes[0].sentence, "walk.pc2: PC2 counts frames: these are 10 per second");
  EXPECT_EQ(notes[0].remedies, (Remedies{{"fps_of_reader", "10"}}));
  EXPECT_TRUE(lost_times("walk.mdd", slow).empty());
  EXPECT_TRUE(lost_times("walk.pc2", usual).empty());
  EXPECT_TRUE(lost_times("walk.pc2", std::span(slow).first(1)).empty());
}

TEST(Sequences, AreNamedByHashesOrPrintf) {
  EXPECT_TRUE(is_sequence("a/walk_####.obj"));
  EXPECT_TRUE(is_sequence("walk_%04d.ply"));
  EXPECT_TRUE(is_sequence("walk%d.ply"));
  EXPECT_FALSE(is_sequence("walk.obj"));
  EXPECT_FALSE(is_sequence("a#b#.obj"));
  EXPECT_FALSE(is_sequence("100%.obj"));
  EXPECT_FALSE(is_sequence("#1/walk.obj"));
  EXPECT_FALSE(is_sequence("take#1.glb"));
  EXPECT_FALSE(is_sequence("50%damage.glb"));
  EXPECT_EQ(sequence_path("a/walk_####.obj", 7), "a/walk_0007.obj");
  EXPECT_EQ(sequence_path("walk_%03d.obj", 12345), "walk_12345.obj");
}

TEST(Sequences, ReadInTheOrderOfTheirNumbersAtTheirTimes) {
  const TemporaryFolder folder;
  for (const int frame : {8, 10, 12, 100})
    test::write_text(folder.file(fmt::format("s_{:02}.ply", frame)), ply_of(static_cast<float>(frame)));
  test::write_text(folder.file("s_x.ply"), "not of the sequence");
  CacheOptions options;
  options.fps = 2;
  for (const char* pattern : {"s_##.ply", "s_%02d.ply"}) {
    const Result<CacheAsset> asset = load_cache(folder.file(pattern), options);
    ASSERT_TRUE(asset) << asset.error().sentence;
    EXPECT_EQ(asset->cache.times, (std::vector<float>{4, 5, 6, 50}));
    EXPECT_EQ(asset->cache.frame(3)[0].x, 100);
    EXPECT_TRUE(test::has_note(asset->notes, "frames-missing"));
  }
}

TEST(Sequences, SayWhatWasMendedInAnyFrame) {
  const TemporaryFolder folder;
  const std::string good = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  test::write_text(folder.file("s_1.obj"), good);
  test::write_text(folder.file("s_2.obj"), good + "l 1 2\n");
  const Result<CacheAsset> asset = load_cache(folder.file("s_#.obj"));
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(test::has_note(asset->notes, "lines-left-out"));
}

TEST(Sequences, WithFramesThatDoNotMatchAreRefused) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_cache(folder.file("s_##.ply")));
  test::write_text(folder.file("s_01.ply"), ply_of(0));
  test::write_text(
      folder.file("s_02.ply"),
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
      "end_header\n0 0 0\n");
  const Result<CacheAsset> asset = load_cache(folder.file("s_##.ply"));
  ASSERT_FALSE(asset);
  EXPECT_NE(asset.error().sentence.find("has 1 points, but"), std::string::npos) << asset.error().sentence;
}

// ---- Caches as characters ----

TEST(Caches, AsShapesGiveTheirFramesBackAtTheKeys) {
  const std::string text = ply_of(0.1f);
  Result<Asset> rest = load_from_memory(std::as_bytes(std::span(text)), "rest.ply");
  ASSERT_TRUE(rest);
  PointCache cache;
  cache.times = {0, 0.5f, 1};
  cache.point_count = 3;
  for (const float s : {1.0f, 1.3f, -0.7f})
    for (const Vec3& p : rest->character.meshes[0].points)
      cache.points.push_back({p.x * s + 0.3f, p.y + s, p.z});
  const Result<Character> moving = character_from_cache(rest->character, cache, 1 << 20);
  ASSERT_TRUE(moving) << moving.error().sentence;
  for (std::size_t k = 0; k < 3; ++k) {
    const Result<PoseFrame> frame = pose_frame(*moving, {0, static_cast<double>(cache.times[k]), nullptr});
    ASSERT_TRUE(frame);
    const Result<Surface> surface = deform_instance(*moving, *frame, 0, {});
    ASSERT_TRUE(surface);
    for (std::size_t v = 0; v < 3; ++v) {
      EXPECT_LE(length(surface->points[v] - cache.frame(k)[v]), 2e-7f);
    }
  }
  PointCache other = cache;
  other.point_count = 9;
  other.times = {0};
  EXPECT_FALSE(character_from_cache(rest->character, other, 1 << 20));
  EXPECT_EQ(character_from_cache(rest->character, cache, 100).error().code, Errc::too_large);
}

TEST(Caches, EveryFrameOfARecordedSequenceGoesRound) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const test::fs::path dembones = test::data_folder() / "sequences" / "dembones";
  const Result<std::vector<Vec3>> rest = load_points((dembones / "Bone_Anim_frame0.obj").string());
  ASSERT_TRUE(rest) << rest.error().sentence;
  CacheOptions options;
  options.point_count = rest->size();
  options.fps = 24;
  const Result<CacheAsset> asset = load_cache((dembones / "Bone_Anim.f32").string(), options);
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_GT(asset->cache.frame_count(), 100u);
  for (std::size_t v = 0; v < rest->size(); ++v)
    ASSERT_LE(length(asset->cache.frame(0)[v] - (*rest)[v]), 1e-4f);
  const TemporaryFolder folder;
  for (const char* name : {"a.pc2", "a.mdd"}) {
    ASSERT_TRUE(save_cache(folder.file(name), asset->cache));
    const Result<CacheAsset> again = load_cache(folder.file(name), options);
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_EQ(again->cache.points, asset->cache.points) << name;
    EXPECT_EQ(again->cache.times, asset->cache.times) << name;
  }
}

TEST(StagedFiles, AppearTogetherOrNotAtAll) {
  const TemporaryFolder folder;
  {
    const Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
    ASSERT_TRUE(staged);
    test::write_text(staged->path_of("a"), "1");
  }
  EXPECT_TRUE(folder.names().empty());
  {
    Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
    ASSERT_TRUE(staged);
    test::write_text(staged->path_of("b"), "2");
    test::write_text(staged->path_of("a"), "1");
    EXPECT_EQ(*staged->commit(), (std::vector<std::string>{folder.file("a"), folder.file("b")}));
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "b"}));
}

TEST(StagedFiles, ThatCannotAllBeMovedLeaveWhatWasThere) {
  const TemporaryFolder folder;
  test::write_text(folder.path() / "a", "old");
  test::fs::create_directories(folder.path() / "c" / "full");  // in the way of the third
  Result<StagedFiles> staged = StagedFiles::open(folder.path().string(), "walk.pc2");
  ASSERT_TRUE(staged);
  for (const char* name : {"a", "b", "c"}) test::write_text(staged->path_of(name), "new");
  EXPECT_FALSE(staged->commit());
  EXPECT_EQ(test::read_text(folder.path() / "a"), "old");
  EXPECT_FALSE(test::fs::exists(folder.path() / "b"));
}

}  // namespace
}  // namespace dermis
