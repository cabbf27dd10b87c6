// SPDX-License-Identifier: MIT
// Joins the animations of a Collada document clip by clip, by blanking tags: nothing else moves.
#include "collada.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "io/text.h"

namespace dermis::import {
namespace {

// Each clip costs another reading of the document, and the time of an import is limited.
constexpr std::size_t kMostColladaClips = 500;

Error not_joined(std::string reason) { return {Errc::unsupported, std::move(reason)}; }

struct Tag {
  std::size_t at = 0, end = 0;
  std::string_view name, attributes;
  bool is_closing = false, is_empty = false;
};

// The next tag from `at` on; `at` moves past it. Comments, declarations and CDATA are skipped.
std::optional<Tag> next_tag(std::string_view text, std::size_t& at) {
  while (true) {
    at = text.find('<', at);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view skipped_to = text.substr(at).starts_with("<!--")        ? "-->"
                                  : text.substr(at).starts_with("<![CDATA[") ? "]]>"
                                  : text.substr(at).starts_with("<?")        ? "?>"
                                  : text.substr(at).starts_with("<!")        ? ">"
                                                                             : "";
    if (skipped_to.empty()) break;
    at = text.find(skipped_to, at);
    if (at == std::string_view::npos) return std::nullopt;
  }
  Tag tag;
  tag.at = at;
  char quote = 0;
  std::size_t end = at + 1;
  for (; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
    if (quote == 0 && (text[end] == '"' || text[end] == '\'')) {
      quote = text[end];
    } else if (text[end] == quote) {
      quote = 0;
    }
  }
  if (end == text.size()) return std::nullopt;
  tag.end = at = end + 1;
  std::string_view inside = text.substr(tag.at + 1, end - tag.at - 1);
  tag.is_closing = inside.starts_with('/');
  tag.is_empty = inside.ends_with('/');
  if (tag.is_closing) inside.remove_prefix(1);
  if (tag.is_empty) inside.remove_suffix(1);
  const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n"), inside.size());
  tag.name = inside.substr(0, name_end);
  tag.attributes = inside.substr(name_end);
  return tag;
}

std::string_view attribute(const Tag& tag, std::string_view name) {
  std::string_view rest = tag.attributes;
  while (true) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return {};
    std::string_view key = rest.substr(0, equals);
    while (!key.empty() && (is_blank(key.front()) || key.front() == '\n')) key.remove_prefix(1);
    const std::size_t open = rest.find_first_of("\"'", equals);
    if (open == std::string_view::npos) return {};
    const std::size_t close = rest.find(rest[open], open + 1);
    if (close == std::string_view::npos) return {};
    if (trimmed(key) == name) return rest.substr(open + 1, close - open - 1);
    rest.remove_prefix(close + 1);
  }
}

double seconds_of(std::string_view number) { return parse_number<double>(trimmed(number)).value_or(0); }

class ColladaScan {
 public:
  explicit ColladaScan(std::string_view text) : text_(text) {}

  ColladaClips found;

  Status read() {
    std::size_t at = 0;
    while (const std::optional<Tag> tag = next_tag(text_, at)) {
      if (tag->name == "library_animations") {
        library_ += tag->is_closing ? 0 : 1;
        if (depth_ != 0) return mismatch();
      } else if (tag->name == "animation") {
        if (!add_animation_tag(*tag)) return mismatch();
      } else if (tag->name == "sampler" && depth_ > 0 && !tag->is_closing) {
        if (!samplers_.insert(std::string(attribute(*tag, "id"))).second)
          return not_joined("its samplers share ids");
      } else {
        add_clip_tag(*tag);
      }
    }
    return depth_ == 0 ? Status(Done{}) : Status(mismatch());
  }

 private:
  static Error mismatch() { return not_joined("its <animation> tags do not match"); }

  // False if it closes nothing.
  bool add_animation_tag(const Tag& tag) {
    if (tag.is_empty) return true;
    if (tag.is_closing) {
      if (depth_ == 0) return false;
      ColladaAnimation& last = found.animations.back();
      if (--depth_ == 0) {
        last.close = {tag.at, tag.end};
        last.whole.end = tag.end;
      } else {
        last.inner_tags.push_back({tag.at, tag.end});
      }
      return true;
    }
    if (depth_++ == 0) {
      ColladaAnimation& made = found.animations.emplace_back();
      made.library = library_;
      const std::string_view name = attribute(tag, "name");
      made.name = std::string(name.empty() ? attribute(tag, "id") : name);
      made.whole = made.open = {tag.at, tag.end};
    } else {
      found.animations.back().inner_tags.push_back({tag.at, tag.end});
    }
    found.animations.back().ids.insert(std::string(attribute(tag, "id")));
    return true;
  }

  void add_clip_tag(const Tag& tag) {
    if (tag.name == "library_animation_clips" && !tag.is_empty) {
      if (!tag.is_closing) found.clip_libraries.push_back({tag.at, tag.end});
      if (!found.clip_libraries.empty()) found.clip_libraries.back().end = tag.end;
    } else if (tag.name == "animation_clip" && !tag.is_closing) {
      const std::string_view name = attribute(tag, "name");
      found.clips.push_back({std::string(name.empty() ? attribute(tag, "id") : name),
                             seconds_of(attribute(tag, "start")),
                             seconds_of(attribute(tag, "end")),
                             {}});
    } else if (tag.name == "instance_animation" && !tag.is_closing && !found.clips.empty()) {
      const std::string_view url = attribute(tag, "url");
      found.clips.back().animations.emplace_back(url.substr(url.starts_with('#') ? 1 : 0));
    }
  }

  std::string_view text_;
  std::size_t library_ = 0, depth_ = 0;
  std::set<std::string, std::less<>> samplers_;
};

void blank(std::string& text, const TextRange& range) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(range.at),
            text.begin() + static_cast<std::ptrdiff_t>(range.end), ' ');
}

bool is_in_clip(const ColladaAnimation& animation, const ColladaClip& clip) {
  return std::any_of(clip.animations.begin(), clip.animations.end(),
                     [&](const std::string& id) { return animation.ids.contains(id); });
}

}  // namespace

Result<ColladaClips> read_collada_clips(std::string_view document) {
  ColladaScan scan(document);
  if (Status read = scan.read(); !read) return read.error();
  if (scan.found.animations.empty()) return not_joined("its text is not UTF-8, or is packed");
  if (scan.found.clips.size() > kMostColladaClips)
    return not_joined(fmt::format("it lists {} clips; at most {} are read one by one",
                                  scan.found.clips.size(), kMostColladaClips));
  return std::move(scan.found);
}

std::string with_joined_animations(std::string_view document, const ColladaClips& clips, std::size_t clip) {
  const auto is_wanted = [&](const ColladaAnimation& animation) {
    return clip == kEveryAnimation || (clip != kNoAnimation && is_in_clip(animation, clips.clips[clip]));
  };
  std::string text(document);
  for (const TextRange& library : clips.clip_libraries) blank(text, library);
  const auto wanted_count = std::count_if(clips.animations.begin(), clips.animations.end(), is_wanted);
  const ColladaAnimation* last = nullptr;  // whose closing tag still stands
  for (const ColladaAnimation& animation : clips.animations) {
    if (!is_wanted(animation)) {
      blank(text, animation.whole);
      continue;
    }
    for (const TextRange& tag : animation.inner_tags) blank(text, tag);
    if (last != nullptr && last->library == animation.library) {
      blank(text, last->close);
      blank(text, animation.open);
    } else if (wanted_count > 1) {
      // The name of one of many is not that of all.
      constexpr std::string_view kNameless = "<animation>";
      blank(text, animation.open);
      text.replace(animation.open.at, kNameless.size(), kNameless);
    }
    last = &animation;
  }
  return text;
}

std::size_t unused_animations(const ColladaClips& clips) {
  if (clips.clips.empty()) return 0;
  return static_cast<std::size_t>(
      std::count_if(clips.animations.begin(), clips.animations.end(), [&](const ColladaAnimation& animation) {
        return std::none_of(clips.clips.begin(), clips.clips.end(),
                            [&](const ColladaClip& clip) { return is_in_clip(animation, clip); });
      }));
}

}  // namespace dermis::import
