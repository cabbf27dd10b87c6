// SPDX-License-Identifier: MIT
// The character: a forest of nodes, meshes, skins, instances and clips, as plain data with its invariants.
//
// Everything is in the file's own units and in float. Indices are 32-bit; -1 means "none". Angles are
// radians. A Character that came out of a loader or of `make` keeps every invariant written here; `validate`
// checks them, and all other rooms rely on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

using Index = std::int32_t;
// An index as a place in an array: points[at(v)]. It is not kNone.
constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }
inline constexpr Index kNone = -1;

// ---- Nodes --------------------------------------------------------------------------------------------

// One node of the forest. Nodes stand in file order: a parent may come after its child.
struct Node {
  std::string name;      // as in the file: may be empty, may be shared by several nodes (see node_label)
  Index parent = kNone;  // no cycles
  Transform rest;        // local pose at rest; rotation unit, all numbers finite
  // Set when the file gave a matrix instead of TRS. While the node is neither animated nor posed, this is
  // its local pose, shear and all; `rest` is then the nearest TRS.
  std::optional<Affine> rest_matrix;
};

// ---- Weights ------------------------------------------------------------------------------------------

struct Influence {
  Index slot = 0;    // into the slots of the skin, not into the nodes
  float weight = 0;  // in (0, 1]
  friend bool operator==(const Influence&, const Influence&) = default;
};

// A row of influences for each point, of any length: row v is influences[first[v] .. first[v + 1]).
struct WeightRows {
  std::vector<std::uint32_t>
      first;  // point count + 1 entries, starting at 0, never falling; empty: no weights
  std::vector<Influence> influences;  // in a row: heaviest first (ties: lower slot), none zero, no slot
                                      // twice, at least one, sum 1 within kWeightSumTolerance

  bool empty() const { return first.empty(); }
  std::span<const Influence> row(std::size_t v) const {
    return {influences.data() + first[v], influences.data() + first[v + 1]};
  }
  friend bool operator==(const WeightRows&, const WeightRows&) = default;
};

// Sums are made one in double and rounded once per weight: a row of 30 floats stays well inside this.
inline constexpr double kWeightSumTolerance = 1e-5;

// Collects raw (slot, weight) pairs and closes them into rows that keep the invariant, counting what it had
// to mend. Slots are not range-checked here: the caller knows the skin.
class WeightRowBuilder {
 public:
  struct Repairs {
    std::uint32_t negative = 0;        // weights below zero, or not finite, taken as zero
    std::uint32_t merged = 0;          // the same slot named twice with weight: added up
    std::uint32_t not_normalised = 0;  // rows whose sum was off by more than a quantisation step
    std::uint32_t unweighted =
        0;                 // rows without any weight: given wholly to their first named slot, or slot 0
    double worst_sum = 1;  // the sum furthest from 1
    // The first row of each kind, kNone without one.
    Index first_negative = kNone, first_merged = kNone, first_not_normalised = kNone,
          first_unweighted = kNone;
  };

  void reserve(std::size_t row_count, std::size_t influence_count);
  // Adds to the open row.
  void add(Index slot, float weight);
  // Ends the row: drops zeros, merges, sorts, normalises. `sum_tolerance` is how far a sum may be off before
  // it counts as a repair (the file's quantisation step times its influences); it is normalised either way.
  // A row that already sums to one but for float rounding keeps its bits, so closing twice is closing once.
  void close_row(double sum_tolerance);
  const Repairs& repairs() const { return repairs_; }
  // The rows closed so far; the builder starts anew, its repairs included.
  WeightRows take();

 private:
  WeightRows rows_;
  std::vector<Influence> open_;
  Repairs repairs_;
};

// Packing to a fixed number of influences happens only at the file or GPU border.
struct PackedWeights {
  int influences = 4;                // per point
  std::uint32_t scale = 65535;       // what the quantised weights of a row add up to, exactly
  std::vector<std::uint16_t> slots;  // point count x influences, 0 where unused
  std::vector<std::uint16_t> weights;
  std::uint32_t cut_rows = 0;  // rows that had more influences than fit: the largest were kept
  float max_cut = 0;           // the largest weight sum cut from one row
};
// Largest first, rounded so that each row sums to `scale` (255 or 65535) exactly and no slot has two
// non-zero weights. Slots must be below 65536.
PackedWeights pack_weights(const WeightRows& rows, int influences, std::uint32_t scale);

// ---- Meshes -------------------------------------------------------------------------------------------

// Faces as lists of corners: polygon p has corners first[p] .. first[p + 1), each naming a point.
struct Polygons {
  std::vector<std::uint32_t> first{0};  // polygon count + 1 entries, rising by at least 3
  std::vector<Index> corners;           // point of each corner

  std::size_t count() const { return first.size() - 1; }
  std::span<const Index> polygon(std::size_t p) const {
    return {corners.data() + first[p], corners.data() + first[p + 1]};
  }
};

// A surface attribute. Absent when `values` is empty. With `corner_value` empty there is one value for each
// point (glTF); otherwise corner c has values[corner_value[c]] (OBJ).
template <class Value>
struct Attribute {
  std::vector<Value> values;
  std::vector<Index> corner_value;  // into `values`, one for each corner, or empty
  bool empty() const { return values.empty(); }
  bool is_per_point() const { return corner_value.empty(); }
};

// A blend shape: offsets from the rest points, only where it moves something.
struct Shape {
  std::string name;            // may be empty (see shape_label)
  std::vector<Index> points;   // rising; the points it moves
  std::vector<Vec3> offsets;   // finite, one for each of `points`
  std::vector<Vec3> normals;   // offsets of per-point normals, one for each of `points`, or empty
  std::vector<Vec3> tangents;  // offsets of per-point tangents (xyz), likewise
};

// A run of polygons that share a material and labels: a glTF primitive, the faces between two o, g, s or
// usemtl lines of an OBJ.
struct MeshPart {
  // The points it brought: parts cover the points in order, without gaps. Polygons may use points of other
  // parts (an OBJ gives all points to its first part); after split_corners they do not.
  Index first_point = 0, point_count = 0;
  Index first_polygon = 0, polygon_count = 0;  // parts cover the polygons in order, without gaps
  Index material = kNone;                      // of the character
  std::string object{};                        // the o of an OBJ; empty: none
  std::string groups{};                        // the g of an OBJ, several names with blanks between
  std::string smoothing{};                     // the s of an OBJ: a group number, "off", or empty: not said
};

// The share of dual quaternions in lbs_dqs at points whose file does not say theirs.
inline constexpr float kUnsaidDqsShare = 0.5f;

// Points and corners are kept apart: points carry positions, weight rows and shape offsets; polygons index
// points; normals, tangents, texture coordinates and colours sit on points or on corners.
struct Mesh {
  std::string name;
  std::vector<Vec3> points;  // finite
  Polygons polygons;
  std::vector<MeshPart> parts;  // at least one when there are points
  Attribute<Vec3> normals;      // finite; unit in good files, but not relied upon
  Attribute<Vec4> tangents;     // finite; w is the handedness, +1 or -1
  std::vector<Attribute<Vec2>> uvs;
  std::vector<Attribute<Vec4>> colours;
  std::vector<Shape> shapes;
  WeightRows weights;  // empty, or a row for each point
  // How much of lbs_dqs is dual quaternions: in [0, 1], one for each point; empty: the mesh does not say, and
  // kUnsaidDqsShare is taken.
  std::vector<float> dqs_share;
  // weld[v] is the lowest point at exactly the position of v (weld[weld[v]] == weld[v] <= v). Solvers work on
  // the welded surface; results return to all points.
  std::vector<Index> weld;
};

// A mesh as GPUs and glTF want it, and where its points came from.
struct SplitMesh {
  Mesh mesh;                  // attributes on points; polygons use only points of their own part
  std::vector<Index> source;  // point of the original for each point
};
// Splits points where the corners around them disagree (seams of texture coordinates, hard edges) or belong
// to different materials, and joins the parts of one material, in the order of their first polygon. Points
// stand by part, then in their original order; points that no polygon uses come along with the first part. A
// mesh that is already so comes back as it is, part by part. Labels other than the material are dropped.
SplitMesh split_corners(const Mesh& mesh);
// True when split_corners would change nothing.
bool is_split(const Mesh& mesh);

// ---- What belongs to a point ----
// One list for all that splits, reorders, cuts or subdivides meshes. A field added to Mesh does not compile
// here until it is decided whether it belongs to points.

// Calls `use` on the attributes of a mesh: normals, tangents, texture coordinates, colours.
template <class AnyMesh, class Use>
void for_each_attribute(AnyMesh& mesh, const Use& use) {
  use(mesh.normals);
  use(mesh.tangents);
  for (auto& uvs : mesh.uvs) use(uvs);
  for (auto& colours : mesh.colours) use(colours);
}
// Calls `use` on every array that has one entry for each point, or is empty: points, the values of attributes
// that sit on points, dqs_share. Weight rows, shapes and the weld map belong to points too, in forms of their
// own: take_points knows them.
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
// A mesh of the points source[0], source[1], ... of `mesh`, each any number of times, with all that belongs
// to them. Attributes on corners come along as they are; polygons and parts are left to the caller.
Mesh take_points(const Mesh& mesh, std::span<const Index> source);

// weld for `points`, joining points whose coordinates are bitwise equal but for the sign of zero.
std::vector<Index> weld_coincident(std::span<const Vec3> points);

// ---- Materials ----------------------------------------------------------------------------------------

// A picture, still encoded (PNG, JPEG): in memory, or a file that is read when it is needed.
struct Image {
  std::string name;  // the file name to write it under, "skin.png"; never a path
  std::string path;  // the file it lies in; empty when `bytes` has it
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
};

// What opacity does: it shows what is behind, it decides at a limit what is there at all, or nothing.
enum class Alpha : std::uint8_t { blended, cut, ignored };

// How a picture goes on beyond its edges: again, again as its mirror image, or with the pixels of its edge.
enum class Wrap : std::uint8_t { repeat, mirror, clamp };

// Where a picture lies on a surface. Its corners are (0, 0) and (1, 1), v downwards; a corner of the surface
// with texture coordinates uv shows the place offset + R (scale * uv), R turning by `turn` (radians) as
// KHR_texture_transform says: (x, y) to (c x + s y, c y - s x).
struct PicturePlace {
  Index uv_set = 0;  // of the mesh's uvs; at least 0, and maybe more than the mesh has
  Vec2 offset, scale{1, 1};
  float turn = 0;
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
  Vec2 operator()(const Vec2& uv) const;
  friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

// How a part looks, as far as dermis needs it; documents keep the rest.
struct Material {
  std::string name;
  Vec4 base_colour{1, 1, 1, 1};  // linear RGB and opacity, each in [0, 1]
  Vec3 emission;
  float metallic = 0, roughness = 1;  // in [0, 1]
  bool is_double_sided = false;
  Alpha alpha = Alpha::blended;
  float alpha_cutoff = 0.5f;  // with Alpha::cut: less opacity than this is not there; in [0, 1]
  Index base_colour_image = kNone, normal_image = kNone, emission_image = kNone;
  PicturePlace base_colour_place, normal_place, emission_place;  // of these; finite
  // The lines of an MTL file under its newmtl, as they stood; written back to an MTL in place of the above.
  std::vector<std::string> mtl;
};

// ---- Skins and instances ------------------------------------------------------------------------------

// The joints a mesh can follow. Slot s moves with node[s]; inverse_bind[s] takes bind space to that joint's
// frame at binding. Rest pose and bind pose are kept apart because files disagree.
struct Skin {
  std::string name;
  std::vector<Index> node;
  std::vector<Affine> inverse_bind;  // finite, one for each slot
};

// A mesh put into the scene: rigidly under its node, or by a skin (then the node's own transform does not
// matter, as glTF says, the mesh has weights, and every slot in its rows is one of that skin).
struct Instance {
  Index node = kNone;
  Index mesh = kNone;
  Index skin = kNone;                // kNone: rigid
  std::vector<float> shape_weights;  // at rest, one for each shape of the mesh
  bool in_scene = true;              // false: kept, but not part of the scene that is posed
};

// ---- Clips --------------------------------------------------------------------------------------------

// A named scalar that clips and poses can set and drivers can read (breathing, a bulge).
struct Control {
  std::string name;  // unique, not empty
  float rest = 0;
};

enum class Interpolation : std::uint8_t { step, linear, cubic_spline };
enum class ChannelPath : std::uint8_t { translation, rotation, scale, shape_weights, control };

// Keys of one animated quantity. A key is `width` numbers (3, 4, 3, shape count, 1 by path); with
// cubic_spline it is three such groups: in-tangent, value, out-tangent.
struct Channel {
  ChannelPath path = ChannelPath::translation;
  Index target = kNone;  // a node; for shape_weights an instance; for control a control
  Interpolation interpolation = Interpolation::linear;
  std::vector<float> times;   // seconds, at least one, strictly rising, finite
  std::vector<float> values;  // finite; rotations need not be unit, sampling normalises
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;  // no two with the same path and target
  // First and last key of all channels; 0, 0 without channels.
  float start() const;
  float end() const;
};

// Numbers in one key value of `channel`, tangents not counted.
struct Character;
std::size_t channel_width(const Character& character, const Channel& channel);

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
  double metres_per_unit = 1.0;  // finite, above zero
  bool is_unit_guessed = false;
};

// The first broken invariant as an Error that names the thing, or Done. Linear in the size of the character.
Status validate(const Character& character);

// Parents before children; among siblings and roots, file order. Linear, without recursion. Parents must be
// in range; nodes on or below a cycle are left out, so a full-sized result means there is none.
std::vector<Index> parents_first(std::span<const Node> nodes);

// ---- Names --------------------------------------------------------------------------------------------

// How a person addresses a node in a pose file or on the command line: its name when that is unique,
// "#12" otherwise. "#12" works for every node (and always means the number, should a name look like that).
// Linear in the nodes; for all nodes at once use node_labels.
std::string node_label(const Character& character, Index node);
// The labels of all nodes, in linear time.
std::vector<std::string> node_labels(const Character& character);

// The node for such a label; an Error says when a name is missing (with the nearest there is) or shared.
// Linear in the nodes; for many labels make one NodeFinder.
Result<Index> find_node(const Character& character, std::string_view label);

// find_node for many labels: linear once, then constant for each. Refers to the character's nodes, which
// must outlive it unchanged.
class NodeFinder {
 public:
  explicit NodeFinder(const Character& character);
  Result<Index> find(std::string_view label) const;

 private:
  std::span<const Node> nodes_;
  std::unordered_map<std::string_view, Index> table_;  // by name; -2 when several nodes share it
};

// "smile", or "#3" for a shape without a name.
std::string shape_label(const Mesh& mesh, std::size_t shape);

// A clip by name or by number ("Walk", "0", "#0"); a name wins over a number. An Error says when there is
// none (with the nearest there is) or when clips share the name.
Result<Index> find_clip(const Character& character, std::string_view label);

// The words of a name in lower case, none empty: cut at blanks and signs, where a capital begins a word, and
// between letters and digits. "LHand" is l and hand, "LeftArm_02" left, arm and 02, "mixamorig:IKTarget"
// mixamorig, ik and target. Letters beyond ASCII are kept as they are.
std::vector<std::string> name_words(std::string_view name);
// A name as error sentences show it: in single quotes, shortened, without line breaks.
std::string quoted_name(std::string_view name);
// "; did you mean 'elbow_L'?" with the name nearest to `wanted` by edit distance, what stands before a
// colon or bar aside, or nothing without names.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

// ---- Poses --------------------------------------------------------------------------------------------

// What a pose file says, still by name. What is absent stays at rest.
struct NodePose {
  std::string node;                 // a node label
  std::optional<Vec3> translation;  // these three replace the local value
  std::optional<Quat> rotation;     // unit
  std::optional<Vec3> scale;
  std::optional<Quat> turn;  // applied after, relative, in the joint's own frame; unit
};
struct NamedValue {
  std::string name;
  float value = 0;
};
struct Pose {
  std::vector<NodePose> nodes;
  std::vector<NamedValue> shapes;  // set on every instance that has a shape of that name
  std::vector<NamedValue> controls;
};

}  // namespace dermis
