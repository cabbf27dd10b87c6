// SPDX-License-Identifier: MIT
// Writes still meshes as Wavefront OBJ: shortest numbers that read back the same, polygons as they are.
#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "io/file.h"
#include "io/still.h"

namespace dermis {
namespace {

// A name on one line, without what OBJ readers take as the start of something else.
std::string one_line(std::string name) {
  for (char& c : name) {
    if (c == '\n' || c == '\r' || c == '#') c = '_';
  }
  return name.empty() ? "unnamed" : name;
}

// Which value of an attribute a corner shows; nothing when the attribute is absent.
template <class Value>
std::optional<std::size_t> value_at(const Attribute<Value>& attribute, std::size_t corner,
                                    std::size_t point) {
  if (attribute.empty()) return std::nullopt;
  return attribute.is_per_point() ? point : static_cast<std::size_t>(attribute.corner_value[corner]);
}

class ObjText {
 public:
  explicit ObjText(const Character& still) : materials_(still.materials) {}

  void add(const Mesh& mesh, const std::string& name) {
    fmt::format_to(std::back_inserter(text_), "o {}\n", one_line(name));
    for (const Vec3& p : mesh.points)
      fmt::format_to(std::back_inserter(text_), "v {} {} {}\n", p.x, p.y, p.z);
    for (const Vec3& n : mesh.normals.values)
      fmt::format_to(std::back_inserter(text_), "vn {} {} {}\n", n.x, n.y, n.z);
    if (!mesh.uvs.empty()) {
      // OBJ counts v from the bottom of the picture, glTF from its top.
      for (const Vec2& uv : mesh.uvs[0].values)
        fmt::format_to(std::back_inserter(text_), "vt {} {}\n", uv.x, 1 - uv.y);
    }
    for (const MeshPart& part : mesh.parts) {
      if (part.material != kNone)
        fmt::format_to(std::back_inserter(text_), "usemtl {}\n", label(part.material));
      for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p)
        add_face(mesh, static_cast<std::size_t>(p));
    }
    first_point_ += mesh.points.size();
    first_normal_ += mesh.normals.values.size();
    first_uv_ += mesh.uvs.empty() ? 0 : mesh.uvs[0].values.size();
  }
  const std::string& text() const { return text_; }

 private:
  std::string label(Index material) const {
    const std::string& name = materials_[static_cast<std::size_t>(material)].name;
    return name.empty() ? fmt::format("material_{}", material) : one_line(name);
  }

  void add_face(const Mesh& mesh, std::size_t polygon) {
    text_ += 'f';
    for (std::size_t c = mesh.polygons.first[polygon]; c < mesh.polygons.first[polygon + 1]; ++c) {
      const auto point = static_cast<std::size_t>(mesh.polygons.corners[c]);
      fmt::format_to(std::back_inserter(text_), " {}", first_point_ + point);
      const std::optional<std::size_t> uv = mesh.uvs.empty() ? std::nullopt : value_at(mesh.uvs[0], c, point);
      std::optional<std::size_t> normal = value_at(mesh.normals, c, point);
      if (normal && mesh.normals.values[*normal] == Vec3{}) normal.reset();  // its part has none
      if (uv) fmt::format_to(std::back_inserter(text_), "/{}", first_uv_ + *uv);
      if (normal) fmt::format_to(std::back_inserter(text_), "{}{}", uv ? "/" : "//", first_normal_ + *normal);
    }
    text_ += '\n';
  }

  std::span<const Material> materials_;
  std::string text_ = "# dermis\n";
  std::size_t first_point_ = 1, first_normal_ = 1, first_uv_ = 1;
};

}  // namespace

Result<Notes> write_obj(const std::string& path, const Character& still) {
  ObjText obj(still);
  for (const Instance& instance : still.instances) {
    obj.add(still.meshes[static_cast<std::size_t>(instance.mesh)],
            still.nodes[static_cast<std::size_t>(instance.node)].name);
  }
  FileSet files;
  if (Status added = files.add(path, bytes_of(obj.text())); !added) return added.error();
  if (Status committed = files.commit(); !committed) return committed.error();
  return Notes{};
}

}  // namespace dermis
