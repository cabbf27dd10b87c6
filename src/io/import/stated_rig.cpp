// SPDX-License-Identifier: MIT
// What the header of a file says about its rig, for formats of which assimp reads only the meshes.
#include "io/import/stated_rig.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace dermis {
namespace {

// Numbers and words at places of a file.
class FileBytes {
 public:
  explicit FileBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool begins_with(std::string_view word) const {
    return has(0, word.size()) && text(0, word.size()) == word;
  }
  bool has(std::size_t at, std::size_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  std::string_view text(std::size_t at, std::size_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }
  // Little-endian unless `is_swapped`; 0 beyond the end.
  std::uint32_t number(std::size_t at, bool is_swapped = false) const {
    if (!has(at, sizeof(std::uint32_t))) return 0;
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < sizeof(value); ++k)
      value |= std::to_integer<std::uint32_t>(bytes_[at + (is_swapped ? 3 - k : k)]) << (8 * k);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

// What gzip packed, up to kMostUnpacked bytes; empty if it is not gzip.
std::vector<std::byte> unpacked(std::span<const std::byte> bytes) {
  constexpr std::size_t kMostUnpacked = std::size_t{256} << 20, kStep = std::size_t{1} << 20;
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header
  constexpr std::byte kFirst{0x1f}, kSecond{0x8b};
  std::vector<std::byte> out;
  if (bytes.size() < 2 || bytes[0] != kFirst || bytes[1] != kSecond || bytes.size() > kMostUnpacked)
    return out;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));  // NOLINT: zlib reads only
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::vector<std::byte> step(kStep);
  for (int state = Z_OK; state == Z_OK && out.size() < kMostUnpacked;) {
    stream.next_out = reinterpret_cast<Bytef*>(step.data());
    stream.avail_out = static_cast<uInt>(step.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.insert(out.end(), step.begin(), step.end() - stream.avail_out);
  }
  inflateEnd(&stream);
  return out;
}

// The blocks of a .blend: a code, their size, an old address, two more numbers, and their bytes.
StatedRig blocks_of_blend(const FileBytes& file) {
  constexpr std::size_t kHeader = 12;
  StatedRig stated;
  const std::size_t pointer = file.text(7, 1) == "_" ? 4 : 8;
  const bool is_big_endian = file.text(8, 1) == "V";
  const std::size_t head = 4 + 4 + pointer + 4 + 4;
  for (std::size_t at = kHeader; file.has(at, head);) {
    const std::string_view code = file.text(at, 4);
    if (code == "ENDB") break;
    stated.armatures += code == std::string_view("AR\0\0", 4) ? 1 : 0;
    stated.actions += code == std::string_view("AC\0\0", 4) ? 1 : 0;
    stated.shapes += code == std::string_view("KE\0\0", 4) ? 1 : 0;
    at += head + file.number(at + 4, is_big_endian);
  }
  return stated;
}

}  // namespace

StatedRig stated_rig(std::span<const std::byte> bytes) {
  const std::vector<std::byte> whole = unpacked(bytes);
  const FileBytes file(whole.empty() ? bytes : std::span<const std::byte>(whole));
  StatedRig stated;
  // The places of these counts are those of the formats' specifications (IQM version 2, MD2 version 8, MD3
  // version 15).
  if (file.begins_with("INTERQUAKEMODEL")) {
    stated.joints = file.number(68);
    stated.clips = file.number(84);
  } else if (file.begins_with("IDP2")) {
    stated.frames = file.number(40);
  } else if (file.begins_with("IDP3")) {
    stated.frames = file.number(76);
  } else if (file.begins_with("BLENDER") && file.has(0, 12)) {
    stated = blocks_of_blend(file);
  }
  return stated;
}

Notes rig_left_out(const StatedRig& stated, const Character& character) {
  std::vector<std::string> lost;
  const auto lose = [&](std::uint32_t count, const char* one, const char* many) {
    if (count > 0) lost.push_back(counted(count, one, many));
  };
  if (character.skins.empty()) {
    lose(stated.joints, "joint with its weights", "joints with their weights");
    lose(stated.armatures, "armature with its weights", "armatures with their weights");
  }
  if (character.clips.empty()) {
    lose(stated.clips, "clip", "clips");
    lose(stated.actions, "action", "actions");
    lose(stated.frames > 1 ? stated.frames - 1 : 0, "further frame", "further frames");
  }
  const bool has_shapes = std::any_of(character.meshes.begin(), character.meshes.end(),
                                      [](const Mesh& mesh) { return !mesh.shapes.empty(); });
  if (!has_shapes) lose(stated.shapes, "set of shape keys", "sets of shape keys");
  if (lost.empty()) return {};
  return {
      Note{Note::Kind::loss, "rig-not-read",
           fmt::format("the file has {}, which assimp does not read; export it as glTF or FBX to keep them",
                       fmt::join(lost, ", "))}};
}

}  // namespace dermis
