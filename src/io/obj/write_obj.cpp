// SPDX-License-Identifier: MIT
// Writes still meshes as Wavefront OBJ: shortest numbers that read back the same, polygons unchanged.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include "io/file.h"
#include "io/format_text.h"
#include "io/obj/obj.h"
#include "io/still.h"
#include "io/text.h"

namespace dermis {
namespace {

// The index of the attribute value at a corner; nullopt if the attribute is absent.
template <class Value>
std::optional<std::size_t> value_at(const Attribute<Value>& attribute, std::size_t corner,
                                    std::size_t point) {
  if (attribute.empty()) return std::nullopt;
  return attribute.is_per_point() ? point : static_cast<std::size_t>(attribute.corner_value[corner]);
}

class ObjText {
 public:
  // `materials` are the names of the character's materials.
  ObjText(std::span<const std::string> materials, const ObjDocument* source, const Progress& progress)
      : materials_(materials), source_(source), progress_(progress) {}

  void add_library(const std::string& name) { print("mtllib {}\n", name); }

  // Incomplete once a stop was requested.
  void add(const Mesh& mesh, const std::string& name) {
    if (source_ == nullptr) print("o {}\n", one_line(name));
    add_points(mesh);
    if (!mesh.uvs.empty()) add_uvs(mesh.uvs[0]);
    add_normals(mesh);
    for (const MeshPart& part : mesh.parts) add_part(mesh, part);
    first_point_ += mesh.points.size();
    first_uv_ += mesh.uvs.empty() ? 0 : mesh.uvs[0].values.size();
  }
  const std::string& text() const { return text_; }

  void note_losses(Notes& notes) const {
    if (opacity_count_ == 0) return;
    notes.push_back(
        {Note::Kind::loss, "colour-opacity-dropped",
         fmt::format("{}, which OBJ cannot store",
                     counted(opacity_count_, "colour has an opacity", "colours have an opacity"))});
  }

 private:
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // Asked for every line, answered for every 16,384th.
  bool is_stopped(std::size_t line) const { return line % 16384 == 0 && progress_.is_stopped(); }

  void add_points(const Mesh& mesh) {
    const bool has_colours =
        !mesh.colours.empty() && !mesh.colours[0].empty() && mesh.colours[0].is_per_point();
    for (std::size_t v = 0; v < mesh.points.size() && !is_stopped(v); ++v) {
      const Vec3& p = mesh.points[v];
      print("v {} {} {}", p.x, p.y, p.z);
      if (has_colours) {
        const Vec4& c = mesh.colours[0].values[v];
        print(" {} {} {}", c.x, c.y, c.z);
        opacity_count_ += c.w != 1 ? 1 : 0;
      }
      text_ += '\n';
    }
  }

  void add_uvs(const Attribute<Vec2>& uvs) {
    // OBJ measures v from the bottom of the picture, the model from its top.
    const auto turned = [](const Vec2& uv) { return Vec2{uv.x, 1 - uv.y}; };
    const std::size_t count = source_ != nullptr ? source_->uvs.size() : uvs.values.size();
    for (std::size_t k = 0; k < count && !is_stopped(k); ++k) {
      // As it was written, unless it changed: flipping twice may round.
      const bool is_same = source_ != nullptr && turned(source_->uvs[k]) == uvs.values[k];
      const Vec2 uv = is_same ? source_->uvs[k] : turned(uvs.values[k]);
      print("vt {} {}\n", uv.x, uv.y);
    }
  }

  // Zero length means "none here": such a normal is not written, unless the file had the line.
  void add_normals(const Mesh& mesh) {
    normal_number_.assign(mesh.normals.values.size(), 0);
    for (std::size_t k = 0; k < normal_number_.size() && !is_stopped(k); ++k) {
      const Vec3& n = mesh.normals.values[k];
      const bool is_line =
          source_ != nullptr ? static_cast<Index>(k) != source_->missing_normal : n != Vec3{};
      if (!is_line) continue;
      normal_number_[k] = ++normal_count_;
      print("vn {} {} {}\n", n.x, n.y, n.z);
    }
  }

  void add_part(const Mesh& mesh, const MeshPart& part) {
    if (part.object != object_) print("o {}\n", one_line(object_ = part.object));
    if (part.groups != groups_) print("g {}\n", one_line(groups_ = part.groups));
    if (part.material != material_) {
      material_ = part.material;
      print("usemtl {}\n",
            material_ == kNone ? std::string() : materials_[static_cast<std::size_t>(material_)]);
    }
    if (part.smoothing != smoothing_)
      print("s {}\n", (smoothing_ = part.smoothing).empty() ? "off" : smoothing_);
    for (Index p = 0; p < part.polygon_count && !is_stopped(at(p)); ++p)
      add_face(mesh, at(part.first_polygon + p));
  }

  // The texture coordinates of a corner; none where the file that was read has none.
  std::optional<std::size_t> uv_at(const Mesh& mesh, std::size_t corner, std::size_t point) const {
    if (mesh.uvs.empty()) return std::nullopt;
    const std::optional<std::size_t> uv = value_at(mesh.uvs[0], corner, point);
    const bool is_missing = uv && source_ != nullptr && static_cast<Index>(*uv) == source_->missing_uv;
    return is_missing ? std::nullopt : uv;
  }

  void add_face(const Mesh& mesh, std::size_t polygon) {
    text_ += 'f';
    for (std::size_t c = mesh.polygons.first[polygon]; c < mesh.polygons.first[polygon + 1]; ++c) {
      const auto point = static_cast<std::size_t>(mesh.polygons.corners[c]);
      print(" {}", first_point_ + point);
      const std::optional<std::size_t> uv = uv_at(mesh, c, point);
      const std::optional<std::size_t> normal = value_at(mesh.normals, c, point);
      if (uv) print("/{}", first_uv_ + *uv);
      if (normal && normal_number_[*normal] != 0) print("{}{}", uv ? "/" : "//", normal_number_[*normal]);
    }
    text_ += '\n';
  }

  std::span<const std::string> materials_;
  const ObjDocument* source_;
  const Progress& progress_;
  std::string text_ = "# dermis\n";
  std::size_t first_point_ = 1, first_uv_ = 1, normal_count_ = 0;
  std::size_t opacity_count_ = 0;           // of colours that are not opaque
  std::vector<std::size_t> normal_number_;  // index in the file of each normal of the mesh; 0: not written
  // The contents of the last line of each kind.
  std::string object_, groups_, smoothing_;
  Index material_ = kNone;
};

// The side files of an OBJ. Only those of the OBJ being replaced may be replaced with it.
class SideFiles {
 public:
  SideFiles(const std::string& path, const SaveOptions& options)
      : options_(options), folder_(folder_of(path)) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return;
    replaced_name_ = stem_of(path) + ".mtl";
    const Result<Bytes> old = read_file((folder_ / replaced_name_).string(), kMaxOldMtl);
    if (old) list_pictures(text_of(*old));
  }

  Status add(const std::string& name, std::span<const std::byte> bytes, FileSet& files, Notes& notes) const {
    const std::string file = (folder_ / name).lexically_normal().string();
    std::error_code ignored;
    const bool is_ours = name == replaced_name_ || replaced_pictures_.contains(name);
    if (std::filesystem::exists(file, ignored) && !is_ours && !options_.overwrite_side_files) {
      const Result<Bytes> there = read_file(file, bytes.size());
      if (there && std::equal(there->begin(), there->end(), bytes.begin(), bytes.end())) return Done{};
      return Error{Errc::bad_argument,
                   fmt::format("{}: already exists and would be replaced; choose another folder", file)}
          .with_remedy("force");
    }
    notes.push_back({Note::Kind::info, "side-file", fmt::format("wrote {} next to it", file)});
    return files.add(file, bytes);
  }

 private:
  void list_pictures(std::string_view mtl) {
    while (!mtl.empty()) {
      std::string_view line = next_line(mtl);
      if (is_texture_statement(next_word(line))) replaced_pictures_.emplace(texture_name(line));
    }
  }

  static constexpr std::uint64_t kMaxOldMtl = std::uint64_t{64} << 20;
  const SaveOptions& options_;
  std::filesystem::path folder_;
  std::string replaced_name_;
  std::set<std::string> replaced_pictures_;
};

}  // namespace

Result<Notes> write_obj(const std::string& path, const Character& still, const ObjDocument* source,
                        const SaveOptions& options) {
  FileSet files;
  Result<Notes> notes = add_obj(path, still, source, options, files);
  if (!notes) return notes;
  if (Status committed = files.commit(); !committed) return committed.error();
  return notes;
}

Result<Notes> add_obj(const std::string& path, const Character& still, const ObjDocument* source,
                      const SaveOptions& options, FileSet& files) {
  const std::vector<std::string> labels = material_labels(still);
  ObjText obj(labels, source, options.progress);
  MtlFile mtl;
  const std::string mtl_name = stem_of(path) + ".mtl";
  const bool writes_mtl = !still.materials.empty() && options.material_library.empty();
  if (writes_mtl) mtl = mtl_for(still, labels, folder_of(path));
  if (!still.materials.empty()) obj.add_library(writes_mtl ? mtl_name : options.material_library);
  for (const Instance& instance : still.instances) {
    obj.add(still.meshes[static_cast<std::size_t>(instance.mesh)],
            still.nodes[static_cast<std::size_t>(instance.node)].name);
  }
  if (options.progress.is_stopped()) return options.progress.at("writing", 1).error();
  obj.note_losses(mtl.notes);
  if (Status added = files.add(path, bytes_of(obj.text())); !added) return added.error();
  const SideFiles beside(path, options);
  if (writes_mtl) {
    if (Status added = beside.add(mtl_name, bytes_of(mtl.text), files, mtl.notes); !added)
      return added.error();
  }
  for (const MtlFile::Picture& picture : mtl.pictures) {
    if (Status added = beside.add(picture.name, picture.bytes, files, mtl.notes); !added)
      return added.error();
  }
  return std::move(mtl.notes);
}

}  // namespace dermis
