// SPDX-License-Identifier: MIT
// What holds for every way of binding: no character, however spoilt, is left with a hole.
#include "bind/bound.h"
#include "characters.h"
#include "dermis/made.h"

namespace dermis {
namespace {

using test::expect_complete;
using test::Random;
using test::tube;

// ---- A character to spoil -------------------------------------------------------------------------------

struct Body {
  std::vector<Vec3> points;
  std::vector<SurfaceMesh::Triangle> triangles;
};

// A humanoid of as few points as there are, and its joints without the fingers; made once.
struct Human {
  Character character;
  Body body;
  std::vector<Index> joints;
};
const Human& human() {
  static const Human kHuman = [] {
    Human made{*make_character(MadeKind::humanoid, {1000}, {}), {}, {}};
    made.character.clips.clear();
    const Mesh& mesh = made.character.meshes[0];
    made.body.points = mesh.points;
    for (const SurfaceMesh::Triangle& t :
         weld_surface(mesh.weld, mesh.polygons.first, mesh.polygons.corners).triangles)
      made.body.triangles.push_back(t);
    for (const Index node : made.character.skins[0].node) {
      const std::string& name = made.character.nodes[at(node)].name;
      const bool is_finger =
          std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!is_finger) made.joints.push_back(node);
    }
    return made;
  }();
  return kHuman;
}

// Places that are spoilt, where a test leaves others alone.
constexpr float kAllOfIt = -1, kAboveShoulders = 1.5f;

// The human in pieces: a mesh for each body, and where its joints were bound.
struct Spoilt {
  std::vector<Body> bodies{human().body};
  Skin skin = human().character.skins[0];
  float above = kAllOfIt;  // points lower than this are left alone
  Random random;

  explicit Spoilt(unsigned seed) : random(seed) {}
  std::size_t any(std::size_t count) {
    return static_cast<std::size_t>(random.below(static_cast<int>(count)));
  }
  Body& any_body() { return bodies[any(bodies.size())]; }
  // Where there is none to be spoilt, the first of all, which is at the head of the human.
  std::uint32_t any_point(const Body& body) {
    for (int tries = 0; tries < 1000; ++tries) {
      const std::size_t v = any(body.points.size());
      if (body.points[v].y >= above) return static_cast<std::uint32_t>(v);
    }
    return highest(body);
  }
  static std::uint32_t highest(const Body& body) {
    return static_cast<std::uint32_t>(
        std::max_element(body.points.begin(), body.points.end(),
                         [](const Vec3& a, const Vec3& b) { return a.y < b.y; }) -
        body.points.begin());
  }
  bool may_spoil(const Body& body, const SurfaceMesh::Triangle& t) const {
    return std::all_of(t.begin(), t.end(), [&](std::uint32_t v) { return body.points[v].y >= above; });
  }
};

// ---- What happens to characters -------------------------------------------------------------------------

void duplicate_points(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  for (int k = 0; k < 10; ++k) {
    const std::uint32_t v = spoilt.any_point(body);
    const auto copy = static_cast<std::uint32_t>(body.points.size());
    body.points.push_back(Vec3(body.points[v]));
    for (SurfaceMesh::Triangle& t : body.triangles) {
      for (std::uint32_t& corner : t) {
        if (corner == v && spoilt.any(2) == 0) corner = copy;
      }
    }
  }
}
void flatten_triangles(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  for (int k = 0; k < 10; ++k) {
    const std::uint32_t v = spoilt.any_point(body);
    body.points[v] = body.points[spoilt.any_point(body)];
  }
}
void flip_patch(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  if (body.triangles.empty()) return;
  for (std::size_t t = spoilt.any(body.triangles.size()); t < body.triangles.size(); ++t) {
    if (spoilt.may_spoil(body, body.triangles[t])) std::swap(body.triangles[t][1], body.triangles[t][2]);
  }
}
void add_cube(Body& body, const Vec3& lower, float edge) {
  const test::Soup cube = test::box_soup(Vec3d(lower), Vec3d(lower) + Vec3d{1, 1, 1} * double{edge});
  const auto base = static_cast<std::uint32_t>(body.points.size());
  body.points.insert(body.points.end(), cube.points.begin(), cube.points.end());
  for (const SurfaceMesh::Triangle& t : cube.triangles)
    body.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
}
void add_stray_cube(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  const float away = spoilt.any(2) == 0 ? 0.5f : 20.0f;
  add_cube(body, body.points[spoilt.any_point(body)] + Vec3{0, away, 0}, 0.1f);
}
void add_cube_inside(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  add_cube(body, body.points[spoilt.any_point(body)], 0.03f);
}
void throw_point(Spoilt& spoilt, float far) {
  Body& body = spoilt.any_body();
  body.points[spoilt.any_point(body)] = {far, -far, far};
}
void throw_point_far(Spoilt& spoilt) { throw_point(spoilt, 1e6f); }
void throw_point_to_the_end_of_floats(Spoilt& spoilt) { throw_point(spoilt, 1e30f); }
void tear_holes(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  std::erase_if(body.triangles, [&](const SurfaceMesh::Triangle& t) {
    return spoilt.may_spoil(body, t) && spoilt.any(20) == 0;
  });
}
// Edges with three sides.
void add_fins(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  for (std::size_t t = 0, count = body.triangles.size(); t < count; ++t) {
    if (!spoilt.may_spoil(body, body.triangles[t]) || spoilt.any(50) != 0) continue;
    SurfaceMesh::Triangle fin = body.triangles[t];
    fin[2] = spoilt.any_point(body);
    if (fin[2] != fin[0] && fin[2] != fin[1]) body.triangles.push_back(fin);
  }
}
void lose_half(Spoilt& spoilt) {
  Body& body = spoilt.any_body();
  body.triangles.resize(body.triangles.size() / 2 + 1);
}
void lose_all_triangles(Spoilt& spoilt) { spoilt.any_body().triangles.clear(); }
void add_second_human(Spoilt& spoilt) {
  Body other = human().body;
  const Vec3 beside = spoilt.any(2) == 0 ? Vec3{1.5f, 0, 0} : Vec3{0.1f, 0, 0.1f};
  for (Vec3& point : other.points) point = point + beside;
  spoilt.bodies.push_back(std::move(other));
}
// Coat and trousers: the same edges in two meshes.
void cut_in_two(Spoilt& spoilt) {
  Body& whole = spoilt.any_body();
  Body lower{whole.points, {}};
  const float waist = static_cast<float>(spoilt.random.in(0.3, 1.5));
  std::erase_if(whole.triangles, [&](const SurfaceMesh::Triangle& t) {
    const bool is_lower = whole.points[t[0]].y < waist;
    if (is_lower) lower.triangles.push_back(t);
    return is_lower;
  });
  spoilt.bodies.push_back(std::move(lower));
}
void move_joints_out(Spoilt& spoilt) {
  const bool is_one = spoilt.any(2) == 0;
  const std::size_t only = spoilt.any(spoilt.skin.inverse_bind.size());
  for (std::size_t s = 0; s < spoilt.skin.inverse_bind.size(); ++s) {
    if (!is_one || s == only) spoilt.skin.inverse_bind[s].translation.z += 3;
  }
}
void put_joints_at_one_place(Spoilt& spoilt) {
  const std::size_t first = spoilt.any(spoilt.skin.inverse_bind.size());
  const std::size_t last = std::min(first + 8, spoilt.skin.inverse_bind.size());
  for (std::size_t s = first; s < last; ++s) spoilt.skin.inverse_bind[s] = spoilt.skin.inverse_bind[first];
}

using Mutation = void (*)(Spoilt&);
// Those of one place come first: they leave the rest of the body alone.
constexpr std::array<Mutation, 15> kMutations{duplicate_points,
                                              flatten_triangles,
                                              flip_patch,
                                              add_stray_cube,
                                              add_cube_inside,
                                              throw_point_far,
                                              throw_point_to_the_end_of_floats,
                                              tear_holes,
                                              add_fins,
                                              lose_half,
                                              lose_all_triangles,
                                              add_second_human,
                                              cut_in_two,
                                              move_joints_out,
                                              put_joints_at_one_place};
constexpr std::size_t kOfOnePlace = 9;

// ---- Binding as users do --------------------------------------------------------------------------------

Mesh mesh_of(const Body& body) {
  Mesh mesh;
  mesh.points = body.points;
  for (const SurfaceMesh::Triangle& t : body.triangles) {
    for (const std::uint32_t v : t) mesh.polygons.corners.push_back(static_cast<Index>(v));
    mesh.polygons.first.push_back(static_cast<std::uint32_t>(mesh.polygons.corners.size()));
  }
  mesh.parts = {{0, static_cast<Index>(body.points.size()), 0, static_cast<Index>(body.triangles.size())}};
  mesh.weld = weld_coincident(mesh.points);
  WeightRowBuilder builder;
  for (std::size_t v = 0; v < body.points.size(); ++v) {
    builder.add(0, 1);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
  return mesh;
}

Character character_of(const Spoilt& spoilt) {
  Character character = human().character;
  const Index node = character.instances[0].node;
  character.skins = {spoilt.skin};
  character.meshes.clear();
  character.instances.clear();
  for (const Body& body : spoilt.bodies) {
    character.instances.push_back({node, static_cast<Index>(character.meshes.size()), 0, {}, true});
    character.meshes.push_back(mesh_of(body));
  }
  return character;
}

void expect_bound(const Result<BoundRows>& bound, const BindSurface& surface, const BindSkeleton& skeleton,
                  Character& character) {
  ASSERT_TRUE(bound) << bound.error().sentence;
  expect_complete(bound->rows, surface.points.size(), skeleton.joint_count());
  set_weights(character, surface, skeleton, bound->rows, 4);
  const Status valid = validate(character);
  ASSERT_TRUE(valid) << valid.error().sentence;
  for (const Mesh& mesh : character.meshes)
    expect_complete(mesh.weights, mesh.points.size(), character.skins[0].node.size());
}

// Methods that work on the surface, and those that fill the body, with cells coarse enough to be quick.
std::vector<Result<BoundRows>> bound_on_surface(const BindSurface& surface, const BindSkeleton& skeleton) {
  return {bind_heat(surface, skeleton), bind_distance(surface, skeleton), bind_rigid(surface, skeleton)};
}
std::vector<Result<BoundRows>> bound_in_body(const BindSurface& surface, const BindSkeleton& skeleton,
                                             double cell) {
  return {bind_voxel(surface, skeleton, {.cell = cell}), bind_biharmonic(surface, skeleton, {.cell = cell})};
}

TEST(BindSurface, IsAsLargeAsItsPointsButForThoseFarOff) {
  // Of few points none is far off.
  EXPECT_NEAR(bind_surface_of({{0, 0, 0}, {30, 0, 0}, {0, 40, 0}}, {{0, 1, 2}}).size, 50, 1e-5);
  const BindSurface whole = tube(5, 10, 12);
  EXPECT_NEAR(whole.size, std::sqrt(100 + 4 + std::pow(2 * std::sin(0.4 * kPi), 2)), 1e-5);
  for (const Vec3& far : {Vec3{1e6f, 1.5f, 0}, Vec3{-1e6f, 0, -1.5f}, Vec3{0, -1e6f, 1e6f}}) {
    std::vector<Vec3> points = whole.points;
    points.push_back(far);
    EXPECT_EQ(bind_surface_of(points, whole.triangles).size, whole.size);
  }
}

TEST(EveryMethod, LeavesNoHoleInAThousandSpoiltHumans) {
  ASSERT_EQ(human().joints.size(), 21u);
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Spoilt spoilt(seed);
    // Each mutation alone first, then up to four together.
    if (seed < kMutations.size()) {
      kMutations[seed](spoilt);
    } else {
      for (unsigned k = 0; k <= seed % 4; ++k) kMutations[spoilt.any(kMutations.size())](spoilt);
    }
    Character character = character_of(spoilt);
    const Status valid = validate(character);
    ASSERT_TRUE(valid) << valid.error().sentence;
    const Result<BindSurface> surface = bind_surface(character);
    ASSERT_TRUE(surface) << surface.error().sentence;
    const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, human().joints);
    ASSERT_TRUE(skeleton) << skeleton.error().sentence;
    for (const Result<BoundRows>& bound : bound_on_surface(*surface, *skeleton))
      expect_bound(bound, *surface, *skeleton, character);
    // A share of them, of every kind above: filling takes longer.
    if (seed < kMutations.size() || seed % 40 == 0) {
      constexpr double kCell = 0.08;
      for (const Result<BoundRows>& bound : bound_in_body(*surface, *skeleton, kCell))
        expect_bound(bound, *surface, *skeleton, character);
    }
    if (HasFatalFailure()) return;
  }
}

// Heat that comes from elsewhere falls as exp(-2 x / r) along a limb of radius r. The trunk is 0.15 m thick:
// from the shoulders at 1.5 m to the waist at 1.1 m no more than exp(-2 0.4 / 0.15) = 0.005 of 1 arrives, and
// what one joint has more another has less.
TEST(EveryMethod, OfHeatLeavesHipsAndLegsAloneWhateverBefallsTheHead) {
  const auto bound_of = [](const Spoilt& spoilt, std::vector<std::uint32_t>& points_of) {
    const Character character = character_of(spoilt);
    const Result<BindSurface> surface = bind_surface(character);
    points_of = surface->points_of[0];
    const Result<BindSkeleton> skeleton = bind_skeleton(character, *surface, human().joints);
    return bind_heat(*surface, *skeleton)->rows;
  };
  std::vector<std::uint32_t> whole_points, points;
  const WeightRows whole = bound_of(Spoilt(0), whole_points);
  double worst = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Spoilt spoilt(seed);
    spoilt.above = kAboveShoulders;
    for (unsigned k = 0; k <= seed % 3; ++k) kMutations[(seed + 5 * k) % kOfOnePlace](spoilt);
    const WeightRows rows = bound_of(spoilt, points);
    for (std::size_t v = 0; v < human().body.points.size(); ++v) {
      if (human().body.points[v].y > 1.1f) continue;
      worst = std::max(worst, row_distance(rows.row(points[v]), whole.row(whole_points[v])));
    }
  }
  EXPECT_LT(worst, 0.01);
}

TEST(EveryMethod, BindsPointsWithoutTrianglesAndOneTriangle) {
  const BindSkeleton skeleton = test::chain({{{-10, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {10, 0, 0}}});
  for (const BindSurface& surface :
       {bind_surface_of({{1, 1, 0}, {-4, 1, 0}}, {}),
        bind_surface_of({{1, 1, 0}, {-4, 1, 0}, {2, 1, 2}}, {{0, 1, 2}}), bind_surface_of({{3, 0, 0}}, {})}) {
    for (const auto& all : {bound_on_surface(surface, skeleton), bound_in_body(surface, skeleton, 0.5)}) {
      for (const Result<BoundRows>& bound : all) {
        ASSERT_TRUE(bound) << bound.error().sentence;
        expect_complete(bound->rows, surface.points.size(), 2);
      }
    }
  }
}

}  // namespace
}  // namespace dermis
