// SPDX-License-Identifier: MIT
// Distinguishes UTF-8 from Latin-1 and converts the latter to the former.
#include "io/utf8.h"

#include <fmt/format.h>

namespace dermis {

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
  bool is_utf8 = true;
  for (std::size_t at = 0; at < text.size() && is_utf8;) {
    const std::size_t size = utf8_length(text, at);
    is_utf8 = size > 0;
    at += size;
  }
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += ' ';
    } else if (byte < 0x80 || is_utf8) {
      out += c;
    } else {
      out += static_cast<char>(0xC0u | (byte >> 6));
      out += static_cast<char>(0x80u | (byte & 0x3Fu));
    }
  }
  return out;
}

void make_names_utf8(Character& character, Notes& notes) {
  std::size_t count = 0;
  std::string example;
  const auto clean = [&](std::string& name) {
    std::string mended = as_utf8(name);
    if (mended == name) return;
    if (count++ == 0) example = mended;
    name = std::move(mended);
  };
  for (Node& node : character.nodes) clean(node.name);
  for (Skin& skin : character.skins) clean(skin.name);
  for (Clip& clip : character.clips) clean(clip.name);
  for (Material& material : character.materials) clean(material.name);
  for (Image& image : character.images) clean(image.name);
  for (Mesh& mesh : character.meshes) {
    clean(mesh.name);
    for (Shape& shape : mesh.shapes) clean(shape.name);
    for (MeshPart& part : mesh.parts) {
      clean(part.object);
      clean(part.groups);
    }
  }
  character.name = as_utf8(character.name);  // the name of the file itself, not from its contents
  if (count == 0) return;
  notes.push_back({Note::Kind::repair, "names-not-utf8",
                   fmt::format("{} had letters that are not UTF-8, read as Latin-1, or control characters, "
                               "replaced by spaces: {}",
                               counted(count, "name", "names"), quoted_name(example))});
}

}  // namespace dermis
