// SPDX-License-Identifier: MIT
// Bodies as implicit surfaces: lofts, cones and ellipsoids that blend into each other with given radii.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/geometry.h"
#include "dermis/math.h"

namespace dermis {

// ---- Shapes -------------------------------------------------------------------------------------------
// Lengths in metres, negative inside. All are mirrored at x = 0 by mirroring their points and directions.

// A ball at each end and the cone that touches both.
struct RoundCone {
  Vec3d a, b;
  double a_radius = 0, b_radius = 0;
};

struct Ellipsoid {
  Vec3d centre;
  Vec3d radii;
  Mat3d axes;  // columns: directions of the three radii, orthonormal
};

// One cross-section of a loft: four half-widths of an oval, made of four quarter ellipses.
struct Station {
  double at = 0;                          // metres along the axis from the loft's origin, increasing
  double out = 0, in = 0;                 // half-widths along and against `outward`
  double front = 0, back = 0;             // half-widths along and against `forward`
  double shift_out = 0, shift_front = 0;  // offset of the oval's centre from the axis
};

// Ovals along a straight axis, joined by monotone cubics: used for limbs and trunks. Rounded ends reach `cap`
// beyond the first and last station.
struct Loft {
  Vec3d origin;
  Vec3d along, outward, forward;  // orthonormal; either handedness
  std::vector<Station> stations;  // at least two
  double first_cap = 0.02, last_cap = 0.02;
};

// Everything on the side that `normal` points away from.
struct HalfSpace {
  Vec3d point, normal;
};

// A loft's axes from two rough directions: `outward` is made perpendicular to `along`, `forward` to both.
Loft loft_along(const Vec3d& origin, const Vec3d& along, const Vec3d& outward, const Vec3d& forward,
                std::vector<Station> stations);

// ---- Sculptures ---------------------------------------------------------------------------------------

// How a shape blends with the earlier shapes of its group: `radius` is the reach of the blend; where the two
// surfaces are further apart, neither affects the other.
struct ShapeBlend {
  enum class Kind { join, carve };
  Kind kind = Kind::join;
  double radius = 0;
};
constexpr ShapeBlend join(double radius) { return {ShapeBlend::Kind::join, radius}; }
constexpr ShapeBlend carve(double radius) { return {ShapeBlend::Kind::carve, radius}; }

// A list of shapes in nested groups, evaluated in order. Named groups are chains: rigging queries the
// distance to one chain alone.
class Sculpture final : public Field {
 public:
  Sculpture();
  ~Sculpture() override;
  Sculpture(Sculpture&&) noexcept;
  Sculpture& operator=(Sculpture&&) noexcept;

  void add(const RoundCone& shape, ShapeBlend blend);
  void add(const Ellipsoid& shape, ShapeBlend blend);
  void add(const Loft& shape, ShapeBlend blend);
  void add(const HalfSpace& shape, ShapeBlend blend);
  // Shapes until the matching end() form one body, which is then blended with earlier shapes by `blend`.
  void begin(ShapeBlend blend, std::string_view chain = {});
  void end();
  // While true, points and directions are mirrored at x = 0 as they are added.
  void set_mirrored(bool is_mirrored) { is_mirrored_ = is_mirrored; }

  double value(const Vec3d& point) const override;
  std::shared_ptr<const Field> restricted(const Vec3d& centre, double radius) const override;

  // The chain's index, or -1.
  int chain(std::string_view name) const;
  double chain_value(int chain, const Vec3d& point) const;
  // Contains the zero set: boxes of the joined shapes, enlarged by a blend radius.
  Box bounds() const { return bounds_; }

 private:
  struct Shapes;
  struct Step;
  class Part;
  struct Chain {
    std::string name;
    std::size_t first = 0, last = 0;  // steps, without the begin and end
  };
  void push_step(std::size_t shape, ShapeBlend blend);
  Vec3d placed(const Vec3d& v) const { return is_mirrored_ ? Vec3d(-v.x, v.y, v.z) : v; }
  void grow(const Vec3d& lower, const Vec3d& upper, ShapeBlend blend);

  std::shared_ptr<Shapes> shapes_;
  std::shared_ptr<Part> whole_;
  std::vector<Chain> chains_;
  std::vector<std::size_t> open_;  // index + 1 into chains_ for each open group, 0 if unnamed
  Box bounds_;
  bool is_mirrored_ = false;
};

}  // namespace dermis
