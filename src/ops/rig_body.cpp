// SPDX-License-Identifier: MIT
// Makes a body ready for the search for its skeleton.
#include "ops/rig_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dermis {
namespace {

// Of the points of a character: when so many are skinned, the skin is the body.
constexpr double kSkinned = 0.5;
// Cosine of a tilt that is none.
constexpr double kUpright = 0.9999;

bool has_word(const std::string& words, const std::string& word) {
  const std::string padded = " " + words + " ";
  return padded.find(" " + word + " ") != std::string::npos;
}

// Keeps the values that some corners show; those on points stay as they are.
template <class Value>
void keep_corners(Attribute<Value>& attribute, std::span<const std::uint32_t> corners) {
  if (attribute.is_per_point()) return;
  Attribute<Value> kept;
  std::vector<Index> place(attribute.values.size(), kNone);
  for (const std::uint32_t c : corners) {
    Index& own = place[at(attribute.corner_value[c])];
    if (own == kNone) {
      own = static_cast<Index>(kept.values.size());
      kept.values.push_back(attribute.values[at(attribute.corner_value[c])]);
    }
    kept.corner_value.push_back(own);
  }
  attribute = std::move(kept);
}

// Parts of an OBJ by their group, object or material.
Status keep_groups(const std::vector<std::string>& groups, const std::string& file, Character& character) {
  std::vector<bool> is_found(groups.size(), false);
  std::vector<std::string> known;
  for (Mesh& mesh : character.meshes) {
    std::vector<bool> takes(mesh.parts.size(), false);
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      known.push_back(mesh.parts[p].groups);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!has_word(mesh.parts[p].groups, groups[g]) && mesh.parts[p].object != groups[g]) continue;
        takes[p] = true;
        is_found[g] = true;
      }
    }
    mesh = some_parts(mesh, takes);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (is_found[g]) continue;
    std::erase(known, std::string());
    if (known.empty())
      return Error{Errc::bad_argument, fmt::format("{}: has no named groups; leave --group out", file)};
    const std::vector<std::string_view> names(known.begin(), known.end());
    return Error{Errc::bad_argument,
                 fmt::format("{}: has no group '{}'{}", file, groups[g], did_you_mean(groups[g], names))};
  }
  return Done{};
}

// Which instances of the scene are searched, by their order in it.
std::vector<bool> body_instances(const Character& character) {
  double all = 0, skinned = 0;
  std::vector<bool> is_skinned;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const auto count = static_cast<double>(character.meshes[at(instance.mesh)].points.size());
    is_skinned.push_back(instance.skin != kNone);
    all += count;
    skinned += instance.skin != kNone ? count : 0;
  }
  if (skinned < kSkinned * all) is_skinned.assign(is_skinned.size(), true);
  return is_skinned;
}

// The meshes that are not searched, each with the joint of the file that it hangs from.
std::vector<RigBody::Prop> props_of(const Character& character, const std::vector<bool>& is_searched) {
  std::vector<bool> is_joint(character.nodes.size());
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) is_joint[at(node)] = true;
  }
  const std::vector<Affined> world = rest_world(character);
  std::vector<RigBody::Prop> props;
  Index place = 0;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Index own = place++;
    if (is_searched[at(own)]) continue;
    Index holder = instance.node;
    while (holder != kNone && !is_joint[at(holder)]) holder = character.nodes[at(holder)].parent;
    if (holder == kNone) holder = instance.node;
    props.push_back({own, character.nodes[at(instance.node)].name, world[at(holder)].translation});
  }
  return props;
}

// The meshes of the file as they rest, and the rest of its document.
Status take_body(const Asset& asset, const RigJob& job, const RunOptions& run, RigBody& body, Notes& notes) {
  if (asset.character.skins.empty()) {
    body.character = asset.character;
    body.source = asset.source;
    if (const std::size_t count = body.character.clips.size(); count > 0)
      notes.push_back({Note::Kind::loss, "clips-left-out",
                       fmt::format("{} left out: the meshes follow the new joints now",
                                   counted(count, "clip of the file is", "clips of the file are"))});
    body.character.clips.clear();
    return Done{};
  }
  const Result<Character> still = bare_at_rest(asset.character, job.input, run);
  if (!still) return still.error();
  Result<Asset> bare = bare_asset(asset, *still);
  if (!bare) return bare.error();
  body.character = std::move(bare->character);
  body.source = bare->source;
  notes.push_back({Note::Kind::loss, "skeleton-replaced",
                   "the skeleton, weights, shapes and clips of the file are left out; its meshes are taken "
                   "as they rest"});
  append(notes, bare->notes);
  return Done{};
}

void add_surface(const Mesh& mesh, const Affined& world_from_mesh, RigBody& body) {
  const WeldedSurface welded = weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  const auto base = static_cast<std::uint32_t>(body.points.size());
  for (const std::int32_t v : welded.source)
    body.points.push_back(Vec3(world_from_mesh * Vec3d(mesh.points[static_cast<std::size_t>(v)])));
  for (SurfaceMesh::Triangle triangle : welded.triangles) {
    for (std::uint32_t& v : triangle) v += base;
    body.triangles.push_back(triangle);
  }
}

// The height that an OBJ was said to have is that along its y.
void retell_height(const Character& body, Notes& notes) {
  Box box;
  const std::vector<Affined> world = rest_world(body);
  for (const Instance& instance : body.instances) {
    if (!instance.in_scene) continue;
    for (const Vec3& point : body.meshes[at(instance.mesh)].points)
      box.add(world[at(instance.node)] * Vec3d(point));
  }
  for (Note& note : notes) {
    if (note.id != "unit-guessed" || body.metres_per_unit != 1) continue;
    note.sentence =
        fmt::format("the file does not say its unit; metres are taken, which makes the body {:.3g} m tall",
                    box.upper.y - box.lower.y);
  }
}

}  // namespace

Mesh some_parts(const Mesh& mesh, const std::vector<bool>& takes) {
  Polygons polygons;
  std::vector<MeshPart> parts;
  std::vector<std::uint32_t> corners;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (!takes[p]) continue;
    MeshPart part = mesh.parts[p];
    part.first_polygon = static_cast<Index>(polygons.count());
    for (Index k = 0; k < part.polygon_count; ++k) {
      const std::size_t polygon = at(mesh.parts[p].first_polygon + k);
      for (std::uint32_t c = mesh.polygons.first[polygon]; c < mesh.polygons.first[polygon + 1]; ++c) {
        corners.push_back(c);
        polygons.corners.push_back(mesh.polygons.corners[c]);
      }
      polygons.first.push_back(static_cast<std::uint32_t>(polygons.corners.size()));
    }
    parts.push_back(std::move(part));
  }
  std::vector<Index> place(mesh.points.size(), kNone), points;
  for (const Index v : polygons.corners) place[at(v)] = 0;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (place[v] == kNone) continue;
    place[v] = static_cast<Index>(points.size());
    points.push_back(static_cast<Index>(v));
  }
  for (Index& v : polygons.corners) v = place[at(v)];
  for (MeshPart& part : parts) {
    // As an OBJ has it: all points come with the first part.
    part.first_point = &part == parts.data() ? 0 : static_cast<Index>(points.size());
    part.point_count = &part == parts.data() ? static_cast<Index>(points.size()) : 0;
  }
  Mesh kept = take_points(mesh, points);
  kept.polygons = std::move(polygons);
  kept.parts = std::move(parts);
  for_each_attribute(kept, [&](auto& attribute) { keep_corners(attribute, corners); });
  return kept;
}

Result<RigBody> prepare_body(const Asset& asset, const RigJob& job, const RunOptions& run, Notes& notes) {
  RigBody body;
  const std::vector<bool> is_searched = body_instances(asset.character);
  body.props = props_of(asset.character, is_searched);
  if (Status taken = take_body(asset, job, run, body, notes); !taken) return taken.error();
  if (!job.groups.empty()) {
    if (Status kept = keep_groups(job.groups, job.input, body.character); !kept) return kept.error();
  }
  if (Status fits = check_copies(body.character, job.input, run); !fits) return fits.error();
  const std::vector<Affined> world = rest_world(body.character);
  std::size_t place = 0;
  for (const Instance& instance : body.character.instances) {
    if (!instance.in_scene) continue;
    if (is_searched[place++])
      add_surface(body.character.meshes[at(instance.mesh)], world[at(instance.node)], body);
  }
  if (body.triangles.empty())
    return Error{
        Errc::bad_rig,
        fmt::format(
            "{}: shows no triangles to look for a skeleton in; a file of joints alone goes with 'dermis bind "
            "--skeleton' or 'dermis animate --motion'",
            job.input)};
  return body;
}

std::vector<Index> joints_of_props(const RigBody& body, const FoundSkeleton& found, Notes& notes) {
  std::vector<Index> joints;
  std::string words;
  for (const RigBody::Prop& prop : body.props) {
    Index nearest = kNone;
    for (std::size_t j = 0; j < found.joints.size(); ++j) {
      if (found.joints[j].is_end) continue;
      if (nearest == kNone ||
          length(found.joints[j].at - prop.held_at) < length(found.joints[at(nearest)].at - prop.held_at))
        nearest = static_cast<Index>(j);
    }
    joints.push_back(nearest);
    words += fmt::format("{}{} with '{}'", words.empty() ? "" : ", ", quoted_name(prop.name),
                         found.joints[at(nearest)].name);
  }
  if (!words.empty())
    notes.push_back({Note::Kind::guess, "props-held",
                     fmt::format("worn or carried, as no joint deforms them in the file: not searched for "
                                 "limbs, each moves with one joint: {}",
                                 words),
                     "", -1, -1, body.props.size()});
  return joints;
}

void stand_upright(const RigJob& job, Character& body, FoundSkeleton& found, Notes& notes) {
  if (found.up.y > kUpright) return;
  const Quatd turn = quat_between(found.up, {0, 1, 0});
  const auto turned = [&](const Vec3d& v) { return rotate(turn, v); };
  for (FoundJoint& joint : found.joints) joint.at = turned(joint.at);
  for (BodyMap::Ball& ball : found.map.balls) ball.centre = turned(ball.centre);
  for (Vec3d& end : found.map.ends) end = turned(end);
  const Affined whole(matrix_from_quat(turn), {});
  for (Node& node : body.nodes) {
    if (node.parent != kNone) continue;
    node.rest.translation = Vec3(turned(Vec3d(node.rest.translation)));
    node.rest.rotation = Quat(turn * Quatd(node.rest.rotation));
    if (node.rest_matrix) node.rest_matrix = Affine(whole * Affined(*node.rest_matrix));
  }
  const bool is_asked = !job.up.empty();
  notes.push_back(
      {is_asked ? Note::Kind::info : Note::Kind::guess, "turned-upright",
       fmt::format("the body lay with ({:.2g}, {:.2g}, {:.2g}) up and was turned to stand on its feet{}",
                   found.up.x, found.up.y, found.up.z, is_asked ? "" : "; --up says otherwise")});
  found.left = turned(found.left), found.front = turned(found.front), found.up = {0, 1, 0};
  retell_height(body, notes);
}

}  // namespace dermis
