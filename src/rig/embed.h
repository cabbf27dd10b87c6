// SPDX-License-Identifier: MIT
// Places a template in the graph of a body.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dermis/rig.h"
#include "rig/frames.h"
#include "rig/graph.h"
#include "rig/reduce.h"

namespace dermis {

// The cost of a placing, by penalty; all are zero or more.
struct EmbedCost {
  double bones = 0, side = 0, middle = 0, fat = 0, ground = 0, prominence = 0, symmetry = 0, shared = 0,
         unused = 0, missing = 0, frame = 0;
  double total() const {
    return bones + side + middle + fat + ground + prominence + symmetry + shared + unused + missing + frame;
  }
};
struct Embedding {
  std::vector<int> node;  // in the graph, for each reduced joint; -1: left out
  BodyFrame frame;
  EmbedCost cost;
};
// A joint whose position is known.
struct Pin {
  Index joint = kNone;  // of the template
  Vec3d at;
};
// So many joints that the user placed say which limb is which: ends need not stick out, nor all limbs have
// bones.
inline constexpr std::size_t kManyPins = 6;
// A node of the graph that a joint may not have.
struct Ban {
  std::size_t joint = 0;  // of the reduced template
  int node = 0;
};
struct Constraints {
  std::span<const Pin> pins{};
  std::span<const Ban> bans{};
  // After this many states the best placing so far is returned: symmetric bodies need hundreds, posed ones
  // tens of thousands.
  std::size_t most_states = 60'000;
};
// The cheapest placing over all frames: best-first, with the cheapest placing of everything below each joint
// as bound. If all cost `worst` or more, or the search gives up, one that may not be the cheapest, whatever
// it costs; nothing if that is impossible too, or if the work was stopped.
std::optional<Embedding> embed(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
                               const BodyGraph& graph, std::span<const BodyMirror> mirrors,
                               std::span<const BodyFrame> frames, const Constraints& constraints,
                               double worst, const Progress& progress = {});

}  // namespace dermis
