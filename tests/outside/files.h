// SPDX-License-Identifier: MIT
// Where tests find files made elsewhere, folders of their own, and the built command.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace dermis::test {

namespace fs = std::filesystem;

// Real files made elsewhere; empty when they are not at hand.
inline fs::path data_folder() {
  const char* stated = std::getenv("DERMIS_DATA");
  const fs::path folder =
      stated != nullptr ? fs::path(stated) : fs::path(DERMIS_SOURCE_DIR).parent_path() / "shared" / "data";
  return fs::is_directory(folder) ? folder : fs::path();
}

// Test models of the package assimp-testmodels; empty when it is not installed.
inline fs::path assimp_folder() {
  const fs::path folder = "/usr/share/assimp/models";
  return fs::is_directory(folder) ? folder : fs::path();
}

// Every file below `folder` whose extension, in lower case, is one of these, sorted; none without the folder.
inline std::vector<fs::path> files_below(const fs::path& folder, const std::set<std::string>& extensions) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string extension = entry.path().extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (entry.is_regular_file() && extensions.contains(extension)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<fs::path> gltf_files_below(const fs::path& folder) {
  return files_below(folder, {".gltf", ".glb"});
}

// Every glTF file of the data but the deliberately faulty ones.
inline std::vector<fs::path> good_gltf_files() {
  std::vector<fs::path> files = gltf_files_below(data_folder().empty() ? "" : data_folder() / "gltf");
  std::erase_if(
      files, [](const fs::path& path) { return path.string().find("validator-cases") != std::string::npos; });
  return files;
}

// The same files dealt out to kShares tests, so that they run beside each other whatever folders there are.
inline constexpr std::size_t kShares = 8;
inline std::vector<fs::path> good_gltf_files(std::size_t share) {
  const std::vector<fs::path> files = good_gltf_files();
  std::vector<fs::path> dealt;
  for (std::size_t k = share; k < files.size(); k += kShares) dealt.push_back(files[k]);
  return dealt;
}

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A folder of this test's own, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "dermis-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? fs::path(pattern) : fs::path();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // Names of all files and folders directly inside, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  fs::path path_;
};

// Whether the claim becomes true within half a minute.
template <class Claim>
bool is_true_soon(const Claim& is_true) {
  constexpr int kPatience = 3000;
  for (int k = 0; k < kPatience; ++k) {
    if (is_true()) return true;
    ::usleep(10'000);
  }
  return false;
}

// Whether a process that was killed ends: it runs on until the kernel ends it. A zombie, which waits for its
// parent, has ended.
inline bool ends_soon(pid_t process) {
  return is_true_soon([&] {
    const std::string state = read_text("/proc/" + std::to_string(process) + "/stat");
    return state.empty() || state.find(") Z ") != std::string::npos;
  });
}

#ifdef DERMIS_CLI

struct CliResult {
  int code = -1;  // exit code; 128 + signal when it was killed
  std::string out, err;
};

inline std::string shell_quoted(const std::string& word) {
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

// Runs the built command with these words.
inline CliResult run_cli(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string command = shell_quoted(DERMIS_CLI);
  for (const std::string& word : words) command += " " + shell_quoted(word);
  command +=
      " >" + shell_quoted(folder.file("out")) + " 2>" + shell_quoted(folder.file("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  CliResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_text(folder.file("out"));
  result.err = read_text(folder.file("err"));
  return result;
}

#endif

}  // namespace dermis::test
