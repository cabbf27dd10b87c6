// SPDX-License-Identifier: MIT
// The readers that `load` uses, one per format.
#pragma once

#include <string>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {

// A file to be read. `folder` is where its companion files may be; empty refuses them.
struct FileSource {
  Bytes bytes;
  std::string path;
  std::string folder;
};

using Reader = Result<Asset> (*)(FileSource source, const LoadOptions& options, const Progress& progress);

Result<Asset> read_gltf(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_obj(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_ply(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_stl(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_off(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_bvh(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_markers(FileSource source, const LoadOptions& options, const Progress& progress);
Result<Asset> read_course(FileSource source, const LoadOptions& options, const Progress& progress);

// Through the program dermis-import.
Result<Asset> read_import(FileSource source, const LoadOptions& options, const Progress& progress);

// The reader for an extension (lower case, with its dot), or null.
Reader reader_for(const std::string& extension);

}  // namespace dermis
