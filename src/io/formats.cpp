// SPDX-License-Identifier: MIT
// The table of formats: what each extension stands for, and who reads it.
#include "io/formats.h"

#include <algorithm>
#include <array>
#include <vector>

#include "io/text.h"

namespace dermis {
namespace {

constexpr std::array kFormats{
    FormatRow{"glTF 2.0", ".gltf .glb", "everything; what dermis does not model stays in the document",
              "everything", "cameras and lights stay at rest in posed files"},
    FormatRow{"Wavefront OBJ", ".obj", "", "the posed scene with materials (MTL) and labels",
              "no skeleton, skin, shapes or clips"},
    FormatRow{"PLY", ".ply", "", "points, polygons, normals",
              "no skeleton, skin, shapes, clips or materials"},
};

struct ReaderRow {
  const char* extension;
  Reader reader;
};
constexpr std::array kReaders{
    ReaderRow{".gltf", read_gltf},
    ReaderRow{".glb", read_gltf},
};

// ".glb, .gltf and .obj"
std::string listed(const char* FormatRow::*direction) {
  std::vector<std::string_view> words;
  for (const FormatRow& row : kFormats) {
    if (std::string_view(row.*direction).empty()) continue;
    std::string_view extensions = row.extensions;
    for (std::string_view word = next_word(extensions); !word.empty(); word = next_word(extensions))
      words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  std::string list;
  for (std::size_t k = 0; k < words.size(); ++k) {
    list += k == 0 ? "" : k + 1 == words.size() ? " and " : ", ";
    list += words[k];
  }
  return list;
}

}  // namespace

std::span<const FormatRow> formats() { return kFormats; }
std::string readable_extensions() { return listed(&FormatRow::reads); }
std::string writable_extensions() { return listed(&FormatRow::writes); }

Reader reader_for(const std::string& extension) {
  for (const ReaderRow& row : kReaders) {
    if (extension == row.extension) return row.reader;
  }
  return nullptr;
}

}  // namespace dermis
