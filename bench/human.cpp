// SPDX-License-Identifier: MIT
// The comparison from the literature: five methods on a human, with time and scalars per joint.
#include <fmt/format.h>

#include "bench.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "skinned.h"

namespace dermis::bench {
namespace {

struct Compared {
  SkinKernel kernel;
  const char* name;
  const char* abbreviation;  // in the literature
  int scalars;               // of a joint that does not stretch
};
constexpr Compared kCompared[] = {{SkinKernel::lbs, "lbs", "LBS", 12},
                                  {SkinKernel::quaternion, "quaternion", "QB", 7},
                                  {SkinKernel::log_matrix, "log_matrix", "log", 6},
                                  {SkinKernel::spherical, "spherical", "SBS", 7},
                                  {SkinKernel::dqs, "dqs", "DLB", 8}};

// The built-in humanoid in the middle of its walk, in file order.
Result<std::vector<Record>> compared_at(std::size_t points, const Options& options) {
  Result<Character> human = make_character(MadeKind::humanoid, {points});
  if (!human) return human.error();
  const Result<PoseFrame> frame = pose_frame(*human, {0, 0.5, nullptr});
  if (!frame) return frame.error();
  const std::span<const Affined> joints = frame->palette_of(0);
  const Mesh& mesh = human->meshes[0];
  const double influences =
      static_cast<double>(mesh.weights.influences.size()) / static_cast<double>(mesh.points.size());
  Yardstick yardstick(mesh, joints, true);
  Copy copy(mesh.points.size(), 4, true);
  std::vector<Record> records;
  const int before = thread_count();
  set_thread_count(1);
  for (const Compared& row : kCompared) {
    Skinned ours(row.kernel, mesh, joints, true);
    const auto [own, eigen, copied] =
        time_skinning(mesh.points.size(), options, yardstick, copy, [&ours] { ours.run(); });
    Record record;
    record.text = fmt::format(
        "human       {:<10} ({:<3}) {:>8} points  {} joints  {:.1f} influences  {:>2} scalars per joint  "
        "{:6.2f} ns  {:.3f} E (E {:.2f} ns)  {:.2f} copies",
        row.name, row.abbreviation, mesh.points.size(), joints.size(), influences, row.scalars, own,
        own / eigen, eigen, own / copied);
    record.json = {{"name", row.name},
                   {"mesh", "human"},
                   {"points", mesh.points.size()},
                   {"joints", joints.size()},
                   {"influences", influences},
                   {"threads", 1},
                   {"normals", true},
                   {"order", "file"},
                   {"palette", "rigid"},
                   {"joint_sets", "coherent"},
                   {"target", kernel_target()},
                   {"scalars_per_joint", row.scalars},
                   {"ns_per_point", own},
                   {"eigen_ns_per_point", eigen},
                   {"copy_ns_per_point", copied},
                   {"ratio_to_eigen", own / eigen},
                   {"ratio_to_copy", own / copied}};
    records.push_back(std::move(record));
  }
  set_thread_count(before);
  return records;
}

}  // namespace

Result<std::vector<Record>> bench_human(const Options& options) {
  return without_throwing("measuring", [&]() -> Result<std::vector<Record>> {
    std::vector<Record> records;
    for (const std::size_t points : {20000u, 1000000u}) {
      Result<std::vector<Record>> at_size = compared_at(points, options);
      if (!at_size) return at_size.error();
      records.insert(records.end(), at_size->begin(), at_size->end());
    }
    return records;
  });
}

}  // namespace dermis::bench
