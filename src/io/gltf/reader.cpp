// SPDX-License-Identifier: MIT
// Checked access to the members of a glTF document.
#include "io/gltf/reader.h"

#include <fmt/format.h>

#include <cmath>

#include "io/gltf/draco.h"

namespace dermis {
std::string Place::text() const {
  if (*kind == '\0') return {};
  std::string words = fmt::format("{} {}", kind, index);
  if (object != nullptr && object->is_object()) {
    const auto name = object->find("name");
    if (name != object->end() && name->is_string())
      words += fmt::format(" {}", quoted_name(name->get<std::string>()));
  }
  return outer != nullptr ? fmt::format("{}, {}", outer->text(), words) : words;
}

GltfReader::GltfReader(const GltfDocument& document, MemoryBudget& budget, Notes& notes)
    : document_(document), budget_(budget), notes_(notes), draco_(std::make_unique<DracoCache>()) {
  accessor_count_ = list("accessors").size();
}

GltfReader::~GltfReader() = default;

bool GltfReader::fail(const Place& place, const std::string& fault, Errc code) {
  if (error_) return false;
  const std::string where = place.text();
  error_ = Error{code, fmt::format("{}: {}{}{}", document_.path, where, where.empty() ? "" : " ", fault)};
  if (code == Errc::too_large) error_->remedies.push_back({"max_memory"});
  return false;
}

void GltfReader::note(Note::Kind kind, const char* id, const Place& place, const std::string& sentence,
                      std::size_t count, Index first) {
  const std::string where = place.text();
  const Place* outermost = &place;
  while (outermost->outer != nullptr) outermost = outermost->outer;
  const bool is_placed = *outermost->kind != '\0';
  notes_.push_back({kind, id, fmt::format("{}{}{}", where, where.empty() ? "" : ": ", sentence),
                    outermost->kind, is_placed ? static_cast<int>(outermost->index) : -1, first, count});
}

bool GltfReader::charge(const Place& place, std::uint64_t count, std::uint64_t size) {
  if (budget_.take(count, size)) return true;
  const double wanted = static_cast<double>(count) * static_cast<double>(size) * 1e-6;
  const double left = static_cast<double>(budget_.left()) * 1e-6;
  return fail(place,
              fmt::format("needs {:.1f} MB, but {:.1f} MB are left of the allowed memory", wanted, left),
              Errc::too_large);
}

const Json& GltfReader::list(const char* key) {
  static const Json kEmpty = Json::array();
  const auto found = root().find(key);
  if (found == root().end()) return kEmpty;
  if (!found->is_array()) {
    if (!error_) error_ = Error{Errc::bad_file, fmt::format("{}: '{}' is not an array", document_.path, key)};
    return kEmpty;
  }
  return *found;
}

const Json* GltfReader::object(const Json& from, const char* key, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return nullptr;
  if (found->is_object()) return &*found;
  fail(place, fmt::format("has a '{}' that is not an object", key));
  return nullptr;
}

const Json* GltfReader::array(const Json& from, const char* key, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return nullptr;
  if (found->is_array()) return &*found;
  fail(place, fmt::format("has a '{}' that is not an array", key));
  return nullptr;
}

std::string GltfReader::text(const Json& from, const char* key, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  fail(place, fmt::format("has a '{}' that is not text", key));
  return {};
}

bool GltfReader::flag(const Json& from, const char* key, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  return fail(place, fmt::format("has a '{}' that is neither true nor false", key));
}

Index GltfReader::index(const Json& from, const char* key, std::size_t limit, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return kNone;
  if (!found->is_number_unsigned()) {
    fail(place, fmt::format("has a '{}' that is not an index", key));
    return kNone;
  }
  const auto value = found->get<std::uint64_t>();
  if (value >= limit || value > static_cast<std::uint64_t>(INT32_MAX)) {
    fail(place,
         fmt::format("has '{}' {}, out of range: there {} {}", key, value, limit == 1 ? "is" : "are", limit));
    return kNone;
  }
  return static_cast<Index>(value);
}

std::optional<std::uint64_t> GltfReader::size(const Json& from, const char* key, const Place& place) {
  const auto found = from.find(key);
  if (found == from.end()) return std::nullopt;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  fail(place, fmt::format("has a '{}' that is not a size", key));
  return std::nullopt;
}

bool GltfReader::numbers(const Json& from, const char* key, std::span<float> out, const Place& place) {
  const Json* values = array(from, key, place);
  if (values == nullptr) return false;
  if (values->size() != out.size()) {
    return fail(place,
                fmt::format("has a '{}' of {} numbers instead of {}", key, values->size(), out.size()));
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Json& value = (*values)[k];
    if (!value.is_number() || !std::isfinite(value.get<float>())) {
      return fail(place, fmt::format("has a '{}' with something that is not a finite number", key));
    }
    out[k] = value.get<float>();
  }
  return true;
}

}  // namespace dermis
