// SPDX-License-Identifier: MIT
// From clips and poses to PoseFrame: the state of every node, joint and shape at one moment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"
#include "dermis/motion/pose_space.h"

namespace dermis {

// The local pose of a node, after clip, pose and drivers.
struct LocalPose {
  Transform transform;
  bool is_replaced = false;  // translation, rotation or scale was set: a rest matrix is no longer used
  Quatd turn;                // parent_from_node = transform (or rest matrix) * turn
  NodeParts posed;           // what the pose has set, so that no driver writes it
};

// Everything a deformer needs to know about one moment. Kept in double: chains of joints are long, and
// kernels round once when they pack the palette.
struct PoseFrame {
  double time = 0;
  std::vector<LocalPose> local;           // of each node
  std::vector<Affined> parent_from_node;  // the same as matrices
  std::vector<Affined> world_from_node;
  // Palettes of all skins, concatenated: skin s has palette[palette_first[s] .. palette_first[s + 1]), one
  // entry per slot, world_from_bind = world_from_joint * joint_from_bind.
  std::vector<Affined> palette;
  std::vector<std::size_t> palette_first;
  // One list per instance: the weights that are shown, after drivers, limits and in-betweens. Those of the
  // correctives of pose spaces are zero: the stage psd adds them.
  std::vector<std::vector<float>> shape_weights;
  std::vector<float> controls;
  std::vector<std::vector<float>> example_weights;  // of each pose space, one per example

  std::span<const Affined> palette_of(Index skin) const {
    const std::size_t s = static_cast<std::size_t>(skin);
    return {palette.data() + palette_first[s], palette.data() + palette_first[s + 1]};
  }
};

// What to pose: a clip at a given time, or rest if clip is kNone; then a pose on top.
struct PoseRequest {
  Index clip = kNone;
  double time = 0;             // seconds; clamped to the first and the last key
  const Pose* pose = nullptr;  // not owned; may be null
};

// A character prepared for posing: everything that is the same in all frames. Refers to the character, which
// must outlive it unchanged. Threads may share one.
struct PoseNames;
struct DrivenPlan;
struct Poser {
  const Character* character = nullptr;
  std::vector<Index> parents_first;          // the order of kinematics
  std::vector<Affined> parent_from_rest;     // of each node
  std::vector<Affined> joint_from_bind;      // of each slot, all skins concatenated
  std::vector<std::size_t> palette_first;    // as in PoseFrame
  std::shared_ptr<const PoseNames> names;    // the names of nodes, shapes and controls in poses
  std::shared_ptr<const DrivenPlan> driven;  // what drivers, rules of shapes and pose spaces need; null: none
};
// Linear in nodes, slots and shapes, and in the keys of the rotations that drivers read: these are followed
// along each clip. The character must be valid. Fails as prepare_pose_space does.
Result<Poser> prepare_poser(const Character& character);

// The only path to a PoseFrame: the clip, then the pose, drivers, forward kinematics over the forest, for any
// node order, then the weights of examples and rules of shapes. Does not allocate if `frame` was posed by the
// same poser before. Fails if the pose names a node, shape or control that the character does not have (with
// the nearest name) or has a number that is not finite, if the clip does not exist, or if the time is not a
// number; the contents of `frame` are then undefined. A node with a rest matrix keeps it until a channel or
// the pose sets its translation, rotation or scale; from then on its rest TRS is used, with the set values
// replaced. A turn is multiplied to the result: parent_from_node = local * turn. What drivers write is not
// taken from the clip; if the pose sets it, that wins, and a turn in the pose comes on top. Angles and
// rotations that drivers read are followed continuously from the first key of the clip, so they can exceed
// half a turn; poses without a clip give angles up to half a turn. Linear in nodes, slots, keys and drivers.
Status pose(const Poser& poser, const PoseRequest& request, PoseFrame& frame);

// prepare_poser and pose in one call, for a single frame.
Result<PoseFrame> pose_frame(const Character& character, const PoseRequest& request);

// World transforms of the rest pose (rest matrices where the file has them), one per node. The same as
// pose_frame without clip and pose, so what drivers write is theirs.
std::vector<Affined> rest_world(const Character& character);

// ---- Range of motion ------------------------------------------------------------------------------------

// The axis a joint is turned about, determined by the joint's direction: towards the mean of its children; if
// it has none or they lie on all sides, away from its parent; else up (+Y).
enum class Movement {
  bend,   // about the first of the world's x and y that is more than 37 degrees from the direction, made
          // perpendicular to it: knees and backs bend forward and back, and so do outstretched arms
  side,   // about the perpendicular to both
  twist,  // about the direction
};
const char* name_of(Movement movement);  // "bend"

// One joint turned, all others at rest.
struct RangePose {
  std::string name;  // "elbow_L bend +60": label of the node, movement, degrees
  Index node = kNone;
  Movement movement = Movement::bend;
  double angle = 0;  // radians
  Vec3d axis;        // unit, in the joint's own frame
  Pose pose;         // the turn, relative to rest
};

// The standard poses for judging skins: for each joint, in node order, bend by 60 and -60 degrees, side by 30
// and -30, twist by 45 and -45. Joints are the nodes of skins that some point follows, and their ancestors
// that belong to a skin; joints that move no point, and joints that drivers move, are left out. The same on
// every machine except for rounding.
std::vector<RangePose> range_of_motion(const Character& character);

// True if the last pose of a clip equals its first, as in loops: nodes within a ten-thousandth of the
// skeleton's size, shapes exactly.
bool ends_as_it_starts(const Character& character, Index clip);

// ---- Inverse kinematics ---------------------------------------------------------------------------------

// A limb of two segments, in any one space: shoulder, elbow, wrist, or hip, knee, ankle.
struct TwoBoneLimb {
  Vec3d root, middle, end;
};
// Rotations of the two segments in that space, relative to the old pose: a joint at `root` gets the world
// rotation upper * old, one at `middle` lower * old. Anything attached to the end is not rotated to
// compensate.
struct TwoBoneTurns {
  Quatd upper, lower;
};
// Moves the end to `target`, or as near as the lengths allow (law of cosines). The middle joint ends up on
// the side of `pole`, a direction of any length; a zero pole, or one parallel to the line to the target,
// keeps the side it was on. Segments are rotated no more than needed: first bent in their own plane, then
// swung to the target, then twisted to the pole; the straighter the limb, the more of that twist becomes
// bending across instead. A limb without length is not rotated. Closed form, cannot fail.
TwoBoneTurns solve_two_bone(const TwoBoneLimb& limb, const Vec3d& target, const Vec3d& pole = {});

// How far a joint of a chain may turn from its rest rotation. The twist is about the direction to the next
// joint; the swing is the remaining rotation.
struct TurnLimit {
  Quatd rest;              // local rotation that both angles are measured from
  double max_swing = kPi;  // radians, 0 to pi
  double max_twist = kPi;  // likewise
};
struct ChainLink {
  Vec3d offset;    // of the joint in the previous joint's frame; for the first joint in the chain's frame
  Quatd rotation;  // local; unit
  TurnLimit limit;
};
struct ChainOptions {
  int max_rounds = 64;
  double tolerance = 1e-4;  // as a fraction of the chain's length
};
// Turns the joints of a chain so that `tip`, a point in the last joint's frame, reaches `target`, a point in
// the chain's frame: cyclic coordinate descent (Wang, Chen 1991) from the last joint to the first, limits
// enforced after each step. Rotations are changed in place and end within their limits, even if they started
// outside. Returns the remaining distance.
double solve_chain(std::span<ChainLink> chain, const Vec3d& tip, const Vec3d& target,
                   const ChainOptions& options = {});

// The world rotation, by at most `max_angle` radians, that points direction `ahead` of an object at `from` at
// `target`. The shortest rotation; a target directly behind is reached by a half turn about `up`.
Quatd look_at(const Vec3d& from, const Vec3d& ahead, const Vec3d& up, const Vec3d& target,
              double max_angle = kPi);

// ---- Joint roles ----------------------------------------------------------------------------------------

// The parts of a body that motions are transferred between. The front legs of a four-legged body are its
// arms.
enum class JointRole : std::uint8_t {
  hips,
  spine,
  neck,
  head,  // spine: from above the hips to where the arms begin
  shoulder_l,
  upper_arm_l,
  forearm_l,
  hand_l,
  thumb_l,
  index_l,
  middle_l,
  ring_l,
  pinky_l,
  thigh_l,
  shin_l,
  foot_l,
  toe_l,
  shoulder_r,
  upper_arm_r,
  forearm_r,
  hand_r,
  thumb_r,
  index_r,
  middle_r,
  ring_r,
  pinky_r,
  thigh_r,
  shin_r,
  foot_r,
  toe_r,
};
inline constexpr std::size_t kRoleCount = 30;

struct RoleRow {
  JointRole role;
  const char* name;   // "upper_arm_L"
  bool is_chain;      // may be several joints in a chain
  const char* words;  // words in names of such joints; empty: found by position only
};
// All roles, in the order of the enum.
std::span<const RoleRow> joint_roles();
const char* name_of(JointRole role);
// By name; Errc::bad_argument suggests the nearest.
Result<JointRole> find_role(std::string_view name);

// The joints of each role: none, one, or for chains several from the trunk outwards. No joint appears twice.
struct RoleMap {
  std::array<std::vector<Index>, kRoleCount> joints;

  const std::vector<Index>& of(JointRole role) const { return joints[static_cast<std::size_t>(role)]; }
  std::vector<Index>& of(JointRole role) { return joints[static_cast<std::size_t>(role)]; }
  // The first joint of a role; kNone if it has none.
  Index first(JointRole role) const { return of(role).empty() ? kNone : of(role).front(); }
  std::size_t count() const;  // number of roles that have a joint
};

struct MappedJoints {
  RoleMap roles;
  bool is_by_structure = false;  // limbs were found by their shape, because names did not identify them
  Notes notes;
};
// The roles of a character's joints. By name first: words in the name and side markers, as used by Mixamo,
// CMU, MakeHuman, Unreal, VRM, 3ds Max, Blender and Rigify, in any spelling; front and hind for four-legged
// bodies. Trunk and neck lie between the limbs and need no names. If names identify no pair of limbs, by
// structure: the two pairs of branches that are named left and right, or that are similar and mirror each
// other about the trunk. Where they attach distinguishes the pairs; the direction of the feet distinguishes
// left from right. Joints are those of the skins, or, if there is no skin, all nodes without a mesh; controls
// and helpers, recognised by name, are left out. Fails if neither hips nor limbs are found, or if legs found
// by structure end above the hips (+Y), or with cancelled. Linear in the joints, except by structure, which
// compares the branches of a joint with each other.
Result<MappedJoints> map_joints(const Character& character, const Progress& progress = {});

// ---- Retargeting ----------------------------------------------------------------------------------------

// Which joint of the target moves like which joint of the source.
struct MotionMap {
  RoleMap source, target;
  std::vector<std::pair<Index, Index>> pairs;  // additional joints, source and target
};
// Maps both by role; joints without a role that have the same name become pairs. If names identify no limbs
// but are mostly equal: joint by joint. Without a body: hands by fingers, equal names, or chain along chain.
// Fails as map_joints does.
struct MappedMotion {
  MotionMap map;
  Notes notes;
};
Result<MappedMotion> map_motion(const Character& source, const Character& target,
                                const Progress& progress = {});

// True if the clip moves at least three joints of a skeleton, and all that it moves rest at one place: an
// export that lost the lengths of bones.
bool has_no_lengths(const Character& motion, Index clip);
// Such a motion on the skeleton of the character that it is for: the clip on joints of the same names. Fails
// if fewer than half of them have one. A note reports it.
Result<Character> with_lent_skeleton(const Character& motion, Index clip, const Character& target,
                                     Notes& notes);

struct RetargetOptions {
  double fps = 0;            // 0: the clip's own if its keys are evenly spaced, 30 otherwise
  bool is_loop = false;      // keeps the best cycle and makes its ends meet
  bool is_in_place = false;  // removes travel over the ground
  bool locks_feet = true;    // planted feet stay in place, and no limb sinks into the floor or the trunk
  std::string name;          // of the new clip; empty: that of the source clip
};
struct RetargetFigures {
  double fps = 0, seconds = 0;
  std::size_t frame_count = 0;
  double scale = 1;   // target length / source length, from the legs
  double height = 0;  // of the target's joints, in its units
  std::size_t contact_count = 0;
  // The longest distance a planted foot slides over the ground, as a fraction of the height: as transferred,
  // and after feet were locked.
  double slide_carried = 0, slide = 0;
  // How far soles (or ankles, heels and toes if there is no surface) sink below their level in the
  // character's standing pose, as a fraction of the height: as transferred, and after feet were locked.
  double sink_carried = 0, sink = 0;
  // The same for the rest of the body: hands, head, knees, elbows, trunk, below the level of the soles in the
  // standing pose. What hands hold does not count, nor what the source has far below its own floor.
  double body_sink_carried = 0, body_sink = 0;
  std::string sinking_part;  // the label of the joint that `body_sink` is about; empty: none sinks visibly
  // Elbows and knees bent by more than ten degrees in both source and target, counted over limbs and frames,
  // and those of them that bend the opposite way to the source's.
  std::size_t hinge_count = 0, flipped_count = 0;
  // How much the lean of the trunk from its rest differs from that of the source's from the common pose:
  // degrees, the median of all frames.
  double tilt = 0;
  // By how much arms are held further from the body than in the source, at most: degrees.
  double arm_turn = 0;
  // Left and right of arms and of legs are on opposite sides of the target, and not of the source: a map that
  // exchanges one pair.
  bool has_exchanged_sides = false;
  bool has_other_legs = false;  // one of source and target stands on two legs, the other on four
  bool has_t_pose = false;      // the first frame was a T-pose and was left out
};
struct RetargetedClip {
  // For the target: rotations, and translations of the hips. Hands and feet that are not children of their
  // limbs also get translations, which make them follow their limbs.
  Clip clip;
  RetargetFigures figures;
  Notes notes;
};
// Transfers clip `clip` of `source` to `target`. From a common pose, every joint rotates in the world like
// its counterpart. The common pose is the bind pose if skins give one, otherwise rest; for clips that start
// with a T-pose it is that T-pose. Arms and legs point in the same directions as the source's, whatever the
// joint axes, rest poses, up axes and facing (found from the skeletons). Distances over the ground and
// heights scale with the legs. Planted feet, found by height and speed (all four if both bodies have four
// legs), are locked by two-bone inverse kinematics. Knees keep their side; almost straight ones bend forward,
// and those of animals bend as they do for most of the motion. Feet that would sink into the floor are lifted
// and levelled by as much as their surface sinks; if hands, head, knees or the trunk would, the body is
// raised, as long as planted feet reach the floor, and arms are bent. Arms that would be inside the surface
// of trunk, head or thighs are held further out. Both characters must be valid; the target is not changed.
// Without hips in both, only rotations are carried. Fails without such a clip, if the rate is invalid, or if
// no joint is mapped once.
Result<RetargetedClip> retarget_clip(const Character& source, Index clip, const Character& target,
                                     const MotionMap& map, const RetargetOptions& options = {},
                                     const Progress& progress = {});

// ---- Straight rest poses -------------------------------------------------------------------------------

// Arms point to the sides, level or 45 degrees down.
enum class StraightArms : std::uint8_t { t, a };
// "T-pose", "A-pose".
const char* name_of(StraightArms arms);

struct StraightBody {
  std::vector<Node> nodes;    // those of the character, with the straight rest
  double largest_turn = 0;    // degrees, of a joint in the world
  Index most_turned = kNone;  // that joint; kNone: none turned
  double largest_bend = 0;    // degrees, of a joint relative to its parent
  Index most_bent = kNone;    // that joint
  bool is_four_legged = false;
  std::vector<Index> feet;  // ankles whose soles were made level, by the surface
};
// Arms, legs, feet, hands, fingers, trunk and head of a body in the world space of its rest pose, +Y up. The
// bones of arms lie on one line, across the body or 45 degrees down; those of legs point straight down, feet
// ahead, with level soles (the longest edge below the points that follow a foot); bones of trunk and neck
// stand upright, and hips and chest face ahead; the head keeps a small tilt. Elbows and knees
// that are bent determine how upper arms and thighs twist; palms face down if fingers are mapped, fingers are
// extended in the plane of the palm. Bodies on four legs: a level trunk, legs with the bends of the
// straighter one of each pair, paws of all four at one height. Lengths of bones do not change, the lowest
// sole keeps its height, and both sides get the same directions, mirrored; joints without a role follow their
// parents. What the body faces is kept, but turned to an axis of the world within 15 degrees. Same bytes on
// any machine except for rounding. Fails if hips, or both pairs of limbs, have no role, or if hands or feet
// hang from the root, as in control rigs. `is_four_legged`: if known; otherwise found from names and places.
Result<StraightBody> straight_body(const Character& character, const RoleMap& roles, StraightArms arms,
                                   std::optional<bool> is_four_legged = {});

// ---- Crowds -------------------------------------------------------------------------------------------

// A clip arranged for posing one skin at any time, in float and many joints at once: the local poses of its
// joints and their ancestors, at evenly spaced times.
struct EvenClip {
  struct Link {
    Index parent = kNone;   // index into `links`, lower than this one's
    Index channel = kNone;  // index into a row of `frames`; kNone: it does not move
  };
  double start = 0, fps = 0;  // seconds; frames per second
  std::size_t frame_count = 0;
  std::size_t row_size = 0;           // channels, padded to whole vectors
  AlignedVector<float> frames;        // ten rows per frame: rotation x y z w, translation, scale
  std::vector<Link> links;            // parents first
  AlignedVector<float> rest;          // per link, parent_from_node if it does not move: four columns, each
                                      // with an unused fourth number
  std::vector<Index> link_of_slot;    // for each slot of the skin
  AlignedVector<float> inverse_bind;  // per slot of the skin, four columns as in `rest`
};

// Samples clip `clip` for skin `skin` of a valid character, `fps` times per second from its first key to its
// last. Both ends are frames, so the rate is rounded up slightly if the length is not a whole number of
// frames. Shapes and controls are left out. Fails if the clip or the skin does not exist, fps is not above
// zero, or there would be more than a million frames.
Result<EvenClip> even_clip(const Character& character, Index skin, Index clip, double fps);

// Working memory of sample_palette; one per thread. The first call for a clip sizes it.
struct SampleScratch {
  AlignedVector<float> locals, worlds;
};

// The palette at `time`, into `palette` (one entry per slot; any other size ends the program). At frames it
// equals that of pose_frame within float rounding. In between, everything is interpolated linearly, including
// steps and curves: sampling at the clip's own key rate preserves linear keys. Rotations follow the chord,
// not the arc: for neighbours an angle theta <= 1 apart the error is at most theta^3 / 240 radians, 0.03
// degrees for half a radian.
void sample_palette(const EvenClip& clip, double time, SampleScratch& scratch, std::span<Affined> palette);

// ---- Skeletons for formats without rest rotations -------------------------------------------------------

struct OffsetSkeletonOptions {
  Index clip = kNone;  // kNone: one frame at rest
  double fps = 0;      // 0: the clip's own if its keys are evenly spaced, 30 otherwise
};
struct OffsetSkeleton {
  Character character;  // nodes and one clip, all keys at the same evenly spaced times from 0
  double fps = 0;
  double start = 0;  // seconds into the source clip
  Notes notes;
};
// The skeleton of a character in a form that BVH can represent: joint frames at rest are aligned with the
// world's axes, offsets are the differences of the joints' rest positions, and rotations are relative to
// rest. The world positions of all joints are preserved, to float rounding, at every frame: a joint whose
// distance to its parent changes (animated translation, or scale above it) gets translation keys; roots
// always do. Includes the joints of all skins with their ancestors and descendants, or all nodes if there is
// no skin. Drops meshes, skins, shapes, and the joints' scale and own axes. Linear in frames times nodes.
Result<OffsetSkeleton> offset_skeleton(const Character& character, const OffsetSkeletonOptions& options = {},
                                       const Progress& progress = {});

// ---- Notes --------------------------------------------------------------------------------------------

// The meanings of this room's note ids.
std::span<const NoteRow> motion_notes();

}  // namespace dermis

// After what it builds on.
#include "dermis/motion/takes.h"
