// SPDX-License-Identifier: MIT
// The light of a still: a key from the viewer's upper left, a sky with a floor below, a fill from the right.
#pragma once

#include "picture/camera.h"
#include "picture/surface.h"

namespace dermis {

struct Lights {
  Vec3 key, fill;  // unit, towards them

  // A direction to a point of the key light, which is a disc; a and b in [0, 1).
  Vec3 key_sample(float a, float b) const;
};
Lights lights_for(const CameraFrame& frame);

// Light that a surface sends towards the viewer, by what can block it.
struct Shading {
  Vec3 plain;  // never blocked: emission and the unlit part
  Vec3 key;    // if the key light is visible
  Vec3 sky;    // if the whole sky is visible
};
// `view` is unit, towards the viewer.
Shading shade(const Spot& spot, const Vec3& view, const Lights& lights);

// How much of the sky's light is left if only `seen` of it is visible and the rest is surface of the same
// colour under the same light: repeated bounces in a hollow of colour `albedo`.
Vec3 bounced(float seen, const Vec3& albedo);

// What is left of a bright floor's light if that much of the key and of the sky is visible.
float floor_light(float key_seen, float sky_seen);

// Linear to linear in [0, 1): unchanged up to the middle tones, then flatter and flatter, so that highlights
// keep their detail.
Vec3 toned(const Vec3& light);

}  // namespace dermis
