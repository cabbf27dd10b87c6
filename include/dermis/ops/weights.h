// SPDX-License-Identifier: MIT
// Weights changed, moved and compared: the operations of the verb weights.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/ops/run.h"

namespace dermis {

// What the operations on weights share. Unless meshes are named, all skinned meshes of the scene are meant.
struct WeightsJob {
  std::string input;
  std::string output;               // .glb or .gltf; of exports .csv, .json or .out
  std::vector<std::string> meshes;  // names, or numbers as "#2"
  std::vector<std::string> locked;  // joints that keep their weights to the last bit
  SaveOptions save;                 // weights that loading mended are written, whatever it says
  RunOptions run;
};
// Joints by label: what stands first becomes what stands second.
using JointMap = std::vector<std::pair<std::string, std::string>>;

struct WeightsReport {
  struct Mesh {
    Index index = kNone;
    std::string name;
    std::size_t point_count = 0;
    std::size_t changed_point_count = 0;
    double max_change = 0, mean_change = 0;  // of row_distance, over all points
    Index worst_point = kNone;
    std::size_t longest_before = 0, longest_after = 0;  // influences of a point
    std::optional<LimitedWeights> limited;              // without its rows
    std::optional<MirroredWeights> mirrored;            // likewise
    std::optional<TransferredWeights> transferred;      // likewise
    std::optional<std::size_t> polygon_count;           // of a subdivided mesh
  };
  // How much weight a joint has more or less, summed over the points, and how much moved at all.
  struct Joint {
    std::string label;
    double gained = 0, moved = 0;
  };
  struct Point {
    Index mesh = kNone, point = kNone;
    double distance = 0;
    std::string joint;  // whose weight differs most
    double before = 0, after = 0;
  };
  std::string operation;            // "limit"
  std::vector<std::string> inputs;  // the character first
  std::string output;               // empty: nothing was written
  std::vector<Mesh> meshes;
  std::vector<Joint> joints;  // those whose weights differ, most moved first
  std::vector<Point> worst;   // of a diff: the points that differ most
  // Of a diff: how far the points are apart in motion; none where the other names joints that are not there.
  std::optional<SkinDistance> motion;
  std::size_t renamed_count = 0;
  std::size_t mended_count = 0;  // repairs of weights on loading
  double seconds = 0;            // of the operation itself
  Notes notes;
};

// Writes the weights as loading mended them.
Result<WeightsReport> normalize_weights(const WeightsJob& job);
Result<WeightsReport> limit_weights(const WeightsJob& job, int max_influences);
Result<WeightsReport> prune_weights(const WeightsJob& job, double threshold);
// The locks of these options come from the job.
Result<WeightsReport> smooth_weights(const WeightsJob& job, const SmoothOptions& options);
Result<WeightsReport> mirror_weights(const WeightsJob& job, MirrorDirection direction);
// The job's input is the target. `source_meshes` of the source, by name; none: all skinned ones.
Result<WeightsReport> transfer_weights(const WeightsJob& job, const std::string& source,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options);
Result<WeightsReport> subdivide_weights(const WeightsJob& job, const SubdivideOptions& options);
// Weights go from joint to joint; both must be in the skin of a mesh that has weight on the first.
Result<WeightsReport> remap_weights(const WeightsJob& job, const JointMap& map, const char* operation);
Result<WeightsReport> rename_joints(const WeightsJob& job, const JointMap& map);
// With another character or table of the same points, joints matched by name.
Result<WeightsReport> blend_weights(const WeightsJob& job, const std::string& other, double factor);
Result<WeightsReport> export_weights(const WeightsJob& job);
Result<WeightsReport> import_weights(const WeightsJob& job, const std::string& table);
Result<WeightsReport> diff_weights(const WeightsJob& job, const std::string& other);
// "A=B" a line, or "A,B"; blank lines and lines that start with # do not count.
Result<JointMap> load_joint_map(const std::string& path);

}  // namespace dermis
