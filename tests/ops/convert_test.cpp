// SPDX-License-Identifier: MIT
// Conversions seen from outside: what another format holds is what was there.
#include <gtest/gtest.h>

#include <algorithm>

#include "dermis/motion.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

// Largest distance between the scene of `input` and the same scene gone through `name`.
double distance_through(const std::string& input, const std::string& output) {
  const Result<ConvertReport> converted = convert({{input, output, {}, {}}});
  EXPECT_TRUE(converted) << converted.error().sentence;
  if (!converted) return -1;
  CompareJob job;
  job.inputs = {input, output};
  const Result<CompareReport> compared = compare(job);
  EXPECT_TRUE(compared) << compared.error().sentence;
  if (!compared) return -1;
  EXPECT_TRUE(compared->distance.in_order) << input;
  return compared->distance.max;
}

TEST(Convert, MadeCharactersThroughPlyAreZeroApart) {
  const test::TemporaryFolder folder;
  for (const MadeKind kind : {MadeKind::tube, MadeKind::arm}) {
    const Result<Character> made = make_character(kind, {1500}, {});
    ASSERT_TRUE(made);
    ASSERT_TRUE(save(folder.file("made.glb"), {*made, {}, nullptr}));
    EXPECT_EQ(distance_through(folder.file("made.glb"), folder.file("made.ply")), 0);
  }
}

TEST(Convert, OfASkeletonWithoutAMeshIsNotAnEmptyObj) {
  const test::TemporaryFolder folder;
  test::write_text(
      folder.path() / "bones.bvh",
      "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\n"
      "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n");
  const Result<ConvertReport> converted =
      convert({{folder.file("bones.bvh"), folder.file("bones.obj"), {}, {}}});
  ASSERT_FALSE(converted);
  EXPECT_NE(converted.error().sentence.find("shows no mesh"), std::string::npos)
      << converted.error().sentence;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"bones.bvh"}));
}

TEST(Convert, SaysThatSharesOfDqsAreLost) {
  const test::TemporaryFolder folder;
  Result<Character> made = make_character(MadeKind::humanoid, {1500});
  ASSERT_TRUE(made);
  made->meshes[0].dqs_share.assign(made->meshes[0].points.size(), 1.0f);
  ASSERT_TRUE(save(folder.file("said.glb"), {*made, {}, nullptr}));
  const auto is_said = [](const Note& note) {
    return note.id == "not-in-format" && note.sentence.find("shares of dqs") != std::string::npos;
  };
  for (const char* name : {"a.obj", "a.ply", "a.bvh", "skeleton.out", "a.glb"}) {
    const Result<ConvertReport> report = convert({{folder.file("said.glb"), folder.file(name), {}, {}}});
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(std::any_of(report->notes.begin(), report->notes.end(), is_said), std::string(name) != "a.glb")
        << name;
  }
  const Result<InfoReport> said = info(InfoJob{folder.file("said.glb"), {}});
  const Result<InfoReport> lost = info(InfoJob{folder.file("a.obj"), {}});
  ASSERT_TRUE(said && lost);
  EXPECT_TRUE(said->meshes[0].has_dqs_share);
  EXPECT_NE(to_json(*said).find("\"has_dqs_share\": true"), std::string::npos);
  EXPECT_FALSE(lost->meshes[0].has_dqs_share);
}

constexpr const char* kNamedTriangle = "o body\ng left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
// A person along Z, in centimetres.
constexpr const char* kStanding =
    "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT hand\n{\n"
    "OFFSET 80 20 60\nCHANNELS 0\n}\nJOINT foot\n{\nOFFSET -10 0 -110\nCHANNELS 0\n}\n}\n"
    "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n";

TEST(Convert, AMeshWithoutASkeletonBecameABvhOfOneDummyJoint) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "mesh.obj", kNamedTriangle);
  const Result<ConvertReport> converted =
      convert({{folder.file("mesh.obj"), folder.file("mesh.bvh"), {}, {}}});
  ASSERT_FALSE(converted);
  EXPECT_NE(converted.error().sentence.find("has no skeleton"), std::string::npos);
}

TEST(Deform, OfAMotionWithoutAMeshIsNotAnEmptyObj) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "bones.bvh", kStanding);
  DeformJob job;
  job.input = folder.file("bones.bvh");
  job.output = folder.file("bones.obj");
  const Result<DeformReport> deformed = deform(job);
  ASSERT_FALSE(deformed);
  EXPECT_NE(deformed.error().sentence.find("shows no mesh"), std::string::npos);
}

TEST(Convert, OfABvhToABvhSaidThatItWasTurned) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "bones.bvh", kStanding);
  const Result<ConvertReport> same = convert({{folder.file("bones.bvh"), folder.file("same.bvh"), {}, {}}});
  ASSERT_TRUE(same) << same.error().sentence;
  EXPECT_TRUE(same->notes.empty());
  const Result<ConvertReport> turned =
      convert({{folder.file("bones.bvh"), folder.file("bones.glb"), {}, {}}});
  ASSERT_TRUE(turned) << turned.error().sentence;
  EXPECT_TRUE(has_note(turned->notes, "turned-y-up"));
}

TEST(Convert, OfABvhToABvhObeysUpZ) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "bones.bvh", kStanding);
  ConvertJob job{{folder.file("bones.bvh"), folder.file("turned.bvh"), {}, {}}};
  job.run.up = UpAxis::z;
  ASSERT_TRUE(convert(job));
  LoadOptions options;
  options.up = UpAxis::y;
  const Result<Asset> turned = load(folder.file("turned.bvh"), options);
  ASSERT_TRUE(turned) << turned.error().sentence;
  const Vec3 hand = turned->character.nodes.at(1).rest.translation;
  EXPECT_NEAR(hand.x, 80, 1e-4);
  EXPECT_NEAR(hand.y, 60, 1e-4);
  EXPECT_NEAR(hand.z, -20, 1e-4);
}

TEST(Convert, ClipsOfShapesAloneBecameABvhOfNothing) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "mesh.obj", kNamedTriangle);
  Result<Asset> asset = load(folder.file("mesh.obj"));
  ASSERT_TRUE(asset);
  Mesh& mesh = asset->character.meshes[0];
  mesh.shapes.resize(1);
  mesh.shapes[0].name = "up";
  mesh.shapes[0].points = {0};
  mesh.shapes[0].offsets = {{0, 1, 0}};
  asset->character.instances[0].shape_weights = {0};
  Channel channel;
  channel.path = ChannelPath::shape_weights;
  channel.target = 0;
  channel.times = {0, 1};
  channel.values = {0, 1};
  asset->character.clips.push_back({"lift", {channel}});
  ASSERT_TRUE(save(folder.file("lift.glb"), {asset->character, {}, nullptr}));
  const Result<ConvertReport> converted =
      convert({{folder.file("lift.glb"), folder.file("lift.bvh"), {}, {}}});
  ASSERT_FALSE(converted);
  EXPECT_NE(converted.error().sentence.find("has no skeleton"), std::string::npos);
}

TEST(Convert, LabelsAndSeveralMeshesWereLostInPlyWithoutAWord) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "mesh.obj", kNamedTriangle);
  const Result<ConvertReport> labelled =
      convert({{folder.file("mesh.obj"), folder.file("mesh.ply"), {}, {}}});
  ASSERT_TRUE(labelled) << labelled.error().sentence;
  EXPECT_TRUE(has_note(labelled->notes, "labels-dropped"));
  const Result<Asset> one = load(folder.file("mesh.obj"));
  ASSERT_TRUE(one);
  Character two = one->character;
  two.instances.push_back(two.instances[0]);
  const Result<Notes> merged = save_posed(folder.file("two.ply"), {}, two);
  ASSERT_TRUE(merged) << merged.error().sentence;
  EXPECT_TRUE(has_note(*merged, "meshes-merged"));
}

TEST(Convert, TheUnitOfAFileWasLostInObjAndBvhWithoutAWord) {
  const test::TemporaryFolder folder;
  Result<Character> made = make_character(MadeKind::arm, {1500}, {});
  ASSERT_TRUE(made);
  made->metres_per_unit = 0.01;
  const Result<Notes> obj = save_posed(folder.file("arm.obj"), {}, *made);
  ASSERT_TRUE(obj) << obj.error().sentence;
  EXPECT_TRUE(has_note(*obj, "unit-dropped"));
  const Result<OffsetSkeleton> skeleton = offset_skeleton(*made);
  ASSERT_TRUE(skeleton);
  const Result<Notes> bvh = save(folder.file("arm.bvh"), {skeleton->character, {}, nullptr});
  ASSERT_TRUE(bvh) << bvh.error().sentence;
  EXPECT_TRUE(has_note(*bvh, "unit-dropped"));
}

TEST(Convert, ACacheReplacedSkinAndClipsWithoutAWord) {
  const test::TemporaryFolder folder;
  const Result<Character> made = make_character(MadeKind::arm, {1500}, {});
  ASSERT_TRUE(made);
  ASSERT_TRUE(save(folder.file("arm.glb"), {*made, {}, nullptr}));
  const Result<Asset> arm = load(folder.file("arm.glb"));
  ASSERT_TRUE(arm);
  PointCache cache;
  cache.times = {0, 1};
  cache.point_count = arm->character.meshes[0].points.size();
  for (int k = 0; k < 2; ++k)
    cache.points.insert(cache.points.end(), arm->character.meshes[0].points.begin(),
                        arm->character.meshes[0].points.end());
  ASSERT_TRUE(save_cache(folder.file("arm.mdd"), cache));
  ConvertJob job;
  job.input = folder.file("arm.glb");
  job.cache = folder.file("arm.mdd");
  job.output = folder.file("moving.glb");
  const Result<ConvertReport> converted = convert(job);
  ASSERT_TRUE(converted) << converted.error().sentence;
  EXPECT_EQ(std::count_if(converted->notes.begin(), converted->notes.end(),
                          [](const Note& note) { return note.id == "replaced-by-cache"; }),
            2);  // its skin and its clip
}

TEST(Info, RefusedTheRateThatACacheNeeds) {
  const test::TemporaryFolder folder;
  PointCache cache;
  cache.times = {0, 1};
  cache.point_count = 1;
  cache.points = {{0, 0, 0}, {1, 0, 0}};
  ASSERT_TRUE(save_cache(folder.file("two.pc2"), cache));
  InfoJob job;
  job.input = folder.file("two.pc2");
  job.fps = 24;
  const Result<InfoReport> report = info(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FLOAT_EQ(report->cache->end, 1 / 24.0f);
  EXPECT_TRUE(report->notes.empty());
  job.fps = 0;
  EXPECT_EQ(info(job)->notes.size(), 1u);  // that 30 is assumed
}

TEST(Check, SaidTwiceThatTheUnitIsGuessed) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "bones.bvh", kStanding);
  test::write_text(folder.path() / "mesh.obj", kNamedTriangle);
  for (const char* name : {"bones.bvh", "mesh.obj"}) {
    CheckJob job;
    job.input = folder.file(name);
    const Result<CheckReport> report = check(job);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(std::count_if(report->findings.begin(), report->findings.end(),
                            [](const Finding& finding) { return finding.id == "unit-guessed"; }),
              1)
        << name;
  }
}

TEST(Convert, EveryGltfFileThroughPlyIsZeroApart) {
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  const test::TemporaryFolder folder;
  std::size_t count = 0;
  for (const test::fs::path& file : test::good_gltf_files()) {
    const Result<InfoReport> report = info(InfoJob{file.string(), {}});
    if (!report || report->point_count == 0) continue;
    EXPECT_EQ(distance_through(file.string(), folder.file("through.ply")), 0) << file;
    ++count;
  }
  EXPECT_GT(count, 20u);
}

TEST(Convert, TakesExtensionsInAnyCase) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "in.Bvh", kStanding);
  const Result<ConvertReport> motion = convert({{folder.file("in.Bvh"), folder.file("out.bVh"), {}, {}}});
  ASSERT_TRUE(motion) << motion.error().sentence;
  EXPECT_FALSE(has_note(motion->notes, "turned-y-up")) << "it goes back as it came";
  test::write_text(folder.path() / "in.Obj", std::string("usemtl skin\n") + kNamedTriangle);
  const Result<ConvertReport> mesh = convert({{folder.file("in.Obj"), folder.file("out.Obj"), {}, {}}});
  ASSERT_TRUE(mesh) << mesh.error().sentence;
  EXPECT_FALSE(has_note(mesh->notes, "not-in-format"));
  ConvertJob weighted{{folder.file("in.Bvh"), folder.file("other.Bvh"), {}, {}}};
  weighted.save.max_influences = 4;
  EXPECT_FALSE(convert(weighted));
}

}  // namespace
}  // namespace dermis
