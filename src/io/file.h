// SPDX-License-Identifier: MIT
// Reads whole files, and writes files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "io/staging.h"

namespace dermis {

using Bytes = std::vector<std::byte>;

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The error for a file that needs more memory than the caller allows.
Error over_memory(std::string sentence);

// The file's bytes; refuses folders, devices and files of more than `max_bytes`.
Result<Bytes> read_file(const std::string& path, std::uint64_t max_bytes);

// "a/b" for "a/b/c.glb"; "." if the path has no folder.
std::string folder_of(const std::string& path);
// "c" for "a/b/c.glb".
std::string stem_of(const std::string& path);
// True if `path` is in `folder` or below it, also after following links.
bool is_inside(const std::string& folder, const std::string& path);
// Where a link that lies in `folder` leads, if that is outside of it; empty for all other paths.
std::string link_out_of(const std::string& folder, const std::string& path);
// True if both name the same existing file, also through links.
bool is_same_file(const std::string& a, const std::string& b);

// Several files that belong together. Each is written completely, in a temporary folder next to its target;
// commit then renames them, the first one last. Files that were not renamed are removed. A failure before
// commit changes no file.
class FileSet {
 public:
  FileSet() = default;
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  // Missing folders are created for files after the first: textures/ next to a .gltf.
  Status add(const std::string& path, std::span<const std::span<const std::byte>> pieces);
  Status add(const std::string& path, std::span<const std::byte> bytes);
  Status commit();

 private:
  struct Entry {
    std::string temporary;
    std::string path;
  };
  struct Stage {
    std::string target;  // the folder
    StagingFolder folder;
  };
  const StagingFolder* stage_for(const std::string& folder);
  std::vector<Entry> entries_;
  std::vector<Stage> stages_;  // one for each folder that gets files
};

}  // namespace dermis
