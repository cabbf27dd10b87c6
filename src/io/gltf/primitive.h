// SPDX-License-Identifier: MIT
// One glTF primitive: where its attributes come from (accessors or a Draco block), decoded into mesh arrays.
#pragma once

#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "io/gltf/draco.h"
#include "io/gltf/reader.h"

namespace dermis {

class PrimitiveReader {
 public:
  // Decodes the Draco block, if there is one. Check reader.failed() afterwards.
  PrimitiveReader(GltfReader& reader, const Json& json, const Place& place);

  const Place& place() const { return place_; }
  std::size_t point_count() const { return point_count_; }  // 0 if the primitive has no positions
  bool has(const std::string& attribute) const;

  // Decodes attribute `name` and appends it to `out`: one Value (a struct of floats) per point.
  // Returns false if it is absent or faulty.
  template <class Value>
  bool append(const std::string& name, std::initializer_list<const char*> types, std::vector<Value>& out) {
    constexpr int kComponents = static_cast<int>(sizeof(Value) / sizeof(float));
    return append_floats(name, types, kComponents, [&](std::size_t count) {
      out.resize(out.size() + count);
      return reinterpret_cast<float*>(out.data() + (out.size() - count));
    });
  }
  // Colours of three or four components; missing alpha is 1.
  bool append_colours(const std::string& name, std::vector<Vec4>& out);
  // JOINTS_n and WEIGHTS_n, four numbers per point; empty if absent. `weight_step` is one step of the stored
  // weights (0 for floats).
  std::vector<std::uint32_t> joints(int set);
  std::vector<float> weights(int set, double& weight_step);
  // Triangles, strips and fans as triangle corners, counted from 0; empty for points and lines (with a note).
  std::vector<std::uint32_t> triangles();
  // Offsets of morph target `target` for POSITION, NORMAL or TANGENT: one for each point, or none.
  std::vector<Vec3> target(std::size_t target, const char* attribute);
  std::size_t target_count() const { return target_count_; }

 private:
  template <class MakeRoom>
  bool append_floats(const std::string& name, std::initializer_list<const char*> types, int components,
                     const MakeRoom& make_room);
  Index accessor_of(const std::string& name) const;
  // Draco's id of the attribute, if the block contains it.
  std::optional<std::uint32_t> draco_id(const std::string& name) const;
  bool check_count(const std::string& name, std::size_t count);
  std::vector<std::uint32_t> raw_indices();

  GltfReader& reader_;
  const Json& json_;
  Place place_;
  const Json* attributes_ = nullptr;
  const Json* targets_ = nullptr;
  const DracoMesh* draco_ = nullptr;
  const Json* draco_attributes_ = nullptr;
  std::size_t point_count_ = 0;
  std::size_t target_count_ = 0;
};

template <class MakeRoom>
bool PrimitiveReader::append_floats(const std::string& name, std::initializer_list<const char*> types,
                                    int components, const MakeRoom& make_room) {
  if (reader_.failed() || !has(name)) return false;
  const std::size_t numbers = point_count_ * static_cast<std::size_t>(components);
  if (!reader_.charge(place_, numbers, sizeof(float))) return false;
  if (const std::optional<std::uint32_t> id = draco_id(name)) {
    const std::optional<std::vector<float>> values = draco_->floats(*id, components);
    if (!values || values->size() != numbers) {
      return reader_.fail(place_, "has Draco data without its attribute '" + name + "'");
    }
    std::memcpy(make_room(point_count_), values->data(), numbers * sizeof(float));
    return true;
  }
  const std::optional<AccessorView> view = reader_.view(accessor_of(name), types, place_);
  if (!view || !check_count(name, view->count)) return false;
  decode_floats(*view, {make_room(point_count_), numbers});
  return true;
}

}  // namespace dermis
