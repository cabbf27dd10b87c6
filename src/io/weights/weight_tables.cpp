// SPDX-License-Identifier: MIT
// Reads and writes weight tables: chooses the format by extension, and notes repairs of rows.
#include "io/weights/weight_tables.h"

#include <fmt/format.h>

#include "io/file.h"
#include "io/weight_sums.h"

namespace dermis {
namespace {

// Tables are often printed with four digits: the sum of a few may differ from one by this much through
// rounding alone.
constexpr double kSumTolerance = 2e-3;

Error unknown_table(const std::string& path) {
  return {Errc::unsupported, fmt::format("{}: is not a weight table; use .csv or .json", quoted_name(path))};
}

Result<WeightTables> parse(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return Error{Errc::bad_file, fmt::format("{}: is empty", name)};
  const std::string extension = extension_of(name);
  if (extension == ".csv") return parse_weight_csv(text_of(bytes), name);
  if (extension == ".json") return parse_weight_json(bytes, name);
  return unknown_table(name);
}

}  // namespace

void WeightTableRows::close_row() { builder_.close_row(kSumTolerance); }

WeightRows WeightTableRows::take(const std::string& file, const std::string& mesh, Notes& notes) {
  const WeightRowBuilder::Repairs repairs = builder_.repairs();
  const auto say = [&](const char* id, std::size_t count, Index first, const std::string& words) {
    if (count == 0) return;
    notes.push_back({Note::Kind::repair, id,
                     fmt::format("{}: mesh {}, from point {} on: {}", file, quoted_name(mesh), first, words),
                     "mesh", -1, first, count});
  };
  say("weights-negative", repairs.negative, repairs.first_negative,
      fmt::format("{} set to zero",
                  counted(repairs.negative, "weight below zero was", "weights below zero were")));
  say("weights-merged", repairs.merged, repairs.first_merged,
      counted(repairs.merged, "weight repeated a joint of its point and was added up",
              "weights repeated a joint of their point and were added up"));
  say(id_of_sums(repairs.worst_sum), repairs.not_normalised, repairs.first_not_normalised,
      fmt::format("{} not sum to one (the worst to {:.4g}) and {} scaled",
                  counted(repairs.not_normalised, "row does", "rows do"), repairs.worst_sum,
                  repairs.not_normalised == 1 ? "was" : "were"));
  say("weights-missing", repairs.unweighted, repairs.first_unweighted,
      fmt::format(
          "{} the first joint that is named",
          counted(repairs.unweighted, "row has no weight and follows", "rows have no weight and follow")));
  return builder_.take();
}

Result<WeightTables> load_weight_tables_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                                    const LoadOptions&) {
  return without_throwing(name, [&] { return parse(bytes, name); });
}

Result<WeightTables> load_weight_tables(const std::string& path, const LoadOptions& options) {
  return without_throwing(path, [&]() -> Result<WeightTables> {
    const std::string extension = extension_of(path);
    if (extension != ".csv" && extension != ".json") return unknown_table(path);
    const Result<Bytes> bytes = read_file(path, options.max_memory);
    if (!bytes) return bytes.error();
    return parse(*bytes, path);
  });
}

Status save_weight_tables(const std::string& path, std::span<const WeightTable> tables) {
  return without_throwing(path, [&]() -> Status {
    const std::string extension = extension_of(path);
    if (extension != ".csv" && extension != ".json") return unknown_table(path);
    const std::string text = extension == ".csv" ? weight_csv(tables) : weight_json(tables);
    FileSet files;
    if (Status added = files.add(path, bytes_of(text)); !added) return added;
    return files.commit();
  });
}

}  // namespace dermis
