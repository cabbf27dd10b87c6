// SPDX-License-Identifier: MIT
// A file from anyone: a valid character or an Error of one sentence; what loads can also be posed and
// written.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/motion.h"

namespace dermis::fuzz {

inline constexpr std::uint64_t kMaxMemory = std::uint64_t{256} << 20;
// A small file may show one mesh many times; posing that is slow, not wrong.
inline constexpr std::size_t kMaxPosedPoints = 200000;

inline void require(bool is_true, const char* claim, const std::string& words = {}) {
  if (is_true) return;
  std::fprintf(stderr, "broken: %s: %s\n", claim, words.c_str());
  std::abort();
}

inline void require_sentence(const Error& error) {
  require(!error.sentence.empty(), "an error says something");
  require(error.sentence.find('\n') == std::string::npos, "an error is one line", error.sentence);
  require(error.code != Errc::internal, "no library throws out of its reader", error.sentence);
}

// A path that is rewritten by every input and removed at the end.
struct OutputFile {
  std::string path;
  explicit OutputFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("dermis-fuzz-" + std::to_string(::getpid()) + name))
                 .string()) {}
  ~OutputFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

// Writing may refuse, but what it wrote loads again.
inline void require_loads_again(const Result<Notes>& saved, const std::string& path) {
  if (!saved) return require_sentence(saved.error());
  const Result<Asset> again = load(path, {2 * kMaxMemory});
  require(again.ok(), "what was written loads again", again ? "" : again.error().sentence);
}

inline std::size_t posed_point_count(const Character& character) {
  std::size_t count = 0;
  for (const Instance& instance : character.instances) {
    count += character.meshes[static_cast<std::size_t>(instance.mesh)].points.size();
  }
  return count;
}

inline LoadOptions load_options() {
  LoadOptions options;
  options.max_memory = kMaxMemory;
  return options;
}

// Everything that must hold for what a loader returned.
inline int pose_and_save(const Result<Asset>& asset) {
  static const OutputFile output(".glb");
  if (!asset) {
    require_sentence(asset.error());
    return 0;
  }
  const Character& character = asset->character;
  const Status valid = validate(character);
  require(valid.ok(), "what loads is valid", valid ? "" : valid.error().sentence);
  SaveOptions weights;
  weights.weights = WeightFormat::unorm8;
  require_loads_again(save(output.path, *asset), output.path);
  require_loads_again(save(output.path, *asset, weights), output.path);

  if (posed_point_count(character) > kMaxPosedPoints) return 0;
  const Index clip = character.clips.empty() ? kNone : 0;
  const Result<PoseFrame> frame = pose_frame(character, {clip, 0.5, nullptr});
  if (!frame) {
    require_sentence(frame.error());
    return 0;
  }
  const Result<Character> still = deform_character(character, *frame, {});
  if (!still) {
    require_sentence(still.error());
    return 0;
  }
  const Status still_valid = validate(*still);
  require(still_valid.ok(), "what was posed is valid", still_valid ? "" : still_valid.error().sentence);
  require_loads_again(save_posed(output.path, *asset, *still), output.path);
  return 0;
}

// Everything that must hold for the bytes of a file called `name`, whose extension says the format.
inline int load_pose_and_save(const std::uint8_t* data, std::size_t size, const char* name) {
  return pose_and_save(
      load_from_memory({reinterpret_cast<const std::byte*>(data), size}, name, load_options()));
}

}  // namespace dermis::fuzz
