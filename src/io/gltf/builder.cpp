// SPDX-License-Identifier: MIT
// Appends accessor data to a glTF document.
#include "io/gltf/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "dermis/geometry.h"

namespace dermis {
namespace {

const char* type_name(int components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 2:
      return "VEC2";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      assert(components == 16);
      return "MAT4";
  }
}

template <class Number>
std::span<const std::byte> raw(std::span<const Number> numbers) {
  return std::as_bytes(numbers);
}

// Minimum and maximum of each component, as glTF's "min" and "max".
void write_bounds(Json& accessor, std::span<const float> numbers, int components) {
  const auto width = static_cast<std::size_t>(components);
  if (numbers.size() < width) return;
  std::vector<float> low(numbers.begin(), numbers.begin() + components), high = low;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    low[k % width] = std::min(low[k % width], numbers[k]);
    high[k % width] = std::max(high[k % width], numbers[k]);
  }
  accessor["min"] = low;
  accessor["max"] = high;
}

// A member that must be an object to contain ours.
Json& as_object(Json& member, const char* what, Notes& notes) {
  if (!member.is_null() && !member.is_object()) {
    notes.push_back(
        {Note::Kind::loss, "extras-replaced",
         fmt::format("{} {} is not an object and was replaced", what, quoted_name(member.dump()))});
    member = Json::object();
  }
  return member;
}

}  // namespace

Json& gltf_list(GltfDocument& document, const char* key) {
  Json& list = document.json[key];
  if (list.is_null()) list = Json::array();
  return list;
}

std::optional<std::size_t> stated_index(const Json& value, std::size_t limit) {
  if (!value.is_number_integer() || value < 0 || value >= limit) return std::nullopt;
  return value.get<std::size_t>();
}

void set_text(Json& owner, const char* key, const std::string& text) {
  if (text.empty())
    owner.erase(key);
  else
    owner[key] = text;
}

Json& extras_of(Json& owner, Notes& notes) { return as_object(owner["extras"], "extras", notes); }

Json& our_extras(Json& owner, Notes& notes) {
  return as_object(extras_of(owner, notes)["dermis"], "extras.dermis", notes);
}

void erase_our_extras(Json& owner, const char* key) {
  const auto extras = owner.find("extras");
  if (extras == owner.end() || !extras->is_object()) return;
  const auto ours = extras->find("dermis");
  if (ours == extras->end() || !ours->is_object() || ours->erase(key) == 0) return;
  if (ours->empty()) extras->erase("dermis");
  if (extras->empty()) owner.erase("extras");
}

SteadyLists::SteadyLists(GltfDocument& document) : document_(document) {
  for (const char* key : {"accessors", "bufferViews", "buffers"}) {
    if (document.json.contains(key)) continue;
    document.json[key] = Json::array();
    made_.push_back(key);
  }
}

SteadyLists::~SteadyLists() {
  for (const char* key : made_) {
    const auto found = document_.json.find(key);
    if (found != document_.json.end() && found->empty()) document_.json.erase(found);
  }
}

std::vector<std::uint32_t> part_triangles(const Mesh& mesh, const MeshPart& part, CutPolygons& cut) {
  std::vector<std::uint32_t> triangles, corners;
  triangles.reserve(static_cast<std::size_t>(part.polygon_count) * 3);
  for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
    const std::span<const Index> polygon = mesh.polygons.polygon(static_cast<std::size_t>(p));
    corners.clear();
    const bool is_covered = triangulate_polygon(mesh.points, polygon, corners);
    for (const std::uint32_t c : corners)
      triangles.push_back(static_cast<std::uint32_t>(polygon[c] - part.first_point));
    if (polygon.size() <= 3) continue;
    ++cut.polygons;
    cut.triangles += corners.size() / 3;
    cut.crossed += is_covered ? 0 : 1;
  }
  return triangles;
}

void note_cut(const CutPolygons& cut, Notes& notes) {
  if (cut.polygons == 0) return;
  std::string sentence =
      fmt::format("{} with more than three corners {} split into {} triangles, since glTF has only triangles",
                  cut.polygons == 1 ? "1 polygon" : fmt::format("{} polygons", cut.polygons),
                  cut.polygons == 1 ? "was" : "were", cut.triangles);
  if (cut.crossed > 0)
    sentence +=
        fmt::format("; {} of them cross themselves or have no area, and became triangle fans", cut.crossed);
  notes.push_back({Note::Kind::loss, "polygons-cut", std::move(sentence)});
}

Index GltfBuilder::add_view(std::span<const std::byte> bytes, GltfTarget target) {
  bytes_.resize((bytes_.size() + 3) / 4 * 4);  // every view starts at a multiple of four
  Json view = {
      {"buffer", document_.buffers.size()}, {"byteOffset", bytes_.size()}, {"byteLength", bytes.size()}};
  if (target != GltfTarget::none) view["target"] = static_cast<int>(target);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  Json& views = gltf_list(document_, "bufferViews");
  views.push_back(std::move(view));
  return static_cast<Index>(views.size() - 1);
}

Index GltfBuilder::add_accessor(Json accessor) {
  Json& accessors = gltf_list(document_, "accessors");
  accessors.push_back(std::move(accessor));
  return static_cast<Index>(accessors.size() - 1);
}

Index GltfBuilder::add_floats(std::span<const float> numbers, int components, GltfTarget target,
                              bool with_bounds) {
  Json accessor = {{"bufferView", add_view(raw(numbers), target)},
                   {"componentType", static_cast<int>(ComponentType::f32)},
                   {"count", numbers.size() / static_cast<std::size_t>(components)},
                   {"type", type_name(components)}};
  if (with_bounds) write_bounds(accessor, numbers, components);
  return add_accessor(std::move(accessor));
}

Index GltfBuilder::add_indices(std::span<const std::uint32_t> indices, std::size_t point_count) {
  // 65535 itself is the restart value.
  const bool is_short = point_count <= 65535;
  Index view = kNone;
  if (is_short) {
    const std::vector<std::uint16_t> small(indices.begin(), indices.end());
    view = add_view(raw(std::span<const std::uint16_t>(small)), GltfTarget::indices);
  } else {
    view = add_view(raw(indices), GltfTarget::indices);
  }
  return add_accessor(
      {{"bufferView", view},
       {"componentType", static_cast<int>(is_short ? ComponentType::u16 : ComponentType::u32)},
       {"count", indices.size()},
       {"type", "SCALAR"}});
}

Index GltfBuilder::add_quads(std::span<const std::uint16_t> numbers, bool is_byte, bool is_normalized) {
  Index view = kNone;
  if (is_byte) {
    std::vector<std::uint8_t> small(numbers.size());
    std::transform(numbers.begin(), numbers.end(), small.begin(),
                   [](std::uint16_t x) { return static_cast<std::uint8_t>(x); });
    view = add_view(raw(std::span<const std::uint8_t>(small)), GltfTarget::vertices);
  } else {
    view = add_view(raw(numbers), GltfTarget::vertices);
  }
  Json accessor = {{"bufferView", view},
                   {"componentType", static_cast<int>(is_byte ? ComponentType::u8 : ComponentType::u16)}};
  if (is_normalized) accessor["normalized"] = true;
  accessor["count"] = numbers.size() / 4;
  accessor["type"] = "VEC4";
  return add_accessor(std::move(accessor));
}

Index GltfBuilder::add_matrices(std::span<const Affine> matrices) {
  std::vector<float> numbers;
  numbers.reserve(matrices.size() * 16);
  for (const Affine& a : matrices) {
    const Mat3& m = a.linear;
    numbers.insert(numbers.end(), {m.x.x, m.x.y, m.x.z, 0, m.y.x, m.y.y, m.y.z, 0, m.z.x, m.z.y, m.z.z, 0,
                                   a.translation.x, a.translation.y, a.translation.z, 1});
  }
  return add_floats(numbers, 16, GltfTarget::none);
}

Index GltfBuilder::add_sparse(std::span<const Index> items, std::span<const Vec3> values, std::size_t count,
                              bool with_bounds) {
  Json accessor = {
      {"componentType", static_cast<int>(ComponentType::f32)}, {"count", count}, {"type", "VEC3"}};
  const std::span<const float> numbers(reinterpret_cast<const float*>(values.data()), values.size() * 3);
  if (with_bounds) {
    std::vector<float> with_zero(numbers.begin(), numbers.end());
    if (items.size() < count) with_zero.insert(with_zero.end(), {0, 0, 0});
    write_bounds(accessor, with_zero, 3);
  }
  if (!items.empty()) {
    const Index index_view = add_view(raw(items), GltfTarget::none);
    const Index value_view = add_view(raw(numbers), GltfTarget::none);
    accessor["sparse"] = {
        {"count", items.size()},
        {"indices", {{"bufferView", index_view}, {"componentType", static_cast<int>(ComponentType::u32)}}},
        {"values", {{"bufferView", value_view}}}};
  }
  return add_accessor(std::move(accessor));
}

void GltfBuilder::finish() {
  if (bytes_.empty()) return;
  gltf_list(document_, "buffers").push_back({{"byteLength", bytes_.size()}});
  document_.buffers.push_back(make_buffer(std::move(bytes_)));
  bytes_ = {};
}

}  // namespace dermis
