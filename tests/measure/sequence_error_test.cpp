// SPDX-License-Identifier: MIT
// The measures of the literature on sequences small enough to work out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dermis/measure.h"

namespace dermis {
namespace {

using Points = std::vector<Vec3>;

// Two points 2 apart along x, in two frames; the second frame is moved by 10 along y. One point of the second
// frame is off by (0, 3, 4).
struct Sequence {
  Points rest{{-1, 0, 0}, {1, 0, 0}};
  Points truth{{-1, 0, 0}, {1, 0, 0}, {-1, 10, 0}, {1, 10, 0}};
  Points result{{-1, 0, 0}, {1, 0, 0}, {-1, 10, 0}, {1, 13, 4}};
};

TEST(SequenceError, IsAsItsDefinitionsSay) {
  const Sequence s;
  const Result<SequenceError> error = sequence_error(s.truth, s.result, s.rest);
  ASSERT_TRUE(error);
  EXPECT_DOUBLE_EQ(error->diagonal, 2);
  EXPECT_DOUBLE_EQ(error->rmse, std::sqrt(25.0 / 4));
  EXPECT_DOUBLE_EQ(error->e_rms, 1000 * 5 / std::sqrt(3.0 * 2 * 2) / 1);
  EXPECT_DOUBLE_EQ(error->e_rms, 1000 * error->rmse / (std::sqrt(3.0) * error->diagonal / 2));
  // About the mean of each frame every point is 1 away, however far the frames are apart.
  EXPECT_DOUBLE_EQ(error->kg, 100 * 5 / 2.0);
  EXPECT_DOUBLE_EQ(error->max, 5);
  EXPECT_DOUBLE_EQ(error->mean, 1.25);
  EXPECT_EQ(error->frame, 1u);
  EXPECT_EQ(error->point, 1u);
}

TEST(SequenceError, OfEqualSequencesIsNothing) {
  const Sequence s;
  const Result<SequenceError> error = sequence_error(s.truth, s.truth, s.rest);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->e_rms, 0);
  EXPECT_EQ(error->kg, 0);
  EXPECT_EQ(error->max, 0);
}

TEST(SequenceError, DoesNotDependOnTheUnit) {
  Sequence s;
  const SequenceError metres = *sequence_error(s.truth, s.result, s.rest);
  for (Points* points : {&s.rest, &s.truth, &s.result}) {
    for (Vec3& p : *points) p *= 1024;
  }
  const SequenceError other = *sequence_error(s.truth, s.result, s.rest);
  EXPECT_DOUBLE_EQ(other.e_rms, metres.e_rms);
  EXPECT_DOUBLE_EQ(other.kg, metres.kg);
  EXPECT_DOUBLE_EQ(other.rmse, 1024 * metres.rmse);
}

TEST(SequenceError, RefusesWhatIsNoSequence) {
  Sequence s;
  const Points three(s.truth.begin(), s.truth.begin() + 3);
  EXPECT_FALSE(sequence_error(three, three, s.rest));
  EXPECT_FALSE(sequence_error(s.truth, three, s.rest));
  EXPECT_FALSE(sequence_error({}, {}, s.rest));
  EXPECT_FALSE(sequence_error({}, {}, {}));
  EXPECT_FALSE(sequence_error(s.truth, s.result, Points(2, Vec3{1, 1, 1})));
  s.result[2].x = std::numeric_limits<float>::infinity();
  const Result<SequenceError> infinite = sequence_error(s.truth, s.result, s.rest);
  ASSERT_FALSE(infinite);
  EXPECT_EQ(infinite.error().sentence, "point 0 in frame 1 of the result is not finite");
}

}  // namespace
}  // namespace dermis
