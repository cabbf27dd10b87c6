// SPDX-License-Identifier: MIT
// Weights as comma-separated values (RFC 4180): one line per influence.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "io/csv_records.h"
#include "io/format_text.h"
#include "io/text.h"
#include "io/utf8.h"
#include "io/weights/weight_tables.h"

namespace dermis {
namespace {

constexpr std::array<std::string_view, 4> kColumns{"mesh", "point", "joint", "weight"};

struct Entry {
  std::uint32_t mesh = 0, joint = 0;
  std::int64_t point = 0;
  float weight = 0;
};

// Numbers names in order of appearance.
class Names {
 public:
  std::uint32_t number(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

Error fault(const std::string& file, std::size_t line, const std::string& words) {
  return {Errc::bad_file, fmt::format("{}: line {}: {}", file, line, words)};
}

Result<Entry> entry_of(const std::vector<std::string>& fields, const std::string& file, std::size_t line,
                       Names& meshes, Names& joints) {
  if (fields.size() != kColumns.size())
    return fault(file, line,
                 fmt::format("has {}, not the four of mesh, point, joint, weight",
                             counted(fields.size(), "field", "fields")));
  const std::string_view point_text = trimmed(fields[1]), weight_text = trimmed(fields[3]);
  const std::optional<std::int64_t> point = parse_number<std::int64_t>(point_text);
  if (!point || *point < 0)
    return fault(file, line, fmt::format("{} is not a point number", quoted_name(point_text)));
  float weight = 0;
  const char* const end = weight_text.data() + weight_text.size();
  if (weight_text.empty() || parse_float(weight_text.data(), end, weight) != end || !std::isfinite(weight))
    return fault(file, line, fmt::format("{} is not a finite weight", quoted_name(weight_text)));
  const std::string clean = as_utf8(fields[2]), joint(trimmed(clean));
  if (joint.empty()) return fault(file, line, "names no joint");
  return Entry{meshes.number(as_utf8(fields[0])), joints.number(joint), *point, weight};
}

// One mesh's entries, sorted by point.
Result<WeightTable> table_of(std::span<const Entry> entries, const std::string& mesh, const Names& joints,
                             const std::string& file, Notes& notes) {
  WeightTable table;
  table.mesh = mesh;
  std::unordered_map<std::uint32_t, Index> place;
  WeightTableRows rows;
  std::int64_t point = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].point > point) {
      rows.close_row();
      ++point;
    }
    // The first line of a point comes right after the last line of the previous one.
    if (entries[k].point != point || (k == 0 && point != 0)) {
      return Error{Errc::bad_file, fmt::format("{}: mesh {} has no line for point {}; every point needs one",
                                               file, quoted_name(mesh), k == 0 ? 0 : point)};
    }
    const auto [found, is_new] = place.try_emplace(entries[k].joint, static_cast<Index>(table.joints.size()));
    if (is_new) table.joints.push_back(joints.all()[entries[k].joint]);
    rows.add(found->second, entries[k].weight);
  }
  rows.close_row();
  table.rows = rows.take(file, mesh, notes);
  return table;
}

}  // namespace

Result<WeightTables> parse_weight_csv(std::string_view text, const std::string& file) {
  CsvReader reader(text);
  std::vector<std::string> fields;
  const bool has_head = reader.next(fields) &&
                        std::equal(fields.begin(), fields.end(), kColumns.begin(), kColumns.end(),
                                   [](const std::string& a, std::string_view b) { return trimmed(a) == b; });
  if (!has_head)
    return Error{Errc::bad_file,
                 fmt::format("{}: does not start with the line 'mesh,point,joint,weight'", file)};
  Names meshes, joints;
  std::vector<Entry> entries;
  while (reader.next(fields)) {
    if (reader.is_quote_open()) return fault(file, reader.line(), "a quote is opened but not closed");
    const Result<Entry> entry = entry_of(fields, file, reader.line(), meshes, joints);
    if (!entry) return entry.error();
    entries.push_back(*entry);
  }
  if (entries.empty()) return Error{Errc::bad_file, fmt::format("{}: has no weights", file)};
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.mesh != b.mesh ? a.mesh < b.mesh : a.point < b.point;
  });
  WeightTables result;
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin;
    while (end < entries.size() && entries[end].mesh == entries[begin].mesh) ++end;
    Result<WeightTable> table = table_of(std::span(entries).subspan(begin, end - begin),
                                         meshes.all()[entries[begin].mesh], joints, file, result.notes);
    if (!table) return table.error();
    result.tables.push_back(std::move(*table));
    begin = end;
  }
  return result;
}

std::string weight_csv(std::span<const WeightTable> tables) {
  std::string text = "mesh,point,joint,weight\n";
  for (const WeightTable& table : tables) {
    const std::string mesh = quoted_field(table.mesh);
    std::vector<std::string> joints;
    joints.reserve(table.joints.size());
    for (const std::string& joint : table.joints) joints.push_back(quoted_field(joint));
    for (std::size_t v = 0; v + 1 < table.rows.first.size(); ++v) {
      for (const Influence& one : table.rows.row(v))
        fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", mesh, v,
                       joints[static_cast<std::size_t>(one.slot)], one.weight);
    }
  }
  return text;
}

}  // namespace dermis
