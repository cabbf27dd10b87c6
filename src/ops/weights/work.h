// SPDX-License-Identifier: MIT
// What the operations on weights share: the selected meshes, locks, weights by name, and the report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dermis/ops/weights.h"
#include "ops/job.h"

namespace dermis {

// A mesh under the skin of the first instance that shows it.
struct ChosenMesh {
  Index mesh = kNone, skin = kNone, instance = kNone;
};

// The label of a mesh: its name if that is unique, "#2" otherwise.
std::string mesh_label(const Character& character, Index mesh);

// The skinned meshes of the scene, or those of the labels. An error if there are none, or if a label matches
// no mesh or one without a skin; `file` is used in messages.
Result<std::vector<ChosenMesh>> choose_skinned(const Character& character,
                                               const std::vector<std::string>& labels,
                                               const std::string& file);
// The mesh of a label, skinned or not.
Result<Index> find_mesh(const Character& character, const std::string& label);

// The named slots of each skin; an error that names `option` if a label is not a joint of any of them.
Result<std::vector<SlotLocks>> joints_of(const Character& character, const std::vector<std::string>& labels,
                                         const std::string& file, const char* option);

// The slots of a skin by node.
std::map<Index, Index> slots_by_node(const Skin& skin);

// The weights for a mesh: by label, or the only ones for the only mesh, or by order if their number is the
// same.
Result<const ForeignWeights::Mesh*> foreign_for(const ForeignWeights& all, const Character& character,
                                                const std::vector<ChosenMesh>& chosen, std::size_t k);

// Foreign rows by the slots of a skin. Joints that it does not have get additional slots, with their labels.
struct TranslatedRows {
  WeightRows rows;
  std::vector<std::string> labels;  // of every slot, the skin's own first
};
// If `is_strict`, a joint that is not in the skin is an error.
Result<TranslatedRows> translate(const ForeignWeights::Mesh& foreign, const Character& character,
                                 const ChosenMesh& chosen, const std::string& file, bool is_strict,
                                 Notes& notes);
// The weights of a mesh by the labels of its joints.
WeightTable table_of(const Character& character, const ChosenMesh& chosen);

// What an operation replaces in a character: put back unless the operation is done, so that a failure leaves
// everything as it was, without a copy of what does not change.
class ReplacedParts {
 public:
  explicit ReplacedParts(Character& character) : character_(character) {}
  ~ReplacedParts();
  ReplacedParts(const ReplacedParts&) = delete;
  ReplacedParts& operator=(const ReplacedParts&) = delete;

  void replace_rows(Index mesh, WeightRows rows);
  void replace_mesh(Index mesh, Mesh finer);
  void done() { rows_.clear(), meshes_.clear(); }

 private:
  Character& character_;
  std::vector<std::pair<Index, WeightRows>> rows_;  // as they were, in the order of replacing
  std::vector<std::pair<Index, Mesh>> meshes_;
};

// An operation while it works.
struct WeightsWork {
  Asset& asset;
  std::vector<ChosenMesh> chosen{};
  std::vector<PointChoice> points{};  // of each chosen mesh: which may change; empty lists: all
  std::vector<SlotLocks> locks{};     // of each skin
  bool makes_rigid = false;           // afterwards: shells that are selected whole
  std::vector<std::string> labels{};  // of each node
  // By label: the changes so far.
  std::map<std::string, WeightsReport::Joint> joints{};
  WeightsReport report{};
  Run piece{};  // of the run: for the mesh that is worked on
  Stopwatch watch{};
  std::unique_ptr<ReplacedParts> replaced = std::make_unique<ReplacedParts>(asset.character);

  Mesh& mesh(std::size_t k) { return asset.character.meshes[static_cast<std::size_t>(chosen[k].mesh)]; }
  // None for a skin that was added since.
  SlotLocks locks_at(std::size_t k) const {
    const auto skin = static_cast<std::size_t>(chosen[k].skin);
    return skin < locks.size() ? locks[skin] : SlotLocks{};
  }
};

// An operation with its name and its locks; call choose_meshes next.
Result<WeightsWork> start_work(Asset& asset, const WeightsRequest& request, const char* operation);
// Chooses the selected skinned meshes and points; notes which meshes are shown with several skins.
Status choose_meshes(const WeightsRequest& request, WeightsWork& work);
// Selects points of the chosen meshes.
Status choose_points(const WeightsSelection& selection, WeightsWork& work);
// Notes the chosen meshes that are shown with several skins: the first counts.
void note_several_skins(WeightsWork& work);

// The report on mesh k before and after it gets `rows`, without the changes.
WeightsReport::Mesh& report_mesh(WeightsWork& work, std::size_t k, const WeightRows& rows);
// The same, and what `rows`, whose slots have these labels, change. Calls `visit` for each point that
// differs, with its row_distance.
using PointVisitor = std::function<void(std::size_t point, double distance)>;
WeightsReport::Mesh& report_change(WeightsWork& work, std::size_t k, const WeightRows& rows,
                                   std::span<const std::string> labels, const PointVisitor& visit = {});
// Gives mesh k of the work new rows, where points are selected, makes shells rigid if that is asked for, and
// reports what changed.
WeightsReport::Mesh& set_rows(WeightsWork& work, std::size_t k, WeightRows rows);
// The operation is done. The report has the joints that changed, and the time since the work was started.
WeightsReport end_work(WeightsWork& work);

}  // namespace dermis
