// SPDX-License-Identifier: MIT
// Material files of OBJ: the fields dermis uses, and every line kept for writing back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "io/obj/obj.h"
#include "io/text.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// A material file larger than this is not one.
constexpr std::uint64_t kMaxMtlBytes = std::uint64_t{64} << 20;

float clamped(float x) { return std::isfinite(x) ? std::clamp(x, 0.0f, 1.0f) : 0.0f; }

bool take_colour(std::string_view rest, Vec3& colour) {
  Vec3 read;
  if (!take_float(rest, read.x)) return false;  // "spectral file.rfl", "xyz 1 2 3": kept as a line only
  read.y = read.z = read.x;                     // one number is a grey
  if (take_float(rest, read.y)) take_float(rest, read.z);
  colour = {clamped(read.x), clamped(read.y), clamped(read.z)};
  return true;
}

// Up to three, as many as are there; those that are not finite stay as they were.
void take_numbers(std::string_view& rest, Vec3& numbers) {
  for (float* number : {&numbers.x, &numbers.y, &numbers.z}) {
    float read = 0;
    if (!take_float(rest, read)) return;
    if (std::isfinite(read)) *number = read;
  }
}

// By extension; others are not opened.
bool is_picture(const std::string& name) {
  constexpr std::array kPictures{".png", ".jpg", ".jpeg", ".tga", ".bmp", ".gif", ".tif", ".tiff", ".webp",
                                 ".dds", ".ktx", ".ktx2", ".exr", ".hdr", ".psd", ".pcx", ".ppm",  ".pgm"};
  return std::find(kPictures.begin(), kPictures.end(), extension_of(name)) != kPictures.end();
}

Index image_for(std::string_view rest, const std::string& folder, const std::string& material,
                MtlLibrary& library) {
  const std::string name(texture_name(rest));
  if (name.empty()) return kNone;
  const std::string path = is_picture(name) ? find_beside(library.folder, folder, name) : std::string();
  if (path.empty()) {
    library.notes.push_back(
        {Note::Kind::loss, "image-missing",
         fmt::format("material {}: its picture {} {}", quoted_name(material), quoted_name(name),
                     is_picture(name) ? "is not in the folder of the OBJ" : "is not named as a picture")});
    return kNone;
  }
  for (std::size_t k = 0; k < library.images.size(); ++k) {
    if (library.images[k].path == path) return static_cast<Index>(k);
  }
  Image image;
  image.name = fs::path(path).filename().string();
  image.path = path;
  library.images.push_back(std::move(image));
  return static_cast<Index>(library.images.size() - 1);
}

class MtlParser {
 public:
  MtlParser(const std::string& folder, MtlLibrary& library) : folder_(folder), library_(library) {}

  void parse(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = trimmed(next_line(text));
      std::string_view rest = line;
      const std::string_view word = next_word(rest);
      if (word.empty() || word.front() == '#') continue;
      if (word == "newmtl") {
        library_.materials.emplace_back();
        library_.materials.back().name = trimmed(rest);
        has_material_ = true;
        has_roughness_ = false;
        continue;
      }
      if (!has_material_) continue;  // nothing to belong to, whatever the libraries before hold
      library_.materials.back().mtl.emplace_back(line);
      read_statement(word, rest, library_.materials.back());
    }
  }

 private:
  void read_statement(std::string_view word, std::string_view rest, Material& material) {
    float number = 0;
    Vec3 colour;
    if (word == "Kd" && take_colour(rest, colour)) {
      material.base_colour = {colour.x, colour.y, colour.z, material.base_colour.w};
    } else if (word == "Ke" && take_colour(rest, colour)) {
      material.emission = colour;
    } else if (word == "d" || word == "Tr") {
      if (word == "d" && trimmed(rest).starts_with("-halo")) next_word(rest);
      if (take_float(rest, number)) material.base_colour.w = clamped(word == "d" ? number : 1 - number);
    } else if (word == "Pr" && take_float(rest, number)) {
      material.roughness = clamped(number);
      has_roughness_ = true;
    } else if (word == "Pm" && take_float(rest, number)) {
      material.metallic = clamped(number);
    } else if (word == "Ns" && take_float(rest, number) && !has_roughness_ && number >= 0) {
      // The Blinn exponent whose lobe is as wide (Walter et al. 2007, alpha^2 = 2 / (n + 2)).
      material.roughness = clamped(std::sqrt(std::sqrt(2 / (number + 2))));
    } else if (word == "map_Kd") {
      material.base_colour_image = image_for(rest, folder_, material.name, library_);
      material.base_colour_place = texture_statement(rest).place;
    } else if (word == "map_Ke") {
      material.emission_image = image_for(rest, folder_, material.name, library_);
      material.emission_place = texture_statement(rest).place;
    } else if (word == "norm") {
      material.normal_image = image_for(rest, folder_, material.name, library_);
      material.normal_place = texture_statement(rest).place;
    }
  }

  const std::string& folder_;
  MtlLibrary& library_;
  bool has_material_ = false, has_roughness_ = false;
};

}  // namespace

TextureStatement texture_statement(std::string_view rest) {
  rest = trimmed(rest);
  TextureStatement statement;
  Vec3 offset, scale{1, 1, 1}, turbulence;
  while (rest.starts_with('-')) {
    std::string_view words = rest;
    const std::string_view option = next_word(words);
    if (option == "-o" || option == "-s" || option == "-t") {
      take_numbers(words, option == "-o" ? offset : option == "-s" ? scale : turbulence);
    } else if (option == "-mm") {
      next_word(words);
      next_word(words);
    } else {
      const std::string_view value = next_word(words);
      if (option == "-clamp" && value == "on") statement.place.wrap_u = statement.place.wrap_v = Wrap::clamp;
    }
    rest = trimmed(words);
  }
  statement.name = rest;
  // An MTL places pictures with v upwards: 1 - (s (1 - v) + o).
  statement.place.offset = {offset.x, 1 - scale.y - offset.y};
  statement.place.scale = {scale.x, scale.y};
  return statement;
}

std::string_view texture_name(std::string_view rest) { return texture_statement(rest).name; }

bool is_texture_statement(std::string_view word) {
  constexpr std::array kOthers{"norm", "bump", "disp", "decal", "refl"};
  return word.starts_with("map_") || std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end();
}

std::string find_beside(const std::string& root, const std::string& folder, std::string name) {
  if (folder.empty()) return {};
  std::replace(name.begin(), name.end(), '\\', '/');
  std::error_code ignored;
  const fs::path written(name);
  const fs::path places[] = {written.is_absolute() ? written : fs::path(folder) / written,
                             fs::path(folder) / written.filename()};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored) && is_inside(root, place.string())) return place.string();
  }
  return {};
}

void read_mtl(const std::string& name, MtlLibrary& library) {
  const std::string path = find_beside(library.folder, library.folder, name);
  const Result<Bytes> bytes =
      path.empty() ? Result<Bytes>(Error{Errc::unreadable, "there is no such file in the folder of the OBJ"})
                   : read_file(path, kMaxMtlBytes);
  if (!bytes) {
    library.notes.push_back(
        {Note::Kind::loss, "materials-missing",
         fmt::format("material file {} was not read: {}", quoted_name(name), bytes.error().sentence)});
    return;
  }
  const std::string folder = folder_of(path);
  MtlParser(folder, library).parse(text_of(*bytes));
}

}  // namespace dermis
