// SPDX-License-Identifier: MIT
// The three tasks of a skinning benchmark: the plain Eigen loop (E), one of our methods, and a copy.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bench.h"
#include "dermis/deform.h"

namespace dermis::bench {

// What the Eigen loop reads: file order, four influences, shorter rows padded with zeros.
class Yardstick {
 public:
  // `mesh` has a normal for each point and rows of at most four.
  Yardstick(const Mesh& mesh, std::span<const Affined> joints, bool has_normals);
  void run();

 private:
  std::vector<Vec3> points_, normals_;
  std::vector<std::uint16_t> slots_;
  std::vector<float> weights_, palette_;
  AlignedVector<Vec3> posed_points_, posed_normals_;
};

// One method with everything it needs, posed repeatedly.
class Skinned {
 public:
  // `joints` must outlive it.
  Skinned(SkinKernel kernel, const Mesh& mesh, std::span<const Affined> joints, bool has_normals);
  // The palette is part of the frame: it is new in every frame.
  void run();

 private:
  SkinKernel kernel_;
  std::span<const Affined> joints_;
  SkinBlocks skin_;
  RestBlocks rest_, centres_;
  JointSets sets_;
  PackedJoints packed_;
  RotationCentres set_centres_;
  std::vector<float> share_;
  AlignedVector<Vec3> points_, normals_;
};

// Copies as many bytes as skinning moves, on as many threads: half of them read, half written.
class Copy {
 public:
  Copy(std::size_t points, std::size_t influences, bool has_normals);
  void run();

 private:
  AlignedVector<char> from_, to_;
};

// Nanoseconds per point of the three, best of many alternating rounds.
struct SkinTimes {
  double own = 0, eigen = 0, copied = 0;
};
SkinTimes time_skinning(std::size_t points, const Options& options, Yardstick& yardstick, Copy& copy,
                        const std::function<void()>& own);

}  // namespace dermis::bench
