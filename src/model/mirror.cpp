// SPDX-License-Identifier: MIT
// Left and right of a skin: joints paired by name and position.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "dermis/model.h"

namespace dermis {
namespace {

// As a fraction of the skin's size: how close a joint must be to the mirror image of its partner, and a joint
// without a side to the plane.
constexpr double kJointTolerance = 0.02;
// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;

// A joint's name without its side: "hand.L" and "LeftHand" are both left.
struct SidedName {
  NamedSide side = NamedSide::none;
  std::string bare;  // words joined, a star for the side, without a number at the end
};

struct SideWord {
  const char* word;
  NamedSide side;
  const char* bare;
};
constexpr std::array kSideWords{
    SideWord{"left", NamedSide::left, "*"}, SideWord{"right", NamedSide::right, "*"},
    SideWord{"l", NamedSide::left, "*"},    SideWord{"r", NamedSide::right, "*"},
    SideWord{"fl", NamedSide::left, "f*"},  SideWord{"fr", NamedSide::right, "f*"},
    SideWord{"bl", NamedSide::left, "b*"},  SideWord{"br", NamedSide::right, "b*"}};

SidedName sided_name(std::string_view name) {
  SidedName sided;
  std::vector<std::string> words = name_words(name);
  for (std::string& word : words) {
    const auto found = std::find_if(kSideWords.begin(), kSideWords.end(),
                                    [&](const SideWord& row) { return word == row.word; });
    if (found == kSideWords.end() || sided.side != NamedSide::none) continue;
    sided.side = found->side;
    word = found->bare;
  }
  const auto join = [&](std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += words[k] + ' ';
    return text;
  };
  const bool has_number =
      !words.empty() && std::isdigit(static_cast<unsigned char>(words.back().front())) != 0;
  sided.bare = join(words.size() - (has_number ? 1 : 0));
  return sided;
}

// The joints of one skin in the bind pose, and which joints mirror each other.
class JointPairs {
 public:
  JointPairs(const Character& character, const Skin& skin, double size) : size_(size) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      names_.push_back(sided_name(character.nodes[at(skin.node[s])].name));
      place_.push_back(inverse(Affined(skin.inverse_bind[s])).translation);
    }
    mirror_.assign(skin.node.size(), kNone);
  }

  std::optional<MirrorPlane> plane_between() {
    find_sides();
    // The first plane is between all left and all right joints; the next is between the pairs.
    for (int round = 0; round < 2 && plane_; ++round) {
      pair_sides();
      find_plane();
    }
    return plane_;
  }

  MirroredSkin paired_across(const MirrorPlane& plane) {
    plane_ = plane;
    pair_sides();
    pair_middle();
    face_left();
    return {*plane_, std::move(mirror_)};
  }

 private:
  bool can_pair(std::size_t left, std::size_t right) const {
    return names_[left].side == NamedSide::left && names_[right].side == NamedSide::right &&
           names_[left].bare == names_[right].bare && is_finite(place_[left]) && is_finite(place_[right]);
  }

  void find_sides() {
    Vec3d left, right;
    std::size_t left_count = 0, right_count = 0;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      if (names_[s].side == NamedSide::none || !is_finite(place_[s])) continue;
      (names_[s].side == NamedSide::left ? left : right) += place_[s];
      ++(names_[s].side == NamedSide::left ? left_count : right_count);
    }
    if (left_count == 0 || right_count == 0) return;
    set_plane(left * (1 / static_cast<double>(left_count)), right * (1 / static_cast<double>(right_count)));
  }

  // Pairs joints with equal names, the best mirror images first.
  void pair_sides() {
    struct SidePair {
      double distance;
      std::size_t left, right;
    };
    std::map<std::string_view, std::vector<std::size_t>> right;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      if (names_[s].side == NamedSide::right) right[names_[s].bare].push_back(s);
    }
    std::vector<SidePair> pairs;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      // Rigs with thousands of equally named joints have no meaningful sides.
      constexpr std::size_t kMostPairs = 1'000'000;
      if (names_[s].side != NamedSide::left || pairs.size() > kMostPairs) continue;
      for (const std::size_t other : right[names_[s].bare]) {
        if (can_pair(s, other))
          pairs.push_back({length(plane_->mirrored(place_[s]) - place_[other]), s, other});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const SidePair& a, const SidePair& b) { return a.distance < b.distance; });
    std::fill(mirror_.begin(), mirror_.end(), kNone);
    for (const SidePair& pair : pairs) {
      if (mirror_[pair.left] != kNone || mirror_[pair.right] != kNone) continue;
      mirror_[pair.left] = static_cast<Index>(pair.right);
      mirror_[pair.right] = static_cast<Index>(pair.left);
    }
  }

  // Half-way between the existing pairs.
  void find_plane() {
    Vec3d left, right;
    std::size_t count = 0;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      if (names_[s].side != NamedSide::left || mirror_[s] == kNone) continue;
      left += place_[s];
      right += place_[at(mirror_[s])];
      ++count;
    }
    plane_.reset();
    if (count == 0) return;
    set_plane(left * (1 / static_cast<double>(count)), right * (1 / static_cast<double>(count)));
  }

  void set_plane(const Vec3d& left, const Vec3d& right) {
    const Vec3d across = left - right;
    if (!(length(across) > kJointTolerance * size_) || !(length(left + right) < kHuge)) return;
    MirrorPlane plane{normalized(across), 0};
    plane.offset = dot(plane.normal, (left + right) * 0.5);
    plane_ = plane;
  }

  // Joints without a side: on the plane they pair with themselves, elsewhere with the nearest joint at the
  // mirrored position.
  void pair_middle() {
    for (std::size_t s = 0; s < names_.size(); ++s) {
      if (names_[s].side != NamedSide::none || mirror_[s] != kNone || !is_finite(place_[s])) continue;
      if (std::abs(plane_->side(place_[s])) <= kJointTolerance * size_) {
        mirror_[s] = static_cast<Index>(s);
        continue;
      }
      for (std::size_t other = 0; other < names_.size(); ++other) {
        const bool is_free = other != s && names_[other].side == NamedSide::none && mirror_[other] == kNone;
        if (!is_free || !(length(plane_->mirrored(place_[s]) - place_[other]) <= kJointTolerance * size_))
          continue;
        mirror_[s] = static_cast<Index>(other);
        mirror_[other] = static_cast<Index>(s);
        break;
      }
    }
  }

  // A plane fitted to points may face either side.
  void face_left() {
    double left = 0;
    for (std::size_t s = 0; s < names_.size(); ++s) {
      if (names_[s].side == NamedSide::none || mirror_[s] == kNone) continue;
      left += plane_->side(place_[s]) * (names_[s].side == NamedSide::left ? 1 : -1);
    }
    if (left < 0) plane_ = MirrorPlane{-plane_->normal, -plane_->offset};
  }

  double size_;
  std::vector<SidedName> names_;
  std::vector<Vec3d> place_;  // not finite if the skin flattens space
  std::vector<Index> mirror_;
  std::optional<MirrorPlane> plane_;
};

}  // namespace

NamedSide side_of_name(std::string_view name) { return sided_name(name).side; }

std::optional<MirrorPlane> plane_between_sides(const Character& character, const Skin& skin, double size) {
  return JointPairs(character, skin, size).plane_between();
}

MirroredSkin mirror_skin(const Character& character, const Skin& skin, const MirrorPlane& plane,
                         double size) {
  return JointPairs(character, skin, size).paired_across(plane);
}

}  // namespace dermis
