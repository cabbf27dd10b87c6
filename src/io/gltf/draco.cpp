// SPDX-License-Identifier: MIT
// Decodes Draco blocks with libdraco.
#include "io/gltf/draco.h"

#include <draco/compression/decode.h>
#include <fmt/format.h>

namespace dermis {

struct DracoMesh::State {
  std::unique_ptr<draco::Mesh> mesh;
};

DracoMesh::DracoMesh() : state_(std::make_unique<State>()) {}
DracoMesh::~DracoMesh() = default;
DracoMesh::DracoMesh(DracoMesh&&) noexcept = default;
DracoMesh& DracoMesh::operator=(DracoMesh&&) noexcept = default;

std::size_t DracoMesh::point_count() const { return state_->mesh->num_points(); }

std::vector<std::uint32_t> DracoMesh::indices() const {
  const draco::Mesh& mesh = *state_->mesh;
  std::vector<std::uint32_t> indices;
  indices.reserve(std::size_t{mesh.num_faces()} * 3);
  for (draco::FaceIndex face(0); face < mesh.num_faces(); ++face) {
    for (std::size_t c = 0; c < 3; ++c) indices.push_back(mesh.face(face)[c].value());
  }
  return indices;
}

namespace {

template <class Number>
std::optional<std::vector<Number>> values_of(const draco::Mesh& mesh, std::uint32_t unique_id,
                                             int components) {
  const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(unique_id);
  if (attribute == nullptr || attribute->num_components() < components) return std::nullopt;
  const auto width = static_cast<std::size_t>(components);
  std::vector<Number> values(mesh.num_points() * width);
  for (draco::PointIndex point(0); point < mesh.num_points(); ++point) {
    const draco::AttributeValueIndex value = attribute->mapped_index(point);
    if (value.value() >= attribute->size()) return std::nullopt;
    if (!attribute->ConvertValue<Number>(value, static_cast<std::int8_t>(components),
                                         values.data() + std::size_t{point.value()} * width)) {
      return std::nullopt;
    }
  }
  return values;
}

}  // namespace

std::optional<std::vector<float>> DracoMesh::floats(std::uint32_t unique_id, int components) const {
  return values_of<float>(*state_->mesh, unique_id, components);
}

std::optional<std::vector<std::uint32_t>> DracoMesh::integers(std::uint32_t unique_id, int components) const {
  return values_of<std::uint32_t>(*state_->mesh, unique_id, components);
}

Result<DracoMesh> decode_draco(std::span<const std::byte> bytes, std::uint64_t max_points) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok()) {
    return Error{Errc::bad_file,
                 fmt::format("has Draco data that cannot be decoded: {}", decoded.status().error_msg())};
  }
  DracoMesh mesh;
  mesh.state_->mesh = std::move(decoded).value();
  if (mesh.point_count() > max_points) {
    return Error{Errc::bad_file, fmt::format("has {} Draco points, but its accessors have {}",
                                             mesh.point_count(), max_points)};
  }
  return mesh;
}

}  // namespace dermis
