// SPDX-License-Identifier: MIT
// The plan of a built-in character: a sculpture, its joints with their weights, and how it moves.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "made/sculpture.h"

namespace dermis {

// ---- Joints -------------------------------------------------------------------------------------------

// Where a joint's influence begins: a soft plane, and optionally a soft border to other limbs. The product of
// both is how much a point belongs to the joint or its descendants.
struct Cut {
  Vec3d normal;      // unit, points away from the parent
  double shift = 0;  // of the plane from the joint along the normal, metres
  double band = 0;   // half-width of the soft step, metres
  // A point is on this chain if it is nearer to it than to every rival, softly within `border` metres.
  std::string chain;  // of the sculpture; empty: no border
  std::vector<std::string> rivals;
  double border = 0;
  // Only points of the parent can belong to this joint: true for all joints of a limb except the first.
  bool is_within_parent = false;
  // Replaces the plane if that is not enough: how much a point belongs to the joint, 0 to 1.
  std::function<double(const Vec3d& point)> own;
};

// Joint frames are parallel to the world at rest: a rotation about x is a rotation about the world's x.
struct JointPlan {
  std::string name;
  std::string parent;  // empty: the root, which owns every point that no other joint claims
  Vec3d at;            // world, metres
  Cut cut;
};

// ---- Motion -------------------------------------------------------------------------------------------

// How a quantity changes through one loop, from 0 to 1 and back unless stated otherwise.
enum class Wave {
  sine,   // from -1 to 1, 0 at the start
  bump,   // up once and back, still at both ends
  kick,   // a bump in the first half, then still
  pulse,  // a quick bump in the first quarter, then still
};
double wave_value(Wave wave, double turns);

// Part of a joint's rotation; several on one joint are multiplied in order, the first outermost.
struct Swing {
  std::string joint;
  Vec3d axis;
  Wave wave = Wave::sine;
  double degrees = 0;  // at the wave's maximum
  double phase = 0;    // delay of the wave, as a fraction of a loop
  double offset_degrees = 0;
  int cycles = 1;  // in one loop
};
// Likewise for a joint's position and for a blend shape's weight.
struct Bob {
  std::string joint;
  Vec3d reach;
  Wave wave = Wave::sine;
  double phase = 0;
  int cycles = 1;
};
struct ShapeSwing {
  std::string shape;
  Wave wave = Wave::bump;
  double height = 1;
  double phase = 0;
};

struct ClipPlan {
  std::string name;
  double seconds = 2;
  std::vector<Swing> swings;
  std::vector<Bob> bobs;
  std::vector<ShapeSwing> shapes;
};

// ---- ShapeBlend shapes
// -------------------------------------------------------------------------------------

// Offsets as a function of the rest point.
struct ShapePlan {
  std::string name;
  std::function<Vec3d(const Vec3d& point)> offset;
};

// ---- The whole ----------------------------------------------------------------------------------------

struct BodyPlan {
  std::string name;
  Sculpture sculpture;
  bool is_mirrored = true;
  // The coarsest cell that still resolves the thinnest gap: smaller meshes are simplified from this one.
  double feature_cell = 0.003;
  std::vector<JointPlan> joints;  // parents first
  ClipPlan clip;
  std::vector<ShapePlan> shapes;
};

BodyPlan plan_arm();
BodyPlan plan_humanoid();
BodyPlan plan_quadruped();
BodyPlan plan_hand();
BodyPlan plan_face();
// The tube is exact: rings and fans instead of a sampled surface. `point_count` is at least 1,000.
SurfaceMesh tube_surface(std::size_t point_count);
BodyPlan plan_tube();

// ---- From plan to character ---------------------------------------------------------------------------

// Nodes and one skin with a slot per joint, in the order of the plan.
void add_skeleton(const BodyPlan& plan, Character& character);
// Weights at each point: at most kMaxInfluences, cut continuously.
inline constexpr std::size_t kMaxInfluences = 4;
WeightRows weights_of(const BodyPlan& plan, std::span<const Vec3d> points);
// Samples the clip plan into channels. Shapes belong to instance 0.
Clip clip_of(const BodyPlan& plan, const Character& character);

}  // namespace dermis
