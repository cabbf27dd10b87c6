// SPDX-License-Identifier: MIT
// Splits points where corners or materials disagree, as GPUs and glTF require.
#include <algorithm>
#include <array>
#include <bit>

#include "dermis/model.h"

namespace dermis {
namespace {

bool is_per_point(const Mesh& mesh) {
  bool is_all = true;
  for_each_attribute(mesh, [&](const auto& attribute) { is_all = is_all && attribute.is_per_point(); });
  return is_all;
}

bool has_closed_parts(const Mesh& mesh) {
  for (const MeshPart& part : mesh.parts) {
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
      for (const Index v : mesh.polygons.polygon(static_cast<std::size_t>(p))) {
        if (v < part.first_point || v >= part.first_point + part.point_count) return false;
      }
    }
  }
  return true;
}

// The polygons of one material, in order.
struct MaterialGroup {
  Index material = kNone;
  std::vector<std::size_t> polygons;
};

std::vector<MaterialGroup> group_by_material(const Mesh& mesh) {
  std::vector<MaterialGroup> groups;
  std::vector<std::size_t> group_of;  // by material + 1
  for (const MeshPart& part : mesh.parts) {
    if (part.polygon_count == 0) continue;
    const std::size_t material = static_cast<std::size_t>(part.material) + 1;  // kNone wraps to 0
    if (group_of.size() <= material) group_of.resize(material + 1, SIZE_MAX);
    if (group_of[material] == SIZE_MAX) {
      group_of[material] = groups.size();
      groups.push_back({part.material, {}});
    }
    std::vector<std::size_t>& polygons = groups[group_of[material]].polygons;
    for (Index p = 0; p < part.polygon_count; ++p)
      polygons.push_back(static_cast<std::size_t>(part.first_polygon + p));
  }
  if (groups.empty()) groups.push_back({mesh.parts.empty() ? kNone : mesh.parts[0].material, {}});
  return groups;
}

// The value indices of all per-corner attributes at a corner, in one list.
class CornerKeys {
 public:
  explicit CornerKeys(const Mesh& mesh) {
    for_each_attribute(mesh, [&](const auto& attribute) {
      if (!attribute.is_per_point()) lists_.push_back(&attribute.corner_value);
    });
  }
  std::uint64_t hash(std::size_t corner, Index point) const {
    std::uint64_t sum = mixed(static_cast<std::uint64_t>(point));
    for (const auto* list : lists_) sum = mixed(sum ^ static_cast<std::uint64_t>((*list)[corner]));
    return sum;
  }
  bool same(std::size_t a, std::size_t b) const {
    return std::all_of(lists_.begin(), lists_.end(),
                       [&](const auto* list) { return (*list)[a] == (*list)[b]; });
  }

 private:
  // The finisher of splitmix64 (Steele, Lea and Flood 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  std::vector<const std::vector<Index>*> lists_;
};

// One point of the split mesh before it is numbered: a corner with its values.
struct Variant {
  std::size_t corner = 0;
  Index next = kNone;    // of the same point
  Index number = kNone;  // in the split mesh
};

class Splitter {
 public:
  explicit Splitter(const Mesh& mesh)
      : mesh_(mesh), keys_(mesh), head_(mesh.points.size(), kNone), tail_(mesh.points.size(), kNone) {}

  SplitMesh split() {
    std::vector<bool> is_used(mesh_.points.size(), false);
    for (const Index v : mesh_.polygons.corners) is_used[static_cast<std::size_t>(v)] = true;
    bool is_first = true;
    for (const MaterialGroup& group : group_by_material(mesh_)) {
      add_group(group, is_first ? &is_used : nullptr);
      is_first = false;
    }
    Mesh taken = take_points(mesh_, out_.source);
    taken.polygons = std::move(out_.mesh.polygons);
    taken.parts = std::move(out_.mesh.parts);
    for_each_attribute(taken, [&](auto& attribute) { put_on_points(attribute); });
    // An unused point has no direction; its handedness must still be a sign.
    for (Vec4& tangent : taken.tangents.values) tangent.w = tangent.w < 0 ? -1.0f : 1.0f;
    out_.mesh = std::move(taken);
    return std::move(out_);
  }

 private:
  // `is_used` marks the points that polygons use; if given, the others are added too.
  void add_group(const MaterialGroup& group, const std::vector<bool>* is_used) {
    variants_.clear();
    touched_.clear();
    std::size_t corner_count = 0;
    for (const std::size_t p : group.polygons) corner_count += mesh_.polygons.polygon(p).size();
    table_.assign(std::bit_ceil(2 * corner_count + 1), kNone);
    std::vector<Index> corner_variant;
    corner_variant.reserve(corner_count);
    for (const std::size_t p : group.polygons) {
      for (std::size_t c = mesh_.polygons.first[p]; c < mesh_.polygons.first[p + 1]; ++c)
        corner_variant.push_back(variant_at(c));
    }
    Mesh& out = out_.mesh;
    MeshPart part;
    part.first_point = static_cast<Index>(out_.source.size());
    part.first_polygon = static_cast<Index>(out.polygons.count());
    part.material = group.material;
    if (is_used != nullptr) {
      for (std::size_t v = 0; v < is_used->size(); ++v) {
        if (!(*is_used)[v]) touched_.push_back(static_cast<Index>(v));
      }
    }
    std::sort(touched_.begin(), touched_.end());
    for (const Index v : touched_) number_variants(static_cast<std::size_t>(v));
    std::size_t at = 0;
    for (const std::size_t p : group.polygons) {
      for (std::size_t c = mesh_.polygons.first[p]; c < mesh_.polygons.first[p + 1]; ++c)
        out.polygons.corners.push_back(variants_[static_cast<std::size_t>(corner_variant[at++])].number);
      out.polygons.first.push_back(static_cast<std::uint32_t>(out.polygons.corners.size()));
    }
    part.point_count = static_cast<Index>(out_.source.size()) - part.first_point;
    part.polygon_count = static_cast<Index>(group.polygons.size());
    out.parts.push_back(std::move(part));
  }

  // Numbers the variants of a point and clears them for the next group.
  void number_variants(std::size_t v) {
    if (head_[v] == kNone) add_point(v, kLoose);
    for (Index k = head_[v]; k != kNone; k = variants_[static_cast<std::size_t>(k)].next) {
      Variant& variant = variants_[static_cast<std::size_t>(k)];
      variant.number = static_cast<Index>(out_.source.size());
      add_point(v, variant.corner);
    }
    head_[v] = tail_[v] = kNone;
  }

  // The variant of a corner's point with the corner's values, appended to the point's list if new. A fan may
  // give one point thousands of them, so they are found by hash.
  Index variant_at(std::size_t corner) {
    const Index point = mesh_.polygons.corners[corner];
    const auto v = static_cast<std::size_t>(point);
    std::size_t slot = keys_.hash(corner, point) & (table_.size() - 1);
    for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
      const Variant& variant = variants_[static_cast<std::size_t>(table_[slot])];
      if (mesh_.polygons.corners[variant.corner] == point && keys_.same(variant.corner, corner))
        return table_[slot];
    }
    const auto made = static_cast<Index>(variants_.size());
    table_[slot] = made;
    if (head_[v] == kNone) {
      head_[v] = made;
      touched_.push_back(point);
    } else {
      variants_[static_cast<std::size_t>(tail_[v])].next = made;
    }
    tail_[v] = made;
    variants_.push_back({corner, kNone, kNone});
    return made;
  }

  void add_point(std::size_t point, std::size_t corner) {
    out_.source.push_back(static_cast<Index>(point));
    corner_.push_back(corner);
  }

  // Gives each point the value of its corner.
  template <class Value>
  void put_on_points(Attribute<Value>& attribute) const {
    if (attribute.is_per_point()) return;
    std::vector<Value> values(corner_.size());
    for (std::size_t v = 0; v < corner_.size(); ++v) {
      if (corner_[v] != kLoose)
        values[v] = attribute.values[static_cast<std::size_t>(attribute.corner_value[corner_[v]])];
    }
    attribute = {std::move(values), {}};
  }

  static constexpr std::size_t kLoose = SIZE_MAX;
  const Mesh& mesh_;
  CornerKeys keys_;
  SplitMesh out_;
  std::vector<std::size_t> corner_;  // whose values each point has; kLoose: none
  // Of the current group.
  std::vector<Variant> variants_;
  std::vector<Index> head_, tail_;  // of each point's list
  std::vector<Index> touched_;      // points that have a list, or are unused
  std::vector<Index> table_;        // variants by hash, open addressing, at most half full
};

}  // namespace

bool is_split(const Mesh& mesh) { return is_per_point(mesh) && has_closed_parts(mesh); }

SplitMesh split_corners(const Mesh& mesh) {
  if (!is_split(mesh)) return Splitter(mesh).split();
  SplitMesh same{mesh, {}};
  same.source.resize(mesh.points.size());
  for (std::size_t v = 0; v < same.source.size(); ++v) same.source[v] = static_cast<Index>(v);
  for (MeshPart& part : same.mesh.parts) {
    part.object.clear();
    part.groups.clear();
    part.smoothing.clear();
  }
  return same;
}

}  // namespace dermis
