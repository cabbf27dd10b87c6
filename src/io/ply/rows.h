// SPDX-License-Identifier: MIT
// One row of a PLY element, as text or as bytes, read value by value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "io/ply/header.h"
#include "io/rows.h"

namespace dermis {

class PlyTextRow {
 public:
  explicit PlyTextRow(std::string_view line) : numbers_(line) {}

  // False if the row has no such number here. Floats are parsed as the header's type, so that they are
  // rounded once.
  bool take(PlyType type, float& value) {
    if (type != PlyType::float64) return numbers_.take(value);
    double wide = 0;
    const bool is_good = numbers_.take(wide);
    value = static_cast<float>(wide);
    return is_good;
  }
  bool take(PlyType, double& value) { return numbers_.take(value); }
  bool take(PlyType, std::int64_t& value) { return numbers_.take(value); }
  bool skip(PlyType) { return numbers_.skip(); }
  bool is_done() { return numbers_.is_done(); }

 private:
  RowNumbers numbers_;
};

class PlyBinaryRow {
 public:
  PlyBinaryRow(std::span<const std::byte> bytes, PlyFormat format)
      : bytes_(bytes),
        is_swapped_((format == PlyFormat::big_endian) != (std::endian::native == std::endian::big)) {}

  bool take(PlyType type, float& value) { return take_as(type, value); }
  bool take(PlyType type, double& value) { return take_as(type, value); }
  bool take(PlyType type, std::int64_t& value) { return take_as(type, value); }
  bool skip(PlyType type) {
    if (bytes_.size() < size_of(type)) return false;
    bytes_ = bytes_.subspan(size_of(type));
    return true;
  }
  // Binary rows follow each other: nothing can be left over.
  static bool is_done() { return true; }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  template <class Stored>
  bool load(Stored& stored) {
    if (bytes_.size() < sizeof(Stored)) return false;
    std::array<std::byte, sizeof(Stored)> raw;
    std::memcpy(raw.data(), bytes_.data(), sizeof(Stored));
    if (is_swapped_) std::reverse(raw.begin(), raw.end());
    stored = std::bit_cast<Stored>(raw);
    bytes_ = bytes_.subspan(sizeof(Stored));
    return true;
  }
  template <class Stored, class Number>
  bool convert(Number& value) {
    Stored stored{};
    if (!load(stored)) return false;
    if constexpr (std::is_floating_point_v<Stored> && std::is_integral_v<Number>) {
      // A point's number may be stored as a float; only whole ones are point indices.
      const bool is_whole = stored >= -2147483648.0f && stored < 2147483648.0f &&
                            stored == static_cast<Stored>(static_cast<Number>(stored));
      value = is_whole ? static_cast<Number>(stored) : -1;
    } else {
      value = static_cast<Number>(stored);  // NOLINT(bugprone-signed-char-misuse): a byte is a number here
    }
    return true;
  }
  template <class Number>
  bool take_as(PlyType type, Number& value) {
    switch (type) {
      case PlyType::int8:
        return convert<std::int8_t>(value);
      case PlyType::uint8:
        return convert<std::uint8_t>(value);
      case PlyType::int16:
        return convert<std::int16_t>(value);
      case PlyType::uint16:
        return convert<std::uint16_t>(value);
      case PlyType::int32:
        return convert<std::int32_t>(value);
      case PlyType::uint32:
        return convert<std::uint32_t>(value);
      case PlyType::float32:
        return convert<float>(value);
      case PlyType::float64:
        return convert<double>(value);
    }
    return false;
  }

  std::span<const std::byte> bytes_;
  bool is_swapped_;
};

}  // namespace dermis
