// SPDX-License-Identifier: MIT
// The judges themselves answer what can be worked out by hand, so that a disagreement later is ours.
#include "judges/judges.h"

#include <gtest/gtest.h>

namespace dermis {
namespace {

std::string seed(const std::string& name) {
  return std::string(DERMIS_SOURCE_DIR) + "/tests/fuzz/corpus/gltf/" + name;
}

// The elbow at (0, 1.1, 0) turned 90 degrees about z, a morph that lifts the middle by a quarter.
TEST(Judges, ThreePosesABentArmAsWorkedOutByHand) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const auto answer = judges::three_pose(seed("arm.gltf"), {{-1, 0}, {0, 0.5}, {-1, 0}});
  ASSERT_TRUE(answer) << answer.error().sentence;
  ASSERT_EQ(answer->points.size(), 3u);
  EXPECT_EQ(answer->points[0], answer->points[2]) << "a request changed the next one";
  const std::vector<Vec3d>& bent = answer->points[1];
  ASSERT_EQ(bent.size(), 12u);  // six of the skin, six of the rigid mesh under the elbow
  EXPECT_LT(length(bent[4] - Vec3d(-1.0, 0.6, 0)), 1e-6);
  EXPECT_LT(length(bent[5] - Vec3d(-1.0, 1.6, 0)), 1e-6);
  EXPECT_LT(length(bent[2] - Vec3d(-0.25, 0.85, 0.25)), 1e-6);
  // Half the size, one above the elbow before the turn: (-0.25, 0) + (0, 1) turned is (-1, -0.25).
  EXPECT_LT(length(bent[6] - Vec3d(-1.0, 0.85, 0)), 1e-6);
}

TEST(Judges, ValidatorAcceptsTheSeedsAndNamesAFault) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const judges::TemporaryFile broken(".gltf");
  std::ofstream(broken.path) << R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 7}]})";
  const auto report =
      judges::validate({seed("arm.gltf"), seed("arm_unorm8.glb"), seed("arm_unorm16.glb"), broken.path});
  ASSERT_TRUE(report) << report.error().sentence;
  for (const int i : {0, 1, 2}) EXPECT_EQ(report->at(i).at("errors"), 0) << report->dump();
  EXPECT_EQ(report->at(3).at("codes").at("ERROR").at("UNRESOLVED_REFERENCE"), 1) << report->dump();
}

TEST(Judges, AFileThatCannotBeReadIsASentence) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const auto answer = judges::three_pose("no such file.glb", {{-1, 0}});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().sentence.find("no such file.glb"), std::string::npos);
}

}  // namespace
}  // namespace dermis
