// SPDX-License-Identifier: MIT
// Both ends of the pipe to dermis-import: what it passes on, how it is found, started and limited.
#pragma once

#include <string>
#include <vector>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {

// ---- Data passed through the pipe (pack.cpp, unpack.cpp) ----------------------------------------------
// A GLB that any viewer opens. Its extras store what glTF cannot (docs/decisions.md): the point of each
// vertex and the corner counts of polygons, the unit, the notes, and the locations of pictures.

// For a character without labels, whose meshes have at most one part per material.
Result<Bytes> pack_import(const Character& character, const Notes& notes);
// The character as it was packed: points joined, polygons whole, attributes on corners, no document.
// Sentences start with `path`; anything but such a GLB is an error.
Result<Asset> unpack_import(Bytes glb, const std::string& path, const LoadOptions& options,
                            const Progress& progress);

// ---- The program (run.cpp) ----------------------------------------------------------------------------

// Exit codes of dermis-import other than 0. Its error sentence is the first line of its stderr.
enum ImportExit : int {
  kImportRefused = 1,      // the file cannot be read
  kImportUsage = 2,        // called wrongly
  kImportOutOfMemory = 3,  // needs more memory than is allowed
  kImportDoubted = 4,      // the file cannot be read, or needs more memory than is allowed
};

// DERMIS_IMPORT, else next to the running program, in the build tree, in ../libexec/dermis, on the PATH.
Result<std::string> find_importer();

struct ImportCall {
  std::string program;
  std::string path;  // used in sentences
  Bytes input;       // goes to its stdin; empty: it reads `path` itself
  bool is_in_memory = false;
  UpAxis up = UpAxis::guess;
  std::uint64_t max_memory = 0;
  double seconds = 0;  // of wall-clock time
};
// Its stdout. A crash, a refusal, or too much memory, time or output is an Error of one sentence. The program
// has ended when this returns.
Result<Bytes> run_importer(const ImportCall& call, const Progress& progress);

}  // namespace dermis
