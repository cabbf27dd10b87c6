// SPDX-License-Identifier: MIT
// Writes a glTF document as .glb or .gltf, with its external buffers and images.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/companions.h"
#include "io/gltf/builder.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMaxGlbSize = 0xFFFFFFFF;
constexpr const char* kWritingFile = "writing";

void append_u32(Bytes& out, std::uint32_t value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

bool is_relative_uri(const Json& object) {
  return object.contains("uri") && object["uri"].is_string() && !has_scheme(object["uri"].get<std::string>());
}

// A GLB, without a copy of its largest part.
struct GlbPieces {
  Bytes head;                      // container, JSON and the header of the BIN chunk
  std::span<const std::byte> bin;  // of the document
  Bytes tail;                      // padding and further chunks
};

class DocumentWriter {
 public:
  DocumentWriter(const std::string& path, GltfDocument document, const SaveOptions& options)
      : path_(path), document_(std::move(document)), options_(options) {}

  Result<Notes> write() {
    const Status written = extension_of(path_) == ".glb" ? write_glb() : write_gltf();
    if (!written) return written.error();
    if (Status going = options_.progress.at(kWritingFile, 0.5); !going) return going.error();
    if (Status committed = files_.commit(); !committed) return committed.error();
    return std::move(notes_);
  }

  Result<Bytes> glb_bytes() {
    Result<GlbPieces> glb = glb_pieces();
    if (!glb) return glb.error();
    Bytes bytes = std::move(glb->head);
    bytes.insert(bytes.end(), glb->bin.begin(), glb->bin.end());
    bytes.insert(bytes.end(), glb->tail.begin(), glb->tail.end());
    return bytes;
  }

 private:
  // ---- One file ----

  Status write_glb() {
    Result<GlbPieces> glb = glb_pieces();
    if (!glb) return glb.error();
    const std::span<const std::byte> pieces[] = {glb->head, glb->bin, glb->tail};
    return files_.add(path_, pieces);
  }

  Result<GlbPieces> glb_pieces() {
    embed_images();
    merge_buffers();
    if (Status going = options_.progress.at(kWritingFile, 0.2); !going) return going.error();
    std::string text = document_.json.dump();
    if (Status going = options_.progress.at(kWritingFile, 0.4); !going) return going.error();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    GlbPieces glb;
    if (!document_.buffers.empty()) glb.bin = document_.buffers[0].bytes;
    const std::size_t padding = (4 - glb.bin.size() % 4) % 4;
    std::uint64_t total = 12 + 8 + text.size();
    if (!glb.bin.empty()) total += 8 + glb.bin.size() + padding;
    for (const GlbChunk& chunk : document_.extra_chunks) total += 8 + (chunk.bytes.size() + 3) / 4 * 4;
    if (total > kMaxGlbSize) {
      return Error{Errc::too_large,
                   fmt::format("{}: {} bytes do not fit into a GLB; write a .gltf", path_, total)};
    }
    append_u32(glb.head, kGlbMagic);
    append_u32(glb.head, 2);
    append_u32(glb.head, static_cast<std::uint32_t>(total));
    append_u32(glb.head, static_cast<std::uint32_t>(text.size()));
    append_u32(glb.head, kChunkJson);
    const auto json_bytes = bytes_of(text);
    glb.head.insert(glb.head.end(), json_bytes.begin(), json_bytes.end());
    if (!glb.bin.empty()) {
      append_u32(glb.head, static_cast<std::uint32_t>(glb.bin.size() + padding));
      append_u32(glb.head, kChunkBin);
      glb.tail.resize(padding);
    }
    for (const GlbChunk& chunk : document_.extra_chunks) {
      append_u32(glb.tail, static_cast<std::uint32_t>((chunk.bytes.size() + 3) / 4 * 4));
      append_u32(glb.tail, chunk.type);
      glb.tail.insert(glb.tail.end(), chunk.bytes.begin(), chunk.bytes.end());
      glb.tail.resize((glb.tail.size() + 3 - padding) / 4 * 4 + padding);
    }
    return glb;
  }

  // A GLB has one buffer; the others are appended to it.
  void merge_buffers() {
    if (document_.buffers.empty()) return;
    if (document_.buffers.size() == 1 && document_.buffers[0].owner != nullptr) {
      document_.json["buffers"][0].erase("uri");
      return;
    }
    Bytes merged;
    Json kept =
        Json::array({document_.buffers[0].owner != nullptr ? document_.json["buffers"][0] : Json::object()});
    kept[0].erase("uri");
    std::vector<std::size_t> new_index(document_.buffers.size(), 0), offset(document_.buffers.size(), 0);
    for (std::size_t b = 0; b < document_.buffers.size(); ++b) {
      const GltfBuffer& buffer = document_.buffers[b];
      if (buffer.owner == nullptr) {  // a fallback without data stays a separate buffer
        new_index[b] = kept.size();
        kept.push_back(document_.json["buffers"][b]);
        continue;
      }
      const Json& json = document_.json["buffers"][b];
      if (b > 0 && (json.contains("name") || json.contains("extras"))) {
        notes_.push_back(
            {Note::Kind::loss, "buffer-merged",
             fmt::format("buffer {} was merged into the first; its name and extras are lost", b)});
      }
      merged.resize((merged.size() + 15) / 16 * 16);
      offset[b] = merged.size();
      merged.insert(merged.end(), buffer.bytes.begin(), buffer.bytes.end());
    }
    kept[0]["byteLength"] = merged.size();
    const auto move_range = [&](Json& range) {
      const auto b = range["buffer"].get<std::size_t>();
      range["buffer"] = new_index[b];
      const std::size_t moved = range.value("byteOffset", std::size_t{0}) + offset[b];
      if (moved != 0) range["byteOffset"] = moved;
    };
    const SteadyLists steady(document_);
    for (Json& view : document_.json["bufferViews"]) {
      move_range(view);
      if (!view.contains("extensions")) continue;
      for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
        if (view["extensions"].contains(name)) move_range(view["extensions"][name]);
      }
    }
    document_.json["buffers"] = std::move(kept);
    document_.buffers = {make_buffer(std::move(merged))};
  }

  void note_image(const char* id, const std::string& uri, const char* what, const std::string& reason) {
    notes_.push_back(
        {Note::Kind::loss, id,
         fmt::format("image {} {}, and the reference stays as it is: {}", quoted_name(uri), what, reason)});
  }

  // The bytes of an image file next to the source; nullopt with a note if it cannot be read.
  std::optional<Bytes> read_image(const std::string& uri) {
    const Result<std::string> file = resolve_uri(document_.folder, uri, "it");
    Result<Bytes> bytes = file ? read_file(*file, kMaxGlbSize) : Result<Bytes>(file.error());
    if (bytes) return std::move(*bytes);
    note_image("image-missing", uri, "could not be read", bytes.error().sentence);
    return std::nullopt;
  }

  void embed_images() {
    if (!document_.json.contains("images")) return;
    const SteadyLists steady(document_);
    for (Json& image : document_.json["images"]) {
      if (!image.contains("uri") || !image["uri"].is_string()) continue;
      const std::string uri = image["uri"].get<std::string>();
      if (is_data_uri(uri)) continue;
      if (!is_relative_uri(image)) {
        note_image("image-not-embedded", uri, "was not embedded", "it is not a file next to the document");
        continue;
      }
      std::optional<Bytes> bytes = read_image(uri);
      if (!bytes) continue;
      const char* type = picture_type(*bytes);
      if (type == nullptr) {
        note_image("image-not-embedded", uri, "was not embedded",
                   "its bytes are not those of a PNG, JPEG, WebP, KTX2 or DDS");
        continue;
      }
      image.erase("uri");
      if (!image.contains("mimeType")) image["mimeType"] = type;
      image["bufferView"] = gltf_list(document_, "bufferViews").size();
      document_.json["bufferViews"].push_back(
          {{"buffer", document_.buffers.size()}, {"byteLength", bytes->size()}});
      gltf_list(document_, "buffers").push_back({{"byteLength", bytes->size()}});
      document_.buffers.push_back(make_buffer(std::move(*bytes)));
    }
  }

  // ---- A .gltf and its side files ----

  // URIs that a .gltf on disk refers to; none if there is no such file or it cannot be read.
  static std::set<std::string> uris_of_file(const std::string& path) {
    const Result<Bytes> bytes = read_file(path, kMaxGlbSize);
    const Result<Json> json = bytes ? parse_json(*bytes, path) : Result<Json>(bytes.error());
    return json && json->is_object() ? relative_uris(*json) : std::set<std::string>{};
  }

  static std::set<std::string> relative_uris(const Json& json) {
    std::set<std::string> uris;
    for (const char* key : {"buffers", "images"}) {
      const auto list = json.find(key);
      if (list == json.end() || !list->is_array()) continue;
      for (const Json& item : *list) {
        if (item.is_object() && is_relative_uri(item)) uris.insert(item["uri"].get<std::string>());
      }
    }
    return uris;
  }

  struct SideFile {
    std::string uri;
    std::span<const std::byte> bytes;
  };

  Status write_gltf() {
    replaced_ = uris_of_file(path_);
    names_ = relative_uris(document_.json);
    std::vector<SideFile> sides;
    place_buffers(sides);
    std::vector<Bytes> images;
    images.reserve(gltf_list_size("images"));  // side files refer to its items
    for (std::size_t i = 0; i < gltf_list_size("images"); ++i) {
      const Json& image = document_.json["images"][i];
      if (!is_relative_uri(image)) continue;
      const std::string uri = image["uri"].get<std::string>();
      if (std::optional<Bytes> bytes = image_to_copy(uri))
        sides.push_back({uri, images.emplace_back(std::move(*bytes))});
    }
    if (!document_.extra_chunks.empty()) {
      notes_.push_back(
          {Note::Kind::loss, "chunks-dropped", "a .gltf cannot store the extra chunks of the GLB"});
    }
    const std::string text = document_.json.dump(2) + "\n";
    if (Status added = files_.add(path_, bytes_of(text)); !added) return added;
    for (const SideFile& side : sides) {
      if (Status added = add_side_file(side.uri, side.bytes); !added) return added;
    }
    return Done{};
  }

  void place_buffers(std::vector<SideFile>& sides) {
    for (std::size_t b = 0; b < document_.buffers.size(); ++b) {
      Json& json = document_.json["buffers"][b];
      const GltfBuffer& buffer = document_.buffers[b];
      if (buffer.owner == nullptr || (json.contains("uri") && !is_relative_uri(json))) continue;
      if (options_.embed_buffers) {
        json["uri"] = encode_data_uri("application/octet-stream", buffer.bytes);
        continue;
      }
      if (json.contains("uri") && !may_name_a_buffer(json["uri"].get<std::string>())) rename_buffer(json);
      if (!json.contains("uri")) json["uri"] = free_buffer_name();
      sides.push_back({json["uri"].get<std::string>(), buffer.bytes});
    }
  }

  // The bytes of a buffer may be anything, so its name must not mean anything: no script, no hidden file.
  static bool may_name_a_buffer(const std::string& uri) {
    const std::string name = percent_decoded(uri);
    return is_plain_path(name) && extension_of(name) == ".bin";
  }

  void rename_buffer(Json& json) {
    const std::string old = json["uri"].get<std::string>();
    json["uri"] = free_buffer_name();
    notes_.push_back({Note::Kind::info, "buffer-renamed",
                      fmt::format("buffer {} is written as {}: only names that end in .bin are kept",
                                  quoted_name(old), quoted_name(json["uri"].get<std::string>()))});
  }

  // The bytes of an image that must be next to the output; nullopt if it is there already, or with a note if
  // it may not be there. Its folder is one of the source's, since it is read from there.
  std::optional<Bytes> image_to_copy(const std::string& uri) {
    const Result<std::string> file = resolve_uri(document_.folder, uri, "it"),
                              target = resolve_uri(folder_of(path_), uri, "it");
    if (file && target && is_same_file(*file, *target)) return std::nullopt;
    std::optional<Bytes> bytes = read_image(uri);
    if (!bytes) return bytes;
    const std::string reason =
        target ? why_not_a_picture(percent_decoded(uri), *bytes) : target.error().sentence;
    if (reason.empty()) return bytes;
    note_image("image-not-copied", uri, "was not copied", reason);
    return std::nullopt;
  }

  std::size_t gltf_list_size(const char* key) const {
    return document_.json.contains(key) ? document_.json[key].size() : 0;
  }

  // "hero.bin" for hero.gltf, or "hero-1.bin" if that name belongs to another file.
  std::string free_buffer_name() {
    for (int k = 0;; ++k) {
      const std::string name = k == 0 ? stem_of(path_) + ".bin" : fmt::format("{}-{}.bin", stem_of(path_), k);
      std::string uri = percent_encoded(name);
      const bool is_foreign = fs::exists(fs::path(folder_of(path_)) / name) && !replaced_.contains(uri);
      if (!is_foreign && names_.insert(uri).second) return uri;
    }
  }

  Status add_side_file(const std::string& uri, std::span<const std::byte> bytes) {
    Result<std::string> target = resolve_uri(folder_of(path_), uri, path_);
    if (!target) return target.error();
    if (!written_.insert(*target).second) return Done{};  // two images may share a file
    if (fs::exists(*target)) {
      const Result<Bytes> present = read_file(*target, kMaxGlbSize);
      if (present && std::equal(present->begin(), present->end(), bytes.begin(), bytes.end())) return Done{};
      if (!replaced_.contains(uri) && !options_.overwrite_side_files) {
        return Error{Errc::unreadable, fmt::format("{}: needs {} next to it, but another file has that name",
                                                   path_, quoted_name(uri))}
            .with_remedy("force");
      }
    }
    notes_.push_back({Note::Kind::info, "side-file", fmt::format("wrote {} next to it", *target)});
    return files_.add(*target, bytes);
  }

  std::string path_;
  GltfDocument document_;
  const SaveOptions& options_;
  FileSet files_;
  Notes notes_;
  std::set<std::string> replaced_;  // URIs of the file being replaced: its side files are replaced with it
  std::set<std::string> names_;     // URIs in use
  std::set<std::string> written_;
};

}  // namespace

Result<Notes> write_document(const std::string& path, GltfDocument document, const SaveOptions& options) {
  return DocumentWriter(path, std::move(document), options).write();
}

Result<Bytes> glb_bytes(GltfDocument document) {
  const std::string path = document.path;
  return DocumentWriter(path, std::move(document), {}).glb_bytes();
}

}  // namespace dermis
