// SPDX-License-Identifier: MIT
// The verb helpers: finds the joints that are wanted, adds them, and measures what they gain.
#include "dermis/ops/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ops/helpers/gains.h"
#include "ops/job.h"

namespace dermis {
namespace {

constexpr const char* kAddingHelpers = "adding helper joints";
// Of a proposal. A step of an n-th of a twist loses about an n^2-th of the volume that the twist would lose,
// but over all of the bone instead of a narrow wrist: with three joints, made wrists keep 40 % of their loss.
constexpr int kProposedTwists = 4;

std::string helped_label(const Character& character, Index node) {
  return node == kNone ? std::string() : node_label(character, node);
}

std::string listed_joints(const Character& character, const std::vector<Index>& joints) {
  std::vector<std::string> names;
  names.reserve(joints.size());
  for (const Index joint : joints) names.push_back(quoted_name(node_label(character, joint)));
  return fmt::format("{}", fmt::join(names, ", "));
}

// What moves a helper, in words.
std::string source_words(const Character& character, const AddedHelper& helper) {
  const std::string joint = node_label(character, helper.joint);
  const std::string source = helped_label(character, helper.source);
  switch (helper.kind) {
    case HelperKind::half:
      return fmt::format("half of the rotation of {}", source);
    case HelperKind::bulge:
      return fmt::format("the bend of {} or {}", source, helper.control);
    case HelperKind::breathe:
      return helper.control;
    default:
      break;
  }
  const std::string of = helper.spread == TwistSpread::both  ? fmt::format("{} and {}", joint, source)
                         : helper.spread == TwistSpread::own ? joint
                                                             : source;
  return fmt::format("{:.2g} of the twist of {}", helper.share, of);
}

// The wishes as requests, on both sides if requested.
Result<std::vector<HelperRequest>> wished_helpers(const Character& character, const HelpersRequest& request,
                                                  Notes& notes) {
  const Result<MappedJoints> mapped = map_joints(character);
  if (!mapped && mapped.error().code != Errc::bad_rig) return mapped.error();
  const RoleMap* roles = mapped ? &mapped->roles : nullptr;
  std::vector<HelperRequest> wished;
  for (const HelperWish& wish : request.helpers) {
    HelperRequest& one = wished.emplace_back();
    one.kind = wish.kind, one.count = wish.count, one.scale = wish.scale, one.angle = wish.angle;
    one.control = wish.control;
    const Result<Index> joint = find_helped_joint(character, roles, wish.joint);
    if (!joint) return joint.error();
    one.joint = *joint;
    if (wish.kind != HelperKind::bulge) continue;
    const Result<Index> bend = find_helped_joint(character, roles, wish.bend);
    if (!bend) return bend.error();
    one.bend = *bend;
  }
  if (!request.mirrors) return wished;
  std::vector<Index> unpaired;
  wished = with_other_side(character, wished, unpaired);
  if (!unpaired.empty())
    notes.push_back({Note::Kind::info, "helper-unpaired",
                     fmt::format("{} no counterpart on the other side: {}",
                                 unpaired.size() == 1 ? "a joint has" : "joints have",
                                 listed_joints(character, unpaired)),
                     "", kNone, kNone, unpaired.size()});
  return wished;
}

// Proposals for what is not wished already.
Status propose(const Character& character, std::vector<HelperRequest>& requests, const Progress& progress) {
  const Result<std::vector<HelperRequest>> proposed =
      proposed_helpers(character, kProposedTwists, true, progress);
  if (!proposed) return proposed.error();
  for (const HelperRequest& one : *proposed) {
    const bool is_wished = std::any_of(requests.begin(), requests.end(), [&](const HelperRequest& other) {
      return other.kind == one.kind && other.joint == one.joint;
    });
    if (!is_wished) requests.push_back(one);
  }
  return Done{};
}

// The joints whose volume proposals may save.
std::vector<Index> joints_concerned(const Character& character, const std::vector<HelperRequest>& proposals) {
  std::vector<Index> joints;
  const auto add = [&](Index joint) {
    if (joint != kNone && std::find(joints.begin(), joints.end(), joint) == joints.end())
      joints.push_back(joint);
  };
  const Result<MappedJoints> mapped = map_joints(character);
  for (const HelperRequest& one : proposals) {
    add(one.joint);
    if (!mapped || one.kind != HelperKind::twist) continue;
    using enum JointRole;
    for (const auto& [lower, end] : {std::pair{forearm_l, hand_l}, std::pair{forearm_r, hand_r},
                                     std::pair{shin_l, foot_l}, std::pair{shin_r, foot_r}})
      if (mapped->roles.first(lower) == one.joint) add(mapped->roles.first(end));
  }
  return joints;
}

class HelpersWork {
 public:
  HelpersWork(const Asset& asset, const HelpersRequest& request) : asset_(asset), request_(request) {}

  Result<HelpersReport> run(Character& result, const Progress& progress) {
    Stopwatch watch;
    if (Status going = progress.at(kAddingHelpers, 0); !going) return going.error();
    const Character& character = asset_.character;
    if (character.skins.empty())
      return Error{Errc::bad_rig, "there is no skin, so no joint could take weight"};
    Result<std::vector<HelperRequest>> wished = wished_helpers(character, request_, report_.notes);
    if (!wished) return wished.error();
    requests_ = std::move(*wished);
    wished_count_ = requests_.size();
    if (request_.proposes) {
      if (Status done = propose(character, requests_, progress.part(0, 0.1)); !done) return done.error();
    } else if (requests_.empty()) {
      return Error{Errc::usage, "no helper joint is named"}.with_remedy("auto_helpers");
    }
    const bool measures = requests_.size() > wished_count_;
    AddedHelpers added;
    if (Status done = add(result, added, progress.part(0.1, measures ? 0.3 : 1)); !done) return done.error();
    if (measures) {
      if (Status done = judge(result, added, progress.part(0.3, 1)); !done) return done.error();
    }
    describe_added(result, added);
    if (Status valid = validate(result); !valid) return valid.error();
    if (Status going = progress.at(kAddingHelpers, 1); !going) return going.error();
    report_.seconds = watch.lap();
    return std::move(report_);
  }

 private:
  Status add(Character& result, AddedHelpers& added, const Progress& progress) const {
    result = asset_.character;
    Result<AddedHelpers> done = add_helper_joints(result, requests_, progress);
    if (!done) return done.error();
    added = std::move(*done);
    return Done{};
  }

  // Measures what the proposals gain, and leaves out those that do not gain enough; then once more, because
  // they also gain from each other.
  Status judge(Character& result, AddedHelpers& added, const Progress& progress) {
    constexpr int kRounds = 2;
    const Result<RangeOfJoints> range =
        range_of_joints(asset_.character, joints_concerned(asset_.character, proposals()));
    if (!range) return range.error();
    const auto before = measure_losses(asset_.character, *range, progress.part(0, 0.2));
    if (!before) return before.error();
    auto after = measure_losses(result, *range, progress.part(0.2, 0.4));
    if (!after) return after.error();
    for (int round = 0; round < kRounds; ++round) {
      const Progress part = progress.part(0.4 + 0.3 * round, 0.7 + 0.3 * round);
      if (!leave_out(added, *range, *before, *after)) break;
      if (Status done = add(result, added, part.part(0, 0.5)); !done) return done;
      after = measure_losses(result, *range, part.part(0.5, 1));
      if (!after) return after.error();
    }
    for (std::size_t j = 0; j < range->joints.size(); ++j)
      report_.losses.push_back({node_label(asset_.character, range->joints[j]), (*before)[j].twist,
                                (*after)[j].twist, (*before)[j].bend, (*after)[j].bend});
    return Done{};
  }

  std::vector<HelperRequest> proposals() const {
    return {requests_.begin() + static_cast<std::ptrdiff_t>(wished_count_), requests_.end()};
  }

  // Leaves out the proposals that do not gain enough, and reports them; false if all stay as they are.
  bool leave_out(const AddedHelpers& added, const RangeOfJoints& range, const std::vector<JointLoss>& before,
                 const std::vector<JointLoss>& after) {
    const std::vector<HelperRequest> proposed = proposals();
    const std::vector<std::string> bases = bases_of(proposed);
    std::vector<ProposalGain> gains(proposed.size());
    for (std::size_t k = 0; k < proposed.size(); ++k)
      gains[k] = gain_of(proposed[k], added, wished_count_ + k, range, before, after);
    requests_.resize(wished_count_);
    bool is_same = true;
    std::erase_if(report_.proposals,
                  [](const HelpersReport::Proposal& proposal) { return proposal.is_kept; });
    for (std::size_t k = 0; k < proposed.size(); ++k) {
      HelperRequest one = proposed[k];
      if (has_number(added.present, wished_count_ + k)) {
        requests_.push_back(one);  // reported as there
        continue;
      }
      // Both sides get the same.
      ProposalGain both;
      for (std::size_t other = 0; other < proposed.size(); ++other)
        if (proposed[other].kind == one.kind && bases[other] == bases[k]) both += gains[other];
      HelpersReport::Proposal& proposal = report_.proposals.emplace_back();
      proposal.kind = name_of(one.kind);
      proposal.joint = node_label(asset_.character, one.joint);
      proposal.gain = gains[k].own + gains[k].next;
      const bool keeps_own = is_enough(both.own, both.own_before);
      const bool keeps_next = is_enough(both.next, both.next_before);
      proposal.is_kept = keeps_own || keeps_next;
      if (!proposal.is_kept) {
        is_same = false;
        continue;
      }
      if (one.kind == HelperKind::twist) {
        const TwistSpread spread = !keeps_next  ? TwistSpread::own
                                   : !keeps_own ? TwistSpread::next
                                                : TwistSpread::both;
        is_same = is_same && spread == spread_of(added, wished_count_ + k);
        one.spread = spread;
        proposal.spread = name_of(spread);
      }
      requests_.push_back(one);
    }
    return !is_same;
  }

  static TwistSpread spread_of(const AddedHelpers& added, std::size_t number) {
    const auto found = std::find_if(added.joints.begin(), added.joints.end(),
                                    [&](const AddedHelper& helper) { return helper.request == number; });
    return found == added.joints.end() ? TwistSpread::own : found->spread;
  }

  // The roles of the joints of requests, without their sides.
  std::vector<std::string> bases_of(const std::vector<HelperRequest>& requests) const {
    const Result<MappedJoints> mapped = map_joints(asset_.character);
    std::vector<std::string> bases(requests.size());
    for (std::size_t k = 0; mapped && k < requests.size(); ++k)
      for (const RoleRow& row : joint_roles())
        if (mapped->roles.first(row.role) == requests[k].joint) bases[k] = without_side(row.name);
    return bases;
  }

  static bool has_number(const std::vector<std::size_t>& numbers, std::size_t k) {
    return std::find(numbers.begin(), numbers.end(), k) != numbers.end();
  }

  // What a proposal saves: twists at both ends of a bone, or bends.
  struct ProposalGain {
    double own = 0, own_before = 0;
    double next = 0, next_before = 0;
    ProposalGain& operator+=(const ProposalGain& other) {
      own += other.own, own_before += other.own_before;
      next += other.next, next_before += other.next_before;
      return *this;
    }
  };
  // Of two sides.
  static bool is_enough(double gain, double before) {
    return gain >= 2 * kLeastHelperGain && gain >= kLeastHelperShare * before;
  }

  static ProposalGain gain_of(const HelperRequest& proposal, const AddedHelpers& added, std::size_t number,
                              const RangeOfJoints& range, const std::vector<JointLoss>& before,
                              const std::vector<JointLoss>& after) {
    ProposalGain gain;
    const auto take = [&](Index joint, double JointLoss::*loss, double& saved, double& lost) {
      for (std::size_t j = 0; j < range.joints.size(); ++j) {
        if (range.joints[j] != joint) continue;
        saved += before[j].*loss - after[j].*loss;
        lost += before[j].*loss;
      }
    };
    if (proposal.kind == HelperKind::half) {
      take(proposal.joint, &JointLoss::bend, gain.own, gain.own_before);
      return gain;
    }
    const auto helper = std::find_if(added.joints.begin(), added.joints.end(),
                                     [&](const AddedHelper& one) { return one.request == number; });
    if (helper == added.joints.end()) return gain;
    if (helper->spread != TwistSpread::next)
      take(helper->joint, &JointLoss::twist, gain.own, gain.own_before);
    if (helper->spread != TwistSpread::own)
      take(helper->source, &JointLoss::twist, gain.next, gain.next_before);
    return gain;
  }

  void describe_added(const Character& result, const AddedHelpers& added) {
    for (const AddedHelper& helper : added.joints) {
      HelpersReport::Joint& row = report_.joints.emplace_back();
      row.name = result.nodes[at(helper.node)].name;
      row.kind = name_of(helper.kind);
      row.joint = node_label(result, helper.joint);
      row.source = source_words(result, helper);
      row.place = helper.place, row.share = helper.share;
      row.control = helper.control, row.point_count = helper.point_count;
    }
    std::size_t cut = 0;
    for (const AddedHelpers::Mesh& mesh : added.meshes) {
      report_.meshes.push_back({mesh.mesh, result.meshes[at(mesh.mesh)].name, mesh.point_count,
                                mesh.longest_before, mesh.longest_after, mesh.cut_count});
      cut += mesh.cut_count;
    }
    append(report_.notes, added.notes);
    note_requests(added.present, "helper-exists", "such helper joints are there already, for");
    note_requests(added.useless, "helper-unneeded", "no point would follow helper joints for");
    if (cut > 0)
      report_.notes.push_back({Note::Kind::loss, "helper-rows-cut",
                               fmt::format("{} would follow more joints than before; the least weights went "
                                           "to the nearest joints",
                                           counted(cut, "point", "points")),
                               "", kNone, kNone, cut});
  }

  void note_requests(const std::vector<std::size_t>& numbers, const char* id, const char* words) {
    if (numbers.empty()) return;
    std::vector<std::string> names;
    names.reserve(numbers.size());
    for (const std::size_t k : numbers)
      names.push_back(fmt::format("{} ({})", quoted_name(node_label(asset_.character, requests_[k].joint)),
                                  name_of(requests_[k].kind)));
    report_.notes.push_back({Note::Kind::info, id, fmt::format("{} {}", words, fmt::join(names, ", ")), "",
                             kNone, kNone, numbers.size()});
  }

  const Asset& asset_;
  const HelpersRequest& request_;
  std::vector<HelperRequest> requests_;  // the wished ones first
  std::size_t wished_count_ = 0;
  HelpersReport report_;
};

}  // namespace

Result<HelpersReport> add_helpers(Asset& asset, const HelpersRequest& request, const Run& run) {
  return without_throwing(asset.name, [&]() -> Result<HelpersReport> {
    Character result;
    HelpersWork work(asset, request);
    Result<HelpersReport> report = work.run(result, run.progress);
    if (!report) return prefixed(asset.name, report.error());
    asset.character = std::move(result);
    return report;
  });
}

Result<HelpersReport> add_helpers(const HelpersJob& job) {
  FileVerb<HelpersReport> verb{.extensions = {".glb", ".gltf"}};
  verb.work = [&](Asset& asset, const FileRun& run) {
    return noting_correctives(asset, [&] { return add_helpers(asset, job, run); });
  };
  return run_on_files(job, verb);
}

}  // namespace dermis
