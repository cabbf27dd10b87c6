// SPDX-License-Identifier: MIT
// KHR_draco_mesh_compression: primitives whose attributes and indices live in one compressed block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

// One decoded block.
class DracoMesh {
 public:
  DracoMesh();
  ~DracoMesh();
  DracoMesh(DracoMesh&&) noexcept;
  DracoMesh& operator=(DracoMesh&&) noexcept;

  std::size_t point_count() const;
  std::vector<std::uint32_t> indices() const;  // triangles
  // Attribute by Draco's unique id, `components` numbers per point, normalised as the attribute specifies.
  // Nullopt if there is no such attribute or it has fewer components.
  std::optional<std::vector<float>> floats(std::uint32_t unique_id, int components) const;
  std::optional<std::vector<std::uint32_t>> integers(std::uint32_t unique_id, int components) const;

 private:
  friend Result<DracoMesh> decode_draco(std::span<const std::byte> bytes, std::uint64_t max_points);
  struct State;
  std::unique_ptr<State> state_;
};

// Error sentences continue "primitive 0 ".
Result<DracoMesh> decode_draco(std::span<const std::byte> bytes, std::uint64_t max_points);

// Blocks already decoded, by buffer view: several primitives may share one.
class DracoCache {
 public:
  std::unordered_map<Index, DracoMesh> meshes;
};

}  // namespace dermis
