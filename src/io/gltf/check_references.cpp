// SPDX-License-Identifier: MIT
// Checks references between accessors, buffer views and buffers that no mesh or clip needs, but writing
// follows.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "io/gltf/reader.h"

namespace dermis {
namespace {

// Every member of `from` is an index below `limit`.
void check_indices(GltfReader& reader, const Json* from, std::size_t limit, const Place& place) {
  if (from == nullptr) return;
  for (const auto& [name, value] : from->items()) reader.index(*from, name.c_str(), limit, place);
}

// False if the range is not inside its buffer. Data in use was checked when it was read, so this is not a
// reason to refuse the file.
bool check_range(GltfReader& reader, const GltfDocument& document, const Json& range, const Place& place) {
  const Index buffer = reader.index(range, "buffer", document.buffers.size(), place);
  const std::uint64_t offset = reader.size(range, "byteOffset", place).value_or(0);
  const std::uint64_t length = reader.size(range, "byteLength", place).value_or(0);
  if (reader.failed()) return true;
  if (buffer == kNone) return reader.fail(place, "does not name a buffer");
  const GltfBuffer& data = document.buffers[static_cast<std::size_t>(buffer)];
  if (data.owner == nullptr) return true;  // a fallback without data
  return offset <= data.bytes.size() && length <= data.bytes.size() - offset;
}

void check_views(GltfReader& reader, const GltfDocument& document) {
  const Json& views = reader.list("bufferViews");
  std::size_t outside = 0;
  for (std::size_t v = 0; v < views.size() && !reader.failed(); ++v) {
    const Place place{"buffer view", v, &views[v]};
    if (!views[v].is_object()) {
      reader.fail(place, "is not an object");
      return;
    }
    bool is_inside = check_range(reader, document, views[v], place);
    const Json* extensions = reader.object(views[v], "extensions", place);
    for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
      const Json* compression = extensions != nullptr ? reader.object(*extensions, name, place) : nullptr;
      if (compression != nullptr) is_inside = check_range(reader, document, *compression, place) && is_inside;
    }
    outside += is_inside ? 0 : 1;
  }
  if (outside > 0) {
    reader.note(Note::Kind::info, "unused-past-buffer", Place{},
                fmt::format("{} unused buffer views extend beyond their buffer", outside));
  }
}

void check_accessors(GltfReader& reader) {
  const Json& accessors = reader.list("accessors");
  const std::size_t view_count = reader.list("bufferViews").size();
  for (std::size_t a = 0; a < accessors.size() && !reader.failed(); ++a) {
    const Place place{"accessor", a, &accessors[a]};
    if (!accessors[a].is_object()) {
      reader.fail(place, "is not an object");
      return;
    }
    reader.index(accessors[a], "bufferView", view_count, place);
    const Json* sparse = reader.object(accessors[a], "sparse", place);
    if (sparse == nullptr) continue;
    for (const char* key : {"indices", "values"}) {
      const Json* part = reader.object(*sparse, key, place);
      if (part != nullptr) {
        reader.index(*part, "bufferView", view_count, place);
      } else {
        reader.fail(place, "has sparse values without indices or without values");
      }
    }
  }
}

void check_primitives(GltfReader& reader) {
  const Json& meshes = reader.list("meshes");
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const Place mesh_place{"mesh", m, &meshes[m]};
    const Json* primitives = reader.array(meshes[m], "primitives", mesh_place);
    for (std::size_t p = 0; primitives != nullptr && p < primitives->size() && !reader.failed(); ++p) {
      const Json& primitive = (*primitives)[p];
      const Place place{"primitive", p, nullptr, &mesh_place};
      check_indices(reader, reader.object(primitive, "attributes", place), reader.accessor_count(), place);
      reader.index(primitive, "indices", reader.accessor_count(), place);
      const Json* targets = reader.array(primitive, "targets", place);
      for (std::size_t t = 0; targets != nullptr && t < targets->size(); ++t) {
        if (!(*targets)[t].is_object()) {
          reader.fail(place, "has a target that is not an object");
          return;
        }
        check_indices(reader, &(*targets)[t], reader.accessor_count(), place);
      }
      const Json* extensions = reader.object(primitive, "extensions", place);
      const Json* draco =
          extensions != nullptr ? reader.object(*extensions, "KHR_draco_mesh_compression", place) : nullptr;
      if (draco == nullptr) continue;
      reader.index(*draco, "bufferView", reader.list("bufferViews").size(), place);
      reader.object(*draco, "attributes", place);
    }
  }
}

void check_samplers(GltfReader& reader) {
  const Json& animations = reader.list("animations");
  for (std::size_t a = 0; a < animations.size(); ++a) {
    const Place place{"animation", a, &animations[a]};
    const Json* samplers = reader.array(animations[a], "samplers", place);
    for (std::size_t s = 0; samplers != nullptr && s < samplers->size() && !reader.failed(); ++s) {
      const Place sampler_place{"sampler", s, nullptr, &place};
      if (!(*samplers)[s].is_object()) {
        reader.fail(sampler_place, "is not an object");
        return;
      }
      for (const char* key : {"input", "output"})
        reader.index((*samplers)[s], key, reader.accessor_count(), sampler_place);
    }
  }
}

void check_images(GltfReader& reader) {
  const Json& images = reader.list("images");
  for (std::size_t i = 0; i < images.size() && !reader.failed(); ++i) {
    const Place place{"image", i, &images[i]};
    if (!images[i].is_object()) {
      reader.fail(place, "is not an object");
      return;
    }
    reader.index(images[i], "bufferView", reader.list("bufferViews").size(), place);
    for (const char* key : {"uri", "mimeType"}) reader.text(images[i], key, place);
  }
}

// glTF allows a list to be absent, but not to be empty.
void check_lists(GltfReader& reader) {
  std::vector<std::string> empty;
  for (const auto& [key, value] : reader.root().items()) {
    if (value.is_array() && value.empty()) empty.push_back("'" + key + "'");
  }
  if (empty.empty()) return;
  reader.note(
      Note::Kind::repair, "list-empty", Place{},
      fmt::format("{} empty: {}", counted(empty.size(), "list is", "lists are"), fmt::join(empty, ", ")),
      empty.size());
}

}  // namespace

bool check_references(GltfReader& reader, const GltfDocument& document) {
  reader.list("extensionsUsed");
  check_lists(reader);
  check_views(reader, document);
  check_accessors(reader);
  check_primitives(reader);
  check_samplers(reader);
  check_images(reader);
  check_layout(reader);
  return !reader.failed();
}

}  // namespace dermis
