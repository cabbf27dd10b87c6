// SPDX-License-Identifier: MIT
// Shapes split into left and right, and mirrored.
#include <algorithm>
#include <cctype>

#include "dermis/shapes.h"

namespace dermis {
namespace {

// "mouthSmile" continues as "mouthSmileLeft", everything else as "smile_L".
bool is_camel_case(std::string_view name) {
  const auto is_capital = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  return name.find_first_of("_ .-") == std::string_view::npos && !name.empty() && !is_capital(name[0]) &&
         std::any_of(name.begin(), name.end(), is_capital);
}

// 0 at a distance of `falloff` to the right of the plane, 1 to the left, with a smooth step in between.
double share_of_left(double side, double falloff) {
  if (!(falloff > 0)) return side > 0 ? 1 : side < 0 ? 0 : 0.5;
  const double t = std::clamp((side / falloff + 1) / 2, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

Vec3 mirrored_direction(const MirrorPlane& plane, const Vec3& direction) {
  const Vec3d d(direction);
  return Vec3(d - plane.normal * (2 * dot(plane.normal, d)));
}

void append(const Shape& from, std::size_t k, Index point, Shape& to) {
  to.points.push_back(point);
  to.offsets.push_back(from.offsets[k]);
  if (!from.normals.empty()) to.normals.push_back(from.normals[k]);
  if (!from.tangents.empty()) to.tangents.push_back(from.tangents[k]);
}

}  // namespace

SplitShape split_shape(const Mesh& mesh, const Shape& shape, const MirrorPlane& plane, double falloff) {
  SplitShape split;
  const bool is_camel = is_camel_case(shape.name);
  split.left.name = shape.name + (is_camel ? "Left" : "_L");
  split.right.name = shape.name + (is_camel ? "Right" : "_R");
  for (std::size_t k = 0; k < shape.points.size(); ++k) {
    const Index v = shape.points[k];
    const auto share = static_cast<float>(share_of_left(plane.side(Vec3d(mesh.points[at(v)])), falloff));
    if (share > 0) append(shape, k, v, split.left);
    if (share < 1) append(shape, k, v, split.right);
    if (share <= 0 || share >= 1) continue;
    // What is left of a difference after the other half is taken: they add up to the whole.
    const auto divide = [&](std::vector<Vec3>& left, std::vector<Vec3>& right) {
      if (left.empty()) return;
      const Vec3 whole = left.back();
      left.back() = whole * share;
      right.back() = whole - left.back();
    };
    divide(split.left.offsets, split.right.offsets);
    divide(split.left.normals, split.right.normals);
    divide(split.left.tangents, split.right.tangents);
  }
  return split;
}

MirroredShape mirror_shape(const Mesh& mesh, const Shape& shape, const MirrorPlane& plane,
                           const MirrorPairs& pairs) {
  std::vector<Index> place(mesh.points.size(), kNone);  // of each point in the shape's list
  for (std::size_t k = 0; k < shape.points.size(); ++k) place[at(shape.points[k])] = static_cast<Index>(k);
  std::vector<bool> is_image(mesh.points.size(), false);  // of some point; by the first of coincident ones
  MirroredShape mirrored;
  mirrored.shape.name = other_side_of(shape.name);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) {
    if (pairs.image[v] < 0) continue;
    is_image[at(mesh.weld[at(pairs.image[v])])] = true;
    const Index k = place[at(pairs.image[v])];
    if (k == kNone) continue;
    append(shape, at(k), static_cast<Index>(v), mirrored.shape);
    for (std::vector<Vec3>* added :
         {&mirrored.shape.offsets, &mirrored.shape.normals, &mirrored.shape.tangents})
      if (!added->empty()) added->back() = mirrored_direction(plane, added->back());
  }
  for (const Index v : shape.points) mirrored.unpaired_count += is_image[at(mesh.weld[at(v)])] ? 0 : 1;
  return mirrored;
}

}  // namespace dermis
