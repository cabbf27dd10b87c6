// SPDX-License-Identifier: MIT
// Best-first search for the cheapest placing of a template in the graph of a body (after Baran and Popovic
// 2007).
#include "rig/embed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

namespace dermis {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Only nodes at least this share as thick as the thickest hold fat joints, and at most this many.
constexpr double kFatShare = 0.25;
constexpr std::size_t kMostFat = 120;

// Weights of the penalties, each of a value of about 0 to 1.
constexpr double kDirection = 0.6, kLooseDirection = 0.05, kLength = 0.08, kSide = 0.6, kMiddle = 2.0,
                 kFat = 0.12, kGround = 0.8, kProminence = 0.15, kSymmetry = 1.5, kUneven = 0.5,
                 kShared = 0.8, kUnused = 0.5, kUnusedOnHead = 0.15, kMissing = 0.12, kTip = 0.15,
                 kSpread = 0.3, kSolid = 1.0, kPinned = 3.0;
// The most that the places of a pair cost: a leg of a walking animal is far from where the other one's mirror
// image is.
constexpr double kMostAsymmetry = 0.15;
// How much nearer to the middle than the ends of limbs the lines between them are tested.
constexpr double kInwards = 0.15;

double cosine(const Vec3d& a, const Vec3d& b) {
  const double scale = length(a) * length(b);
  return scale > 0 ? std::clamp(dot(a, b) / scale, -1.0, 1.0) : 0;
}

// Data shared by all frames.
struct Board {
  const RigTemplate& rig;
  const ReducedTemplate& reduced;
  const BodySolid& body;
  const BodyGraph& graph;
  std::span<const BodyMirror> mirrors;
  Constraints constraints;
  std::vector<std::uint32_t> fat;  // nodes that may hold branches
  std::vector<Ways> ways_of_fat;
  std::vector<int> fat_rank;  // of each node among `fat`, or -1
  double thickest = 0;

  const Ways& ways_from(int node) const {
    return ways_of_fat[static_cast<std::size_t>(fat_rank[static_cast<std::size_t>(node)])];
  }
};

// One frame: the candidates of each joint, and the cost of each and of each pair.
struct Tables {
  BodyFrame frame;
  double lowest = 0, height = 1;
  std::vector<std::vector<int>> nodes;      // of each reduced joint
  std::vector<std::vector<EmbedCost>> own;  // [v][k]
  std::vector<std::vector<double>> below;   // [v][k]: the cheapest placing of all below v, including own
  std::vector<std::vector<std::vector<float>>> bone;  // [v][parent's k][k]
  // [v][parent's k]: the cheapest placing of v and all below, with its later partner if it has one.
  std::vector<std::vector<double>> least;
  std::vector<std::vector<std::vector<double>>>
      beside;  // [v][parent's k][k of its earlier partner]: likewise
};

Vec3d in_frame(const Tables& t, const Vec3d& v) { return transposed(t.frame.axes) * v; }

double left_of_plane(const Board& board, const Tables& t, const Vec3d& p) {
  if (t.frame.plane >= 0) {
    const MirrorPlane& plane = board.mirrors[static_cast<std::size_t>(t.frame.plane)].plane;
    return dot(t.frame.axes.x, plane.normal) * plane.side(p);
  }
  return dot(t.frame.axes.x, p - board.body.solid.centre(board.body.middle));
}

Vec3d template_vector(const Tables& t, const Vec3d& v) {
  return t.frame.is_mirrored ? Vec3d{-v.x, v.y, v.z} : v;
}

EmbedCost own_cost(const Board& board, const Tables& t, std::size_t v, int node) {
  EmbedCost cost;
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  if (node < 0) {
    cost.missing = kMissing;
    return cost;
  }
  const RigTemplate::Joint& joint = board.rig.joints[static_cast<std::size_t>(reduced.joint)];
  const GraphNode& at = board.graph.nodes[static_cast<std::size_t>(node)];
  const double span = board.body.span;
  if (!board.rig.is_free) {
    const double left = left_of_plane(board, t, at.centre) / span;
    if (reduced.mirror == static_cast<int>(v)) {
      // A posed neck or tail may swing aside.
      const double weight = t.frame.plane >= 0 ? kMiddle : reduced.is_loose ? 0 : 0.15 * kMiddle;
      cost.middle = weight * std::abs(left);
    } else if (t.frame.plane >= 0) {
      const double outwards = joint.at.x > 0 ? left : -left;
      cost.side = kSide * std::clamp((0.01 - outwards) / 0.05, 0.0, 1.0);
    }
  }
  if (joint.is_fat) cost.fat = kFat * (1 - at.radius / board.thickest);
  if (joint.is_grounded)
    cost.ground = kGround * std::max(0.0, in_frame(t, at.centre).y - t.lowest) / t.height;
  if (reduced.is_leaf) {
    const double expected = 0.5 * reduced.free_share * span;
    cost.prominence = kProminence * std::max(0.0, 1 - at.prominence / expected);
  }
  return cost;
}

// The point at `distance` along the path from `node` back to the branch.
Vec3d back_along(const Board& board, const Ways& ways, int node, double distance) {
  auto n = static_cast<std::uint32_t>(node);
  for (;;) {
    const std::uint32_t before = ways.before[n];
    if (before == n) return board.graph.nodes[n].centre;
    const double step = length(board.graph.nodes[n].centre - board.graph.nodes[before].centre);
    if (step >= distance) {
      const double share = step > 0 ? distance / step : 0;
      return board.graph.nodes[n].centre +
             (board.graph.nodes[before].centre - board.graph.nodes[n].centre) * share;
    }
    distance -= step;
    n = before;
  }
}

// The length of the path to a node, moved towards the expected one by at most the thickness of its outer
// half: paths around a large head are long.
double way_but_for_thickness(const Board& board, const Ways& ways, int to, double expected) {
  const double way = ways.length[static_cast<std::size_t>(to)];
  double thick = 0;
  for (auto n = static_cast<std::uint32_t>(to); ways.length[n] > 0.5 * way; n = ways.before[n])
    thick = std::max(thick, board.graph.nodes[n].radius);
  return std::min(way, std::max(expected, way - thick));
}

// How far joints that the user placed are from the path of their bone, beyond its thickness.
double pinned_cost(const Board& board, const ReducedTemplate::Joint& bone, const Ways& ways, int to) {
  double cost = 0;
  for (const Pin& pin : board.constraints.pins) {
    if (std::find(bone.chain.begin(), bone.chain.end(), pin.joint) == bone.chain.end()) continue;
    double nearest = kInfinite;
    for (auto n = static_cast<std::uint32_t>(to);; n = ways.before[n]) {
      const GraphNode& node = board.graph.nodes[n];
      nearest = std::min(nearest, length(node.centre - pin.at) - node.radius);
      if (ways.before[n] == n) break;
    }
    cost += kPinned * std::max(0.0, nearest) / board.body.span;
  }
  return cost;
}

double bone_cost(const Board& board, const Tables& t, std::size_t v, int from, int to) {
  if (to < 0) return 0;
  if (from < 0) return kInfinite;
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const Ways& ways = board.ways_from(from);
  const double way = ways.length[static_cast<std::size_t>(to)], span = board.body.span;
  if (from == to || !(way > 0)) return kInfinite;
  const auto& joints = board.rig.joints;
  const Vec3d a =
      joints[static_cast<std::size_t>(board.reduced.joints[static_cast<std::size_t>(reduced.parent)].joint)]
          .at;
  const Vec3d b = joints[static_cast<std::size_t>(reduced.joint)].at;
  const Vec3d to_here = in_frame(t, board.graph.nodes[static_cast<std::size_t>(to)].centre -
                                        board.graph.nodes[static_cast<std::size_t>(from)].centre);
  double cost = (reduced.is_loose ? kLooseDirection : kDirection) * 0.5 *
                (1 - cosine(template_vector(t, b - a), to_here));
  cost += pinned_cost(board, reduced, ways, to);
  const double expected = reduced.share * span;
  const double told = reduced.is_leaf ? way_but_for_thickness(board, ways, to, expected) : way;
  cost += kLength * std::min(4.0, square(std::log(told / expected) / std::numbers::ln2));
  if (reduced.is_leaf && reduced.chain.size() > 2 &&
      joints[static_cast<std::size_t>(reduced.joint)].is_grounded) {
    // The direction of the foot.
    const Vec3d heel = joints[static_cast<std::size_t>(reduced.chain[reduced.chain.size() - 3])].at;
    const double reach = length(b - heel) / board.reduced.span * span;
    const Vec3d foot = in_frame(
        t, board.graph.nodes[static_cast<std::size_t>(to)].centre - back_along(board, ways, to, reach));
    cost += kTip * 0.5 * (1 - cosine(template_vector(t, b - heel), foot));
  }
  return cost;
}

std::vector<int> candidates(const Board& board, const Tables& t, std::size_t v) {
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const RigTemplate::Joint& joint = board.rig.joints[static_cast<std::size_t>(reduced.joint)];
  std::vector<int> nodes;
  const auto add_ends = [&](std::int32_t plane) {
    for (std::size_t n = 0; n < board.graph.nodes.size(); ++n)
      if (board.graph.nodes[n].is_end() && board.graph.nodes[n].plane == plane)
        nodes.push_back(static_cast<int>(n));
  };
  if (joint.is_tip && t.frame.root_end >= 0) {
    nodes.push_back(static_cast<int>(board.graph.sphere_count) + t.frame.root_end);
  } else if (!reduced.is_leaf && !joint.is_tip) {
    for (const std::uint32_t n : board.fat)
      if (!board.graph.nodes[n].is_end()) nodes.push_back(static_cast<int>(n));
  } else if (t.frame.plane >= 0 && reduced.mirror == static_cast<int>(v)) {
    add_ends(t.frame.plane);
  } else {
    add_ends(-1);
  }
  for (const Ban& ban : board.constraints.bans)
    if (ban.joint == v) std::erase(nodes, ban.node);
  for (const Pin& pin : board.constraints.pins) {
    if (pin.joint != reduced.joint || nodes.empty()) continue;
    const auto distance = [&](int n) {
      return length(board.graph.nodes[static_cast<std::size_t>(n)].centre - pin.at);
    };
    return {*std::min_element(nodes.begin(), nodes.end(),
                              [&](int a, int b) { return distance(a) < distance(b); })};
  }
  if (reduced.is_optional) nodes.push_back(-1);
  return nodes;
}

// The cost of joint v at `node` if its mirror image is at `other` and both hang from `parent`.
EmbedCost mirror_cost(const Board& board, const Tables& t, std::size_t v, int parent, int other, int node) {
  EmbedCost cost;
  if (parent < 0 || other < 0 || node < 0) return cost;
  const double span = board.body.span;
  const Vec3d here = board.graph.nodes[static_cast<std::size_t>(node)].centre;
  const Vec3d there = board.graph.nodes[static_cast<std::size_t>(other)].centre;
  if (t.frame.plane >= 0) {
    const MirrorPlane& plane = board.mirrors[static_cast<std::size_t>(t.frame.plane)].plane;
    cost.symmetry = std::min(kMostAsymmetry, kSymmetry * length(plane.mirrored(there) - here) / span);
  } else if (!board.rig.is_free) {
    // Without a plane, left is what lies to the left of right: a body that leans has both feet on one side.
    const RigTemplate::Joint& joint =
        board.rig.joints[static_cast<std::size_t>(board.reduced.joints[v].joint)];
    const double outwards = dot(t.frame.axes.x, here - there) * (joint.at.x > 0 ? 1 : -1) / span;
    cost.side = kSide * std::clamp((0.02 - outwards) / 0.05, 0.0, 1.0);
  }
  const Ways& ways = board.ways_from(parent);
  cost.symmetry +=
      kUneven *
      std::abs(ways.length[static_cast<std::size_t>(node)] - ways.length[static_cast<std::size_t>(other)]) /
      span;
  return cost;
}

// The joint on the other side that comes before v and has the same parent, or -1.
int partner_of(const Board& board, std::size_t v) {
  const ReducedTemplate::Joint& joint = board.reduced.joints[v];
  if (joint.mirror < 0 || joint.mirror >= static_cast<int>(v)) return -1;
  return board.reduced.joints[static_cast<std::size_t>(joint.mirror)].parent == joint.parent ? joint.mirror
                                                                                             : -1;
}

// The cheapest placing of joint v and all below it, under the parent's k, for each candidate of its partner
// u.
std::vector<double> least_beside(const Board& board, const Tables& t, std::size_t u, std::size_t v,
                                 std::size_t k) {
  const int parent = t.nodes[static_cast<std::size_t>(board.reduced.joints[v].parent)][k];
  std::vector<double> least(t.nodes[u].size(), kInfinite);
  for (std::size_t other = 0; other < least.size(); ++other) {
    for (std::size_t m = 0; m < t.nodes[v].size(); ++m) {
      const int node = t.nodes[v][m];
      if (node >= 0 && node == t.nodes[u][other]) continue;
      const double cost = double{t.bone[v][k][m]} + t.below[v][m];
      if (!(cost < least[other])) continue;
      least[other] =
          std::min(least[other], cost + mirror_cost(board, t, v, parent, t.nodes[u][other], node).total());
    }
  }
  return least;
}

// Tables of joint v, once those of all later joints exist.
void add_bones(const Board& board, std::size_t v, Tables& t) {
  const auto p = static_cast<std::size_t>(board.reduced.joints[v].parent);
  const int partner = partner_of(board, v);
  const bool has_second =
      v + 1 < board.reduced.joints.size() && partner_of(board, v + 1) == static_cast<int>(v);
  t.bone[v].resize(t.nodes[p].size());
  t.least[v].assign(t.nodes[p].size(), kInfinite);
  for (std::size_t k = 0; k < t.nodes[p].size(); ++k) {
    for (std::size_t m = 0; m < t.nodes[v].size(); ++m) {
      const double bone = bone_cost(board, t, v, t.nodes[p][k], t.nodes[v][m]);
      t.bone[v][k].push_back(static_cast<float>(bone));
      t.least[v][k] =
          std::min(t.least[v][k], bone + t.below[v][m] + (has_second ? t.beside[v + 1][k][m] : 0));
    }
    if (partner < 0)
      t.below[p][k] += t.least[v][k];
    else
      t.beside[v].push_back(least_beside(board, t, static_cast<std::size_t>(partner), v, k));
  }
}

Tables make_tables(const Board& board, const BodyFrame& frame) {
  Tables t;
  t.frame = frame;
  double highest = -kInfinite;
  t.lowest = kInfinite;
  for (const GraphNode& node : board.graph.nodes) {
    const double y = in_frame(t, node.centre).y;
    t.lowest = std::min(t.lowest, y);
    highest = std::max(highest, y);
  }
  t.height = std::max(highest - t.lowest, 1e-12);
  const std::size_t count = board.reduced.joints.size();
  t.nodes.resize(count);
  t.own.resize(count);
  t.below.resize(count);
  t.bone.resize(count);
  t.least.resize(count);
  t.beside.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    t.nodes[v] = candidates(board, t, v);
    for (const int node : t.nodes[v]) {
      t.own[v].push_back(own_cost(board, t, v, node));
      t.below[v].push_back(t.own[v].back().total());
    }
  }
  for (std::size_t v = count; v-- > 1;) add_bones(board, v, t);
  return t;
}

struct State {
  double bound = 0, cost = 0;
  std::uint32_t frame = 0;
  std::vector<std::int16_t> choice;  // of the first reduced joints
};
struct IsWorse {
  bool operator()(const State& a, const State& b) const { return a.bound > b.bound; }
};

std::vector<std::uint32_t> path_of(const Board& board, int from, int to) {
  std::vector<std::uint32_t> path;
  const Ways& ways = board.ways_from(from);
  for (auto n = static_cast<std::uint32_t>(to);; n = ways.before[n]) {
    path.push_back(n);
    if (ways.before[n] == n) return path;
  }
}

int node_at(const Tables& t, const State& state, std::size_t v) {
  return t.nodes[v][static_cast<std::size_t>(state.choice[v])];
}

// How far two paths run together.
double shared_way(const Board& board, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  double shared = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    for (std::size_t j = 0; j + 1 < b.size(); ++j) {
      if ((a[i] == b[j] && a[i + 1] == b[j + 1]) || (a[i] == b[j + 1] && a[i + 1] == b[j]))
        shared += length(board.graph.nodes[a[i]].centre - board.graph.nodes[a[i + 1]].centre);
    }
  }
  return shared;
}

bool is_tip(const Board& board, int v) {
  return board.rig.joints[static_cast<std::size_t>(board.reduced.joints[static_cast<std::size_t>(v)].joint)]
      .is_tip;
}

// The cost of the newest joint if it is an end nearer to the branch at the other end of its own branch's
// bone: its path runs back along that bone.
double astray_cost(const Board& board, const Tables& t, const State& state) {
  const std::size_t v = state.choice.size() - 1;
  const ReducedTemplate::Joint& own = board.reduced.joints[v];
  if (!own.is_leaf || is_tip(board, own.parent)) return 0;
  const auto node = static_cast<std::size_t>(node_at(t, state, v));
  const auto way_from = [&](int branch) {
    return board.ways_from(node_at(t, state, static_cast<std::size_t>(branch))).length[node];
  };
  double least = kInfinite;
  for (std::size_t u = 0; u < v; ++u) {
    const ReducedTemplate::Joint& other = board.reduced.joints[u];
    if (other.is_leaf || is_tip(board, static_cast<int>(u)) || node_at(t, state, u) < 0) continue;
    if (other.parent == own.parent ||
        board.reduced.joints[static_cast<std::size_t>(own.parent)].parent == static_cast<int>(u))
      least = std::min(least, way_from(static_cast<int>(u)));
  }
  return kShared * std::max(0.0, way_from(own.parent) - least) / board.body.span;
}

// The cost of the newest joint together with those before it, without their paths; infinite if impossible.
void add_pairs(const Board& board, const Tables& t, const State& state, EmbedCost& cost) {
  const std::size_t v = state.choice.size() - 1;
  const int node = node_at(t, state, v);
  if (node < 0) return;
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const double span = board.body.span;
  const Vec3d here = board.graph.nodes[static_cast<std::size_t>(node)].centre;
  for (std::size_t u = 0; u < v; ++u) {
    if (node_at(t, state, u) == node) cost.shared = kInfinite;
  }
  if (board.rig.is_free && reduced.is_leaf) {
    // Without sides and directions, tips are identified by their distances.
    for (std::size_t u = 0; u < v; ++u) {
      const int other = node_at(t, state, u);
      if (other < 0 || !board.reduced.joints[u].is_leaf) continue;
      const auto& joints = board.rig.joints;
      const double expected = length(joints[static_cast<std::size_t>(reduced.joint)].at -
                                     joints[static_cast<std::size_t>(board.reduced.joints[u].joint)].at) /
                              board.reduced.span;
      cost.symmetry +=
          kSpread * std::abs(length(board.graph.nodes[static_cast<std::size_t>(other)].centre - here) / span -
                             expected);
    }
  }
  if (reduced.mirror >= 0 && reduced.mirror < static_cast<int>(v)) {
    const EmbedCost mirrored =
        mirror_cost(board, t, v, node_at(t, state, static_cast<std::size_t>(reduced.parent)),
                    node_at(t, state, static_cast<std::size_t>(reduced.mirror)), node);
    cost.side += mirrored.side;
    cost.symmetry += mirrored.symmetry;
  }
}

// The cost of the path to the newest joint together with the paths before it.
double ways_cost(const Board& board, const Tables& t, const State& state) {
  const std::size_t v = state.choice.size() - 1;
  const int node = node_at(t, state, v);
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  if (node < 0 || reduced.parent < 0) return 0;
  double cost = astray_cost(board, t, state);
  const std::vector<std::uint32_t> own =
      path_of(board, node_at(t, state, static_cast<std::size_t>(reduced.parent)), node);
  for (std::size_t u = 1; u < v; ++u) {
    const int end = node_at(t, state, u);
    if (end < 0) continue;
    const int start = node_at(t, state, static_cast<std::size_t>(board.reduced.joints[u].parent));
    // Fingers part from each other somewhere between the wrist and their tips.
    if (is_tip(board, reduced.parent) && board.reduced.joints[u].parent == reduced.parent) continue;
    cost += kShared * shared_way(board, own, path_of(board, start, end)) / board.body.span;
  }
  return cost;
}

// Limbs that no path runs through, less for those of heads, which have ears, hair and horns: how far their
// ends are from all paths, beyond the thickness there.
double unused_cost(const Board& board, const Tables& t, const State& state) {
  std::vector<std::uint32_t> used;
  std::vector<bool> is_head(board.graph.nodes.size(), false);
  for (std::size_t v = 1; v < state.choice.size(); ++v) {
    const int to = node_at(t, state, v);
    if (to < 0) continue;
    const auto path =
        path_of(board, node_at(t, state, static_cast<std::size_t>(board.reduced.joints[v].parent)), to);
    used.insert(used.end(), path.begin(), path.end());
    // The outer half of a head or tail, from its end inwards.
    const ReducedTemplate::Joint& joint = board.reduced.joints[v];
    if (!joint.is_leaf || joint.mirror != static_cast<int>(v)) continue;
    for (std::size_t k = 0; k < (path.size() + 1) / 2; ++k) is_head[path[k]] = true;
  }
  // Distances start at the surface around the used paths, given by their spheres.
  std::vector<double> start;
  start.reserve(used.size());
  for (const std::uint32_t n : used) start.push_back(1.5 * (board.thickest - board.graph.nodes[n].radius));
  const Ways ways = shortest_ways(board.graph, used, start);
  double cost = 0;
  for (std::size_t n = 0; n < board.graph.nodes.size(); ++n) {
    const GraphNode& node = board.graph.nodes[n];
    if (!node.is_end() || node.plane >= 0) continue;
    const double beyond = ways.length[n] - 1.5 * board.thickest;
    std::uint32_t from = static_cast<std::uint32_t>(n);
    while (ways.before[from] != from) from = ways.before[from];
    cost += (is_head[from] ? kUnusedOnHead : kUnused) * std::max(0.0, std::min(beyond, node.prominence)) /
            board.body.span;
  }
  return cost;
}

// Whether the straight line between two ends, both moved a little towards the middle, lies in the body.
bool is_solid_between(const Board& board, int a, int b) {
  const Vec3d middle = board.body.solid.centre(board.body.middle);
  const auto inner = [&](int node) {
    const Vec3d end = board.graph.nodes[static_cast<std::size_t>(node)].centre;
    return end + (middle - end) * kInwards;
  };
  const Vec3d from = inner(a), to = inner(b);
  const int steps = std::max(2, static_cast<int>(length(to - from) / board.body.solid.cell));
  for (int k = 0; k <= steps; ++k)
    if (board.body.solid.find(from + (to - from) * (double(k) / steps)) == VoxelSolid::kNoCell) return false;
  return true;
}

// Corners of a brick are not limbs: between the ends of limbs there is mostly empty space.
double solid_cost(const Board& board, const Tables& t, const State& state) {
  std::vector<int> ends;
  for (std::size_t v = 0; v < board.reduced.joints.size(); ++v)
    if (board.reduced.joints[v].is_leaf && node_at(t, state, v) >= 0) ends.push_back(node_at(t, state, v));
  int solid = 0, pairs = 0;
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = a + 1; b < ends.size(); ++b, ++pairs)
      solid += is_solid_between(board, ends[a], ends[b]) ? 1 : 0;
  }
  return pairs == 0 ? 0 : kSolid * std::max(0.0, 2.0 * solid / pairs - 1);
}

EmbedCost detail(const Board& board, const Tables& t, const State& state) {
  EmbedCost sum;
  const auto add = [&](const EmbedCost& c) {
    sum.side += c.side, sum.middle += c.middle, sum.fat += c.fat, sum.ground += c.ground;
    sum.prominence += c.prominence, sum.missing += c.missing, sum.symmetry += c.symmetry,
        sum.shared += c.shared;
  };
  sum.frame = t.frame.doubt;
  State part = state;
  part.choice.clear();
  for (std::size_t v = 0; v < state.choice.size(); ++v) {
    part.choice.push_back(state.choice[v]);
    add(t.own[v][static_cast<std::size_t>(state.choice[v])]);
    EmbedCost pairs;
    add_pairs(board, t, part, pairs);
    pairs.shared += ways_cost(board, t, part);
    add(pairs);
    if (v > 0)
      sum.bones += t.bone[v][static_cast<std::size_t>(state.choice[static_cast<std::size_t>(
          board.reduced.joints[v].parent)])][static_cast<std::size_t>(state.choice[v])];
  }
  sum.unused = unused_cost(board, t, state);
  sum.prominence += solid_cost(board, t, state);
  return sum;
}

// A lower bound for a state: its cost, plus the cheapest placing of everything below its joints.
double bound_of(const Board& board, const Tables& t, const State& state) {
  double bound = state.cost;
  const std::size_t placed = state.choice.size();
  for (std::size_t v = placed; v < board.reduced.joints.size(); ++v) {
    const int p = board.reduced.joints[v].parent, partner = partner_of(board, v);
    if (p < 0 || p >= static_cast<int>(placed)) continue;
    const auto k = static_cast<std::size_t>(state.choice[static_cast<std::size_t>(p)]);
    if (partner < 0)
      bound += t.least[v][k];
    else if (partner < static_cast<int>(placed))
      bound += t.beside[v][k][static_cast<std::size_t>(state.choice[static_cast<std::size_t>(partner)])];
  }
  return bound;
}

// A state with one more joint. Paths are evaluated only if it could still cost less than `worst`.
State extended(const Board& board, const Tables& t, const State& state, std::size_t k, double worst) {
  const std::size_t v = state.choice.size();
  const auto p =
      static_cast<std::size_t>(state.choice[static_cast<std::size_t>(board.reduced.joints[v].parent)]);
  State next = state;
  next.choice.push_back(static_cast<std::int16_t>(k));
  EmbedCost pairs;
  add_pairs(board, t, next, pairs);
  next.cost += double{t.bone[v][p][k]} + t.own[v][k].total() + pairs.total();
  next.bound = next.cost < kInfinite ? bound_of(board, t, next) : kInfinite;
  if (!(next.bound < worst)) return next;
  const double ways = ways_cost(board, t, next);
  next.cost += ways;
  next.bound += ways;
  return next;
}

// A state with each remaining joint placed where it seems cheapest, one after the other.
State completed(const Board& board, const Tables& t, State state) {
  state.choice.resize(std::min(state.choice.size(), board.reduced.joints.size()));
  while (state.choice.size() < board.reduced.joints.size()) {
    State best;
    best.bound = kInfinite;
    for (std::size_t k = 0; k < t.nodes[state.choice.size()].size(); ++k) {
      State next = extended(board, t, state, k, best.bound);
      if (next.bound < best.bound) best = std::move(next);
    }
    if (!(best.bound < kInfinite)) return best;
    state = std::move(best);
  }
  return state;
}

Embedding embedding_of(const Board& board, const Tables& t, const State& whole) {
  Embedding found;
  for (std::size_t u = 0; u < board.reduced.joints.size(); ++u) found.node.push_back(node_at(t, whole, u));
  found.frame = t.frame;
  found.cost = detail(board, t, whole);
  return found;
}

Board make_board(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
                 const BodyGraph& graph, std::span<const BodyMirror> mirrors,
                 const Constraints& constraints) {
  Board board{
      rig, reduced, body, graph, mirrors, constraints, {}, {}, std::vector<int>(graph.nodes.size(), -1), 0};
  for (const GraphNode& node : graph.nodes) board.thickest = std::max(board.thickest, node.radius);
  const bool has_tip = std::any_of(rig.joints.begin(), rig.joints.end(),
                                   [](const RigTemplate::Joint& joint) { return joint.is_tip; });
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& node = graph.nodes[n];
    const bool is_fat =
        !node.is_end() && node.radius >= kFatShare * board.thickest && board.fat.size() < kMostFat;
    if (!is_fat && !((rig.is_free || has_tip) && node.is_end())) continue;
    board.fat_rank[n] = static_cast<int>(board.fat.size());
    board.fat.push_back(n);
    board.ways_of_fat.push_back(shortest_ways(graph, {&n, 1}));
  }
  return board;
}

}  // namespace

std::optional<Embedding> embed(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
                               const BodyGraph& graph, std::span<const BodyMirror> mirrors,
                               std::span<const BodyFrame> frames, const Constraints& constraints,
                               double worst, const Progress& progress) {
  const Board board = make_board(rig, reduced, body, graph, mirrors, constraints);
  std::vector<Tables> tables;
  tables.reserve(frames.size());
  std::priority_queue<State, std::vector<State>, IsWorse> queue;
  State dropped;  // the best of those that cost too much
  dropped.bound = kInfinite;
  const auto offer = [&](State state) {
    if (state.bound < worst)
      queue.push(std::move(state));
    else if (state.bound < dropped.bound)
      dropped = std::move(state);
  };
  for (const BodyFrame& frame : frames) {
    if (progress.is_stopped()) return {};
    tables.push_back(make_tables(board, frame));
    const Tables& t = tables.back();
    for (std::size_t k = 0; k < t.nodes[0].size(); ++k) {
      State state;
      state.frame = static_cast<std::uint32_t>(tables.size() - 1);
      state.choice = {static_cast<std::int16_t>(k)};
      state.cost = frame.doubt + t.own[0][k].total();
      state.bound = bound_of(board, t, state);
      offer(std::move(state));
    }
  }
  for (std::size_t states = 0; !queue.empty() && states < constraints.most_states; ++states) {
    if (progress.is_stopped()) return {};
    const State best = queue.top();
    queue.pop();
    const Tables& t = tables[best.frame];
    const std::size_t v = best.choice.size();
    if (v > reduced.joints.size()) {  // complete, with its unused limbs
      State whole = best;
      whole.choice.pop_back();
      return embedding_of(board, t, whole);
    }
    if (v == reduced.joints.size()) {
      State done = best;
      done.cost += unused_cost(board, t, best) + solid_cost(board, t, best);
      done.bound = done.cost;
      done.choice.push_back(0);
      offer(std::move(done));
      continue;
    }
    for (std::size_t k = 0; k < t.nodes[v].size(); ++k) offer(extended(board, t, best, k, worst));
  }
  // None is cheap enough, or there are too many to try: still report the cost of one of them.
  const State& near = queue.empty() ? dropped : queue.top();
  if (!(near.bound < kInfinite)) return {};
  const State one = completed(board, tables[near.frame], near);
  if (one.choice.size() < reduced.joints.size() || !(one.bound < kInfinite)) return {};
  return embedding_of(board, tables[one.frame], one);
}

}  // namespace dermis
