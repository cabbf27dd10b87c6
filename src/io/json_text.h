// SPDX-License-Identifier: MIT
// JSON text that was checked before the JSON library sees it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "dermis/base.h"
#include "io/file.h"

namespace dermis {

// Members keep the order of the file, so that a document goes back as it came.
using Json = nlohmann::ordered_json;

// Deepest nesting we accept. Real files stay below 20; parsers and printers recurse.
inline constexpr int kMaxJsonDepth = 200;
// The ordered object looks its keys up one by one: n members take n * n / 2 comparisons. This bounds their
// sum to about a second; the largest sample file needs a hundredth of it.
inline constexpr std::int64_t kMaxJsonLookups = 200'000'000;

// Checks UTF-8 and nesting, then parses. A byte order mark is skipped. The sentence names line and column.
Result<Json> parse_json(std::span<const std::byte> bytes, const std::string& file);

}  // namespace dermis
