// SPDX-License-Identifier: MIT
// Skeletons of real bodies that are turned, scaled, coarse, fine, torn, cluttered and posed.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <random>

#include "rig/real_bodies.h"

namespace dermis {
namespace {

using test::Body;
using test::Soup;

// A change of a body that leaves its joints where `moved` says.
struct Trial {
  const char* name;
  std::function<void(Body&)> change;
};

void move_all(Body& body, const Affined& map) {
  body.soup = test::moved(std::move(body.soup), map);
  for (auto& [name, place] : body.truth) place = map * place;
}

Affined turn_about(const Vec3d& axis, double degrees) {
  return Affined(matrix_from_quat(quat_from_axis_angle(axis, degrees * kPi / 180)), Vec3d{});
}

Box box_of(const Soup& soup) {
  Box box;
  for (const Vec3& point : soup.points) box.add(Vec3d(point));
  return box;
}

void leave_out_faces(Body& body) {
  std::mt19937 random(1);  // the same faces each time
  std::erase_if(body.soup.triangles, [&](const auto&) { return random() % 20 == 0; });
}

// Each triangle as four until there are 200,000 points.
void refine(Body& body) {
  while (body.soup.points.size() < 200'000) {
    Soup finer{body.soup.points, {}};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [found, is_new] =
          middles.emplace(std::minmax(a, b), static_cast<std::uint32_t>(finer.points.size()));
      if (is_new) finer.points.push_back((body.soup.points[a] + body.soup.points[b]) * 0.5f);
      return found->second;
    };
    for (const auto& [a, b, c] : body.soup.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const SurfaceMesh::Triangle& t :
           {SurfaceMesh::Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
        finer.triangles.push_back(t);
    }
    body.soup = std::move(finer);
  }
}

// Points of a grid of cells as one, with the largest number of cells that leaves 2,000.
void coarsen(Body& body) {
  const Box box = box_of(body.soup);
  for (int cells = 200; body.soup.points.size() > 2000 && cells > 10; cells -= 10) {
    Soup coarse;
    std::map<std::array<int, 3>, std::uint32_t> cell_of;
    std::vector<std::uint32_t> place;
    for (const Vec3& point : body.soup.points) {
      std::array<int, 3> cell{};
      for (int axis = 0; axis < 3; ++axis)
        cell[static_cast<std::size_t>(axis)] =
            static_cast<int>((double{point[axis]} - box.lower[axis]) / box.diagonal() * cells);
      const auto [found, is_new] = cell_of.emplace(cell, static_cast<std::uint32_t>(coarse.points.size()));
      if (is_new) coarse.points.push_back(point);
      place.push_back(found->second);
    }
    for (const auto& [a, b, c] : body.soup.triangles) {
      if (place[a] != place[b] && place[b] != place[c] && place[c] != place[a])
        coarse.triangles.push_back({place[a], place[b], place[c]});
    }
    if (coarse.points.size() <= 2000) {
      body.soup = std::move(coarse);
      return;
    }
  }
}

void add_floor(Body& body) {
  const Box box = box_of(body.soup);
  const Vec3d size = box.upper - box.lower;
  const double thick = 0.01 * size.y;
  const Vec3d margin = Vec3d{0.3, 0, 0.3} * std::max(size.x, size.z);
  body.soup.add(test::box_soup(Vec3d{box.lower.x, box.lower.y - thick, box.lower.z} - margin,
                               Vec3d{box.upper.x, box.lower.y, box.upper.z} + margin));
}

void add_cube(Body& body) {
  const Box box = box_of(body.soup);
  const double side = 0.15 * test::size_of(body.soup);
  const Vec3d lower{box.upper.x + side, box.lower.y, box.lower.z};
  body.soup.add(test::box_soup(lower, lower + Vec3d{side, side, side}));
}

// In the left hand, from the floor to above the head; without a hand, across the mouth.
void add_staff(Body& body) {
  const double size = test::size_of(body.soup);
  const Box box = box_of(body.soup);
  const auto hand = body.truth.find("hand_L");
  const auto elbow = body.truth.find("forearm_L");
  const auto head = body.truth.find("head");
  if (hand != body.truth.end() && elbow != body.truth.end()) {
    const Vec3d grip = hand->second + (hand->second - elbow->second) * 0.25;
    body.soup.add(
        test::spike({grip.x, box.lower.y, grip.z}, {grip.x, box.upper.y + 0.1 * size, grip.z}, 0.015 * size));
  } else if (head != body.truth.end()) {
    body.soup.add(test::spike(head->second - Vec3d{0.35 * size, 0, 0},
                              head->second + Vec3d{0.35 * size, 0, 0}, 0.015 * size));
  }
}

const std::vector<Trial>& trials() {
  static const std::vector<Trial> all{
      {"as it is", [](Body&) {}},
      {"turned about up",
       [](Body& body) {
         move_all(body, turn_about({0, 1, 0}, 130));
       }},
      {"turned over",
       [](Body& body) {
         move_all(body, turn_about({1, 2, 3}, 77));
       }},
      {"Z up",
       [](Body& body) {
         move_all(body, turn_about({1, 0, 0}, 90));
       }},
      {"100 times as large",
       [](Body& body) {
         move_all(body, Affined(Mat3d{{100, 0, 0}, {0, 100, 0}, {0, 0, 100}}, {}));
       }},
      {"2,000 points", coarsen},
      {"200,000 points", refine},
      {"5 % of the faces missing", leave_out_faces},
      {"on a floor plate", add_floor},
      {"beside a cube", add_cube},
      {"with a staff", add_staff},
  };
  return all;
}

struct Tally {
  int bodies = 0, whole = 0, doubted_wrong = 0, doubted_right = 0;
  test::LimbCount limbs;
  std::string lost;
};

// The body as it would be if it faced the other way.
Body turned_about(Body body) {
  test::Places places;
  for (const auto& [name, place] : body.truth) {
    std::string other = name;
    if (name.ends_with("_L") || name.ends_with("_R")) other.back() = name.back() == 'L' ? 'R' : 'L';
    places[other] = place;
  }
  body.truth = std::move(places);
  return body;
}

// Counts one body; returns whether all its limbs are in place.
void count(const Body& body, bool says_misses, Tally& tally) {
  const std::string& label = body.name;
  RigOptions options = test::any_template();
  options.cells = RigOptions{}.cells;  // as users have it
  const Result<FoundSkeleton> found = test::find_in(body.soup, options);
  ++tally.bodies;
  const bool is_whole = found && test::is_right(body, *found).value_or(false);
  tally.whole += is_whole ? 1 : 0;
  const bool is_doubted = !found || judge_skeleton(*found).confidence < kLeastConfidence;
  (is_whole ? tally.doubted_right : tally.doubted_wrong) += is_doubted ? 1 : 0;
  const test::LimbCount limbs = test::count_limbs(body, found ? *found : FoundSkeleton{});
  tally.limbs.all += limbs.all;
  tally.limbs.right += limbs.right;
  if (says_misses)
    std::cout << fmt::format(
        "  {} {}{} {:.2f}{}{}\n", is_whole ? "+" : "-", label, found ? " " + found->name : " none",
        found ? judge_skeleton(*found).confidence : 0,
        found && !is_whole && test::is_right(turned_about(body), *found).value_or(false) ? " backwards" : "",
        limbs.misses);
  for (const auto& [joint, own] : limbs.by_joint) {
    tally.limbs.by_joint[joint][0] += own[0];
    tally.limbs.by_joint[joint][1] += own[1];
  }
  if (!is_whole)
    tally.lost +=
        fmt::format("{}{} ({})", tally.lost.empty() ? "" : ", ", label, found ? found->name : "none");
}

// The table of docs/rigging.md takes minutes (DERMIS_BODIES=all); otherwise one cell in sixty. A name instead
// of `all` chooses the bodies whose names contain it.
TEST(Robustness, MostLimbsAreFoundWhateverHappensToABody) {
  const char* data = std::getenv("DERMIS_DATA");
  if (data == nullptr) GTEST_SKIP() << "needs DERMIS_DATA";
  const char* asked = std::getenv("DERMIS_BODIES");
  const std::string words = asked == nullptr || std::string(asked) == "all" ? "" : asked;
  const std::size_t slash = std::min(words.find('/'), words.size());
  const std::string wanted = words.substr(0, slash);
  const std::string wanted_row = slash < words.size() ? words.substr(slash + 1) : "";
  std::map<std::string, std::array<Tally, 2>> rows;
  for (const Body& body : test::real_bodies(data, 6)) {
    if (body.name.find(wanted) == std::string::npos) continue;
    // Half by the character, so that all its poses are on one side.
    const std::size_t half = test::hash_of(body.name.substr(0, body.name.find_first_of(" ,"))) % 2;
    for (const Trial& trial : trials()) {
      const bool is_changed = &trial != &trials().front();
      if (is_changed && (body.is_posed || body.has_props)) break;
      const std::string row = fmt::format("{}: {}{}", body.kind, body.is_posed ? "in clips" : trial.name,
                                          body.has_props ? ", with props" : "");
      if (row.find(wanted_row) == std::string::npos) continue;
      if (asked == nullptr && test::hash_of(body.name + trial.name) / 2 % 60 != 0) continue;
      Body changed = body;
      trial.change(changed);
      count(changed, asked != nullptr, rows[row][half]);
    }
  }
  if (asked != nullptr) {
    for (const auto& [name, halves] : rows) {
      for (const std::size_t half : {0u, 1u}) {
        const Tally& tally = halves[half];
        if (tally.bodies > 0)
          std::cout << fmt::format(
              "{:38} {:8} whole {:3} of {:3}, limb joints {:4} of {:4}, doubted {} wrong, {} right; lost: "
              "{}\n",
              name, half == 0 ? "tuning" : "checking", tally.whole, tally.bodies, tally.limbs.right,
              tally.limbs.all, tally.doubted_wrong, tally.doubted_right, tally.lost);
        if (tally.bodies > 0) {
          for (const auto& [joint, own] : tally.limbs.by_joint)
            std::cout << fmt::format("    {} {} of {}", joint, own[0], own[1]);
          std::cout << "\n";
        }
      }
    }
  }
  int bodies = 0, whole = 0;
  std::string lost;
  for (const auto& [name, halves] : rows) {
    for (const Tally& tally : halves) bodies += tally.bodies, whole += tally.whole, lost += tally.lost;
  }
  EXPECT_GE(whole, 0.5 * bodies) << lost;
}

}  // namespace
}  // namespace dermis
