// SPDX-License-Identifier: MIT
// Positions far from the origin: what 32 bits cannot hold of them is said, and nothing where they can.
#include "io/rounding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/made_gltf.h"

namespace dermis {
namespace {

constexpr const char* kFar[] = {"500000.001 4500000.001 10", "500000.011 4500000.002 10",
                                "500000.001 4500000.012 10"};
constexpr const char* kWholeFar[] = {"500000 4500000 10", "500001 4500000 10", "500000 4500001 10"};
constexpr const char* kOnePlace[] = {"0.1 0.2 0.3", "0.1 0.2 0.3", "0.1 0.2 0.3"};

// A triangle of these positions in the format of an extension.
std::string made(const std::string& extension, const char* const (&at)[3]) {
  if (extension == ".obj") return fmt::format("v {}\nv {}\nv {}\nf 1 2 3\n", at[0], at[1], at[2]);
  if (extension == ".off") return fmt::format("OFF\n3 1 0\n{}\n{}\n{}\n3 0 1 2\n", at[0], at[1], at[2]);
  if (extension == ".stl") {
    return fmt::format(
        "solid a\nfacet normal 0 0 1\nouter loop\nVERTEX {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"
        "endsolid a\n",
        at[0], at[1], at[2]);
  }
  return fmt::format(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty uchar red\nproperty double x\nproperty double y\n"
      "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "1 {}\n2 {}\n3 {}\n3 0 1 2\n",
      at[0], at[1], at[2]);
}

bool says_far(const std::string& bytes, const std::string& extension) {
  const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(bytes)), "made" + extension);
  EXPECT_TRUE(asset) << asset.error().sentence;
  return asset && test::has_note(asset->notes, "far-from-origin");
}

TEST(Rounding, OfPointsThatFallTogetherIsALossInEveryFormat) {
  for (const char* extension : {".obj", ".off", ".stl", ".ply"}) {
    EXPECT_TRUE(says_far(made(extension, kFar), extension)) << extension;
    EXPECT_FALSE(says_far(made(extension, kWholeFar), extension)) << extension << " holds these exactly";
    EXPECT_FALSE(says_far(made(extension, kOnePlace), extension)) << extension << " has one place only";
  }
}

TEST(Rounding, OfDoublesInABinaryPlyIsALoss) {
  std::string ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double x\nproperty double y\n"
      "property double z\nend_header\n";
  for (const double number : {1e6 + 0.001, 0.0, 0.0, 1e6 + 0.002, 0.0, 0.0})
    ply.append(reinterpret_cast<const char*>(&number), sizeof number);
  EXPECT_TRUE(says_far(ply, ".ply"));
}

TEST(Rounding, NamesTheStepTheSizeAndTheWorstMove) {
  Rounding rounding;
  rounding.add({1048576 + 0.03, 0, 0});  // floats lie 0.125 apart from 2^20 on
  rounding.add({1048577, 0, 0});
  Notes notes;
  rounding.note(notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].sentence,
            "far from the origin: 32-bit numbers are 0.12 apart there, and the overall size is 0.97; points "
            "moved by up to 0.03: move it to the origin first");
}

}  // namespace
}  // namespace dermis
