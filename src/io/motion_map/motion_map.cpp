// SPDX-License-Identifier: MIT
// Motion maps as JSON: for each body part, the joints of the motion and of the character.
#include "io/motion_map/motion_map.h"

#include <fmt/format.h>

#include <set>

#include "io/json_text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr int kVersion = 1;
constexpr std::uint64_t kMaxMapFile = std::uint64_t{16} << 20;

Error fault(const std::string& file, const std::string& words) {
  return {Errc::bad_file, fmt::format("{}: {}", file, words)};
}

// "Hips", or ["Spine", "Spine1"].
Status read_joints(const Json& row, const char* side, const std::string& place,
                   std::vector<std::string>& joints) {
  const auto found = row.find(side);
  if (found == row.end()) return fault(place, fmt::format("has no '{}', a joint or a list of joints", side));
  const auto add = [&](const Json& joint) {
    if (!joint.is_string() || joint.get<std::string>().empty()) return false;
    joints.push_back(joint.get<std::string>());
    return true;
  };
  bool is_good = found->is_string() ? add(*found) : found->is_array() && !found->empty();
  if (found->is_array()) {
    for (const Json& joint : *found) is_good = is_good && add(joint);
  }
  if (!is_good) return fault(place, fmt::format("'{}' is neither a joint nor a list of joints", side));
  return Done{};
}

Result<MotionMapRow> read_row(const Json& json, const std::string& role, const std::string& place) {
  if (!json.is_object()) return fault(place, "is not an object with 'source' and 'target'");
  for (const auto& [key, value] : json.items()) {
    if (key != "source" && key != "target")
      return fault(place, fmt::format("has {}; use source and target", quoted_name(key)));
  }
  MotionMapRow row;
  row.role = role;
  if (Status read = read_joints(json, "source", place, row.source); !read) return read.error();
  if (Status read = read_joints(json, "target", place, row.target); !read) return read.error();
  return row;
}

Result<std::vector<MotionMapRow>> parse(std::span<const std::byte> bytes, const std::string& file) {
  const Result<Json> json = parse_json(bytes, file);
  if (!json) return json.error();
  const auto version = json->is_object() ? json->find("dermis_motion_map") : json->end();
  if (version == json->end() || !version->is_number_integer())
    return fault(file, "is not a motion map: it has no version 'dermis_motion_map'");
  if (*version != kVersion)
    return Error{Errc::unsupported,
                 fmt::format("{}: is a motion map of version {}; only version {} can be read", file,
                             version->dump(), kVersion)};
  for (const auto& [key, value] : json->items()) {
    if (key != "dermis_motion_map" && key != "roles" && key != "pairs" && key != "$schema")
      return fault(file, fmt::format("has {}; use roles and pairs", quoted_name(key)));
  }
  std::vector<MotionMapRow> rows;
  if (const auto roles = json->find("roles"); roles != json->end()) {
    if (!roles->is_object()) return fault(file, "'roles' is not an object");
    std::set<std::string> seen;
    for (const auto& [role, value] : roles->items()) {
      const std::string place = fmt::format("{}: role {}", file, quoted_name(role));
      if (role.empty()) return fault(file, "has a role without a name");
      if (!seen.insert(role).second) return fault(place, "appears twice");
      Result<MotionMapRow> row = read_row(value, role, place);
      if (!row) return row.error();
      rows.push_back(std::move(*row));
    }
  }
  if (const auto pairs = json->find("pairs"); pairs != json->end()) {
    if (!pairs->is_array()) return fault(file, "'pairs' is not a list");
    for (std::size_t k = 0; k < pairs->size(); ++k) {
      const std::string place = fmt::format("{}: pair {}", file, k);
      Result<MotionMapRow> row = read_row((*pairs)[k], {}, place);
      if (!row) return row.error();
      if (row->source.size() != 1 || row->target.size() != 1)
        return fault(place, "does not have exactly one joint on each side");
      rows.push_back(std::move(*row));
    }
  }
  return rows;
}

std::string joints_text(const std::vector<std::string>& joints) {
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (joints.size() == 1) return quoted(joints[0]);
  std::string text = "[";
  for (std::size_t k = 0; k < joints.size(); ++k) text += (k == 0 ? "" : ", ") + quoted(joints[k]);
  return text + "]";
}

}  // namespace

std::string motion_map_json(std::span<const MotionMapRow> rows) {
  std::string roles, pairs;
  for (const MotionMapRow& row : rows) {
    std::string& text = row.role.empty() ? pairs : roles;
    if (!text.empty()) text += ",\n";
    text += row.role.empty() ? "    " : fmt::format("    {}: ", Json(row.role).dump());
    text +=
        fmt::format("{{\"source\": {}, \"target\": {}}}", joints_text(row.source), joints_text(row.target));
  }
  return fmt::format(
      "{{\n  \"dermis_motion_map\": {},\n  \"roles\": {{\n{}\n  }},\n  \"pairs\": [\n{}\n  ]\n}}\n", kVersion,
      roles, pairs);
}

Result<std::vector<MotionMapRow>> load_motion_map_from_memory(std::span<const std::byte> bytes,
                                                              const std::string& name) {
  return without_throwing(name, [&] { return parse(bytes, name); });
}

Result<std::vector<MotionMapRow>> load_motion_map(const std::string& path) {
  return without_throwing(path, [&]() -> Result<std::vector<MotionMapRow>> {
    const Result<Bytes> bytes = read_file(path, kMaxMapFile);
    if (!bytes) return bytes.error();
    return parse(*bytes, path);
  });
}

Status save_motion_map(const std::string& path, std::span<const MotionMapRow> rows) {
  return without_throwing(path, [&]() -> Status {
    const std::string text = motion_map_json(rows);
    FileSet files;
    if (Status added = files.add(path, bytes_of(text)); !added) return added;
    return files.commit();
  });
}

}  // namespace dermis
