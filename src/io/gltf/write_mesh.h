// SPDX-License-Identifier: MIT
// Meshes of the model as meshes of a glTF document.
#pragma once

#include <optional>

#include "io/gltf/builder.h"

namespace dermis {

class MeshWriter {
 public:
  MeshWriter(GltfBuilder& builder, const SaveOptions& options, Notes& notes)
      : builder_(builder), options_(options), notes_(notes) {}

  // The mesh in the form that glTF needs; nullopt if it already has it.
  std::optional<Mesh> split_and_mended(const Mesh& whole);
  // A part of a split mesh, without its material.
  Json primitive(const Mesh& mesh, const MeshPart& part);
  // The offsets of a shape for the points of a part: POSITION, NORMAL and TANGENT.
  Json target(const Shape& shape, const MeshPart& part);
  // The polygons of a part as an accessor of triangles.
  Index triangles(const Mesh& mesh, const MeshPart& part);
  // Counts the labels of a mesh, which glTF cannot store.
  void count_labels(const Mesh& mesh);
  // Notes which polygons were split into triangles, and how many labels were left out. Call once, at the end.
  void note_losses() const;

 private:
  GltfBuilder& builder_;
  const SaveOptions& options_;
  Notes& notes_;
  CutPolygons cut_;
  std::size_t label_count_ = 0;
};

}  // namespace dermis
