// SPDX-License-Identifier: MIT
// Reads pose files: nodes, shapes and controls by name, as docs/conventions.md describes them.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dermis/io.h"
#include "io/json_text.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMaxPoseFile = std::uint64_t{64} << 20;

// Reads one pose file; the first error is kept.
class PoseReader {
 public:
  PoseReader(const Json& json, const std::string& file) : json_(json), file_(file) {}

  Result<Pose> read() {
    if (!json_.is_object())
      return Error{Errc::bad_file, fmt::format("{}: a pose file is one JSON object", file_)};
    for (const auto& [key, value] : json_.items()) {
      if (key != "nodes" && key != "shapes" && key != "controls" && key != "$schema") {
        fail(fmt::format("has {}, which is not part of a pose file; use nodes, shapes and controls",
                         quoted_name(key)));
      }
    }
    for (const auto& [name, value] : member("nodes").items()) read_node(name, value);
    read_values("shapes", pose_.shapes);
    read_values("controls", pose_.controls);
    if (fault_) return *fault_;
    return std::move(pose_);
  }

 private:
  void fail(const std::string& fault) {
    if (!fault_) fault_ = Error{Errc::bad_file, fmt::format("{}: {}", file_, fault)};
  }

  const Json& member(const char* key) {
    static const Json kNothing = Json::object();
    const auto found = json_.find(key);
    if (found == json_.end()) return kNothing;
    if (found->is_object()) return *found;
    fail(fmt::format("{} is not an object", quoted_name(key)));
    return kNothing;
  }

  template <std::size_t Count>
  std::optional<std::array<double, Count>> numbers(const Json& from, const std::string& node,
                                                   const char* key) {
    const auto found = from.find(key);
    if (found == from.end()) return std::nullopt;
    std::array<double, Count> values{};
    bool is_good = found->is_array() && found->size() == Count;
    for (std::size_t k = 0; is_good && k < Count; ++k) {
      is_good = (*found)[k].is_number() && std::isfinite((*found)[k].get<double>());
      if (is_good) values[k] = (*found)[k].get<double>();
    }
    if (is_good) return values;
    fail(fmt::format("node {}: {} is not {} finite numbers", quoted_name(node), quoted_name(key), Count));
    return std::nullopt;
  }

  void read_node(const std::string& name, const Json& json) {
    if (!json.is_object()) return fail(fmt::format("node {} is not an object", quoted_name(name)));
    for (const auto& [key, value] : json.items()) {
      if (key != "turn_deg" && key != "translation" && key != "rotation" && key != "scale") {
        return fail(fmt::format("node {} has {}; use turn_deg, translation, rotation and scale",
                                quoted_name(name), quoted_name(key)));
      }
    }
    NodePose node;
    node.node = name;
    const auto vec3 = [](const std::array<double, 3>& v) { return Vec3(Vec3d{v[0], v[1], v[2]}); };
    if (const auto v = numbers<3>(json, name, "translation")) node.translation = vec3(*v);
    if (const auto v = numbers<3>(json, name, "scale")) node.scale = vec3(*v);
    if (const auto q = numbers<4>(json, name, "rotation")) {
      const Quatd rotation{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
      if (dot(rotation, rotation) == 0)
        return fail(fmt::format("node {}: its rotation is zero", quoted_name(name)));
      node.rotation = Quat(normalized(rotation));
    }
    if (const auto turn = numbers<4>(json, name, "turn_deg")) {
      const Vec3d axis{(*turn)[0], (*turn)[1], (*turn)[2]};
      if (length(axis) == 0)
        return fail(fmt::format("node {}: the axis of its turn_deg is zero", quoted_name(name)));
      node.turn = Quat(quat_from_axis_angle(axis, radians_from_degrees((*turn)[3])));
    }
    pose_.nodes.push_back(std::move(node));
  }

  void read_values(const char* key, std::vector<NamedValue>& out) {
    for (const auto& [name, value] : member(key).items()) {
      if (!value.is_number() || !std::isfinite(value.get<float>())) {
        return fail(fmt::format("{} in {} is not a finite number", quoted_name(name), quoted_name(key)));
      }
      out.push_back({name, value.get<float>()});
    }
  }

  const Json& json_;
  const std::string& file_;
  Pose pose_;
  std::optional<Error> fault_;
};

}  // namespace

Result<Pose> load_pose(const std::string& path) {
  return without_throwing(path, [&]() -> Result<Pose> {
    const Result<Bytes> bytes = read_file(path, kMaxPoseFile);
    if (!bytes) return bytes.error();
    const Result<Json> json = parse_json(*bytes, path);
    if (!json) return json.error();
    return PoseReader(*json, path).read();
  });
}

}  // namespace dermis
