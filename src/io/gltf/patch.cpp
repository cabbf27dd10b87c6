// SPDX-License-Identifier: MIT
// Compares a character with the glTF document it was loaded from, and patches the document where they differ.
#include "io/gltf/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/gltf/driving.h"
#include "io/gltf/write_clips.h"

namespace dermis {
namespace {

Fingerprint joined(std::initializer_list<Fingerprint> parts) {
  Fingerprinter printer;
  for (const Fingerprint& part : parts) printer.add(part);
  return printer.done();
}

// ---- Matching -----------------------------------------------------------------------------------------

// A mesh without its weights, which many edits change.
Fingerprint surface_key(const MeshPrint& mesh) {
  Fingerprinter printer;
  printer.add(mesh.name);
  for (const PartPrint& part : mesh.parts) {
    for (const Fingerprint* one : {&part.points, &part.polygons, &part.normals, &part.tangents})
      printer.add(*one);
    for (const auto* list : {&part.uvs, &part.colours, &part.shapes}) {
      for (const Fingerprint& one : *list) printer.add(one);
      printer.add_number(list->size());
    }
    printer.add_values(std::span<const Index>(&part.material, 1));
  }
  return printer.done();
}

Fingerprint keys_of(const ClipPrint& clip) {
  Fingerprinter printer;
  for (const ChannelPrint& channel : clip.channels) {
    printer.add(channel.keys);
    printer.add_number(static_cast<std::uint64_t>(channel.path));
  }
  return printer.done();
}

// A key for each item of a list before and now.
template <class Print, class KeyOf>
MatchKeys keys_by(const std::vector<Print>& before, const std::vector<Print>& now, const KeyOf& key_of) {
  MatchKeys keys;
  std::transform(before.begin(), before.end(), std::back_inserter(keys.before), key_of);
  std::transform(now.begin(), now.end(), std::back_inserter(keys.now), key_of);
  return keys;
}

struct Matchings {
  Matching nodes, meshes, skins, clips;
};

Matchings match_parts(const CharacterPrint& before, const CharacterPrint& now) {
  const Fingerprint no_name = fingerprint_of("");
  const auto name_of = [&](const auto& one) { return one.name == no_name ? Fingerprint{} : one.name; };
  const MatchKeys nodes[] = {keys_by(before.nodes, now.nodes,
                                     [](const NodePrint& one) {
                                       return joined({one.name, one.rest});
                                     }),
                             keys_by(before.nodes, now.nodes, name_of)};
  const MatchKeys meshes[] = {keys_by(before.meshes, now.meshes, surface_key),
                              keys_by(before.meshes, now.meshes, name_of)};
  const MatchKeys skins[] = {keys_by(before.skins, now.skins,
                                     [](const SkinPrint& one) {
                                       return joined({one.name, one.inverse_bind});
                                     }),
                             keys_by(before.skins, now.skins, name_of)};
  const MatchKeys clips[] = {keys_by(before.clips, now.clips,
                                     [](const ClipPrint& one) {
                                       return joined({one.name, keys_of(one)});
                                     }),
                             keys_by(before.clips, now.clips, keys_of),
                             keys_by(before.clips, now.clips, [](const ClipPrint& one) { return one.name; })};
  // A clip that shares neither keys nor name with a clip of the document is a new clip.
  return {match(nodes, true), match(meshes, true), match(skins, true), match(clips, false)};
}

// Restores the old indices of a list, if possible.
bool keep_numbers(Matching& matching) {
  if (matching.keeps_numbers()) return true;
  if (matching.old_of.size() < matching.new_of.size()) return false;
  matching = match_by_number(matching.new_of.size(), matching.old_of.size());
  return true;
}

// ---- Numbers ------------------------------------------------------------------------------------------

// Puts the items of a list in their current order; new ones are empty objects. A list without items stays
// absent.
void reorder_list(Json& json, const char* key, const Matching& matching) {
  const bool is_same = matching.keeps_numbers() && matching.old_of.size() == matching.new_of.size();
  if (is_same) return;
  Json items = Json::array();
  for (const Index old : matching.old_of)
    items.push_back(old == kNone ? Json::object() : std::move(json[key][at(old)]));
  if (items.empty())
    json.erase(key);
  else
    json[key] = std::move(items);
}

// Updates the index in member `key` of `owner`; removes it if its target was removed.
void renumber(Json& owner, const char* key, const Matching& matching) {
  const auto member = owner.find(key);
  const std::optional<std::size_t> old =
      member == owner.end() ? std::nullopt : stated_index(*member, matching.new_of.size());
  if (!old) return;
  if (const Index now = matching.new_of[*old]; now == kNone)
    owner.erase(key);
  else
    *member = now;
}

void renumber_list(Json& owner, const char* key, const Matching& matching) {
  const auto list = owner.find(key);
  if (list == owner.end() || !list->is_array()) return;
  Json left = Json::array();
  for (const Json& item : *list) {
    const std::optional<std::size_t> old = stated_index(item, matching.new_of.size());
    if (!old)
      left.push_back(item);
    else if (const Index now = matching.new_of[*old]; now != kNone)
      left.push_back(now);
  }
  if (left.empty() && !list->empty())
    owner.erase(key);
  else
    *list = std::move(left);
}

// Calls visit on the objects of a list.
template <class Visit>
void for_each_in(Json& json, const char* key, const Visit& visit) {
  const auto list = json.find(key);
  if (list == json.end() || !list->is_array()) return;
  for (Json& item : *list) {
    if (item.is_object()) visit(item);
  }
}

// Channels of removed nodes are removed too.
void renumber_channels(Json& animation, const Matching& nodes) {
  const auto channels = animation.find("channels");
  if (channels == animation.end() || !channels->is_array()) return;
  Json left = Json::array();
  for (Json& channel : *channels) {
    const auto target = channel.is_object() ? channel.find("target") : channel.end();
    const bool is_named = target != channel.end() && target->is_object() && target->contains("node");
    if (is_named) renumber(*target, "node", nodes);
    if (!is_named || target->contains("node")) left.push_back(std::move(channel));
  }
  *channels = std::move(left);
}

void renumber_nodes(Json& json, const Matching& nodes) {
  if (nodes.keeps_numbers()) return;
  for_each_in(json, "nodes", [&](Json& node) { renumber_list(node, "children", nodes); });
  for_each_in(json, "scenes", [&](Json& scene) { renumber_list(scene, "nodes", nodes); });
  for_each_in(json, "skins", [&](Json& skin) {
    renumber_list(skin, "joints", nodes);
    renumber(skin, "skeleton", nodes);
  });
  for_each_in(json, "animations", [&](Json& animation) { renumber_channels(animation, nodes); });
}

// ---- The document -------------------------------------------------------------------------------------

class DocumentPatch {
 public:
  DocumentPatch(const GltfDocument& source, const CharacterPrint& given, const Character& character,
                const CharacterPrint& print, Matchings matchings, const SaveOptions& options, Notes& notes)
      : source_(source),
        given_(given),
        character_(character),
        print_(print),
        matchings_(std::move(matchings)),
        options_(options),
        notes_(notes),
        document_(source),
        builder_(document_) {}

  Result<GltfDocument> apply() {
    {
      const SteadyLists steady(document_);
      was_in_scene_ = nodes_in_scene(document_.json);
      note_removed_nodes();
      renumber_all();
      patch_nodes();
      patch_parents();
      patch_roots();
      if (Status going = options_.progress.at(kMakingDocument, 0); !going) return going.error();
      if (Status good = patch_meshes(); !good) return good.error();
      patch_skins();
      patch_instances();
      if (Status going = options_.progress.at(kMakingDocument, 0); !going) return going.error();
      place_in_scene(document_, character_, node_of_instance_, notes_);
      patch_driving();
      patch_clips();
      builder_.finish();
    }
    if (has_new_data_) drop_unused(document_);
    return std::move(document_);
  }

 private:
  Json& json() { return document_.json; }

  // Notes cameras, lights and the like on removed nodes.
  void note_removed_nodes() {
    std::size_t count = 0;
    for (std::size_t n = 0; n < matchings_.nodes.new_of.size(); ++n) {
      const Json& node = json()["nodes"][n];
      const bool holds_more =
          node.contains("camera") || node.contains("extensions") || node.contains("extras");
      count += matchings_.nodes.new_of[n] == kNone && holds_more ? 1 : 0;
    }
    if (count == 0) return;
    notes_.push_back(
        {Note::Kind::loss, "nodes-removed",
         fmt::format("{} also had a camera, extensions or extras, which were removed with {}",
                     counted(count, "removed node", "removed nodes"), count == 1 ? "it" : "them")});
  }

  void renumber_all() {
    renumber_nodes(json(), matchings_.nodes);
    const bool keeps_meshes = matchings_.meshes.keeps_numbers(),
               keeps_skins = matchings_.skins.keeps_numbers();
    for_each_in(json(), "nodes", [&](Json& node) {
      if (!keeps_meshes) renumber(node, "mesh", matchings_.meshes);
      if (!keeps_skins) renumber(node, "skin", matchings_.skins);
    });
    reorder_list(json(), "nodes", matchings_.nodes);
    reorder_list(json(), "meshes", matchings_.meshes);
    reorder_list(json(), "skins", matchings_.skins);
    reorder_list(json(), "animations", matchings_.clips);
    for (const Matching* one : {&matchings_.meshes, &matchings_.skins, &matchings_.clips})
      has_new_data_ = has_new_data_ || !one->keeps_numbers();
  }

  void patch_nodes() {
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const Index old = matchings_.nodes.old_of[n];
      Json& node = json()["nodes"][n];
      if (old == kNone) {
        node = node_json(character_.nodes[n]);
        continue;
      }
      if (given_.nodes[at(old)].name != print_.nodes[n].name)
        set_text(node, "name", character_.nodes[n].name);
      if (given_.nodes[at(old)].rest == print_.nodes[n].rest) continue;
      for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
      Json rest = node_json(character_.nodes[n]);
      rest.erase("name");
      node.update(rest);
    }
  }

  // The current index of a node's old parent; kNone also if that parent was removed.
  Index old_parent(Index old) const {
    const Index parent = given_.nodes[at(old)].parent;
    return parent == kNone ? kNone : matchings_.nodes.new_of[at(parent)];
  }

  void patch_parents() {
    std::vector<std::vector<Index>> children(character_.nodes.size());
    bool is_changed = false;
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const Index parent = character_.nodes[n].parent, old = matchings_.nodes.old_of[n];
      if (parent != kNone) children[at(parent)].push_back(static_cast<Index>(n));
      is_changed = is_changed || (old == kNone ? kNone : old_parent(old)) != parent;
    }
    if (!is_changed) return;
    std::vector<bool> is_listed(character_.nodes.size());
    for (std::size_t n = 0; n < children.size(); ++n) {
      Json& node = json()["nodes"][n];
      const Json old = node.value("children", Json::array());
      Json list = Json::array();
      for (const Json& child : old) {
        if (character_.nodes[child.get<std::size_t>()].parent != static_cast<Index>(n)) continue;
        list.push_back(child);
        is_listed[child.get<std::size_t>()] = true;
      }
      for (const Index child : children[n]) {
        if (!is_listed[at(child)]) list.push_back(child);
      }
      if (list == old) continue;
      if (list.empty())
        node.erase("children");
      else
        node["children"] = std::move(list);
    }
  }

  // The list of a scene contains exactly its roots.
  void patch_roots() {
    std::vector<Index> added;
    std::vector<bool> is_no_root(character_.nodes.size());
    for (std::size_t n = 0; n < character_.nodes.size(); ++n) {
      const Index old = matchings_.nodes.old_of[n];
      const bool is_root = character_.nodes[n].parent == kNone;
      const bool was_root = old != kNone && given_.nodes[at(old)].parent == kNone;
      if (is_root && !was_root && (old == kNone || was_in_scene_[at(old)]))
        added.push_back(static_cast<Index>(n));
      is_no_root[n] = was_root && !is_root;
    }
    for_each_in(json(), "scenes", [&](Json& scene) {
      const auto list = scene.find("nodes");
      if (list == scene.end() || !list->is_array()) return;
      const auto gone = std::remove_if(list->begin(), list->end(), [&](const Json& node) {
        const std::optional<std::size_t> n = stated_index(node, is_no_root.size());
        return n && is_no_root[*n];
      });
      if (gone == list->end()) return;
      list->erase(gone, list->end());
      if (list->empty()) scene.erase("nodes");
    });
    if (added.empty()) return;
    const bool is_new = !json().contains("scenes") || json()["scenes"].empty();
    Json& scene = shown_scene(document_);
    if (is_new) return;  // it has all roots
    Json list = scene.value("nodes", Json::array());
    for (const Index node : added) list.push_back(node);
    scene["nodes"] = std::move(list);
  }

  Status patch_meshes() {
    MeshPatcher patcher(builder_, options_, notes_);
    std::vector<Fingerprint> keys;
    for (const MeshPrint& mesh : given_.meshes) keys.push_back(surface_key(mesh));
    for (std::size_t m = 0; m < character_.meshes.size(); ++m) {
      if (Status going = options_.progress.at(kMakingDocument, 0); !going) return going;
      const Mesh& mesh = character_.meshes[m];
      const MeshPrint& print = print_.meshes[m];
      Index old = matchings_.meshes.old_of[m];
      if (old == kNone) {
        // A copy of a mesh also copies everything the document stores for it.
        const auto same = std::find(keys.begin(), keys.end(), surface_key(print));
        has_new_data_ = true;
        if (same == keys.end()) {
          if (Status good = check_slots(mesh); !good) return good;
          json()["meshes"][m] = patcher.make(mesh);
          continue;
        }
        old = static_cast<Index>(same - keys.begin());
        json()["meshes"][m] = source_.json["meshes"][at(old)];
      }
      const Result<bool> is_changed = patcher.patch(json()["meshes"][m], given_.meshes[at(old)], mesh, print);
      if (!is_changed) return is_changed.error();
      has_new_data_ = has_new_data_ || *is_changed;
    }
    patcher.finish();
    return Done{};
  }

  void patch_skins() {
    for (std::size_t s = 0; s < character_.skins.size(); ++s) {
      const Skin& skin = character_.skins[s];
      const SkinPrint& print = print_.skins[s];
      const Index old = matchings_.skins.old_of[s];
      Json& written = json()["skins"][s];
      if (old == kNone) {
        written = skin_json(builder_, skin);
        has_new_data_ = true;
        continue;
      }
      const SkinPrint& given = given_.skins[at(old)];
      if (given.name != print.name) set_text(written, "name", skin.name);
      std::vector<Index> joints;
      for (const Index node : given.node) joints.push_back(matchings_.nodes.new_of[at(node)]);
      if (joints != skin.node) written["joints"] = skin.node;
      if (given.inverse_bind == print.inverse_bind) continue;
      written["inverseBindMatrices"] = builder_.add_matrices(skin.inverse_bind);
      has_new_data_ = true;
    }
  }

  void patch_instances() {
    std::vector<Index> old_at(character_.nodes.size(), kNone);
    for (std::size_t i = 0; i < given_.instances.size(); ++i) {
      const Index node = matchings_.nodes.new_of[at(given_.instances[i].node)];
      if (node != kNone) old_at[at(node)] = static_cast<Index>(i);
    }
    std::vector<bool> is_taken(character_.nodes.size());
    for (const Instance& instance : character_.instances) {
      const bool is_second = is_taken[at(instance.node)];
      is_taken[at(instance.node)] = true;
      node_of_instance_.push_back(is_second ? node_below(instance.node) : instance.node);
      const Index old = is_second ? kNone : old_at[at(instance.node)];
      patch_instance(json()["nodes"][at(node_of_instance_.back())],
                     old == kNone ? nullptr : &given_.instances[at(old)], instance);
    }
    for (std::size_t n = 0; n < old_at.size(); ++n) {
      if (old_at[n] == kNone || is_taken[n]) continue;
      for (const char* key : {"mesh", "skin", "weights"}) json()["nodes"][n].erase(key);
    }
  }

  // A second mesh of a node goes to a child node.
  Index node_below(Index parent) {
    Json& nodes = json()["nodes"];
    list_in(nodes[at(parent)], "children").push_back(nodes.size());
    nodes.push_back(Json::object());
    return static_cast<Index>(nodes.size() - 1);
  }

  void patch_instance(Json& node, const Instance* old, const Instance& now) {
    const Index mesh = old == nullptr ? kNone : matchings_.meshes.new_of[at(old->mesh)];
    const Index skin = old == nullptr || old->skin == kNone ? kNone : matchings_.skins.new_of[at(old->skin)];
    if (mesh != now.mesh) node["mesh"] = now.mesh;
    if (now.skin == kNone)
      node.erase("skin");
    else if (skin != now.skin)
      node["skin"] = now.skin;
    if (mesh == now.mesh && old->shape_weights == now.shape_weights) return;
    if (now.shape_weights.empty())
      node.erase("weights");
    else
      node["weights"] = now.shape_weights;
  }

  void patch_driving() {
    Json& asset = json()["asset"];
    for (const DrivingPart& part : kDrivingParts) {
      if (part.is_same(given_, character_)) continue;
      if (Json list = part.json(character_); list.empty())
        erase_our_extras(asset, part.key);
      else
        our_extras(asset, notes_)[part.key] = std::move(list);
    }
  }

  // What a channel of the document moved, with current indices.
  ClipWriter::Given given_channel(const ChannelPrint& channel) const {
    ClipWriter::Given given{{channel.path, kNone}, {}, channel.keys};
    if (channel.path == ChannelPath::control) {
      given.control = given_.controls[at(channel.target)].name;
    } else {
      const bool is_shape = channel.path == ChannelPath::shape_weights;
      const Index node = is_shape ? given_.instances[at(channel.target)].node : channel.target;
      given.key.node = matchings_.nodes.new_of[at(node)];
    }
    return given;
  }

  void patch_clips() {
    ClipWriter writer(builder_, character_, node_of_instance_, notes_);
    std::vector<std::size_t> empty;
    for (std::size_t c = 0; c < character_.clips.size(); ++c) {
      const Clip& clip = character_.clips[c];
      const Index old = matchings_.clips.old_of[c];
      Json& animation = json()["animations"][c];
      if (old == kNone) {
        animation = writer.animation_of(clip);
      } else {
        const ClipPrint& given = given_.clips[at(old)];
        if (given.name != print_.clips[c].name) set_text(animation, "name", clip.name);
        std::vector<ClipWriter::Given> channels;
        for (const ChannelPrint& channel : given.channels) channels.push_back(given_channel(channel));
        if (!writer.patch(animation, channels, clip, print_.clips[c])) continue;
      }
      has_new_data_ = true;
      if (animation.contains("channels")) continue;
      writer.note_empty(clip);
      empty.push_back(c);
    }
    for (auto c = empty.rbegin(); c != empty.rend(); ++c) json()["animations"].erase(*c);
    if (json().contains("animations") && json()["animations"].empty()) json().erase("animations");
  }

  const GltfDocument& source_;
  const CharacterPrint& given_;
  const Character& character_;
  const CharacterPrint& print_;
  const Matchings matchings_;
  const SaveOptions& options_;
  Notes& notes_;
  GltfDocument document_;
  GltfBuilder builder_;
  std::vector<bool> was_in_scene_;       // by document index
  std::vector<Index> node_of_instance_;  // the document node of each instance
  bool has_new_data_ = false;            // accessors were added or are no longer used
};

// Why a document cannot be patched; empty if it can.
std::string reason_to_rebuild(const GltfDocument& source, const CharacterPrint& given,
                              const CharacterPrint& print, Matchings& matchings) {
  if (given.materials != print.materials) return "its materials changed";
  if (has_only_known_extensions(source.json)) return {};
  // An extension may refer to parts by index.
  for (Matching* one : {&matchings.nodes, &matchings.meshes, &matchings.skins, &matchings.clips}) {
    if (!keep_numbers(*one)) return "parts were removed that its extensions may refer to";
  }
  return {};
}

}  // namespace

Json skin_json(GltfBuilder& builder, const Skin& skin) {
  Json json = Json::object();
  if (!skin.name.empty()) json["name"] = skin.name;
  json["inverseBindMatrices"] = builder.add_matrices(skin.inverse_bind);
  json["joints"] = skin.node;
  return json;
}

void write_skins(GltfDocument& document, GltfBuilder& builder, const Character& character) {
  for (const Skin& skin : character.skins) {
    // Complete it first: it may add lists to the document, which moves existing ones.
    Json json = skin_json(builder, skin);
    gltf_list(document, "skins").push_back(std::move(json));
  }
}

Result<GltfDocument> patched_document(const GltfDocument& source, const CharacterPrint& given,
                                      const Character& character, const SaveOptions& options, Notes& notes) {
  const CharacterPrint print = print_of(character);
  if (Status going = options.progress.at(kMakingDocument, 0); !going) return going.error();
  Matchings matchings = match_parts(given, print);
  if (Status going = options.progress.at(kMakingDocument, 0); !going) return going.error();
  if (const std::string reason = reason_to_rebuild(source, given, print, matchings); !reason.empty()) {
    notes.push_back(
        {Note::Kind::loss, "document-rebuilt",
         fmt::format("the document was rewritten, because {}: what dermis does not model "
                     "(cameras, lights, extensions, extras, custom attributes, lines, finer material "
                     "settings) is left out",
                     reason)});
    return new_document(character, options, notes);
  }
  return DocumentPatch(source, given, character, print, std::move(matchings), options, notes).apply();
}

}  // namespace dermis
