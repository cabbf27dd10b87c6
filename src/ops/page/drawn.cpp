// SPDX-License-Identifier: MIT
// Decodes textures, encodes pictures, and makes films from frames with ffmpeg.
#include "ops/page/drawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/process.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

constexpr int kNotFound = 127;  // exit code of a child whose program cannot be started

Result<Pixels> load_texture(const Image& image, const Run& run) {
  const std::string name = image.path.empty() ? image.name : image.path;
  // Eight bytes per pixel: four decoded, and copies of lower resolution.
  const std::uint64_t max_pixels = std::min(kMaxPixels, run.max_memory / 8);
  if (image.path.empty()) return decode_image(image.bytes, name, max_pixels);
  const Result<std::vector<std::byte>> bytes = load_bytes(image.path, run.max_memory);
  if (!bytes) return bytes.error();
  return decode_image(*bytes, name, max_pixels);
}

// Runs a program without input or output until it ends or a stop is requested, which ends it. Returns its
// exit code, or kNotFound if it does not exist.
Result<int> run_quietly(std::vector<std::string> words, const Progress& progress) {
  constexpr int kPollMilliseconds = 50;
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ChildProcess child;
  const int failed = child.start(std::move(words), {nothing, nothing, nothing});
  if (nothing >= 0) ::close(nothing);
  if (failed != 0) return kNotFound;
  while (!child.has_ended()) {
    if (Status going = progress.at("making the film", 1); !going) return going.error();
    ::poll(nullptr, 0, kPollMilliseconds);
  }
  return WIFEXITED(child.status()) ? WEXITSTATUS(child.status()) : kNotFound - 1;
}

bool is_film(const std::string& output) { return extension_of(output) == ".mp4"; }

// "turn_0007.png" of "a/turn.mp4" or "a/turn_####.png".
std::string frame_name(const std::string& output, std::size_t k) {
  if (is_film(output)) return fmt::format("{}_{:04}.png", fs::path(output).stem().string(), k);
  return fs::path(sequence_path(output, static_cast<std::int64_t>(k))).filename().string();
}

// ffmpeg reads % as the start of a number.
std::string percent_doubled(const std::string& path) {
  std::string out;
  for (const char letter : path) out += letter == '%' ? std::string("%%") : std::string(1, letter);
  return out;
}

// Whether the opacity of its picture is used.
bool has_holes(const Material& material) {
  return material.alpha != Alpha::ignored && material.base_colour_image != kNone;
}

// Notes once per material that a mesh in the scene has no coordinates for its picture.
void note_unplaced(const Character& character, Notes& notes) {
  std::set<std::pair<Index, const char*>> said;
  const auto note = [&](const Mesh& mesh, Index index, Index image, const PicturePlace& place,
                        const char* what) {
    const auto set = static_cast<std::size_t>(place.uv_set);
    const bool is_placed = set < mesh.uvs.size() && !mesh.uvs[set].empty();
    if (image == kNone || is_placed || !said.insert({index, what}).second) return;
    const Material& material = character.materials[static_cast<std::size_t>(index)];
    notes.push_back(
        {Note::Kind::loss, "texture-unplaced",
         fmt::format("material {}: its picture of {} is not drawn on mesh {}, which has no set {} "
                     "of texture coordinates",
                     quoted_name(material.name), what, quoted_name(mesh.name), place.uv_set)});
  };
  for (const Instance& instance : character.instances) {
    if (!instance.in_scene || instance.mesh == kNone) continue;
    const Mesh& mesh = character.meshes[static_cast<std::size_t>(instance.mesh)];
    for (const MeshPart& part : mesh.parts) {
      if (part.material == kNone || part.polygon_count == 0) continue;
      const Material& material = character.materials[static_cast<std::size_t>(part.material)];
      note(mesh, part.material, material.base_colour_image, material.base_colour_place, "colour");
      note(mesh, part.material, material.emission_image, material.emission_place, "emission");
    }
  }
}

}  // namespace

void note_lost_opacity(const Character& character, Notes& notes) {
  for (const Material& material : character.materials) {
    if (!has_holes(material)) continue;
    notes.push_back({Note::Kind::loss, "opacity-left-out",
                     fmt::format("material {} is drawn without its texture, and without the opacity in it",
                                 quoted_name(material.name))});
  }
}

std::shared_ptr<const std::vector<Pixels>> load_textures(const Character& character, const Run& run,
                                                         Notes& notes) {
  std::vector<Pixels> textures(character.images.size());
  std::vector<bool> is_tried(textures.size(), false);
  for (const Material& material : character.materials) {
    for (const Index image : {material.base_colour_image, material.emission_image}) {
      if (image == kNone || is_tried[static_cast<std::size_t>(image)]) continue;
      const auto i = static_cast<std::size_t>(image);
      is_tried[i] = true;
      Result<Pixels> pixels = load_texture(character.images[i], run);
      if (pixels) {
        textures[i] = std::move(*pixels);
        continue;
      }
      notes.push_back({Note::Kind::loss, "texture-unreadable",
                       fmt::format("material {} is drawn without a texture{}: {}", quoted_name(material.name),
                                   has_holes(material) && image == material.base_colour_image
                                       ? ", and without the opacity in it"
                                       : "",
                                   pixels.error().sentence)});
    }
  }
  note_unplaced(character, notes);
  return std::make_shared<const std::vector<Pixels>>(std::move(textures));
}

Status save_picture(const std::string& path, const Pixels& pixels) {
  const Result<std::vector<std::byte>> bytes =
      extension_of(path) == ".png" ? encode_png(pixels) : encode_jpeg(pixels);
  if (!bytes) return bytes.error();
  return save_bytes(path, *bytes);
}

Result<FrameWriter> FrameWriter::open(const std::string& output, std::size_t frame_count, double fps,
                                      const RunOptions& run) {
  if (!is_film(output)) {
    std::vector<std::string> files;
    for (std::size_t k = 0; k < frame_count; ++k)
      files.push_back(sequence_path(output, static_cast<std::int64_t>(k)));
    if (Status good = check_not_there(files, run); !good) return good.error();
  }
  const fs::path target(output);
  const std::string name = is_film(output) ? target.filename().string() : frame_name(output, 0);
  Result<StagedFiles> staged = StagedFiles::open(target.parent_path().string(), name);
  if (!staged) return staged.error();
  return FrameWriter(std::move(*staged), output, fps, run);
}

Status FrameWriter::add(const Pixels& pixels) {
  return save_picture(staged_.path_of(frame_name(output_, count_++)), pixels);
}

Result<std::vector<std::string>> FrameWriter::commit() {
  if (!is_film(output_)) return staged_.commit();
  const std::string film = staged_.path_of("film.mp4");
  const std::string frames =
      percent_doubled(staged_.path_of(fs::path(output_).stem().string())) + "_%04d.png";
  // H.264 needs even sizes; every player shows yuv420p.
  const Result<int> ended =
      run_quietly({"ffmpeg", "-nostdin", "-y", "-framerate", fmt::format("{:g}", fps_), "-i", frames, "-vf",
                   "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p",
                   "-movflags", "+faststart", film},
                  run_.progress);
  if (!ended) return ended.error();
  const int code = *ended;
  std::error_code failed;
  if (code == 0) {
    fs::rename(film, output_, failed);
    if (failed)
      return Error{Errc::unreadable, fmt::format("{}: cannot write: {}", output_, failed.message())};
    return std::vector<std::string>{output_};
  }
  fs::remove(film, failed);
  return keep_frames(code == kNotFound ? "ffmpeg is not installed (apt-get install ffmpeg)"
                                       : fmt::format("ffmpeg failed with exit code {}", code));
}

Error FrameWriter::keep_frames(const std::string& why) {
  const auto because = [&](const Error& error) {
    return Error{error.code, fmt::format("{}: {}, and its frames cannot be kept instead: {}", output_, why,
                                         error.sentence)};
  };
  const Result<std::vector<std::string>> replaced = staged_.replaced();
  if (!replaced) return because(replaced.error());
  if (Status good = check_not_there(*replaced, run_); !good) return because(good.error());
  const Result<std::vector<std::string>> files = staged_.commit();
  if (!files) return because(files.error());
  return {Errc::unreadable,
          fmt::format("{}: not written, because {}; its {} kept, from {} on", output_, why,
                      counted(files->size(), "frame was", "frames were"), frame_name(output_, 0))};
}

}  // namespace dermis
