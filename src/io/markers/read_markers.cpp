// SPDX-License-Identifier: MIT
// Reads marker files: as Markers, and as a character with a node for each marker.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/figure.h"
#include "io/formats.h"
#include "io/markers/parse.h"
#include "io/utf8.h"

namespace dermis {
namespace {

struct UnitSpelling {
  const char* name;
  double metres;
};
constexpr std::array<UnitSpelling, 18> kUnitSpellings{{{"mm", 0.001},
                                                       {"millimeter", 0.001},
                                                       {"millimetre", 0.001},
                                                       {"cm", 0.01},
                                                       {"centimeter", 0.01},
                                                       {"centimetre", 0.01},
                                                       {"dm", 0.1},
                                                       {"m", 1},
                                                       {"meter", 1},
                                                       {"metre", 1},
                                                       {"in", 0.0254},
                                                       {"inch", 0.0254},
                                                       {"inche", 0.0254},
                                                       {"ft", 0.3048},
                                                       {"foot", 0.3048},
                                                       {"feet", 0.3048},
                                                       {"um", 1e-6},
                                                       {"km", 1000}}};

// The spread of the markers about their mean, summed over the frames. A body is tallest along its own axis at
// every moment, however far it walks.
Vec3d spread_of(const Markers& markers) {
  Vec3d spread;
  for (std::size_t frame = 0; frame < markers.frame_count; ++frame) {
    Vec3d sum, squares;
    double count = 0;
    for (std::size_t m = 0; m < markers.marker_count(); ++m) {
      const std::size_t k = markers.index(frame, m);
      if (!markers.is_seen[k]) continue;
      const Vec3d point(markers.points[k]);
      sum += point;
      squares += Vec3d{point.x * point.x, point.y * point.y, point.z * point.z};
      count += 1;
    }
    for (int axis = 0; axis < 3 && count > 0; ++axis)
      spread[axis] += squares[axis] - sum[axis] * sum[axis] / count;
  }
  return spread;
}

// The tallest frame: people crouch and jump, but stand upright at some time.
double height_of(const Markers& markers, UpAxis up) {
  double height = 0;
  for (std::size_t frame = 0; frame < markers.frame_count; ++frame) {
    Box box;
    for (std::size_t m = 0; m < markers.marker_count(); ++m) {
      const std::size_t k = markers.index(frame, m);
      if (markers.is_seen[k]) box.add(Vec3d(markers.points[k]));
    }
    if (box.is_empty()) continue;
    height = std::max(height, up == UpAxis::z ? box.upper.z - box.lower.z : box.upper.y - box.lower.y);
  }
  return height;
}

UpAxis up_of(const Markers& markers, UpAxis asked, Notes& notes) {
  const UpAxis stated = asked != UpAxis::guess ? asked : markers.up;
  return choose_up(stated, stated == UpAxis::guess ? spread_of(markers) : Vec3d{}, "the markers", notes);
}

Result<Markers> parse_markers(std::span<const std::byte> bytes, const std::string& path,
                              const LoadOptions& options) {
  MemoryBudget budget(options.max_memory);
  const std::string extension = extension_of(path);
  if (extension != ".c3d" && extension != ".trc")
    return Error{Errc::unsupported,
                 fmt::format("{}: markers are read from .c3d and .trc, not from '{}'", path, extension)};
  Result<Markers> markers =
      extension == ".c3d" ? parse_c3d(bytes, path, budget) : parse_trc(text_of(bytes), path, budget);
  if (!markers || !markers->is_unit_guessed) return markers;
  Notes of_axis;  // the unit needs only the axis; the caller notes the rotation
  const UpAxis up = up_of(*markers, options.up, of_axis);
  const std::string why = markers->units.empty()
                              ? std::string(kUnitNotSaid)
                              : fmt::format("the file's unit {} is not known", quoted_name(markers->units));
  markers->metres_per_unit =
      guess_unit(height_of(*markers, up), why, options.metres_per_unit, markers->notes);
  return markers;
}

// A key for each frame in which the marker is seen, rotated to Y up.
Channel channel_of(const Markers& markers, std::size_t m, const Quatd& turn) {
  Channel channel{ChannelPath::translation, static_cast<Index>(m), Interpolation::linear, {}, {}};
  for (std::size_t frame = 0; frame < markers.frame_count; ++frame) {
    const std::size_t k = markers.index(frame, m);
    if (!markers.is_seen[k]) continue;
    const Vec3 point(rotate(turn, Vec3d(markers.points[k])));
    channel.times.push_back(static_cast<float>(static_cast<double>(frame) / markers.rate));
    channel.values.insert(channel.values.end(), {point.x, point.y, point.z});
  }
  return channel;
}

void note_gaps(const Markers& markers, const Clip& clip, Notes& notes) {
  const auto gaps =
      static_cast<std::size_t>(std::count(markers.is_seen.begin(), markers.is_seen.end(), false));
  if (gaps == 0) return;
  const std::size_t whole = static_cast<std::size_t>(
      std::count_if(clip.channels.begin(), clip.channels.end(),
                    [&](const Channel& channel) { return channel.times.size() == markers.frame_count; }));
  const std::size_t unseen = markers.marker_count() - clip.channels.size();
  notes.push_back(
      {Note::Kind::info, "marker-gaps",
       fmt::format(
           "{} of {} samples are gaps, in {} of {} markers ({} never seen); gaps are interpolated linearly",
           gaps, markers.is_seen.size(), markers.marker_count() - whole, markers.marker_count(), unseen)});
}

Character character_of(const Markers& markers, const std::string& name, const Quatd& turn) {
  Character character;
  character.name = name;
  character.metres_per_unit = markers.metres_per_unit;
  character.is_unit_guessed = markers.is_unit_guessed;
  Clip clip;
  clip.name = name;
  for (std::size_t m = 0; m < markers.marker_count(); ++m) {
    Channel channel = channel_of(markers, m, turn);
    Node node;
    node.name = markers.labels[m];
    if (!channel.times.empty()) {
      node.rest.translation = {channel.values[0], channel.values[1], channel.values[2]};
      clip.channels.push_back(std::move(channel));
    }
    character.nodes.push_back(std::move(node));
  }
  if (!clip.channels.empty()) character.clips.push_back(std::move(clip));
  return character;
}

}  // namespace

std::optional<double> metres_of_unit(std::string_view spelling) {
  std::string lower(spelling);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.size() > 2 && lower.ends_with('s')) lower.pop_back();
  for (const UnitSpelling& unit : kUnitSpellings) {
    if (lower == unit.name) return unit.metres;
  }
  return std::nullopt;
}

void add_label(Markers& markers, std::string_view label, std::size_t& recoded) {
  markers.labels.push_back(as_utf8(label));
  recoded += markers.labels.back() == label ? 0 : 1;
}

void note_recoded(Markers& markers, std::size_t recoded) {
  if (recoded == 0) return;
  markers.notes.push_back(
      {Note::Kind::repair, "names-not-utf8",
       fmt::format(
           "{} letters that are not UTF-8, read as Latin-1, or control characters, replaced by spaces",
           counted(recoded, "label had", "labels had"))});
}

void name_unnamed(Markers& markers) {
  std::size_t unnamed = 0;
  for (std::size_t m = 0; m < markers.labels.size(); ++m) {
    if (!markers.labels[m].empty()) continue;
    markers.labels[m] = fmt::format("marker {}", m + 1);
    ++unnamed;
  }
  if (unnamed > 0)
    markers.notes.push_back(
        {Note::Kind::repair, "markers-unnamed",
         fmt::format("{} number", counted(unnamed, "marker has no label and is named by its",
                                          "markers have no label and are named by their"))});
}

Result<Asset> read_markers(FileSource source, const LoadOptions& options, const Progress& progress) {
  if (Status going = progress.at("reading markers", 0); !going) return going.error();
  Result<Markers> markers = parse_markers(source.bytes, source.path, options);
  if (!markers) return markers.error();
  Asset asset;
  asset.notes = std::move(markers->notes);
  const UpAxis up = up_of(*markers, options.up, asset.notes);
  asset.reading.is_turned = up == UpAxis::z;
  asset.character =
      character_of(*markers, as_utf8(stem_of(source.path)), up == UpAxis::z ? y_up_from_z_up() : Quatd{});
  note_gaps(*markers, asset.character.clips.empty() ? Clip{} : asset.character.clips[0], asset.notes);
  if (Status valid = validate(asset.character); !valid) return prefixed(source.path, valid.error());
  return asset;
}

Result<Markers> load_markers(const std::string& path, const LoadOptions& options) {
  return without_throwing(path, [&]() -> Result<Markers> {
    const Result<Bytes> bytes = read_file(path, options.max_memory);
    if (!bytes) return bytes.error();
    return parse_markers(*bytes, path, options);
  });
}

Result<Markers> load_markers_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                         const LoadOptions& options) {
  return without_throwing(name, [&]() -> Result<Markers> { return parse_markers(bytes, name, options); });
}

}  // namespace dermis
