// SPDX-License-Identifier: MIT
// Clips of a garment: joined with those of the body, or added.
#include <algorithm>
#include <cmath>

#include "ops/combine/garment.h"
#include "ops/merge/merge.h"

namespace dermis {
namespace {

// Clips whose lengths differ by less than this, in seconds, are the same motion.
constexpr float kSameLength = 0.02f;

// The channels that the result can play. Keys of matched joints hold if the axes are the same.
Clip translated_clip(GarmentBeingAdded& adding, Clip clip, Index first_instance,
                     const std::vector<Index>& controls, bool has_body_keys, std::size_t& lost_count) {
  Clip kept{clip.name, {}};
  for (Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::control) {
      channel.target = controls[at(channel.target)];
    } else if (channel.path == ChannelPath::shape_weights) {
      channel.target += first_instance;
    } else {
      const Index node = channel.target;
      if (adding.place[at(node)] == kNone) continue;  // moves nothing
      if (adding.match[at(node)] != kNone) {
        if (has_body_keys) continue;  // the body's own keys are used
        if (!adding.is_alike) {
          ++lost_count;
          continue;
        }
      }
      channel.target = adding.place[at(node)];
    }
    kept.channels.push_back(std::move(channel));
  }
  return kept;
}

}  // namespace

void add_clips(GarmentBeingAdded& adding, Index first_instance, const std::vector<Index>& controls) {
  Character& body = adding.body;
  const std::size_t own_count = body.clips.size();
  std::size_t lost_count = 0, empty_count = 0, joined_count = 0;
  for (const Clip& clip : adding.garment.clips) {
    const auto is_same = [&](const Clip& other) {
      return other.name == clip.name && std::abs(other.end() - clip.end()) <= kSameLength;
    };
    const auto end = body.clips.begin() + static_cast<std::ptrdiff_t>(own_count);
    const auto same = std::find_if(body.clips.begin(), end, is_same);
    Clip kept = translated_clip(adding, clip, first_instance, controls, same != end, lost_count);
    if (same != end) {
      ++joined_count;
      join_channels(std::move(kept.channels), *same);
      continue;
    }
    if (kept.channels.empty()) {
      ++empty_count;
      continue;
    }
    // Clips without a name need none of their own.
    if (!kept.name.empty()) kept.name = free_clip_name(body.clips, kept.name);
    if (kept.name != clip.name)
      adding.note(Note::Kind::info, "clip-renamed",
                  fmt::format("clip {} became {}: the name was taken", quoted_name(clip.name),
                              quoted_name(kept.name)));
    body.clips.push_back(std::move(kept));
    ++adding.part.clip_count;
  }
  if (joined_count > 0)
    adding.note(Note::Kind::info, "clips-joined",
                fmt::format("{} that the body has too {} the body's keys for the body's joints",
                            counted(joined_count, "clip", "clips"), joined_count == 1 ? "uses" : "use"));
  if (empty_count > 0)
    adding.note(Note::Kind::loss, "clips-left-out",
                fmt::format("{} left out, because nothing in the result would move",
                            counted(empty_count, "clip was", "clips were")));
  if (lost_count > 0)
    adding.note(Note::Kind::loss, "keys-left-out",
                fmt::format("its keys for {} were left out, because the body's have other axes; 'dermis "
                            "animate' can retarget its clips",
                            counted(lost_count, "channel of matched joints", "channels of matched joints")));
}

}  // namespace dermis
