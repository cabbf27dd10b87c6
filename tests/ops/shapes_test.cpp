// SPDX-License-Identifier: MIT
// The verb shapes: sculpts from files, operations on characters, and what survives a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "characters.h"
#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/ops.h"
#include "notes.h"
#include "outside/files.h"

namespace dermis {
namespace {

double largest_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t v = 0; v < std::min(a.size(), b.size()); ++v)
    most = std::max(most, length(Vec3d(a[v]) - Vec3d(b[v])));
  return most;
}

class ShapesOfAFace : public testing::Test {
 protected:
  ShapesOfAFace() {
    Result<Character> made = make_character(MadeKind::face, {1200});
    EXPECT_TRUE(made);
    face.character = std::move(*made);
    face.name = "face.glb";
    face.character.name = "face";
  }
  static const Shape* shape_called(const Character& character, const char* name) {
    for (const Mesh& mesh : character.meshes)
      for (const Shape& shape : mesh.shapes)
        if (shape.name == name) return &shape;
    return nullptr;
  }
  // Points of the posed scene with shapes at these weights.
  static std::vector<Vec3> posed(const Character& character, const std::vector<NamedValue>& shapes) {
    Pose pose;
    pose.shapes = shapes;
    const Result<Deformer> deformer = prepare_deformer(character, {});
    EXPECT_TRUE(deformer);
    const Result<PoseFrame> frame = pose_frame(character, {kNone, 0, &pose});
    EXPECT_TRUE(frame) << (frame ? "" : frame.error().sentence);
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const Result<Surface> surface = pose_instance(*deformer, *frame, static_cast<Index>(i));
      EXPECT_TRUE(surface);
      points.insert(points.end(), surface->points.begin(), surface->points.end());
    }
    return points;
  }
  // In its clip.
  static std::vector<Vec3> posed_at(const Character& character, double time) {
    const Result<Deformer> deformer = prepare_deformer(character, {});
    const Result<PoseFrame> frame = pose_frame(character, {0, time, nullptr});
    EXPECT_TRUE(deformer && frame);
    const Result<Surface> surface = pose_instance(*deformer, *frame, 0);
    EXPECT_TRUE(surface);
    return surface->points;
  }
  Asset face;
};

// The path of a sculptor: the whole scene is written with a shape applied, and comes back as a shape.
TEST_F(ShapesOfAFace, ASceneWrittenByDeformComesBackAsAShape) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("face.glb"), face));
  for (const char* sculpt : {"open.obj", "open.glb", "open.ply"}) {
    SCOPED_TRACE(sculpt);
    DeformJob job;
    job.input = folder.file("face.glb");
    job.output = folder.file(sculpt);
    job.pose.shapes = {{"jaw_open", 1}};
    ASSERT_TRUE(deform(job));
    ShapesJob shapes;
    shapes.input = job.input;
    shapes.output = folder.file("with.glb");
    const Result<ShapesReport> report = add_shapes(shapes, {{"opened", job.output}}, {});
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->doubt, "");
    EXPECT_GE(report->added_count, 1u);
    const Result<Asset> with = load(shapes.output);
    ASSERT_TRUE(with) << with.error().sentence;
    EXPECT_LT(
        largest_distance(posed(with->character, {{"opened", 1}}), posed(face.character, {{"jaw_open", 1}})),
        2e-6);
    EXPECT_LT(largest_distance(posed(with->character, {{"opened", 0.5f}, {"jaw_open", -0.5f}}),
                               posed(face.character, {})),
              2e-6);
  }
}

TEST_F(ShapesOfAFace, ASculptOfAnotherTopologyIsRefusedWithTheFirstDifference) {
  Asset sculpt = face;
  sculpt.name = "smile.obj";
  Mesh& mesh = sculpt.character.meshes[0];
  std::swap(mesh.polygons.corners[3], mesh.polygons.corners[4]);
  const Result<ShapesReport> report = add_shapes(face, {}, {{"smile", &sculpt}});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().sentence.find("smile.obj: is another topology: polygon"), std::string::npos)
      << report.error().sentence;
}

TEST_F(ShapesOfAFace, ASculptInAnotherUnitOrPlaceIsDoubted) {
  Asset sculpt = face;
  sculpt.name = "smile.obj";
  scale_lengths(sculpt.character, 100);
  Asset with = face;
  const Result<ShapesReport> large = add_shapes(with, {}, {{"smile", &sculpt}});
  ASSERT_TRUE(large) << large.error().sentence;
  EXPECT_NE(large->doubt.find("100 times as large"), std::string::npos) << large->doubt;
  Asset moved = face;
  moved.name = "moved.obj";
  for (Mesh& mesh : moved.character.meshes)
    for (Vec3& point : mesh.points) point.z += 1;
  with = face;
  const Result<ShapesReport> far = add_shapes(with, {}, {{"smile", &moved}});
  ASSERT_TRUE(far) << far.error().sentence;
  EXPECT_NE(far->doubt.find("is far away"), std::string::npos) << far->doubt;
}

TEST_F(ShapesOfAFace, ASculptThatMovesNothingSaysSo) {
  Asset same = face;
  const Result<ShapesReport> report = add_shapes(face, {}, {{"nothing", &same}});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "shape-empty"));
}

TEST_F(ShapesOfAFace, HalvesOfAShapeTogetherAreTheShape) {
  const std::vector<Vec3> whole = posed(face.character, {{"jaw_open", 1}});
  const Result<ShapesReport> report = split_shapes(face, {}, {"jaw_open"}, 0.05);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(shape_called(face.character, "jaw_open"), nullptr);
  // What is animated stays so: the halves take the keys along.
  const std::vector<Vec3> brows = posed_at(face.character, 1.2);
  ASSERT_TRUE(split_shapes(face, {}, {"brows_up"}, 0.05));
  EXPECT_LT(largest_distance(posed_at(face.character, 1.2), brows), 1e-6);
  EXPECT_LT(largest_distance(posed(face.character, {{"jaw_open_L", 1}, {"jaw_open_R", 1}}), whole), 1e-6);
}

DriverFactor reads_shape(const std::string& shape) {
  DriverFactor factor;
  factor.input = DriverInput::shape;
  factor.shape = shape;
  return factor;
}

TEST_F(ShapesOfAFace, BothHalvesFollowTheDriversAndLimitsOfTheWhole) {
  Character& character = face.character;
  DriverFactor talk;
  talk.control = static_cast<Index>(character.controls.size());
  character.controls.push_back({"talk", 0.25f});
  DrivenValue jaw, frown;
  jaw.shape = "jaw_open";
  jaw.factors.push_back(talk);
  frown.shape = "frown";
  frown.factors.push_back(reads_shape("jaw_open"));
  frown.factors.push_back(talk);
  character.drivers = {{"jaw", jaw}, {"frown", frown}};
  character.shape_rules = {{"jaw_open", 0, 0.5f, {}}};
  ASSERT_TRUE(validate(character)) << validate(character).error().sentence;
  const std::vector<Vec3> before = posed(character, {});
  const Result<ShapesReport> report = split_shapes(face, {}, {"jaw_open", "frown"}, 0.05);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_FALSE(test::has_note(report->notes, "driving-dropped"));
  ASSERT_EQ(character.drivers.size(), 4u);
  EXPECT_EQ(character.drivers[0].name, "jaw of jaw_open_L");
  EXPECT_EQ(std::get<DrivenValue>(character.drivers[3].rule).factors[0].shape, "jaw_open_R")
      << "a half reads the half of its side";
  ASSERT_EQ(character.shape_rules.size(), 2u);
  EXPECT_EQ(character.shape_rules[1].shape, "jaw_open_R");
  EXPECT_EQ(character.shape_rules[1].high, 0.5f);
  EXPECT_LT(largest_distance(posed(character, {}), before), 1e-6);
}

TEST_F(ShapesOfAFace, ADriverThatReadsAWholeShapeGoesWithANoteWhenOnlyThatIsSplit) {
  DrivenValue frown;
  frown.shape = "frown";
  frown.factors.push_back(reads_shape("jaw_open"));
  face.character.drivers = {{"frown", frown}};
  const Result<ShapesReport> report = split_shapes(face, {}, {"jaw_open"}, 0.05);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_TRUE(test::has_note(report->notes, "driving-dropped"));
  EXPECT_TRUE(face.character.drivers.empty());
}

TEST_F(ShapesOfAFace, AMirroredShapeReplacesTheOneOfItsName) {
  const std::vector<Vec3> right = posed(face.character, {{"smile_R", 1}});
  const Result<ShapesReport> report = mirror_shapes(face, {}, {"smile_L"});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->changed_count, 1u);
  EXPECT_LT(largest_distance(posed(face.character, {{"smile_R", 1}}), right), 1e-5);
  const Result<ShapesReport> middle = mirror_shapes(face, {}, {"jaw_open"});
  ASSERT_FALSE(middle);
  EXPECT_NE(middle.error().sentence.find("says no side"), std::string::npos) << middle.error().sentence;
}

TEST_F(ShapesOfAFace, AMixBecomesAShapeOrTheRest) {
  const std::vector<Vec3> grin = posed(face.character, {{"smile_L", 0.5f}, {"smile_R", 0.5f}});
  Asset mixed = face;
  ASSERT_TRUE(bake_shapes(mixed, {}, {{"smile_*", 0.5f}}, "grin"));
  EXPECT_LT(largest_distance(posed(mixed.character, {{"grin", 1}}), grin), 1e-6);
  Asset rested = face;
  ASSERT_TRUE(bake_shapes(rested, {}, {{"smile_*", 0.5f}}, ""));
  EXPECT_LT(largest_distance(posed(rested.character, {}), grin), 1e-6);
  EXPECT_LT(largest_distance(posed(rested.character, {{"smile_L", -0.5f}, {"smile_R", -0.5f}}),
                             posed(face.character, {})),
            1e-6);
}

TEST_F(ShapesOfAFace, NamesAreChangedAllAtOnceAndStayUnique) {
  const std::vector<Vec3> left = posed(face.character, {{"smile_L", 1}});
  ASSERT_TRUE(rename_shapes(face, {}, {{"smile_L", "smile_R"}, {"smile_R", "smile_L"}}));
  EXPECT_LT(largest_distance(posed(face.character, {{"smile_R", 1}}), left), 1e-9);
  const Result<ShapesReport> twice = rename_shapes(face, {}, {{"smile_L", "jaw_open"}});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().sentence.find("two shapes of a mesh would be called 'jaw_open'"), std::string::npos)
      << twice.error().sentence;
}

TEST_F(ShapesOfAFace, AShapeThatIsNotThereIsAnErrorWithTheNearestName) {
  const Result<ShapesReport> report = remove_shapes(face, {}, {"smile_X"});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().sentence.find("did you mean 'smile_"), std::string::npos)
      << report.error().sentence;
  const std::size_t before = face.character.meshes[0].shapes.size();
  const Result<ShapesReport> removed = remove_shapes(face, {}, {"smile_*"});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->removed_count, 2u);
  EXPECT_TRUE(test::has_note(removed->notes, "shape-weight-lost"));
  EXPECT_EQ(face.character.meshes[0].shapes.size(), before - 2);
}

// Shapes, their order, weights at rest and keys survive in both forms of glTF, whatever was done to them.
TEST_F(ShapesOfAFace, ChangedShapesSurviveAFile) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("face.glb"), face));
  ShapesJob job;
  job.input = folder.file("face.glb");
  for (const char* name : {"out.glb", "out.gltf"}) {
    SCOPED_TRACE(name);
    job.output = folder.file(name);
    ASSERT_TRUE(split_shapes(job, {"jaw_open"}, 0.05));
    Asset expected = face;
    ASSERT_TRUE(split_shapes(expected, {}, {"jaw_open"}, 0.05));
    const Result<Asset> back = load(job.output);
    ASSERT_TRUE(back) << back.error().sentence;
    ASSERT_EQ(back->character.meshes[0].shapes.size(), expected.character.meshes[0].shapes.size());
    for (std::size_t s = 0; s < expected.character.meshes[0].shapes.size(); ++s)
      EXPECT_EQ(back->character.meshes[0].shapes[s].name, expected.character.meshes[0].shapes[s].name);
    const Result<PoseFrame> one = pose_frame(back->character, {0, 0.6}),
                            other = pose_frame(expected.character, {0, 0.6});
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->shape_weights, other->shape_weights);
    EXPECT_LT(largest_distance(posed(back->character, {{"jaw_open_L", 1}}),
                               posed(expected.character, {{"jaw_open_L", 1}})),
              1e-6);
  }
}

TEST_F(ShapesOfAFace, AreCarriedToAFaceOfAnotherResolution) {
  Result<Character> fine = make_character(MadeKind::face, {3000});
  ASSERT_TRUE(fine);
  Asset target;
  target.character = *fine;
  target.name = "fine.glb";
  for (std::size_t m = 0; m < target.character.meshes.size(); ++m)
    take_shapes(target.character, static_cast<Index>(m), {});
  const Result<ShapesReport> report = transfer_shapes(target, {}, face, {});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_EQ(report->doubt, "");
  EXPECT_EQ(report->added_count, face.character.meshes[0].shapes.size());
  ASSERT_TRUE(report->distance);
  EXPECT_LT(*report->distance, 0.005);
}

TEST_F(ShapesOfAFace, AreCarriedByPairsOfPlacesFromAFile) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("face.glb"), face));
  Asset wide = face;
  for (Vec3& point : wide.character.meshes[0].points) point.x *= 1.3f;
  take_shapes(wide.character, 0, {});
  ASSERT_TRUE(save(folder.file("wide.glb"), wide));
  std::string pairs = "# source, target\n\n";
  for (std::size_t v = 0; v < face.character.meshes[0].points.size(); v += 100) {
    const Vec3 &from = face.character.meshes[0].points[v], &to = wide.character.meshes[0].points[v];
    pairs += std::to_string(from.x) + " " + std::to_string(from.y) + " " + std::to_string(from.z) + ", " +
             std::to_string(to.x) + " " + std::to_string(to.y) + " " + std::to_string(to.z) + "\n";
  }
  test::write_text(folder.path() / "pairs.txt", pairs);
  ShapesJob job;
  job.input = folder.file("wide.glb");
  job.output = folder.file("out.glb");
  const Result<ShapesReport> report =
      transfer_shapes(job, folder.file("face.glb"), {}, folder.file("pairs.txt"));
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_LT(*report->distance, 0.005);
  EXPECT_EQ(report->added_count, face.character.meshes[0].shapes.size());
  test::write_text(folder.path() / "pairs.txt", "0 0 0 1 1 1\nnose 1 2 3\n");
  const Result<ShapesReport> refused =
      transfer_shapes(job, folder.file("face.glb"), {}, folder.file("pairs.txt"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("line 2 must have six numbers"), std::string::npos)
      << refused.error().sentence;
}

// Every real file with shapes: listed, and the same after its shapes are taken away and given back.
TEST(ShapesOfRealFiles, GiveTheSameSurfaceWhenTakenFromTheFileItself) {
  const char* const kFiles[] = {"gltf/khronos/MorphStressTest.glb", "gltf/three/RobotExpressive.glb"};
  std::size_t seen = 0;
  for (const char* name : kFiles) {
    const std::filesystem::path path = test::data_folder() / name;
    if (test::data_folder().empty() || !std::filesystem::exists(path)) continue;
    SCOPED_TRACE(name);
    ++seen;
    Result<Asset> asset = load(path.string());
    ASSERT_TRUE(asset) << asset.error().sentence;
    const Result<ShapesReport> listed = list_shapes(*asset, {});
    ASSERT_TRUE(listed);
    ASSERT_FALSE(listed->shapes.empty());
    const Index mesh = listed->shapes[0].mesh;
    Asset bare = *asset;
    const std::string label = "#" + std::to_string(mesh);
    ASSERT_TRUE(remove_shapes(bare, {{label}}, {"*"}));
    const Result<ShapesReport> given = transfer_shapes(bare, {{label}}, *asset, {{}, {label}, false, {}});
    ASSERT_TRUE(given) << given.error().sentence;
    const Mesh &own = asset->character.meshes[at(mesh)], &back = bare.character.meshes[at(mesh)];
    ASSERT_EQ(own.shapes.size(), back.shapes.size());
    for (std::size_t s = 0; s < own.shapes.size(); ++s) {
      std::vector<float> weights(own.shapes.size(), 0);
      weights[s] = 1;
      EXPECT_LT(largest_distance(shaped_surface(own, weights).points, shaped_surface(back, weights).points),
                1e-4);
    }
  }
  if (seen == 0) GTEST_SKIP() << "no real files at hand";
}

// ---- Limits, in-betweens, combinations ------------------------------------------------------------------

TEST_F(ShapesOfAFace, LimitsInBetweensAndCombinationsAreObeyedByPoses) {
  SetShapesRequest what;
  what.patterns = {"smile"};
  what.low = 0, what.high = 1;
  what.in_betweens = {{"frown", 0.5f}};
  what.combinations = {{"pucker", {"blink_L", "jaw_open"}}};
  const std::vector<Vec3> smile = posed(face.character, {{"smile", 1}}),
                          frown = posed(face.character, {{"frown", 1}});
  const std::vector<Vec3> both =
      posed(face.character, {{"blink_L", 0.5f}, {"jaw_open", 0.5f}, {"pucker", 0.25f}});
  const Result<ShapesReport> report = set_shapes(face, {}, what);
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_LT(largest_distance(posed(face.character, {{"smile", 3}}), smile), 1e-7);
  EXPECT_LT(largest_distance(posed(face.character, {{"smile", -3}}), posed(face.character, {})), 1e-7);
  EXPECT_LT(largest_distance(posed(face.character, {{"smile", 0.5f}}), frown), 1e-7);
  EXPECT_LT(largest_distance(posed(face.character, {{"blink_L", 0.5f}, {"jaw_open", 0.5f}}), both), 1e-7);
  const Result<ShapesReport> listed = list_shapes(face, {});
  ASSERT_TRUE(listed);
  for (const ShapesReport::Shape& row : listed->shapes) {
    if (row.name == "smile") {
      EXPECT_EQ(row.low, 0);
      EXPECT_EQ(row.high, 1);
      ASSERT_EQ(row.in_betweens.size(), 1u);
      EXPECT_EQ(row.in_betweens[0].shape, "frown");
    }
    if (row.name == "frown") {
      EXPECT_EQ(row.in_between_of, "smile");
    }
    if (row.name == "pucker") {
      EXPECT_EQ(row.product_of, (std::vector<std::string>{"blink_L", "jaw_open"}));
    }
  }
}

TEST_F(ShapesOfAFace, RulesFollowNamesAndGoWithTheirShapes) {
  SetShapesRequest what;
  what.patterns = {"smile"};
  what.high = 1;
  what.in_betweens = {{"frown", 0.5f}};
  ASSERT_TRUE(set_shapes(face, {}, what));
  ASSERT_TRUE(rename_shapes(face, {}, {{"smile", "frown"}, {"frown", "smile"}}));
  ASSERT_EQ(face.character.shape_rules.size(), 1u);
  EXPECT_EQ(face.character.shape_rules[0].shape, "frown");
  EXPECT_EQ(face.character.shape_rules[0].in_betweens.at(0).shape, "smile");
  const Result<ShapesReport> removed = remove_shapes(face, {}, {"smile"});
  ASSERT_TRUE(removed);
  EXPECT_TRUE(test::has_note(removed->notes, "driving-dropped"));
  what = {};
  what.patterns = {"frown"};
  what.clears = true;
  ASSERT_TRUE(set_shapes(face, {}, what));
  EXPECT_TRUE(face.character.shape_rules.empty());
}

TEST_F(ShapesOfAFace, RulesThatMakeNoSenseAreRefusedWithASentence) {
  const auto sentence = [&](const SetShapesRequest& what) {
    const Result<ShapesReport> report = set_shapes(face, {}, what);
    return report ? std::string("done") : report.error().sentence;
  };
  SetShapesRequest none, limits{{"smile"}, 2.0f, 1.0f, {}, {}, false},
      self{{"smile"}, {}, {}, {{"smile", 0.5f}}, {}, false};
  SetShapesRequest whole{{"smile"}, {}, {}, {{"frown", 1}}, {}, false},
      many{{"smile*"}, {}, {}, {{"frown", 0.5f}}, {}, false};
  SetShapesRequest missing;
  missing.combinations = {{"smile", {"blink_L", "blinc_R"}}};
  EXPECT_NE(sentence(none).find("nothing to set"), std::string::npos);
  EXPECT_NE(sentence(limits).find("above the upper one"), std::string::npos);
  EXPECT_NE(sentence(self).find("its own in-between"), std::string::npos);
  EXPECT_NE(sentence(whole).find("there is 'smile' already"), std::string::npos) << sentence(whole);
  EXPECT_NE(sentence(many).find("belong to one shape"), std::string::npos);
  EXPECT_NE(sentence(missing).find("did you mean 'blink_R'"), std::string::npos);
}

TEST_F(ShapesOfAFace, ACombinationThatDependsOnItselfIsRefusedAndTheOthersStay) {
  SetShapesRequest what;
  what.combinations = {{"frown", {"smile", "pucker"}}};
  ASSERT_TRUE(set_shapes(face, {}, what));
  const std::vector<Driver> before = face.character.drivers;
  ASSERT_EQ(before.size(), 1u);
  what.combinations = {{"smile", {"frown", "pucker"}}};
  const Result<ShapesReport> circle = set_shapes(face, {}, what);
  ASSERT_FALSE(circle);
  EXPECT_NE(circle.error().sentence.find("part of the cycle"), std::string::npos) << circle.error().sentence;
  EXPECT_EQ(face.character.drivers, before);
  what.combinations = {{"smile", {"smile", "pucker"}}};
  EXPECT_FALSE(set_shapes(face, {}, what));
}

// ---- Matrices -------------------------------------------------------------------------------------------

TEST_F(ShapesOfAFace, AreTheSameAfterEveryMatrixFile) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("face.glb"), face));
  for (const char* file : {"m.npy", "m.csv"}) {
    for (const ShapeForm form : {ShapeForm::whole, ShapeForm::displacement}) {
      SCOPED_TRACE(std::string(file) + name_of(form));
      ShapesJob job;
      job.run.force = true;
      job.input = folder.file("face.glb");
      job.output = folder.file(file);
      std::filesystem::remove(job.output);
      std::filesystem::remove(folder.file("m.names.txt"));
      const Result<ShapesReport> exported = export_shapes(job, {}, form, NumberWidth::float64);
      ASSERT_TRUE(exported) << exported.error().sentence;
      EXPECT_EQ(exported->matrix_columns,
                face.character.meshes[0].shapes.size() + (form == ShapeForm::whole ? 1 : 0));
      ShapesJob back;
      back.input = job.input;
      back.output = folder.file("back.glb");
      back.run.force = true;
      std::filesystem::remove(back.output);
      const Result<ShapesReport> imported = import_shapes(back, job.output, {}, {0});
      ASSERT_TRUE(imported) << imported.error().sentence;
      EXPECT_EQ(imported->form, name_of(form));
      const Result<Asset> read = load(back.output);
      ASSERT_TRUE(read);
      for (const char* shape : {"smile", "jaw_open"})
        EXPECT_LT(largest_distance(posed(read->character, {{shape, 1}}), posed(face.character, {{shape, 1}})),
                  1e-7);
    }
  }
}

TEST_F(ShapesOfAFace, AreChosenByPatternWhereAPoseIs) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(save(folder.file("face.glb"), face));
  DeformJob job;
  job.input = folder.file("face.glb");
  job.output = folder.file("posed.glb");
  job.pose.shapes = {{"blink_*", 1}};
  ASSERT_TRUE(deform(job));
  const Result<Asset> read = load(job.output);
  EXPECT_LT(largest_distance(read->character.meshes[0].points,
                             posed(face.character, {{"blink_L", 1}, {"blink_R", 1}})),
            1e-6);
  job.output = folder.file("none.glb");
  job.pose.shapes = {{"tail*", 1}};
  const Result<DeformReport> none = deform(job);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence.find("'tail*'"), std::string::npos) << none.error().sentence;
}

}  // namespace
}  // namespace dermis
