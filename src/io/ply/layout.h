// SPDX-License-Identifier: MIT
// What the properties of a PLY file stand for, and rows read into meshes by it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dermis/model.h"
#include "io/ply/header.h"
#include "io/still_character.h"

namespace dermis {

// What becomes of one property. In a vertex it fills one of the slots; in a face or a strip it is the list of
// points or of texture coordinates. The rest is stepped over.
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
  bool lacks_texcoords = false;                                    // has polygons without, others have them
  std::vector<std::string> dropped;                                // properties that are not carried
};

// What the rows of each element are read as. The first element with x, y and z that is called "vertex" has
// the points.
std::vector<PlyLayout> lay_out(const PlyHeader& header);

// What a run of rows gave besides points: polygons, and what was wrong.
struct PlyRun {
  PolygonBuilder polygons;
  std::vector<Vec2> corner_uvs;   // one for each corner, when faces have texture coordinates
  std::size_t extra_rows = 0;     // rows with more values than the header says
  std::size_t without_uv = 0;     // corners of them that are not in the file
  std::size_t odd_texcoords = 0;  // faces whose texture coordinates do not match their corners
  std::string fault;              // of the row that ended the run
};

// Reads one row of a face, a strip, or of an element that is not used. False, with run.fault, when it is
// broken. `point_count` is what the header promises.
template <class Row>
bool read_lists(Row& row, const PlyLayout& layout, std::size_t point_count, PlyRun& run);
// Reads the row of point `v` into `mesh`, whose arrays are already as long as the header says.
template <class Row>
bool read_vertex(Row& row, const PlyLayout& layout, std::size_t v, Mesh& mesh, PlyRun& run);

}  // namespace dermis
