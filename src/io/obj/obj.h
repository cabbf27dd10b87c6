// SPDX-License-Identifier: MIT
// Wavefront OBJ and its material files.
#pragma once

#include <string>
#include <vector>

#include "dermis/io.h"
#include "io/file.h"

namespace dermis {

// What an OBJ says that the model holds in another form, for writing the same file back.
struct ObjDocument {
  std::vector<Vec2> uvs;  // as written: v counted from the bottom of the picture
  // The value that stands for "none here" in the model, the last of its list; kNone: every corner has one.
  Index missing_uv = kNone, missing_normal = kNone;
};

// ---- Reading ----

// Where materials are looked for, and what is found.
struct MtlLibrary {
  std::string folder;  // of the OBJ; empty: no file may be read
  std::vector<Material> materials;
  std::vector<Image> images;
  Notes notes;
};
// What a texture statement says after its word: "-s 2 2 1 -clamp on skin.png" is skin.png, twice across.
struct TextureStatement {
  std::string_view name;
  PicturePlace place;  // by -o, -s and -clamp
};
TextureStatement texture_statement(std::string_view rest);
// Its name alone.
std::string_view texture_name(std::string_view rest);
// Statements of an MTL are known in any case: "map_kd" is what "map_KD" is. `lower_case` says which.
bool is_statement(std::string_view word, std::string_view lower_case);
// True for the statements of an MTL that name a picture: map_Kd, bump, norm and so on.
bool is_texture_statement(std::string_view word);
// The file that a name in an OBJ or MTL in `folder` leads to, or nothing. Such names are often paths of the
// machine the file was made on: they are tried as written, then by the file name alone. Files outside `root`,
// the folder of the OBJ, are not found: a download must not fetch what else is on the disk.
std::string find_beside(const std::string& root, const std::string& folder, std::string name);
// Adds the materials of the file an OBJ calls `name` to `library`; a file that is missing is a note.
void read_mtl(const std::string& name, MtlLibrary& library);

// ---- Writing ----

// An MTL file and the pictures that must lie beside it.
struct MtlFile {
  std::string text;
  struct Picture {
    std::string name;
    Bytes bytes;
  };
  std::vector<Picture> pictures;
  Notes notes;
};
// The names an OBJ and its MTL call the materials: on one line, not empty, each another.
std::vector<std::string> material_labels(const Character& character);
// `folder` is where the file will lie: pictures that are there already are only named.
MtlFile mtl_for(const Character& still, std::span<const std::string> labels, const std::string& folder);
// A name on one line, without what OBJ readers take as the start of something else.
std::string one_line(std::string name);

}  // namespace dermis
