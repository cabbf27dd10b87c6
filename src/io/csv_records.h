// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180) as records of fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text.h"

namespace dermis {

// Splits a text into records. Fields may be in quotes, where a quote is written twice and line breaks are
// kept.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text, char separator = ',') : text_(text), separator_(separator) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  std::size_t line() const { return record_line_; }

  // Reads the next record that is not blank into `fields`; false at the end.
  bool next(std::vector<std::string>& fields) {
    do {
      if (text_.empty()) return false;
      record_line_ = line_;
      fields.clear();
      while (take_field(fields.emplace_back())) {
      }
    } while (fields.size() == 1 && trimmed(fields[0]).empty());
    return true;
  }
  bool is_quote_open() const { return is_quote_open_; }

 private:
  // True if another field of the record follows.
  bool take_field(std::string& field) {
    bool is_quoted = false;
    for (; !text_.empty(); text_.remove_prefix(1)) {
      const char c = text_.front();
      if (c == '\n') ++line_;
      if (is_quoted) {
        if (c != '"') {
          field += c;
        } else if (text_.size() > 1 && text_[1] == '"') {
          field += c;
          text_.remove_prefix(1);
        } else {
          is_quoted = false;
        }
        continue;
      }
      if (c == '"' && trimmed(field).empty()) {
        is_quoted = true;
        field.clear();
      } else if (c == separator_ || c == '\n') {
        text_.remove_prefix(1);
        return c == separator_;
      } else if (c != '\r') {
        field += c;
      }
    }
    is_quote_open_ = is_quoted;
    return false;
  }

  std::string_view text_;
  char separator_;
  std::size_t line_ = 1, record_line_ = 1;
  bool is_quote_open_ = false;
};

// The field, in quotes if it needs them.
inline std::string quoted_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos && trimmed(field).size() == field.size())
    return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace dermis
