// SPDX-License-Identifier: MIT
// Faults in the layout of glTF data: what check finds, beside gltf-validator and three.js.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <set>

#include "dermis/ops.h"
#include "io/made_gltf.h"
#include "judges/judges.h"
#include "outside/files.h"

namespace dermis {
namespace {

using test::MadeGltf;
using test::TemporaryFolder;
using Json = MadeGltf::Json;
namespace fs = std::filesystem;

// ---- A file without fault -----------------------------------------------------------------------------

// A closed tetrahedron on two joints, with all that a layout can be wrong of: normals, texture coordinates,
// colours, indices, a shape, inverse binds and a clip, each in a view of its own.
MadeGltf whole_file() {
  MadeGltf made;
  const std::vector<float> places{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Json bounds{{"min", {0, 0, 0}}, {"max", {1, 1, 1}}};
  const float r = 0.57735027f;
  const Json attributes{
      {"POSITION", made.accessor<float>(places, "VEC3", bounds)},
      {"NORMAL", made.accessor<float>({-r, -r, -r, 1, 0, 0, 0, 1, 0, 0, 0, 1}, "VEC3")},
      {"TEXCOORD_0",
       made.accessor<std::uint16_t>({0, 0, 65535, 0, 0, 65535, 0, 0}, "VEC2", {{"normalized", true}})},
      {"COLOR_0",
       made.accessor<std::uint8_t>(std::vector<std::uint8_t>(16, 255), "VEC4", {{"normalized", true}})},
      {"JOINTS_0", made.accessor<std::uint8_t>({0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4")},
      {"WEIGHTS_0",
       made.accessor<float>({1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0}, "VEC4")}};
  const int indices = made.accessor<std::uint16_t>({0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, "SCALAR");
  const int shape = made.accessor<float>({0, 0, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC3",
                                         {{"min", {0, 0, 0}}, {"max", {0.5f, 0, 0}}});
  made.mesh(attributes, {{"indices", indices}, {"targets", Json::array({{{"POSITION", shape}}})}});
  made.push("nodes", {{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  made.push("nodes", {{"name", "hip"}, {"children", {2}}});
  made.push("nodes", {{"name", "knee"}});
  const std::vector<float> unit{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  std::vector<float> binds = unit;
  binds.insert(binds.end(), unit.begin(), unit.end());
  made.push("skins", {{"joints", {1, 2}}, {"inverseBindMatrices", made.accessor<float>(binds, "MAT4")}});
  const int times = made.accessor<float>({0, 0.5f, 1}, "SCALAR", {{"min", {0}}, {"max", {1}}});
  const int turns = made.accessor<float>({0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1}, "VEC4");
  made.push("animations",
            {{"name", "turn"},
             {"samplers", Json::array({{{"input", times}, {"output", turns}}})},
             {"channels", Json::array({{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}})}});
  made.scene({0, 1});
  return made;
}

// ---- Its parts ------------------------------------------------------------------------------------------

Json& primitive_of(MadeGltf& made) { return made.json["meshes"][0]["primitives"][0]; }
std::size_t attribute(MadeGltf& made, const char* name) {
  return primitive_of(made)["attributes"][name].get<std::size_t>();
}
std::size_t indices_of(MadeGltf& made) { return primitive_of(made)["indices"].get<std::size_t>(); }
std::size_t binds_of(MadeGltf& made) {
  return made.json["skins"][0]["inverseBindMatrices"].get<std::size_t>();
}
std::size_t sampler(MadeGltf& made, const char* end) {
  return made.json["animations"][0]["samplers"][0][end].get<std::size_t>();
}
Json& accessor_of(MadeGltf& made, std::size_t accessor) { return made.json["accessors"][accessor]; }
Json& view_of(MadeGltf& made, std::size_t accessor) {
  return made.json["bufferViews"][accessor_of(made, accessor)["bufferView"].get<std::size_t>()];
}
std::string bytes_of(MadeGltf& made, std::size_t accessor) {
  const Json& view = view_of(made, accessor);
  return made.bin.substr(view.value("byteOffset", std::size_t{0}), view["byteLength"].get<std::size_t>());
}
// Lays the items of an accessor out again, `stride` bytes apart, `first` bytes into a new view.
void lay_out(MadeGltf& made, std::size_t accessor, std::size_t stride, std::size_t first = 0) {
  const std::string packed = bytes_of(made, accessor);
  const auto count = accessor_of(made, accessor)["count"].get<std::size_t>();
  const std::size_t item = packed.size() / count;
  std::string bytes(first + (count - 1) * stride + item, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes.replace(first + i * stride, item, packed, i * item, item);
  accessor_of(made, accessor)["bufferView"] = made.view(bytes);
  if (first > 0) accessor_of(made, accessor)["byteOffset"] = first;
  if (stride != item) view_of(made, accessor)["byteStride"] = stride;
}
// The view itself starts `by` bytes after a multiple of four.
void shift_view(MadeGltf& made, std::size_t accessor, std::size_t by) {
  lay_out(made, accessor,
          bytes_of(made, accessor).size() / accessor_of(made, accessor)["count"].get<std::size_t>(), by);
  accessor_of(made, accessor).erase("byteOffset");
  Json& view = view_of(made, accessor);
  view["byteOffset"] = view["byteOffset"].get<std::size_t>() + by;
  view["byteLength"] = view["byteLength"].get<std::size_t>() - by;
}
Json& sparse_positions(MadeGltf& made, const std::vector<std::uint16_t>& indices) {
  const std::vector<float> values(3 * indices.size(), 0.25f);
  Json& accessor = accessor_of(made, attribute(made, "POSITION"));
  const int index_view = made.view_of(indices), value_view = made.view_of(values);
  accessor["sparse"] = {{"count", indices.size()},
                        {"indices", {{"bufferView", index_view}, {"componentType", 5123}}},
                        {"values", {{"bufferView", value_view}}}};
  accessor.erase("min"), accessor.erase("max");
  return accessor["sparse"];
}
template <class Number>
void set_attribute(MadeGltf& made, const char* name, const std::vector<Number>& numbers, const char* type,
                   const Json& more = Json::object()) {
  const int index = made.accessor<Number>(numbers, type, more);
  primitive_of(made)["attributes"][name] = index;
}

// ---- Faults ---------------------------------------------------------------------------------------------

struct LayoutFault {
  const char* name;
  const char* code;     // among the validator's errors; empty: it gives up, or says it otherwise
  const char* finding;  // of dermis, "refused", or empty
  std::function<void(MadeGltf&)> change;
};

std::vector<LayoutFault> layout_faults() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {
      // ---- Strides ----
      {"stride that is no multiple of 4", "VALUE_MULTIPLE_OF", "stride-wrong",
       [](MadeGltf& m) { lay_out(m, attribute(m, "POSITION"), 14); }},
      {"stride above 252", "VALUE_NOT_IN_RANGE", "stride-wrong",
       [](MadeGltf& m) { lay_out(m, attribute(m, "POSITION"), 256); }},
      {"stride of 2", "VALUE_NOT_IN_RANGE", "refused",
       [](MadeGltf& m) { view_of(m, attribute(m, "POSITION"))["byteStride"] = 2; }},
      {"stride smaller than an item", "ACCESSOR_SMALL_BYTESTRIDE", "refused",
       [](MadeGltf& m) { view_of(m, attribute(m, "POSITION"))["byteStride"] = 8; }},
      {"stride larger than the view", "BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", "stride-wrong",
       [](MadeGltf& m) {
         Json& a = accessor_of(m, attribute(m, "POSITION"));
         view_of(m, attribute(m, "POSITION"))["byteStride"] = 64;
         for (const auto& [name, index] : primitive_of(m)["attributes"].items())
           accessor_of(m, index.get<std::size_t>())["count"] = 1;
         accessor_of(m, primitive_of(m)["targets"][0]["POSITION"].get<std::size_t>())["count"] = 1;
         accessor_of(m, indices_of(m))["count"] = 0;
         a["max"] = {0, 0, 0};
       }},
      {"stride on indices", "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", "stride-wrong",
       [](MadeGltf& m) { lay_out(m, indices_of(m), 4); }},
      {"stride on inverse binds", "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", "stride-wrong",
       [](MadeGltf& m) { view_of(m, binds_of(m))["byteStride"] = 64; }},
      {"stride on the times of a clip", "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", "stride-wrong",
       [](MadeGltf& m) { view_of(m, sampler(m, "input"))["byteStride"] = 4; }},
      {"stride on the keys of a clip", "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", "stride-wrong",
       [](MadeGltf& m) { lay_out(m, sampler(m, "output"), 20); }},
      {"stride on a picture", "IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", "stride-wrong",
       [](MadeGltf& m) {
         const int view = m.view("\x89PNG\r\n\x1a\n", {{"byteStride", 4}});
         m.push("images", {{"bufferView", view}, {"mimeType", "image/png"}});
       }},
      {"stride on sparse values", "BUFFER_VIEW_INVALID_BYTE_STRIDE", "stride-wrong",
       [](MadeGltf& m) {
         const auto view = sparse_positions(m, {1})["values"]["bufferView"].get<std::size_t>();
         m.json["bufferViews"][view]["byteStride"] = 12;
       }},
      {"two attributes in one view without a stride", "MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE",
       "stride-missing",
       [](MadeGltf& m) {
         const std::string both = bytes_of(m, attribute(m, "POSITION")) + bytes_of(m, attribute(m, "NORMAL"));
         const int view = m.view(both);
         accessor_of(m, attribute(m, "POSITION"))["bufferView"] = view;
         accessor_of(m, attribute(m, "NORMAL"))["bufferView"] = view;
         accessor_of(m, attribute(m, "NORMAL"))["byteOffset"] = both.size() / 2;
       }},
      // ---- Offsets ----
      {"floats in a view at an odd byte", "ACCESSOR_TOTAL_OFFSET_ALIGNMENT", "accessor-misaligned",
       [](MadeGltf& m) { shift_view(m, attribute(m, "POSITION"), 1); }},
      {"floats 2 bytes into their view", "ACCESSOR_OFFSET_ALIGNMENT", "accessor-misaligned",
       [](MadeGltf& m) { lay_out(m, attribute(m, "WEIGHTS_0"), 16, 2); }},
      {"indices at an odd byte", "ACCESSOR_TOTAL_OFFSET_ALIGNMENT", "accessor-misaligned",
       [](MadeGltf& m) { shift_view(m, indices_of(m), 1); }},
      {"times at an odd byte", "ACCESSOR_TOTAL_OFFSET_ALIGNMENT", "accessor-misaligned",
       [](MadeGltf& m) { shift_view(m, sampler(m, "input"), 3); }},
      {"inverse binds at an odd byte", "ACCESSOR_TOTAL_OFFSET_ALIGNMENT", "accessor-misaligned",
       [](MadeGltf& m) { shift_view(m, binds_of(m), 1); }},
      {"an attribute 2 bytes into its view", "MESH_PRIMITIVE_ACCESSOR_UNALIGNED", "accessor-misaligned",
       [](MadeGltf& m) { lay_out(m, attribute(m, "TEXCOORD_0"), 4, 2); }},
      {"colours of 3 bytes without padding", "MESH_PRIMITIVE_ACCESSOR_UNALIGNED", "accessor-misaligned",
       [](MadeGltf& m) {
         set_attribute<std::uint8_t>(m, "COLOR_0", std::vector<std::uint8_t>(12, 255), "VEC3",
                                     {{"normalized", true}});
       }},
      {"sparse indices at an odd byte", "", "accessor-misaligned",
       [](MadeGltf& m) {
         Json& sparse = sparse_positions(m, {0, 0});
         sparse["count"] = 1;
         sparse["indices"]["byteOffset"] = 1;
       }},
      {"a view past its buffer", "BUFFER_VIEW_TOO_LONG", "refused",
       [](MadeGltf& m) { view_of(m, attribute(m, "POSITION"))["byteLength"] = 1 << 20; }},
      {"an accessor past its view", "ACCESSOR_TOO_LONG", "refused",
       [](MadeGltf& m) { accessor_of(m, sampler(m, "output"))["byteOffset"] = 16; }},
      {"no items", "VALUE_NOT_IN_RANGE", "channel-broken",
       [](MadeGltf& m) { accessor_of(m, sampler(m, "input"))["count"] = 0; }},
      // ---- Bounds ----
      {"positions without bounds", "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", "bounds-missing",
       [](MadeGltf& m) { accessor_of(m, attribute(m, "POSITION")).erase("min"); }},
      {"bounds of positions too narrow", "ACCESSOR_MAX_MISMATCH", "bounds-narrow",
       [](MadeGltf& m) {
         accessor_of(m, attribute(m, "POSITION"))["max"] = {0.5, 0.5, 0.5};
       }},
      {"bounds of positions too wide", "ACCESSOR_MIN_MISMATCH", "bounds-wide",
       [](MadeGltf& m) {
         accessor_of(m, attribute(m, "POSITION"))["min"] = {-100, -100, -100};
       }},
      {"bounds of positions of two numbers", "ARRAY_LENGTH_NOT_IN_LIST", "bounds-narrow",
       [](MadeGltf& m) {
         accessor_of(m, attribute(m, "POSITION"))["min"] = {0, 0};
       }},
      {"bounds of a shape wrong", "ACCESSOR_MAX_MISMATCH", "bounds-narrow",
       [](MadeGltf& m) {
         accessor_of(m, primitive_of(m)["targets"][0]["POSITION"].get<std::size_t>())["max"] = {0, 0, 0};
       }},
      {"times without bounds", "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", "time-bounds-missing",
       [](MadeGltf& m) { accessor_of(m, sampler(m, "input")).erase("max"); }},
      {"bounds of times wrong", "ACCESSOR_MAX_MISMATCH", "bounds-narrow",
       [](MadeGltf& m) { accessor_of(m, sampler(m, "input"))["max"] = {0.25}; }},
      // ---- Sparse values ----
      {"more sparse values than items", "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", "refused",
       [](MadeGltf& m) {
         sparse_positions(m, {0, 1, 2, 3, 4});
       }},
      {"sparse indices that fall", "ACCESSOR_SPARSE_INDICES_NON_INCREASING", "sparse-unordered",
       [](MadeGltf& m) {
         sparse_positions(m, {2, 1});
         accessor_of(m, attribute(m, "POSITION")).update({{"min", {0, 0, 0}}, {"max", {0.25, 0.25, 1}}});
       }},
      {"a sparse index out of range", "ACCESSOR_SPARSE_INDEX_OOB", "refused",
       [](MadeGltf& m) { sparse_positions(m, {9}); }},
      {"sparse values without indices", "UNDEFINED_PROPERTY", "refused",
       [](MadeGltf& m) { sparse_positions(m, {1}).erase("indices"); }},
      {"sparse indices of an unknown type", "", "refused",
       [](MadeGltf& m) { sparse_positions(m, {1})["indices"]["componentType"] = 5126; }},
      // ---- Types and counts ----
      {"positions in 16 bits without KHR_mesh_quantization",
       "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", "attribute-unusual-type",
       [](MadeGltf& m) {
         set_attribute<std::uint16_t>(m, "POSITION", {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, "VEC3",
                                      {{"min", {0, 0, 0}}, {"max", {1, 1, 1}}});
         lay_out(m, attribute(m, "POSITION"), 8);
       }},
      {"normals of four numbers", "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", "refused",
       [](MadeGltf& m) {
         set_attribute<float>(m, "NORMAL", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
       }},
      {"joints as floats", "", "joints-unusual-type",
       [](MadeGltf& m) {
         set_attribute<float>(m, "JOINTS_0", {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4");
       }},
      {"joints of 32 bits", "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", "joints-unusual-type",
       [](MadeGltf& m) {
         set_attribute<std::uint32_t>(m, "JOINTS_0", {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0},
                                      "VEC4");
       }},
      {"weights of 8 bits that are not normalised", "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
       "attribute-unusual-type",
       [](MadeGltf& m) {
         set_attribute<std::uint8_t>(m, "WEIGHTS_0", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                                     "VEC4");
       }},
      {"floats called normalised", "ACCESSOR_NORMALIZED_INVALID", "attribute-unusual-type",
       [](MadeGltf& m) { accessor_of(m, attribute(m, "POSITION"))["normalized"] = true; }},
      {"signed indices", "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", "attribute-unusual-type",
       [](MadeGltf& m) { accessor_of(m, indices_of(m))["componentType"] = 5122; }},
      {"attributes of unequal count", "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", "refused",
       [](MadeGltf& m) { accessor_of(m, attribute(m, "NORMAL"))["count"] = 3; }},
      {"a shape of unequal count", "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", "refused",
       [](MadeGltf& m) {
         accessor_of(m, primitive_of(m)["targets"][0]["POSITION"].get<std::size_t>())["count"] = 3;
       }},
      {"fewer keys than times", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", "channel-broken",
       [](MadeGltf& m) { accessor_of(m, sampler(m, "output"))["count"] = 2; }},
      {"fewer inverse binds than joints", "INVALID_IBM_ACCESSOR_COUNT", "refused",
       [](MadeGltf& m) { accessor_of(m, binds_of(m))["count"] = 1; }},
      {"inverse binds of 3 by 3", "SKIN_IBM_INVALID_FORMAT", "refused",
       [](MadeGltf& m) { accessor_of(m, binds_of(m))["type"] = "MAT3"; }},
      {"indices and points in one view", "BUFFER_VIEW_TARGET_OVERRIDE", "view-shared",
       [](MadeGltf& m) {
         const std::string both = bytes_of(m, attribute(m, "POSITION")) + bytes_of(m, indices_of(m));
         const int view = m.view(both);
         accessor_of(m, attribute(m, "POSITION"))["bufferView"] = view;
         accessor_of(m, indices_of(m))["bufferView"] = view;
         accessor_of(m, indices_of(m))["byteOffset"] = 48;
       }},
      {"attribute without an underscore", "MESH_PRIMITIVE_INVALID_ATTRIBUTE", "",
       [](MadeGltf& m) { primitive_of(m)["attributes"]["HEAT"] = attribute(m, "TEXCOORD_0"); }},
      {"second set of joints without a first", "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", "weights-unread",
       [](MadeGltf& m) {
         Json& attributes = primitive_of(m)["attributes"];
         attributes["JOINTS_2"] = attributes["JOINTS_0"];
         attributes["WEIGHTS_2"] = attributes["WEIGHTS_0"];
       }},
      {"joints without weights", "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", "half-weights",
       [](MadeGltf& m) { primitive_of(m)["attributes"].erase("WEIGHTS_0"); }},
      // ---- Numbers ----
      {"a position that is not a number", "ACCESSOR_INVALID_FLOAT", "refused",
       [](MadeGltf& m) {
         set_attribute<float>(m, "POSITION", {kNan, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, "VEC3",
                              {{"min", {0, 0, 0}}, {"max", {1, 1, 1}}});
       }},
      {"an index out of range", "ACCESSOR_INDEX_OOB", "refused",
       [](MadeGltf& m) {
         primitive_of(m)["indices"] = m.accessor<std::uint16_t>({0, 2, 1, 0, 1, 9}, "SCALAR");
       }},
      {"a joint out of range", "ACCESSOR_JOINTS_INDEX_OOB", "refused",
       [](MadeGltf& m) {
         set_attribute<std::uint8_t>(m, "JOINTS_0", {7, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4");
       }},
      {"a joint twice on a point", "ACCESSOR_JOINTS_INDEX_DUPLICATE", "weights-merged",
       [](MadeGltf& m) {
         set_attribute<std::uint8_t>(m, "JOINTS_0", {0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4");
       }},
      {"a negative weight", "ACCESSOR_WEIGHTS_NEGATIVE", "weights-negative",
       [](MadeGltf& m) {
         set_attribute<float>(m, "WEIGHTS_0", {1.5f, -0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                              "VEC4");
       }},
      {"weights that sum to 0.8", "ACCESSOR_WEIGHTS_NON_NORMALIZED", "weights-not-normalised",
       [](MadeGltf& m) {
         set_attribute<float>(m, "WEIGHTS_0", {0.8f, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
       }},
      {"normals of length 0.5", "ACCESSOR_VECTOR3_NON_UNIT", "normals-not-unit",
       [](MadeGltf& m) {
         set_attribute<float>(m, "NORMAL", {0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, "VEC3");
       }},
      {"times before zero", "ACCESSOR_ANIMATION_INPUT_NEGATIVE", "",
       [](MadeGltf& m) {
         m.json["animations"][0]["samplers"][0]["input"] =
             m.accessor<float>({-1, 0, 1}, "SCALAR", {{"min", {-1}}, {"max", {1}}});
       }},
      {"times that repeat", "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "keys-repeated",
       [](MadeGltf& m) {
         m.json["animations"][0]["samplers"][0]["input"] =
             m.accessor<float>({0, 0, 1}, "SCALAR", {{"min", {0}}, {"max", {1}}});
       }},
      {"times that run backwards", "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "keys-unordered",
       [](MadeGltf& m) {
         m.json["animations"][0]["samplers"][0]["input"] =
             m.accessor<float>({0, 1, 0.5f}, "SCALAR", {{"min", {0}}, {"max", {1}}});
       }},
      {"a quaternion of length 2", "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", "",
       [](MadeGltf& m) {
         m.json["animations"][0]["samplers"][0]["output"] =
             m.accessor<float>({0, 0, 0, 2, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1}, "VEC4");
       }},
      {"a key that is not a number", "ACCESSOR_INVALID_FLOAT", "channel-broken",
       [](MadeGltf& m) {
         m.json["animations"][0]["samplers"][0]["output"] =
             m.accessor<float>({0, 0, 0, kNan, 0, 0, 0.6f, 0.8f, 0, 0, 0, 1}, "VEC4");
       }},
  };
}

// ---- Judged -----------------------------------------------------------------------------------------------

// What dermis says: "refused", the errors, or the warnings.
struct Verdict {
  bool is_refused = false;
  std::set<std::string> errors, others;
  bool is_error() const { return is_refused || !errors.empty(); }
  bool names(const std::string& id) const {
    return id == "refused" ? is_refused : errors.contains(id) || others.contains(id);
  }
  std::string text() const {
    if (is_refused) return "refused";
    return fmt::format("{}{}{}", fmt::join(errors, " "), errors.empty() || others.empty() ? "" : "; ",
                       others.empty() ? "" : fmt::format("warns: {}", fmt::join(others, " ")));
  }
};
Verdict verdict_on(const std::string& path) {
  CheckJob job;
  job.input = path;
  const Result<CheckReport> report = check(job);
  Verdict verdict;
  verdict.is_refused = !report;
  for (const Finding& finding : report ? report->findings : Findings{}) {
    if (finding.severity == Severity::error) verdict.errors.insert(finding.id);
    if (finding.severity == Severity::warning) verdict.others.insert(finding.id);
  }
  return verdict;
}

std::string codes_of(const nlohmann::json& report, const char* severity) {
  std::string codes;
  if (!report.contains("codes") || !report["codes"].contains(severity)) return codes;
  for (const auto& [code, count] : report["codes"][severity].items())
    codes += (codes.empty() ? "" : " ") + code;
  return codes;
}

// Faults of the validator that are no errors here, each for a reason.
const std::map<std::string, const char*> kNoErrors{
    {"two attributes in one view without a stride", "every reader takes them as packed"},
    {"indices and points in one view", "readers copy what they need out of a view"},
    {"bounds of positions too wide", "nothing is hidden; a camera may frame it badly"},
    {"times without bounds", "readers look at the times"},
    {"attribute without an underscore", "an attribute that nobody reads"},
    {"a joint twice on a point", "the weights add up"},
    {"weights that sum to 0.8", "readers normalise"},
    {"normals of length 0.5", "shaders normalise"},
    {"times before zero", "the clip plays from its first key"},
    {"times that repeat", "the clip plays the same"},
    {"a quaternion of length 2", "readers normalise"},
};

// Every file, asked of the validator, of three.js and of check; a row of docs/verification.md for each.
struct Judged {
  std::string codes;       // the validator's errors
  bool is_loaded = false;  // by three.js
  Verdict verdict;
};
std::vector<Judged> judged(const std::vector<std::string>& files) {
  const Result<nlohmann::json> reports = judges::validate(files);
  EXPECT_TRUE(reports) << reports.error().sentence;
  std::vector<Judged> all;
  for (std::size_t k = 0; reports && k < files.size(); ++k) {
    all.push_back({codes_of(reports->at(k), "ERROR"), static_cast<bool>(judges::three_pose(files[k], {{}})),
                   verdict_on(files[k])});
  }
  return all;
}
void print_row(const std::string& name, const Judged& one) {
  if (std::getenv("DERMIS_FAULT_TABLE") == nullptr) return;
  std::cout << fmt::format("| {} | {} | {} | {} |\n", name, one.codes, one.is_loaded ? "loads" : "refuses",
                           one.verdict.text());
}

TEST(LayoutFaults, AreFoundWhereOtherProgramsFindThem) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const TemporaryFolder folder;
  const std::vector<LayoutFault> faults = layout_faults();
  std::vector<std::string> files;
  for (const LayoutFault& fault : faults) {
    MadeGltf made = whole_file();
    fault.change(made);
    files.push_back(folder.file(std::to_string(files.size()) + ".glb"));
    test::write_text(files.back(), made.glb());
  }
  const std::vector<Judged> all = judged(files);
  ASSERT_EQ(all.size(), faults.size());
  for (std::size_t k = 0; k < faults.size(); ++k) {
    const auto& [name, code, finding, change] = faults[k];
    const Judged& one = all[k];
    print_row(name, one);
    EXPECT_TRUE(*code == '\0' || (" " + one.codes + " ").find(fmt::format(" {} ", code)) != std::string::npos)
        << name << ": " << one.codes;
    EXPECT_TRUE(*finding == '\0' || one.verdict.names(finding)) << name << ": " << one.verdict.text();
    EXPECT_EQ(one.verdict.is_error(), !kNoErrors.contains(name)) << name << ": " << one.verdict.text();
    EXPECT_TRUE(one.is_loaded || one.verdict.is_error()) << name << ": three.js refuses it";
  }
}

TEST(LayoutFaults, AreNotInventedInAFileWithoutThem) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  const TemporaryFolder folder;
  const std::string file = folder.file("whole.glb");
  test::write_text(file, whole_file().glb());
  const std::vector<Judged> all = judged({file});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].codes, "");
  EXPECT_TRUE(all[0].is_loaded);
  EXPECT_FALSE(all[0].verdict.is_error()) << all[0].verdict.text();
}

// The validator's own cases: where it finds an error, check does too.
TEST(LayoutFaults, OfTheValidatorsCasesAreFound) {
  if (const std::string reason = judges::missing(); !reason.empty()) GTEST_SKIP() << reason;
  if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
  std::vector<std::string> files;
  for (const fs::path& path : test::gltf_files_below(test::data_folder() / "gltf/validator-cases"))
    files.push_back(path.string());
  EXPECT_FALSE(files.empty());
  const std::vector<Judged> all = judged(files);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string name = fs::path(files[k]).stem().string();
    print_row(name, all[k]);
    if (all[k].codes.empty()) continue;
    EXPECT_TRUE(all[k].verdict.is_error()) << name << ": " << all[k].codes;
  }
}

}  // namespace
}  // namespace dermis
