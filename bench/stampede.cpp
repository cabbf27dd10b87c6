// SPDX-License-Identifier: MIT
// A stampede: ten thousand characters, each at its own time of a clip, posed into its own buffer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.h"
#include "dermis/deform.h"
#include "dermis/motion.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kInstances = 10000, kPoints = 600, kInfluences = 4;
constexpr std::size_t kLimbs = 5, kLimbJoints = 6, kJoints = kLimbs * kLimbJoints;
constexpr std::size_t kClips = 4, kKeys = 31;
constexpr double kFps = 30, kSecondsPerFrame = 1.0 / 60;
constexpr std::size_t kGrain = 16;  // instances per task: about fifty microseconds

// Five limbs of six joints, all on the root, and clips in which every joint swings.
Character made_animal() {
  Character character;
  Skin skin;
  for (std::size_t j = 0; j < kJoints; ++j) {
    Node node;
    const std::size_t limb = j / kLimbJoints, along = j % kLimbJoints;
    node.name = fmt::format("limb_{}_{}", limb, along);
    if (j > 0) node.parent = along == 0 ? 0 : static_cast<Index>(j - 1);
    const double angle = 2 * kPi * static_cast<double>(limb) / kLimbs;
    node.rest.translation =
        along == 0 ? Vec3(Vec3d{std::cos(angle), 0, std::sin(angle)} * 0.5) : Vec3{0, 1, 0};
    character.nodes.push_back(node);
    skin.node.push_back(static_cast<Index>(j));
  }
  for (const Affined& world : rest_world(character)) skin.inverse_bind.emplace_back(inverse(world));
  character.skins.push_back(skin);
  for (std::size_t c = 0; c < kClips; ++c) {
    Clip clip;
    clip.name = fmt::format("gait_{}", c);
    for (std::size_t j = 0; j < kJoints; ++j) {
      Channel channel;
      channel.path = ChannelPath::rotation;
      channel.target = static_cast<Index>(j);
      const Vec3d axis = normalized(Vec3d{1, 0.3 * static_cast<double>(c), 0.2 * static_cast<double>(j % 3)});
      for (std::size_t k = 0; k < kKeys; ++k) {
        const double time = static_cast<double>(k) / kFps;
        const double swing = std::sin(2 * kPi * time + static_cast<double>(j + c)) * 0.4;
        const Quat turn(quat_from_axis_angle(axis, swing));
        channel.times.push_back(static_cast<float>(time));
        channel.values.insert(channel.values.end(), {turn.x, turn.y, turn.z, turn.w});
      }
      clip.channels.push_back(channel);
    }
    character.clips.push_back(clip);
  }
  return character;
}

Mesh made_hide(const std::vector<Affined>& world) {
  Mesh mesh;
  WeightRowBuilder rows;
  constexpr std::size_t kOfLimb = kPoints / kLimbs, kOfRing = 12, kRings = kOfLimb / kOfRing;
  for (std::size_t v = 0; v < kPoints; ++v) {
    const std::size_t limb = v / kOfLimb, ring = v % kOfLimb / kOfRing;
    const double angle = 2 * kPi * static_cast<double>(v % kOfRing) / kOfRing;
    const double height = static_cast<double>(ring) / kRings * kLimbJoints;
    const Vec3d outward{std::cos(angle), 0, std::sin(angle)};
    mesh.points.push_back(Vec3(world[limb * kLimbJoints].translation + outward * 0.3 + Vec3d{0, height, 0}));
    mesh.normals.values.push_back(Vec3(outward));
    const double lowest = std::clamp(std::floor(height - 2), 0.0, static_cast<double>(kLimbJoints - 4));
    for (std::size_t k = 0; k < kInfluences; ++k) {
      const double apart = height - (lowest + static_cast<double>(k) + 0.5);
      rows.add(static_cast<Index>(limb * kLimbJoints + static_cast<std::size_t>(lowest) + k),
               static_cast<float>(std::exp(-apart * apart) + 0.01));
    }
    rows.close_row(1);
  }
  mesh.weights = rows.take();
  mesh.parts.push_back({0, static_cast<Index>(kPoints), 0, 0, kNone});
  reorder_for_skinning(mesh);
  return mesh;
}

class Stampede {
 public:
  enum class Until { sampled, packed, skinned };

  explicit Stampede(SkinKernel kernel) : kernel_(kernel) {
    const Character character = made_animal();
    for (std::size_t c = 0; c < kClips; ++c)
      clips_.push_back(even_clip(character, 0, static_cast<Index>(c), kFps).value());
    const Mesh mesh = made_hide(rest_world(character));
    blocks_ = prepare_blocks(mesh.weights).value();
    set_rest_blocks({mesh.points, mesh.normals.values, {}}, rest_);
    points_.resize(kInstances * kPoints);
    normals_.resize(kInstances * kPoints);
  }

  // One frame of all instances, or only its first stages; the next call is the next frame.
  void run(Until until) {
    ++frame_;
    parallel_for(kInstances, kGrain, [this, until](std::size_t begin, std::size_t end) {
      thread_local std::vector<Affined> palette;
      thread_local SampleScratch scratch;
      thread_local PackedJoints packed;
      palette.resize(kJoints);
      for (std::size_t k = begin; k < end; ++k) {
        // Each at its own time, evenly over the clip.
        const double started = std::fmod(static_cast<double>(k) * 0.6180339887, 1.0);
        const double time = std::fmod(started + static_cast<double>(frame_) * kSecondsPerFrame, 1.0);
        sample_palette(clips_[k % kClips], time, scratch, palette);
        if (until == Until::sampled) continue;
        pack_joints(kernel_, palette, packed);
        if (until == Until::packed) continue;
        const PosedSurface posed{std::span(points_).subspan(k * kPoints, kPoints),
                                 std::span(normals_).subspan(k * kPoints, kPoints),
                                 {}};
        skin_by_kernel(blocks_, packed, {}, rest_, posed, {0, kPoints});
      }
    });
  }

 private:
  SkinKernel kernel_;
  std::vector<EvenClip> clips_;
  SkinBlocks blocks_;
  RestBlocks rest_;
  AlignedVector<Vec3> points_, normals_;  // a range for each instance
  std::size_t frame_ = 0;
};

Record measured(const char* method, SkinKernel kernel, const Options& options) {
  Stampede stampede(kernel);
  using Until = Stampede::Until;
  const std::vector<double> seconds =
      best_seconds({[&] { stampede.run(Until::sampled); }, [&] { stampede.run(Until::packed); },
                    [&] { stampede.run(Until::skinned); }},
                   std::max(options.repetitions, 30));
  const double frames = 1 / seconds[2];
  const double motion = seconds[0] / seconds[2], packing = (seconds[1] - seconds[0]) / seconds[2];
  const int threads = thread_count();
  Record record;
  record.text = fmt::format(
      "stampede    {} instances of {} points and {} joints, {}, {} thread{}: {:.0f} frames per second; clips "
      "and kinematics {:.0f} %, packing joints {:.0f} %, skinning {:.0f} % of {:.1f} ms",
      kInstances, kPoints, kJoints, method, threads, threads == 1 ? "" : "s", frames, 100 * motion,
      100 * packing, 100 * (1 - motion - packing), seconds[2] * 1e3);
  record.json = {
      {"name", "stampede"},
      {"method", method},
      {"instances", kInstances},
      {"points", kPoints},
      {"joints", kJoints},
      {"influences", kInfluences},
      {"threads", threads},
      {"normals", true},
      {"target", kernel_target()},
      {"frames_per_second", frames},
      {"seconds",
       {{"motion", seconds[0]}, {"packing", seconds[1] - seconds[0]}, {"skinning", seconds[2] - seconds[1]}}},
      {"ns_per_point", seconds[2] / (kInstances * kPoints) * 1e9}};
  return record;
}

}  // namespace

Result<std::vector<Record>> bench_stampede(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    return std::vector<Record>{measured("lbs", SkinKernel::lbs, options),
                               measured("dqs", SkinKernel::dqs, options)};
  });
}

}  // namespace dermis::bench
