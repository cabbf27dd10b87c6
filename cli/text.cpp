// SPDX-License-Identifier: MIT
// Reports as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli.h"

namespace dermis::cli {
namespace {

// "412 bytes", "31.2 KB", "4.05 MB"
std::string bytes_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return counted(bytes, "byte", "bytes");
  return bytes < 1000000 ? fmt::format("{:.3g} KB", std::min(size * 1e-3, 999.0))
                         : fmt::format("{:.2f} MB", size * 1e-6);
}

std::string feet_text(const RetargetFigures& figures) {
  if (figures.contact_count == 0) return "no foot contacts found";
  return fmt::format("feet slide up to {:.2f} % of the height and sink up to {:.2f} %", 100 * figures.slide,
                     100 * figures.sink);
}

// "mesh 3 'body'", or "mesh 3" of one without a name.
std::string numbered(const char* thing, std::size_t index, const std::string& name) {
  return fmt::format("{} {}{}", thing, index, name.empty() ? std::string() : " " + quoted_name(name));
}

std::string size_text(const Box& box, double metres_per_unit) {
  if (box.is_empty()) return "empty";
  const Vec3d size = (box.upper - box.lower) * metres_per_unit;
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m", size.x, size.y, size.z);
}

std::string mesh_line(std::size_t index, const InfoReport::Mesh& mesh) {
  std::string line = fmt::format("  {}: {} ({} welded), {}", numbered("mesh", index, mesh.name),
                                 counted(mesh.point_count, "point", "points"), mesh.welded_point_count,
                                 counted(mesh.polygon_count, "polygon", "polygons"));
  if (mesh.part_count > 1) line += fmt::format(", {} parts", mesh.part_count);
  if (mesh.instance_count != 1) line += fmt::format(", shown {} times", mesh.instance_count);
  line += mesh.has_normals ? ", normals" : ", no normals";
  if (mesh.has_tangents) line += ", tangents";
  if (mesh.uv_set_count > 0) line += fmt::format(", {}", counted(mesh.uv_set_count, "UV set", "UV sets"));
  if (mesh.colour_set_count > 0)
    line += fmt::format(", {}", counted(mesh.colour_set_count, "colour set", "colour sets"));
  if (mesh.has_dqs_share) line += ", shares of dqs";
  line += '\n';
  if (mesh.polygon_count > 0) {
    line += fmt::format("    surface: {}, {}", counted(mesh.shell_count, "shell", "shells"),
                        mesh.is_closed ? "closed" : counted(mesh.open_edge_count, "open edge", "open edges"));
    if (mesh.nonmanifold_edge_count > 0)
      line += fmt::format(", {}",
                          counted(mesh.nonmanifold_edge_count, "non-manifold edge", "non-manifold edges"));
    line += '\n';
  }
  if (!mesh.points_by_influences.empty()) {
    line += "    influences:";
    for (std::size_t k = 1; k < mesh.points_by_influences.size(); ++k) {
      const double share = 100.0 * static_cast<double>(mesh.points_by_influences[k]) /
                           static_cast<double>(std::max<std::size_t>(mesh.point_count, 1));
      line += fmt::format("  {}: {:.1f} %", k, share);
    }
    line += '\n';
  }
  constexpr std::size_t kMostShapes = 60;  // a baked clip has hundreds
  const std::size_t shown = std::min(mesh.shapes.size(), kMostShapes);
  if (shown > 0) {
    line += fmt::format(
        "    shapes: {}{}\n",
        fmt::join(mesh.shapes.begin(), mesh.shapes.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        shown < mesh.shapes.size() ? fmt::format(" and {} more", mesh.shapes.size() - shown) : std::string());
  }
  return line;
}

// Two spaces a level, parents before children, in file order. Walked with a list: chains can be long.
std::string node_tree(const InfoReport& report) {
  std::vector<std::vector<std::size_t>> children(report.nodes.size());
  std::vector<std::pair<std::size_t, std::size_t>> to_show;  // node, depth; last first
  for (std::size_t n = report.nodes.size(); n-- > 0;) {
    const Index parent = report.nodes[n].parent;
    if (parent == kNone)
      to_show.emplace_back(n, 0);
    else
      children[static_cast<std::size_t>(parent)].push_back(n);
  }
  constexpr std::size_t kDeepest = 40;  // further indenting helps nobody
  std::string text = "  nodes, as pose files name them:\n";
  while (!to_show.empty()) {
    const auto [n, depth] = to_show.back();
    to_show.pop_back();
    const InfoReport::Node& node = report.nodes[n];
    const bool is_numbered = node.label != node.name;
    text += fmt::format("    {:{}}{}{}{}\n", "", 2 * std::min(depth, kDeepest), node.label,
                        is_numbered && !node.name.empty() ? " " + quoted_name(node.name) : std::string(),
                        node.is_joint ? " (joint)" : "");
    for (const std::size_t child : children[n]) to_show.emplace_back(child, depth + 1);
  }
  return text;
}

// The first finding of each id, and where to read the rest.
std::string looks_wrong(const InfoReport& report) {
  constexpr std::size_t kShown = 8;
  if (report.findings.empty()) return "  nothing looks wrong; dermis check also bends the joints\n";
  std::map<std::string, std::size_t> total;
  for (const Finding& finding : report.findings) ++total[finding.id];
  std::string text = "  what looks wrong:\n";
  std::set<std::string> shown;
  std::size_t unsaid = report.findings.size();
  for (const Finding& finding : report.findings) {
    if (shown.size() == kShown) break;
    if (!shown.insert(finding.id).second) continue;
    const std::size_t alike = total[finding.id];
    unsaid -= alike;
    text += fmt::format("    {}: {}{}{}{}\n", name_of(finding.severity), place_of(finding),
                        finding.thing.empty() ? "" : ": ", finding.sentence,
                        alike > 1 ? fmt::format(" (and {} more like this)", alike - 1) : std::string());
  }
  text += fmt::format("    {}dermis check {} says what to do\n",
                      unsaid > 0 ? fmt::format("and {} more; ", unsaid) : "", report.file);
  return text;
}

// The worst joints by one measure, as "145 %  elbow_L bend -60": value and pose.
using Ranking = std::vector<std::string>;
constexpr std::size_t kWorstShown = 5;

template <class Number, class Words>
Ranking worst_by(const std::vector<JointQuality>& joints, Number JointQuality::*member,
                 std::string JointQuality::*pose, const Words& words) {
  std::vector<const JointQuality*> sorted;
  for (const JointQuality& joint : joints) {
    if (joint.*member > Number{}) sorted.push_back(&joint);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const JointQuality* a, const JointQuality* b) { return a->*member > b->*member; });
  Ranking ranking;
  for (std::size_t k = 0; k < std::min(sorted.size(), kWorstShown); ++k)
    ranking.push_back(fmt::format("{:>7}  {}", words(*sorted[k]), sorted[k]->*pose));
  return ranking;
}

std::string worst_joints(const Quality& quality) {
  const auto percent = [](double JointQuality::*member) {
    return [member](const JointQuality& joint) { return fmt::format("{:.1f} %", 100 * joint.*member); };
  };
  const auto number = [](const JointQuality& joint) {
    return fmt::format("{}{}", joint.new_intersections, joint.is_intersection_count_exact ? "" : "+");
  };
  const std::vector<JointQuality>& joints = quality.joints;
  Ranking columns[] = {
      worst_by(joints, &JointQuality::strain, &JointQuality::strain_pose, percent(&JointQuality::strain)),
      worst_by(joints, &JointQuality::volume_loss, &JointQuality::volume_loss_pose,
               percent(&JointQuality::volume_loss)),
      worst_by(joints, &JointQuality::new_intersections, &JointQuality::intersections_pose, number)};
  const char* const heads[] = {
      "strain", quality.has_volume ? "volume lost" : "volume lost (has none)",
      quality.are_new_counts_exact() ? "new crossings" : "new crossings (+: at least)"};
  std::string lines[kWorstShown + 1];
  for (std::size_t c = 0; c < 3; ++c) {
    columns[c].insert(columns[c].begin(), heads[c]);
    columns[c].resize(kWorstShown + 1);
    std::size_t width = 0;
    for (const std::string& cell : columns[c]) width = std::max(width, cell.size());
    for (std::size_t k = 0; k <= kWorstShown; ++k)
      lines[k] += fmt::format("    {:<{}}", columns[c][k], width);
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) text += line + '\n';
  }
  return text;
}

// The worst of one measure with its pose: "35.2 deg (elbow_L bend 90)".
std::string worst_text(const Quality& quality, double JointQuality::*member, std::string JointQuality::*pose,
                       const char* format, double scale) {
  const JointQuality* worst = nullptr;
  for (const JointQuality& joint : quality.joints) {
    if (joint.*member > (worst == nullptr ? 0 : worst->*member)) worst = &joint;
  }
  if (worst == nullptr) return "none";
  return fmt::format("{} ({})", fmt::format(fmt::runtime(format), scale * worst->*member), worst->*pose);
}

// Shear, areas, normals and how the weights change along the surface.
std::string surface_text(const Quality& quality) {
  const double degrees = degrees_from_radians(1);
  std::string text =
      fmt::format("  shear up to {}; area change up to {}\n",
                  worst_text(quality, &JointQuality::shear, &JointQuality::shear_pose, "{:.1f} deg", degrees),
                  worst_text(quality, &JointQuality::area, &JointQuality::area_pose, "{:.1f} %", 100));
  text += fmt::format("  normals (95 of 100 within): {:.1f} deg off at rest, where joints bend {}\n",
                      degrees * quality.rest_normal_error,
                      worst_text(quality, &JointQuality::normal_error, &JointQuality::normal_error_pose,
                                 "{:.1f} deg", degrees));
  if (const MeshWeightChange* worst = quality.steepest_weights(); worst != nullptr) {
    text +=
        fmt::format("  weights: steepest where all change within {:.2g} % of the size (mesh {}, point {})\n",
                    100 / worst->change.gradient.max, worst->mesh, worst->change.gradient_point);
  }
  if (const MeshWeightChange* worst = quality.worst_seam(); worst != nullptr) {
    text += fmt::format("  seams: weights differ by up to {:.3g} % (mesh {}, point {})\n",
                        100 * worst->change.seam.max, worst->mesh, worst->change.seam_point);
  }
  return text;
}

std::string quality_text(const CheckReport& report) {
  const Quality& quality = *report.quality;
  std::string text = fmt::format("skins in {}, {} of {} ({:.1f} s); the worst:\n", report.method,
                                 counted(quality.pose_count, "pose", "poses"),
                                 counted(quality.joints.size(), "joint", "joints"), report.seconds_quality);
  text += worst_joints(quality);
  text += surface_text(quality);
  text += fmt::format(
      "  at rest {}{}; {} capped\n", quality.is_rest_count_exact ? "" : "at least ",
      counted(quality.rest_intersections, "pair of triangles crosses", "pairs of triangles cross"),
      counted(quality.open_loop_count, "opening", "openings"));
  if (!quality.is_rest_count_exact)
    text += "  new crossings may hold pairs that cross at rest too, as those could not all be listed\n";
  text += fmt::format("  bleed: up to {:.3g} % of a point's weight, {} over {:g} %\n",
                      100 * quality.bleed.share.max, counted(quality.bleed.count, "point", "points"),
                      100 * kVisibleBleed);
  const Symmetry& symmetry = quality.symmetry;
  if (!symmetry.is_judged) return text + "  symmetry: not judged (no sides, or no mirrored points)\n";
  return text +
         fmt::format("  symmetry: weights differ by up to {:.3g} %, {:.2g} % on average; unpaired: {}, {}\n",
                     100 * symmetry.difference.max, 100 * symmetry.difference.mean,
                     counted(symmetry.unpaired_point_count, "point", "points"),
                     counted(symmetry.unpaired_joints.size(), "joint", "joints"));
}

// "clip 'walk' at 0.5 s, pose bend.json, smile=0.5", or "at rest".
std::string pose_text(const DeformReport& report) {
  std::string text = report.clip.empty()
                         ? std::string()
                         : fmt::format("clip {} at {:g} s", quoted_name(report.clip), report.time);
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (!report.pose_file.empty()) add("pose " + report.pose_file);
  for (const NamedValue& shape : report.shapes) add(fmt::format("{}={:g}", shape.name, shape.value));
  return text.empty() ? "at rest" : text;
}

// "quadruped 2.31 (does not fit: 1.20 for ground)".
std::string cost_words(const RigScore& score) {
  if (score.penalties.empty()) return score.name + " does not fit";
  const RigScore::Penalty& most = largest_penalty(score);
  return score.does_fit ? fmt::format("{} {:.2f}", score.name, score.cost)
                        : fmt::format("{} does not fit (one placing costs {:.2f}, {:.2f} of it for {})",
                                      score.name, score.cost, most.cost, most.name);
}

}  // namespace

std::string text_of(const InfoReport& report, bool with_nodes) {
  if (report.cache) {
    const InfoReport::Cache& cache = *report.cache;
    return fmt::format("{}: a vertex cache of {} of {}, {:g} s to {:g} s, {} across\n", report.file,
                       counted(cache.frame_count, "frame", "frames"),
                       counted(cache.point_count, "point", "points"), cache.start, cache.end,
                       size_text(report.box, report.metres_per_unit));
  }
  std::string text =
      fmt::format("{}: {}, {}, {} ({} skinned)\n", report.file, counted(report.node_count, "node", "nodes"),
                  counted(report.root_count, "root", "roots"),
                  counted(report.instance_count, "instance", "instances"), report.skinned_instance_count);
  text += fmt::format("  scene at rest: {}, {}, {}; +Y up, right-handed, 1 unit = {:g} m{}\n",
                      counted(report.point_count, "point", "points"),
                      counted(report.polygon_count, "polygon", "polygons"),
                      size_text(report.box, report.metres_per_unit), report.metres_per_unit,
                      report.is_unit_guessed ? " (guessed)" : "");
  if (report.material_count + report.image_count > 0) {
    text += fmt::format("  {}, {}\n", counted(report.material_count, "material", "materials"),
                        counted(report.image_count, "image", "images"));
  }
  for (std::size_t m = 0; m < report.meshes.size(); ++m) text += mesh_line(m, report.meshes[m]);
  for (std::size_t s = 0; s < report.skins.size(); ++s) {
    const InfoReport::Skin& skin = report.skins[s];
    text += fmt::format("  {}: {}, {} unused, {}\n", numbered("skin", s, skin.name),
                        counted(skin.joint_count, "joint", "joints"), skin.unused_joint_count,
                        skin.rest_from_bind > 1e-3
                            ? fmt::format("rests {:.3g} of its size from its bind pose", skin.rest_from_bind)
                            : std::string("rests as it was bound"));
  }
  for (std::size_t c = 0; c < report.clips.size(); ++c) {
    const InfoReport::Clip& clip = report.clips[c];
    text += fmt::format("  {}: {:.3f} s to {:.3f} s, {}\n", numbered("clip", c, clip.name), clip.start,
                        clip.end, counted(clip.channel_count, "channel", "channels"));
  }
  if (with_nodes) text += node_tree(report);
  if (!report.controls.empty()) text += fmt::format("  controls: {}\n", fmt::join(report.controls, ", "));
  return text + looks_wrong(report);
}

Notes unsaid_notes(const InfoReport& report) {
  Notes unsaid = report.notes;
  std::erase_if(unsaid, [&](const Note& note) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return finding.id == note.id && note.sentence.ends_with(finding.sentence);
    });
  });
  return unsaid;
}

std::string text_of(const CheckReport& report) {
  std::string text =
      fmt::format("{}, profile {}\n", report.output.empty() ? report.input : report.output, report.profile);
  std::map<std::pair<std::string, Severity>, std::size_t> total, shown;
  for (const Finding& finding : report.findings) ++total[{finding.id, finding.severity}];
  for (std::size_t k = 0; k < report.findings.size(); ++k) {
    const Finding& finding = report.findings[k];
    if (k == 0 || finding.severity != report.findings[k - 1].severity)
      text += fmt::format("{}:\n", name_of(finding.severity));
    const std::size_t count = ++shown[{finding.id, finding.severity}];
    const std::size_t all = total[{finding.id, finding.severity}];
    if (count > kMostAlike) continue;
    text += fmt::format("  {}{}{} [{}]\n", place_of(finding), finding.thing.empty() ? "" : ": ",
                        finding.sentence, finding.id);
    if (count == kMostAlike && all > count)
      text += fmt::format("  and {} more like this [{}]\n", all - count, finding.id);
    text += fmt::format("    -> {}\n", finding.advice);
  }
  text += report.quality ? quality_text(report) : "skins: not bent, their quality is not judged\n";
  return text + fmt::format("{}, {}\n", counted(report.error_count, "error", "errors"),
                            counted(report.warning_count, "warning", "warnings"));
}

std::string text_of(const ConvertReport& report) {
  return fmt::format("{} ({}) -> {} ({})\n", report.input, bytes_text(report.input_bytes), report.output,
                     bytes_text(report.output_bytes));
}

std::string text_of(const DeformReport& report) {
  std::string text =
      fmt::format("{}: {} of {} in {}, ", report.output, counted(report.point_count, "point", "points"),
                  counted(report.instance_count, "instance", "instances"), report.method);
  text += pose_text(report);
  return text + fmt::format(" (loaded in {:.0f} ms, posed in {:.0f} ms, saved in {:.0f} ms)\n",
                            report.seconds_loading * 1e3, report.seconds_deforming * 1e3,
                            report.seconds_saving * 1e3);
}

std::string text_of(const BindReport& report) {
  std::string text = fmt::format("{}: {} of {} bound to {} by {}", report.output,
                                 counted(report.point_count, "point", "points"),
                                 counted(report.mesh_count, "mesh", "meshes"),
                                 counted(report.joint_count, "joint", "joints"), report.method);
  text +=
      fmt::format(" (loaded in {:.0f} ms, bound in {:.0f} ms, saved in {:.0f} ms)\n",
                  report.seconds_loading * 1e3, report.seconds_binding * 1e3, report.seconds_saving * 1e3);
  text += "  influences:";
  for (std::size_t k = 1; k < report.points_by_influences.size(); ++k) {
    text += fmt::format("  {}: {:.1f} %", k,
                        100.0 * static_cast<double>(report.points_by_influences[k]) /
                            static_cast<double>(report.point_count));
  }
  text += '\n';
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const BindReport::Idle& idle : report.idle) by_reason[idle.reason].push_back(idle.joint);
  for (const auto& [reason, joints] : by_reason) {
    const std::size_t shown = std::min(joints.size(), kMostAlike);
    const bool is_unfollowed = reason == name_of(IdleReason::unfollowed);
    text += fmt::format("  without weights ({}{}): {}", reason,
                        is_unfollowed ? " in the file; --include NAME takes one" : "",
                        fmt::join(joints.begin(), joints.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    text += shown < joints.size() ? fmt::format(" and {} more\n", joints.size() - shown) : "\n";
  }
  return text;
}

std::string text_of(const RigReport& report) {
  const FoundSkeleton& found = report.skeleton;
  const auto ends = static_cast<std::size_t>(std::count_if(
      found.joints.begin(), found.joints.end(), [](const FoundJoint& joint) { return joint.is_end; }));
  std::string text = fmt::format("{}: skeleton '{}' of {} and {} found, {} bound by {}", report.output,
                                 found.name, counted(found.joints.size() - ends, "joint", "joints"),
                                 counted(ends, "end of a limb", "ends of limbs"),
                                 counted(report.point_count, "point", "points"), report.method);
  text += fmt::format(" (loaded in {:.0f} ms, found in {:.0f} ms, bound in {:.0f} ms, saved in {:.0f} ms)\n",
                      report.seconds_loading * 1e3, report.seconds_rigging * 1e3,
                      report.seconds_binding * 1e3, report.seconds_saving * 1e3);
  if (!found.scores.empty()) {
    text += "  costs:";
    for (const RigScore& score : found.scores) text += fmt::format("  {}", cost_words(score));
    text += '\n';
  }
  if (!report.clip.empty()) {
    text += fmt::format("  moved by {}: clip {} of {:.2f} s, {}\n", report.motion, quoted_name(report.clip),
                        report.figures.seconds, feet_text(report.figures));
  }
  text += fmt::format("  checked: {}, {}", counted(report.error_count, "error", "errors"),
                      counted(report.warning_count, "warning", "warnings"));
  for (const RigReport::Found& rule : report.findings)
    text += fmt::format("{}{} {}", &rule == report.findings.data() ? ": " : ", ", rule.count, rule.rule);
  text += report.findings.empty() ? "\n" : fmt::format("; see dermis check {}\n", shell_word(report.output));
  return text + fmt::format("  see it: dermis render {} {} -o rigged.png\n", shell_word(report.output),
                            report.clip.empty()
                                ? std::string("--joints")
                                : fmt::format("--clip {} --moments 5", shell_word(report.clip)));
}

std::string text_of(const AnimateReport& report) {
  const RetargetFigures& figures = report.figures;
  std::string text =
      fmt::format("{}: clip {} of {:.2f} s, {} at {:g} a second, {} mapped", report.output,
                  quoted_name(report.clip), figures.seconds, counted(figures.frame_count, "frame", "frames"),
                  figures.fps, counted(report.map.size(), "part of the body", "parts of the body"));
  text += fmt::format(" (loaded in {:.0f} ms, retargeted in {:.0f} ms, saved in {:.0f} ms)\n",
                      report.seconds_loading * 1e3, report.seconds_retargeting * 1e3,
                      report.seconds_saving * 1e3);
  text += figures.contact_count == 0
              ? fmt::format("  {}\n", feet_text(figures))
              : fmt::format("  {} of feet: {} ({:.2f} % and {:.2f} % as carried over)\n",
                            counted(figures.contact_count, "contact", "contacts"), feet_text(figures),
                            100 * figures.slide_carried, 100 * figures.sink_carried);
  if (figures.hinge_count > 0) {
    text += fmt::format("  elbows and knees: {} of {} bent moments flipped\n", figures.flipped_count,
                        figures.hinge_count);
  }
  return text + fmt::format("  {} in the file; see it: dermis render {} --clip {} --moments 5 -o {}.png\n",
                            counted(report.clip_count, "clip", "clips"), shell_word(report.output),
                            shell_word(report.clip), "moments");
}

std::string text_of(const BakeReport& report) {
  std::string text = fmt::format(
      "{}: {} of {} in {}, clip {} from {:g} s to {:g} s, {:g} a second (loaded in {:.0f} ms, baked in "
      "{:.0f} "
      "ms)\n",
      report.output, counted(report.frame_count, "frame", "frames"),
      counted(report.point_count, "point", "points"), report.method, quoted_name(report.clip), report.from,
      report.to, report.fps, report.seconds_loading * 1e3, report.seconds_baking * 1e3);
  constexpr std::size_t kMostShown = 12;  // a sequence may have thousands
  if (report.files.size() > kMostShown)
    return text + fmt::format("  {} ... {}: {} files\n", report.files.front(), report.files.back(),
                              report.files.size());
  for (const std::string& file : report.files) text += fmt::format("  {}\n", file);
  return text;
}

std::string text_of(const CompareReport& report) {
  const PointDistance& d = report.distance;
  const double size = d.diagonal > 0 ? d.diagonal : 1.0;
  std::string text = fmt::format("{} and {}: {} and {} points, {}\n", report.inputs[0], report.inputs[1],
                                 report.point_count[0], report.point_count[1],
                                 d.in_order ? "compared point by point" : "compared with the nearest");
  const auto method = [&](std::size_t k) {
    const char* none = report.sequence ? "none (a cache)" : "none (no skin)";
    return report.methods[k].empty() ? std::string(none) : report.methods[k];
  };
  if (report.sequence)
    text += fmt::format("  {}, all measured\n", counted(report.sequence->times.size(), "frame", "frames"));
  text += method(0) == method(1) ? fmt::format("  method {}\n", method(0))
                                 : fmt::format("  methods {} and {}\n", method(0), method(1));
  text += fmt::format("  max  {:.6g} ({:.4g} % of the diagonal) at {} of {}\n", d.max, 100 * d.max / size,
                      report.worst_place, report.inputs[d.is_worst_in_second ? 1 : 0]);
  text += fmt::format("  rms  {:.6g} ({:.4g} %)\n  mean {:.6g} ({:.4g} %)\n", d.rms, 100 * d.rms / size,
                      d.mean, 100 * d.mean / size);
  if (report.max_weight_difference) {
    text += fmt::format("  weights differ by at most {:.4g}, on average {:.4g} a point\n",
                        *report.max_weight_difference, *report.mean_weight_difference);
  }
  if (report.e_rms) text += fmt::format("  E_RMS {:.4g}, KG {:.4g} %\n", *report.e_rms, *report.kg);
  if (report.volumes) {
    const auto [first, second] = *report.volumes;
    text += fmt::format("  volumes {:.6g} and {:.6g}{}\n", first, second,
                        first == 0 ? "" : fmt::format(" ({:+.3g} %)", 100 * (second / first - 1)));
  }
  if (report.surface) {
    text += fmt::format("  surface: edges change by up to {:.3g} %, shear {:.3g} deg, areas {:.3g} %\n",
                        100 * report.surface->edge, degrees_from_radians(report.surface->shear),
                        100 * report.surface->area);
  }
  if (report.normal_errors) {
    text += fmt::format("  normals (95 of 100 within): {:.3g} and {:.3g} deg off their polygons\n",
                        degrees_from_radians((*report.normal_errors)[0]),
                        degrees_from_radians((*report.normal_errors)[1]));
  }
  if (report.limit) {
    text += fmt::format("  {} the limit of {:g} %\n", report.is_within_limit ? "within" : "over",
                        *report.limit * 100);
  }
  return text;
}

std::string text_of(const RenderReport& report) {
  const std::string more =
      report.files.size() > 1 ? fmt::format(" and {} more", report.files.size() - 1) : std::string();
  std::string text = fmt::format("{}{}: {} x {}, {} in {}, by {}", report.files.front(), more, report.width,
                                 report.height, counted(report.triangle_count, "triangle", "triangles"),
                                 report.frame_count > 0 ? counted(report.frame_count, "frame", "frames")
                                                        : counted(report.pose_count, "pose", "poses"),
                                 fmt::join(report.methods, ", "));
  if (report.heat_max)
    text += fmt::format(", painted values up to {:.4g}{}{}", *report.heat_max,
                        report.heat_unit.empty() ? "" : " ", report.heat_unit);
  return text + fmt::format(" (loading {:.2f} s, posing {:.2f} s, rendering {:.2f} s)\n",
                            report.seconds_loading, report.seconds_posing, report.seconds_rendering);
}

std::string text_of(const MakeReport& report) {
  return fmt::format(
      "{}: {} with {}, {}, {}{}, clip '{}' of {:.1f} s (made in {:.2f} s)\n", report.output, report.kind,
      counted(report.point_count, "point", "points"), counted(report.polygon_count, "polygon", "polygons"),
      counted(report.joint_count, "joint", "joints"),
      report.shape_count > 0 ? fmt::format(", {}", counted(report.shape_count, "shape", "shapes"))
                             : std::string(),
      report.clip, report.clip_seconds, report.seconds_making);
}

std::string text_of(const DemoReport& report) {
  std::string text = fmt::format(
      "A bare humanoid of {} points: skeleton '{}' of {} joints found in {:.0f} ms, bound in {:.0f} ms, "
      "walking for "
      "{:.1f} s; posed at {:.2f} s by each method:\n",
      report.point_count, report.skeleton, report.joint_count, report.seconds_rigging * 1e3,
      report.seconds_binding * 1e3, report.clip_seconds, report.posed_at);
  for (const DemoReport::Posed& posed : report.posed) {
    text += fmt::format(
        "  {:<18} up to {:5.2f} % of its size from lbs; prepared in {:.0f} ms, posed in {:.1f} ms\n",
        posed.method, 100 * posed.from_linear, posed.seconds_preparing * 1e3, posed.seconds_posing * 1e3);
  }
  text += "\nFiles:\n";
  for (const std::string& file : report.files) text += fmt::format("  {}\n", file);
  text += "\nTry next:\n";
  for (const std::string& command : report.next) text += fmt::format("  ./{}\n", command);
  return text;
}

std::string check_tables() {
  std::string text = "| finding | severity | meaning | what to do | --fix |\n|---|---|---|---|---|\n";
  for (const CheckRule& rule : check_rules()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.id, name_of(rule.severity), rule.meaning,
                        rule.advice, rule.mending);
  }
  text += "\n| profile | asks for | documented in |\n|---|---|---|\n";
  for (const CheckProfile& profile : check_profiles())
    text += fmt::format("| `{}` | {} | {} |\n", profile.name, profile.rules, profile.source);
  return text;
}

std::string method_table() {
  std::string text =
      "| stage | phase | options | keeps | breaks | scalars per joint | cost | paper "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const StageRow& row : methods()) {
    std::string options;
    for (const StageOption& option : row.options) {
      options += fmt::format("{}`{}`, {:g} to {:g}{}", options.empty() ? "" : "; ", option.name, option.least,
                             option.most, option.fallback ? fmt::format(" ({:g})", *option.fallback) : "");
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", row.name, name_of(row.phase),
                        options, row.keeps, row.breaks, row.scalars_per_joint, row.cost, row.paper);
  }
  return text;
}

std::string bind_method_table() {
  std::string text = "| method | idea | suits | limits | paper |\n|---|---|---|---|---|\n";
  for (const BindMethodRow& row : bind_methods())
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, row.idea, row.suits, row.limits, row.paper);
  return text;
}

std::string motion_table() {
  std::string text = "| motion | what it is |\n|---|---|\n";
  for (const MadeMotionRow& row : made_motions())
    text += fmt::format("| `{}` | {} |\n", row.name, row.summary);
  return text;
}

std::string role_table() {
  std::string text = "| role | joints | found by |\n|---|---|---|\n";
  for (const RoleRow& row : joint_roles()) {
    const std::string_view words = row.words;
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.is_chain ? "several" : "one",
                        words.empty() ? "place" : words);
  }
  return text;
}

std::string format_table() {
  std::string text;
  for (const FormatRow& row : formats()) {
    const std::string_view reads = row.reads, writes = row.writes;
    text += fmt::format("{}\n  {}\n  reads:  {}\n  writes: {}\n  limits: {}\n", row.name, row.extensions,
                        reads.empty() ? "-" : reads, writes.empty() ? "-" : writes, row.limits);
  }
  return text;
}

}  // namespace dermis::cli
