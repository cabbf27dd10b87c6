// SPDX-License-Identifier: MIT
// Reports progress to the listener, and stop requests to the work.
#include <mutex>

#include "dermis/base.h"

namespace dermis {

struct Progress::Hearing {
  Listener listener;
  std::mutex mutex;
};

Progress::Progress(Listener listener, const std::atomic<bool>* stop) : stop_(stop) {
  if (!listener) return;
  hearing_ = std::make_shared<Hearing>();
  hearing_->listener = std::move(listener);
}

Progress Progress::part(double from, double to) const {
  Progress part = *this;
  part.from_ = from_ + from * (to_ - from_);
  part.to_ = from_ + to * (to_ - from_);
  return part;
}

Status Progress::at(std::string_view stage, double fraction) const {
  if (hearing_ && !is_stopped()) {
    const std::lock_guard lock(hearing_->mutex);
    hearing_->listener(stage, from_ + fraction * (to_ - from_));
  }
  // Checked again after the listener ran: the listener may set the flag.
  if (is_stopped()) return Error{Errc::cancelled, "stopped on request while " + std::string(stage)};
  return Done{};
}

}  // namespace dermis
