// SPDX-License-Identifier: MIT
// Baking: frames that are what deform gives, in every format, whole or not at all; and caches put on meshes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

constexpr double kFps = 8;

// A tube with its clip, as a file.
class Baked : public testing::Test {
 protected:
  Baked() {
    const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
    EXPECT_TRUE(tube);
    EXPECT_TRUE(save(input, {*tube, {}, nullptr}));
    const Result<Asset> again = load(input);
    EXPECT_TRUE(again);
    character = again->character;
  }

  BakeJob job(const std::string& name) const {
    BakeJob asked;
    asked.input = input;
    asked.output = folder.file(name);
    asked.fps = kFps;
    return asked;
  }
  // What the scene is at a time, by the way of `deform`.
  Character still_at(double time) const {
    const Result<PoseFrame> frame = pose_frame(character, {0, time, nullptr});
    return *deform_character(character, *frame, {});
  }
  void expect_frames(const PointCache& cache) const {
    const double start = character.clips[0].start();
    ASSERT_GT(cache.frame_count(), 3u);
    EXPECT_EQ(cache.frame_count(),
              static_cast<std::size_t>((character.clips[0].end() - start) * kFps + 0.01) + 1);
    for (std::size_t k = 0; k < cache.frame_count(); ++k) {
      const double time = start + static_cast<double>(k) / kFps;
      EXPECT_FLOAT_EQ(cache.times[k], static_cast<float>(time));
      const std::vector<Vec3> expected = still_at(time).meshes[0].points;
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), cache.frame(k).begin(), cache.frame(k).end()))
          << "frame " << k;
    }
  }

  const test::TemporaryFolder folder;
  const std::string input = folder.file("tube.glb");
  Character character;
};

TEST_F(Baked, CachesAndSequencesHoldWhatDeformGivesBitForBit) {
  CacheOptions options;
  options.fps = kFps;
  for (const char* name : {"a.pc2", "b.mdd", "c_###.obj", "d_%02d.ply"}) {
    const Result<BakeReport> report = bake(job(name));
    ASSERT_TRUE(report) << report.error().sentence;
    const Result<CacheAsset> loaded = load_cache(folder.file(name), options);
    ASSERT_TRUE(loaded) << loaded.error().sentence;
    EXPECT_EQ(loaded->cache.frame_count(), report->frame_count);
    expect_frames(loaded->cache);
  }
}

TEST_F(Baked, ACacheStandsBesideTheMeshItMoves) {
  const Result<BakeReport> report = bake(job("walk.pc2"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->files, (std::vector<std::string>{folder.file("walk.pc2"), folder.file("walk_rest.mtl"),
                                                     folder.file("walk_rest.obj")}));
  const Result<std::vector<Vec3>> rest = load_points(folder.file("walk_rest.obj"));
  ASSERT_TRUE(rest);
  const Result<PoseFrame> frame = pose_frame(character, {});
  EXPECT_EQ(*rest, deform_character(character, *frame, {})->meshes[0].points);
}

TEST_F(Baked, AMorphAnimationShowsTheFramesAtItsKeys) {
  const Result<BakeReport> report = bake(job("shapes.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> shapes = load(folder.file("shapes.glb"));
  ASSERT_TRUE(shapes) << shapes.error().sentence;
  const Character& moving = shapes->character;
  ASSERT_EQ(moving.clips.size(), 1u);
  EXPECT_EQ(moving.clips[0].name, character.clips[0].name);
  ASSERT_EQ(moving.meshes[0].shapes.size(), report->frame_count);
  for (std::size_t k = 0; k < report->frame_count; ++k) {
    const double key = moving.clips[0].channels[0].times[k];
    const Result<PoseFrame> frame = pose_frame(moving, {0, key, nullptr});
    const Result<Character> still = deform_character(moving, *frame, {});
    ASSERT_TRUE(still);
    const Character expected = still_at(report->from + static_cast<double>(k) / kFps);
    ASSERT_EQ(still->meshes[0].points.size(), expected.meshes[0].points.size());
    float worst = 0, worst_normal = 0;
    for (std::size_t v = 0; v < expected.meshes[0].points.size(); ++v) {
      worst = std::max(worst, length(still->meshes[0].points[v] - expected.meshes[0].points[v]));
      worst_normal = std::max(
          worst_normal, length(still->meshes[0].normals.values[v] - expected.meshes[0].normals.values[v]));
    }
    EXPECT_LT(worst, 1e-6f) << "frame " << k;
    EXPECT_LT(worst_normal, 1e-5f) << "frame " << k;
  }
}

TEST_F(Baked, ACharacterOfShapesAloneBakesIntoShapesAgain) {
  ASSERT_TRUE(bake(job("shapes.glb")));
  BakeJob again = job("again.glb");
  again.input = folder.file("shapes.glb");
  const Result<BakeReport> report = bake(again);
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> shapes = load(folder.file("again.glb"));
  ASSERT_TRUE(shapes) << shapes.error().sentence;
  EXPECT_EQ(shapes->character.meshes.at(0).shapes.size(), report->frame_count);
}

TEST_F(Baked, SeveralInstancesBecomeAFileEachWithNamesOfTheirOwn) {
  Character twice = character;
  Node& more = twice.nodes.emplace_back();
  more.name = "a/b c";
  for (int k = 0; k < 2; ++k) {
    Instance instance = twice.instances[0];
    instance.node = static_cast<Index>(twice.nodes.size() - 1);
    if (k == 1) {
      twice.nodes.emplace_back().name = "A/B C";
      instance.node = static_cast<Index>(twice.nodes.size() - 1);
    }
    twice.instances.push_back(instance);
  }
  twice.meshes[0].name = "skin";
  ASSERT_TRUE(save(folder.file("twice.glb"), {twice, {}, nullptr}));
  BakeJob asked = job("out.mdd");
  asked.input = folder.file("twice.glb");
  const Result<BakeReport> report = bake(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(report->files.size(), 9u);  // a cache, a mesh and its materials each
  for (const char* name : {"out_skin_a_b_c.mdd", "out_skin_A_B_C_2.mdd"}) {
    EXPECT_TRUE(load_cache(folder.file(name))) << name;
  }
}

TEST_F(Baked, WhatCannotBeBakedIsRefusedWithTheReason) {
  const auto refusal = [](const BakeJob& asked) {
    const Result<BakeReport> report = bake(asked);
    return report ? std::string("baked") : report.error().sentence;
  };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_PRED2(has, refusal(job("one.obj")), "a clip needs one file per frame");
  EXPECT_PRED2(has, refusal(job("one.fbx")), "cannot be written");
  BakeJob asked = job("one.pc2");
  asked.clip = "fly";
  EXPECT_PRED2(has, refusal(asked), "fly");
  asked = job("one.pc2");
  asked.from = 2;
  asked.to = 1;
  EXPECT_PRED2(has, refusal(asked), "the end is not after the start");
  asked = job("one.glb");
  asked.run.max_memory = 1 << 20;
  asked.fps = 1000;
  EXPECT_PRED2(has, refusal(asked), "need");
  Character clips = character;
  clips.clips.push_back(clips.clips[0]);
  clips.clips[1].name = "other";
  ASSERT_TRUE(save(folder.file("clips.glb"), {clips, {}, nullptr}));
  asked = job("one.pc2");
  asked.input = folder.file("clips.glb");
  EXPECT_PRED2(has, refusal(asked), "has 2 clips");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"clips.glb", "tube.glb"}));
}

TEST_F(Baked, AStopLeavesNothingBehind) {
  for (const char* name : {"a.pc2", "a_##.obj", "a.glb"}) {
    std::atomic<bool> is_stopped = false;
    BakeJob asked = job(name);
    asked.run.progress = Progress(
        [&](std::string_view stage, double fraction) {
          if (stage == "baking frames" && fraction > 0.3) is_stopped = true;
        },
        &is_stopped);
    const Result<BakeReport> report = bake(asked);
    ASSERT_FALSE(report) << name;
    EXPECT_EQ(report.error().code, Errc::cancelled);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"tube.glb"}) << name;
  }
}

TEST_F(Baked, AnEndBetweenFramesIsNoted) {
  BakeJob asked = job("a.mdd");
  asked.to = asked.from.value_or(character.clips[0].start()) + 0.3;
  const Result<BakeReport> report = bake(asked);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->frame_count, 3u);
  EXPECT_TRUE(test::has_note(report->notes, "end-between-frames"));
}

TEST_F(Baked, FramesOutsideTheClipAreNoted) {
  BakeJob asked = job("a.mdd");
  asked.from = 100;
  asked.to = 101;
  const Result<BakeReport> report = bake(asked);
  ASSERT_TRUE(report);
  EXPECT_TRUE(test::has_note(report->notes, "time-outside-clip"));
  EXPECT_FALSE(test::has_note(bake(job("b.mdd"))->notes, "time-outside-clip"));
}

TEST_F(Baked, MirroringJointsAmongPlainOnesAreToldOnceForAllFrames) {
  Character mirrored = character;
  mirrored.nodes[static_cast<std::size_t>(mirrored.skins[0].node.back())].rest.scale.x = -1;
  ASSERT_TRUE(save(input, {mirrored, {}, nullptr}));
  BakeJob asked = job("a.mdd");
  EXPECT_FALSE(test::has_note(bake(asked)->notes, "half-mirrored"));
  asked.deform.stack = deform_stack("dqs");
  asked.run.force = true;
  const Result<BakeReport> report = bake(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  const auto is_half_mirrored = [](const Note& note) { return note.id == "half-mirrored"; };
  EXPECT_EQ(std::count_if(report->notes.begin(), report->notes.end(), is_half_mirrored), 1);
}

TEST_F(Baked, AFileOfAnotherStaysBesideACacheUnlessForced) {
  test::write_text(folder.file("walk_rest.obj"), "mine");
  const Result<BakeReport> refused = bake(job("walk.pc2"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("walk_rest.obj: already exists"), std::string::npos)
      << refused.error().sentence;
  EXPECT_EQ(test::read_text(folder.file("walk_rest.obj")), "mine");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"tube.glb", "walk_rest.obj"}));
  BakeJob forced = job("walk.pc2");
  forced.run.force = true;
  EXPECT_TRUE(bake(forced));
  EXPECT_TRUE(bake(job("walk.pc2"))) << "what belongs to the replaced cache goes with it";
}

TEST_F(Baked, AFileOfAnotherStaysAmongTheFramesOfASequenceUnlessForced) {
  test::write_text(folder.file("s_0003.obj"), "mine");
  const Result<BakeReport> refused = bake(job("s_####.obj"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("s_0003.obj: already exists"), std::string::npos)
      << refused.error().sentence;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"s_0003.obj", "tube.glb"}));
  BakeJob forced = job("s_####.obj");
  forced.run.force = true;
  EXPECT_TRUE(bake(forced));
}

TEST_F(Baked, MaterialsAreWrittenOnceBesideTheRestMeshOrTheFirstFrame) {
  ASSERT_EQ(character.materials.size(), 1u);
  character.materials[0].name = "red";
  ASSERT_TRUE(save(input, {character, {}, nullptr}));
  ASSERT_TRUE(bake(job("walk.pc2")));
  EXPECT_NE(test::read_text(folder.file("walk_rest.obj")).find("mtllib walk_rest.mtl"), std::string::npos);
  const Result<BakeReport> report = bake(job("s_##.obj"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->files.size(), report->frame_count + 1);
  EXPECT_NE(test::read_text(folder.file("s_00.mtl")).find("newmtl red"), std::string::npos);
  const Result<Asset> last = load(report->files.back());
  ASSERT_TRUE(last) << last.error().sentence;
  EXPECT_FALSE(test::has_note(last->notes, "material-missing"));
  EXPECT_EQ(last->character.materials.at(0).name, "red");
  const Result<BakeReport> bare = bake(job("p_##.ply"));
  ASSERT_TRUE(bare);
  EXPECT_TRUE(test::has_note(bare->notes, "not-in-format"));
}

TEST_F(Baked, ConvertPutsACacheOnItsMeshAndTurnsCachesIntoEachOther) {
  ASSERT_TRUE(bake(job("walk.mdd")));
  const auto converted = [&](const std::string& in, const std::string& cache, const std::string& out) {
    ConvertJob asked;
    asked.input = folder.file(in);
    asked.cache = cache.empty() ? "" : folder.file(cache);
    asked.output = folder.file(out);
    asked.fps = kFps;
    const Result<ConvertReport> report = convert(asked);
    return report ? std::string() : report.error().sentence;
  };
  EXPECT_EQ(converted("walk.mdd", "", "walk.pc2"), "");
  EXPECT_EQ(converted("walk_rest.obj", "walk.pc2", "seq_##.ply"), "");
  EXPECT_EQ(converted("seq_##.ply", "", "again.mdd"), "");
  EXPECT_EQ(test::read_text(folder.file("again.mdd")), test::read_text(folder.file("walk.mdd")));
  EXPECT_EQ(converted("walk_rest.obj", "walk.mdd", "walk.glb"), "");
  const Result<Asset> moving = load(folder.file("walk.glb"));
  ASSERT_TRUE(moving) << moving.error().sentence;
  EXPECT_GT(moving->character.meshes.at(0).shapes.size(), 3u);
  EXPECT_NE(converted("walk.mdd", "", "walk2.glb").find("needs the mesh"), std::string::npos);
  EXPECT_NE(converted("tube.glb", "", "a.pc2").find("is not a vertex cache"), std::string::npos);
}

TEST_F(Baked, AMeshShownMoreOftenThanFilesMayBeOpenHasACacheForEach) {
  constexpr std::size_t kCount = 100;
  for (std::size_t k = 1; k < kCount; ++k) character.instances.push_back(character.instances[0]);
  ASSERT_TRUE(save(input, {character, {}, nullptr}));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Result<BakeReport> report = bake(job("many.pc2"));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->instance_count, kCount);
}

// ---- Sequences through convert ----

class Sequences : public testing::Test {
 protected:
  void write_frame(const std::string& name, float z) const {
    test::write_text(folder.path() / name, "v 0 0 " + std::to_string(z) + "\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  }
  ConvertJob job(const std::string& in, const std::string& out) const {
    ConvertJob asked;
    asked.input = folder.file(in);
    asked.output = folder.file(out);
    return asked;
  }
  const test::TemporaryFolder folder;
};

TEST_F(Sequences, DoNotReplaceTheirOwnFrames) {
  for (int k = 1; k <= 3; ++k) write_frame("w_000" + std::to_string(k) + ".obj", static_cast<float>(k));
  const std::string before = test::read_text(folder.file("w_0001.obj"));
  const Result<ConvertReport> report = convert(job("w_####.obj", "w_####.obj"));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().sentence.find("would be replaced"), std::string::npos);
  EXPECT_EQ(test::read_text(folder.file("w_0001.obj")), before);
}

TEST_F(Sequences, KeepTheNumbersOfTheirFrames) {
  for (const char* name : {"w_10.obj", "w_20.obj", "w_31.obj"}) write_frame(name, 1);
  const Result<ConvertReport> report = convert(job("w_##.obj", "out_##.ply"));
  ASSERT_TRUE(report) << report.error().sentence;
  for (const char* name : {"out_10.ply", "out_20.ply", "out_31.ply"})
    EXPECT_TRUE(test::fs::exists(folder.path() / name)) << name;
  EXPECT_FALSE(test::has_note(report->notes, "times-dropped"));
}

TEST_F(Sequences, OfTimesBetweenFramesSayThatTheTimesAreLost) {
  PointCache cache;
  cache.times = {0, 0.11f};
  cache.point_count = 3;
  cache.points.resize(6);
  ASSERT_TRUE(save_cache(folder.file("w.mdd"), cache));
  write_frame("rest.obj", 0);
  ConvertJob asked = job("rest.obj", "out_#.obj");
  asked.cache = folder.file("w.mdd");
  const Result<ConvertReport> report = convert(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "times-dropped"));
  asked.clip = "walk";
  EXPECT_FALSE(convert(asked));
}

TEST_F(Sequences, AreTurnedInEveryFrame) {
  write_frame("w_1.obj", 1);
  write_frame("w_2.obj", 2);
  ConvertJob asked = job("w_#.obj", "out.mdd");
  asked.run.up = UpAxis::z;
  ASSERT_TRUE(convert(asked));
  const Result<CacheAsset> turned = load_cache(folder.file("out.mdd"));
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->cache.frame(1)[0], (Vec3{0, 2, 0}));
  asked.output = folder.file("out.glb");
  const Result<ConvertReport> report = convert(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> moving = load(folder.file("out.glb"));
  ASSERT_TRUE(moving);
  EXPECT_EQ(moving->character.meshes.at(0).points[0], (Vec3{0, 1, 0}));
}

TEST_F(Sequences, MayHaveAHashInTheNameOfAnotherFormat) {
  write_frame("rest.obj", 0);
  const Result<ConvertReport> report = convert(job("rest.obj", "take#1.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::fs::exists(folder.path() / "take#1.glb"));
}

TEST_F(Baked, InfoDescribesACache) {
  ASSERT_TRUE(bake(job("walk.mdd")));
  const Result<InfoReport> report = info(InfoJob{folder.file("walk.mdd"), {}});
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->cache);
  EXPECT_EQ(report->cache->point_count, character.meshes[0].points.size());
  EXPECT_FLOAT_EQ(report->cache->end, character.clips[0].end());
  EXPECT_NE(to_json(*report).find("\"cache\""), std::string::npos);
}

}  // namespace
}  // namespace dermis
