// SPDX-License-Identifier: MIT
// Checks JSON text for UTF-8 and depth, then parses it with sentences a user can act on.
#include "io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/utf8.h"

namespace dermis {
namespace {

// UTF-8 everywhere; outside strings, the depth of brackets and the members of each object.
Status check_text(std::string_view text, const std::string& file) {
  int depth = 0;
  std::array<int, kMaxJsonDepth + 1> members{};
  std::int64_t lookups = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t size = utf8_length(text, at);
    if (size == 0) return Error{Errc::bad_file, fmt::format("{}: byte {} is not UTF-8 text", file, at)};
    at += size;
    if (in_string) {
      // An escaped byte is skipped here unless it starts a longer sequence, which is checked next.
      if (c == '\\' && at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) {
        return Error{Errc::bad_file,
                     fmt::format("{}: JSON nested deeper than {} levels", file, kMaxJsonDepth)};
      }
      members[static_cast<std::size_t>(depth)] = 0;
    } else if (c == ':' && depth > 0) {
      lookups += ++members[static_cast<std::size_t>(depth)];
      if (lookups > kMaxJsonLookups) {
        return Error{Errc::bad_file, fmt::format("{}: its JSON objects have too many members", file)};
      }
    } else if (c == '}' || c == ']') {
      depth = std::max(depth - 1, 0);
    }
  }
  return Done{};
}

std::string place_in(std::string_view text, std::size_t byte) {
  std::size_t line = 1, column = 1;
  for (std::size_t k = 0; k + 1 < byte && k < text.size(); ++k) {
    column = text[k] == '\n' ? 1 : column + 1;
    line += text[k] == '\n' ? 1 : 0;
  }
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

Result<Json> parse_json(std::span<const std::byte> bytes, const std::string& file) {
  std::string_view text = text_of(bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{Errc::bad_file, fmt::format("{}: is empty", file)};
  }
  if (Status checked = check_text(text, file); !checked) return checked.error();
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Error{Errc::bad_file, fmt::format("{}: not valid JSON at {} (is the file cut short?)", file,
                                             place_in(text, error.byte))};
  } catch (const Json::out_of_range&) {
    return Error{Errc::bad_file, fmt::format("{}: a number in the JSON is too large to be stored", file)};
  }
}

}  // namespace dermis
