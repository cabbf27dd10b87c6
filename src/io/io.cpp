// SPDX-License-Identifier: MIT
// Chooses the reader or writer by extension and keeps what libraries throw inside.
#include "dermis/io.h"

#include <fmt/format.h>

#include "io/file.h"
#include "io/gltf/builder.h"
#include "io/gltf/read.h"
#include "io/still.h"

namespace dermis {
namespace {

Error unknown_format(const std::string& path, const char* known) {
  return {Errc::unsupported, fmt::format("{}: '{}' is not a format that can be used here; known are {}", path,
                                         extension_of(path), known)};
}

}  // namespace

bool is_character_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".gltf" || extension == ".glb";
}

bool is_still_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".obj" || extension == ".ply";
}

Result<Asset> load(const std::string& path, const LoadOptions& options, const Progress& progress) {
  return without_throwing(path, [&]() -> Result<Asset> {
    if (!is_character_file(path)) return unknown_format(path, ".gltf and .glb");
    Result<Bytes> bytes = read_file(path, options.max_memory);
    if (!bytes) return bytes.error();
    return read_gltf(std::move(*bytes), path, folder_of(path), options, progress);
  });
}

Result<Asset> load_from_memory(std::span<const std::byte> bytes, const std::string& name,
                               const LoadOptions& options) {
  return without_throwing(name, [&]() -> Result<Asset> {
    return read_gltf(Bytes(bytes.begin(), bytes.end()), name, "", options, {});
  });
}

Result<Notes> save(const std::string& path, const Asset& asset, const SaveOptions& options) {
  return without_throwing(path, [&]() -> Result<Notes> {
    if (!is_character_file(path)) return unknown_format(path, ".gltf and .glb");
    Notes notes;
    SourceDocument document;
    const bool writes_weights = asset.source == nullptr || options.weights || options.max_influences > 0;
    if (writes_weights) {
      if (Status good = check_slots(asset.character); !good) {
        return Error{good.error().code, fmt::format("{}: {}", path, good.error().sentence)};
      }
    }
    if (asset.source == nullptr) {
      Result<SourceDocument> made = document_from_character(asset.character, options, notes);
      if (!made) return made.error();
      document = std::move(*made);
    } else {
      document = *asset.source;
      if (writes_weights) patch_weights(document, asset.character, options, notes);
    }
    Result<Notes> written = write_document(path, std::move(document), options);
    if (written) written->insert(written->begin(), notes.begin(), notes.end());
    return written;
  });
}

Result<Notes> save_posed(const std::string& path, const Asset& asset, const Character& posed,
                         const SaveOptions& options) {
  return without_throwing(path, [&]() -> Result<Notes> {
    if (extension_of(path) == ".obj") return write_obj(path, posed);
    if (extension_of(path) == ".ply") return write_ply(path, posed);
    if (!is_character_file(path)) return unknown_format(path, ".glb, .gltf, .obj and .ply");
    if (asset.source == nullptr) return save(path, Asset{posed, {}, nullptr}, options);
    Notes notes;
    SourceDocument document = posed_document(*asset.source, asset.character, posed, notes);
    Result<Notes> written = write_document(path, std::move(document), options);
    if (written) written->insert(written->begin(), notes.begin(), notes.end());
    return written;
  });
}

}  // namespace dermis
