// SPDX-License-Identifier: MIT
// A garment on its way into the body, and the steps of adding it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "dermis/ops/combine.h"

namespace dermis {

// The steps below run in their order.
struct GarmentBeingAdded {
  const std::string& file;  // of the garment
  Character garment;        // in the body's unit
  Character& body;
  const CombineRequest& request;
  CombineReport::Part& part;
  Notes& notes;
  std::vector<Affined> garment_world{}, body_world{};  // at rest; the latter of the body as it was
  std::vector<Index> match{};                          // of each garment node, a node of the body
  std::vector<Index> place{};                          // the same, and for added nodes their new index
  std::vector<Index> holder{};  // of each matched node, the helper node added below its match; kNone: none
  bool is_alike = true;         // bound as the body was: its skins and clips hold for the joints of the body
  double size = 0;              // of the body

  void note(Note::Kind kind, const char* id, const std::string& words) {
    notes.push_back({kind, id, fmt::format("{}: {}", file, words)});
  }
  void doubt(const std::string& clause) { part.doubt += (part.doubt.empty() ? "" : ", and ") + clause; }
};

// Adds the nodes that the body lacks: unmatched joints with what is below them, and those that show rigid
// meshes.
void add_nodes(GarmentBeingAdded& adding);
void add_skins(GarmentBeingAdded& adding);
// The meshes of the garment are those of the body from `first_mesh` on, its skins likewise. Returns the
// meshes that are to take the weights of the body.
std::vector<Index> add_instances(GarmentBeingAdded& adding, Index first_mesh, Index first_skin);
// `controls` is the new index of each control of the garment.
void add_clips(GarmentBeingAdded& adding, Index first_instance, const std::vector<Index>& controls);

}  // namespace dermis
