// SPDX-License-Identifier: MIT
// Reading and writing files. A loader returns a valid character or an error; notes list what it repaired.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"

namespace dermis {

// The file a character came from, kept whole so that data dermis does not model survives. Opaque.
class SourceDocument;

// What the reader did, for code to act on; the notes tell people the same.
struct Reading {
  bool is_turned = false;  // rotated from Z up to Y up
  // ---- glTF only ----
  // Meshes that have joints but no weights in the file: the reader made all their rows. Ascending.
  std::vector<Index> unweighted_meshes;
  double scaled_by = 1;  // its lengths were multiplied by this, as LoadOptions::metres_per_unit requested
  bool has_told_names = false;  // a note lists node names that several nodes share
};

// A character, the notes of loading it, and its source document.
struct Asset {
  Character character;
  Notes notes{};
  std::shared_ptr<const SourceDocument> source{};  // null for characters made by code
  Reading reading{};
  std::string name = "the character";  // for error and note sentences: the path it was loaded from
};

// ---- Formats ------------------------------------------------------------------------------------------

// One row per format. Dispatch, help, errors and docs/formats.md come from this table.
struct FormatRow {
  const char* name;        // "Wavefront OBJ"
  const char* extensions;  // ".obj"; several are separated by spaces; lower case
  const char* reads;       // what is read; empty: not read
  const char* writes;      // what is written; empty: not written
  const char* limits;      // what it cannot carry, or what dermis leaves out
};
std::span<const FormatRow> formats();

// ---- Loading ------------------------------------------------------------------------------------------

// The up axis of a file that does not specify one.
enum class UpAxis { guess, y, z };

struct LoadOptions {
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // in bytes: limit on the sum of declared sizes
  UpAxis up = UpAxis::guess;  // if the format has none; a file that is not +Y up is rotated, with a note
  // What a unit of length of the file means; 0: what the file states, or a guess. A glTF, whose unit is the
  // metre, is scaled by it.
  double metres_per_unit = 0;
  double import_seconds = 120;  // time limit of dermis-import for FBX, Collada and similar formats
};

// "cm", "inches", or a number of metres per unit: "0.01". Errc::usage lists the symbols.
Result<double> parse_unit(const std::string& text);
// The symbols of all units, for help and errors: "m, cm, dm, ...".
std::string unit_symbols();
// The symbol of the common unit in which a figure of this height is closest to an adult: "cm". A height of
// zero gives metres.
std::string likely_unit(double height);

// The extension determines the format (see formats). Refuses broken structure with one sentence; repairs data
// where it can, with a note for each repair.
Result<Asset> load(const std::string& path, const LoadOptions& options = {}, const Progress& progress = {});
// The same from memory; `name` replaces the path in sentences, and its extension determines the format.
// Companion files (external buffers, materials) are refused or noted as missing.
Result<Asset> load_from_memory(std::span<const std::byte> bytes, const std::string& name,
                               const LoadOptions& options = {});

// ---- Markers ------------------------------------------------------------------------------------------

// Points in space over time, as motion capture records them; axes, units and order are those of the file.
struct Markers {
  std::vector<std::string> labels;  // UTF-8; not necessarily unique
  double rate = 0;                  // frames per second, above zero
  std::string units;                // as the file spells them, "mm"; empty: not stated
  double metres_per_unit = 1;
  bool is_unit_guessed = false;
  UpAxis up = UpAxis::guess;     // as the file states; guess: it does not
  std::int64_t first_frame = 1;  // the file's own number of the first frame
  std::size_t frame_count = 0;
  std::vector<Vec3> points;   // finite; frame by frame, one per label, zero in gaps
  std::vector<bool> is_seen;  // parallel to `points`; false: a gap
  Notes notes;

  std::size_t marker_count() const { return labels.size(); }
  std::size_t index(std::size_t frame, std::size_t marker) const { return frame * labels.size() + marker; }
};
// A .c3d or .trc. Gaps are marked, not filled. Analog samples are left out. `load` turns the same file into a
// character: a node for each marker, Y up, and a clip with a key for each frame in which the marker is seen.
Result<Markers> load_markers(const std::string& path, const LoadOptions& options = {});
// The same from memory; the extension of `name` determines the format.
Result<Markers> load_markers_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                         const LoadOptions& options = {});

// ---- Saving -------------------------------------------------------------------------------------------

// How weights are stored when dermis writes them.
enum class WeightFormat { unorm8, unorm16, float32 };

// How the file is written. `save` itself finds out what has changed since loading.
struct SaveOptions {
  // The format of all weights, including those of a loaded document. If empty, only changed weights are
  // written: in their primitive's format if that represents them exactly, otherwise as float32.
  std::optional<WeightFormat> weights;
  int max_influences = 0;  // per point; 0: enough sets of four for the longest row
  // Also writes weights that loading repaired; otherwise they stay as the file has them.
  bool mended_weights = false;
  bool embed_buffers = false;         // .gltf only: buffers as data URIs instead of separate files
  bool overwrite_side_files = false;  // may replace existing side files: buffers, images, MTL, attachments
  bool ascii = false;                 // .ply only: text instead of binary
  // .obj only: refers to this MTL, which must have the same materials, instead of writing one.
  std::string material_library{};
  // Heard while .gltf, .glb, .bvh, .obj and .ply are made: a stop leaves the old file in place, until the new
  // one is renamed over it.
  Progress progress{};
};

// Writes .gltf, .glb, .bvh or a listing (.out), by extension: first to a temporary file next to the target,
// then renamed over it, so that a failure leaves the old file intact. The notes list what could not be
// written and which side files were written.
//
// A character loaded from glTF is saved by difference. Its document stores a fingerprint of each part: nodes,
// meshes with every attribute, weights and shape of each primitive, skins, instances, clips, controls. Parts
// that differ now are patched; all others are written back unchanged, and so is everything dermis does not
// model. Nodes, meshes, skins and clips may be added, removed and reordered; they are matched by content,
// then by name, then by index. Materials are not patched: if they change, or if parts are renumbered that an
// unknown extension may refer to, the document is rewritten from scratch, with a note. What loading repaired
// or left out, and the document keeps, is noted too (fault-kept): the document is read once more to find that
// out, which costs as much as loading, and nothing if loading found no fault. A BVH is written back unchanged
// as long as its nodes and clips are.
Result<Notes> save(const std::string& path, const Asset& asset, const SaveOptions& options = {});

// A still scene: `posed` from deform_character(asset.character, ...). Writes .gltf, .glb, .obj or .ply.
// Materials, textures, cameras and lights of the source document are kept if the format supports them.
Result<Notes> save_posed(const std::string& path, const Asset& asset, const Character& posed,
                         const SaveOptions& options = {});

// The same scene for further work: `posed` with the document that save_posed would write, but without the
// joints that only skins needed. For files other than glTF, `posed` alone.
Result<Asset> bare_asset(const Asset& asset, const Character& posed);

// What is lost if only the character of `asset` is written to `output`: what its source document stores and
// the model does not (cameras, lights, extras, extensions, custom attributes, lines, finer settings of
// materials), and meshes outside the scene. A note for each kind; the extension of `output` decides what it
// could have stored. save and save_posed note this themselves.
Notes losses_without_document(const Asset& asset, const std::string& output);

// What an extension means, ignoring case: ".GLB" is a character.
bool is_character_file(const std::string& path);  // any file that `load` reads
bool is_still_file(const std::string& path);      // .obj, .ply: can be written, hold one pose
// ".glb" for "a/B.GLB": lower case; empty if there is none.
std::string extension_of(const std::string& path);

// ---- Vertex caches ------------------------------------------------------------------------------------

// The positions of a surface's points, frame by frame. The surface itself is a mesh elsewhere.
struct PointCache {
  std::vector<float> times;  // seconds, one per frame, at least one, strictly increasing, finite
  std::size_t point_count = 0;
  std::vector<Vec3> points;   // point_count per frame, finite
  std::vector<Vec3> normals;  // likewise, or empty: no cache file stores them, but baking computes them

  std::size_t frame_count() const { return times.size(); }
  std::span<const Vec3> frame(std::size_t k) const { return {points.data() + k * point_count, point_count}; }
};

struct CacheOptions {
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // limit on the bytes of all frames
  // Frames per second for files that count frames (.pc2, .f32, sequences); if empty, kDefaultFps with a note.
  std::optional<double> fps;
  std::size_t point_count = 0;  // for .f32, which does not store it
  UpAxis up = UpAxis::guess;    // z: rotated to +Y up, with a note; no cache stores its up axis
};
inline constexpr double kDefaultFps = 30, kMaxFps = 10000;

struct CacheAsset {
  PointCache cache;
  Notes notes;
};

// .pc2, .mdd, .f32 (raw little-endian floats: frame, point, xyz), or a sequence: a path such as walk_####.obj
// or walk_%04d.ply, whose files are the frames, ordered by number; the first frame starts at the time of its
// number. Refuses counts that do not match the file size, and numbers that are not finite.
Result<CacheAsset> load_cache(const std::string& path, const CacheOptions& options = {},
                              const Progress& progress = {});
// The same for one file's bytes; the extension of `name` determines the format.
Result<CacheAsset> load_cache_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                          const CacheOptions& options = {});

// Writes .pc2 or .mdd, completely or not at all. A .pc2 counts frames from its first time in steps of one:
// lost_times returns what that loses.
Result<Notes> save_cache(const std::string& path, const PointCache& cache);
// Notes for a .pc2 if times are not evenly spaced or their rate is not kDefaultFps. At least one time.
Notes lost_times(const std::string& path, std::span<const float> times);

// A .pc2 or .mdd written frame by frame, for clips longer than memory. Writes straight to `path`: use it in a
// StagedFiles folder.
class CacheWriter {
 public:
  static Result<CacheWriter> create(const std::string& path, std::size_t point_count,
                                    std::span<const float> times);
  CacheWriter(CacheWriter&&) noexcept;
  CacheWriter& operator=(CacheWriter&&) noexcept;
  ~CacheWriter();
  Status add(std::span<const Vec3> frame);  // point_count points; call it once for each time
  Status close();

 private:
  struct State;
  explicit CacheWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A still scene (no skins, no shapes, points in world space, as deform_character gives it) that moves like
// the cache: a shape for each frame, and one clip that goes from shape to shape. Each frame has the points of
// all instances in order. Normals on corners become normals on points, which splits points; normals follow
// those of the cache, or rotate with the polygons around them. At key times the points equal those of the
// cache, except for the rounding of one difference. Fails if the counts differ, or if the shapes and their
// keys (frames x frames) would take more than `max_memory`.
Result<Character> character_from_cache(const Character& still, const PointCache& cache,
                                       std::uint64_t max_memory);

// True for .pc2, .mdd and .f32, ignoring case.
bool is_cache_file(const std::string& path);
// True for an .obj or .ply with one run of '#' or one %d, %4d, %04d in its file name, unless a file has
// exactly that name.
bool is_sequence(const std::string& path);
// True for a .png named like that, whether or not it exists.
bool is_picture_sequence(const std::string& path);
// The path of one frame: "walk_0007.obj" for 7. `path` must be a sequence, of meshes or of pictures.
std::string sequence_path(const std::string& path, std::int64_t frame);
// The file of a sequence with the lowest number; an Error if there is none.
Result<std::string> first_of_sequence(const std::string& path);

// Files that appear together or not at all: each is written to `path_of` its name, in a temporary folder next
// to the target that the destructor removes; commit moves the files to their final place.
class StagedFiles {
 public:
  // `folder` is where the files will go; it must exist. `name` is what the user calls the files together,
  // such as the path of the first frame: refused while another process writes files of that name there.
  static Result<StagedFiles> open(const std::string& folder, const std::string& name);
  StagedFiles(StagedFiles&& other) noexcept;
  StagedFiles& operator=(StagedFiles&& other) = delete;
  ~StagedFiles();
  std::string path_of(const std::string& name) const;
  // The existing files that commit would replace with different contents, sorted.
  Result<std::vector<std::string>> replaced() const;
  // Moves everything; returns the paths, sorted.
  Result<std::vector<std::string>> commit();

 private:
  struct Stage;  // the temporary folder and the lock
  StagedFiles();
  std::string folder_;
  std::unique_ptr<Stage> stage_;
};

// For a program that ends at once, as at a second Ctrl-C: removes the temporary files of this process and
// ends its child processes, which destructors do otherwise. Call it from a thread, not from a signal handler,
// and end the program next: nothing can be written afterwards.
void remove_leftovers() noexcept;

// ---- Weight tables ------------------------------------------------------------------------------------

// The weights of one mesh by the names of its joints, without the mesh.
struct WeightTable {
  std::string mesh;                 // its label: a name, or "#2" for the third mesh
  std::vector<std::string> joints;  // node labels, no duplicates
  WeightRows rows;                  // one per point; slots index `joints`
};
struct WeightTables {
  std::vector<WeightTable> tables;  // at most one per mesh
  Notes notes;
};
// A .csv (one line per weight: mesh, point, joint, weight, lines in any order) or a .json, as described in
// docs/weights.md. Weights that are not normalised, or below zero, are repaired with a note; a number that is
// not finite, a point without a line and a broken structure are refused.
Result<WeightTables> load_weight_tables(const std::string& path, const LoadOptions& options = {});
// The same from memory; the extension of `name` determines the format.
Result<WeightTables> load_weight_tables_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                                    const LoadOptions& options = {});
// Writes .csv or .json, completely or not at all. Floats are printed so that they read back exactly.
Status save_weight_tables(const std::string& path, std::span<const WeightTable> tables);

// ---- Motion maps --------------------------------------------------------------------------------------

// Which joints of a motion and of a character are the same body part, by label.
struct MotionMapRow {
  std::string role;                         // "thigh_L"; empty: a pair of joints without a role
  std::vector<std::string> source, target;  // from the trunk outwards; one each for pairs
};
// A .json as described in docs/motion.md. Refuses anything that is not such a map; does not check that joints
// and roles exist.
Result<std::vector<MotionMapRow>> load_motion_map(const std::string& path);
// The same from memory; `name` replaces the path in sentences.
Result<std::vector<MotionMapRow>> load_motion_map_from_memory(std::span<const std::byte> bytes,
                                                              const std::string& name);
// Writes a map, completely or not at all.
Status save_motion_map(const std::string& path, std::span<const MotionMapRow> rows);

// ---- Other files --------------------------------------------------------------------------------------

// A pose file; its schema is in docs/conventions.md.
Result<Pose> load_pose(const std::string& path);

// The points of a result file, in file order: .obj, .ply (ascii and binary), .xyz (three numbers per line).
Result<std::vector<Vec3>> load_points(const std::string& path);

// load_bytes reads a file of at most `max_bytes`; save_bytes writes one, completely or not at all.
Result<std::vector<std::byte>> load_bytes(const std::string& path, std::uint64_t max_bytes);
Status save_bytes(const std::string& path, std::span<const std::byte> bytes);

// Size in bytes of a file on disk, including the buffers and images of a .gltf, or of all files of a
// sequence. Unreadable files count as zero.
std::uint64_t bytes_on_disk(const std::string& path);

// ---- Notes --------------------------------------------------------------------------------------------

// The meanings of this room's note ids.
std::span<const NoteRow> io_notes();

}  // namespace dermis

// After what it builds on.
#include "dermis/io/tables.h"
