// SPDX-License-Identifier: MIT
// What headers say about rigs that assimp does not read.
#include "io/import/stated_rig.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "characters.h"
#include "notes.h"

namespace dermis {
namespace {

std::vector<std::byte> bytes_with(const std::string& magic, std::size_t size,
                                  const std::vector<std::pair<std::size_t, std::uint32_t>>& numbers) {
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < magic.size(); ++k) bytes[k] = static_cast<std::byte>(magic[k]);
  for (const auto& [at, value] : numbers)
    for (std::size_t k = 0; k < 4; ++k) bytes[at + k] = static_cast<std::byte>(value >> (8 * k));
  return bytes;
}

// Blocks with these codes, without bytes of their own.
std::vector<std::byte> blend_with(const std::vector<std::string>& codes) {
  std::string text = "BLENDER-v293";
  for (const std::string& code : codes) {
    std::string block = code + std::string(4 - code.size(), '\0');
    block.resize(24, '\0');
    text += block;
  }
  text += std::string("ENDB") + std::string(20, '\0');
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

std::vector<std::byte> packed(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> out(bytes.size() + 128);
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.erase(out.end() - static_cast<std::ptrdiff_t>(stream.avail_out), out.end());
  deflateEnd(&stream);
  return out;
}

std::string sentence_of(const std::vector<std::byte>& bytes, const Character& character = {}) {
  const Notes notes = rig_left_out(stated_rig(bytes), character);
  return notes.empty() ? "" : notes[0].sentence;
}

TEST(StatedRig, CountsTheJointsAndClipsOfAnIqm) {
  const std::vector<std::byte> bytes = bytes_with("INTERQUAKEMODEL", 124, {{68, 52}, {84, 1}});
  EXPECT_EQ(sentence_of(bytes),
            "the file has 52 joints with their weights, 1 clip, which assimp does not read; export it as "
            "glTF or FBX "
            "to keep them");
}

TEST(StatedRig, CountsTheFramesOfAnMd2AndAnMd3) {
  EXPECT_NE(sentence_of(bytes_with("IDP2", 68, {{40, 198}})).find("197 further frames"), std::string::npos);
  EXPECT_NE(sentence_of(bytes_with("IDP3", 108, {{76, 2}})).find("1 further frame"), std::string::npos);
  EXPECT_EQ(sentence_of(bytes_with("IDP2", 68, {{40, 1}})), "");
}

TEST(StatedRig, FindsArmaturesActionsAndShapeKeysInABlendPackedOrNot) {
  const std::vector<std::byte> blend = blend_with({"OB", "AR", "AC", "AC", "KE"});
  for (const std::vector<std::byte>& bytes : {blend, packed(blend)}) {
    const StatedRig stated = stated_rig(bytes);
    EXPECT_EQ(stated.armatures, 1u);
    EXPECT_EQ(stated.actions, 2u);
    EXPECT_EQ(stated.shapes, 1u);
  }
  EXPECT_EQ(sentence_of(blend_with({"OB", "ME"})), "");
}

TEST(StatedRig, SaysNothingOfWhatTheCharacterHas) {
  const Character tube = test::tube_character({.rings = 3, .sides = 4}, {0, 1, 0});
  EXPECT_EQ(sentence_of(bytes_with("INTERQUAKEMODEL", 124, {{68, 52}}), tube), "");
}

TEST(StatedRig, ReadsNothingBeyondTheEnd) {
  std::vector<std::byte> blend = blend_with({"AR", "AC"});
  for (std::size_t size = 0; size < blend.size(); ++size)
    (void)stated_rig(std::span<const std::byte>(blend).first(size));
  std::vector<std::byte> endless = bytes_with("BLENDER-v293", 64, {{16, 0xffffffff}});
  EXPECT_EQ(stated_rig(endless).armatures, 0u);
  const std::vector<std::byte> cut = packed(blend);
  for (std::size_t size = 0; size < cut.size(); ++size)
    (void)stated_rig(std::span<const std::byte>(cut).first(size));
  EXPECT_EQ(stated_rig(bytes_with("INTERQUAKEMODEL", 60, {})).joints, 0u);
}

}  // namespace
}  // namespace dermis
