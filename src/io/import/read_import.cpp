// SPDX-License-Identifier: MIT
// Reads FBX, Collada and other formats that assimp knows, in a separate program.
#include <fmt/format.h>

#include "io/formats.h"
#include "io/import/import.h"
#include "io/import/stated_rig.h"

namespace dermis {

Result<Asset> read_import(FileSource source, const LoadOptions& options, const Progress& progress) {
  // That program reads only the folder of the file.
  if (const std::string target = link_out_of(source.folder, source.path); !target.empty()) {
    return Error{Errc::unreadable,
                 fmt::format("{}: is a link to {}, outside its own folder; name that file instead",
                             source.path, quoted_name(target))};
  }
  Result<std::string> program = find_importer();
  if (!program) return prefixed(source.path, program.error());
  const StatedRig stated = stated_rig(source.bytes);
  ImportCall call;
  call.program = std::move(*program);
  call.path = source.path;
  call.is_in_memory = source.folder.empty();
  // Companion files are found relative to the path, so that program reads the bytes itself.
  call.input = call.is_in_memory ? std::move(source.bytes) : Bytes{};
  source.bytes = {};
  call.up = options.up;
  call.max_memory = options.max_memory;
  call.seconds = options.import_seconds;
  Result<Bytes> glb = run_importer(call, progress);
  if (!glb) return glb.error();
  Result<Asset> asset = unpack_import(std::move(*glb), source.path, options, progress);
  if (asset)
    for (Note& note : rig_left_out(stated, asset->character)) asset->notes.push_back(std::move(note));
  if (asset && asset->character.is_unit_guessed && options.metres_per_unit <= 0)
    asset->notes.push_back(
        Note{Note::Kind::guess, "unit-guessed", "the format does not state its unit; metres are assumed"}
            .with_remedy("unit"));
  return asset;
}

}  // namespace dermis
