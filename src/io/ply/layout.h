// SPDX-License-Identifier: MIT
// The meaning of the properties of a PLY file, and reading rows into meshes accordingly.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dermis/model.h"
#include "io/ply/header.h"
#include "io/still_character.h"

namespace dermis {

// How one property is used. In a vertex it fills one of the slots; in a face or a strip it is the list of
// points or of texture coordinates. Others are skipped.
enum class PlyUse : std::uint8_t {
  x,
  y,
  z,
  nx,
  ny,
  nz,
  red,
  green,
  blue,
  alpha,
  u,
  v,
  points,
  texcoords,
  none
};
inline constexpr std::size_t kVertexSlots = 12;

struct PlyField {
  PlyProperty property;
  PlyUse use = PlyUse::none;
  float full = 1;  // numbers are divided by it
};

enum class PlyRole { vertices, faces, strips, other };

struct PlyLayout {
  PlyRole role = PlyRole::other;
  std::vector<PlyField> fields;
  bool has_normals = false, has_colours = false, has_uvs = false;  // of vertices
  bool has_texcoords = false;                                      // of faces
  bool lacks_texcoords = false;                                    // has polygons without them, although
                                                                   // others have them
  std::vector<std::string> dropped;                                // properties that are left out
};

// How the rows of each element are read. The first element named "vertex" with x, y and z has the points.
std::vector<PlyLayout> lay_out(const PlyHeader& header);

// The result of a run of rows besides points: polygons, and faults.
struct PlyRun {
  PolygonBuilder polygons;
  std::vector<Vec2> corner_uvs;   // one per corner, if faces have texture coordinates
  std::size_t extra_rows = 0;     // rows with more values than the header states
  std::size_t without_uv = 0;     // corners without one in the file
  std::size_t odd_texcoords = 0;  // faces whose texture coordinates do not match their corners
  std::string fault;              // of the row that ended the run
};

// Reads one row of a face, a strip, or of an element that is not used. False, with run.fault set, if it is
// broken. `point_count` is the header's.
template <class Row>
bool read_lists(Row& row, const PlyLayout& layout, std::size_t point_count, PlyRun& run);
// Reads the row of point `v` into `mesh`, whose arrays already have the length the header states.
template <class Row>
bool read_vertex(Row& row, const PlyLayout& layout, std::size_t v, Mesh& mesh, PlyRun& run);

}  // namespace dermis
