// SPDX-License-Identifier: MIT
// Keys by hand as clips, and clips as keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "dermis/motion/takes.h"

namespace dermis {
namespace {

using Numbers = std::vector<float>;

// One key of a quantity.
struct Knot {
  float time = 0;
  KeyKind kind = KeyKind::linear;
  Numbers value, in, out;  // slopes of kind spline; empty: level
};
using Knots = std::vector<Knot>;

Numbers numbers_of(const Vec3& v) { return {v.x, v.y, v.z}; }
Numbers numbers_of(const Quat& q) { return {q.x, q.y, q.z, q.w}; }

float slope_between(const Knot& a, const Knot& b, std::size_t i) {
  return static_cast<float>((static_cast<double>(b.value[i]) - static_cast<double>(a.value[i])) /
                            (static_cast<double>(b.time) - static_cast<double>(a.time)));
}

// The kind of all parts of a curve; spline if they differ.
KeyKind common_kind(const Knots& knots) {
  // The last key leads nowhere.
  const std::size_t parts = std::max<std::size_t>(knots.size(), 2) - 1;
  for (std::size_t k = 1; k < std::min(parts, knots.size()); ++k)
    if (knots[k].kind != knots[0].kind) return KeyKind::spline;
  return knots[0].kind;
}

// Signs of rotations so that neighbours are near each other; the slopes of splines belong to theirs.
void align_signs(Knots& knots) {
  for (std::size_t k = 1; k < knots.size(); ++k) {
    if (knots[k].kind == KeyKind::spline || knots[k - 1].kind == KeyKind::spline) continue;
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i)
      along += static_cast<double>(knots[k].value[i]) * static_cast<double>(knots[k - 1].value[i]);
    if (along >= 0) continue;
    for (float& number : knots[k].value) number = -number;
  }
}

// The same curve with the slopes of all its parts stated.
Knots as_spline(const Knots& knots) {
  const std::size_t width = knots[0].value.size();
  Knots spline;
  const auto smooth_slope = [&](std::size_t k, std::size_t i) {
    return k == 0 || k + 1 == knots.size() ? 0.0f : slope_between(knots[k - 1], knots[k + 1], i);
  };
  for (std::size_t k = 0; k < knots.size(); ++k) {
    Knot knot{knots[k].time, KeyKind::spline, knots[k].value, Numbers(width, 0), Numbers(width, 0)};
    if (knots[k].kind == KeyKind::spline && !knots[k].in.empty()) knot.in = knots[k].in;
    if (knots[k].kind == KeyKind::spline && !knots[k].out.empty()) knot.out = knots[k].out;
    for (std::size_t i = 0; i < width; ++i) {
      if (k > 0 && knots[k - 1].kind == KeyKind::linear)
        knot.in[i] = slope_between(knots[k - 1], knots[k], i);
      if (k > 0 && knots[k - 1].kind == KeyKind::smooth) knot.in[i] = smooth_slope(k, i);
      if (k > 0 && knots[k - 1].kind == KeyKind::step) knot.in[i] = 0;
      if (k + 1 == knots.size()) continue;
      if (knots[k].kind == KeyKind::linear) knot.out[i] = slope_between(knots[k], knots[k + 1], i);
      if (knots[k].kind == KeyKind::smooth) knot.out[i] = smooth_slope(k, i);
    }
    spline.push_back(knot);
    if (knots[k].kind != KeyKind::step || k + 1 == knots.size()) continue;
    // The value stays until right before the next key.
    knot.time = std::nextafter(knots[k + 1].time, knot.time);
    knot.in.assign(width, 0), knot.out.assign(width, 0);
    if (knot.time > knots[k].time) spline.push_back(knot);
  }
  return spline;
}

void add_spline_knot(const Knot& knot, std::vector<float>& values) {
  for (const Numbers* part : {&knot.in, &knot.value, &knot.out})
    values.insert(values.end(), part->begin(), part->end());
}

Channel channel_of(Knots knots, ChannelPath path, Index target) {
  Channel channel;
  channel.path = path, channel.target = target;
  if (path == ChannelPath::rotation) align_signs(knots);
  const KeyKind kind = common_kind(knots);
  const bool is_spline = kind == KeyKind::spline || kind == KeyKind::smooth;
  channel.interpolation = is_spline               ? Interpolation::cubic_spline
                          : kind == KeyKind::step ? Interpolation::step
                                                  : Interpolation::linear;
  if (is_spline) knots = as_spline(knots);
  for (const Knot& knot : knots) {
    channel.times.push_back(knot.time);
    if (is_spline)
      add_spline_knot(knot, channel.values);
    else
      channel.values.insert(channel.values.end(), knot.value.begin(), knot.value.end());
  }
  return channel;
}

// Value and slope of a spline of one number between its keys (the Hermite form of glTF).
struct Place {
  double value = 0, slope = 0;
};
Place place_on(const Channel& spline, double time) {
  const std::vector<float>& times = spline.times;
  const auto value = [&](std::size_t key, std::size_t part) {
    return static_cast<double>(spline.values[3 * key + part]);
  };
  if (time <= static_cast<double>(times.front())) return {value(0, 1), 0};
  if (time >= static_cast<double>(times.back())) return {value(times.size() - 1, 1), 0};
  const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(time));
  const std::size_t k = static_cast<std::size_t>(after - times.begin()) - 1;
  const double start = static_cast<double>(times[k]), length = static_cast<double>(times[k + 1]) - start;
  const double t = (time - start) / length, p0 = value(k, 1), p1 = value(k + 1, 1);
  const double m0 = value(k, 2) * length, m1 = value(k + 1, 0) * length;
  const double a = 2 * p0 + m0 - 2 * p1 + m1, b = -3 * p0 + 3 * p1 - 2 * m0 - m1;
  return {((a * t + b) * t + m0) * t + p0, ((3 * a * t + 2 * b) * t + m0) / length};
}

// The curves of one instance's shapes, one of them for each shape that has keys, as one channel.
Channel join_shapes(const Character& character, Index instance, const std::map<std::size_t, Knots>& curves) {
  Channel joined;
  joined.path = ChannelPath::shape_weights, joined.target = instance;
  std::vector<float> times;
  std::map<std::size_t, Channel> channels;
  bool is_one_kind = true;
  for (const auto& [shape, knots] : curves) {
    Channel channel = channel_of(knots, ChannelPath::control, kNone);
    is_one_kind =
        is_one_kind && (channels.empty() || channels.begin()->second.interpolation == channel.interpolation);
    channels.emplace(shape, std::move(channel));
  }
  joined.interpolation = is_one_kind ? channels.begin()->second.interpolation : Interpolation::cubic_spline;
  const bool is_spline = joined.interpolation == Interpolation::cubic_spline;
  for (auto& [shape, channel] : channels) {
    if (is_spline && channel.interpolation != Interpolation::cubic_spline) {
      Knots spline = as_spline(curves.at(shape));
      channel.times.clear(), channel.values.clear();
      for (const Knot& knot : spline) {
        channel.times.push_back(knot.time);
        add_spline_knot(knot, channel.values);
      }
      channel.interpolation = Interpolation::cubic_spline;
    }
    times.insert(times.end(), channel.times.begin(), channel.times.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  joined.times = times;
  const std::vector<float>& rest = character.instances[at(instance)].shape_weights;
  for (const float time : times) {
    Numbers in(rest.size(), 0), value = rest, out(rest.size(), 0);
    for (const auto& [s, channel] : channels) {
      const auto own = std::lower_bound(channel.times.begin(), channel.times.end(), time);
      const bool is_key = own != channel.times.end() && *own == time;
      const auto k = static_cast<std::size_t>(own - channel.times.begin());
      if (!is_spline) {
        sample_channel(channel, static_cast<double>(time), std::span(&value[s], 1));
      } else if (is_key) {
        in[s] = channel.values[3 * k], value[s] = channel.values[3 * k + 1],
        out[s] = channel.values[3 * k + 2];
      } else {
        const Place place = place_on(channel, static_cast<double>(time));
        value[s] = static_cast<float>(place.value);
        in[s] = out[s] = static_cast<float>(place.slope);
      }
    }
    if (is_spline) joined.values.insert(joined.values.end(), in.begin(), in.end());
    joined.values.insert(joined.values.end(), value.begin(), value.end());
    if (is_spline) joined.values.insert(joined.values.end(), out.begin(), out.end());
  }
  return joined;
}

// Collects the curves of all quantities that keys name.
class KeyCollector {
 public:
  explicit KeyCollector(const Character& character) : character_(character), finder_(character) {
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const Mesh& mesh = character.meshes[at(character.instances[i].mesh)];
      for (std::size_t s = 0; s < mesh.shapes.size(); ++s)
        places_[shape_label(mesh, s)].emplace_back(static_cast<Index>(i), s);
    }
  }

  Status add(const KeyedPose& key) {
    for (const NodePose& node : key.pose.nodes)
      if (Status added = add_node(key, node); !added) return added;
    for (const NamedValue& shape : key.pose.shapes)
      if (Status added = add_shape(key, shape); !added) return added;
    for (const NamedValue& control : key.pose.controls)
      if (Status added = add_control(key, control); !added) return added;
    return Done{};
  }

  Clip take(const std::string& name) const {
    Clip clip;
    clip.name = name;
    for (const auto& [quantity, knots] : curves_)
      clip.channels.push_back(channel_of(knots, quantity.second, quantity.first));
    for (const auto& [instance, curves] : shapes_)
      clip.channels.push_back(join_shapes(character_, instance, curves));
    return clip;
  }

 private:
  static Status put(const KeyedPose& key, const std::string& name, Numbers value, Numbers in, Numbers out,
                    Knots& knots) {
    const float time = static_cast<float>(key.time);
    if (!knots.empty() && !(time > knots.back().time))
      return Error{Errc::bad_argument, fmt::format("{} has two keys at {:g} s", name, time)};
    knots.push_back({time, key.kind, std::move(value), std::move(in), std::move(out)});
    return Done{};
  }

  static const NodePose* find_node_of(const Pose& pose, const std::string& name) {
    const auto found = std::find_if(pose.nodes.begin(), pose.nodes.end(),
                                    [&](const NodePose& node) { return node.node == name; });
    return found == pose.nodes.end() ? nullptr : &*found;
  }
  static Numbers find_slope(const std::vector<NamedValue>& values, const std::string& name) {
    for (const NamedValue& value : values)
      if (value.name == name) return {value.value};
    return {};
  }

  Status add_node(const KeyedPose& key, const NodePose& node) {
    const Result<Index> found = finder_.find(node.node);
    if (!found) return found.error();
    const NodePose *in = find_node_of(key.in, node.node), *out = find_node_of(key.out, node.node);
    const auto put_part = [&](ChannelPath path, const char* word, auto member, const Numbers& value) {
      const auto slope = [&](const NodePose* side) {
        return side != nullptr && side->*member ? numbers_of(*(side->*member)) : Numbers{};
      };
      return put(key, fmt::format("the {} of node {}", word, quoted_name(node.node)), value, slope(in),
                 slope(out), curves_[{*found, path}]);
    };
    if (node.translation)
      if (Status done = put_part(ChannelPath::translation, "translation", &NodePose::translation,
                                 numbers_of(*node.translation));
          !done)
        return done;
    if (node.rotation || node.turn) {
      Quat rotation = node.rotation.value_or(character_.nodes[at(*found)].rest.rotation);
      if (node.turn) rotation = rotation * *node.turn;
      if (Status done =
              put_part(ChannelPath::rotation, "rotation", &NodePose::rotation, numbers_of(rotation));
          !done)
        return done;
    }
    if (node.scale) return put_part(ChannelPath::scale, "scale", &NodePose::scale, numbers_of(*node.scale));
    return Done{};
  }

  Status add_shape(const KeyedPose& key, const NamedValue& shape) {
    const auto places = places_.find(shape.name);
    if (places == places_.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, where] : places_) names.emplace_back(name);
      return Error{Errc::bad_argument, fmt::format("there is no shape {}{}", quoted_name(shape.name),
                                                   did_you_mean(shape.name, names))};
    }
    for (const auto& [instance, s] : places->second)
      if (Status done = put(key, fmt::format("shape {}", quoted_name(shape.name)), {shape.value},
                            find_slope(key.in.shapes, shape.name), find_slope(key.out.shapes, shape.name),
                            shapes_[instance][s]);
          !done)
        return done;
    return Done{};
  }

  Status add_control(const KeyedPose& key, const NamedValue& control) {
    std::vector<std::string_view> names;
    for (std::size_t c = 0; c < character_.controls.size(); ++c) {
      names.emplace_back(character_.controls[c].name);
      if (names.back() != control.name) continue;
      return put(key, fmt::format("control {}", quoted_name(control.name)), {control.value},
                 find_slope(key.in.controls, control.name), find_slope(key.out.controls, control.name),
                 curves_[{static_cast<Index>(c), ChannelPath::control}]);
    }
    return Error{Errc::bad_argument, fmt::format("there is no control {}{}", quoted_name(control.name),
                                                 did_you_mean(control.name, names))};
  }

  const Character& character_;
  NodeFinder finder_;
  std::map<std::string, std::vector<std::pair<Index, std::size_t>>> places_;  // instances and shapes by label
  std::map<std::pair<Index, ChannelPath>, Knots> curves_;
  std::map<Index, std::map<std::size_t, Knots>> shapes_;  // by instance and shape
};

// ---- Clips as keys --------------------------------------------------------------------------------------

KeyKind kind_of(Interpolation interpolation) {
  return interpolation == Interpolation::step     ? KeyKind::step
         : interpolation == Interpolation::linear ? KeyKind::linear
                                                  : KeyKind::spline;
}

Vec3 vec3_at(const float* v) { return {v[0], v[1], v[2]}; }

// Sets a quantity of a node in a pose; `nodes` finds its entry.
void set_node(Pose& pose, std::unordered_map<Index, std::size_t>& nodes, Index target,
              const std::string& label, ChannelPath path, const float* v) {
  const auto [place, is_new] = nodes.try_emplace(target, pose.nodes.size());
  if (is_new) pose.nodes.push_back({label, {}, {}, {}, {}});
  NodePose& node = pose.nodes[place->second];
  if (path == ChannelPath::translation) node.translation = vec3_at(v);
  if (path == ChannelPath::rotation) node.rotation = Quat{v[0], v[1], v[2], v[3]};
  if (path == ChannelPath::scale) node.scale = vec3_at(v);
}

// A key while it is filled.
struct OpenKey {
  KeyedPose key;
  std::unordered_map<Index, std::size_t> nodes, in_nodes, out_nodes;
  std::unordered_map<std::string, float> shapes;
};

class ClipReader {
 public:
  ClipReader(const Character& character, const Clip& clip)
      : character_(character), clip_(clip), labels_(node_labels(character)) {}

  ClipKeys read() {
    for (const Channel& channel : clip_.channels)
      for (std::size_t k = 0; k < channel.times.size(); ++k) add(channel, k);
    ClipKeys result;
    result.keys.name = clip_.name;
    for (auto& [when, open] : keys_) result.keys.keys.push_back(std::move(open.key));
    if (differing_ > 0)
      result.notes.push_back(
          {Note::Kind::loss, "keys-of-shapes-differ",
           fmt::format("{} of one name on different meshes have different weights; those of "
                       "the first mesh are written",
                       counted(differing_, "key of shapes", "keys of shapes")),
           "", kNone, kNone, differing_});
    return result;
  }

 private:
  void add(const Channel& channel, std::size_t k) {
    const KeyKind kind = kind_of(channel.interpolation);
    OpenKey& open = keys_[{channel.times[k], kind}];
    open.key.time = static_cast<double>(channel.times[k]);
    open.key.kind = kind;
    const std::size_t width = channel_width(character_, channel), parts = kind == KeyKind::spline ? 3 : 1;
    const float* v = channel.values.data() + k * width * parts;
    const float* value = parts == 3 ? v + width : v;
    if (channel.path == ChannelPath::shape_weights) return add_shapes(channel, v, value, width, parts, open);
    if (channel.path == ChannelPath::control) {
      const std::string& name = character_.controls[at(channel.target)].name;
      open.key.pose.controls.push_back({name, *value});
      if (parts == 3)
        open.key.in.controls.push_back({name, v[0]}), open.key.out.controls.push_back({name, v[2]});
      return;
    }
    const std::string& label = labels_[at(channel.target)];
    set_node(open.key.pose, open.nodes, channel.target, label, channel.path, value);
    if (parts == 1) return;
    set_node(open.key.in, open.in_nodes, channel.target, label, channel.path, v);
    set_node(open.key.out, open.out_nodes, channel.target, label, channel.path, v + 2 * width);
  }

  void add_shapes(const Channel& channel, const float* v, const float* value, std::size_t width,
                  std::size_t parts, OpenKey& open) {
    const Mesh& mesh = character_.meshes[at(character_.instances[at(channel.target)].mesh)];
    for (std::size_t s = 0; s < width; ++s) {
      const std::string label = shape_label(mesh, s);
      const auto [known, is_new] = open.shapes.try_emplace(label, value[s]);
      if (!is_new) {
        differing_ += known->second != value[s] ? 1 : 0;
        continue;
      }
      open.key.pose.shapes.push_back({label, value[s]});
      if (parts == 1) continue;
      open.key.in.shapes.push_back({label, v[s]});
      open.key.out.shapes.push_back({label, v[2 * width + s]});
    }
  }

  const Character& character_;
  const Clip& clip_;
  std::vector<std::string> labels_;
  std::map<std::pair<float, KeyKind>, OpenKey> keys_;
  std::size_t differing_ = 0;
};

}  // namespace

Result<Clip> clip_of_keys(const Character& character, const KeyedPoses& keys) {
  KeyCollector collector(character);
  for (const KeyedPose& key : keys.keys)
    if (Status added = collector.add(key); !added) return added.error();
  Clip clip = collector.take(keys.name);
  if (clip.channels.empty()) return Error{Errc::bad_argument, "its keys name nothing that moves"};
  return clip;
}

ClipKeys keys_of_clip(const Character& character, const Clip& clip) {
  return ClipReader(character, clip).read();
}

}  // namespace dermis
