// SPDX-License-Identifier: MIT
// Distinguishes UTF-8 from Latin-1 and converts the latter to the former.
#include "io/utf8.h"

#include <fmt/format.h>

namespace dermis {
namespace {

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = utf8_length(text, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

// Calls `use` on every name of the character except its own.
template <class AnyCharacter, class Use>
void for_each_name(AnyCharacter& character, const Use& use) {
  for (auto& node : character.nodes) use(node.name);
  for (auto& skin : character.skins) use(skin.name);
  for (auto& clip : character.clips) use(clip.name);
  for (auto& control : character.controls) use(control.name);
  for (auto& material : character.materials) use(material.name);
  for (auto& image : character.images) use(image.name);
  for (auto& mesh : character.meshes) {
    use(mesh.name);
    for (auto& shape : mesh.shapes) use(shape.name);
    for (auto& part : mesh.parts) {
      use(part.object);
      use(part.groups);
    }
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) -> unsigned {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u;
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

std::string as_utf8(std::string_view text) {
  const bool is_kept = is_utf8(text);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += ' ';
    } else if (byte < 0x80 || is_kept) {
      out += c;
    } else {
      out += static_cast<char>(0xC0u | (byte >> 6));
      out += static_cast<char>(0x80u | (byte & 0x3Fu));
    }
  }
  return out;
}

bool has_utf8_names(const Character& character) {
  bool is_fine = is_utf8(character.name);
  for_each_name(character, [&](const std::string& name) { is_fine = is_fine && is_utf8(name); });
  return is_fine;
}

void make_names_utf8(Character& character, Notes& notes) {
  std::size_t count = 0;
  std::string example;
  for_each_name(character, [&](std::string& name) {
    std::string mended = as_utf8(name);
    if (mended == name) return;
    if (count++ == 0) example = mended;
    name = std::move(mended);
  });
  character.name = as_utf8(character.name);  // the name of the file itself, not from its contents
  if (count == 0) return;
  notes.push_back({Note::Kind::repair, "names-not-utf8",
                   fmt::format("{} had letters that are not UTF-8, read as Latin-1, or control characters, "
                               "replaced by spaces: {}",
                               counted(count, "name", "names"), quoted_name(example))});
}

}  // namespace dermis
