// SPDX-License-Identifier: MIT
// Files made to take memory and time: every verb stays within --max-memory, and small files stay small.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::MadeGltf;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

// The program, its libraries, and what they take by malloc: not counted by the ledger.
constexpr double kOwnMegabytes = 120;

struct Ran {
  int code = -1;
  double peak_megabytes = 0;
  std::string err;
};

Ran run_measured(Names words) {
  const TemporaryFolder folder;
  words.insert(words.begin(), DERMIS_CLI);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)std::freopen("/dev/null", "w", stdout);
    (void)std::freopen(folder.file("err").c_str(), "w", stderr);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(DERMIS_CLI, arguments.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage used {};
  ::wait4(child, &status, 0, &used);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, static_cast<double>(used.ru_maxrss) / 1024,
          test::read_text(folder.path() / "err")};
}

// Runs a verb with more and more memory until it is enough. Up to then, it ends with a sentence that says so,
// leaves nothing, and takes no more than it may.
void expect_kept_limit(const Names& words, const TemporaryFolder& out) {
  constexpr double kLeast = 0.004, kMost = 4;
  for (double gib = kLeast; gib <= kMost; gib *= 1.6) {
    Names limited = words;
    limited.insert(limited.end(), {"--quiet", "--max-memory", fmt::format("{}", gib)});
    const Ran ran = run_measured(limited);
    EXPECT_LE(ran.peak_megabytes, gib * 1024 + kOwnMegabytes) << fmt::format("{}", fmt::join(limited, " "));
    if (ran.code == 0) return;
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_NE(ran.err.find("--max-memory"), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(out.names().empty()) << fmt::format("{}", fmt::join(limited, " "));
  }
  ADD_FAILURE() << fmt::format("{} needs more than {} GiB", fmt::join(words, " "), kMost);
}

class Limits : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers count memory themselves";
#endif
  }
  const TemporaryFolder in, out;
};

TEST_F(Limits, EveryVerbStaysWithinTheMemoryItIsAllowed) {
  const std::string body = in.file("body.glb"), mesh = in.file("body.obj"), tube = in.file("tube.glb");
  ASSERT_EQ(test::run_cli({"make", "humanoid", "--points", "20000", "-o", body}).code, 0);
  ASSERT_EQ(test::run_cli({"make", "tube", "--points", "20000", "-o", tube}).code, 0);
  ASSERT_EQ(test::run_cli({"convert", body, "-o", mesh}).code, 0);
  for (const Names& words : {
           Names{"info", body},
           Names{"check", tube},
           Names{"convert", body, "-o", out.file("a.ply")},
           Names{"make", "humanoid", "--points", "20000", "-o", out.file("a.glb")},
           Names{"deform", body, "--method", "dqs,delta_mush", "-o", out.file("a.glb")},
           Names{"deform", tube, "--method", "direct_delta_mush", "-o", out.file("a.glb")},
           Names{"deform", tube, "--method", "cor", "-o", out.file("a.glb")},
           Names{"bake", tube, "--clip", "0", "--fps", "5", "-o", out.file("a.pc2")},
           Names{"rig", mesh, "-o", out.file("a.glb")},
           Names{"bind", body, "-o", out.file("a.glb")},
           Names{"bind", tube, "--method", "voxel", "-o", out.file("a.glb")},
           Names{"animate", body, "--motion", "walk", "-o", out.file("a.glb")},
           Names{"weights", "limit", body, "--max-influences", "1", "-o", out.file("a.glb")},
           Names{"weights", "smooth", body, "-o", out.file("a.glb")},
           Names{"weights", "subdivide", tube, "-o", out.file("a.glb")},
           Names{"compare", body, body},
           Names{"render", body, "--size", "64x64", "--samples", "1", "-o", out.file("a.png")},
       }) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
    expect_kept_limit(words, out);
    for (const std::string& name : out.names()) test::fs::remove(out.path() / name);
  }
}

// A chain of joints, and a triangle whose points follow eight of them.
std::string chained_gltf(int joint_count) {
  MadeGltf made;
  const int positions = made.triangle_positions();
  std::vector<std::uint16_t> slots[2];
  for (int k = 0; k < 24; ++k) slots[k / 4 % 2].push_back(static_cast<std::uint16_t>((k * 37) % joint_count));
  const std::vector<float> weights(12, 0.125f);
  made.mesh({{"POSITION", positions},
             {"JOINTS_0", made.accessor(slots[0], "VEC4")},
             {"WEIGHTS_0", made.accessor(weights, "VEC4")},
             {"JOINTS_1", made.accessor(slots[1], "VEC4")},
             {"WEIGHTS_1", made.accessor(weights, "VEC4")}});
  made.push("nodes", {{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  std::vector<int> joints;
  for (int j = 1; j <= joint_count; ++j) {
    MadeGltf::Json node = {{"name", fmt::format("j{}", j)}, {"translation", {0, 0.001, 0}}};
    if (j < joint_count) node["children"] = {j + 1};
    joints.push_back(made.push("nodes", node));
  }
  made.push("skins", {{"joints", joints}});
  made.scene({0, 1});
  return made.glb();
}

// The palettes of all poses of 3,000 joints in a chain would take 2.6 GB.
TEST_F(Limits, ManyJointsTakeLittleMemoryToLimit) {
  test::write_text(in.path() / "chain.glb", chained_gltf(3000));
  const Ran ran = run_measured({"weights", "limit", in.file("chain.glb"), "--max-influences", "4", "--quiet",
                                "--max-memory", "0.1", "-o", out.file("a.glb")});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

// Each primitive has its own copy of the points, so a megabyte of text asks for gigabytes.
TEST_F(Limits, PrimitivesThatShareAnAccessorAreRefusedWithinTheLimit) {
  MadeGltf made;
  const int positions = made.accessor(std::vector<float>(3 * 20000, 0.5f), "VEC3");
  MadeGltf::Json primitives = MadeGltf::Json::array();
  for (int k = 0; k < 20000; ++k) primitives.push_back({{"attributes", {{"POSITION", positions}}}});
  made.push("meshes", {{"primitives", primitives}});
  made.push("nodes", {{"mesh", 0}});
  test::write_text(in.path() / "many.glb", made.glb());
  const Ran ran = run_measured({"info", in.file("many.glb"), "--quiet", "--max-memory", "0.2"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("--max-memory"), std::string::npos) << ran.err;
  EXPECT_LE(ran.peak_megabytes, 0.2 * 1024 + kOwnMegabytes);
}

// Nodes that hold the next one twice, level after level: 2^40 nodes in six kilobytes.
TEST_F(Limits, AColladaThatRepeatsItselfIsRefused) {
  constexpr int kLevels = 40;
  std::string text =
      "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
      "version=\"1.4.1\">"
      "<asset><up_axis>Y_UP</up_axis></asset><library_nodes>";
  for (int k = 0; k < kLevels; ++k) {
    text += fmt::format("<node id=\"n{0}\" name=\"n{0}\">", k);
    if (k > 0) text += fmt::format("<instance_node url=\"#n{0}\"/><instance_node url=\"#n{0}\"/>", k - 1);
    text += "</node>";
  }
  text += fmt::format(
      "</library_nodes><library_visual_scenes><visual_scene id=\"s\"><node id=\"top\"><instance_node "
      "url=\"#n{}\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
      "url=\"#s\"/></scene></COLLADA>",
      kLevels - 1);
  test::write_text(in.path() / "bomb.dae", text);
  const Ran ran = run_measured({"info", in.file("bomb.dae"), "--quiet"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("MB of memory, too much for a file of"), std::string::npos) << ran.err;
  EXPECT_LE(ran.peak_megabytes, 520 + kOwnMegabytes);
}

}  // namespace
}  // namespace dermis
