// SPDX-License-Identifier: MIT
// Recognises formats by the first bytes of a file, so that a wrong extension is called by its name.
#include "io/openings.h"

#include <fmt/format.h>

namespace dermis {
namespace {

struct Opening {
  std::string_view bytes;
  const char* format;
  std::string_view extensions;  // of files that may start like this
};
constexpr Opening kOpenings[] = {{"glTF", "GLB", ".glb .gltf"},
                                 {"Kaydara FBX Binary", "FBX", ".fbx"},
                                 {"; FBX", "FBX", ".fbx"},
                                 {"BLENDER", "Blender", ".blend"},
                                 {"PK\x03\x04", "ZIP", ".zae .3mf .zgl"},
                                 {"ply\n", "PLY", ".ply"},
                                 {"ply\r", "PLY", ".ply"},
                                 {"HIERARCHY", "BVH", ".bvh"},
                                 {"<?xml", "XML", ".dae .x3d .amf .xgl"},
                                 {"<!DOCTYPE html", "HTML", ""},
                                 {"<html", "HTML", ""},
                                 {"version https://git-lfs", "a Git LFS pointer", ""},
                                 {"\x89PNG", "PNG", ""},
                                 {"\x1f\x8b", "gzip", ""}};

}  // namespace

const char* foreign_format(std::string_view opening, std::string_view extension) {
  for (const Opening& known : kOpenings) {
    const bool is_expected = known.extensions.find(extension) != std::string_view::npos;
    if (opening.starts_with(known.bytes) && !is_expected) return known.format;
  }
  return nullptr;
}

Error with_true_format(Error error, std::string_view opening, std::string_view extension) {
  const char* format = error.code == Errc::bad_file ? foreign_format(opening, extension) : nullptr;
  if (format != nullptr)
    error.sentence +=
        fmt::format("; its first bytes are those of {}: use that extension, or export it again", format);
  return error;
}

}  // namespace dermis
