// SPDX-License-Identifier: MIT
// Seeded faults: every kind of damage on many characters is found, and good files raise no alarm.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "dermis/made.h"
#include "dermis/ops.h"
#include "ops/damages.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::GlbParts;
using test::Random;
using test::TemporaryFolder;
namespace fs = std::filesystem;

// One kind of damage. `in_memory` changes the character, `in_file` the written .glb; both return false if the
// kind does not apply to it.
struct Damage {
  const char* name;
  std::function<bool(Character&, Random&)> in_memory;
  std::function<bool(GlbParts&, Random&)> in_file;
};
Damage memory(const char* name, std::function<bool(Character&, Random&)> change) {
  return {name, std::move(change), {}};
}
Damage file(const char* name, std::function<bool(GlbParts&, Random&)> change) {
  return {name, {}, std::move(change)};
}

// What a picture shows, or what other programs refuse to load.
std::vector<Damage> visible_damages() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {
      memory("one point follows the farthest joint",
             [](Character& c, Random& r) { return test::one_point_far(c, r, 1); }),
      memory("one point follows the farthest joint by half",
             [](Character& c, Random& r) { return test::one_point_far(c, r, 0.5f); }),
      memory("one point follows the farthest joint by a fifth",
             [](Character& c, Random& r) { return test::one_point_far(c, r, 0.2f); }),
      memory("a patch follows the farthest joint", test::patch_far),
      memory("1 % of the points follow any joint", test::random_joints),
      memory("5 % of the points have each other's weights", test::shuffle_rows),
      memory("hands or feet swapped", [](Character& c, Random&) { return test::swap_sides(c, 0); }),
      memory("arms or legs swapped", [](Character& c, Random&) { return test::swap_sides(c, 2); }),
      memory("a hand or foot follows the other side by half",
             [](Character& c, Random& r) { return test::follow_other_side(c, r, 0.5f, false); }),
      memory("one point follows the other side",
             [](Character& c, Random& r) { return test::follow_other_side(c, r, 1, true); }),
      memory("weights belong to other points", [](Character& c, Random&) { return test::shift_rows(c); }),
      memory("joint numbers off by one", [](Character& c, Random&) { return test::shift_joints(c); }),
      memory("joints of the skin reversed", [](Character& c, Random&) { return test::reverse_joints(c); }),
      memory("everything on one joint", [](Character& c, Random&) { return test::all_on_one_joint(c); }),
      memory("weights torn at seams", [](Character& c, Random&) { return test::open_seams(c); }),
      memory("bind of one joint moved",
             [](Character& c, Random&) {
               return test::change_bind(c, [](Affine& bind, double size) {
                 bind.translation.x += static_cast<float>(0.3 * size);
               });
             }),
      memory("bind of one joint 100 times too large",
             [](Character& c, Random&) {
               return test::change_bind(c, [](Affine& bind, double) {
                 bind = Affine(Affined{diagonal(Vec3d{100, 100, 100}), {}} * Affined(bind));
               });
             }),
      memory("binds left out", [](Character& c, Random&) { return test::identity_binds(c); }),
      memory("skeleton beside the body", [](Character& c, Random&) { return test::skeleton_beside(c); }),
      memory("mesh without its skin", [](Character& c, Random&) { return test::without_skin(c); }),
      memory("a joint scaled to nothing", [](Character& c, Random&) { return test::flatten_joint(c); }),
      memory("normals inverted", [](Character& c, Random&) { return test::invert_normals(c); }),
      memory("surface inside out", [](Character& c, Random&) { return test::turn_inside_out(c); }),
      memory("a clip jumps", [](Character& c, Random&) { return test::jump_in_clip(c); }),
      file("one point without weight", [](GlbParts& g, Random&) { return test::empty_weights(g, 1 << 30); }),
      file("1 % of the points without weight",
           [](GlbParts& g, Random&) { return test::empty_weights(g, 100); }),
      file("weights that sum to a half", [](GlbParts& g, Random&) { return test::scale_weights(g, 0.5f); }),
      file("a weight that is not a number",
           [](GlbParts& g, Random&) { return test::set_first(g, "WEIGHTS_0", kNan); }),
      file("a negative weight", [](GlbParts& g, Random&) { return test::set_first(g, "WEIGHTS_0", -0.5f); }),
      file("joints without weights",
           [](GlbParts& g, Random&) { return test::drop_attribute(g, "WEIGHTS_0"); }),
      file("a position that is not a number",
           [](GlbParts& g, Random&) { return test::set_first(g, "POSITION", kNan); }),
      file("normals without direction",
           [](GlbParts& g, Random&) {
             return test::change_attribute(g, "NORMAL", [](std::span<float> n) {
               std::fill(n.begin(), n.end(), 0.0f);
               return true;
             });
           }),
      file("keys that run backwards",
           [](GlbParts& g, Random&) {
             return test::change_times(g, [](std::span<float> times) {
               std::reverse(times.begin() + 1, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
               return true;
             });
           }),
      file("stride on inverse binds", [](GlbParts& g, Random&) { return test::stride_binds(g); }),
      file("positions at an odd byte", [](GlbParts& g, Random&) { return test::misalign_positions(g); }),
  };
}

// What loading mends, and no picture shows.
std::vector<Damage> invisible_damages() {
  return {
      file("weights that sum to 0.98", [](GlbParts& g, Random&) { return test::scale_weights(g, 0.98f); }),
      file("a repeated key",
           [](GlbParts& g, Random&) {
             return test::change_times(g, [](std::span<float> times) { return times[2] = times[1], true; });
           }),
      file("normals of length 0.9",
           [](GlbParts& g, Random&) {
             return test::change_attribute(g, "NORMAL", [](std::span<float> n) {
               for (float& x : n) x *= 0.9f;
               return true;
             });
           }),
      memory("two joints of one name",
             [](Character& c, Random&) {
               return c.nodes.size() > 2 && (c.nodes[2].name = c.nodes[1].name, true);
             }),
      memory("a point of no polygon",
             [](Character& c, Random&) {
               Mesh& mesh = c.meshes[0];
               if (mesh.points.empty() || !mesh.shapes.empty() || !mesh.uvs.empty() ||
                   !mesh.colours.empty() || !mesh.tangents.empty())
                 return false;
               return false;
             }),
  };
}

struct Outcome {
  bool was_applied = false;
  bool is_found = false;
  std::string ids;  // of the errors
};

std::string error_ids(const CheckReport& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::error) ids.insert(finding.id);
  }
  return fmt::format("{}", fmt::join(ids, " "));
}

Outcome examined(const Result<CheckReport>& report) {
  if (!report) return {true, true, "refused"};
  return {true, report->error_count > 0, error_ids(*report)};
}

Outcome inflict(const Damage& damage, const Character& healthy, const TemporaryFolder& folder) {
  Random random(1);
  Character character = healthy;
  if (damage.in_memory) {
    if (!damage.in_memory(character, random)) return {};
    return examined(check(Asset{std::move(character), {}, nullptr}, CheckRequest{}));
  }
  const std::string path = folder.file("damaged.glb");
  SaveOptions options;
  options.weights = WeightFormat::float32;
  options.overwrite_side_files = true;
  EXPECT_TRUE(save(path, Asset{character, {}, nullptr}, options));
  GlbParts glb = test::split_glb(test::read_text(path));
  if (!damage.in_file(glb, random)) return {};
  test::write_text(path, test::joined_glb(std::move(glb)));
  CheckJob job;
  job.input = path;
  return examined(check(job));
}

TEST(SeededFaults, Dump) {
  const TemporaryFolder folder;
  std::vector<std::pair<std::string, Character>> characters;
  const char* stated = std::getenv("FAULT_FILES");
  if (stated != nullptr) {
    std::istringstream words(stated);
    for (std::string path; words >> path;) {
      Result<Asset> asset = load(path);
      if (asset) characters.emplace_back(fs::path(path).stem().string(), std::move(asset->character));
    }
  } else {
    for (const MadeRow& row : made_kinds())
      characters.emplace_back(row.name, *make_character(row.kind, {2000}));
  }
  for (const auto& [name, character] : characters) {
    for (const bool is_visible : {true, false}) {
      for (const Damage& damage : is_visible ? visible_damages() : invisible_damages()) {
        const Outcome outcome = inflict(damage, character, folder);
        if (outcome.was_applied)
          std::cout << fmt::format("{}\t{}\t{}\t{}\t{}\n", is_visible ? "V" : "I",
                                   outcome.is_found ? "found" : "MISS", name, damage.name, outcome.ids);
      }
    }
  }
}

}  // namespace
}  // namespace dermis
