// SPDX-License-Identifier: MIT
// What a user of the installed package writes: it includes dermis headers and nothing of what stands below.
#include <algorithm>
#include <cstdio>

#include "dermis/deform.h"
#include "dermis/made.h"
#include "dermis/motion.h"

int fail(const dermis::Error& error) {
  std::fprintf(stderr, "%s\n", error.sentence.c_str());
  return 1;
}

// A character made ready once, then posed frame by frame. dermis::load reads one from a file.
int main() {
  const dermis::Result<dermis::Character> arm = dermis::make_character(dermis::MadeKind::arm);
  if (!arm) return fail(arm.error());
  const dermis::Result<dermis::Deformer> deformer =
      dermis::prepare_deformer(*arm, {.stack = dermis::deform_stack("dqs")});
  if (!deformer) return fail(deformer.error());
  for (const double time : {0.0, 0.5, 1.0}) {
    const dermis::Result<dermis::PoseFrame> frame = dermis::pose_frame(*arm, {.clip = 0, .time = time});
    if (!frame) return fail(frame.error());
    const dermis::Result<dermis::Surface> posed = dermis::pose_instance(*deformer, *frame, 0);
    if (!posed) return fail(posed.error());
    double reach = 0;
    for (const dermis::Vec3& point : posed->points) reach = std::max<double>(reach, dermis::length(point));
    std::printf("dermis %s: %zu points after %.1f s, the farthest at %.2f m\n", dermis::version(),
                posed->points.size(), time, reach);
  }
}
