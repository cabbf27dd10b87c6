// SPDX-License-Identifier: MIT
// The light of a still: a key from the viewer's upper left, a sky with a floor below, a fill from the right.
#pragma once

#include "picture/camera.h"
#include "picture/surface.h"

namespace dermis {

struct Lights {
  Vec3 key, fill;  // unit, towards them

  // A direction to some place of the key light, which is a disc; a and b in [0, 1).
  Vec3 key_sample(float a, float b) const;
};
Lights lights_for(const CameraFrame& frame);

// Light that a surface sends towards the viewer, by what can stand in its way.
struct Shading {
  Vec3 plain;  // whatever stands around: emission and what is shown unlit
  Vec3 key;    // where the key light is seen
  Vec3 sky;    // where the whole sky is seen
};
// `view` is unit, towards the viewer.
Shading shade(const Spot& spot, const Vec3& view, const Lights& lights);

// How much of the sky's light is left where only `seen` of it is seen and the rest is surface of the same
// colour under the same light: light that bounces on and on in a hollow of colour `albedo`.
Vec3 bounced(float seen, const Vec3& albedo);

// What is left of a bright floor's light where that much of the key and of the sky is seen.
float floor_light(float key_seen, float sky_seen);

// Linear to linear in [0, 1): as it is up to the middle tones, then ever flatter, so that lights keep their
// drawing.
Vec3 toned(const Vec3& light);

}  // namespace dermis
