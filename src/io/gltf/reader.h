// SPDX-License-Identifier: MIT
// Reading a glTF document piece by piece: checked members, decoded accessors, and the first fault.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "io/gltf/document.h"

namespace dermis {

// The current location in the document, put into words only when a sentence needs it: "mesh 3 'body',
// primitive 0". The default is the document itself.
struct Place {
  const char* kind = "";
  std::size_t index = 0;
  const Json* object = nullptr;  // its "name", if there is one
  const Place* outer = nullptr;
  std::string text() const;
};

enum class ComponentType : int { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

// An accessor whose bounds were checked: decoding it cannot read outside its bytes.
struct AccessorView {
  std::size_t count = 0;
  int components = 1;
  ComponentType type = ComponentType::f32;
  bool is_normalized = false;
  std::span<const std::byte> bytes;  // empty: all zeros
  std::size_t stride = 0;
  std::size_t column_stride = 0;  // bytes from one matrix column to the next; 0 for scalars and vectors
  int rows = 1;                   // of a matrix column; `components` for scalars and vectors
  // Sparse overrides, in order.
  std::vector<std::uint32_t> sparse_indices;
  std::span<const std::byte> sparse_values;
};

class DracoCache;

// The first fault is kept: after it, everything reads as absent, and callers check failed() before they
// continue. So readers need no test after every member.
class GltfReader {
 public:
  GltfReader(const GltfDocument& document, MemoryBudget& budget, Notes& notes);
  ~GltfReader();

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  // Records "FILE: PLACE FAULT" unless there is an earlier fault. Always returns false.
  bool fail(const Place& place, const std::string& fault, Errc code = Errc::bad_file);
  // `count` points of the place are affected, `first` being the first; see Note.
  void note(Note::Kind kind, const char* id, const Place& place, const std::string& sentence,
            std::size_t count = 0, Index first = kNone);
  Notes& notes() { return notes_; }
  // What was done, for Asset::reading.
  Reading& reading() { return reading_; }
  // Charges `count` items of `size` bytes that are about to be allocated.
  bool charge(const Place& place, std::uint64_t count, std::uint64_t size);

  // Records that the weights of a mesh are not those of the file.
  void mended_weights_of(Index mesh) { mended_weights_.push_back(mesh); }
  const std::vector<Index>& meshes_with_mended_weights() const { return mended_weights_; }

  const Json& root() const { return document_.json; }
  // The top-level array `key`, or an empty one.
  const Json& list(const char* key);

  // Members of `object`; absent gives the default. A wrong type is a fault.
  const Json* object(const Json& from, const char* key, const Place& place);
  const Json* array(const Json& from, const char* key, const Place& place);
  std::string text(const Json& from, const char* key, const Place& place);
  bool flag(const Json& from, const char* key, const Place& place);
  // kNone if absent; a fault unless it is a whole number below `limit`.
  Index index(const Json& from, const char* key, std::size_t limit, const Place& place);
  std::optional<std::uint64_t> size(const Json& from, const char* key, const Place& place);
  // False if absent; a fault unless it is an array of out.size() finite numbers.
  bool numbers(const Json& from, const char* key, std::span<float> out, const Place& place);

  // ---- Accessors ----
  std::size_t accessor_count() const { return accessor_count_; }
  // Items of an accessor; 0 after a fault.
  std::size_t accessor_items(Index accessor, const Place& place);
  // Checked view of accessor `index`, whose type must be one of `types` ("VEC3"). A fault otherwise.
  std::optional<AccessorView> view(Index accessor, std::initializer_list<const char*> types,
                                   const Place& place);
  // Decoded to float, normalised integers to [0, 1] or [-1, 1]; `components` floats per item.
  std::vector<float> floats(Index accessor, std::initializer_list<const char*> types, const Place& place);
  // Decoded to whole numbers; floats are accepted if whole (Houdini writes them), with a note.
  std::vector<std::uint32_t> integers(Index accessor, std::initializer_list<const char*> types,
                                      const Place& place);
  // Draco-compressed primitives of this document.
  DracoCache& draco() { return *draco_; }

  // Bytes of a buffer view, decompressed if it is compressed.
  std::span<const std::byte> buffer_view(Index index, const Place& place);

 private:
  std::span<const std::byte> raw_range(const Json& range, const Place& place);
  std::span<const std::byte> decompress(Index index, const Json& compression, const Place& place);
  bool read_sparse(const Json& accessor, AccessorView& view, const Place& place);

  const GltfDocument& document_;
  MemoryBudget& budget_;
  Notes& notes_;
  std::optional<Error> error_;
  Reading reading_;
  std::size_t accessor_count_ = 0;
  std::vector<Index> mended_weights_;
  std::unordered_map<Index, Bytes> decompressed_;
  std::unique_ptr<DracoCache> draco_;
};

std::size_t component_size(ComponentType type);
// Decodes a checked view: `out` has count * components entries.
void decode_floats(const AccessorView& view, std::span<float> out);
void decode_integers(const AccessorView& view, std::span<std::uint32_t> out);
// The least and the greatest of each component, as stored: integers are not normalised. At most four
// components; nothing is allocated unless the view is sparse.
struct AccessorBounds {
  std::array<float, 4> least, greatest;
};
AccessorBounds bounds_of(AccessorView view);

// ---- The parts of a character (read_*.cpp) ------------------------------------------------------------
// Each fills its part of `character` and returns false after a fault.

// Nodes, their parents, skins and which nodes are in the scene.
bool read_nodes(GltfReader& reader, Character& character, std::vector<bool>& in_scene);
bool read_skins(GltfReader& reader, Character& character);
// Before meshes, whose parts refer to materials.
bool read_materials(GltfReader& reader, const GltfDocument& document, Character& character);
bool read_meshes(GltfReader& reader, Character& character, const Progress& progress);
// After nodes, meshes and skins: instances with shape weights, and weight rows checked against their skins.
bool read_instances(GltfReader& reader, Character& character, const std::vector<bool>& in_scene);
bool read_clips(GltfReader& reader, Character& character);
// Everything else: every index and range that writing the document back would follow.
bool check_references(GltfReader& reader, const GltfDocument& document);
// After all others: notes layouts that are read here but that other programs refuse (check_layout.cpp).
void check_layout(GltfReader& reader);

}  // namespace dermis
