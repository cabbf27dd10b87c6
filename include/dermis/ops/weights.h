// SPDX-License-Identifier: MIT
// Changes, moves and compares weights: the operations of the verb weights.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dermis/base.h"
#include "dermis/bind.h"
#include "dermis/io.h"
#include "dermis/measure.h"
#include "dermis/model.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/ops/shells.h"

namespace dermis {

// Parts of space, in the units of the file, in the world, with the character at rest.
struct BoxRegion {
  Vec3d lower, upper;  // opposite corners, in any order
};
struct SphereRegion {
  Vec3d centre;
  double radius = 0;  // at least zero
};
// What can be reached along edges of the mesh from its point nearest to `start`; of several meshes, the one
// that has the nearest.
struct GeodesicRegion {
  Vec3d start;
  double distance = 0;  // at least zero
};
using WeightsRegion = std::variant<BoxRegion, SphereRegion, GeodesicRegion>;

// Which points may change; all others keep their rows to the last bit. A point is selected if it fits one
// entry of each list that is not empty.
struct WeightsSelection {
  std::vector<std::string> meshes;  // names, or numbers as "#2"; empty: all skinned meshes of the scene
  std::vector<std::string> joints;  // points that follow one of these, however little
  std::vector<ShellChoice> shells;
  std::vector<WeightsRegion> regions;
};

// What the operations on weights share. Subdividing, renaming, exporting and comparing work on whole meshes.
struct WeightsRequest : WeightsSelection {
  std::vector<std::string> locked;  // joints that keep their weights to the last bit
  // Afterwards, shells that are selected whole follow one joint each (rigid_shells). Needs a selection.
  bool makes_rigid = false;
};
// Joints by label: the first becomes the second.
using JointMap = std::vector<std::pair<std::string, std::string>>;

// Weights from elsewhere, by the names of meshes and joints.
struct ForeignWeights {
  struct Mesh {
    WeightTable table;
    std::vector<Vec3d>
        places{};  // of the joints in the bind pose if their names cannot be matched; else empty
  };
  std::vector<Mesh> meshes;
  std::string name;  // for messages: the path they were loaded from
  Notes notes;       // from loading them
};
// The weights of all skinned meshes of an asset's scene.
Result<ForeignWeights> weights_of(const Asset& asset);
// From .csv, .json or any character.
Result<ForeignWeights> load_foreign_weights(const std::string& path, const FileRun& run = {});

struct WeightsReport : FileReport {
  static constexpr const char* kVerb = "weights";
  struct Mesh {
    Index index = kNone;
    std::string name;
    std::size_t point_count = 0;
    std::size_t changed_point_count = 0;
    std::optional<std::size_t> selected_point_count;  // if not all are
    std::optional<std::size_t> rigid_shell_count;     // made rigid
    double max_change = 0, mean_change = 0;           // of row_distance, over all points
    Index worst_point = kNone;
    std::size_t longest_before = 0, longest_after = 0;  // most influences per point
    std::optional<LimitedWeights> limited;              // without its rows
    std::optional<MirroredWeights> mirrored;            // likewise
    std::optional<TransferredWeights> transferred;      // likewise
    std::optional<std::size_t> polygon_count;           // of a subdivided mesh
  };
  // How much weight a joint gained (negative: lost), summed over the points, and how much changed in total.
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
  std::vector<Mesh> meshes;
  std::vector<Joint> joints;  // those whose weights differ, most moved first
  std::vector<Point> worst;   // of a diff: the points that differ most
  // Of a diff: how far apart the points are in motion; none if the other names joints that do not exist here.
  std::optional<SkinDistance> motion;
  std::size_t renamed_count = 0;
  std::size_t mended_count = 0;  // repairs of weights while loading
  double seconds = 0;            // of the operation itself
};

void describe(ReportFields& fields, const WeightsReport& report);

// ---- In memory -----------------------------------------------------------------------------------------

// Only reports: weights are normalised as they are read.
Result<WeightsReport> normalize_weights(Asset& asset, const WeightsRequest& request, const Run& run = {});
Result<WeightsReport> limit_weights(Asset& asset, const WeightsRequest& request, int max_influences,
                                    const Run& run = {});
// Changes nothing else: shells that are selected whole follow one joint each, whatever makes_rigid says.
Result<WeightsReport> rigid_weights(Asset& asset, const WeightsRequest& request, const Run& run = {});
Result<WeightsReport> prune_weights(Asset& asset, const WeightsRequest& request, double threshold,
                                    const Run& run = {});
// The locks and points of these options come from the request.
Result<WeightsReport> smooth_weights(Asset& asset, const WeightsRequest& request,
                                     const SmoothOptions& options, const Run& run = {});
Result<WeightsReport> mirror_weights(Asset& asset, const WeightsRequest& request, MirrorDirection direction,
                                     const Run& run = {});
// A transfer in which more than this share of the points lies on islands without a match is doubted: the
// source is probably elsewhere, in another pose or another unit.
inline constexpr double kDoubtedUnmatched = 0.5;
// `source` may be the asset itself: then the meshes that take weights give none. `source_meshes` are its
// meshes to use, by name; empty: all skinned ones.
Result<WeightsReport> transfer_weights(Asset& asset, const WeightsRequest& request, const Asset& source,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options, const Run& run = {});
Result<WeightsReport> subdivide_weights(Asset& asset, const WeightsRequest& request,
                                        const SubdivideOptions& options, const Run& run = {});
// Moves weights from joint to joint; both must be in the skin of a mesh that has weight on the first.
Result<WeightsReport> remap_weights(Asset& asset, const WeightsRequest& request, const JointMap& map,
                                    const Run& run = {});
Result<WeightsReport> rename_joints(Asset& asset, const WeightsRequest& request, const JointMap& map,
                                    const Run& run = {});
// Blends with weights of the same points; joints are matched by name.
Result<WeightsReport> blend_weights(Asset& asset, const WeightsRequest& request, const ForeignWeights& other,
                                    double factor, const Run& run = {});
Result<WeightsReport> diff_weights(const Asset& asset, const WeightsRequest& request,
                                   const ForeignWeights& other, const Run& run = {});
// `tables` get the weights of the requested meshes.
Result<WeightsReport> export_weights(const Asset& asset, const WeightsRequest& request,
                                     std::vector<WeightTable>& tables, const Run& run = {});

// ---- From file to file ---------------------------------------------------------------------------------

// Outputs are .glb or .gltf; for exports .csv, .json or .out. Weights repaired while loading are written,
// whatever SaveOptions specify.
struct WeightsJob : FileJob, WeightsRequest {};
Result<WeightsReport> normalize_weights(const WeightsJob& job);
Result<WeightsReport> limit_weights(const WeightsJob& job, int max_influences);
Result<WeightsReport> rigid_weights(const WeightsJob& job);
Result<WeightsReport> prune_weights(const WeightsJob& job, double threshold);
Result<WeightsReport> smooth_weights(const WeightsJob& job, const SmoothOptions& options);
Result<WeightsReport> mirror_weights(const WeightsJob& job, MirrorDirection direction);
Result<WeightsReport> transfer_weights(const WeightsJob& job, const std::string& source,
                                       const std::vector<std::string>& source_meshes,
                                       const TransferOptions& options);
Result<WeightsReport> subdivide_weights(const WeightsJob& job, const SubdivideOptions& options);
// `operation` is its name in the report: remap or merge.
Result<WeightsReport> remap_weights(const WeightsJob& job, const JointMap& map, const char* operation);
Result<WeightsReport> rename_joints(const WeightsJob& job, const JointMap& map);
Result<WeightsReport> blend_weights(const WeightsJob& job, const std::string& other, double factor);
Result<WeightsReport> export_weights(const WeightsJob& job);
Result<WeightsReport> import_weights(const WeightsJob& job, const std::string& table);
Result<WeightsReport> diff_weights(const WeightsJob& job, const std::string& other);
// One "A=B" or "A,B" per line; blank lines and lines that start with # are ignored.
Result<JointMap> load_joint_map(const std::string& path);

}  // namespace dermis
