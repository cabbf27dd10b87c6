// SPDX-License-Identifier: MIT
// Decodes the attributes, indices and targets of one glTF primitive.
#include "io/gltf/primitive.h"

#include <fmt/format.h>

namespace dermis {
namespace {

enum class Mode { points, lines, line_loop, line_strip, triangles, triangle_strip, triangle_fan };
constexpr std::size_t kModeCount = 7;

std::vector<std::uint32_t> from_strip(const std::vector<std::uint32_t>& strip) {
  std::vector<std::uint32_t> triangles;
  for (std::size_t k = 0; k + 2 < strip.size(); ++k) {
    const std::size_t odd = k % 2;  // every other triangle of a strip has the opposite winding
    triangles.insert(triangles.end(), {strip[k], strip[k + 1 + odd], strip[k + 2 - odd]});
  }
  return triangles;
}

std::vector<std::uint32_t> from_fan(const std::vector<std::uint32_t>& fan) {
  std::vector<std::uint32_t> triangles;
  for (std::size_t k = 1; k + 1 < fan.size(); ++k)
    triangles.insert(triangles.end(), {fan[k], fan[k + 1], fan[0]});
  return triangles;
}

}  // namespace

PrimitiveReader::PrimitiveReader(GltfReader& reader, const Json& json, const Place& place)
    : reader_(reader), json_(json), place_(place) {
  if (!json.is_object()) {
    reader.fail(place, "is not an object");
    return;
  }
  attributes_ = reader.object(json, "attributes", place);
  targets_ = reader.array(json, "targets", place);
  target_count_ = targets_ != nullptr ? targets_->size() : 0;
  if (reader.failed() || !has("POSITION")) return;
  for (const auto& [name, accessor] : attributes_->items()) {
    reader.index(*attributes_, name.c_str(), reader.accessor_count(), place);
  }
  if (reader.failed()) return;
  point_count_ = reader.accessor_items(accessor_of("POSITION"), place);
  const Json* extensions = reader.object(json, "extensions", place);
  if (extensions == nullptr) return;
  const Json* compressed = reader.object(*extensions, "KHR_draco_mesh_compression", place);
  if (compressed == nullptr) return;
  draco_attributes_ = reader.object(*compressed, "attributes", place);
  const Index view = reader.index(*compressed, "bufferView", reader.list("bufferViews").size(), place);
  if (reader.failed() || draco_attributes_ == nullptr || view == kNone) return;
  auto& cache = reader.draco().meshes;
  if (!cache.contains(view)) {
    // A decoded block takes about what the accessors declare, and several times that while decoding.
    if (!reader.charge(place, point_count_, 64 * draco_attributes_->size())) return;
    Result<DracoMesh> mesh = decode_draco(reader.buffer_view(view, place), point_count_);
    if (reader.failed()) return;
    if (!mesh) {
      reader.fail(place, mesh.error().sentence, mesh.error().code);
      return;
    }
    cache.emplace(view, std::move(*mesh));
  }
  draco_ = &cache.at(view);
  if (draco_->point_count() != point_count_) {
    reader.fail(place, fmt::format("has {} Draco points, but its accessors have {}", draco_->point_count(),
                                   point_count_));
  }
}

bool PrimitiveReader::has(const std::string& attribute) const {
  return attributes_ != nullptr && attributes_->contains(attribute);
}

Index PrimitiveReader::accessor_of(const std::string& name) const {
  return reader_.index(*attributes_, name.c_str(), reader_.accessor_count(), place_);
}

std::optional<std::uint32_t> PrimitiveReader::draco_id(const std::string& name) const {
  if (draco_ == nullptr || !draco_attributes_->contains(name)) return std::nullopt;
  const Index id = reader_.index(*draco_attributes_, name.c_str(), INT32_MAX, place_);
  return id == kNone ? std::nullopt : std::optional<std::uint32_t>(static_cast<std::uint32_t>(id));
}

bool PrimitiveReader::check_count(const std::string& name, std::size_t count) {
  if (count == point_count_) return true;
  return reader_.fail(place_, fmt::format("has {} '{}' for {} positions", count, name, point_count_));
}

bool PrimitiveReader::append_colours(const std::string& name, std::vector<Vec4>& out) {
  if (reader_.failed() || !has(name)) return false;
  const Json& accessors = reader_.list("accessors");
  const Json& accessor = accessors[static_cast<std::size_t>(accessor_of(name))];
  const bool is_rgb = accessor.is_object() && accessor.value("type", Json()) == "VEC3";
  if (!is_rgb) return append(name, {"VEC4"}, out);
  std::vector<Vec3> rgb;
  if (!append(name, {"VEC3"}, rgb)) return false;
  for (const Vec3& colour : rgb) out.push_back({colour.x, colour.y, colour.z, 1.0f});
  return true;
}

std::vector<std::uint32_t> PrimitiveReader::joints(int set) {
  const std::string name = fmt::format("JOINTS_{}", set);
  if (reader_.failed() || !has(name)) return {};
  if (const std::optional<std::uint32_t> id = draco_id(name)) {
    std::optional<std::vector<std::uint32_t>> values = draco_->integers(*id, 4);
    if (values) return std::move(*values);
    reader_.fail(place_, fmt::format("has Draco data without its attribute '{}'", name));
    return {};
  }
  const std::optional<AccessorView> view = reader_.view(accessor_of(name), {"VEC4"}, place_);
  if (!view || !check_count(name, view->count)) return {};
  if (view->type != ComponentType::u8 && view->type != ComponentType::u16) {
    reader_.note(
        Note::Kind::repair, "joints-unusual-type", place_,
        fmt::format("its {} are stored as 32-bit numbers, which glTF does not allow; they were read anyway",
                    name));
    reader_.mended_weights_of(static_cast<Index>(place_.outer->index));
  }
  return reader_.integers(accessor_of(name), {"VEC4"}, place_);
}

std::vector<float> PrimitiveReader::weights(int set, double& weight_step) {
  const std::string name = fmt::format("WEIGHTS_{}", set);
  weight_step = 0;
  if (reader_.failed() || !has(name)) return {};
  if (const std::optional<std::uint32_t> id = draco_id(name)) {
    // Draco stores weights quantised; 8 bits is the coarsest in use.
    weight_step = 1.0 / 255.0;
    std::optional<std::vector<float>> values = draco_->floats(*id, 4);
    if (values) return std::move(*values);
    reader_.fail(place_, fmt::format("has Draco data without its attribute '{}'", name));
    return {};
  }
  const std::optional<AccessorView> view = reader_.view(accessor_of(name), {"VEC4"}, place_);
  if (!view || !check_count(name, view->count)) return {};
  if (view->type == ComponentType::u8) weight_step = 1.0 / 255.0;
  if (view->type == ComponentType::u16) weight_step = 1.0 / 65535.0;
  return reader_.floats(accessor_of(name), {"VEC4"}, place_);
}

std::vector<std::uint32_t> PrimitiveReader::raw_indices() {
  if (draco_ != nullptr) return draco_->indices();
  const Index accessor = reader_.index(json_, "indices", reader_.accessor_count(), place_);
  if (accessor != kNone) return reader_.integers(accessor, {"SCALAR"}, place_);
  if (reader_.failed() || !reader_.charge(place_, point_count_, sizeof(std::uint32_t))) return {};
  std::vector<std::uint32_t> indices(point_count_);
  for (std::size_t v = 0; v < indices.size(); ++v) indices[v] = static_cast<std::uint32_t>(v);
  return indices;
}

std::vector<std::uint32_t> PrimitiveReader::triangles() {
  const Index stated = reader_.index(json_, "mode", kModeCount, place_);
  const Mode mode = stated == kNone ? Mode::triangles : static_cast<Mode>(stated);
  std::vector<std::uint32_t> indices = raw_indices();
  if (reader_.failed()) return {};
  for (const std::uint32_t i : indices) {
    if (i >= point_count_) {
      reader_.fail(place_, fmt::format("has index {} but only {} points", i, point_count_));
      return {};
    }
  }
  if (mode == Mode::triangle_strip || mode == Mode::triangle_fan) {
    if (!reader_.charge(place_, indices.size(), 3 * sizeof(std::uint32_t))) return {};
    return mode == Mode::triangle_strip ? from_strip(indices) : from_fan(indices);
  }
  if (mode != Mode::triangles) {
    reader_.note(Note::Kind::info, "no-polygons", place_,
                 mode == Mode::points ? "it draws points; they are kept, without polygons"
                                      : "it draws lines; its points are kept, without polygons");
    return {};
  }
  if (indices.size() % 3 != 0) {
    reader_.note(Note::Kind::repair, "cut-triangle", place_,
                 fmt::format("its {} indices are not a whole number of triangles; the last {} were left out",
                             indices.size(), indices.size() % 3));
    indices.resize(indices.size() / 3 * 3);
  }
  return indices;
}

std::vector<Vec3> PrimitiveReader::target(std::size_t target, const char* attribute) {
  if (reader_.failed() || target >= target_count_) return {};
  const Json& json = (*targets_)[target];
  const Place place{"target", target, nullptr, &place_};
  if (!json.is_object()) return reader_.fail(place, "is not an object"), std::vector<Vec3>{};
  const Index accessor = reader_.index(json, attribute, reader_.accessor_count(), place);
  if (reader_.failed() || accessor == kNone) return {};
  const std::optional<AccessorView> view = reader_.view(accessor, {"VEC3"}, place);
  if (!view) return {};
  if (view->count != point_count_) {
    reader_.fail(place, fmt::format("has {} '{}' for {} positions", view->count, attribute, point_count_));
    return {};
  }
  if (!reader_.charge(place, view->count, sizeof(Vec3))) return {};
  std::vector<Vec3> offsets(view->count);
  decode_floats(*view, {reinterpret_cast<float*>(offsets.data()), offsets.size() * 3});
  return offsets;
}

}  // namespace dermis
