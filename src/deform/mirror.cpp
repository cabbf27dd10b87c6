// SPDX-License-Identifier: MIT
// Left and right of a skin: joints paired by name and place.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "dermis/deform.h"
#include "dermis/geometry.h"

namespace dermis {
namespace {

// In parts of the size of the skin: how near a joint must be to the mirror image of its pair, and a joint
// without a side to the plane between.
constexpr double kJointTolerance = 0.02;
// Mirrored points are floats again: beyond this they might not be finite.
constexpr double kHuge = 1e30;

// A joint's name without its side: "hand.L" and "LeftHand" both say left.
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

// A plane and how far half of the points are from an image of another, at most.
struct FittedPlane {
  MirrorPlane plane;
  double distance = INFINITY;
};

// The plane of the points near a given one: each point of a sample with the one nearest to its mirror image,
// of which the nearer half counts; then the plane half-way between these pairs, and again.
FittedPlane fitted_near(MirrorPlane plane, std::span<const Vec3> points) {
  constexpr std::size_t kSamples = 4000;
  constexpr int kRounds = 8;
  const std::size_t stride = points.size() / kSamples + 1;
  std::vector<Vec3> sample;
  for (std::size_t v = 0; v < points.size(); v += stride) sample.push_back(points[v]);
  FittedPlane fitted;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Vec3> images;
    images.reserve(sample.size());
    for (const Vec3& p : sample) images.push_back(Vec3(plane.mirrored(Vec3d(p))));
    const std::vector<Nearest> nearest = nearest_points(images, points);
    std::vector<double> distances;
    distances.reserve(nearest.size());
    for (const Nearest& near : nearest) distances.push_back(near.distance);
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    if (*middle < fitted.distance) fitted = {plane, *middle};
    Vec3d across, between;
    double count = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (nearest[k].distance > *middle) continue;
      const Vec3d p(sample[k]), q(points[nearest[k].point]);
      across += (p - q) * (dot(plane.normal, p - q) < 0 ? -1.0 : 1.0);
      between += (p + q) * 0.5;
      ++count;
    }
    if (!(length(across) > 0)) break;
    plane.normal = normalized(across);
    plane.offset = dot(plane.normal, between) / count;
  }
  return fitted;
}

// Joints lie where their rigger put them, or as they were posed. So the plane of the points is looked for
// near that of the joints, and near the middle of the box across the axis that comes nearest to it.
MirrorPlane fitted_to_points(const MirrorPlane& joints, std::span<const Vec3> points, const Box& box) {
  const Vec3d& n = joints.normal;
  const int axis = std::abs(n.x) >= std::abs(n.y) && std::abs(n.x) >= std::abs(n.z) ? 0
                   : std::abs(n.y) >= std::abs(n.z)                                 ? 1
                                                                                    : 2;
  MirrorPlane across{{}, box.centre()[axis]};
  across.normal[axis] = 1;
  const FittedPlane a = fitted_near(joints, points), b = fitted_near(across, points);
  return a.distance < b.distance ? a.plane : b.plane;
}

// The joints of one skin as it was bound, and which is the mirror image of which.
class JointPairs {
 public:
  JointPairs(const Character& character, const Skin& skin, std::span<const Vec3> points, const Box& box)
      : size_(box.diagonal()) {
    for (std::size_t s = 0; s < skin.node.size(); ++s) {
      names_.push_back(sided_name(character.nodes[at(skin.node[s])].name));
      place_.push_back(inverse(Affined(skin.inverse_bind[s])).translation);
    }
    mirror_.assign(skin.node.size(), kNone);
    find_sides();
    // The first plane lies between all that is left and all that is right; the next between the pairs.
    for (int round = 0; round < 2 && plane_; ++round) {
      pair_sides();
      find_plane();
    }
    if (!plane_) return;
    plane_ = fitted_to_points(*plane_, points, box);
    pair_sides();
    pair_middle();
    face_left();
  }

  MirroredSkin take() { return {plane_, std::move(mirror_)}; }

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

  // Of joints that are named alike, the best mirror images first.
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
      // Rigs that number thousands of joints alike have no sides worth judging.
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

  // Half-way between the pairs there are.
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

  // Joints without a side: on the plane they are their own, elsewhere the nearest at the mirrored place.
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

  // Fitting may turn the normal round.
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
  std::vector<Vec3d> place_;  // not finite where the skin flattens space
  std::vector<Index> mirror_;
  std::optional<MirrorPlane> plane_;
};

}  // namespace

NamedSide side_of_name(std::string_view name) { return sided_name(name).side; }

MirroredSkin mirror_skin(const Character& character, Index skin, std::span<const Vec3> points) {
  Box box;
  for (const Vec3& p : points) box.add(Vec3d(p));
  return JointPairs(character, character.skins[at(skin)], points, box).take();
}

}  // namespace dermis
