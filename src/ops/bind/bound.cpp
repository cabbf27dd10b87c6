// SPDX-License-Identifier: MIT
// Rows by a method, with shells that do not bend following one joint each.
#include "ops/bind/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/report/words.h"
#include "ops/weights/work.h"

namespace dermis {
namespace {

// Examples in a note.
constexpr std::size_t kStiffShown = 3;

// The shells of the bound meshes.
class BoundShells {
 public:
  explicit BoundShells(const BoundParts& parts) : parts_(parts) {
    for (const Index instance : parts.surface.instances) {
      const Mesh& mesh = parts.character.meshes[at(mesh_of(instance))];
      numbers_.push_back(shells_of_welded_points(mesh.weld, mesh.polygons.first, mesh.polygons.corners));
    }
  }

  // The shell of the surface that a chosen one is part of.
  Result<std::uint32_t> find(const ShellChoice& choice) const {
    const Result<std::size_t> place = place_of(choice);
    if (!place) return place.error();
    const std::vector<Index>& numbers = numbers_[*place];
    const auto found = std::find(numbers.begin(), numbers.end(), choice.shell);
    if (choice.shell >= 0 && found != numbers.end())
      return parts_.surface
          .shell[parts_.surface.points_of[*place][at(static_cast<Index>(found - numbers.begin()))]];
    const Index last = numbers.empty() ? kNone : *std::max_element(numbers.begin(), numbers.end());
    const std::size_t count = last == kNone ? 0 : at(last) + 1;
    return Error{Errc::bad_argument,
                 fmt::format("mesh {} has no shell {}; it has {}, numbered from 0",
                             quoted_name(label_of(*place)), choice.shell, counted(count, "shell", "shells"))};
  }

  // The shells of meshes that make up stiff ones.
  std::vector<StiffPiece> pieces_of(std::span<const StiffShell> stiff) const {
    std::map<std::uint32_t, Index> joint_of;
    for (const StiffShell& one : stiff) joint_of.emplace(one.shell, one.joint);
    const std::vector<std::string> labels = node_labels(parts_.character);
    std::vector<StiffPiece> pieces;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      std::map<Index, std::size_t> piece_of;
      for (std::size_t v = 0; v < numbers_[i].size(); ++v) {
        const auto joint = joint_of.find(parts_.surface.shell[parts_.surface.points_of[i][v]]);
        if (numbers_[i][v] == kNone || joint == joint_of.end()) continue;
        const auto [known, is_new] = piece_of.emplace(numbers_[i][v], pieces.size());
        if (is_new)
          pieces.push_back(
              {label_of(i), numbers_[i][v], labels[at(parts_.skeleton.node[at(joint->second)])], 0});
        ++pieces[known->second].point_count;
      }
    }
    return pieces;
  }

 private:
  Index mesh_of(Index instance) const { return parts_.character.instances[at(instance)].mesh; }
  std::string label_of(std::size_t place) const {
    return mesh_label(parts_.character, mesh_of(parts_.surface.instances[place]));
  }

  // Of the mesh of a choice, among the bound ones.
  Result<std::size_t> place_of(const ShellChoice& choice) const {
    const std::vector<Index>& instances = parts_.surface.instances;
    if (choice.mesh.empty() && instances.size() == 1) return std::size_t{0};
    if (choice.mesh.empty())
      return Error{Errc::usage,
                   fmt::format("shell {} of which mesh? {} are bound", choice.shell, instances.size())}
          .with_remedy("soft", fmt::format("MESH:{}", choice.shell));
    const Result<Index> mesh = find_mesh(parts_.character, choice.mesh);
    if (!mesh) return mesh.error();
    const auto found = std::find_if(instances.begin(), instances.end(),
                                    [&](Index instance) { return mesh_of(instance) == *mesh; });
    if (found != instances.end()) return static_cast<std::size_t>(found - instances.begin());
    return Error{Errc::bad_argument, fmt::format("mesh {}, whose shell should stay soft, is not bound",
                                                 quoted_name(choice.mesh))};
  }

  const BoundParts& parts_;
  std::vector<std::vector<Index>> numbers_;  // of each bound mesh, of each point: its shell, or kNone
};

// The shell of the surface that a part set aside is.
std::uint32_t shell_of(const SetAside& part, const BindSurface& surface) {
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t v) { return length(Vec3d(surface.points[v]) - part.at); };
  for (std::size_t v = 1; v < surface.points.size(); ++v)
    if (distance(v) < distance(nearest)) nearest = v;
  return surface.shell[nearest];
}

Result<std::vector<StiffShell>> stiff_shells(const BoundParts& parts, const WeightRows& rows,
                                             const Progress& progress) {
  std::vector<std::uint32_t> whole, plates;
  for (const SetAside& part : parts.aside) {
    whole.push_back(shell_of(part, parts.surface));
    if (part.kind == SetAside::Kind::plate) plates.push_back(whole.back());
  }
  Result<std::vector<StiffShell>> stiff =
      find_stiff_shells(parts.surface, parts.skeleton, rows, whole, progress);
  if (!stiff) return stiff;
  const std::vector<Index>& parent = parts.skeleton.parent;
  const auto root = static_cast<Index>(std::find(parent.begin(), parent.end(), kNone) - parent.begin());
  for (StiffShell& one : *stiff)
    if (std::find(plates.begin(), plates.end(), one.shell) != plates.end()) one.joint = root;
  return stiff;
}

Note stiff_note(const std::vector<StiffPiece>& pieces) {
  std::vector<std::string> shown;
  shown.reserve(pieces.size());
  for (const StiffPiece& piece : pieces)
    shown.push_back(fmt::format("{}:{} follows {}", piece.mesh, piece.shell, quoted_name(piece.joint)));
  return Note{
      Note::Kind::guess,
      "shells-stiff",
      fmt::format("{} as a whole, because {}: {}",
                  counted(pieces.size(), "shell follows one joint", "shells follow one joint each"),
                  pieces.size() == 1 ? "it looks rigid" : "they look rigid", first_of(shown, kStiffShown)),
      "",
      -1,
      -1,
      pieces.size()}
      .with_remedy("soft");
}

}  // namespace

Result<StiffenedRows> bound_rows(const BoundParts& parts, const BindMethodRow& method,
                                 const BindOptions& options, const Progress& progress) {
  Result<BoundRows> bound = method.bind(parts.surface, parts.skeleton, options, progress);
  if (!bound) return bound.error();
  StiffenedRows rows{std::move(*bound), {}};
  if (options.soft.all) return rows;
  const BoundShells shells(parts);
  std::vector<std::uint32_t> soft;
  for (const ShellChoice& choice : options.soft.shells) {
    const Result<std::uint32_t> shell = shells.find(choice);
    if (!shell) return shell.error();
    soft.push_back(*shell);
  }
  Result<std::vector<StiffShell>> stiff = stiff_shells(parts, rows.rows, progress);
  if (!stiff) return stiff.error();
  std::erase_if(*stiff, [&](const StiffShell& one) {
    return std::find(soft.begin(), soft.end(), one.shell) != soft.end();
  });
  if (stiff->empty()) return rows;
  rows.rows = stiffened(parts.surface, rows.rows, *stiff);
  rows.stiff = shells.pieces_of(*stiff);
  rows.notes.push_back(stiff_note(rows.stiff));
  return rows;
}

}  // namespace dermis
