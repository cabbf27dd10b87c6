// SPDX-License-Identifier: MIT
// Intersects rays with triangles, using Embree.
#include <embree3/rtcore.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dermis/geometry.h"

namespace dermis {

struct RayTree::Scene {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  bool has_streams = false;

  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
};

namespace {

constexpr std::size_t kPacket = 8;
using Lanes = std::array<int, kPacket>;  // -1: in use
// Mixed rays are traced in streams of this length, which Embree sorts by direction: 1.5 times as fast as
// packets.
constexpr std::size_t kStream = 256;

// Embree stops the program for rays beyond its range; it ignores triangles there.
constexpr float kEmbreeRange = 1.8e18f;
bool is_in_range(const Vec3& v) {
  return std::abs(v.x) <= kEmbreeRange && std::abs(v.y) <= kEmbreeRange && std::abs(v.z) <= kEmbreeRange;
}

// The ray itself, or one that ends before it begins and hits nothing.
Ray allowed(const Ray& ray) {
  if (is_in_range(ray.origin) && is_in_range(ray.direction)) return ray;
  return {Vec3{}, Vec3{0, 0, 1}, 1, 0};
}

// The last packet of a batch is padded with inactive lanes.
template <class Packet>
Lanes load_packet(std::span<const Ray> rays, Packet& packet) {
  Lanes lanes{};
  for (std::size_t k = 0; k < kPacket; ++k) {
    const Ray ray = allowed(rays[std::min(k, rays.size() - 1)]);
    lanes[k] = k < rays.size() ? -1 : 0;
    packet.org_x[k] = ray.origin.x, packet.org_y[k] = ray.origin.y, packet.org_z[k] = ray.origin.z;
    packet.dir_x[k] = ray.direction.x, packet.dir_y[k] = ray.direction.y, packet.dir_z[k] = ray.direction.z;
    packet.tnear[k] = ray.near, packet.tfar[k] = ray.far;
    packet.time[k] = 0, packet.mask[k] = ~0u, packet.id[k] = 0, packet.flags[k] = 0;
  }
  return lanes;
}

RTCRay single_ray(const Ray& asked) {
  const Ray ray = allowed(asked);
  return {ray.origin.x,
          ray.origin.y,
          ray.origin.z,
          ray.near,
          ray.direction.x,
          ray.direction.y,
          ray.direction.z,
          0,
          ray.far,
          ~0u,
          0,
          0};
}

RTCIntersectContext context_of(RayOrder order) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  if (order == RayOrder::coherent) context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  return context;
}

void nearest_of_packet(RTCScene scene, std::span<const Ray> rays, std::span<RayHit> hits) {
  RTCIntersectContext context = context_of(RayOrder::coherent);
  RTCRayHit8 packet;
  alignas(32) const Lanes lanes = load_packet(rays, packet.ray);
  std::fill_n(packet.hit.geomID, kPacket, RTC_INVALID_GEOMETRY_ID);
  rtcIntersect8(lanes.data(), scene, &context, &packet);
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const bool is_hit = packet.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
    hits[k] = is_hit ? RayHit{static_cast<std::int32_t>(packet.hit.primID[k]), packet.ray.tfar[k],
                              packet.hit.u[k], packet.hit.v[k]}
                     : RayHit{};
  }
}

void nearest_of_stream(RTCScene scene, std::span<const Ray> rays, std::span<RayHit> hits) {
  RTCIntersectContext context = context_of(RayOrder::mixed);
  std::array<RTCRayHit, kStream> stream;
  for (std::size_t k = 0; k < rays.size(); ++k) {
    stream[k].ray = single_ray(rays[k]);
    stream[k].hit.geomID = RTC_INVALID_GEOMETRY_ID;
  }
  rtcIntersect1M(scene, &context, stream.data(), static_cast<unsigned>(rays.size()), sizeof(RTCRayHit));
  for (std::size_t k = 0; k < rays.size(); ++k) {
    const RTCHit& hit = stream[k].hit;
    const bool is_hit = hit.geomID != RTC_INVALID_GEOMETRY_ID;
    hits[k] =
        is_hit ? RayHit{static_cast<std::int32_t>(hit.primID), stream[k].ray.tfar, hit.u, hit.v} : RayHit{};
  }
}

void blocked_of_packet(RTCScene scene, std::span<const Ray> rays, std::span<std::uint8_t> blocked) {
  RTCIntersectContext context = context_of(RayOrder::coherent);
  RTCRay8 packet;
  alignas(32) const Lanes lanes = load_packet(rays, packet);
  rtcOccluded8(lanes.data(), scene, &context, &packet);
  for (std::size_t k = 0; k < rays.size(); ++k) blocked[k] = packet.tfar[k] < 0 ? 1 : 0;
}

void blocked_of_stream(RTCScene scene, std::span<const Ray> rays, std::span<std::uint8_t> blocked) {
  RTCIntersectContext context = context_of(RayOrder::mixed);
  std::array<RTCRay, kStream> stream;
  for (std::size_t k = 0; k < rays.size(); ++k) stream[k] = single_ray(rays[k]);
  rtcOccluded1M(scene, &context, stream.data(), static_cast<unsigned>(rays.size()), sizeof(RTCRay));
  for (std::size_t k = 0; k < rays.size(); ++k) blocked[k] = stream[k].tfar < 0 ? 1 : 0;
}

// Calls work(rays, answers) for runs of a batch, `run` rays at a time.
template <class Answer, class Work>
void in_runs(std::size_t run, std::span<const Ray> rays, std::span<Answer> answers, const Work& work) {
  for (std::size_t begin = 0; begin < rays.size(); begin += run) {
    const std::size_t count = std::min(run, rays.size() - begin);
    work(rays.subspan(begin, count), answers.subspan(begin, count));
  }
}

// Embree's own copies: it reads some bytes past the end of its input.
bool add_triangles(const RayTree::Scene& tree, std::span<const Vec3> points,
                   std::span<const SurfaceMesh::Triangle> triangles) {
  RTCGeometry geometry = rtcNewGeometry(tree.device, RTC_GEOMETRY_TYPE_TRIANGLE);
  void* positions = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            sizeof(Vec3), points.size());
  void* corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          sizeof(SurfaceMesh::Triangle), triangles.size());
  const bool has_memory = positions != nullptr && corners != nullptr;
  if (has_memory) {
    std::copy(points.begin(), points.end(), static_cast<Vec3*>(positions));
    std::copy(triangles.begin(), triangles.end(), static_cast<SurfaceMesh::Triangle*>(corners));
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree.scene, geometry);
  }
  rtcReleaseGeometry(geometry);
  return has_memory;
}

Error embree_fault(const char* what) { return Error{Errc::too_large, what}; }

constexpr const char* kSorting = "sorting triangles for rays";

// Called by Embree while it sorts; it stops on false.
bool goes_on(void* progress, double /*fraction*/) {
  return !static_cast<const Progress*>(progress)->is_stopped();
}

}  // namespace

RayTree::RayTree(std::unique_ptr<const Scene> scene) : scene_(std::move(scene)) {}
RayTree::RayTree(RayTree&&) noexcept = default;
RayTree& RayTree::operator=(RayTree&&) noexcept = default;
RayTree::~RayTree() = default;

void RayTree::find_nearest(std::span<const Ray> rays, RayOrder order, std::span<RayHit> hits) const {
  assert(hits.size() == rays.size());
  const bool is_stream = order == RayOrder::mixed && scene_->has_streams;
  in_runs(is_stream ? kStream : kPacket, rays, hits, [&](auto some, auto found) {
    is_stream ? nearest_of_stream(scene_->scene, some, found) : nearest_of_packet(scene_->scene, some, found);
  });
}

void RayTree::find_blocked(std::span<const Ray> rays, RayOrder order, std::span<std::uint8_t> blocked) const {
  assert(blocked.size() == rays.size());
  const bool is_stream = order == RayOrder::mixed && scene_->has_streams;
  in_runs(is_stream ? kStream : kPacket, rays, blocked, [&](auto some, auto found) {
    is_stream ? blocked_of_stream(scene_->scene, some, found) : blocked_of_packet(scene_->scene, some, found);
  });
}

Result<RayTree> build_ray_tree(std::span<const Vec3> points, std::span<const SurfaceMesh::Triangle> triangles,
                               const Progress& progress) {
  return without_throwing(kSorting, [&]() -> Result<RayTree> {
    Progress listening = progress;  // Embree wants a pointer that is not const
    auto tree = std::make_unique<RayTree::Scene>();
    tree->device = rtcNewDevice(nullptr);
    if (tree->device == nullptr) {
      if (rtcGetDeviceError(nullptr) == RTC_ERROR_UNSUPPORTED_CPU)
        return Error{Errc::internal, "Embree does not support the processor of this machine"};
      // Nothing else can fail, because no settings are passed. The code for a lack of memory is not relied
      // on: recording an error takes memory too.
      return embree_fault("not enough memory to prepare rays");
    }
    tree->scene = rtcNewScene(tree->device);
    tree->has_streams = rtcGetDeviceProperty(tree->device, RTC_DEVICE_PROPERTY_RAY_STREAM_SUPPORTED) != 0;
    // Robust: no ray passes between triangles that share an edge.
    rtcSetSceneFlags(tree->scene, RTC_SCENE_FLAG_ROBUST);
    if (!triangles.empty() && !add_triangles(*tree, points, triangles)) {
      return embree_fault("not enough memory to sort triangles for rays");
    }
    rtcSetSceneProgressMonitorFunction(tree->scene, goes_on, &listening);
    // Several threads would give a different order each time, and with it the triangle that is hit at a
    // common edge.
    tbb::task_arena(1).execute([&] { rtcCommitScene(tree->scene); });
    const RTCError fault = rtcGetDeviceError(tree->device);
    rtcSetSceneProgressMonitorFunction(tree->scene, nullptr, nullptr);
    if (progress.is_stopped()) return progress.at(kSorting, 0).error();
    if (fault != RTC_ERROR_NONE) return embree_fault("not enough memory to sort triangles for rays");
    return RayTree(std::move(tree));
  });
}

}  // namespace dermis
