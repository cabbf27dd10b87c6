// SPDX-License-Identifier: MIT
// Motion as files for people hold it, still by name: weights over time, maps between the names of shapes, and
// poses at times.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dermis/model.h"

namespace dermis {

// ---- Weights over time ----------------------------------------------------------------------------------

// Named numbers recorded over time: a take of a face.
struct WeightTake {
  std::vector<std::string> names;  // of the columns; unique, not empty
  std::vector<double> times;       // of the rows, seconds; finite, increasing, at least one, the first is 0
  std::vector<float> values;       // row by row; finite

  float value(std::size_t row, std::size_t column) const { return values[row * names.size() + column]; }
};

// A weight as a sum of weights under other names.
struct ShapeMapRow {
  std::string target;
  std::vector<NamedValue> sources;  // at least one; finite
};

// ---- Keys by hand ---------------------------------------------------------------------------------------

// How a value goes on from a key to the next one of the same quantity.
enum class KeyKind : std::uint8_t {
  step,    // stays
  linear,  // straight; rotations turn evenly
  smooth,  // along a curve through the keys, level at the first and the last (Catmull-Rom)
  spline,  // along a cubic curve whose slopes are stated
};
// A pose at a time. Only what it names has a key there.
struct KeyedPose {
  double time = 0;  // seconds; finite
  KeyKind kind = KeyKind::linear;
  Pose pose;
  // Of kind spline: slopes per second before and after the key, in the form of values; what is absent is
  // level. Rotations have slopes of their four numbers, which are no unit quaternions.
  Pose in, out;
};
struct KeyedPoses {
  std::string name;             // of the clip; may be empty
  std::vector<KeyedPose> keys;  // times never decrease; at one time no quantity twice
};

}  // namespace dermis
