// SPDX-License-Identifier: MIT
// Meshes of an assimp scene: pieces split by material are joined again, points welded, polygons and corners
// kept.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "conversion.h"
#include "io/import/corner_attribute.h"
#include "io/normals.h"

namespace dermis::import {
namespace {

// Rows written with three decimals are further from one than this, rows in float are not.
constexpr double kSumTolerance = 1e-4;

// The pieces of one mesh, which assimp split by material, with their vertices in sequence.
struct Pieces {
  std::vector<const aiMesh*> meshes;
  std::vector<Index> first_vertex;  // of each piece
  std::size_t vertex_count = 0;
};

// ---- Which pieces belong together ---------------------------------------------------------------------

// Pieces of one mesh have the same skinning and the same shapes.
std::string kind_of(const aiMesh& mesh) {
  std::string kind = mesh.mNumBones > 0 ? "skinned" : "rigid";
  for (unsigned s = 0; s < mesh.mNumAnimMeshes; ++s) kind += '\0' + text_of(mesh.mAnimMeshes[s]->mName);
  return kind;
}

std::vector<Pieces> group_pieces(const aiScene& scene, const aiNode& node) {
  std::vector<Pieces> groups;
  std::map<std::string, std::size_t> known;
  for (unsigned k = 0; k < node.mNumMeshes; ++k) {
    if (node.mMeshes[k] >= scene.mNumMeshes) continue;
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[k]];
    const auto [found, is_new] = known.try_emplace(kind_of(mesh), groups.size());
    if (is_new) groups.emplace_back();
    Pieces& pieces = groups[found->second];
    pieces.meshes.push_back(&mesh);
    pieces.first_vertex.push_back(static_cast<Index>(pieces.vertex_count));
    pieces.vertex_count += mesh.mNumVertices;
  }
  return groups;
}

// ---- Values of all vertices ---------------------------------------------------------------------------

// One value per vertex, zeros for pieces that have none; empty if no piece has any.
template <class Value, class Has, class Get>
std::vector<Value> gathered(const Pieces& pieces, const Has& has, const Get& get) {
  std::vector<Value> values;
  if (std::none_of(pieces.meshes.begin(), pieces.meshes.end(), [&](const aiMesh* m) { return has(*m); }))
    return values;
  values.reserve(pieces.vertex_count);
  for (const aiMesh* mesh : pieces.meshes) {
    for (unsigned v = 0; v < mesh->mNumVertices; ++v) values.push_back(has(*mesh) ? get(*mesh, v) : Value{});
  }
  return values;
}

// Values of all vertices, before points are joined.
struct Vertices {
  std::vector<Vec3> positions, normals;
  std::vector<Vec4> tangents;
  std::vector<std::vector<Vec2>> uvs;
  std::vector<std::vector<Vec4>> colours;
  std::vector<std::vector<Vec3>> offsets;  // for each shape
  WeightRows weights;

  explicit Vertices(const Pieces& pieces) {
    const auto is_there = [](const aiMesh&) { return true; };
    positions = gathered<Vec3>(pieces, is_there,
                               [](const aiMesh& m, unsigned v) { return vector_of(m.mVertices[v]); });
    normals = gathered<Vec3>(
        pieces, [](const aiMesh& m) { return m.HasNormals(); },
        [](const aiMesh& m, unsigned v) { return vector_of(m.mNormals[v]); });
    tangents = gathered<Vec4>(
        pieces, [](const aiMesh& m) { return m.HasNormals() && m.HasTangentsAndBitangents(); }, tangent_at);
    gather_sets(pieces);
    gather_shapes(pieces);
  }

  // Into the frame of the node.
  void move(const Affined& node_from_mesh) {
    const Affine map(node_from_mesh);
    const Mat3 turn = transposed(inverse(map.linear));
    const auto turned = [](const Mat3& by, const Vec3& v) {
      const Vec3 out = by * v;
      return length(out) > 0 ? out * (length(v) / length(out)) : out;
    };
    const float side = determinant(map.linear) < 0 ? -1.0f : 1.0f;
    for (Vec3& position : positions) position = map * position;
    for (Vec3& normal : normals) normal = turned(turn, normal);
    for (Vec4& tangent : tangents) {
      const Vec3 along = turned(map.linear, tangent.xyz());
      tangent = {along.x, along.y, along.z, tangent.w * side};
    }
    for (std::vector<Vec3>& shape : offsets) {
      for (Vec3& offset : shape) offset = map.linear * offset;
    }
  }

 private:
  static Vec4 tangent_at(const aiMesh& m, unsigned v) {
    const Vec3 tangent = vector_of(m.mTangents[v]);
    const float side = dot(cross(vector_of(m.mNormals[v]), tangent), vector_of(m.mBitangents[v]));
    return {tangent.x, tangent.y, tangent.z, side < 0 ? -1.0f : 1.0f};
  }

  // Sets without gaps, as glTF numbers them.
  void gather_sets(const Pieces& pieces) {
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++set) {
      // assimp counts v upwards, glTF downwards.
      auto values = gathered<Vec2>(
          pieces, [&](const aiMesh& m) { return m.HasTextureCoords(set); },
          [&](const aiMesh& m, unsigned v) -> Vec2 {
            return {m.mTextureCoords[set][v].x, 1 - m.mTextureCoords[set][v].y};
          });
      if (!values.empty()) uvs.push_back(std::move(values));
    }
    for (unsigned set = 0; set < AI_MAX_NUMBER_OF_COLOR_SETS; ++set) {
      auto values = gathered<Vec4>(
          pieces, [&](const aiMesh& m) { return m.HasVertexColors(set); },
          [&](const aiMesh& m, unsigned v) -> Vec4 {
            const aiColor4D& c = m.mColors[set][v];
            return {c.r, c.g, c.b, c.a};
          });
      if (!values.empty()) colours.push_back(std::move(values));
    }
  }

  void gather_shapes(const Pieces& pieces) {
    for (unsigned s = 0; s < pieces.meshes[0]->mNumAnimMeshes; ++s) {
      const auto has = [&](const aiMesh& m) {
        return m.mAnimMeshes[s]->mVertices != nullptr && m.mAnimMeshes[s]->mNumVertices == m.mNumVertices;
      };
      auto values = gathered<Vec3>(pieces, has, [&](const aiMesh& m, unsigned v) {
        return vector_of(m.mAnimMeshes[s]->mVertices[v]) - vector_of(m.mVertices[v]);
      });
      values.resize(pieces.vertex_count);
      offsets.push_back(std::move(values));
    }
  }
};

// ---- Values that no viewer can show --------------------------------------------------------------------

void make_normals_unit(Conversion& conversion, const std::string& mesh, std::vector<Vec3>& normals) {
  const NormalRepairs repairs = make_unit(normals);
  if (repairs.count() == 0) return;
  conversion.note(Note::Kind::repair, "normals-not-unit",
                  fmt::format("mesh {}: {}; they were normalised, or computed if they have no direction",
                              quoted_name(mesh), text_of(repairs)));
}

// Bytes read as signed become -1, so a negative number does not reveal the intended colour.
void mend_colours(Conversion& conversion, const std::string& mesh, std::vector<std::vector<Vec4>>& sets) {
  std::size_t bright = 0;
  const std::size_t left_out = std::erase_if(sets, [](const std::vector<Vec4>& colours) {
    const auto is_meant = [](float number) { return std::isfinite(number) && number >= 0; };
    return !std::all_of(colours.begin(), colours.end(), [&](const Vec4& c) {
      return is_meant(c.x) && is_meant(c.y) && is_meant(c.z) && is_meant(c.w);
    });
  });
  for (std::vector<Vec4>& colours : sets) {
    for (Vec4& c : colours) {
      const Vec4 shown{std::min(c.x, 1.0f), std::min(c.y, 1.0f), std::min(c.z, 1.0f), std::min(c.w, 1.0f)};
      bright += shown == c ? 0 : 1;
      c = shown;
    }
  }
  if (left_out > 0) {
    conversion.note(Note::Kind::loss, "colours-negative",
                    fmt::format("mesh {}: {} colour {} numbers that are negative or not finite; left out",
                                quoted_name(mesh), left_out, left_out == 1 ? "set has" : "sets have"));
  }
  if (bright > 0) {
    conversion.note(Note::Kind::repair, "colours-clamped",
                    fmt::format("mesh {}: {} corners had colours above 1, which were clamped to 1",
                                quoted_name(mesh), bright));
  }
}

// ---- Skins --------------------------------------------------------------------------------------------

// The slots of a mesh while it is read; pieces name the same joints repeatedly.
class SlotList {
 public:
  Index slot(Index node, const Affine& inverse_bind) {
    for (const Index known : slots_of_[node]) {
      if (skin.inverse_bind[static_cast<std::size_t>(known)] == inverse_bind) return known;
    }
    const auto made = static_cast<Index>(skin.node.size());
    skin.node.push_back(node);
    skin.inverse_bind.push_back(inverse_bind);
    slots_of_[node].push_back(made);
    return made;
  }
  Skin skin;

 private:
  std::map<Index, std::vector<Index>> slots_of_;
};

struct RawInfluence {
  std::uint32_t vertex;
  Index slot;
  float weight;
};

std::vector<RawInfluence> gather_influences(Conversion& conversion, const Pieces& pieces, const aiNode& from,
                                            SlotList& slots, std::size_t& strays) {
  std::vector<RawInfluence> influences;
  for (std::size_t k = 0; k < pieces.meshes.size(); ++k) {
    const aiMesh& mesh = *pieces.meshes[k];
    for (const BoundBone& bound : bind_bones(conversion, from, mesh)) {
      const aiBone& bone = *bound.bone;
      const Index slot = slots.slot(bound.node, bound.inverse_bind);
      for (unsigned w = 0; w < bone.mNumWeights; ++w) {
        const aiVertexWeight& weight = bone.mWeights[w];
        if (weight.mVertexId >= mesh.mNumVertices) {
          ++strays;
          continue;
        }
        influences.push_back(
            {static_cast<std::uint32_t>(pieces.first_vertex[k]) + weight.mVertexId, slot, weight.mWeight});
      }
    }
  }
  std::stable_sort(influences.begin(), influences.end(),
                   [](const RawInfluence& a, const RawInfluence& b) { return a.vertex < b.vertex; });
  return influences;
}

void note_repairs(Conversion& conversion, const std::string& mesh, const WeightRowBuilder::Repairs& repairs,
                  std::size_t unweighted, std::size_t strays) {
  const auto say = [&](const char* id, std::size_t count, const std::string& words) {
    if (count > 0)
      conversion.note(Note::Kind::repair, id, fmt::format("mesh {}: {} {}", quoted_name(mesh), count, words));
  };
  say("weights-negative", repairs.negative, "weights were negative or not finite and were set to zero");
  say("weights-merged", repairs.merged, "weights repeated a joint of their point and were added");
  say("weights-not-normalised", repairs.not_normalised,
      fmt::format("corners had weights that do not sum to one (worst {:.4g}) and were normalised",
                  repairs.worst_sum));
  say("weights-missing", unweighted, "corners had no weight and follow the node of their mesh");
  say("weights-astray", strays, "weights refer to a point that does not exist and were left out");
}

// Rows for all vertices. A vertex without weight follows the node of its mesh, as in the programs that write
// these files.
void read_weights(Conversion& conversion, const Pieces& pieces, const aiNode& from, const std::string& name,
                  Index node, SlotList& slots, Vertices& vertices) {
  std::size_t strays = 0, unweighted = 0, at = 0;
  const std::vector<RawInfluence> influences = gather_influences(conversion, pieces, from, slots, strays);
  WeightRowBuilder rows;
  rows.reserve(pieces.vertex_count, influences.size());
  for (std::uint32_t v = 0; v < pieces.vertex_count; ++v) {
    bool is_weighted = false;
    for (; at < influences.size() && influences[at].vertex == v; ++at) {
      rows.add(influences[at].slot, influences[at].weight);
      is_weighted = is_weighted || influences[at].weight > 0;
    }
    if (!is_weighted) {
      rows.add(slots.slot(node, Affine{}), 1.0f);
      ++unweighted;
    }
    rows.close_row(kSumTolerance);
  }
  note_repairs(conversion, name, rows.repairs(), unweighted, strays);
  vertices.weights = rows.take();
}

// ---- Joining points -----------------------------------------------------------------------------------

// assimp gives every corner its own vertex. Vertices are one point if position, weights and the offsets of
// all shapes agree; where two separate pieces with different weights only touch, they stay two points.
class Welder {
 public:
  explicit Welder(const Vertices& vertices)
      : vertices_(vertices), same_place_(weld_coincident(vertices.positions)) {}

  // The point of each vertex, numbered in the order of their first vertex, which `first` lists.
  std::vector<Index> points(std::vector<Index>& first) {
    const std::size_t count = vertices_.positions.size();
    std::vector<Index> point(count), head(count, kNone), next;
    for (std::size_t v = 0; v < count; ++v) {
      Index* link = &head[static_cast<std::size_t>(same_place_[v])];
      while (*link != kNone && !is_same(static_cast<std::size_t>(first[static_cast<std::size_t>(*link)]), v))
        link = &next[static_cast<std::size_t>(*link)];
      if (*link == kNone) {
        *link = static_cast<Index>(first.size());
        point[v] = *link;
        first.push_back(static_cast<Index>(v));
        next.push_back(kNone);
      } else {
        point[v] = *link;
      }
    }
    return point;
  }

 private:
  bool is_same(std::size_t a, std::size_t b) const {
    for (const std::vector<Vec3>& offsets : vertices_.offsets) {
      if (offsets[a] != offsets[b]) return false;
    }
    if (vertices_.weights.empty()) return true;
    const auto row_a = vertices_.weights.row(a), row_b = vertices_.weights.row(b);
    return std::equal(row_a.begin(), row_a.end(), row_b.begin(), row_b.end());
  }

  const Vertices& vertices_;
  std::vector<Index> same_place_;
};

// ---- The mesh -----------------------------------------------------------------------------------------

class MeshBuilder {
 public:
  MeshBuilder(Conversion& conversion, const Pieces& pieces, const std::string& name,
              const Affined& node_from_mesh)
      : conversion_(conversion), pieces_(pieces), vertices_(pieces) {
    mesh_.name = name;
    if (node_from_mesh == Affined{}) return;
    vertices_.move(node_from_mesh);
    is_mirrored_ = determinant(node_from_mesh.linear) < 0;
  }

  Vertices& vertices() { return vertices_; }

  Result<Mesh> build() {
    std::vector<Index> first;
    const std::vector<Index> point = Welder(vertices_).points(first);
    for (const Index v : first) {
      mesh_.points.push_back(vertices_.positions[static_cast<std::size_t>(v)]);
      if (!is_finite(mesh_.points.back())) return fail("a position that is not finite");
    }
    if (Status read = read_polygons(point); !read) return read.error();
    put_on_corners();
    put_on_points(first);
    if (first.size() < pieces_.vertex_count) {
      conversion_.note(
          Note::Kind::info, "points-joined",
          fmt::format(
              "mesh {}: {} vertices were joined to {} points with the same position, weights and shapes; "
              "points are in the order in which polygons first use them, not in the file's order",
              quoted_name(mesh_.name), pieces_.vertex_count, first.size()));
    }
    return std::move(mesh_);
  }

 private:
  Error fail(const char* fault) const {
    return {Errc::bad_file, fmt::format("mesh {} has {}", quoted_name(mesh_.name), fault)};
  }

  // One part per material, in the order of their first piece.
  Status read_polygons(const std::vector<Index>& point) {
    std::map<Index, bool> is_done;
    for (const aiMesh* piece : pieces_.meshes) {
      const Index material = material_of(*piece);
      if (std::exchange(is_done[material], true)) continue;
      MeshPart part;
      part.material = material;
      part.first_polygon = static_cast<Index>(mesh_.polygons.count());
      for (std::size_t k = 0; k < pieces_.meshes.size(); ++k) {
        if (material_of(*pieces_.meshes[k]) != material) continue;
        if (Status added = add_faces(*pieces_.meshes[k], pieces_.first_vertex[k], point); !added)
          return added;
      }
      part.polygon_count = static_cast<Index>(mesh_.polygons.count()) - part.first_polygon;
      const bool is_first = mesh_.parts.empty();
      part.first_point = is_first ? 0 : static_cast<Index>(mesh_.points.size());
      part.point_count = is_first ? static_cast<Index>(mesh_.points.size()) : 0;
      mesh_.parts.push_back(std::move(part));
    }
    if (thin_faces_ > 0) {
      conversion_.note(Note::Kind::loss, "lines-left-out",
                       fmt::format("mesh {}: {} points and lines were left out; their points are kept",
                                   quoted_name(mesh_.name), thin_faces_));
    }
    return Done{};
  }

  Status add_faces(const aiMesh& piece, Index first_vertex, const std::vector<Index>& point) {
    for (unsigned f = 0; f < piece.mNumFaces; ++f) {
      const aiFace& face = piece.mFaces[f];
      if (face.mNumIndices < 3) {
        ++thin_faces_;
        continue;
      }
      for (unsigned c = 0; c < face.mNumIndices; ++c) {
        const unsigned corner = is_mirrored_ ? face.mNumIndices - 1 - c : c;
        if (face.mIndices[corner] >= piece.mNumVertices)
          return fail("a polygon with a point that does not exist");
        const Index vertex = first_vertex + static_cast<Index>(face.mIndices[corner]);
        corner_vertex_.push_back(vertex);
        mesh_.polygons.corners.push_back(point[static_cast<std::size_t>(vertex)]);
      }
      mesh_.polygons.first.push_back(static_cast<std::uint32_t>(mesh_.polygons.corners.size()));
    }
    return Done{};
  }

  Index material_of(const aiMesh& piece) const {
    return piece.mMaterialIndex < conversion_.material_of.size()
               ? conversion_.material_of[piece.mMaterialIndex]
               : kNone;
  }

  void put_on_corners() {
    const auto on_corners = [&](const auto& values) {
      return corner_attribute(values, corner_vertex_, mesh_.polygons, mesh_.points.size());
    };
    mesh_.normals = on_corners(vertices_.normals);
    mesh_.tangents = on_corners(vertices_.tangents);
    for (const auto& uvs : vertices_.uvs) mesh_.uvs.push_back(on_corners(uvs));
    for (const auto& colours : vertices_.colours) mesh_.colours.push_back(on_corners(colours));
  }

  void put_on_points(const std::vector<Index>& first) {
    for (std::size_t s = 0; s < vertices_.offsets.size(); ++s) {
      Shape shape;
      shape.name = text_of(pieces_.meshes[0]->mAnimMeshes[s]->mName);
      for (std::size_t v = 0; v < first.size(); ++v) {
        const Vec3& offset = vertices_.offsets[s][static_cast<std::size_t>(first[v])];
        if (offset == Vec3{}) continue;
        shape.points.push_back(static_cast<Index>(v));
        shape.offsets.push_back(offset);
      }
      mesh_.shapes.push_back(std::move(shape));
    }
    if (vertices_.weights.empty()) return;
    mesh_.weights.first.push_back(0);
    for (const Index v : first) {
      const auto row = vertices_.weights.row(static_cast<std::size_t>(v));
      mesh_.weights.influences.insert(mesh_.weights.influences.end(), row.begin(), row.end());
      mesh_.weights.first.push_back(static_cast<std::uint32_t>(mesh_.weights.influences.size()));
    }
  }

  Conversion& conversion_;
  const Pieces& pieces_;
  Vertices vertices_;
  Mesh mesh_;
  std::vector<Index> corner_vertex_;
  std::size_t thin_faces_ = 0;
  bool is_mirrored_ = false;  // polygons turn inside out, and are listed backwards
};

// ---- Shapes -------------------------------------------------------------------------------------------

// An FBX channel with in-betweens arrives as several consecutive shapes of one name; their positions are
// lost, so the channel drives the last.
std::vector<Index> channels_of(Conversion& conversion, const Mesh& mesh) {
  std::vector<Index> shape_of_channel;
  for (std::size_t s = 0; s < mesh.shapes.size(); ++s) {
    const bool is_next_of_channel = conversion.origin.is_fbx() && s > 0 && !mesh.shapes[s].name.empty() &&
                                    mesh.shapes[s].name == mesh.shapes[s - 1].name;
    if (!is_next_of_channel) {
      shape_of_channel.push_back(static_cast<Index>(s));
      continue;
    }
    if (shape_of_channel.back() + 1 == static_cast<Index>(s) &&
        (s < 2 || mesh.shapes[s - 2].name != mesh.shapes[s].name)) {
      conversion.note(Note::Kind::loss, "in-betweens",
                      fmt::format("mesh {}: shape {} has in-betweens whose positions are unknown; the last "
                                  "one is used as the whole shape",
                                  quoted_name(mesh.name), quoted_name(mesh.shapes[s].name)));
    }
    shape_of_channel.back() = static_cast<Index>(s);
  }
  return shape_of_channel;
}

// assimp gives an FBX's weights at rest only for channels with in-betweens, and 1 for all others.
std::vector<float> rest_weights(const Conversion& conversion, const Pieces& pieces, const Mesh& mesh,
                                const std::vector<Index>& shape_of_channel) {
  std::vector<float> weights(mesh.shapes.size(), 0.0f);
  for (std::size_t c = 0; c < shape_of_channel.size(); ++c) {
    const auto s = static_cast<std::size_t>(shape_of_channel[c]);
    const std::size_t before = c == 0 ? 0 : static_cast<std::size_t>(shape_of_channel[c - 1]) + 1;
    const bool is_told = !conversion.origin.is_fbx() || s > before;
    const float told = pieces.meshes[0]->mAnimMeshes[s]->mWeight;
    if (is_told && std::isfinite(told)) weights[s] = told;
  }
  return weights;
}

// True if the positions of a channel's shapes are stated and increase.
bool are_positions_good(const FbxShapeChannel& channel) {
  if (channel.full_percents.size() != channel.shape_count || channel.shape_count == 0) return false;
  for (std::size_t k = 0; k < channel.shape_count; ++k) {
    const double percent = channel.full_percents[k];
    if (!std::isfinite(percent) || percent == 0 || (k > 0 && percent <= channel.full_percents[k - 1]))
      return false;
  }
  return true;
}

// A channel's own shape is that at 100 %, else the last one; weights are relative to it.
std::size_t own_shape(const FbxShapeChannel& channel) {
  const auto whole = std::find(channel.full_percents.begin(), channel.full_percents.end(), 100.0);
  return whole == channel.full_percents.end()
             ? channel.shape_count - 1
             : static_cast<std::size_t>(whole - channel.full_percents.begin());
}

// Channels as the file's records state them: the other shapes of a channel become its in-betweens. False if
// the records do not fit.
bool take_channels(Conversion& conversion, const aiNode& node, Mesh& mesh, Instance& instance) {
  const std::vector<FbxShapeChannel>* channels = channels_of_node(conversion, node, mesh.shapes.size());
  if (channels == nullptr) return false;
  if (!std::all_of(channels->begin(), channels->end(), are_positions_good)) return false;
  instance.shape_weights.assign(mesh.shapes.size(), 0.0f);
  std::vector<Index> shapes;
  std::vector<double> factors;
  std::size_t first = 0;
  for (const FbxShapeChannel& channel : *channels) {
    const std::size_t own = own_shape(channel);
    const double whole = channel.full_percents[own];
    shapes.push_back(static_cast<Index>(first + own));
    factors.push_back(100 / whole);
    instance.shape_weights[first + own] = static_cast<float>(channel.percent / whole);
    ShapeRule rule;
    rule.shape = mesh.shapes[first + own].name;
    for (std::size_t k = 0; k < channel.shape_count; ++k) {
      if (k == own) continue;
      Shape& shape = mesh.shapes[first + k];
      shape.name = fmt::format("{}_{:g}", rule.shape, channel.full_percents[k]);
      rule.in_betweens.push_back({static_cast<float>(channel.full_percents[k] / whole), shape.name});
    }
    std::sort(rule.in_betweens.begin(), rule.in_betweens.end(),
              [](const InBetween& a, const InBetween& b) { return a.weight < b.weight; });
    const auto is_same = [&](const ShapeRule& known) { return known.shape == rule.shape; };
    std::vector<ShapeRule>& rules = conversion.character.shape_rules;
    if (!rule.in_betweens.empty() && !rule.shape.empty() && std::none_of(rules.begin(), rules.end(), is_same))
      rules.push_back(std::move(rule));
    first += channel.shape_count;
  }
  conversion.shape_of_channel.push_back(std::move(shapes));
  conversion.factor_of_channel.push_back(std::move(factors));
  return true;
}

void note_shapes(Conversion& conversion, const Pieces& pieces, const Mesh& mesh, bool has_channels) {
  if (mesh.shapes.empty()) return;
  const auto has_normals = [&](const aiMesh* m) { return m->mAnimMeshes[0]->HasNormals(); };
  if (std::any_of(pieces.meshes.begin(), pieces.meshes.end(), has_normals)) {
    conversion.note(Note::Kind::loss, "shape-normals",
                    fmt::format("mesh {}: normals of its shapes were left out", quoted_name(mesh.name)));
  }
  if (conversion.origin.is_fbx() && !has_channels) {
    conversion.note(Note::Kind::guess, "shape-weights-at-rest",
                    fmt::format("mesh {}: the weights of its shapes at rest are unknown; 0 is assumed",
                                quoted_name(mesh.name)));
  }
}

// ---- Instances ----------------------------------------------------------------------------------------

class InstanceBuilder {
 public:
  explicit InstanceBuilder(Conversion& conversion) : conversion_(conversion) {}

  Status add(Index node, const aiNode& from, const Pieces& pieces) {
    Instance instance;
    instance.node = node;
    const Affined node_from_mesh = geometry_of(conversion_, from);
    const RigidKey key{pieces.meshes, numbers_of(node_from_mesh)};
    const auto known = rigid_.find(key);
    if (known != rigid_.end()) {
      instance = conversion_.character.instances[known->second];
      instance.node = node;
      conversion_.shape_of_channel.push_back(conversion_.shape_of_channel[known->second]);
      conversion_.factor_of_channel.push_back(conversion_.factor_of_channel[known->second]);
      conversion_.character.instances.push_back(std::move(instance));
      return Done{};
    }
    std::string name = text_of(pieces.meshes[0]->mName);
    if (name.empty()) name = text_of(from.mName);
    MeshBuilder builder(conversion_, pieces, name, node_from_mesh);
    make_normals_unit(conversion_, name, builder.vertices().normals);
    mend_colours(conversion_, name, builder.vertices().colours);
    const bool is_skinned = pieces.meshes[0]->mNumBones > 0;
    SlotList slots;
    if (is_skinned) read_weights(conversion_, pieces, from, name, node, slots, builder.vertices());
    Result<Mesh> mesh = builder.build();
    if (!mesh) return mesh.error();
    const bool has_channels = take_channels(conversion_, from, *mesh, instance);
    if (!has_channels) {
      conversion_.shape_of_channel.push_back(channels_of(conversion_, *mesh));
      conversion_.factor_of_channel.emplace_back(conversion_.shape_of_channel.back().size(), 1.0);
      instance.shape_weights = rest_weights(conversion_, pieces, *mesh, conversion_.shape_of_channel.back());
    }
    note_shapes(conversion_, pieces, *mesh, has_channels);
    if (is_skinned) instance.skin = skin_index(std::move(slots.skin));
    instance.mesh = static_cast<Index>(conversion_.character.meshes.size());
    if (!is_skinned) rigid_[key] = conversion_.character.instances.size();
    conversion_.character.meshes.push_back(std::move(*mesh));
    conversion_.character.instances.push_back(std::move(instance));
    return Done{};
  }

 private:
  // The pieces, and how they sit on their node.
  using RigidKey = std::pair<std::vector<const aiMesh*>, std::array<double, 12>>;
  static std::array<double, 12> numbers_of(const Affined& a) {
    return {a.linear.x.x, a.linear.x.y, a.linear.x.z, a.linear.y.x,    a.linear.y.y,    a.linear.y.z,
            a.linear.z.x, a.linear.z.y, a.linear.z.z, a.translation.x, a.translation.y, a.translation.z};
  }

  // Meshes of one skeleton often share all slots.
  Index skin_index(Skin skin) {
    std::vector<Skin>& skins = conversion_.character.skins;
    for (std::size_t s = 0; s < skins.size(); ++s) {
      if (skins[s].node == skin.node && skins[s].inverse_bind == skin.inverse_bind)
        return static_cast<Index>(s);
    }
    skins.push_back(std::move(skin));
    return static_cast<Index>(skins.size() - 1);
  }

  Conversion& conversion_;
  std::map<RigidKey, std::size_t> rigid_;  // instance of meshes that may occur again
};

void note_ambiguous_joints(Conversion& conversion) {
  if (conversion.fbx) return;  // its connections tell which
  std::size_t count = 0;
  std::string example;
  for (const Skin& skin : conversion.character.skins) {
    for (const Index node : skin.node) {
      const std::string& name = conversion.character.nodes[static_cast<std::size_t>(node)].name;
      if (conversion.name_count[name] < 2) continue;
      if (count++ == 0) example = name;
    }
  }
  if (count > 0) {
    conversion.note(Note::Kind::guess, "joints-ambiguous",
                    fmt::format("{} joints share their name with another node ({}), and assimp gives only "
                                "names; the first was used",
                                count, quoted_name(example)));
  }
}

}  // namespace

Status convert_meshes(Conversion& conversion) {
  InstanceBuilder instances(conversion);
  Character& character = conversion.character;
  for (const auto& [index, from] : conversion.nodes_with_meshes) {
    const std::vector<Pieces> groups = group_pieces(conversion.scene, *from);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Index node = index;
      if (g > 0) {  // a node holds one mesh; the others become its children
        node = static_cast<Index>(character.nodes.size());
        Node below;
        below.name = text_of(groups[g].meshes[0]->mName);
        below.parent = index;
        character.nodes.push_back(std::move(below));
      }
      if (Status added = instances.add(node, *from, groups[g]); !added) return added;
    }
  }
  note_ambiguous_joints(conversion);
  return Done{};
}

}  // namespace dermis::import
