// SPDX-License-Identifier: MIT
// Skeletons and weights from the cuts of a plan.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "made/plan.h"
#include "made/steps.h"

namespace dermis {
namespace {

// Points per task, which share the scratch memory of one weigher.
constexpr std::size_t kPointGrain = 1024;

// Weights below this move a point by less than a millimetre per metre of motion: not worth a slot.
constexpr double kMinWeight = 1e-3;

// A plan's cuts with names resolved.
struct Rig {
  struct Joint {
    int parent = -1;
    int chain = -1;
    std::vector<int> rivals;
  };
  std::vector<Joint> joints;
  std::vector<int> chains;  // every chain that some joint uses

  explicit Rig(const BodyPlan& plan) {
    const auto chain = [&](const std::string& name) {
      const int c = plan.sculpture.chain(name);
      assert(c >= 0 && "a plan names a chain that its sculpture does not have");
      if (std::find(chains.begin(), chains.end(), c) == chains.end()) chains.push_back(c);
      return c;
    };
    for (const JointPlan& j : plan.joints) {
      Joint joint;
      for (std::size_t p = 0; p < joints.size(); ++p)
        if (plan.joints[p].name == j.parent) joint.parent = static_cast<int>(p);
      if (!j.cut.chain.empty()) joint.chain = chain(j.cut.chain);
      for (const std::string& rival : j.cut.rivals) joint.rivals.push_back(chain(rival));
      joints.push_back(std::move(joint));
    }
  }
};

// How much a point belongs to joint j and its descendants, by the joint's own cut.
double cut_value(const JointPlan& plan, const Rig::Joint& joint, const std::vector<double>& distance,
                 const Vec3d& p) {
  const Cut& cut = plan.cut;
  const double along = dot(p - plan.at, cut.normal) - cut.shift;
  double value = cut.own ? cut.own(p) : quintic_step(0.5 + 0.5 * along / std::max(cut.band, 1e-9));
  if (joint.chain < 0 || value == 0) return value;
  double rival = INFINITY;
  for (const int r : joint.rivals) rival = std::min(rival, distance[static_cast<std::size_t>(r)]);
  const double lead = rival - distance[static_cast<std::size_t>(joint.chain)];
  return value * quintic_step(0.5 + 0.5 * lead / std::max(cut.border, 1e-9));
}

class Weigher {
 public:
  explicit Weigher(const BodyPlan& plan) : plan_(plan), rig_(plan) {
    std::size_t chain_count = 0;
    for (const int c : rig_.chains) chain_count = std::max(chain_count, static_cast<std::size_t>(c) + 1);
    distance_.assign(chain_count, INFINITY);
    reach_.resize(plan.joints.size());
    claimed_.resize(plan.joints.size());
  }

  // The weights of all joints at p, into `row` as (weight, joint), heaviest first.
  void weigh(const Vec3d& p, std::vector<std::pair<double, int>>& row) {
    for (const int c : rig_.chains)
      distance_[static_cast<std::size_t>(c)] = plan_.sculpture.chain_value(c, p);
    const std::size_t count = plan_.joints.size();
    for (std::size_t j = 0; j < count; ++j) {
      const int parent = rig_.joints[j].parent;
      reach_[j] = parent < 0 ? 1.0 : cut_value(plan_.joints[j], rig_.joints[j], distance_, p);
      if (plan_.joints[j].cut.is_within_parent) reach_[j] *= reach_[static_cast<std::size_t>(parent)];
    }
    // A point of a child also belongs to its parent's branch, even past the parent's own plane: a hand next
    // to the hip is still a descendant of the chest.
    for (std::size_t j = count; j-- > 1;) {
      double& parent = reach_[static_cast<std::size_t>(rig_.joints[j].parent)];
      parent = std::max(parent, reach_[j]);
    }
    share_out(row);
  }

 private:
  // From the root down: each joint keeps what its children do not claim; children that claim more than is
  // available share it.
  void share_out(std::vector<std::pair<double, int>>& row) {
    const std::size_t count = plan_.joints.size();
    std::fill(claimed_.begin(), claimed_.end(), 0.0);
    for (std::size_t j = 1; j < count; ++j)
      claimed_[static_cast<std::size_t>(rig_.joints[j].parent)] += reach_[j];
    row.clear();
    for (std::size_t j = 0; j < count; ++j) {
      if (j > 0) {
        const std::size_t parent = static_cast<std::size_t>(rig_.joints[j].parent);
        if (claimed_[parent] > reach_[parent]) reach_[j] *= reach_[parent] / claimed_[parent];
      }
      // A joint that got less than it claimed passes on less.
      const double own = reach_[j] - std::min(claimed_[j], reach_[j]);
      if (own > kMinWeight) row.push_back({own, static_cast<int>(j)});
    }
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    // Subtracting the first dropped weight from the kept ones makes the cut continuous over the surface.
    if (row.size() > kMaxInfluences) {
      const double dropped = row[kMaxInfluences].first;
      row.resize(kMaxInfluences);
      for (auto& [weight, joint] : row) weight -= dropped;
    }
    if (row.empty()) row.push_back({1.0, 0});
  }

  const BodyPlan& plan_;
  Rig rig_;
  std::vector<double> distance_, reach_, claimed_;
};

}  // namespace

void add_skeleton(const BodyPlan& plan, Character& character) {
  Skin skin;
  skin.name = plan.name;
  for (const JointPlan& j : plan.joints) {
    Node node;
    node.name = j.name;
    Vec3d from;
    for (std::size_t p = 0; p < character.nodes.size(); ++p)
      if (plan.joints[p].name == j.parent) {
        node.parent = static_cast<Index>(p);
        from = plan.joints[p].at;
      }
    node.rest.translation = Vec3(j.at - from);
    skin.node.push_back(static_cast<Index>(character.nodes.size()));
    character.nodes.push_back(std::move(node));
  }
  // Inverse binds from the rounded chain of translations, so that rest and bind pose agree to rounding.
  std::vector<Vec3d> world(plan.joints.size());
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const Node& node = character.nodes[j];
    world[j] = Vec3d(node.rest.translation) +
               (node.parent == kNone ? Vec3d{} : world[static_cast<std::size_t>(node.parent)]);
    skin.inverse_bind.push_back(Affine(Mat3(), Vec3(-world[j])));
  }
  character.skins.push_back(std::move(skin));
}

WeightRows weights_of(const BodyPlan& plan, std::span<const Vec3d> points) {
  const std::size_t range_count = (points.size() + kPointGrain - 1) / kPointGrain;
  std::vector<std::vector<std::vector<std::pair<double, int>>>> rows(range_count);
  parallel_for(range_count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      Weigher weigher(plan);
      const std::size_t first = r * kPointGrain, last = std::min(points.size(), first + kPointGrain);
      rows[r].resize(last - first);
      for (std::size_t v = first; v < last; ++v) weigher.weigh(points[v], rows[r][v - first]);
    }
  });
  WeightRowBuilder builder;
  builder.reserve(points.size(), points.size() * 2);
  for (const auto& range : rows)
    for (const auto& row : range) {
      for (const auto& [weight, joint] : row)
        builder.add(static_cast<Index>(joint), static_cast<float>(weight));
      // Rows are only normalised here: the plan's weights add up to one except for pruned ones.
      builder.close_row(1.0);
    }
  return builder.take();
}

}  // namespace dermis
