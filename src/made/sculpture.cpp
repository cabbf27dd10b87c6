// SPDX-License-Identifier: MIT
// Distances to the shapes of a sculpture, their smooth blends, and the pruning that makes them cheap.
#include "made/sculpture.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <variant>

namespace dermis {
namespace {

// How much faster than distance the values of a shape may change. Exact for cones and half-spaces; ellipses
// are approximated to first order and are steeper in places.
constexpr double kExactSlope = 1.0;
constexpr double kEllipseSlope = 1.6;

// Groups within groups within groups: bodies use three.
constexpr std::size_t kMaxDepth = 8;

// ---- Distances ----------------------------------------------------------------------------------------

double distance(const RoundCone& s, const Vec3d& p) {
  const Vec3d axis = s.b - s.a, q = p - s.a;
  const double l2 = dot(axis, axis), fall = s.a_radius - s.b_radius;
  const double slant = l2 - fall * fall;
  // One ball contains the other.
  if (slant <= 0) return s.a_radius > s.b_radius ? length(q) - s.a_radius : length(p - s.b) - s.b_radius;
  const double y = dot(q, axis), z = y - l2;
  const Vec3d off = q * l2 - axis * y;
  const double x2 = dot(off, off), y2 = y * y * l2, z2 = z * z * l2;
  const double k = std::copysign(fall * fall * x2, fall);
  if (std::copysign(slant * z2, z) > k) return std::sqrt(x2 + z2) / l2 - s.b_radius;
  if (std::copysign(slant * y2, y) < k) return std::sqrt(x2 + y2) / l2 - s.a_radius;
  return (std::sqrt(x2 * slant / l2) + y * fall) / l2 - s.a_radius;
}

// First-order distance to f = 1 where f is the length of (x / a, y / b, z / c).
double oval_distance(double x, double y, double z, double a, double b, double c) {
  const double u = x / a, v = y / b, w = z / c;
  const double f = std::sqrt(u * u + v * v + w * w);
  const double u1 = u / a, v1 = v / b, w1 = w / c;
  const double slope = std::sqrt(u1 * u1 + v1 * v1 + w1 * w1);
  const double inner = -std::min({a, b, c});
  return slope > 1e-12 ? std::max(f * (f - 1.0) / slope, inner) : inner;
}

double distance(const Ellipsoid& s, const Vec3d& p) {
  const Vec3d q = p - s.centre;
  return oval_distance(dot(q, s.axes.x), dot(q, s.axes.y), dot(q, s.axes.z), s.radii.x, s.radii.y, s.radii.z);
}

double distance(const HalfSpace& s, const Vec3d& p) { return dot(p - s.point, s.normal); }

// A loft prepared for evaluation: six numbers per station and their slopes along the axis.
struct PreparedLoft {
  using Oval = std::array<double, 6>;
  Loft loft;
  std::vector<Oval> value, slope;

  explicit PreparedLoft(const Loft& source) : loft(source) {
    for (const Station& s : loft.stations)
      value.push_back({s.out, s.in, s.front, s.back, s.shift_out, s.shift_front});
    slope.assign(value.size(), Oval{});
    // Monotone slopes (Fritsch and Butland 1984): no overshoot between stations, flat at both ends.
    for (std::size_t i = 1; i + 1 < value.size(); ++i) {
      const double before = loft.stations[i].at - loft.stations[i - 1].at;
      const double after = loft.stations[i + 1].at - loft.stations[i].at;
      for (std::size_t k = 0; k < 6; ++k) {
        const double d0 = (value[i][k] - value[i - 1][k]) / before,
                     d1 = (value[i + 1][k] - value[i][k]) / after;
        if (d0 * d1 <= 0) continue;
        const double w0 = 2 * after + before, w1 = after + 2 * before;
        slope[i][k] = (w0 + w1) / (w0 / d0 + w1 / d1);
      }
    }
  }

  Oval oval(double at) const {
    std::size_t i = 1;
    while (i + 1 < value.size() && loft.stations[i].at < at) ++i;
    const double start = loft.stations[i - 1].at, span = loft.stations[i].at - start;
    const double t = (at - start) / span, t2 = t * t, t3 = t2 * t;
    const double h0 = 2 * t3 - 3 * t2 + 1, h1 = 3 * t2 - 2 * t3;
    const double g0 = (t3 - 2 * t2 + t) * span, g1 = (t3 - t2) * span;
    Oval result;
    for (std::size_t k = 0; k < 6; ++k)
      result[k] = h0 * value[i - 1][k] + h1 * value[i][k] + g0 * slope[i - 1][k] + g1 * slope[i][k];
    return result;
  }
};

double distance(const PreparedLoft& s, const Vec3d& p) {
  const Vec3d q = p - s.loft.origin;
  const double t = dot(q, s.loft.along);
  const double at = std::clamp(t, s.loft.stations.front().at, s.loft.stations.back().at);
  const PreparedLoft::Oval oval = s.oval(at);
  const double x = dot(q, s.loft.outward) - oval[4], y = dot(q, s.loft.forward) - oval[5];
  const double cap = t < at ? s.loft.first_cap : s.loft.last_cap;
  return oval_distance(x, y, t - at, x > 0 ? oval[0] : oval[1], y > 0 ? oval[2] : oval[3], cap);
}

// ---- Blends -------------------------------------------------------------------------------------------

// The smaller of two values, smoothed by a cubic within `radius` (second derivatives stay continuous, so that
// shading shows no seam).
double smooth_min(double a, double b, double radius) {
  const double lower = std::min(a, b);
  const double gap = std::abs(a - b);
  if (gap >= radius) return lower;
  const double h = (radius - gap) / radius;
  return lower - h * h * h * radius * (1.0 / 6.0);
}

// An empty group: far from everything, so that the first shape is unchanged.
constexpr double kEmpty = 1e30;

double blended(double body, double shape, const ShapeBlend& blend) {
  if (blend.kind == ShapeBlend::Kind::join) return smooth_min(body, shape, blend.radius);
  return -smooth_min(-body, shape, blend.radius);
}

struct Interval {
  double lower = kEmpty, upper = kEmpty;
};

// True if `shape` does not change `body` for values in these intervals.
bool has_no_effect(const Interval& body, const Interval& shape, const ShapeBlend& blend) {
  if (blend.kind == ShapeBlend::Kind::join) return shape.lower >= body.upper + blend.radius;
  return shape.lower >= -body.lower + blend.radius;
}

Interval blended(const Interval& body, const Interval& shape, const ShapeBlend& blend) {
  if (blend.kind == ShapeBlend::Kind::join)
    return {std::min(body.lower, shape.lower) - blend.radius / 6, std::min(body.upper, shape.upper)};
  return {std::max(body.lower, -shape.upper), std::max(body.upper, -shape.lower) + blend.radius / 6};
}

}  // namespace

// ---- Steps --------------------------------------------------------------------------------------------

struct Sculpture::Shapes {
  using Any = std::variant<RoundCone, Ellipsoid, PreparedLoft, HalfSpace>;
  std::vector<Any> list;

  double distance_to(std::size_t shape, const Vec3d& p) const {
    return std::visit([&](const auto& s) { return distance(s, p); }, list[shape]);
  }
  double slope_of(std::size_t shape) const {
    const bool is_exact =
        std::holds_alternative<RoundCone>(list[shape]) || std::holds_alternative<HalfSpace>(list[shape]);
    return is_exact ? kExactSlope : kEllipseSlope;
  }
};

struct Sculpture::Step {
  enum class Kind : std::uint8_t { begin, end, shape };
  Kind kind = Kind::shape;
  std::uint32_t shape = 0;
  ShapeBlend blend;  // of the shape, or of the group at its end
};

// A run of steps, complete or pruned to those that matter in one ball.
class Sculpture::Part final : public Field {
 public:
  explicit Part(std::shared_ptr<const Shapes> shapes) : shapes_(std::move(shapes)) {}

  double value(const Vec3d& point) const override { return value(point, 0, steps.size()); }
  double value(const Vec3d& point, std::size_t first, std::size_t last) const {
    std::array<double, kMaxDepth> stack;
    std::size_t depth = 0;
    stack[0] = kEmpty;
    for (std::size_t i = first; i < last; ++i) {
      const Step& s = steps[i];
      if (s.kind == Step::Kind::begin) {
        stack[++depth] = kEmpty;
      } else if (s.kind == Step::Kind::end) {
        --depth;
        stack[depth] = blended(stack[depth], stack[depth + 1], s.blend);
      } else {
        stack[depth] = blended(stack[depth], shapes_->distance_to(s.shape, point), s.blend);
      }
    }
    return stack[0];
  }

  std::shared_ptr<const Field> restricted(const Vec3d& centre, double radius) const override {
    auto part = std::make_shared<Part>(shapes_);
    std::array<Interval, kMaxDepth> stack;
    std::array<std::size_t, kMaxDepth> start{};
    std::size_t depth = 0;
    stack[0] = {};
    for (const Step& s : steps) {
      if (s.kind == Step::Kind::begin) {
        stack[++depth] = {};
        start[depth] = part->steps.size();
        part->steps.push_back(s);
        continue;
      }
      Interval other;
      if (s.kind == Step::Kind::end) {
        other = stack[depth--];
      } else {
        const double d = shapes_->distance_to(s.shape, centre), reach = shapes_->slope_of(s.shape) * radius;
        other = {d - reach, d + reach};
      }
      if (has_no_effect(stack[depth], other, s.blend)) {
        if (s.kind == Step::Kind::end) part->steps.resize(start[depth + 1]);
        continue;
      }
      stack[depth] = blended(stack[depth], other, s.blend);
      part->steps.push_back(s);
    }
    part->steps.shrink_to_fit();
    return part;
  }

  std::vector<Step> steps;

 private:
  std::shared_ptr<const Shapes> shapes_;
};

// ---- Building -----------------------------------------------------------------------------------------

Sculpture::Sculpture() : shapes_(std::make_shared<Shapes>()), whole_(std::make_shared<Part>(shapes_)) {}
Sculpture::~Sculpture() = default;
Sculpture::Sculpture(Sculpture&&) noexcept = default;
Sculpture& Sculpture::operator=(Sculpture&&) noexcept = default;

void Sculpture::push_step(std::size_t shape, ShapeBlend blend) {
  whole_->steps.push_back({Step::Kind::shape, static_cast<std::uint32_t>(shape), blend});
}

void Sculpture::grow(const Vec3d& lower, const Vec3d& upper, ShapeBlend blend) {
  if (blend.kind != ShapeBlend::Kind::join) return;
  const Vec3d room = Vec3d(1, 1, 1) * blend.radius;
  bounds_.add(lower - room);
  bounds_.add(upper + room);
}

void Sculpture::add(const RoundCone& shape, ShapeBlend blend) {
  RoundCone s = shape;
  s.a = placed(s.a), s.b = placed(s.b);
  const Vec3d ra = Vec3d(1, 1, 1) * s.a_radius, rb = Vec3d(1, 1, 1) * s.b_radius;
  grow(s.a - ra, s.a + ra, blend);
  grow(s.b - rb, s.b + rb, blend);
  shapes_->list.emplace_back(s);
  push_step(shapes_->list.size() - 1, blend);
}

void Sculpture::add(const Ellipsoid& shape, ShapeBlend blend) {
  Ellipsoid s = shape;
  s.centre = placed(s.centre);
  s.axes = {placed(s.axes.x), placed(s.axes.y), placed(s.axes.z)};
  const Vec3d r = Vec3d(1, 1, 1) * std::max({s.radii.x, s.radii.y, s.radii.z});
  grow(s.centre - r, s.centre + r, blend);
  shapes_->list.emplace_back(s);
  push_step(shapes_->list.size() - 1, blend);
}

void Sculpture::add(const Loft& shape, ShapeBlend blend) {
  Loft s = shape;
  s.origin = placed(s.origin);
  s.along = placed(s.along), s.outward = placed(s.outward), s.forward = placed(s.forward);
  assert(s.stations.size() >= 2);
  double widest = std::max(s.first_cap, s.last_cap);
  for (const Station& at : s.stations)
    widest = std::max({widest, at.out + std::abs(at.shift_out), at.in + std::abs(at.shift_out),
                       at.front + std::abs(at.shift_front), at.back + std::abs(at.shift_front)});
  for (const double at : {s.stations.front().at, s.stations.back().at}) {
    const Vec3d p = s.origin + s.along * at, r = Vec3d(1, 1, 1) * widest;
    grow(p - r, p + r, blend);
  }
  shapes_->list.emplace_back(PreparedLoft(s));
  push_step(shapes_->list.size() - 1, blend);
}

void Sculpture::add(const HalfSpace& shape, ShapeBlend blend) {
  assert(blend.kind == ShapeBlend::Kind::carve);
  shapes_->list.emplace_back(HalfSpace{placed(shape.point), placed(shape.normal)});
  push_step(shapes_->list.size() - 1, blend);
}

void Sculpture::begin(ShapeBlend blend, std::string_view chain) {
  whole_->steps.push_back({Step::Kind::begin, 0, blend});
  if (!chain.empty()) chains_.push_back({std::string(chain), whole_->steps.size(), 0});
  open_.push_back(chain.empty() ? 0 : chains_.size());
  assert(open_.size() < kMaxDepth);
}

void Sculpture::end() {
  assert(!open_.empty());
  if (open_.back() > 0) chains_[open_.back() - 1].last = whole_->steps.size();
  open_.pop_back();
  // The group's blend was stored at its begin.
  std::size_t i = whole_->steps.size(), level = 1;
  while (level > 0) {
    --i;
    if (whole_->steps[i].kind == Step::Kind::end) ++level;
    if (whole_->steps[i].kind == Step::Kind::begin) --level;
  }
  whole_->steps.push_back({Step::Kind::end, 0, whole_->steps[i].blend});
}

double Sculpture::value(const Vec3d& point) const { return whole_->value(point); }

std::shared_ptr<const Field> Sculpture::restricted(const Vec3d& centre, double radius) const {
  return whole_->restricted(centre, radius);
}

int Sculpture::chain(std::string_view name) const {
  for (std::size_t i = 0; i < chains_.size(); ++i)
    if (chains_[i].name == name) return static_cast<int>(i);
  return -1;
}

double Sculpture::chain_value(int chain, const Vec3d& point) const {
  const Chain& c = chains_[static_cast<std::size_t>(chain)];
  return whole_->value(point, c.first, c.last);
}

Loft loft_along(const Vec3d& origin, const Vec3d& along, const Vec3d& outward, const Vec3d& forward,
                std::vector<Station> stations) {
  Loft loft;
  loft.origin = origin;
  loft.along = normalized(along);
  loft.outward = normalized(outward - loft.along * dot(outward, loft.along));
  const Vec3d rest = forward - loft.along * dot(forward, loft.along);
  loft.forward = normalized(rest - loft.outward * dot(rest, loft.outward));
  loft.stations = std::move(stations);
  return loft;
}

}  // namespace dermis
