// SPDX-License-Identifier: MIT
// How fast meshes are skinned, compared with the plain Eigen loop and a copy of the same bytes in the same
// run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include "bench.h"
#include "dermis/deform.h"
#include "eigen_loop.h"
#include "skinned.h"

namespace dermis::bench {
namespace {

constexpr std::size_t kChains = 8, kChainJoints = 8, kJoints = kChains * kChainJoints;
constexpr unsigned kSeed = 1;
constexpr std::size_t kLongestRow = 30;

enum class Order { packed, file };
enum class JointSetKind { coherent, random };

struct Setting {
  std::size_t points = 100000;
  std::size_t influences = 4;   // of every point, or at most
  bool has_mixed_rows = false;  // from one influence to that many, varying from point to point
  int threads = 1;
  bool normals = true;
  Order order = Order::packed;
  bool is_rigid = true;
  JointSetKind joint_sets = JointSetKind::coherent;
};

// Eight tubes of eight joints, ring by ring. A point follows the nearest joints of its tube, slightly skewed,
// so that joint sets change within a ring, as on a limb.
Mesh made_mesh(const Setting& setting) {
  std::mt19937 random(kSeed);
  const std::size_t of_tube = (setting.points + kChains - 1) / kChains;
  const std::size_t of_ring = std::max<std::size_t>(8, static_cast<std::size_t>(std::sqrt(of_tube / 4)));
  Mesh mesh;
  WeightRowBuilder rows;
  for (std::size_t v = 0; v < setting.points; ++v) {
    const std::size_t tube = v / of_tube, in_tube = v % of_tube;
    const double angle = 2 * kPi * static_cast<double>(in_tube % of_ring) / static_cast<double>(of_ring);
    const std::size_t ring_start = in_tube - in_tube % of_ring;
    const double height = static_cast<double>(ring_start) / static_cast<double>(of_tube) * kChainJoints;
    const Vec3d outward{std::cos(angle), 0, std::sin(angle)};
    mesh.points.push_back(Vec3(outward * 0.3 + Vec3d{static_cast<double>(tube), height, 0}));
    mesh.normals.values.push_back(Vec3(outward));
    const double askew = height + 0.1 * outward.z;
    const std::size_t influences =
        setting.has_mixed_rows ? 1 + random() % setting.influences : setting.influences;
    // Rows longer than the number of joints in a tube continue in the next tube.
    const std::size_t last = kChainJoints - std::min(influences, kChainJoints);
    const double lowest =
        std::clamp(std::floor(askew - 0.5 * static_cast<double>(influences)), 0.0, static_cast<double>(last));
    for (std::size_t k = 0; k < influences; ++k) {
      const double apart = askew - (lowest + static_cast<double>(k) + 0.5);
      std::size_t slot = (tube * kChainJoints + static_cast<std::size_t>(lowest) + k) % kJoints;
      // A separate range of joints for each influence, so that none occurs twice.
      const std::size_t stretch = kJoints / influences;
      if (setting.joint_sets == JointSetKind::random) slot = k * stretch + random() % stretch;
      rows.add(static_cast<Index>(slot), static_cast<float>(std::exp(-apart * apart) + 0.01));
    }
    rows.close_row(1);
    // The four points that end here, if there are four.
    if (in_tube < of_ring || in_tube % of_ring == 0) continue;
    for (const std::size_t corner : {v - of_ring - 1, v - of_ring, v, v - 1})
      mesh.polygons.corners.push_back(static_cast<Index>(corner));
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.weights = rows.take();
  mesh.weld = weld_coincident(mesh.points);
  mesh.parts.push_back({0, static_cast<Index>(setting.points), 0, 0, kNone});
  if (setting.order == Order::packed) reorder_for_skinning(mesh);
  return mesh;
}

std::vector<Affined> made_palette(bool is_rigid) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> place(-1, 1);
  std::vector<Affined> palette;
  for (std::size_t j = 0; j < kJoints; ++j) {
    const Vec3d axis = normalized(Vec3d{place(random), place(random), place(random)});
    Mat3d linear = matrix_from_quat(quat_from_axis_angle(axis, place(random)));
    if (!is_rigid) linear = linear * diagonal(Vec3d{1.1, 0.9, 1.3});
    palette.push_back({linear, {place(random), place(random), place(random)}});
  }
  return palette;
}

// The joints of each chain turned about their own positions, one after the other, as on a character:
// scattered joints would tear the neighbourhoods that direct delta mush fits.
std::vector<Affined> bent_palette(bool is_rigid) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> place(-1, 1);
  std::vector<Affined> palette;
  Affined parent;
  for (std::size_t j = 0; j < kJoints; ++j) {
    if (j % kChainJoints == 0) parent = {};
    const std::size_t tube = j / kChainJoints, height = j % kChainJoints;
    const Vec3d pivot{static_cast<double>(tube), static_cast<double>(height), 0};
    const Vec3d axis = normalized(Vec3d{place(random), place(random), place(random)});
    const Mat3d turn = matrix_from_quat(quat_from_axis_angle(axis, 0.5 * place(random)));
    parent = parent * Affined(turn, pivot - turn * pivot);
    palette.push_back(parent);
    if (!is_rigid) palette.back().linear = parent.linear * diagonal(Vec3d{1.1, 0.9, 1.3});
  }
  return palette;
}

// Direct delta mush: its rows are made once for an order of points, then posed repeatedly.
class DirectSkinned {
 public:
  explicit DirectSkinned(const Setting& setting) {
    const Mesh mesh = made_mesh(setting);
    const DirectDeltaMush mush = prepare_direct_delta_mush(mesh).value();
    entries_ = static_cast<double>(mush.slots.size()) / static_cast<double>(setting.points);
    blocks_ = prepare_direct_delta_mush_blocks(mush).value();
    set_rest_blocks({mesh.points, mesh.normals.values, {}}, rest_);
    points_.resize(setting.points);
    normals_.resize(setting.points);
  }
  double entries() const { return entries_; }  // per point

  void run(std::span<const Affined> joints) {
    pack_direct_joints(joints, packed_);
    constexpr std::size_t kGrain = 64 * kRangePoints;
    parallel_for(blocks_.point_count, kGrain, [this](std::size_t begin, std::size_t end) {
      skin_direct_delta_mush(blocks_, packed_, rest_, {points_, normals_, {}}, {begin, end});
    });
  }

 private:
  double entries_ = 0;
  DirectDeltaMushBlocks blocks_;
  RestBlocks rest_;
  PackedDirectJoints packed_;
  AlignedVector<Vec3> points_, normals_;
};

// `run` poses all points once.
Record measured(const char* name, const Setting& setting, std::span<const Affined> joints,
                const Options& options, const std::function<void()>& run) {
  Setting plain = setting;
  plain.order = Order::file;
  plain.influences = kEigenInfluences;
  plain.has_mixed_rows = false;
  Yardstick yardstick(made_mesh(plain), joints, setting.normals);
  const std::size_t mean_row = setting.has_mixed_rows ? (setting.influences + 1) / 2 : setting.influences;
  Copy copy(setting.points, mean_row, setting.normals);
  const int before = thread_count();
  set_thread_count(setting.threads);
  const auto [own, eigen, copied] = time_skinning(setting.points, options, yardstick, copy, run);
  set_thread_count(before);
  const char* order = setting.order == Order::packed ? "packed" : "file";
  const char* palette = setting.is_rigid ? "rigid" : "affine";
  const char* sets = setting.joint_sets == JointSetKind::coherent ? "coherent" : "random";
  const std::string rows = fmt::format("{}{}", setting.has_mixed_rows ? "1 to " : "", setting.influences);
  Record record;
  record.text = fmt::format(
      "{:<11} {:>8} points  {:>7} influences  {} thread{}  {:<6} {:<6} {:<8} {:<7}  {:6.2f} ns  {:.3f} E (E "
      "{:.2f} ns)  {:.2f} copies",
      name, setting.points, rows, setting.threads, setting.threads == 1 ? " " : "s", order, palette, sets,
      setting.normals ? "normals" : "", own, own / eigen, eigen, own / copied);
  record.json = {{"name", name},
                 {"points", setting.points},
                 {"joints", kJoints},
                 {"influences", setting.influences},
                 {"mixed_rows", setting.has_mixed_rows},
                 {"threads", setting.threads},
                 {"normals", setting.normals},
                 {"order", order},
                 {"palette", palette},
                 {"joint_sets", sets},
                 {"target", kernel_target()},
                 {"ns_per_point", own},
                 {"eigen_ns_per_point", eigen},
                 {"copy_ns_per_point", copied},
                 {"ratio_to_eigen", own / eigen},
                 {"ratio_to_copy", own / copied}};
  return record;
}

// The settings every method is measured at; more for the two that everybody uses.
std::vector<Setting> settings_of(SkinKernel kernel) {
  std::vector<Setting> settings;
  const auto add = [&settings](const auto& change) {
    Setting setting;
    change(setting);
    settings.push_back(setting);
  };
  for (const Order order : {Order::packed, Order::file}) {
    add([order](Setting& s) { s.order = order; });
  }
  add([](Setting& s) { s.is_rigid = false; });
  add([](Setting& s) { s.points = 1000000; });
  add([](Setting& s) { s.points = 2000; });
  if (kernel != SkinKernel::lbs && kernel != SkinKernel::dqs) return settings;
  add([](Setting& s) { s.normals = false; });
  add([](Setting& s) {
    s.is_rigid = false;
    s.order = Order::file;
  });
  add([](Setting& s) { s.threads = 2; });
  add([](Setting& s) {
    s.points = 1000000;
    s.threads = 2;
  });
  add([](Setting& s) {
    s.joint_sets = JointSetKind::random;
    s.order = Order::file;
  });
  for (const std::size_t influences : {1u, 2u, 8u, 16u}) {
    add([influences](Setting& s) { s.influences = influences; });
  }
  for (const Order order : {Order::packed, Order::file}) {
    add([order](Setting& s) {
      s.order = order;
      s.influences = kLongestRow;
      s.has_mixed_rows = true;
    });
  }
  return settings;
}

Result<std::vector<Record>> bench_kernel(const char* name, SkinKernel kernel, const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    std::vector<Record> records;
    for (const Setting& setting : settings_of(kernel)) {
      const std::vector<Affined> joints = made_palette(setting.is_rigid);
      Skinned ours(kernel, made_mesh(setting), joints, setting.normals);
      records.push_back(measured(name, setting, joints, options, [&ours] { ours.run(); }));
    }
    return records;
  });
}

Result<std::vector<Record>> bench_direct_delta_mush(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    std::vector<Record> records;
    for (const std::size_t points : {100000u, 2000u}) {
      for (const Order order : {Order::packed, Order::file}) {
        Setting setting;
        setting.points = points;
        setting.order = order;
        DirectSkinned ours(setting);
        for (const bool is_rigid : {true, false}) {
          setting.is_rigid = is_rigid;
          const std::vector<Affined> joints = bent_palette(is_rigid);
          Record record = measured("direct_delta_mush", setting, joints, options, [&] { ours.run(joints); });
          record.text += fmt::format("  {:.1f} entries per point", ours.entries());
          record.json["entries_per_point"] = ours.entries();
          records.push_back(std::move(record));
        }
      }
    }
    return records;
  });
}

}  // namespace

bool can_bench(const StageRow& row) {
  const std::string_view name = row.name;
  // Rigid skinning is lbs with one influence, which is one of its settings.
  return row.phase == StagePhase::skin && name != "rigid" && (row.kernel || name == "direct_delta_mush");
}

Result<std::vector<Record>> bench_skin(const StageRow& row, const Options& options) {
  return row.kernel ? bench_kernel(row.name, *row.kernel, options) : bench_direct_delta_mush(options);
}

}  // namespace dermis::bench
