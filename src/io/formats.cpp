// SPDX-License-Identifier: MIT
// The table of formats: what each extension means, and which reader handles it.
#include "io/formats.h"

#include <array>

#include "io/text.h"

namespace dermis {
namespace {

// Extensions passed to dermis-import; formats with their own reader never are.
constexpr const char* kImported =
    ".fbx .dae .zae .3d .3ds .3mf .ac .acc .amf .ase .b3d .blend .cob .csm .dxf .hmp .ifc .iqm .lwo .lws "
    ".lxo "
    ".md2 .md5mesh .mdc .mdl .ms3d .nff .ogex .q3o .q3s .sib .smd .x .x3d .xgl .zgl";

constexpr std::array kFormats{
    FormatRow{"glTF 2.0", ".gltf .glb", "everything; what dermis does not model stays in the document",
              "everything", "cameras and lights stay at rest in posed files"},
    FormatRow{"Wavefront OBJ", ".obj",
              "points, polygons, texture coordinates, normals, colours, materials (MTL), labels",
              "the posed scene with materials (MTL) and labels", "no skeleton, skin, shapes or clips"},
    FormatRow{
        "PLY", ".ply",
        "ascii and binary of either endianness: points, polygons, triangle strips, normals, colours, texture "
        "coordinates on points or corners; point clouds",
        "binary, or text on request: points, polygons, per-point normals, colours and texture coordinates",
        "no skeleton, skin, shapes, clips or materials; other properties are noted and left out"},
    FormatRow{"STL", ".stl", "ascii and binary, several solids as parts; equal corners joined into points",
              "", "no texture coordinates, colours or materials; facet normals are left out"},
    FormatRow{"OFF", ".off",
              "OFF, COFF, NOFF, STOFF and their combinations: points, polygons, normals, colours", "",
              "binary and four-dimensional OFF are refused; colours of faces are left out"},
    FormatRow{"Biovision BVH", ".bvh", "skeleton and one clip, every channel order; up and unit are guessed",
              "skeleton and one clip; an unchanged BVH is written back with the same numbers",
              "no meshes, skins, shapes or rest rotations; joint positions are kept exactly"},
    FormatRow{"C3D markers", ".c3d",
              "labels, units, rate and points with their gaps, from Intel, DEC and SGI files", "",
              "no skeleton: a node for each marker; analog samples are left out"},
    FormatRow{"TRC markers", ".trc", "labels, units, rate and points with their gaps", "",
              "no skeleton: a node for each marker"},
    FormatRow{"Course listings", ".out",
              "skeleton.out with attachment.out and the OBJ next to it, including scanned copies",
              "the first skinned mesh: skeleton.out, attachment.out and an OBJ",
              "one mesh; no names, clips, shapes or joint axes; a bone moves with the joint it starts from"},
    FormatRow{"FBX, Collada and others through assimp", kImported,
              "nodes, meshes with polygons and corners, skins, shapes, clips, materials", "",
              "no cameras or lights; no joints, clips or frames of .iqm, .md2, .md3 and .blend (noted); "
              "formats-fbx.md lists what assimp does not report about an FBX"},
    FormatRow{"Point Cache 2", ".pc2", "points frame by frame, its own first frame and sampling",
              "points frame by frame", "counts frames, not seconds; even steps only; no mesh"},
    FormatRow{"LightWave MDD", ".mdd", "points frame by frame with their times",
              "points frame by frame with their times", "no mesh"},
    FormatRow{"raw float frames", ".f32", "points frame by frame, on a rest mesh that gives their count", "",
              "no times, no counts"},
    FormatRow{"XYZ points", ".xyz", "points, three numbers per line, for compare", "", "only points"},
};

struct ReaderRow {
  const char* extension;
  Reader reader;
};
constexpr std::array kReaders{
    ReaderRow{".gltf", read_gltf},  ReaderRow{".glb", read_gltf},    ReaderRow{".obj", read_obj},
    ReaderRow{".ply", read_ply},    ReaderRow{".stl", read_stl},     ReaderRow{".off", read_off},
    ReaderRow{".bvh", read_bvh},    ReaderRow{".c3d", read_markers}, ReaderRow{".trc", read_markers},
    ReaderRow{".out", read_course},
};

}  // namespace

std::span<const FormatRow> formats() { return kFormats; }

Reader reader_for(const std::string& extension) {
  for (const ReaderRow& row : kReaders) {
    if (extension == row.extension) return row.reader;
  }
  std::string_view imported = kImported;
  for (std::string_view word = next_word(imported); !word.empty(); word = next_word(imported)) {
    if (extension == word) return read_import;
  }
  return nullptr;
}

}  // namespace dermis
