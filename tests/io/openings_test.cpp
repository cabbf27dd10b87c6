// SPDX-License-Identifier: MIT
// Files with the extension of another format are refused with the name of theirs.
#include "io/openings.h"

#include <gtest/gtest.h>

#include "dermis/io.h"

namespace dermis {
namespace {

std::string refusal_of(const std::string& name, const std::string& bytes) {
  const Result<Asset> asset = load_from_memory(std::as_bytes(std::span(bytes)), name, {});
  return asset ? "it loaded" : asset.error().sentence;
}

TEST(Openings, OfAnotherFormatAreNamedByEveryReader) {
  for (const char* name : {"a.obj", "a.ply", "a.stl", "a.off", "a.bvh", "a.out", "a.trc", "a.c3d"}) {
    const std::string said = refusal_of(name, std::string("glTF\x02\0\0\0 and more of it", 23));
    EXPECT_NE(said.find("; its first bytes are those of GLB: use that extension"), std::string::npos) << said;
  }
}

TEST(Openings, OfFormatsWithoutAnExtensionHereAreNotAnsweredWithOne) {
  for (const char* opening : {"<!DOCTYPE html>", "version https://git-lfs.github.com/spec/v1"}) {
    const std::string said = refusal_of("a.glb", opening);
    EXPECT_NE(said.find(": download it again"), std::string::npos) << said;
    EXPECT_EQ(said.find("extension"), std::string::npos) << said;
  }
  EXPECT_NE(refusal_of("a.glb", "\x1f\x8b and more").find(": unpack it first"), std::string::npos);
}

TEST(Openings, OfTheFilesOwnFormatAreNotMentioned) {
  EXPECT_EQ(refusal_of("a.ply", "ply\nnonsense").find("first bytes"), std::string::npos);
  EXPECT_EQ(refusal_of("a.bvh", "HIERARCHY nonsense").find("first bytes"), std::string::npos);
  EXPECT_EQ(refusal_of("a.glb", "glTF").find("first bytes"), std::string::npos);
  const Error error{Errc::bad_file, "what?"};
  EXPECT_EQ(with_true_format(error, "glTF", ".gltf").sentence, "what?");  // readers take both
  EXPECT_EQ(with_true_format(error, "<?xml version", ".dae").sentence, "what?");
  EXPECT_NE(with_true_format(error, "<?xml version", ".obj").sentence.find("those of XML"),
            std::string::npos);
}

}  // namespace
}  // namespace dermis
