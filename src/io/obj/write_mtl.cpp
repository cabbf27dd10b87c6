// SPDX-License-Identifier: MIT
// Materials as an MTL file, with the pictures they show.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "io/companions.h"
#include "io/obj/obj.h"
#include "io/text.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

class MtlWriter {
 public:
  MtlWriter(const Character& still, std::span<const std::string> labels, const std::string& folder)
      : still_(still), labels_(labels), folder_(folder) {}

  MtlFile write() {
    file_.text = "# dermis\n";
    place_pictures();
    for (std::size_t k = 0; k < still_.materials.size(); ++k) {
      const Material& material = still_.materials[k];
      file_.text += fmt::format("\nnewmtl {}\n", labels_[k]);
      if (material.mtl.empty())
        write_fields(material);
      else
        write_lines(material);
    }
    note_simplified();
    if (left_behind_ > 0) {
      note(fmt::format("{} left out: dermis keeps {} only as a name",
                       counted(left_behind_, "picture was", "pictures were"),
                       left_behind_ == 1 ? "it" : "them"));
    }
    return std::move(file_);
  }

 private:
  // Only those that a material uses: the others would be unreachable.
  void place_pictures() {
    std::vector<bool> is_shown(still_.images.size());
    for (const Material& material : still_.materials) {
      for (const Index image : {material.base_colour_image, material.normal_image, material.emission_image}) {
        if (image != kNone) is_shown[static_cast<std::size_t>(image)] = true;
      }
    }
    for (std::size_t k = 0; k < is_shown.size(); ++k)
      names_.push_back(is_shown[k] ? place(still_.images[k]) : std::string());
  }

  // The picture's name in the MTL; empty if it cannot be written.
  std::string place(const Image& image) {
    if (!image.path.empty() && is_inside(folder_, image.path))
      return *taken_.insert(relative_to_folder(image.path)).first;
    Result<Bytes> bytes = image.path.empty() ? Bytes(image.bytes.begin(), image.bytes.end())
                                             : read_file(image.path, UINT32_MAX);
    if (!bytes) return lose(image, bytes.error().sentence);
    if (bytes->empty()) return lose(image, "it is not in the file");
    if (picture_type(*bytes) == nullptr)
      return lose(image, "its bytes are not those of a PNG, JPEG, WebP, KTX2 or DDS");
    std::string name = free_name(picture_file_name(image.name, *bytes));
    file_.pictures.push_back({name, std::move(*bytes)});
    return name;
  }

  std::string lose(const Image& image, const std::string& reason) {
    note(fmt::format("picture {} was left out: {}", quoted_name(image.name), reason));
    return {};
  }

  std::string relative_to_folder(const std::string& path) const {
    std::error_code ignored;
    return fs::relative(path, folder_, ignored).generic_string();
  }

  void note(std::string sentence) {
    file_.notes.push_back({Note::Kind::loss, "image-not-carried", std::move(sentence)});
  }

  // Two pictures with one name must not become one file.
  std::string free_name(const std::string& wanted) {
    std::string name = one_line(wanted);
    for (int k = 2; !taken_.insert(name).second; ++k)
      name =
          fmt::format("{}_{}{}", fs::path(wanted).stem().string(), k, fs::path(wanted).extension().string());
    return name;
  }

  std::string_view name_of(Index image) const {
    return image == kNone ? std::string_view{} : std::string_view(names_[static_cast<std::size_t>(image)]);
  }

  void write_fields(const Material& material) {
    const Vec4& c = material.base_colour;
    const Vec3& e = material.emission;
    file_.text += fmt::format("Kd {} {} {}\n", c.x, c.y, c.z);
    if (c.w < 1 && material.alpha != Alpha::ignored) file_.text += fmt::format("d {}\n", c.w);
    if (e != Vec3{}) file_.text += fmt::format("Ke {} {} {}\n", e.x, e.y, e.z);
    file_.text += fmt::format("Pr {}\nPm {}\n", material.roughness, material.metallic);
    write_map("map_Kd", material.base_colour_image, material.base_colour_place);
    write_map("map_Ke", material.emission_image, material.emission_place);
    write_map("norm", material.normal_image, material.normal_place);
    cut_count_ += material.alpha == Alpha::cut ? 1 : 0;
    double_sided_count_ += material.is_double_sided ? 1 : 0;
  }

  void write_map(const char* statement, Index image, const PicturePlace& place) {
    if (name_of(image).empty()) return;
    file_.text += fmt::format("{} {}{}\n", statement, place_options(place), name_of(image));
    turned_count_ += place.turn != 0 ? 1 : 0;
    odd_edge_count_ += place.wrap_u != place.wrap_v || place.wrap_u == Wrap::mirror ? 1 : 0;
    other_set_count_ += place.uv_set != 0 ? 1 : 0;
  }

  // "-s 2 2 1 -clamp on ", as texture_statement reads it; all three numbers, so that no reader mistakes part
  // of the name for one. MTL cannot express a rotation, and without it the rest would be wrong as well.
  static std::string place_options(const PicturePlace& place) {
    std::string options;
    // An MTL places pictures with v upwards.
    const Vec2 offset{place.offset.x, 1 - place.scale.y - place.offset.y};
    if (place.turn == 0 && offset != Vec2{}) options += fmt::format("-o {} {} 0 ", offset.x, offset.y);
    if (place.turn == 0 && place.scale != Vec2{1, 1})
      options += fmt::format("-s {} {} 1 ", place.scale.x, place.scale.y);
    if (place.wrap_u == Wrap::clamp && place.wrap_v == Wrap::clamp) options += "-clamp on ";
    return options;
  }

  void note_simplified() {
    const auto say = [&](const char* id, std::size_t count, const char* one, const char* many,
                         const char* words) {
      if (count == 0) return;
      file_.notes.push_back({Note::Kind::loss, id,
                             fmt::format("{} {}, which MTL cannot store", counted(count, one, many), words)});
    };
    say("mtl-alpha-cut", cut_count_, "material has", "materials have", "an alpha cutoff");
    say("mtl-both-sides", double_sided_count_, "material is", "materials are", "drawn on both sides");
    say("mtl-picture-turned", turned_count_, "picture is", "pictures are", "rotated on the surface");
    say("mtl-picture-edges", odd_edge_count_, "picture is", "pictures are",
        "mirrored beyond the edges, or clamped in one direction only");
    say("mtl-picture-uvs", other_set_count_, "picture uses", "pictures use",
        "another set of texture coordinates");
  }

  // Verbatim, except for pictures that are elsewhere now.
  void write_lines(const Material& material) {
    for (const std::string& line : material.mtl) {
      std::string_view rest = line;
      const std::string_view word = next_word(rest);
      const Index image = is_statement(word, "map_kd")   ? material.base_colour_image
                          : is_statement(word, "map_ke") ? material.emission_image
                          : is_statement(word, "norm")   ? material.normal_image
                                                         : kNone;
      const std::string_view name = name_of(image), written = texture_name(rest);
      const std::string_view options = trimmed(rest).substr(0, trimmed(rest).size() - written.size());
      if (name.empty()) note_left_behind(word, written, image);
      if (name.empty() || written == name)
        file_.text += line;
      else
        file_.text += fmt::format("{} {}{}", word, options, name);
      file_.text += '\n';
    }
  }

  // Lines that dermis only keeps may refer to pictures next to their source file.
  void note_left_behind(std::string_view word, std::string_view name, Index image) {
    if (image != kNone || !is_texture_statement(word) || name.empty()) return;
    left_behind_ += find_beside(folder_, folder_, std::string(name)).empty() ? 1 : 0;
  }

  const Character& still_;
  std::span<const std::string> labels_;
  const std::string& folder_;
  MtlFile file_;
  std::vector<std::string> names_;  // of the images
  std::set<std::string> taken_;
  std::size_t left_behind_ = 0;
  // What materials of other formats have and an MTL cannot store.
  std::size_t cut_count_ = 0, double_sided_count_ = 0, turned_count_ = 0, odd_edge_count_ = 0,
              other_set_count_ = 0;
};

}  // namespace

std::string one_line(std::string name) {
  for (char& c : name) {
    if (c == '\n' || c == '\r' || c == '#') c = '_';
  }
  if (name.ends_with('\\')) name.back() = '_';  // the line would continue in the next one
  return name.empty() ? "unnamed" : name;
}

std::vector<std::string> material_labels(const Character& character) {
  std::vector<std::string> labels;
  std::set<std::string> taken;
  for (const Material& material : character.materials) {
    const std::string name =
        material.name.empty() ? fmt::format("material_{}", labels.size()) : one_line(material.name);
    std::string label = name;
    for (int k = 2; !taken.insert(label).second; ++k) label = fmt::format("{}_{}", name, k);
    labels.push_back(std::move(label));
  }
  return labels;
}

MtlFile mtl_for(const Character& still, std::span<const std::string> labels, const std::string& folder) {
  return MtlWriter(still, labels, folder).write();
}

}  // namespace dermis
