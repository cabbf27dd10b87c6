// SPDX-License-Identifier: MIT
// Moves per-vertex values of a split mesh back to corners, or to points if they agree.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// The bits of a value, with -0 as 0; they distinguish values.
template <class Value>
std::array<std::uint32_t, sizeof(Value) / 4> bits_of_value(const Value& value) {
  auto numbers = std::bit_cast<std::array<float, sizeof(Value) / 4>>(value);
  for (float& number : numbers) number += 0.0f;
  return std::bit_cast<std::array<std::uint32_t, sizeof(Value) / 4>>(numbers);
}

struct BitsHash {
  template <std::size_t N>
  std::size_t operator()(const std::array<std::uint32_t, N>& bits) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t word : bits) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

// `values` has one value per vertex; corner c of `polygons` has that of vertex corner_vertex[c], and its
// point is below `point_count`. Equal values are stored once. If all corners of every point agree, the
// attribute is per point; points that no polygon uses get zeros.
template <class Value>
Attribute<Value> corner_attribute(const std::vector<Value>& values, std::span<const Index> corner_vertex,
                                  const Polygons& polygons, std::size_t point_count) {
  Attribute<Value> attribute;
  if (values.empty()) return attribute;
  std::unordered_map<std::array<std::uint32_t, sizeof(Value) / 4>, Index, BitsHash> known;
  std::vector<Index> value_of(values.size(), kNone), value_of_point(point_count, kNone);
  bool is_per_point = true;
  attribute.corner_value.reserve(corner_vertex.size());
  for (std::size_t c = 0; c < corner_vertex.size(); ++c) {
    const auto vertex = static_cast<std::size_t>(corner_vertex[c]);
    if (value_of[vertex] == kNone) {
      const auto made = static_cast<Index>(attribute.values.size());
      const auto [found, is_new] = known.try_emplace(bits_of_value(values[vertex]), made);
      if (is_new) attribute.values.push_back(values[vertex]);
      value_of[vertex] = found->second;
    }
    attribute.corner_value.push_back(value_of[vertex]);
    Index& of_point = value_of_point[static_cast<std::size_t>(polygons.corners[c])];
    if (of_point == kNone) of_point = value_of[vertex];
    is_per_point = is_per_point && of_point == value_of[vertex];
  }
  if (!is_per_point) return attribute;
  Attribute<Value> on_points;
  on_points.values.resize(point_count);
  for (std::size_t v = 0; v < point_count; ++v) {
    if (value_of_point[v] != kNone)
      on_points.values[v] = attribute.values[static_cast<std::size_t>(value_of_point[v])];
  }
  return on_points;
}

}  // namespace dermis
