// SPDX-License-Identifier: MIT
// JSON text that is checked before the JSON library sees it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "dermis/base.h"
#include "io/file.h"

namespace dermis {

// Members keep the file's order, so that a document is written back as it was.
using Json = nlohmann::ordered_json;

// The list or the object under a key, made where there is none. Not json["a"]["b"] with "a" missing:
// nlohmann::json 3.11.2 calls a null an object before it has memory for one, and when that fails its
// destructor crashes.
inline Json& list_in(Json& object, const char* key) {
  return object.emplace(key, Json::array()).first.value();
}
inline Json& object_in(Json& object, const char* key) {
  return object.emplace(key, Json::object()).first.value();
}

// Deepest nesting we accept. Real files stay below 20; parsers and printers recurse.
inline constexpr int kMaxJsonDepth = 200;
// The ordered object searches its keys one by one: n members take n * n / 2 comparisons. This bounds their
// sum to about a second; the largest sample file needs a hundredth of it.
inline constexpr std::int64_t kMaxJsonLookups = 200'000'000;

// Checks UTF-8 and nesting, then parses. A byte order mark is skipped. The sentence names line and column.
Result<Json> parse_json(std::span<const std::byte> bytes, const std::string& file);

}  // namespace dermis
