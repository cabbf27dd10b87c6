// SPDX-License-Identifier: MIT
// Saving by difference: patches a document with the changes to its character.
#pragma once

#include "io/fingerprint.h"
#include "io/gltf/match.h"
#include "io/gltf/write_mesh.h"

namespace dermis {

// The document `source`, whose loaded character had the fingerprints `given`, updated to `character`: parts
// that differ are patched, the others stay as they are, and so does everything dermis does not model. Lengths
// must be in metres. If a change cannot be patched (materials; indices of nodes, meshes or skins that an
// unknown extension may use), the document is rewritten, with a note. Fails on slots that glTF cannot store.
Result<GltfDocument> patched_document(const GltfDocument& source, const CharacterPrint& given,
                                      const Character& character, const SaveOptions& options, Notes& notes);

// ---- Meshes (patch_meshes.cpp) ------------------------------------------------------------------------

class MeshPatcher {
 public:
  MeshPatcher(GltfBuilder& builder, const SaveOptions& options, Notes& notes)
      : builder_(builder), options_(options), notes_(notes), writer_(builder, options, notes) {}

  // Updates a mesh of the document to `mesh`. True if accessors were added or are no longer used; fails on
  // slots that glTF cannot store.
  Result<bool> patch(Json& json, const MeshPrint& given, const Mesh& mesh, const MeshPrint& print);
  // A mesh that the document does not have.
  Json make(const Mesh& mesh);
  // After the last mesh: notes what could not be written.
  void finish() { writer_.note_losses(); }

 private:
  // True if the options or the changes require writing the weights of a part.
  bool writes_weights(const Json& primitive, const MeshPrint& given, const Mesh& mesh, const MeshPrint& print,
                      std::size_t part) const;
  void rebuild(Json& json, const MeshPrint& given, const Mesh& mesh);
  bool patch_primitive(Json& primitive, const MeshPrint& given, const Mesh& mesh, const MeshPrint& print,
                       std::size_t part, const Matching& shapes);
  template <class Value>
  void set_attribute(Json& attributes, const std::string& name, const Attribute<Value>& attribute,
                     bool is_new, const MeshPart& part);
  template <class Value>
  bool patch_sets(Json& attributes, const std::string& stem, std::span<const Fingerprint> given,
                  const std::vector<Attribute<Value>>& sets, std::span<const Fingerprint> print,
                  const MeshPart& part);
  bool patch_targets(Json& primitive, const PartPrint& given, const Mesh& mesh, const PartPrint& print,
                     const MeshPart& part, const Matching& shapes);
  void write_weights(Json& primitive, const Mesh& mesh, const MeshPart& part);
  void set_polygons(Json& primitive, const Mesh& mesh, const MeshPart& part);
  void set_shape_names(Json& json, const Mesh& mesh);

  GltfBuilder& builder_;
  const SaveOptions& options_;
  Notes& notes_;
  MeshWriter writer_;
};

}  // namespace dermis
