// SPDX-License-Identifier: MIT
// The JSON inside a .glb, read without dermis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace dermis::test {

inline nlohmann::json glb_document(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::uint32_t size = 0;
  std::copy_n(bytes.data() + 12, 4, reinterpret_cast<char*>(&size));
  return nlohmann::json::parse(bytes.substr(20, size));
}

}  // namespace dermis::test
