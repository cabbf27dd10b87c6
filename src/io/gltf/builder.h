// SPDX-License-Identifier: MIT
// Adds accessors with new data to a glTF document, collected in one new buffer.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dermis/model.h"
#include "io/gltf/document.h"
#include "io/gltf/reader.h"

namespace dermis {

enum class GltfTarget : int { none = 0, vertices = 34962, indices = 34963 };

class GltfBuilder {
 public:
  explicit GltfBuilder(GltfDocument& document) : document_(document) {}

  // Each returns the index of the new accessor. Each item has `components` numbers; bounds are written on
  // request, as glTF requires them for positions and key times.
  Index add_floats(std::span<const float> numbers, int components, GltfTarget target,
                   bool with_bounds = false);
  // Triangle corners, as 16-bit numbers if they fit.
  Index add_indices(std::span<const std::uint32_t> indices, std::size_t point_count);
  // Unsigned numbers, four per item, stored in one byte each if `is_byte`, else in two.
  Index add_quads(std::span<const std::uint16_t> numbers, bool is_byte, bool is_normalized);
  // 4x4 matrices, columns first.
  Index add_matrices(std::span<const Affine> matrices);
  // Vectors that are zero except at `items` (ascending).
  Index add_sparse(std::span<const Index> items, std::span<const Vec3> values, std::size_t count,
                   bool with_bounds);

  // An accessor of the document.
  const Json& accessor(std::size_t index) const { return document_.json["accessors"][index]; }

  // A buffer view of its own, for images.
  Index add_bytes(std::span<const std::byte> bytes) { return add_view(bytes, GltfTarget::none); }

  // Moves the collected bytes into the document as a new buffer. Call once, at the end.
  void finish();

 private:
  Index add_view(std::span<const std::byte> bytes, GltfTarget target);
  Index add_accessor(Json accessor);

  GltfDocument& document_;
  Bytes bytes_;
};

// The array `key` of the document, created if it is missing. Creating it copies the other members of the
// document, so references into them do not survive; see SteadyLists.
Json& gltf_list(GltfDocument& document, const char* key);

// A member of the document as an index below `limit`; nullopt if it is not one. For members that reading did
// not need to check.
std::optional<std::size_t> stated_index(const Json& value, std::size_t limit);

// While it lives, adding accessors, buffer views and buffers leaves references into the document's other
// members alone: the lists are created at its start, and dropped at its end if they stayed empty.
class SteadyLists {
 public:
  explicit SteadyLists(GltfDocument& document);
  ~SteadyLists();
  SteadyLists(const SteadyLists&) = delete;
  SteadyLists& operator=(const SteadyLists&) = delete;

 private:
  GltfDocument& document_;
  std::vector<const char*> made_;
};

// The values of a part's points as plain floats, for add_floats.
template <class Value>
std::span<const float> part_floats(const std::vector<Value>& values, const MeshPart& part) {
  assert(values.size() >= static_cast<std::size_t>(part.first_point + part.point_count));
  const auto* first = reinterpret_cast<const float*>(values.data() + part.first_point);
  return {first, static_cast<std::size_t>(part.point_count) * sizeof(Value) / sizeof(float)};
}
// How many polygons of more than three corners became triangles.
struct CutPolygons {
  std::size_t polygons = 0, triangles = 0;
  std::size_t crossed = 0;  // polygons whose triangles overlap or stick out
};
// The polygons of a part as triangles; points counted from the part's first. Split polygons are added to
// `cut`.
std::vector<std::uint32_t> part_triangles(const Mesh& mesh, const MeshPart& part, CutPolygons& cut);
// Notes what was split, if anything.
void note_cut(const CutPolygons& cut, Notes& notes);
// Removes all JOINTS_n and WEIGHTS_n from a primitive's attributes.
void erase_weight_sets(Json& attributes);

// ---- Whole documents ----------------------------------------------------------------------------------

// The media type of a picture that glTF can store, by its first bytes; null for all others.
const char* media_type(std::span<const std::byte> bytes);
// The stage that Progress reports while a document is made.
inline constexpr const char* kMakingDocument = "making the document";
// A new document for a character; meshes are split at their corners as glTF requires. Fails on slots that
// glTF cannot store, or with cancelled.
Result<GltfDocument> new_document(const Character& character, const SaveOptions& options, Notes& notes);
// The same character with all lengths in metres, as the glTF specification requires.
Character in_metres(Character character);
// Notes the lengths of a document that in_metres does not know: those of cameras and lights.
void note_unscaled_parts(const GltfDocument& document, Notes& notes);
// glTF stores slots in 16 bits; an Error names the mesh if it uses a higher one.
Status check_slots(const Mesh& mesh);
// Adds clips to the animations of a document; `node_of_instance` gives the nodes that shape weights belong
// to.
void write_clips(GltfDocument& document, GltfBuilder& builder, const Character& character,
                 std::span<const Index> node_of_instance, Notes& notes);
// Adds the skins of a character to a document.
void write_skins(GltfDocument& document, GltfBuilder& builder, const Character& character);
Json skin_json(GltfBuilder& builder, const Skin& skin);
// Name and rest pose of a node.
Json node_json(const Node& node);
// How weights are written: the format, and the maximum number of influences per point (0: all).
struct WeightLayout {
  WeightFormat format = WeightFormat::float32;
  int max_influences = 0;
};
// Writes JOINTS_n and WEIGHTS_n for the points of a part into `attributes`, replacing existing ones.
void write_weight_sets(GltfBuilder& builder, Json& attributes, const WeightRows& rows, const MeshPart& part,
                       const WeightLayout& layout, Notes& notes);
// True if this format represents the rows of a part exactly.
bool holds_weights(WeightFormat format, const WeightRows& rows, const MeshPart& part);
// Which nodes of a document are part of its scene: all of them in a document without scenes.
std::vector<bool> nodes_in_scene(const Json& json);
// The scene that a viewer shows; a document without one gets a scene with all its roots.
Json& shown_scene(GltfDocument& document);
// Brings the scene into line with Instance::in_scene. A root is in the scene if something below it is. A mesh
// outside the scene whose root is inside moves to a new node outside, with a note, and `node_of_instance` is
// updated.
void place_in_scene(GltfDocument& document, const Character& character, std::vector<Index>& node_of_instance,
                    Notes& notes);
// Sets a member to a text; an empty text removes it.
void set_text(Json& owner, const char* key, const std::string& text);
// The extras of a node, mesh or the like as an object, created if missing. Extras that are not an object are
// replaced, with a note. `our_extras` is the same for extras.dermis.
Json& extras_of(Json& owner, Notes& notes);
Json& our_extras(Json& owner, Notes& notes);
// Removes extras.dermis.`key`, and parents that become empty.
void erase_our_extras(Json& owner, const char* key);
// True if a primitive is compressed by Draco.
bool is_draco(const Json& primitive);
// Writes the texture coordinates and colours of a Draco primitive uncompressed and removes its block.
// POSITION, NORMAL, TANGENT, weights and the triangles are left to the caller; other attributes are dropped,
// with a note.
void unpack_draco(GltfBuilder& builder, Json& primitive, const Mesh& mesh, const MeshPart& part,
                  Notes& notes);
// The document with its instances replaced by the meshes of `posed`, without skins and animations.
GltfDocument posed_document(const GltfDocument& source, const Character& character, const Character& posed,
                            Notes& notes);
// The same without the joints that only its skins needed, and its character, with nodes and meshes as in the
// document.
struct BareGltf {
  GltfDocument document;
  Character character;
};
BareGltf bare_document(const GltfDocument& source, const Character& character, const Character& posed,
                       Notes& notes);
// True if the document uses no extension that may refer to its parts in unknown ways.
bool has_only_known_extensions(const Json& json);
// Drops accessors, buffer views and bytes that nothing refers to any more. Does nothing if the document uses
// extensions with unknown references.
void drop_unused(GltfDocument& document);

// Writes .glb or .gltf with its side files.
Result<Notes> write_document(const std::string& path, GltfDocument document, const SaveOptions& options);
// The document as a GLB in memory.
Result<Bytes> glb_bytes(GltfDocument document);

}  // namespace dermis
