// SPDX-License-Identifier: MIT
// Writes still meshes as one PLY, binary or text.
#include <algorithm>
#include <cmath>

#include "io/file.h"
#include "io/format_text.h"
#include "io/still.h"

namespace dermis {
namespace {

// Rows of numbers, consecutive as bytes or one per line.
class PlyRows {
 public:
  explicit PlyRows(bool is_text) : is_text_(is_text) {}

  template <class Number>
  void add(Number number) {
    if (is_text_)
      fmt::format_to(std::back_inserter(out_), "{} ", number);  // the shortest text that reads back the same
    else
      out_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void end_row() {
    if (is_text_) out_.back() = '\n';
  }
  std::span<const std::byte> bytes() const { return bytes_of(out_); }

 private:
  bool is_text_;
  std::string out_;
};

template <class Value>
bool sits_on_points(const Attribute<Value>& attribute) {
  return !attribute.empty() && attribute.is_per_point();
}
template <class Value>
bool sits_on_points(const std::vector<Attribute<Value>>& sets) {
  return !sets.empty() && sits_on_points(sets[0]);
}
template <class Value>
bool sits_on_corners(const std::vector<Attribute<Value>>& sets) {
  return !sets.empty() && !sets[0].is_per_point();
}

// The contents of one row of each list, for all meshes together.
struct PlyShape {
  std::size_t points = 0, polygons = 0, longest_polygon = 0;
  bool has_normals = false, has_uvs = false, has_colours = false;
};

PlyShape measure(const Character& still) {
  PlyShape shape;
  for (const Instance& instance : still.instances) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    shape.points += mesh.points.size();
    shape.polygons += mesh.polygons.count();
    shape.has_normals = shape.has_normals || sits_on_points(mesh.normals);
    shape.has_uvs = shape.has_uvs || sits_on_points(mesh.uvs);
    shape.has_colours = shape.has_colours || sits_on_points(mesh.colours);
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
      shape.longest_polygon = std::max(shape.longest_polygon, mesh.polygons.polygon(p).size());
  }
  return shape;
}

std::string header_text(const PlyShape& shape, bool is_short, bool is_text) {
  std::string header = fmt::format("ply\nformat {} 1.0\nelement vertex {}\n",
                                   is_text ? "ascii" : "binary_little_endian", shape.points);
  const auto add = [&](const char* type, std::initializer_list<const char*> names) {
    for (const char* name : names) header += fmt::format("property {} {}\n", type, name);
  };
  add("float", {"x", "y", "z"});
  if (shape.has_normals) add("float", {"nx", "ny", "nz"});
  if (shape.has_uvs) add("float", {"s", "t"});
  if (shape.has_colours) add("uchar", {"red", "green", "blue", "alpha"});
  return header + fmt::format("element face {}\nproperty list {} int vertex_indices\nend_header\n",
                              shape.polygons, is_short ? "uchar" : "uint");
}

class PlyBody {
 public:
  PlyBody(const PlyShape& shape, bool is_short, bool is_text, const Progress& progress)
      : vertices(is_text), faces(is_text), shape_(shape), is_short_(is_short), progress_(progress) {}

  // Incomplete once a stop was requested.
  void add(const Mesh& mesh) {
    add_points(mesh);
    for (std::size_t p = 0; p < mesh.polygons.count() && !is_stopped(p); ++p) {
      const std::span<const Index> polygon = mesh.polygons.polygon(p);
      if (is_short_)
        faces.add(static_cast<std::uint8_t>(polygon.size()));
      else
        faces.add(static_cast<std::uint32_t>(polygon.size()));
      for (const Index v : polygon) faces.add(v + base_);
      faces.end_row();
    }
    base_ += static_cast<Index>(mesh.points.size());
    note_corners(mesh);
  }

  PlyRows vertices, faces;
  Notes notes;
  std::size_t rounded_colours = 0;

 private:
  // Asked for every row, answered for every 16,384th.
  bool is_stopped(std::size_t row) const { return row % 16384 == 0 && progress_.is_stopped(); }

  void add_points(const Mesh& mesh) {
    const bool has_normals = sits_on_points(mesh.normals), has_uvs = sits_on_points(mesh.uvs),
               has_colours = sits_on_points(mesh.colours);
    for (std::size_t v = 0; v < mesh.points.size() && !is_stopped(v); ++v) {
      vertices.add(mesh.points[v]);
      if (shape_.has_normals) vertices.add(has_normals ? mesh.normals.values[v] : Vec3{});
      if (shape_.has_uvs) {
        // PLY measures v from the bottom of the picture, the model from its top.
        const Vec2 uv = has_uvs ? mesh.uvs[0].values[v] : Vec2{0, 1};
        vertices.add(uv.x);
        vertices.add(1 - uv.y);
      }
      if (shape_.has_colours) add_colour(has_colours ? mesh.colours[0].values[v] : Vec4{1, 1, 1, 1});
      vertices.end_row();
    }
  }

  // Bytes, which every PLY reader accepts.
  void add_colour(const Vec4& colour) {
    bool is_exact = true;
    for (const float part : {colour.x, colour.y, colour.z, colour.w}) {
      const float scaled = std::round(std::clamp(part, 0.0f, 1.0f) * 255.0f);
      vertices.add(static_cast<std::uint8_t>(scaled));
      is_exact = is_exact && scaled / 255.0f == part;
    }
    rounded_colours += is_exact ? 0 : 1;
  }

  void note_corners(const Mesh& mesh) {
    const auto note = [&](bool is_lost, const char* id, const char* what) {
      if (!is_lost) return;
      notes.push_back({Note::Kind::loss, id,
                       fmt::format("mesh {}: PLY cannot store {} on corners", quoted_name(mesh.name), what)});
    };
    note(!mesh.normals.is_per_point(), "corner-normals", "normals");
    note(sits_on_corners(mesh.uvs), "corner-uvs", "texture coordinates");
    note(sits_on_corners(mesh.colours), "corner-colours", "colours");
  }

  const PlyShape& shape_;
  bool is_short_;
  const Progress& progress_;
  Index base_ = 0;
};

// PLY is one plain mesh: what distinguished its pieces is lost.
void note_merged(const Character& still, Notes& notes) {
  std::size_t label_count = 0;
  for (const Instance& instance : still.instances) {
    for (const MeshPart& part : still.meshes[static_cast<std::size_t>(instance.mesh)].parts)
      label_count += part.groups.empty() && part.object.empty() ? 0 : 1;
  }
  if (label_count > 0) {
    notes.push_back({Note::Kind::loss, "labels-dropped",
                     fmt::format("{} of polygons had an object or group name, which PLY cannot store",
                                 label_count == 1 ? "1 run" : fmt::format("{} runs", label_count))});
  }
  if (still.instances.size() > 1) {
    notes.push_back({Note::Kind::loss, "meshes-merged",
                     fmt::format("{} meshes became one, without their names; their points follow each other",
                                 still.instances.size())});
  }
}

}  // namespace

Result<Notes> write_ply(const std::string& path, const Character& still, const SaveOptions& options) {
  const PlyShape shape = measure(still);
  const bool is_short = shape.longest_polygon < 256;  // most readers expect a byte here
  PlyBody body(shape, is_short, options.ascii, options.progress);
  for (const Instance& instance : still.instances)
    body.add(still.meshes[static_cast<std::size_t>(instance.mesh)]);
  if (options.progress.is_stopped()) return options.progress.at("writing", 1).error();
  if (body.rounded_colours > 0) {
    body.notes.push_back({Note::Kind::loss, "colours-rounded",
                          fmt::format("{} rounded to one byte per channel",
                                      counted(body.rounded_colours, "colour was", "colours were"))});
  }
  note_merged(still, body.notes);
  FileSet files;
  const std::string header = header_text(shape, is_short, options.ascii);
  const std::span<const std::byte> pieces[] = {bytes_of(header), body.vertices.bytes(), body.faces.bytes()};
  if (Status added = files.add(path, pieces); !added) return added.error();
  if (Status committed = files.commit(); !committed) return committed.error();
  return body.notes;
}

}  // namespace dermis
