// SPDX-License-Identifier: MIT
// The size on disk of a file and the files that belong to it.
#include <filesystem>
#include <set>

#include "dermis/io.h"
#include "io/cache/cache.h"
#include "io/file.h"
#include "io/gltf/document.h"
#include "io/json_text.h"

namespace dermis {
namespace {

std::uint64_t size_of_file(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return failed ? 0 : size;
}

// Text larger than this has embedded buffers and refers to few files.
constexpr std::uint64_t kMaxText = std::uint64_t{16} << 20;

// The files that a .gltf refers to, each counted once.
std::uint64_t size_beside(const std::string& path) {
  const Result<Bytes> bytes = read_file(path, kMaxText);
  if (!bytes) return 0;
  const Result<Json> json = parse_json(*bytes, path);
  if (!json || !json->is_object()) return 0;
  std::set<std::string> files;
  for (const char* list : {"buffers", "images"}) {
    if (!json->contains(list) || !(*json)[list].is_array()) continue;
    for (const Json& one : (*json)[list]) {
      if (!one.is_object() || !one.contains("uri") || !one["uri"].is_string()) continue;
      const auto uri = one["uri"].get<std::string>();
      if (is_data_uri(uri)) continue;
      if (const Result<std::string> file = resolve_uri(folder_of(path), uri, path)) files.insert(*file);
    }
  }
  std::uint64_t size = 0;
  for (const std::string& file : files) size += size_of_file(file);
  return size;
}

}  // namespace

std::uint64_t bytes_on_disk(const std::string& path) {
  const Result<std::uint64_t> size = without_throwing(path, [&]() -> Result<std::uint64_t> {
    if (is_sequence(path)) {
      std::uint64_t sum = 0;
      for (const std::string& file : files_of_sequence(path)) sum += size_of_file(file);
      return sum;
    }
    return size_of_file(path) + (extension_of(path) == ".gltf" ? size_beside(path) : 0);
  });
  return size ? *size : 0;
}

}  // namespace dermis
