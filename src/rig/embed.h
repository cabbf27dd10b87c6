// SPDX-License-Identifier: MIT
// Lays a template into the graph of a body.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dermis/rig.h"
#include "rig/frames.h"
#include "rig/graph.h"
#include "rig/reduce.h"

namespace dermis {

// What a placing costs, by penalty; all are zero or more.
struct EmbedCost {
  double bones = 0, side = 0, middle = 0, fat = 0, ground = 0, prominence = 0, symmetry = 0, shared = 0,
         unused = 0, missing = 0, frame = 0;
  double total() const {
    return bones + side + middle + fat + ground + prominence + symmetry + shared + unused + missing + frame;
  }
};
struct Embedding {
  std::vector<int> node;  // of the graph, for each reduced joint; -1: left out
  BodyFrame frame;
  EmbedCost cost;
};
// A joint whose place is known.
struct Pin {
  Index joint = kNone;  // of the template
  Vec3d at;
};
// The cheapest placing over all frames: best-first, with the cheapest placing of everything below each joint
// as bound. When all cost `worst` or more, or the search is given up, one that may not be the cheapest,
// whatever it costs; nothing when that cannot stand either, or when the work was stopped.
std::optional<Embedding> embed(const RigTemplate& rig, const ReducedTemplate& reduced, const BodySolid& body,
                               const BodyGraph& graph, std::span<const BodyMirror> mirrors,
                               std::span<const BodyFrame> frames, std::span<const Pin> pins, double worst,
                               const Progress& progress = {});

}  // namespace dermis
