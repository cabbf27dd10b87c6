// SPDX-License-Identifier: MIT
// From clips and poses to PoseFrame: where every node, joint and shape is at one moment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// Everything a deformer needs of one moment. Kept in double: chains of joints are long, and kernels round
// once when they load the palette.
struct PoseFrame {
  double time = 0;
  std::vector<Affined> parent_from_node;  // local pose of each node
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

// The one way to a PoseFrame: clip, then pose, then forward kinematics over the forest in whatever order the
// nodes stand. Fails when the pose names a node, shape or control that the character does not have (with the
// nearest name it has) or a number that is not finite, when the clip does not exist, or when the time is not
// a number.
// A node with a rest matrix keeps it until a channel or the pose sets its translation, rotation or scale;
// then its rest TRS counts, with what was set replaced. A turn multiplies what that gives:
// parent_from_node = local * turn. Linear in nodes, slots and keys. The character must be valid.
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

}  // namespace dermis
