// SPDX-License-Identifier: MIT
// Adds, changes, mixes and carries blend shapes: the operations of the verb shapes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dermis/base.h"
#include "dermis/deform.h"
#include "dermis/io.h"
#include "dermis/io/tables.h"
#include "dermis/model.h"
#include "dermis/ops/files.h"
#include "dermis/ops/report.h"
#include "dermis/ops/run.h"
#include "dermis/shapes.h"

namespace dermis {

// What the operations share. Shapes of one name on several meshes (a face and its teeth) are one shape to the
// user: an operation changes it on all of them.
struct ShapesRequest {
  std::vector<std::string> meshes;  // names, or numbers as "#2"; empty: all
};

struct ShapesReport : FileReport {
  static constexpr const char* kVerb = "shapes";
  struct Shape {
    Index mesh = kNone, index = kNone;
    std::string mesh_name, name;
    std::size_t point_count = 0;          // that it moves
    double largest = 0;                   // offset, as a fraction of the mesh's diagonal
    bool has_normals = false;             // stores how normals change
    double rest = 0;                      // its weight at rest, where the mesh is shown first
    bool is_animated = false;             // a clip changes its weight
    std::string change;                   // "added", "replaced", "renamed", "changed"; empty: as before
    std::optional<double> low, high;      // limits of its weight
    std::vector<InBetween> in_betweens;   // other targets along its weight
    std::string in_between_of;            // the shape along whose weight it lies; empty: none
    std::vector<std::string> product_of;  // the shapes whose weights multiply to its own; empty: it is free
  };
  std::string operation;            // "add"
  std::vector<std::string> inputs;  // the character first
  std::vector<Shape> shapes;        // of the result
  std::string matrix;               // the matrix that was read or written; empty: none
  std::string form;                 // its form: "whole" or "displacement"
  std::size_t matrix_rows = 0, matrix_columns = 0;
  std::size_t added_count = 0, changed_count = 0, removed_count = 0;
  // The correctives of pose spaces, for `correct` and `poses`.
  struct Corrective {
    std::string space, shape, kernel;
    std::vector<std::string> joints;  // labels
    double angle = 0;                 // how far its pose is from rest, in the measure of the space, radians
    double radius = 0;                // radians; 0: automatic
    double strength = 1;
    double weight = 0;  // at the pose
    // How far the other examples of the space miss its shape at its pose: the farthest point, as a fraction
    // of the diagonal of its mesh.
    double left_out = 0;
  };
  std::vector<Corrective> correctives;
  // How well a sculpt was pulled back; distances are fractions of the diagonal.
  struct Pulled {
    Index mesh = kNone;
    std::string mesh_name, method;
    std::size_t point_count = 0;  // that the corrective moves
    double largest = 0;           // of its offsets
    double median_miss = 0, largest_miss = 0;
    Index worst_point = kNone;
    std::size_t damped_count = 0;
    int round_count = 0;
  };
  std::vector<Pulled> pulled;
  // Of a transfer: how far the median and the farthest point are from the aligned source, as fractions of the
  // diagonal.
  std::optional<double> distance, farthest;
  double seconds = 0;  // of the operation itself
};
void describe(ReportFields& fields, const ShapesReport& report);

// A sculpt is doubted from these on, because it is probably in another unit, pose or place: its size as a
// multiple of the mesh's (or the other way round), and the distance of its median point from rest as a
// fraction of the diagonal. A transfer is doubted if the median point is further than the last from the
// aligned source.
inline constexpr double kDoubtedSculptSize = 1.5, kDoubtedSculptDistance = 0.05,
                        kDoubtedTransferDistance = 0.02;

// ---- In memory -----------------------------------------------------------------------------------------

// Changes nothing.
Result<ShapesReport> list_shapes(const Asset& asset, const ShapesRequest& request, const Run& run = {});

// A mesh sculpted to be a shape.
struct NamedSculpt {
  std::string name;
  const Asset* sculpt = nullptr;
};
// Each sculpt becomes a shape of the mesh whose topology it has, or, if it holds the whole scene (as `deform`
// writes it), of every mesh that it moves. A shape of that name is replaced.
Result<ShapesReport> add_shapes(Asset& asset, const ShapesRequest& request,
                                const std::vector<NamedSculpt>& sculpts, const SculptOptions& options = {},
                                const Run& run = {});
// Shapes by name or pattern (see shapes_named).
Result<ShapesReport> remove_shapes(Asset& asset, const ShapesRequest& request,
                                   const std::vector<std::string>& patterns, const Run& run = {});
using ShapeNames = std::vector<std::pair<std::string, std::string>>;  // the first becomes the second
Result<ShapesReport> rename_shapes(Asset& asset, const ShapesRequest& request, const ShapeNames& names,
                                   const Run& run = {});
// Each shape becomes its left and its right half, which replace it. `falloff` is a fraction of the mesh's
// width; see split_shape.
Result<ShapesReport> split_shapes(Asset& asset, const ShapesRequest& request,
                                  const std::vector<std::string>& patterns, double falloff,
                                  const Run& run = {});
// Adds the mirror image of each shape, under the name of the other side.
Result<ShapesReport> mirror_shapes(Asset& asset, const ShapesRequest& request,
                                   const std::vector<std::string>& patterns, const Run& run = {});
// A mix of weighted shapes as a new shape called `into`; if `into` is empty, as the rest pose.
Result<ShapesReport> bake_shapes(Asset& asset, const ShapesRequest& request,
                                 const std::vector<NamedValue>& weights, const std::string& into,
                                 const Run& run = {});
// Leaves out offsets below `tolerance`, a fraction of the mesh's diagonal.
Result<ShapesReport> clean_shapes(Asset& asset, const ShapesRequest& request,
                                  const std::vector<std::string>& patterns, double tolerance,
                                  const Run& run = {});
// The shapes of the source's meshes, by name or pattern (none: all), on the meshes of the asset: on one of
// the same topology as they are, unless `deforms`, and by deformation transfer on others.
struct TransferShapesRequest {
  std::vector<std::string> patterns, source_meshes;
  bool deforms = false;
  ShapeTransferOptions options;
};
Result<ShapesReport> transfer_shapes(Asset& asset, const ShapesRequest& request, const Asset& source,
                                     const TransferShapesRequest& how, const Run& run = {});

// A corrective: what the surface lacks in a pose.
struct CorrectiveRequest {
  ChosenPose pose;
  std::string name;                 // of its shape; empty: that of the sculpt's file
  std::vector<std::string> joints;  // labels; empty: those that the pose turns, or those of its space
  std::string space;                // empty: the one of these joints, or a new one
  DeformOptions deform;             // the stack that it is sculpted for
  double radius = 0;                // radians; 0: automatic
  double strength = 1;
  // Of the space and all its examples; unset: as they are, or the defaults.
  std::optional<PoseKernel> kernel;
  std::optional<PoseDistance> distance;  // of its joints
  std::optional<Vec3> axis;              // of these distances; unit
  std::optional<bool> is_per_point, is_normalised;
  double tolerance = SculptOptions{}.tolerance;
  bool adds_mirror_image = false;  // also on the other side, under its name
};
// A posed sculpt, in world space, becomes the corrective of its pose: pulled back through the stack, on every
// mesh that it moves. One of that name is replaced.
Result<ShapesReport> correct_shape(Asset& asset, const ShapesRequest& request, const Asset& sculpt,
                                   const CorrectiveRequest& how, const Run& run = {});
// The correctives, with their weights at a pose. Changes nothing.
Result<ShapesReport> list_correctives(const Asset& asset, const ShapesRequest& request,
                                      const ChosenPose& pose, const Run& run = {});
Result<PoseKernel> parse_pose_kernel(std::string_view name);
Result<PoseDistance> parse_pose_distance(std::string_view name);
const char* name_of(PoseKernel kernel);
const char* name_of(PoseDistance distance);
// Limits, in-betweens and combinations of shapes.
struct SetShapesRequest {
  std::vector<std::string> patterns;    // of shapes that get limits and in-betweens, or lose them
  std::optional<float> low, high;       // limits of their weights
  std::vector<NamedValue> in_betweens;  // shapes, and the weights at which each is shown alone
  // Shapes whose weight is the product of others' weights.
  struct Combination {
    std::string shape;
    std::vector<std::string> factors;
  };
  std::vector<Combination> combinations;
  bool clears = false;  // first removes what the shapes have of these
};
Result<ShapesReport> set_shapes(Asset& asset, const ShapesRequest& request, const SetShapesRequest& what,
                                const Run& run = {});

// The shapes of one mesh as a matrix; see ShapeMatrix. The chosen meshes must have shapes on one mesh only.
struct ShapeMatrixReport {
  ShapeMatrix matrix;
  ShapesReport report;
};
Result<ShapeMatrixReport> export_shapes(const Asset& asset, const ShapesRequest& request,
                                        const std::vector<std::string>& patterns, ShapeForm form,
                                        const Run& run = {});
// Adds the columns of a matrix as shapes of a mesh, or replaces those of their names.
Result<ShapesReport> import_shapes(Asset& asset, const ShapesRequest& request, const ShapeMatrix& matrix,
                                   const SculptOptions& options = {}, const Run& run = {});
// A table as a matrix of shapes: three rows for each point; columns without names are shape_1, shape_2, ...
// Without a form it has whole shapes if its first column is called neutral. An Error if its rows are not
// three for each point.
Result<ShapeMatrix> matrix_of_table(NumberTable table, std::optional<ShapeForm> form);
const char* name_of(ShapeForm form);  // "whole"

// ---- From file to file ---------------------------------------------------------------------------------

// Outputs are .glb or .gltf; a list writes none.
struct ShapesJob : FileJob, ShapesRequest {};
Result<ShapesReport> list_shapes(const ShapesJob& job);
// Names and the files of their sculpts: any mesh or character, at rest.
Result<ShapesReport> add_shapes(const ShapesJob& job, const ShapeNames& sculpts,
                                const SculptOptions& options);
Result<ShapesReport> remove_shapes(const ShapesJob& job, const std::vector<std::string>& patterns);
Result<ShapesReport> rename_shapes(const ShapesJob& job, const ShapeNames& names);
Result<ShapesReport> split_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                  double falloff);
Result<ShapesReport> mirror_shapes(const ShapesJob& job, const std::vector<std::string>& patterns);
Result<ShapesReport> bake_shapes(const ShapesJob& job, const std::vector<NamedValue>& weights,
                                 const std::string& into);
Result<ShapesReport> clean_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                  double tolerance);
// The pose of `how` is that of `pose`.
Result<ShapesReport> correct_shape(const ShapesJob& job, const std::string& sculpt, const PoseChoice& pose,
                                   CorrectiveRequest how);
Result<ShapesReport> list_correctives(const ShapesJob& job, const PoseChoice& pose);
// `pairs`, if not empty, is a text file with six numbers per line: a place of the source, and the place of
// the target that corresponds to it. Lines that start with # are ignored.
Result<ShapesReport> transfer_shapes(const ShapesJob& job, const std::string& source,
                                     const TransferShapesRequest& how, const std::string& pairs);

Result<ShapesReport> set_shapes(const ShapesJob& job, const SetShapesRequest& what);
// The output is a .npy or a .csv; see NumberTable.
Result<ShapesReport> export_shapes(const ShapesJob& job, const std::vector<std::string>& patterns,
                                   ShapeForm form, NumberWidth width);
Result<ShapesReport> import_shapes(const ShapesJob& job, const std::string& matrix,
                                   std::optional<ShapeForm> form, const SculptOptions& options);

}  // namespace dermis
