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

// A typical skeleton, which the search places in a body. Only proportions and directions matter.
struct RigTemplate {
  // Where a joint between two others goes once the path of its limb is known.
  enum class Snap {
    share,  // to the template's fraction of the path
    root,   // to where the body becomes as thin as the limb: shoulders
    part,   // above the place where left and right part, by a fraction of the limb below: hips
    thin,   // to the thinnest place nearby: wrists, necks
    bend,   // to the sharpest bend of the path nearby, if there is one: hocks
    heel,   // above such a bend, by half the limb's thickness: ankles
  };
  struct Joint {
    std::string name;      // sided ones end in _L, and in _R on the other side
    Index parent = kNone;  // comes before it; kNone only for the first joint
    Vec3d at;              // x to the left of the character, y up, z to the front; in any unit
    Index mirror = kNone;  // the same joint on the other side, or itself
    Snap snap = Snap::share;
    double above = 0;          // for `root` and `part`: how far above, as a fraction of the limb below
    bool is_end = false;       // only marks where the limb ends: gets no weights
    bool is_fat = false;       // lies where the body is thick
    bool is_tip = false;       // lies at the end of a limb although it has children: the wrist of a bare hand
    bool is_loose = false;     // the bones below it may point anywhere on their side: arms
    bool is_grounded = false;  // stands on the ground
    bool is_optional = false;  // left out, with everything below it, if the body has no such limb
    bool is_spare = false;     // left out alone if the part below it is shorter than thick: toes of stumps
  };
  std::string name;
  std::vector<Joint> joints;
  bool is_free = false;  // has no up and front, and may be the mirror image: a hand
};

// The built-in templates: biped, quadruped, hand.
std::span<const RigTemplate> rig_templates();
// The text of a built-in template, as a starting point for your own.
std::string_view rig_template_text(std::string_view name);
// Reads a template (docs/rigging.md). Fails with the line and what is wrong with it.
Result<RigTemplate> parse_rig_template(std::string_view text);

// ---- Finding a skeleton ---------------------------------------------------------------------------------

// A joint whose position the user gives.
struct RigMarker {
  // A name of the template, Mixamo's name, or an anatomical one: wrist_L, elbow_L, knee_L, ankle_L, hip_L.
  std::string joint;
  Vec3d at;
};
struct RigOptions {
  std::vector<RigTemplate> templates;  // the one that fits best is taken
  bool can_extract = true;             // works without a template if none fits or none is given
  std::optional<Vec3d> up, front;      // of the body, if known; any length
  std::vector<RigMarker> markers;
  // If the body is symmetric, a marker on one side also places the joint of the other side, unless that has
  // its own.
  bool mirrors_markers = true;
  std::size_t cells = 100'000;  // that fill the body, approximately
};

struct FoundJoint {
  std::string name;
  Index parent = kNone;  // comes before it
  Vec3d at;
  double radius = 0;    // of the limb around it
  bool is_end = false;  // marks the end of a limb
};
// A limb that a body has besides its template: a finger, a tail. Its joints are named after it ("index_L" has
// "index_1_L" and so on, and "index_end_L") and follow one another.
struct FoundChain {
  std::string name;
  std::size_t joint_count = 0;  // without its end
};
// How well a template fits the body: penalties that sum to the cost.
struct RigScore {
  struct Penalty {
    const char* name = "";  // "direction"
    double cost = 0;
  };
  std::string name;  // of the template
  bool does_fit = false;
  double cost = 0;
  std::vector<Penalty> penalties;  // empty if no placing came close
};
// The largest penalty of a placing; `score` must have penalties.
const RigScore::Penalty& largest_penalty(const RigScore& score);
// What the search found in the body, for pictures.
struct BodyMap {
  struct Ball {
    Vec3d centre;
    double radius = 0;
  };
  std::vector<Ball> balls;                          // packed into the body, largest first
  std::vector<std::array<std::uint32_t, 2>> edges;  // between balls
  std::vector<Vec3d> ends;                          // of limbs, the most prominent first
};
// How the joints lie in the body, for judge_skeleton. Lengths are fractions of the longest path through the
// body; what a template does not have keeps its default.
struct SkeletonFit {
  double limb_left = 0;      // the longest end of a limb that no bone reaches
  double bones_outside = 0;  // share of the length of the bones outside the body
  double joints_off = 0;     // share of the joints less than half as deep as the deepest place of their limb
  double side_ratio = 0;     // limbs of left and right: largest |log2| of the ratio of their lengths
  double sides_turned = 0;   // largest 1 - cos of the angle between right-to-left of two pairs of limbs
  double upside_down = 0;    // how far a joint is below one that it is above in the template, arms apart
  Index upper = kNone, lower = kNone;  // these two joints; kNone: none is
  double lean = 0;                     // 1 - cos of the angle between hips-to-neck and up
  double arms_low = 0;     // how far down the way from neck to hips arms begin: 0 at the neck, 1 at the hips
  double feet_ahead = 1;   // how far ahead of the ankles feet end, in the mean
  double hands_thick = 0;  // the thicker hand, divided by the head
};
// A part of the surface in which no limb was looked for.
struct SetAside {
  // A plate has the body on one side of it, as a floor has; a piece lies beside it; a prop is worn or
  // carried.
  enum class Kind { plate, piece, prop } kind = Kind::piece;
  Vec3d at;  // one of its points
};
struct FoundSkeleton {
  std::string name;                // of the template, or "extract"
  std::vector<FoundJoint> joints;  // the first has no parent
  std::vector<FoundChain> chains;  // whose joints come after those of the template
  Vec3d left, up, front;           // unit: the body's orientation; that of the world if unknown
  double symmetry = 0;             // share of the body in its mirror image; 0: no plane was found
  std::vector<RigScore> scores;    // of all templates that were tried
  BodyMap map;
  double size = 0;  // longest path through the body
  SkeletonFit fit;
  std::vector<SetAside> aside;
  Notes notes;  // guesses and doubts
};
// Finds the skeleton inside a surface: solid cells, their medial surface, packed spheres and the graph
// between them, then the cheapest placing of each template (after Baran and Popovic 2007), then every joint
// is moved to the middle of its limb. The surface may be open, in pieces, overlapping or non-manifold;
// triangles share points by index. Fails with bad_rig if nothing fits, with the reason; with bad_argument for
// markers that no template knows or that lie far from the mesh, and for directions of zero length; with
// cancelled. `seen` gets the map, scores and notes even if nothing fits. Same bytes on any thread count.
Result<FoundSkeleton> find_skeleton(std::span<const Vec3> points,
                                    std::span<const SurfaceMesh::Triangle> triangles,
                                    const RigOptions& options, const Progress& progress = {},
                                    FoundSkeleton* seen = nullptr);

// ---- Judging a skeleton -----------------------------------------------------------------------------------

// What speaks against a skeleton.
struct RigDoubt {
  std::string id;        // stable, for scripts: "hands-thick"
  std::string sentence;  // a clause: "a hand is 1.4 times as thick as the head"
  double figure = 0;     // what was measured
  double trust = 1;      // what it leaves of the confidence, 0 to 1
};
struct RigJudgement {
  double confidence = 1;         // 0 to 1: the product of what every doubt leaves
  std::vector<RigDoubt> doubts;  // the gravest first
};
// Below this confidence a skeleton is probably wrong. Of the bodies of docs/rigging.md, those with wrong
// limbs are below, and right ones above with few exceptions.
inline constexpr double kLeastConfidence = 0.5;
// How the skin that was bound to a skeleton behaves when joints bend; shares of points and of triangles.
struct BoundSkin {
  double bleeding = 0;  // follow joints far from their own
  double torn = 0;      // have an edge that more than doubles
};
// Each figure of the fit, the cost of the template and the skin against limits: usual values cost nothing,
// and from there trust falls linearly. The table of limits is in docs/rigging.md.
RigJudgement judge_skeleton(const FoundSkeleton& found, const BoundSkin& skin = {});

// Joint names that other programs know.
enum class RigNames { dermis, mixamo };
// The name of a joint of the built-in biped as Mixamo writes it ("mixamorig:LeftForeArm"); other names stay.
std::string mixamo_name(std::string_view name);

// The joints as a character without meshes, with frames parallel to the world axes.
Character skeleton_character(const FoundSkeleton& found, RigNames names = RigNames::dermis);

// ---- Notes --------------------------------------------------------------------------------------------

// What the ids of this room's notes mean.
std::span<const NoteRow> rig_notes();

}  // namespace dermis
