// SPDX-License-Identifier: MIT
// Recognises pictures by their bytes, and names that may be written.
#include "io/companions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// A kind of picture: its first bytes, and the extension of files that have none.
struct PictureRow {
  std::string_view magic;
  const char* type;
  const char* extension;
};
constexpr std::array kPictures{
    PictureRow{"\x89PNG\r\n\x1a\n", "image/png", ".png"}, PictureRow{"\xff\xd8\xff", "image/jpeg", ".jpg"},
    PictureRow{"RIFF", "image/webp", ".webp"}, PictureRow{"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2", ".ktx2"},
    PictureRow{"DDS ", "image/vnd-ms.dds", ".dds"}};

const PictureRow* row_of(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  for (const PictureRow& row : kPictures) {
    if (!text.starts_with(row.magic)) continue;
    // A RIFF may also be a sound; its kind follows the size.
    const bool is_other_riff = row.magic == "RIFF" && (text.size() < 12 || text.substr(8, 4) != "WEBP");
    if (!is_other_riff) return &row;
  }
  return nullptr;
}

bool ends_like_a_picture(const std::string& name) {
  constexpr std::array kExtensions{".png", ".jpg", ".jpeg", ".webp", ".ktx2", ".dds"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension_of(name)) != kExtensions.end();
}

bool is_control_letter(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

const char* picture_type(std::span<const std::byte> bytes) {
  const PictureRow* row = row_of(bytes);
  return row == nullptr ? nullptr : row->type;
}

bool is_plain_path(const std::string& relative) {
  const fs::path path = fs::path(relative).lexically_normal();
  if (path.empty() || path.is_absolute() || std::any_of(relative.begin(), relative.end(), is_control_letter))
    return false;
  return std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part.string().starts_with('.'); });
}

std::string why_not_a_picture(const std::string& name, std::span<const std::byte> bytes) {
  if (row_of(bytes) == nullptr) return "its bytes are not those of a PNG, JPEG, WebP, KTX2 or DDS";
  if (!is_plain_path(name)) return "its name is that of a hidden file, or has control characters";
  if (!ends_like_a_picture(name)) return "its name does not end as those of pictures do";
  return {};
}

std::string picture_file_name(std::string name, std::span<const std::byte> bytes) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || is_control_letter(c); }, '_');
  name.erase(0, std::min(name.find_first_not_of('.'), name.size()));
  if (name.empty()) name = "picture";
  const PictureRow* row = row_of(bytes);
  if (!ends_like_a_picture(name) && row != nullptr) name += row->extension;
  return name;
}

}  // namespace dermis
