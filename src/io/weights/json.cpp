// SPDX-License-Identifier: MIT
// Weights as JSON: the joints of each mesh, and for each point a flat list of joint and weight.
#include <cmath>
#include <set>

#include "io/format_text.h"
#include "io/json_text.h"
#include "io/text.h"
#include "io/utf8.h"
#include "io/weights/weight_tables.h"

namespace dermis {
namespace {

constexpr int kVersion = 1;

Error fault(const std::string& file, const std::string& words) {
  return {Errc::bad_file, fmt::format("{}: {}", file, words)};
}

// A row: joint, weight, joint, weight.
Status read_row(const Json& json, std::size_t joint_count, const std::string& place, WeightTableRows& rows) {
  if (!json.is_array() || json.empty() || json.size() % 2 != 0)
    return fault(place, "is not a list of joint, weight, joint, weight");
  for (std::size_t k = 0; k < json.size(); k += 2) {
    const Json &joint = json[k], &weight = json[k + 1];
    if (!joint.is_number_integer() || joint.get<std::int64_t>() < 0 ||
        joint.get<std::uint64_t>() >= joint_count)
      return fault(place, fmt::format("joint {} is not one of the {} listed", joint.dump(), joint_count));
    const bool is_number = weight.is_number() && std::isfinite(static_cast<float>(weight.get<double>()));
    if (!is_number) return fault(place, "has a weight that is not a finite number");
    rows.add(static_cast<Index>(joint.get<std::int64_t>()), static_cast<float>(weight.get<double>()));
  }
  rows.close_row();
  return Done{};
}

Result<WeightTable> read_table(const Json& json, std::size_t number, const std::string& file, Notes& notes) {
  const std::string place = fmt::format("{}: entry {} of 'meshes'", file, number);
  if (!json.is_object()) return fault(place, "is not an object");
  const auto mesh = json.find("mesh"), joints = json.find("joints"), rows_json = json.find("rows");
  if (mesh == json.end() || !mesh->is_string()) return fault(place, "has no 'mesh' with the mesh's name");
  if (joints == json.end() || !joints->is_array() || rows_json == json.end() || !rows_json->is_array())
    return fault(place, "needs 'joints' and 'rows', both lists");
  WeightTable table;
  table.mesh = as_utf8(mesh->get<std::string>());
  std::set<std::string> seen;
  for (const Json& joint : *joints) {
    if (!joint.is_string()) return fault(place, "has a joint that is not a name");
    table.joints.push_back(as_utf8(joint.get<std::string>()));
    if (trimmed(table.joints.back()).empty()) return fault(place, "has a joint without a name");
    if (!seen.insert(table.joints.back()).second)
      return fault(place, fmt::format("lists joint {} twice", quoted_name(table.joints.back())));
  }
  if (rows_json->empty()) return fault(place, "has no rows");
  WeightTableRows rows;
  for (std::size_t v = 0; v < rows_json->size(); ++v) {
    const Status read = read_row((*rows_json)[v], table.joints.size(),
                                 fmt::format("{}: mesh {}, row {}", file, quoted_name(table.mesh), v), rows);
    if (!read) return read.error();
  }
  table.rows = rows.take(file, table.mesh, notes);
  return table;
}

}  // namespace

Result<WeightTables> parse_weight_json(std::span<const std::byte> bytes, const std::string& file) {
  const Result<Json> json = parse_json(bytes, file);
  if (!json) return json.error();
  const auto version = json->is_object() ? json->find("dermis_weights") : json->end();
  if (version == json->end() || !version->is_number_integer())
    return fault(file, "is not a weight table: it has no version 'dermis_weights'");
  if (*version != kVersion)
    return Error{Errc::unsupported,
                 fmt::format("{}: is a weight table of version {}; only version {} can be read", file,
                             version->dump(), kVersion)};
  const auto meshes = json->find("meshes");
  if (meshes == json->end() || !meshes->is_array() || meshes->empty())
    return fault(file, "has no 'meshes', a list of tables");
  WeightTables result;
  std::set<std::string> seen;
  for (std::size_t k = 0; k < meshes->size(); ++k) {
    Result<WeightTable> table = read_table((*meshes)[k], k, file, result.notes);
    if (!table) return table.error();
    if (!seen.insert(table->mesh).second)
      return fault(file, fmt::format("has mesh {} twice", quoted_name(table->mesh)));
    result.tables.push_back(std::move(*table));
  }
  return result;
}

std::string weight_json(std::span<const WeightTable> tables) {
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = fmt::format("{{\"dermis_weights\": {}, \"meshes\": [", kVersion);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    text += fmt::format("{}\n {{\"mesh\": {},\n  \"joints\": [", t == 0 ? "" : ",", quoted(tables[t].mesh));
    for (std::size_t j = 0; j < tables[t].joints.size(); ++j)
      text += (j == 0 ? "" : ", ") + quoted(tables[t].joints[j]);
    text += "],\n  \"rows\": [";
    for (std::size_t v = 0; v + 1 < tables[t].rows.first.size(); ++v) {
      text += v == 0 ? "\n   [" : ",\n   [";
      const char* between = "";
      for (const Influence& one : tables[t].rows.row(v)) {
        fmt::format_to(std::back_inserter(text), "{}{}, {}", between, one.slot, one.weight);
        between = ", ";
      }
      text += ']';
    }
    text += "]}";
  }
  return text + "]}\n";
}

}  // namespace dermis
