// SPDX-License-Identifier: MIT
// Stacks by name, end to end: what parses, what every method does to a character, and that bake is deform.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dermis/motion.h"
#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::run_cli;
using test::TemporaryFolder;

std::vector<std::string> every_stack() {
  std::vector<std::string> stacks;
  for (const StageRow& row : methods()) {
    if (row.phase == StagePhase::skin) stacks.emplace_back(row.name);
    if (row.phase == StagePhase::posed) stacks.push_back(std::string("dqs,") + row.name);
  }
  return stacks;
}

TEST(Stacks, InPhaseAreTakenAndComeBackAsTheirName) {
  const std::pair<const char*, const char*> table[] = {
      {"lbs", "lbs"},
      {"shapes,rigid", "shapes,rigid"},
      {"direct_delta_mush", "direct_delta_mush"},
      {"cor,delta_mush", "cor,delta_mush"},
      {" dqs , delta_mush", "dqs,delta_mush"},
      {"dqs:bulge_correction=0.25,delta_mush:iterations=20",
       "dqs:bulge_correction=0.25,delta_mush:iterations=20"},
      {"dqs : bulge_correction = 1", "dqs:bulge_correction=1"},
  };
  for (const auto& [text, name] : table) {
    const Result<Stack> stack = parse_stack(text);
    ASSERT_TRUE(stack) << stack.error().sentence;
    EXPECT_EQ(name_of(*stack), name);
    EXPECT_EQ(*parse_stack(name), *stack);
    EXPECT_EQ(deform_stack(name), *stack);
  }
  EXPECT_EQ(*parse_stack("lbs"), Stack{});
  EXPECT_NE(*parse_stack("lbs,delta_mush:iterations=3"), *parse_stack("lbs,delta_mush"));
  for (const std::string& stack : every_stack()) EXPECT_TRUE(parse_stack(stack)) << stack;
}

TEST(Stacks, OutOfPhaseAreUsageErrorsWithTheReason) {
  const std::pair<const char*, const char*> table[] = {
      {"dqs,shapes", "shapes moves the rest pose, so it must come before dqs"},
      {"delta_mush,dqs", "dqs skins the rest pose, so it must come before delta_mush"},
      {"lbs,delta_mush,shapes", "shapes moves the rest pose"},
      {"lbs,dqs", "lbs and dqs both skin"},
      {"delta_mush", "needs a skinning stage"},
      {"shapes", "needs a skinning stage"},
      {"shapes,delta_mush", "needs a skinning stage"},
      {"lbs,delta_mush,delta_mush", "names delta_mush twice"},
      {"lbs,lbs", "names lbs twice"},
      {"", "method '': a stage is empty"},
      {",", "method ',': a stage is empty"},
      {"shapes,,lbs", "a stage is empty"},
      {"dqs,", "method 'dqs,': a stage is empty; write stage names joined by commas"},
      {"dqs, ", "a stage is empty"},
      {"DQS", "there is no method 'DQS'; did you mean 'dqs'?"},
      {"lbs,delta_mash", "did you mean 'delta_mush'?"},
      {"dqs:bulge_corection=1", "dqs has no option 'bulge_corection'; did you mean 'bulge_correction'?"},
      {"lbs:iterations=1", "lbs has no options, so no 'iterations'"},
      {"dqs:bulge_correction=2", "bulge_correction of dqs is 2; give a number from 0 to 1"},
      {"dqs:bulge_correction=nan", "give a number from 0 to 1"},
      {"lbs,delta_mush:iterations=1.5",
       "iterations of delta_mush is 1.5; give a whole number from 0 to 1000"},
      {"dqs:bulge_correction", "bulge_correction of dqs is not a number; write dqs:bulge_correction=NUMBER"},
      {"dqs:bulge_correction=much", "is not a number"},
      {"dqs:bulge_correction=0:bulge_correction=1", "gives bulge_correction of dqs twice"},
  };
  for (const auto& [text, reason] : table) {
    const Result<Stack> stack = parse_stack(text);
    ASSERT_FALSE(stack) << text;
    EXPECT_EQ(stack.error().code, Errc::usage);
    EXPECT_NE(stack.error().sentence.find(reason), std::string::npos) << stack.error().sentence;
  }
}

// ---- On characters ----

Box box_of(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  return box;
}

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v) {
    EXPECT_TRUE(is_finite(a[v])) << v;
    worst = std::max(worst, length(Vec3d(a[v]) - Vec3d(b[v])));
  }
  return worst;
}

class Deformed : public testing::Test {
 protected:
  // The points of `input` posed by `dermis deform`, with `words` behind it.
  std::vector<Vec3> points(const std::string& input, const std::string& stack,
                           const std::vector<std::string>& words) const {
    const std::string out = folder.file("out.ply");
    std::vector<std::string> command = {"deform", input, "--method", stack, "-o", out};
    command.insert(command.end(), words.begin(), words.end());
    const test::CliResult ran = run_cli(command);
    EXPECT_EQ(ran.code, 0) << stack << ": " << ran.err;
    const Result<std::vector<Vec3>> loaded = load_points(out);
    EXPECT_TRUE(loaded.ok());
    return loaded ? *loaded : std::vector<Vec3>{};
  }

  // Every method gives the rest mesh back at rest, and stays finite and near lbs in the clip.
  void expect_all_methods(const std::string& input, const std::string& time) const {
    const std::vector<Vec3> rest = points(input, "lbs", {});
    const std::vector<Vec3> linear = points(input, "lbs", {"--clip", "0", "--time", time});
    const double size = length(box_of(rest).upper - box_of(rest).lower);
    for (const std::string& stack : every_stack()) {
      SCOPED_TRACE(stack);
      EXPECT_LT(farthest(points(input, stack, {}), rest), 2e-5 * size);
      const double distance = farthest(points(input, stack, {"--clip", "0", "--time", time}), linear);
      EXPECT_LT(distance, 0.3 * size);
      if (stack == "lbs") continue;
      EXPECT_GT(distance, 1e-5 * size);
    }
  }

  const TemporaryFolder folder;
};

TEST_F(Deformed, ByEveryMethodTheBuiltInHumanoidRestsAsItIsAndMovesNearLinearBlending) {
  const std::string input = folder.file("humanoid.glb");
  MakeJob job;
  job.options.points = 2000;
  job.output = input;
  ASSERT_TRUE(make(job));
  expect_all_methods(input, "0.3");
}

TEST_F(Deformed, ByEveryMethodARealCharacterRestsAsItIsAndMovesNearLinearBlending) {
  std::string input;
  for (const test::fs::path& file : test::good_gltf_files()) {
    if (file.filename() == "CesiumMan.glb") input = file.string();
  }
  if (input.empty()) GTEST_SKIP() << "no DERMIS_DATA";
  expect_all_methods(input, "0.6");
}

TEST_F(Deformed, ShapesComeBeforeTheSkinAndDeltaMushAfterIt) {
  const std::string input = folder.file("face.glb");
  MakeJob job;
  job.kind = MadeKind::face;
  job.options.points = 2000;
  job.output = input;
  ASSERT_TRUE(make(job));
  const Result<Asset> face = load(input);
  ASSERT_TRUE(face);
  ASSERT_FALSE(face->character.meshes[0].shapes.empty());
  const std::string shape = face->character.meshes[0].shapes[0].name + "=1";
  const std::vector<Vec3> rest = points(input, "shapes,dqs,delta_mush", {});
  const std::vector<Vec3> shaped = points(input, "shapes,dqs,delta_mush", {"--shape", shape});
  // Deltas are those of the shaped rest surface, so the stage gives the shape back as it is.
  EXPECT_GT(farthest(shaped, rest), 0);
  EXPECT_LT(farthest(shaped, points(input, "lbs", {"--shape", shape})), 1e-4);
  EXPECT_EQ(shaped, points(input, "dqs,delta_mush", {"--shape", shape}));
}

TEST_F(Deformed, FramesOfABakeAreWhatDeformGivesInEveryStack) {
  const std::string input = folder.file("tube.glb");
  MakeJob job;
  job.kind = MadeKind::tube;
  job.options.points = 1000;
  job.output = input;
  ASSERT_TRUE(make(job));
  for (const char* stack : {"dqs", "cor", "lbs,delta_mush", "direct_delta_mush"}) {
    SCOPED_TRACE(stack);
    BakeJob asked;
    asked.input = input;
    asked.output = folder.file("a.pc2");
    asked.fps = 4;
    asked.run.force = true;
    asked.deform.stack = *parse_stack(stack);
    const Result<BakeReport> report = bake(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->method, stack);
    CacheOptions options;
    options.fps = 4;
    const Result<CacheAsset> baked = load_cache(asked.output, options);
    ASSERT_TRUE(baked) << baked.error().sentence;
    for (std::size_t k = 0; k < baked->cache.frame_count(); ++k) {
      DeformJob one;
      one.input = input;
      one.output = folder.file("frame.ply");
      one.pose.clip = "0";
      one.pose.time = report->from + static_cast<double>(k) / 4;
      one.deform = asked.deform;
      ASSERT_TRUE(deform(one));
      const std::vector<Vec3> expected = *load_points(one.output);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), baked->cache.frame(k).begin(),
                             baked->cache.frame(k).end()))
          << "frame " << k;
    }
  }
}

TEST_F(Deformed, ByLbsDqsSaysThatItAssumedSharesAndUsesThoseOfTheFile) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  ASSERT_TRUE(save(folder.file("unsaid.glb"), {*tube, {}, nullptr}));
  tube->meshes[0].dqs_share.assign(tube->meshes[0].points.size(), 1.0f);
  ASSERT_TRUE(save(folder.file("said.glb"), {*tube, {}, nullptr}));
  const auto deformed = [&](const char* name, const char* stack) {
    DeformJob job;
    job.input = folder.file(name);
    job.output = folder.file("out.ply");
    job.pose.clip = "0";
    job.pose.time = 0.5;
    job.deform.stack = *parse_stack(stack);
    return deform(job);
  };
  const auto has_note = [&](const Notes& notes) {
    return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
      return note.id == "no-dqs-share" && note.sentence.starts_with(folder.file("unsaid.glb") + ": mesh 0");
    });
  };
  EXPECT_TRUE(has_note(deformed("unsaid.glb", "lbs_dqs")->notes));
  EXPECT_FALSE(has_note(deformed("said.glb", "lbs_dqs")->notes));
  const std::vector<Vec3> mixed = *load_points(folder.file("out.ply"));
  EXPECT_FALSE(has_note(deformed("said.glb", "dqs")->notes));
  EXPECT_LT(farthest(mixed, *load_points(folder.file("out.ply"))), 1e-5);
}

TEST_F(Deformed, WithoutASkinSaysThatTheMethodChangesNothing) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  tube->instances[0].skin = kNone;
  tube->skins.clear();
  ASSERT_TRUE(save(folder.file("bare.glb"), {*tube, {}, nullptr}));
  for (const char* stack : {"lbs", "rigid", "dqs", "lbs,delta_mush"}) {
    DeformJob job;
    job.input = folder.file("bare.glb");
    job.output = folder.file("out.ply");
    job.deform.stack = *parse_stack(stack);
    const Result<DeformReport> report = deform(job);
    ASSERT_TRUE(report) << report.error().sentence;
    const bool is_said = std::any_of(report->notes.begin(), report->notes.end(),
                                     [](const Note& note) { return note.id == "nothing-skinned"; });
    EXPECT_EQ(is_said, std::string(stack) == "dqs" || std::string(stack) == "lbs,delta_mush") << stack;
  }
}

TEST_F(Deformed, ToGltfLosesTheSharesOfDqsWithTheSkin) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  tube->meshes[0].dqs_share.assign(tube->meshes[0].points.size(), 1.0f);
  DeformJob job;
  job.input = folder.file("said.glb");
  job.output = folder.file("posed.glb");
  ASSERT_TRUE(save(job.input, {*tube, {}, nullptr}));
  ASSERT_TRUE(deform(job));
  const Result<Asset> posed = load(job.output);
  ASSERT_TRUE(posed) << posed.error().sentence;
  EXPECT_TRUE(posed->character.meshes[0].dqs_share.empty());
}

TEST_F(Deformed, SaysWhereNormalsAskedForHaveNoEffect) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  ASSERT_TRUE(save(folder.file("tube.glb"), {*tube, {}, nullptr}));
  const auto has_note = [](const Notes& notes, const char* id) {
    return std::any_of(notes.begin(), notes.end(), [&](const Note& note) { return note.id == id; });
  };
  for (const char* stack : {"dqs", "direct_delta_mush", "lbs,delta_mush"}) {
    for (const NormalMode mode : {NormalMode::shading, NormalMode::exact}) {
      DeformJob job;
      job.input = folder.file("tube.glb");
      job.output = folder.file("out.ply");
      job.deform = {*parse_stack(stack), mode};
      const Result<DeformReport> report = deform(job);
      ASSERT_TRUE(report) << report.error().sentence;
      EXPECT_EQ(has_note(report->notes, "normals-measured"),
                mode == NormalMode::exact && std::string(stack) != "dqs")
          << stack << ", " << name_of(mode);
    }
  }
  for (const NormalMode mode : {NormalMode::shading, NormalMode::exact}) {
    BakeJob job;
    job.input = folder.file("tube.glb");
    job.output = folder.file(std::string(name_of(mode)) + ".pc2");
    job.fps = 2;
    job.deform.normals = mode;
    const Result<BakeReport> report = bake(job);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(has_note(report->notes, "no-normals-in-format"), mode == NormalMode::exact);
    EXPECT_EQ(*parse_normal_mode(name_of(mode)), mode);
  }
}

TEST_F(Deformed, OptionsOfAStageChangeItAndAreToldWhereThereIsNone) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  ASSERT_TRUE(save(folder.file("tube.glb"), {*tube, {}, nullptr}));
  struct Case {
    const char *stack, *option, *value;
    bool is_read;
  };
  constexpr Case kCases[] = {{"dqs", "--bulge-correction", "1", true},
                             {"lbs", "--bulge-correction", "1", false},
                             {"lbs_dqs", "--bulge-correction", "0.5", false},
                             {"lbs,delta_mush", "--mush-iterations", "40", true},
                             {"lbs", "--mush-iterations", "40", false}};
  for (const Case& one : kCases) {
    SCOPED_TRACE(testing::Message() << one.stack << ' ' << one.option);
    const std::vector<std::string> plain = {
        "deform", folder.file("tube.glb"), "--clip", "0", "--time", "0.5", "--method", one.stack, "--force"};
    const auto points = [&](const char* output, std::vector<std::string> words) {
      words.insert(words.end(), {"-o", folder.file(output)});
      const test::CliResult said = run_cli(words);
      EXPECT_EQ(said.code, 0) << said.err;
      const bool is_told = said.err.find("so its option ") != std::string::npos;
      EXPECT_EQ(is_told, words.size() > plain.size() + 2 && !one.is_read) << said.err;
      return *load_points(folder.file(output));
    };
    std::vector<std::string> told = plain;
    told.insert(told.end(), {one.option, one.value});
    EXPECT_EQ(points("plain.ply", plain) != points("told.ply", told), one.is_read);
  }
  const std::string tube_file = folder.file("tube.glb");
  EXPECT_EQ(run_cli({"deform", tube_file, "-o", folder.file("x.ply"), "--bulge-correction", "1.5"}).code, 2);
  EXPECT_EQ(run_cli({"deform", tube_file, "-o", folder.file("x.ply"), "--mush-iterations", "-1"}).code, 2);
  const test::CliResult both = run_cli({"compare", tube_file, tube_file, "--clip", "0", "--time", "0.5",
                                        "--method", "dqs", "--method-b", "lbs", "--bulge-correction", "1"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.err.find("changes nothing"), std::string::npos) << both.err;  // A reads it
}

TEST(PrepareDeformer, LeavesInstancesOutsideTheSceneToThePoseThatAsksForThem) {
  Result<Character> tube = make_character(MadeKind::tube, {1000});
  ASSERT_TRUE(tube);
  Character& character = *tube;
  character.meshes.push_back(character.meshes[0]);
  character.meshes[0].dqs_share.assign(character.meshes[0].points.size(), 0.5f);
  character.instances.push_back(character.instances[0]);
  character.instances[1].mesh = 1;
  character.instances[1].in_scene = false;
  const Result<PoseFrame> frame = pose_frame(character, {0, 0.5, nullptr});
  ASSERT_TRUE(frame);
  const Result<Deformer> deformer = prepare_deformer(character, {deform_stack("lbs_dqs")});
  ASSERT_TRUE(deformer);
  EXPECT_NE(deformer->meshes[0], nullptr);
  EXPECT_EQ(deformer->meshes[1], nullptr);
  EXPECT_TRUE(deformer->notes.empty());
  // Both meshes have the same shares, said or not.
  const Result<Surface> inside = pose_instance(*deformer, *frame, 0);
  const Result<Surface> outside = pose_instance(*deformer, *frame, 1);
  ASSERT_TRUE(inside && outside);
  EXPECT_EQ(inside->points, outside->points);
  EXPECT_EQ(deform_instance(character, *frame, 1, {deform_stack("lbs_dqs")})->points, outside->points);
}

TEST_F(Deformed, NoRestStagesLeavesTheShapesOfTheFileOut) {
  const std::string input = folder.file("face.glb");
  MakeJob job;
  job.kind = MadeKind::face;
  job.options.points = 2000;
  job.output = input;
  ASSERT_TRUE(make(job));
  const std::string shape = load(input)->character.meshes[0].shapes[0].name + "=1";
  const std::vector<Vec3> rest = points(input, "lbs", {});
  EXPECT_NE(points(input, "lbs", {"--shape", shape}), rest);
  EXPECT_EQ(points(input, "lbs", {"--shape", shape, "--no-rest-stages"}), rest);
  // A stage that is named is not one that was added.
  EXPECT_EQ(points(input, "shapes,lbs", {"--shape", shape, "--no-rest-stages"}),
            points(input, "lbs", {"--shape", shape}));
  const auto method = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"deform", input, "--json", "--force", "-o", folder.file("out.ply")});
    return nlohmann::json::parse(run_cli(words).out)["method"];
  };
  EXPECT_EQ(method({"--method", "dqs"}), "shapes,dqs");
  EXPECT_EQ(method({"--method", "dqs", "--no-rest-stages"}), "dqs");
  EXPECT_EQ(method({"--method", "dqs", "--bulge-correction", "0.5"}), "shapes,dqs:bulge_correction=0.5");
  for (const char* verb : {"deform", "bake", "compare", "render", "check"})
    EXPECT_NE(run_cli({verb, "--help"}).out.find("--no-rest-stages"), std::string::npos) << verb;
}

TEST_F(Deformed, OptionsInTheStackAreThoseOfTheFlags) {
  const std::string input = folder.file("tube.glb");
  MakeJob job;
  job.kind = MadeKind::tube;
  job.options.points = 1000;
  job.output = input;
  ASSERT_TRUE(make(job));
  const std::vector<std::string> moment = {"--clip", "0", "--time", "0.5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), moment.begin(), moment.end());
    return more;
  };
  EXPECT_EQ(points(input, "dqs:bulge_correction=0.7", moment),
            points(input, "dqs", with({"--bulge-correction", "0.7"})));
  EXPECT_EQ(points(input, "lbs,delta_mush:iterations=30", moment),
            points(input, "lbs,delta_mush", with({"--mush-iterations", "30"})));
  EXPECT_EQ(run_cli({"deform", input, "-o", folder.file("x.ply"), "--method", "dqs:bulge_correction=2"}).code,
            2);
}

TEST(Command, RefusesAStackOutOfPhaseWithExitCode2) {
  for (const char* verb : {"deform", "bake"}) {
    const test::CliResult ran = run_cli({verb, "a.glb", "--method", "delta_mush,dqs", "-o", "b.glb"});
    EXPECT_EQ(ran.code, 2) << verb;
    EXPECT_NE(ran.err.find("must come before delta_mush"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(run_cli({"compare", "a.glb", "b.glb", "--method-b", "magic"}).code, 2);
  EXPECT_EQ(run_cli({"demo", "--method", "shapes"}).code, 2);
}

TEST(Command, PrintsTheTableOfMethodsAsTextAndJson) {
  const test::CliResult text = run_cli({"methods"});
  const nlohmann::json json = nlohmann::json::parse(run_cli({"methods", "--json"}).out);
  ASSERT_EQ(json["methods"].size(), methods().size());
  for (std::size_t k = 0; k < methods().size(); ++k) {
    EXPECT_NE(text.out.find(methods()[k].name), std::string::npos);
    EXPECT_NE(text.out.find(methods()[k].paper), std::string::npos);
    EXPECT_EQ(json["methods"][k]["options"].size(), methods()[k].options.size());
    for (const char* key : {"name", "phase", "keeps", "breaks", "scalars_per_joint", "cost", "paper"})
      EXPECT_GT(json["methods"][k].value(key, "").size(), key == std::string("scalars_per_joint") ? 0u : 1u)
          << key;
  }
}

}  // namespace
}  // namespace dermis
