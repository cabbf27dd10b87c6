// SPDX-License-Identifier: MIT
// Chains of joints: targets within reach are reached, limits are kept.
#include <gtest/gtest.h>

#include "characters.h"

namespace dermis {
namespace {

using test::Random;

std::vector<ChainLink> chain_of(std::size_t count) {
  std::vector<ChainLink> chain(count);
  for (std::size_t k = 1; k < count; ++k) chain[k].offset = {0, 1, 0};
  return chain;
}

Vec3d tip_of(const std::vector<ChainLink>& chain, Vec3d tip) {
  for (std::size_t k = chain.size(); k-- > 0;) tip = chain[k].offset + rotate(chain[k].rotation, tip);
  return tip;
}

TEST(Chain, ReachesWhatIsWithinItsLength) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    std::vector<ChainLink> chain = chain_of(5);
    const Vec3d target = normalized(random.vector()) * random.in(0.5, 4.8);
    const double left = solve_chain(chain, {0, 1, 0}, target, {400, 1e-6});
    EXPECT_LT(left, 1e-4) << "seed 3, round " << k;
    EXPECT_NEAR(length(tip_of(chain, {0, 1, 0}) - target), left, 1e-12);
  }
}

TEST(Chain, BendsThoughItPointsStraightAtItsTarget) {
  std::vector<ChainLink> chain = chain_of(3);
  EXPECT_LT(solve_chain(chain, {0, 1, 0}, {0, 1.5, 0}, {400, 1e-5}), 1e-3);
}

TEST(Chain, StretchesToWhatIsTooFar) {
  std::vector<ChainLink> chain = chain_of(4);
  EXPECT_NEAR(solve_chain(chain, {0, 1, 0}, {10, 0, 0}, {2000, 1e-9}), 6, 1e-3);
}

TEST(Chain, KeepsSwingAndTwistWithinTheirLimits) {
  Random random(5);
  constexpr double kSwing = 0.4, kTwist = 0.1;
  for (int k = 0; k < 100; ++k) {
    std::vector<ChainLink> chain = chain_of(6);
    for (ChainLink& link : chain) {
      link.limit = {random.rotation(), kSwing, kTwist};
      link.rotation = random.rotation();
    }
    solve_chain(chain, {0, 1, 0}, random.vector() * 3.0);
    for (const ChainLink& link : chain) {
      const Quatd turn = conjugate(link.limit.rest) * link.rotation;
      const double swing =
          std::acos(std::clamp(dot(rotate(turn, Vec3d(0, 1, 0)), Vec3d(0, 1, 0)), -1.0, 1.0));
      const double twist = 2 * std::atan2(std::abs(turn.y), std::abs(turn.w));
      EXPECT_LE(swing, kSwing + 1e-9) << "seed 5, round " << k;
      EXPECT_LE(twist, kTwist + 1e-9);
    }
  }
}

TEST(Chain, OfOneLimitedJointTurnsAsFarAsItMay) {
  std::vector<ChainLink> chain = chain_of(1);
  chain[0].limit.max_swing = kPi / 6;
  solve_chain(chain, {0, 1, 0}, {1, 0, 0});
  EXPECT_LT(length(tip_of(chain, {0, 1, 0}) - Vec3d(0.5, std::sqrt(0.75), 0)), 1e-9);
}

}  // namespace
}  // namespace dermis
