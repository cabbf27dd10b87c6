// SPDX-License-Identifier: MIT
// The search of a body: its solid, its graph, and the placings of templates in them.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "dermis/rig.h"
#include "rig/embed.h"
#include "rig/frames.h"
#include "rig/graph.h"
#include "rig/pieces.h"

namespace dermis {

// A placing that costs more does not fit; a user who asks for one template alone may know better.
inline constexpr double kWorst = 0.9, kWorstAsked = 1.5;
// One who says where the limbs are does.
inline constexpr double kWorstMarked = 6;
// Where nothing that fits is trusted, placings that cost up to this are looked at too.
inline constexpr double kWorstDoubted = 1.3;
// A runner-up this close to the winner is noted.
inline constexpr double kClose = 0.12;
// Cosine of the angle below which two directions are one.
inline constexpr double kSameDirection = 0.99;

// A template, and where it was placed.
struct Try {
  const RigTemplate* rig = nullptr;
  ReducedTemplate reduced;
  std::vector<Pin> pins;
  std::vector<Ban> bans;               // nodes that this placing does without
  std::optional<Embedding> embedding;  // none: does not fit

  double cost() const { return embedding->cost.total(); }
};

// Whether parts of the body that touch or cross each other, such as a hand and a thigh, are one solid there.
enum class Touching { joined, apart };

// A surface and the cheapest placing of each template in it.
struct Search {
  BodySurface surface;
  BodySolid body;
  std::vector<BodyMirror> mirrors;
  BodyGraph graph;
  std::vector<Try> tries;
  std::vector<RigScore> scores;
  double worst = kWorst;  // a placing that costs this much does not fit
  Touching touching = Touching::joined;

  const Try* best() const {
    const Try* cheapest = nullptr;
    for (const Try& attempt : tries) {
      if (attempt.embedding && (cheapest == nullptr || attempt.cost() < cheapest->cost()))
        cheapest = &attempt;
    }
    return cheapest;
  }
  // Of the best placing; infinite if nothing fits.
  double cost() const { return best() == nullptr ? std::numeric_limits<double>::infinity() : best()->cost(); }
};

// Its cost and penalties, if it was placed; a placing that costs `worst` or more does not fit.
RigScore score_of(const Try& attempt, double worst);

// Fails if the surface encloses no body; with cancelled.
Result<Search> search_body(BodySurface surface, std::vector<Try> tries, const RigOptions& options,
                           Touching touching, const Progress& progress);

// Other placings than the cheapest, for a body whose skeleton is doubted; both stop early, with what they
// have, when the work is stopped. The cheapest one of every template in every orientation, also of a body
// whose pose is not symmetric.
std::vector<Try> all_placings(const Search& search, const RigOptions& options, const Progress& progress);
// Those of the same template and as upright, without the ends that one kind of limb has, or with the two of a
// pair changed over.
std::vector<Try> other_placings(const Search& search, const Try& placed, const RigOptions& options,
                                const Progress& progress);

}  // namespace dermis
