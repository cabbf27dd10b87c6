// SPDX-License-Identifier: MIT
// What the operations on weights share: the meshes that are meant, locks, weights by name, and the report.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dermis/ops/weights.h"
#include "ops/job.h"

namespace dermis {

// A mesh under the skin of the first instance that shows it.
struct ChosenMesh {
  Index mesh = kNone, skin = kNone, instance = kNone;
};

// How a person names a mesh: by its name when that is unique, "#2" otherwise.
std::string mesh_label(const Character& character, Index mesh);

// The skinned meshes of the scene, or those of the labels. An error when there are none, when a label fits no
// mesh, or one without a skin; `file` stands in the sentences.
Result<std::vector<ChosenMesh>> choose_skinned(const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file);
// The mesh of a label, skinned or not.
Result<Index> find_mesh(const Character& character, const std::string& label, const std::string& file);

// The locks of each skin; an error when a label is no joint of any of them.
Result<std::vector<SlotLocks>> locks_of(const Character& character, const std::vector<std::string>& labels,
                                        const std::string& file);

// The slots of a skin by node.
std::map<Index, Index> slots_by_node(const Skin& skin);

// Weights from elsewhere: a table, or a mesh of another character.
struct ForeignWeights {
  WeightTable table;
  std::vector<Vec3d> places;  // of the joints as bound, where they have no names worth matching; or empty
};
// From .csv, .json or any character.
Result<std::vector<ForeignWeights>> load_foreign(const std::string& path, const RunOptions& run,
                                                 Notes& notes);
// The one for a mesh: by label, or the only one for the only mesh, or the one at the same place of as many.
Result<const ForeignWeights*> foreign_for(const std::vector<ForeignWeights>& all, const Character& character,
                                          const std::vector<ChosenMesh>& chosen, std::size_t k,
                                          const std::string& file);

// Foreign rows by the slots of a skin. Joints that it does not have get further slots, with their labels.
struct TranslatedRows {
  WeightRows rows;
  std::vector<std::string> labels;  // of every slot, the skin's own first
};
// Where `is_strict`, a joint that is not in the skin is an error.
Result<TranslatedRows> translate(const ForeignWeights& foreign, const Character& character,
                                 const ChosenMesh& chosen, const std::string& file, bool is_strict,
                                 Notes& notes);
// The weights of a mesh by the labels of its joints.
WeightTable table_of(const Character& character, const ChosenMesh& chosen);

// A job between loading and saving.
struct WeightsWork {
  Asset asset;
  std::vector<ChosenMesh> chosen;
  std::vector<SlotLocks> locks;     // of each skin
  std::vector<std::string> labels;  // of each node
  // By label: what was changed so far.
  std::map<std::string, WeightsReport::Joint> joints;
  WeightsReport report;
  Stopwatch watch;

  Mesh& mesh(std::size_t k) { return asset.character.meshes[static_cast<std::size_t>(chosen[k].mesh)]; }
  const SlotLocks& locks_at(std::size_t k) const { return locks[static_cast<std::size_t>(chosen[k].skin)]; }
};

// Loads and chooses. Outputs are checked before the work.
Result<WeightsWork> open_work(const WeightsJob& job, const char* operation,
                              std::initializer_list<std::string> further_inputs,
                              std::initializer_list<const char*> extensions = {".glb", ".gltf"});
// Chooses the skinned meshes that the job means; notes which of them are shown with several skins.
Status choose_meshes(const WeightsJob& job, WeightsWork& work);
// Notes the chosen meshes that are shown with several skins: the first counts.
void note_several_skins(WeightsWork& work);

// What there is to say of mesh k before and after it has `rows`, but for changes.
WeightsReport::Mesh& report_mesh(WeightsWork& work, std::size_t k, const WeightRows& rows);
// The same, and what `rows`, whose slots have these labels, change. Calls `visit` with each point that
// differs and its row_distance.
using PointVisitor = std::function<void(std::size_t point, double distance)>;
WeightsReport::Mesh& report_change(WeightsWork& work, std::size_t k, const WeightRows& rows,
                                   std::span<const std::string> labels, const PointVisitor& visit = {});
// Gives mesh k of the work new rows and reports what changed.
WeightsReport::Mesh& set_rows(WeightsWork& work, std::size_t k, WeightRows rows);
// Lists the joints that changed and the time since the work was opened.
void end_report(WeightsWork& work);
// Writes the character and ends the report. Weights that loading mended are written too.
Result<WeightsReport> save_work(const WeightsJob& job, WeightsWork work);

}  // namespace dermis
