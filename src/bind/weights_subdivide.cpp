// SPDX-License-Identifier: MIT
// Subdivides a mesh with all its data: Loop on triangles, Catmull-Clark on polygons, or flat.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "bind/places.h"
#include "bind/weights_rows.h"

namespace dermis {
namespace {

constexpr int kMostLevels = 4;

// A new point as a weighted mean of old ones; the shares sum to one.
struct Share {
  Index point = 0;
  double weight = 0;
};
using Stencil = std::vector<Share>;

// The origin of a new corner: a corner of the old polygon, the middle of the edge that starts there, or the
// middle of the polygon.
enum class Place : std::uint8_t { corner, edge, middle };
struct NewCorner {
  Place place = Place::corner;
  std::uint32_t corner = 0;  // counted over all polygons; for a middle, the first of its polygon
};

// ---- The welded surface -------------------------------------------------------------------------------

// Edges and polygons around each welded point.
class Surface {
 public:
  struct Edge {
    Index low = 0, high = 0;             // welded
    std::vector<std::uint32_t> corners;  // where polygons start along it
  };

  explicit Surface(const Mesh& mesh) : mesh_(mesh) {
    const Polygons& polygons = mesh.polygons;
    polygon_of_.resize(polygons.corners.size());
    edge_of_.assign(polygons.corners.size(), kNone);
    edges_at_.resize(mesh.points.size());
    corners_at_.resize(mesh.points.size());
    std::unordered_map<std::uint64_t, Index> known;
    for (std::uint32_t p = 0; p < polygons.count(); ++p) {
      for (std::uint32_t c = polygons.first[p]; c < polygons.first[p + 1]; ++c) {
        polygon_of_[c] = p;
        corners_at_[at(welded(c))].push_back(c);
        add_edge(c, known);
      }
    }
    are_triangles_ = polygons.corners.size() == 3 * polygons.count();
    for (std::uint32_t p = 0; p < polygons.count() && are_triangles_; ++p)
      are_triangles_ = polygons.polygon(p).size() == 3;
  }

  bool are_triangles() const { return are_triangles_; }
  Index welded(std::uint32_t corner) const { return mesh_.weld[at(mesh_.polygons.corners[corner])]; }
  std::uint32_t next(std::uint32_t corner) const {
    const std::uint32_t p = polygon_of_[corner];
    return corner + 1 < mesh_.polygons.first[p + 1] ? corner + 1 : mesh_.polygons.first[p];
  }
  std::uint32_t polygon(std::uint32_t corner) const { return polygon_of_[corner]; }
  // Null if both ends coincide.
  const Edge* edge(std::uint32_t corner) const {
    return edge_of_[corner] == kNone ? nullptr : &edges_[at(edge_of_[corner])];
  }
  const Edge& edge_number(Index e) const { return edges_[at(e)]; }
  std::span<const Index> edges_at(Index point) const { return edges_at_[at(point)]; }
  std::span<const std::uint32_t> corners_at(Index point) const { return corners_at_[at(point)]; }
  static bool is_crease(const Edge& edge) { return edge.corners.size() != 2; }

 private:
  void add_edge(std::uint32_t corner, std::unordered_map<std::uint64_t, Index>& known) {
    const Index a = welded(corner), b = welded(next(corner));
    if (a == b) return;
    const Index low = std::min(a, b), high = std::max(a, b);
    const std::uint64_t key =
        static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(high));
    const auto [found, is_new] = known.try_emplace(key, static_cast<Index>(edges_.size()));
    if (is_new) {
      edges_.push_back({low, high, {}});
      edges_at_[at(low)].push_back(found->second);
      edges_at_[at(high)].push_back(found->second);
    }
    edges_[at(found->second)].corners.push_back(corner);
    edge_of_[corner] = found->second;
  }

  const Mesh& mesh_;
  std::vector<std::uint32_t> polygon_of_;
  std::vector<Index> edge_of_;
  std::vector<Edge> edges_;
  std::vector<std::vector<Index>> edges_at_;
  std::vector<std::vector<std::uint32_t>> corners_at_;
  bool are_triangles_ = true;
};

// ---- Where points go ----------------------------------------------------------------------------------

// Stencils on welded points; coincident points have the same stencil in the same order.
class Rule {
 public:
  Rule(const Mesh& mesh, const Surface& surface, bool is_flat)
      : mesh_(mesh), surface_(surface), is_flat_(is_flat) {}

  Stencil middle(std::uint32_t polygon) const {
    const std::uint32_t first = mesh_.polygons.first[polygon], end = mesh_.polygons.first[polygon + 1];
    Stencil stencil;
    stencil.reserve(end - first);
    for (std::uint32_t c = first; c < end; ++c)
      stencil.push_back({surface_.welded(c), 1 / static_cast<double>(end - first)});
    return stencil;
  }

  Stencil edge(std::uint32_t corner) const {
    const Surface::Edge* edge = surface_.edge(corner);
    if (edge == nullptr) return {{surface_.welded(corner), 1}};
    if (is_flat_ || Surface::is_crease(*edge)) return {{edge->low, 0.5}, {edge->high, 0.5}};
    if (surface_.are_triangles()) {
      Stencil stencil{{edge->low, 0.375}, {edge->high, 0.375}};
      for (const std::uint32_t c : edge->corners)
        stencil.push_back({surface_.welded(surface_.next(surface_.next(c))), 0.125});
      return stencil;
    }
    Stencil stencil{{edge->low, 0.25}, {edge->high, 0.25}};
    for (const std::uint32_t c : edge->corners) add(middle(surface_.polygon(c)), 0.25, stencil);
    return stencil;
  }

  Stencil point(Index welded) const {
    const std::span<const Index> edges = surface_.edges_at(welded);
    const std::span<const std::uint32_t> corners = surface_.corners_at(welded);
    Stencil stays{{welded, 1}};
    if (is_flat_ || edges.size() < 2 || corners.size() < 2) return stays;
    Stencil creases;
    for (const Index e : edges) {
      const Surface::Edge& edge = surface_.edge_number(e);
      if (Surface::is_crease(edge)) creases.push_back({other_end(edge, welded), 0.125});
    }
    if (creases.size() == 2) {
      creases.push_back({welded, 0.75});
      return creases;
    }
    if (!creases.empty() || corners.size() != edges.size() || edges.size() < 3) return stays;
    return surface_.are_triangles() ? loop_point(welded, edges) : catmull_clark_point(welded, edges, corners);
  }

 private:
  static Index other_end(const Surface::Edge& edge, Index point) {
    return edge.low == point ? edge.high : edge.low;
  }
  static void add(const Stencil& more, double weight, Stencil& stencil) {
    for (const Share& share : more) stencil.push_back({share.point, share.weight * weight});
  }

  Stencil loop_point(Index welded, std::span<const Index> edges) const {
    const auto n = static_cast<double>(edges.size());
    const double turn = 0.375 + 0.25 * std::cos(2 * kPi / n);
    const double beta = (0.625 - turn * turn) / n;
    Stencil stencil{{welded, 1 - n * beta}};
    for (const Index e : edges) stencil.push_back({other_end(surface_.edge_number(e), welded), beta});
    return stencil;
  }

  Stencil catmull_clark_point(Index welded, std::span<const Index> edges,
                              std::span<const std::uint32_t> corners) const {
    const auto n = static_cast<double>(edges.size());
    Stencil stencil{{welded, (n - 3) / n + 1 / n}};  // itself, and half of each edge's midpoint
    for (const Index e : edges) stencil.push_back({other_end(surface_.edge_number(e), welded), 1 / (n * n)});
    for (const std::uint32_t c : corners) add(middle(surface_.polygon(c)), 1 / (n * n), stencil);
    return stencil;
  }

  const Mesh& mesh_;
  const Surface& surface_;
  bool is_flat_;
};

// ---- One level ----------------------------------------------------------------------------------------

Vec2 mean(std::span<const Vec2> values) {
  double x = 0, y = 0;
  for (const Vec2& v : values) x += static_cast<double>(v.x), y += static_cast<double>(v.y);
  const auto n = static_cast<double>(values.size());
  return {static_cast<float>(x / n), static_cast<float>(y / n)};
}
Vec3 mean_direction(std::span<const Vec3> values) {
  Vec3d sum;
  for (const Vec3& v : values) sum += Vec3d(v);
  const Vec3d unit = normalized(sum);
  return length(unit) > 0 ? Vec3(unit) : values.front();
}
Vec4 mean_tangent(std::span<const Vec4> values) {
  std::vector<Vec3> directions;
  directions.reserve(values.size());
  for (const Vec4& v : values) directions.push_back(v.xyz());
  const Vec3 unit = mean_direction(directions);
  return {unit.x, unit.y, unit.z, values.front().w};
}
Vec4 mean_colour(std::span<const Vec4> values) {
  double sum[4] = {};
  for (const Vec4& v : values) {
    const float parts[] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; ++k) sum[k] += static_cast<double>(parts[k]);
  }
  const auto n = static_cast<double>(values.size());
  return {static_cast<float>(sum[0] / n), static_cast<float>(sum[1] / n), static_cast<float>(sum[2] / n),
          static_cast<float>(sum[3] / n)};
}
Vec3 mean_offset(std::span<const Vec3> values) {
  Vec3d sum;
  for (const Vec3& v : values) sum += Vec3d(v);
  return Vec3(sum * (1 / static_cast<double>(values.size())));
}
float mean_number(std::span<const float> values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v);
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

// Numbers pairs in the order of their first request.
class PairNumbers {
 public:
  Index of(Index a, Index b) {
    const auto low = static_cast<std::uint32_t>(std::min(a, b));
    const auto high = static_cast<std::uint32_t>(std::max(a, b));
    return numbers_.try_emplace(std::uint64_t{low} << 32 | high, static_cast<Index>(numbers_.size()))
        .first->second;
  }

 private:
  std::unordered_map<std::uint64_t, Index> numbers_;
};

class Subdivision {
 public:
  Subdivision(const Mesh& mesh, bool is_flat) : mesh_(mesh), surface_(mesh), rule_(mesh, surface_, is_flat) {}

  Result<Mesh> make() {
    make_polygons();
    if (new_points_.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()) ||
        corners_.size() > std::numeric_limits<std::uint32_t>::max())
      return Error{Errc::too_large,
                   fmt::format("mesh {} would have {} points and {} corners, more than indices can hold",
                               quoted_name(mesh_.name), new_points_.size(), corners_.size())};
    number_points();
    // Each is averaged in its own way. A field added to Mesh does not compile until it is handled here.
    const auto& [name, points, polygons, parts, normals, tangents, uvs, colours, shapes, weights, dqs_share,
                 weld] = mesh_;
    Mesh out;
    out.name = name;
    make_parts(out);
    make_points(out);
    carry(normals, mean_direction, out.normals);
    carry(tangents, mean_tangent, out.tangents);
    out.uvs.resize(uvs.size());
    for (std::size_t k = 0; k < uvs.size(); ++k) carry(uvs[k], mean, out.uvs[k]);
    out.colours.resize(colours.size());
    for (std::size_t k = 0; k < colours.size(); ++k) carry(colours[k], mean_colour, out.colours[k]);
    if (!dqs_share.empty()) out.dqs_share = at_points<float>(dqs_share, mean_number);
    out.shapes.reserve(shapes.size());
    for (const Shape& shape : shapes) out.shapes.push_back(carried_shape(shape));
    out.weld = weld_coincident(out.points);
    return out;
  }

 private:
  // A point of the result: an old one, or the middle of points.
  struct NewPoint {
    NewCorner made_of;
    std::vector<Index> between;  // old points; a single one for an old point
    Index part = 0;
  };

  Index point_of(std::uint32_t corner) const { return mesh_.polygons.corners[corner]; }

  void make_polygons() {
    new_points_.reserve(mesh_.points.size() * 4);
    std::vector<Index> part_of(mesh_.points.size(), 0);
    for (std::size_t k = 0; k < mesh_.parts.size(); ++k) {
      const auto begin = part_of.begin() + mesh_.parts[k].first_point;
      std::fill(begin, begin + mesh_.parts[k].point_count, static_cast<Index>(k));
    }
    for (std::size_t v = 0; v < mesh_.points.size(); ++v)
      new_points_.push_back({{}, {static_cast<Index>(v)}, part_of[v]});
    PairNumbers edges;
    std::vector<Index> point_of_edge;
    const auto edge_point = [&](std::uint32_t c) {
      const Index a = point_of(c), b = point_of(surface_.next(c));
      const Index number = edges.of(a, b);
      if (at(number) == point_of_edge.size()) {
        point_of_edge.push_back(static_cast<Index>(new_points_.size()));
        new_points_.push_back(
            {{Place::edge, c}, {std::min(a, b), std::max(a, b)}, part_of[at(std::min(a, b))]});
      }
      return point_of_edge[at(number)];
    };
    const auto add = [&](NewCorner corner, Index point) {
      corners_.push_back(corner);
      points_of_corners_.push_back(point);
    };
    const Polygons& polygons = mesh_.polygons;
    for (std::uint32_t p = 0; p < polygons.count(); ++p) {
      const std::uint32_t begin = polygons.first[p], end = polygons.first[p + 1];
      if (surface_.are_triangles()) {
        const std::uint32_t c[] = {begin, begin + 1, begin + 2};
        const Index middles[] = {edge_point(c[0]), edge_point(c[1]), edge_point(c[2])};
        for (std::size_t k = 0; k < 3; ++k) {
          add({Place::corner, c[k]}, point_of(c[k]));
          add({Place::edge, c[k]}, middles[k]);
          add({Place::edge, c[(k + 2) % 3]}, middles[(k + 2) % 3]);
          close_polygon();
        }
        for (std::size_t k = 0; k < 3; ++k) add({Place::edge, c[k]}, middles[k]);
        close_polygon();
        continue;
      }
      const auto middle = static_cast<Index>(new_points_.size());
      const std::span<const Index> polygon = polygons.polygon(p);
      new_points_.push_back(
          {{Place::middle, begin}, {polygon.begin(), polygon.end()}, part_of[at(polygon.front())]});
      for (std::uint32_t c = begin; c < end; ++c) {
        const std::uint32_t before = c == begin ? end - 1 : c - 1;
        add({Place::corner, c}, point_of(c));
        add({Place::edge, c}, edge_point(c));
        add({Place::middle, begin}, middle);
        add({Place::edge, before}, edge_point(before));
        close_polygon();
      }
    }
  }
  void close_polygon() { first_.push_back(static_cast<std::uint32_t>(corners_.size())); }

  // Points by part; old points first within a part.
  void number_points() {
    order_.resize(new_points_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return new_points_[a].part < new_points_[b].part; });
    number_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) number_[order_[k]] = static_cast<Index>(k);
  }

  void make_parts(Mesh& out) const {
    out.polygons.first = first_;
    out.polygons.corners.reserve(corners_.size());
    for (const Index point : points_of_corners_) out.polygons.corners.push_back(number_[at(point)]);
    out.parts = mesh_.parts;
    std::vector<Index> counts(mesh_.parts.size(), 0);
    for (const NewPoint& point : new_points_) ++counts[at(point.part)];
    Index next_point = 0, next_polygon = 0;
    for (std::size_t k = 0; k < out.parts.size(); ++k) {
      MeshPart& part = out.parts[k];
      const std::uint32_t begin = mesh_.polygons.first[at(part.first_polygon)];
      const std::uint32_t end = mesh_.polygons.first[at(part.first_polygon + part.polygon_count)];
      part.first_point = next_point;
      part.point_count = counts[k];
      part.first_polygon = next_polygon;
      part.polygon_count =
          surface_.are_triangles() ? 4 * part.polygon_count : static_cast<Index>(end - begin);
      next_point += part.point_count;
      next_polygon += part.polygon_count;
    }
  }

  // The stencil of a point. If a welded point in it is one of the points it lies between, that point is used,
  // because its row may differ from those of coincident points.
  Stencil stencil_of(std::size_t number) const {
    const NewPoint& point = new_points_[number];
    Stencil stencil = point.made_of.place == Place::middle
                          ? rule_.middle(surface_.polygon(point.made_of.corner))
                      : point.made_of.place == Place::edge ? rule_.edge(point.made_of.corner)
                                                           : rule_.point(mesh_.weld[at(point.between[0])]);
    for (Share& share : stencil) {
      for (const Index own : point.between) {
        if (mesh_.weld[at(own)] == share.point) {
          share.point = own;
          break;
        }
      }
    }
    return stencil;
  }

  void make_points(Mesh& out) {
    const std::size_t count = new_points_.size();
    out.points.resize(count);
    std::vector<std::vector<Influence>> rows(mesh_.weights.empty() ? 0 : count);
    stencils_.resize(count);
    constexpr std::size_t kLevelGrain = 1024;
    parallel_for(count, kLevelGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<SlotWeight> weights;
      for (std::size_t k = begin; k < end; ++k) {
        stencils_[k] = stencil_of(order_[k]);
        const Stencil& stencil = stencils_[k];
        const bool stays = stencil.size() == 1;
        Vec3d sum;
        for (const Share& share : stencil) sum += Vec3d(mesh_.points[at(share.point)]) * share.weight;
        out.points[k] = stays ? mesh_.points[at(stencil[0].point)] : Vec3(sum);
        if (rows.empty()) continue;
        const std::span<const Influence> own = mesh_.weights.row(at(stencil[0].point));
        weights.clear();
        for (const Share& share : stencil) {
          for (const Influence& one : mesh_.weights.row(at(share.point)))
            weights.push_back({one.slot, share.weight * static_cast<double>(one.weight)});
        }
        merge_slots(weights);
        rows[k] = stays ? std::vector<Influence>(own.begin(), own.end()) : settled_row({}, weights, {});
      }
    });
    if (!rows.empty()) out.weights = joined_rows(rows);
  }

  // Old points keep their values; new points get means.
  template <class Value, class Mean>
  std::vector<Value> at_points(std::span<const Value> values, const Mean& mean_of) const {
    std::vector<Value> carried;
    carried.reserve(order_.size());
    std::vector<Value> between;
    for (const std::size_t k : order_) {
      between.clear();
      for (const Index v : new_points_[k].between) between.push_back(values[at(v)]);
      carried.push_back(between.size() == 1 ? between[0] : mean_of(between));
    }
    return carried;
  }

  template <class Value, class Mean>
  void carry(const Attribute<Value>& from, const Mean& mean_of, Attribute<Value>& to) const {
    if (from.empty()) return;
    if (from.is_per_point()) {
      to.values = at_points<Value>(from.values, mean_of);
      return;
    }
    // Values are shared along an edge if both polygons have the same at its ends.
    to.values = from.values;
    to.corner_value.reserve(corners_.size());
    PairNumbers edges;
    std::vector<Index> value_of_edge;
    std::unordered_map<std::uint32_t, Index> value_of_middle;
    for (const NewCorner& corner : corners_) {
      const Index a = from.corner_value[corner.corner];
      const auto next = static_cast<Index>(to.values.size());
      if (corner.place == Place::corner) {
        to.corner_value.push_back(a);
      } else if (corner.place == Place::edge) {
        const Index b = from.corner_value[surface_.next(corner.corner)];
        const Index number = edges.of(a, b);
        if (at(number) == value_of_edge.size()) {
          value_of_edge.push_back(next);
          const Value ends[] = {from.values[at(std::min(a, b))], from.values[at(std::max(a, b))]};
          to.values.push_back(mean_of(std::span<const Value>(ends)));
        }
        to.corner_value.push_back(value_of_edge[at(number)]);
      } else {
        const auto [found, is_new] = value_of_middle.try_emplace(corner.corner, next);
        if (is_new) {
          std::vector<Value> around;
          const std::uint32_t p = surface_.polygon(corner.corner);
          for (std::uint32_t c = mesh_.polygons.first[p]; c < mesh_.polygons.first[p + 1]; ++c)
            around.push_back(from.values[at(from.corner_value[c])]);
          to.values.push_back(mean_of(around));
        }
        to.corner_value.push_back(found->second);
      }
    }
  }

  Shape carried_shape(const Shape& shape) const {
    const auto spread_out = [&](const std::vector<Vec3>& values) {
      std::vector<Vec3> dense(values.empty() ? 0 : mesh_.points.size());
      for (std::size_t k = 0; k < values.size(); ++k) dense[at(shape.points[k])] = values[k];
      return dense;
    };
    const std::vector<Vec3> offsets = spread_out(shape.offsets);
    const std::vector<Vec3> normals = spread_out(shape.normals), tangents = spread_out(shape.tangents);
    std::vector<Vec3> all_normals, all_tangents;
    if (!normals.empty()) all_normals = at_points<Vec3>(normals, mean_offset);
    if (!tangents.empty()) all_tangents = at_points<Vec3>(tangents, mean_offset);
    Shape carried;
    carried.name = shape.name;
    for (std::size_t k = 0; k < stencils_.size() && !offsets.empty(); ++k) {
      Vec3d sum;
      for (const Share& share : stencils_[k]) sum += Vec3d(offsets[at(share.point)]) * share.weight;
      const Vec3 offset(sum);
      const bool is_moved = offset != Vec3{} || (!normals.empty() && all_normals[k] != Vec3{}) ||
                            (!tangents.empty() && all_tangents[k] != Vec3{});
      if (!is_moved) continue;
      carried.points.push_back(static_cast<Index>(k));
      carried.offsets.push_back(offset);
      if (!normals.empty()) carried.normals.push_back(all_normals[k]);
      if (!tangents.empty()) carried.tangents.push_back(all_tangents[k]);
    }
    return carried;
  }

  const Mesh& mesh_;
  Surface surface_;
  Rule rule_;
  std::vector<NewPoint> new_points_;  // old points, then new ones in the order in which polygons need them
  std::vector<std::size_t> order_;    // indices into new_points_ in the order of the result
  std::vector<Index> number_;         // the inverse of order_
  std::vector<std::uint32_t> first_{0};
  std::vector<NewCorner> corners_;
  std::vector<Index> points_of_corners_;  // in new_points_
  std::vector<Stencil> stencils_;         // of the points of the result
};

}  // namespace

Result<Mesh> subdivided_mesh(const Mesh& mesh, const SubdivideOptions& options) {
  return without_throwing("subdividing a mesh", [&]() -> Result<Mesh> {
    if (options.levels < 1 || options.levels > kMostLevels)
      return Error{Errc::bad_argument,
                   fmt::format("{} levels are not possible; use 1 to {}", options.levels, kMostLevels)};
    if (mesh.polygons.count() == 0)
      return Error{Errc::bad_argument,
                   fmt::format("mesh {} has no polygons to subdivide", quoted_name(mesh.name))};
    Result<Mesh> now = Subdivision(mesh, options.is_flat).make();
    for (int level = 1; now && level < options.levels; ++level) {
      Result<Mesh> next = Subdivision(*now, options.is_flat).make();
      now = std::move(next);
    }
    return now;
  });
}

}  // namespace dermis
