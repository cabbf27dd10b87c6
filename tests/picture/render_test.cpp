// SPDX-License-Identifier: MIT
// Stills show what is there, where it is, in its colours and light.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/motion.h"
#include "drawings.h"

namespace dermis {
namespace {

using test::brightness;
using test::colour_at;
using test::drawing_of;
using test::flat_camera;
using test::options_of;
using test::rendered;
using test::square;

constexpr std::array<std::uint8_t, 3> kMagenta{255, 0, 255};

// ---- Shape ----

// Which pixels have their middle inside a projected triangle, in double and without a ray.
std::vector<bool> silhouette(const Drawing& drawing, const Camera& camera, int width, int height) {
  std::vector<bool> mask(static_cast<std::size_t>(width * height));
  for (const DrawnMesh& mesh : drawing.meshes) {
    for (const auto& t : mesh.triangles) {
      std::array<test::Seen2, 3> c;
      for (std::size_t k = 0; k < 3; ++k)
        c[k] = test::seen_at(camera, Vec3d(mesh.points[t[k]]), width, height);
      const auto [x0, x1] = std::minmax({c[0].x, c[1].x, c[2].x});
      const auto [y0, y1] = std::minmax({c[0].y, c[1].y, c[2].y});
      for (int y = std::max(0, static_cast<int>(y0)); y <= std::min(height - 1, static_cast<int>(y1)); ++y) {
        for (int x = std::max(0, static_cast<int>(x0)); x <= std::min(width - 1, static_cast<int>(x1)); ++x) {
          const auto side = [&](std::size_t k) {
            const test::Seen2 &a = c[k], &b = c[(k + 1) % 3];
            return (b.x - a.x) * (y + 0.5 - a.y) - (b.y - a.y) * (x + 0.5 - a.x);
          };
          const double s[] = {side(0), side(1), side(2)};
          const auto [low, high] = std::minmax({s[0], s[1], s[2]});
          if (low >= 0 || high <= 0) mask[static_cast<std::size_t>(y * width + x)] = true;
        }
      }
    }
  }
  return mask;
}

Drawing walking_humanoid() {
  const Result<Character> human = make_character(MadeKind::humanoid, {2000});
  EXPECT_TRUE(human);
  const Result<PoseFrame> frame = pose_frame(*human, {0, 0.3, nullptr});
  EXPECT_TRUE(frame);
  const Result<Character> still = deform_character(*human, *frame, {});
  EXPECT_TRUE(still);
  return draw_character(*still, nullptr);
}

TEST(Render, CoversTheSilhouetteAndNothingElse) {
  const Drawing drawing = walking_humanoid();
  constexpr int kWidth = 240, kHeight = 200;
  RenderOptions options = options_of(kWidth, kHeight);
  options.background = kMagenta;
  for (const double turn : {0.4, 2.0, 4.5}) {
    SCOPED_TRACE(turn);
    const Camera camera = frame_points(points_of(drawing), {turn, 0.2}, double{kWidth} / kHeight);
    const Pixels pixels = rendered(drawing, camera, options);
    const std::vector<bool> mask = silhouette(drawing, camera, kWidth, kHeight);
    std::size_t inside = 0, outside = 0, gaps = 0;
    for (int y = 1; y + 1 < kHeight; ++y) {
      for (int x = 1; x + 1 < kWidth; ++x) {
        int covered = 0;
        for (int k = 0; k < 9; ++k)
          covered += mask[static_cast<std::size_t>((y + k / 3 - 1) * kWidth + x + k % 3 - 1)];
        // Clay is grey: its green is as strong as its red.
        const auto [red, green, blue] = colour_at(pixels, x, y);
        if (covered == 9) {
          ASSERT_NE(colour_at(pixels, x, y), (std::array{255, 0, 255})) << x << ", " << y;
          gaps += std::abs(red - green) > 30;
        } else if (covered == 0) {
          ASSERT_EQ(colour_at(pixels, x, y), (std::array{255, 0, 255})) << x << ", " << y;
        }
        inside += covered == 9, outside += covered == 0;
      }
    }
    // Between arm and body there may be gaps narrower than a pixel.
    EXPECT_LT(gaps, inside / 200);
    EXPECT_GT(inside, kWidth * kHeight / 30u);
    EXPECT_GT(outside, kWidth * kHeight / 3u);
  }
}

TEST(Render, LooksTheSameAtAnySizeAndPlace) {
  const Vec3d places[] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {3e4, -2e4, 1e4}};
  const double sizes[] = {1, 1e-3, 1e6, 100};
  std::vector<Pixels> pictures;
  for (std::size_t k = 0; k < 4; ++k) {
    const Drawing drawing = drawing_of(test::sphere(places[k], sizes[k]));
    const Camera camera = frame_points(points_of(drawing), {0.5, 0.3}, 1);
    pictures.push_back(rendered(drawing, camera, options_of(96, 96, true)));
  }
  for (std::size_t k = 1; k < pictures.size(); ++k) {
    SCOPED_TRACE(k);
    double difference = 0;
    for (std::size_t b = 0; b < pictures[k].rgba.size(); ++b) {
      difference += std::abs(pictures[k].rgba[b] - pictures[0].rgba[b]);
    }
    EXPECT_LT(difference / static_cast<double>(pictures[k].rgba.size()), 0.5);
  }
}

TEST(Render, SmoothsTheEdgesOfSurfaces) {
  Drawing drawing = drawing_of(square());
  for (Vec3& p : drawing.meshes[0].points) p = {p.x * 0.9f + p.y * 0.2f, p.y * 0.9f - p.x * 0.2f, 0};
  RenderOptions options = options_of(64, 64);
  options.background = {255, 255, 255};
  const Pixels pixels = rendered(drawing, flat_camera(0.6), options);
  std::vector<int> shades;
  for (int x = 0; x < 64; ++x) shades.push_back(brightness(pixels, x, 12));
  std::sort(shades.begin(), shades.end());
  shades.erase(std::unique(shades.begin(), shades.end()), shades.end());
  EXPECT_GE(shades.size(), 4u);
}

// ---- Light ----

TEST(Render, LightsASphereFromTheUpperLeft) {
  const Drawing drawing = drawing_of(test::sphere({}, 1));
  const Pixels pixels = rendered(drawing, flat_camera(), options_of(100, 100));
  const int lit = brightness(pixels, 33, 33), middle = brightness(pixels, 50, 50),
            dark = brightness(pixels, 67, 67);
  EXPECT_GT(lit, middle + 15);
  EXPECT_GT(middle, dark + 30);
}

TEST(Render, TurnsTheLightWithTheViewer) {
  const Drawing drawing = drawing_of(test::sphere({}, 1));
  const std::vector<Vec3> points = points_of(drawing);
  const RenderOptions options = options_of(80, 80);
  const Pixels front = rendered(drawing, frame_points(points, {0, 0.2}, 1), options);
  const Pixels side = rendered(drawing, frame_points(points, {kPi / 2, 0.2}, 1), options);
  for (const int x : {25, 40, 55}) EXPECT_NEAR(brightness(front, x, 40), brightness(side, x, 40), 9);
}

TEST(Render, CastsAShadowOnTheGroundAndFadesIntoTheBackground) {
  const Drawing drawing = drawing_of(test::sphere({0, 1, 0}, 1));
  Camera camera = frame_points(points_of(drawing), {0, 0.5}, 1.5);
  camera.field *= 2;
  const Pixels with = rendered(drawing, camera, options_of(150, 100, true));
  const Pixels without = rendered(drawing, camera, options_of(150, 100, false));
  const int background = 238 + 240 + 243;
  EXPECT_EQ(brightness(with, 0, 0), background);
  EXPECT_EQ(brightness(with, 149, 0), background);
  // Right of and behind the sphere, away from the light.
  const test::Seen2 shadow = test::seen_at(camera, {1.5, 0, -0.5}, 150, 100);
  const int x = static_cast<int>(shadow.x), y = static_cast<int>(shadow.y);
  EXPECT_LT(brightness(with, x, y), background - 60);
  EXPECT_EQ(brightness(without, x, y), background);
  // Towards the light there is none, only what the sphere hides of the sky.
  const test::Seen2 lit = test::seen_at(camera, {-1.6, 0, 1.2}, 150, 100);
  EXPECT_GT(brightness(with, static_cast<int>(lit.x), static_cast<int>(lit.y)), background - 60);
}

TEST(Render, PutsTheGroundWhereItIsTold) {
  const Drawing drawing = drawing_of(test::sphere({0, 1, 0}, 1));
  Camera camera = frame_points(points_of(drawing), {0, 0.4}, 1);
  camera.field *= 1.6;
  RenderOptions options = options_of(90, 90, true);
  const Pixels touching = rendered(drawing, camera, options);
  options.ground = 0;
  EXPECT_EQ(rendered(drawing, camera, options).rgba, touching.rgba);
  options.ground = -0.7;
  EXPECT_GT(test::count_different(rendered(drawing, camera, options), touching), 200u);
}

TEST(Render, DarkensWhereTheSkyIsHidden) {
  // A wall on a floor: the floor is darker beside the wall than away from it, on the side of the light.
  DrawnMesh room;
  room.points = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1},    {-1, 0, 1},
                 {1, 0, -1},  {1, 0, 1},  {1, 1.5f, 1}, {1, 1.5f, -1}};
  room.normals.assign(4, {0, 1, 0});
  room.normals.resize(8, {-1, 0, 0});
  room.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}};
  DrawnMaterial material;
  material.is_double_sided = true;
  const Drawing drawing = drawing_of(room, material);
  const Camera camera = frame_points(points_of(drawing), {0, 0.9}, 1);
  const Pixels pixels = rendered(drawing, camera, options_of(120, 120));
  const auto light_at = [&](double x) {
    const test::Seen2 seen = test::seen_at(camera, {x, 0, 0.3}, 120, 120);
    return brightness(pixels, static_cast<int>(seen.x), static_cast<int>(seen.y));
  };
  EXPECT_LT(light_at(0.93), light_at(-0.6) - 25);
}

TEST(Render, ShowsEmissionInTheDarkOfABackFace) {
  DrawnMaterial material;
  material.colour = {0, 0, 0, 1};
  material.emission = {0, 0.5f, 0};
  const Pixels pixels = rendered(drawing_of(square(), material), flat_camera(), options_of(40, 40));
  const auto [red, green, blue] = colour_at(pixels, 20, 20);
  EXPECT_GT(green, 150);
  EXPECT_LT(red, 60);
  EXPECT_LT(blue, 60);
}

TEST(Render, ShowsBackFacesDarkerUnlessDoubleSided) {
  DrawnMaterial material;
  Drawing drawing = drawing_of(square(), material);
  const int front = brightness(rendered(drawing, flat_camera(), options_of(40, 40)), 20, 20);
  for (auto& t : drawing.meshes[0].triangles) std::swap(t[1], t[2]);
  const int back = brightness(rendered(drawing, flat_camera(), options_of(40, 40)), 20, 20);
  drawing.materials[0].is_double_sided = true;
  const int both = brightness(rendered(drawing, flat_camera(), options_of(40, 40)), 20, 20);
  EXPECT_LT(back, front * 4 / 5);
  EXPECT_GT(back, front / 4);
  EXPECT_NEAR(both, front, 3);
}

TEST(Render, HighlightsSmoothSurfacesAndNotMattOnes) {
  const auto brightest = [](float roughness) {
    DrawnMaterial material;
    material.colour = {0.1f, 0.1f, 0.1f, 1};
    material.roughness = roughness;
    const Pixels pixels =
        rendered(drawing_of(test::sphere({}, 1, 48), material), flat_camera(), options_of(80, 80));
    int most = 0;
    for (int y = 20; y < 60; ++y) {
      for (int x = 20; x < 60; ++x) most = std::max(most, brightness(pixels, x, y));
    }
    return most;
  };
  EXPECT_GT(brightest(0.3f), brightest(1.0f) + 100);
}

// ---- Colour ----

Pixels four_colours() {
  Pixels pixels = blank_pixels(64, 64, 255, 255, 255);
  const std::array<std::array<std::uint8_t, 3>, 4> colours{
      {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 0}}};
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      std::copy_n(colours[static_cast<std::size_t>(y / 32 * 2 + x / 32)].begin(), 3, pixels.at(x, y));
    }
  }
  return pixels;
}

std::shared_ptr<const std::vector<Pixels>> shared_picture(const Pixels& texture) {
  return std::make_shared<const std::vector<Pixels>>(1, texture);
}

DrawnMaterial textured() {
  DrawnMaterial material;
  material.colour = {1, 1, 1, 1};
  material.texture = 0;
  return material;
}

// Which of red, green and blue are strong.
std::array<bool, 3> strong(const Pixels& pixels, int x, int y) {
  const auto [red, green, blue] = colour_at(pixels, x, y);
  return {red > 130, green > 130, blue > 130};
}

TEST(Render, PutsTheTextureWhereItsCoordinatesSay) {
  Drawing drawing = drawing_of(square(), textured());
  drawing.textures = shared_picture(four_colours());
  const Pixels pixels = rendered(drawing, flat_camera(), options_of(100, 100));
  EXPECT_EQ(strong(pixels, 30, 30), (std::array{true, false, false}));
  EXPECT_EQ(strong(pixels, 70, 30), (std::array{false, true, false}));
  EXPECT_EQ(strong(pixels, 30, 70), (std::array{false, false, true}));
  EXPECT_EQ(strong(pixels, 70, 70), (std::array{true, true, false}));
}

TEST(Render, RepeatsTheTextureBeyondItsEdge) {
  Drawing drawing = drawing_of(square(), textured());
  drawing.textures = shared_picture(four_colours());
  for (Vec2& uv : drawing.meshes[0].uvs) uv = {uv.x * 2 - 3, uv.y * 2 + 5};
  const Pixels pixels = rendered(drawing, flat_camera(), options_of(200, 200));
  for (const auto& [x, y] : {std::pair{40, 40}, {120, 40}, {40, 120}, {120, 120}}) {
    EXPECT_EQ(strong(pixels, x, y), (std::array{true, false, false})) << x << ", " << y;
  }
}

TEST(Render, AveragesATextureFinerThanPixels) {
  Drawing drawing = drawing_of(square(), textured());
  Pixels checkers = blank_pixels(512, 512, 255, 255, 255);
  for (int y = 0; y < 512; ++y) {
    for (int x = y % 2; x < 512; x += 2) std::fill_n(checkers.at(x, y), 3, std::uint8_t{0});
  }
  drawing.textures = shared_picture(checkers);
  RenderOptions options = options_of(40, 40);
  options.samples = 4;
  const Pixels pixels = rendered(drawing, flat_camera(), options);
  for (int x = 8; x < 32; ++x) EXPECT_NEAR(brightness(pixels, x, 20), brightness(pixels, 20, 20), 12);
}

TEST(Render, MultipliesColoursOfPoints) {
  DrawnMesh mesh = square();
  mesh.colours.assign(4, {0, 1, 0, 1});
  DrawnMaterial material;
  material.colour = {1, 1, 1, 1};
  const Pixels pixels = rendered(drawing_of(mesh, material), flat_camera(), options_of(40, 40));
  EXPECT_EQ(strong(pixels, 20, 20), (std::array{false, true, false}));
}

TEST(Render, ShowsPaintedValuesInTheColoursOfTheScale) {
  Drawing drawing = drawing_of(square());
  drawing.meshes[0].source = {0, 1, 1, 0};
  const ColourScale scale{"x", 0, 1, true};
  paint(drawing, 0, scale, std::vector<float>{0, 1});
  const Pixels pixels = rendered(drawing, flat_camera(), options_of(80, 80));
  const auto [low_red, low_green, low_blue] = colour_at(pixels, 14, 40);
  const auto [high_red, high_green, high_blue] = colour_at(pixels, 66, 40);
  EXPECT_GT(low_blue, low_red + 60);
  EXPECT_GT(high_red, high_blue + 60);
}

// ---- Opacity ----

// A red square in front of a green one.
Drawing red_before_green(const DrawnMaterial& front) {
  Drawing drawing = drawing_of(square(0.1f), front);
  DrawnMesh behind = square(-0.1f);
  behind.material.assign(2, 1);
  drawing.meshes.push_back(behind);
  DrawnMaterial green;
  green.colour = {0, 0.6f, 0, 1};
  drawing.materials.push_back(green);
  return drawing;
}

TEST(Render, ShowsThroughAsMuchAsOpacityLeaves) {
  DrawnMaterial red;
  red.colour = {0.6f, 0, 0, 1};
  const auto seen = [&](float opacity, Alpha alpha) {
    red.colour.w = opacity;
    red.alpha = alpha;
    return colour_at(rendered(red_before_green(red), flat_camera(), options_of(40, 40)), 20, 20);
  };
  const auto opaque = seen(1, Alpha::blended), clear = seen(0, Alpha::blended),
             half = seen(0.5f, Alpha::blended);
  EXPECT_GT(opaque[0], opaque[1] + 80);
  EXPECT_GT(clear[1], clear[0] + 80);
  EXPECT_GT(half[0], clear[0] + 40);
  EXPECT_GT(half[1], opaque[1] + 40);
  EXPECT_EQ(seen(0.5f, Alpha::ignored), opaque);
  EXPECT_EQ(seen(0.6f, Alpha::cut), opaque);
  EXPECT_NEAR(seen(0.4f, Alpha::cut)[1], clear[1], 2);
}

TEST(Render, LetsNothingThatIsNotThereCastAShadow) {
  DrawnMaterial front;
  front.colour = {0.6f, 0, 0, 0};
  Drawing drawing = red_before_green(front);
  const auto behind = [&] { return colour_at(rendered(drawing, flat_camera(), options_of(40, 40)), 20, 20); };
  const auto seen = behind();
  drawing.meshes.erase(drawing.meshes.begin());
  const auto alone = behind();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(seen[k], alone[k], 2);
}

TEST(Render, CutsHolesWhereTheTextureHasThem) {
  Drawing drawing = drawing_of(square(), textured());
  drawing.materials[0].alpha = Alpha::cut;
  Pixels leaf = blank_pixels(32, 32, 30, 200, 30);
  for (int y = 0; y < 32; ++y) {
    for (int x = 16; x < 32; ++x) leaf.at(x, y)[3] = 0;
  }
  drawing.textures = shared_picture(leaf);
  RenderOptions options = options_of(80, 80);
  options.background = kMagenta;
  const Pixels pixels = rendered(drawing, flat_camera(), options);
  EXPECT_EQ(strong(pixels, 25, 40), (std::array{false, true, false}));
  EXPECT_EQ(colour_at(pixels, 55, 40), (std::array{255, 0, 255}));
}

// ---- Lines and bones ----

TEST(Render, DrawsEdgesOfPolygonsAndNotOfTriangles) {
  RenderOptions options = options_of(100, 100);
  const Drawing drawing = drawing_of(square());
  const Pixels plain = rendered(drawing, flat_camera(), options);
  options.has_wireframe = true;
  const Pixels wired = rendered(drawing, flat_camera(), options);
  // The square covers 10 to 90; its diagonal runs through the middle.
  EXPECT_LT(brightness(wired, 50, 10) + 100, brightness(plain, 50, 10));
  EXPECT_LT(brightness(wired, 10, 50) + 100, brightness(plain, 10, 50));
  EXPECT_EQ(brightness(wired, 50, 50), brightness(plain, 50, 50));
}

TEST(Render, HidesLinesBehindSurfaces) {
  RenderOptions options = options_of(100, 100);
  options.has_wireframe = true;
  Drawing drawing = drawing_of(square(0.2f));
  drawing.meshes[0].edges.clear();
  DrawnMesh behind = square(-0.2f);
  for (Vec3& p : behind.points) p = {p.x * 0.5f, p.y * 0.5f, p.z};
  behind.material.assign(2, 0);
  drawing.meshes.push_back(behind);
  const Pixels with_lines = rendered(drawing, flat_camera(), options);
  drawing.meshes[1].edges.clear();
  EXPECT_EQ(with_lines.rgba, rendered(drawing, flat_camera(), options).rgba);
}

TEST(Render, ShowsBonesThroughTheBody) {
  Drawing drawing = drawing_of(test::sphere({}, 1));
  const Pixels body = rendered(drawing, flat_camera(), options_of(100, 100));
  drawing.bones = {{{0, -0.6f, 0}, {0, 0.6f, 0}}};
  const Pixels with = rendered(drawing, flat_camera(), options_of(100, 100));
  EXPECT_NE(colour_at(with, 50, 68), colour_at(body, 50, 68));
  EXPECT_EQ(colour_at(with, 20, 50), colour_at(body, 20, 50));
  const std::size_t changed = test::count_different(with, body);
  EXPECT_GT(changed, 100u);
  EXPECT_LT(changed, 2000u);
}

// ---- Limits ----

TEST(Render, GivesTheSameBytesOnAnyThreadCount) {
  const Drawing drawing = walking_humanoid();
  const Camera camera = frame_points(points_of(drawing), {}, 1.5);
  const auto on = [&](int threads) {
    set_thread_count(threads);
    const Pixels pixels = rendered(drawing, camera, options_of(240, 160, true));
    set_thread_count(0);
    return pixels.rgba;
  };
  EXPECT_EQ(on(1), on(3));
}

TEST(Render, RefusesNothingToDrawAndSizesOutOfRange) {
  const Camera camera = flat_camera();
  EXPECT_EQ(render({}, camera).error().code, Errc::bad_argument);
  const Drawing drawing = drawing_of(square());
  for (const auto& [width, height] : {std::pair{0, 10}, {10, 0}, {16385, 10}, {10, -3}}) {
    EXPECT_EQ(render(drawing, camera, options_of(width, height)).error().code, Errc::bad_argument);
  }
  RenderOptions options = options_of(10, 10);
  options.samples = 0;
  EXPECT_EQ(render(drawing, camera, options).error().code, Errc::bad_argument);
  Camera nowhere = camera;
  nowhere.eye.x = NAN;
  EXPECT_EQ(render(drawing, nowhere, options_of(10, 10)).error().code, Errc::bad_argument);
  Drawing broken = drawing;
  broken.meshes[0].triangles[0][0] = 99;
  EXPECT_EQ(render(broken, camera, options_of(10, 10)).error().code, Errc::bad_argument);
}

TEST(Render, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const Result<Pixels> pixels =
      render(drawing_of(square()), flat_camera(), options_of(64, 64), Progress({}, &stop));
  ASSERT_FALSE(pixels);
  EXPECT_EQ(pixels.error().code, Errc::cancelled);
}

TEST(Render, DrawsWhatIsLeftOfBrokenMeshes) {
  DrawnMesh mesh = square();
  mesh.points.push_back({NAN, 0, 0});
  mesh.points.push_back({0.5f, 0.5f, 0});
  mesh.uvs.resize(6);
  mesh.normals = {{0, 0, 1}, {NAN, 0, 0}, {0, 0, 0}, {0, 0, -1}, {}, {}};
  mesh.triangles.push_back({0, 1, 4});
  mesh.triangles.push_back({0, 2, 5});
  mesh.triangles.push_back({1, 1, 1});
  const Pixels pixels = rendered(drawing_of(mesh), flat_camera(), options_of(40, 40, true));
  EXPECT_NE(colour_at(pixels, 20, 25), (std::array{238, 240, 243}));
  EXPECT_EQ(colour_at(pixels, 1, 1), (std::array{238, 240, 243}));
}

TEST(Render, SurvivesDrawingsWithoutASize) {
  DrawnMesh point;
  point.points = {{1, 2, 3}};
  point.triangles = {{0, 0, 0}};
  const Drawing drawing = drawing_of(point);
  const Camera camera = frame_points(points_of(drawing), {}, 1);
  rendered(drawing, camera, options_of(20, 20, true));
  Drawing joint;
  joint.bones = {{{5, 5, 5}, {5, 5, 5}}};
  const Pixels pixels = rendered(joint, frame_points(points_of(joint), {}, 1), options_of(60, 60, true));
  EXPECT_NE(colour_at(pixels, 30, 30), (std::array{238, 240, 243}));
}

TEST(Render, LooksFromInsideADrawing) {
  const Drawing drawing = drawing_of(test::sphere({}, 1));
  Camera camera;
  camera.eye = {0, 0, 0};
  camera.target = {0, 0, -1};
  const Pixels pixels = rendered(drawing, camera, options_of(20, 20));
  for (int x = 0; x < 20; ++x) EXPECT_NE(colour_at(pixels, x, 10), (std::array{238, 240, 243}));
}

}  // namespace
}  // namespace dermis
