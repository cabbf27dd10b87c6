// SPDX-License-Identifier: MIT
// The unit of the input: right sizes in metres, and everything scaled alike.
#include <gtest/gtest.h>

#include <cmath>

#include "dermis/ops.h"
#include "io/gltf/builder.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::has_note;

double height_of(const Character& character) {
  const Result<PoseFrame> rest = pose_frame(character, {});
  EXPECT_TRUE(rest);
  const Box box = box_at_rest(character, *rest);
  return box.upper.y - box.lower.y;
}

const Character& person_in_metres() {
  static const Character character = *make_character(MadeKind::humanoid, {2000}, {});
  return character;
}

class Unit : public testing::Test {
 protected:
  // A humanoid of 182 units, as a program that works in centimetres writes it.
  std::string obj_in_centimetres() const {
    const Character& person = person_in_metres();
    const float factor = static_cast<float>(182 / height_of(person));
    Result<Character> still = deform_character(person, *pose_frame(person, {}), {});
    EXPECT_TRUE(still);
    for (Mesh& mesh : still->meshes) {
      for (Vec3& point : mesh.points) point = point * factor;
    }
    const std::string path = folder.file("person.obj");
    EXPECT_TRUE(save_posed(path, {}, *still));
    return path;
  }
  const test::TemporaryFolder folder;
};

TEST_F(Unit, IsReadFromNamesAndNumbers) {
  const std::pair<const char*, double> rows[] = {{"cm", 0.01},   {"CM", 0.01},     {"centimeters", 0.01},
                                                 {"m", 1},       {"inch", 0.0254}, {"ft", 0.3048},
                                                 {"0.01", 0.01}, {"1e-3", 0.001},  {"millimetre", 0.001}};
  for (const auto& [text, metres] : rows) {
    const Result<double> unit = parse_unit(text);
    ASSERT_TRUE(unit) << text;
    EXPECT_DOUBLE_EQ(*unit, metres) << text;
  }
  for (const char* text : {"", "0", "-1", "nan", "inf", "parsec", "cm "}) {
    const Result<double> unit = parse_unit(text);
    ASSERT_FALSE(unit) << text;
    EXPECT_EQ(unit.error().code, Errc::usage);
    EXPECT_NE(unit.error().sentence.find(unit_symbols()), std::string::npos) << unit.error().sentence;
  }
  EXPECT_NE(unit_symbols().find("cm, "), std::string::npos);
}

TEST_F(Unit, AnObjInCentimetresIsAsTallAsItsPersonInMetres) {
  ConvertJob job;
  job.input = obj_in_centimetres();
  job.output = folder.file("person.glb");
  const Result<ConvertReport> guessed = convert(job);
  ASSERT_TRUE(guessed) << guessed.error().sentence;
  EXPECT_TRUE(has_note(guessed->notes, "size-unusual"));
  const auto warning = std::find_if(guessed->notes.begin(), guessed->notes.end(),
                                    [](const Note& note) { return note.id == "size-unusual"; });
  EXPECT_NE(words_of(*warning, "convert").find("--unit cm"), std::string::npos)
      << words_of(*warning, "convert");
  EXPECT_EQ(severity_of(*warning), Severity::warning);
  EXPECT_NEAR(height_of(load(job.output)->character), 182, 0.01);

  job.run.metres_per_unit = 0.01;
  const Result<ConvertReport> stated = convert(job);
  ASSERT_TRUE(stated) << stated.error().sentence;
  EXPECT_FALSE(has_note(stated->notes, "size-unusual"));
  EXPECT_FALSE(has_note(stated->notes, "unit-guessed"));
  EXPECT_TRUE(has_note(stated->notes, "scaled-to-metres"));
  EXPECT_NEAR(height_of(load(job.output)->character), 1.82, 1e-4);
}

// "metres are assumed; use --unit m to change that" changes nothing.
TEST_F(Unit, ThatIsAssumedIsNotSuggested) {
  const Character& person = person_in_metres();
  const Result<Character> still = deform_character(person, *pose_frame(person, {}), {});
  ASSERT_TRUE(still);
  for (const char* name : {"person.obj", "person.ply"}) {
    ASSERT_TRUE(save_posed(folder.file(name), {}, *still));
    const Result<Asset> asset = load(folder.file(name));
    ASSERT_TRUE(asset);
    ASSERT_TRUE(has_note(asset->notes, "unit-guessed"));
    for (const Note& note : asset->notes) {
      const std::string words = words_of(note, "convert");
      EXPECT_EQ(words.find("--unit m "), std::string::npos) << words;
      if (note.id == "unit-guessed") {
        EXPECT_NE(words.find("--unit UNIT"), std::string::npos) << words;
      }
    }
  }
}

TEST_F(Unit, ThatIsStatedLeavesNoGuessInAnyFormat) {
  const Character& person = person_in_metres();
  const std::string bvh = folder.file("person.bvh");
  ASSERT_TRUE(save(bvh, {person}));
  for (const std::string& path : {bvh, obj_in_centimetres()}) {
    EXPECT_TRUE(has_note(load(path)->notes, "unit-guessed")) << path;
    LoadOptions options;
    options.metres_per_unit = 0.01;
    const Result<Asset> stated = load(path, options);
    ASSERT_TRUE(stated) << path;
    EXPECT_FALSE(has_note(stated->notes, "unit-guessed")) << path;
    EXPECT_EQ(stated->character.metres_per_unit, 0.01) << path;
    EXPECT_FALSE(stated->character.is_unit_guessed) << path;
  }
}

TEST_F(Unit, FormatsWithoutAUnitKeepTheirNumbersAndSaySo) {
  ConvertJob job;
  job.input = obj_in_centimetres();
  job.output = folder.file("person.ply");
  job.run.metres_per_unit = 0.01;
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "unit-dropped"));
  EXPECT_NEAR(height_of(load(job.output)->character), 182, 0.01);
}

TEST_F(Unit, ARiggedBodyInCentimetresIsWrittenInMetres) {
  RigJob job;
  job.input = obj_in_centimetres();
  job.output = folder.file("rigged.glb");
  job.motion = "walk";
  job.run.metres_per_unit = 0.01;
  job.accepts_doubts = true;
  const Result<RigReport> report = rig(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(has_note(report->notes, "size-unusual"));
  const Result<Asset> rigged = load(job.output);
  ASSERT_TRUE(rigged);
  EXPECT_NEAR(height_of(rigged->character), 1.82, 0.01);
  job.run.metres_per_unit = 0;
  const Result<RigReport> guessed = rig(job);
  ASSERT_TRUE(guessed);
  EXPECT_TRUE(has_note(guessed->notes, "size-unusual"));
}

// Points, rests, inverse binds, shapes and clips together: a character of another unit, posed, is the
// posed character in that unit.
TEST_F(Unit, PosingAScaledCharacterIsScalingThePosedOne) {
  for (const MadeKind kind : {MadeKind::humanoid, MadeKind::face}) {
    Character source = kind == MadeKind::humanoid ? person_in_metres() : *make_character(kind, {1500}, {});
    source.metres_per_unit = 0.0254;
    const Character scaled = in_metres(source);
    ASSERT_TRUE(validate(scaled));
    EXPECT_EQ(scaled.metres_per_unit, 1);
    for (const double time : {0.0, 0.13, 0.4, 0.77}) {
      Pose pose;
      for (const Mesh& mesh : source.meshes) {
        for (const Shape& shape : mesh.shapes) pose.shapes.push_back({shape.name, 0.3f});
      }
      const PoseRequest request{source.clips.empty() ? kNone : 0, time, &pose};
      const Result<Character> a = deform_character(source, *pose_frame(source, request), {});
      const Result<Character> b = deform_character(scaled, *pose_frame(scaled, request), {});
      ASSERT_TRUE(a);
      ASSERT_TRUE(b);
      double worst = 0;
      for (std::size_t m = 0; m < a->meshes.size(); ++m) {
        for (std::size_t v = 0; v < a->meshes[m].points.size(); ++v)
          worst =
              std::max(worst, length(Vec3d(a->meshes[m].points[v]) * 0.0254 - Vec3d(b->meshes[m].points[v])));
      }
      EXPECT_LT(worst, 1e-7 * 0.0254 * 100) << static_cast<int>(kind) << " at " << time;
    }
  }
}

// Exporters write centimetres into glTF, whose unit is the metre.
TEST_F(Unit, AGltfIsScaledWithAllThatFollows) {
  const Character& person = person_in_metres();
  const std::string input = folder.file("person.glb"), output = folder.file("small.glb");
  ASSERT_TRUE(save(input, {person}));
  ConvertJob job;
  job.input = input;
  job.output = output;
  job.run.metres_per_unit = 0.5;
  const Result<ConvertReport> report = convert(job);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(has_note(report->notes, "unit-overruled"));
  const Result<Asset> before = load(input), after = load(output);
  ASSERT_TRUE(before);
  ASSERT_TRUE(after);
  for (const double time : {0.0, 0.35}) {
    const Result<Character> a =
        deform_character(before->character, *pose_frame(before->character, {0, time, nullptr}), {});
    const Result<Character> b =
        deform_character(after->character, *pose_frame(after->character, {0, time, nullptr}), {});
    ASSERT_TRUE(a);
    ASSERT_TRUE(b);
    for (std::size_t v = 0; v < a->meshes[0].points.size(); ++v)
      ASSERT_LT(length(Vec3d(a->meshes[0].points[v]) * 0.5 - Vec3d(b->meshes[0].points[v])), 1e-6);
  }
}

}  // namespace
}  // namespace dermis
