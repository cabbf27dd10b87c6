// SPDX-License-Identifier: MIT
// Keeps the arms of a moved body out of its trunk, head and thighs.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "motion/moved_body.h"

namespace dermis {

// The surface around a bone: how far it reaches from it, by height along it and direction around it.
struct RoundPart {
  Index joint = kNone;
  Vec3d origin, along, ahead;  // in the frame of the joint, world units
  double low = 0, high = 0;    // of the heights that it covers
  bool is_open_above = false;  // nothing follows there
  std::vector<double> reach;   // kHeights rows of kAround
};

class ArmRoom {
 public:
  struct Turned {
    double most = 0;  // radians
    Index joint = kNone;
    std::size_t frame = 0;
  };
  // `body` and `reference` must outlive it. Poses `body`. Does nothing without a skin, or without arms.
  ArmRoom(const Character& target, MovedBody& body, const RoleMap& roles, const ReferencePose& reference);
  // Turns arms about their shoulders where elbow, forearm or hand are inside the surface of the body by more
  // than when it stands, out of it along the shortest way, at most kMostTurn, smoothly over time.
  Turned make_room(double fps, bool is_loop, std::vector<BodyFramePose>& frames);

 private:
  // A place on an arm, in the frame of one of its joints, and how thick the arm is there.
  struct Sample {
    Index joint = kNone;
    Vec3d place;
    double radius = 0;
    std::vector<double> room;  // by part: how near its surface it may come; as thick as it is, or as at rest
  };
  struct Arm {
    Index shoulder = kNone;
    std::vector<std::size_t> moved;  // slots of the joints that turn with it
    std::vector<Sample> samples;
  };
  struct Depth {
    double depth = 0;
    Vec3d outward;  // unit, in the world
  };

  struct Standing;
  void add_parts(const Character& target, const Standing& skin, const RoleMap& roles, const Vec3d& up);
  // Their heights, and how far they reach; parts without a surface are dropped.
  void measure_parts(const Standing& skin, const std::vector<Index>& part_of);
  void add_arm(const Character& target, const Standing& skin, const RoleMap& roles, int side);
  // The median distance of a part's points from a line.
  static double thickness(const Standing& skin, const std::vector<Index>& part_of, Index part,
                          const Vec3d& from, const Vec3d& along);
  // How deep a point in the world, with some room around it, is inside a part.
  Depth depth_in(const RoundPart& part, const Vec3d& place, double room) const;
  // The turn about the shoulder that frees an arm of the posed body which is already turned.
  Quatd freeing_turn(const Arm& arm, const Quatd& turned) const;
  Vec3d place_of(const Sample& sample) const;

  MovedBody& body_;
  std::vector<RoundPart> parts_;
  std::vector<Arm> arms_;
};

}  // namespace dermis
