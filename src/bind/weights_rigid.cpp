// SPDX-License-Identifier: MIT
// Shells that follow one joint: buttons, buckles and eyes that should not bend.
#include <map>

#include "bind/weights_rows.h"

namespace dermis {
namespace {

// One shell: its points, and how much they follow each joint.
struct ShellWeights {
  std::vector<std::size_t> points;
  std::map<Index, double> total;
  bool is_whole = true, has_locks = false;
};

std::vector<ShellWeights> shell_weights(const Mesh& mesh, const WeightRows& rows, const SlotLocks& locks,
                                        const PointChoice& points) {
  const std::vector<Index> shell =
      shells_of_welded_points(mesh.weld, mesh.polygons.first, mesh.polygons.corners);
  std::vector<ShellWeights> shells;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const Index number = shell[v];
    if (number == kNone) continue;
    if (at(number) >= shells.size()) shells.resize(at(number) + 1);
    ShellWeights& one = shells[at(number)];
    one.points.push_back(v);
    one.is_whole = one.is_whole && is_chosen(points, v);
    for (const Influence& influence : rows.row(v)) {
      one.total[influence.slot] += static_cast<double>(influence.weight);
      one.has_locks = one.has_locks || is_locked(locks, influence.slot);
    }
  }
  return shells;
}

// Of equals the lowest.
Index heaviest_slot(const std::map<Index, double>& total) {
  Index heaviest = total.begin()->first;
  for (const auto& [slot, weight] : total) heaviest = weight > total.at(heaviest) ? slot : heaviest;
  return heaviest;
}

}  // namespace

RigidShells rigid_shells(const Mesh& mesh, const WeightRows& rows, const SlotLocks& locks,
                         const PointChoice& points) {
  RigidShells rigid;
  std::vector<std::vector<Influence>> changed(mesh.points.size());
  for (std::size_t v = 0; v < changed.size(); ++v) changed[v].assign(rows.row(v).begin(), rows.row(v).end());
  for (const ShellWeights& shell : shell_weights(mesh, rows, locks, points)) {
    if (!shell.is_whole) continue;
    ++(shell.has_locks ? rigid.locked_count : rigid.shell_count);
    if (shell.has_locks) continue;
    const Influence whole{heaviest_slot(shell.total), 1};
    for (const std::size_t v : shell.points) changed[v] = {whole};
  }
  rigid.rows = joined_rows(changed);
  return rigid;
}

}  // namespace dermis
