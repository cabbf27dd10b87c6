// SPDX-License-Identifier: MIT
// Fingerprints of the parts of a character. Every model structure is unpacked field by field, so that after
// adding a field this does not compile until someone decides what a change of it means for saving.
#include "io/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace dermis {
namespace {

static_assert(sizeof(Vec2) == 8 && sizeof(Vec3) == 12 && sizeof(Vec4) == 16 && sizeof(Quat) == 16 &&
                  sizeof(Affine) == 48 && sizeof(Influence) == 8 && sizeof(Transform) == 40,
              "bytes between the members would be read");

// Odd, with bits spread evenly (the golden ratio): multiplying by it loses nothing.
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;

// One step of a lane. One-to-one in the lane for a given word, and in the word for a given lane.
std::uint64_t stepped(std::uint64_t lane, std::uint64_t word) { return std::rotl((lane ^ word) * kOdd, 29); }

// The finisher of splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// ---- Meshes -------------------------------------------------------------------------------------------

// The entries that belong to a part's points.
template <class Value>
std::span<const Value> of_part(const std::vector<Value>& values, const MeshPart& part) {
  if (values.empty()) return {};
  return std::span<const Value>(values).subspan(at(part.first_point), at(part.point_count));
}

// Increasing numbers, relative to the first of them, so that preceding data does not matter.
void add_counts(Fingerprinter& printer, std::span<const std::uint32_t> rising) {
  std::array<std::uint32_t, 1024> some{};
  for (std::size_t k = 0; k < rising.size(); k += some.size()) {
    const std::size_t count = std::min(some.size(), rising.size() - k);
    for (std::size_t i = 0; i < count; ++i) some[i] = rising[k + i] - rising.front();
    printer.add_values(std::span<const std::uint32_t>(some.data(), count));
  }
}

template <class Value>
Fingerprint attribute_print(const Attribute<Value>& attribute, const MeshPart& part) {
  const auto& [values, corner_value] = attribute;
  Fingerprinter printer;
  if (attribute.is_per_point()) {
    printer.add_values(of_part(values, part));
  } else {  // not in a part; glTF has no such polygons
    printer.add_values(values);
    printer.add_values(corner_value);
  }
  return printer.done();
}

Fingerprint polygons_print(const Polygons& polygons, const MeshPart& part) {
  const auto& [first, corners] = polygons;
  const auto bounds =
      std::span<const std::uint32_t>(first).subspan(at(part.first_polygon), at(part.polygon_count) + 1);
  Fingerprinter printer;
  add_counts(printer, bounds);
  printer.add_values(std::span<const Index>(corners).subspan(bounds.front(), bounds.back() - bounds.front()));
  return printer.done();
}

Fingerprint weights_print(const WeightRows& rows, const MeshPart& part) {
  const auto& [first, influences] = rows;
  Fingerprinter printer;
  if (!rows.empty()) {
    const auto bounds =
        std::span<const std::uint32_t>(first).subspan(at(part.first_point), at(part.point_count) + 1);
    add_counts(printer, bounds);
    printer.add_values(
        std::span<const Influence>(influences).subspan(bounds.front(), bounds.back() - bounds.front()));
  }
  return printer.done();
}

Fingerprint shape_print(const Shape& shape, const MeshPart& part) {
  const auto& [name, points, offsets, normals, tangents] = shape;
  const auto begin = std::lower_bound(points.begin(), points.end(), part.first_point);
  const auto end = std::lower_bound(begin, points.end(), part.first_point + part.point_count);
  const auto first = static_cast<std::size_t>(begin - points.begin());
  const auto count = static_cast<std::size_t>(end - begin);
  Fingerprinter printer;
  printer.add_values(std::span<const Index>(points).subspan(first, count));
  for (const std::vector<Vec3>* values : {&offsets, &normals, &tangents}) {
    printer.add_number(values->empty() ? 0 : 1);
    if (!values->empty()) printer.add_values(std::span<const Vec3>(*values).subspan(first, count));
  }
  return printer.done();
}

template <class Value>
Fingerprint values_print(std::span<const Value> values) {
  Fingerprinter printer;
  printer.add_values(values);
  return printer.done();
}

// Arrays still to be read, each by its own thread.
using Readings = std::vector<std::function<void()>>;

void read_part(const Mesh& mesh, const MeshPart& part, PartPrint& print, Readings& readings) {
  // A document cannot store the labels of an OBJ (object, groups, smoothing).
  const auto& [first_point, point_count, first_polygon, polygon_count, material, object, groups, smoothing] =
      part;
  print.point_count = point_count;
  print.material = material;
  const auto read_attribute = [&](const auto& attribute, Fingerprint& into) {
    readings.push_back([&attribute, &part, &into] { into = attribute_print(attribute, part); });
  };
  readings.push_back([&] { print.points = values_print(of_part(mesh.points, part)); });
  readings.push_back([&] { print.polygons = polygons_print(mesh.polygons, part); });
  readings.push_back([&] { print.weights = weights_print(mesh.weights, part); });
  readings.push_back([&] { print.dqs_share = values_print(of_part(mesh.dqs_share, part)); });
  read_attribute(mesh.normals, print.normals);
  read_attribute(mesh.tangents, print.tangents);
  print.uvs.resize(mesh.uvs.size());
  print.colours.resize(mesh.colours.size());
  print.shapes.resize(mesh.shapes.size());
  for (std::size_t k = 0; k < mesh.uvs.size(); ++k) read_attribute(mesh.uvs[k], print.uvs[k]);
  for (std::size_t k = 0; k < mesh.colours.size(); ++k) read_attribute(mesh.colours[k], print.colours[k]);
  for (std::size_t k = 0; k < mesh.shapes.size(); ++k) {
    readings.push_back(
        [&part, &shape = mesh.shapes[k], &into = print.shapes[k]] { into = shape_print(shape, part); });
  }
}

MeshPrint mesh_print(const Mesh& mesh, Readings& readings) {
  // The weld map follows from the points.
  const auto& [name, points, polygons, parts, normals, tangents, uvs, colours, shapes, weights, dqs_share,
               weld] = mesh;
  MeshPrint print;
  print.name = fingerprint_of(name);
  for (const Shape& shape : shapes) print.shape_names.push_back(fingerprint_of(shape.name));
  print.parts.resize(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) read_part(mesh, parts[p], print.parts[p], readings);
  return print;
}

// One thread for small characters: starting others would take longer.
void run(const Readings& readings, std::size_t point_count) {
  constexpr std::size_t kManyPoints = 20000;
  parallel_for(readings.size(), point_count > kManyPoints ? 1 : readings.size() + 1,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t k = begin; k < end; ++k) readings[k]();
               });
}

// ---- Materials ----------------------------------------------------------------------------------------

void add_place(Fingerprinter& printer, const PicturePlace& place) {
  const auto& [uv_set, offset, scale, turn, wrap_u, wrap_v] = place;
  const float numbers[] = {offset.x, offset.y, scale.x, scale.y, turn};
  printer.add_values(std::span<const float>(numbers));
  for (const int number : {static_cast<int>(uv_set), static_cast<int>(wrap_u), static_cast<int>(wrap_v)})
    printer.add_number(static_cast<std::uint64_t>(number));
}

void add_material(Fingerprinter& printer, const Material& material) {
  const auto& [name, base_colour, emission, metallic, roughness, is_double_sided, alpha, alpha_cutoff,
               base_colour_image, normal_image, emission_image, base_colour_place, normal_place,
               emission_place, mtl] = material;
  printer.add_text(name);
  const float numbers[] = {base_colour.x, base_colour.y, base_colour.z, base_colour.w, emission.x,
                           emission.y,    emission.z,    metallic,      roughness,     alpha_cutoff};
  printer.add_values(std::span<const float>(numbers));
  const Index numbered[] = {base_colour_image, normal_image, emission_image, is_double_sided ? 1 : 0,
                            static_cast<Index>(alpha)};
  printer.add_values(std::span<const Index>(numbered));
  for (const PicturePlace* place : {&base_colour_place, &normal_place, &emission_place})
    add_place(printer, *place);
  printer.add_number(mtl.size());
  for (const std::string& line : mtl) printer.add_text(line);
}

// The location of a picture represents its pixels: code that changes them gives the image other bytes.
void add_image(Fingerprinter& printer, const Image& image) {
  const auto& [name, path, bytes, owner] = image;
  printer.add_text(name);
  printer.add_text(path);
  printer.add_number(reinterpret_cast<std::uintptr_t>(bytes.data()));
  printer.add_number(bytes.size());
}

Fingerprint materials_print(const Character& character) {
  Fingerprinter printer;
  printer.add_number(character.materials.size());
  for (const Material& material : character.materials) add_material(printer, material);
  for (const Image& image : character.images) add_image(printer, image);
  return printer.done();
}

}  // namespace

void Fingerprinter::add_bytes(std::span<const std::byte> bytes) {
  auto [a, b, c, d] = lanes_;
  const std::byte* from = bytes.data();
  std::array<std::uint64_t, 4> words{};
  std::size_t left = bytes.size();
  for (; left >= sizeof(words); left -= sizeof(words), from += sizeof(words)) {
    std::memcpy(words.data(), from, sizeof(words));
    a = stepped(a, words[0]), b = stepped(b, words[1]), c = stepped(c, words[2]), d = stepped(d, words[3]);
  }
  words = {};
  if (left > 0) std::memcpy(words.data(), from, left);
  a = stepped(a, words[0]), b = stepped(b, words[1]), c = stepped(c, words[2]), d = stepped(d, words[3]);
  lanes_ = {stepped(a, bytes.size()), b, c, d};
}

void Fingerprinter::add_number(std::uint64_t number) {
  add_values(std::span<const std::uint64_t>(&number, 1));
}

void Fingerprinter::add(const Fingerprint& part) {
  const std::uint64_t words[] = {part.low, part.high};
  add_values(std::span<const std::uint64_t>(words));
}

Fingerprint Fingerprinter::done() const {
  const auto [a, b, c, d] = lanes_;
  return {mixed(a ^ mixed(b + kOdd)) ^ mixed(c + 2 * kOdd), mixed(c ^ mixed(d + kOdd)) ^ mixed(a + 2 * kOdd)};
}

Fingerprint fingerprint_of(std::string_view text) {
  Fingerprinter printer;
  printer.add_text(text);
  return printer.done();
}

NodePrint print_of(const Node& node) {
  const auto& [name, parent, rest, rest_matrix] = node;
  Fingerprinter printer;
  printer.add_values(std::span<const Transform>(&rest, 1));
  if (rest_matrix) printer.add_values(std::span<const Affine>(&*rest_matrix, 1));
  return {fingerprint_of(name), printer.done(), parent};
}

SkinPrint print_of(const Skin& skin) {
  const auto& [name, node, inverse_bind] = skin;
  return {fingerprint_of(name), values_print(std::span<const Affine>(inverse_bind)), node};
}

ClipPrint print_of(const Clip& clip) {
  const auto& [name, channels] = clip;
  ClipPrint print;
  print.name = fingerprint_of(name);
  for (const Channel& channel : channels) {
    const auto& [path, target, interpolation, times, values] = channel;
    Fingerprinter printer;
    printer.add_number(static_cast<std::uint64_t>(interpolation));
    printer.add_values(times);
    printer.add_values(values);
    print.channels.push_back({path, target, printer.done()});
  }
  return print;
}

CharacterPrint print_of(const Character& character) {
  // The name is the file's, and a document is in metres.
  const auto& [name, nodes, meshes, materials, images, skins, instances, clips, controls, drivers,
               shape_rules, pose_spaces, metres_per_unit, is_unit_guessed] = character;
  CharacterPrint print;
  const auto print_all = [](const auto& list, auto& prints) {
    prints.reserve(list.size());
    for (const auto& one : list) prints.push_back(print_of(one));
  };
  print_all(nodes, print.nodes);
  print_all(skins, print.skins);
  print_all(clips, print.clips);
  print.instances = instances;
  print.controls = controls;
  print.drivers = drivers;
  print.shape_rules = shape_rules;
  print.pose_spaces = pose_spaces;
  print.materials = materials_print(character);
  Readings readings;
  std::size_t point_count = 0;
  print.meshes.reserve(meshes.size());
  for (const Mesh& mesh : meshes) {
    print.meshes.push_back(mesh_print(mesh, readings));
    point_count += mesh.points.size();
  }
  run(readings, point_count);
  return print;
}

Fingerprint motion_print(const Character& character) {
  Fingerprinter printer;
  for (const Node& node : character.nodes) {
    const auto [name, rest, parent] = print_of(node);
    printer.add(name);
    printer.add(rest);
    printer.add_values(std::span<const Index>(&parent, 1));
  }
  for (const Clip& clip : character.clips) {
    for (const ChannelPrint& channel : print_of(clip).channels) {
      const auto& [path, target, keys] = channel;
      printer.add(keys);
      const Index numbers[] = {static_cast<Index>(path), target};
      printer.add_values(std::span<const Index>(numbers));
    }
    printer.add_number(clip.channels.size());
  }
  return printer.done();
}

}  // namespace dermis
