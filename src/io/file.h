// SPDX-License-Identifier: MIT
// Whole files in, and files out that appear complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"

namespace dermis {

using Bytes = std::vector<std::byte>;

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What a file needs beyond the memory that the caller allows.
Error over_memory(std::string sentence);

// The file's bytes; refuses folders, devices and files of more than `max_bytes`.
Result<Bytes> read_file(const std::string& path, std::uint64_t max_bytes);

// "a/b" for "a/b/c.glb"; "." when there is no folder in it.
std::string folder_of(const std::string& path);
// "c" for "a/b/c.glb".
std::string stem_of(const std::string& path);
// True when `path` leads to a place in `folder` or below it, also after links are followed.
bool is_inside(const std::string& folder, const std::string& path);
// True when both name the same existing file, through links too.
bool is_same_file(const std::string& a, const std::string& b);

// Several files that belong together. Each is written whole beside its target under a temporary name; commit
// then renames them, the first one last. What was not renamed is removed. A failure before commit changes no
// file.
class FileSet {
 public:
  FileSet() = default;
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;
  ~FileSet();

  // Folders that are missing are made for files after the first: textures/ beside a .gltf.
  Status add(const std::string& path, std::span<const std::span<const std::byte>> pieces);
  Status add(const std::string& path, std::span<const std::byte> bytes);
  Status commit();

 private:
  struct Entry {
    std::string temporary;
    std::string path;
  };
  std::vector<Entry> entries_;
};

}  // namespace dermis
