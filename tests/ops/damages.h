// SPDX-License-Identifier: MIT
// Kinds of damage for the seeded-fault tests: what a picture would show, and what only a validator sees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "characters.h"
#include "dermis/geometry.h"
#include "dermis/model.h"
#include "dermis/motion.h"
#include "io/glb_parts.h"

namespace dermis::test {

// ---- Weights in memory --------------------------------------------------------------------------------

using Row = std::vector<Influence>;

// The first skinned mesh of the scene with most points.
struct Body {
  Index instance = kNone, mesh = kNone, skin = kNone;
};
inline Body body_of(const Character& character) {
  Body body;
  std::size_t most = 0;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const Instance& instance = character.instances[i];
    if (instance.skin == kNone || !instance.in_scene) continue;
    const std::size_t count = character.meshes[at(instance.mesh)].points.size();
    if (count > most) most = count, body = {static_cast<Index>(i), instance.mesh, instance.skin};
  }
  return body;
}

inline std::vector<Row> rows_of_mesh(const Mesh& mesh) {
  std::vector<Row> rows;
  for (std::size_t v = 0; v < mesh.points.size(); ++v)
    rows.emplace_back(mesh.weights.row(v).begin(), mesh.weights.row(v).end());
  return rows;
}
inline void set_rows(Mesh& mesh, const std::vector<Row>& rows) {
  WeightRowBuilder builder;
  for (const Row& row : rows) {
    for (const Influence& influence : row) builder.add(influence.slot, influence.weight);
    builder.close_row(0);
  }
  mesh.weights = builder.take();
}
// `share` of the point's weight moves to the slot; coincident points are one point.
inline void give(const Mesh& mesh, std::vector<Row>& rows, Index point, Index slot, float share) {
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (mesh.weld[v] != mesh.weld[at(point)]) continue;
    for (Influence& influence : rows[v]) influence.weight *= 1 - share;
    rows[v].push_back({slot, share});
  }
}

// Joints in the bind pose of a skin.
inline Vec3d bind_place(const Skin& skin, Index slot) {
  return inverse(Affined(skin.inverse_bind[at(slot)])).translation;
}
// Slots that are the heaviest of some point, and how many.
inline std::vector<std::size_t> led_points(const Mesh& mesh, const Skin& skin) {
  std::vector<std::size_t> led(skin.node.size(), 0);
  for (std::size_t v = 0; v < mesh.points.size(); ++v) ++led[at(mesh.weights.row(v)[0].slot)];
  return led;
}
inline Index farthest_slot(const Mesh& mesh, const Skin& skin, const Vec3d& point) {
  const std::vector<std::size_t> led = led_points(mesh, skin);
  Index farthest = kNone;
  double most = -1;
  for (std::size_t s = 0; s < led.size(); ++s) {
    const double d = length(bind_place(skin, static_cast<Index>(s)) - point);
    if (led[s] > 0 && d > most) most = d, farthest = static_cast<Index>(s);
  }
  return farthest;
}
inline Box box_of(const Mesh& mesh) {
  Box box;
  for (const Vec3& p : mesh.points) box.add(Vec3d(p));
  return box;
}
// A point used by a polygon.
inline Index any_point(const Mesh& mesh, Random& random) {
  return mesh.polygons.corners[at(random.below(static_cast<int>(mesh.polygons.corners.size())))];
}

// What most kinds work on.
struct Patient {
  Character& character;
  Mesh& mesh;
  Skin& skin;
  std::vector<Row> rows;
};
// Damages the rows of the body; false if the kind does not apply.
inline bool on_rows(Character& character, const std::function<bool(Patient&)>& change) {
  const Body body = body_of(character);
  if (body.mesh == kNone) return false;
  Patient patient{character, character.meshes[at(body.mesh)], character.skins[at(body.skin)], {}};
  if (patient.skin.node.size() < 2) return false;
  patient.rows = rows_of_mesh(patient.mesh);
  if (!change(patient)) return false;
  set_rows(patient.mesh, patient.rows);
  return true;
}

inline bool one_point_far(Character& character, Random& random, float share) {
  return on_rows(character, [&](Patient& p) {
    const Index v = any_point(p.mesh, random);
    const Index far = farthest_slot(p.mesh, p.skin, Vec3d(p.mesh.points[at(v)]));
    give(p.mesh, p.rows, v, far, share);
    return true;
  });
}

// Points within some polygons of a random one, about `count`.
inline std::vector<Index> patch_of(const Mesh& mesh, Random& random, std::size_t count) {
  std::set<Index> inside{mesh.weld[at(any_point(mesh, random))]};
  for (std::size_t before = 0; before != inside.size() && inside.size() < count;) {
    before = inside.size();
    std::set<Index> grown = inside;
    for (std::size_t p = 0; p < mesh.polygons.count(); ++p) {
      const auto polygon = mesh.polygons.polygon(p);
      const bool touches = std::any_of(polygon.begin(), polygon.end(),
                                       [&](Index v) { return inside.contains(mesh.weld[at(v)]); });
      for (const Index v : polygon) {
        if (touches) grown.insert(mesh.weld[at(v)]);
      }
    }
    inside = std::move(grown);
  }
  return {inside.begin(), inside.end()};
}

inline bool patch_far(Character& character, Random& random) {
  return on_rows(character, [&](Patient& p) {
    const std::vector<Index> patch =
        patch_of(p.mesh, random, std::max<std::size_t>(4, p.mesh.points.size() / 50));
    const Index far = farthest_slot(p.mesh, p.skin, Vec3d(p.mesh.points[at(patch[0])]));
    for (const Index v : patch) give(p.mesh, p.rows, v, far, 1);
    return true;
  });
}

inline bool random_joints(Character& character, Random& random) {
  return on_rows(character, [&](Patient& p) {
    const std::vector<std::size_t> led = led_points(p.mesh, p.skin);
    std::vector<Index> leading;
    for (std::size_t s = 0; s < led.size(); ++s) {
      if (led[s] > 0) leading.push_back(static_cast<Index>(s));
    }
    if (leading.size() < 2) return false;
    for (std::size_t k = 0; k < std::max<std::size_t>(3, p.rows.size() / 100); ++k)
      give(p.mesh, p.rows, any_point(p.mesh, random),
           leading[at(random.below(static_cast<int>(leading.size())))], 1);
    return true;
  });
}

// The pair of joints, left and right, that are furthest apart and lead points; then `up` joints above them.
struct SidePair {
  Index left = kNone, right = kNone;
  std::vector<Index> mirror;
};
inline SidePair widest_pair(const Patient& p, Index skin_index, int up) {
  SidePair pair;
  const double size = box_of(p.mesh).diagonal();
  const auto plane = plane_between_sides(p.character, p.character.skins[at(skin_index)], size);
  if (!plane) return pair;
  pair.mirror = mirror_skin(p.character, p.character.skins[at(skin_index)], *plane, size).mirror;
  const std::vector<std::size_t> led = led_points(p.mesh, p.skin);
  double widest = 0.2 * size;
  for (std::size_t s = 0; s < led.size(); ++s) {
    const Index m = pair.mirror[s];
    if (m == kNone || m <= static_cast<Index>(s) || led[s] == 0 || led[at(m)] == 0) continue;
    const double apart = length(bind_place(p.skin, static_cast<Index>(s)) - bind_place(p.skin, m));
    if (apart > widest) widest = apart, pair.left = static_cast<Index>(s), pair.right = m;
  }
  const auto above = [&](Index slot) {
    const Index parent = slot == kNone ? kNone : p.character.nodes[at(p.skin.node[at(slot)])].parent;
    const auto found = std::find(p.skin.node.begin(), p.skin.node.end(), parent);
    return found == p.skin.node.end() ? kNone : static_cast<Index>(found - p.skin.node.begin());
  };
  for (; up > 0 && pair.left != kNone; --up) {
    const Index l = above(pair.left), r = above(pair.right);
    if (l == kNone || r == kNone || l == r || pair.mirror[at(l)] != r) break;
    pair.left = l, pair.right = r;
  }
  return pair;
}
inline bool is_below(const Patient& p, Index slot, Index top) {
  for (Index n = p.skin.node[at(slot)]; n != kNone; n = p.character.nodes[at(n)].parent) {
    if (n == p.skin.node[at(top)]) return true;
  }
  return false;
}
// Exchanges the joints of both sides from the widest pair, or `up` joints above it, outwards.
inline bool swap_sides(Character& character, int up) {
  return on_rows(character, [&](Patient& p) {
    const SidePair pair = widest_pair(p, body_of(character).skin, up);
    if (pair.left == kNone) return false;
    for (Row& row : p.rows) {
      for (Influence& influence : row) {
        const Index m = pair.mirror[at(influence.slot)];
        const bool is_moved =
            is_below(p, influence.slot, pair.left) || is_below(p, influence.slot, pair.right);
        if (is_moved && m != kNone) influence.slot = m;
      }
    }
    return true;
  });
}
// One side, or one point of it, follows the other by `share`.
inline bool follow_other_side(Character& character, Random& random, float share, bool is_one_point) {
  return on_rows(character, [&](Patient& p) {
    const SidePair pair = widest_pair(p, body_of(character).skin, 0);
    if (pair.left == kNone) return false;
    std::vector<Index> led;
    for (std::size_t v = 0; v < p.rows.size(); ++v) {
      if (p.rows[v][0].slot == pair.left && p.mesh.weld[v] == static_cast<Index>(v))
        led.push_back(static_cast<Index>(v));
    }
    if (led.empty()) return false;
    if (is_one_point) led = {led[at(random.below(static_cast<int>(led.size())))]};
    for (const Index v : led) give(p.mesh, p.rows, v, pair.right, share);
    return true;
  });
}

inline bool shift_rows(Character& character) {
  return on_rows(character, [](Patient& p) {
    std::rotate(p.rows.begin(), p.rows.begin() + static_cast<std::ptrdiff_t>(p.rows.size() / 2),
                p.rows.end());
    return true;
  });
}
inline bool shift_joints(Character& character) {
  return on_rows(character, [](Patient& p) {
    for (Row& row : p.rows) {
      for (Influence& influence : row)
        influence.slot = (influence.slot + 1) % static_cast<Index>(p.skin.node.size());
    }
    return true;
  });
}
inline bool shuffle_rows(Character& character, Random& random) {
  return on_rows(character, [&](Patient& p) {
    const int count = static_cast<int>(p.rows.size());
    for (int k = 0; k < std::max(4, count / 20); ++k)
      std::swap(p.rows[at(random.below(count))], p.rows[at(random.below(count))]);
    return true;
  });
}
inline bool all_on_one_joint(Character& character) {
  for (Mesh& mesh : character.meshes) {
    if (!mesh.weights.empty()) set_rows(mesh, std::vector<Row>(mesh.points.size(), Row{{0, 1.0f}}));
  }
  return body_of(character).mesh != kNone;
}
// One of several coincident points on a texture seam or a hard edge follows its joint's parent by half.
inline bool open_seams(Character& character) {
  return on_rows(character, [](Patient& p) {
    bool is_any = false;
    for (std::size_t v = 0; v < p.rows.size(); ++v) {
      if (p.mesh.weld[v] == static_cast<Index>(v)) continue;
      const Index far = farthest_slot(p.mesh, p.skin, Vec3d(p.mesh.points[v]));
      for (Influence& influence : p.rows[v]) influence.weight *= 0.5f;
      p.rows[v].push_back({far, 0.5f});
      is_any = true;
      if (v > p.rows.size() / 10) break;
    }
    return is_any;
  });
}

// ---- Binds, joints, surfaces and clips in memory
// ------------------------------------------------------------

// The slot that leads most points among those with a parent in the skin.
inline Index busy_slot(const Patient& p) {
  const std::vector<std::size_t> led = led_points(p.mesh, p.skin);
  Index busiest = kNone;
  for (std::size_t s = 0; s < led.size(); ++s) {
    const Index parent = p.character.nodes[at(p.skin.node[s])].parent;
    const bool has_parent = std::find(p.skin.node.begin(), p.skin.node.end(), parent) != p.skin.node.end();
    if (has_parent && led[s] > 0 && (busiest == kNone || led[s] > led[at(busiest)]))
      busiest = static_cast<Index>(s);
  }
  return busiest;
}
inline bool change_bind(Character& character, const std::function<void(Affine&, double size)>& change) {
  return on_rows(character, [&](Patient& p) {
    const Index slot = busy_slot(p);
    if (slot == kNone) return false;
    // Another skin, if the joints are shared, stays whole.
    const double size = box_of(p.mesh).diagonal();
    change(p.skin.inverse_bind[at(slot)],
           size * std::cbrt(std::abs(determinant(Mat3d(p.skin.inverse_bind[at(slot)].linear)))));
    return true;
  });
}
inline bool identity_binds(Character& character) {
  const Body body = body_of(character);
  if (body.skin == kNone) return false;
  bool is_change = false;
  for (Affine& bind : character.skins[at(body.skin)].inverse_bind) {
    is_change = is_change || length(bind.translation) > 0;
    bind = Affine{};
  }
  return is_change;
}
// As of a program that stores matrices by rows.
inline bool transpose_binds(Character& character) {
  const Body body = body_of(character);
  if (body.skin == kNone) return false;
  for (Affine& bind : character.skins[at(body.skin)].inverse_bind) bind.linear = transposed(bind.linear);
  return true;
}
inline bool reverse_joints(Character& character) {
  const Body body = body_of(character);
  if (body.skin == kNone || character.skins[at(body.skin)].node.size() < 2) return false;
  std::reverse(character.skins[at(body.skin)].node.begin(), character.skins[at(body.skin)].node.end());
  return true;
}
// The skeleton stands beside the body: it looks right at rest, and turns about the wrong places.
inline bool skeleton_beside(Character& character) {
  const Body body = body_of(character);
  if (body.skin == kNone) return false;
  const std::vector<Affined> before = rest_world(character);
  const Skin& moved = character.skins[at(body.skin)];
  Index root = moved.node[0];
  while (character.nodes[at(root)].parent != kNone) root = character.nodes[at(root)].parent;
  if (character.nodes[at(root)].rest_matrix) return false;
  Box joints;
  for (const Index node : moved.node) joints.add(before[at(node)].translation);
  character.nodes[at(root)].rest.translation.x += static_cast<float>(joints.diagonal());
  const std::vector<Affined> after = rest_world(character);
  for (Skin& skin : character.skins) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      const std::size_t n = at(skin.node[s]);
      skin.inverse_bind[s] = Affine(inverse(after[n]) * before[n] * Affined(skin.inverse_bind[s]));
    }
  }
  return true;
}
inline bool without_skin(Character& character) {
  const Body body = body_of(character);
  if (body.skin == kNone) return false;
  character.instances[at(body.instance)].skin = kNone;
  return true;
}
inline bool flatten_joint(Character& character) {
  return on_rows(character, [](Patient& p) {
    const Index slot = busy_slot(p);
    if (slot == kNone) return false;
    Node& node = p.character.nodes[at(p.skin.node[at(slot)])];
    if (node.rest_matrix) return false;
    node.rest.scale = {0, 0, 0};
    for (Clip& clip : p.character.clips) {
      std::erase_if(clip.channels, [&](const Channel& channel) {
        return channel.path == ChannelPath::scale && channel.target == p.skin.node[at(slot)];
      });
    }
    return true;
  });
}
inline bool invert_normals(Character& character) {
  bool is_any = false;
  for (Mesh& mesh : character.meshes) {
    for (Vec3& normal : mesh.normals.values) normal = normal * -1.0f, is_any = true;
  }
  return is_any;
}
inline bool turn_inside_out(Character& character) {
  const Body body = body_of(character);
  if (body.mesh == kNone) return false;
  Mesh& mesh = character.meshes[at(body.mesh)];
  if (!mesh.normals.is_per_point()) return false;
  for (std::size_t p = 0; p < mesh.polygons.count(); ++p)
    std::reverse(mesh.polygons.corners.begin() + mesh.polygons.first[p],
                 mesh.polygons.corners.begin() + mesh.polygons.first[p + 1]);
  for (Vec3& normal : mesh.normals.values) normal = normal * -1.0f;
  return true;
}
// A polygon less: cloth, hair and eye sockets are open too.
inline bool cut_hole(Character& character, Random&) {
  const Body body = body_of(character);
  if (body.mesh == kNone) return false;
  Mesh& mesh = character.meshes[at(body.mesh)];
  const bool is_simple = mesh.parts.size() == 1 && mesh.normals.is_per_point() && mesh.uvs.empty() &&
                         mesh.colours.empty() && mesh.polygons.count() > 10;
  if (!is_simple) return false;
  const std::size_t last = mesh.polygons.count() - 1;
  mesh.polygons.corners.resize(mesh.polygons.first[last]);
  mesh.polygons.first.pop_back();
  --mesh.parts[0].polygon_count;
  return true;
}
// Calls change(value) for each key value of a path in all clips; false if there is none.
template <class Change>
bool change_keys(Character& character, ChannelPath path, std::size_t numbers, const Change& change) {
  bool is_change = false;
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      if (channel.path != path) continue;
      is_change = true;
      for (std::size_t k = 0; k + numbers <= channel.values.size(); k += numbers)
        change(std::span(channel.values).subspan(k, numbers));
    }
  }
  return is_change;
}
// As a clip in centimetres, on a skeleton in metres; false if clips only move the whole body.
inline bool enlarge_translations(Character& character) {
  constexpr std::size_t kSome = 3;
  std::set<Index> moved;
  for (const Clip& clip : character.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::translation) moved.insert(channel.target);
    }
  }
  return moved.size() > kSome &&
         change_keys(character, ChannelPath::translation, 3, [](std::span<float> key) {
           for (float& x : key) x *= 100;
         });
}
inline bool store_w_first(Character& character) {
  return change_keys(character, ChannelPath::rotation, 4,
                     [](std::span<float> key) { std::rotate(key.begin(), key.begin() + 3, key.end()); });
}
// A node above everything that swaps left and right.
inline bool mirror_scene(Character& character) {
  Node mirror;
  mirror.name = "mirror";
  mirror.rest.scale = {-1, 1, 1};
  const auto top = static_cast<Index>(character.nodes.size());
  for (Node& node : character.nodes) node.parent = node.parent == kNone ? top : node.parent;
  character.nodes.push_back(mirror);
  return true;
}

// One key in the middle of a moving rotation turns by 120 degrees.
inline bool jump_in_clip(Character& character) {
  for (Clip& clip : character.clips) {
    for (Channel& channel : clip.channels) {
      const std::size_t keys = channel.times.size();
      if (channel.path != ChannelPath::rotation || channel.interpolation != Interpolation::linear ||
          keys < 10)
        continue;
      const float step = channel.times[keys / 2 + 1] - channel.times[keys / 2];
      if (step > 0.1f) continue;
      float* key = &channel.values[keys / 2 * 4];
      const Quatd turned =
          Quatd{key[0], key[1], key[2], key[3]} * quat_from_axis_angle({1, 0, 0}, 2 * std::numbers::pi / 3);
      key[0] = static_cast<float>(turned.x), key[1] = static_cast<float>(turned.y);
      key[2] = static_cast<float>(turned.z), key[3] = static_cast<float>(turned.w);
      return true;
    }
  }
  return false;
}

// ---- Files ----------------------------------------------------------------------------------------------

inline std::string joined_glb(GlbParts parts) {
  if (!parts.bin.empty()) parts.json["buffers"][0]["byteLength"] = parts.bin.size();
  std::string text = parts.json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  parts.bin.resize((parts.bin.size() + 3) / 4 * 4, '\0');
  std::string file;
  const auto word = [&](std::size_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    file.append(reinterpret_cast<const char*>(&number), 4);
  };
  file += "glTF";
  word(2), word(28 + text.size() + parts.bin.size());
  word(text.size()), file += "JSON" + text;
  word(parts.bin.size()), file += std::string("BIN\0", 4) + parts.bin;
  return file;
}

// The floats of an accessor that is packed and holds floats; `change` may write them.
inline bool change_floats(GlbParts& glb, std::size_t accessor,
                          const std::function<bool(std::span<float>)>& change) {
  const auto& json = glb.json["accessors"][accessor];
  if (json["componentType"] != 5126 || !json.contains("bufferView")) return false;
  const auto& view = glb.json["bufferViews"][json["bufferView"].get<std::size_t>()];
  const std::size_t begin =
      view.value("byteOffset", std::size_t{0}) + json.value("byteOffset", std::size_t{0});
  const std::string type = json["type"];
  const std::size_t width = type == "SCALAR" ? 1
                            : type == "MAT4" ? 16
                                             : static_cast<std::size_t>(type[3] - '0');
  std::vector<float> numbers(json["count"].get<std::size_t>() * width);
  std::memcpy(numbers.data(), glb.bin.data() + begin, numbers.size() * sizeof(float));
  if (!change(numbers)) return false;
  std::memcpy(glb.bin.data() + begin, numbers.data(), numbers.size() * sizeof(float));
  return true;
}
// The attribute of the first primitive that has weights.
inline bool change_attribute(GlbParts& glb, const char* name,
                             const std::function<bool(std::span<float>)>& change) {
  for (auto& mesh : glb.json["meshes"]) {
    for (auto& primitive : mesh["primitives"]) {
      const auto& attributes = primitive["attributes"];
      if (attributes.contains("WEIGHTS_0") && attributes.contains(name))
        return change_floats(glb, attributes[name].get<std::size_t>(), change);
    }
  }
  return false;
}
inline bool scale_weights(GlbParts& glb, float factor) {
  return change_attribute(glb, "WEIGHTS_0", [&](std::span<float> weights) {
    for (float& weight : weights) weight *= factor;
    return true;
  });
}
inline bool empty_weights(GlbParts& glb, std::size_t every) {
  return change_attribute(glb, "WEIGHTS_0", [&](std::span<float> weights) {
    for (std::size_t v = weights.size() / 8; v < weights.size() / 4; v += every)
      std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(4 * v), 4, 0.0f);
    return true;
  });
}
inline bool set_first(GlbParts& glb, const char* attribute, float value) {
  return change_attribute(glb, attribute, [&](std::span<float> numbers) {
    return !numbers.empty() && (numbers[numbers.size() / 2] = value, true);
  });
}
// The times of the longest sampler of the first clip.
inline bool change_times(GlbParts& glb, const std::function<bool(std::span<float>)>& change) {
  if (!glb.json.contains("animations")) return false;
  std::size_t longest = 0, chosen = 0;
  for (const auto& sampler : glb.json["animations"][0]["samplers"]) {
    const auto input = sampler["input"].get<std::size_t>();
    const auto count = glb.json["accessors"][input]["count"].get<std::size_t>();
    if (count > longest) longest = count, chosen = input;
  }
  return longest >= 6 && change_floats(glb, chosen, change);
}
inline bool stride_binds(GlbParts& glb) {
  if (!glb.json.contains("skins") || !glb.json["skins"][0].contains("inverseBindMatrices")) return false;
  const auto accessor = glb.json["skins"][0]["inverseBindMatrices"].get<std::size_t>();
  const auto view = glb.json["accessors"][accessor]["bufferView"].get<std::size_t>();
  glb.json["bufferViews"][view]["byteStride"] = 64;
  return true;
}
// The positions start at an odd byte.
inline bool misalign_positions(GlbParts& glb) {
  for (auto& mesh : glb.json["meshes"]) {
    for (auto& primitive : mesh["primitives"]) {
      if (!primitive["attributes"].contains("WEIGHTS_0")) continue;
      auto& accessor = glb.json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
      auto& view = glb.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
      const std::size_t length = view["byteLength"], begin = view.value("byteOffset", std::size_t{0});
      const std::string bytes = glb.bin.substr(begin, length);
      glb.bin += std::string(1 + (4 - glb.bin.size() % 4) % 4, '\0');
      view["byteOffset"] = glb.bin.size();
      glb.bin += bytes;
      return true;
    }
  }
  return false;
}
inline bool drop_attribute(GlbParts& glb, const char* name) {
  bool is_any = false;
  for (auto& mesh : glb.json["meshes"]) {
    for (auto& primitive : mesh["primitives"]) is_any = primitive["attributes"].erase(name) > 0 || is_any;
  }
  return is_any;
}

}  // namespace dermis::test
