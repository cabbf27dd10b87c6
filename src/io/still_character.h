// SPDX-License-Identifier: MIT
// A character of one still mesh, for formats that store no more.
#pragma once

#include <span>
#include <string>

#include "dermis/io.h"

namespace dermis {

// Turns the polygons of a file into polygons that a mesh may have.
class PolygonBuilder {
 public:
  void reserve(std::size_t polygon_count, std::size_t corner_count);
  // Points must be checked by the caller. Polygons with fewer than three corners are left out (false) and
  // counted; those that use a point twice are kept and counted.
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

// Normalises normals that are not unit, and replaces numbers that are not finite, each kind with a note.
void mend_attributes(Mesh& mesh, Notes& notes);

// From Z up to Y up: (x, y, z) becomes (x, z, -y), exact in floats.
void stand_up(std::span<Vec3> vectors);

// Puts `mesh` under one node, both named after the file unless the mesh has a name. `asset` has the notes,
// materials and images so far. +Y is up unless LoadOptions::up is z, which is noted; the unit is assumed to
// be the metre. A mesh without parts gets one; `weld` is computed here. Refuses a mesh without points, and
// whatever validate refuses.
Result<Asset> still_asset(Asset asset, Mesh mesh, const std::string& path, const LoadOptions& options);

}  // namespace dermis
