// SPDX-License-Identifier: MIT
// Reports as JSON, in one envelope for all verbs.
#include <nlohmann/json.hpp>

#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/convert.h"
#include "dermis/ops/demo.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/json.h"
#include "dermis/ops/methods.h"
#include "dermis/ops/pose.h"
#include "dermis/ops/render.h"
#include "dermis/ops/rig.h"
#include "dermis/ops/weights.h"

namespace dermis {
namespace {

using Json = nlohmann::ordered_json;

Json envelope(std::string_view verb) {
  return {{"schema", kJsonSchema}, {"verb", verb}, {"version", version()}};
}

Json json_of(const Notes& notes) {
  Json list = Json::array();
  for (const Note& note : notes)
    list.push_back({{"kind", name_of(note.kind)}, {"id", note.id}, {"sentence", note.sentence}});
  return list;
}

Json json_of(const Vec3d& v) { return Json::array({v.x, v.y, v.z}); }
Json json_of(const Box& box) {
  if (box.is_empty()) return nullptr;
  return {{"min", json_of(box.lower)}, {"max", json_of(box.upper)}, {"diagonal", box.diagonal()}};
}

Json index_or_null(Index index) { return index == kNone ? Json() : Json(index); }

Json json_of(const Finding& finding) {
  Json where = {{"thing", finding.thing.empty() ? Json("file") : Json(finding.thing)},
                {"index", index_or_null(finding.index)},
                {"name", finding.name},
                {"point", index_or_null(finding.point)},
                {"polygon", index_or_null(finding.polygon)},
                {"node", index_or_null(finding.node)}};
  return {{"id", finding.id},
          {"rule", finding.rule},
          {"severity", name_of(finding.severity)},
          {"where", std::move(where)},
          {"count", finding.count > 0 ? Json(finding.count) : Json()},
          {"figure", finding.figure ? Json(*finding.figure) : Json()},
          {"sentence", finding.sentence},
          {"advice", finding.advice},
          {"is_mendable", finding.is_mendable}};
}
Json json_of(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(json_of(finding));
  return list;
}

Json json_of(const Spread& spread) {
  return {{"max", spread.max}, {"mean", spread.mean}, {"p95", spread.p95}, {"count", spread.count}};
}

Json json_of(const JointQuality& joint) {
  return {{"node", joint.node},
          {"label", joint.label},
          {"strain",
           {{"max", joint.strain},
            {"pose", joint.strain_pose},
            {"instance", index_or_null(joint.strain_instance)},
            {"point", index_or_null(joint.strain_point)}}},
          {"shear", {{"max", joint.shear}, {"pose", joint.shear_pose}}},
          {"area", {{"max", joint.area}, {"pose", joint.area_pose}}},
          {"normal_error", {{"p95", joint.normal_error}, {"pose", joint.normal_error_pose}}},
          {"volume",
           {{"loss", joint.volume_loss}, {"pose", joint.volume_loss_pose}, {"gain", joint.volume_gain}}},
          {"new_intersections",
           {{"count", joint.new_intersections},
            {"is_lower_bound", !joint.is_intersection_count_exact},
            {"pose", joint.intersections_pose}}}};
}

// The joint that does worst by one measure, or null where none does anything.
template <class Number>
Json worst_label(const std::vector<JointQuality>& joints, Number JointQuality::*member) {
  const JointQuality* worst = nullptr;
  for (const JointQuality& joint : joints) {
    if (joint.*member > (worst == nullptr ? Number{} : worst->*member)) worst = &joint;
  }
  return worst == nullptr ? Json() : Json(worst->label);
}

Json json_of(const Quality& quality) {
  Json joints = Json::array();
  for (const JointQuality& joint : quality.joints) joints.push_back(json_of(joint));
  Json weights = Json::array();
  for (const auto& [mesh, change] : quality.weights) {
    weights.push_back({{"mesh", mesh},
                       {"gradient", json_of(change.gradient)},
                       {"gradient_point", index_or_null(change.gradient_point)},
                       {"seam", json_of(change.seam)},
                       {"seam_point", index_or_null(change.seam_point)}});
  }
  const Coverage& coverage = quality.coverage;
  const Bleed& bleed = quality.bleed;
  const Symmetry& symmetry = quality.symmetry;
  return {{"poses", quality.pose_count},
          {"max_strain", quality.max_strain()},
          {"max_shear", quality.max_shear()},
          {"max_area_change", quality.max_area_change()},
          {"max_normal_error", quality.max_normal_error()},
          {"rest_normal_error", quality.rest_normal_error},
          {"max_volume_loss", quality.has_volume ? Json(quality.max_volume_loss()) : Json()},
          {"max_new_intersections", quality.max_new_intersections()},
          {"rest_intersections", quality.rest_intersections},
          {"is_rest_count_lower_bound", !quality.is_rest_count_exact},
          {"are_intersections_complete", quality.is_rest_count_exact && quality.are_new_counts_exact()},
          {"open_loops", quality.open_loop_count},
          {"coverage",
           {{"points", coverage.point_count},
            {"torn_points", coverage.torn_point_count},
            {"joints", coverage.joint_count},
            {"idle_joints", coverage.idle_joint_count},
            {"faint_joints", coverage.faint_joints}}},
          {"bleed",
           {{"share", json_of(bleed.share)},
            {"visible_points", bleed.count},
            {"mesh", index_or_null(bleed.mesh)},
            {"point", index_or_null(bleed.point)},
            {"heaviest_node", index_or_null(bleed.heaviest_node)},
            {"far_node", index_or_null(bleed.far_node)}}},
          {"symmetry",
           {{"is_judged", symmetry.is_judged},
            {"difference", json_of(symmetry.difference)},
            {"mesh", index_or_null(symmetry.mesh)},
            {"point", index_or_null(symmetry.point)},
            {"unpaired_points", symmetry.unpaired_point_count},
            {"unpaired_joints", symmetry.unpaired_joints}}},
          {"worst",
           {{"strain", worst_label(quality.joints, &JointQuality::strain)},
            {"shear", worst_label(quality.joints, &JointQuality::shear)},
            {"area", worst_label(quality.joints, &JointQuality::area)},
            {"volume_loss", worst_label(quality.joints, &JointQuality::volume_loss)},
            {"normal_error", worst_label(quality.joints, &JointQuality::normal_error)},
            {"new_intersections", worst_label(quality.joints, &JointQuality::new_intersections)}}},
          {"weights", std::move(weights)},
          {"joints", std::move(joints)}};
}

Json json_of(const PoseError& error) { return {{"rms", error.rms}, {"max", error.max}}; }

Json json_of(const WeightsReport::Mesh& mesh) {
  Json json = {{"index", mesh.index},
               {"name", mesh.name},
               {"points", mesh.point_count},
               {"changed_points", mesh.changed_point_count},
               {"max_change", mesh.max_change},
               {"mean_change", mesh.mean_change},
               {"worst_point", index_or_null(mesh.worst_point)},
               {"longest_before", mesh.longest_before},
               {"longest_after", mesh.longest_after}};
  if (mesh.limited) {
    json["limited"] = {{"points", mesh.limited->limited_count},
                       {"over", mesh.limited->over_count},
                       {"poses", mesh.limited->pose_count},
                       {"pose_error", json_of(mesh.limited->refitted)},
                       {"pose_error_cut", json_of(mesh.limited->cut)}};
  }
  if (mesh.mirrored) {
    json["mirrored"] = {{"points", mesh.mirrored->mirrored_count},
                        {"middle_points", mesh.mirrored->middle_count},
                        {"paired_by_topology", mesh.mirrored->walked_count},
                        {"from_other_meshes", mesh.mirrored->other_mesh_count},
                        {"unpaired_points", mesh.mirrored->unpaired},
                        {"unpaired_slots", mesh.mirrored->unpaired_slots}};
  }
  if (mesh.transferred) {
    json["transferred"] = {{"matched", mesh.transferred->matched_count},
                           {"inpainted", mesh.transferred->inpainted_count},
                           {"harmonic", mesh.transferred->harmonic_count},
                           {"nearest", mesh.transferred->nearest_count},
                           {"nearest_islands", mesh.transferred->nearest_island_count}};
  }
  if (mesh.polygon_count) json["polygons"] = *mesh.polygon_count;
  return json;
}

// Names come from files and may be cut inside a character by nobody: they were checked as UTF-8 on loading.
// Paths come from the shell and may be anything, so what is not UTF-8 is replaced.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const InfoReport& report) {
  Json json = envelope("info");
  json["file"] = report.file;
  if (report.cache) {
    json["cache"] = {{"frames", report.cache->frame_count},
                     {"points", report.cache->point_count},
                     {"start", report.cache->start},
                     {"end", report.cache->end}};
  }
  json["nodes"] = report.node_count;
  json["node_list"] = Json::array();
  for (const auto& node : report.nodes) {
    json["node_list"].push_back(
        {{"label", node.label}, {"name", node.name}, {"parent", node.parent}, {"is_joint", node.is_joint}});
  }
  json["roots"] = report.root_count;
  json["instances"] = report.instance_count;
  json["skinned_instances"] = report.skinned_instance_count;
  json["points"] = report.point_count;
  json["polygons"] = report.polygon_count;
  json["metres_per_unit"] = report.metres_per_unit;
  json["is_unit_guessed"] = report.is_unit_guessed;
  json["axes"] = {{"up", "+Y"}, {"handedness", "right"}};
  json["box"] = json_of(report.box);
  json["meshes"] = Json::array();
  for (const auto& mesh : report.meshes) {
    json["meshes"].push_back({{"name", mesh.name},
                              {"points", mesh.point_count},
                              {"welded_points", mesh.welded_point_count},
                              {"polygons", mesh.polygon_count},
                              {"parts", mesh.part_count},
                              {"instances", mesh.instance_count},
                              {"has_normals", mesh.has_normals},
                              {"has_tangents", mesh.has_tangents},
                              {"has_dqs_share", mesh.has_dqs_share},
                              {"uv_sets", mesh.uv_set_count},
                              {"colour_sets", mesh.colour_set_count},
                              {"shapes", mesh.shapes},
                              {"points_by_influences", mesh.points_by_influences},
                              {"shells", mesh.shell_count},
                              {"open_edges", mesh.open_edge_count},
                              {"nonmanifold_edges", mesh.nonmanifold_edge_count},
                              {"is_closed", mesh.is_closed}});
  }
  json["skins"] = Json::array();
  for (const auto& skin : report.skins) {
    json["skins"].push_back({{"name", skin.name},
                             {"joints", skin.joint_count},
                             {"unused_joints", skin.unused_joint_count},
                             {"rest_from_bind", skin.rest_from_bind}});
  }
  json["clips"] = Json::array();
  for (const auto& clip : report.clips) {
    json["clips"].push_back(
        {{"name", clip.name}, {"start", clip.start}, {"end", clip.end}, {"channels", clip.channel_count}});
  }
  json["controls"] = report.controls;
  json["materials"] = report.material_count;
  json["images"] = report.image_count;
  json["findings"] = json_of(report.findings);
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const CheckReport& report) {
  Json json = envelope("check");
  json["file"] = report.input;
  json["output"] = report.output.empty() ? Json() : Json(report.output);
  json["profile"] = report.profile;
  json["errors"] = report.error_count;
  json["warnings"] = report.warning_count;
  json["mended"] = report.mended_count;
  json["findings"] = json_of(report.findings);
  json["quality"] = nullptr;
  if (report.quality) {
    json["quality"] = {{"method", report.method}, {"seconds", report.seconds_quality}};
    json["quality"].update(json_of(*report.quality));
  }
  json["seconds"] = {{"loading", report.seconds_loading}, {"checking", report.seconds_checking}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const ConvertReport& report) {
  Json json = envelope("convert");
  json["input"] = report.input;
  json["output"] = report.output;
  json["input_bytes"] = report.input_bytes;
  json["output_bytes"] = report.output_bytes;
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const DeformReport& report) {
  Json json = envelope("deform");
  json["input"] = report.input;
  json["output"] = report.output;
  json["clip"] = report.clip.empty() ? Json() : Json(report.clip);
  json["time"] = report.time;
  json["pose_file"] = report.pose_file.empty() ? Json() : Json(report.pose_file);
  json["shapes"] = Json::object();
  for (const NamedValue& shape : report.shapes) json["shapes"][shape.name] = shape.value;
  json["method"] = report.method;
  json["instances"] = report.instance_count;
  json["points"] = report.point_count;
  json["polygons"] = report.polygon_count;
  json["box"] = json_of(report.box);
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"deforming", report.seconds_deforming},
                     {"saving", report.seconds_saving}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const BindReport& report) {
  Json json = envelope("bind");
  json["input"] = report.input;
  json["output"] = report.output;
  json["skeleton"] = report.skeleton;
  json["method"] = report.method;
  json["meshes"] = report.mesh_count;
  json["points"] = report.point_count;
  json["shells"] = report.shell_count;
  json["max_influences"] = report.max_influences;
  json["joints"] = report.joint_count;
  json["idle"] = Json::array();
  for (const BindReport::Idle& idle : report.idle)
    json["idle"].push_back({{"joint", idle.joint}, {"reason", idle.reason}});
  json["points_by_influences"] = report.points_by_influences;
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"binding", report.seconds_binding},
                     {"saving", report.seconds_saving}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const RigReport& report) {
  const FoundSkeleton& found = report.skeleton;
  const auto numbers = [](const Vec3d& v) { return Json::array({v.x, v.y, v.z}); };
  Json json = envelope("rig");
  json["input"] = report.input;
  json["output"] = report.output;
  json["template"] = found.name;
  json["left"] = numbers(found.left);
  json["up"] = numbers(found.up);
  json["front"] = numbers(found.front);
  json["symmetry"] = found.symmetry;
  json["size"] = found.size;
  json["joints"] = Json::array();
  for (const FoundJoint& joint : found.joints)
    json["joints"].push_back(
        {{"name", joint.name},
         {"parent",
          joint.parent == kNone ? Json() : Json(found.joints[static_cast<std::size_t>(joint.parent)].name)},
         {"at", numbers(joint.at)},
         {"radius", joint.radius},
         {"is_end", joint.is_end}});
  json["scores"] = Json::array();
  for (const RigScore& score : found.scores) {
    Json row = {{"template", score.name},
                {"fits", score.does_fit},
                {"cost", score.penalties.empty() ? Json() : Json(score.cost)}};
    for (const RigScore::Penalty& penalty : score.penalties) row["penalties"][penalty.name] = penalty.cost;
    json["scores"].push_back(std::move(row));
  }
  json["spheres"] = found.map.balls.size();
  json["meshes"] = report.mesh_count;
  json["points"] = report.point_count;
  json["method"] = report.method;
  json["bound_joints"] = report.bound_joint_count;
  json["motion"] = report.clip.empty() ? Json()
                                       : Json{{"source", report.motion},
                                              {"clip", report.clip},
                                              {"duration", report.figures.seconds},
                                              {"contacts", report.figures.contact_count},
                                              {"slide", report.figures.slide},
                                              {"sink", report.figures.sink},
                                              {"flipped", report.figures.flipped_count}};
  json["check"] = {{"errors", report.error_count}, {"warnings", report.warning_count}};
  json["check"]["findings"] = Json::array();
  for (const RigReport::Found& rule : report.findings)
    json["check"]["findings"].push_back(
        {{"rule", rule.rule}, {"severity", name_of(rule.severity)}, {"count", rule.count}});
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"rigging", report.seconds_rigging},
                     {"binding", report.seconds_binding},
                     {"moving", report.seconds_moving},
                     {"saving", report.seconds_saving}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const AnimateReport& report) {
  const RetargetFigures& figures = report.figures;
  Json json = envelope("animate");
  json["input"] = report.input;
  json["output"] = report.output;
  json["motion"] = report.motion;
  json["source_clip"] = report.source_clip;
  json["clip"] = report.clip;
  json["clips"] = report.clip_count;
  json["fps"] = figures.fps;
  json["frames"] = figures.frame_count;
  json["duration"] = figures.seconds;
  json["scale"] = figures.scale;
  json["height"] = figures.height;
  json["t_pose_left_out"] = figures.has_t_pose;
  json["feet"] = {{"contacts", figures.contact_count},
                  {"slide_carried", figures.slide_carried},
                  {"slide", figures.slide},
                  {"sink_carried", figures.sink_carried},
                  {"sink", figures.sink}};
  json["hinges"] = {{"bent", figures.hinge_count}, {"flipped", figures.flipped_count}};
  json["map"] = Json::array();
  for (const MotionMapRow& row : report.map)
    json["map"].push_back({{"role", row.role.empty() ? Json() : Json(row.role)},
                           {"source", row.source},
                           {"target", row.target}});
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"retargeting", report.seconds_retargeting},
                     {"saving", report.seconds_saving}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const BakeReport& report) {
  Json json = envelope("bake");
  json["input"] = report.input;
  json["output"] = report.output;
  json["clip"] = report.clip;
  json["method"] = report.method;
  json["fps"] = report.fps;
  json["from"] = report.from;
  json["to"] = report.to;
  json["frames"] = report.frame_count;
  json["instances"] = report.instance_count;
  json["points"] = report.point_count;
  json["files"] = report.files;
  json["seconds"] = {{"loading", report.seconds_loading}, {"baking", report.seconds_baking}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const CompareReport& report) {
  const PointDistance& distance = report.distance;
  const double size = distance.diagonal > 0 ? distance.diagonal : 1.0;
  Json json = envelope("compare");
  json["inputs"] = report.inputs;
  for (const std::string& method : report.methods)
    json["methods"].push_back(method.empty() ? Json() : Json(method));
  json["points"] = report.point_count;
  json["in_order"] = distance.in_order;
  json["max"] = distance.max;
  json["rms"] = distance.rms;
  json["mean"] = distance.mean;
  json["diagonal"] = distance.diagonal;
  json["max_relative"] = distance.max / size;
  json["rms_relative"] = distance.rms / size;
  json["worst"] = {{"place", report.worst_place},
                   {"input", report.inputs[distance.is_worst_in_second ? 1 : 0]}};
  if (report.max_weight_difference) {
    json["weights"] = {{"max", *report.max_weight_difference}, {"mean", *report.mean_weight_difference}};
  }
  if (report.e_rms) {
    json["e_rms"] = *report.e_rms;
    json["kg"] = *report.kg;
  }
  if (report.sequence) {
    json["frames"] = {{"count", report.sequence->times.size()},
                      {"worst", report.sequence->worst_frame},
                      {"times", report.sequence->times},
                      {"max", report.sequence->max}};
  }
  if (report.volumes) json["volumes"] = *report.volumes;
  if (report.surface) {
    json["surface"] = {{"max_strain", report.surface->edge},
                       {"max_shear", report.surface->shear},
                       {"max_area_change", report.surface->area}};
  }
  if (report.normal_errors) json["normal_errors"] = *report.normal_errors;
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"posing", report.seconds_posing},
                     {"measuring", report.seconds_measuring}};
  if (report.limit) json["limit"] = *report.limit;
  json["is_within_limit"] = report.is_within_limit;
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const RenderReport& report) {
  Json json = envelope("render");
  json["input"] = report.input;
  json["output"] = report.output;
  json["files"] = report.files;
  json["methods"] = report.methods;
  json["size"] = {report.width, report.height};
  json["poses"] = report.pose_count;
  json["frames"] = report.frame_count;
  json["triangles"] = report.triangle_count;
  json["heat_max"] = report.heat_max ? Json(*report.heat_max) : Json();
  if (report.heat_max) json["heat_unit"] = report.heat_unit;
  json["seconds"] = {{"loading", report.seconds_loading},
                     {"posing", report.seconds_posing},
                     {"rendering", report.seconds_rendering}};
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const MakeReport& report) {
  Json json = envelope("make");
  json["kind"] = report.kind;
  json["output"] = report.output;
  json["points"] = report.point_count;
  json["polygons"] = report.polygon_count;
  json["joints"] = report.joint_count;
  json["shapes"] = report.shape_count;
  json["clip"] = report.clip;
  json["clip_seconds"] = report.clip_seconds;
  json["seconds"] = report.seconds_making;
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const DemoReport& report) {
  Json json = envelope("demo");
  json["files"] = report.files;
  json["skeleton"] = report.skeleton;
  json["seconds"] = {{"rigging", report.seconds_rigging}, {"binding", report.seconds_binding}};
  json["points"] = report.point_count;
  json["joints"] = report.joint_count;
  json["clip_seconds"] = report.clip_seconds;
  json["posed_at"] = report.posed_at;
  json["posed"] = Json::array();
  for (const DemoReport::Posed& posed : report.posed) {
    json["posed"].push_back(
        {{"method", posed.method},
         {"file", posed.file},
         {"from_linear", posed.from_linear},
         {"seconds", {{"preparing", posed.seconds_preparing}, {"posing", posed.seconds_posing}}}});
  }
  json["next"] = report.next;
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string to_json(const WeightsReport& report) {
  Json json = envelope("weights");
  json["operation"] = report.operation;
  json["inputs"] = report.inputs;
  json["output"] = report.output.empty() ? Json() : Json(report.output);
  json["meshes"] = Json::array();
  for (const WeightsReport::Mesh& mesh : report.meshes) json["meshes"].push_back(json_of(mesh));
  json["joints"] = Json::array();
  for (const WeightsReport::Joint& joint : report.joints)
    json["joints"].push_back({{"label", joint.label}, {"gained", joint.gained}, {"moved", joint.moved}});
  if (report.motion) {
    const SkinDistance& motion = *report.motion;
    json["motion"] = {{"frames", motion.frame_count},
                      {"by_range_of_motion", motion.is_by_range},
                      {"rms", motion.rms},
                      {"p99", motion.p99},
                      {"max", motion.max},
                      {"diagonal", motion.diagonal},
                      {"worst_moment", motion.worst_moment}};
  }
  json["worst_points"] = Json::array();
  for (const WeightsReport::Point& point : report.worst) {
    json["worst_points"].push_back({{"mesh", point.mesh},
                                    {"point", point.point},
                                    {"distance", point.distance},
                                    {"joint", point.joint},
                                    {"before", point.before},
                                    {"after", point.after}});
  }
  json["renamed"] = report.renamed_count;
  json["mended"] = report.mended_count;
  json["seconds"] = report.seconds;
  json["notes"] = json_of(report.notes);
  return text_of(json);
}

std::string methods_json() {
  Json json = envelope("methods");
  json["methods"] = Json::array();
  for (const StageRow& row : methods()) {
    Json options = Json::array();
    for (const StageOption& option : row.options) {
      options.push_back({{"name", option.name},
                         {"type", option.type == StageOption::Type::count ? "count" : "number"},
                         {"least", option.least},
                         {"most", option.most},
                         {"default", option.fallback ? Json(*option.fallback) : Json()},
                         {"help", option.help}});
    }
    json["methods"].push_back({{"name", row.name},
                               {"phase", name_of(row.phase)},
                               {"options", std::move(options)},
                               {"needs_surface", row.traits.needs_surface},
                               {"measures_normals", row.traits.measures_normals},
                               {"is_sequential", row.traits.is_sequential},
                               {"keeps", row.keeps},
                               {"breaks", row.breaks},
                               {"scalars_per_joint", row.scalars_per_joint},
                               {"cost", row.cost},
                               {"paper", row.paper}});
  }
  json["notes"] = Json::array();
  return text_of(json);
}

std::string bind_methods_json() {
  Json json = envelope("bind");
  json["methods"] = Json::array();
  for (const BindMethodRow& row : bind_methods()) {
    json["methods"].push_back({{"name", row.name},
                               {"idea", row.idea},
                               {"suits", row.suits},
                               {"limits", row.limits},
                               {"paper", row.paper}});
  }
  json["notes"] = Json::array();
  return text_of(json);
}

std::string formats_json() {
  Json json = envelope("formats");
  json["formats"] = Json::array();
  for (const FormatRow& row : formats()) {
    json["formats"].push_back({{"name", row.name},
                               {"extensions", row.extensions},
                               {"reads", row.reads},
                               {"writes", row.writes},
                               {"limits", row.limits}});
  }
  json["notes"] = Json::array();
  return text_of(json);
}

std::string check_rules_json() {
  Json json = envelope("check");
  json["rules"] = Json::array();
  for (const CheckRule& rule : check_rules()) {
    json["rules"].push_back({{"id", rule.id},
                             {"severity", name_of(rule.severity)},
                             {"meaning", rule.meaning},
                             {"advice", rule.advice},
                             {"mending", rule.mending}});
  }
  json["profiles"] = Json::array();
  for (const CheckProfile& profile : check_profiles()) {
    json["profiles"].push_back({{"name", profile.name},
                                {"rules", profile.rules},
                                {"max_influences", profile.max_influences},
                                {"source", profile.source}});
  }
  json["notes"] = Json::array();
  return text_of(json);
}

std::string to_json(std::string_view verb, const Error& error) {
  Json json = envelope(verb);
  json["error"] = {{"code", name_of(error.code)}, {"sentence", error.sentence}};
  return text_of(json);
}

}  // namespace dermis
