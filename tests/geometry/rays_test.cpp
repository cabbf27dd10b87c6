// SPDX-License-Identifier: MIT
// Rays against every triangle in turn, in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <limits>

#include "characters.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

using Triangle = SurfaceMesh::Triangle;

struct Soup {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

Soup random_soup(test::Random& random, std::uint32_t count) {
  Soup soup;
  for (std::uint32_t t = 0; t < count; ++t) {
    const Vec3d middle = random.vector();
    for (int k = 0; k < 3; ++k) soup.points.push_back(Vec3(middle + random.vector() * 0.3));
    soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return soup;
}

// Distance to one triangle along the ray, or infinity (Moeller and Trumbore, in double).
double distance_to(const Soup& soup, const Triangle& t, const Ray& ray) {
  const Vec3d a(soup.points[t[0]]), b(soup.points[t[1]]), c(soup.points[t[2]]), d(ray.direction);
  const Vec3d normal = cross(b - a, c - a), from = Vec3d(ray.origin) - a;
  const double scale = 1 / dot(-d, normal);
  const Vec3d q = cross(from, d);
  const double u = dot(c - a, q) * scale, v = -dot(b - a, q) * scale, distance = dot(from, normal) * scale;
  return u >= 0 && v >= 0 && u + v <= 1 && distance >= 0 ? distance : INFINITY;
}

Ray random_ray(test::Random& random) { return {Vec3(random.vector() * 2), Vec3(random.vector())}; }

// Embree ended the program.
TEST(RayTree, MissesWithRaysThatAreTooFarAwayToFollow) {
  const std::vector<Vec3> points{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {1e19f, 0, 0}, {0, 1e30f, 0}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 3, 4}};
  const Result<RayTree> tree = build_ray_tree(points, triangles);
  ASSERT_TRUE(tree);
  const std::vector<Ray> rays{{{0, 0, 1}, {0, 0, -1}},
                              {{0, 0, 1e19f}, {0, 0, -1}},
                              {{0, 0, 1}, {0, 0, -3e38f}},
                              {{0, 0, 1}, {INFINITY, 0, 0}},
                              {{NAN, 0, 1}, {0, 0, -1}}};
  for (const RayOrder order : {RayOrder::coherent, RayOrder::mixed}) {
    std::vector<RayHit> hits(rays.size());
    std::vector<std::uint8_t> blocked(rays.size());
    tree->find_nearest(rays, order, hits);
    tree->find_blocked(rays, order, blocked);
    EXPECT_EQ(hits[0].triangle, 0);
    EXPECT_EQ(blocked, (std::vector<std::uint8_t>{1, 0, 0, 0, 0}));
    for (std::size_t k = 1; k < rays.size(); ++k) EXPECT_EQ(hits[k].triangle, -1) << k;
  }
}

TEST(RayTree, FindsTheNearestTriangleAndThePlaceOnIt) {
  for (const RayOrder order : {RayOrder::coherent, RayOrder::mixed}) {
    test::Random random(11);
    const Soup soup = random_soup(random, 300);
    const Result<RayTree> tree = build_ray_tree(soup.points, soup.triangles);
    ASSERT_TRUE(tree) << tree.error().sentence;
    std::vector<Ray> rays(1003);
    for (Ray& ray : rays) ray = random_ray(random);
    std::vector<RayHit> hits(rays.size());
    std::vector<std::uint8_t> blocked(rays.size());
    tree->find_nearest(rays, order, hits);
    tree->find_blocked(rays, order, blocked);
    std::size_t hit_count = 0;
    for (std::size_t k = 0; k < rays.size(); ++k) {
      double nearest = INFINITY;
      for (const Triangle& t : soup.triangles) nearest = std::min(nearest, distance_to(soup, t, rays[k]));
      ASSERT_EQ(hits[k].triangle >= 0, std::isfinite(nearest)) << k;
      EXPECT_EQ(blocked[k] != 0, hits[k].triangle >= 0) << k;
      if (hits[k].triangle < 0) continue;
      ++hit_count;
      EXPECT_NEAR(hits[k].distance, nearest, 1e-4);
      const Triangle& t = soup.triangles[static_cast<std::size_t>(hits[k].triangle)];
      const Vec3 place = soup.points[t[0]] * (1 - hits[k].u - hits[k].v) + soup.points[t[1]] * hits[k].u +
                         soup.points[t[2]] * hits[k].v;
      EXPECT_LT(length(place - rays[k].origin - rays[k].direction * hits[k].distance), 1e-4f);
    }
    EXPECT_GT(hit_count, 100u);
  }
}

const Soup kSquare{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};

TEST(RayTree, LooksOnlyBetweenNearAndFar) {
  const RayTree tree = build_ray_tree(kSquare.points, kSquare.triangles).value();
  const Vec3 origin{0.3f, 0.2f, 2}, down{0, 0, -1};
  const Ray rays[] = {{origin, down}, {origin, down, 0, 1.9f}, {origin, down, 2.1f}, {origin, down * 2}};
  RayHit hits[4];
  std::uint8_t blocked[4];
  tree.find_nearest(rays, RayOrder::mixed, hits);
  tree.find_blocked(rays, RayOrder::mixed, blocked);
  EXPECT_FLOAT_EQ(hits[0].distance, 2);
  EXPECT_EQ(hits[1].triangle, -1);
  EXPECT_EQ(hits[2].triangle, -1);
  EXPECT_FLOAT_EQ(hits[3].distance, 1);  // in lengths of its direction
  EXPECT_EQ(std::vector<int>(blocked, blocked + 4), (std::vector<int>{1, 0, 0, 1}));
}

TEST(RayTree, LetsNoRayThroughACommonEdge) {
  const RayTree tree = build_ray_tree(kSquare.points, kSquare.triangles).value();
  test::Random random(5);
  std::vector<Ray> rays;
  for (int k = 0; k < 20000; ++k) {
    const double t = random.in(0.001, 0.999);
    const Vec3d origin = random.vector() + Vec3d{0, 0, 3};
    rays.push_back({Vec3(origin), Vec3(Vec3d{t, t, 0} - origin)});
  }
  std::vector<std::uint8_t> blocked(rays.size());
  tree.find_blocked(rays, RayOrder::coherent, blocked);
  EXPECT_EQ(std::count(blocked.begin(), blocked.end(), 0), 0);
}

TEST(RayTree, PassesOverTrianglesThatAreNotFinite) {
  Soup soup = kSquare;
  soup.points.push_back({NAN, 0, 0});
  soup.points.push_back({INFINITY, 0, 1});
  soup.triangles.insert(soup.triangles.begin(), {{0, 1, 4}, {0, 1, 5}, {0, 0, 0}});
  const Result<RayTree> tree = build_ray_tree(soup.points, soup.triangles);
  ASSERT_TRUE(tree) << tree.error().sentence;
  const Ray ray[] = {{{0.3f, 0.2f, 2}, {0, 0, -1}}};
  RayHit hit[1];
  tree->find_nearest(ray, RayOrder::mixed, hit);
  EXPECT_EQ(hit[0].triangle, 3);
}

TEST(RayTree, OfNothingIsNeverHit) {
  const Result<RayTree> tree = build_ray_tree({}, {});
  ASSERT_TRUE(tree) << tree.error().sentence;
  const Ray ray[] = {{{0, 0, 2}, {0, 0, -1}}};
  RayHit hit[1];
  tree->find_nearest(ray, RayOrder::coherent, hit);
  EXPECT_EQ(hit[0].triangle, -1);
}

TEST(RayTree, GivesTheSameBytesOnAnyThreadCount) {
  test::Random random(12);
  const Soup soup = random_soup(random, 20000);
  std::vector<Ray> rays(4096);
  for (Ray& ray : rays) ray = random_ray(random);
  const auto hits_on = [&](int threads) {
    set_thread_count(threads);
    const RayTree tree = build_ray_tree(soup.points, soup.triangles).value();
    std::vector<RayHit> hits(rays.size());
    parallel_for(rays.size(), 256, [&](std::size_t begin, std::size_t end) {
      tree.find_nearest(std::span(rays).subspan(begin, end - begin), RayOrder::mixed,
                        std::span(hits).subspan(begin, end - begin));
    });
    set_thread_count(0);
    return hits;
  };
  const std::vector<RayHit> one = hits_on(1), four = hits_on(4);
  for (std::size_t k = 0; k < rays.size(); ++k) {
    EXPECT_EQ(one[k].triangle, four[k].triangle);
    EXPECT_EQ(one[k].distance, four[k].distance);
    EXPECT_EQ(one[k].u, four[k].u);
  }
}

// Embree asks its users to flush small numbers to zero; the rest of the house relies on them.
TEST(RayTree, LeavesFloatsAndThreadsAsTheyWere) {
  const int threads = thread_count(), rounding = std::fegetround();
  const RayTree tree = build_ray_tree(kSquare.points, kSquare.triangles).value();
  const Ray ray[] = {{{0.3f, 0.2f, 2}, {0, 0, -1}}};
  RayHit hit[1];
  tree.find_nearest(ray, RayOrder::mixed, hit);
  volatile float small = std::numeric_limits<float>::min();
  small = small / 4;
  EXPECT_GT(small, 0.0f);
  EXPECT_EQ(thread_count(), threads);
  EXPECT_EQ(std::fegetround(), rounding);
}

TEST(RayTree, HearsAStop) {
  const std::atomic<bool> stop = true;
  const Result<RayTree> tree = build_ray_tree(kSquare.points, kSquare.triangles, Progress({}, &stop));
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace dermis
