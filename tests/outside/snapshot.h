// SPDX-License-Identifier: MIT
// Meshes that another tool posed and wrote as OBJ, as plainly as they stand in the file.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "dermis/math.h"

namespace dermis::test {

struct Snapshot {
  std::vector<Vec3d> points;
  std::vector<std::size_t> corners;  // of all polygons, in file order
  std::vector<std::size_t> sizes;
};

inline Snapshot read_snapshot(const std::filesystem::path& path) {
  Snapshot snapshot;
  std::ifstream file(path);
  std::string line, word;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "v") {
      Vec3d point;
      words >> point.x >> point.y >> point.z;
      snapshot.points.push_back(point);
    } else if (word == "f") {
      snapshot.sizes.push_back(0);
      while (words >> word) {
        snapshot.corners.push_back(std::stoul(word) - 1);
        ++snapshot.sizes.back();
      }
    }
  }
  return snapshot;
}

}  // namespace dermis::test
