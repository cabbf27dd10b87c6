// SPDX-License-Identifier: MIT
// Skins as a whole: whether other joint numbers or another place of the skeleton would fit the weights
// better, joints whose bind disagrees with those around them, and surfaces that are inside out.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "measure/bind_bones.h"
#include "measure/box_corners.h"
#include "measure/quality.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

// Palettes that move the corners of the box of a skin apart by less than this fraction of its size agree.
constexpr double kAgree = 1e-3;
// A joint without children may have a pose of its own at rest, unless this share of all joints is as bound.
// With fewer joints than these, one is too large a share to be an exception.
constexpr double kMostJoints = 0.75;
constexpr std::size_t kManyJoints = 8;
// Joints that are tried as one of the most: of evenly spaced ones, some are.
constexpr std::size_t kTriedJoints = 32;
// A rest pose may move a joint away from where its parent would carry it, as controls of legs do, but by less
// than this fraction of the size.
constexpr double kJointGap = 0.15;
// Rays per side of the square that looks at the body from each direction: details of a thirtieth of the size.
constexpr int kRaysPerSide = 32;

// All points under one skin.
struct SkinBody {
  std::vector<Index> meshes;
  Box box;
};
std::map<Index, SkinBody> bodies_of(const Character& character, const std::vector<SkinnedMesh>& shown) {
  std::map<Index, SkinBody> bodies;
  for (const SkinnedMesh& one : shown) {
    SkinBody& body = bodies[one.skin];
    body.meshes.push_back(one.mesh);
    for (const Vec3& point : character.meshes[at(one.mesh)].points) body.box.add(Vec3d(point));
  }
  return bodies;
}

// Calls work(point, influence) for everything that follows a joint with a place.
template <class Work>
void for_each_influence(const Character& character, const SkinBody& body, const BindBones& bones,
                        const Progress& progress, const Work& work) {
  for (const Index m : body.meshes) {
    const Mesh& mesh = character.meshes[at(m)];
    for (std::size_t v = 0; v < mesh.points.size() && !progress.is_stopped(); ++v) {
      for (const Influence& influence : mesh.weights.row(v)) {
        if (bones.is_known(influence.slot)) work(Vec3d(mesh.points[v]), influence);
      }
    }
  }
}

BoneFit fit_of(const Character& character, Index skin, const SkinBody& body, double size,
               const Progress& progress) {
  const BindBones bones(character, skin);
  const auto count = static_cast<Index>(character.skins[at(skin)].node.size());
  double weights = 0, own = 0, moved = 0;
  std::array<double, 2> shifted{};
  Vec3d offset;
  Box joints;
  for_each_influence(character, body, bones, progress, [&](const Vec3d& point, const Influence& influence) {
    joints.add(bones.place(influence.slot));
    const auto weight = static_cast<double>(influence.weight);
    const Vec3d off = bones.offset(point, influence.slot);
    weights += weight;
    own += weight * length(off);
    offset += off * weight;
    for (const Index by : {1, -1}) {
      const Index other = (influence.slot + by + count) % count;
      // A joint without a place explains nothing.
      const double d = bones.is_known(other) ? bones.distance(point, other) : size;
      shifted[by > 0 ? 0 : 1] += weight * d;
    }
  });
  BoneFit fit;
  fit.skin = skin;
  for (const Index m : body.meshes) fit.point_count += character.meshes[at(m)].points.size();
  if (!(weights > 0)) return fit;
  offset = offset * (1 / weights);
  for_each_influence(character, body, bones, progress, [&](const Vec3d& point, const Influence& influence) {
    moved += static_cast<double>(influence.weight) * length(bones.offset(point, influence.slot) - offset);
  });
  const double scale = 1 / (weights * size);
  fit.distance = own * scale;
  fit.shift = shifted[0] < shifted[1] ? 1 : -1;
  fit.shifted_distance = std::min(shifted[0], shifted[1]) * scale;
  fit.offset = length(offset) / size;
  fit.moved_distance = moved * scale;
  fit.size_ratio = joints.diagonal() > 0 ? body.box.diagonal() / joints.diagonal() : 0;
  return fit;
}

// The largest distance between the places to which two palettes move a corner.
double apart(const Box& box, const Affined& a, const Affined& b) {
  double most = 0;
  for (const Vec3d& point : corners_of(box)) most = std::max(most, length(a * point - b * point));
  return most;
}

bool agree(const Box& box, const Affined& a, const Affined& b) {
  return apart(box, a, b) <= kAgree * length(b * box.upper - b * box.lower);
}

// A slot with whose palette most joints agree, of kManyJoints or more; kNone: they have no such.
Index shared_slot(const Box& box, std::span<const Affined> palette) {
  if (palette.size() < kManyJoints) return kNone;
  const std::size_t step = palette.size() / std::min(palette.size(), kTriedJoints);
  for (std::size_t tried = 0; tried < palette.size(); tried += step) {
    const auto agreeing = std::count_if(palette.begin(), palette.end(), [&](const Affined& other) {
      return agree(box, other, palette[tried]);
    });
    if (static_cast<double>(agreeing) >= kMostJoints * static_cast<double>(palette.size()))
      return static_cast<Index>(tried);
  }
  return kNone;
}

// Of a joint: another one with the palette that it should have; see OddBind.
struct Reference {
  Index slot = kNone;  // kNone: its own may be right
  double size = 0;     // of the body, as that palette moves it
};
std::vector<Reference> references_of(const Character& character, Index skin_index, const SkinBody& body,
                                     std::span<const Affined> palette) {
  const Skin& skin = character.skins[at(skin_index)];
  const BindBones bones(character, skin_index);
  std::vector<bool> is_used(skin.node.size(), false);
  for (const Index m : body.meshes) {
    for (const Influence& influence : character.meshes[at(m)].weights.influences)
      is_used[at(influence.slot)] = true;
  }
  const std::vector<Index> parents = parent_slots(character, skin);
  std::vector<std::vector<Index>> around(skin.node.size());  // its parent, then its children
  for (std::size_t s = 0; s < parents.size(); ++s) {
    if (parents[s] != kNone) around[s].push_back(parents[s]);
  }
  for (std::size_t s = 0; s < parents.size(); ++s) {
    if (parents[s] != kNone) around[at(parents[s])].push_back(static_cast<Index>(s));
  }
  std::vector<Reference> references(skin.node.size());
  const Index shared = shared_slot(body.box, palette);
  for (std::size_t s = 0; s < around.size(); ++s) {
    if (around[s].empty()) continue;
    const Affined& agreed = palette[at(around[s][0])];
    const double size = length(agreed * body.box.upper - agreed * body.box.lower);
    const auto agrees = [&](Index other) {
      return apart(body.box, palette[at(other)], agreed) <= kAgree * size;
    };
    if (agrees(static_cast<Index>(s))) continue;
    const bool is_tip = around[s].size() == 1;
    // Where the joint is, and where its parent would carry it.
    const bool is_carried =
        parents[s] != kNone && is_used[at(parents[s])] && bones.is_known(static_cast<Index>(s));
    const Vec3d place = bones.place(static_cast<Index>(s));
    const bool is_torn_off = is_carried && length(palette[s] * place - agreed * place) > kJointGap * size;
    const bool are_most_agreed = shared != kNone && agrees(shared);
    const bool is_odd = is_tip ? are_most_agreed : std::all_of(around[s].begin(), around[s].end(), agrees);
    if (is_odd || is_torn_off) references[s] = {around[s][0], size};
  }
  return references;
}

// The surface of everything that is skinned, at rest, wound as it is drawn.
struct RestScene {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::vector<std::size_t> owner;  // of each triangle, an index into the meshes shown
  Box box;
};

RestScene rest_scene(const Character& character, const std::vector<SkinnedMesh>& shown, const PoseFrame& rest,
                     const Progress& progress) {
  RestScene scene;
  for (std::size_t k = 0; k < shown.size() && !progress.is_stopped(); ++k) {
    const Mesh& mesh = character.meshes[at(shown[k].mesh)];
    const auto base = static_cast<std::uint32_t>(scene.points.size());
    scene.points.resize(base + mesh.points.size());
    skin_lbs_reference(mesh.weights, rest.palette_of(shown[k].skin), {mesh.points, {}, {}},
                       {std::span(scene.points).subspan(base), {}, {}});
    const bool is_turned = is_mirrored(mesh, rest.palette_of(shown[k].skin));
    const MeasuredSurface surface = measured_surface(mesh);
    for (Triangle t : surface.welded.triangles) {
      for (std::uint32_t& v : t) v = base + static_cast<std::uint32_t>(surface.welded.source[v]);
      if (is_turned) std::swap(t[1], t[2]);
      scene.triangles.push_back(t);
      scene.owner.push_back(k);
    }
  }
  for (const Vec3& point : scene.points) scene.box.add(Vec3d(point));
  return scene;
}

// The centres of the faces, the midpoints of the edges, and the corners of a cube around the origin.
std::vector<Vec3d> corners_around() {
  std::vector<Vec3d> corners;
  for (const double z : {-1, 0, 1}) {
    for (const double y : {-1, 0, 1}) {
      for (const double x : {-1, 0, 1}) {
        if (x != 0 || y != 0 || z != 0) corners.push_back({x, y, z});
      }
    }
  }
  return corners;
}

// Parallel rays from each face, edge and corner of a cube around the box.
std::vector<Ray> rays_around(const Box& box) {
  const Vec3d middle = (box.lower + box.upper) * 0.5;
  const double radius = box.diagonal() / 2;
  std::vector<Ray> rays;
  const auto across_side = [](int k) { return 2 * (k + 0.5) / kRaysPerSide - 1; };
  for (const Vec3d& corner : corners_around()) {
    const Vec3d direction = normalized(corner);
    const Vec3d across =
        normalized(cross(direction, std::abs(direction.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
    const Vec3d upwards = cross(direction, across);
    for (int row = 0; row < kRaysPerSide; ++row) {
      for (int column = 0; column < kRaysPerSide; ++column) {
        const Vec3d place = across * across_side(column) + upwards * across_side(row) - direction * 1.1;
        rays.push_back({Vec3(middle + place * radius), Vec3(direction)});
      }
    }
  }
  return rays;
}

}  // namespace

bool is_mirrored(const Mesh& mesh, std::span<const Affined> palette) {
  const std::vector<Influence>& influences = mesh.weights.influences;
  return !influences.empty() && std::all_of(influences.begin(), influences.end(), [&](const Influence& one) {
    return determinant(palette[at(one.slot)].linear) < 0;
  });
}

std::vector<BoneFit> fit_bones(const Character& character, const std::vector<SkinnedMesh>& shown,
                               const Progress& progress) {
  const std::map<Index, SkinBody> bodies = bodies_of(character, shown);
  Box whole;
  for (const auto& [skin, body] : bodies) whole.add(body.box.lower), whole.add(body.box.upper);
  std::vector<BoneFit> fits;
  if (!(whole.diagonal() > 0) || !std::isfinite(whole.diagonal())) return fits;
  for (const auto& [skin, body] : bodies)
    fits.push_back(fit_of(character, skin, body, whole.diagonal(), progress));
  return fits;
}

std::vector<OddBind> find_odd_binds(const Character& character, const std::vector<SkinnedMesh>& shown,
                                    const PoseFrame& rest) {
  std::vector<OddBind> odd;
  for (const auto& [skin_index, body] : bodies_of(character, shown)) {
    const Skin& skin = character.skins[at(skin_index)];
    const std::span<const Affined> palette = rest.palette_of(skin_index);
    const std::vector<Reference> references = references_of(character, skin_index, body, palette);
    std::vector<OddBind> worst(skin.node.size());
    for (const Index m : body.meshes) {
      const Mesh& mesh = character.meshes[at(m)];
      for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        for (const Influence& influence : mesh.weights.row(v)) {
          const Reference& reference = references[at(influence.slot)];
          if (reference.slot == kNone) continue;
          const Vec3d point(mesh.points[v]);
          const double moved =
              static_cast<double>(influence.weight) *
              length(palette[at(influence.slot)] * point - palette[at(reference.slot)] * point) /
              reference.size;
          OddBind& one = worst[at(influence.slot)];
          if (moved > one.figure)
            one = {skin_index, skin.node[at(influence.slot)], m, static_cast<Index>(v), moved};
        }
      }
    }
    std::copy_if(worst.begin(), worst.end(), std::back_inserter(odd),
                 [](const OddBind& one) { return one.figure > kVisiblePull; });
  }
  return odd;
}

Result<std::vector<SeenSides>> look_around(const Character& character, const std::vector<SkinnedMesh>& shown,
                                           const PoseFrame& rest, const Progress& progress) {
  std::vector<SeenSides> seen;
  seen.reserve(shown.size());
  for (const SkinnedMesh& one : shown) seen.push_back({one.mesh, 0, 0});
  const RestScene scene = rest_scene(character, shown, rest, progress);
  if (Status going = progress.at("looking around the body", 0); !going) return going.error();
  if (scene.triangles.empty() || !std::isfinite(scene.box.diagonal())) return seen;
  const Result<RayTree> tree = build_ray_tree(scene.points, scene.triangles, progress);
  if (!tree) return tree.error();
  const std::vector<Ray> rays = rays_around(scene.box);
  std::vector<RayHit> hits(rays.size());
  tree->find_nearest(rays, RayOrder::coherent, hits);
  for (std::size_t k = 0; k < rays.size(); ++k) {
    if (hits[k].triangle < 0) continue;
    const auto t = static_cast<std::size_t>(hits[k].triangle);
    const auto [a, b, c] = scene.triangles[t];
    const Vec3d corner(scene.points[a]);
    const Vec3d normal = cross(Vec3d(scene.points[b]) - corner, Vec3d(scene.points[c]) - corner);
    SeenSides& sides = seen[scene.owner[t]];
    ++sides.ray_count;
    sides.back_count += dot(normal, Vec3d(rays[k].direction)) > 0 ? 1 : 0;
  }
  return seen;
}

}  // namespace dermis
