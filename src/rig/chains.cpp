// SPDX-License-Identifier: MIT
// Adds fingers and other chains to a skeleton.
#include "rig/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dermis/base.h"
#include "rig/fingers.h"
#include "rig/limbs.h"

namespace dermis {
namespace {

// Left and right that are further from being mirror images, in spans of the body, are posed differently.
constexpr double kHandsApart = 0.035;
// Likewise for joints of fingers, in their radii.
constexpr double kFingerApart = 3;
// The share of the images of one hand's finger joints that lie in the other hand, if it is its mirror image.
constexpr double kImagesInside = 0.75;

Index index_of_joint(const FoundSkeleton& found, std::string_view name) {
  for (std::size_t j = 0; j < found.joints.size(); ++j)
    if (found.joints[j].name == name) return static_cast<Index>(j);
  return kNone;
}

class Chains {
 public:
  Chains(const SearchedBody& searched, FoundSkeleton& found)
      : searched_(searched),
        body_(searched.body),
        plane_(searched.plane < 0 ? nullptr : &searched.mirrors[at(searched.plane)]),
        found_(found) {}

  Status add_fingers(const Progress& progress) {
    constexpr std::array<const char*, 2> kSides{"_L", "_R"};
    std::array<Index, 2> wrist{kNone, kNone};
    std::array<std::vector<Finger>, 2> fingers;
    std::array<std::optional<HandPlace>, 2> place;
    std::array<Status, 2> done{Done{}, Done{}};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::string side = kSides[s];
      const Index hand = index_of_joint(found_, "hand" + side),
                  tip = index_of_joint(found_, "hand_end" + side);
      if (hand == kNone || tip == kNone || found_.joints[at(hand)].parent == kNone ||
          index_of_joint(found_, "index_1" + side) != kNone)
        continue;
      const FoundJoint& own = found_.joints[at(hand)];
      wrist[s] = hand;
      place[s] = HandPlace{found_.joints[at(own.parent)].at, own.at, found_.joints[at(tip)].at, own.radius};
    }
    parallel_for(2, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        if (!place[s]) continue;
        Result<std::vector<Finger>> list =
            find_fingers(searched_.surface, body_, *place[s], found_.front, progress);
        if (list)
          fingers[s] = std::move(*list);
        else
          done[s] = list.error();
      }
    });
    for (const Status& one : done)
      if (!one) return one;
    if (wrist[0] != kNone && wrist[1] != kNone) match_sides(wrist, fingers);
    for (std::size_t s = 0; s < 2; ++s)
      if (!fingers[s].empty()) append_fingers(kSides[s], wrist[s], fingers[s]);
    note_fingers(fingers);
    return Done{};
  }

  void add_limbs() {
    std::vector<ExtraLimb> limbs = find_extra_limbs(body_, searched_.graph, searched_.plane, found_);
    std::string names;
    for (std::size_t k = 0; k < limbs.size(); ++k) {
      const bool is_left = limbs[k].name.ends_with("_L");
      if (is_left && plane_ != nullptr && plane_->share >= kForceMirror) match(limbs[k], limbs[k + 1]);
      append(limbs[k].name, limbs[k].parent, limbs[k].joints);
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", limbs[k].name);
    }
    if (!limbs.empty())
      found_.notes.push_back({Note::Kind::guess, "chains-found",
                              fmt::format("limbs that the template does not have: {}", names), "", -1, -1,
                              limbs.size()});
  }

  // Markers of joints that were found move them.
  void place_markers(std::span<const RigMarker> markers) {
    for (const RigMarker& marker : markers) {
      const std::string name = chain_joint(marker.joint);
      if (name.empty()) continue;
      if (const Index j = index_of_joint(found_, name); j != kNone)
        found_.joints[at(j)].at = marker.at;
      else
        found_.notes.push_back({Note::Kind::loss, "marker-unused",
                                fmt::format("the marker '{}' is not used: the body was found to have no such "
                                            "limb",
                                            marker.joint)});
    }
  }

 private:
  Vec3d image(const Vec3d& place) const { return plane_->plane.mirrored(place); }

  // Hands that are mirror images have the same fingers.
  void match_sides(const std::array<Index, 2>& wrist, std::array<std::vector<Finger>, 2>& fingers) const {
    if (plane_ == nullptr || plane_->share < kForceMirror) return;
    if (length(image(found_.joints[at(wrist[0])].at) - found_.joints[at(wrist[1])].at) >
        kHandsApart * body_.span)
      return;
    const auto is_same = [](const Finger& a, const Finger& b) {
      return a.name == b.name && a.joints.size() == b.joints.size();
    };
    if (std::equal(fingers[0].begin(), fingers[0].end(), fingers[1].begin(), fingers[1].end(), is_same)) {
      for (std::size_t f = 0; f < fingers[0].size(); ++f) match(fingers[0][f], fingers[1][f]);
      return;
    }
    const std::size_t more = fingers[0].size() >= fingers[1].size() ? 0 : 1;
    std::vector<Finger> images = fingers[more];
    double all = 0, inside = 0;
    for (Finger& finger : images) {
      for (Finger::Joint& joint : finger.joints) {
        joint.at = image(joint.at);
        all += 1, inside += body_.solid.find(joint.at) == VoxelSolid::kNoCell ? 0 : 1;
      }
    }
    // Otherwise not mirror images after all: one hand holds something, or is closed.
    if (inside > kImagesInside * all) fingers[1 - more] = std::move(images);
  }
  template <class Limb>
  void match(Limb& left, Limb& right) const {
    for (std::size_t k = 0; k < left.joints.size(); ++k) {
      auto &own = left.joints[k], &other = right.joints[k];
      if (length(image(other.at) - own.at) > std::max(kFingerApart * own.radius, 2 * body_.solid.cell))
        return;
    }
    for (std::size_t k = 0; k < left.joints.size(); ++k) {
      auto &own = left.joints[k], &other = right.joints[k];
      own.at = (own.at + image(other.at)) * 0.5;
      other.at = image(own.at);
      own.radius = other.radius = 0.5 * (own.radius + other.radius);
    }
  }

  void append_fingers(const std::string& side, Index wrist, std::span<const Finger> fingers) {
    for (const Finger& finger : fingers) append(finger.name + side, wrist, finger.joints);
    // The hand ends in its fingers.
    remove_joint(index_of_joint(found_, "hand_end" + side));
  }
  // "tail": tail_1, tail_2, tail_end; "ear_L": ear_1_L, ear_end_L.
  template <class Joint>
  void append(const std::string& chain, Index parent, const std::vector<Joint>& joints) {
    const bool is_sided = chain.ends_with("_L") || chain.ends_with("_R");
    const std::string name = is_sided ? chain.substr(0, chain.size() - 2) : chain;
    const std::string side = is_sided ? chain.substr(chain.size() - 2) : "";
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool is_end = k + 1 == joints.size();
      const std::string number = is_end ? "end" : std::to_string(k + 1);
      found_.joints.push_back(
          {fmt::format("{}_{}{}", name, number, side), parent, joints[k].at, joints[k].radius, is_end});
      parent = static_cast<Index>(found_.joints.size() - 1);
    }
    found_.chains.push_back({chain, joints.size() - 1});
  }

  void remove_joint(Index gone) {
    found_.joints.erase(found_.joints.begin() + gone);
    for (FoundJoint& joint : found_.joints)
      if (joint.parent != kNone && joint.parent > gone) --joint.parent;
  }

  void note_fingers(const std::array<std::vector<Finger>, 2>& fingers) {
    const std::size_t left = fingers[0].size(), right = fingers[1].size();
    if (left == 0 && right == 0) return;
    if (left == right)
      found_.notes.push_back({Note::Kind::info, "fingers-found",
                              fmt::format("each hand has {} fingers", left), "", -1, -1, left + right});
    else
      found_.notes.push_back({Note::Kind::guess, "fingers-differ",
                              fmt::format("the left hand has {} and the right hand {} that stick out of it",
                                          counted(left, "finger", "fingers"), right),
                              "", -1, -1, left + right});
  }

  const SearchedBody& searched_;
  const BodySolid& body_;
  const BodyMirror* plane_;
  FoundSkeleton& found_;
};

}  // namespace

Status add_chains(const SearchedBody& searched, std::span<const RigMarker> markers, FoundSkeleton& found,
                  const Progress& progress) {
  Chains chains(searched, found);
  if (Status going = progress.at("looking for fingers", 0); !going) return going.error();
  // Both hands at once: each hears a stop, and neither reports on its own.
  if (Status added = chains.add_fingers(progress.part(0, 0)); !added) return added.error();
  if (Status going = progress.at("looking for other limbs", 0.8); !going) return going.error();
  chains.add_limbs();
  chains.place_markers(markers);
  return Done{};
}

std::string chain_joint(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSided{"thumb", "index", "middle", "ring", "pinky",
                                                   "extra", "ear",   "horn",   "wing"};
  constexpr std::array<std::string_view, 3> kMiddle{"tail", "trunk", "jaw"};
  constexpr std::array<std::string_view, 4> kNumbers{"_1", "_2", "_3", "_end"};
  const auto is_called = [&](const std::string& own) {
    const std::string mixamo = mixamo_name(own);
    return name == own || name == mixamo || name == std::string_view(mixamo).substr(mixamo.find(':') + 1);
  };
  for (const std::string_view number : kNumbers) {
    for (const std::string_view chain : kSided) {
      for (const char* side : {"_L", "_R"})
        if (std::string own = fmt::format("{}{}{}", chain, number, side); is_called(own)) return own;
    }
    for (const std::string_view chain : kMiddle)
      if (std::string own = fmt::format("{}{}", chain, number); is_called(own)) return own;
  }
  return {};
}

}  // namespace dermis
