// SPDX-License-Identifier: MIT
// Recognises formats by the first bytes of a file, so that errors about a wrong extension name the right one.
#include "io/openings.h"

#include <fmt/format.h>

namespace dermis {
namespace {

constexpr const char* kRename = "use that extension, or export it again";
constexpr const char* kDownload = "download it again";
constexpr const char* kExport = "export it again";
constexpr const char* kUnpack = "unpack it first";

struct Opening {
  std::string_view bytes;
  const char* format;
  std::string_view extensions;   // of files that may start like this
  const char* advice = kRename;  // for files with another extension
};
constexpr Opening kOpenings[] = {
    {"glTF", "GLB", ".glb .gltf"},
    {"Kaydara FBX Binary", "FBX", ".fbx"},
    {"; FBX", "FBX", ".fbx"},
    {"BLENDER", "Blender", ".blend"},
    {"PK\x03\x04", "ZIP", ".zae .3mf .zgl", kUnpack},
    {"ply\n", "PLY", ".ply"},
    {"ply\r", "PLY", ".ply"},
    {"HIERARCHY", "BVH", ".bvh"},
    {"<?xml", "XML", ".dae .x3d .amf .xgl", "use the extension of its format, or export it again"},
    {"<!DOCTYPE html", "HTML", "", kDownload},
    {"<html", "HTML", "", kDownload},
    {"version https://git-lfs", "a Git LFS pointer", "", kDownload},
    {"\x89PNG", "PNG", "", kExport},
    {"\x1f\x8b", "gzip", "", kUnpack}};

// What a file starts like, if that is known and files with the extension do not; or null.
const Opening* foreign_opening(std::string_view opening, std::string_view extension) {
  for (const Opening& known : kOpenings) {
    const bool is_expected = known.extensions.find(extension) != std::string_view::npos;
    if (opening.starts_with(known.bytes) && !is_expected) return &known;
  }
  return nullptr;
}

}  // namespace

const char* foreign_format(std::string_view opening, std::string_view extension) {
  const Opening* foreign = foreign_opening(opening, extension);
  return foreign == nullptr ? nullptr : foreign->format;
}

Error with_true_format(Error error, std::string_view opening, std::string_view extension) {
  const Opening* foreign = error.code == Errc::bad_file ? foreign_opening(opening, extension) : nullptr;
  if (foreign != nullptr)
    error.sentence += fmt::format("; its first bytes are those of {}: {}", foreign->format, foreign->advice);
  return error;
}

}  // namespace dermis
