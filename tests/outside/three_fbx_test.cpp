// SPDX-License-Identifier: MIT
// Every FBX at hand, at rest and at several times of each clip, against three.js's own FBX loader.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "dermis/deform.h"
#include "dermis/geometry.h"
#include "dermis/io.h"
#include "dermis/motion.h"
#include "judges/judges.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;

// Of the diagonal of the scene.
constexpr double kTolerance = 1e-4;

// Files that the two show differently, and which of them is right; docs/verification.md has the distances.
struct Disagreement {
  std::string_view file, reason;
};
constexpr Disagreement kDisagreements[] = {
    {"animation_with_skeleton.fbx", "three.js cuts its six influences per point to four"},
    {"cubes_with_outofrange_float.fbx", "a number is beyond what a float holds"},
    {"maya_blend_inbetween_7500_binary.fbx", "assimp does not tell the places of in-betweens"},
    {"maya_dq_weights_7500_binary.fbx", "the same at rest; curves between keys are read as straight lines"},
    {"Decomposition_05.fbx", "the same at rest; three.js counts the empty take as clip 0"},
    {"Decomposition_10.fbx", "the same at rest; three.js counts the empty take as clip 0"},
    {"Decomposition_20.fbx", "the same at rest; three.js counts the empty take as clip 0"},
};

std::string_view disagreement_on(const fs::path& file) {
  for (const Disagreement& known : kDisagreements) {
    if (file.filename() == known.file) return known.reason;
  }
  return {};
}

// Points of all meshes in world space.
std::vector<Vec3> posed(const Character& character, const judges::ThreeRequest& request) {
  const Result<PoseFrame> frame = pose_frame(character, {request.clip, request.time, nullptr});
  if (!frame) return {};
  const Result<Character> still = deform_character(character, *frame, {});
  std::vector<Vec3> points;
  for (std::size_t m = 0; still && m < still->meshes.size(); ++m)
    points.insert(points.end(), still->meshes[m].points.begin(), still->meshes[m].points.end());
  return points;
}

// Rest, and five times of each clip.
std::vector<judges::ThreeRequest> times_of(const Character& character) {
  std::vector<judges::ThreeRequest> requests{{-1, 0}};
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    for (const double part : {0.0, 0.23, 0.5, 0.77, 1.0}) {
      const double start = character.clips[c].start(), end = character.clips[c].end();
      requests.push_back({static_cast<int>(c), start + part * (end - start)});
    }
  }
  return requests;
}

// From each point to the nearest of the others, both ways: three.js splits points that dermis joins.
double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? 0 : INFINITY;
  double worst = 0;
  for (const auto& [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const std::vector<Nearest> nearest = nearest_points(*from, *to);
    for (const Nearest& found : nearest) worst = std::max(worst, static_cast<double>(found.distance));
  }
  return worst;
}

struct FbxJudgement {
  double rest = 0, clips = 0;
  std::size_t poses = 0;
};

std::optional<FbxJudgement> judge_fbx(const fs::path& file) {
  const Result<Asset> asset = load(file.string());
  if (!asset || asset->character.meshes.empty()) return std::nullopt;  // import_outcome_test says which
  const std::vector<judges::ThreeRequest> requests = times_of(asset->character);
  const Result<judges::ThreeAnswer> three = judges::three_pose(file.string(), requests);
  if (!three) {
    std::printf("%-44s three.js: %s", file.filename().c_str(), three.error().sentence.c_str());
    return std::nullopt;
  }
  FbxJudgement found;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const std::vector<Vec3> ours = posed(asset->character, requests[r]);
    std::vector<Vec3> theirs;
    Box box;
    for (const Vec3d& point : three->points[r]) {
      theirs.push_back(Vec3(point));
      box.add(point);
    }
    const double worst = distance(ours, theirs) / box.diagonal();
    double& kept = requests[r].clip < 0 ? found.rest : found.clips;
    kept = std::max(kept, worst);
    ++found.poses;
  }
  std::printf("%-44s %3zu poses, rest %.2g, clips %.2g%s\n", file.filename().c_str(), found.poses, found.rest,
              found.clips, three->beyond_four.empty() ? "" : " (three.js cuts its weights to four)");
  return found;
}

TEST(ThreeJsOnFbx, PosesEveryFileLikeDermisOrForAKnownReasonOtherwise) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  std::vector<fs::path> files;
  for (const fs::path& folder : {test::assimp_folder() / "FBX", test::data_folder() / "fbx-oracle",
                                 test::data_folder() / "sequences"}) {
    const std::vector<fs::path> some = test::files_below(folder, {".fbx"});
    files.insert(files.end(), some.begin(), some.end());
  }
  if (files.empty()) GTEST_SKIP() << "no FBX is at hand";
  std::size_t judged = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const std::optional<FbxJudgement> found = judge_fbx(file);
    if (!found) continue;
    ++judged;
    const double worst = std::max(found->rest, found->clips);
    if (const std::string_view reason = disagreement_on(file); reason.empty()) {
      EXPECT_LE(worst, kTolerance);
    } else {
      EXPECT_GT(worst, kTolerance) << "they agree now: take the file off the list";
    }
  }
  EXPECT_GE(2 * judged, files.size()) << "most files were not compared at all";
}

}  // namespace
}  // namespace dermis
