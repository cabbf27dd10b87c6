// SPDX-License-Identifier: MIT
// Meshes of a glTF document: primitives joined into points, polygons, attributes, shapes and weight rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf/primitive.h"
#include "io/normals.h"
#include "io/weight_sums.h"

namespace dermis {
namespace {

// Rows written with three decimals deviate by more than this, rows in float do not.
constexpr double kFloatSumTolerance = 1e-4;
// No real mesh has more weight sets than this: JOINTS_0 to JOINTS_63 are 256 influences.
constexpr int kMaxWeightSets = 64;

struct MeshBuild {
  Mesh mesh;
  WeightRowBuilder rows;
  bool has_weights = false;
  std::size_t points_without_weights = 0;
  // Primitives with points but without extras.dermis.dqs_share, and their points.
  std::vector<std::size_t> primitives_without_share;
  std::size_t points_without_share = 0;
};

std::size_t count_points_before(const Mesh& mesh) {
  return mesh.parts.empty()
             ? 0
             : static_cast<std::size_t>(mesh.parts.back().first_point + mesh.parts.back().point_count);
}

bool read_positions(GltfReader& reader, PrimitiveReader& primitive, Mesh& mesh) {
  const std::size_t first = mesh.points.size();
  if (!primitive.append("POSITION", {"VEC3"}, mesh.points)) return !reader.failed();
  for (std::size_t v = first; v < mesh.points.size(); ++v) {
    if (!is_finite(mesh.points[v])) {
      return reader.fail(primitive.place(),
                         fmt::format("has a position (point {}) that is not finite", v - first));
    }
  }
  return true;
}

// Pads an attribute with zeros up to the point count, for parts that do not have it.
template <class Value>
void pad(std::vector<Value>& values, std::size_t point_count) {
  if (!values.empty()) values.resize(point_count);
}

// Appends a part's values; earlier parts may have had none. `append` returns true if it appended.
template <class Value, class Append>
bool append_part(PrimitiveReader& primitive, const std::string& name, std::vector<Value>& values,
                 std::size_t first_point, const Append& append) {
  if (!primitive.has(name)) return false;
  if (values.size() < first_point) values.resize(first_point);
  return append();
}

void read_unit_normals(GltfReader& reader, const Place& place, std::span<Vec3> normals) {
  const NormalRepairs repairs = make_unit(normals);
  // Reported here, because later they look like those of a primitive without normals.
  if (!normals.empty() &&
      std::all_of(normals.begin(), normals.end(), [](const Vec3& n) { return n == Vec3{}; })) {
    reader.note(Note::Kind::repair, "normals-blank", place,
                "none of its normals has a direction; they are treated as missing", normals.size());
    return;
  }
  if (repairs.count() == 0) return;
  reader.note(Note::Kind::repair, "normals-not-unit", place,
              fmt::format("{}; normalised, or treated as missing", text_of(repairs)));
}

void mend_tangents(GltfReader& reader, const Place& place, std::span<Vec4> tangents) {
  std::size_t broken = 0;
  for (Vec4& t : tangents) {
    const bool is_unit = std::abs(length(t.xyz()) - 1.0f) <= kUnitRounding;
    const Vec3 direction = is_unit ? t.xyz() : normalized(t.xyz());
    const bool is_good = is_finite(direction) && std::abs(std::abs(t.w) - 1.0f) < kNormalTolerance;
    broken += is_good ? 0 : 1;
    const Vec3 kept = is_finite(direction) ? direction : Vec3{};
    t = {kept.x, kept.y, kept.z, t.w < 0 ? -1.0f : 1.0f};
  }
  if (broken > 0) {
    reader.note(Note::Kind::repair, "tangents-broken", place,
                fmt::format("{} tangents were not finite or had a handedness other than 1 or -1", broken));
  }
}

template <class Value>
void mend_numbers(GltfReader& reader, const Place& place, const char* what, std::span<Value> values) {
  std::size_t broken = 0;
  const std::span<float> numbers(reinterpret_cast<float*>(values.data()),
                                 values.size_bytes() / sizeof(float));
  for (float& number : numbers) {
    if (std::isfinite(number)) continue;
    number = 0;
    ++broken;
  }
  if (broken > 0) {
    reader.note(Note::Kind::repair, "attribute-not-finite", place,
                fmt::format("{} numbers of its {} were not finite and were set to zero", broken, what));
  }
}

bool read_surface_attributes(GltfReader& reader, PrimitiveReader& primitive, Mesh& mesh, std::size_t first) {
  const Place& place = primitive.place();
  const auto append = [&](const std::string& name, std::initializer_list<const char*> types, auto& values) {
    return append_part(primitive, name, values, first, [&] { return primitive.append(name, types, values); });
  };
  auto& normals = mesh.normals.values;
  if (append("NORMAL", {"VEC3"}, normals))
    read_unit_normals(reader, place, std::span(normals).subspan(first));
  auto& tangents = mesh.tangents.values;
  if (append("TANGENT", {"VEC4"}, tangents)) mend_tangents(reader, place, std::span(tangents).subspan(first));
  for (std::size_t set = 0; primitive.has(fmt::format("TEXCOORD_{}", set)); ++set) {
    if (mesh.uvs.size() <= set) mesh.uvs.resize(set + 1);
    auto& uvs = mesh.uvs[set].values;
    if (append(fmt::format("TEXCOORD_{}", set), {"VEC2"}, uvs)) {
      mend_numbers(reader, place, "texture coordinates", std::span(uvs).subspan(first));
    }
  }
  for (std::size_t set = 0; primitive.has(fmt::format("COLOR_{}", set)); ++set) {
    if (mesh.colours.size() <= set) mesh.colours.resize(set + 1);
    auto& colours = mesh.colours[set].values;
    const std::string name = fmt::format("COLOR_{}", set);
    if (append_part(primitive, name, colours, first,
                    [&] { return primitive.append_colours(name, colours); })) {
      mend_numbers(reader, place, "colours", std::span(colours).subspan(first));
    }
  }
  return !reader.failed();
}

// Weight sets after a gap in the numbering, or beyond the limit, cannot be read; that is a loss.
void note_unread_sets(GltfReader& reader, PrimitiveReader& primitive, std::size_t read_count) {
  std::vector<std::string> unread;
  for (std::size_t set = read_count; set < read_count + kMaxWeightSets; ++set) {
    const std::string joints = fmt::format("JOINTS_{}", set);
    if (primitive.has(joints)) unread.push_back(joints);
  }
  if (unread.empty()) return;
  reader.note(Note::Kind::loss, "weights-unread", primitive.place(),
              fmt::format("{} and their weights were not read: glTF numbers its sets without gaps",
                          fmt::join(unread, ", ")));
}

// Rows of one primitive. Sets beyond the first missing one are not read, as glTF numbers them without gaps.
bool read_weights(GltfReader& reader, PrimitiveReader& primitive, MeshBuild& build) {
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<float>> weights;
  double tolerance = 0;
  for (int set = 0; set < kMaxWeightSets; ++set) {
    double step = 0;
    std::vector<std::uint32_t> slots = primitive.joints(set);
    std::vector<float> values = primitive.weights(set, step);
    if (reader.failed()) return false;
    if (slots.empty() != values.empty()) {
      reader.note(Note::Kind::repair, "half-weights", primitive.place(),
                  fmt::format("it has only one of JOINTS_{0} and WEIGHTS_{0}; the set was left out", set));
      reader.mended_weights_of(static_cast<Index>(primitive.place().outer->index));
    }
    if (slots.empty() || values.empty()) break;
    joints.push_back(std::move(slots));
    weights.push_back(std::move(values));
    tolerance += step > 0 ? 2 * step : kFloatSumTolerance;  // four weights, each rounded by half a step
  }
  note_unread_sets(reader, primitive, joints.size());
  const std::size_t count = primitive.point_count();
  if (joints.empty()) {
    build.points_without_weights += count;
  } else {
    build.has_weights = true;
  }
  if (!reader.charge(primitive.place(), count, sizeof(std::uint32_t) + joints.size() * 4 * sizeof(Influence)))
    return false;
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t set = 0; set < joints.size(); ++set) {
      for (std::size_t k = v * 4; k < v * 4 + 4; ++k) {
        const std::uint32_t slot = joints[set][k];
        if (slot > static_cast<std::uint32_t>(INT32_MAX) && weights[set][k] > 0) {
          return reader.fail(primitive.place(),
                             fmt::format("has a joint index (point {}) that is not a whole number", v));
        }
        // The joint of a zero weight matters only if the whole row is zero.
        const Index index = slot > static_cast<std::uint32_t>(INT32_MAX) ? 0 : static_cast<Index>(slot);
        if (weights[set][k] != 0 || (set == 0 && k == v * 4)) build.rows.add(index, weights[set][k]);
      }
    }
    build.rows.close_row(tolerance);
  }
  return true;
}

// The accessor that extras.dermis.dqs_share of a primitive names, or kNone.
Index dqs_share_accessor(GltfReader& reader, const Json& json, const Place& place) {
  const auto extras = json.find("extras");
  if (extras == json.end() || !extras->is_object()) return kNone;
  const auto ours = extras->find("dermis");
  if (ours == extras->end()) return kNone;
  if (!ours->is_object()) {
    reader.note(Note::Kind::info, "extras-ignored", place,
                "its extras.dermis is not an object and was ignored");
    return kNone;
  }
  return reader.index(*ours, "dqs_share", reader.accessor_count(), place);
}

// Clamps shares to [0, 1].
void mend_dqs_share(GltfReader& reader, const Place& place, std::vector<float>& shares) {
  std::size_t outside_count = 0, unreal_count = 0;
  for (float& share : shares) {
    if (share >= 0 && share <= 1) continue;
    ++(std::isnan(share) ? unreal_count : outside_count);
    share = share > 1 ? 1.0f : 0.0f;
  }
  if (outside_count > 0) {
    reader.note(Note::Kind::repair, "dqs-share-out-of-range", place,
                fmt::format("{} between 0 and 1; clamped",
                            counted(outside_count, "share of dqs was not", "shares of dqs were not")),
                outside_count);
  }
  if (unreal_count > 0) {
    reader.note(Note::Kind::repair, "dqs-share-not-a-number", place,
                counted(unreal_count, "share of dqs was not a number and became 0",
                        "shares of dqs were not numbers and became 0"),
                unreal_count);
  }
}

// extras.dermis.dqs_share of the primitive: an accessor with the share of each point.
bool read_dqs_share(GltfReader& reader, const Json& json, PrimitiveReader& primitive, MeshBuild& build,
                    std::size_t first_point) {
  const Place& place = primitive.place();
  const Index accessor = dqs_share_accessor(reader, json, place);
  if (accessor == kNone) {
    build.primitives_without_share.push_back(place.index);
    build.points_without_share += primitive.point_count();
    return !reader.failed();
  }
  std::vector<float> shares = reader.floats(accessor, {"SCALAR"}, place);
  if (reader.failed()) return false;
  if (shares.size() != primitive.point_count()) {
    return reader.fail(
        place, fmt::format("has {} shares of dqs for {} positions; give one for each position, or remove "
                           "extras.dermis.dqs_share",
                           shares.size(), primitive.point_count()));
  }
  mend_dqs_share(reader, place, shares);
  std::vector<float>& all = build.mesh.dqs_share;
  all.resize(first_point, kUnsaidDqsShare);
  all.insert(all.end(), shares.begin(), shares.end());
  return true;
}

bool read_polygons(GltfReader& reader, PrimitiveReader& primitive, Mesh& mesh, std::size_t first_point) {
  const std::vector<std::uint32_t> triangles = primitive.triangles();
  if (reader.failed() || !reader.charge(primitive.place(), triangles.size(), 2 * sizeof(Index))) return false;
  Polygons& polygons = mesh.polygons;
  const std::size_t first_corner = polygons.corners.size(), count = triangles.size() / 3;
  polygons.corners.resize(first_corner + triangles.size());
  std::transform(triangles.begin(), triangles.end(),
                 polygons.corners.begin() + static_cast<std::ptrdiff_t>(first_corner),
                 [&](std::uint32_t i) { return static_cast<Index>(i + first_point); });
  const std::size_t first_polygon = polygons.first.size();
  polygons.first.resize(first_polygon + count);
  for (std::size_t p = 0; p < count; ++p) {
    polygons.first[first_polygon + p] = static_cast<std::uint32_t>(first_corner + 3 * (p + 1));
  }
  return true;
}

// Appends the moving points of a target to those of earlier parts.
bool read_target(GltfReader& reader, PrimitiveReader& primitive, std::size_t target, std::size_t first_point,
                 Shape& shape) {
  const std::vector<Vec3> offsets = primitive.target(target, "POSITION");
  const std::vector<Vec3> normals = primitive.target(target, "NORMAL");
  const std::vector<Vec3> tangents = primitive.target(target, "TANGENT");
  if (reader.failed()) return false;
  // If the list starts here, it is zero for the points of earlier parts.
  if (!normals.empty()) shape.normals.resize(shape.points.size());
  if (!tangents.empty()) shape.tangents.resize(shape.points.size());
  const auto at = [](const std::vector<Vec3>& list, std::size_t v) {
    return list.empty() ? Vec3{} : list[v];
  };
  for (std::size_t v = 0; v < primitive.point_count(); ++v) {
    const Vec3 offset = at(offsets, v), normal = at(normals, v), tangent = at(tangents, v);
    if (!is_finite(offset) || !is_finite(normal) || !is_finite(tangent)) {
      return reader.fail(primitive.place(),
                         fmt::format("has a target {} whose point {} is not finite", target, v));
    }
    if (offset == Vec3{} && normal == Vec3{} && tangent == Vec3{}) continue;
    shape.points.push_back(static_cast<Index>(first_point + v));
    shape.offsets.push_back(offset);
    if (!shape.normals.empty() || !normals.empty()) shape.normals.push_back(normal);
    if (!shape.tangents.empty() || !tangents.empty()) shape.tangents.push_back(tangent);
  }
  shape.normals.resize(shape.normals.empty() ? 0 : shape.points.size());
  shape.tangents.resize(shape.tangents.empty() ? 0 : shape.points.size());
  return true;
}

bool read_primitive(GltfReader& reader, const Json& json, const Place& place, MeshBuild& build) {
  Mesh& mesh = build.mesh;
  PrimitiveReader primitive(reader, json, place);
  if (reader.failed()) return false;
  const std::size_t first = count_points_before(mesh);
  MeshPart part;
  part.first_point = static_cast<Index>(first);
  part.point_count = static_cast<Index>(primitive.point_count());
  part.first_polygon = static_cast<Index>(mesh.polygons.count());
  if (first + primitive.point_count() > static_cast<std::size_t>(INT32_MAX))
    return reader.fail(place, "makes the mesh too large");
  part.material = reader.index(json, "material", reader.list("materials").size(), place);
  if (primitive.point_count() == 0) {
    reader.note(Note::Kind::info, "no-positions", place, "it has no positions and draws nothing");
  } else if (!read_positions(reader, primitive, mesh) ||
             !read_surface_attributes(reader, primitive, mesh, first) ||
             !read_weights(reader, primitive, build) ||
             !read_dqs_share(reader, json, primitive, build, first) ||
             !read_polygons(reader, primitive, mesh, first)) {
    return false;
  }
  mesh.shapes.resize(std::max(mesh.shapes.size(), primitive.target_count()));
  if (mesh.shapes.size() != primitive.target_count()) {
    reader.note(Note::Kind::repair, "uneven-targets", place,
                fmt::format("it has {} morph targets, but the mesh has {}; the missing ones do not move it",
                            primitive.target_count(), mesh.shapes.size()));
  }
  for (std::size_t t = 0; t < primitive.target_count(); ++t) {
    if (!read_target(reader, primitive, t, first, mesh.shapes[t])) return false;
  }
  part.polygon_count = static_cast<Index>(mesh.polygons.count()) - part.first_polygon;
  mesh.parts.push_back(std::move(part));
  return !reader.failed();
}

void name_shapes(const Json& json, Mesh& mesh) {
  const auto extras = json.find("extras");
  if (extras == json.end() || !extras->is_object()) return;
  const auto names = extras->find("targetNames");
  if (names == extras->end() || !names->is_array()) return;
  for (std::size_t s = 0; s < mesh.shapes.size() && s < names->size(); ++s) {
    if ((*names)[s].is_string()) mesh.shapes[s].name = (*names)[s].get<std::string>();
  }
}

void note_weight_repairs(GltfReader& reader, const Place& place, const MeshBuild& build) {
  const WeightRowBuilder::Repairs& repairs = build.rows.repairs();
  if (repairs.negative + repairs.merged + repairs.not_normalised + repairs.unweighted > 0)
    reader.mended_weights_of(static_cast<Index>(place.index));
  const auto say = [&](const char* id, std::uint64_t count, Index first, const std::string& one,
                       const std::string& many) {
    if (count == 0) return;
    reader.note(Note::Kind::repair, id, place, counted(count, one.c_str(), many.c_str()), count, first);
  };
  say("weights-negative", repairs.negative, repairs.first_negative,
      "weight was negative or not finite and was set to zero",
      "weights were negative or not finite and were set to zero");
  say("weights-merged", repairs.merged, repairs.first_merged,
      "weight repeated a joint of its point and was added up",
      "weights repeated a joint of their point and were added up");
  const std::string unsettled =
      fmt::format("had weights that do not sum to one (worst {:.4g}) and", repairs.worst_sum);
  say(id_of_sums(repairs.worst_sum), repairs.not_normalised, repairs.first_not_normalised,
      fmt::format("point {} was normalised", unsettled), fmt::format("points {} were normalised", unsettled));
  const bool is_first_known = build.points_without_weights == 0;
  say("weights-missing", repairs.unweighted - build.points_without_weights,
      is_first_known ? repairs.first_unweighted : kNone,
      "point had no weight and follows the first joint it names",
      "points had no weight and follow the first joint they name");
  say("weights-missing", build.points_without_weights, kNone,
      "point of a primitive without weights follows the first joint",
      "points of primitives without weights follow the first joint");
}

// Completes the shares of a mesh that states them only for some primitives.
void fill_dqs_share(GltfReader& reader, const Place& place, MeshBuild& build) {
  Mesh& mesh = build.mesh;
  if (mesh.dqs_share.empty()) return;
  mesh.dqs_share.resize(mesh.points.size(), kUnsaidDqsShare);
  const std::vector<std::size_t>& unsaid = build.primitives_without_share;
  if (unsaid.empty()) return;
  const std::string others = unsaid.size() > 1 ? fmt::format(" and {} more", unsaid.size() - 1) : "";
  reader.note(
      Note::Kind::guess, "no-dqs-share", place,
      fmt::format(
          "primitive {}{} {} no extras.dermis.dqs_share, which others have; a share of {:g} is used there",
          unsaid.front(), others, unsaid.size() > 1 ? "have" : "has", kUnsaidDqsShare),
      build.points_without_share);
}

// Shares belong to primitives, which is where accessors belong.
void note_misplaced_share(GltfReader& reader, const Json& json, const Place& place) {
  const auto extras = json.find("extras");
  if (extras == json.end() || !extras->is_object()) return;
  const auto ours = extras->find("dermis");
  if (ours == extras->end() || !ours->is_object() || !ours->contains("dqs_share")) return;
  reader.note(Note::Kind::info, "extras-ignored", place,
              "its extras.dermis.dqs_share was ignored: it belongs in its primitives, as an accessor index");
}

// Joins the primitives of one mesh.
bool read_mesh(GltfReader& reader, const Json& json, const Place& place, const Progress& progress,
               Mesh& out) {
  if (!json.is_object()) return reader.fail(place, "is not an object");
  MeshBuild build;
  build.mesh.name = reader.text(json, "name", place);
  note_misplaced_share(reader, json, place);
  const Json* primitives = reader.array(json, "primitives", place);
  if (primitives == nullptr) return reader.fail(place, "has no primitives");
  for (std::size_t p = 0; p < primitives->size(); ++p) {
    // A hundred thousand primitives may share one accessor, and each is a copy of it.
    const double done = static_cast<double>(p) / static_cast<double>(primitives->size());
    if (Status going = progress.at("reading meshes", done); !going)
      return reader.fail(place, going.error().sentence, going.error().code);
    if (!read_primitive(reader, (*primitives)[p], Place{"primitive", p, nullptr, &place}, build))
      return false;
  }
  Mesh& mesh = build.mesh;
  pad(mesh.normals.values, mesh.points.size());
  pad(mesh.tangents.values, mesh.points.size());
  for (auto& uvs : mesh.uvs) pad(uvs.values, mesh.points.size());
  for (auto& colours : mesh.colours) pad(colours.values, mesh.points.size());
  fill_dqs_share(reader, place, build);
  name_shapes(json, mesh);
  if (build.has_weights) {
    note_weight_repairs(reader, place, build);
    if (!mesh.points.empty() && build.rows.repairs().unweighted >= mesh.points.size())
      reader.reading().unweighted_meshes.push_back(static_cast<Index>(place.index));
    mesh.weights = build.rows.take();
  }
  if (!reader.charge(place, mesh.points.size(), 4 * sizeof(Index)))
    return false;  // the weld map and its table
  mesh.weld = weld_coincident(mesh.points);
  out = std::move(mesh);
  return true;
}

}  // namespace

bool read_meshes(GltfReader& reader, Character& character, const Progress& progress) {
  const Json& list = reader.list("meshes");
  if (reader.failed()) return false;
  character.meshes.resize(list.size());
  for (std::size_t m = 0; m < list.size(); ++m) {
    const Place place{"mesh", m, &list[m]};
    const double share = 1 / static_cast<double>(list.size()), done = static_cast<double>(m) * share;
    if (!read_mesh(reader, list[m], place, progress.part(done, done + share), character.meshes[m]))
      return false;
  }
  return true;
}

}  // namespace dermis
