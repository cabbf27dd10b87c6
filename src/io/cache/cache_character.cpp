// SPDX-License-Identifier: MIT
// Turns a vertex cache on a still scene into shapes and a clip.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <span>

#include "dermis/geometry.h"
#include "dermis/io.h"
#include "io/file.h"

namespace dermis {
namespace {

// The part of a cache that belongs to one mesh; `source` maps its points.
struct FrameView {
  const PointCache& cache;
  std::size_t first_point = 0;
  std::vector<Index> source;  // frame point of each mesh point; empty: the same

  Vec3 at(std::span<const Vec3> values, std::size_t frame, std::size_t v) const {
    const std::size_t point = source.empty() ? v : static_cast<std::size_t>(source[v]);
    return values[frame * cache.point_count + first_point + point];
  }
};

// Normals of the polygons around each position, the same for all points at one position.
std::vector<Vec3> surface_normals(const Mesh& mesh, std::span<const Vec3> points) {
  std::vector<Index> corners(mesh.polygons.corners.size());
  for (std::size_t c = 0; c < corners.size(); ++c)
    corners[c] = mesh.weld[static_cast<std::size_t>(mesh.polygons.corners[c])];
  std::vector<Vec3> normals = point_normals(points, mesh.polygons.first, corners);
  for (std::size_t v = 0; v < normals.size(); ++v)
    normals[v] = normals[static_cast<std::size_t>(mesh.weld[v])];
  return normals;
}

// The change of the normals in frame `k`. If the cache has no normals, they keep their angle to the smooth
// surface, so that hard edges stay hard.
std::vector<Vec3> normal_offsets(const Mesh& mesh, const FrameView& view, std::size_t k,
                                 std::span<const Vec3> smooth_at_rest) {
  const std::vector<Vec3>& rest = mesh.normals.values;
  std::vector<Vec3> offsets(rest.size());
  if (!view.cache.normals.empty()) {
    for (std::size_t v = 0; v < rest.size(); ++v) offsets[v] = view.at(view.cache.normals, k, v) - rest[v];
    return offsets;
  }
  std::vector<Vec3> points(mesh.points.size());
  for (std::size_t v = 0; v < points.size(); ++v) points[v] = view.at(view.cache.points, k, v);
  const std::vector<Vec3> smooth = surface_normals(mesh, points);
  for (std::size_t v = 0; v < rest.size(); ++v) offsets[v] = smooth[v] - smooth_at_rest[v];
  return offsets;
}

Shape shape_of_frame(const Mesh& mesh, const FrameView& view, std::size_t k,
                     std::span<const Vec3> smooth_at_rest) {
  Shape shape;
  shape.name = fmt::format("frame_{:04}", k);
  const bool has_normals = !mesh.normals.empty();
  const std::vector<Vec3> normals =
      has_normals ? normal_offsets(mesh, view, k, smooth_at_rest) : std::vector<Vec3>();
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Vec3 offset = view.at(view.cache.points, k, v) - mesh.points[v];
    if (offset == Vec3{} && (!has_normals || normals[v] == Vec3{})) continue;
    shape.points.push_back(static_cast<Index>(v));
    shape.offsets.push_back(offset);
    if (has_normals) shape.normals.push_back(normals[v]);
  }
  return shape;
}

// Gives the mesh a shape for each frame.
Status add_shapes(Mesh& mesh, FrameView view) {
  if (!mesh.normals.empty() && !mesh.normals.is_per_point()) {
    SplitMesh split = split_corners(mesh);
    mesh = std::move(split.mesh);
    view.source = std::move(split.source);
  }
  // Tangents follow from normals and texture coordinates; stale ones would be worse than none.
  mesh.tangents = {};
  const bool is_computed = !mesh.normals.empty() && view.cache.normals.empty();
  const std::vector<Vec3> smooth = is_computed ? surface_normals(mesh, mesh.points) : std::vector<Vec3>();
  mesh.shapes.resize(view.cache.frame_count());
  parallel_for(mesh.shapes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) mesh.shapes[k] = shape_of_frame(mesh, view, k, smooth);
  });
  for (const Shape& shape : mesh.shapes) {
    if (!std::all_of(shape.offsets.begin(), shape.offsets.end(),
                     [](const Vec3& offset) { return is_finite(offset); }))
      return Error{Errc::bad_file, fmt::format("mesh {}: a frame is too far from rest for 32-bit numbers",
                                               quoted_name(mesh.name))};
  }
  return Done{};
}

// At key k, only frame k.
Channel frame_after_frame(std::span<const float> times, Index instance) {
  Channel channel;
  channel.path = ChannelPath::shape_weights;
  channel.target = instance;
  channel.times.assign(times.begin(), times.end());
  channel.values.assign(times.size() * times.size(), 0.0f);
  for (std::size_t k = 0; k < times.size(); ++k) channel.values[k * times.size() + k] = 1;
  return channel;
}

// Shapes store points, offsets and normals; each key has a weight for each shape.
std::uint64_t bytes_needed(const Character& still, const PointCache& cache) {
  std::uint64_t bytes = 0;
  const std::uint64_t frames = cache.frame_count();
  for (const Instance& instance : still.instances) {
    const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
    const bool is_split = !mesh.normals.is_per_point();
    const std::uint64_t points = is_split ? mesh.polygons.corners.size() : mesh.points.size();
    bytes += frames * points * (sizeof(Index) + 2 * sizeof(Vec3)) + frames * frames * sizeof(float);
  }
  return bytes;
}

}  // namespace

Result<Character> character_from_cache(const Character& still, const PointCache& cache,
                                       std::uint64_t max_memory) {
  return without_throwing("putting a cache on a mesh", [&]() -> Result<Character> {
    assert(cache.points.size() == cache.point_count * cache.frame_count());
    std::size_t point_count = 0;
    for (const Instance& instance : still.instances) {
      const Mesh& mesh = still.meshes[static_cast<std::size_t>(instance.mesh)];
      if (instance.skin != kNone || !mesh.shapes.empty())
        return Error{Errc::bad_argument, "a cache moves a still scene, without skins and shapes"};
      point_count += mesh.points.size();
    }
    if (point_count != cache.point_count) {
      return Error{Errc::bad_argument, fmt::format("the cache has {} points per frame, but the mesh has {}",
                                                   cache.point_count, point_count)};
    }
    if (const std::uint64_t bytes = bytes_needed(still, cache); bytes > max_memory) {
      return over_memory(
          fmt::format("{} frames as shapes need {} bytes, more than allowed; a cache takes less",
                      cache.frame_count(), bytes));
    }
    Character character = still;
    character.clips.clear();
    Clip& clip = character.clips.emplace_back();
    clip.name = "cache";
    std::size_t first_point = 0;
    for (std::size_t k = 0; k < character.instances.size(); ++k) {
      Instance& instance = character.instances[k];
      Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
      const std::size_t count = mesh.points.size();
      if (Status made = add_shapes(mesh, {cache, first_point, {}}); !made) return made.error();
      first_point += count;
      instance.shape_weights.assign(cache.frame_count(), 0.0f);
      clip.channels.push_back(frame_after_frame(cache.times, static_cast<Index>(k)));
    }
    if (Status valid = validate(character); !valid) return valid.error();
    return character;
  });
}

}  // namespace dermis
