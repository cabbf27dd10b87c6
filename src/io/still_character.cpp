// SPDX-License-Identifier: MIT
// Turns a still mesh into a valid character of one node and notes the repairs.
#include "io/still_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/figure.h"
#include "io/file.h"

namespace dermis {
namespace {

// Files round normals to a few decimals; beyond this they were not meant to be unit.
constexpr float kUnitTolerance = 1e-3f;

// `sorted` is scratch.
bool names_a_point_twice(std::span<const Index> points, std::vector<Index>& sorted) {
  constexpr std::size_t kFew = 8;  // comparing all pairs of this few costs less than sorting them
  if (points.size() > kFew) {
    sorted.assign(points.begin(), points.end());
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (points[i] == points[j]) return true;
    }
  }
  return false;
}

bool mend_value(Vec2& value) {
  if (std::isfinite(value.x) && std::isfinite(value.y)) return false;
  value = {};
  return true;
}
bool mend_value(Vec4& value) {
  if (is_finite(value.xyz()) && std::isfinite(value.w)) return false;
  value = {};
  return true;
}

void note_metres(std::span<const Vec3> points, Notes& notes) {
  Box box;
  for (const Vec3& point : points) box.add(Vec3d(point));
  const double longest =
      std::max({box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z});
  const std::string likely = likely_unit(longest);
  notes.push_back(
      Note{Note::Kind::guess, "unit-guessed",
           fmt::format(
               "the file does not state its unit; metres are assumed, which makes its longest side {:.3g} m",
               longest)}
          .with_remedy("unit", likely == "m" ? "" : likely));
}

}  // namespace

void PolygonBuilder::reserve(std::size_t polygon_count, std::size_t corner_count) {
  polygons_.first.reserve(polygon_count + 1);
  polygons_.corners.reserve(corner_count);
}

bool PolygonBuilder::add(std::span<const Index> points) {
  if (points.size() < 3) return ++short_, false;
  if (names_a_point_twice(points, sorted_)) ++repeated_;
  polygons_.corners.insert(polygons_.corners.end(), points.begin(), points.end());
  polygons_.first.push_back(static_cast<std::uint32_t>(polygons_.corners.size()));
  return true;
}

void PolygonBuilder::append(const PolygonBuilder& more) {
  const auto base = static_cast<std::uint32_t>(polygons_.corners.size());
  for (std::size_t p = 1; p < more.polygons_.first.size(); ++p)
    polygons_.first.push_back(base + more.polygons_.first[p]);
  polygons_.corners.insert(polygons_.corners.end(), more.polygons_.corners.begin(),
                           more.polygons_.corners.end());
  short_ += more.short_;
  repeated_ += more.repeated_;
}

void PolygonBuilder::note_faults(Notes& notes) const {
  if (short_ > 0) {
    notes.push_back(
        {Note::Kind::repair, "polygons-dropped",
         fmt::format("{} with fewer than three corners left out",
                     short_ == 1 ? std::string("1 polygon was") : fmt::format("{} polygons were", short_))});
  }
  if (repeated_ > 0) {
    notes.push_back({Note::Kind::info, "polygons-repeat-points",
                     fmt::format("{} the same point at several corners; kept as they are",
                                 repeated_ == 1 ? std::string("1 polygon has")
                                                : fmt::format("{} polygons have", repeated_))});
  }
}

void mend_attributes(Mesh& mesh, Notes& notes) {
  std::size_t stretched = 0, broken = 0;
  for (Vec3& normal : mesh.normals.values) {
    const float size = length(normal);
    if (!std::isfinite(size)) {
      normal = {};
      ++broken;
    } else if (size > 0 && std::abs(size - 1) > kUnitTolerance) {
      normal = normalized(normal);
      ++stretched;
    }
  }
  for (Attribute<Vec2>& set : mesh.uvs) {
    for (Vec2& value : set.values) broken += mend_value(value) ? 1 : 0;
  }
  for (Attribute<Vec4>& set : mesh.colours) {
    for (Vec4& value : set.values) broken += mend_value(value) ? 1 : 0;
  }
  if (stretched > 0) {
    notes.push_back({Note::Kind::repair, "normals-not-unit",
                     fmt::format("{} of {} normals were not of unit length; normalised", stretched,
                                 mesh.normals.values.size())});
  }
  if (broken > 0) {
    notes.push_back(
        {Note::Kind::repair, "attribute-not-finite",
         fmt::format("{} not finite; set to zero", counted(broken, "normal, texture coordinate or colour was",
                                                           "normals, texture coordinates or colours were"))});
  }
}

void stand_up(std::span<Vec3> vectors) {
  for (Vec3& v : vectors) v = {v.x, v.z, -v.y};
}

Result<Asset> still_asset(Asset asset, Mesh mesh, const std::string& path, const LoadOptions& options) {
  if (mesh.points.empty()) return Error{Errc::bad_file, fmt::format("{}: has no points", path)};
  if (options.up == UpAxis::z) {
    stand_up(mesh.points);
    stand_up(mesh.normals.values);
    asset.notes.push_back({Note::Kind::info, "turned-up", "rotated from +Z up to +Y up, as requested"});
    asset.reading.is_turned = true;
  }
  mesh.weld = weld_coincident(mesh.points);
  if (mesh.parts.empty()) {
    mesh.parts.push_back({.first_point = 0,
                          .point_count = static_cast<Index>(mesh.points.size()),
                          .first_polygon = 0,
                          .polygon_count = static_cast<Index>(mesh.polygons.count())});
  }
  Character& character = asset.character;
  character.name = stem_of(path);
  character.is_unit_guessed = true;
  if (options.metres_per_unit <= 0) note_metres(mesh.points, asset.notes);
  if (mesh.name.empty()) mesh.name = character.name;
  character.nodes.emplace_back().name = mesh.name;
  Instance& instance = character.instances.emplace_back();
  instance.node = instance.mesh = 0;
  character.meshes.push_back(std::move(mesh));
  if (Status valid = validate(character); !valid) return prefixed(path, valid.error());
  return asset;
}

}  // namespace dermis
