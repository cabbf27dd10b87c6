// SPDX-License-Identifier: MIT
// Reads a whole glTF document into a character, and notes what looks odd.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "io/figure.h"
#include "io/formats.h"
#include "io/gltf/reader.h"
#include "io/source.h"

namespace dermis {
namespace {

// Extensions that a file may require because dermis knows them, or because they move no point.
bool is_readable_extension(std::string_view name) {
  constexpr std::string_view kNames[] = {"KHR_mesh_quantization", "EXT_meshopt_compression",
                                         "KHR_meshopt_compression", "KHR_draco_mesh_compression",
                                         "KHR_xmp_json_ld"};
  return is_appearance_extension(name) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool check_extensions(GltfReader& reader) {
  for (const Json& name : reader.list("extensionsRequired")) {
    const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
    if (!is_readable_extension(text)) {
      return reader.fail(Place{"extension", 0},
                         fmt::format("{} is required by the file but not known here", quoted_name(text)),
                         Errc::unsupported);
    }
  }
  return !reader.failed();
}

// Only people use names, but people write pose files.
void note_shared_names(const Character& character, Notes& notes) {
  std::unordered_map<std::string_view, std::size_t> counts;
  std::size_t unnamed = 0;
  for (const Node& node : character.nodes) {
    if (node.name.empty())
      ++unnamed;
    else
      ++counts[node.name];
  }
  std::size_t shared = 0;
  std::string_view example;
  for (const Node& node : character.nodes) {
    const auto found = counts.find(node.name);
    if (node.name.empty() || found->second < 2) continue;
    if (shared++ == 0) example = node.name;
  }
  if (shared > 0) {
    notes.push_back(
        {Note::Kind::info, "names-shared",
         fmt::format("{} nodes share their name with another ({}); refer to them by number, as in #12",
                     shared, quoted_name(example))});
  }
  if (unnamed > 0) {
    notes.push_back({Note::Kind::info, "names-missing",
                     fmt::format("{} by number, as in #12", counted(unnamed, "node has no name; refer to it",
                                                                    "nodes have no name; refer to them"))});
  }
}

void note_animated_matrices(GltfReader& reader, const Character& character) {
  const std::vector<std::string> labels = node_labels(character);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    std::vector<bool> is_noted(character.nodes.size(), false);
    for (const Channel& channel : character.clips[c].channels) {
      if (channel.path == ChannelPath::shape_weights || channel.path == ChannelPath::control) continue;
      const auto n = static_cast<std::size_t>(channel.target);
      if (!character.nodes[n].rest_matrix || is_noted[n]) continue;
      is_noted[n] = true;
      reader.note(
          Note::Kind::repair, "animated-matrix", Place{"animation", c},
          fmt::format(
              "it moves node {}, which has a matrix; its nearest translation, rotation and scale are used",
              quoted_name(labels[n])));
    }
  }
}

bool read_parts(GltfReader& reader, const GltfDocument& document, Character& character,
                const Progress& progress) {
  std::vector<bool> in_scene;
  const bool is_read = check_extensions(reader) && read_nodes(reader, character, in_scene) &&
                       read_skins(reader, character) && read_materials(reader, document, character) &&
                       read_meshes(reader, character, progress) &&
                       read_instances(reader, character, in_scene) && read_clips(reader, character) &&
                       read_driving(reader, character) && check_references(reader, document);
  if (is_read) note_animated_matrices(reader, character);
  return is_read;
}

}  // namespace

Notes notes_of_reading(const GltfDocument& document) {
  Notes notes;
  MemoryBudget budget(LoadOptions{}.max_memory);
  GltfReader reader(document, budget, notes);
  Character character;
  if (!read_parts(reader, document, character, {})) notes.clear();
  return notes;
}

Result<Asset> read_gltf(FileSource source, const LoadOptions& options, const Progress& progress) {
  MemoryBudget budget(options.max_memory);
  Asset asset;
  const std::string& path = source.path;
  Result<GltfDocument> parsed = parse_gltf(std::move(source.bytes), path, source.folder, budget, asset.notes);
  if (!parsed) return parsed.error();
  auto kept = std::make_shared<SourceDocument>(SourceDocument{GltfSource{std::move(*parsed), {}}});
  auto& [document, given] = std::get<GltfSource>(kept->of);
  asset.source = kept;
  GltfReader reader(document, budget, asset.notes);
  Character& character = asset.character;
  character.name = stem_of(path);
  if (!read_parts(reader, document, character, progress)) return reader.error();
  if (options.up != UpAxis::guess) asset.notes.push_back({Note::Kind::info, kUpNotUsed, kUpNotUsedWords});
  note_shared_names(character, asset.notes);
  asset.reading = std::move(reader.reading());
  asset.reading.has_told_names = true;
  if (Status valid = validate(character); !valid) {
    return prefixed(path, valid.error());
  }
  given = print_of(character);
  for (const Index mesh : reader.meshes_with_mended_weights())
    given.meshes[static_cast<std::size_t>(mesh)].has_mended_weights = true;
  return asset;
}

}  // namespace dermis
