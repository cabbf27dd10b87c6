// SPDX-License-Identifier: MIT
// The verb bind: what changes in a file, joints from another file, bad input, real meshes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "notes.h"
#include "ops/glb_document.h"
#include "outside/files.h"

namespace dermis {
namespace {

using Json = nlohmann::json;

class Bind : public testing::Test {
 protected:
  Bind() {
    const Result<Character> made = make_character(MadeKind::humanoid, {2000}, {});
    EXPECT_TRUE(made);
    EXPECT_TRUE(save(input, {*made, {}, nullptr}));
  }
  BindJob job(const std::string& name) const {
    BindJob asked;
    asked.input = input;
    asked.output = folder.file(name);
    return asked;
  }
  // A square without skeleton.
  std::string square() const {
    const std::string path = folder.file("square.obj");
    std::ofstream(path)
        << "v -1 0 0\nv 1 0 0\nv 1 2 0\nv -1 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n";
    return path;
  }
  std::string stick() const {
    const std::string path = folder.file("stick.bvh");
    std::ofstream(path)
        << "HIERARCHY\nROOT hips\n{\nOFFSET 0 0.2 0\nCHANNELS 6 Xposition Yposition Zposition "
           "Zrotation Xrotation Yrotation\nJOINT head\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation "
           "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0.5 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame "
           "Time: 0.1\n0 0.2 0 0 0 0 0 0 0\n";
    return path;
  }

  const test::TemporaryFolder folder;
  const std::string input = folder.file("human.glb");
};

// The document without joints and weights, and without the numbers of accessors, which may move up.
Json without_weights(Json document) {
  for (Json& mesh : document["meshes"]) {
    for (Json& primitive : mesh["primitives"]) {
      for (const char* name : {"JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1"})
        primitive["attributes"].erase(name);
      for (Json& accessor : primitive["attributes"]) accessor = "accessor";
      primitive.erase("indices");
    }
  }
  for (Json& skin : document["skins"]) skin.erase("inverseBindMatrices");
  for (Json& clip : document["animations"]) {
    for (Json& sampler : clip["samplers"]) {
      sampler.erase("input");
      sampler.erase("output");
    }
  }
  return document;
}

TEST_F(Bind, ChangesJointsAndWeightsAlone) {
  const Result<BindReport> report = bind(job("bound.glb"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->joint_count, 51u);
  const Result<Asset> before = load(input), after = load(report->output);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->character.meshes[0].points, after->character.meshes[0].points);
  EXPECT_NE(before->character.meshes[0].weights, after->character.meshes[0].weights);
  for (std::size_t c = 0; c < before->character.clips[0].channels.size(); ++c)
    EXPECT_EQ(before->character.clips[0].channels[c].values, after->character.clips[0].channels[c].values);
  Json old_document = without_weights(test::glb_document(input));
  Json new_document = without_weights(test::glb_document(report->output));
  for (const char* kept : {"nodes", "skins", "animations", "materials", "scenes", "meshes"})
    EXPECT_EQ(old_document[kept], new_document[kept]) << kept;
}

// All points were bound to the one joint that the reader had given them to.
TEST_F(Bind, FindsTheJointsOfASkinnedMeshWithoutWeights) {
  std::ifstream file(input, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  for (const std::string name : {"\"JOINTS_", "\"WEIGHTS_"}) {
    for (std::size_t k = bytes.find(name); k != std::string::npos; k = bytes.find(name, k))
      bytes[k + 1] = '_';
  }
  const std::string bare = folder.file("bare.glb");
  std::ofstream(bare, std::ios::binary) << bytes;
  const Result<BindReport> whole = bind(job("whole.glb"));
  BindJob asked = job("out.glb");
  asked.input = bare;
  const Result<BindReport> own = bind(asked);
  ASSERT_TRUE(whole && own) << own.error().sentence;
  EXPECT_EQ(own->joint_count, whole->joint_count);
  asked.input = square();
  asked.skeleton = bare;
  asked.run.force = true;
  const Result<BindReport> others = bind(asked);
  ASSERT_TRUE(others) << others.error().sentence;
  for (const BindReport* report : {&*own, &*others}) {
    EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(),
                            [](const Note& note) { return note.id == "joints-by-name"; }));
    EXPECT_TRUE(std::none_of(report->idle.begin(), report->idle.end(),
                             [](const BindReport::Idle& idle) { return idle.reason == "unfollowed"; }));
  }
}

TEST_F(Bind, KeepsToTheInfluencesAskedFor) {
  BindJob asked = job("two.glb");
  asked.save.max_influences = 2;
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->points_by_influences.size(), 3u);
  EXPECT_EQ(report->points_by_influences[0], 0u);
  EXPECT_EQ(report->points_by_influences[1] + report->points_by_influences[2], report->point_count);
}

TEST_F(Bind, TakesJointsFromAnotherFileAndLeavesOutItsEnds) {
  BindJob asked = job("square.glb");
  asked.input = square();
  asked.skeleton = stick();
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->joint_count, 2u);
  ASSERT_EQ(report->idle.size(), 1u);
  EXPECT_EQ(report->idle[0].reason, "end");
  const Result<Asset> bound = load(asked.output);
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->character.skins.size(), 1u);
  EXPECT_FALSE(bound->character.meshes[0].uvs.empty());
  ASSERT_EQ(bound->character.meshes[0].points.size(), 4u);
  // The lower corners follow the hips, the upper ones the head.
  const Skin& skin = bound->character.skins[0];
  for (std::size_t v = 0; v < 4; ++v) {
    const Mesh& mesh = bound->character.meshes[0];
    const Index node = skin.node[static_cast<std::size_t>(mesh.weights.row(v)[0].slot)];
    EXPECT_EQ(bound->character.nodes[static_cast<std::size_t>(node)].name,
              mesh.points[v].y < 1 ? "hips" : "head");
  }
}

TEST_F(Bind, SaysWhatIsWrongInOneSentence) {
  BindJob bare = job("x.glb");
  bare.input = square();
  EXPECT_NE(bind(bare).error().sentence.find("has no skeleton; name a file with joints"), std::string::npos);
  BindJob motion = job("x.glb");
  motion.input = stick();
  EXPECT_NE(bind(motion).error().sentence.find("has no mesh to bind"), std::string::npos);
  BindJob unknown = job("x.glb");
  unknown.method = "heats";
  EXPECT_EQ(bind(unknown).error().code, Errc::usage);
  EXPECT_NE(bind(unknown).error().sentence.find("did you mean 'heat'"), std::string::npos);
  BindJob stranger = job("x.glb");
  stranger.joints.exclude = {"hip"};
  EXPECT_NE(bind(stranger).error().sentence.find("did you mean 'hips'"), std::string::npos);
  BindJob flat = job("x.obj");
  EXPECT_FALSE(bind(flat));
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.glb")));
}

TEST_F(Bind, SaysWhenJointsAndMeshDoNotBelongTogether) {
  BindJob asked = job("far.glb");
  asked.input = folder.file("far.obj");
  std::ofstream(asked.input) << "v 100 0 0\nv 101 0 0\nv 101 1 0\nf 1 2 3\n";
  asked.skeleton = stick();
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report);
  EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(), [](const Note& note) {
    return note.id == "joints-outside" && note.kind == Note::Kind::guess;
  }));
}

const Note* find_note(const Notes& notes, const std::string& id) {
  const auto found =
      std::find_if(notes.begin(), notes.end(), [&](const Note& note) { return note.id == id; });
  return found == notes.end() ? nullptr : &*found;
}

// A skeleton that lies within the box of the mesh, but beside the body.
TEST_F(Bind, DoubtsASkeletonThatIsLargelyOutsideTheBody) {
  for (const BindMethodRow& method : bind_methods()) {
    SCOPED_TRACE(method.name);
    BindJob asked = job("beside.glb");
    asked.input = folder.file("bent.obj");
    // Two sticks, one along x at the bottom, one along y at the left.
    std::ofstream(asked.input) << "v 0 0 0\nv 4 0 0\nv 4 0.1 0\nv 0 0.1 0\nv 0 4 0\nv 0.1 4 0\nv 0.1 0 0\n"
                                  "f 1 2 3 4\nf 1 7 6 5\n";
    asked.skeleton = folder.file("beside.bvh");
    std::ofstream(asked.skeleton)
        << "HIERARCHY\nROOT hips\n{\nOFFSET 2 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
           "Xrotation Yrotation\nJOINT head\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
           "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n2 1 0 0 0 0 0 0 0\n";
    asked.method = method.name;
    asked.attach.scale = 1;
    asked.run.force = true;
    const Result<BindReport> report = bind(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    const Note* note = find_note(report->notes, "joints-outside");
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->kind, Note::Kind::guess);
    EXPECT_NE(note->sentence.find("2 of 2 joints are outside the body (100 %): 'hips', 'head'"),
              std::string::npos)
        << note->sentence;
    EXPECT_NE(report->doubt.find("2 of 2 joints are outside the body"), std::string::npos) << report->doubt;
    EXPECT_EQ(report->outside_share, 1);
    EXPECT_TRUE(std::filesystem::exists(report->output));
  }
}

TEST_F(Bind, JointsBesideTheBodyAreExitCodeThreeUnlessAccepted) {
  const std::string skeleton = folder.file("beside.bvh");
  std::ofstream(skeleton)
      << "HIERARCHY\nROOT hips\n{\nOFFSET 9 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
         "Xrotation Yrotation\nJOINT head\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
         "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n9 1 0 0 0 0 0 0 0\n";
  const std::vector<std::string> words = {"bind",    input, "--skeleton", skeleton,
                                          "--scale", "1",   "-o",         folder.file("x.glb")};
  const test::CliResult doubted = test::run_cli(words);
  EXPECT_EQ(doubted.code, 3);
  EXPECT_TRUE(doubted.out.starts_with(folder.file("x.glb") + ": DOUBTFUL: ")) << doubted.out;
  EXPECT_TRUE(std::filesystem::exists(folder.file("x.glb")));
  std::vector<std::string> accepted = words;
  accepted.emplace_back("--accept");
  EXPECT_EQ(test::run_cli(accepted).code, 0);
  EXPECT_EQ(test::run_cli({"bind", input, "-o", folder.file("own.glb")}).code, 0);
}

TEST_F(Bind, CountsTheJointsThatPointsReallyFollow) {
  BindJob asked = job("square.glb");
  asked.input = square();
  asked.skeleton = stick();
  asked.joints.include = {"head_end"};
  asked.method = "rigid";
  const Result<Asset> joints = load(asked.skeleton);
  ASSERT_TRUE(joints);
  asked.joints.include = {node_label(joints->character, 2)};
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->joint_count, 2u);
  ASSERT_EQ(report->idle.size(), 1u);
  EXPECT_EQ(report->idle[0].reason, "unreached");
  EXPECT_EQ(Json::parse(to_json(*report))["joints"], 2);
}

TEST_F(Bind, LeavesNoJointTwiceWhenASkeletonIsReplaced) {
  BindJob asked = job("again.glb");
  asked.skeleton = folder.file("other.glb");
  std::filesystem::copy_file(input, asked.skeleton);
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> before = load(input), after = load(report->output);
  ASSERT_TRUE(before && after);
  EXPECT_TRUE(find_node(after->character, "hips"));
  EXPECT_EQ(after->character.skins[0].node.size(), before->character.skins[0].node.size());
  EXPECT_NE(find_note(report->notes, "joints-replaced"), nullptr);
  BindJob own = job("own.glb");
  own.attach.scale = 2;
  EXPECT_EQ(bind(own).error().code, Errc::usage);
}

TEST_F(Bind, SaysWhichFileANoteIsAbout) {
  BindJob asked = job("square.glb");
  asked.input = square();
  asked.skeleton = stick();
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  std::size_t units = 0;
  for (const Note& note : report->notes) {
    if (note.id.find("unit") == std::string::npos) continue;
    ++units;
    EXPECT_TRUE(note.sentence.starts_with(asked.input) || note.sentence.starts_with(asked.skeleton))
        << note.sentence;
  }
  EXPECT_EQ(units, 2u);
}

TEST_F(Bind, SaysWhatHasNoPolygonNoSizeOrNoNameOfItsOwn) {
  BindJob dust = job("dust.glb");
  dust.input = folder.file("dust.obj");
  std::ofstream(dust.input) << "v 0 0 0\nv 1 0 0\nv 1 2 0\n";
  dust.skeleton = stick();
  const Result<BindReport> bare = bind(dust);
  ASSERT_TRUE(bare) << bare.error().sentence;
  EXPECT_NE(find_note(bare->notes, "mesh-no-polygons"), nullptr);
  std::ofstream(dust.input) << "v 1 1 0\nv 1 1 0\nv 1 1 0\nf 1 2 3\n";
  dust.run.force = true;
  const Result<BindReport> flat = bind(dust);
  ASSERT_TRUE(flat) << flat.error().sentence;
  EXPECT_NE(find_note(flat->notes, "mesh-no-size"), nullptr);
  BindJob shared = job("shared.glb");
  shared.input = square();
  shared.skeleton = folder.file("twins.bvh");
  std::ofstream(shared.skeleton)
      << "HIERARCHY\nROOT bone\n{\nOFFSET 0 0.2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT bone\n{\n"
         "OFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0.5 "
         "0\n}\n}\n}\nMOTION\n"
         "Frames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n";
  const Result<BindReport> named = bind(shared);
  ASSERT_TRUE(named) << named.error().sentence;
  ASSERT_NE(find_note(named->notes, "names-shared"), nullptr);
  EXPECT_NE(find_note(named->notes, "names-shared")->sentence.find("2 nodes share the name 'bone'"),
            std::string::npos)
      << find_note(named->notes, "names-shared")->sentence;
}

TEST_F(Bind, SaysWhenAllJointsLieAtOnePlace) {
  BindJob asked = job("point.glb");
  asked.input = square();
  asked.skeleton = folder.file("point.bvh");
  std::ofstream(asked.skeleton)
      << "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT head\n{\n"
         "OFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0 0\n}\n}\n}\n"
         "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n";
  for (const BindMethodRow& method : bind_methods()) {
    SCOPED_TRACE(method.name);
    asked.method = method.name;
    asked.run.force = true;
    const Result<BindReport> report = bind(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_NE(find_note(report->notes, "joints-at-one-place"), nullptr);
    EXPECT_EQ(report->points_by_influences[0], 0u);
  }
}

TEST_F(Bind, RefusesAJointThatIsIncludedAndExcluded) {
  BindJob asked = job("x.glb");
  asked.joints = {{"hips"}, {"chest", "hips"}};
  const Result<BindReport> report = bind(asked);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::usage);
  EXPECT_NE(report.error().sentence.find("'hips' is both included and excluded"), std::string::npos);
}

TEST_F(Bind, RefusesOptionsOfOtherMethods) {
  const test::CliResult said =
      test::run_cli({"bind", input, "-o", folder.file("x.glb"), "--method", "heat", "--cell", "3"});
  EXPECT_EQ(said.code, 2) << said.err;
  EXPECT_NE(said.err.find("--cell is an option of --method voxel, not of heat"), std::string::npos)
      << said.err;
  EXPECT_EQ(test::run_cli({"bind", input, "-o", folder.file("x.glb"), "--cell", "0"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.glb")));
}

TEST_F(Bind, LetsShellsThatLookRigidFollowOneJointUnlessTheyAreSoft) {
  const std::string body = folder.file("plated.obj");
  std::ofstream out(body);
  const auto box = [&](int first, double low_y, double high_y, double low_z, double high_z, double wide) {
    for (int k = 0; k < 8; ++k)
      out << fmt::format("v {} {} {}\n", (k & 1) != 0 ? wide : -wide, (k & 2) != 0 ? high_y : low_y,
                         (k & 4) != 0 ? high_z : low_z);
    for (const char* face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) {
      int a = 0, b = 0, c = 0, d = 0;
      std::istringstream(face) >> a >> b >> c >> d;
      out << fmt::format("f {} {} {} {}\n", a + first, b + first, c + first, d + first);
    }
  };
  box(0, 0, 2, -0.3, 0.3, 0.4);
  box(8, 0.4, 0.8, 0.35, 0.4, 0.2);
  out.close();
  BindJob asked = job("plated.glb");
  asked.input = body;
  asked.skeleton = stick();
  asked.fits = false;
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_EQ(report->stiff.size(), 1u);
  EXPECT_EQ(report->stiff[0].shell, 1);
  EXPECT_EQ(report->stiff[0].joint, "hips");
  EXPECT_EQ(report->stiff[0].point_count, 8u);
  EXPECT_TRUE(test::has_note(report->notes, "shells-stiff"));

  asked.options.soft.shells = {{"", 1}};
  const Result<BindReport> soft = bind(asked);
  ASSERT_TRUE(soft) << soft.error().sentence;
  EXPECT_TRUE(soft->stiff.empty());
  EXPECT_FALSE(test::has_note(soft->notes, "shells-stiff"));

  const test::CliResult said = test::run_cli(
      {"bind", body, "--skeleton", asked.skeleton, "--no-fit", "--soft", "7", "-o", folder.file("x.glb")});
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("has no shell 7; it has 2 shells, numbered from 0"), std::string::npos) << said.err;
  EXPECT_EQ(test::run_cli({"bind", body, "--soft", "x:y", "-o", folder.file("x.glb")}).code, 2);
}

TEST_F(Bind, ListsItsMethodsAsJson) {
  const test::CliResult said = test::run_cli({"bind", "--list", "--json"});
  EXPECT_EQ(said.code, 0);
  const Json json = Json::parse(said.out);
  EXPECT_EQ(json["methods"].size(), bind_methods().size());
  EXPECT_EQ(json["methods"][0]["name"], "heat");
}

TEST_F(Bind, WritesAReportThatNamesWhatItDid) {
  BindJob asked = job("bound.glb");
  asked.report = folder.file("bind.html");
  const Result<BindReport> report = bind(asked);
  ASSERT_TRUE(report);
  std::ifstream file(asked.report);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(page.find("dermis bind"), std::string::npos);
  EXPECT_NE(page.find("max influences"), std::string::npos);
  EXPECT_NE(page.find("data:image/png"), std::string::npos);
}

// Every bare mesh there is, with a skeleton that was not made for it.
TEST_F(Bind, GivesEveryMeshThereIsCompleteWeights) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(data) + "/autorig")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".obj" && extension != ".off") continue;
    SCOPED_TRACE(entry.path().filename().string());
    BindJob asked = job("any.glb");
    asked.input = entry.path().string();
    asked.skeleton = input;
    asked.run.force = true;
    const Result<BindReport> report = bind(asked);
    ASSERT_TRUE(report) << report.error().sentence;
    ASSERT_FALSE(report->points_by_influences.empty());
    EXPECT_EQ(report->points_by_influences[0], 0u);
    const Result<Asset> bound = load(asked.output);
    ASSERT_TRUE(bound);
    ++count;
  }
  EXPECT_GE(count, 10u);
}

}  // namespace
}  // namespace dermis
