// SPDX-License-Identifier: MIT
// Penalties of a placing.
#include "rig/penalties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace dermis {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

// Weights of the penalties, each of a value of about 0 to 1.
constexpr double kDirection = 0.6, kLooseDirection = 0.05, kLength = 0.08, kSide = 0.6, kMiddle = 2.0,
                 kFat = 0.12, kGround = 0.8, kProminence = 0.15, kSymmetry = 1.5, kUneven = 0.5,
                 kShared = 0.8, kUnused = 0.5, kUnusedOnHead = 0.15, kMissing = 0.12, kTip = 0.15,
                 kSpread = 0.3, kSolid = 1.0, kPinned = 3.0, kThinHead = 0.2;
// The most that the places of a pair cost: a leg of a walking animal is far from where the other one's mirror
// image is.
constexpr double kMostAsymmetry = 0.15;
// What is at least this share as thick as the trunk may be a head. A tail may be thicker than the head by
// this much, as a power of two: that of a crocodile is.
constexpr double kIsHead = 0.35, kThickTail = 0.2;
// How much nearer to the middle than the ends of limbs the lines between them are tested.
constexpr double kInwards = 0.15;

double cosine(const Vec3d& a, const Vec3d& b) {
  const double scale = length(a) * length(b);
  return scale > 0 ? std::clamp(dot(a, b) / scale, -1.0, 1.0) : 0;
}

bool is_marked(const Board& board) { return board.constraints.pins.size() >= kManyPins; }

Vec3d in_frame(const Stand& stand, const Vec3d& v) { return transposed(stand.frame.axes) * v; }

double left_of_plane(const Board& board, const Stand& stand, const Vec3d& p) {
  if (stand.frame.plane >= 0) {
    const MirrorPlane& plane = board.mirrors[static_cast<std::size_t>(stand.frame.plane)].plane;
    return dot(stand.frame.axes.x, plane.normal) * plane.side(p);
  }
  return dot(stand.frame.axes.x, p - board.body.solid.centre(board.body.middle));
}

Vec3d template_vector(const Stand& stand, const Vec3d& v) {
  return stand.frame.is_mirrored ? Vec3d{-v.x, v.y, v.z} : v;
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
    double nearest = kUnreached;
    for (auto n = static_cast<std::uint32_t>(to);; n = ways.before[n]) {
      const GraphNode& node = board.graph.nodes[n];
      nearest = std::min(nearest, length(node.centre - pin.at) - node.radius);
      if (ways.before[n] == n) break;
    }
    cost += kPinned * std::max(0.0, nearest) / board.body.span;
  }
  return cost;
}

std::vector<std::uint32_t> path_of(const Board& board, int from, int to) {
  std::vector<std::uint32_t> path;
  const Ways& ways = board.ways_from(from);
  for (auto n = static_cast<std::uint32_t>(to);; n = ways.before[n]) {
    path.push_back(n);
    if (ways.before[n] == n) return path;
  }
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

// The mean radius of what lies along a path, but for its inner third, which is the trunk's.
double mean_thickness(const Board& board, const Ways& ways, int to) {
  const double whole = ways.length[static_cast<std::size_t>(to)], inner = whole / 3;
  double sum = 0;
  for (auto n = static_cast<std::uint32_t>(to); ways.length[n] > inner; n = ways.before[n]) {
    const std::uint32_t before = ways.before[n];
    const double step = ways.length[n] - std::max(inner, ways.length[before]);
    sum += step * 0.5 * (board.graph.nodes[n].radius + board.graph.nodes[before].radius);
    if (before == n) break;
  }
  return whole > 0 ? sum / (whole - inner) : 0;
}

bool is_tip(const Board& board, int v) {
  return board.rig.joints[static_cast<std::size_t>(board.reduced.joints[static_cast<std::size_t>(v)].joint)]
      .is_tip;
}

// The cost of the newest joint if it is an end nearer to the branch at the other end of its own branch's
// bone: its path runs back along that bone.
double astray_cost(const Board& board, std::span<const int> nodes) {
  const std::size_t v = nodes.size() - 1;
  const ReducedTemplate::Joint& own = board.reduced.joints[v];
  if (!own.is_leaf || is_tip(board, own.parent)) return 0;
  const auto node = static_cast<std::size_t>(nodes[v]);
  const auto way_from = [&](int branch) {
    return board.ways_from(nodes[static_cast<std::size_t>(branch)]).length[node];
  };
  double least = kUnreached;
  for (std::size_t u = 0; u < v; ++u) {
    const ReducedTemplate::Joint& other = board.reduced.joints[u];
    if (other.is_leaf || is_tip(board, static_cast<int>(u)) || nodes[u] < 0) continue;
    if (other.parent == own.parent ||
        board.reduced.joints[static_cast<std::size_t>(own.parent)].parent == static_cast<int>(u))
      least = std::min(least, way_from(static_cast<int>(u)));
  }
  return kShared * std::max(0.0, way_from(own.parent) - least) / board.body.span;
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

}  // namespace

Stand stand_in(const BodyGraph& graph, const BodyFrame& frame) {
  Stand stand;
  stand.frame = frame;
  double highest = -kUnreached;
  stand.lowest = kUnreached;
  for (const GraphNode& node : graph.nodes) {
    const double y = in_frame(stand, node.centre).y;
    stand.lowest = std::min(stand.lowest, y);
    highest = std::max(highest, y);
  }
  stand.height = std::max(highest - stand.lowest, 1e-12);
  return stand;
}

std::vector<Vec3d> middles_of(const BodyGraph& graph, const Ways& ways) {
  std::vector<std::uint32_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ways.length[a] != ways.length[b] ? ways.length[a] < ways.length[b] : a < b;
  });
  std::vector<Vec3d> sum(graph.nodes.size()), middles(graph.nodes.size());
  for (const std::uint32_t n : order) {
    const std::uint32_t before = ways.before[n];
    const Vec3d &here = graph.nodes[n].centre, &there = graph.nodes[before].centre;
    sum[n] = sum[before] + (here + there) * (0.5 * (ways.length[n] - ways.length[before]));
    middles[n] = ways.length[n] > 0 ? sum[n] * (1 / ways.length[n]) : here;
  }
  return middles;
}

EmbedCost own_cost(const Board& board, const Stand& stand, std::size_t v, int node) {
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
    const double left = left_of_plane(board, stand, at.centre) / span;
    if (reduced.mirror == static_cast<int>(v)) {
      // A posed neck or tail may swing aside.
      const double weight = stand.frame.plane >= 0 ? kMiddle : reduced.is_loose ? 0 : 0.15 * kMiddle;
      cost.middle = weight * std::abs(left);
    } else if (stand.frame.plane >= 0) {
      const double outwards = joint.at.x > 0 ? left : -left;
      cost.side = kSide * std::clamp((0.01 - outwards) / 0.05, 0.0, 1.0);
    }
  }
  if (joint.is_fat) cost.fat = kFat * (1 - at.radius / board.thickest);
  if (joint.is_grounded)
    cost.ground = kGround * std::max(0.0, in_frame(stand, at.centre).y - stand.lowest) / stand.height;
  if (reduced.is_leaf && !is_marked(board)) {
    const double expected = 0.5 * reduced.free_share * span;
    cost.prominence = kProminence * std::max(0.0, 1 - at.prominence / expected);
  }
  return cost;
}

double bone_cost(const Board& board, const Stand& stand, std::size_t v, int from, int to) {
  if (to < 0) return 0;
  if (from < 0) return kUnreached;
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const Ways& ways = board.ways_from(from);
  const double way = ways.length[static_cast<std::size_t>(to)], span = board.body.span;
  if (from == to || !(way > 0)) return kUnreached;
  const auto& joints = board.rig.joints;
  const Vec3d a =
      joints[static_cast<std::size_t>(board.reduced.joints[static_cast<std::size_t>(reduced.parent)].joint)]
          .at;
  const Vec3d b = joints[static_cast<std::size_t>(reduced.joint)].at;
  const Vec3d to_here = in_frame(stand, board.graph.nodes[static_cast<std::size_t>(to)].centre -
                                            board.graph.nodes[static_cast<std::size_t>(from)].centre);
  double cost = (reduced.is_loose ? kLooseDirection : kDirection) * 0.5 *
                (1 - cosine(template_vector(stand, b - a), to_here));
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
        stand, board.graph.nodes[static_cast<std::size_t>(to)].centre - back_along(board, ways, to, reach));
    cost += kTip * 0.5 * (1 - cosine(template_vector(stand, b - heel), foot));
  }
  return cost;
}

EmbedCost mirror_cost(const Board& board, const Stand& stand, std::size_t v, int parent, int other,
                      int node) {
  EmbedCost cost;
  if (parent < 0 || other < 0 || node < 0) return cost;
  const double span = board.body.span;
  const Vec3d here = board.graph.nodes[static_cast<std::size_t>(node)].centre;
  const Vec3d there = board.graph.nodes[static_cast<std::size_t>(other)].centre;
  if (stand.frame.plane >= 0) {
    const MirrorPlane& plane = board.mirrors[static_cast<std::size_t>(stand.frame.plane)].plane;
    cost.symmetry = std::min(kMostAsymmetry, kSymmetry * length(plane.mirrored(there) - here) / span);
  } else if (!board.rig.is_free) {
    // Without a plane, left is what lies to the left of right: a body that leans has both feet on one side.
    // By the whole limb, because feet and hands cross.
    const RigTemplate::Joint& joint =
        board.rig.joints[static_cast<std::size_t>(board.reduced.joints[v].joint)];
    const Vec3d apart = board.middle_of_way(parent, node) - board.middle_of_way(parent, other);
    const double outwards = dot(stand.frame.axes.x, apart) * (joint.at.x > 0 ? 1 : -1) / span;
    cost.side = kSide * std::clamp((0.02 - outwards) / 0.05, 0.0, 1.0);
  }
  const Ways& ways = board.ways_from(parent);
  cost.symmetry +=
      kUneven *
      std::abs(ways.length[static_cast<std::size_t>(node)] - ways.length[static_cast<std::size_t>(other)]) /
      span;
  return cost;
}

EmbedCost pair_cost(const Board& board, const Stand& stand, std::span<const int> nodes) {
  EmbedCost cost;
  const std::size_t v = nodes.size() - 1;
  const int node = nodes[v];
  if (node < 0) return cost;
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const double span = board.body.span;
  const Vec3d here = board.graph.nodes[static_cast<std::size_t>(node)].centre;
  for (std::size_t u = 0; u < v; ++u) {
    if (nodes[u] == node) cost.shared = kUnreached;
  }
  if (board.rig.is_free && reduced.is_leaf) {
    // Without sides and directions, tips are identified by their distances.
    for (std::size_t u = 0; u < v; ++u) {
      const int other = nodes[u];
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
    const EmbedCost mirrored = mirror_cost(board, stand, v, nodes[static_cast<std::size_t>(reduced.parent)],
                                           nodes[static_cast<std::size_t>(reduced.mirror)], node);
    cost.side += mirrored.side;
    cost.symmetry += mirrored.symmetry;
  }
  return cost;
}

double ways_cost(const Board& board, std::span<const int> nodes) {
  const std::size_t v = nodes.size() - 1;
  const int node = nodes[v];
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  if (node < 0 || reduced.parent < 0) return 0;
  double cost = astray_cost(board, nodes);
  const std::vector<std::uint32_t> own =
      path_of(board, nodes[static_cast<std::size_t>(reduced.parent)], node);
  for (std::size_t u = 1; u < v; ++u) {
    const int end = nodes[u];
    if (end < 0) continue;
    const int start = nodes[static_cast<std::size_t>(board.reduced.joints[u].parent)];
    // Fingers part from each other somewhere between the wrist and their tips.
    if (is_tip(board, reduced.parent) && board.reduced.joints[u].parent == reduced.parent) continue;
    cost += kShared * shared_way(board, own, path_of(board, start, end)) / board.body.span;
  }
  return cost;
}

double unused_cost(const Board& board, std::span<const int> nodes) {
  if (is_marked(board)) return 0;
  std::vector<std::uint32_t> used;
  std::vector<bool> is_head(board.graph.nodes.size(), false);
  for (std::size_t v = 1; v < nodes.size(); ++v) {
    const int to = nodes[v];
    if (to < 0) continue;
    const auto path = path_of(board, nodes[static_cast<std::size_t>(board.reduced.joints[v].parent)], to);
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

double solid_cost(const Board& board, std::span<const int> nodes) {
  if (is_marked(board)) return 0;
  std::vector<int> ends;
  for (std::size_t v = 0; v < board.reduced.joints.size(); ++v)
    if (board.reduced.joints[v].is_leaf && nodes[v] >= 0) ends.push_back(nodes[v]);
  int solid = 0, pairs = 0;
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = a + 1; b < ends.size(); ++b, ++pairs)
      solid += is_solid_between(board, ends[a], ends[b]) ? 1 : 0;
  }
  return pairs == 0 ? 0 : kSolid * std::max(0.0, 2.0 * solid / pairs - 1);
}

double thin_head_cost(const Board& board, std::span<const int> nodes) {
  // The mean thickness of the paths to heads, and to what bodies may lack: tails.
  double head = 0, tail = 0;
  for (std::size_t v = 1; v < nodes.size(); ++v) {
    const ReducedTemplate::Joint& joint = board.reduced.joints[v];
    if (nodes[v] < 0 || !joint.is_leaf || joint.mirror != static_cast<int>(v)) continue;
    const int from = nodes[static_cast<std::size_t>(joint.parent)];
    const double thick = mean_thickness(board, board.ways_from(from), nodes[v]);
    (joint.is_optional ? tail : head) = std::max(joint.is_optional ? tail : head, thick);
  }
  // The way to a short tail lies mostly in the trunk: only what is no head by itself is compared with it.
  if (!(head > 0) || !(tail > 0) || head > kIsHead * board.thickest) return 0;
  return kThinHead * std::clamp(std::log2(tail / head) - kThickTail, 0.0, 1.0);
}

}  // namespace dermis
