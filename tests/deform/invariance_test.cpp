// SPDX-License-Identifier: MIT
// The table of laws: which method keeps which, to rounding, and by how much the others miss them.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "deform/methods.h"

namespace dermis {
namespace {

using test::PointCase;
using test::posed_by;
using test::Random;

// How far a case is from keeping a law; zero is kept.
using Law = std::function<double(const std::string& method, const PointCase&, Random&)>;

struct Errors {
  double worst = 0, mean = 0;
  unsigned worst_seed = 0;
};

constexpr unsigned kCases = 2000;

PointCase random_case(Random& random, int joint_count) {
  PointCase c;
  for (int j = 0; j < joint_count; ++j) c.palette.push_back(random.rigid());
  c.rows = test::exact_row(random, joint_count);
  c.point = random.vector();
  c.centre = Vec3(random.vector());
  return c;
}

Errors errors_of(const std::string& method, int joint_count, const Law& law) {
  Errors errors;
  for (unsigned seed = 1; seed <= kCases; ++seed) {
    Random random(seed);
    const PointCase c = random_case(random, joint_count);
    const double error = law(method, c, random);
    errors.mean += error / kCases;
    if (error > errors.worst) errors.worst = error, errors.worst_seed = seed;
  }
  return errors;
}

// Centres are given in float, and where a law moves them it is kept to that.
double rounding_of(const std::string& method) { return method == "cor" ? 1e-6 : 1e-12; }

// `breakers` are the methods that do not keep the law; a mean error above `size` shows it.
void expect_law(const char* name, const Law& law, const std::vector<std::string>& breakers, double size) {
  for (const std::string method : test::kMethods) {
    const bool is_kept = std::find(breakers.begin(), breakers.end(), method) == breakers.end();
    for (const int joint_count : {2, 3, 4}) {
      const Errors errors = errors_of(method, joint_count, law);
      SCOPED_TRACE(method + ", " + std::to_string(joint_count) + " joints, worst at seed " +
                   std::to_string(errors.worst_seed));
      std::printf("%-22s %-10s %d joints: worst %.1e mean %.1e\n", name, method.c_str(), joint_count,
                  errors.worst, errors.mean);
      if (is_kept) {
        EXPECT_LE(errors.worst, rounding_of(method));
      } else {
        EXPECT_GT(errors.mean, size);
      }
    }
  }
}

// The case with C -> left * C * right, and the point and its centre moved by `point_map`.
PointCase moved(const PointCase& c, const Affined& left, const Affined& right, const Affined& point_map) {
  PointCase out = c;
  for (Affined& joint : out.palette) joint = left * joint * right;
  out.point = point_map * c.point;
  out.centre = Vec3(point_map * Vec3d(c.centre));
  return out;
}

double distance(const Vec3d& a, const Vec3d& b) { return length(a - b); }

TEST(InvarianceTable, TheIdentityPoseGivesTheRestPoint) {
  const Law law = [](const std::string& method, const PointCase& c, Random&) {
    PointCase rest = c;
    rest.palette.assign(c.palette.size(), Affined{});
    return distance(posed_by(method, rest), c.point);
  };
  expect_law("identity", law, {}, 0);
}

TEST(InvarianceTable, AMotionOfTheWorldMovesTheResultExceptWithLogarithms) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    const Affined a = random.rigid();
    return distance(posed_by(method, moved(c, a, {}, {})), a * posed_by(method, c));
  };
  expect_law("left", law, {"log_matrix"}, 0.1);
}

TEST(InvarianceTable, AMotionOfTheRestSpaceChangesNothingExceptWithQuaternionsAndLogarithms) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    const Affined a = random.rigid();
    return distance(posed_by(method, moved(c, {}, a, inverse(a))), posed_by(method, c));
  };
  expect_law("right", law, {"quaternion", "log_matrix"}, 0.1);
}

TEST(InvarianceTable, AChangeOfCoordinatesMovesTheResultExceptWithQuaternions) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    const Affined a = random.rigid();
    return distance(posed_by(method, moved(c, a, inverse(a), a)), a * posed_by(method, c));
  };
  expect_law("change of coordinates", law, {"quaternion"}, 0.1);
}

TEST(InvarianceTable, AShiftOfTheOriginShiftsTheResultExceptWithQuaternions) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    const Affined a(Mat3d{}, random.vector());
    return distance(posed_by(method, moved(c, a, inverse(a), a)), a * posed_by(method, c));
  };
  expect_law("origin shift", law, {"quaternion"}, 0.1);
}

TEST(InvarianceTable, DistancesAreKeptUnderEqualWeightsExceptByLinearBlending) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    PointCase other = c;
    other.point = random.vector();
    return std::abs(distance(posed_by(method, c), posed_by(method, other)) - distance(c.point, other.point));
  };
  expect_law("rigid", law, {"lbs", "lbs_dqs"}, 0.1);
}

// ---- Further identities -------------------------------------------------------------------------------

TEST(Identities, OneInfluenceIsItsJointToTheLastBitForEveryMethod) {
  for (unsigned seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase c = random_case(random, 3);
    // Any map at all, mirrors and shears included.
    for (Affined& joint : c.palette) joint = random.affine();
    const Index slot = random.below(3);
    c.rows = test::rows_of({{{slot, 1.0f}}});
    for (const std::string method : test::kMethods) {
      EXPECT_EQ(posed_by(method, c), c.palette[at(slot)] * c.point) << method;
    }
  }
}

TEST(Identities, AroundASharedFixedPointDqsIsSphericalAndLogarithmsAreNot) {
  for (const int joint_count : {2, 3, 4}) {
    double logarithms_off = 0;
    for (unsigned seed = 1; seed <= kCases; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      PointCase c = random_case(random, joint_count);
      const Vec3d fixed(c.centre);
      for (Affined& joint : c.palette) {
        joint.translation = fixed - joint.linear * fixed;
      }
      const Vec3d dqs = posed_by("dqs", c);
      EXPECT_LT(length(dqs - posed_by("spherical", c)), 1e-12);
      EXPECT_LT(length(dqs - posed_by("cor", c)), 1e-12);
      EXPECT_NEAR(length(dqs - fixed), length(c.point - fixed), 1e-12);
      logarithms_off += length(dqs - posed_by("log_matrix", c)) / kCases;
    }
    std::printf("logarithms beside dqs around one point, %d joints: %.2f\n", joint_count, logarithms_off);
    EXPECT_GT(logarithms_off, 0.09);
  }
}

// Reflection on a plane through the origin: a joint that mirrors is split into a turn and a stretch of
// determinant -1, and the split must not show.
TEST(Identities, AMirrorOfTheWorldMirrorsTheResultExceptWithLogarithms) {
  const Law law = [](const std::string& method, const PointCase& c, Random& random) {
    const Vec3d n = normalized(random.vector());
    const Affined mirror(Mat3d{} - outer(n, n) * 2.0, {});
    return distance(posed_by(method, moved(c, mirror, {}, {})), mirror * posed_by(method, c));
  };
  expect_law("mirror", law, {"log_matrix"}, 0.1);
}

// ---- Scale and shear in two phases --------------------------------------------------------------------

PointCase stretched(PointCase c, Random& random) {
  for (Affined& joint : c.palette) {
    const Mat3d shear{{1, 0.3 * random.in(-1, 1), 0}, {0, 1, 0.3 * random.in(-1, 1)}, {0, 0, 1}};
    joint.linear = joint.linear * diagonal(Vec3d{1, 1, 1} + random.vector() * 0.5) * shear;
  }
  return c;
}

TEST(TwoPhases, AMotionOfTheWorldMovesTheResultOfStretchedJointsToo) {
  const Law law = [](const std::string& method, const PointCase& rigid, Random& random) {
    const PointCase c = stretched(rigid, random);
    const Affined a = random.rigid();
    return distance(posed_by(method, moved(c, a, {}, {})), a * posed_by(method, c));
  };
  expect_law("left, stretched", law, {"log_matrix"}, 0.1);
}

TEST(TwoPhases, ATurnOfTheRestSpaceChangesNothingForStretchedJointsEither) {
  const Law law = [](const std::string& method, const PointCase& rigid, Random& random) {
    const PointCase c = stretched(rigid, random);
    const Affined a(matrix_from_quat(random.rotation()), {});
    return distance(posed_by(method, moved(c, {}, a, inverse(a))), posed_by(method, c));
  };
  expect_law("turned, stretched", law, {"log_matrix"}, 0.1);
}

// The limit of two phases: stretches are blended about the origin of the mesh, so it matters where that is.
// Linear blending and centres of rotation keep the law.
TEST(TwoPhases, AShiftOfTheOriginIsFeltWhereJointsStretch) {
  const Law law = [](const std::string& method, const PointCase& rigid, Random& random) {
    const PointCase c = stretched(rigid, random);
    const Affined a(Mat3d{}, random.vector());
    return distance(posed_by(method, moved(c, a, inverse(a), a)), a * posed_by(method, c));
  };
  expect_law("origin, stretched", law, {"quaternion", "log_matrix", "spherical", "dqs", "lbs_dqs"}, 0.01);
}

TEST(TwoPhases, JointsThatOnlyStretchAreBlendedLinearly) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PointCase c = random_case(random, 3);
    for (Affined& joint : c.palette) {
      const Mat3d turn = matrix_from_quat(random.rotation());
      joint = {turn * diagonal(Vec3d{1, 1, 1} + random.vector() * 0.5) * transposed(turn), {}};
    }
    for (const std::string method : test::kMethods) {
      EXPECT_LT(length(posed_by(method, c) - posed_by("lbs", c)), 1e-12) << method;
    }
  }
}

// ---- Promises -----------------------------------------------------------------------------------------

TEST(EveryMethod, GivesTheSameBytesOnOneThreadAndOnMany) {
  const Mesh mesh = test::tube({.rings = 80, .sides = 40});
  const WeightGradients gradients = *prepare_weight_gradients(mesh);
  const std::vector<Affined> palette{test::scaled({1, 1.1, 1}), test::turned_about({1, 0, 0}, {1, 1, 0}, 2)};
  for (const std::string method : test::kMethods) {
    SCOPED_TRACE(method);
    const auto posed_on = [&](int thread_count) {
      set_thread_count(thread_count);
      return test::surface_by(method, mesh, palette, {NormalMode::exact, &gradients});
    };
    const Surface one = posed_on(1), many = posed_on(4);
    EXPECT_EQ(one.points, many.points);
    EXPECT_EQ(one.normals, many.normals);
    EXPECT_EQ(one.tangents, many.tangents);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace dermis
