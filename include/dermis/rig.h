// SPDX-License-Identifier: MIT
// Skeletons found inside bare meshes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/geometry.h"
#include "dermis/math.h"
#include "dermis/model.h"

namespace dermis {

// ---- Templates ------------------------------------------------------------------------------------------

// A skeleton as it usually is: what the search lays into a body. Only proportions and directions count.
struct RigTemplate {
  // What a joint between two others does once the way of its limb is known.
  enum class Snap {
    share,  // stays at the template's share of the way
    root,   // goes to where the body becomes as thin as the limb: shoulders
    part,   // goes above the place where left and right part, by a share of the limb below: hips
    thin,   // goes to the thinnest place nearby: wrists, necks
    bend,   // goes to where the way bends most nearby, if it does: hocks
    heel,   // goes above such a bend, by half the limb's thickness: ankles
  };
  struct Joint {
    std::string name;      // sided ones end in _L, and in _R on the other side
    Index parent = kNone;  // stands before it; kNone for the first joint alone
    Vec3d at;              // x to the left of the character, y up, z to the front; in any unit
    Index mirror = kNone;  // the same joint on the other side, or itself
    Snap snap = Snap::share;
    double above = 0;       // of `root` and `part`: how far above, in parts of the limb below
    bool is_end = false;    // only marks where the limb ends: gets no weights
    bool is_fat = false;    // lies where the body is thick
    bool is_tip = false;    // lies at the end of a limb though joints hang from it: the wrist of a bare hand
    bool is_loose = false;  // the way down from it may point anywhere on its side: arms
    bool is_grounded = false;  // stands on the ground
    bool is_optional = false;  // left out, with all below it, where the body has no such limb
    bool is_spare = false;     // left out alone where what is below it is shorter than thick: toes of stumps
  };
  std::string name;
  std::vector<Joint> joints;
  bool is_free = false;  // has no up and front, and may be the mirror image: a hand
};

// The built-in templates: biped, quadruped, hand.
std::span<const RigTemplate> rig_templates();
// The text of a built-in template, to start one's own from.
std::string_view rig_template_text(std::string_view name);
// Reads a template (docs/rigging.md). Fails with the line and what is wrong with it.
Result<RigTemplate> parse_rig_template(std::string_view text);

// ---- Finding a skeleton ---------------------------------------------------------------------------------

// A joint that the user knows better.
struct RigMarker {
  // Of the template, also as Mixamo calls it, or by where it bends: wrist_L, elbow_L, knee_L, ankle_L, hip_L.
  std::string joint;
  Vec3d at;
};
struct RigOptions {
  std::vector<RigTemplate> templates;  // the one that fits best is taken
  bool can_extract = true;             // without a template where none fits, or none is given
  std::optional<Vec3d> up, front;      // of the body, where they are known; any length
  std::vector<RigMarker> markers;
  std::size_t cells = 100'000;  // that fill the body, about
};

struct FoundJoint {
  std::string name;
  Index parent = kNone;  // stands before it
  Vec3d at;
  double radius = 0;    // of the limb around it
  bool is_end = false;  // marks the end of a limb
};
// How well a template lies in the body: penalties that sum to the cost.
struct RigScore {
  struct Penalty {
    const char* name = "";  // "direction"
    double cost = 0;
  };
  std::string name;  // of the template
  bool does_fit = false;
  double cost = 0;
  std::vector<Penalty> penalties;  // empty where no placing came near
};
// What a placing costs most for; `score` must have penalties.
const RigScore::Penalty& largest_penalty(const RigScore& score);
// What the search saw of the body, for pictures.
struct BodyMap {
  struct Ball {
    Vec3d centre;
    double radius = 0;
  };
  std::vector<Ball> balls;                          // packed into the body, fattest first
  std::vector<std::array<std::uint32_t, 2>> edges;  // between balls
  std::vector<Vec3d> ends;                          // of limbs, the most prominent first
};
struct FoundSkeleton {
  std::string name;                // of the template, or "extract"
  std::vector<FoundJoint> joints;  // the first has no parent
  Vec3d left, up, front;           // unit: how the body stands; those of the world where that is not told
  double symmetry = 0;             // share of the body in its mirror image; 0: no plane was found
  std::vector<RigScore> scores;    // of all templates that were tried
  BodyMap map;
  double size = 0;  // longest way through the body
  Notes notes;      // guesses and doubts
};
// Finds the skeleton inside a surface: solid cells, their medial surface, packed spheres and the graph
// between them, then the cheapest placing of each template (after Baran and Popovic 2007), then every joint
// to the middle of its limb. The surface may be open, in pieces, overlapping or not manifold; triangles share
// points by number. Fails with bad_rig when nothing fits, saying why; with bad_argument for markers that no
// template knows or that lie far from the mesh, and directions without length; with cancelled. `seen` gets
// the map, scores and notes also where nothing fits. Same bytes on any thread count.
Result<FoundSkeleton> find_skeleton(std::span<const Vec3> points,
                                    std::span<const SurfaceMesh::Triangle> triangles,
                                    const RigOptions& options, const Progress& progress = {},
                                    FoundSkeleton* seen = nullptr);

// Joint names that other programs know.
enum class RigNames { dermis, mixamo };
// The name of a joint of the built-in biped as Mixamo writes it ("mixamorig:LeftForeArm"); other names stay.
std::string mixamo_name(std::string_view name);

// The joints as a character without meshes, their frames parallel to the world's.
Character skeleton_character(const FoundSkeleton& found, RigNames names = RigNames::dermis);

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> rig_notes();

}  // namespace dermis
