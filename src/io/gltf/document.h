// SPDX-License-Identifier: MIT
// A glTF document as read: its JSON in file order and its buffers, for reading, patching and writing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "io/file.h"
#include "io/json_text.h"

namespace dermis {

// Bytes that decoding may still allocate. Files declare sizes, so these are charged before allocation.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : left_(bytes) {}
  // Returns false and takes nothing if there is not enough.
  bool take(std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > left_ / size) return false;
    left_ -= count * size;
    return true;
  }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

// The words a GLB and its chunks start with.
inline constexpr std::uint32_t kGlbMagic = 0x46546C67;   // "glTF"
inline constexpr std::uint32_t kChunkJson = 0x4E4F534A;  // "JSON"
inline constexpr std::uint32_t kChunkBin = 0x004E4942;   // "BIN\0"

struct GltfBuffer {
  std::shared_ptr<const Bytes> owner;  // keeps `bytes` alive; null: a compression fallback without data
  std::span<const std::byte> bytes;    // may be part of `owner` (the BIN chunk of a GLB)
};
// A buffer that owns all of `bytes`.
GltfBuffer make_buffer(Bytes bytes);

// A chunk of a GLB that is neither JSON nor BIN, kept to be written back.
struct GlbChunk {
  std::uint32_t type = 0;
  Bytes bytes;
};

class GltfDocument {
 public:
  std::string path;    // where it was read from
  std::string folder;  // where the files that it names are; empty: none may be read
  bool is_glb = false;
  Json json;
  std::vector<GltfBuffer> buffers;  // one for each entry of json["buffers"]
  std::vector<GlbChunk> extra_chunks;
};

// Parses a .gltf or .glb, by content: container, JSON, asset version, buffers (embedded, external, BIN).
// `folder` is where external buffers may be; empty refuses them.
Result<GltfDocument> parse_gltf(Bytes bytes, const std::string& path, const std::string& folder,
                                MemoryBudget& budget, Notes& notes);

// What reading such a document would note about its contents; empty if it cannot be read. Costs as much as
// loading.
Notes notes_of_reading(const GltfDocument& document);

// The payload of a base64 `data:` URI; nullopt if it is not one or malformed.
std::optional<Bytes> decode_data_uri(std::string_view uri);
std::string encode_data_uri(std::string_view mime_type, std::span<const std::byte> bytes);

// The file a relative URI names inside `folder`. An Error if it leaves the folder (also through links), has a
// scheme, or is malformed, or if `folder` is empty; `what` names the thing that refers to it.
Result<std::string> resolve_uri(const std::string& folder, const std::string& uri, const std::string& what);

// The relative path that a URI stands for: "my%20hero.bin" is "my hero.bin". A stray % stays.
std::string percent_decoded(std::string_view uri);
// A file name as a URI: "my hero.bin" becomes "my%20hero.bin".
std::string percent_encoded(std::string_view text);

// True for extensions that only affect appearance: they refer to no accessor and move no point.
bool is_appearance_extension(std::string_view name);

// True if `uri` starts with "data:".
bool is_data_uri(std::string_view uri);
// True for "http://host/skin.png" and "file:/skin.png": not a file next to the document.
bool has_scheme(std::string_view uri);

}  // namespace dermis
