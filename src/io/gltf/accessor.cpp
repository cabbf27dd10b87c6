// SPDX-License-Identifier: MIT
// Accessors and buffer views: bounds checked once, then decoded without further tests.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "io/gltf/meshopt.h"
#include "io/gltf/reader.h"

namespace dermis {
namespace {

struct Shape2 {
  int columns, rows;
};

std::optional<Shape2> shape_of(std::string_view type) {
  if (type == "SCALAR") return Shape2{1, 1};
  if (type == "VEC2") return Shape2{1, 2};
  if (type == "VEC3") return Shape2{1, 3};
  if (type == "VEC4") return Shape2{1, 4};
  if (type == "MAT2") return Shape2{2, 2};
  if (type == "MAT3") return Shape2{3, 3};
  if (type == "MAT4") return Shape2{4, 4};
  return std::nullopt;
}

bool is_component_type(std::uint64_t type) {
  return (type >= 5120 && type <= 5123) || type == 5125 || type == 5126;
}

template <class Number>
Number load_number(const std::byte* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Calls use(out index, pointer to the component) for every component of every item.
template <class Use>
void for_each_component(const AccessorView& view, const Use& use) {
  const std::size_t size = component_size(view.type);
  const auto item = [&](std::size_t i, const std::byte* at) {
    for (int c = 0; c < view.components; ++c) {
      const std::size_t column = static_cast<std::size_t>(c / view.rows),
                        row = static_cast<std::size_t>(c % view.rows);
      use(i * static_cast<std::size_t>(view.components) + static_cast<std::size_t>(c),
          at + column * view.column_stride + row * size);
    }
  };
  if (!view.bytes.empty()) {
    for (std::size_t i = 0; i < view.count; ++i) item(i, view.bytes.data() + i * view.stride);
  }
  const std::size_t sparse_stride =
      view.column_stride != 0 ? view.column_stride * static_cast<std::size_t>(view.components / view.rows)
                              : size * static_cast<std::size_t>(view.components);
  for (std::size_t k = 0; k < view.sparse_indices.size(); ++k) {
    item(view.sparse_indices[k], view.sparse_values.data() + k * sparse_stride);
  }
}

// Calls use with a value of the component's own C++ type.
template <class Use>
void for_each_number(const AccessorView& view, const Use& use) {
  switch (view.type) {
    case ComponentType::i8:
      return for_each_component(
          view, [&](std::size_t k, const std::byte* at) { use(k, load_number<std::int8_t>(at)); });
    case ComponentType::u8:
      return for_each_component(
          view, [&](std::size_t k, const std::byte* at) { use(k, load_number<std::uint8_t>(at)); });
    case ComponentType::i16:
      return for_each_component(
          view, [&](std::size_t k, const std::byte* at) { use(k, load_number<std::int16_t>(at)); });
    case ComponentType::u16:
      return for_each_component(
          view, [&](std::size_t k, const std::byte* at) { use(k, load_number<std::uint16_t>(at)); });
    case ComponentType::u32:
      return for_each_component(
          view, [&](std::size_t k, const std::byte* at) { use(k, load_number<std::uint32_t>(at)); });
    case ComponentType::f32:
      return for_each_component(view,
                                [&](std::size_t k, const std::byte* at) { use(k, load_number<float>(at)); });
  }
}

// The divisor of a normalised integer; 1 if the number is not normalised.
float normalized_scale(const AccessorView& view) {
  if (!view.is_normalized) return 1.0f;
  switch (view.type) {
    case ComponentType::i8:
      return 127.0f;
    case ComponentType::u8:
      return 255.0f;
    case ComponentType::i16:
      return 32767.0f;
    case ComponentType::u16:
      return 65535.0f;
    default:
      return 1.0f;
  }
}

}  // namespace

std::size_t component_size(ComponentType type) {
  switch (type) {
    case ComponentType::i8:
    case ComponentType::u8:
      return 1;
    case ComponentType::i16:
    case ComponentType::u16:
      return 2;
    default:
      return 4;
  }
}

void decode_floats(const AccessorView& view, std::span<float> out) {
  const std::size_t packed = sizeof(float) * static_cast<std::size_t>(view.components);
  const bool is_plain = view.type == ComponentType::f32 && view.stride == packed && view.column_stride == 0 &&
                        view.sparse_indices.empty() && !view.bytes.empty();
  if (is_plain) {
    std::memcpy(out.data(), view.bytes.data(), view.count * packed);
    return;
  }
  const float scale = normalized_scale(view);
  const bool is_signed = view.type == ComponentType::i8 || view.type == ComponentType::i16;
  // -128 and -127 both mean -1 (glTF 2.0, 3.6.2.2).
  const float lowest = view.is_normalized && is_signed ? -1.0f : -INFINITY;
  for_each_number(view, [&](std::size_t k, auto number) {
    const float value = static_cast<float>(number) / scale;
    out[k] = value < lowest ? lowest : value;
  });
}

void decode_integers(const AccessorView& view, std::span<std::uint32_t> out) {
  if (view.type == ComponentType::u32 && view.stride == 4 && view.components == 1 &&
      view.sparse_indices.empty() && !view.bytes.empty()) {
    std::memcpy(out.data(), view.bytes.data(), view.count * 4);
    return;
  }
  for_each_number(view, [&](std::size_t k, auto number) {
    // Negative and fractional numbers become an index that fails every range check.
    const double value = static_cast<double>(number);
    const bool is_whole = value >= 0 && value <= 4294967295.0 && value == std::floor(value);
    out[k] = is_whole ? static_cast<std::uint32_t>(value) : UINT32_MAX;
  });
}

AccessorBounds bounds_of(AccessorView view) {
  AccessorBounds bounds;
  bounds.least.fill(INFINITY);
  bounds.greatest.fill(-INFINITY);
  // What is stored under a sparse value does not count.
  std::vector<bool> is_replaced(view.sparse_indices.empty() ? 0 : view.count, false);
  for (const std::uint32_t i : view.sparse_indices) is_replaced[i] = true;
  const auto width = static_cast<std::size_t>(view.components);
  const auto add = [&](std::size_t c, float value) {
    bounds.least[c] = std::min(bounds.least[c], value);
    bounds.greatest[c] = std::max(bounds.greatest[c], value);
  };
  const auto add_all = [&](const AccessorView& part, bool is_sparse) {
    for_each_number(part, [&](std::size_t k, auto number) {
      if (is_sparse || is_replaced.empty() || !is_replaced[k / width])
        add(k % width, static_cast<float>(number));
    });
  };
  AccessorView stored = view;
  stored.sparse_indices.clear();
  add_all(stored, false);
  view.bytes = {};
  add_all(view, true);
  const bool has_zeros = stored.bytes.empty() && view.sparse_indices.size() < view.count;
  for (std::size_t c = 0; has_zeros && c < width; ++c) add(c, 0);
  return bounds;
}

std::span<const std::byte> GltfReader::raw_range(const Json& range, const Place& place) {
  const Index buffer = index(range, "buffer", document_.buffers.size(), place);
  const std::uint64_t offset = size(range, "byteOffset", place).value_or(0);
  const std::uint64_t length = size(range, "byteLength", place).value_or(0);
  if (failed()) return {};
  if (buffer == kNone) return fail(place, "does not name a buffer"), std::span<const std::byte>{};
  const std::span<const std::byte> bytes = document_.buffers[static_cast<std::size_t>(buffer)].bytes;
  if (offset > bytes.size() || length > bytes.size() - offset) {
    fail(place, fmt::format("extends beyond its buffer: bytes {} to {} of {}", offset, offset + length,
                            bytes.size()));
    return {};
  }
  return bytes.subspan(offset, length);
}

std::span<const std::byte> GltfReader::buffer_view(Index view, const Place& outer) {
  const Json& views = list("bufferViews");
  if (view == kNone || static_cast<std::size_t>(view) >= views.size()) return {};
  const Json& json = views[static_cast<std::size_t>(view)];
  const Place place{"buffer view", static_cast<std::size_t>(view), &json, &outer};
  if (!json.is_object()) return fail(place, "is not an object"), std::span<const std::byte>{};
  if (const Json* extensions = object(json, "extensions", place)) {
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
      if (const Json* compression = object(*extensions, name, place))
        return decompress(view, *compression, place);
    }
  }
  return raw_range(json, place);
}

std::span<const std::byte> GltfReader::decompress(Index view, const Json& compression, const Place& place) {
  if (const auto found = decompressed_.find(view); found != decompressed_.end()) return found->second;
  MeshoptRange range;
  range.bytes = raw_range(compression, place);
  range.count = size(compression, "count", place).value_or(0);
  range.stride = size(compression, "byteStride", place).value_or(0);
  range.mode = text(compression, "mode", place);
  range.filter = text(compression, "filter", place);
  if (failed() || !charge(place, range.count, range.stride)) return {};
  Result<Bytes> bytes = decode_meshopt(range);
  if (!bytes) return fail(place, bytes.error().sentence, bytes.error().code), std::span<const std::byte>{};
  return decompressed_.emplace(view, std::move(*bytes)).first->second;
}

bool GltfReader::read_sparse(const Json& accessor, AccessorView& view, const Place& place) {
  const Json* sparse = object(accessor, "sparse", place);
  if (sparse == nullptr) return !failed();
  const std::uint64_t count = size(*sparse, "count", place).value_or(0);
  const Json* indices = object(*sparse, "indices", place);
  const Json* values = object(*sparse, "values", place);
  if (failed()) return false;
  if (indices == nullptr || values == nullptr || count > view.count) {
    return fail(place, "has sparse values without indices, without values, or more than it has items");
  }
  const std::size_t view_count = list("bufferViews").size();
  AccessorView index_view;
  index_view.count = count;
  const std::uint64_t type = size(*indices, "componentType", place).value_or(0);
  if (type != 5121 && type != 5123 && type != 5125)
    return fail(place, "has sparse indices of an unknown type");
  index_view.type = static_cast<ComponentType>(type);
  index_view.stride = component_size(index_view.type);
  index_view.bytes = buffer_view(index(*indices, "bufferView", view_count, place), place);
  const std::span<const std::byte> value_bytes =
      buffer_view(index(*values, "bufferView", view_count, place), place);
  const std::uint64_t index_offset = size(*indices, "byteOffset", place).value_or(0);
  const std::uint64_t value_offset = size(*values, "byteOffset", place).value_or(0);
  if (failed()) return false;
  const std::size_t item = view.column_stride != 0
                               ? view.column_stride * static_cast<std::size_t>(view.components / view.rows)
                               : component_size(view.type) * static_cast<std::size_t>(view.components);
  if (index_offset > index_view.bytes.size() ||
      count > (index_view.bytes.size() - index_offset) / index_view.stride ||
      value_offset > value_bytes.size() || count > (value_bytes.size() - value_offset) / item) {
    return fail(place, "has sparse values that extend beyond their buffer view");
  }
  if (count == 0) return true;
  index_view.bytes = index_view.bytes.subspan(index_offset);
  view.sparse_values = value_bytes.subspan(value_offset);
  view.sparse_indices.resize(count);
  decode_integers(index_view, view.sparse_indices);
  for (const std::uint32_t i : view.sparse_indices) {
    if (i >= view.count) return fail(place, fmt::format("has sparse index {} among {} items", i, view.count));
  }
  return true;
}

std::size_t GltfReader::accessor_items(Index accessor, const Place& outer) {
  if (accessor == kNone) return 0;
  const Json& json = list("accessors")[static_cast<std::size_t>(accessor)];
  const Place place{"accessor", static_cast<std::size_t>(accessor), &json, &outer};
  if (!json.is_object()) return fail(place, "is not an object"), 0;
  const std::uint64_t count = size(json, "count", place).value_or(0);
  if (count > static_cast<std::uint64_t>(INT32_MAX))
    return fail(place, fmt::format("claims {} items", count)), 0;
  return count;
}

std::optional<AccessorView> GltfReader::view(Index accessor, std::initializer_list<const char*> types,
                                             const Place& outer) {
  if (failed() || accessor == kNone) return std::nullopt;
  const Json& json = list("accessors")[static_cast<std::size_t>(accessor)];
  const Place place{"accessor", static_cast<std::size_t>(accessor), &json, &outer};
  AccessorView view;
  view.count = accessor_items(accessor, outer);
  const std::string type = text(json, "type", place);
  const std::uint64_t component = size(json, "componentType", place).value_or(0);
  view.is_normalized = flag(json, "normalized", place);
  if (failed()) return std::nullopt;
  const std::optional<Shape2> shape = shape_of(type);
  if (!shape || !is_component_type(component)) return fail(place, "has an unknown type"), std::nullopt;
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    return fail(place, fmt::format("is {}, but {} is needed", type, fmt::join(types, " or "))), std::nullopt;
  }
  view.type = static_cast<ComponentType>(component);
  view.rows = shape->rows;
  view.components = shape->columns * shape->rows;
  const std::size_t size_of_one = component_size(view.type);
  std::size_t item = size_of_one * static_cast<std::size_t>(view.components);
  if (shape->columns > 1) {
    // Matrix columns start at multiples of four bytes (glTF 2.0, 3.6.2.4).
    view.column_stride = (size_of_one * static_cast<std::size_t>(view.rows) + 3) / 4 * 4;
    item = view.column_stride * static_cast<std::size_t>(shape->columns);
  }
  const Json& views = list("bufferViews");
  const Index buffer_view_index = index(json, "bufferView", views.size(), place);
  const std::uint64_t offset = size(json, "byteOffset", place).value_or(0);
  if (failed()) return std::nullopt;
  view.stride = item;
  if (buffer_view_index != kNone && view.count > 0) {
    const std::span<const std::byte> bytes = buffer_view(buffer_view_index, place);
    const Json& buffer_view_json = views[static_cast<std::size_t>(buffer_view_index)];
    if (failed()) return std::nullopt;
    view.stride = size(buffer_view_json, "byteStride", place).value_or(item);
    if (view.stride == 0) view.stride = item;
    const bool fits = view.stride >= item && offset <= bytes.size() && bytes.size() - offset >= item &&
                      view.count - 1 <= (bytes.size() - offset - item) / view.stride;
    if (!fits) {
      fail(place, fmt::format("has {} items of {} bytes, which extend beyond its buffer view of {} bytes",
                              view.count, view.stride, bytes.size()));
    }
    if (!failed()) view.bytes = bytes.subspan(offset);
  }
  if (failed() || !read_sparse(json, view, place)) return std::nullopt;
  return view;
}

std::vector<float> GltfReader::floats(Index accessor, std::initializer_list<const char*> types,
                                      const Place& place) {
  const std::optional<AccessorView> checked = view(accessor, types, place);
  if (!checked) return {};
  const std::size_t numbers = checked->count * static_cast<std::size_t>(checked->components);
  if (!charge(place, numbers, sizeof(float))) return {};
  std::vector<float> out(numbers);
  decode_floats(*checked, out);
  return out;
}

std::vector<std::uint32_t> GltfReader::integers(Index accessor, std::initializer_list<const char*> types,
                                                const Place& place) {
  const std::optional<AccessorView> checked = view(accessor, types, place);
  if (!checked) return {};
  const std::size_t numbers = checked->count * static_cast<std::size_t>(checked->components);
  if (!charge(place, numbers, sizeof(std::uint32_t))) return {};
  std::vector<std::uint32_t> out(numbers);
  decode_integers(*checked, out);
  return out;
}

}  // namespace dermis
