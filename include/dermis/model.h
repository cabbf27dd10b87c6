// SPDX-License-Identifier: MIT
// The character: a forest of nodes, meshes, skins, instances and clips, as plain data with its invariants.
//
// Everything is in the file's own units and in float. Indices are 32-bit; -1 means "none". Angles are
// radians. A Character from a loader or from `make` satisfies every invariant stated here; `validate` checks
// them, and all other rooms rely on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

using Index = std::int32_t;
// Converts an index to an array subscript: points[at(v)]. It must not be kNone.
constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }
inline constexpr Index kNone = -1;

// ---- Nodes --------------------------------------------------------------------------------------------

// One node of the forest. Nodes are in file order: a parent may come after its child.
struct Node {
  std::string name;      // as in the file: may be empty, or the same for several nodes (see node_label)
  Index parent = kNone;  // no cycles
  Transform rest;        // local pose at rest; rotation unit, all numbers finite
  // Set when the file gave a matrix instead of TRS. While the node is neither animated nor posed, this is its
  // local pose, including shear; `rest` is then the nearest TRS.
  std::optional<Affine> rest_matrix;
};

// ---- Weights ------------------------------------------------------------------------------------------

struct Influence {
  Index slot = 0;    // index into the skin's slots, not into the nodes
  float weight = 0;  // in (0, 1]
  friend bool operator==(const Influence&, const Influence&) = default;
};

// One row of influences per point, of any length: row v is influences[first[v] .. first[v + 1]).
struct WeightRows {
  // Point count + 1 entries, starting at 0, never decreasing; empty: no weights.
  std::vector<std::uint32_t> first;
  std::vector<Influence> influences;  // in a row: heaviest first (ties: lower slot), none zero, no slot
                                      // twice, at least one, sum 1 within kWeightSumTolerance

  bool empty() const { return first.empty(); }
  std::span<const Influence> row(std::size_t v) const {
    return {influences.data() + first[v], influences.data() + first[v + 1]};
  }
  friend bool operator==(const WeightRows&, const WeightRows&) = default;
};

// Rows are normalised in double and rounded once per weight: a row of 30 floats stays well within this.
inline constexpr double kWeightSumTolerance = 1e-5;

// Collects raw (slot, weight) pairs into rows that satisfy the invariant, and counts the repairs. Slots are
// not range-checked here: the caller knows the skin.
class WeightRowBuilder {
 public:
  struct Repairs {
    std::uint32_t negative = 0;        // weights below zero or not finite, set to zero
    std::uint32_t merged = 0;          // same slot twice with a weight: added up
    std::uint32_t not_normalised = 0;  // rows whose sum was off by more than a quantisation step
    // Rows without any weight: they follow only the slot they name first, or slot 0.
    std::uint32_t unweighted = 0;
    double worst_sum = 1;  // the sum furthest from 1
    // The first row of each kind; kNone if there is none.
    Index first_negative = kNone, first_merged = kNone, first_not_normalised = kNone,
          first_unweighted = kNone;
  };

  void reserve(std::size_t row_count, std::size_t influence_count);
  // Adds to the open row.
  void add(Index slot, float weight);
  // Ends the row: drops zeros, merges, sorts, normalises. `sum_tolerance` is how far a sum may be off before
  // it counts as a repair (the file's quantisation step times its influences); the row is normalised either
  // way. A row that already sums to one within float rounding is left unchanged, so the operation is
  // idempotent.
  void close_row(double sum_tolerance);
  const Repairs& repairs() const { return repairs_; }
  // Returns the rows closed so far and resets the builder, including its repairs.
  WeightRows take();

 private:
  WeightRows rows_;
  std::vector<Influence> open_;
  Repairs repairs_;
};

// Rows are packed to a fixed number of influences only when written to a file or a GPU.
struct PackedWeights {
  int influences = 4;                // per point
  std::uint32_t scale = 65535;       // the exact sum of a row's quantised weights
  std::vector<std::uint16_t> slots;  // point count x influences, 0 if unused
  std::vector<std::uint16_t> weights;
  std::uint32_t cut_rows = 0;  // rows with too many influences: the largest were kept
  float max_cut = 0;           // the largest weight sum cut from one row
};
// Largest first, rounded so that each row sums to exactly `scale` (255 or 65535) and no slot has two non-zero
// weights. Slots must be below 65536.
PackedWeights pack_weights(const WeightRows& rows, int influences, std::uint32_t scale);

// ---- Meshes -------------------------------------------------------------------------------------------

// Faces as lists of corners: polygon p has corners first[p] .. first[p + 1), and each corner refers to a
// point.
struct Polygons {
  std::vector<std::uint32_t> first{0};  // polygon count + 1 entries, increasing by at least 3
  std::vector<Index> corners;           // point of each corner

  std::size_t count() const { return first.size() - 1; }
  std::span<const Index> polygon(std::size_t p) const {
    return {corners.data() + first[p], corners.data() + first[p + 1]};
  }
};

// A surface attribute. Absent when `values` is empty. If `corner_value` is empty there is one value per point
// (glTF); otherwise corner c has values[corner_value[c]] (OBJ).
template <class Value>
struct Attribute {
  std::vector<Value> values;
  std::vector<Index> corner_value;  // into `values`, one per corner, or empty
  bool empty() const { return values.empty(); }
  bool is_per_point() const { return corner_value.empty(); }
};

// A blend shape: offsets from the rest points, stored only for the points it moves.
struct Shape {
  std::string name;            // may be empty (see shape_label)
  std::vector<Index> points;   // ascending; the points it moves
  std::vector<Vec3> offsets;   // finite, one per entry of `points`
  std::vector<Vec3> normals;   // offsets of per-point normals, likewise, or empty
  std::vector<Vec3> tangents;  // offsets of per-point tangents (xyz), likewise, or empty
};

// A run of polygons that share a material and labels: a glTF primitive, the faces between two o, g, s or
// usemtl lines of an OBJ.
struct MeshPart {
  // The points it owns: parts cover the points in order, without gaps. Polygons may use points of other parts
  // (an OBJ gives all points to its first part); after split_corners they do not.
  Index first_point = 0, point_count = 0;
  Index first_polygon = 0, polygon_count = 0;  // parts cover the polygons in order, without gaps
  Index material = kNone;                      // of the character
  std::string object{};                        // the o line of an OBJ; empty: none
  std::string groups{};                        // the g line of an OBJ; several names are separated by spaces
  std::string smoothing{};                     // the s line of an OBJ: a group number or "off"; empty: none
};

// The share of dual quaternions in lbs_dqs at points for which the file states none.
inline constexpr float kUnsaidDqsShare = 0.5f;

// Points and corners are separate: points have positions, weight rows and shape offsets; polygons index
// points; normals, tangents, texture coordinates and colours are on points or on corners.
struct Mesh {
  std::string name;
  std::vector<Vec3> points;  // finite
  Polygons polygons;
  std::vector<MeshPart> parts;  // at least one when there are points
  Attribute<Vec3> normals;      // finite; unit in good files, but code must not rely on it
  Attribute<Vec4> tangents;     // finite; w is the handedness, +1 or -1
  std::vector<Attribute<Vec2>> uvs;
  std::vector<Attribute<Vec4>> colours;
  std::vector<Shape> shapes;
  WeightRows weights;  // empty, or one row per point
  // The share of dual quaternions in lbs_dqs: in [0, 1], one per point. Empty: the mesh states none, and
  // kUnsaidDqsShare is used.
  std::vector<float> dqs_share;
  // weld[v] is the lowest point at exactly the position of v (weld[weld[v]] == weld[v] <= v). Solvers work on
  // the welded surface; results are copied back to all points.
  std::vector<Index> weld;
};

// A mesh in the form that GPUs and glTF need, and where its points came from.
struct SplitMesh {
  Mesh mesh;                  // attributes on points; polygons use only points of their own part
  std::vector<Index> source;  // original point of each point
};
// Splits points where the corners around them disagree (texture seams, hard edges) or belong to different
// materials, and merges the parts of one material, in the order of their first polygon. Points are ordered by
// part, then in their original order; points that no polygon uses join the first part. A mesh that is already
// split is returned unchanged, part by part. Labels other than the material are dropped.
SplitMesh split_corners(const Mesh& mesh);
// True if split_corners would change nothing.
bool is_split(const Mesh& mesh);

// ---- What belongs to a point ----
// One list for all code that splits, reorders, cuts or subdivides meshes. If a field is added to Mesh, this
// does not compile until someone decides whether the field belongs to points.

// Calls `use` on the attributes of a mesh: normals, tangents, texture coordinates, colours.
template <class AnyMesh, class Use>
void for_each_attribute(AnyMesh& mesh, const Use& use) {
  use(mesh.normals);
  use(mesh.tangents);
  for (auto& uvs : mesh.uvs) use(uvs);
  for (auto& colours : mesh.colours) use(colours);
}
// Calls `use` on every array that has one entry per point or is empty: points, the values of per-point
// attributes, dqs_share. Weight rows, shapes and the weld map belong to points too, but are stored
// differently: take_points handles them.
template <class AnyMesh, class Use>
void for_each_point_array(AnyMesh& mesh, const Use& use) {
  auto& [name, points, polygons, parts, normals, tangents, uvs, colours, shapes, weights, dqs_share, weld] =
      mesh;
  use(points);
  for_each_attribute(mesh, [&](auto& attribute) {
    if (attribute.is_per_point()) use(attribute.values);
  });
  use(dqs_share);
}
// A mesh of the points source[0], source[1], ... of `mesh`, which may repeat, with everything that belongs to
// them. Attributes on corners are copied unchanged; polygons and parts are left to the caller.
Mesh take_points(const Mesh& mesh, std::span<const Index> source);

// The parts whose entry in `takes` is true (one entry per part), with the points their polygons use and
// everything that belongs to those: attributes, shapes, weights, shares. Points keep their order; the first
// part owns all of them.
Mesh keep_parts(const Mesh& mesh, const std::vector<bool>& takes);

// weld for `points`, joining points whose coordinates are bitwise equal except for the sign of zero.
std::vector<Index> weld_coincident(std::span<const Vec3> points);

// ---- Materials ----------------------------------------------------------------------------------------

// An encoded picture (PNG, JPEG): in memory, or a file that is read when needed.
struct Image {
  std::string name;  // the file name to write it under, "skin.png"; never a path
  std::string path;  // the file that contains it; empty if `bytes` does
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
};

// What opacity does: it blends with what is behind, it hides everything below a cutoff, or nothing.
enum class Alpha : std::uint8_t { blended, cut, ignored };

// How a picture continues beyond its edges: repeated, repeated and mirrored, or with its edge pixels.
enum class Wrap : std::uint8_t { repeat, mirror, clamp };

// How a picture is placed on a surface. Its corners are (0, 0) and (1, 1), v downwards; a corner of the
// surface with texture coordinates uv shows the position offset + R (scale * uv), where R rotates by `turn`
// (radians) as in KHR_texture_transform: (x, y) to (c x + s y, c y - s x).
struct PicturePlace {
  Index uv_set = 0;  // into the mesh's uvs; at least 0, may exceed what the mesh has
  Vec2 offset, scale{1, 1};
  float turn = 0;
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
  Vec2 operator()(const Vec2& uv) const;
  friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

// The appearance of a part, as far as dermis needs it; documents keep the rest.
struct Material {
  std::string name;
  Vec4 base_colour{1, 1, 1, 1};  // linear RGB and opacity, each in [0, 1]
  Vec3 emission;
  float metallic = 0, roughness = 1;  // in [0, 1]
  bool is_double_sided = false;
  Alpha alpha = Alpha::blended;
  float alpha_cutoff = 0.5f;  // for Alpha::cut: opacity below this is invisible; in [0, 1]
  Index base_colour_image = kNone, normal_image = kNone, emission_image = kNone;
  PicturePlace base_colour_place, normal_place, emission_place;  // of these images; finite
  // The lines of an MTL file after its newmtl, verbatim; written back to an MTL instead of the fields above.
  std::vector<std::string> mtl;
};

// ---- Skins and instances ------------------------------------------------------------------------------

// The joints a mesh can follow. Slot s moves with node[s]; inverse_bind[s] maps bind space to that joint's
// frame at binding. Rest pose and bind pose are separate because they differ in some files.
struct Skin {
  std::string name;
  std::vector<Index> node;
  std::vector<Affine> inverse_bind;  // finite, one per slot
};

// A mesh placed in the scene: rigidly under its node, or by a skin. With a skin, the node's own transform has
// no effect (as in glTF), the mesh has weights, and every slot in its rows is one of that skin's.
struct Instance {
  Index node = kNone;
  Index mesh = kNone;
  Index skin = kNone;                // kNone: rigid
  std::vector<float> shape_weights;  // at rest, one per shape of the mesh
  bool in_scene = true;              // false: kept, but not part of the scene that is posed
};

// ---- Clips --------------------------------------------------------------------------------------------

// A named scalar that clips and poses can set and drivers can read (breathing, a bulge).
struct Control {
  std::string name;  // unique, not empty
  float rest = 0;
  // What a slider offers; low <= high. Values outside are allowed.
  float low = 0, high = 1;
  friend bool operator==(const Control&, const Control&) = default;
};

enum class Interpolation : std::uint8_t { step, linear, cubic_spline };
enum class ChannelPath : std::uint8_t { translation, rotation, scale, shape_weights, control };

// Keys of one animated quantity. A key has `width` numbers (3, 4, 3, shape count, 1 by path); with
// cubic_spline it has three such groups: in-tangent, value, out-tangent.
struct Channel {
  ChannelPath path = ChannelPath::translation;
  Index target = kNone;  // a node; an instance for shape_weights; a control for control
  Interpolation interpolation = Interpolation::linear;
  std::vector<float> times;   // seconds, at least one, strictly increasing, finite
  std::vector<float> values;  // finite; rotations need not be unit, sampling normalises
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;  // no two with the same path and target
  // Times of the first and last key of all channels; 0, 0 if there are no channels.
  float start() const;
  float end() const;
};

// The number of floats in one key value of `channel`, not counting tangents.
struct Character;
std::size_t channel_width(const Character& character, const Channel& channel);

// One channel at `time`, into `out` (channel_width numbers). Rotations are unit. Cannot fail; logarithmic in
// the keys. STEP keeps the earlier key; LINEAR interpolates (slerp for rotations); CUBICSPLINE is the Hermite
// form of glTF (Appendix C), with tangents scaled by the key distance.
void sample_channel(const Channel& channel, double time, std::span<float> out);

// ---- Driven values ------------------------------------------------------------------------------------
// After a clip and a pose have set a character, drivers compute values from other values, and rules turn the
// weights of shapes into those that are shown. What a driver writes belongs to it: rest values and keys of
// clips for the same value are ignored (files contain such keys for programs without drivers), and a pose
// that sets it wins. Angles are radians. Shapes are named by their labels and mean the shapes of that label
// on all meshes.

// The number that a driver reads.
enum class DriverInput : std::uint8_t {
  turn,         // the angle about `axis` of the node's rotation from its rest: the twist of that rotation
  swing,        // the angle by which that rotation tilts `axis`, 0 to pi
  translation,  // along `axis` from rest, in the parent's frame
  scale,        // along `axis`, relative to rest
  shape,        // a weight, within its limits
  control,
};

// A curve through keys. Before the first and after the last key it continues along its slope there if
// `extends`, else it keeps the value of that key.
struct DriverKey {
  float input = 0, value = 0;
  float slope = 0;  // of the spline at this key; not read if the curve is piecewise linear
  friend bool operator==(const DriverKey&, const DriverKey&) = default;
};
std::vector<DriverKey> identity_keys();  // from 0, 0 to 1, 1
struct DriverCurve {
  std::vector<DriverKey> keys = identity_keys();  // at least one; inputs increase; finite
  bool is_spline = false;                         // cubic Hermite between keys, else linear
  bool extends = true;
  friend bool operator==(const DriverCurve&, const DriverCurve&) = default;
};

// A curve of one input.
struct DriverFactor {
  DriverInput input = DriverInput::control;
  Index node = kNone;  // for turn, swing, translation, scale
  Vec3 axis{0, 1, 0};  // unit; for the same. In the node's own frame at rest (translation: its parent's)
  // For shape; of the same instance if the output is a shape, else of the first one that has it. Not an
  // in-between, nor a corrective of a pose space.
  std::string shape{};
  Index control = kNone;  // for control
  DriverCurve curve{};
  friend bool operator==(const DriverFactor&, const DriverFactor&) = default;
};

// The value that a driver writes. Values of several drivers of one output are added, scales multiplied.
enum class DriverOutput : std::uint8_t {
  turn,         // a rotation about `axis`, in the node's own frame, after its rest rotation
  translation,  // along `axis`, in the parent's frame, from rest
  scale,        // 1 + axis[i] * (value - 1) for each component i, times that at rest
  shape,        // a weight
};

// base + the product of the factors.
struct DrivenValue {
  DriverOutput output = DriverOutput::shape;
  Index node = kNone;                   // for turn, translation, scale
  Vec3 axis{0, 1, 0};                   // turn, translation: unit; scale: each component in [0, 1]
  std::string shape{};                  // for shape; neither an in-between nor a corrective of a pose space
  float base = 0;                       // finite
  std::vector<DriverFactor> factors{};  // at least one
  friend bool operator==(const DrivenValue&, const DrivenValue&) = default;
};

// A node that takes a share of another's rotation from rest: half-angle and twist joints. The rotation is
// that in the world at rest, so the frames of both need not agree.
enum class RotationPart : std::uint8_t { whole, swing, twist };
struct DrivenRotation {
  Index node = kNone, source = kNone;  // different
  RotationPart part = RotationPart::whole;
  Vec3 axis{0, 1, 0};  // unit; of swing and twist, in the source's own frame at rest
  float share = 0.5f;  // finite; negative: turns back
  friend bool operator==(const DrivenRotation&, const DrivenRotation&) = default;
};

// A node that turns to keep pointing at another, and may stretch to reach it: the shortest turn from the
// direction at rest. No other driver turns the node. Without effect if both rest at one place.
struct DrivenAim {
  Index node = kNone, target = kNone;  // different; the target is not below the node
  // Scales the node's own axis that is nearest to the direction at rest, so that the target is reached.
  bool stretches = false;
  float keeps_volume = 0;  // in [0, 1]: 1 makes a stretched node thinner by as much
  friend bool operator==(const DrivenAim&, const DrivenAim&) = default;
};

struct Driver {
  std::string name;  // unique, not empty
  std::variant<DrivenValue, DrivenRotation, DrivenAim> rule;
  friend bool operator==(const Driver&, const Driver&) = default;
};

// Another target along the weight of a shape: at `weight` it is shown alone.
struct InBetween {
  float weight = 0.5f;  // finite, neither 0 nor 1
  std::string shape;    // label; no rule, driver or pose space has it as well
  friend bool operator==(const InBetween&, const InBetween&) = default;
};

// How the weight that is set on a shape becomes the weights that are shown: first limits, then in-betweens.
// Between two targets, the neutral at 0 and the shape itself at 1 among them, both are mixed linearly. Beyond
// the first and the last target the nearest two are mixed on, with shares below 0 and above 1.
struct ShapeRule {
  std::string shape;  // label; no other rule has it
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  std::vector<InBetween> in_betweens{};  // weights increase
  friend bool operator==(const ShapeRule&, const ShapeRule&) = default;
};

// How far apart two rotations of a joint are, in radians.
enum class PoseDistance : std::uint8_t {
  rotation,  // the angle between them
  swing,     // between the directions into which they turn `axis`
  twist,     // between their angles about `axis`
};
// The radial basis functions of a pose space, by distance d and radius r.
enum class PoseKernel : std::uint8_t {
  linear,      // d
  gaussian,    // exp(-d^2 / 2 r^2)
  thin_plate,  // d^2 log d
};

struct PoseJoint {
  Index node = kNone;
  PoseDistance distance = PoseDistance::rotation;
  Vec3 axis{0, 1, 0};  // unit, in the node's own frame; for swing and twist
  float share = 1;     // above zero: its distances count so much
  friend bool operator==(const PoseJoint&, const PoseJoint&) = default;
};
struct PoseExample {
  std::string shape;           // label of the corrective: what the surface lacks in this pose
  std::vector<Quat> rotation;  // from rest, one per joint of the space; unit
  float radius = 0;            // radians; 0: the distance to the nearest other example, rest among them
  float strength = 1;          // finite
  friend bool operator==(const PoseExample&, const PoseExample&) = default;
};

// Correctives that depend on the pose of some joints (pose-space deformation, Lewis et al. 2000). At the pose
// of an example its shape has the weight `strength`, all others have none; at rest all have none. Far from
// all examples the weights fade to zero.
struct PoseSpace {
  std::string name;  // unique, not empty
  std::vector<PoseJoint> joints;
  PoseKernel kernel = PoseKernel::gaussian;
  bool is_normalised = false;  // weights are divided by their sum where that is above one
  // Distances are measured for each point by how much it follows the joints (weighted pose space, Rhee et al.
  // 2006), so the weights differ from point to point.
  bool is_per_point = false;
  std::vector<PoseExample> examples;  // no two at the same pose, none at rest
  friend bool operator==(const PoseSpace&, const PoseSpace&) = default;
};

// ---- The character ------------------------------------------------------------------------------------

struct Character {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Mesh> meshes;
  std::vector<Material> materials;
  std::vector<Image> images;
  std::vector<Skin> skins;
  std::vector<Instance> instances;  // in node order
  std::vector<Clip> clips;
  std::vector<Control> controls;
  std::vector<Driver> drivers;  // in any order; none depends on itself through others
  std::vector<ShapeRule> shape_rules;
  std::vector<PoseSpace> pose_spaces;
  double metres_per_unit = 1.0;  // finite, above zero
  bool is_unit_guessed = false;
};

// The first broken invariant as an Error that names the object, or Done. Linear in the size of the character.
Status validate(const Character& character);

// Nodes with parents before children; siblings and roots in file order. Linear, without recursion. Parents
// must be in range; nodes on or below a cycle are left out, so a full-sized result means there is no cycle.
std::vector<Index> parents_first(std::span<const Node> nodes);

// Which items of a forest are below which: items are numbered so that an item and all below it are
// consecutive. Linear to construct, without recursion; then constant per question.
class Subtrees {
 public:
  Subtrees() = default;  // no items
  // The parent of each item, or kNone; no cycles.
  explicit Subtrees(std::span<const Index> parents);
  explicit Subtrees(std::span<const Node> nodes);
  // True for the item itself, too.
  bool is_in(Index item, Index top) const {
    const std::size_t number = first_[at(item)];
    return number >= first_[at(top)] && number - first_[at(top)] < size_[at(top)];
  }

 private:
  std::vector<std::size_t> first_, size_;  // the number of each item; how many items are in its subtree
};

// For each node, which of `tops` is nearest to it among itself and the nodes above it, as an index into
// `tops`; kNone: none is.
std::vector<Index> nearest_tops(const Character& character, std::span<const Index> tops);

// For each node, whether it is a joint of at least one skin.
std::vector<bool> skin_joints(const Character& character);
// For each node, whether a point of an instance in the scene has weight on it.
std::vector<bool> weighted_joints(const Character& character);

// Multiplies every length: points, shapes, rests, inverse binds, translation keys, and translations that
// drivers read or write. Posing the result is scaling the posed character. `metres_per_unit` stays.
void scale_lengths(Character& character, double factor);

// Appends `joints` of `from`, and all their ancestors, to the nodes of `to`, with the clips that move them
// and the drivers that write and read only them and controls; these controls are added unless `to` has
// controls of their names, and drivers whose names `to` has get a number. Channels of other nodes, of shapes
// and of other controls are not copied, nor are clips that have only such channels. Returns the new index of
// each node of `from`, kNone for nodes that are not copied.
std::vector<Index> copy_skeleton(const Character& from, std::span<const Index> joints, Character& to);

// ---- Editing what drivers refer to ----------------------------------------------------------------------

// The order in which drivers are evaluated: each after all drivers that write what it reads. Drivers of nodes
// read and write rotation, translation and scale separately; an aim reads where its node and its target are,
// so it depends on everything above both. Linear; references must be in range, except labels of shapes.
struct DriverOrder {
  std::vector<Index> order;  // without drivers that depend on a cycle
  std::vector<Index> cycle;  // drivers of which each reads what the one before it writes; empty: no cycle
};
DriverOrder driver_order(const Character& character);

// Parts of a node's local pose.
struct NodeParts {
  bool translation = false, rotation = false, scale = false;
  bool any() const { return translation || rotation || scale; }
};
// What drivers write of each node; empty if there is no driver.
std::vector<NodeParts> driven_parts(const Character& character);

// The character has drivers, rules of shapes or pose spaces.
bool has_driven_values(const Character& character);

// How far apart two rotations from rest are for a joint of a pose space: radians, 0 to pi.
double pose_angle(const PoseJoint& joint, const Quatd& a, const Quatd& b);
// Poses of a space that are nearer to each other than this are the same, in radians.
inline constexpr double kSamePose = 1e-3;

struct DroppedDriving {
  std::string what;  // "driver 'bulge'"
  std::string why;   // "it reads node 12 of 8"
};

// Renumbers the nodes and controls that drivers and pose spaces refer to: node n becomes new_node[n], kNone
// if it was removed. An empty list changes nothing.
void renumber_driven(Character& character, std::span<const Index> new_node,
                     std::span<const Index> new_control);
// Adds the drivers of `from` to those of `to`, node n as new_node[n], with the controls they read (by name)
// and the rules and pose spaces of shapes that `to` has. Names that `to` has get a number. Left out is what
// refers to a node without a number or to a shape that `to` lacks, or writes, rules or corrects what `to` has
// a driver, a rule or a pose space for. Returns these, except what `to` has just like that.
[[nodiscard]] std::vector<DroppedDriving> add_driven(const Character& from, std::span<const Index> new_node,
                                                     Character& to);
// For shapes that were renamed, on all meshes that have one of that label.
void rename_driven_shape(Character& character, std::string_view from, const std::string& to);

// Drops all drivers, rules, in-betweens, pose spaces and examples that break an invariant: because what they
// refer to was removed, or the file was wrong. Of a cycle, all drivers are dropped. A character that is valid
// except for these is valid afterwards.
std::vector<DroppedDriving> drop_broken_driving(Character& character);
// Notes what was dropped ("driving-dropped"), the first few with their reasons.
void note_dropped(std::span<const DroppedDriving> dropped, Notes& notes);

// ---- Names --------------------------------------------------------------------------------------------

// How users refer to a node in a pose file or on the command line: its name if that is unique and without
// control characters, "#12" otherwise. "#12" works for every node (and always means the number, even if a
// name looks like that). Linear in the nodes; for all nodes at once use node_labels.
std::string node_label(const Character& character, Index node);
// The labels of all nodes, in linear time.
std::vector<std::string> node_labels(const Character& character);

// The node for such a label; an Error if no node has that name (with the nearest name) or several have it.
// Linear in the nodes; for many labels make one NodeFinder.
Result<Index> find_node(const Character& character, std::string_view label);

// find_node for many labels: linear to construct, then constant per label. Refers to the character's nodes,
// which must outlive it unchanged.
class NodeFinder {
 public:
  explicit NodeFinder(const Character& character);
  Result<Index> find(std::string_view label) const;

 private:
  std::span<const Node> nodes_;
  std::unordered_map<std::string_view, Index> table_;  // by name; -2 if several nodes share it
};

// "smile", or "#3" for a shape without a name.
std::string shape_label(const Mesh& mesh, std::size_t shape);

// A clip by name or by number ("Walk", "0", "#0"); a name wins over a number. An Error if there is none (with
// the nearest name) or if clips share the name.
Result<Index> find_clip(const Character& character, std::string_view label);

// A name that no clip has: `wanted`, or with a number from 2: "walk 2".
std::string free_clip_name(std::span<const Clip> clips, const std::string& wanted);

// The words of a name in lower case, none empty: split at spaces and punctuation, at capitals that begin a
// word, and between letters and digits. "LHand" is l and hand, "LeftArm_02" left, arm and 02,
// "mixamorig:IKTarget" mixamorig, ik and target. Non-ASCII letters are kept as they are.
std::vector<std::string> name_words(std::string_view name);
// The same words without those for left and right, joined by spaces: what a joint and its mirror image have
// in common. "arm" for "arm_L", "Arm.R" and "LeftArm".
std::string without_side(std::string_view name);
// A name as error sentences show it: in single quotes, shortened, without line breaks.
std::string quoted_name(std::string_view name);
// The name that was probably meant: at most a third of the letters differ (or one, or two neighbours are
// swapped), or the words mean the same joint ("left_wrist" and "LeftHand"). Case and prefixes that end in a
// colon or bar are ignored. Empty if no name is that close.
std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names);
// "; did you mean 'elbow_L'?" with that name, or the first few names if none is close.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

// ---- Left and right -----------------------------------------------------------------------------------

// The side given by a joint's name: left and right, l and r, as separate words or set off by capitals; also
// fl, fr, bl, br.
enum class NamedSide : std::uint8_t { none, left, right };
NamedSide side_of_name(std::string_view name);

// The plane between the joints of a skin whose names pair left with right, in the bind pose; none if no joint
// names contain a side. `size` is the diagonal of what the skin moves. Refine it with fit_mirror_plane:
// joints may be placed asymmetrically.
std::optional<MirrorPlane> plane_between_sides(const Character& character, const Skin& skin, double size);

// The joints of one skin in the bind pose, and which joints mirror each other.
struct MirroredSkin {
  MirrorPlane plane;          // its normal points to the left
  std::vector<Index> mirror;  // of each slot; kNone: it has no partner
};
// Joints pair by name, ignoring a number at the end; among several candidates the best mirror images pair.
// Joints without a side pair with themselves on the plane, and by position elsewhere.
MirroredSkin mirror_skin(const Character& character, const Skin& skin, const MirrorPlane& plane, double size);

// The meshes whose skins share joints, in one space: that in which the first of these skins was bound. Left
// and right of a body may be separate meshes under separate skins.
struct SkinnedBody {
  struct Part {
    Index mesh = kNone, skin = kNone;
    std::size_t first_point = 0;  // in `points`
    std::vector<Index> joint;     // for each slot of the skin its slot in `joints`
  };
  Skin joints;               // those of all its skins, each once
  std::vector<Part> parts;   // in the order of the meshes
  std::vector<Vec3> points;  // of all parts, finite
  std::vector<Index> weld;   // as in a mesh; does not join parts
  Polygons polygons;
};
// Every mesh with weights is a part of one body, under the skin of the first instance that shows it;
// instances in the scene come first. Linear.
std::vector<SkinnedBody> skinned_bodies(const Character& character);

// ---- Poses --------------------------------------------------------------------------------------------

// The contents of a pose file, still by name. What is absent stays at rest.
struct NodePose {
  std::string node;                 // a node label
  std::optional<Vec3> translation;  // these three replace the local values
  std::optional<Quat> rotation;     // unit
  std::optional<Vec3> scale;
  std::optional<Quat> turn;  // applied afterwards, relative, in the joint's own frame; unit
};
struct NamedValue {
  std::string name;
  float value = 0;
};
struct Pose {
  std::vector<NodePose> nodes;
  std::vector<NamedValue> shapes;  // set on every instance that has a shape with that name
  std::vector<NamedValue> controls;
};

}  // namespace dermis

// After what it builds on.
#include "dermis/model/takes.h"
