// SPDX-License-Identifier: MIT
// Lights and how surfaces reflect them.
#include "picture/lights.h"

#include <algorithm>
#include <cmath>

#include "picture/colour.h"
#include "picture/sampling.h"

namespace dermis {
namespace {

// Strengths are for a white surface that faces the light. Together they show a matt surface that faces the
// viewer in about its own colour.
constexpr Vec3 kKeyLight{0.95f, 0.90f, 0.83f};
constexpr Vec3 kSkyLight{0.36f, 0.40f, 0.45f};
constexpr Vec3 kFloorLight{0.17f, 0.165f, 0.16f};
constexpr Vec3 kFillLight{0.07f, 0.08f, 0.095f};
// Tangent of the angular radius of the key: a large softbox, shadows with soft edges.
constexpr float kKeyRadius = 0.16f;
// How much of a floor's light is the key's.
constexpr float kKeyShare = 0.42f;

constexpr double kKeyTurn = 46 * kPi / 180, kKeyLift = 50 * kPi / 180;
constexpr double kFillTurn = 55 * kPi / 180, kFillLift = 10 * kPi / 180;

// Reflectance of a matt dielectric at normal incidence.
constexpr float kDielectric = 0.04f;
// Narrower highlights need more rays than a still has.
constexpr float kLeastRoughness = 0.2f;

float positive(float x) { return std::max(x, 0.0f); }
float power5(float x) { return x * x * x * x * x; }
Vec3 mixed(const Vec3& a, const Vec3& b, float t) { return a + (b - a) * t; }

// The sky's light from a direction, or on a surface with that normal: both grow with height.
Vec3 sky_from(float height) { return mixed(kFloorLight, kSkyLight, 0.5f + 0.5f * height); }

// The direction to a light `turn` to the right of the viewer and `lift` up.
Vec3 light_at(const Vec3d& towards, const Vec3d& right, double turn, double lift) {
  const Vec3d flat = towards * std::cos(turn) + right * std::sin(turn);
  return Vec3(normalized(flat * std::cos(lift) + Vec3d{0, std::sin(lift), 0}));
}

// The share of light that microfacets reflect (GGX with Smith's shadowing, in the form of Hammon 2017), times
// the cosine at the light.
float highlight(float roughness, float at_light, float at_view, float at_half) {
  const float rough = std::max(roughness, kLeastRoughness), a = rough * rough;
  const float spread = at_half * at_half * (a * a - 1) + 1;
  const float facets = a * a / (spread * spread);
  const float seen = mixed({2 * at_light * at_view, 0, 0}, {at_light + at_view, 0, 0}, a).x;
  return seen > 0 ? facets * at_light / (2 * seen) : 0;
}

Vec3 mirrored_at_right_angles(const Spot& spot) {
  return mixed({kDielectric, kDielectric, kDielectric}, spot.albedo, spot.metallic);
}

// Metals are drawn half matt: without an environment to reflect they would be dark.
Vec3 matt_colour(const Spot& spot) { return spot.albedo * (1 - 0.5f * spot.metallic); }

Vec3 key_part(const Spot& spot, const Vec3& view, const Lights& lights) {
  const float at_light = positive(dot(spot.normal, lights.key));
  if (at_light <= 0) return {};
  const Vec3 half = normalized(lights.key + view);
  const float at_view = positive(dot(spot.normal, view)) + 1e-3f;
  const float mirrored = highlight(spot.roughness, at_light, at_view, positive(dot(spot.normal, half)));
  const Vec3 base = mirrored_at_right_angles(spot);
  const Vec3 fresnel = mixed(base, {1, 1, 1}, power5(1 - positive(dot(view, half))));
  return product(kKeyLight, matt_colour(spot) * at_light + fresnel * mirrored);
}

Vec3 sky_part(const Spot& spot, const Vec3& view, const Lights& lights) {
  const float at_view = positive(dot(spot.normal, view));
  const float at_fill = 0.5f + 0.5f * dot(spot.normal, lights.fill);
  const Vec3 matt = sky_from(spot.normal.y) + kFillLight * (at_fill * at_fill);
  const Vec3 mirror = spot.normal * (2 * at_view) - view;
  const Vec3 sky = sky_from(mirror.y * (1 - spot.roughness) + spot.normal.y * spot.roughness);
  const Vec3 base = mirrored_at_right_angles(spot);
  const float edge = power5(1 - at_view) * (1 - spot.roughness) * (1 - spot.roughness);
  return product(matt, matt_colour(spot)) + product(sky, mixed(base, {1, 1, 1}, edge));
}

float toned(float x) {
  constexpr float kKnee = 0.6f, kRoom = 1 - kKnee;
  return x <= kKnee ? x : kKnee + kRoom * (1 - std::exp((kKnee - x) / kRoom));
}

}  // namespace

Lights lights_for(const CameraFrame& frame) {
  // When looking straight down, the lower edge of the picture is the viewer's side.
  const Vec3d back{-frame.forward.x, 0, -frame.forward.z}, below{-frame.up.x, 0, -frame.up.z};
  Vec3d towards = normalized(length(back) > 1e-3 ? back : below);
  if (!(length(towards) > 0.5)) towards = {0, 0, 1};
  const Vec3d right = cross(Vec3d{0, 1, 0}, towards);
  return {light_at(towards, right, -kKeyTurn, kKeyLift), light_at(towards, right, kFillTurn, kFillLift)};
}

Vec3 Lights::key_sample(float a, float b) const {
  const auto [side, other] = across(key);
  const Vec2 place = disc_sample(a, b);
  return normalized(key + side * (kKeyRadius * place.x) + other * (kKeyRadius * place.y));
}

Shading shade(const Spot& spot, const Vec3& view, const Lights& lights) {
  const float lit = 1 - spot.unlit;
  return {spot.emission + spot.albedo * spot.unlit, key_part(spot, view, lights) * lit,
          sky_part(spot, view, lights) * lit};
}

Vec3 bounced(float seen, const Vec3& albedo) {
  // Surfaces that hide the sky are mostly darker than the sky-lit surface; the full formula would brighten
  // creases.
  constexpr float kReturned = 0.45f;
  const auto part = [&](float a) { return seen / (1 - kReturned * std::min(a, 1.0f) * (1 - seen)); };
  return {part(albedo.x), part(albedo.y), part(albedo.z)};
}

float floor_light(float key_seen, float sky_seen) {
  return kKeyShare * key_seen + (1 - kKeyShare) * sky_seen;
}

Vec3 toned(const Vec3& light) { return {toned(light.x), toned(light.y), toned(light.z)}; }

}  // namespace dermis
