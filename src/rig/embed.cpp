// SPDX-License-Identifier: MIT
// Best-first search for the cheapest placing of a template in the graph of a body (after Baran and Popovic
// 2007).
#include "rig/embed.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "rig/penalties.h"

namespace dermis {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Only nodes at least this share as thick as the thickest hold fat joints, and at most this many.
constexpr double kFatShare = 0.25;
constexpr std::size_t kMostFat = 120;
constexpr double kPinReach = 1.4;

// One frame: the candidates of each joint, and the cost of each and of each pair.
struct Tables {
  Stand stand;
  std::vector<std::vector<int>> nodes;      // of each reduced joint
  std::vector<std::vector<EmbedCost>> own;  // [v][k]
  std::vector<std::vector<double>> below;   // [v][k]: the cheapest placing of all below v, including own
  std::vector<std::vector<std::vector<float>>> bone;  // [v][parent's k][k]
  // [v][parent's k]: the cheapest placing of v and all below, with its later partner if it has one.
  std::vector<std::vector<double>> least;
  std::vector<std::vector<std::vector<double>>>
      beside;  // [v][parent's k][k of its earlier partner]: likewise
};

// Limbs that touch others have no ends of their own: beyond a joint that the user placed, any sphere may be
// the end, up to kPinReach of the way that the template has there.
void add_near_pin(const Board& board, std::size_t v, std::vector<int>& nodes) {
  const ReducedTemplate::Joint& reduced = board.reduced.joints[v];
  const auto& joints = board.rig.joints;
  double way = 0;
  for (std::size_t k = reduced.chain.size(); k-- > 1;) {
    const Index j = reduced.chain[k - 1];
    way += length(joints[static_cast<std::size_t>(reduced.chain[k])].at -
                  joints[static_cast<std::size_t>(j)].at);
    for (const Pin& pin : board.constraints.pins) {
      if (pin.joint != j) continue;
      const double reach = kPinReach * way / board.reduced.span * board.body.span;
      for (std::size_t n = 0; n < board.graph.sphere_count; ++n)
        if (length(board.graph.nodes[n].centre - pin.at) < reach) nodes.push_back(static_cast<int>(n));
      return;
    }
  }
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
  if (joint.is_tip && t.stand.frame.root_end >= 0) {
    nodes.push_back(static_cast<int>(board.graph.sphere_count) + t.stand.frame.root_end);
  } else if (!reduced.is_leaf && !joint.is_tip) {
    for (const std::uint32_t n : board.fat)
      if (!board.graph.nodes[n].is_end()) nodes.push_back(static_cast<int>(n));
  } else if (t.stand.frame.plane >= 0 && reduced.mirror == static_cast<int>(v)) {
    add_ends(t.stand.frame.plane);
  } else {
    add_ends(-1);
  }
  if (reduced.is_leaf && board.constraints.pins.size() >= kManyPins) add_near_pin(board, v, nodes);
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
      least[other] = std::min(least[other],
                              cost + mirror_cost(board, t.stand, v, parent, t.nodes[u][other], node).total());
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
      const double bone = bone_cost(board, t.stand, v, t.nodes[p][k], t.nodes[v][m]);
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
  t.stand = stand_in(board.graph, frame);
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
      t.own[v].push_back(own_cost(board, t.stand, v, node));
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

int node_at(const Tables& t, const State& state, std::size_t v) {
  return t.nodes[v][static_cast<std::size_t>(state.choice[v])];
}

// The nodes of the joints that are placed.
std::vector<int> nodes_of(const Tables& t, const State& state) {
  std::vector<int> nodes;
  nodes.reserve(state.choice.size());
  for (std::size_t v = 0; v < state.choice.size(); ++v) nodes.push_back(node_at(t, state, v));
  return nodes;
}

EmbedCost detail(const Board& board, const Tables& t, const State& state) {
  EmbedCost sum;
  const auto add = [&](const EmbedCost& c) {
    sum.side += c.side, sum.middle += c.middle, sum.fat += c.fat, sum.ground += c.ground;
    sum.prominence += c.prominence, sum.missing += c.missing, sum.symmetry += c.symmetry,
        sum.shared += c.shared;
  };
  sum.frame = t.stand.frame.doubt;
  const std::vector<int> nodes = nodes_of(t, state);
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    add(t.own[v][static_cast<std::size_t>(state.choice[v])]);
    const std::span<const int> placed(nodes.data(), v + 1);
    EmbedCost pairs = pair_cost(board, t.stand, placed);
    pairs.shared += ways_cost(board, placed);
    add(pairs);
    if (v > 0)
      sum.bones += t.bone[v][static_cast<std::size_t>(state.choice[static_cast<std::size_t>(
          board.reduced.joints[v].parent)])][static_cast<std::size_t>(state.choice[v])];
  }
  sum.unused = unused_cost(board, nodes);
  sum.prominence += solid_cost(board, nodes);
  sum.fat += thin_head_cost(board, nodes);
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
  const std::vector<int> nodes = nodes_of(t, next);
  next.cost += double{t.bone[v][p][k]} + t.own[v][k].total() + pair_cost(board, t.stand, nodes).total();
  next.bound = next.cost < kInfinite ? bound_of(board, t, next) : kInfinite;
  if (!(next.bound < worst)) return next;
  const double ways = ways_cost(board, nodes);
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
  found.frame = t.stand.frame;
  found.cost = detail(board, t, whole);
  return found;
}

Board make_board(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
                 const BodyGraph& graph, std::span<const BodyMirror> mirrors,
                 const Constraints& constraints) {
  Board board{
      rig, reduced, body, graph, mirrors, constraints, {}, {}, {}, std::vector<int>(graph.nodes.size(), -1),
      0};
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
    board.middle_of_ways.push_back(middles_of(graph, board.ways_of_fat.back()));
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
      const std::vector<int> nodes = nodes_of(t, best);
      done.cost += unused_cost(board, nodes) + solid_cost(board, nodes) + thin_head_cost(board, nodes);
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
