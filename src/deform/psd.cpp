// SPDX-License-Identifier: MIT
// Adds the correctives of pose spaces to the rest surface, weighed for the pose, or for the pose and point.
#include <algorithm>
#include <optional>

#include "deform/directions.h"
#include "deform/stages.h"

namespace dermis {
namespace {

// Joints that a point does not follow still count so much for it: otherwise examples that differ only in
// those would be at one pose.
constexpr double kLeastShare = 0.2;
// The sine of half a turn that counts as none.
constexpr double kStillTurn = 1e-7;

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

// A space on one mesh: a row for each point that some corrective moves.
struct SpaceRows {
  std::size_t number = 0;  // of the character's spaces
  std::size_t example_count = 0;
  std::vector<Index> points;
  std::vector<std::size_t> first;  // in `offsets`; one more than points
  std::vector<PointOffset> offsets;
  // If weights differ from point to point: for each point a share per joint, and coefficients.
  std::optional<PreparedPoseSpace> prepared;
  std::vector<double> shares, coefficients;
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

void set_rows(const Mesh& mesh, std::span<const Corrective> correctives, SpaceRows& own) {
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

// Solves the space for each point.
Status prepare_per_point(const StageInput& input, SpaceRows& own) {
  const PoseSpace& space = input.character->pose_spaces[own.number];
  Result<PreparedPoseSpace> made = prepare_pose_space(*input.character, space);
  if (!made) return made.error();
  own.prepared = std::move(*made);
  const PreparedPoseSpace& prepared = *own.prepared;
  const std::size_t joint_count = space.joints.size(), size = coefficient_count(prepared);
  own.shares.resize(own.points.size() * joint_count);
  own.coefficients.resize(own.points.size() * size);
  constexpr std::size_t kGrain = 64;
  parallel_for(own.points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::vector<double> amounts = followed(*input.character, input.mesh, space, own.points[k]);
      const std::span<double> shares = std::span(own.shares).subspan(k * joint_count, joint_count);
      for (std::size_t j = 0; j < joint_count; ++j)
        shares[j] = prepared.shares[j] * (kLeastShare + (1 - kLeastShare) * amounts[j]);
      if (!solve_coefficients(prepared, shares, std::span(own.coefficients).subspan(k * size, size)))
        std::copy(prepared.shares.begin(), prepared.shares.end(), shares.begin());
    }
  });
  return Done{};
}

struct PsdState final : StageState {
  std::vector<double> measured;      // of one space per point
  std::vector<float> point_weights;  // of its points, one per example
};

// `values` plus the offsets of each point. `weights` has one entry per example, or one for each point and
// example. Summed in double, rounded once; directions that were moved are normalised again.
template <class Value>
void add_correctives(const Mesh& mesh, const SpaceRows& own, std::span<const float> weights,
                     std::vector<Vec3> Shape::*offsets, bool is_direction, std::span<Value> values) {
  const std::size_t stride = own.prepared ? own.example_count : 0;
  for (std::size_t k = 0; k < own.points.size(); ++k) {
    Value& value = values[at(own.points[k])];
    Vec3d sum(direction_in(value));
    bool is_moved = false;
    for (std::size_t o = own.first[k]; o < own.first[k + 1]; ++o) {
      const PointOffset& offset = own.offsets[o];
      const std::vector<Vec3>& added = mesh.shapes[offset.shape].*offsets;
      const float weight = weights[k * stride + offset.example];
      if (weight == 0 || added.empty()) continue;
      sum += Vec3d(added[offset.entry]) * static_cast<double>(weight);
      is_moved = true;
    }
    if (is_moved) replace_direction(value, Vec3(is_direction ? normalized(sum) : sum));
  }
}

class PsdStage final : public Stage {
 public:
  explicit PsdStage(const StageInput& input) : mesh_(mesh_of(input)) {}

  Status prepare(const StageInput& input) {
    const std::vector<PoseSpace>& spaces = input.character->pose_spaces;
    for (std::size_t k = 0; k < spaces.size(); ++k) {
      const std::vector<Corrective> correctives = correctives_of(mesh_, spaces[k]);
      if (correctives.empty()) continue;
      SpaceRows& own = spaces_.emplace_back();
      own.number = k;
      own.example_count = spaces[k].examples.size();
      set_rows(mesh_, correctives, own);
      // Without a skin no point follows a joint.
      if (!spaces[k].is_per_point || !input.is_skinned) continue;
      if (Status s = prepare_per_point(input, own); !s) return s;
    }
    return Done{};
  }

  std::unique_ptr<StageState> make_state() const override { return std::make_unique<PsdState>(); }

  bool is_idle(const PoseFrame& frame, Index /*instance*/) const override {
    const auto is_zero = [](float weight) { return weight == 0; };
    return std::all_of(spaces_.begin(), spaces_.end(), [&](const SpaceRows& own) {
      // Points may have a weight where the space as a whole has none.
      if (own.prepared) return is_at_rest(*own.prepared, frame);
      const std::vector<float>& weights = frame.example_weights[own.number];
      return std::all_of(weights.begin(), weights.end(), is_zero);
    });
  }

  Status apply(const PoseFrame& frame, Surface& surface, StageState& state_) const override {
    PsdState& state = static_cast<PsdState&>(state_);
    for (const SpaceRows& own : spaces_) {
      if (own.prepared) weigh_points(own, frame, state);
      add(own, own.prepared ? state.point_weights : frame.example_weights[own.number], surface);
    }
    return Done{};
  }

 private:
  static bool is_at_rest(const PreparedPoseSpace& space, const PoseFrame& frame) {
    for (std::size_t j = 0; j < space.rest.size(); ++j) {
      const Quatd turn = rotation_from_rest(space.rest[j], frame.local[at(space.space.joints[j].node)]);
      if (length(turn.xyz()) > kStillTurn) return false;
    }
    return true;
  }

  static void weigh_points(const SpaceRows& own, const PoseFrame& frame, PsdState& state) {
    const PreparedPoseSpace& space = *own.prepared;
    const std::size_t joint_count = space.shares.size(), size = coefficient_count(space);
    state.measured.resize(joint_count * space.sample_count());
    state.point_weights.resize(own.points.size() * own.example_count);
    measure_pose(space, frame.local, state.measured);
    const auto weigh_point = [&](std::size_t k) {
      weigh_examples(space, std::span(own.shares).subspan(k * joint_count, joint_count),
                     std::span(own.coefficients).subspan(k * size, size), state.measured,
                     std::span(state.point_weights).subspan(k * own.example_count, own.example_count));
    };
    // The closure is one reference, which std::function stores without allocating.
    constexpr std::size_t kGrain = 64;
    parallel_for(own.points.size(), kGrain, [&weigh_point](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) weigh_point(k);
    });
  }

  void add(const SpaceRows& own, std::span<const float> weights, Surface& surface) const {
    const std::size_t count = mesh_.points.size();
    add_correctives<Vec3>(mesh_, own, weights, &Shape::offsets, false,
                          std::span(surface.points).first(count));
    if (mesh_.normals.is_per_point() && !surface.normals.empty())
      add_correctives<Vec3>(mesh_, own, weights, &Shape::normals, true,
                            std::span(surface.normals).first(count));
    if (mesh_.tangents.is_per_point() && !surface.tangents.empty())
      add_correctives<Vec4>(mesh_, own, weights, &Shape::tangents, true,
                            std::span(surface.tangents).first(count));
  }

  const Mesh& mesh_;
  std::vector<SpaceRows> spaces_;
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
