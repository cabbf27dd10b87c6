// SPDX-License-Identifier: MIT
// The whole check: notes of the loader, meshes, skins, nodes, clips, size and axes.
#include "measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace dermis {
namespace {

// A character outside these sizes is more likely in another unit than a giant or a mite.
constexpr double kGiant = 30, kMite = 0.01;  // metres
// Points of a mesh that are sampled for the size of the scene.
constexpr std::size_t kSizeSamples = 4096;
// Head and feet: the fraction of their distance that must be vertical for a body to stand or crawl.
constexpr double kStands = 0.15;

Finding from_rule(const CheckRule& rule) {
  Finding finding;
  finding.id = finding.rule = rule.id;
  finding.severity = rule.severity;
  finding.advice = rule.advice;
  finding.is_mendable = *rule.mending != '\0';
  return finding;
}

// The rule for a note of the loader; null if it is only information, or if the check finds it itself.
const CheckRule* rule_of(const Note& note) {
  if (const CheckRule* rule = find_rule(note.id)) return rule->is_found_anew ? nullptr : rule;
  switch (note.kind) {
    case Note::Kind::repair:
      return find_rule("file-mended");
    case Note::Kind::loss:
      return find_rule("file-lost");
    case Note::Kind::guess:
      return find_rule("file-guessed");
    default:
      return nullptr;
  }
}

template <class Things>
std::string name_in(const Things& things, int index) {
  return index >= 0 && static_cast<std::size_t>(index) < things.size()
             ? things[static_cast<std::size_t>(index)].name
             : std::string();
}

std::string name_of_thing(const Character& character, const std::string& thing, int index) {
  if (thing == "mesh") return name_in(character.meshes, index);
  if (thing == "node") return name_in(character.nodes, index);
  if (thing == "skin") return name_in(character.skins, index);
  return thing == "clip" ? name_in(character.clips, index) : std::string();
}

// The sentence of a note starts with its place, which a finding states separately: "mesh 0 'body': " is
// removed, and of "mesh 0 'body', primitive 1: " the second half stays.
std::string without_place(const std::string& sentence, const std::string& place) {
  const bool has_place = !place.empty() && sentence.starts_with(place);
  const std::string_view rest = std::string_view(sentence).substr(has_place ? place.size() : 0);
  const bool is_whole = has_place && (rest.starts_with(": ") || rest.starts_with(", "));
  return is_whole ? std::string(rest.substr(2)) : sentence;
}

void check_loading(const Character& character, const Notes& loading, Findings& findings) {
  for (const Note& note : loading) {
    const CheckRule* rule = rule_of(note);
    if (rule == nullptr) continue;
    Finding finding = from_rule(*rule);
    finding.id = note.id;
    finding.is_mended_on_loading = note.kind == Note::Kind::repair;
    finding.thing = note.thing == "animation" ? "clip" : note.thing;
    finding.index = note.index;
    finding.name = name_of_thing(character, finding.thing, note.index);
    finding.count = note.count;
    finding.point = note.first;
    finding.remedies = note.remedies;
    const std::string place =
        fmt::format("{} {}{}{}", note.thing, note.index, finding.name.empty() ? "" : " ",
                    finding.name.empty() ? "" : quoted_name(finding.name));
    finding.sentence = without_place(note.sentence, note.thing.empty() ? "" : place);
    findings.push_back(std::move(finding));
  }
}

constexpr const char* kChecking = "checking";

Status check_meshes(const Character& character, const CheckLimits& limits, const Progress& progress,
                    Checkup& checkup) {
  std::vector<Findings> of_mesh(character.meshes.size());
  checkup.surfaces.resize(character.meshes.size());
  parallel_for(character.meshes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end && !progress.is_stopped(); ++m)
      check_mesh(character, static_cast<Index>(m), limits, checkup.surfaces[m], of_mesh[m]);
  });
  if (Status going = progress.at(kChecking, 0.5); !going) return going;
  for (Findings& some : of_mesh) std::move(some.begin(), some.end(), std::back_inserter(checkup.findings));
  return Done{};
}

// Meshes without an instance, and weights without a skin.
void check_instances(const Character& character, Findings& findings) {
  std::vector<bool> is_shown(character.meshes.size(), false), is_skinned(character.meshes.size(), false);
  for (const Instance& instance : character.instances) {
    is_shown[at(instance.mesh)] = true;
    if (instance.skin != kNone) is_skinned[at(instance.mesh)] = true;
  }
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const Mesh& mesh = character.meshes[m];
    const auto index = static_cast<Index>(m);
    if (!is_shown[m]) {
      add_finding(findings, "mesh-unused", "mesh", index, mesh.name, "has no instance");
    } else if (!mesh.weights.empty() && !is_skinned[m]) {
      add_finding(findings, "weights-without-skin", "mesh", index, mesh.name,
                  "has weights, but no instance of it has a skin: it will not bend");
    }
  }
}

// Each instance moved by its heaviest joints. Points are sampled: only the size is needed.
Box scene_box(const Character& character, const PoseFrame& rest) {
  Box box;
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene) continue;
    const Mesh& mesh = character.meshes[at(instance.mesh)];
    const std::size_t stride = mesh.points.size() / kSizeSamples + 1;
    for (std::size_t v = 0; v < mesh.points.size(); v += stride) {
      const Affined& world_from_mesh = instance.skin == kNone
                                           ? rest.world_from_node[at(instance.node)]
                                           : rest.palette_of(instance.skin)[at(mesh.weights.row(v)[0].slot)];
      box.add(world_from_mesh * Vec3d(mesh.points[v]));
    }
  }
  return box;
}

// Without a mesh, only the joints have a size.
Box node_box(const PoseFrame& rest) {
  Box box;
  for (const Affined& world_from_node : rest.world_from_node) box.add(world_from_node.translation);
  return box;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// By name only: nothing else distinguishes a man on his back from a dog.
void check_up_axis(const Character& character, const PoseFrame& rest, double size, Findings& findings) {
  Vec3d head, foot;
  std::size_t head_count = 0, foot_count = 0;
  Index first_head = kNone;
  for (const Skin& skin : character.skins) {
    for (const Index node : skin.node) {
      const std::string name = lower_case(character.nodes[at(node)].name);
      const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
      const Vec3d place = rest.world_from_node[at(node)].translation;
      if (has("head")) {
        head += place;
        if (head_count++ == 0) first_head = node;
      } else if (has("foot") || has("ankle") || has("toe")) {
        foot += place;
        ++foot_count;
      }
    }
  }
  if (head_count == 0 || foot_count == 0) return;
  const Vec3d up =
      head * (1.0 / static_cast<double>(head_count)) - foot * (1.0 / static_cast<double>(foot_count));
  const double distance = length(up);
  if (distance < 0.1 * size || up.y > kStands * distance) return;
  Finding& finding =
      add_finding(findings, "up-axis",
                  up.y < -kStands * distance
                      ? std::string("at rest the head is below the feet")
                      : fmt::format("at rest the head is level with the feet, {:.3g} units along {}",
                                    distance, std::abs(up.z) > std::abs(up.x) ? "z" : "x"));
  finding.node = first_head;
}

}  // namespace

Finding& add_finding(Findings& findings, const char* id, const char* thing, Index index,
                     const std::string& name, std::string sentence) {
  Finding& finding = findings.emplace_back(from_rule(*find_rule(id)));
  finding.thing = thing;
  finding.index = index;
  finding.name = name;
  finding.sentence = std::move(sentence);
  return finding;
}

Finding& add_finding(Findings& findings, const char* id, std::string sentence) {
  return add_finding(findings, id, "", kNone, "", std::move(sentence));
}

void sort_findings(Findings& findings) {
  // Each rule is looked up once: there may be as many findings as meshes.
  std::vector<std::pair<const CheckRule*, std::size_t>> order;
  order.reserve(findings.size());
  for (std::size_t k = 0; k < findings.size(); ++k) order.emplace_back(find_rule(findings[k].rule), k);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const Severity one = findings[a.second].severity, other = findings[b.second].severity;
    return one != other ? one > other : a < b;
  });
  Findings sorted;
  sorted.reserve(findings.size());
  for (const auto& [rule, k] : order) sorted.push_back(std::move(findings[k]));
  findings = std::move(sorted);
}

int max_influences(const CheckLimits& limits) {
  return limits.max_influences.value_or(limits.profile->max_influences);
}

std::string place_of(const Finding& finding) {
  if (finding.thing.empty()) return {};
  std::string text = fmt::format("{} {}", finding.thing, finding.index);
  if (!finding.name.empty()) text += " " + quoted_name(finding.name);
  if (finding.point != kNone) text += fmt::format(", point {}", finding.point);
  if (finding.polygon != kNone) text += fmt::format(", polygon {}", finding.polygon);
  return text;
}

std::size_t Checkup::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

bool is_size_unusual(double metres) { return metres > 0 && (metres > kGiant || metres < kMite); }

Box box_at_rest(const Character& character, const PoseFrame& rest) {
  const Box box = scene_box(character, rest);
  return box.is_empty() ? node_box(rest) : box;
}

void check_size_and_axes(const Character& character, const PoseFrame& rest, const Box& box,
                         Findings& findings) {
  const double metres = (box.is_empty() ? node_box(rest) : box).diagonal() * character.metres_per_unit;
  if (is_size_unusual(metres)) {
    add_finding(findings, "size-unusual",
                fmt::format("the scene measures {:.4g} m across; are its lengths in another unit?", metres))
        .figure = metres;
  }
  const bool is_said = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.id == "unit-guessed"; });
  if (character.is_unit_guessed && !is_said) {
    add_finding(findings, "unit-guessed",
                fmt::format("1 unit is taken as {:g} m", character.metres_per_unit));
  }
  check_up_axis(character, rest, box.diagonal(), findings);
}

Result<Checkup> check_character(const Character& character, const Notes& loading, const CheckLimits& limits,
                                const Progress& progress) {
  return without_throwing("check", [&]() -> Result<Checkup> {
    if (Status going = progress.at(kChecking, 0); !going) return going.error();
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return rest.error();
    Checkup checkup;
    Findings& findings = checkup.findings;
    checkup.skins = measure_skins(character, *rest);
    checkup.box = scene_box(character, *rest);
    check_loading(character, loading, findings);
    if (Status going = progress.at(kChecking, 0.1); !going) return going.error();
    check_size_and_axes(character, *rest, checkup.box, findings);
    check_nodes(character, limits, findings);
    if (Status done = check_meshes(character, limits, progress, checkup); !done) return done.error();
    check_instances(character, findings);
    if (Status done = check_skins(character, checkup.skins, limits, progress, findings); !done)
      return done.error();
    check_clips(character, checkup.box.diagonal(), findings);
    sort_findings(findings);
    if (Status going = progress.at(kChecking, 1); !going) return going.error();
    return checkup;
  });
}

}  // namespace dermis
