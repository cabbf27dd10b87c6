// SPDX-License-Identifier: MIT
// Stages that no room knows, added from outside: a posed one, and one that must see frames in order.
#include <gtest/gtest.h>

#include <algorithm>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

// ---- sway: lifts points by the time of the frame times an amount ----

class Sway final : public Stage {
 public:
  explicit Sway(float amount) : amount_(amount) {}
  Status apply(const PoseFrame& frame, Surface& surface, StageState& state) const override {
    EXPECT_EQ(state.rest->points.size(), surface.points.size());
    for (Vec3& point : surface.points) point.y += amount_ * static_cast<float>(frame.time);
    return Done{};
  }

 private:
  float amount_;
};

Result<PreparedStage> prepare_sway(const StageInput& input, const Progress& /*progress*/) {
  const float amount = static_cast<float>(input.use->value_of("amount").value());
  return PreparedStage{std::make_shared<const Sway>(amount), {}};
}

// ---- steps: lifts points by the number of frames it has seen before ----

struct StepsSeen final : StageState {
  int count = 0;
};

class Steps final : public Stage {
 public:
  std::unique_ptr<StageState> make_state() const override { return std::make_unique<StepsSeen>(); }
  Status apply(const PoseFrame& /*frame*/, Surface& surface, StageState& state) const override {
    StepsSeen& seen = static_cast<StepsSeen&>(state);
    for (Vec3& point : surface.points) point.y += static_cast<float>(seen.count);
    ++seen.count;
    return Done{};
  }
};

Result<PreparedStage> prepare_steps(const StageInput& /*input*/, const Progress& /*progress*/) {
  return PreparedStage{std::make_shared<const Steps>(), {}};
}

constexpr StageOption kSwayOptions[] = {
    {"amount", StageOption::Type::number, 0, 10, 1.0, "units for each second"}};
constexpr StageRow kToys[] = {
    {.name = "sway", .phase = StagePhase::posed, .options = kSwayOptions, .prepare = prepare_sway},
    {.name = "steps",
     .phase = StagePhase::posed,
     .traits = {.is_sequential = true},
     .prepare = prepare_steps}};

const std::vector<StageRow>& table_with_toys() {
  static const std::vector<StageRow> table = [] {
    std::vector<StageRow> rows(methods().begin(), methods().end());
    rows.insert(rows.end(), std::begin(kToys), std::end(kToys));
    return rows;
  }();
  return table;
}

Stack toy_stack(const char* text) { return read_stack(text, table_with_toys()).value(); }

const Character& tube() {
  static const Character made = make_character(MadeKind::tube, {1000}).value();
  return made;
}

// How much higher points stand than by dqs alone.
std::vector<float> lifts(const std::vector<Vec3>& points, const PoseFrame& frame) {
  const std::vector<Vec3> plain = deform_instance(tube(), frame, 0, {deform_stack("dqs")})->points;
  std::vector<float> found;
  for (std::size_t v = 0; v < points.size(); ++v) found.push_back(points[v].y - plain[v].y);
  return found;
}

void expect_all_near(const std::vector<float>& values, float wanted) {
  ASSERT_FALSE(values.empty());
  for (const float value : values) ASSERT_NEAR(value, wanted, 1e-4f);
}

TEST(ToyStage, StandsInAStackAfterDqsWithItsOptions) {
  const PoseFrame frame = *pose_frame(tube(), {0, 0.5, nullptr});
  const auto lifted_by = [&](const char* stack) {
    return lifts(deform_instance(tube(), frame, 0, {toy_stack(stack)})->points, frame);
  };
  expect_all_near(lifted_by("dqs,sway"), 0.5f);
  expect_all_near(lifted_by("dqs,sway:amount=4"), 2.0f);
  expect_all_near(lifted_by("dqs,sway:amount=4,steps"), 2.0f);
  EXPECT_EQ(name_of(toy_stack("dqs,sway:amount=4")), "dqs,sway:amount=4");
}

TEST(ToyStage, IsReadByTheRulesOfAllStages) {
  const auto refusal = [](const char* text) {
    const Result<Stack> stack = read_stack(text, table_with_toys());
    return stack ? std::string("taken") : stack.error().sentence;
  };
  EXPECT_NE(refusal("sway,dqs").find("dqs skins the rest pose, so it must come before sway"),
            std::string::npos);
  EXPECT_NE(refusal("dqs,sway:amount=11").find("give a number from 0 to 10"), std::string::npos);
  EXPECT_NE(refusal("dqs,swayy").find("did you mean 'sway'?"), std::string::npos);
  EXPECT_FALSE(parse_stack("dqs,sway"));  // the rooms' own table has none of it
}

// It keeps normals, so those of the skin are kept; a stage that measures them does so afterwards.
TEST(ToyStage, KeepsTheNormalsOfTheSkinOrHasThemMeasured) {
  const PoseFrame frame = *pose_frame(tube(), {0, 0.5, nullptr});
  const auto normals_by = [&](const char* stack) {
    return deform_instance(tube(), frame, 0, {toy_stack(stack)})->normals;
  };
  EXPECT_EQ(normals_by("dqs,sway"), normals_by("dqs"));
  const std::vector<Vec3> mushed = normals_by("dqs,delta_mush"), both = normals_by("dqs,delta_mush,sway");
  ASSERT_EQ(mushed.size(), both.size());
  for (std::size_t v = 0; v < both.size(); ++v) ASSERT_LT(length(mushed[v] - both[v]), 1e-4f);
}

TEST(SequentialStage, SeesTheFramesOfOneStateInOrder) {
  const Deformer deformer = prepare_deformer(tube(), {toy_stack("dqs,steps")}).value();
  EXPECT_TRUE(is_sequential(deformer.stack));
  EXPECT_FALSE(is_sequential(toy_stack("dqs,sway")));
  DeformState state;
  Surface posed;
  for (int k = 0; k < 4; ++k) {
    const PoseFrame frame = *pose_frame(tube(), {0, 0.1 * k, nullptr});
    ASSERT_TRUE(pose_surface(deformer, frame, 0, state, posed));
    expect_all_near(lifts(posed.points, frame), static_cast<float>(k));
    // A state of its own starts at this frame.
    expect_all_near(lifts(pose_instance(deformer, frame, 0)->points, frame), 0);
  }
}

TEST(SequentialStage, RunsInOrderInBakeOnAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  BakeJob job;
  job.input = folder.file("tube.glb");
  job.output = folder.file("steps.pc2");
  job.fps = 8;
  job.run.force = true;
  ASSERT_TRUE(save(job.input, {tube(), {}, nullptr}));
  const Character character = load(job.input)->character;
  for (const int threads : {1, 4}) {
    SCOPED_TRACE(threads);
    set_thread_count(threads);
    job.deform.stack = toy_stack("dqs,sway:amount=2,steps");
    const Result<BakeReport> report = bake(job);
    set_thread_count(0);
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_EQ(report->method, "dqs,sway:amount=2,steps");
    const Result<CacheAsset> baked = load_cache(job.output, {});
    ASSERT_TRUE(baked);
    ASSERT_GT(baked->cache.frame_count(), 4u);
    for (std::size_t k = 0; k < baked->cache.frame_count(); ++k) {
      const double time = report->from + static_cast<double>(k) / 8;
      const PoseFrame frame = *pose_frame(character, {0, time, nullptr});
      const std::vector<Vec3> plain = deform_instance(character, frame, 0, {deform_stack("dqs")})->points;
      const float lift = 2 * static_cast<float>(time) + static_cast<float>(k);
      for (std::size_t v = 0; v < plain.size(); ++v)
        ASSERT_NEAR(baked->cache.frame(k)[v].y - plain[v].y, lift, 1e-3f) << "frame " << k;
    }
  }
}

}  // namespace
}  // namespace dermis
