// SPDX-License-Identifier: MIT
// URIs of glTF: base64 data, and relative paths that must stay inside the file's folder.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <filesystem>

#include "dermis/model.h"
#include "io/gltf/document.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> base64_values() {
  std::array<int, 256> values{};
  values.fill(-1);
  for (std::size_t k = 0; k < kBase64Digits.size(); ++k) {
    values[static_cast<unsigned char>(kBase64Digits[k])] = static_cast<int>(k);
  }
  return values;
}

std::optional<Bytes> decode_base64(std::string_view text) {
  static constexpr std::array<int, 256> kValues = base64_values();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  Bytes bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes.push_back(static_cast<std::byte>((bits >> bit_count) & 0xFFu));
    }
  }
  return bytes;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_data_uri(std::string_view uri) { return uri.starts_with("data:"); }

bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos &&
         uri.substr(0, colon).find_first_of("/?#") == std::string_view::npos;
}

std::optional<Bytes> decode_data_uri(std::string_view uri) {
  if (!is_data_uri(uri)) return std::nullopt;
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64")) return std::nullopt;
  return decode_base64(uri.substr(comma + 1));
}

std::string encode_data_uri(std::string_view mime_type, std::span<const std::byte> bytes) {
  std::string uri = fmt::format("data:{};base64,", mime_type);
  uri.reserve(uri.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t i) {
      return k + i < bytes.size() ? static_cast<std::uint32_t>(bytes[k + i]) : 0u;
    };
    const std::uint32_t bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
    const std::size_t digits = std::min<std::size_t>(bytes.size() - k, 3) + 1;
    for (std::size_t d = 0; d < 4; ++d) {
      uri.push_back(d < digits ? kBase64Digits[(bits >> (18 - 6 * d)) & 63u] : '=');
    }
  }
  return uri;
}

std::string percent_decoded(std::string_view uri) {
  std::string text;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    if (uri[k] == '%' && k + 2 < uri.size() && hex_value(uri[k + 1]) >= 0 && hex_value(uri[k + 2]) >= 0) {
      text.push_back(static_cast<char>(hex_value(uri[k + 1]) * 16 + hex_value(uri[k + 2])));
      k += 2;
    } else {
      text.push_back(uri[k]);
    }
  }
  return text;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  std::string uri;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || byte >= 0x80 || kPlain.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Result<std::string> resolve_uri(const std::string& folder, const std::string& uri, const std::string& what) {
  const std::string relative = percent_decoded(uri);
  const auto refuse = [&](const std::string& words) {
    return Error{Errc::bad_file, fmt::format("{} refers to {}, which {}", what, quoted_name(uri), words)};
  };
  const bool has_nul = relative.find('\0') != std::string::npos;
  if (relative.empty() || has_nul || has_scheme(uri)) return refuse("is not a file next to it");
  if (folder.empty()) return refuse("is another file, and not available");
  const fs::path file = (fs::path(folder) / relative).lexically_normal();
  if (const std::string target = link_out_of(folder, file.string()); !target.empty()) {
    return refuse(fmt::format("is a link to {}, outside the folder of the file; put a copy there instead",
                              quoted_name(target)));
  }
  if (fs::path(relative).is_absolute() || !is_inside(folder, file.string()))
    return refuse("is outside the folder of the file; put it next to the file");
  return file.string();
}

}  // namespace dermis
