// SPDX-License-Identifier: MIT
// Writes the three files of the teaching format, all or none.
#include "io/course/write_course.h"
#include "io/format_text.h"

#include <filesystem>

#include "io/course/names.h"
#include "io/file.h"
#include "io/still.h"

namespace dermis {
namespace {

std::string skeleton_text(const CourseSkeleton& skeleton) {
  std::string text;
  for (std::size_t j = 0; j < skeleton.points.size(); ++j) {
    const Vec3 p(skeleton.points[j]);
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", j, p.x, p.y, p.z, skeleton.parents[j]);
  }
  return text;
}

// A weight for each bone.
std::string attachment_text(const CourseRig& rig) {
  std::string text;
  std::vector<float> row(rig.skeleton.points.size() - 1, 0.0f);
  for (std::size_t v = 0; v + 1 < rig.first.size(); ++v) {
    for (std::size_t k = rig.first[v]; k < rig.first[v + 1]; ++k)
      row[at(rig.bones[k].slot)] += rig.bones[k].weight;
    for (std::size_t b = 0; b < row.size(); ++b)
      fmt::format_to(std::back_inserter(text), "{}{}", b == 0 ? "" : " ", row[b]);
    text += '\n';
    for (std::size_t k = rig.first[v]; k < rig.first[v + 1]; ++k) row[at(rig.bones[k].slot)] = 0;
  }
  return text;
}

// Only the mesh, as it was bound.
Character still_mesh(const Character& character, Index mesh) {
  Character still;
  still.name = character.name;
  still.nodes.resize(1);
  still.nodes[0].name = character.meshes[at(mesh)].name;
  still.meshes.push_back(character.meshes[at(mesh)]);
  still.meshes[0].weights = {};
  still.meshes[0].shapes.clear();
  still.materials = character.materials;
  still.images = character.images;
  still.instances.push_back({0, 0, kNone, {}, true});
  return still;
}

std::size_t further(std::size_t count) { return count == 0 ? 0 : count - 1; }

void note_losses(const Character& character, const CourseRig& rig, Notes& notes) {
  const auto lost = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0)
      notes.push_back({Note::Kind::loss, "not-in-format",
                       fmt::format("the format cannot store {}: {} left out", many,
                                   counted(count, fmt::format("{} was", one).c_str(),
                                           fmt::format("{} were", many).c_str()))});
  };
  lost(character.clips.size(), "clip", "clips");
  if (rig.instance == kNone) return;
  const Mesh& mesh = character.meshes[at(character.instances[at(rig.instance)].mesh)];
  lost(mesh.shapes.size(), "shape", "shapes");
  lost(mesh.dqs_share.size(), "share of dqs", "shares of dqs");
  lost(further(mesh.uvs.size()), "further set of texture coordinates", "further sets of texture coordinates");
  const bool has_colours = !mesh.colours.empty() && mesh.colours[0].is_per_point();
  lost(has_colours ? further(mesh.colours.size()) : mesh.colours.size(), "further set of colours",
       "further sets of colours");
  lost(mesh.tangents.empty() ? 0 : 1, "set of tangents", "sets of tangents");
}

// Files of another skeleton are not replaced.
Status check_beside(const std::string& path, std::initializer_list<std::string> beside,
                    const SaveOptions& options) {
  std::error_code ignored;
  if (options.overwrite_side_files || std::filesystem::exists(path, ignored)) return Done{};
  for (const std::string& file : beside) {
    if (std::filesystem::exists(file, ignored))
      return Error{Errc::bad_argument,
                   fmt::format("{}: already exists and would be replaced; choose another folder", file)}
          .with_remedy("force");
  }
  return Done{};
}

}  // namespace

Result<Notes> write_course(const std::string& path, const Asset& asset, const SaveOptions& options) {
  const std::string attachment = attachment_beside(path), obj = mesh_beside(path);
  if (attachment.empty())
    return Error{
        Errc::usage,
        fmt::format("{}: the name must start with 'skeleton', so that the attachment can be named after it",
                    path)};
  const Result<CourseRig> rig = course_rig(asset.character, path);
  if (!rig) return rig.error();
  Notes notes = rig->notes;
  note_losses(asset.character, *rig, notes);
  if (Status good = check_beside(path, {attachment, obj}, options); !good) return good.error();
  FileSet files;
  if (Status added = files.add(path, bytes_of(skeleton_text(rig->skeleton))); !added) return added.error();
  if (rig->instance != kNone) {
    if (Status added = files.add(attachment, bytes_of(attachment_text(*rig))); !added) return added.error();
    const Index mesh = asset.character.instances[at(rig->instance)].mesh;
    const Result<Notes> written = add_obj(obj, still_mesh(asset.character, mesh), nullptr, options, files);
    if (!written) return written.error();
    notes.insert(notes.end(), written->begin(), written->end());
    notes.push_back({Note::Kind::info, "files-beside",
                     fmt::format("{} and {} were written next to it", attachment, obj)});
  }
  if (Status done = files.commit(); !done) return done.error();
  return notes;
}

}  // namespace dermis
