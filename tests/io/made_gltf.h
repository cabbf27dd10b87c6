// SPDX-License-Identifier: MIT
// Small glTF documents put together by hand, to be loaded, broken and written back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dermis/io.h"
#include "notes.h"

namespace dermis::test {

// JSON in the order it is written down, and one buffer that grows with each view.
class MadeGltf {
 public:
  using Json = nlohmann::ordered_json;
  Json json = {{"asset", {{"version", "2.0"}}}};
  std::string bin;

  // A new view of raw bytes; its index.
  int view(const std::string& bytes, const Json& more = Json::object()) {
    bin.resize((bin.size() + 3) / 4 * 4);
    Json view = {{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", bytes.size()}};
    view.update(more);
    bin += bytes;
    return push("bufferViews", view);
  }
  template <class Number>
  int view_of(const std::vector<Number>& numbers, const Json& more = Json::object()) {
    return view(std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)),
                more);
  }

  // A new accessor over its own view; `more` adds or replaces members. Floats that may be positions or times
  // state their bounds.
  template <class Number>
  int accessor(const std::vector<Number>& numbers, const char* type, const Json& more = Json::object()) {
    Json accessor = {{"bufferView", view_of(numbers)},
                     {"componentType", component_type(Number{})},
                     {"count", numbers.size() / width(type)},
                     {"type", type}};
    const auto is_finite = [](Number number) { return std::isfinite(static_cast<double>(number)); };
    if (std::is_same_v<Number, float> && width(type) % 2 == 1 && numbers.size() >= width(type) &&
        std::all_of(numbers.begin(), numbers.end(), is_finite))
      add_bounds(accessor, numbers, width(type));
    accessor.update(more);
    return push("accessors", accessor);
  }

  int push(const char* list, const Json& item) {
    json[list].push_back(item);
    return static_cast<int>(json[list].size()) - 1;
  }

  // The usual triangle: points (0,0,0), (1,0,0), (0,1,0).
  int triangle_positions() { return accessor<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3"); }
  // A mesh of one primitive with these attributes.
  int mesh(const Json& attributes, const Json& more = Json::object()) {
    Json primitive = {{"attributes", attributes}};
    primitive.update(more);
    return push("meshes", {{"primitives", Json::array({primitive})}});
  }
  // One scene with these roots.
  void scene(std::initializer_list<int> roots) {
    json["scene"] = 0;
    json["scenes"] = Json::array({{{"nodes", roots}}});
  }

  std::string gltf() const {
    Json whole = json;
    if (!bin.empty()) {
      whole["buffers"] = Json::array({{{"uri", data_uri(bin)}, {"byteLength", bin.size()}}});
    }
    return whole.dump(1);
  }

  std::string glb() const {
    Json whole = json;
    std::string data = bin;
    data.resize((data.size() + 3) / 4 * 4);
    if (!bin.empty()) whole["buffers"] = Json::array({{{"byteLength", bin.size()}}});
    std::string text = whole.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::size_t total = 20 + text.size() + (data.empty() ? 0 : 8 + data.size());
    std::string file = "glTF" + word(2) + word(total) + word(text.size()) + "JSON" + text;
    if (!data.empty()) file += word(data.size()) + std::string("BIN\0", 4) + data;
    return file;
  }

  static std::string word(std::size_t value) {
    const auto small = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&small), 4);
  }

  static std::string data_uri(const std::string& bytes) {
    static const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text = "data:application/octet-stream;base64,";
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
      const auto byte = [&](std::size_t i) {
        return k + i < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[k + i])) : 0u;
      };
      const unsigned bits = byte(0) << 16 | byte(1) << 8 | byte(2);
      for (std::size_t d = 0; d < 4; ++d) {
        text += k + d > bytes.size() ? '=' : kDigits[(bits >> (18 - 6 * d)) & 63u];
      }
    }
    return text;
  }

 private:
  static std::size_t width(const std::string& type) {
    return type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
  }
  template <class Number>
  static void add_bounds(Json& accessor, const std::vector<Number>& numbers, std::size_t width) {
    std::vector<Number> least(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width));
    std::vector<Number> greatest = least;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      least[k % width] = std::min(least[k % width], numbers[k]);
      greatest[k % width] = std::max(greatest[k % width], numbers[k]);
    }
    accessor["min"] = least;
    accessor["max"] = greatest;
  }
  static int component_type(std::int8_t) { return 5120; }
  static int component_type(std::uint8_t) { return 5121; }
  static int component_type(std::int16_t) { return 5122; }
  static int component_type(std::uint16_t) { return 5123; }
  static int component_type(std::uint32_t) { return 5125; }
  static int component_type(float) { return 5126; }
};

inline Result<Asset> load_text(const std::string& bytes, const LoadOptions& options = {}) {
  return load_from_memory(std::as_bytes(std::span(bytes.data(), bytes.size())), "made.gltf", options);
}

// A triangle on two joints, the second a unit above the first: skin, instance and scene.
inline MadeGltf skinned_triangle(const std::vector<float>& weights = {1, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0.5f, 0,
                                                                      0}) {
  MadeGltf made;
  const int positions = made.triangle_positions();
  const int joints = made.accessor<std::uint8_t>({0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, "VEC4");
  const int weight_accessor = made.accessor(weights, "VEC4");
  made.mesh({{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weight_accessor}});
  made.push("nodes", {{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  made.push("nodes", {{"name", "hip"}, {"children", {2}}});
  made.push("nodes", {{"name", "knee"}, {"translation", {0, 1, 0}}});
  made.push("skins", {{"joints", {1, 2}}});
  made.scene({0, 1});
  return made;
}

// A little of everything that must survive: materials, textures, images, cameras, colours, extras, unknown
// extensions, empty members and names in an order no writer would choose.
inline MadeGltf kitchen_sink() {
  MadeGltf made = skinned_triangle();
  made.json["asset"]["copyright"] = "nobody";
  made.json["asset"]["extras"] = {{"zebra", 1}, {"apple", MadeGltf::Json::array()}};
  made.json["extensionsUsed"] = {"VENDOR_unknown", "KHR_materials_unlit"};
  made.json["extensions"] = {{"VENDOR_unknown", {{"deep", {{"er", {1, 2.5, "three", nullptr, true}}}}}}};
  const int uvs = made.accessor<float>({0, 0, 1, 0, 0, 1}, "VEC2");
  const int colours = made.accessor<std::uint8_t>({255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255}, "VEC4",
                                                  {{"normalized", true}});
  const int custom = made.accessor<float>({7, 8, 9}, "SCALAR");
  MadeGltf::Json& primitive = made.json["meshes"][0]["primitives"][0];
  primitive["attributes"]["TEXCOORD_0"] = uvs;
  primitive["attributes"]["COLOR_0"] = colours;
  primitive["attributes"]["_TEMPERATURE"] = custom;
  primitive["material"] = 1;
  const int smile = made.accessor<float>({0, 0, 1, 0, 0, 0, 0, 0, 0}, "VEC3");
  primitive["targets"] = MadeGltf::Json::array({{{"POSITION", smile}}});
  made.json["meshes"][0]["extras"] = {{"targetNames", {"smile"}}, {"mood", "good"}};
  made.push("materials",
            {{"name", "plain"}, {"extensions", {{"KHR_materials_unlit", MadeGltf::Json::object()}}}});
  made.push("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}, {"texCoord", 0}}}}}});
  const int picture = made.view("\x89PNG not really a picture");
  made.push("images", {{"bufferView", picture}, {"mimeType", "image/png"}, {"name", "skin"}});
  made.push("samplers", {{"wrapS", 33071}});
  made.push("textures", {{"source", 0}, {"sampler", 0}, {"extras", MadeGltf::Json::object()}});
  made.push("cameras", {{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.01}}}});
  made.push("nodes", {{"name", "eye"}, {"camera", 0}, {"extras", {{"b", 1}, {"a", 2}}}});
  made.json["scenes"][0]["nodes"].push_back(3);
  const int times = made.accessor<float>({0, 1}, "SCALAR", {{"min", {0}}, {"max", {1}}});
  const int turns = made.accessor<float>({0, 0, 0, 1, 0, 0, 1, 0}, "VEC4");
  made.push("animations",
            {{"name", "wave"},
             {"samplers", MadeGltf::Json::array({{{"input", times}, {"output", turns}}})},
             {"channels",
              MadeGltf::Json::array({{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}})}});
  return made;
}

}  // namespace dermis::test
