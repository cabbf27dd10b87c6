// SPDX-License-Identifier: MIT
// Files in and out. A loader returns a valid character or an error; what it had to mend is in the notes.
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

// The file a character came from, kept whole so that what dermis does not model survives. Opaque.
class SourceDocument;

// A character, what loading it had to say, and the document behind it.
struct Asset {
  Character character;
  Notes notes;
  std::shared_ptr<const SourceDocument> source;  // null for characters made by code
};

// ---- Formats ------------------------------------------------------------------------------------------

// One row for each format. Dispatch, help, errors and docs/formats.md come from this table.
struct FormatRow {
  const char* name;        // "Wavefront OBJ"
  const char* extensions;  // ".obj", several with blanks between, lower case
  const char* reads;       // what is read, empty: not read
  const char* writes;      // what is written, empty: not written
  const char* limits;      // what it cannot carry, or what dermis leaves out
};
std::span<const FormatRow> formats();

// ---- Loading ------------------------------------------------------------------------------------------

// Which way is up in a file that does not say.
enum class UpAxis { guess, y, z };

struct LoadOptions {
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // bytes that declared sizes may add up to
  UpAxis up = UpAxis::guess;    // for formats that do not say; what is not +Y up is turned, with a note
  double import_seconds = 120;  // that dermis-import may take for FBX, Collada and the like
};

// The format follows from the extension (see formats). Refuses unreadable structure with one sentence; mends
// mendable data with a note for each repair.
Result<Asset> load(const std::string& path, const LoadOptions& options = {}, const Progress& progress = {});
// The same from memory; `name` stands for the path in sentences, and its extension names the format. Files
// beside it (external buffers, materials) are refused or noted as missing.
Result<Asset> load_from_memory(std::span<const std::byte> bytes, const std::string& name,
                               const LoadOptions& options = {});

// ---- Markers ------------------------------------------------------------------------------------------

// Points in space over time, as motion capture records them; axes, units and order are those of the file.
struct Markers {
  std::vector<std::string> labels;  // UTF-8; may be shared
  double rate = 0;                  // frames a second, above zero
  std::string units;                // as the file spells them, "mm"; empty: not said
  double metres_per_unit = 1;
  bool is_unit_guessed = false;
  UpAxis up = UpAxis::guess;     // what the file says; guess: nothing
  std::int64_t first_frame = 1;  // the file's own number of the first frame
  std::size_t frame_count = 0;
  std::vector<Vec3> points;   // finite; frame after frame, a point for each label, zero in gaps
  std::vector<bool> is_seen;  // beside `points`; false: a gap
  Notes notes;

  std::size_t marker_count() const { return labels.size(); }
  std::size_t index(std::size_t frame, std::size_t marker) const { return frame * labels.size() + marker; }
};
// A .c3d or .trc. Gaps are marked, not filled. Analog samples are left out. `load` makes a character of the
// same file: a node for each marker, Y up, and a clip with a key for each frame in which it is seen.
Result<Markers> load_markers(const std::string& path, const LoadOptions& options = {});
// The same from memory; the extension of `name` says the format.
Result<Markers> load_markers_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                         const LoadOptions& options = {});

// ---- Saving -------------------------------------------------------------------------------------------

// How weights are stored when dermis writes them.
enum class WeightFormat { unorm8, unorm16, float32 };

// Wishes about the file. What has changed since loading is not among them: `save` finds that out itself.
struct SaveOptions {
  // The format of all weights, those of a loaded document included. Without it, only weights that changed are
  // written: in the format that their primitive has, if that holds them to the last bit, else as float32.
  std::optional<WeightFormat> weights;
  int max_influences = 0;  // per point; 0: as many sets of four as the longest row needs
  bool mended_weights =
      false;                   // also writes weights that loading mended; else they stay as the file has them
  bool embed_buffers = false;  // .gltf only: buffers as data URIs instead of files beside it
  bool overwrite_side_files = false;  // may replace existing files beside: buffers, images, MTL, attachments
  bool ascii = false;                 // .ply only: text instead of bytes
  // .obj only: names this MTL, which must hold the same materials, instead of writing one.
  std::string material_library{};
};

// Writes .gltf, .glb, .bvh or a listing (.out), by extension: first beside the target, then renamed over it,
// so that a failure leaves what was there. Returns what could not be carried and which files were written
// beside it.
//
// A character that came from a glTF goes back by difference. Its document remembers a fingerprint of each
// part that it gave: nodes, meshes with every attribute, weights and shape of each primitive, skins,
// instances, clips, controls. Parts that differ now are patched; all others go back as they came, and so does
// what dermis does not model. Nodes, meshes, skins and clips may be added, removed and reordered; they are
// found again by content, then by name, then by place. Materials are not patched: when they change, or when
// parts are renumbered that an unknown extension may refer to, the document is written anew, with a note. A
// BVH goes back as it came while its nodes and clips are what they were.
Result<Notes> save(const std::string& path, const Asset& asset, const SaveOptions& options = {});

// A still scene: `posed` from deform_character(asset.character, ...). Writes .gltf, .glb, .obj or .ply.
// Materials, textures, cameras and lights of the source document come along where the format can hold them.
Result<Notes> save_posed(const std::string& path, const Asset& asset, const Character& posed,
                         const SaveOptions& options = {});

// The same scene to go on with: `posed` with the document behind it that save_posed would write, but without
// the joints that only skins needed. Of files other than glTF, `posed` alone.
Result<Asset> bare_asset(const Asset& asset, const Character& posed);

// What an extension stands for, in any case: ".GLB" is a character.
bool is_character_file(const std::string& path);  // whatever `load` reads
bool is_still_file(const std::string& path);      // .obj, .ply: written, one pose
// ".glb" for "a/B.GLB": lower case, empty when there is none.
std::string extension_of(const std::string& path);

// ---- Vertex caches ------------------------------------------------------------------------------------

// Where the points of a surface are, frame after frame. The surface itself is a mesh elsewhere.
struct PointCache {
  std::vector<float> times;  // seconds, one for each frame, at least one, strictly rising, finite
  std::size_t point_count = 0;
  std::vector<Vec3> points;   // point_count for each frame, finite
  std::vector<Vec3> normals;  // likewise, or empty: no cache file holds them, but baking makes them

  std::size_t frame_count() const { return times.size(); }
  std::span<const Vec3> frame(std::size_t k) const { return {points.data() + k * point_count, point_count}; }
};

struct CacheOptions {
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // bytes that the frames may take
  // Frames a second where the file counts frames (.pc2, .f32, sequences); kDefaultFps and a note without it.
  std::optional<double> fps;
  std::size_t point_count = 0;  // for .f32, which does not say
  UpAxis up = UpAxis::guess;    // z: turned to +Y up, with a note; no cache says which way is up
};
inline constexpr double kDefaultFps = 30, kMaxFps = 10000;

struct CacheAsset {
  PointCache cache;
  Notes notes;
};

// .pc2, .mdd, .f32 (bare little-endian floats: frame, point, xyz), or a sequence: a path such as
// walk_####.obj or walk_%04d.ply, whose files are its frames in the order of their numbers, the first number
// at its own time. Refuses counts that do not fit the file, and numbers that are not finite.
Result<CacheAsset> load_cache(const std::string& path, const CacheOptions& options = {},
                              const Progress& progress = {});
// The same for one file's bytes; the extension of `name` says the format.
Result<CacheAsset> load_cache_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                          const CacheOptions& options = {});

// Writes .pc2 or .mdd, whole or not at all. A .pc2 counts frames from its first time in steps of one:
// lost_times says what that loses.
Result<Notes> save_cache(const std::string& path, const PointCache& cache);
// Times that are not evenly spaced, or their rate where it is not kDefaultFps, when `path` is a .pc2. At
// least one time.
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
  Status add(std::span<const Vec3> frame);  // point_count points, once for each time
  Status close();

 private:
  struct State;
  explicit CacheWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A still scene (no skins, no shapes, points in world space, as deform_character gives it) that moves as the
// cache says: a shape for each frame, and one clip that passes from shape to shape. The frames hold the
// points of all instances in order. Normals on corners are put on points, which splits these; normals follow
// those of the cache, or turn as the polygons around them do. At its key times the points are those of the
// cache, but for the rounding of one difference. Fails when the counts differ, or when the shapes and their
// keys (frames x frames) would take more than `max_memory`.
Result<Character> character_from_cache(const Character& still, const PointCache& cache,
                                       std::uint64_t max_memory);

// True for .pc2, .mdd and .f32, in any case.
bool is_cache_file(const std::string& path);
// True for an .obj or .ply with one run of '#' or one %d, %4d, %04d in its file name, unless a file has that
// very name.
bool is_sequence(const std::string& path);
// True for a .png named like that, whether it is there or not.
bool is_picture_sequence(const std::string& path);
// The path of one frame: "walk_0007.obj" for 7. `path` must be a sequence, of meshes or of pictures.
std::string sequence_path(const std::string& path, std::int64_t frame);
// The file with the lowest number of a sequence; an Error when there is none.
Result<std::string> first_of_sequence(const std::string& path);

// Files that appear together or not at all: each is written under `path_of` its name, in a folder beside the
// target that is gone with the object; commit moves them to where they belong.
class StagedFiles {
 public:
  // `folder` is where the files will go; it must exist.
  static Result<StagedFiles> open(const std::string& folder);
  StagedFiles(StagedFiles&& other) noexcept;
  StagedFiles& operator=(StagedFiles&& other) = delete;
  ~StagedFiles();
  std::string path_of(const std::string& name) const;
  // The files that commit would replace by others, sorted; those that hold the same are none.
  std::vector<std::string> replaced() const;
  // Moves everything; returns the paths, sorted.
  Result<std::vector<std::string>> commit();

 private:
  StagedFiles(std::string folder, std::string stage) : folder_(std::move(folder)), stage_(std::move(stage)) {}
  std::string folder_, stage_;
};

// ---- Weight tables ------------------------------------------------------------------------------------

// The weights of one mesh by the names of its joints, without the mesh.
struct WeightTable {
  std::string mesh;                 // its label: a name, or "#2" of the third mesh
  std::vector<std::string> joints;  // labels of nodes, none twice
  WeightRows rows;                  // one for each point; slots are places in `joints`
};
struct WeightTables {
  std::vector<WeightTable> tables;  // no two of the same mesh
  Notes notes;
};
// A .csv (a line for each weight: mesh, point, joint, weight, in any order of lines) or a .json, as
// docs/weights.md has them. Weights that are not normalised, or below zero, are mended with a note; a number
// that is not finite, a point without a line and a broken structure are refused.
Result<WeightTables> load_weight_tables(const std::string& path, const LoadOptions& options = {});
// The same from memory; the extension of `name` says the format.
Result<WeightTables> load_weight_tables_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                                    const LoadOptions& options = {});
// Writes .csv or .json, whole or not at all. Floats are printed so that they come back to the last bit.
Status save_weight_tables(const std::string& path, std::span<const WeightTable> tables);

// ---- Maps of motions ----------------------------------------------------------------------------------

// Which joints of a motion and a character are the same part of a body, by their labels.
struct MotionMapRow {
  std::string role;                         // "thigh_L"; empty: a pair of joints without a role
  std::vector<std::string> source, target;  // from the body outwards; one each for pairs
};
// A .json as docs/motion.md has it. Refuses what is no such map; whether joints and roles exist is not known
// here.
Result<std::vector<MotionMapRow>> load_motion_map(const std::string& path);
// The same from memory; `name` stands for the path in sentences.
Result<std::vector<MotionMapRow>> load_motion_map_from_memory(std::span<const std::byte> bytes,
                                                              const std::string& name);
// Writes one, whole or not at all.
Status save_motion_map(const std::string& path, std::span<const MotionMapRow> rows);

// ---- Other files --------------------------------------------------------------------------------------

// A pose file; its schema is in docs/conventions.md.
Result<Pose> load_pose(const std::string& path);

// The points of a result file, in file order: .obj, .ply (ascii and binary), .xyz (three numbers a line).
Result<std::vector<Vec3>> load_points(const std::string& path);

// The bytes of a file of at most `max_bytes`, and a file of them that is there whole or not at all.
Result<std::vector<std::byte>> load_bytes(const std::string& path, std::uint64_t max_bytes);
Status save_bytes(const std::string& path, std::span<const std::byte> bytes);

// Bytes of a file on disk, with the buffers and images beside a .gltf, or of all files of a sequence. What
// cannot be read counts nothing.
std::uint64_t bytes_on_disk(const std::string& path);

}  // namespace dermis
