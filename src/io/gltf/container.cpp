// SPDX-License-Identifier: MIT
// Parses .gltf and .glb files: chunks, JSON, asset version and buffers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dermis/model.h"
#include "io/companions.h"
#include "io/gltf/document.h"

namespace dermis {
namespace {

constexpr std::size_t kGlbHeaderSize = 12, kChunkHeaderSize = 8;

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct GlbParts {
  std::span<const std::byte> json;
  std::optional<std::span<const std::byte>> bin;
  std::vector<GlbChunk> extra;
};

Error bad_glb(const std::string& path, const std::string& fault) {
  return {Errc::bad_file, fmt::format("{}: {}", path, fault)};
}

Result<GlbParts> split_glb(std::span<const std::byte> bytes, const std::string& path, Notes& notes) {
  if (bytes.size() < kGlbHeaderSize) return bad_glb(path, "cut short: a GLB header has 12 bytes");
  const std::uint32_t glb_version = read_u32(bytes, 4), total = read_u32(bytes, 8);
  if (glb_version != 2) {
    return Error{Errc::unsupported, fmt::format("{}: GLB version {}, only 2 can be read", path, glb_version)};
  }
  if (total > bytes.size()) {
    return bad_glb(path, fmt::format("cut short: has {} of {} bytes", bytes.size(), total));
  }
  if (total < bytes.size()) {
    notes.push_back(
        {Note::Kind::info, "glb-trailing-bytes",
         fmt::format("{} ignored", counted(bytes.size() - total, "byte after the end of the GLB was",
                                           "bytes after the end of the GLB were"))});
  }
  bytes = bytes.first(total);
  GlbParts parts;
  bool has_json = false;
  for (std::size_t at = kGlbHeaderSize; at < bytes.size();) {
    if (bytes.size() - at < kChunkHeaderSize) return bad_glb(path, "cut short inside a chunk header");
    const std::size_t size = read_u32(bytes, at);
    const std::uint32_t type = read_u32(bytes, at + 4);
    at += kChunkHeaderSize;
    if (size > bytes.size() - at) {
      return bad_glb(path, fmt::format("a chunk claims {} bytes, but {} are left", size, bytes.size() - at));
    }
    const auto chunk = bytes.subspan(at, size);
    if (!has_json && type != kChunkJson) return bad_glb(path, "the first chunk is not JSON");
    if (!has_json) {
      parts.json = chunk;
      has_json = true;
    } else if (type == kChunkBin && !parts.bin) {
      parts.bin = chunk;
    } else {
      parts.extra.push_back({type, Bytes(chunk.begin(), chunk.end())});
    }
    at += size +
          (4 - size % 4) % 4;  // chunks start at multiples of four; some writers do not count the padding
  }
  if (!has_json) return bad_glb(path, "has no JSON chunk");
  return parts;
}

Status check_version(const Json& json, const std::string& path) {
  const auto refuse = [&](const std::string& fault) {
    return Error{Errc::bad_file, fmt::format("{}: {}", path, fault)};
  };
  if (!json.is_object()) return refuse("is not a glTF file: its JSON is not an object");
  const auto asset = json.find("asset");
  if (asset == json.end() || !asset->is_object())
    return refuse("is not a glTF 2.0 file: it has no 'asset' object");
  const auto needed = asset->contains("minVersion") ? asset->find("minVersion") : asset->find("version");
  if (needed == asset->end() || !needed->is_string())
    return refuse("is not a glTF 2.0 file: 'asset.version' is missing");
  const std::string text = needed->get<std::string>();
  if (text != "2.0" && (asset->contains("minVersion") || !text.starts_with("2."))) {
    return Error{
        Errc::unsupported,
        fmt::format("{}: is glTF {}, only 2.0 can be read; export it again as glTF 2.0", path, text)};
  }
  return Done{};
}

// Where the bytes of the buffers may come from.
struct BufferSources {
  const std::string& path;
  const std::string& folder;
  std::shared_ptr<const Bytes> file;
  std::optional<std::span<const std::byte>> bin;
};

Result<Bytes> load_external(const std::string& uri, const std::string& what, const BufferSources& sources,
                            MemoryBudget& budget) {
  if (sources.folder.empty()) {
    return Error{Errc::bad_file,
                 fmt::format("{} is in another file, {}, which is not available", what, quoted_name(uri))};
  }
  Result<std::string> file = resolve_uri(sources.folder, uri, what);
  if (!file) return file.error();
  // No exporter hides its buffers, but keys and settings are hidden: they must not end up in an output.
  if (!is_plain_path(percent_decoded(uri))) {
    return Error{Errc::bad_file, fmt::format("{} refers to {}, a hidden file; only plain names are read",
                                             what, quoted_name(uri))};
  }
  Result<Bytes> bytes = read_file(*file, budget.left());
  if (!bytes) return prefixed(what, bytes.error());
  return bytes;
}

bool is_fallback(const Json& buffer) {
  const auto extensions = buffer.find("extensions");
  if (extensions == buffer.end() || !extensions->is_object()) return false;
  return extensions->contains("EXT_meshopt_compression") || extensions->contains("KHR_meshopt_compression");
}

Result<GltfBuffer> load_buffer(const Json& json, std::size_t index, const BufferSources& sources,
                               MemoryBudget& budget) {
  const std::string what = fmt::format("{}: buffer {}", sources.path, index);
  const auto refuse = [&](const std::string& fault) {
    return Error{Errc::bad_file, fmt::format("{} {}", what, fault)};
  };
  if (!json.is_object()) return refuse("is not an object");
  const auto length = json.find("byteLength");
  if (length == json.end() || !length->is_number_unsigned()) return refuse("has no 'byteLength'");
  const auto declared = length->get<std::uint64_t>();
  const auto uri = json.find("uri");
  GltfBuffer buffer;
  if (uri == json.end()) {
    if (index != 0 || !sources.bin) {
      if (is_fallback(json)) return buffer;
      return refuse(
          "has no data: neither a 'uri' nor a BIN chunk; is the file cut short, or a .glb saved as .gltf?");
    }
    buffer = {sources.file, *sources.bin};
  } else if (!uri->is_string()) {
    return refuse("has a 'uri' that is not text");
  } else if (const std::string text = uri->get<std::string>(); is_data_uri(text)) {
    std::optional<Bytes> decoded = decode_data_uri(text);
    if (!decoded) return refuse("has a data URI that is not base64");
    buffer = make_buffer(std::move(*decoded));
  } else {
    Result<Bytes> external = load_external(text, what, sources, budget);
    if (!external) return external.error();
    buffer = make_buffer(std::move(*external));
  }
  if (buffer.bytes.size() < declared) {
    return refuse(fmt::format("should have {} bytes but has only {}; is the file cut short?", declared,
                              buffer.bytes.size()));
  }
  if (!budget.take(buffer.bytes.size(), 1)) {
    return over_memory(fmt::format("{} is too large", what));
  }
  return buffer;
}

// Parsed JSON takes up to this many bytes for each byte of text: a value has 16, and "[]," is three.
constexpr std::uint64_t kJsonGrowth = 16;

}  // namespace

bool is_appearance_extension(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"KHR_materials_",  "KHR_texture_", "KHR_lights_",
                                            "EXT_texture_",    "EXT_lights_",  "MSFT_texture_",
                                            "ADOBE_materials_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](auto p) { return name.starts_with(p); });
}

GltfBuffer make_buffer(Bytes bytes) {
  auto owner = std::make_shared<const Bytes>(std::move(bytes));
  return {owner, *owner};
}

Result<GltfDocument> parse_gltf(Bytes bytes, const std::string& path, const std::string& folder,
                                MemoryBudget& budget, Notes& notes) {
  GltfDocument document;
  document.path = path;
  document.folder = folder;
  const auto file = std::make_shared<const Bytes>(std::move(bytes));
  std::span<const std::byte> text = *file;
  BufferSources sources{path, folder, file, std::nullopt};
  if (text.empty()) return Error{Errc::bad_file, fmt::format("{}: is empty", path)};
  if (text.size() >= 4 && read_u32(text, 0) == kGlbMagic) {
    Result<GlbParts> parts = split_glb(text, path, notes);
    if (!parts) return parts.error();
    document.is_glb = true;
    document.extra_chunks = std::move(parts->extra);
    text = parts->json;
    sources.bin = parts->bin;
  } else if (extension_of(path) == ".glb" && text_of(text).find('{') == std::string_view::npos) {
    return bad_glb(path, "is not a GLB: it does not start with 'glTF'");
  }
  if (!budget.take(text.size(), kJsonGrowth)) {
    return over_memory(fmt::format("{}: its JSON is too large", path));
  }
  Result<Json> json = parse_json(text, path);
  if (!json) return json.error();
  document.json = std::move(*json);
  if (Status version = check_version(document.json, path); !version) return version.error();

  const auto buffers = document.json.find("buffers");
  if (buffers == document.json.end()) return document;
  if (!buffers->is_array()) return Error{Errc::bad_file, fmt::format("{}: 'buffers' is not an array", path)};
  for (std::size_t index = 0; index < buffers->size(); ++index) {
    Result<GltfBuffer> buffer = load_buffer((*buffers)[index], index, sources, budget);
    if (!buffer) return buffer.error();
    document.buffers.push_back(std::move(*buffer));
  }
  return document;
}

}  // namespace dermis
