// SPDX-License-Identifier: MIT
// What the joints do to the surface around one point: the shared core of the plain references.
//
// A template on the scalar, private to this room, so that the float and double references are the same code.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dermis/deform.h"

namespace dermis {

// The influences used at each point. Refers to the rows it was made from.
class Followed {
 public:
  // All of them: blending.
  static Followed all(const WeightRows& rows) { return {&rows, {}}; }
  // Only the heaviest one: rigid skinning.
  static Followed heaviest(const WeightRows& rows, std::size_t slot_count) {
    std::vector<Influence> alone;
    alone.reserve(slot_count);
    for (std::size_t s = 0; s < slot_count; ++s) alone.push_back({static_cast<Index>(s), 1.0f});
    return {&rows, std::move(alone)};
  }
  std::span<const Influence> row(std::size_t v) const {
    if (alone_.empty()) return rows_->row(v);
    return {&alone_[static_cast<std::size_t>(rows_->row(v).front().slot)], 1};
  }

 private:
  Followed(const WeightRows* rows, std::vector<Influence> alone) : rows_(rows), alone_(std::move(alone)) {}
  const WeightRows* rows_;
  std::vector<Influence> alone_;  // {s, 1} at index s
};

// How points, normals and tangents move at one point.
template <class Real>
struct LocalMap {
  AffineT<Real> posed_from_rest;
  Mat3T<Real> posed_from_rest_normal;  // up to length
  Mat3T<Real> heaviest_normal;         // the same for the heaviest joint alone, in case the blend cancels
  bool is_mirrored = false;
};

// Maps outward normals to outward normals: the plain cofactor preserves the winding instead, which a mirror
// turns inside out.
template <class Real>
Mat3T<Real> outward_cofactor(const Mat3T<Real>& m) {
  return determinant(m) < Real(0) ? cofactor(m) * Real(-1) : cofactor(m);
}

// Unit length, or nullopt if `v` has no direction. Scaled first: cofactors of small joints are smaller still,
// and their squares would vanish.
template <class Real>
std::optional<Vec3T<Real>> direction_of(const Vec3T<Real>& v) {
  const Real largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (!(largest > Real(0)) || !is_finite(v)) return std::nullopt;
  return normalized(Vec3T<Real>{v.x / largest, v.y / largest, v.z / largest});
}

// The rule of linear blending; one per pose, with a LocalMap for each point.
template <class Real>
class Blender {
 public:
  // `gradients` may be null; then mode exact treats the weights as constant. All must outlive the Blender.
  Blender(std::span<const AffineT<Real>> palette, NormalMode mode, const WeightGradients* gradients)
      : palette_(palette), mode_(mode), gradients_(mode == NormalMode::exact ? gradients : nullptr) {
    outward_cofactors_.reserve(palette.size());
    for (const AffineT<Real>& joint : palette) outward_cofactors_.push_back(outward_cofactor(joint.linear));
  }

  // At point v, which rests at `point` and follows `row`.
  LocalMap<Real> at(std::size_t v, const Vec3T<Real>& point, std::span<const Influence> row) const {
    LocalMap<Real> map;
    map.posed_from_rest = blended_palette(row);
    map.heaviest_normal = outward_cofactors_[slot_of(row.front())];
    const Mat3T<Real>& linear = map.posed_from_rest.linear;
    map.is_mirrored = determinant(linear) < Real(0);
    switch (mode_) {
      case NormalMode::shading:
        map.posed_from_rest_normal = blended_cofactors(row);
        break;
      case NormalMode::inverse_transpose:
        map.posed_from_rest_normal = outward_cofactor(linear);
        break;
      case NormalMode::exact: {
        // At a fold the derivative is negative although no joint mirrors, and the plain cofactor is right
        // there; so the joints determine whether the surface is turned inside out.
        map.is_mirrored = blended_determinant(row) < Real(0);
        const Mat3T<Real> turned = cofactor(linear + weight_term(v, point, map.posed_from_rest * point));
        map.posed_from_rest_normal = map.is_mirrored ? turned * Real(-1) : turned;
        break;
      }
    }
    return map;
  }

 private:
  static std::size_t slot_of(const Influence& influence) { return static_cast<std::size_t>(influence.slot); }

  // Sums start from their first term, not from zero: a single influence of weight one then equals its joint
  // exactly.
  AffineT<Real> blended_palette(std::span<const Influence> row) const {
    const Real heaviest = static_cast<Real>(row.front().weight);
    const AffineT<Real>& first = palette_[slot_of(row.front())];
    AffineT<Real> sum(first.linear * heaviest, first.translation * heaviest);
    for (const Influence& influence : row.subspan(1)) {
      const Real weight = static_cast<Real>(influence.weight);
      const AffineT<Real>& joint = palette_[slot_of(influence)];
      sum.linear = sum.linear + joint.linear * weight;
      sum.translation += joint.translation * weight;
    }
    return sum;
  }

  Mat3T<Real> blended_cofactors(std::span<const Influence> row) const {
    Mat3T<Real> sum = outward_cofactors_[slot_of(row.front())] * static_cast<Real>(row.front().weight);
    for (const Influence& influence : row.subspan(1)) {
      sum = sum + outward_cofactors_[slot_of(influence)] * static_cast<Real>(influence.weight);
    }
    return sum;
  }

  Real blended_determinant(std::span<const Influence> row) const {
    Real sum = 0;
    for (const Influence& influence : row) {
      sum += static_cast<Real>(influence.weight) * determinant(palette_[slot_of(influence)].linear);
    }
    return sum;
  }

  // sum_i (C_i v) grad(w_i)^T, relative to the posed point: the gradients add up to zero, so this only
  // affects rounding, which would otherwise grow with the distance from the origin.
  Mat3T<Real> weight_term(std::size_t v, const Vec3T<Real>& point, const Vec3T<Real>& posed) const {
    Mat3T<Real> sum = diagonal(Vec3T<Real>{});
    if (gradients_ == nullptr) return sum;
    for (std::size_t k = gradients_->first[v]; k < gradients_->first[v + 1]; ++k) {
      const WeightGradients::Entry& entry = gradients_->entries[k];
      const Vec3T<Real> carried = palette_[static_cast<std::size_t>(entry.slot)] * point - posed;
      sum = sum + outer(carried, Vec3T<Real>(entry.gradient));
    }
    return sum;
  }

  std::span<const AffineT<Real>> palette_;
  NormalMode mode_;
  const WeightGradients* gradients_;
  std::vector<Mat3T<Real>> outward_cofactors_;
};

// The map that Blender gives for any point that follows one joint only.
inline LocalMap<double> one_joint_map(const Affined& joint, NormalMode mode) {
  LocalMap<double> map;
  map.posed_from_rest = {joint.linear * 1.0, joint.translation * 1.0};
  map.heaviest_normal = outward_cofactor(joint.linear);
  const Mat3d& linear = map.posed_from_rest.linear;
  map.is_mirrored = determinant(linear) < 0;
  switch (mode) {
    case NormalMode::shading:
      map.posed_from_rest_normal = map.heaviest_normal * 1.0;
      break;
    case NormalMode::inverse_transpose:
      map.posed_from_rest_normal = outward_cofactor(linear);
      break;
    case NormalMode::exact: {
      const Mat3d turned = cofactor(linear + diagonal(Vec3d{}));
      map.posed_from_rest_normal = map.is_mirrored ? turned * -1.0 : turned;
      break;
    }
  }
  return map;
}

// A unit normal if the rest normal has a direction.
template <class Real>
Vec3T<Real> posed_normal(const LocalMap<Real>& map, const Vec3T<Real>& rest) {
  if (const auto normal = direction_of(map.posed_from_rest_normal * rest)) return *normal;
  if (const auto normal = direction_of(map.heaviest_normal * rest)) return *normal;
  return normalized(rest);
}

// A unit vector perpendicular to `normal`, near `wanted` if that has a component along the surface.
template <class Real>
std::optional<Vec3T<Real>> along_surface(const Vec3T<Real>& wanted, const Vec3T<Real>& normal) {
  const auto direction = direction_of(wanted);
  if (!direction) return std::nullopt;
  const Vec3T<Real> flat = *direction - normal * dot(normal, *direction);
  // What is left of a vector parallel to the normal is rounding, not a direction.
  const Real kParallel = Real(8) * std::numeric_limits<Real>::epsilon();
  return length(flat) > kParallel ? direction_of(flat) : std::nullopt;
}

// `normal` is the posed normal, or zero if there is none.
template <class Real>
Vec4 posed_tangent(const LocalMap<Real>& map, const Vec4& rest, const Vec3T<Real>& normal) {
  const Vec3T<Real> rest_direction(rest.xyz());
  Vec3T<Real> tangent = rest_direction;
  if (const auto turned = along_surface(map.posed_from_rest.linear * rest_direction, normal)) {
    tangent = *turned;
  } else if (const auto kept = along_surface(rest_direction, normal)) {
    tangent = *kept;
  }
  const Vec3 t(tangent);
  return {t.x, t.y, t.z, map.is_mirrored ? -rest.w : rest.w};
}

template <class Real>
void write_point(const LocalMap<Real>& map, std::size_t v, const RestSurface& rest,
                 const PosedSurface& posed) {
  Vec3T<Real> normal;
  if (!rest.normals.empty()) normal = posed_normal(map, Vec3T<Real>(rest.normals[v]));
  const Vec3 point(map.posed_from_rest * Vec3T<Real>(rest.points[v]));
  if (!posed.tangents.empty()) posed.tangents[v] = posed_tangent(map, rest.tangents[v], normal);
  if (!posed.normals.empty()) posed.normals[v] = Vec3(normal);
  if (!posed.points.empty()) posed.points[v] = point;
}

// Poses all points of a surface; `rule.at(v, point, row)` gives the LocalMap of each. The caller has checked
// sizes.
template <class Real, class Rule>
void skin_surface(const Rule& rule, const Followed& followed, const RestSurface& rest,
                  const PosedSurface& posed) {
  constexpr std::size_t kGrain = 1024;
  parallel_for(rest.points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      write_point(rule.at(v, Vec3T<Real>(rest.points[v]), followed.row(v)), v, rest, posed);
    }
  });
}

}  // namespace dermis
