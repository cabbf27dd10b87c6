// SPDX-License-Identifier: MIT
// Puts characters next to each other, or in one place, and names them.
#include "ops/render/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "ops/merge/merge.h"

namespace dermis {
namespace {

// Between neighbours, as a fraction of the larger one's size.
constexpr double kSceneGap = 0.15;

std::string short_name(const Asset& asset) { return std::filesystem::path(asset.name).filename().string(); }

// "B.glb/hand_L" for names that are taken: a name then means the first file's node.
void rename_shared_nodes(const std::string& file, std::set<std::string>& taken, Character& character) {
  for (Node& node : character.nodes) {
    if (!node.name.empty() && taken.contains(node.name)) node.name = fmt::format("{}/{}", file, node.name);
  }
  for (const Node& node : character.nodes) taken.insert(node.name);
}

// Notes a scene in which something can hardly be seen.
void note_sizes(std::span<const double> sizes, std::span<const SceneFile> files, Notes& notes) {
  constexpr double kMuchLarger = 15;
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  if (!(*least > 0) || *most < kMuchLarger * *least) return;
  const auto name = [&](auto size) { return files[static_cast<std::size_t>(size - sizes.begin())].name; };
  notes.push_back(Note{Note::Kind::guess, "scene-sizes",
                       fmt::format("{} is {:.0f} times as large as {}: is it in another unit?", name(most),
                                   *most / *least, name(least))}
                      .with_remedy("unit"));
}

}  // namespace

Result<SceneOfFiles> scene_of_files(std::span<const Asset> assets, bool is_beside) {
  SceneOfFiles scene;
  Character& all = scene.asset.character;
  all.metres_per_unit = assets.front().character.metres_per_unit;
  all.is_unit_guessed = assets.front().character.is_unit_guessed;
  scene.asset.name = assets.front().name;
  std::set<std::string> taken;
  std::vector<double> sizes;
  double right = 0;
  double last_size = 0;
  for (const Asset& asset : assets) {
    Character character = asset.character;
    const Result<PoseFrame> rest = pose_frame(character, {});
    if (!rest) return prefixed(asset.name, rest.error());
    const Box box = box_at_rest(character, *rest);
    const double scale = character.metres_per_unit / all.metres_per_unit, size = scale * box.diagonal();
    sizes.push_back(size);
    Vec3d place;
    if (is_beside && !box.is_empty()) {
      if (!scene.files.empty()) right += kSceneGap * std::max(size, last_size);
      place = {right - scale * box.lower.x, 0, -scale * box.centre().z};
      right += scale * (box.upper.x - box.lower.x);
      last_size = size;
    }
    const std::string name = short_name(asset);
    rename_shared_nodes(name, taken, character);
    scene.files.push_back({name, static_cast<Index>(all.nodes.size())});
    std::set<std::string>& clips = scene.clips.emplace_back();
    for (const Clip& clip : character.clips) clips.insert(clip.name);
    note_dropped(add_to_scene(std::move(character), name, place, all), scene.notes);
  }
  note_sizes(sizes, scene.files, scene.notes);
  sort_instances(all);
  if (Status valid = validate(all); !valid) return prefixed("the scene", valid.error());
  return scene;
}

Notes notes_of_resting(const SceneOfFiles& scene, const Character& character,
                       std::span<const ChosenPose> poses) {
  Notes notes;
  std::set<Index> clips;
  for (const ChosenPose& pose : poses) clips.insert(pose.clip);
  clips.erase(kNone);
  for (const Index clip : clips) {
    const std::string& name = character.clips[at(clip)].name;
    for (std::size_t k = 0; k < scene.files.size(); ++k) {
      if (scene.clips[k].contains(name)) continue;
      notes.push_back({Note::Kind::info, "rests-in-clip",
                       fmt::format("{}: has no clip {} and rests", scene.files[k].name, quoted_name(name))});
    }
  }
  return notes;
}

void draw_names(std::span<const SceneFile> files, const Character& scene, const Shot& shot,
                const Camera& camera, Pixels& pixels) {
  constexpr double kTextSize = 0.024;  // of a capital, relative to the height of the picture
  constexpr double kLeastSize = 7;     // pixels; smaller letters cannot be read
  // Positions of the text's baseline in units of its size: below the feet, and from the picture's edges.
  constexpr double kBelowFeet = 2.2, kFromTop = 1.5, kFromBottom = 0.6;
  constexpr double kFromSide = 2;  // pixels
  const double aspect = static_cast<double>(pixels.width) / pixels.height;
  const TextStyle style{.size = std::max(kTextSize * pixels.height, kLeastSize), .is_bold = true};
  std::vector<Box> boxes(files.size());
  std::size_t m = 0;
  for (const Instance& instance : scene.instances) {
    if (!instance.in_scene) continue;
    Index top = instance.node;
    while (scene.nodes[at(top)].parent != kNone) top = scene.nodes[at(top)].parent;
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const SceneFile& one) { return one.root == top; });
    if (file != files.end()) {
      for (const Vec3& point : shot.still.meshes[m].points)
        if (is_finite(point)) boxes[static_cast<std::size_t>(file - files.begin())].add(Vec3d(point));
    }
    ++m;
  }
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (boxes[k].is_empty()) continue;
    const Vec3d feet{boxes[k].centre().x, boxes[k].lower.y, boxes[k].centre().z};
    const std::optional<Vec2> place = project(camera, aspect, feet);
    if (!place) continue;
    const double x = static_cast<double>(place->x) * pixels.width;
    const double y = static_cast<double>(place->y) * pixels.height;
    const double width = text_width(files[k].name, style);
    const double left =
        std::clamp(x - width / 2, kFromSide, std::max(kFromSide, pixels.width - width - kFromSide));
    const double base = std::clamp(y + kBelowFeet * style.size, kFromTop * style.size,
                                   pixels.height - kFromBottom * style.size);
    draw_text(pixels, left, base, files[k].name, style);
  }
}

}  // namespace dermis
