// SPDX-License-Identifier: MIT
// Reads and writes drivers, rules of shapes and pose spaces.
#include "io/gltf/driving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace dermis {
namespace {

// Names of enumerators, in their order. A name that is not among them reads as a value outside the
// enumeration, which makes the driver one that is left out.
constexpr std::array kInputNames{"turn", "swing", "translation", "scale", "shape", "control"};
constexpr std::array kOutputNames{"turn", "translation", "scale", "shape"};
constexpr std::array kPartNames{"whole", "swing", "twist"};
constexpr std::array kDistanceNames{"rotation", "swing", "twist"};
constexpr std::array kKernelNames{"linear", "gaussian", "thin_plate"};

template <class Enum, std::size_t kCount>
const char* word_of(Enum value, const std::array<const char*, kCount>& names) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum, std::size_t kCount>
Enum from_word(const std::string& word, const std::array<const char*, kCount>& names, Enum absent) {
  if (word.empty()) return absent;
  for (std::size_t k = 0; k < kCount; ++k) {
    if (word == names[k]) return static_cast<Enum>(k);
  }
  return static_cast<Enum>(0xFF);
}

Json list_of(const Vec3& v) { return {v.x, v.y, v.z}; }

// ---- Writing ------------------------------------------------------------------------------------------

Json factor_json(const Character& character, const DriverFactor& factor) {
  Json json = {{"input", word_of(factor.input, kInputNames)}};
  if (factor.input == DriverInput::shape) {
    json["shape"] = factor.shape;
  } else if (factor.input == DriverInput::control) {
    json["control"] = character.controls[at(factor.control)].name;
  } else {
    json["node"] = factor.node;
    json["axis"] = list_of(factor.axis);
  }
  Json keys = Json::array();
  for (const DriverKey& key : factor.curve.keys) keys.push_back({key.input, key.value, key.slope});
  json["keys"] = std::move(keys);
  json["spline"] = factor.curve.is_spline;
  json["extends"] = factor.curve.extends;
  return json;
}

void put_rule(const Character& character, const DrivenValue& value, Json& json) {
  json["kind"] = "value";
  json["output"] = word_of(value.output, kOutputNames);
  if (value.output == DriverOutput::shape) {
    json["shape"] = value.shape;
  } else {
    json["node"] = value.node;
    json["axis"] = list_of(value.axis);
  }
  json["base"] = value.base;
  json["factors"] = Json::array();
  for (const DriverFactor& factor : value.factors) json["factors"].push_back(factor_json(character, factor));
}

void put_rule(const Character&, const DrivenRotation& turn, Json& json) {
  json["kind"] = "rotation";
  json["node"] = turn.node;
  json["source"] = turn.source;
  json["part"] = word_of(turn.part, kPartNames);
  json["axis"] = list_of(turn.axis);
  json["share"] = turn.share;
}

void put_rule(const Character&, const DrivenAim& aim, Json& json) {
  json["kind"] = "aim";
  json["node"] = aim.node;
  json["target"] = aim.target;
  json["stretches"] = aim.stretches;
  json["keeps_volume"] = aim.keeps_volume;
}

Json controls_json(const Character& character) {
  Json list = Json::array();
  for (const Control& control : character.controls) {
    list.push_back(
        {{"name", control.name}, {"rest", control.rest}, {"low", control.low}, {"high", control.high}});
  }
  return list;
}

Json drivers_json(const Character& character) {
  Json list = Json::array();
  for (const Driver& driver : character.drivers) {
    Json json = {{"name", driver.name}};
    std::visit([&](const auto& rule) { put_rule(character, rule, json); }, driver.rule);
    list.push_back(std::move(json));
  }
  return list;
}

Json shape_rules_json(const Character& character) {
  Json list = Json::array();
  for (const ShapeRule& rule : character.shape_rules) {
    Json json = {{"shape", rule.shape}};
    if (std::isfinite(rule.low)) json["low"] = rule.low;
    if (std::isfinite(rule.high)) json["high"] = rule.high;
    for (const InBetween& between : rule.in_betweens)
      json["in_betweens"].push_back({{"weight", between.weight}, {"shape", between.shape}});
    list.push_back(std::move(json));
  }
  return list;
}

Json pose_spaces_json(const Character& character) {
  Json list = Json::array();
  for (const PoseSpace& space : character.pose_spaces) {
    Json joints = Json::array(), examples = Json::array();
    for (const PoseJoint& joint : space.joints) {
      joints.push_back({{"node", joint.node},
                        {"distance", word_of(joint.distance, kDistanceNames)},
                        {"axis", list_of(joint.axis)},
                        {"share", joint.share}});
    }
    for (const PoseExample& example : space.examples) {
      Json rotations = Json::array();
      for (const Quat& q : example.rotation) rotations.push_back({q.x, q.y, q.z, q.w});
      examples.push_back({{"shape", example.shape},
                          {"rotations", std::move(rotations)},
                          {"radius", example.radius},
                          {"strength", example.strength}});
    }
    list.push_back({{"name", space.name},
                    {"kernel", word_of(space.kernel, kKernelNames)},
                    {"normalised", space.is_normalised},
                    {"per_point", space.is_per_point},
                    {"joints", std::move(joints)},
                    {"examples", std::move(examples)}});
  }
  return list;
}

// ---- Reading ------------------------------------------------------------------------------------------

// The list `key` of asset.extras.dermis; null if it is absent.
const Json* our_list(GltfReader& reader, const char* key) {
  const Json& asset = reader.root()["asset"];
  const auto extras = asset.find("extras");
  if (extras == asset.end() || !extras->is_object() || !extras->contains("dermis")) return nullptr;
  const Json& ours = (*extras)["dermis"];
  return ours.is_object() ? reader.array(ours, key, Place{"asset", 0}) : nullptr;
}

float number_in(GltfReader& reader, const Json& json, const char* key, float absent, const Place& place) {
  const auto found = json.find(key);
  if (found == json.end()) return absent;
  if (found->is_number() && std::isfinite(found->get<float>())) return found->get<float>();
  reader.fail(place, fmt::format("has a '{}' that is not a finite number", key));
  return absent;
}

class DrivingReader {
 public:
  DrivingReader(GltfReader& reader, Character& character) : reader_(reader), character_(character) {
    for (std::size_t c = 0; c < character.controls.size(); ++c)
      control_of_name_.emplace(character.controls[c].name, static_cast<Index>(c));
  }

  bool read() {
    for_each("drivers", "driver", [&](const Json& json, const Place& place) {
      character_.drivers.push_back(driver(json, place));
    });
    for_each("shape_rules", "shape rule", [&](const Json& json, const Place& place) {
      character_.shape_rules.push_back(shape_rule(json, place));
    });
    for_each("pose_spaces", "pose space", [&](const Json& json, const Place& place) {
      character_.pose_spaces.push_back(pose_space(json, place));
    });
    return !reader_.failed();
  }

 private:
  template <class Use>
  void for_each(const char* key, const char* kind, const Use& use) {
    const Json* list = our_list(reader_, key);
    if (list != nullptr) for_each_of(*list, kind, nullptr, use);
  }

  // Calls use on the objects of a list, until there is a fault.
  template <class Use>
  void for_each_of(const Json& list, const char* kind, const Place* outer, const Use& use) {
    for (std::size_t k = 0; k < list.size() && !reader_.failed(); ++k) {
      const Place place{kind, k, list[k].is_object() ? &list[k] : nullptr, outer};
      if (!list[k].is_object()) {
        reader_.fail(place, "is not an object");
        return;
      }
      use(list[k], place);
    }
  }

  template <class Use>
  void for_each_in(const Json& json, const char* key, const char* kind, const Place& place, const Use& use) {
    const Json* list = reader_.array(json, key, place);
    if (list != nullptr) for_each_of(*list, kind, &place, use);
  }

  float number(const Json& json, const char* key, float absent, const Place& place) {
    return number_in(reader_, json, key, absent, place);
  }
  bool flag(const Json& json, const char* key, bool absent, const Place& place) {
    return json.contains(key) ? reader_.flag(json, key, place) : absent;
  }
  // Of any size: whether the node exists is checked later.
  Index node(const Json& json, const char* key, const Place& place) {
    return reader_.index(json, key, std::numeric_limits<std::size_t>::max(), place);
  }
  Vec3 axis(const Json& json, const Place& place) {
    std::array<float, 3> v{0, 1, 0};
    reader_.numbers(json, "axis", v, place);
    return {v[0], v[1], v[2]};
  }

  Driver driver(const Json& json, const Place& place) {
    Driver driver;
    driver.name = reader_.text(json, "name", place);
    const std::string kind = reader_.text(json, "kind", place);
    if (kind == "value")
      driver.rule = value(json, place);
    else if (kind == "rotation")
      driver.rule = rotation(json, place);
    else if (kind == "aim")
      driver.rule = aim(json, place);
    else
      reader_.fail(place,
                   fmt::format("has the kind {}, which is not value, rotation or aim", quoted_name(kind)));
    return driver;
  }

  DrivenValue value(const Json& json, const Place& place) {
    DrivenValue value;
    value.output =
        from_word(reader_.text(json, "output", place), kOutputNames, static_cast<DriverOutput>(0xFF));
    value.node = node(json, "node", place);
    value.axis = axis(json, place);
    value.shape = reader_.text(json, "shape", place);
    value.base = number(json, "base", 0, place);
    for_each_in(json, "factors", "factor", place, [&](const Json& factor_json, const Place& factor_place) {
      value.factors.push_back(factor(factor_json, factor_place));
    });
    return value;
  }

  DriverFactor factor(const Json& json, const Place& place) {
    DriverFactor factor;
    factor.input = from_word(reader_.text(json, "input", place), kInputNames, static_cast<DriverInput>(0xFF));
    factor.node = node(json, "node", place);
    factor.axis = axis(json, place);
    factor.shape = reader_.text(json, "shape", place);
    const auto control = control_of_name_.find(reader_.text(json, "control", place));
    if (control != control_of_name_.end()) factor.control = control->second;
    factor.curve.is_spline = flag(json, "spline", false, place);
    factor.curve.extends = flag(json, "extends", true, place);
    if (const Json* keys = reader_.array(json, "keys", place)) factor.curve.keys = curve_keys(*keys, place);
    return factor;
  }

  // [input, value] or [input, value, slope].
  std::vector<DriverKey> curve_keys(const Json& list, const Place& place) {
    std::vector<DriverKey> keys;
    keys.reserve(list.size());
    const auto is_number = [](const Json& one) { return one.is_number() && std::isfinite(one.get<float>()); };
    for (const Json& key : list) {
      if (!key.is_array() || key.size() < 2 || key.size() > 3 ||
          !std::all_of(key.begin(), key.end(), is_number)) {
        reader_.fail(place, "has a key that is not two or three finite numbers");
        return keys;
      }
      keys.push_back({key[0].get<float>(), key[1].get<float>(), key.size() > 2 ? key[2].get<float>() : 0});
    }
    return keys;
  }

  DrivenRotation rotation(const Json& json, const Place& place) {
    DrivenRotation turn;
    turn.node = node(json, "node", place);
    turn.source = node(json, "source", place);
    turn.part = from_word(reader_.text(json, "part", place), kPartNames, RotationPart::whole);
    turn.axis = axis(json, place);
    turn.share = number(json, "share", turn.share, place);
    return turn;
  }

  DrivenAim aim(const Json& json, const Place& place) {
    return {node(json, "node", place), node(json, "target", place), flag(json, "stretches", false, place),
            number(json, "keeps_volume", 0, place)};
  }

  ShapeRule shape_rule(const Json& json, const Place& place) {
    ShapeRule rule;
    rule.shape = reader_.text(json, "shape", place);
    rule.low = number(json, "low", rule.low, place);
    rule.high = number(json, "high", rule.high, place);
    for_each_in(json, "in_betweens", "target", place, [&](const Json& one, const Place& at_one) {
      rule.in_betweens.push_back({number(one, "weight", 0, at_one), reader_.text(one, "shape", at_one)});
    });
    return rule;
  }

  PoseSpace pose_space(const Json& json, const Place& place) {
    PoseSpace space;
    space.name = reader_.text(json, "name", place);
    space.kernel = from_word(reader_.text(json, "kernel", place), kKernelNames, PoseKernel::gaussian);
    space.is_normalised = flag(json, "normalised", false, place);
    space.is_per_point = flag(json, "per_point", false, place);
    for_each_in(json, "joints", "joint", place, [&](const Json& one, const Place& at_one) {
      PoseJoint joint;
      joint.node = node(one, "node", at_one);
      joint.distance =
          from_word(reader_.text(one, "distance", at_one), kDistanceNames, PoseDistance::rotation);
      joint.axis = axis(one, at_one);
      joint.share = number(one, "share", 1, at_one);
      space.joints.push_back(joint);
    });
    for_each_in(json, "examples", "example", place, [&](const Json& one, const Place& at_one) {
      space.examples.push_back(example(one, at_one));
    });
    return space;
  }

  PoseExample example(const Json& json, const Place& place) {
    PoseExample example;
    example.shape = reader_.text(json, "shape", place);
    example.radius = number(json, "radius", 0, place);
    example.strength = number(json, "strength", 1, place);
    const Json* rotations = reader_.array(json, "rotations", place);
    for (std::size_t k = 0; rotations != nullptr && k < rotations->size(); ++k) {
      const Json& list = (*rotations)[k];
      const auto is_number = [](const Json& x) { return x.is_number() && std::isfinite(x.get<float>()); };
      if (!list.is_array() || list.size() != 4 || !std::all_of(list.begin(), list.end(), is_number)) {
        reader_.fail(place, "has a rotation that is not four finite numbers");
        return example;
      }
      example.rotation.push_back(
          {list[0].get<float>(), list[1].get<float>(), list[2].get<float>(), list[3].get<float>()});
    }
    return example;
  }

  GltfReader& reader_;
  Character& character_;
  std::map<std::string, Index> control_of_name_;
};

}  // namespace

const std::array<DrivingPart, 4> kDrivingParts{{
    {"controls", controls_json,
     [](const CharacterPrint& given, const Character& now) { return given.controls == now.controls; }},
    {"drivers", drivers_json,
     [](const CharacterPrint& given, const Character& now) {
       // Drivers refer to controls by name.
       return given.drivers == now.drivers && given.controls == now.controls;
     }},
    {"shape_rules", shape_rules_json,
     [](const CharacterPrint& given, const Character& now) { return given.shape_rules == now.shape_rules; }},
    {"pose_spaces", pose_spaces_json,
     [](const CharacterPrint& given, const Character& now) { return given.pose_spaces == now.pose_spaces; }},
}};

bool read_controls(GltfReader& reader, Character& character) {
  const Json* controls = our_list(reader, "controls");
  std::set<std::string> names;
  for (std::size_t c = 0; controls != nullptr && c < controls->size(); ++c) {
    const Place place{"control", c};
    const Json& json = (*controls)[c];
    if (!json.is_object()) return reader.fail(place, "is not an object");
    Control control;
    control.name = reader.text(json, "name", place);
    control.rest = number_in(reader, json, "rest", 0, place);
    control.low = number_in(reader, json, "low", 0, place);
    control.high = number_in(reader, json, "high", 1, place);
    if (!(control.low <= control.high))
      return reader.fail(place, fmt::format("has the range {} to {}", control.low, control.high));
    if (control.name.empty() || !names.insert(control.name).second) {
      return reader.fail(place, "has no name, or the name of another control");
    }
    character.controls.push_back(std::move(control));
  }
  return !reader.failed();
}

bool read_driving(GltfReader& reader, Character& character) {
  if (!DrivingReader(reader, character).read()) return false;
  note_dropped(drop_broken_driving(character), reader.notes());
  return true;
}

}  // namespace dermis
