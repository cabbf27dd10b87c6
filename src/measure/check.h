// SPDX-License-Identifier: MIT
// What the parts of the check share: the rule of a finding, and findings that start from it.
#pragma once

#include <string>
#include <string_view>

#include "dermis/measure.h"

namespace dermis {

// Appends a finding of rule `id`, with its severity and advice, about thing number `index`.
Finding& add_finding(Findings& findings, const char* id, const char* thing, Index index,
                     const std::string& name, std::string sentence);
// The same about the whole file.
Finding& add_finding(Findings& findings, const char* id, std::string sentence);

// Makes the finding an error if its figure is above the limit.
template <class Number>
void hold_against(Finding& finding, double figure, const std::optional<Number>& limit) {
  finding.figure = figure;
  if (limit && figure > static_cast<double>(*limit)) finding.severity = Severity::error;
}

// Errors first; within a severity in the order of check_rules.
void sort_findings(Findings& findings);

int max_influences(const CheckLimits& limits);  // 0: any number

// Points that coincide across an edge of the surface although the file has several: groups of two or more,
// each in rising order, sorted by their first point.
std::vector<std::vector<Index>> seam_groups(const Mesh& mesh, const EdgeList& edges);
// Half the sum of |difference| over the joints: the share of weight that differs, 0 to 1.
double weight_difference(std::span<const Influence> a, std::span<const Influence> b);
// Rows that differ by less are the same up to quantising to 8 bits.
inline constexpr double kSeamTolerance = 0.01;

// What mending does with polygons that use a position twice: it removes the repeated corner, or the polygon.
// It leaves those that only touch themselves at a corner, and those that are the only ones of a part with its
// own points: files cannot hold such a part without polygons.
enum class Collapse { none, shortened, removed, left };
// For each polygon.
std::vector<Collapse> collapses_of(const Mesh& mesh, std::span<const Index> places);

// False if the normals of shapes would have to turn too, which is not supported.
bool can_turn(const Mesh& mesh, const std::vector<bool>& is_turned);

// ---- The parts ----
// Of one mesh: surface, seams, influences. Fills `surface`.
void check_mesh(const Character& character, Index mesh, const CheckLimits& limits, SurfaceReport& surface,
                Findings& findings);
// Fails only with cancelled.
Status check_skins(const Character& character, std::span<const SkinFit> fits, const CheckLimits& limits,
                   const Progress& progress, Findings& findings);
void check_nodes(const Character& character, const CheckLimits& limits, Findings& findings);
// `size` is the diagonal of the scene at rest, in file units.
void check_clips(const Character& character, double size, Findings& findings);
// Where the inverse binds of a skin are found wrong, findings that follow from them advise to mend these
// first.
void defer_to_causes(const Character& character, Findings& findings);
void check_size_and_axes(const Character& character, const PoseFrame& rest, const Box& box,
                         Findings& findings);

}  // namespace dermis
