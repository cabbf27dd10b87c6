// SPDX-License-Identifier: MIT
// Recognises properties by the names that writers use, and reads rows.
#include "io/ply/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/ply/rows.h"

namespace dermis {
namespace {

struct UseRow {
  PlyUse use;
  std::array<std::string_view, 4> names;
};
constexpr UseRow kVertexNames[] = {
    {PlyUse::x, {"x"}},
    {PlyUse::y, {"y"}},
    {PlyUse::z, {"z"}},
    {PlyUse::nx, {"nx", "normal_x"}},
    {PlyUse::ny, {"ny", "normal_y"}},
    {PlyUse::nz, {"nz", "normal_z"}},
    {PlyUse::red, {"red", "diffuse_red", "r"}},
    {PlyUse::green, {"green", "diffuse_green", "g"}},
    {PlyUse::blue, {"blue", "diffuse_blue", "b"}},
    {PlyUse::alpha, {"alpha", "diffuse_alpha", "a"}},
    {PlyUse::u, {"u", "s", "texture_u", "texture_s"}},
    {PlyUse::v, {"v", "t", "texture_v", "texture_t"}},
};

PlyUse vertex_use(const PlyProperty& property) {
  if (property.is_list()) return PlyUse::none;
  for (const UseRow& row : kVertexNames) {
    if (std::find(row.names.begin(), row.names.end(), property.name) != row.names.end()) return row.use;
  }
  return PlyUse::none;
}

PlyUse list_use(const PlyProperty& property, bool is_face) {
  if (!property.is_list()) return PlyUse::none;
  if (property.name == "vertex_indices" || property.name == "vertex_index") return PlyUse::points;
  return is_face && property.name == "texcoord" ? PlyUse::texcoords : PlyUse::none;
}

bool uses(const PlyLayout& layout, std::initializer_list<PlyUse> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](PlyUse use) {
    return std::any_of(layout.fields.begin(), layout.fields.end(),
                       [&](const PlyField& field) { return field.use == use; });
  });
}

void release(PlyLayout& layout, std::initializer_list<PlyUse> uses) {
  for (PlyField& field : layout.fields) {
    if (std::find(uses.begin(), uses.end(), field.use) != uses.end()) field.use = PlyUse::none;
  }
}

// A second property for the same use is left out.
void add_field(PlyLayout& layout, const PlyProperty& property, PlyUse use) {
  if (use != PlyUse::none && uses(layout, {use})) use = PlyUse::none;
  const bool is_colour = use >= PlyUse::red && use <= PlyUse::alpha;
  layout.fields.push_back({property, use, is_colour ? full_scale(property.type) : 1.0f});
}

PlyLayout vertex_layout(const PlyElement& element) {
  PlyLayout layout;
  for (const PlyProperty& property : element.properties) add_field(layout, property, vertex_use(property));
  layout.role = uses(layout, {PlyUse::x, PlyUse::y, PlyUse::z}) ? PlyRole::vertices : PlyRole::other;
  layout.has_normals = uses(layout, {PlyUse::nx, PlyUse::ny, PlyUse::nz});
  layout.has_colours = uses(layout, {PlyUse::red, PlyUse::green, PlyUse::blue});
  layout.has_uvs = uses(layout, {PlyUse::u, PlyUse::v});
  // An incomplete normal is treated as missing.
  if (!layout.has_normals) release(layout, {PlyUse::nx, PlyUse::ny, PlyUse::nz});
  if (!layout.has_colours) release(layout, {PlyUse::red, PlyUse::green, PlyUse::blue, PlyUse::alpha});
  if (!layout.has_uvs) release(layout, {PlyUse::u, PlyUse::v});
  return layout;
}

PlyLayout list_layout(const PlyElement& element, PlyRole role) {
  PlyLayout layout;
  for (const PlyProperty& property : element.properties)
    add_field(layout, property, list_use(property, role == PlyRole::faces));
  if (uses(layout, {PlyUse::points})) layout.role = role;
  layout.has_texcoords = layout.role == PlyRole::faces && uses(layout, {PlyUse::texcoords});
  return layout;
}

PlyLayout layout_of(const PlyElement& element) {
  if (element.name == "vertex") return vertex_layout(element);
  if (element.name == "face") return list_layout(element, PlyRole::faces);
  if (element.name == "tristrips") return list_layout(element, PlyRole::strips);
  PlyLayout layout;
  for (const PlyProperty& property : element.properties) add_field(layout, property, PlyUse::none);
  return layout;
}

// Lists of one row, reused to avoid allocations.
struct RowLists {
  std::vector<Index> points;
  std::vector<float> texcoords;
};

bool fail(PlyRun& run, std::string fault) {
  run.fault = std::move(fault);
  return false;
}

constexpr const char* kCut = "is cut short, or has something other than numbers";

template <class Row>
bool skip_field(Row& row, const PlyProperty& property, PlyRun& run) {
  std::int64_t count = 1;
  if (property.is_list() && (!row.take(*property.count_type, count) || count < 0)) return fail(run, kCut);
  for (std::int64_t k = 0; k < count; ++k) {
    if (!row.skip(property.type)) return fail(run, kCut);
  }
  return true;
}

// A list with a stated length; it cannot be longer than the row.
template <class Row, class Number, class Add>
bool read_list(Row& row, const PlyProperty& property, PlyRun& run, Number, Add&& add) {
  std::int64_t count = 0;
  if (!row.take(*property.count_type, count) || count < 0) return fail(run, kCut);
  for (std::int64_t k = 0; k < count; ++k) {
    Number number{};
    if (!row.take(property.type, number)) return fail(run, kCut);
    if (!add(number)) return false;
  }
  return true;
}

// One texture coordinate for each corner of the polygon just added.
void add_corner_uvs(const RowLists& lists, PlyRun& run) {
  const bool is_matched = lists.texcoords.size() == 2 * lists.points.size();
  run.odd_texcoords += is_matched ? 0 : 1;
  for (std::size_t c = 0; c < lists.points.size(); ++c) {
    run.corner_uvs.push_back(is_matched ? Vec2{lists.texcoords[2 * c], 1 - lists.texcoords[2 * c + 1]}
                                        : Vec2{});
  }
}

// Triangles of strips separated by -1; every other one has the opposite winding. Those that use a point twice
// only join strips.
void add_strips(const std::vector<Index>& points, PlyRun& run) {
  std::size_t start = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (points[k] == kNone) start = k + 1;
    if (points[k] == kNone || k < start + 2) continue;
    const bool is_odd = (k - start) % 2 == 1;
    const std::array<Index, 3> triangle = {points[k - 2], points[is_odd ? k : k - 1],
                                           points[is_odd ? k - 1 : k]};
    const bool is_joint =
        triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
    if (!is_joint) run.polygons.add(triangle);
  }
}

}  // namespace

std::vector<PlyLayout> lay_out(const PlyHeader& header) {
  std::vector<PlyLayout> layouts;
  bool has_points = false;
  for (const PlyElement& element : header.elements) {
    PlyLayout layout = layout_of(element);
    if (layout.role == PlyRole::vertices && has_points) layout.role = PlyRole::other;
    has_points = has_points || layout.role == PlyRole::vertices;
    for (const PlyField& field : layout.fields) {
      if (field.use == PlyUse::none) layout.dropped.push_back(field.property.name);
    }
    layouts.push_back(std::move(layout));
  }
  const bool has_texcoords = std::any_of(layouts.begin(), layouts.end(),
                                         [](const PlyLayout& layout) { return layout.has_texcoords; });
  for (PlyLayout& layout : layouts) layout.lacks_texcoords = has_texcoords && !layout.has_texcoords;
  return layouts;
}

template <class Row>
bool read_lists(Row& row, const PlyLayout& layout, std::size_t point_count, PlyRun& run) {
  thread_local RowLists lists;
  lists.points.clear();
  lists.texcoords.clear();
  const auto add_point = [&](std::int64_t point) {
    const bool is_break = layout.role == PlyRole::strips && point == kNone;
    if (!is_break && (point < 0 || static_cast<std::size_t>(point) >= point_count))
      return fail(run, fmt::format("refers to vertex {} of {}", point, point_count));
    lists.points.push_back(static_cast<Index>(point));
    return true;
  };
  const auto add_texcoord = [&](float number) { return lists.texcoords.push_back(number), true; };
  for (const PlyField& field : layout.fields) {
    const bool is_read =
        field.use == PlyUse::points      ? read_list(row, field.property, run, std::int64_t{}, add_point)
        : field.use == PlyUse::texcoords ? read_list(row, field.property, run, float{}, add_texcoord)
                                         : skip_field(row, field.property, run);
    if (!is_read) return false;
  }
  run.extra_rows += row.is_done() ? 0 : 1;
  if (layout.role == PlyRole::strips) add_strips(lists.points, run);
  const bool is_added = layout.role == PlyRole::faces && run.polygons.add(lists.points);
  if (is_added && layout.has_texcoords) add_corner_uvs(lists, run);
  if (layout.lacks_texcoords && run.corner_uvs.size() < run.polygons.corner_count()) {
    run.without_uv += run.polygons.corner_count() - run.corner_uvs.size();
    run.corner_uvs.resize(run.polygons.corner_count());
  }
  return true;
}

template <class Row>
bool read_vertex(Row& row, const PlyLayout& layout, std::size_t v, Mesh& mesh, PlyRun& run) {
  std::array<float, kVertexSlots> slots{};
  slots[static_cast<std::size_t>(PlyUse::alpha)] = 1;
  for (const PlyField& field : layout.fields) {
    if (field.use == PlyUse::none) {
      if (!skip_field(row, field.property, run)) return false;
      continue;
    }
    float number = 0;
    if (!row.take(field.property.type, number)) return fail(run, kCut);
    slots[static_cast<std::size_t>(field.use)] = field.full == 1 ? number : number / field.full;
  }
  run.extra_rows += row.is_done() ? 0 : 1;
  mesh.points[v] = {slots[0], slots[1], slots[2]};
  if (!is_finite(mesh.points[v])) return fail(run, "has a position that is not finite");
  if (layout.has_normals) mesh.normals.values[v] = {slots[3], slots[4], slots[5]};
  if (layout.has_colours) mesh.colours[0].values[v] = {slots[6], slots[7], slots[8], slots[9]};
  // PLY measures v from the bottom of the picture, the model from its top.
  if (layout.has_uvs) mesh.uvs[0].values[v] = {slots[10], 1 - slots[11]};
  return true;
}

template bool read_lists(PlyTextRow&, const PlyLayout&, std::size_t, PlyRun&);
template bool read_lists(PlyBinaryRow&, const PlyLayout&, std::size_t, PlyRun&);
template bool read_vertex(PlyTextRow&, const PlyLayout&, std::size_t, Mesh&, PlyRun&);
template bool read_vertex(PlyBinaryRow&, const PlyLayout&, std::size_t, Mesh&, PlyRun&);

}  // namespace dermis
