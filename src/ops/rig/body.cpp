// SPDX-License-Identifier: MIT
// Prepares a body for the search for its skeleton.
#include "ops/rig/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ops/report/words.h"

namespace dermis {
namespace {

// If at least this share of a character's points is skinned, the skin is the body.
constexpr double kSkinned = 0.5;
// Above this cosine of its tilt, a body is upright.
constexpr double kUpright = 0.9999;
// Of a file's groups, an error lists this many.
constexpr std::size_t kMostGroups = 12;

bool has_word(const std::string& words, const std::string& word) {
  const std::string padded = " " + words + " ";
  return padded.find(" " + word + " ") != std::string::npos;
}

// The words that are not known yet.
void add_words(const std::string& text, std::vector<std::string>& known) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
  }
}

// Parts of an OBJ by their group, object or material.
Status keep_groups(const std::vector<std::string>& groups, const std::string& file, Character& character) {
  std::vector<bool> is_found(groups.size(), false);
  std::vector<std::string> known;
  for (Mesh& mesh : character.meshes) {
    std::vector<bool> takes(mesh.parts.size(), false);
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      add_words(mesh.parts[p].groups, known);
      if (std::find(known.begin(), known.end(), mesh.parts[p].object) == known.end())
        known.push_back(mesh.parts[p].object);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!has_word(mesh.parts[p].groups, groups[g]) && mesh.parts[p].object != groups[g]) continue;
        takes[p] = true;
        is_found[g] = true;
      }
    }
    mesh = keep_parts(mesh, takes);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (is_found[g]) continue;
    std::erase(known, std::string());
    if (known.empty())
      return Error{Errc::bad_argument, fmt::format("{}: has no named groups", file)}.with_remedy(
          "without_group");
    const std::vector<std::string_view> names(known.begin(), known.end());
    return Error{Errc::bad_argument,
                 fmt::format("{}: has no group '{}'{} (it has {})", file, groups[g],
                             did_you_mean(groups[g], names), first_of(known, kMostGroups))};
  }
  return Done{};
}

// Which instances of the scene are searched, in scene order.
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

// The meshes that are not searched, each with its parent joint in the file.
std::vector<RigBody::Prop> props_of(const Character& character, const std::vector<bool>& is_searched) {
  const std::vector<bool> is_joint = skin_joints(character);
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

// "the skeleton, weights, 3 shapes and 2 clips".
std::string what_is_replaced(const Character& character) {
  std::size_t shapes = 0;
  for (const Mesh& mesh : character.meshes) shapes += mesh.shapes.size();
  std::vector<std::string> parts = {"the skeleton", "weights"};
  if (shapes > 0) parts.push_back(counted(shapes, "shape", "shapes"));
  if (!character.clips.empty()) parts.push_back(counted(character.clips.size(), "clip", "clips"));
  if (!character.drivers.empty()) parts.push_back(counted(character.drivers.size(), "driver", "drivers"));
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

// The meshes of the file at rest, and the remainder of its document.
Status take_body(const Asset& asset, const Run& run, RigBody& body, Notes& notes) {
  if (asset.character.skins.empty()) {
    body.character = asset.character;
    body.source = asset.source;
    if (const std::size_t count = body.character.clips.size(); count > 0)
      notes.push_back({Note::Kind::loss, "clips-left-out",
                       fmt::format("{} left out, because the meshes now follow the new joints",
                                   counted(count, "clip of the file is", "clips of the file are"))});
    body.character.clips.clear();
    return Done{};
  }
  const Result<Character> still = bare_at_rest(asset.character, asset.name, run);
  if (!still) return still.error();
  Result<Asset> bare = bare_asset(asset, *still);
  if (!bare) return bare.error();
  body.character = std::move(bare->character);
  body.source = bare->source;
  notes.push_back({Note::Kind::loss, "skeleton-replaced",
                   fmt::format("{} of the file were left out; its meshes are used in their rest pose",
                               what_is_replaced(asset.character))});
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

}  // namespace

Result<RigBody> prepare_body(const Asset& asset, const std::vector<std::string>& groups, const Run& run,
                             Notes& notes) {
  RigBody body;
  const std::vector<bool> is_searched = body_instances(asset.character);
  body.props = props_of(asset.character, is_searched);
  if (Status taken = take_body(asset, run, body, notes); !taken) return taken.error();
  if (!groups.empty()) {
    if (Status kept = keep_groups(groups, asset.name, body.character); !kept) return kept.error();
  }
  if (Status fits = check_copies(body.character, asset.name, run); !fits) return fits.error();
  const std::vector<Affined> world = rest_world(body.character);
  std::size_t place = 0;
  for (const Instance& instance : body.character.instances) {
    if (!instance.in_scene) continue;
    if (is_searched[place++])
      add_surface(body.character.meshes[at(instance.mesh)], world[at(instance.node)], body);
  }
  if (body.triangles.empty())
    return Error{Errc::bad_rig,
                 fmt::format("{}: shows no triangles to find a skeleton in; use a file with only joints with "
                             "'dermis bind --skeleton' or 'dermis animate --motion'",
                             asset.name)};
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
                     fmt::format("worn or carried (no joint deforms them in the file), so not searched for "
                                 "limbs; each moves with one joint: {}",
                                 words),
                     "", -1, -1, body.props.size()});
  return joints;
}

void stand_upright(bool is_asked, Character& body, FoundSkeleton& found, Notes& notes) {
  if (found.up.y > kUpright) return;
  const Quatd turn = quat_between(found.up, {0, 1, 0});
  const auto turned = [&](const Vec3d& v) { return rotate(turn, v); };
  for (FoundJoint& joint : found.joints) joint.at = turned(joint.at);
  for (BodyMap::Ball& ball : found.map.balls) ball.centre = turned(ball.centre);
  for (Vec3d& end : found.map.ends) end = turned(end);
  for (SetAside& part : found.aside) part.at = turned(part.at);
  const Affined whole(matrix_from_quat(turn), {});
  for (Node& node : body.nodes) {
    if (node.parent != kNone) continue;
    node.rest.translation = Vec3(turned(Vec3d(node.rest.translation)));
    node.rest.rotation = Quat(turn * Quatd(node.rest.rotation));
    if (node.rest_matrix) node.rest_matrix = Affine(whole * Affined(*node.rest_matrix));
  }
  notes.push_back({is_asked ? Note::Kind::info : Note::Kind::guess, "turned-upright",
                   fmt::format("the body was lying with ({:.2g}, {:.2g}, {:.2g}) up and was turned upright",
                               found.up.x, found.up.y, found.up.z)});
  if (!is_asked) notes.back().remedies.push_back({"body_up"});
  found.left = turned(found.left), found.front = turned(found.front), found.up = {0, 1, 0};
}

}  // namespace dermis
