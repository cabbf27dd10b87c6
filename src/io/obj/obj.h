// SPDX-License-Identifier: MIT
// Wavefront OBJ and its material files.
#pragma once

#include <string>
#include <vector>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {

// Data of an OBJ that the model stores in another form, for writing the same file back.
struct ObjDocument {
  std::vector<Vec2> uvs;  // as written: v measured from the bottom of the picture
  // The value that means "none here" in the model, the last of its list; kNone: every corner has a value.
  Index missing_uv = kNone, missing_normal = kNone;
};

// ---- Reading ----

// Where to look for materials, and what was found.
struct MtlLibrary {
  std::string folder;  // of the OBJ; empty: no file may be read
  std::vector<Material> materials;
  std::vector<Image> images;
  Notes notes;
};
// The arguments of a texture statement: "-s 2 2 1 -clamp on skin.png" is skin.png, twice across.
struct TextureStatement {
  std::string_view name;
  PicturePlace place;  // by -o, -s and -clamp
};
TextureStatement texture_statement(std::string_view rest);
// Only its name.
std::string_view texture_name(std::string_view rest);
// True if an MTL statement is `lower_case`, ignoring case: "map_kd" equals "map_KD".
bool is_statement(std::string_view word, std::string_view lower_case);
// True for the statements of an MTL that name a picture: map_Kd, bump, norm and so on.
bool is_texture_statement(std::string_view word);
// The file that a name in an OBJ or MTL in `folder` refers to, or empty. Such names are often paths on the
// author's machine: they are tried as written, then by file name only. Files outside `root`, the folder of
// the OBJ, are not found: a downloaded file must not read others on the disk.
std::string find_beside(const std::string& root, const std::string& folder, std::string name);
// Why find_beside found nothing: there is no such file, or it is a link that leaves the folder.
std::string why_not_beside(const std::string& root, const std::string& folder, const std::string& name);
// Adds the materials of the file named `name` in an OBJ to `library`; a missing file is noted.
void read_mtl(const std::string& name, MtlLibrary& library);

// ---- Writing ----

// An MTL file and the pictures that must be next to it.
struct MtlFile {
  std::string text;
  struct Picture {
    std::string name;
    Bytes bytes;
  };
  std::vector<Picture> pictures;
  Notes notes;
};
// The names of the materials in an OBJ and its MTL: on one line, not empty, unique.
std::vector<std::string> material_labels(const Character& character);
// `folder` is where the file will be: pictures already there are only referred to.
MtlFile mtl_for(const Character& still, std::span<const std::string> labels, const std::string& folder);
// A name on one line, without characters that OBJ readers treat specially.
std::string one_line(std::string name);

}  // namespace dermis
