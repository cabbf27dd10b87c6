// SPDX-License-Identifier: MIT
// Laws that every verb keeps: a failure changes nothing and throws nothing, and progress never goes back.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "counted_allocations.h"
#include "dermis/ops.h"
#include "outside/files.h"

namespace dermis {
namespace {

// The allocation of the next call that fails; negative: none. And how many the last call made.
std::ptrdiff_t failing_allocation = -1;
std::size_t made_allocations = 0;

// Calls a verb, and only its own allocations fail; whether it succeeded, whatever its report.
template <class Call>
Status outcome_of(const Call& call) {
  const std::size_t before = test::counted_allocations;
  test::allocations_left = failing_allocation;
  const auto report = call();
  test::allocations_left = -1;
  made_allocations = test::counted_allocations - before;
  if (!report) return report.error();
  return Done{};
}

// Progress that fails the test if it goes back or beyond the end.
struct ForwardProgress {
  double last = 0;
  std::size_t count = 0;  // of reports
  std::string stage;

  Progress progress() {
    return Progress(
        [this](std::string_view now, double fraction) {
          EXPECT_GE(fraction, last - 1e-9) << stage << ", then " << now;
          EXPECT_LE(fraction, 1 + 1e-9) << now;
          last = fraction;
          ++count;
          stage = now;
        },
        nullptr);
  }
};

std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Files that the verbs work on, written once for the process.
struct LawFiles {
  test::TemporaryFolder folder;
  std::string human = folder.file("human.glb");
  std::string bare = folder.file("bare.obj");
  std::string other = folder.file("other.glb");
  std::string frames = folder.file("frames.pc2");
  Asset asset, thinner, walk;
  std::string fingerprint;  // of the asset

  LawFiles() {
    Asset made;
    EXPECT_TRUE(make({MadeKind::humanoid, {1200}}, made));
    // A second skinned mesh, so that a failure can come after the first has changed.
    Character& character = made.character;
    character.meshes.push_back(character.meshes[0]);
    character.meshes.back().name = "coat";
    Instance coat = character.instances[0];
    coat.mesh = static_cast<Index>(character.meshes.size() - 1);
    character.nodes.push_back(character.nodes[at(coat.node)]);
    character.nodes.back().name = "coat";
    coat.node = static_cast<Index>(character.nodes.size() - 1);
    character.instances.push_back(coat);
    EXPECT_TRUE(validate(character));
    EXPECT_TRUE(save(human, made));
    asset = loaded(human);
    fingerprint = fingerprint_of(asset);
    thinner = asset;
    EXPECT_TRUE(limit_weights(thinner, {}, 2));
    EXPECT_TRUE(save(other, thinner));
    Result<Character> motion = make_motion(made_motions()[0].motion);
    EXPECT_TRUE(motion);
    walk = {.character = std::move(*motion), .name = made_motions()[0].name};
    ConvertJob still;
    still.input = human;
    still.output = bare;
    EXPECT_TRUE(convert(still));
    // One mesh, so that its frames are one file.
    Asset tube;
    EXPECT_TRUE(make({MadeKind::tube, {1000}}, tube));
    BakeJob baked;
    baked.input = folder.file("tube.glb");
    EXPECT_TRUE(save(baked.input, tube));
    baked.output = frames;
    baked.fps = 2;
    EXPECT_TRUE(bake(baked));
  }
  static Asset loaded(const std::string& path) {
    Result<Asset> asset = load(path);
    EXPECT_TRUE(asset);
    return asset ? std::move(*asset) : Asset{};
  }
  // Everything of an asset that can be written.
  std::string fingerprint_of(const Asset& any) const {
    const std::string path = folder.file("fingerprint.glb");
    EXPECT_TRUE(save(path, any));
    return bytes_in(path);
  }
};

const LawFiles& law_files() {
  static const LawFiles files;
  return files;
}

// ---- In memory ----

struct MemoryVerb {
  const char* name;
  Status (*call)(Asset& asset, const Run& run);
};
std::ostream& operator<<(std::ostream& out, const MemoryVerb& verb) { return out << verb.name; }

const MemoryVerb kMemoryVerbs[] = {
    {"bind", [](Asset& asset, const Run& run) { return outcome_of([&] { return bind(asset, {}, run); }); }},
    {"bind_to_another",
     [](Asset& asset, const Run& run) {
       BindRequest request;
       request.skeleton = &law_files().thinner;
       return outcome_of([&] { return bind(asset, request, run); });
     }},
    {"rig",
     [](Asset& asset, const Run& run) {
       RigRequest request;
       request.motion = MotionRequest{&law_files().walk, 0, {}};
       return outcome_of([&] { return rig(asset, request, run); });
     }},
    {"animate",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return animate(asset, {{&law_files().walk, 0, {}}, false}, run); });
     }},
    {"animate_instead",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return animate(asset, {{&law_files().walk, 0, {}}, true}, run); });
     }},
    {"animate_by_itself",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return animate(asset, {{&asset, 0, {}}, true}, run); });
     }},
    {"combine",
     [](Asset& asset, const Run& run) {
       const std::span<const Asset> garments(&law_files().thinner, 1);
       return outcome_of([&] { return combine(asset, garments, {}, run); });
     }},
    {"make",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return make({MadeKind::tube, {1000}}, asset, run); });
     }},
    {"normalize",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return normalize_weights(asset, {}, run); });
     }},
    {"limit", [](Asset& asset,
                 const Run& run) { return outcome_of([&] { return limit_weights(asset, {}, 2, run); }); }},
    {"rigid",
     [](Asset& asset, const Run& run) {
       WeightsRequest request;
       request.meshes = {"coat"};
       return outcome_of([&] { return rigid_weights(asset, request, run); });
     }},
    {"prune", [](Asset& asset,
                 const Run& run) { return outcome_of([&] { return prune_weights(asset, {}, 0.2, run); }); }},
    {"smooth", [](Asset& asset,
                  const Run& run) { return outcome_of([&] { return smooth_weights(asset, {}, {}, run); }); }},
    {"mirror",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return mirror_weights(asset, {}, MirrorDirection::left_to_right, run); });
     }},
    {"transfer",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return transfer_weights(asset, {}, law_files().thinner, {}, {}, run); });
     }},
    {"subdivide",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return subdivide_weights(asset, {}, {}, run); });
     }},
    {"remap",
     [](Asset& asset, const Run& run) {
       const JointMap map = {{"forearm_L", "upper_arm_L"}};
       return outcome_of([&] { return remap_weights(asset, {}, map, run); });
     }},
    {"rename",
     [](Asset& asset, const Run& run) {
       const JointMap map = {{"forearm_L", "lower_arm_L"}};
       return outcome_of([&] { return rename_joints(asset, {}, map, run); });
     }},
    {"blend",
     [](Asset& asset, const Run& run) {
       const Result<ForeignWeights> other = weights_of(law_files().thinner);
       return other ? outcome_of([&] { return blend_weights(asset, {}, *other, 0.5, run); })
                    : Status(other.error());
     }},
    {"diff",
     [](Asset& asset, const Run& run) {
       const Result<ForeignWeights> other = weights_of(law_files().thinner);
       return other ? outcome_of([&] { return diff_weights(asset, {}, *other, run); })
                    : Status(other.error());
     }},
    {"export",
     [](Asset& asset, const Run& run) {
       std::vector<WeightTable> tables;
       const Status done = outcome_of([&] { return export_weights(asset, {}, tables, run); });
       EXPECT_EQ(tables.empty(), !done);
       return done;
     }},
    {"animate_keys",
     [](Asset& asset, const Run& run) {
       KeyedPoses keys{"nod", {}};
       for (const double time : {0.0, 1.0}) {
         KeyedPose& key = keys.keys.emplace_back();
         key.time = time;
         key.pose.nodes = {{"#1", Vec3{0, static_cast<float>(time), 0}, {}, {}, {}}};
       }
       return outcome_of([&] { return animate_keys(asset, {&keys, "nod.json", {"", 0, true}}, run); });
     }},
    {"import_shapes",
     [](Asset& asset, const Run& run) {
       ShapeMatrix matrix;
       matrix.names = {"out"};
       matrix.point_count = asset.character.meshes[0].points.size();
       matrix.values.assign(3 * matrix.point_count, 0.01);
       ShapesRequest request;
       request.meshes = {"coat"};
       return outcome_of([&] { return import_shapes(asset, request, matrix, {}, run); });
     }},
    {"list_shapes",
     [](Asset& asset, const Run& run) { return outcome_of([&] { return list_shapes(asset, {}, run); }); }},
    {"add_shapes",
     [](Asset& asset, const Run& run) {
       const std::vector<NamedSculpt> sculpts = {{"same", &law_files().asset}};
       ShapesRequest request;
       request.meshes = {"coat"};
       return outcome_of([&] { return add_shapes(asset, request, sculpts, {}, run); });
     }},
    {"list_correctives",
     [](Asset& asset, const Run& run) {
       return outcome_of([&] { return list_correctives(asset, {}, {}, run); });
     }},
    {"correct_shape",
     [](Asset& asset, const Run& run) {
       CorrectiveRequest how;
       how.name = "corrective";
       how.pose.pose.nodes.emplace_back().node = "forearm_L";
       how.pose.pose.nodes[0].turn = Quat(quat_from_axis_angle({1, 0, 0}, 0.5));
       ShapesRequest request;
       request.meshes = {"coat"};
       return outcome_of([&] { return correct_shape(asset, request, law_files().asset, how, run); });
     }},
    {"helpers",
     [](Asset& asset, const Run& run) {
       HelpersRequest request;
       request.proposes = true;
       request.helpers.push_back({HelperKind::breathe, "chest"});
       return outcome_of([&] { return add_helpers(asset, request, run); });
     }},
    {"weights_of", [](Asset& asset, const Run&) { return outcome_of([&] { return weights_of(asset); }); }},
    {"info", [](Asset& asset, const Run& run) { return outcome_of([&] { return info(asset, run); }); }},
    {"check",
     [](Asset& asset, const Run& run) {
       const CheckRequest request;
       return outcome_of([&] { return check(asset, request, run); });
     }},
    {"deform",
     [](Asset& asset, const Run& run) {
       Character still;
       DeformRequest request;
       request.pose.clip = 0;
       return outcome_of([&] { return deform(asset, request, still, run); });
     }},
    {"bake",
     [](Asset& asset, const Run& run) {
       BakeRequest request;
       request.fps = 2;
       return outcome_of([&] {
         return bake(
             asset, request, [](std::size_t, const Character&) { return Status(Done{}); }, run);
       });
     }},
    {"compare",
     [](Asset& asset, const Run& run) {
       const CompareRequest request;
       return outcome_of([&] { return compare(asset, law_files().thinner, request, run); });
     }},
    {"render",
     [](Asset& asset, const Run& run) {
       RenderRequest request;
       request.width = request.height = 32;
       request.samples = 1;
       return outcome_of([&] {
         return render_character(
             asset, request, [](const Pixels&, std::size_t, std::size_t) { return Status(Done{}); }, run);
       });
     }},
};

class VerbInMemory : public testing::TestWithParam<MemoryVerb> {
 protected:
  VerbInMemory() { set_thread_count(1); }
  ~VerbInMemory() override { set_thread_count(0); }

  // The outcome of the verb on the asset of the files, which must be as before if it failed.
  Status call(const dermis::Run& run = {}) const {
    Asset asset = law_files().asset;
    const Status done = GetParam().call(asset, run);
    if (!done) {
      EXPECT_FALSE(done.error().sentence.empty());
      EXPECT_TRUE(law_files().fingerprint_of(asset) == law_files().fingerprint) << done.error().sentence;
    }
    return done;
  }
};

// The fractions at which a failure is made to happen.
constexpr double kMoments[] = {0, 0.2, 0.5, 0.8, 0.95};

// Takes no Run: it only copies weights.
bool hears_its_run(const MemoryVerb& verb) { return std::string_view(verb.name) != "weights_of"; }

TEST_P(VerbInMemory, SucceedsHere) {
  const Status done = call();
  EXPECT_TRUE(done) << done.error().sentence;
}

TEST_P(VerbInMemory, LeavesItsAssetAloneWhenStopped) {
  for (const double moment : kMoments) {
    std::atomic<bool> stop = false;
    dermis::Run run;
    run.progress =
        Progress([&](std::string_view, double fraction) { stop = stop || fraction >= moment; }, &stop);
    const Status done = call(run);
    EXPECT_TRUE(!done || moment > 0 || !hears_its_run(GetParam())) << "did not stop at the start";
    if (!done) {
      EXPECT_EQ(done.error().code, Errc::cancelled) << done.error().sentence;
    }
  }
}

TEST_P(VerbInMemory, ReturnsWhatIsThrownInsideIt) {
  for (const double moment : kMoments) {
    dermis::Run run;
    run.progress = Progress(
        [&](std::string_view, double fraction) {
          if (fraction >= moment) throw std::runtime_error("the listener is tired");
        },
        nullptr);
    const Status done = call(run);
    EXPECT_TRUE(!done || moment > 0 || !hears_its_run(GetParam())) << "did not report its start";
    if (!done) {
      EXPECT_EQ(done.error().code, Errc::internal) << done.error().sentence;
    }
  }
}

TEST_P(VerbInMemory, ReturnsAnErrorWhenMemoryEnds) {
  ASSERT_TRUE(call());
  const std::size_t count = made_allocations;
  // The first ones, where requests are checked, the last ones, where results are kept, and some in between.
  constexpr std::size_t kEach = 25;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < kEach; ++k) {
    places.push_back(k);
    places.push_back(k * count / kEach);
    if (count > k) places.push_back(count - 1 - k);
  }
  for (const std::size_t place : places) {
    SCOPED_TRACE(place);
    failing_allocation = static_cast<std::ptrdiff_t>(place);
    const Status done = call();
    failing_allocation = -1;
    // Some libraries do with less memory, so not every failure is an error.
    if (!done) {
      EXPECT_EQ(done.error().code, Errc::too_large) << done.error().sentence;
    }
  }
}

TEST_P(VerbInMemory, MakesProgressForwardsOnly) {
  ForwardProgress watched;
  dermis::Run run;
  run.progress = watched.progress();
  EXPECT_TRUE(call(run));
  EXPECT_EQ(watched.count > 0, hears_its_run(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, VerbInMemory, testing::ValuesIn(kMemoryVerbs),
                         [](const auto& verb) { return std::string(verb.param.name); });

// A request that fails at the second mesh, when the first has changed already.
TEST(WeightsThatFailHalfWay, LeaveTheFirstMeshAlone) {
  Asset asset = law_files().asset;
  Skin coat = asset.character.skins[0];
  coat.node.back() = asset.character.instances[0].node;  // the last joint is not in this skin
  asset.character.skins.push_back(coat);
  asset.character.instances[1].skin = 1;
  ASSERT_TRUE(validate(asset.character));
  const std::string before = law_files().fingerprint_of(asset);
  const std::vector<std::string> labels = node_labels(asset.character);
  const std::string last = labels[at(asset.character.skins[0].node.back())];
  const std::string first = labels[at(asset.character.skins[0].node[2])];
  const Result<WeightsReport> report = remap_weights(asset, {}, {{first, last}});
  ASSERT_FALSE(report);
  EXPECT_TRUE(law_files().fingerprint_of(asset) == before) << report.error().sentence;
}

// ---- On files ----

struct VerbOnFiles {
  const char* name;
  // Writes into the folder, if at all.
  Status (*call)(const test::TemporaryFolder& folder, const RunOptions& run);
};
std::ostream& operator<<(std::ostream& out, const VerbOnFiles& verb) { return out << verb.name; }

template <class Job>
Job law_job(const test::TemporaryFolder& folder, const RunOptions& run, const char* output,
            const char* report = "") {
  Job job;
  job.input = law_files().human;
  if (*output != '\0') job.output = folder.file(output);
  if (*report != '\0') job.report = folder.file(report);
  job.run = run;
  return job;
}

const VerbOnFiles kVerbsOnFiles[] = {
    {"shapes",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       ShapesJob job = law_job<ShapesJob>(folder, run, "out.glb", "");
       job.meshes = {"coat"};
       const ShapeNames sculpts = {{"same", law_files().other}};
       return outcome_of([&] { return add_shapes(job, sculpts, {}); });
     }},
    {"helpers",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       HelpersJob job = law_job<HelpersJob>(folder, run, "out.glb", "");
       job.helpers.push_back({HelperKind::twist, "forearm_L"});
       return outcome_of([&] { return add_helpers(job); });
     }},
    {"bind",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       BindJob job = law_job<BindJob>(folder, run, "out.glb", "page.html");
       job.skeleton = law_files().other;
       return outcome_of([&] { return bind(job); });
     }},
    {"rig",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       RigJob job = law_job<RigJob>(folder, run, "out.glb", "page.html");
       job.motion = "walk";
       return outcome_of([&] { return rig(job); });
     }},
    {"animate",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       AnimateJob job = law_job<AnimateJob>(folder, run, "out.glb", "page.html");
       job.motion = law_files().other;
       return outcome_of([&] { return animate(job); });
     }},
    {"check",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const CheckJob job = law_job<CheckJob>(folder, run, "", "page.html");
       return outcome_of([&] { return check(job); });
     }},
    {"check_and_fix",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const CheckJob job = law_job<CheckJob>(folder, run, "out.glb", "page.html");
       return outcome_of([&] { return check(job); });
     }},
    {"check_and_fix_still",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       CheckJob job = law_job<CheckJob>(folder, run, "out.obj");
       job.input = law_files().bare;
       return outcome_of([&] { return check(job); });
     }},
    {"deform",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       DeformJob job = law_job<DeformJob>(folder, run, "out.obj", "page.html");
       job.pose.clip = "0";
       return outcome_of([&] { return deform(job); });
     }},
    {"bake",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       BakeJob job = law_job<BakeJob>(folder, run, "out.pc2", "page.html");
       job.fps = 2;
       return outcome_of([&] { return bake(job); });
     }},
    {"bake_sequence",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       BakeJob job = law_job<BakeJob>(folder, run, "out_####.obj");
       job.fps = 2;
       return outcome_of([&] { return bake(job); });
     }},
    {"compare",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       CompareJob job;
       job.inputs = {law_files().human, law_files().other};
       job.pose.clip = "0";
       job.run = run;
       job.report = folder.file("page.html");
       return outcome_of([&] { return compare(job); });
     }},
    {"info",
     [](const test::TemporaryFolder&, const RunOptions& run) {
       const InfoJob job{law_files().human, run};
       return outcome_of([&] { return info(job); });
     }},
    {"make",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       MakeJob job;
       job.kind = MadeKind::tube;
       job.options.points = 1000;
       job.output = folder.file("tube.obj");
       job.run = run;
       return outcome_of([&] { return make(job); });
     }},
    {"convert",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const ConvertJob job = law_job<ConvertJob>(folder, run, "out.obj");
       return outcome_of([&] { return convert(job); });
     }},
    {"convert_cache",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       ConvertJob job = law_job<ConvertJob>(folder, run, "out.mdd");
       job.input = law_files().frames;
       return outcome_of([&] { return convert(job); });
     }},
    {"combine",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       CombineJob job = law_job<CombineJob>(folder, run, "out.glb");
       job.garments = {law_files().other};
       return outcome_of([&] { return combine(job); });
     }},
    {"convert_to_bvh",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const ConvertJob job = law_job<ConvertJob>(folder, run, "out.bvh");
       return outcome_of([&] { return convert(job); });
     }},
    {"limit",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "out.glb");
       return outcome_of([&] { return limit_weights(job, 2); });
     }},
    {"transfer",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "out.glb");
       return outcome_of([&] { return transfer_weights(job, law_files().other, {}, {}); });
     }},
    {"blend",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "out.glb");
       return outcome_of([&] { return blend_weights(job, law_files().other, 0.5); });
     }},
    {"diff",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "");
       return outcome_of([&] { return diff_weights(job, law_files().other); });
     }},
    {"rename",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "out.glb");
       const JointMap map = {{"forearm_L", "lower_arm_L"}};
       return outcome_of([&] { return rename_joints(job, map); });
     }},
    {"export",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       const WeightsJob job = law_job<WeightsJob>(folder, run, "out.csv");
       return outcome_of([&] { return export_weights(job); });
     }},
    {"render",
     [](const test::TemporaryFolder& folder, const RunOptions& run) {
       RenderJob job = law_job<RenderJob>(folder, run, "out.png");
       job.width = job.height = 32;
       job.samples = 1;
       return outcome_of([&] { return render_character(job); });
     }},
};

class VerbOnTheirFiles : public testing::TestWithParam<VerbOnFiles> {
 protected:
  VerbOnTheirFiles() { set_thread_count(1); }
  ~VerbOnTheirFiles() override { set_thread_count(0); }
};

TEST_P(VerbOnTheirFiles, MakesProgressForwardsOnly) {
  const test::TemporaryFolder folder;
  ForwardProgress watched;
  RunOptions run;
  run.progress = watched.progress();
  const Status done = GetParam().call(folder, run);
  EXPECT_TRUE(done) << done.error().sentence;
  EXPECT_GT(watched.last, 0.4) << watched.stage;
}

// A verb that is added later must keep the laws too.
TEST(LawsOfVerbs, HoldForEveryVerbOfTheSchema) {
  // The operations of weights are listed one by one. The demo calls other verbs, for half a minute.
  std::set<std::string> held{"weights", "demo"};
  for (const VerbOnFiles& verb : kVerbsOnFiles) held.insert(verb.name);
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  const std::string suffix = "_report";
  std::size_t count = 0;
  for (const auto& [name, ignored] : schema["$defs"].items()) {
    if (!name.ends_with(suffix) || name == "error_report") continue;
    ++count;
    EXPECT_TRUE(held.contains(name.substr(0, name.size() - suffix.size()))) << name;
  }
  EXPECT_GE(count, 14u);
}

INSTANTIATE_TEST_SUITE_P(All, VerbOnTheirFiles, testing::ValuesIn(kVerbsOnFiles),
                         [](const auto& verb) { return std::string(verb.param.name); });

}  // namespace
}  // namespace dermis
