// SPDX-License-Identifier: MIT
// Templates without their middle joints, and the search for their cheapest placing.
#include "rig/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "rig/bodies.h"
#include "rig/penalties.h"

namespace dermis {
namespace {

RigTemplate parsed(std::string_view text) {
  Result<RigTemplate> rig = parse_rig_template(text);
  EXPECT_TRUE(rig) << (rig ? "" : rig.error().sentence);
  return std::move(rig).value();
}

constexpr std::string_view kTripod = R"(template tripod
joint hub     -      0    1    0    fat
joint mast    hub    0    1.5  0
joint top     mast   0    2    0    end
joint leg_L   hub    0.5  0.5  0    root
joint foot_L  leg_L  1    0    0    end ground
)";

const ReducedTemplate::Joint& joint_of(const RigTemplate& rig, const ReducedTemplate& reduced,
                                       std::string_view name) {
  return *std::find_if(reduced.joints.begin(), reduced.joints.end(),
                       [&](const auto& joint) { return rig.joints[at(joint.joint)].name == name; });
}

TEST(Reduce, KeepsBranchesAndEndsWithTheirWays) {
  const RigTemplate rig = parsed(kTripod);
  const ReducedTemplate reduced = reduce(rig);
  ASSERT_EQ(reduced.joints.size(), 4u);
  EXPECT_EQ(rig.joints[at(reduced.joints[0].joint)].name, "hub");
  EXPECT_EQ(reduced.joints[0].parent, -1);
  const double leg = std::sqrt(2.0);
  EXPECT_NEAR(reduced.span, 2 * leg, 1e-12);
  const ReducedTemplate::Joint &top = joint_of(rig, reduced, "top"), &foot = joint_of(rig, reduced, "foot_L");
  EXPECT_NEAR(top.share, 1 / (2 * leg), 1e-12);
  EXPECT_NEAR(top.free_share, 0.5 / (2 * leg), 1e-12);
  EXPECT_NEAR(foot.share, 0.5, 1e-12);
  EXPECT_NEAR(foot.free_share, 0.25, 1e-12);  // from the leg, where the limb leaves the body
  EXPECT_EQ(foot.chain.size(), 2u);
  EXPECT_TRUE(foot.is_leaf);
  EXPECT_FALSE(reduced.joints[0].is_leaf);
  EXPECT_EQ(rig.joints[at(reduced.joints[at(foot.mirror)].joint)].name, "foot_R");
  EXPECT_EQ(&reduced.joints[at(top.mirror)], &top);
}

TEST(Reduce, LeavesABipedItsHipsChestAndFiveEnds) {
  for (const RigTemplate& rig : rig_templates()) {
    const ReducedTemplate reduced = reduce(rig);
    std::size_t joints_in_chains = 0;
    for (std::size_t v = 0; v < reduced.joints.size(); ++v) {
      const ReducedTemplate::Joint& joint = reduced.joints[v];
      EXPECT_LT(joint.parent, static_cast<int>(v));
      EXPECT_EQ(joint.chain.back(), joint.joint);
      EXPECT_EQ(reduced.joints[at(joint.mirror)].mirror, static_cast<int>(v));
      EXPECT_LE(joint.share, 1);
      joints_in_chains += joint.chain.size();
    }
    // Every joint is on one way and no more.
    EXPECT_EQ(joints_in_chains, rig.joints.size());
    if (rig.name == "biped") {
      EXPECT_EQ(reduced.joints.size(), 7u);
    }
  }
}

// Ends that have two sides must suit each other: wrong ones are known before the others are tried.
TEST(Reduce, StandsBranchesFirstThenEndsWithTwoSides) {
  for (const RigTemplate& rig : rig_templates()) {
    int last = 0;
    for (const ReducedTemplate::Joint& joint : reduce(rig).joints) {
      const bool is_sided = rig.joints[at(joint.joint)].mirror != joint.joint;
      const int rank = !joint.is_leaf ? 0 : is_sided ? 1 : 2;
      EXPECT_GE(rank, last) << rig.name;
      last = rank;
    }
  }
}

// A body with a graph small enough for every placing to be tried.
struct Placings {
  BodySolid body;
  std::vector<BodyMirror> mirrors;
  BodyGraph graph;

  explicit Placings(const test::Soup& soup, double cell)
      : body(test::body_of(soup, cell)), mirrors(find_mirrors(body)), graph(pack_spheres(body, mirrors)) {}
};

test::Soup tripod_soup(const std::vector<Vec3d>& tips) {
  std::vector<test::Capsule> arms;
  for (const Vec3d& tip : tips) arms.push_back({{}, tip, 0.9});
  return test::capsule_soup(arms, 0.35);
}

constexpr double kAnyCost = 1000;

// The cost of one placing, by pinning every joint to its node: nothing is left to search.
double cost_of(const RigTemplate& rig, const ReducedTemplate& reduced, const Placings& on,
               const BodyFrame& frame, std::span<const std::size_t> nodes) {
  std::vector<Pin> pins;
  for (std::size_t v = 0; v < nodes.size(); ++v)
    pins.push_back({reduced.joints[v].joint, on.graph.nodes[nodes[v]].centre});
  const std::optional<Embedding> only =
      embed(rig, reduced, on.body, on.graph, on.mirrors, {&frame, 1}, {pins, {}}, kAnyCost);
  if (!only) return INFINITY;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const Vec3d place = on.graph.nodes[static_cast<std::size_t>(only->node[v])].centre;
    if (length(place - on.graph.nodes[nodes[v]].centre) > 1e-9) return INFINITY;  // may not stand there
  }
  return only->cost.total();
}

double cheapest_of_all(const RigTemplate& rig, const ReducedTemplate& reduced, const Placings& on,
                       std::span<const BodyFrame> frames) {
  double best = INFINITY;
  std::vector<std::size_t> nodes(reduced.joints.size());
  const std::size_t ends = on.graph.nodes.size() - on.graph.sphere_count;
  std::size_t placings = on.graph.sphere_count;
  for (std::size_t v = 1; v < nodes.size(); ++v) placings *= ends;
  for (const BodyFrame& frame : frames) {
    for (std::size_t code = 0; code < placings; ++code) {
      std::size_t rest = code;
      nodes[0] = rest % on.graph.sphere_count;
      rest /= on.graph.sphere_count;
      for (std::size_t v = 1; v < nodes.size(); ++v, rest /= ends)
        nodes[v] = on.graph.sphere_count + rest % ends;
      best = std::min(best, cost_of(rig, reduced, on, frame, nodes));
    }
  }
  return best;
}

// The bound must never be above what a placing costs: else the first complete one is not the cheapest.
TEST(Embed, FindsWhatTryingEveryPlacingFinds) {
  const RigTemplate rig = parsed(kTripod);
  const ReducedTemplate reduced = reduce(rig);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    std::vector<Vec3d> tips;
    for (const Vec3d& tip : {Vec3d{0, 5, 0}, Vec3d{4, -4, 0}, Vec3d{-4, -4, 0}, Vec3d{0, 0, 4}})
      tips.push_back(tip + random.vector());
    Placings on(tripod_soup(tips), 0.5);
    on.mirrors.clear();
    on.graph = pack_spheres(on.body, {});
    ASSERT_GE(on.graph.nodes.size() - on.graph.sphere_count, 3u);
    ASSERT_LE(on.graph.sphere_count, 60u);
    std::vector<BodyFrame> frames = guess_frames(on.body, on.mirrors, false, {Vec3d{0, 1, 0}, {}});
    frames.resize(3);
    const std::optional<Embedding> found =
        embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {}, kAnyCost);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->cost.total(), cheapest_of_all(rig, reduced, on, frames), 1e-5);
  }
}

// In a body that stands on +Y and looks along +Z.
std::optional<Embedding> found_upright(const RigTemplate& rig, const ReducedTemplate& reduced,
                                       const Placings& on) {
  const std::vector<BodyFrame> frames =
      guess_frames(on.body, on.mirrors, false, {Vec3d{0, 1, 0}, Vec3d{0, 0, 1}});
  return embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {}, kAnyCost);
}

Vec3d place_of(std::string_view name, const RigTemplate& rig, const ReducedTemplate& reduced,
               const Placings& on, const Embedding& found) {
  const auto v = static_cast<std::size_t>(&joint_of(rig, reduced, name) - reduced.joints.data());
  return on.graph.nodes[static_cast<std::size_t>(found.node[v])].centre;
}

TEST(Embed, PutsEveryEndOfATripodWhereItBelongs) {
  const RigTemplate rig = parsed(kTripod);
  const ReducedTemplate reduced = reduce(rig);
  const Placings on(tripod_soup({{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}}), 0.25);
  const std::optional<Embedding> found = found_upright(rig, reduced, on);
  ASSERT_TRUE(found);
  const auto place = [&](std::string_view name) { return place_of(name, rig, reduced, on, *found); };
  EXPECT_LT(length(place("hub")), 1.5);
  EXPECT_LT(length(place("top") - Vec3d{0, 5.9, 0}), 1);
  EXPECT_LT(length(place("foot_L") - Vec3d{5.6, -5.6, 0}), 1);
  EXPECT_LT(length(place("foot_R") - Vec3d{-5.6, -5.6, 0}), 1);
  const EmbedCost& cost = found->cost;
  for (const double part : {cost.bones, cost.side, cost.middle, cost.fat, cost.ground, cost.prominence,
                            cost.symmetry, cost.shared, cost.unused, cost.missing, cost.frame})
    EXPECT_GE(part, 0);
  EXPECT_NEAR(cost.ground, 0, 0.1);
}

TEST(Embed, TellsOnePlacingWhereAllCostTheWorstOrMore) {
  const RigTemplate rig = parsed(kTripod);
  const ReducedTemplate reduced = reduce(rig);
  const Placings on(tripod_soup({{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}}), 0.25);
  const std::vector<BodyFrame> frames = guess_frames(on.body, on.mirrors, false, {});
  const auto cost_below = [&](double worst) {
    const std::optional<Embedding> found =
        embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {}, worst);
    return found ? found->cost.total() : INFINITY;
  };
  const double cost = cost_below(kAnyCost);
  EXPECT_EQ(cost_below(cost + 1e-4), cost);
  for (const double worst : {cost - 1e-4, 0.5 * cost, 0.0}) {
    EXPECT_GE(cost_below(worst), cost - 1e-6);
    EXPECT_LT(cost_below(worst), 6) << "no placing to speak of";
  }
}

// A body that leans has both feet on one side of its middle; left is still what lies to the left of right.
TEST(Embed, TellsSidesOfABodyWithoutAPlaneFromEachOther) {
  const RigTemplate rig = parsed(kTripod);
  const ReducedTemplate reduced = reduce(rig);
  Placings on(tripod_soup({{-3, 5, 0}, {8, -5, 0}, {3, -5.5, 0}}), 0.25);
  on.mirrors.clear();
  on.graph = pack_spheres(on.body, {});
  const std::optional<Embedding> found = found_upright(rig, reduced, on);
  ASSERT_TRUE(found);
  const auto place = [&](std::string_view name) { return place_of(name, rig, reduced, on, *found); };
  EXPECT_EQ(found->cost.side, 0);
  EXPECT_GT(place("foot_L").x, 7);
  EXPECT_NEAR(place("foot_R").x, 3, 1);
}

// Crossed feet belong to the sides that their legs are on, so sides are compared along the whole path.
TEST(Embed, KnowsTheMeanPlaceOfEveryPath) {
  BodyGraph graph;
  for (const Vec3d& at : {Vec3d{0, 3, 0}, Vec3d{2, 3, 0}, Vec3d{2, 0, 0}, Vec3d{-1, 0, 0}})
    graph.nodes.push_back({at, 1});
  graph.edges = {{{1, 2}}, {{0, 2}, {2, 3}}, {{1, 3}, {3, 3}}, {{2, 3}}};
  const std::uint32_t from = 0;
  const std::vector<Vec3d> middles = middles_of(graph, shortest_ways(graph, {&from, 1}));
  EXPECT_EQ(middles[0], (Vec3d{0, 3, 0}));
  EXPECT_EQ(middles[1], (Vec3d{1, 3, 0}));
  EXPECT_NEAR(length(middles[2] - Vec3d{8.0 / 5, 10.5 / 5, 0}), 0, 1e-12);
  // Ends on the other side, runs on this one.
  EXPECT_NEAR(middles[3].x, 9.5 / 8, 1e-12);
}

// A neck that hangs from the far end of the trunk runs back along it: whether it does so on the very way of
// the trunk or beside it, it is paid for.
TEST(Embed, HangsEndsFromTheNearerBranch) {
  const RigTemplate rig = parsed(R"(template table
joint hips     -      0    2   -2    fat
joint chest    hips   0    2    2    fat
joint neck     chest  0    3    3    loose
joint head     neck   0    4    4    end
joint arm_L    chest  0.5  1    2    root
joint hand_L   arm_L  1    0    2    end ground
joint leg_L    hips   0.5  1   -2    root
joint foot_L   leg_L  1    0   -2    end ground
)");
  const ReducedTemplate reduced = reduce(rig);
  std::vector<test::Capsule> parts{{{0, 4, -4}, {0, 4, 4}, 1.2}, {{0, 4, 4}, {0, 8, 7}, 0.7}};
  for (const double x : {2.0, -2.0})
    for (const double z : {4.0, -4.0}) parts.push_back({{0, 4, z}, {x, 0, z}, 0.7});
  const Placings on(test::capsule_soup(parts, 0.35), 0.25);
  const auto shared_with = [&](double front) {
    const std::vector<BodyFrame> frames =
        guess_frames(on.body, on.mirrors, false, {Vec3d{0, 1, 0}, Vec3d{0, 0, front}});
    const std::vector<Pin> pins{{0, {0, 4, -4 * front}}, {1, {0, 4, 4 * front}}, {3, {0, 8.5, 7.4}}};
    const std::optional<Embedding> found =
        embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {pins, {}}, kAnyCost);
    EXPECT_TRUE(found);
    return found ? found->cost.shared : INFINITY;
  };
  EXPECT_EQ(shared_with(1), 0);
  constexpr double kTrunk = 8, kSharedWay = 0.8;
  EXPECT_GT(shared_with(-1), 1.5 * kSharedWay * kTrunk / on.body.span);
}

TEST(Embed, LeavesOutAnOptionalLimbThatIsNotThereForAPenalty) {
  const RigTemplate rig =
      parsed(fmt::format("{}{}", kTripod, "joint tail hub 0 1 -1 optional\njoint tail_end tail 0 1 -2 end"));
  const ReducedTemplate reduced = reduce(rig);
  const auto tail = static_cast<std::size_t>(&joint_of(rig, reduced, "tail_end") - reduced.joints.data());
  const auto found_in = [&](const std::vector<Vec3d>& tips) {
    const Placings on(tripod_soup(tips), 0.25);
    return found_upright(rig, reduced, on);
  };
  const auto without = found_in({{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->node[tail], -1);
  EXPECT_GT(without->cost.missing, 0);
  const auto with = found_in({{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}, {0, 0, -6}});
  ASSERT_TRUE(with);
  EXPECT_GE(with->node[tail], 0);
  EXPECT_EQ(with->cost.missing, 0);
}

// One arm may be there without the other, or neither, each with all that hangs from it.
TEST(Embed, LeavesOutOptionalBranchesOfEitherSide) {
  constexpr const char* kArms =
      "joint arm_L hub 1 1 0 optional\njoint thumb_L arm_L 2 1 1 end optional\n"
      "joint palm_L arm_L 2 1 -1 end optional";
  const RigTemplate rig = parsed(fmt::format("{}{}", kTripod, kArms));
  const ReducedTemplate reduced = reduce(rig);
  const std::vector<Vec3d> tripod{{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}};
  std::vector<Vec3d> with_arm = tripod;
  with_arm.insert(with_arm.end(), {{6, 0, 2}, {6, 0, -2}});
  for (const std::vector<Vec3d>& tips : {tripod, with_arm}) {
    const Placings on(tripod_soup(tips), 0.25);
    const std::vector<BodyFrame> frames = guess_frames(on.body, on.mirrors, false, {});
    const std::optional<Embedding> found =
        embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {}, kAnyCost);
    ASSERT_TRUE(found);
    for (const char* side : {"_L", "_R"}) {
      const auto node_of = [&](const char* name) {
        const ReducedTemplate::Joint& joint = joint_of(rig, reduced, std::string(name) + side);
        return found->node[static_cast<std::size_t>(&joint - reduced.joints.data())];
      };
      if (node_of("arm") >= 0) continue;
      EXPECT_EQ(node_of("thumb"), -1);
      EXPECT_EQ(node_of("palm"), -1);
    }
  }
}

TEST(Embed, StopsWhenAsked) {
  const RigTemplate rig = parsed(kTripod);
  const Placings on(tripod_soup({{0, 5, 0}, {5, -5, 0}, {-5, -5, 0}}), 0.25);
  const std::vector<BodyFrame> frames = guess_frames(on.body, on.mirrors, false, {});
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(embed(rig, reduce(rig), on.body, on.graph, on.mirrors, frames, {}, kAnyCost, {{}, &stop}));
}

// A branch that is a tip stands at the end of a limb, in templates with an up and a front too.
TEST(Embed, TakesATipInATemplateThatIsNotFree) {
  const RigTemplate rig =
      parsed("template rake\njoint grip - 0 0 0 tip\njoint shaft grip 0 4 0\njoint tooth_L shaft 2 8 0 end");
  const ReducedTemplate reduced = reduce(rig);
  const Placings on(tripod_soup({{0, -6, 0}, {4, 5, 0}, {-4, 5, 0}}), 0.25);
  const std::vector<BodyFrame> frames = guess_frames(on.body, on.mirrors, false, {});
  const std::optional<Embedding> found =
      embed(rig, reduced, on.body, on.graph, on.mirrors, frames, {}, kAnyCost);
  ASSERT_TRUE(found);
  EXPECT_TRUE(on.graph.nodes[static_cast<std::size_t>(found->node[0])].is_end());
}

}  // namespace
}  // namespace dermis
