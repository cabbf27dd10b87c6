// SPDX-License-Identifier: MIT
// Drivers and rules of shapes, prepared for posing.
#pragma once

#include <vector>

#include "dermis/motion.h"

namespace dermis {

// A rotation from rest that drivers read, followed along clips: as a rotation vector, so that it can exceed
// half a turn.
struct FollowedTurn {
  Index node = kNone;
  RotationPart part = RotationPart::whole;
  Vec3d axis;  // unit; of swing and twist

  // Where it is at some moments of a clip, so close to each other that the nearest candidate is the right
  // one. Empty: it stays within half a turn.
  struct Track {
    std::vector<double> times;
    std::vector<Vec3d> turns;
    Vec3d at(double time) const;
  };
  std::vector<Track> tracks{};  // of each clip; shorter if the others are empty
};

// A factor of a driven value.
struct DrivenInput {
  const DriverFactor* factor = nullptr;
  Index turn = kNone;  // into `turns`
  Vec3d axis;          // unit
  // For shapes: which shape of each instance it reads, or kNone; the first instance that has one; limits.
  std::vector<Index> shape_of{};
  Index first_instance = kNone;
  double low = 0, high = 0;
};
struct DrivenTerm {
  const Driver* driver = nullptr;
  std::vector<DrivenInput> inputs{};  // of a value
  Index turn = kNone;                 // of a rotation, into `turns`
  Mat3d node_from_source;             // of a rotation: from the source's frame at rest to the node's
  Vec3d axis;                         // of a value; of an aim, the target at rest along the node's own axes
};
struct ShapeOfInstance {
  std::size_t instance = 0, shape = 0;
};
// One value with all drivers that write it.
struct DrivenStep {
  enum class Kind : std::uint8_t { turn, aim, translation, scale, shape } kind = Kind::turn;
  Index node = kNone;
  std::vector<DrivenTerm> terms{};
  const std::string* label = nullptr;  // of a shape
  std::vector<ShapeOfInstance> shapes{};
};

// A shape with limits and targets along its weight, on one instance.
struct ShapeStops {
  std::size_t instance = 0, shape = 0;
  double low = 0, high = 0;
  struct Stop {
    double weight = 0;
    Index shape = kNone;  // kNone: the neutral
    const std::string* label = nullptr;
  };
  std::vector<Stop> stops{};  // weights increase; neutral and the shape itself are among them
};

struct DrivenPlan {
  std::vector<NodeParts> written;  // by drivers, of each node; empty: nothing
  std::vector<DrivenStep> steps;   // in the order of evaluation
  std::vector<FollowedTurn> turns;
  // In-betweens and correctives: their weights come from rules and pose spaces only.
  struct Reserved {
    const std::string* label = nullptr;
    std::vector<ShapeOfInstance> shapes{};
  };
  std::vector<Reserved> reserved;
  std::vector<ShapeStops> rules;
};

// Sets poser.driven if there is something to drive. Turns are followed along `clip`, or along all clips if it
// is kNone.
Status prepare_driven(Poser& poser, Index clip);

// Local poses and weights of shapes as drivers set them, on top of clip and pose.
void apply_drivers(const Poser& poser, const PoseRequest& request, PoseFrame& frame);
// Makes the weights of shapes those that are shown.
void apply_shape_rules(const Poser& poser, const PoseRequest& request, PoseFrame& frame);

// The local pose of a node as a matrix.
Affined local_matrix(const Poser& poser, const PoseFrame& frame, Index node);

// The rotation vector of `rotation`, of any length, that is nearest to `reference`.
Vec3d log_near(const Quatd& rotation, const Vec3d& reference);
// A part of a rotation from rest, as log_near gives it. Swing and twist about `axis` as in Dobrowolski,
// "Swing- twist decomposition in Clifford algebra" (2015): rotation = swing * twist.
Vec3d part_near(const Quatd& rotation, RotationPart part, const Vec3d& axis, const Vec3d& reference);

// The value of a curve.
double curve_at(const DriverCurve& curve, double input);

}  // namespace dermis
