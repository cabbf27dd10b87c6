// SPDX-License-Identifier: MIT
// Adds the correctives of pose spaces to the rest surface, weighed for the pose, or for the pose and point.
#include <algorithm>
#include <cassert>

#include "deform/shape_sums.h"
#include "deform/stages.h"

namespace dermis {
namespace {

// Joints that a point does not follow still count so much for it: otherwise examples that differ only in
// those would be at one pose.
constexpr double kLeastShare = 0.2;

// The example of a space as a shape of the mesh.
struct Corrective {
  std::size_t example = 0, shape = 0;
};

std::vector<Corrective> correctives_of(const Mesh& mesh, const PoseSpace& space) {
  std::vector<Corrective> found;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const std::string label = shape_label(mesh, s);
    for (std::size_t e = 0; e < space.examples.size(); ++e)
      if (space.examples[e].shape == label) found.push_back({e, s});
  }
  return found;
}

// One offset of a corrective at a point.
struct PointOffset {
  std::size_t example = 0, shape = 0, entry = 0;  // of the shape's points
};

// A space whose weights differ from point to point, on one mesh: a row for each point that some corrective
// moves.
struct PointSpace {
  PreparedPoseSpace prepared;
  std::size_t number = 0;  // of the character's spaces
  std::vector<Index> points;
  std::vector<std::size_t> first;  // in `offsets`; one more than points
  std::vector<PointOffset> offsets;
  std::vector<double> shares;        // of each point, one per joint
  std::vector<double> coefficients;  // of each point
};

// How much each point follows each joint of the space: its weight on the joint, in any skin of an instance
// that shows the mesh first.
std::vector<double> followed(const Character& character, Index mesh, const PoseSpace& space, Index point) {
  std::vector<double> amounts(space.joints.size(), 0.0);
  for (const Instance& instance : character.instances) {
    if (instance.mesh != mesh || instance.skin == kNone) continue;
    const Skin& skin = character.skins[at(instance.skin)];
    for (const Influence& influence : character.meshes[at(mesh)].weights.row(at(point)))
      for (std::size_t j = 0; j < space.joints.size(); ++j)
        if (skin.node[at(influence.slot)] == space.joints[j].node)
          amounts[j] += static_cast<double>(influence.weight);
    break;
  }
  // A point that follows none of the joints measures like the others.
  if (std::all_of(amounts.begin(), amounts.end(), [](double a) { return a == 0; }))
    std::fill(amounts.begin(), amounts.end(), 1.0);
  return amounts;
}

void set_rows(const Mesh& mesh, std::span<const Corrective> correctives, PointSpace& own) {
  std::vector<std::vector<PointOffset>> rows(mesh.points.size());
  for (const Corrective& c : correctives) {
    const Shape& shape = mesh.shapes[c.shape];
    for (std::size_t k = 0; k < shape.points.size(); ++k)
      rows[at(shape.points[k])].push_back({c.example, c.shape, k});
  }
  own.first = {0};
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (rows[v].empty()) continue;
    own.points.push_back(static_cast<Index>(v));
    own.offsets.insert(own.offsets.end(), rows[v].begin(), rows[v].end());
    own.first.push_back(own.offsets.size());
  }
}

Result<PointSpace> prepare_point_space(const StageInput& input, std::size_t number,
                                       std::span<const Corrective> correctives) {
  const PoseSpace& space = input.character->pose_spaces[number];
  Result<PreparedPoseSpace> prepared = prepare_pose_space(*input.character, space);
  if (!prepared) return prepared.error();
  PointSpace own{std::move(*prepared), number, {}, {}, {}, {}, {}};
  set_rows(mesh_of(input), correctives, own);
  const std::size_t joint_count = space.joints.size(), size = coefficient_count(own.prepared);
  own.shares.resize(own.points.size() * joint_count);
  own.coefficients.resize(own.points.size() * size);
  constexpr std::size_t kGrain = 64;
  parallel_for(own.points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::vector<double> amounts = followed(*input.character, input.mesh, space, own.points[k]);
      const std::span<double> shares = std::span(own.shares).subspan(k * joint_count, joint_count);
      for (std::size_t j = 0; j < joint_count; ++j)
        shares[j] = own.prepared.shares[j] * (kLeastShare + (1 - kLeastShare) * amounts[j]);
      if (!solve_coefficients(own.prepared, shares, std::span(own.coefficients).subspan(k * size, size)))
        std::copy(own.prepared.shares.begin(), own.prepared.shares.end(), shares.begin());
    }
  });
  return own;
}

struct PsdState final : StageState {
  ShapeSums sums;
  std::vector<float> shape_weights;
  std::vector<double> measured;      // of one space per point
  std::vector<float> point_weights;  // of its points, one per example
};

// `values` plus the offsets of each point of the space, with its own weights.
template <class Value>
void add_point_offsets(const Mesh& mesh, const PointSpace& own, std::span<const float> weights,
                       std::vector<Vec3> Shape::*offsets, bool is_direction, std::span<Value> values) {
  const std::size_t example_count = own.prepared.space.examples.size();
  for (std::size_t k = 0; k < own.points.size(); ++k) {
    Value& value = values[at(own.points[k])];
    Vec3d sum(direction_of_value(value));
    bool is_moved = false;
    for (std::size_t o = own.first[k]; o < own.first[k + 1]; ++o) {
      const PointOffset& offset = own.offsets[o];
      const std::vector<Vec3>& added = mesh.shapes[offset.shape].*offsets;
      const float weight = weights[k * example_count + offset.example];
      if (weight == 0 || added.empty()) continue;
      sum += Vec3d(added[offset.entry]) * static_cast<double>(weight);
      is_moved = true;
    }
    if (is_moved) set_direction(value, Vec3(is_direction ? normalized(sum) : sum));
  }
}

class PsdStage final : public Stage {
 public:
  PsdStage(const StageInput& input) : mesh_(mesh_of(input)) {}

  Status prepare(const StageInput& input) {
    const std::vector<PoseSpace>& spaces = input.character->pose_spaces;
    for (std::size_t k = 0; k < spaces.size(); ++k) {
      std::vector<Corrective> correctives = correctives_of(mesh_, spaces[k]);
      if (correctives.empty()) continue;
      // Without a skin no point follows a joint.
      if (!spaces[k].is_per_point || !input.is_skinned) {
        whole_.push_back({k, std::move(correctives)});
        continue;
      }
      Result<PointSpace> own = prepare_point_space(input, k, correctives);
      if (!own) return own.error();
      per_point_.push_back(std::move(*own));
    }
    return Done{};
  }

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<PsdState>(); }

  bool is_idle(const PoseFrame& frame, Index /*instance*/) const override {
    const auto is_zero = [](float weight) { return weight == 0; };
    const bool has_weight = std::any_of(whole_.begin(), whole_.end(), [&](const WholeSpace& space) {
      const std::vector<float>& weights = frame.example_weights[space.number];
      return !std::all_of(weights.begin(), weights.end(), is_zero);
    });
    // Points may have a weight where the space as a whole has none.
    return !has_weight && std::all_of(per_point_.begin(), per_point_.end(),
                                      [&](const PointSpace& own) { return is_at_rest(own, frame); });
  }

  Status apply(const PoseFrame& frame, Surface& surface, StageState& state_) const override {
    PsdState& state = static_cast<PsdState&>(state_);
    if (!whole_.empty()) {
      state.shape_weights.assign(mesh_.shapes.size(), 0);
      for (const WholeSpace& space : whole_)
        for (const Corrective& c : space.correctives)
          state.shape_weights[c.shape] += frame.example_weights[space.number][c.example];
      add_shapes(mesh_, state.shape_weights, surface, state.sums);
    }
    for (const PointSpace& own : per_point_) add_per_point(own, frame, surface, state);
    return Done{};
  }

 private:
  struct WholeSpace {
    std::size_t number = 0;
    std::vector<Corrective> correctives;
  };

  static bool is_at_rest(const PointSpace& own, const PoseFrame& frame) {
    const PreparedPoseSpace& space = own.prepared;
    for (std::size_t j = 0; j < space.rest.size(); ++j) {
      const Quatd turn = rotation_from_rest(space.rest[j], frame.local[at(space.space.joints[j].node)]);
      if (length(turn.xyz()) > 1e-7) return false;
    }
    return true;
  }

  void add_per_point(const PointSpace& own, const PoseFrame& frame, Surface& surface, PsdState& state) const {
    const PreparedPoseSpace& space = own.prepared;
    const std::size_t joint_count = space.shares.size(), example_count = space.space.examples.size();
    const std::size_t size = coefficient_count(space);
    state.measured.resize(joint_count * space.sample_count());
    state.point_weights.resize(own.points.size() * example_count);
    measure_pose(space, frame.local, state.measured);
    for_points(own.points.size(), [&](std::size_t k) {
      weigh_examples(space, std::span(own.shares).subspan(k * joint_count, joint_count),
                     std::span(own.coefficients).subspan(k * size, size), state.measured,
                     std::span(state.point_weights).subspan(k * example_count, example_count));
    });
    const std::size_t count = mesh_.points.size();
    add_point_offsets<Vec3>(mesh_, own, state.point_weights, &Shape::offsets, false,
                            std::span(surface.points).first(count));
    if (mesh_.normals.is_per_point() && !surface.normals.empty())
      add_point_offsets<Vec3>(mesh_, own, state.point_weights, &Shape::normals, true,
                              std::span(surface.normals).first(count));
    if (mesh_.tangents.is_per_point() && !surface.tangents.empty())
      add_point_offsets<Vec4>(mesh_, own, state.point_weights, &Shape::tangents, true,
                              std::span(surface.tangents).first(count));
  }

  // In parallel; the closure is one reference, which std::function stores without allocating.
  template <class Work>
  static void for_points(std::size_t count, const Work& work) {
    constexpr std::size_t kGrain = 64;
    parallel_for(count, kGrain, [&work](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) work(k);
    });
  }

  const Mesh& mesh_;
  std::vector<WholeSpace> whole_;
  std::vector<PointSpace> per_point_;
};

}  // namespace

bool has_correctives(const Character& character, Index mesh) {
  return std::any_of(character.pose_spaces.begin(), character.pose_spaces.end(), [&](const PoseSpace& space) {
    return !correctives_of(character.meshes[at(mesh)], space).empty();
  });
}

Result<PreparedStage> prepare_psd(const StageInput& input, const Progress& /*progress*/) {
  auto stage = std::make_shared<PsdStage>(input);
  if (Status good = stage->prepare(input); !good) return good.error();
  return PreparedStage{std::move(stage), {}};
}

}  // namespace dermis
