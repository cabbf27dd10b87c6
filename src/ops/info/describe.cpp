// SPDX-License-Identifier: MIT
// What info reports, described.
#include "dermis/ops/inspect.h"
#include "dermis/ops/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ops/report/words.h"

namespace dermis {
namespace {

// Two spaces per level, parents before children, in file order. Uses a list, not recursion: chains can be
// long.
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
    text += fmt::format(
        "    {:{}}{}{}{}\n", "", 2 * std::min(depth, kDeepest), node.label,
        is_numbered && !node.name.empty() ? fmt::format(" {}", quoted_name(node.name)) : std::string(),
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
  text += fmt::format("    {}see dermis check {} for what to do\n",
                      unsaid > 0 ? fmt::format("and {} more; ", unsaid) : "", report.input);
  return text;
}

// "'body'" after "mesh 3", nothing for one without a name.
void say_name(ReportFields& fields, const std::string& name) {
  if (!name.empty()) fields.say_words([&] { return fmt::format(" {}", quoted_name(name)); });
}

void say_mesh(ReportFields& fields, const InfoReport::Mesh& mesh) {
  fields.say("  mesh {#}");
  say_name(fields, mesh.name);
  fields.say(": {points} ({welded_points} welded), {polygons}");
  fields.say_if(mesh.part_count > 1, ", {parts}");
  fields.say_if(mesh.instance_count != 1, ", shown {instances} times");
  fields.say(mesh.has_normals ? ", normals" : ", no normals");
  fields.say_if(mesh.has_tangents, ", tangents");
  fields.say_if(mesh.uv_set_count > 0, ", {uv_sets}");
  fields.say_if(mesh.colour_set_count > 0, ", {colour_sets}");
  fields.say_if(mesh.has_dqs_share, ", shares of dqs");
  fields.say("\n");
  if (mesh.polygon_count > 0) {
    fields.say("    surface: {shells}, ");
    fields.say(mesh.is_closed ? "closed" : "{open_edges}");
    fields.say_if(mesh.nonmanifold_edge_count > 0, ", {nonmanifold_edges}");
    fields.say("\n");
  }
  if (!mesh.points_by_influences.empty()) {
    fields.say_words([&] {
      return fmt::format("    influences:{}\n", influences_text(mesh.points_by_influences, mesh.point_count));
    });
  }
  constexpr std::size_t kMostShapes = 60;  // a baked clip has hundreds
  if (!mesh.shapes.empty())
    fields.say_words([&] { return fmt::format("    shapes: {}\n", first_of(mesh.shapes, kMostShapes)); });
}

void describe_mesh(ReportFields& fields, const InfoReport::Mesh& mesh) {
  say_mesh(fields, mesh);
  fields.add("name", mesh.name, "as in the file");
  fields.add("points", mesh.point_count, "points of the file", counted_as("point", "points"));
  fields.add("welded_points", mesh.welded_point_count, "different places of points");
  fields.add("polygons", mesh.polygon_count, "polygons of any size", counted_as("polygon", "polygons"));
  fields.add("parts", mesh.part_count, "pieces, one per material", counted_as("part", "parts"));
  fields.add("instances", mesh.instance_count, "how often the scene shows it");
  fields.add("has_normals", mesh.has_normals, "its points have normals");
  fields.add("has_tangents", mesh.has_tangents, "its points have tangents");
  fields.add("has_dqs_share", mesh.has_dqs_share, "its points have shares of lbs_dqs");
  fields.add("uv_sets", mesh.uv_set_count, "sets of texture coordinates", counted_as("UV set", "UV sets"));
  fields.add("colour_sets", mesh.colour_set_count, "sets of colours",
             counted_as("colour set", "colour sets"));
  fields.add("shapes", mesh.shapes, "names of its blend shapes");
  fields.add("points_by_influences", mesh.points_by_influences,
             "entry k: points with k influences; empty: no weights");
  fields.add("shells", mesh.shell_count, "connected pieces of the surface", counted_as("shell", "shells"));
  fields.add("open_edges", mesh.open_edge_count, "edges with one polygon",
             counted_as("open edge", "open edges"));
  fields.add("nonmanifold_edges", mesh.nonmanifold_edge_count, "edges with more than two polygons",
             counted_as("non-manifold edge", "non-manifold edges"));
  fields.add("is_closed", mesh.is_closed, "the surface has no open edges");
}

void describe_skin(ReportFields& fields, const InfoReport::Skin& skin) {
  constexpr double kVisibleGap = 1e-3;
  fields.say("  skin {#}");
  say_name(fields, skin.name);
  fields.say(": {joints}, {unused_joints} unused, ");
  fields.say(skin.rest_from_bind > kVisibleGap ? "rests {rest_from_bind} of its size from its bind pose\n"
                                               : "rests as it was bound\n");
  fields.add("name", skin.name, "as in the file");
  fields.add("joints", skin.joint_count, "its slots", counted_as("joint", "joints"));
  fields.add("unused_joints", skin.unused_joint_count, "joints that no point follows");
  fields.add("rest_from_bind", skin.rest_from_bind,
             "how far the rest pose is from the bind pose, as a fraction of the diagonal",
             scaled_as(1, "{:.3g}"));
}

void describe_clip(ReportFields& fields, const InfoReport::Clip& clip) {
  fields.say("  clip {#}");
  say_name(fields, clip.name);
  fields.say(": {start} to {end}, {channels}\n");
  fields.add("name", clip.name, "as in the file");
  fields.add("start", clip.start, "seconds", scaled_as(1, "{:.3f} s"));
  fields.add("end", clip.end, "seconds", scaled_as(1, "{:.3f} s"));
  fields.add("channels", clip.channel_count, "animated values of nodes and shapes",
             counted_as("channel", "channels"));
}

void describe_driven(ReportFields& fields, const char* kind, const InfoReport::Driven& driven) {
  fields.say(kind == std::string_view("driver")       ? "  driver {name}: {does}\n"
             : kind == std::string_view("pose space") ? "  pose space {name}: {does}\n"
                                                      : "  rule of shape {name}: {does}\n");
  fields.add("name", driven.name, "of the driver or pose space; the label of the shape of a rule");
  fields.add("does", driven.words, "what it does, in words");
}

void describe_node(ReportFields& fields, const InfoReport::Node& node) {
  fields.add("label", node.label, "its name in pose files");
  fields.add("name", node.name, "as in the file");
  fields.add("parent", node.parent, "index of its parent; -1: none");
  fields.add("is_joint", node.is_joint, "a skin names it");
}

void say_scene(ReportFields& fields, const InfoReport& report) {
  if (report.cache) {
    fields.say("{file}: a vertex cache of {cache.frames} of {cache.points}, {cache.start} to {cache.end}, ");
    fields.say_words([&] { return size_text(report.box, report.metres_per_unit) + " across\n"; });
    return;
  }
  fields.say("{file}: {nodes}, {roots}, {instances} ({skinned_instances} skinned)\n");
  fields.say("  scene at rest: {points}, {polygons}, ");
  fields.say_words([&] { return size_text(report.box, report.metres_per_unit); });
  fields.say("; +Y up, right-handed, 1 unit = {metres_per_unit} m");
  fields.say(report.is_unit_guessed ? " (guessed)\n" : "\n");
  fields.say_if(report.material_count + report.image_count > 0, "  {materials}, {images}\n");
}

}  // namespace

void describe(ReportFields& fields, const InfoReport& report) {
  say_scene(fields, report);
  fields.add("file", report.input, "the file, as given");
  fields.add_object_if("cache", report.cache.has_value(), "the file is a vertex cache", [&] {
    const InfoReport::Cache cache = report.cache.value_or(InfoReport::Cache{});
    fields.add("frames", cache.frame_count, "frames", counted_as("frame", "frames"));
    fields.add("points", cache.point_count, "points per frame", counted_as("point", "points"));
    fields.add("start", cache.start, "seconds", scaled_as(1, "{:g} s"));
    fields.add("end", cache.end, "seconds", scaled_as(1, "{:g} s"));
  });
  fields.add("nodes", report.node_count, "nodes of the file", counted_as("node", "nodes"));
  fields.add_list("node_list", report.nodes, "all nodes, in file order", {},
                  [&](const InfoReport::Node& node) { describe_node(fields, node); });
  fields.add("roots", report.root_count, "nodes without a parent", counted_as("root", "roots"));
  fields.add("instances", report.instance_count, "places that show a mesh",
             counted_as("instance", "instances"));
  fields.add("skinned_instances", report.skinned_instance_count, "those with a skin");
  fields.add("points", report.point_count, "points of the scene, once per instance",
             counted_as("point", "points"));
  fields.add("polygons", report.polygon_count, "polygons of the scene, once per instance",
             counted_as("polygon", "polygons"));
  fields.add("metres_per_unit", report.metres_per_unit, "length of a unit of the file");
  fields.add("is_unit_guessed", report.is_unit_guessed, "the file does not state it");
  fields.add_object("axes", "of the loaded scene, the same for every file", [&] {
    fields.add("up", "+Y", "the axis that is up");
    fields.add("handedness", "right", "of the axes");
  });
  fields.add("box", report.box, "of the scene at rest, in world space; for a cache, over all frames");
  fields.add_list("meshes", report.meshes, "in file order", {},
                  [&](const InfoReport::Mesh& mesh) { describe_mesh(fields, mesh); });
  fields.add_list("skins", report.skins, "in file order", {},
                  [&](const InfoReport::Skin& skin) { describe_skin(fields, skin); });
  fields.add_list("clips", report.clips, "in file order", {},
                  [&](const InfoReport::Clip& clip) { describe_clip(fields, clip); });
  if (!report.cache) fields.say_details([&] { return node_tree(report); });
  fields.say_if(!report.controls.empty(), "  controls: {controls}\n");
  const auto add_driven_list = [&](const char* key, const std::vector<InfoReport::Driven>& list,
                                   const char* kind, const char* meaning) {
    fields.add_list(key, list, meaning, {},
                    [&](const InfoReport::Driven& one) { describe_driven(fields, kind, one); });
  };
  add_driven_list("drivers", report.drivers, "driver", "drivers, in file order");
  add_driven_list("shape_rules", report.shape_rules, "rule of shape", "limits and in-betweens of shapes");
  add_driven_list("pose_spaces", report.pose_spaces, "pose space", "correctives by pose");
  if (!report.cache) fields.say_words([&] { return looks_wrong(report); });
  fields.add("controls", report.controls, "names of the controls that drive shapes and nodes");
  fields.add("materials", report.material_count, "materials of the file",
             counted_as("material", "materials"));
  fields.add("images", report.image_count, "images of the file", counted_as("image", "images"));
  fields.add("findings", report.findings, "errors and warnings, worst first");
  fields.add("notes", report.notes, kNotesMeaning);
}

}  // namespace dermis
