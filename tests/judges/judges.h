// SPDX-License-Identifier: MIT
// Asks the outside judges (three.js and gltf-validator, run by node) from a test.
//
//   if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
//
// The scripts and what they print are described at the top of three_pose.mjs and validate.mjs.
#pragma once

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis::judges {

static_assert(std::endian::native == std::endian::little, "three_pose.mjs writes little-endian");

inline std::string folder() { return std::string(DERMIS_SOURCE_DIR) + "/tests/judges"; }

// Why the judges cannot be asked; empty when they can.
inline std::string missing() {
  if (!std::filesystem::exists(folder() + "/node_modules/.package-lock.json")) {
    return "the judges are not installed: ./test fetches them with npm";
  }
  return std::system("command -v node >/dev/null") == 0 ? "" : "node is not installed";
}

// A file of this process's own, gone with the object.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& suffix) {
    static int count = 0;
    path = (std::filesystem::temp_directory_path() /
            ("dermis-judge-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + suffix))
               .string();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

// What `node SCRIPT ARGUMENTS…` prints as JSON; its complaint as an Error when it fails.
inline Result<nlohmann::json> ask(const std::string& script, const std::vector<std::string>& arguments) {
  const auto quoted = [](const std::string& word) {
    std::string safe = "'";
    for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return safe + "'";
  };
  const TemporaryFile complaint(".txt");
  std::string command = "node " + quoted(folder() + "/" + script);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  std::FILE* pipe = ::popen((command + " 2>" + quoted(complaint.path)).c_str(), "r");
  if (pipe == nullptr) return Error{Errc::internal, "cannot start node"};
  std::string said;
  char block[4096];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) said.append(block, n);
  if (::pclose(pipe) != 0) {
    std::ifstream file(complaint.path);
    return Error{Errc::bad_file, std::string(std::istreambuf_iterator<char>(file), {})};
  }
  return without_throwing("judge", [&]() -> Result<nlohmann::json> { return nlohmann::json::parse(said); });
}

struct ThreeRequest {
  int clip = -1;  // index into the file's animations; -1: rest
  double time = 0;
};

struct ThreeAnswer {
  std::vector<std::vector<Vec3d>> points;  // for each request: world space, by node, primitive, vertex
  std::vector<std::string> beyond_four;    // meshes with more than four influences, which three.js cuts
};

// The scene of `file` at each request, posed by three.js.
inline Result<ThreeAnswer> three_pose(const std::string& file, const std::vector<ThreeRequest>& requests) {
  const TemporaryFile request_file(".json"), out(".bin");
  nlohmann::json list = nlohmann::json::array();
  for (const ThreeRequest& request : requests)
    list.push_back({{"clip", request.clip}, {"time", request.time}});
  std::ofstream(request_file.path) << list.dump();
  const Result<nlohmann::json> report = ask("three_pose.mjs", {file, out.path, request_file.path});
  if (!report) return report.error();

  ThreeAnswer answer;
  answer.beyond_four = report->at("beyond_four").get<std::vector<std::string>>();
  std::ifstream bytes(out.path, std::ios::binary);
  const auto read_count = [&bytes] {
    std::uint32_t count = 0;
    bytes.read(reinterpret_cast<char*>(&count), sizeof count);
    return count;
  };
  answer.points.resize(read_count());
  for (std::vector<Vec3d>& points : answer.points) {
    static_assert(sizeof(Vec3d) == 3 * sizeof(double));
    points.resize(read_count());
    bytes.read(reinterpret_cast<char*>(points.data()),
               static_cast<std::streamsize>(points.size() * sizeof(Vec3d)));
  }
  if (!bytes) return Error{Errc::bad_file, "three_pose.mjs wrote less than it promised"};
  return answer;
}

// gltf-validator's report on each file, in order: {"file", "errors", "warnings", "codes": {"ERROR": {code:
// n}}}.
inline Result<nlohmann::json> validate(const std::vector<std::string>& files) {
  return ask("validate.mjs", files);
}

}  // namespace dermis::judges
