// SPDX-License-Identifier: MIT
// Chooses the reader or writer by extension and catches what libraries throw.
#include "dermis/io.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "io/bvh/write_bvh.h"
#include "io/course/write_course.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/gltf/patch.h"
#include "io/openings.h"
#include "io/source.h"
#include "io/still.h"
#include "io/utf8.h"

namespace dermis {
namespace {

Error unknown_output(const std::string& path, const std::string& known) {
  return {Errc::unsupported, fmt::format("{}: '{}' is not a format that can be written here; use one of {}",
                                         path, extension_of(path), known)};
}

// Why `load` has no reader for a path, and what reads it instead.
Error unknown_input(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed))
    return {Errc::unreadable, fmt::format("{}: is a folder; name a file in it", path)};
  const std::string extension = extension_of(path);
  if (is_cache_file(path)) {
    return Error{Errc::unsupported,
                 fmt::format("{}: is a vertex cache, which has no mesh; info describes it", path)}
        .with_remedy("cache", path);
  }
  if (extension.empty()) {
    return {
        Errc::unsupported,
        fmt::format("{}: has no extension, so its format is unknown; 'dermis formats' lists the extensions",
                    path)};
  }
  return {Errc::unsupported,
          fmt::format(
              "{}: '{}' is not a format that can be read here; 'dermis formats' lists the formats that can",
              path, extension)};
}

// One name for many files is not a file to load.
Error many_files(const std::string& path) {
  return {
      Errc::unsupported,
      fmt::format("{}: is a sequence of files; info describes it, and convert turns it into one moving mesh",
                  path)};
}

bool is_gltf(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".gltf" || extension == ".glb";
}

// The unit that the caller states replaces what the file states or what was guessed.
void state_unit(double metres_per_unit, Asset& asset) {
  if (metres_per_unit <= 0) return;
  Character& character = asset.character;
  const bool is_stated = !character.is_unit_guessed;
  if (is_stated && character.metres_per_unit != metres_per_unit) {
    asset.notes.push_back({Note::Kind::info, "unit-overruled",
                           fmt::format("the file states that 1 unit is {:g} m; {:g} m is used, as requested",
                                       character.metres_per_unit, metres_per_unit)});
  }
  character.is_unit_guessed = false;
  character.metres_per_unit = metres_per_unit;
  if (gltf_of(asset) == nullptr || metres_per_unit == 1) return;
  // The document is in metres, and the character must stay comparable to it.
  character = in_metres(std::move(character));
  asset.reading.scaled_by = metres_per_unit;
  note_unscaled_parts(gltf_of(asset)->document, asset.notes);
}

// The asset in the requested unit, named after its file. Names from formats without a defined encoding are
// converted to UTF-8; glTF is UTF-8, or refused.
Result<Asset> finished(Result<Asset> asset, const std::string& name, const LoadOptions& options) {
  state_unit(options.metres_per_unit, *asset);
  if (gltf_of(*asset) == nullptr) make_names_utf8(asset->character, asset->notes);
  asset->name = name;
  return asset;
}

Result<Asset> read_whole(Reader read, FileSource source, const LoadOptions& options,
                         const Progress& progress) {
  const std::string path = source.path, opening(text_of(source.bytes).substr(0, kOpeningSize));
  Result<Asset> asset = read(std::move(source), options, progress);
  if (!asset) return with_true_format(asset.error(), opening, extension_of(path));
  return finished(std::move(asset), path, options);
}

// True if `still` has the attributes of the mesh that `document` belongs to.
bool fits(const ObjDocument* document, const Character& still) {
  if (document == nullptr || still.meshes.size() != 1) return false;
  const Mesh& mesh = still.meshes[0];
  const std::size_t uv_count = document->uvs.size() + (document->missing_uv == kNone ? 0 : 1);
  const bool has_uvs = mesh.uvs.empty() ? document->uvs.empty() : mesh.uvs[0].values.size() == uv_count;
  return has_uvs && (document->missing_normal == kNone ||
                     static_cast<std::size_t>(document->missing_normal) + 1 == mesh.normals.values.size());
}

// OBJ, PLY, BVH and listings do not state their unit, and each reader assumes its own.
void note_dropped_unit(const Character& character, const std::string& path, Notes& notes) {
  if (character.metres_per_unit == 1) return;
  notes.push_back({Note::Kind::loss, "unit-dropped",
                   fmt::format("{}: 1 unit is {:g} m{}, which this format cannot store", path,
                               character.metres_per_unit, character.is_unit_guessed ? " (a guess)" : "")});
}

Result<Notes> with_losses(Result<Notes> written, const Asset& asset, const std::string& path) {
  if (!written) return written;
  const Notes losses = losses_without_document(asset, path);
  written->insert(written->end(), losses.begin(), losses.end());
  return written;
}

Result<Notes> write_still(const std::string& path, const Asset& asset, const Character& posed,
                          const SaveOptions& options) {
  const ObjDocument* source = obj_of(asset);
  Result<Notes> written = extension_of(path) == ".ply"
                              ? write_ply(path, posed, options)
                              : write_obj(path, posed, fits(source, posed) ? source : nullptr, options);
  if (written) note_dropped_unit(posed, path, *written);
  return with_losses(std::move(written), asset, path);
}

bool is_fault(const Note& note) { return note.kind == Note::Kind::repair || note.kind == Note::Kind::loss; }

// What a patched document keeps of what loading repaired or left out: the notes of loading would otherwise be
// read as statements about the new file. Found by reading the document once more, if loading found faults.
void note_kept_faults(const std::string& path, const GltfDocument& document, const Notes& loading,
                      Notes& notes) {
  struct Kept {
    std::string first;  // sentence
    std::size_t count = 0;
  };
  std::map<std::string, Kept> kept;  // by the ids of faults
  for (const Note& note : loading) {
    if (is_fault(note)) kept[note.id] = {};
  }
  if (kept.empty()) return;
  for (const Note& note : notes_of_reading(document)) {
    const auto found = is_fault(note) ? kept.find(note.id) : kept.end();
    if (found == kept.end()) continue;
    if (found->second.count++ == 0) found->second.first = note.sentence;
  }
  for (const auto& [id, one] : kept) {
    if (one.count == 0) continue;
    const std::string more = one.count == 1 ? "" : fmt::format(" (and {} more like this)", one.count - 1);
    Note note{Note::Kind::info, "fault-kept",
              fmt::format("{} keeps this as the source has it: {}{}", path, one.first, more)};
    note.count = one.count;
    const bool is_weights = id.starts_with("weights-");
    notes.push_back(is_weights ? std::move(note).with_remedy("weights", "float") : std::move(note));
  }
}

// The glTF document of an asset: its source document with the changes, or a new one.
Result<GltfDocument> document_of(const std::string& path, const Asset& asset, const SaveOptions& options,
                                 Notes& notes) {
  const bool is_in_metres = asset.character.metres_per_unit == 1;
  if (!is_in_metres) {
    notes.push_back(
        {Note::Kind::info, "scaled-to-metres",
         fmt::format("{}: lengths were scaled by {:g}, from the file's {}unit to the metres of glTF", path,
                     asset.character.metres_per_unit, asset.character.is_unit_guessed ? "guessed " : "")});
  }
  const auto made = [&](const Character& character) {
    const GltfSource* source = gltf_of(asset);
    return source == nullptr ? new_document(character, options, notes)
                             : patched_document(source->document, source->given, character, options, notes);
  };
  if (is_in_metres && has_utf8_names(asset.character)) return made(asset.character);
  Character character = is_in_metres ? asset.character : in_metres(asset.character);
  // Names from a loader are UTF-8; those that code or the command line gave may be anything.
  if (!has_utf8_names(character)) make_names_utf8(character, notes);
  return made(character);
}

// Writes a document; the notes of making it come first.
Result<Notes> write_with_notes(const std::string& path, GltfDocument document, const SaveOptions& options,
                               const Notes& notes) {
  Result<Notes> written = write_document(path, std::move(document), options);
  if (written) written->insert(written->begin(), notes.begin(), notes.end());
  return written;
}

}  // namespace

bool is_character_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return reader_for(extension) != nullptr;
}

bool is_still_file(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".obj" || extension == ".ply";
}

Result<Asset> load(const std::string& path, const LoadOptions& options, const Progress& progress) {
  return without_throwing(path, [&]() -> Result<Asset> {
    const Reader read = reader_for(extension_of(path));
    if (read == nullptr) return unknown_input(path);
    if (is_sequence(path)) return many_files(path);
    Result<Bytes> bytes = read_file(path, options.max_memory);
    if (!bytes) return bytes.error();
    return read_whole(read, {std::move(*bytes), path, folder_of(path)}, options, progress);
  });
}

Result<Asset> load_from_memory(std::span<const std::byte> bytes, const std::string& name,
                               const LoadOptions& options) {
  return without_throwing(name, [&]() -> Result<Asset> {
    const Reader read = reader_for(extension_of(name));
    if (read == nullptr) return unknown_input(name);
    return read_whole(read, {Bytes(bytes.begin(), bytes.end()), name, ""}, options, {});
  });
}

Result<Notes> save(const std::string& path, const Asset& asset, const SaveOptions& options) {
  return without_throwing(path, [&]() -> Result<Notes> {
    if (extension_of(path) == ".bvh") {
      Result<Notes> written = write_bvh(path, asset, options.progress);
      if (written && unchanged_bvh_of(asset) == nullptr) note_dropped_unit(asset.character, path, *written);
      return with_losses(std::move(written), asset, path);
    }
    if (extension_of(path) == ".out") {
      Result<Notes> written = write_course(path, asset, options);
      // A guessed unit is guessed again, from the same numbers.
      if (written && !asset.character.is_unit_guessed) note_dropped_unit(asset.character, path, *written);
      return with_losses(std::move(written), asset, path);
    }
    if (!is_gltf(path)) return unknown_output(path, ".gltf, .glb, .bvh and .out");
    Notes notes;
    Result<GltfDocument> document = document_of(path, asset, options, notes);
    if (!document) return prefixed(path, document.error());
    if (Status going = options.progress.at(kMakingDocument, 0); !going) return prefixed(path, going.error());
    if (gltf_of(asset) != nullptr) note_kept_faults(path, *document, asset.notes, notes);
    return write_with_notes(path, std::move(*document), options, notes);
  });
}

Result<Notes> save_posed(const std::string& path, const Asset& asset, const Character& posed,
                         const SaveOptions& options) {
  return without_throwing(path, [&]() -> Result<Notes> {
    if (is_still_file(path)) return write_still(path, asset, posed, options);
    if (!is_gltf(path)) return unknown_output(path, ".glb, .gltf, .obj and .ply");
    if (gltf_of(asset) == nullptr) return save(path, Asset{posed, {}, nullptr}, options);
    Notes notes;
    const Result<GltfDocument> rest = document_of(path, asset, {}, notes);
    if (!rest) return prefixed(path, rest.error());
    GltfDocument document = posed_document(*rest, asset.character, posed, notes);
    note_kept_faults(path, document, asset.notes, notes);
    return write_with_notes(path, std::move(document), options, notes);
  });
}

Result<Asset> bare_asset(const Asset& asset, const Character& posed) {
  return without_throwing("leaving the skeleton out", [&]() -> Result<Asset> {
    if (gltf_of(asset) == nullptr) return Asset{posed, {}, nullptr};
    Asset bare;
    const Result<GltfDocument> rest = document_of(asset.character.name, asset, {}, bare.notes);
    if (!rest) return rest.error();
    BareGltf parts = bare_document(*rest, asset.character, posed, bare.notes);
    bare.character = std::move(parts.character);
    CharacterPrint given = print_of(bare.character);
    bare.source = std::make_shared<SourceDocument>(
        SourceDocument{GltfSource{std::move(parts.document), std::move(given)}});
    return bare;
  });
}

}  // namespace dermis
