// SPDX-License-Identifier: MIT
// Maps between the names of shapes as text: one line for each target, a weighted sum of sources.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "dermis/io/tables.h"
#include "io/file.h"
#include "io/text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMostMapBytes = std::uint64_t{16} << 20;
constexpr std::string_view kMapSigns = "=*+#\"";

// Reads the tokens of one line.
class MapLine {
 public:
  explicit MapLine(std::string_view text) : text_(text) {}

  bool is_at_end() {
    skip_blanks();
    return text_.empty() || text_.front() == '#';
  }
  bool take(char sign) {
    if (is_at_end() || text_.front() != sign) return false;
    text_.remove_prefix(1);
    return true;
  }
  // A name in quotes, where a quote is written twice, or up to a blank or a sign.
  std::optional<std::string> take_name() {
    if (is_at_end()) return std::nullopt;
    std::string name;
    if (text_.front() == '"') {
      for (text_.remove_prefix(1); !text_.empty(); text_.remove_prefix(1)) {
        if (text_.front() != '"') {
          name += text_.front();
        } else if (text_.size() > 1 && text_[1] == '"') {
          name += '"';
          text_.remove_prefix(1);
        } else {
          text_.remove_prefix(1);
          return name.empty() ? std::nullopt : std::optional<std::string>(as_utf8(name));
        }
      }
      return std::nullopt;
    }
    while (!text_.empty() && !is_blank(text_.front()) &&
           kMapSigns.find(text_.front()) == std::string_view::npos) {
      name += text_.front();
      text_.remove_prefix(1);
    }
    return name.empty() ? std::nullopt : std::optional<std::string>(as_utf8(name));
  }
  // A number that is followed by a star.
  std::optional<double> take_factor() {
    skip_blanks();
    double number = 0;
    const char* const end = parse_double(text_.data(), text_.data() + text_.size(), number);
    if (end == nullptr) return std::nullopt;
    std::string_view rest = text_.substr(static_cast<std::size_t>(end - text_.data()));
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    if (rest.empty() || rest.front() != '*') return std::nullopt;
    text_ = rest.substr(1);
    return number;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
  }
  std::string_view text_;
};

// "0.5*smile - jaw"; the row gets its sources.
Status read_sum(MapLine& line, ShapeMapRow& row) {
  const Error wrong{Errc::bad_file, "write a row as 'target = 0.5*source + other'"};
  double sign = line.take('-') ? -1 : 1;
  while (true) {
    const double factor = line.take_factor().value_or(1);
    const std::optional<std::string> name = line.take_name();
    if (!name || !std::isfinite(static_cast<float>(factor))) return wrong;
    row.sources.push_back({*name, static_cast<float>(sign * factor)});
    if (line.is_at_end()) return Done{};
    const bool is_more = line.take('+');
    if (!is_more && !line.take('-')) return wrong;
    sign = is_more ? 1 : -1;
  }
}

std::string map_name(const std::string& name) {
  const auto is_plain = [](char c) { return !is_blank(c) && kMapSigns.find(c) == std::string_view::npos; };
  const bool is_number = !name.empty() && (std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
                                           std::string_view("+-.").find(name[0]) != std::string_view::npos);
  if (!is_number && std::all_of(name.begin(), name.end(), is_plain)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Result<std::vector<ShapeMapRow>> load_shape_map_from_memory(std::span<const std::byte> bytes,
                                                            const std::string& name) {
  return without_throwing(name, [&]() -> Result<std::vector<ShapeMapRow>> {
    std::vector<ShapeMapRow> rows;
    std::set<std::string> seen;
    std::string_view text = text_of(bytes);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (std::size_t number = 1; !text.empty(); ++number) {
      MapLine line(next_line(text));
      if (line.is_at_end()) continue;
      const auto fault = [&](const std::string& words) {
        return Error{Errc::bad_file, fmt::format("{}: line {}: {}", name, number, words)};
      };
      ShapeMapRow row;
      const std::optional<std::string> target = line.take_name();
      if (!target || !line.take('=')) return fault("write a row as 'target = 0.5*source + other'");
      row.target = *target;
      if (!seen.insert(row.target).second)
        return fault(fmt::format("{} has two rows", quoted_name(row.target)));
      if (Status sum = read_sum(line, row); !sum) return fault(sum.error().sentence);
      rows.push_back(std::move(row));
    }
    if (rows.empty()) return Error{Errc::bad_file, fmt::format("{}: has no row", name)};
    return rows;
  });
}

Result<std::vector<ShapeMapRow>> load_shape_map(const std::string& path) {
  return without_throwing(path, [&]() -> Result<std::vector<ShapeMapRow>> {
    const Result<Bytes> bytes = read_file(path, kMostMapBytes);
    if (!bytes) return bytes.error();
    return load_shape_map_from_memory(*bytes, path);
  });
}

std::string shape_map_text(std::span<const ShapeMapRow> rows) {
  std::string text;
  for (const ShapeMapRow& row : rows) {
    text += map_name(row.target) + " =";
    for (std::size_t k = 0; k < row.sources.size(); ++k) {
      const float factor = row.sources[k].value;
      text += k == 0 ? (factor < 0 ? " -" : " ") : (factor < 0 ? " - " : " + ");
      if (std::abs(factor) != 1) text += fmt::format("{}*", std::abs(factor));
      text += map_name(row.sources[k].name);
    }
    text += '\n';
  }
  return text;
}

Status save_shape_map(const std::string& path, std::span<const ShapeMapRow> rows) {
  return without_throwing(path, [&]() -> Status {
    const std::string text = shape_map_text(rows);
    return save_bytes(path, std::as_bytes(std::span(text)));
  });
}

}  // namespace dermis
