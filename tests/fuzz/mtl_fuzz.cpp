// SPDX-License-Identifier: MIT
// Material files from anyone, beside an OBJ that names their materials and written back with it.
#include <fstream>

#include "character_fuzz.h"

namespace {

// The OBJ and its folder, made once.
struct Folder {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("dermis-fuzz-mtl-" + std::to_string(::getpid()));
  Folder() {
    std::filesystem::create_directories(path);
    std::ofstream(path / "in.obj") << "mtllib in.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\n"
                                      "f 1/1 2/1 3/1\nusemtl b\nf 3/1 2/1 1/1\n";
    std::ofstream(path / "a.png", std::ios::binary) << "\x89PNG\r\n\x1a\n";
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  static const Folder folder;
  std::ofstream(folder.path / "in.mtl", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const Result<Asset> asset = load((folder.path / "in.obj").string(), fuzz::load_options());
  fuzz::require(asset.ok(), "a material file is no reason to refuse its OBJ",
                asset ? "" : asset.error().sentence);
  const std::string output = (folder.path / "out.obj").string();
  const Result<Notes> saved = save_posed(output, *asset, asset->character);
  fuzz::require_loads_again(saved, output);
  const Result<Asset> again = load(output, fuzz::load_options());
  fuzz::require(again->character.meshes[0].polygons.count() == 2, "no name of a material eats a face");
  return fuzz::pose_and_save(asset);
}
