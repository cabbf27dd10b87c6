// SPDX-License-Identifier: MIT
// From clips and poses to PoseFrame: where every node, joint and shape is at one moment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// The local pose of a node, as clip, pose and drivers leave it.
struct LocalPose {
  Transform transform;
  bool is_replaced = false;  // translation, rotation or scale was set: a rest matrix no longer counts
  Quatd turn;                // parent_from_node = transform (or rest matrix) * turn
};

// Everything a deformer needs of one moment. Kept in double: chains of joints are long, and kernels round
// once when they pack the palette.
struct PoseFrame {
  double time = 0;
  std::vector<LocalPose> local;           // of each node
  std::vector<Affined> parent_from_node;  // the same as matrices
  std::vector<Affined> world_from_node;
  // Palettes of all skins in a row: skin s has palette[palette_first[s] .. palette_first[s + 1]), one entry
  // for each slot, world_from_bind = world_from_joint * joint_from_bind.
  std::vector<Affined> palette;
  std::vector<std::size_t> palette_first;
  std::vector<std::vector<float>> shape_weights;  // one list for each instance
  std::vector<float> controls;

  std::span<const Affined> palette_of(Index skin) const {
    const std::size_t s = static_cast<std::size_t>(skin);
    return {palette.data() + palette_first[s], palette.data() + palette_first[s + 1]};
  }
};

// What to pose: a clip at a time, or rest when clip is kNone; then a pose laid over it.
struct PoseRequest {
  Index clip = kNone;
  double time = 0;             // seconds; before the first and after the last key, that key holds
  const Pose* pose = nullptr;  // not owned; may be null
};

// A character made ready to be posed: what stays the same from frame to frame. Refers to the character, which
// must outlive it unchanged. Threads may share one.
struct PoseNames;
struct Poser {
  const Character* character = nullptr;
  std::vector<Index> parents_first;        // the order of kinematics
  std::vector<Affined> parent_from_rest;   // of each node
  std::vector<Affined> joint_from_bind;    // of each slot, all skins in a row
  std::vector<std::size_t> palette_first;  // as in PoseFrame
  std::shared_ptr<const PoseNames> names;  // what poses call nodes, shapes and controls
};
// Linear in nodes, slots and shapes. The character must be valid. Fails only for lack of memory.
Result<Poser> prepare_poser(const Character& character);

// The one path to a PoseFrame: the clip, then the pose, then forward kinematics over the forest in whatever
// order the nodes stand. Does not allocate when `frame` was posed by the same poser before. Fails when the
// pose names a node, shape or control that the character does not have (with the nearest name it has) or a
// number that is not finite, when the clip does not exist, or when the time is not a number; `frame` is then
// of no use.
// A node with a rest matrix keeps it until a channel or the pose sets its translation, rotation or scale;
// then its rest TRS counts, with what was set replaced. A turn multiplies what that gives:
// parent_from_node = local * turn. Linear in nodes, slots and keys.
Status pose(const Poser& poser, const PoseRequest& request, PoseFrame& frame);

// Both at once, for a single frame.
Result<PoseFrame> pose_frame(const Character& character, const PoseRequest& request);

// One channel at `time`, into `out` (channel_width numbers). Rotations come back unit. Cannot fail;
// logarithmic in the keys. STEP holds the earlier key; LINEAR blends (slerp for rotations); CUBICSPLINE is
// the Hermite form of glTF (Appendix C), with tangents scaled by the key distance.
void sample_channel(const Channel& channel, double time, std::span<float> out);

// World transforms of the rest pose (rest matrices where files gave them), one for each node. The same as
// pose_frame without clip and pose.
std::vector<Affined> rest_world(const Character& character);

// ---- Range of motion ------------------------------------------------------------------------------------

// How a joint is turned, told by its direction: towards the mean of the joints below it; where there are none
// or they lie on all sides, on from the joint above it; else up (+Y).
enum class Movement {
  bend,   // about the first of the world's x and y that is more than 37 degrees off the direction, made
          // perpendicular to it: knees and backs bend forward and back, outstretched arms likewise
  side,   // about what is perpendicular to both
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

// The standard poses that skins are judged by: for each joint, in node order, bend by 60 and -60 degrees,
// side by 30 and -30, twist by 45 and -45. Joints are the nodes that some point follows or that lie above
// such nodes, as far as a skin names them; what moves no point is left out. The same on every machine but for
// rounding.
std::vector<RangePose> range_of_motion(const Character& character);

// ---- Inverse kinematics ---------------------------------------------------------------------------------

// A limb of two segments, in any one space: shoulder, elbow, wrist, or hip, knee, ankle.
struct TwoBoneLimb {
  Vec3d root, middle, end;
};
// Turns of the two segments in that space, from where they were: a joint at `root` gets the world rotation
// upper * old, one at `middle` lower * old. What hangs from the end is not turned for it.
struct TwoBoneTurns {
  Quatd upper, lower;
};
// Brings the end to `target`, or as near as the lengths allow (law of cosines). The middle joint comes to lie
// on the side of `pole`, a direction of any length; a zero pole, or one along the way to the target, keeps
// the side it was on. Segments are turned as little as that needs: first bent in their own plane, then swung
// to the target, then twisted to the pole; the less a limb is bent, the more of that twist is bending across
// instead. A limb without length is not turned. Closed form, cannot fail.
TwoBoneTurns solve_two_bone(const TwoBoneLimb& limb, const Vec3d& target, const Vec3d& pole = {});

// How far a joint of a chain may turn from where it rests. The twist is about the direction to the next
// joint, the swing is the rest of the turn.
struct TurnLimit {
  Quatd rest;              // local rotation that both angles count from
  double max_swing = kPi;  // radians, 0 to pi
  double max_twist = kPi;  // likewise
};
struct ChainLink {
  Vec3d offset;    // of the joint in the frame of the one before; of the first in the frame of the chain
  Quatd rotation;  // local; unit
  TurnLimit limit;
};
struct ChainOptions {
  int max_rounds = 64;
  double tolerance = 1e-4;  // of the length of the chain
};
// Turns the joints of a chain so that `tip`, a point in the frame of the last one, comes to `target`, a point
// in the frame of the chain: cyclic coordinate descent (Wang, Chen 1991) from the last joint to the first,
// limits kept after each step. Rotations are changed in place and stay within their limits, also where they
// started outside. Returns the distance that is left.
double solve_chain(std::span<ChainLink> chain, const Vec3d& tip, const Vec3d& target,
                   const ChainOptions& options = {});

// The turn in the world that makes direction `ahead` of something at `from` point to `target`, but by no more
// than `max_angle` radians. The shortest turn; behind is reached by a half turn about `up`.
Quatd look_at(const Vec3d& from, const Vec3d& ahead, const Vec3d& up, const Vec3d& target,
              double max_angle = kPi);

// ---- What joints are ------------------------------------------------------------------------------------

// The parts of a body that motions are carried between. Of a four-legged body the front legs are its arms.
enum class JointRole : std::uint8_t {
  hips,
  spine,
  neck,
  head,  // spine: from above the hips to where the arms start
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
  bool is_chain;      // may be several joints one below the other
  const char* words;  // what joints of that role are called, sides and numbers aside; empty: by place alone
};
// All roles, in the order of the enum.
std::span<const RoleRow> joint_roles();
const char* name_of(JointRole role);
// By name; Errc::bad_argument has the nearest.
Result<JointRole> find_role(std::string_view name);

// Which joints have which role: none, one, or for chains several from the body outwards. No joint twice.
struct RoleMap {
  std::array<std::vector<Index>, kRoleCount> joints;

  const std::vector<Index>& of(JointRole role) const { return joints[static_cast<std::size_t>(role)]; }
  std::vector<Index>& of(JointRole role) { return joints[static_cast<std::size_t>(role)]; }
  // The first joint of a role, kNone without one.
  Index first(JointRole role) const { return of(role).empty() ? kNone : of(role).front(); }
  std::size_t count() const;  // of roles that have a joint
};

struct MappedJoints {
  RoleMap roles;
  bool is_by_structure = false;  // limbs were found by their shape, because names did not tell
  Notes notes;
};
// The roles of a character's joints. By names first: words in them and the marks of sides, as Mixamo, CMU,
// MakeHuman, Unreal, VRM, 3ds Max, Blender and Rigify have them, in any spelling; of four-legged bodies front
// and hind. Trunk and neck lie between the limbs and need no names. Where names tell no pair of limbs, by
// structure: the two pairs of branches that names call left and right, or that are alike and mirror images
// about the trunk, told apart by where they hang, left and right by the direction of the feet. Joints are
// those of the skins, or all nodes that show no mesh when there is none; controls and helpers by name are
// left out. Fails when neither hips nor limbs are found, or legs by structure end above the hips (+Y).
Result<MappedJoints> map_joints(const Character& character);

// ---- Retargeting ----------------------------------------------------------------------------------------

// Which joint of the target moves as which of the source.
struct MotionMap {
  RoleMap source, target;
  std::vector<std::pair<Index, Index>> pairs;  // further joints, source and target
};
// Both sides by their roles, and joints without a role that have the same name on both sides as pairs. Where
// names tell no limbs, but most joints have the same names on both sides, joint by joint.
struct MappedMotion {
  MotionMap map;
  Notes notes;
};
Result<MappedMotion> map_motion(const Character& source, const Character& target);

struct RetargetOptions {
  double fps = 0;            // 0: the clip's own where its keys are even, 30 otherwise
  bool is_loop = false;      // the best cycle, its ends made to meet
  bool is_in_place = false;  // travel over the ground is taken out
  bool locks_feet = true;    // feet that stand are held where they stand
  std::string name;          // of the clip; empty: that of the source
};
struct RetargetFigures {
  double fps = 0, seconds = 0;
  std::size_t frame_count = 0;
  double scale = 1;   // lengths of the target for one of the source, by the legs
  double height = 0;  // of the target's joints, in its units
  std::size_t contact_count = 0;
  // The longest way over the ground of a foot while it stands, in parts of the height: as carried over, and
  // after feet were locked.
  double slide_carried = 0, slide = 0;
  // How deep soles, or without a surface ankles, heels and toes, come below where they are in the pose that
  // the character stands in, in parts of the height: as carried over, and after feet were locked.
  double sink_carried = 0, sink = 0;
  // Elbows and knees bent by more than ten degrees on both sides, counted over limbs and frames, and those
  // that bend to the other side than the source's.
  std::size_t hinge_count = 0, flipped_count = 0;
  bool has_t_pose = false;  // the first frame was a T-pose, and is left out
};
struct RetargetedClip {
  // For the target: rotations, and translations of the hips and of hands and feet that hang from elsewhere
  // than their limbs, which carry them.
  Clip clip;
  RetargetFigures figures;
  Notes notes;
};
// Clip `clip` of `source` as motion of `target`. Every joint turns in the world as its counterpart does from
// a common pose: the bind pose where skins give one, else rest; for clips that start with a T-pose that one.
// Directions of arms and legs are those of the source, whatever the axes of the joints, the rest poses, the
// up axes and the facing (found from the skeletons). Lengths over the ground and height scale with the legs.
// Feet that stand, found by height and speed, all four where both bodies have four legs, are locked by
// two-bone inverse kinematics; knees keep their side, and almost straight ones bend forward, of animals as
// they do for most of the motion. Feet that would sink into the floor are lifted and levelled, by as much as
// their surface does. Both characters must be valid; the target is read only. Fails when clip or rate do not
// exist, or the maps share no role.
Result<RetargetedClip> retarget_clip(const Character& source, Index clip, const Character& target,
                                     const MotionMap& map, const RetargetOptions& options = {},
                                     const Progress& progress = {});

// ---- Crowds -------------------------------------------------------------------------------------------

// A clip laid out to pose one skin at any time, in float and many joints at once: the local poses of the
// nodes that its joints hang from, at even times.
struct EvenClip {
  struct Link {
    Index parent = kNone;   // place in `links`, before this one
    Index channel = kNone;  // place in a row of `frames`; kNone: it does not move
  };
  double start = 0, fps = 0;  // seconds; frames a second
  std::size_t frame_count = 0;
  std::size_t row_size = 0;           // channels, and room for whole vectors
  AlignedVector<float> frames;        // ten rows for each frame: rotation x y z w, translation, scale
  std::vector<Link> links;            // parents first
  AlignedVector<float> rest;          // for each link parent_from_node, where it does not move: four columns,
                                      // each with a fourth number that means nothing
  std::vector<Index> link_of_slot;    // for each slot of the skin
  AlignedVector<float> inverse_bind;  // for each slot of the skin, four columns as in `rest`
};

// Samples clip `clip` for skin `skin` of a valid character, `fps` times a second from its first key to its
// last; both ends are frames, so the rate is a little higher where they do not fit. Shapes and controls are
// left out. Fails when the clip or the skin does not exist, fps is not above zero, or there would be more
// than a million frames.
Result<EvenClip> even_clip(const Character& character, Index skin, Index clip, double fps);

// What sample_palette works in; one for each thread. The first call of a clip sizes it.
struct SampleScratch {
  AlignedVector<float> locals, worlds;
};

// The palette at `time`, into `palette` (one entry for each slot; another size ends the program). At frames
// it is that of pose_frame to the rounding of float. Between them everything goes straight from one to the
// next, steps and curves too: a rate of the clip's own keys keeps linear keys. Rotations go along the chord,
// not the arc: for neighbours theta up to 1 apart at most theta^3 / 240 radians off, 0.03 degrees for half a
// radian.
void sample_palette(const EvenClip& clip, double time, SampleScratch& scratch, std::span<Affined> palette);

// ---- Skeletons for formats without rest rotations -------------------------------------------------------

struct OffsetSkeletonOptions {
  Index clip = kNone;  // kNone: one frame at rest
  double fps = 0;      // 0: the clip's own spacing of keys where that is even, 30 otherwise
};
struct OffsetSkeleton {
  Character character;  // nodes and one clip, all keys at the same even times from 0
  double fps = 0;
  double start = 0;  // seconds into the source clip
  Notes notes;
};
// The skeleton of a character as BVH can hold it: joint frames at rest have the world's axes, offsets are the
// differences of the joints' rest positions, and rotations are counted from rest. World positions of all
// joints are kept, to float rounding, at every frame: a joint whose distance to its parent changes (animated
// translation, or scale above it) gets translation keys, roots always do. Taken are the joints of all skins
// with what they hang from and what hangs from them, or all nodes when there is no skin. What is not there
// afterwards: meshes, skins, shapes, and the scale and own axes of the joints. Linear in frames times nodes.
Result<OffsetSkeleton> offset_skeleton(const Character& character, const OffsetSkeletonOptions& options = {},
                                       const Progress& progress = {});

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> motion_notes();

}  // namespace dermis
