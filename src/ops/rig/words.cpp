// SPDX-License-Identifier: MIT
// Reads the text options of rig: templates, markers, axes, names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "dermis/ops/rig.h"

namespace dermis {
namespace {

Result<RigTemplate> load_template(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad())
    return Error{Errc::unreadable, fmt::format("{}: the template cannot be read", path)};
  Result<RigTemplate> rig = parse_rig_template(text);
  if (!rig) return prefixed(path, rig.error());
  return rig;
}

// The templates to try, and whether a skeleton may be extracted without one.
Status choose_templates(const std::string& skeleton, RigOptions& options) {
  const std::span<const RigTemplate> known = rig_templates();
  options.can_extract = skeleton == "auto" || skeleton == "extract";
  if (skeleton == "extract") return Done{};
  if (skeleton == "auto") {
    options.templates.assign(known.begin(), known.end());
    return Done{};
  }
  std::vector<std::string_view> names = {"auto", "extract"};
  for (const RigTemplate& rig : known) {
    names.emplace_back(rig.name);
    if (rig.name != skeleton) continue;
    options.templates = {rig};
    return Done{};
  }
  if (std::error_code error; !std::filesystem::is_regular_file(skeleton, error))
    return Error{Errc::usage, fmt::format("there is no template '{}' and no such file{}", skeleton,
                                          did_you_mean(skeleton, names))};
  Result<RigTemplate> own = load_template(skeleton);
  if (!own) return own.error();
  options.templates = {std::move(*own)};
  return Done{};
}

Result<RigMarker> parse_marker(const std::string& text) {
  const auto bad = [&] {
    return Error{Errc::usage,
                 fmt::format("the marker '{}' is not JOINT=X,Y,Z, as in wrist_L=0.7,1.4,0", text)};
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return bad();
  RigMarker marker{text.substr(0, equals), {}};
  std::string numbers = text.substr(equals + 1);
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  std::istringstream words(numbers);
  std::string more;
  if (!(words >> marker.at.x >> marker.at.y >> marker.at.z) || words >> more || !is_finite(marker.at))
    return bad();
  return marker;
}

Result<Vec3d> parse_axis(const std::string& text) {
  static const std::array<std::pair<const char*, Vec3d>, 6> kAxes{{{"x", {1, 0, 0}},
                                                                   {"-x", {-1, 0, 0}},
                                                                   {"y", {0, 1, 0}},
                                                                   {"-y", {0, -1, 0}},
                                                                   {"z", {0, 0, 1}},
                                                                   {"-z", {0, 0, -1}}}};
  const std::string plain = text.starts_with('+') ? text.substr(1) : text;
  for (const auto& [name, axis] : kAxes)
    if (plain == name) return axis;
  return Error{Errc::usage, fmt::format("'{}' is not an axis (x, -x, y, -y, z or -z)", text)};
}

// The longest file of markers that is read.
constexpr std::uint64_t kMostMarkerBytes = 1 << 20;

Result<std::vector<RigMarker>> load_marker_file(const std::string& path) {
  const Result<std::vector<std::byte>> bytes = load_bytes(path, kMostMarkerBytes);
  if (!bytes) return bytes.error();
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  Result<std::vector<RigMarker>> markers = parse_rig_markers(std::string_view(text, bytes->size()));
  if (!markers) return prefixed(path, markers.error());
  return markers;
}

}  // namespace

Result<std::vector<RigMarker>> parse_rig_markers(std::string_view text) {
  std::vector<RigMarker> markers;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == '=' || c == '\r'; }, ' ');
    std::istringstream words(line);
    RigMarker marker;
    if (!(words >> marker.joint)) continue;
    std::string more;
    if (!(words >> marker.at.x >> marker.at.y >> marker.at.z) || words >> more || !is_finite(marker.at))
      return Error{Errc::bad_file,
                   fmt::format("line {} is not a joint and three numbers, as in wrist_L 0.7 1.4 0", number)};
    markers.push_back(std::move(marker));
  }
  return markers;
}

std::string rig_markers_text(std::span<const RigMarker> markers) {
  std::string text =
      "# A joint and its place per line, in the units and axes of the mesh. Joints without a line are "
      "found.\n";
  for (const RigMarker& marker : markers)
    text += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", marker.joint, marker.at.x, marker.at.y, marker.at.z);
  return text;
}

std::string rig_template_names() {
  std::string names = "auto, extract";
  for (const RigTemplate& rig : rig_templates()) names += ", " + rig.name;
  return names;
}

Result<RigRequest> rig_request(const RigJob& job) {
  if (job.twist_count < 0 || job.twist_count > kMostTwistJoints)
    return Error{Errc::usage,
                 fmt::format("the number of twist joints per bone must be 0 to {}", kMostTwistJoints)};
  const Result<const BindMethodRow*> method = find_bind_method(job.method);
  if (!method) return method.error();
  RigRequest request;
  request.method = *method;
  request.binding = job.binding;
  request.twist_count = job.twist_count;
  request.groups = job.groups;
  if (job.save.max_influences > 0) request.max_influences = job.save.max_influences;
  if (Status good = choose_templates(job.skeleton, request.find); !good) return good.error();
  if (job.names != "dermis" && job.names != "mixamo")
    return Error{Errc::usage,
                 fmt::format("there are no joint names '{}' (there are dermis and mixamo)", job.names)};
  if (job.names == "mixamo") request.names = RigNames::mixamo;
  if (!job.straighten.empty() && job.straighten != "t" && job.straighten != "a")
    return Error{Errc::usage,
                 fmt::format("there is no straight pose '{}' (there are t and a)", job.straighten)};
  if (!job.straighten.empty()) request.straighten = job.straighten == "t" ? StraightArms::t : StraightArms::a;
  for (const std::string& text : job.markers) {
    const Result<RigMarker> marker = parse_marker(text);
    if (!marker) return marker.error();
    request.find.markers.push_back(*marker);
  }
  if (!job.marker_file.empty()) {
    Result<std::vector<RigMarker>> more = load_marker_file(job.marker_file);
    if (!more) return more.error();
    // Those of the command line count.
    std::erase_if(*more, [&](const RigMarker& marker) {
      return std::any_of(request.find.markers.begin(), request.find.markers.end(),
                         [&](const RigMarker& own) { return own.joint == marker.joint; });
    });
    request.find.markers.insert(request.find.markers.end(), more->begin(), more->end());
  }
  request.find.mirrors_markers = job.mirrors_markers;
  for (const auto& [text, axis] :
       {std::pair{&job.up, &request.find.up}, std::pair{&job.front, &request.find.front}}) {
    if (text->empty()) continue;
    const Result<Vec3d> asked = parse_axis(*text);
    if (!asked) return asked.error();
    *axis = *asked;
  }
  return request;
}

}  // namespace dermis
