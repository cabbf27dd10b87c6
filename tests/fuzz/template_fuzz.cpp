// SPDX-License-Identifier: MIT
// Skeleton templates from anyone: a valid one or one sentence.
#include <cmath>
#include <set>

#include "character_fuzz.h"
#include "dermis/rig.h"

namespace dermis::fuzz {
namespace {

void require_valid(const RigTemplate& rig) {
  require(rig.joints.size() >= 2, "a template has joints");
  std::set<std::string> names;
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    const RigTemplate::Joint& joint = rig.joints[j];
    require(names.insert(joint.name).second, "names are unique", joint.name);
    require((joint.parent == kNone) == (j == 0), "the first joint alone has no parent", joint.name);
    require(joint.parent < static_cast<Index>(j), "parents stand before", joint.name);
    require(joint.mirror >= 0 && static_cast<std::size_t>(joint.mirror) < rig.joints.size(),
            "mirror images are joints", joint.name);
    require(rig.joints[static_cast<std::size_t>(joint.mirror)].mirror == static_cast<Index>(j),
            "mirror images are mutual", joint.name);
    require(joint.above >= 0 && joint.above <= 1, "shares are shares", joint.name);
    if (joint.parent == kNone) continue;
    const double bone = length(joint.at - rig.joints[static_cast<std::size_t>(joint.parent)].at);
    require(bone > 0 && std::isfinite(bone), "bones have a length", joint.name);
  }
}

}  // namespace
}  // namespace dermis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dermis;
  const Result<RigTemplate> rig = parse_rig_template({reinterpret_cast<const char*>(data), size});
  if (rig) {
    fuzz::require_valid(*rig);
  } else {
    fuzz::require_sentence(rig.error());
  }
  return 0;
}
