// SPDX-License-Identifier: MIT
// The weights of helper joints: shares of those they help.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bind/helper_joints.h"
#include "bind/row_cut.h"

namespace dermis {
namespace {

// A helper gets no weight below this: it moves a point by less than a thousandth of what the helper moves.
constexpr double kLeastHelp = 1e-3;
// What files and engines have room for.
constexpr std::size_t kUsualInfluences = 4;
// How far from the middle of a bone a bulge reaches, as a fraction of its length.
constexpr double kBulgeReach = 0.45;
// Where both bones have half of the weight, a half-angle joint takes all but half of this. Without it, the
// share has a kink there, which shows as a crease.
constexpr double kHalfRounding = 0.5;

double sum_in(const LooseRow& row, const std::vector<bool>& is_in) {
  double sum = 0;
  for (const SlotWeight& one : row)
    if (is_in[at(one.slot)]) sum += one.weight;
  return sum;
}

void scale_in(LooseRow& row, const std::vector<bool>& is_in, double factor) {
  for (SlotWeight& one : row)
    if (is_in[at(one.slot)]) one.weight *= factor;
}

double weight_at(const LooseRow& row, Index slot) {
  for (const SlotWeight& one : row)
    if (one.slot == slot) return one.weight;
  return 0;
}

// The share of a half-angle joint where the lower of two bones has `below` of their weight, at most twice the
// smaller of both shares: then it takes as much from either, and the mean angle stays.
double half_share(double below) {
  const double aside = std::abs(1 - 2 * below);
  const double rounded =
      aside < kHalfRounding ? aside * aside / (2 * kHalfRounding) + kHalfRounding / 2 : aside;
  return 1 - rounded;
}

double smooth_step(double t) {
  const double x = std::clamp(t, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

double place_along(const Vec3d& place, const Vec3d& along) {
  return std::clamp(dot(place, along) / dot(along, along), 0.0, 1.0);
}

// Between which two stations of a bone a place is, and how far towards the later one.
struct StationShare {
  int before = 0;
  double after = 0;
};

StationShare station_share(double place, double weight, TwistSpread spread, int count) {
  // The joint itself is the first station, or the last, or none of them.
  const int lowest = spread == TwistSpread::next ? 0 : 1;
  const int highest = spread == TwistSpread::own ? count + 1 : count;
  const double station =
      std::clamp(place * (count + 1), static_cast<double>(lowest), static_cast<double>(highest));
  StationShare share;
  share.before = static_cast<int>(station);
  share.after = station - share.before;
  if (share.after * weight < kLeastHelp)
    share.after = 0;
  else if ((1 - share.after) * weight < kLeastHelp)
    share.after = 1;
  return share;
}

}  // namespace

HelperRows::HelperRows(Character& character) : character_(character) {
  std::map<Index, std::set<Index>> skins_of;
  for (const Instance& instance : character.instances)
    if (instance.skin != kNone) skins_of[instance.mesh].insert(instance.skin);
  for (const auto& [m, skins] : skins_of) {
    const Mesh& mesh = character.meshes[at(m)];
    if (mesh.weights.empty()) continue;
    if (skins.size() > 1) {
      notes_.push_back(
          {Note::Kind::loss, "helpers-several-skins",
           "a mesh that is shown with several skins keeps its weights, so no helper joint moves it", "mesh",
           m});
      continue;
    }
    MeshRows& loose = meshes_.emplace_back();
    loose.mesh = m, loose.skin = *skins.begin();
    loose.rows.resize(mesh.points.size());
    loose.is_changed.resize(mesh.points.size(), false);
    for (std::size_t v = 0; v < loose.rows.size(); ++v) {
      for (const Influence& one : mesh.weights.row(v))
        loose.rows[v].push_back({one.slot, static_cast<double>(one.weight)});
      loose.longest = std::max(loose.longest, loose.rows[v].size());
    }
  }
}

std::vector<bool> HelperRows::slots_of(const MeshRows& mesh, std::span<const Index> joints) const {
  const std::vector<Index>& nodes = character_.skins[at(mesh.skin)].node;
  std::vector<bool> is_in(nodes.size());
  for (std::size_t s = 0; s < nodes.size(); ++s)
    is_in[s] = std::find(joints.begin(), joints.end(), nodes[s]) != joints.end();
  return is_in;
}

Index HelperRows::slot_of(const MeshRows& mesh, Index joint) const {
  const std::vector<Index>& nodes = character_.skins[at(mesh.skin)].node;
  const auto found = std::find(nodes.begin(), nodes.end(), joint);
  return found == nodes.end() ? kNone : static_cast<Index>(found - nodes.begin());
}

double HelperRows::weight_of(std::span<const Index> joints) const {
  double sum = 0;
  for (const MeshRows& mesh : meshes_) {
    const std::vector<bool> is_in = slots_of(mesh, joints);
    for (const LooseRow& row : mesh.rows) sum += sum_in(row, is_in);
  }
  return sum;
}

double HelperRows::shared_weight(std::span<const Index> above, std::span<const Index> below) const {
  double sum = 0;
  for (const MeshRows& mesh : meshes_) {
    const std::vector<bool> is_above = slots_of(mesh, above), is_below = slots_of(mesh, below);
    for (const LooseRow& row : mesh.rows) sum += std::min(sum_in(row, is_above), sum_in(row, is_below));
  }
  return sum;
}

std::optional<Vec3d> HelperRows::middle_of(Index joint, std::span<const Index> family) const {
  Vec3d sum;
  double weights = 0;
  for (const MeshRows& mesh : meshes_) {
    const Index slot = slot_of(mesh, joint);
    if (slot == kNone) continue;
    const Affined joint_from_bind(character_.skins[at(mesh.skin)].inverse_bind[at(slot)]);
    const std::vector<bool> is_in = slots_of(mesh, family);
    const std::vector<Vec3>& points = character_.meshes[at(mesh.mesh)].points;
    for (std::size_t v = 0; v < mesh.rows.size(); ++v) {
      const double weight = sum_in(mesh.rows[v], is_in);
      if (weight == 0) continue;
      sum += joint_from_bind * Vec3d(points[v]) * weight;
      weights += weight;
    }
  }
  if (!(weights > 0) || !is_finite(sum)) return std::nullopt;
  return sum * (1 / weights);
}

void HelperRows::take_half(std::span<const Index> above, std::span<const Index> below, Index half) {
  for (MeshRows& mesh : meshes_) {
    const Index slot = slot_of(mesh, half);
    if (slot == kNone) continue;
    const std::vector<bool> is_above = slots_of(mesh, above), is_below = slots_of(mesh, below);
    for (std::size_t v = 0; v < mesh.rows.size(); ++v) {
      LooseRow& row = mesh.rows[v];
      const double a = sum_in(row, is_above), b = sum_in(row, is_below), both = a + b;
      if (!(a > 0 && b > 0)) continue;
      const double taken = both * half_share(b / both);
      if (taken < kLeastHelp) continue;
      scale_in(row, is_above, std::max(a - taken / 2, 0.0) / a);
      scale_in(row, is_below, std::max(b - taken / 2, 0.0) / b);
      row.push_back({slot, taken});
      mesh.is_changed[v] = true;
    }
  }
}

template <class Share>
void HelperRows::take_share(std::span<const Index> taken, Index helper, const Share& share) {
  for (MeshRows& mesh : meshes_) {
    const Index slot = slot_of(mesh, helper);
    if (slot == kNone) continue;
    const std::vector<bool> is_taken = slots_of(mesh, taken);
    for (std::size_t v = 0; v < mesh.rows.size(); ++v) {
      LooseRow& row = mesh.rows[v];
      const double weight = sum_in(row, is_taken);
      const double part = weight > 0 ? share(mesh, v, weight) : 0;
      if (part * weight < kLeastHelp) continue;
      scale_in(row, is_taken, 1 - part);
      row.push_back({slot, part * weight});
      mesh.is_changed[v] = true;
    }
  }
}

void HelperRows::take_bulge(Index joint, const Vec3d& along, std::span<const Index> family, Index bulge) {
  take_share(family, bulge, [&](const MeshRows& mesh, std::size_t v, double) {
    const Index slot = slot_of(mesh, joint);
    const Affined joint_from_bind(character_.skins[at(mesh.skin)].inverse_bind[at(slot)]);
    const Vec3d place = joint_from_bind * Vec3d(character_.meshes[at(mesh.mesh)].points[v]);
    const double aside = (place_along(place, along) - 0.5) / kBulgeReach;
    const double bump = std::max(1 - aside * aside, 0.0);
    return bump * bump;
  });
}

void HelperRows::take_breath(std::span<const Index> family, Index breath) {
  take_share(family, breath, [](const MeshRows&, std::size_t, double weight) { return smooth_step(weight); });
}

std::vector<bool> HelperRows::used_stations(Index joint, const Vec3d& along, TwistSpread spread,
                                            int count) const {
  std::vector<bool> is_used(static_cast<std::size_t>(count) + 2);
  for (const MeshRows& mesh : meshes_) {
    const Index own = slot_of(mesh, joint);
    if (own == kNone) continue;
    const Affined joint_from_bind(character_.skins[at(mesh.skin)].inverse_bind[at(own)]);
    const std::vector<Vec3>& points = character_.meshes[at(mesh.mesh)].points;
    for (std::size_t v = 0; v < mesh.rows.size(); ++v) {
      const double weight = weight_at(mesh.rows[v], own);
      if (!(weight > 0)) continue;
      const StationShare place =
          station_share(place_along(joint_from_bind * Vec3d(points[v]), along), weight, spread, count);
      if (place.after < 1) is_used[static_cast<std::size_t>(place.before)] = true;
      if (place.after > 0) is_used[static_cast<std::size_t>(place.before) + 1] = true;
    }
  }
  return is_used;
}

void HelperRows::take_twist(Index joint, const Vec3d& along, TwistSpread spread,
                            std::span<const Index> twists) {
  const int count = static_cast<int>(twists.size());
  for (MeshRows& mesh : meshes_) {
    const Index own = slot_of(mesh, joint);
    if (own == kNone) continue;
    const auto slot_at = [&](int station) {
      return station < 1 || station > count ? own
                                            : slot_of(mesh, twists[static_cast<std::size_t>(station - 1)]);
    };
    const Affined joint_from_bind(character_.skins[at(mesh.skin)].inverse_bind[at(own)]);
    const std::vector<Vec3>& points = character_.meshes[at(mesh.mesh)].points;
    for (std::size_t v = 0; v < mesh.rows.size(); ++v) {
      LooseRow& row = mesh.rows[v];
      const double weight = weight_at(row, own);
      if (!(weight > 0)) continue;
      const StationShare place =
          station_share(place_along(joint_from_bind * Vec3d(points[v]), along), weight, spread, count);
      std::erase_if(row, [&](const SlotWeight& one) { return one.slot == own; });
      if (place.after < 1) row.push_back({slot_at(place.before), weight * (1 - place.after)});
      if (place.after > 0) row.push_back({slot_at(place.before + 1), weight * place.after});
      mesh.is_changed[v] = true;
    }
  }
}

Status HelperRows::finish(AddedHelpers& added, const Progress& progress) {
  added.notes.insert(added.notes.end(), notes_.begin(), notes_.end());
  for (std::size_t m = 0; m < meshes_.size(); ++m) {
    if (Status going =
            progress.at("refitting weights", static_cast<double>(m) / static_cast<double>(meshes_.size()));
        !going)
      return going;
    MeshRows& mesh = meshes_[m];
    const auto changed =
        static_cast<std::size_t>(std::count(mesh.is_changed.begin(), mesh.is_changed.end(), true));
    if (changed == 0) continue;
    AddedHelpers::Mesh& report = added.meshes.emplace_back();
    report.mesh = mesh.mesh, report.point_count = changed, report.longest_before = mesh.longest;
    const std::size_t most = std::max(mesh.longest, kUsualInfluences);
    const RowCut cut(character_.nodes, character_.skins[at(mesh.skin)]);
    WeightRows& old_rows = character_.meshes[at(mesh.mesh)].weights;
    std::vector<std::vector<Influence>> rows(mesh.rows.size());
    for (std::size_t v = 0; v < rows.size(); ++v) {
      const std::span<const Influence> old_row = old_rows.row(v);
      if (!mesh.is_changed[v]) {
        rows[v].assign(old_row.begin(), old_row.end());
      } else {
        std::map<Index, double> wanted;
        for (const SlotWeight& one : mesh.rows[v])
          if (one.weight > 0) wanted[one.slot] += one.weight;
        if (wanted.size() > most) {
          ++report.cut_count;
          wanted = cut.cut(wanted, most, 0);
        }
        LooseRow row;
        for (const auto& [slot, weight] : wanted) row.push_back({slot, weight});
        rows[v] = settled_row(old_row, row, {});
      }
      report.longest_after = std::max(report.longest_after, rows[v].size());
    }
    old_rows = joined_rows(rows);
  }
  // How many points follow each helper.
  for (AddedHelper& helper : added.joints) {
    for (const MeshRows& mesh : meshes_) {
      const Index slot = slot_of(mesh, helper.node);
      if (slot == kNone) continue;
      const std::vector<Influence>& all = character_.meshes[at(mesh.mesh)].weights.influences;
      helper.point_count += static_cast<std::size_t>(
          std::count_if(all.begin(), all.end(), [&](const Influence& one) { return one.slot == slot; }));
    }
  }
  return Done{};
}

}  // namespace dermis
