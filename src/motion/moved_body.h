// SPDX-License-Identifier: MIT
// The moving target of a retargeting: world rotations of its joints, frame by frame, and the resulting
// positions.
#pragma once

#include "motion/samples.h"

namespace dermis {

// A foot further from the floor than this fraction of the leg, above or below, stands on something else.
inline constexpr double kNearFloor = 0.15;

// One moment: world rotations of the moved joints, and the position of the hips.
struct BodyFramePose {
  std::vector<Quatd> rotation;
  Vec3d hips;
};

// A joint that ends a limb but is attached elsewhere, as feet of control rigs are to the root: it follows the
// limb, as in the common pose.
struct CarriedJoint {
  Index joint = kNone, carrier = kNone;
  Vec3d place;  // from the carrier, along its axes, in world units
  Quatd turn;   // in the frame of the carrier
};
// Hands, feet and toes that are not below forearm, shin and foot.
std::vector<CarriedJoint> carried_joints(const Character& target, const RoleMap& roles,
                                         const ReferencePose& reference);

// Forward kinematics over the moved joints and their ancestors. Joints in between keep their rest pose;
// carried joints that are not moved keep their pose relative to their carrier.
class MovedBody {
 public:
  // `moved`: nodes with a rotation, no duplicates; `hips` is one of them.
  MovedBody(const Character& target, const std::vector<Index>& moved, Index hips,
            std::vector<CarriedJoint> carried = {});

  const std::vector<Index>& moved() const { return moved_; }
  const std::vector<CarriedJoint>& carried() const { return carried_; }
  Index slot_of(Index node) const { return slot_of_[at(node)]; }  // into `moved`, kNone: not moved
  // Poses all nodes; place(), rotation(), carried_to() and the local ones then refer to that moment.
  void pose(const BodyFramePose& frame);
  Vec3d place(Index node) const { return world_[at(node)].translation; }
  const Quatd& rotation(Index node) const { return turn_[at(node)]; }
  // A point in the frame of a node, in the world.
  Vec3d carried_to(Index node, const Vec3d& point) const { return world_[at(node)] * point; }
  // The rotation of a moved or carried joint in its parent's frame.
  Quatd local_rotation(Index node) const;
  Vec3d local_translation(Index node) const;
  // The direction from a joint to a node below it or carried by it, in the joint's own frame, with everything
  // in between at rest; zero if it is neither.
  Vec3d bone(Index joint, Index below) const;

 private:
  struct Rest {
    Affined local;
    Quatd turn;
  };
  // Parents and carriers first.
  void find_order();
  const CarriedJoint* carried_at(Index node) const {
    return ride_of_[at(node)] == kNone ? nullptr : &carried_[at(ride_of_[at(node)])];
  }

  const Character& target_;
  std::vector<CarriedJoint> carried_;
  std::vector<Index> moved_, slot_of_, order_;
  std::vector<Index> ride_of_;  // into `carried`; kNone: attached to its own parent
  Index hips_ = kNone;
  std::vector<Rest> rest_;
  std::vector<Affined> world_;
  std::vector<Quatd> turn_;
};

// ---- Planted feet ---------------------------------------------------------------------------------------

// The roles of one leg. Front legs of animals are arms, and have no toes: `toe` is then `foot`.
struct LegRoles {
  JointRole upper = JointRole::thigh_l, lower = JointRole::shin_l;
  JointRole foot = JointRole::foot_l, toe = JointRole::toe_l;
  bool is_front() const { return toe == foot; }
};
// Left and right; for four-legged bodies the hind legs first.
std::span<const LegRoles> leg_roles(bool has_four);

// A run of frames in which a point of a foot stands still on the ground.
struct Contact {
  Index joint = kNone;  // of the source: an ankle or a toe
  JointRole role = JointRole::foot_l;
  std::size_t first = 0, last = 0;  // frames, both included
};
// Compares height and speed of ankles and toes with thresholds relative to the leg, lower ones to start and
// higher ones to end (hysteresis). `floor` is the height of standing ankles along `up`; toes and front feet
// stand where they come down. While an ankle stands, the toe of that foot is not listed; contacts of one foot
// do not overlap and are in order.
std::vector<Contact> find_contacts(const BodySamples& samples, const RoleMap& roles,
                                   std::span<const LegRoles> legs, const Vec3d& up, double leg, double floor);

struct Leg;
struct FootLock {
  std::span<const Leg> legs;
  std::span<const Contact> contacts;
  Vec3d up;
  double leg = 0;    // of the target
  double floor = 0;  // height of the target's standing ankles
  bool is_loop = false;
};
// Keeps planted feet in place: hips are lowered where a leg would not reach, legs are bent by two-bone
// inverse kinematics, with smooth blends before and after. Feet keep their world rotation.
void lock_feet(MovedBody& body, const ReferencePose& reference, const FootLock& lock, double fps,
               std::vector<BodyFramePose>& frames);

// The longest distance a planted point moves over the ground, in the target's units.
double longest_slide(MovedBody& body, const RoleMap& roles, std::span<const Contact> contacts,
                     const Vec3d& up, const std::vector<BodyFramePose>& frames);

// ---- The trunk --------------------------------------------------------------------------------------------

struct TrunkTilt {
  Index source = kNone, target = kNone;  // the hips
  Quatd source_start;                    // their rotation in the source's common pose
  Vec3d source_up;                       // of the body in that pose
  Quatd target_rest;
};
// By how much the trunk's lean from its rest differs from the source's lean from the common pose: degrees,
// the median of all frames.
double median_tilt(const TrunkTilt& trunk, const BodySamples& samples, MovedBody& body,
                   const std::vector<BodyFramePose>& frames);

// ---- Hinges -----------------------------------------------------------------------------------------------

// Elbows and knees over all frames: those bent by more than ten degrees in both bodies, and those of them
// that bend to another side than the source's. `turn` maps the source's world to the target's.
struct HingeCount {
  std::size_t bent = 0, flipped = 0;
};
HingeCount count_hinges(const BodySamples& samples, const RoleMap& source, MovedBody& body,
                        const RoleMap& target, const Quatd& turn, const std::vector<BodyFramePose>& frames);

}  // namespace dermis
