// SPDX-License-Identifier: MIT
// A second opinion where three.js cannot judge: poses a glTF straight from its JSON, in double, sharing no
// code with dermis. Every JOINTS set counts, matrices keep their shear. No compression, no checks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dermis/math.h"
#include "outside/files.h"

namespace dermis::test {

class TinyGltf {
 public:
  explicit TinyGltf(const fs::path& path) {
    std::string text = read_text(path), bin;
    if (text.starts_with("glTF")) {
      const std::uint32_t json_size = word(text, 12);
      if (text.size() > 20 + json_size + 8) bin = text.substr(28 + json_size, word(text, 20 + json_size));
      text = text.substr(20, json_size);
    }
    json_ = Json::parse(text);
    for (const Json& buffer : list("buffers")) {
      if (!buffer.contains("uri")) {
        buffers_.push_back(bin);
      } else if (const std::string uri = buffer["uri"]; uri.starts_with("data:")) {
        buffers_.push_back(base64(uri.substr(uri.find(',') + 1)));
      } else {
        buffers_.push_back(read_text(path.parent_path() / uri));
      }
    }
    const std::size_t node_count = list("nodes").size();
    for (std::size_t n = 0; n < node_count; ++n) {
      for (const Json& child : json_["nodes"][n].value("children", Json::array())) parents_[child] = n;
    }
  }

  // World-space points of the default scene by node, primitive, vertex; clip -1 is the rest pose.
  std::vector<Vec3d> pose(int clip, double time) {
    locals_.clear();
    morphs_.clear();
    worlds_.clear();
    for (const Json& node : list("nodes")) locals_.push_back(Local(node));
    if (clip >= 0) animate(json_["animations"][static_cast<std::size_t>(clip)], time);
    std::vector<Vec3d> points;
    for (const std::size_t n : nodes_in_scene()) {
      const Json& node = json_["nodes"][n];
      if (node.contains("mesh")) add_mesh(n, node, json_["meshes"][node["mesh"].get<std::size_t>()], points);
    }
    return points;
  }

 private:
  using Json = nlohmann::json;
  using Numbers = std::vector<double>;
  using Matrix = std::array<double, 16>;  // columns first

  static std::uint32_t word(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  }

  static std::string base64(const std::string& text) {
    static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
      const std::size_t digit = kDigits.find(c);
      if (digit == std::string::npos) continue;
      bits = (bits << 6) | static_cast<unsigned>(digit);
      count += 6;
      if (count < 8) continue;
      count -= 8;
      bytes.push_back(static_cast<char>((bits >> count) & 255u));
    }
    return bytes;
  }

  Json list(const char* key) const { return json_.value(key, Json::array()); }

  // ---- Accessors ----

  static double number(const char* at, int type, bool is_normalized) {
    const auto as = [&](auto value, double scale) {
      std::memcpy(&value, at, sizeof value);
      return is_normalized ? std::max(static_cast<double>(value) / scale, -1.0) : static_cast<double>(value);
    };
    switch (type) {
      case 5120:
        return as(std::int8_t{}, 127);
      case 5121:
        return as(std::uint8_t{}, 255);
      case 5122:
        return as(std::int16_t{}, 32767);
      case 5123:
        return as(std::uint16_t{}, 65535);
      case 5125:
        return as(std::uint32_t{}, 1);
      default:
        return as(float{}, 1);
    }
  }

  static std::size_t size_of(int type) { return type <= 5121 ? 1 : type <= 5123 ? 2 : 4; }

  const char* view_at(const Json& from, std::size_t& stride) const {
    const Json& view = json_["bufferViews"][from["bufferView"].get<std::size_t>()];
    stride = view.value("byteStride", stride);
    return buffers_[view["buffer"].get<std::size_t>()].data() + view.value("byteOffset", std::size_t{0}) +
           from.value("byteOffset", std::size_t{0});
  }

  const Numbers& accessor(std::size_t index) {
    if (const auto known = accessors_.find(index); known != accessors_.end()) return known->second;
    const Json& json = json_["accessors"][index];
    static const std::map<std::string, std::size_t> kWidths = {
        {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const std::size_t width = kWidths.at(json["type"]), count = json["count"];
    const int type = json["componentType"];
    const bool is_normalized = json.value("normalized", false);
    Numbers out(count * width, 0.0);
    const auto copy = [&](const char* from, std::size_t item) {
      for (std::size_t c = 0; c < width; ++c)
        out[item * width + c] = number(from + c * size_of(type), type, is_normalized);
    };
    if (json.contains("bufferView")) {
      std::size_t stride = width * size_of(type);
      const char* from = view_at(json, stride);
      for (std::size_t i = 0; i < count; ++i) copy(from + i * stride, i);
    }
    if (json.contains("sparse")) {
      const Json& sparse = json["sparse"];
      const int index_type = sparse["indices"]["componentType"];
      std::size_t unused = 0;
      const char* indices = view_at(sparse["indices"], unused);
      const char* values = view_at(sparse["values"], unused);
      for (std::size_t k = 0; k < sparse["count"].get<std::size_t>(); ++k) {
        const double item = number(indices + k * size_of(index_type), index_type, false);
        copy(values + k * width * size_of(type), static_cast<std::size_t>(item));
      }
    }
    return accessors_[index] = std::move(out);
  }

  // ---- Nodes ----

  struct Local {
    Numbers translation{0, 0, 0}, rotation{0, 0, 0, 1}, scale{1, 1, 1};
    std::optional<Matrix> stated;
    explicit Local(const Json& node) {
      translation = node.value("translation", translation);
      rotation = node.value("rotation", rotation);
      scale = node.value("scale", scale);
      if (node.contains("matrix")) stated = node["matrix"].get<Matrix>();
    }
    Matrix matrix() const {
      if (stated) return *stated;
      const double size = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                                    rotation[2] * rotation[2] + rotation[3] * rotation[3]);
      const double x = rotation[0] / size, y = rotation[1] / size, z = rotation[2] / size,
                   w = rotation[3] / size;
      const double sx = scale[0], sy = scale[1], sz = scale[2];
      return {(1 - 2 * (y * y + z * z)) * sx,
              2 * (x * y + z * w) * sx,
              2 * (x * z - y * w) * sx,
              0,
              2 * (x * y - z * w) * sy,
              (1 - 2 * (x * x + z * z)) * sy,
              2 * (y * z + x * w) * sy,
              0,
              2 * (x * z + y * w) * sz,
              2 * (y * z - x * w) * sz,
              (1 - 2 * (x * x + y * y)) * sz,
              0,
              translation[0],
              translation[1],
              translation[2],
              1};
    }
  };

  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t col = 0; col < 4; ++col)
      for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t k = 0; k < 4; ++k) c[col * 4 + row] += a[k * 4 + row] * b[col * 4 + k];
    return c;
  }

  static Vec3d moved(const Matrix& m, const Vec3d& p) {
    return {m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12], m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
            m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]};
  }

  const Matrix& world(std::size_t n) {
    if (const auto known = worlds_.find(n); known != worlds_.end()) return known->second;
    const auto parent = parents_.find(n);
    const Matrix local = locals_[n].matrix();
    return worlds_[n] = parent == parents_.end() ? local : product(world(parent->second), local);
  }

  std::vector<std::size_t> nodes_in_scene() const {
    std::vector<std::size_t> found;
    std::vector<std::size_t> open;
    if (json_.contains("scenes")) {
      const Json& scene = json_["scenes"][json_.value("scene", std::size_t{0})];
      open = scene.value("nodes", std::vector<std::size_t>{});
    }
    while (!open.empty()) {
      const std::size_t n = open.back();
      open.pop_back();
      found.push_back(n);
      for (const Json& child : json_["nodes"][n].value("children", Json::array())) open.push_back(child);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // ---- Animation ----

  static Numbers slerp(const Numbers& a, Numbers b, double u) {
    double cosine = 0;
    for (std::size_t k = 0; k < 4; ++k) cosine += a[k] * b[k];
    if (cosine < 0) {
      cosine = -cosine;
      for (double& x : b) x = -x;
    }
    const double angle = std::acos(std::min(cosine, 1.0));
    const double f = angle < 1e-6 ? 1 - u : std::sin((1 - u) * angle) / std::sin(angle);
    const double g = angle < 1e-6 ? u : std::sin(u * angle) / std::sin(angle);
    Numbers c(4);
    for (std::size_t k = 0; k < 4; ++k) c[k] = f * a[k] + g * b[k];
    return c;
  }

  Numbers sample(const Json& sampler, double time, bool is_rotation) {
    const Numbers& times = accessor(sampler["input"]);
    const Numbers& values = accessor(sampler["output"]);
    const std::string kind = sampler.value("interpolation", "LINEAR");
    const std::size_t groups = kind == "CUBICSPLINE" ? 3 : 1, width = values.size() / times.size() / groups;
    const auto key = [&](std::size_t k, std::size_t group) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>((k * groups + group) * width);
      return Numbers(first, first + static_cast<std::ptrdiff_t>(width));
    };
    const std::size_t middle = groups / 2;
    if (time <= times.front()) return key(0, middle);
    if (time >= times.back()) return key(times.size() - 1, middle);
    std::size_t k = 0;
    while (times[k + 1] <= time) ++k;
    const double span = times[k + 1] - times[k], u = (time - times[k]) / span;
    const Numbers a = key(k, middle), b = key(k + 1, middle);
    if (kind == "STEP") return a;
    if (kind == "LINEAR" && is_rotation) return slerp(a, b, u);
    Numbers c(width);
    for (std::size_t i = 0; i < width; ++i) {
      if (kind == "LINEAR") {
        c[i] = (1 - u) * a[i] + u * b[i];
      } else {
        const double u2 = u * u, u3 = u2 * u;
        c[i] = (2 * u3 - 3 * u2 + 1) * a[i] + span * (u3 - 2 * u2 + u) * key(k, 2)[i] +
               (-2 * u3 + 3 * u2) * b[i] + span * (u3 - u2) * key(k + 1, 0)[i];
      }
    }
    return c;
  }

  void animate(const Json& animation, double time) {
    for (const Json& channel : animation["channels"]) {
      if (!channel["target"].contains("node")) continue;
      const std::size_t node = channel["target"]["node"];
      const std::string path = channel["target"]["path"];
      const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      const Numbers value = sample(sampler, time, path == "rotation");
      if (path == "translation") locals_[node].translation = value;
      if (path == "rotation") locals_[node].rotation = value;
      if (path == "scale") locals_[node].scale = value;
      if (path == "weights") morphs_[node] = value;
    }
  }

  // ---- Meshes ----

  std::vector<Matrix> palette(const Json& skin) {
    std::vector<Matrix> joints;
    for (std::size_t s = 0; s < skin["joints"].size(); ++s) {
      Matrix joint = world(skin["joints"][s]);
      if (skin.contains("inverseBindMatrices")) {
        Matrix bind{};
        const Numbers& all = accessor(skin["inverseBindMatrices"]);
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(s * 16), 16, bind.begin());
        joint = product(joint, bind);
      }
      joints.push_back(joint);
    }
    return joints;
  }

  struct WeightSet {
    const Numbers *slots, *weights;
  };
  std::vector<WeightSet> weight_sets(const Json& attributes) {
    std::vector<WeightSet> sets;
    for (int set = 0; attributes.contains("JOINTS_" + std::to_string(set)); ++set) {
      sets.push_back({&accessor(attributes["JOINTS_" + std::to_string(set)]),
                      &accessor(attributes["WEIGHTS_" + std::to_string(set)])});
    }
    return sets;
  }

  static Vec3d skinned(const std::vector<WeightSet>& sets, const std::vector<Matrix>& joints, std::size_t v,
                       const Vec3d& p) {
    Vec3d sum;
    double total = 0;
    for (const WeightSet& set : sets) {
      for (std::size_t k = v * 4; k < v * 4 + 4; ++k) {
        const double weight = (*set.weights)[k];
        if (weight == 0) continue;
        sum = sum + moved(joints[static_cast<std::size_t>((*set.slots)[k])], p) * weight;
        total += weight;
      }
    }
    return sum * (1 / total);
  }

  void add_mesh(std::size_t n, const Json& node, const Json& mesh, std::vector<Vec3d>& out) {
    Numbers morph = node.value("weights", mesh.value("weights", Numbers{}));
    if (morphs_.contains(n)) morph = morphs_[n];
    const bool is_skinned = node.contains("skin");
    const std::vector<Matrix> joints =
        is_skinned ? palette(json_["skins"][node["skin"].get<std::size_t>()]) : std::vector<Matrix>{};
    const Matrix rigid = world(n);
    for (const Json& primitive : mesh["primitives"]) {
      const Json& attributes = primitive["attributes"];
      if (!attributes.contains("POSITION")) continue;
      const Numbers& positions = accessor(attributes["POSITION"]);
      const std::vector<WeightSet> sets = is_skinned ? weight_sets(attributes) : std::vector<WeightSet>{};
      std::vector<std::pair<double, const Numbers*>> targets;
      for (const Json& target : primitive.value("targets", Json::array())) {
        const double weight = targets.size() < morph.size() ? morph[targets.size()] : 0;
        const bool is_moving = weight != 0 && target.contains("POSITION");
        targets.emplace_back(weight, is_moving ? &accessor(target["POSITION"]) : nullptr);
      }
      for (std::size_t v = 0; v < positions.size() / 3; ++v) {
        std::array<double, 3> p = {positions[v * 3], positions[v * 3 + 1], positions[v * 3 + 2]};
        for (const auto& [weight, offsets] : targets) {
          for (std::size_t k = 0; k < 3 && offsets != nullptr; ++k) p[k] += weight * (*offsets)[v * 3 + k];
        }
        const Vec3d point{p[0], p[1], p[2]};
        out.push_back(is_skinned ? skinned(sets, joints, v, point) : moved(rigid, point));
      }
    }
  }

  Json json_;
  std::vector<std::string> buffers_;
  std::vector<Local> locals_;
  std::map<std::size_t, std::size_t> parents_;
  std::map<std::size_t, Matrix> worlds_;
  std::map<std::size_t, Numbers> morphs_, accessors_;
};

}  // namespace dermis::test
