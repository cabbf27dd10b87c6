// SPDX-License-Identifier: MIT
// The records of an FBX file, binary or text: what assimp does not pass on is looked up here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// "Name: value, value, ... { records }". Values stay as they are in the file until they are asked for, so a
// tree takes a few words of memory per record, and arrays that nobody reads are never decompressed.
struct FbxRecord {
  std::string_view name;
  std::string_view values;        // encoded
  std::uint32_t value_count = 0;  // binary only
  Index first_child = kNone, next = kNone;
};

// One value: a number, or text (empty for numbers). Whole numbers are exact: they identify objects.
struct FbxValue {
  std::int64_t whole = 0;
  double number = 0;
  std::string_view text;
};

// Refers to the bytes of the file, which must outlive it.
struct FbxTree {
  bool is_binary = false;
  std::uint32_t version = 0;       // 7400 is 7.4
  std::vector<FbxRecord> records;  // record 0 is the file itself, a parent comes before its children

  // Adds a record to the children of `parent`, after its last child `before` (kNone: it has none yet).
  Index append(Index parent, Index before, const FbxRecord& record);
  // The first child of that name, or kNone. A parent of kNone has no children.
  Index child(Index parent, std::string_view name) const;
  // At most `most` single values; stops at the first array and at the first fault.
  std::vector<FbxValue> values(Index record, std::size_t most) const;
  // An array, or a list of single numbers; nullopt if there is none, if it has more numbers than `most`, or
  // if it is broken.
  std::optional<std::vector<double>> numbers(Index record, std::size_t most) const;
};

// Versions 6000 to 7999. Memory is at most a small multiple of the file's size, time linear in it. A file
// that ends early or contradicts itself is an error: half a tree is not returned.
Result<FbxTree> read_fbx_tree(std::span<const std::byte> file);

}  // namespace dermis
