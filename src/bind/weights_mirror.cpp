// SPDX-License-Identifier: MIT
// Gives one side of a mesh the weights of the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bind/weights_rows.h"

namespace dermis {
namespace {

// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;
// Weights of a row that differ by no more in total are the same: they were scaled in another order.
constexpr double kRounding = 1e-6;

// One point of a body, in its own mesh.
struct PartPoint {
  const SkinnedBody::Part* part = nullptr;
  std::size_t point = 0;
};
PartPoint part_of(const SkinnedBody& body, std::size_t point) {
  const auto after =
      std::upper_bound(body.parts.begin(), body.parts.end(), point,
                       [](std::size_t p, const SkinnedBody::Part& part) { return p < part.first_point; });
  const SkinnedBody::Part& part = *std::prev(after);
  return {&part, point - part.first_point};
}

// Turns rows of any part of a body into mirrored rows of one of them.
class RowMirror {
 public:
  RowMirror(const MirrorSides::Body& sides, const SkinnedBody::Part& target)
      : sides_(sides), slot_of_joint_(sides.body.joints.node.size(), kNone) {
    for (std::size_t s = target.joint.size(); s-- > 0;)
      slot_of_joint_[at(target.joint[s])] = static_cast<Index>(s);
  }

  // Appends the row, as it is or mirrored. False if the target's skin lacks one of its joints, or the partner
  // of one; its node is then added to `unpaired`.
  bool add(std::span<const Influence> row, const SkinnedBody::Part& from, bool is_mirrored,
           std::vector<SlotWeight>& wanted, std::vector<Index>& unpaired) const {
    bool is_whole = true;
    for (const Influence& one : row) {
      const Index joint = from.joint[at(one.slot)];
      const Index asked = is_mirrored ? sides_.joints->mirror[at(joint)] : joint;
      const Index slot = asked == kNone ? kNone : slot_of_joint_[at(asked)];
      if (slot == kNone) {
        unpaired.push_back(sides_.body.joints.node[at(joint)]);
        is_whole = false;
      }
      wanted.push_back({slot, static_cast<double>(one.weight)});
    }
    return is_whole;
  }

 private:
  const MirrorSides::Body& sides_;
  std::vector<Index> slot_of_joint_;
};

// Which points are written, and from where.
class WrittenSide {
 public:
  WrittenSide(const MirrorSides::Body& sides, MirrorDirection direction)
      : sides_(sides), read_side_(direction == MirrorDirection::left_to_right ? 1 : -1) {}

  bool is_middle(std::size_t p) const { return sides_.points.image[p] == sides_.body.weld[p]; }
  bool is_on_written_side(std::size_t p) const { return side(p) < 0; }
  // Takes the row of its image. Not if that itself takes another's: two steps would then differ from one.
  bool is_written(std::size_t p) const {
    return is_below_image(p) && !is_below_image(at(sides_.points.image[p]));
  }

 private:
  // Positive where rows are read.
  double side(std::size_t p) const {
    return read_side_ * sides_.joints->plane.side(Vec3d(sides_.body.points[p]));
  }
  bool is_below_image(std::size_t p) const {
    const Index image = sides_.points.image[p];
    return image != kNone && !is_middle(p) && side(p) < side(at(image));
  }

  const MirrorSides::Body& sides_;
  double read_side_;
};

// The row that a point gets; its own if that is the same up to rounding.
std::vector<Influence> mirrored_row(std::span<const Influence> own, std::vector<SlotWeight>& wanted,
                                    const SlotLocks& locks) {
  merge_slots(wanted);
  std::vector<Influence> row = settled_row(own, wanted, locks);
  if (row_distance(row, own) <= kRounding) row.assign(own.begin(), own.end());
  return row;
}

MirroredWeights mirror_part(const Character& character, const MirrorSides::Body& sides,
                            const SkinnedBody::Part& part, const MirrorOptions& options) {
  const SkinnedBody& body = sides.body;
  const Mesh& mesh = character.meshes[at(part.mesh)];
  const RowMirror rows_mirror(sides, part);
  const WrittenSide written(sides, options.direction);
  MirroredWeights result;
  std::vector<std::vector<Influence>> rows(mesh.points.size());
  std::vector<SlotWeight> wanted;
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    const std::size_t here = part.first_point + v;
    const std::span<const Influence> own = mesh.weights.row(v);
    rows[v].assign(own.begin(), own.end());
    if (!is_chosen(options.points, v)) continue;
    const bool is_middle = written.is_middle(here);
    if (!is_middle && !written.is_written(here)) {
      const bool is_unpaired = sides.points.image[here] == kNone && written.is_on_written_side(here);
      if (is_unpaired) result.unpaired.push_back(static_cast<Index>(v));
      continue;
    }
    const auto image = at(sides.points.image[here]);
    const PartPoint source = is_middle ? PartPoint{&part, v} : part_of(body, image);
    const std::span<const Influence> read = character.meshes[at(source.part->mesh)].weights.row(source.point);
    wanted.clear();
    bool is_whole = rows_mirror.add(read, *source.part, true, wanted, result.unpaired_joints);
    // The row of a point in the middle is made even, for itself and for those that read it.
    if (written.is_middle(image))
      is_whole = rows_mirror.add(read, *source.part, false, wanted, result.unpaired_joints) && is_whole;
    if (!is_whole) {
      result.unpaired.push_back(static_cast<Index>(v));
      continue;
    }
    rows[v] = mirrored_row(own, wanted, options.locks);
    ++(is_middle ? result.middle_count : result.mirrored_count);
    result.walked_count += sides.points.match[here] == MirrorMatch::walked ? 1 : 0;
    result.other_mesh_count += source.part == &part ? 0 : 1;
  }
  std::sort(result.unpaired_joints.begin(), result.unpaired_joints.end());
  result.unpaired_joints.erase(std::unique(result.unpaired_joints.begin(), result.unpaired_joints.end()),
                               result.unpaired_joints.end());
  result.rows = joined_rows(rows);
  return result;
}

Error no_sides() {
  return {
      Errc::bad_argument,
      "no joints of its skin name a left and a right side (hand_L and hand_R, LeftHand and RightHand), so "
      "there is nothing to mirror by; rename them first"};
}

}  // namespace

Result<MirrorSides> prepare_mirror(const Character& character) {
  return without_throwing("pairing left and right", [&]() -> Result<MirrorSides> {
    MirrorSides sides;
    for (SkinnedBody& body : skinned_bodies(character)) {
      MirrorSides::Body& one = sides.bodies.emplace_back();
      one.body = std::move(body);
      Box box;
      for (const Vec3& p : one.body.points) box.add(Vec3d(p));
      const double size = box.diagonal();
      if (one.body.points.empty() || !(size < kHuge)) continue;
      const std::optional<MirrorPlane> between = plane_between_sides(character, one.body.joints, size);
      if (!between) continue;
      one.joints = mirror_skin(character, one.body.joints, fit_mirror_plane(one.body.points, *between), size);
      one.points = pair_mirror_points(one.body.points, one.body.weld, one.body.polygons.first,
                                      one.body.polygons.corners, one.joints->plane);
    }
    return sides;
  });
}

Result<MirroredWeights> mirrored_weights(const Character& character, const MirrorSides& sides,
                                         Index mesh_index, const MirrorOptions& options) {
  return without_throwing("mirroring weights", [&]() -> Result<MirroredWeights> {
    for (const MirrorSides::Body& body : sides.bodies) {
      for (const SkinnedBody::Part& part : body.body.parts) {
        if (part.mesh != mesh_index) continue;
        if (!body.joints) return no_sides();
        return mirror_part(character, body, part, options);
      }
    }
    return Error{Errc::bad_argument, fmt::format("mesh {} has no weights under a skin",
                                                 quoted_name(character.meshes[at(mesh_index)].name))};
  });
}

}  // namespace dermis
