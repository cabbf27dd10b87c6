// SPDX-License-Identifier: MIT
// Material files of OBJ: the fields dermis uses, and every line kept for writing back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "io/obj/obj.h"
#include "io/text.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// No material file is larger than this.
constexpr std::uint64_t kMaxMtlBytes = std::uint64_t{64} << 20;

// Reads up to three numbers; entries that are not finite keep their old value.
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
                     is_picture(name) ? why_not_beside(library.folder, folder, name)
                                      : std::string("is not named as a picture"))});
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
  // `name` is what the OBJ calls the file.
  MtlParser(const std::string& name, const std::string& folder, MtlLibrary& library)
      : name_(name), folder_(folder), library_(library) {}

  void parse(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = trimmed(next_line(text));
      std::string_view rest = line;
      const std::string_view word = next_word(rest);
      if (word.empty() || word.front() == '#') continue;
      if (is_statement(word, "newmtl")) {
        library_.materials.emplace_back();
        library_.materials.back().name = trimmed(rest);
        has_material_ = true;
        has_roughness_ = false;
        continue;
      }
      if (!has_material_) {  // belongs to no material, whatever earlier libraries contain
        ++stray_count_;
        continue;
      }
      library_.materials.back().mtl.emplace_back(line);
      if (read_statement(word, rest, library_.materials.back())) continue;
      ++unused_count_;
      if (std::find(unused_.begin(), unused_.end(), word) == unused_.end()) unused_.emplace_back(word);
    }
    note_leftovers();
  }

 private:
  // False if the model does not use the statement.
  bool read_statement(std::string_view word, std::string_view rest, Material& material) {
    const auto is = [&](std::string_view lower_case) { return is_statement(word, lower_case); };
    Vec3 colour;
    if (is("kd") && take_colour(rest, colour)) {
      material.base_colour = {colour.x, colour.y, colour.z, material.base_colour.w};
    } else if (is("ke") && take_colour(rest, colour)) {
      material.emission = colour;
    } else if (is("map_kd")) {
      take_picture(rest, material, material.base_colour_image, material.base_colour_place);
    } else if (is("map_ke")) {
      take_picture(rest, material, material.emission_image, material.emission_place);
    } else if (is("norm")) {
      take_picture(rest, material, material.normal_image, material.normal_place);
    } else {
      return read_number(word, rest, material);
    }
    return true;
  }

  bool read_number(std::string_view word, std::string_view rest, Material& material) {
    const auto is = [&](std::string_view lower_case) { return is_statement(word, lower_case); };
    if (is("d") && trimmed(rest).starts_with("-halo")) next_word(rest);
    float number = 0;
    if (!take_float(rest, number)) return false;
    if (is("d") || is("tr")) {
      material.base_colour.w = clamped(is("d") ? number : 1 - number);
    } else if (is("pr")) {
      material.roughness = clamped(number);
      has_roughness_ = true;
    } else if (is("pm")) {
      material.metallic = clamped(number);
    } else if (is("ns") && number >= 0) {
      // The Blinn exponent with a lobe of the same width (Walter et al. 2007, alpha^2 = 2 / (n + 2)).
      if (!has_roughness_) material.roughness = clamped(std::sqrt(std::sqrt(2 / (number + 2))));
    } else {
      return false;
    }
    return true;
  }

  float clamped(float x) {
    const float inside = std::isfinite(x) ? std::clamp(x, 0.0f, 1.0f) : 0.0f;
    clamped_count_ += inside != x ? 1 : 0;
    return inside;
  }

  bool take_colour(std::string_view rest, Vec3& colour) {
    Vec3 read;
    if (!take_float(rest, read.x)) return false;  // "spectral file.rfl", "xyz 1 2 3": kept as a line only
    read.y = read.z = read.x;                     // one number is a grey
    if (take_float(rest, read.y)) take_float(rest, read.z);
    colour = {clamped(read.x), clamped(read.y), clamped(read.z)};
    return true;
  }

  void take_picture(std::string_view rest, const Material& material, Index& image, PicturePlace& place) {
    image = image_for(rest, folder_, material.name, library_);
    place = texture_statement(rest).place;
  }

  void note_leftovers() {
    const auto say = [&](Note::Kind kind, const char* id, std::string sentence) {
      library_.notes.push_back({kind, id, fmt::format("{}: {}", quoted_name(name_), sentence)});
    };
    using enum Note::Kind;
    if (stray_count_ > 0)
      say(loss, "material-lines-stray",
          fmt::format("{} left out, because there is no newmtl before {}",
                      counted(stray_count_, "line was", "lines were"), stray_count_ == 1 ? "it" : "them"));
    if (clamped_count_ > 0)
      say(loss, "material-numbers-clamped",
          fmt::format("{} clamped to the range 0 to 1", counted(clamped_count_, "number of its materials was",
                                                                "numbers of its materials were")));
    if (unused_count_ > 0) {
      constexpr std::size_t kShown = 8;
      const bool is_cut = unused_.size() > kShown;
      unused_.resize(std::min(unused_.size(), kShown));
      say(info, "material-lines-unused",
          fmt::format("{} kept only for writing an MTL: {}{}",
                      counted(unused_count_, "statement is", "statements are"), fmt::join(unused_, ", "),
                      is_cut ? ", …" : ""));
    }
  }

  const std::string& name_;
  const std::string& folder_;
  MtlLibrary& library_;
  bool has_material_ = false, has_roughness_ = false;
  std::size_t stray_count_ = 0, clamped_count_ = 0, unused_count_ = 0;
  std::vector<std::string> unused_;  // words of statements, no duplicates
};

// Where a name in a file of `folder` may lead: as written, then by file name only.
std::array<fs::path, 2> places_of(const std::string& folder, std::string name) {
  std::replace(name.begin(), name.end(), '\\', '/');
  const fs::path written(name);
  return {written.is_absolute() ? written : fs::path(folder) / written,
          fs::path(folder) / written.filename()};
}

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

bool is_statement(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

bool is_texture_statement(std::string_view word) {
  constexpr std::array kOthers{"norm", "bump", "disp", "decal", "refl"};
  return is_statement(word.substr(0, 4), "map_") ||
         std::any_of(kOthers.begin(), kOthers.end(),
                     [&](const char* other) { return is_statement(word, other); });
}

std::string find_beside(const std::string& root, const std::string& folder, std::string name) {
  if (folder.empty()) return {};
  std::error_code ignored;
  for (const fs::path& place : places_of(folder, std::move(name))) {
    if (fs::is_regular_file(place, ignored) && is_inside(root, place.string())) return place.string();
  }
  return {};
}

std::string why_not_beside(const std::string& root, const std::string& folder, const std::string& name) {
  for (const fs::path& place : places_of(folder, name)) {
    const std::string target = link_out_of(root, place.string());
    std::error_code ignored;
    if (!target.empty() && fs::exists(target, ignored))
      return fmt::format("is a link to {}, outside the folder of the OBJ", quoted_name(target));
  }
  return "is not in the folder of the OBJ";
}

void read_mtl(const std::string& name, MtlLibrary& library) {
  const std::string path = find_beside(library.folder, library.folder, name);
  const Result<Bytes> bytes =
      path.empty()
          ? Result<Bytes>(Error{Errc::unreadable,
                                fmt::format("it {}", why_not_beside(library.folder, library.folder, name))})
          : read_file(path, kMaxMtlBytes);
  if (!bytes) {
    library.notes.push_back(
        {Note::Kind::loss, "materials-missing",
         fmt::format("material file {} was not read: {}", quoted_name(name), bytes.error().sentence)});
    return;
  }
  const std::string folder = folder_of(path);
  MtlParser(name, folder, library).parse(text_of(*bytes));
}

}  // namespace dermis
