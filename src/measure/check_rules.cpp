// SPDX-License-Identifier: MIT
// The tables of the check: all rules, and what each profile requires.
#include <fmt/format.h>

#include <array>

#include "measure/check.h"

namespace dermis {
namespace {

constexpr const char* kRewritten = "the weights are rewritten as repaired on loading";

// In the order of findings of one severity: what a picture shows comes first.
constexpr std::array kRules{
    // ---- Points that go astray ----
    CheckRule{
        "rest-torn", Severity::error,
        "in the rest pose an edge is three times as long as in the bind pose and spans part of the body",
        "bind the skin again: a joint, an inverse bind matrix or their order is wrong", ""},
    CheckRule{"stretch-high", Severity::error,
              "in the range of motion an edge becomes three times as long and spans part of the body",
              "look at that pose: neighbouring points follow joints that move apart", ""},
    CheckRule{"sides-wrong", Severity::error, "points on the left follow joints of the right, or the reverse",
              "swap the joints back", ""},
    CheckRule{"points-stray", Severity::error,
              "points or patches follow a far joint that nothing around them follows: spikes when it moves",
              "weight these points like those around them", ""},
    CheckRule{"seam-torn", Severity::error,
              "coincident points across a seam follow different joints: cracks when these move",
              "copy the weights from one side", ""},
    CheckRule{"skin-rigid", Severity::error, "all points follow one joint of a skeleton: nothing bends",
              "bind the mesh again", ""},
    CheckRule{
        "skeleton-apart", Severity::error,
        "the skeleton is not in the body: half of the points are far from every bone, or all are to one side "
        "of the bones they follow",
        "move the skeleton into the body and bind again", ""},
    CheckRule{"joints-shifted", Severity::error,
              "the joint numbers of the weights are off by one: the next or the previous joints are nearer",
              "export the weights and the joints of the skin in the same order", ""},
    CheckRule{"bind-odd", Severity::error,
              "at rest one joint moves its points, while its parent and its children leave theirs in place",
              "compute the joint's inverse bind matrix again", ""},
    CheckRule{"surface-inside-out", Severity::error,
              "seen from outside, a mesh shows mostly the back of its polygons", "turn its polygons around",
              ""},
    // ---- Weights ----
    CheckRule{"weights-sum-wrong", Severity::error, "the sum of a point's weights is below a half",
              "export the weights again: most of the weight of these points is missing", kRewritten},
    CheckRule{"weights-not-normalised", Severity::warning, "the weights of a point do not quite sum to one",
              "leave them: most programs normalise on loading", kRewritten},
    CheckRule{"weights-negative", Severity::error, "a weight is negative or not a number",
              "clamp the weights in the tool that made them", kRewritten},
    CheckRule{"weights-missing", Severity::error, "a point of a skinned mesh follows no joint",
              "weight these points by hand (mending only ties them to the first joint)", kRewritten},
    CheckRule{"weights-merged", Severity::warning, "a point names the same joint twice",
              "leave them: the weights add up in every program", kRewritten},
    CheckRule{"half-weights", Severity::error, "a primitive has joints without weights, or the reverse",
              "export the mesh again (mending drops the lone half)", kRewritten},
    CheckRule{"joints-unusual-type", Severity::error,
              "joint numbers are stored in a type glTF does not allow",
              "store them in a type that glTF allows (other readers refuse them)", kRewritten},
    CheckRule{"weights-astray", Severity::error, "weights name a point that does not exist",
              "export the mesh again", kRewritten},
    CheckRule{"weights-unread", Severity::error,
              "weight sets come after a gap in their numbering, so they are never read",
              "number JOINTS_n and WEIGHTS_n without gaps", ""},
    CheckRule{"influences-over-limit", Severity::error, "points follow more joints than the target reads",
              "raise the limit of the target", "the heaviest influences are kept and scaled to a sum of one"},
    CheckRule{"seam-weights-differ", Severity::warning,
              "coincident points across a seam have different weights: the seam opens",
              "copy the weights from one side", "the rows of coincident points are averaged"},
    CheckRule{"shells-far", Severity::warning, "pieces follow a joint that is far away from them",
              "check whether they should follow a nearer one", ""},
    CheckRule{"weights-bleed", Severity::warning,
              "points follow joints far away along the skeleton, and move with them",
              "remove that weight; smoothing and automatic weights across a gap cause it", ""},
    CheckRule{"weights-asymmetric", Severity::info,
              "a symmetric body has different weights on the left and on the right",
              "mirror the weights, unless the difference is intended", ""},
    CheckRule{"points-torn", Severity::info, "points follow many joints, none of them strongly",
              "check whether they stay in place when the joints move", ""},
    CheckRule{"joints-faint", Severity::info, "no point follows these joints more than any other",
              "fine for twist and helper joints; others do little", ""},
    CheckRule{"strain-high", Severity::warning,
              "in the range of motion the length of an edge changes by more than the limit",
              "look at that pose: weights that change too fast, or a point that follows the wrong joint", ""},
    CheckRule{"volume-lost", Severity::warning,
              "in the range of motion more volume is lost than the limit allows",
              "spread the weights, add twist joints, or use another method", ""},
    CheckRule{"intersections-new", Severity::warning,
              "in the range of motion more triangles cross than the limit allows",
              "look at that pose; bent limbs cross in the crease", ""},
    CheckRule{"weights-without-skin", Severity::error, "a mesh has weights but is shown without a skin",
              "give its node a skin, or drop the weights", ""},
    // ---- Skins and joints ----
    CheckRule{"joint-twice", Severity::error, "a skin names the same joint twice",
              "merge the two in the tool that made the skin", ""},
    CheckRule{"bind-singular", Severity::error,
              "an inverse bind matrix flattens space, and every point that follows the joint; a warning if "
              "none does",
              "bind the skin again", ""},
    CheckRule{"bind-not-affine", Severity::error, "an inverse bind matrix has a last row other than 0 0 0 1",
              "export the skin again", ""},
    CheckRule{"joints-no-common-root", Severity::error, "the joints of a skin hang below several roots",
              "put them below one node", ""},
    CheckRule{"joint-roots-many", Severity::error, "the joints have more than one root joint",
              "add one root joint above them", ""},
    CheckRule{
        "joint-scale-zero", Severity::error,
        "a joint has a rest scale of zero: what follows it collapses to a point or a plane; a warning if "
        "a clip scales it",
        "give the joint a scale, unless it hides something on purpose", ""},
    CheckRule{"joint-unused", Severity::warning, "no point follows a joint",
              "drop it, unless it moves other nodes or is intended as a marker", ""},
    CheckRule{"rest-not-bind", Severity::warning, "the rest pose of a skin differs from its bind pose",
              "bind in the rest pose, or rest in the bind pose, if the mesh looks wrong at rest", ""},
    CheckRule{"skin-unused", Severity::info, "no instance uses a skin", "drop it", ""},
    // ---- Nodes and names ----
    CheckRule{"names-shared", Severity::warning, "several nodes have the same name",
              "give each its own name: clips, poses and engines find nodes by name",
              "a number is added to all except the first", true},
    CheckRule{"names-missing", Severity::warning, "nodes have no name",
              "name them: clips, poses and engines find nodes by name", "they are named after their number",
              true},
    CheckRule{"rotation-not-unit", Severity::error, "the rotation of a node is not of unit length",
              "export again", ""},
    CheckRule{"matrix-not-affine", Severity::error, "the matrix of a node has a last row other than 0 0 0 1",
              "export again", ""},
    CheckRule{"matrix-and-trs", Severity::error,
              "a node has a matrix as well as translation, rotation or scale; which one counts is undefined",
              "keep one of the two", ""},
    CheckRule{"child-twice", Severity::error, "a node lists the same child twice", "list it once", ""},
    // ---- Surfaces ----
    CheckRule{"mesh-empty", Severity::warning, "a mesh has no polygons", "drop it, or export it again", ""},
    CheckRule{"mesh-unused", Severity::info, "no instance shows a mesh", "drop it, or put it under a node",
              ""},
    CheckRule{"points-unused", Severity::info, "points that no polygon uses", "drop them", ""},
    CheckRule{"edges-open", Severity::warning, "edges with a polygon on one side only: the surface has holes",
              "close the holes if the body should be solid; cloth and hair may be open", ""},
    CheckRule{"edges-nonmanifold", Severity::warning, "edges with more than two polygons",
              "remove inner walls and doubled polygons; solvers need two sides per edge", ""},
    CheckRule{"shells-many", Severity::warning, "a mesh is made of several pieces that share no point",
              "join them, or keep in mind that each is bound separately", ""},
    CheckRule{"shell-flipped", Severity::warning,
              "a closed piece is inside out; an error if it is most of the mesh", "turn its polygons over",
              "its polygons, and normals that match them, are turned"},
    CheckRule{"winding-mixed", Severity::warning, "neighbouring polygons are wound against each other",
              "turn the odd ones over",
              "the minority is turned, in closed pieces those that face inwards; one-sided strips stay"},
    CheckRule{"polygons-collapsed", Severity::warning, "polygons that use a position twice",
              "merge their points", "repeated corners are removed, and polygons with fewer than three left"},
    CheckRule{"polygons-flat", Severity::warning, "polygons without area, although their corners differ",
              "retriangulate there; they have no normal", ""},
    CheckRule{"normals-not-unit", Severity::warning, "normals are not of unit length or not finite",
              "export the normals again if shading looks wrong", ""},
    CheckRule{"normals-none", Severity::error,
              "more than a hundredth of the points of a mesh have a normal without direction: black spots",
              "export the normals again, or leave them out", ""},
    CheckRule{"normals-blank", Severity::error, "no normal of a part of a mesh has a direction: it is black",
              "export the normals again, or leave them out", ""},
    CheckRule{"normals-inverted", Severity::error,
              "most normals of a mesh point to the back of its polygons: it is lit from the wrong side",
              "turn the normals over, or the polygons", ""},
    CheckRule{"tangents-broken", Severity::warning, "tangents are not finite or have no handedness",
              "export the tangents again", ""},
    CheckRule{"attribute-not-finite", Severity::error,
              "texture coordinates or colours (in PLY and OFF also normals) are not finite",
              "export them again", ""},
    CheckRule{"normals-not-finite", Severity::error, "normals of an OBJ are not finite",
              "export the normals again", ""},
    CheckRule{"uvs-missing", Severity::warning, "corners have no texture coordinate although others have one",
              "unwrap these faces too, if a picture should cover them", ""},
    CheckRule{"material-missing", Severity::warning, "faces name a material that no material file holds",
              "put the .mtl next to the .obj, or export it again", ""},
    CheckRule{"materials-missing", Severity::warning, "a material file is missing",
              "put the .mtl next to the .obj", ""},
    CheckRule{"image-missing", Severity::warning, "a picture is missing", "put it next to the file", ""},
    CheckRule{"cut-triangle", Severity::warning, "the indices do not form a whole number of triangles",
              "export the mesh again", ""},
    CheckRule{"index-32-bit", Severity::info, "a part has more points than 16-bit indices can name",
              "let the importer use 32-bit indices, or split the mesh", ""},
    // ---- Shapes and clips ----
    CheckRule{"uneven-targets", Severity::error, "the parts of a mesh have different numbers of shapes",
              "export the shapes again", ""},
    CheckRule{"shape-weights-count", Severity::error, "a node has more or fewer shape weights than shapes",
              "export the mesh again", ""},
    CheckRule{"clip-empty", Severity::warning, "a clip moves nothing: it has no channels", "drop it", ""},
    CheckRule{"clip-still", Severity::info, "a clip holds one pose: no key differs from the first",
              "fine for a pose; otherwise bake the motion again", ""},
    CheckRule{"clip-without-lengths", Severity::warning,
              "the joints that a clip moves all rest at one place: the export lost the lengths of bones",
              "export the motion together with its skeleton", ""},
    CheckRule{"clip-jump", Severity::warning,
              "a channel jumps between two keys, far faster than before and after",
              "look at that moment: flipped Euler angles and lost frames look like this", ""},
    CheckRule{"keys-repeated", Severity::warning, "keys have the time of the key before",
              "leave them: the clip plays the same", ""},
    CheckRule{"keys-unordered", Severity::error, "keys run backwards in time", "export the clip again", ""},
    CheckRule{"channel-broken", Severity::error, "a channel cannot be played", "export the clip again", ""},
    CheckRule{"channel-without-shapes", Severity::error, "a channel animates shapes of a node that has none",
              "drop the channel", ""},
    CheckRule{"channel-unknown", Severity::info, "a channel animates something dermis does not play",
              "nothing, if another program plays it", ""},
    CheckRule{"curves-as-keys", Severity::warning, "curves between keys were read as straight lines",
              "bake the curves in the tool that made them, if the motion looks wrong", ""},
    CheckRule{"animated-matrix", Severity::error,
              "a clip moves a node that has a matrix instead of translation, rotation and scale",
              "store translation, rotation and scale", ""},
    // ---- The file ----
    CheckRule{"skeleton-not-above", Severity::error,
              "a skin names a skeleton that is not above all of its joints",
              "name a common ancestor, or none", ""},
    CheckRule{"list-empty", Severity::error, "a list is empty, which glTF forbids",
              "leave the list out: strict programs refuse the file", ""},
    CheckRule{"stride-wrong", Severity::error, "data has a stride that glTF does not allow there",
              "export the file again: other programs may refuse it", ""},
    CheckRule{"accessor-misaligned", Severity::error, "numbers do not start at a multiple of their size",
              "export the file again: other programs may refuse it", ""},
    CheckRule{"attribute-unusual-type", Severity::error,
              "attributes or indices are stored in a type that glTF does not allow",
              "export the file again: other programs may refuse it", ""},
    CheckRule{"sparse-unordered", Severity::error, "sparse indices are not strictly increasing",
              "export the file again: other programs may refuse it", ""},
    CheckRule{"bounds-missing", Severity::error, "positions state no bounds",
              "export the file again: programs that cull by these bounds refuse it", ""},
    CheckRule{"bounds-narrow", Severity::error, "positions or times lie outside the bounds they state",
              "export the file again: other programs hide the mesh at the edge of the picture, or end the "
              "clip early",
              ""},
    CheckRule{"bounds-wide", Severity::warning, "positions or times state wider bounds than they have",
              "export the file again if a camera frames it badly", ""},
    CheckRule{"time-bounds-missing", Severity::warning, "times of keys state no bounds",
              "leave it, unless another program refuses the file", ""},
    CheckRule{"view-shared", Severity::warning, "a buffer view holds attributes of points and other data",
              "leave it, unless another program refuses the file", ""},
    CheckRule{"stride-missing", Severity::warning,
              "attributes of points share a buffer view without a stride",
              "leave it, unless another program refuses the file", ""},
    CheckRule{"size-unusual", Severity::warning, "the character is far larger or smaller than a person",
              "scale it, or state its unit, before physics and cameras use it", ""},
    CheckRule{"unit-guessed", Severity::info, "the file does not state its unit of length", "check the size",
              ""},
    CheckRule{"up-axis", Severity::warning, "the character seems to lie down: head and feet are level",
              "turn it upright: +Y is up here", ""},
    CheckRule{"up-axis-guessed", Severity::info, "the file does not state which axis is up",
              "turn it upright if the guess is wrong", ""},
    CheckRule{"positions-from-offsets", Severity::info,
              "position channels of a BVH are taken as relative to the offsets",
              "check whether the skeleton keeps its size", ""},
    CheckRule{"skinning-type", Severity::warning,
              "the file asks for a skinning method other than linear blending",
              "check whether the joints look right", ""},
    CheckRule{"mesh-missing", Severity::warning, "weights without the mesh they are for",
              "put the .obj next to them", ""},
    CheckRule{"file-mended", Severity::warning, "any other note of kind repair, under its own id",
              "check whether the repair is what you expect", ""},
    CheckRule{"file-lost", Severity::warning, "any other note of kind loss, under its own id",
              "check whether you need it", ""},
    CheckRule{"file-guessed", Severity::info, "any other note of kind guess, under its own id",
              "check whether the guess is right", ""},
};

constexpr std::array kProfiles{
    CheckProfile{
        "gltf", "weights sum to one, joints are unique and hang below one root; any number of influences",
        "glTF 2.0 specification, 3.7.3 Skins, and its schema skin.schema.json", 0, true, false, false, 0},
    CheckProfile{"three", "as gltf, and at most 4 influences: SkinnedMesh reads one skinIndex and skinWeight",
                 "three.js documentation, SkinnedMesh", 4, true, false, false, 0},
    CheckProfile{
        "unity",
        "as gltf, and at most 4 influences, the default of its importer and quality setting; parts with more "
        "than 65535 points need 32-bit indices",
        "Unity Manual, Importing skinned Meshes; Scripting API, ModelImporter.skinWeights, Mesh.indexFormat",
        4, true, false, false, 65535},
    CheckProfile{"unreal",
                 "as gltf, and at most 8 influences unless the project raises its limit, one root joint, "
                 "unique joint names",
                 "Unreal Engine documentation, API, BoneInfluenceLimit; messages of its FBX importer: 'We "
                 "only support single root bone', 'Each bone must have a unique name'",
                 8, true, true, true, 0},
};

}  // namespace

std::span<const CheckRule> check_rules() { return kRules; }
std::span<const CheckProfile> check_profiles() { return kProfiles; }

const CheckRule* find_rule(std::string_view id) {
  for (const CheckRule& rule : kRules) {
    if (id == rule.id) return &rule;
  }
  return nullptr;
}

Result<const CheckProfile*> find_check_profile(std::string_view name) {
  std::string known;
  for (const CheckProfile& profile : kProfiles) {
    if (name == profile.name) return &profile;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", profile.name);
  }
  return Error{Errc::usage, fmt::format("there is no profile '{}'; the profiles are {}", name, known)};
}

}  // namespace dermis
