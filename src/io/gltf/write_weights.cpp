// SPDX-License-Identifier: MIT
// Weight rows as JOINTS_n and WEIGHTS_n: largest first, quantised sums exact, one non-zero weight per joint.
#include <fmt/format.h>

#include <algorithm>

#include "io/gltf/builder.h"

namespace dermis {
namespace {

std::size_t longest_row(const WeightRows& rows) {
  std::size_t longest = 0;
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) longest = std::max(longest, rows.row(v).size());
  return longest;
}

// The weight rows of a part's points.
WeightRows slice(const WeightRows& rows, const MeshPart& part) {
  const auto first = static_cast<std::size_t>(part.first_point);
  const auto count = static_cast<std::size_t>(part.point_count);
  WeightRows own;
  own.first.reserve(count + 1);
  const std::uint32_t base = rows.first[first];
  for (std::size_t v = first; v <= first + count; ++v) own.first.push_back(rows.first[v] - base);
  own.influences.assign(rows.influences.begin() + base, rows.influences.begin() + rows.first[first + count]);
  return own;
}

std::uint32_t scale_of(WeightFormat format) { return format == WeightFormat::unorm8 ? 255 : 65535; }

// Columns [set * 4, set * 4 + 4) of a table with `width` columns.
template <class Number>
std::vector<Number> columns_of_set(std::span<const Number> table, std::size_t width, std::size_t set) {
  std::vector<Number> columns;
  columns.reserve(table.size() / width * 4);
  for (std::size_t at = set * 4; at < table.size(); at += width) {
    columns.insert(columns.end(), table.begin() + static_cast<std::ptrdiff_t>(at),
                   table.begin() + static_cast<std::ptrdiff_t>(at + 4));
  }
  return columns;
}

// Widens a table of `kept` columns to `width`; new columns are zero.
template <class Number>
std::vector<Number> widened(std::span<const Number> table, std::size_t kept, std::size_t width) {
  std::vector<Number> wide(table.size() / kept * width, Number{});
  for (std::size_t v = 0; v * kept < table.size(); ++v) {
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(v * kept), kept,
                wide.begin() + static_cast<std::ptrdiff_t>(v * width));
  }
  return wide;
}

// Slots and float weights of the `kept` heaviest influences, renormalised if some were cut. Floats keep
// weights that quantisation would round to zero.
void float_tables(const WeightRows& rows, std::size_t kept, std::vector<std::uint16_t>& slots,
                  std::vector<float>& weights) {
  const std::size_t count = rows.first.size() - 1;
  slots.assign(count * kept, 0);
  weights.assign(count * kept, 0.0f);
  for (std::size_t v = 0; v < count; ++v) {
    const std::span<const Influence> row = rows.row(v);
    const std::span<const Influence> heaviest = row.first(std::min(row.size(), kept));
    double sum = heaviest.size() == row.size() ? 1.0 : 0.0;
    if (heaviest.size() < row.size()) {
      for (const Influence& influence : heaviest) sum += static_cast<double>(influence.weight);
    }
    for (std::size_t k = 0; k < heaviest.size(); ++k) {
      slots[v * kept + k] = static_cast<std::uint16_t>(heaviest[k].slot);
      weights[v * kept + k] = static_cast<float>(static_cast<double>(heaviest[k].weight) / sum);
    }
  }
}

}  // namespace

void erase_weight_sets(Json& attributes) {
  std::vector<std::string> names;
  for (const auto& [name, accessor] : attributes.items()) {
    if (name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_")) names.push_back(name);
  }
  for (const std::string& name : names) attributes.erase(name);
}

void write_weight_sets(GltfBuilder& builder, Json& attributes, const WeightRows& rows, const MeshPart& part,
                       const WeightLayout& layout, Notes& notes) {
  erase_weight_sets(attributes);
  if (part.point_count == 0) return;
  const WeightRows own = slice(rows, part);
  const std::size_t longest = longest_row(own);
  const std::size_t kept = layout.max_influences > 0
                               ? std::min(longest, static_cast<std::size_t>(layout.max_influences))
                               : longest;
  const std::size_t set_count = (kept + 3) / 4, width = set_count * 4;
  const WeightFormat format = layout.format;
  PackedWeights packed = pack_weights(own, static_cast<int>(kept), scale_of(format));
  if (packed.cut_rows > 0) {
    notes.push_back({Note::Kind::loss, "influences-cut",
                     fmt::format("{} had more than {} influences; the largest were kept (at most {:.3g} of a "
                                 "point's weight was cut)",
                                 counted(packed.cut_rows, "point", "points"), kept, packed.max_cut)});
  }
  std::vector<float> floats;
  if (format == WeightFormat::float32) {
    float_tables(own, kept, packed.slots, floats);
    floats = widened<float>(floats, kept, width);
  }
  const auto slots = widened<std::uint16_t>(packed.slots, kept, width);
  const auto weights = widened<std::uint16_t>(packed.weights, kept, width);
  const bool has_small_slots =
      std::all_of(slots.begin(), slots.end(), [](std::uint16_t s) { return s < 256; });
  for (std::size_t set = 0; set < set_count; ++set) {
    attributes[fmt::format("JOINTS_{}", set)] =
        builder.add_quads(columns_of_set<std::uint16_t>(slots, width, set), has_small_slots, false);
    attributes[fmt::format("WEIGHTS_{}", set)] =
        format == WeightFormat::float32
            ? builder.add_floats(columns_of_set<float>(floats, width, set), 4, GltfTarget::vertices)
            : builder.add_quads(columns_of_set<std::uint16_t>(weights, width, set),
                                format == WeightFormat::unorm8, true);
  }
}

Status check_slots(const Mesh& mesh) {
  constexpr Index kHighestSlot = 65535;
  for (const Influence& influence : mesh.weights.influences) {
    if (influence.slot <= kHighestSlot) continue;
    return Error{Errc::unsupported,
                 fmt::format("mesh {} follows joint {} of its skin; glTF allows at most {}",
                             quoted_name(mesh.name), influence.slot, kHighestSlot)};
  }
  return Done{};
}

bool holds_weights(WeightFormat format, const WeightRows& rows, const MeshPart& part) {
  if (format == WeightFormat::float32) return true;
  const WeightRows own = slice(rows, part);
  const std::size_t longest = longest_row(own);
  const PackedWeights packed = pack_weights(own, static_cast<int>(longest), scale_of(format));
  // As a reader would read it.
  WeightRowBuilder builder;
  builder.reserve(own.first.size(), own.influences.size());
  for (std::size_t v = 0; v + 1 < own.first.size(); ++v) {
    for (std::size_t k = v * longest; k < (v + 1) * longest; ++k) {
      if (packed.weights[k] != 0)
        builder.add(packed.slots[k],
                    static_cast<float>(packed.weights[k]) / static_cast<float>(packed.scale));
    }
    builder.close_row(0);
  }
  return builder.take() == own;
}

}  // namespace dermis
