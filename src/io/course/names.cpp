// SPDX-License-Identifier: MIT
// Derives the file names of the teaching format from each other.
#include "io/course/names.h"

#include <filesystem>

#include "io/file.h"

namespace dermis {
namespace {

const std::string kSkeleton = "skeleton", kAttachment = "attachment", kMesh = "mesh";

// `path` with its first word replaced, or empty if it starts differently.
std::string exchanged(const std::string& path, const std::string& from, const std::string& to,
                      const std::string& extension) {
  const std::filesystem::path file(path);
  const std::string stem = stem_of(path);
  if (!stem.starts_with(from)) return {};
  return (file.parent_path() / (to + stem.substr(from.size()) + extension)).string();
}

}  // namespace

bool is_attachment(const std::string& path) { return stem_of(path).starts_with(kAttachment); }

std::string attachment_beside(const std::string& skeleton) {
  return exchanged(skeleton, kSkeleton, kAttachment, ".out");
}
std::string mesh_beside(const std::string& skeleton) { return exchanged(skeleton, kSkeleton, kMesh, ".obj"); }
std::string skeleton_beside(const std::string& attachment) {
  return exchanged(attachment, kAttachment, kSkeleton, ".out");
}

}  // namespace dermis
