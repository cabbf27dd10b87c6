// SPDX-License-Identifier: MIT
// Mends findings of the check: weights at seams, too many influences, names, polygons, winding.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "measure/check.h"

namespace dermis {
namespace {

void say(Notes& notes, const char* id, const char* thing, Index index, const std::string& name,
         std::size_t count, const std::string& words) {
  const std::string place = fmt::format("{} {}{}{}: ", thing, index, name.empty() ? "" : " ",
                                        name.empty() ? "" : quoted_name(name));
  notes.push_back({Note::Kind::repair, id, place + words, thing, index, -1, count});
}

// ---- Weights ------------------------------------------------------------------------------------------

// The mean of the rows of a group, cut to `longest` influences.
std::vector<Influence> mean_row(const WeightRows& rows, std::span<const Index> group, std::size_t longest) {
  WeightRowBuilder builder;
  const float share = 1.0f / static_cast<float>(group.size());
  for (const Index v : group) {
    for (const Influence& influence : rows.row(at(v))) builder.add(influence.slot, influence.weight * share);
  }
  builder.close_row(0);
  std::vector<Influence> mean = builder.take().influences;
  if (mean.size() <= longest) return mean;
  for (std::size_t k = 0; k < longest; ++k) builder.add(mean[k].slot, mean[k].weight);
  builder.close_row(0);
  return builder.take().influences;
}

// Rows of the mesh with those of some points replaced.
WeightRows with_rows(const WeightRows& rows, const std::vector<std::vector<Influence>>& new_rows,
                     const std::vector<Index>& new_row_of_point) {
  WeightRows out;
  out.first.reserve(rows.first.size());
  out.influences.reserve(rows.influences.size());
  out.first.push_back(0);
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const Index replaced = new_row_of_point[v];
    const std::span<const Influence> row =
        replaced == kNone ? rows.row(v) : std::span<const Influence>(new_rows[at(replaced)]);
    out.influences.insert(out.influences.end(), row.begin(), row.end());
    out.first.push_back(static_cast<std::uint32_t>(out.influences.size()));
  }
  return out;
}

// Gives coincident points of a seam one row. Returns how many points changed.
std::size_t close_seams(Mesh& mesh) {
  if (mesh.weights.empty() || mesh.polygons.count() == 0) return 0;
  std::size_t longest = 0;  // no row becomes longer than the longest existing one
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    longest = std::max(longest, mesh.weights.row(v).size());
  const EdgeList edges = list_edges(mesh.points.size(), mesh.polygons.first, surface_corners(mesh));
  std::vector<std::vector<Influence>> new_rows;
  std::vector<Index> new_row_of_point(mesh.points.size(), kNone);
  std::size_t changed = 0;
  for (const std::vector<Index>& group : seam_groups(mesh, edges)) {
    const auto first = mesh.weights.row(at(group[0]));
    const bool is_open = std::any_of(group.begin(), group.end(), [&](Index v) {
      return weight_difference(first, mesh.weights.row(at(v))) > kSeamTolerance;
    });
    if (!is_open) continue;
    for (const Index v : group) new_row_of_point[at(v)] = static_cast<Index>(new_rows.size());
    new_rows.push_back(mean_row(mesh.weights, group, longest));
    changed += group.size();
  }
  if (changed > 0) mesh.weights = with_rows(mesh.weights, new_rows, new_row_of_point);
  return changed;
}

struct Cut {
  std::size_t row_count = 0;
  double largest = 0;  // weight removed from one row
};

// Keeps the heaviest `allowed` influences of each row.
Cut limit_influences(WeightRows& rows, std::size_t allowed) {
  Cut cut;
  WeightRowBuilder builder;
  builder.reserve(rows.first.size(), rows.influences.size());
  for (std::size_t v = 0; v + 1 < rows.first.size(); ++v) {
    const auto row = rows.row(v);
    double lost = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k < allowed)
        builder.add(row[k].slot, row[k].weight);
      else
        lost += static_cast<double>(row[k].weight);
    }
    builder.close_row(0);
    cut.row_count += row.size() > allowed ? 1 : 0;
    cut.largest = std::max(cut.largest, lost);
  }
  if (cut.row_count > 0) rows = builder.take();
  return cut;
}

// ---- Polygons -----------------------------------------------------------------------------------------

template <class Value>
void keep_corners(Attribute<Value>& attribute, std::span<const std::uint32_t> kept) {
  if (attribute.is_per_point()) return;
  std::vector<Index> values;
  values.reserve(kept.size());
  for (const std::uint32_t corner : kept) values.push_back(attribute.corner_value[corner]);
  attribute.corner_value = std::move(values);
}

// Rebuilds the polygons, with their attributes, from corners of the old ones in any order.
void take_corners(Mesh& mesh, std::vector<std::uint32_t> first, std::span<const std::uint32_t> kept) {
  std::vector<Index> corners;
  corners.reserve(kept.size());
  for (const std::uint32_t corner : kept) corners.push_back(mesh.polygons.corners[corner]);
  mesh.polygons = {std::move(first), std::move(corners)};
  keep_corners(mesh.normals, kept);
  keep_corners(mesh.tangents, kept);
  for (auto& uvs : mesh.uvs) keep_corners(uvs, kept);
  for (auto& colours : mesh.colours) keep_corners(colours, kept);
}

bool names_a_place_twice(std::span<const Index> polygon) {
  std::vector<Index> sorted(polygon.begin(), polygon.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

struct Collapsed {
  std::size_t shortened = 0, removed = 0;
};

// Removes repeated corners from polygons, and polygons with fewer than three corners left from the mesh, as
// collapses_of decides. A part left without polygons is removed; the next one takes over its points.
Collapsed drop_collapsed(Mesh& mesh) {
  const std::vector<Index> places = surface_corners(mesh);
  const std::vector<Collapse> collapses = collapses_of(mesh, places);
  Collapsed changed;
  for (const Collapse collapse : collapses) {
    changed.shortened += collapse == Collapse::shortened ? 1 : 0;
    changed.removed += collapse == Collapse::removed ? 1 : 0;
  }
  if (changed.shortened + changed.removed == 0) return changed;
  std::vector<std::uint32_t> first{0}, kept;
  std::vector<MeshPart> parts;
  Index next_point = 0;  // the first not taken by a part
  for (MeshPart part : mesh.parts) {
    const auto new_first = static_cast<Index>(first.size() - 1);
    for (Index p = part.first_polygon; p < part.first_polygon + part.polygon_count; ++p) {
      if (collapses[at(p)] == Collapse::removed) continue;
      const std::uint32_t start = mesh.polygons.first[at(p)];
      const std::size_t size = mesh.polygons.polygon(at(p)).size();
      if (collapses[at(p)] == Collapse::shortened) {
        for (const std::uint32_t c : essential_corners(std::span(places).subspan(start, size)))
          kept.push_back(start + c);
      } else {
        for (std::uint32_t c = 0; c < size; ++c) kept.push_back(start + c);
      }
      first.push_back(static_cast<std::uint32_t>(kept.size()));
    }
    const Index new_count = static_cast<Index>(first.size() - 1) - new_first;
    if (new_count == 0 && part.polygon_count > 0) continue;
    const Index end = part.first_point + part.point_count;
    part.first_point = next_point;
    part.point_count = end - next_point;
    next_point = end;
    part.first_polygon = new_first;
    part.polygon_count = new_count;
    parts.push_back(std::move(part));
  }
  parts.back().point_count += static_cast<Index>(mesh.points.size()) - next_point;
  take_corners(mesh, std::move(first), kept);
  mesh.parts = std::move(parts);
  return changed;
}

// Normals that match the old winding of the turned polygons turn too; those that already point outward stay.
// Values used by other polygons are left unchanged.
template <class Value, class Negate>
void turn_values(const Mesh& mesh, const std::vector<bool>& is_turned, Attribute<Value>& attribute,
                 const Negate& negate) {
  if (attribute.empty()) return;
  const auto value_of = [&](std::uint32_t corner) {
    return at(attribute.is_per_point() ? mesh.polygons.corners[corner] : attribute.corner_value[corner]);
  };
  std::vector<bool> is_wanted(attribute.values.size(), false), is_held(attribute.values.size(), false);
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    for (std::uint32_t c = mesh.polygons.first[p]; c < mesh.polygons.first[p + 1]; ++c)
      (is_turned[p] ? is_wanted : is_held)[value_of(c)] = true;
  }
  for (std::size_t k = 0; k < attribute.values.size(); ++k) {
    if (is_wanted[k] && !is_held[k]) negate(attribute.values[k]);
  }
}

// The lowest polygon of each polygon's piece: pieces are connected by edges with two sides.
std::vector<std::uint32_t> pieces_of(const Mesh& mesh) {
  const EdgeList edges = list_edges(mesh.points.size(), mesh.polygons.first, surface_corners(mesh));
  std::vector<std::uint32_t> parent(mesh.polygons.count());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t p) {
    while (parent[p] != p) p = parent[p] = parent[parent[p]];
    return p;
  };
  for (std::size_t e = 0; e < edges.count(); ++e) {
    const auto sides = edges.edge(e);
    if (sides.size() != 2) continue;
    const std::uint32_t a = root(sides[0].polygon), b = root(sides[1].polygon);
    parent[std::max(a, b)] = std::min(a, b);
  }
  for (std::uint32_t p = 0; p < parent.size(); ++p) parent[p] = root(p);
  return parent;
}

// Which of the turned polygons have normals that match their old winding and must turn too. Decided per
// piece: one shell of a mesh may have been turned with its normals and another without.
std::vector<bool> turns_normals(const Mesh& mesh, const std::vector<bool>& is_turned) {
  std::vector<bool> turns(mesh.polygons.count(), false);
  if (mesh.normals.empty()) return turns;
  const std::vector<std::uint32_t> piece = pieces_of(mesh);
  std::vector<double> agreement(mesh.polygons.count(), 0);  // at the lowest polygon of each piece
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    if (!is_turned[p]) continue;
    const Vec3d area = area_vector(mesh.points, mesh.polygons.polygon(p));
    for (std::uint32_t c = mesh.polygons.first[p]; c < mesh.polygons.first[p + 1]; ++c) {
      const Index value =
          mesh.normals.is_per_point() ? mesh.polygons.corners[c] : mesh.normals.corner_value[c];
      agreement[piece[p]] += dot(area, Vec3d(mesh.normals.values[at(value)]));
    }
  }
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) turns[p] = is_turned[p] && agreement[piece[p]] > 0;
  return turns;
}

// Returns how many polygons were turned.
std::size_t turn_polygons(Mesh& mesh) {
  if (mesh.polygons.count() == 0) return 0;
  const std::vector<Index> places = surface_corners(mesh);
  const EdgeList edges = list_edges(mesh.points.size(), mesh.polygons.first, places);
  const std::vector<bool> is_turned =
      measure_surface(mesh.points, mesh.polygons.first, places, edges).is_to_be_turned;
  const auto count = static_cast<std::size_t>(std::count(is_turned.begin(), is_turned.end(), true));
  if (count == 0 || !can_turn(mesh, is_turned)) return 0;
  const std::vector<bool> is_shaded_wrong = turns_normals(mesh, is_turned);
  turn_values(mesh, is_shaded_wrong, mesh.normals, [](Vec3& n) { n = -n; });
  // The bitangent is the normal cross the tangent, times w: it stays unchanged.
  turn_values(mesh, is_shaded_wrong, mesh.tangents, [](Vec4& t) { t.w = -t.w; });
  std::vector<std::uint32_t> kept(mesh.polygons.corners.size());
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
    const std::uint32_t begin = mesh.polygons.first[p], end = mesh.polygons.first[p + 1];
    // The first corner stays first, so that fans stay the same triangles.
    kept[begin] = begin;
    for (std::uint32_t c = begin + 1; c < end; ++c) kept[c] = is_turned[p] ? end - (c - begin) : c;
  }
  take_corners(mesh, std::vector<std::uint32_t>(mesh.polygons.first), kept);
  return count;
}

// ---- Names --------------------------------------------------------------------------------------------

// Returns how many nodes got a new name.
std::size_t name_apart(std::vector<Node>& nodes) {
  std::unordered_set<std::string> taken;
  for (const Node& node : nodes) taken.insert(node.name);
  std::unordered_set<std::string> seen;
  std::size_t changed = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].name.empty() && seen.insert(nodes[n].name).second) continue;
    const std::string stem = nodes[n].name.empty() ? "node" : nodes[n].name;
    std::string name = fmt::format("{}_{}", stem, n);
    while (!taken.insert(name).second) name += "_";
    nodes[n].name = std::move(name);
    ++changed;
  }
  return changed;
}

void mend_weights(Mesh& mesh, Index index, const CheckLimits& limits, Notes& mended) {
  if (const std::size_t count = close_seams(mesh); count > 0) {
    say(mended, "seam-weights-differ", "mesh", index, mesh.name, count,
        fmt::format("{} on seams got the mean weights of their position", counted(count, "point", "points")));
  }
  const auto allowed = static_cast<std::size_t>(max_influences(limits));
  if (allowed == 0 || mesh.weights.empty()) return;
  if (const Cut cut = limit_influences(mesh.weights, allowed); cut.row_count > 0) {
    say(mended, "influences-over-limit", "mesh", index, mesh.name, cut.row_count,
        fmt::format("{} kept their {} heaviest influences (at most {:.3g} of a point's weight was cut)",
                    counted(cut.row_count, "point", "points"), allowed, cut.largest));
  }
}

void mend_surface(Mesh& mesh, Index index, Notes& mended) {
  const Collapsed collapsed = drop_collapsed(mesh);
  const std::size_t turned = turn_polygons(mesh);
  if (collapsed.removed > 0) {
    say(mended, "polygons-collapsed", "mesh", index, mesh.name, collapsed.removed,
        fmt::format("{} removed: fewer than three distinct corners",
                    counted(collapsed.removed, "polygon was", "polygons were")));
  }
  if (collapsed.shortened > 0) {
    say(mended, "polygons-collapsed", "mesh", index, mesh.name, collapsed.shortened,
        fmt::format("{} a corner that repeated another",
                    counted(collapsed.shortened, "polygon lost", "polygons lost")));
  }
  if (turned > 0) {
    say(mended, "polygons-turned", "mesh", index, mesh.name, turned,
        fmt::format("{} turned over", counted(turned, "polygon was", "polygons were")));
  }
}

}  // namespace

std::vector<Collapse> collapses_of(const Mesh& mesh, std::span<const Index> places) {
  std::vector<Collapse> collapses(mesh.polygons.count(), Collapse::none);
  // Parts without their own points are labels of an OBJ and may be removed, but not all of them.
  const auto is_label = [](const MeshPart& part) { return part.polygon_count > 0 && part.point_count == 0; };
  const bool are_labels = std::any_of(mesh.parts.begin(), mesh.parts.end(), is_label);
  bool is_any_kept = false;
  const auto leave_removed = [&](Index begin, Index end) {
    std::replace(collapses.begin() + begin, collapses.begin() + end, Collapse::removed, Collapse::left);
  };
  for (const MeshPart& part : mesh.parts) {
    const Index end = part.first_polygon + part.polygon_count;
    bool is_kept = false;
    for (Index p = part.first_polygon; p < end; ++p) {
      const std::span<const Index> polygon =
          places.subspan(mesh.polygons.first[at(p)], mesh.polygons.polygon(at(p)).size());
      const std::size_t left = essential_corners(polygon).size();
      if (left == 0)
        collapses[at(p)] = Collapse::removed;
      else if (left < polygon.size())
        collapses[at(p)] = Collapse::shortened;
      else if (polygon.size() > 3 && names_a_place_twice(polygon))
        collapses[at(p)] = Collapse::left;
      is_kept = is_kept || left > 0;
    }
    if (!is_kept && !are_labels) leave_removed(part.first_polygon, end);
    is_any_kept = is_any_kept || is_kept;
  }
  if (!is_any_kept) leave_removed(0, static_cast<Index>(collapses.size()));
  return collapses;
}

bool can_turn(const Mesh& mesh, const std::vector<bool>& is_turned) {
  const auto has_normals = [](const Shape& shape) { return !shape.normals.empty(); };
  if (std::none_of(mesh.shapes.begin(), mesh.shapes.end(), has_normals)) return true;
  const std::vector<bool> turns = turns_normals(mesh, is_turned);
  return std::find(turns.begin(), turns.end(), true) == turns.end();
}

Notes mend_character(Character& character, const CheckLimits& limits) {
  Notes mended;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const auto index = static_cast<Index>(m);
    mend_surface(character.meshes[m], index, mended);
    mend_weights(character.meshes[m], index, limits, mended);
  }
  if (const std::size_t count = name_apart(character.nodes); count > 0) {
    mended.push_back(
        {Note::Kind::repair, "names-apart",
         fmt::format("{} own", counted(count, "node got a name of its", "nodes got a name of their")), "", -1,
         -1, count});
  }
  return mended;
}

}  // namespace dermis
