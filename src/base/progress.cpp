// SPDX-License-Identifier: MIT
// Tells the listener how far the work is and the work that it should stop.
#include "dermis/base.h"

namespace dermis {

Status Progress::at(std::string_view stage, double fraction) const {
  if (listener_ && !is_stopped()) listener_(stage, fraction);
  // Asked again after the listener ran: a listener may be what sets the flag.
  if (is_stopped()) return Error{Errc::cancelled, "stopped on request while " + std::string(stage)};
  return Done{};
}

}  // namespace dermis
