// SPDX-License-Identifier: MIT
// Reads pose files and keys by hand: nodes, shapes and controls by name, as docs/conventions.md describes
// them.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dermis/io.h"
#include "dermis/io/tables.h"
#include "io/json_text.h"
#include "io/utf8.h"

namespace dermis {
namespace {

constexpr std::uint64_t kMaxPoseFile = std::uint64_t{64} << 20;

constexpr std::uint64_t kMaxKeysFile = std::uint64_t{1} << 30;
constexpr int kKeysVersion = 1;
constexpr const char* kKeyKinds[] = {"step", "linear", "smooth", "spline"};

// Reads the nodes, shapes and controls of an object; the first error is kept.
class PoseReader {
 public:
  // `file` begins the sentences. The rotations of slopes need not be unit.
  PoseReader(const Json& json, const std::string& file, bool are_slopes = false)
      : json_(json), file_(file), are_slopes_(are_slopes) {}

  // A pose file.
  Result<Pose> read() {
    if (!json_.is_object())
      return Error{Errc::bad_file, fmt::format("{}: a pose file is one JSON object", file_)};
    for (const auto& [key, value] : json_.items()) {
      if (key != "nodes" && key != "shapes" && key != "controls" && key != "$schema") {
        fail(fmt::format("has {}, which is not part of a pose file; use nodes, shapes and controls",
                         quoted_name(key)));
      }
    }
    return read_members();
  }

  Result<Pose> read_members() {
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
      if (dot(rotation, rotation) == 0 && !are_slopes_)
        return fail(fmt::format("node {}: its rotation is zero", quoted_name(name)));
      node.rotation = Quat(are_slopes_ ? rotation : normalized(rotation));
    }
    if (const auto turn = numbers<4>(json, name, "turn_deg")) {
      const Vec3d axis{(*turn)[0], (*turn)[1], (*turn)[2]};
      if (are_slopes_)
        return fail(fmt::format("node {}: slopes have no turn_deg; use rotation", quoted_name(name)));
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
  bool are_slopes_;
  Pose pose_;
  std::optional<Error> fault_;
};

// ---- Keys by hand ---------------------------------------------------------------------------------------

Result<KeyKind> key_kind(const Json& key, const std::string& place) {
  const auto found = key.find("interpolation");
  if (found == key.end()) return KeyKind::linear;
  for (std::size_t k = 0; k < std::size(kKeyKinds); ++k)
    if (found->is_string() && *found == kKeyKinds[k]) return static_cast<KeyKind>(k);
  return Error{Errc::bad_file,
               fmt::format("{}: 'interpolation' is none of step, linear, smooth and spline", place)};
}

Result<KeyedPose> read_key(const Json& json, const std::string& place) {
  if (!json.is_object()) return Error{Errc::bad_file, fmt::format("{}: is not an object", place)};
  for (const auto& [key, value] : json.items()) {
    const std::string_view known[] = {"time", "interpolation", "nodes", "shapes", "controls", "in", "out"};
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      return Error{Errc::bad_file, fmt::format("{}: has {}; use time, interpolation, nodes, shapes, "
                                               "controls, in and out",
                                               place, quoted_name(key))};
  }
  KeyedPose keyed;
  const auto time = json.find("time");
  if (time == json.end() || !time->is_number() || !std::isfinite(time->get<float>()))
    return Error{Errc::bad_file, fmt::format("{}: 'time' is not a number of seconds", place)};
  keyed.time = time->get<double>();
  const Result<KeyKind> kind = key_kind(json, place);
  if (!kind) return kind.error();
  keyed.kind = *kind;
  Result<Pose> pose = PoseReader(json, place).read_members();
  if (!pose) return pose.error();
  keyed.pose = std::move(*pose);
  for (const char* side : {"in", "out"}) {
    const auto slopes = json.find(side);
    if (slopes == json.end()) continue;
    if (keyed.kind != KeyKind::spline)
      return Error{Errc::bad_file,
                   fmt::format("{}: '{}' belongs to the interpolation 'spline' only", place, side)};
    if (!slopes->is_object())
      return Error{Errc::bad_file, fmt::format("{}: '{}' is not an object", place, side)};
    for (const auto& [key, value] : slopes->items())
      if (key != "nodes" && key != "shapes" && key != "controls")
        return Error{Errc::bad_file, fmt::format("{}: '{}' has {}; use nodes, shapes and controls", place,
                                                 side, quoted_name(key))};
    Result<Pose> read = PoseReader(*slopes, place, true).read_members();
    if (!read) return read.error();
    (side[0] == 'i' ? keyed.in : keyed.out) = std::move(*read);
  }
  return keyed;
}

Result<KeyedPoses> read_keys(const Json& json, const std::string& file) {
  const auto fault = [&](const std::string& words) {
    return Error{Errc::bad_file, fmt::format("{}: {}", file, words)};
  };
  const auto version = json.is_object() ? json.find("dermis_keys") : json.end();
  if (version == json.end() || !version->is_number_integer())
    return fault("is not a file of keys: it has no version 'dermis_keys'");
  if (*version != kKeysVersion)
    return Error{Errc::unsupported,
                 fmt::format("{}: is of version {}; {} can be read", file, version->dump(), kKeysVersion)};
  KeyedPoses keys;
  for (const auto& [key, value] : json.items()) {
    if (key == "name" && value.is_string())
      keys.name = value.get<std::string>();
    else if (key == "name")
      return fault("'name' is not a text");
    else if (key != "dermis_keys" && key != "keys" && key != "$schema")
      return fault(fmt::format("has {}; use name and keys", quoted_name(key)));
  }
  const auto list = json.find("keys");
  if (list == json.end() || !list->is_array() || list->empty()) return fault("'keys' is not a list of keys");
  for (std::size_t k = 0; k < list->size(); ++k) {
    Result<KeyedPose> key = read_key((*list)[k], fmt::format("{}: key {}", file, k));
    if (!key) return key.error();
    if (!keys.keys.empty() && key->time < keys.keys.back().time)
      return fault(fmt::format("key {} is earlier than the key before it", k));
    keys.keys.push_back(std::move(*key));
  }
  return keys;
}

// Writes members of a key; floats read back exactly.
class KeysWriter {
 public:
  std::string text_of(const KeyedPoses& keys) {
    text_ = fmt::format("{{\n  \"dermis_keys\": {},\n  \"name\": {},\n  \"keys\": [", kKeysVersion,
                        quoted(keys.name));
    for (std::size_t k = 0; k < keys.keys.size(); ++k) {
      const KeyedPose& key = keys.keys[k];
      text_ += k == 0 ? "\n" : ",\n";
      text_ += fmt::format("    {{\"time\": {}, \"interpolation\": \"{}\"", static_cast<float>(key.time),
                           kKeyKinds[static_cast<std::size_t>(key.kind)]);
      add_pose(key.pose);
      for (const auto& [side, slopes] : {std::pair("in", &key.in), std::pair("out", &key.out)}) {
        if (slopes->nodes.empty() && slopes->shapes.empty() && slopes->controls.empty()) continue;
        // Its members begin without a comma.
        const std::size_t begin = text_.size();
        add_pose(*slopes);
        text_.replace(begin, 2, fmt::format(",\n      \"{}\": {{", side));
        text_ += '}';
      }
      text_ += '}';
    }
    return text_ + "\n  ]\n}\n";
  }

 private:
  static std::string quoted(const std::string& text) { return Json(as_utf8(text)).dump(); }

  void add_numbers(const char* name, std::initializer_list<float> numbers, bool& is_first) {
    text_ += fmt::format("{}\"{}\": [", is_first ? "" : ", ", name);
    is_first = false;
    for (const float* number = numbers.begin(); number != numbers.end(); ++number)
      text_ += fmt::format("{}{}", number == numbers.begin() ? "" : ", ", *number);
    text_ += ']';
  }

  void add_values(const char* name, const std::vector<NamedValue>& values) {
    if (values.empty()) return;
    text_ += fmt::format(",\n      \"{}\": {{", name);
    for (std::size_t k = 0; k < values.size(); ++k)
      text_ += fmt::format("{}{}: {}", k == 0 ? "" : ", ", quoted(values[k].name), values[k].value);
    text_ += '}';
  }

  void add_pose(const Pose& pose) {
    for (std::size_t k = 0; k < pose.nodes.size(); ++k) {
      const NodePose& node = pose.nodes[k];
      text_ += fmt::format("{}{}: {{", k == 0 ? ",\n      \"nodes\": {" : ",\n        ", quoted(node.node));
      bool is_first = true;
      if (const auto& v = node.translation) add_numbers("translation", {v->x, v->y, v->z}, is_first);
      if (const auto& q = node.rotation) add_numbers("rotation", {q->x, q->y, q->z, q->w}, is_first);
      if (const auto& v = node.scale) add_numbers("scale", {v->x, v->y, v->z}, is_first);
      text_ += '}';
    }
    if (!pose.nodes.empty()) text_ += '}';
    add_values("shapes", pose.shapes);
    add_values("controls", pose.controls);
  }

  std::string text_;
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

Result<KeyedPoses> load_keys_from_memory(std::span<const std::byte> bytes, const std::string& name) {
  return without_throwing(name, [&]() -> Result<KeyedPoses> {
    const Result<Json> json = parse_json(bytes, name);
    if (!json) return json.error();
    return read_keys(*json, name);
  });
}

Result<KeyedPoses> load_keys(const std::string& path) {
  return without_throwing(path, [&]() -> Result<KeyedPoses> {
    const Result<Bytes> bytes = read_file(path, kMaxKeysFile);
    if (!bytes) return bytes.error();
    return load_keys_from_memory(*bytes, path);
  });
}

std::string keys_text(const KeyedPoses& keys) { return KeysWriter().text_of(keys); }

Status save_keys(const std::string& path, const KeyedPoses& keys) {
  return without_throwing(path, [&]() -> Status {
    const std::string text = keys_text(keys);
    return save_bytes(path, bytes_of(text));
  });
}

}  // namespace dermis
