// SPDX-License-Identifier: MIT
// Splits a text into chunks at line ends and counts the rows of each.
#include "io/rows.h"

#include <algorithm>

namespace dermis {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

}  // namespace

TextRows::TextRows(std::string_view text, char comment) : comment_(comment) {
  if (text.find('\n') == std::string_view::npos) line_end_ = '\r';
  while (!text.empty()) {
    std::size_t size = std::min(kChunkBytes, text.size());
    size = std::min(text.find(line_end_, size - 1), text.size() - 1) + 1;
    chunks_.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  first_row_.assign(chunks_.size() + 1, 0);
  parallel_for(chunks_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      std::string_view rest = chunks_[chunk];
      while (next_row(rest)) ++first_row_[chunk + 1];
    }
  });
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) first_row_[chunk + 1] += first_row_[chunk];
}

std::optional<std::string_view> TextRows::next_row(std::string_view& text) const {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(line_end_), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.back() == line_end_) line.remove_suffix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (!line.empty() && (comment_ == '\0' || line.front() != comment_)) return line;
  }
  return std::nullopt;
}

}  // namespace dermis
