// SPDX-License-Identifier: MIT
// Formats for still meshes: OBJ and PLY.
#pragma once

#include <string>

#include "dermis/base.h"
#include "dermis/io.h"
#include "dermis/model.h"

namespace dermis {

class FileSet;
struct ObjDocument;

// Every instance with its points, normals, texture coordinates, polygons and labels, and an MTL with its
// pictures next to it; `still` has its points in world space. Given the document of the OBJ that `still` was
// read from, data that the model stores in another form is written as it was.
Result<Notes> write_obj(const std::string& path, const Character& still, const ObjDocument* source,
                        const SaveOptions& options);
// The same as part of a larger set, which the caller commits.
Result<Notes> add_obj(const std::string& path, const Character& still, const ObjDocument* source,
                      const SaveOptions& options, FileSet& files);
// All instances as one vertex list, little-endian bytes or text; normals, texture coordinates and colours (as
// bytes) only if they are per point.
Result<Notes> write_ply(const std::string& path, const Character& still, const SaveOptions& options);

}  // namespace dermis
