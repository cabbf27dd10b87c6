// SPDX-License-Identifier: MIT
// Deforms a character into another rest pose, once, and makes that its own.
#include "dermis/deform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dermis {
namespace {

// Joints that agree on where the bind pose is at rest do so within this fraction of what they move.
constexpr double kSameBind = 1e-4;
// A joint that moves by less than this fraction keeps its skin as it is.
constexpr double kUnmoved = 1e-12;
constexpr const char* kSettingRest = "setting the rest pose";

bool is_near(const Affined& a, const Affined& b, double size, double share) {
  const double turn =
      length(a.linear.x - b.linear.x) + length(a.linear.y - b.linear.y) + length(a.linear.z - b.linear.z);
  const double scale = length(b.linear.x) + length(b.linear.y) + length(b.linear.z);
  return turn <= share * scale && length(a.translation - b.translation) <= share * size;
}

struct SkinAtRest {
  bool is_moved = false;
  Affined world_from_mesh;  // of the new rest, the same for all joints
};

class RestChanger {
 public:
  RestChanger(const Character& character, std::vector<Node> nodes)
      : old_(character), old_world_(rest_world(character)) {
    changed_ = character;
    changed_.nodes = std::move(nodes);
    new_world_ = rest_world(changed_);
    for (const Affined& world : old_world_) box_.add(world.translation);
  }

  Result<Character> run(const DeformOptions& options, const Progress& progress) {
    // Everything is posed, in the scene or not, without its shapes.
    Character shown = old_;
    for (Instance& instance : shown.instances) {
      instance.in_scene = true;
      std::fill(instance.shape_weights.begin(), instance.shape_weights.end(), 0.0f);
    }
    Result<PoseFrame> frame = pose_frame(shown, {});
    if (!frame) return frame.error();
    find_skins(*frame);
    if (std::none_of(skins_.begin(), skins_.end(), [](const SkinAtRest& skin) { return skin.is_moved; })) {
      keep_clips();
      return std::move(changed_);
    }
    const Result<Deformer> deformer = prepare_deformer(shown, options, progress.part(0, 0.3));
    if (!deformer) return deformer.error();
    const Result<Character> still = pose_character(*deformer, *frame, progress.part(0.3, 0.6));
    if (!still) return still.error();
    if (Status set = set_meshes(*deformer, *frame, *still, progress.part(0.6, 1)); !set) return set.error();
    set_binds();
    keep_clips();
    if (Status valid = validate(changed_); !valid) return valid.error();
    return std::move(changed_);
  }

 private:
  // Moves the palette to the new rest.
  void find_skins(PoseFrame& frame) {
    const double size = std::max(box_.diagonal(), 1e-30);
    for (std::size_t s = 0; s < old_.skins.size(); ++s) {
      const Skin& skin = old_.skins[s];
      SkinAtRest& found = skins_.emplace_back();
      const std::span<Affined> palette(frame.palette.data() + frame.palette_first[s], skin.node.size());
      bool is_one_bind = !palette.empty();
      for (const Affined& entry : palette)
        is_one_bind = is_one_bind && is_near(entry, palette.front(), size, kSameBind);
      if (is_one_bind) found.world_from_mesh = palette.front();
      for (std::size_t k = 0; k < palette.size(); ++k) {
        const std::size_t n = at(skin.node[k]);
        if (is_near(new_world_[n], old_world_[n], size, kUnmoved)) continue;
        found.is_moved = true;
        palette[k] = new_world_[n] * inverse(old_world_[n]) * palette[k];
      }
    }
  }

  Status set_meshes(const Deformer& deformer, PoseFrame& frame, const Character& still,
                    const Progress& progress) {
    // Each mesh keeps its place for the first skin that shows it, or for instances without one.
    std::map<std::pair<Index, Index>, Index> made;
    std::vector<bool> is_taken(old_.meshes.size());
    for (const bool is_skinned : {false, true}) {
      for (std::size_t k = 0; k < old_.instances.size(); ++k) {
        const Instance& from = old_.instances[k];
        const bool moves = from.skin != kNone && skins_[at(from.skin)].is_moved;
        if (moves != is_skinned) continue;
        if (!moves) {
          is_taken[at(from.mesh)] = true;
          continue;
        }
        const double done = static_cast<double>(k) / static_cast<double>(old_.instances.size());
        const Progress piece = progress.part(done, done + 1 / static_cast<double>(old_.instances.size()));
        if (Status going = piece.at(kSettingRest, 0); !going) return going;
        const auto [place, is_new] = made.try_emplace({from.mesh, from.skin}, from.mesh);
        if (is_new) {
          if (is_taken[at(from.mesh)]) {
            place->second = static_cast<Index>(changed_.meshes.size());
            changed_.meshes.push_back(old_.meshes[at(from.mesh)]);
          }
          is_taken[at(from.mesh)] = true;
          if (Status set =
                  set_mesh(deformer, frame, still.meshes[k], k, piece, changed_.meshes[at(place->second)]);
              !set)
            return set;
        }
        changed_.instances[k].mesh = place->second;
      }
    }
    return Done{};
  }

  Status set_mesh(const Deformer& deformer, PoseFrame& frame, const Mesh& posed, std::size_t k,
                  const Progress& progress, Mesh& mesh) {
    const Affined mesh_from_world = inverse(skins_[at(old_.instances[k].skin)].world_from_mesh);
    const Mat3d normal_map = cofactor(mesh_from_world.linear);
    const double hand = determinant(mesh_from_world.linear) < 0 ? -1 : 1;
    const auto direction = [](const Vec3d& v) { return length(v) > 0 ? normalized(v) : v; };
    for (std::size_t v = 0; v < mesh.points.size(); ++v)
      mesh.points[v] = Vec3(mesh_from_world * Vec3d(posed.points[v]));
    // A surface in mirrored joints is posed with its winding reversed; values keep the order of corners here.
    if (posed.normals.values.size() == mesh.normals.values.size() &&
        posed.normals.corner_value == mesh.normals.corner_value) {
      for (std::size_t c = 0; c < mesh.normals.values.size(); ++c)
        mesh.normals.values[c] = Vec3(direction(normal_map * Vec3d(posed.normals.values[c]) * hand));
    } else {
      set_corners(
          posed.normals, [&](const Vec3& n) { return Vec3(direction(normal_map * Vec3d(n) * hand)); }, posed,
          mesh, mesh.normals);
    }
    const auto tangent = [&](const Vec4& t) {
      const Vec3 along(direction(mesh_from_world.linear * Vec3d(t.xyz())));
      return Vec4{along.x, along.y, along.z, t.w * static_cast<float>(hand)};
    };
    if (posed.tangents.values.size() == mesh.tangents.values.size() &&
        posed.tangents.corner_value == mesh.tangents.corner_value) {
      for (std::size_t c = 0; c < mesh.tangents.values.size(); ++c)
        mesh.tangents.values[c] = tangent(posed.tangents.values[c]);
    } else {
      set_corners(posed.tangents, tangent, posed, mesh, mesh.tangents);
    }
    mesh.weld = weld_coincident(mesh.points);
    return set_shapes(deformer, frame, k, mesh_from_world.linear, progress, mesh);
  }

  // Values on corners, which the deformer lists anew; if it reversed the winding, they are reversed back.
  template <class Value, class Map>
  static void set_corners(const Attribute<Value>& from, const Map& map, const Mesh& posed, const Mesh& mesh,
                          Attribute<Value>& to) {
    to = from;
    for (Value& value : to.values) value = map(value);
    if (posed.polygons.corners == mesh.polygons.corners || to.corner_value.empty()) return;
    const std::vector<std::uint32_t>& first = mesh.polygons.first;
    for (std::size_t p = 0; p + 1 < first.size(); ++p)
      std::reverse(to.corner_value.begin() + first[p] + 1, to.corner_value.begin() + first[p + 1]);
  }

  // Each shape posed at full weight, less the surface without it.
  Status set_shapes(const Deformer& deformer, PoseFrame& frame, std::size_t k, const Mat3d& linear,
                    const Progress& progress, Mesh& mesh) {
    if (mesh.shapes.empty()) return Done{};
    DeformState state;
    Surface plain, shaped;
    const auto instance = static_cast<Index>(k);
    if (Status posed = pose_surface(deformer, frame, instance, state, plain); !posed) return posed;
    for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
      Shape& shape = mesh.shapes[s];
      const double done = static_cast<double>(s) / static_cast<double>(mesh.shapes.size());
      if (Status going = progress.at(kSettingRest, done); !going) return going;
      frame.shape_weights[k][s] = 1;
      Status posed = pose_surface(deformer, frame, instance, state, shaped);
      frame.shape_weights[k][s] = 0;
      if (!posed) return posed;
      for (std::size_t e = 0; e < shape.points.size(); ++e) {
        const std::size_t v = at(shape.points[e]);
        shape.offsets[e] = Vec3(linear * (Vec3d(shaped.points[v]) - Vec3d(plain.points[v])));
        if (!shape.normals.empty() && v < shaped.normals.size())
          shape.normals[e] =
              turned(Vec3d(shape.normals[e]), linear, Vec3d(plain.normals[v]), Vec3d(shaped.normals[v]));
        if (!shape.tangents.empty() && v < shaped.tangents.size())
          shape.tangents[e] = turned(Vec3d(shape.tangents[e]), linear, Vec3d(plain.tangents[v].xyz()),
                                     Vec3d(shaped.tangents[v].xyz()));
      }
    }
    return Done{};
  }

  // An offset between two unit directions, which are in the world.
  static Vec3 turned(const Vec3d& offset, const Mat3d& linear, const Vec3d& from, const Vec3d& to) {
    if (!(length(offset) > 0)) return Vec3(offset);
    const Vec3d a = linear * from, b = linear * to;
    return Vec3((length(b) > 0 ? normalized(b) : b) - (length(a) > 0 ? normalized(a) : a));
  }

  void set_binds() {
    for (std::size_t s = 0; s < skins_.size(); ++s) {
      if (!skins_[s].is_moved) continue;
      Skin& skin = changed_.skins[s];
      for (std::size_t k = 0; k < skin.node.size(); ++k)
        skin.inverse_bind[k] = Affine(inverse(new_world_[at(skin.node[k])]) * skins_[s].world_from_mesh);
    }
  }

  // Clips replace local poses, so those that they leave at rest need the old one.
  void keep_clips() {
    for (Clip& clip : changed_.clips) {
      const float start = clip.start();
      for (std::size_t n = 0; n < old_.nodes.size(); ++n) {
        const Node &before = old_.nodes[n], &after = changed_.nodes[n];
        const bool had_matrix = before.rest_matrix.has_value();
        if (before.rest == after.rest && before.rest_matrix == after.rest_matrix) continue;
        const auto keep = [&](ChannelPath path, bool is_changed, std::vector<float> value) {
          const bool is_moved =
              std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
                return channel.path == path && channel.target == static_cast<Index>(n);
              });
          if (is_moved || !(is_changed || had_matrix)) return;
          clip.channels.push_back(
              {path, static_cast<Index>(n), Interpolation::linear, {start}, std::move(value)});
        };
        const Transform& rest = before.rest;
        keep(ChannelPath::translation, rest.translation != after.rest.translation,
             {rest.translation.x, rest.translation.y, rest.translation.z});
        keep(ChannelPath::rotation, rest.rotation != after.rest.rotation,
             {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w});
        keep(ChannelPath::scale, rest.scale != after.rest.scale, {rest.scale.x, rest.scale.y, rest.scale.z});
      }
    }
  }

  const Character& old_;
  std::vector<Affined> old_world_, new_world_;
  Box box_;
  Character changed_;
  std::vector<SkinAtRest> skins_;
};

}  // namespace

Result<Character> rest_in_pose(const Character& character, std::vector<Node> nodes,
                               const DeformOptions& options, const Progress& progress) {
  return without_throwing("setting the rest pose", [&]() -> Result<Character> {
    if (nodes.size() != character.nodes.size())
      return Error{Errc::bad_argument, "a rest pose has as many nodes as its character"};
    return RestChanger(character, std::move(nodes)).run(options, progress);
  });
}

}  // namespace dermis
