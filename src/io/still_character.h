// SPDX-License-Identifier: MIT
// A character of one still mesh, for formats that hold no more.
#pragma once

#include <span>
#include <string>

#include "dermis/io.h"

namespace dermis {

// The polygons of a mesh as files give them, closed into those a mesh may hold.
class PolygonBuilder {
 public:
  void reserve(std::size_t polygon_count, std::size_t corner_count);
  // Points must be checked by the caller. Polygons of fewer than three corners are left out (false) and
  // counted; those that name a point twice are kept and counted.
  bool add(std::span<const Index> points);
  void append(const PolygonBuilder& more);
  std::size_t corner_count() const { return polygons_.corners.size(); }
  std::size_t count() const { return polygons_.count(); }
  // A note for each kind of polygon that was counted.
  void note_faults(Notes& notes) const;
  Polygons take() { return std::move(polygons_); }

 private:
  Polygons polygons_;
  std::vector<Index> sorted_;  // scratch
  std::size_t short_ = 0, repeated_ = 0;
};

// Makes normals unit that are not, and takes out numbers that are not finite, each kind with a note.
void mend_attributes(Mesh& mesh, Notes& notes);

// From Z up to Y up: (x, y, z) becomes (x, z, -y), exact in floats.
void stand_up(std::span<Vec3> vectors);

// Puts `mesh` under one node, both named after the file unless the mesh has a name. `asset` has the notes,
// materials and images so far. +Y is up (LoadOptions::up says when it is not, and is obeyed with a note); the
// unit is taken to be the metre. A mesh without parts gets one; `weld` is made here. Refuses a mesh without
// points, and whatever validate refuses.
Result<Asset> still_asset(Asset asset, Mesh mesh, const std::string& path, const LoadOptions& options);

}  // namespace dermis
