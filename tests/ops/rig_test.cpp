// SPDX-License-Identifier: MIT
// The verb rig: what comes out of a mesh, what a glTF keeps, what is refused, and what is said.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dermis/made.h"
#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "ops/glb_document.h"
#include "outside/files.h"

namespace dermis {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same file with another JSON chunk.
void write_glb(const std::string& from, Json json, const std::string& to) {
  const std::string bytes = text_of_file(from);
  std::uint32_t size = 0;
  std::copy_n(bytes.data() + 12, 4, reinterpret_cast<char*>(&size));
  const std::string rest = bytes.substr(20 + size);
  std::string text = json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  std::ofstream(to, std::ios::binary)
      << "glTF" << test::MadeGltf::word(2) << test::MadeGltf::word(20 + text.size() + rest.size())
      << test::MadeGltf::word(text.size()) << "JSON" << text << rest;
}

std::string sentence_of(const Notes& notes, const std::string& id) {
  for (const Note& note : notes)
    if (note.id == id) return note.sentence;
  return "";
}

class Rig : public testing::Test {
 protected:
  Rig() {
    EXPECT_TRUE(save(skinned, {human(), {}, nullptr}));
    EXPECT_TRUE(save_posed(obj, {still(), {}, nullptr}, still()));
    EXPECT_TRUE(save(bare, {still(), {}, nullptr}));
  }
  // Made once for all tests.
  static const Character& human() {
    static const Result<Character> made = make_character(MadeKind::humanoid, {3000}, {});
    return *made;
  }
  // The same as it rests, without its skeleton.
  static const Character& still() {
    static const Result<Character> posed = deform_character(human(), *pose_frame(human(), {}), {});
    return *posed;
  }
  RigJob job(const std::string& input, const std::string& name = "out.glb") const {
    RigJob asked;
    asked.input = input;
    asked.output = folder.file(name);
    asked.skeleton = "biped";
    return asked;
  }
  std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  }

  const test::TemporaryFolder folder;
  const std::string skinned = folder.file("skinned.glb"), bare = folder.file("bare.glb"),
                    obj = folder.file("bare.obj");
};

TEST_F(Rig, BareMeshComesOutBoundToJointsInsideIt) {
  const Result<RigReport> report = rig(job(obj));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->skeleton.name, "biped");
  EXPECT_EQ(report->error_count, 0u);
  const Result<Asset> rigged = load(folder.file("out.glb"));
  ASSERT_TRUE(rigged) << rigged.error().sentence;
  ASSERT_EQ(rigged->character.skins.size(), 1u);
  EXPECT_EQ(rigged->character.skins[0].node.size(), report->bound_joint_count);
}

TEST_F(Rig, RightSkeletonIsTrustedInTheFirstLine) {
  const Result<RigReport> report = rig(job(obj));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GE(report->judgement.confidence, kLeastConfidence);
  EXPECT_TRUE(report->doubt.empty()) << report->doubt;
  const std::string text = to_text(*report), first = text.substr(0, text.find('\n'));
  EXPECT_NE(first.find("confidence"), std::string::npos) << first;
  const Json json = Json::parse(to_json(*report));
  EXPECT_EQ(json["confidence"], report->judgement.confidence);
  EXPECT_TRUE(json["doubt"].is_null());
}

// Five beams about one place, which no template fits.
std::string beams() {
  std::string text;
  int points = 0;
  const auto box = [&](const Vec3d& a, const Vec3d& b) {
    for (int k = 0; k < 8; ++k)
      text += "v " + std::to_string((k & 1) != 0 ? b.x : a.x) + " " +
              std::to_string((k & 2) != 0 ? b.y : a.y) + " " + std::to_string((k & 4) != 0 ? b.z : a.z) +
              "\n";
    for (const auto& f : {std::array{1, 3, 4, 2}, std::array{5, 6, 8, 7}, std::array{1, 2, 6, 5},
                          std::array{3, 7, 8, 4}, std::array{1, 5, 7, 3}, std::array{2, 4, 8, 6}}) {
      text += "f";
      for (const int corner : f) text += " " + std::to_string(points + corner);
      text += "\n";
    }
    points += 8;
  };
  const double r = 0.7;
  box({-r, -r, -r}, {10, r, r});
  box({-8, -r, -r}, {r, r, r});
  box({-r, -r, -r}, {r, 9, r});
  box({-r, -7, -r}, {r, r, r});
  box({-r, -r, -r}, {r, r, 6});
  return text;
}

TEST_F(Rig, DoubtfulSkeletonIsWrittenWithExitCodeThreeUnlessAccepted) {
  const std::string mesh = written("beams.obj", beams()), output = folder.file("beams.glb");
  const test::CliResult doubted = test::run_cli({"rig", mesh, "-o", output});
  EXPECT_EQ(doubted.code, 3) << doubted.err;
  EXPECT_TRUE(doubted.out.starts_with(output + ": DOUBTFUL: confidence")) << doubted.out;
  EXPECT_NE(doubted.out.find("written all the same"), std::string::npos) << doubted.out;
  EXPECT_TRUE(fs::exists(output));
  const test::CliResult accepted = test::run_cli({"rig", mesh, "-o", output, "--accept", "--json"});
  EXPECT_EQ(accepted.code, 0) << accepted.err;
  const Json json = Json::parse(accepted.out);
  EXPECT_LT(json["confidence"], kLeastConfidence);
  EXPECT_TRUE(json["doubt_accepted"]);
  EXPECT_EQ(json["reasons"][0]["id"], "template-none");
  EXPECT_EQ(test::run_cli({"rig", mesh, "--template", "extract", "-o", output}).code, 0);
}

TEST_F(Rig, EndsOfLimbsAreNodesAndNoJointsOfTheSkin) {
  const Result<RigReport> report = rig(job(obj));
  ASSERT_TRUE(report) << report.error().sentence;
  for (const RigReport::Found& found : report->findings) EXPECT_NE(found.rule, "joint-unused");
  const Json document = test::glb_document(folder.file("out.glb"));
  std::size_t end_count = 0;
  for (std::size_t n = 0; n < document["nodes"].size(); ++n) {
    if (document["nodes"][n].value("name", "").find("_end") == std::string::npos) continue;
    ++end_count;
    for (const Json& joint : document["skins"][0]["joints"]) EXPECT_NE(joint, n);
  }
  EXPECT_GE(end_count, 3u);
}

TEST_F(Rig, FindingsAreCountedByRule) {
  const Result<RigReport> report = rig(job(obj));
  ASSERT_TRUE(report) << report.error().sentence;
  std::size_t count = 0;
  for (const RigReport::Found& found : report->findings) count += found.count;
  EXPECT_EQ(count, report->error_count + report->warning_count);
}

TEST_F(Rig, MaterialsAndTextureCoordinatesOfAnObjStay) {
  written("skin.mtl", "newmtl green\nKd 0.1 0.9 0.2\n");
  const std::string plain = text_of_file(obj);
  std::string text = "mtllib skin.mtl\n";
  std::istringstream lines(plain);
  bool is_first_face = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("mtllib") || line.starts_with("usemtl")) continue;
    if (line.starts_with("f ") && is_first_face) text += "usemtl green\n", is_first_face = false;
    text += line + "\n";
  }
  const Result<RigReport> report = rig(job(written("painted.obj", text)));
  ASSERT_TRUE(report) << report.error().sentence;
  const Result<Asset> before = load(folder.file("painted.obj")), after = load(folder.file("out.glb"));
  ASSERT_TRUE(before && after);
  ASSERT_FALSE(after->character.materials.empty());
  EXPECT_EQ(after->character.materials[0].name, "green");
  EXPECT_FLOAT_EQ(after->character.materials[0].base_colour.y, before->character.materials[0].base_colour.y);
  EXPECT_EQ(after->character.meshes[0].uvs.size(), before->character.meshes[0].uvs.size());
}

// What dermis does not know of a glTF goes through.
TEST_F(Rig, GltfKeepsWhatIsNotAboutItsSkeleton) {
  Json json = test::glb_document(bare);
  json["asset"]["copyright"] = "somebody";
  json["asset"]["extras"]["title"] = "a body";
  json["nodes"][0]["extras"]["x"] = 1;
  json["meshes"][0]["extras"]["y"] = 2;
  json["materials"][0]["extras"]["z"] = 3;
  json["materials"][0]["extensions"]["KHR_materials_clearcoat"]["clearcoatFactor"] = 0.5;
  json["extensionsUsed"] = {"KHR_materials_clearcoat"};
  Json& attributes = json["meshes"][0]["primitives"][0]["attributes"];
  attributes["_CUSTOM"] = attributes["POSITION"];
  json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 1.0}, {"znear", 0.1}}}}};
  json["scenes"][0]["nodes"].push_back(json["nodes"].size());
  json["nodes"].push_back({{"camera", 0}});
  write_glb(bare, json, folder.file("rich.glb"));
  const Result<RigReport> report = rig(job(folder.file("rich.glb")));
  ASSERT_TRUE(report) << report.error().sentence;
  const Json out = test::glb_document(folder.file("out.glb"));
  EXPECT_EQ(out["asset"], json["asset"]);
  EXPECT_EQ(out["materials"], json["materials"]);
  EXPECT_EQ(out["cameras"], json["cameras"]);
  EXPECT_EQ(out["nodes"][0]["extras"], json["nodes"][0]["extras"]);
  EXPECT_EQ(out["meshes"][0]["extras"], json["meshes"][0]["extras"]);
  EXPECT_TRUE(out["meshes"][0]["primitives"][0]["attributes"].contains("_CUSTOM"));
  EXPECT_TRUE(out["meshes"][0]["primitives"][0]["attributes"].contains("JOINTS_0"));
  EXPECT_EQ(out["nodes"][0]["skin"], 0);
}

TEST_F(Rig, ClipOfABareGltfIsLeftOutWithANote) {
  Result<Asset> asset = load(bare);
  ASSERT_TRUE(asset);
  Clip clip;
  clip.name = "slide";
  Channel channel;
  channel.target = 0;
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 1, 0, 0};
  clip.channels.push_back(channel);
  asset->character.clips.push_back(clip);
  ASSERT_TRUE(save(folder.file("sliding.glb"), {asset->character, {}, nullptr}));
  const Result<RigReport> report = rig(job(folder.file("sliding.glb")));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "clips-left-out"));
  EXPECT_FALSE(test::glb_document(folder.file("out.glb")).contains("animations"));
}

// The old joints go, and what is not the skeleton's stays.
TEST_F(Rig, SkinnedGltfLosesItsSkeletonAndKeepsTheRest) {
  Json json = test::glb_document(skinned);
  json["asset"]["copyright"] = "somebody";
  json["meshes"][0]["extras"]["y"] = 2;
  write_glb(skinned, json, folder.file("rich.glb"));
  RigJob asked = job(folder.file("rich.glb"));
  asked.names = "mixamo";
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "skeleton-replaced"));
  const Json out = test::glb_document(folder.file("out.glb"));
  EXPECT_EQ(out["asset"]["copyright"], "somebody");
  EXPECT_EQ(out["meshes"][0]["extras"]["y"], 2);
  EXPECT_EQ(out["skins"].size(), 1u);
  for (const Json& node : out["nodes"]) EXPECT_NE(node.value("name", ""), "forearm_L");
  EXPECT_TRUE(load(folder.file("out.glb")));
}

TEST_F(Rig, MixamoNamesAreWrittenWhenAskedFor) {
  RigJob asked = job(obj);
  asked.names = "mixamo";
  ASSERT_TRUE(rig(asked));
  const std::string text = test::glb_document(asked.output).dump();
  EXPECT_NE(text.find("mixamorig:LeftForeArm"), std::string::npos);
  EXPECT_EQ(text.find("forearm_L"), std::string::npos);
}

TEST_F(Rig, StraightenedBodyRestsInATPoseAndSaysHowFarItTurned) {
  RigJob asked = job(bare, "straight.glb");
  asked.straighten = "t";
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  ASSERT_TRUE(report->straight);
  EXPECT_EQ(report->straight->pose, "T-pose");
  EXPECT_GT(report->straight->largest_turn, 30);  // the made humanoid rests in an A-pose
  EXPECT_LT(report->straight->torn, 0.02);
  EXPECT_LT(std::abs(report->straight->volume_change), 0.03);
  EXPECT_NE(sentence_of(report->notes, "straightened").find("T-pose"), std::string::npos);
  EXPECT_EQ(report->error_count, 0u);
  EXPECT_EQ(report->doubt, "");
  const Result<Asset> written = load(asked.output);
  ASSERT_TRUE(written) << written.error().sentence;
  const Character& character = written->character;
  const std::vector<Affined> world = rest_world(character);
  const auto place = [&](const char* joint) { return world[at(*find_node(character, joint))].translation; };
  for (const char* joint : {"forearm_L", "hand_L", "upper_arm_R", "hand_R"})
    EXPECT_NEAR(place(joint).y, place("upper_arm_L").y, 1e-4) << joint;
  EXPECT_NEAR(place("foot_L").x, place("thigh_L").x, 1e-4);
  // The report has the joints where they are now.
  for (const FoundJoint& joint : report->skeleton.joints)
    EXPECT_LT(length(joint.at - place(joint.name.c_str())), 1e-4) << joint.name;
  // Bind and rest pose agree.
  for (std::size_t k = 0; k < character.skins[0].node.size(); ++k) {
    const Affined entry = world[at(character.skins[0].node[k])] * Affined(character.skins[0].inverse_bind[k]);
    EXPECT_LT(length(entry.translation), 1e-4);
  }
}

TEST_F(Rig, StraighteningABodyWithoutKnownLimbsIsADoubt) {
  const Result<Character> hand = make_character(MadeKind::hand, {3000}, {});
  ASSERT_TRUE(hand) << hand.error().sentence;
  const Result<Character> bare_hand = deform_character(*hand, *pose_frame(*hand, {}), {});
  const std::string input = folder.file("hand.obj");
  ASSERT_TRUE(save_posed(input, {*bare_hand, {}, nullptr}, *bare_hand));
  RigJob asked = job(input, "extracted.glb");
  asked.skeleton = "extract";
  asked.straighten = "a";
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(report->straight);
  EXPECT_NE(sentence_of(report->notes, "not-straightened"), "");
  EXPECT_NE(report->doubt.find("not straightened"), std::string::npos);
}

TEST_F(Rig, UnknownStraightPoseIsRefusedBeforeTheFileIsRead) {
  RigJob asked = job("missing.obj");
  asked.straighten = "y";
  const Result<RigReport> report = rig(asked);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::usage);
}

TEST_F(Rig, MotionBecomesTheOnlyClip) {
  RigJob asked = job(bare);
  asked.motion = "walk";
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_GT(report->figures.seconds, 0.5);
  EXPECT_EQ(test::glb_document(asked.output)["animations"].size(), 1u);
}

TEST_F(Rig, MarkerPinsItsJointUnderAnyOfItsNames) {
  const Result<RigReport> plain = rig(job(obj));
  ASSERT_TRUE(plain) << plain.error().sentence;
  const auto hand = std::find_if(plain->skeleton.joints.begin(), plain->skeleton.joints.end(),
                                 [](const FoundJoint& joint) { return joint.name == "hand_L"; });
  ASSERT_NE(hand, plain->skeleton.joints.end());
  const Vec3d place = hand->at - Vec3d{0.01, 0, 0};
  for (const char* name : {"hand_L", "wrist_L", "mixamorig:LeftHand", "LeftHand"}) {
    RigJob asked = job(obj);
    asked.markers = {std::string(name) + "=" + std::to_string(place.x) + "," + std::to_string(place.y) + "," +
                     std::to_string(place.z)};
    const Result<RigReport> report = rig(asked);
    ASSERT_TRUE(report) << name << ": " << report.error().sentence;
    for (const FoundJoint& joint : report->skeleton.joints) {
      if (joint.name == "hand_L") {
        EXPECT_LT(length(joint.at - place), 1e-4) << name;
      }
    }
  }
}

TEST_F(Rig, SuggestedJointsAreAFileOfMarkers) {
  RigJob asked = job(obj);
  asked.suggested = folder.file("joints.txt");
  const Result<RigReport> first = rig(asked);
  ASSERT_TRUE(first) << first.error().sentence;
  const Result<std::vector<RigMarker>> places = parse_rig_markers(text_of_file(asked.suggested));
  ASSERT_TRUE(places) << places.error().sentence;
  ASSERT_EQ(places->size(), first->bound_joint_count);
  asked.marker_file = written("edited.txt", rig_markers_text(*places) + "# nothing\n\n");
  asked.suggested.clear();
  const Result<RigReport> second = rig(asked);
  ASSERT_TRUE(second) << second.error().sentence;
  ASSERT_EQ(second->places.size(), places->size());
  for (std::size_t k = 0; k < places->size(); ++k) {
    EXPECT_EQ(second->places[k].joint, (*places)[k].joint);
    EXPECT_LT(length(second->places[k].at - (*places)[k].at), 1e-4) << (*places)[k].joint;
  }
}

TEST_F(Rig, MarkersOfTheCommandLineCountBeforeThoseOfTheFile) {
  RigJob asked = job(obj);
  asked.marker_file = written("markers.txt", "hand_L = 0.1, 0.1, 0.1  # wrong\n");
  asked.markers = {"hand_L=0.6,1.2,0"};
  const Result<RigRequest> request = rig_request(asked);
  ASSERT_TRUE(request) << request.error().sentence;
  ASSERT_EQ(request->find.markers.size(), 1u);
  EXPECT_EQ(request->find.markers[0].at, (Vec3d{0.6, 1.2, 0}));
  asked.marker_file = written("bad.txt", "hand_L 1 2 3\nhand_R 1 2\n");
  const Result<RigRequest> bad = rig_request(asked);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().sentence.find("bad.txt: line 2 is not a joint and three numbers"), std::string::npos)
      << bad.error().sentence;
  asked.suggested = folder.file("joints.glb");
  asked.marker_file.clear();
  EXPECT_FALSE(rig(asked));
}

TEST_F(Rig, MarkersThatCannotBeMeantAreRefused) {
  RigJob asked = job(obj);
  asked.markers = {"hand_L=99,0.2,0"};
  const Result<RigReport> far = rig(asked);
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().sentence.find("far outside the mesh"), std::string::npos) << far.error().sentence;
  asked.markers = {"wristL=0.5,1.2,0"};
  const Result<RigReport> unknown = rig(asked);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().sentence.find("wrist_L"), std::string::npos) << unknown.error().sentence;
  asked.markers = {"hand_L=1,2"};
  EXPECT_EQ(rig(asked).error().code, Errc::usage);
}

TEST_F(Rig, GroupsOfAnObjAreTakenAloneAndUnknownOnesRefused) {
  std::string text = text_of_file(obj);
  text += "g far\nv 50 0 0\nv 51 0 0\nv 50 1 0\nf -3 -2 -1\n";
  text.insert(text.find("\nf ") + 1, "g body\n");
  RigJob asked = job(written("groups.obj", text));
  asked.groups = {"body"};
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_LT(report->skeleton.size, 10);
  asked.groups = {"bodi"};
  const Result<RigReport> unknown = rig(asked);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().sentence.find("body"), std::string::npos) << unknown.error().sentence;
}

TEST_F(Rig, BodyAlongAnotherAxisIsTurnedAndItsHeightToldAfterwards) {
  const Result<Asset> standing = load(obj);
  ASSERT_TRUE(standing);
  Character lying = standing->character;
  for (Vec3& p : lying.meshes[0].points) p = {p.y, p.z, p.x};
  lying.meshes[0].normals = {};
  ASSERT_TRUE(save_posed(folder.file("lying.obj"), {lying, {}, nullptr}, lying));
  RigJob asked = job(folder.file("lying.obj"));
  asked.up = "x";
  const Result<RigReport> report = rig(asked);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(sentence_of(report->notes, "unit-guessed").find("0."), std::string::npos);
  EXPECT_EQ(sentence_of(report->notes, "orientation-found").find(" up"), std::string::npos);
  double top = 0;
  for (const FoundJoint& joint : report->skeleton.joints)
    if (joint.name == "head") top = joint.at.y;
  EXPECT_GT(top, 1);
}

TEST_F(Rig, TemplateThatDoesNotFitIsRefusedWithItsCostAndAPicture) {
  RigJob asked = job(obj);
  asked.skeleton = "hand";
  const Result<RigReport> plain = rig(asked);
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().code, Errc::bad_rig);
  EXPECT_NE(plain.error().sentence.find("costs"), std::string::npos) << plain.error().sentence;
  EXPECT_NE(words_of(plain.error(), "rig").find("--report"), std::string::npos) << plain.error().sentence;
  asked.report = folder.file("bad.html");
  const Result<RigReport> shown = rig(asked);
  ASSERT_FALSE(shown);
  EXPECT_NE(shown.error().sentence.find("bad.html"), std::string::npos) << shown.error().sentence;
  const std::string page = text_of_file(asked.report);
  EXPECT_NE(page.find("does not fit"), std::string::npos);
  EXPECT_NE(page.find("<img"), std::string::npos);
  EXPECT_FALSE(fs::exists(asked.output));
}

TEST_F(Rig, ReportShowsCostsAndPictures) {
  RigJob asked = job(obj);
  asked.report = folder.file("rig.html");
  ASSERT_TRUE(rig(asked));
  const std::string page = text_of_file(asked.report);
  EXPECT_NE(page.find("Why this skeleton"), std::string::npos);
  EXPECT_NE(page.find("<img"), std::string::npos);
}

TEST_F(Rig, MeshesWithoutABodyAreRefusedInOneSentence) {
  const std::string nan = "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  for (const auto& [name, text] : {std::pair{"points.obj", std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\n")},
                                   {"flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"},
                                   {"empty.obj", ""},
                                   {"nan.obj", nan}}) {
    RigJob asked = job(written(name, text));
    const Result<RigReport> report = rig(asked);
    ASSERT_FALSE(report) << name;
    EXPECT_NE(report.error().sentence.find(name), std::string::npos) << report.error().sentence;
    EXPECT_FALSE(fs::exists(asked.output)) << name;
  }
}

TEST_F(Rig, WhatIsWrongWhateverTheFileIsSaidBeforeItIsRead) {
  RigJob asked = job(folder.file("none.obj"));
  asked.clip = "3";
  EXPECT_EQ(rig(asked).error().code, Errc::usage) << "a clip without a motion";
  asked.clip.clear();
  asked.up = "w";
  EXPECT_EQ(rig(asked).error().code, Errc::usage);
  asked.up.clear();
  asked.skeleton = written("empty.txt", "");
  const Result<RigReport> empty = rig(asked);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().sentence.find("cannot be read"), std::string::npos) << empty.error().sentence;
}

TEST_F(Rig, SameBytesOnAnyThreadCount) {
  set_thread_count(1);
  ASSERT_TRUE(rig(job(bare, "one.glb")));
  set_thread_count(3);
  ASSERT_TRUE(rig(job(bare, "three.glb")));
  set_thread_count(0);
  EXPECT_TRUE(text_of_file(folder.file("one.glb")) == text_of_file(folder.file("three.glb")));
}

TEST_F(Rig, StoppedWorkLeavesNoFile) {
  for (const char* stage : {"looking for limbs", "packing spheres", "placing joints"}) {
    std::atomic<bool> stop{false};
    RigJob asked = job(obj);
    asked.run.progress = Progress([&](std::string_view at, double) { stop = stop || at == stage; }, &stop);
    const Result<RigReport> report = rig(asked);
    ASSERT_FALSE(report) << stage;
    EXPECT_EQ(report.error().code, Errc::cancelled) << stage;
    EXPECT_FALSE(fs::exists(asked.output));
  }
}

// A mesh that the document shows twice: both places had the weights of one.
TEST_F(Rig, BootsThatAreOneMeshFollowAFootEach) {
  Character character = still();
  const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
  ASSERT_TRUE(tube);
  Mesh boot = tube->meshes[0];
  boot.name = "boot";
  boot.weights = {};
  boot.shapes.clear();
  for (MeshPart& part : boot.parts) part.material = kNone;
  for (Vec3& p : boot.points) p = p * 0.05f;
  character.meshes.push_back(boot);
  const std::vector<Affined> world = rest_world(human());
  for (std::size_t n = 0; n < human().nodes.size(); ++n) {
    if (!human().nodes[n].name.starts_with("foot_")) continue;
    Node node;
    node.name = "boot_" + human().nodes[n].name;
    node.rest.translation = Vec3(world[n].translation);
    character.instances.push_back({static_cast<Index>(character.nodes.size()), 1, kNone, {}, true});
    character.nodes.push_back(node);
  }
  ASSERT_EQ(character.instances.size(), 3u);
  ASSERT_TRUE(save(folder.file("boots.glb"), {character, {}, nullptr}));
  Json json = test::glb_document(folder.file("boots.glb"));
  json["meshes"][1]["extras"]["leather"] = true;
  write_glb(folder.file("boots.glb"), json, folder.file("rich.glb"));
  const Result<RigReport> report = rig(job(folder.file("rich.glb")));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(sentence_of(report->notes, "mesh-copied").empty());
  const Result<Asset> rigged = load(folder.file("out.glb"));
  ASSERT_TRUE(rigged) << rigged.error().sentence;
  const Character& shod = rigged->character;
  ASSERT_EQ(shod.meshes.size(), 3u);
  EXPECT_EQ(test::glb_document(folder.file("out.glb"))["meshes"][2]["extras"], json["meshes"][1]["extras"]);
  std::size_t boot_count = 0;
  for (const Instance& instance : shod.instances) {
    const std::string& name = shod.nodes[static_cast<std::size_t>(instance.node)].name;
    if (!name.starts_with("boot_")) continue;
    ++boot_count;
    const Skin& skin = shod.skins[static_cast<std::size_t>(instance.skin)];
    for (const Influence& one : shod.meshes[static_cast<std::size_t>(instance.mesh)].weights.influences) {
      const Index joint = skin.node[static_cast<std::size_t>(one.slot)];
      EXPECT_EQ(shod.nodes[static_cast<std::size_t>(joint)].name.back(), name.back());
    }
  }
  EXPECT_EQ(boot_count, 2u);
}

// A hat is no skin: it moves with the head, all of it.
TEST_F(Rig, FloorIsNotSearchedAndStaysWithTheRoot) {
  std::string text = text_of_file(obj);
  int count = 0;
  for (std::size_t v = text.find("\nv "); v != std::string::npos; v = text.find("\nv ", v + 1)) ++count;
  for (int k = 0; k < 8; ++k)
    text +=
        fmt::format("v {} {} {}\n", (k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 0 : -0.03, (k & 4) != 0 ? 1 : -1);
  for (const std::array<int, 4>& face :
       {std::array{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}}) {
    text += "f";
    for (const int corner : face) text += fmt::format(" {}", count + corner);
    text += "\n";
  }
  const Result<RigReport> report = rig(job(written("floor.obj", text)));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(sentence_of(report->notes, "plates-set-aside"),
            "1 plate that the body stands or lies on is not searched for limbs");
  ASSERT_EQ(report->skeleton.aside.size(), 1u);
  ASSERT_EQ(report->stiff.size(), 1u);
  EXPECT_EQ(report->stiff[0].joint, "hips");
  EXPECT_EQ(report->stiff[0].point_count, 8u);
}

TEST_F(Rig, WhatIsWornMovesWithOneJoint) {
  Result<Asset> asset = load(skinned);
  ASSERT_TRUE(asset);
  Character& character = asset->character;
  Index head = kNone;
  for (std::size_t n = 0; n < character.nodes.size(); ++n)
    if (character.nodes[n].name == "head") head = static_cast<Index>(n);
  ASSERT_NE(head, kNone);
  const Result<Character> tube = make_character(MadeKind::tube, {1000}, {});
  ASSERT_TRUE(tube);
  Mesh hat = tube->meshes[0];
  hat.name = "hat";
  hat.weights = {};
  hat.shapes.clear();
  for (MeshPart& part : hat.parts) part.material = kNone;
  for (Vec3& p : hat.points) p = p * 0.1f + Vec3{0, 0.3f, 0};
  character.meshes.push_back(hat);
  Node node;
  node.name = "hat";
  node.parent = head;
  character.nodes.push_back(node);
  Instance worn;
  worn.node = static_cast<Index>(character.nodes.size() - 1);
  worn.mesh = static_cast<Index>(character.meshes.size() - 1);
  character.instances.push_back(worn);
  character.clips.clear();
  ASSERT_TRUE(save(folder.file("hat.glb"), {character, {}, nullptr}));
  const Result<RigReport> report = rig(job(folder.file("hat.glb")));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NE(sentence_of(report->notes, "props-held").find("'hat' with '"), std::string::npos)
      << sentence_of(report->notes, "props-held");
  const Result<Asset> rigged = load(folder.file("out.glb"));
  ASSERT_TRUE(rigged);
  for (const Mesh& mesh : rigged->character.meshes) {
    if (mesh.name != "hat") continue;
    for (const Influence& influence : mesh.weights.influences) {
      EXPECT_EQ(influence.slot, mesh.weights.influences[0].slot);
      EXPECT_EQ(influence.weight, 1);
    }
  }
}

}  // namespace
}  // namespace dermis
