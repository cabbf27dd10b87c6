// SPDX-License-Identifier: MIT
// Sequences of mesh files, one per frame, named by a pattern with a number in it.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "io/cache/cache.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/text.h"

namespace dermis {
namespace fs = std::filesystem;
namespace {

// A file name with a number in it: "walk_", at least 4 digits, ".obj".
struct Pattern {
  std::string folder, before, behind;
  std::size_t width = 1;
};

std::optional<Pattern> hash_pattern(const std::string& name) {
  const std::size_t first = name.find('#');
  if (first == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(name.find_first_not_of('#', first), name.size());
  if (name.find('#', end) != std::string::npos) return std::nullopt;
  return Pattern{"", name.substr(0, first), name.substr(end), end - first};
}

// %d, %4d, %04d
std::optional<Pattern> printf_pattern(const std::string& name) {
  const std::size_t first = name.find('%');
  if (first == std::string::npos) return std::nullopt;
  const std::size_t end = name.find('d', first);
  if (end == std::string::npos) return std::nullopt;
  const std::string digits = name.substr(first + 1, end - first - 1);
  const std::optional<std::size_t> width = digits.empty() ? 1 : parse_number<std::size_t>(digits);
  constexpr std::size_t kWidest = 18;  // digits of the largest frame number
  if (!width || *width > kWidest) return std::nullopt;
  return Pattern{"", name.substr(0, first), name.substr(end + 1), std::max<std::size_t>(*width, 1)};
}

std::optional<Pattern> pattern_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  std::optional<Pattern> pattern = hash_pattern(name);
  if (!pattern) pattern = printf_pattern(name);
  if (pattern) pattern->folder = folder_of(path);
  return pattern;
}

struct NumberedFile {
  std::int64_t number = 0;
  std::string path;
};

// Every file that matches the pattern, by number. Two spellings of one number (7 and 07) are both found; the
// caller refuses them.
std::vector<NumberedFile> files_of(const Pattern& pattern) {
  std::vector<NumberedFile> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(pattern.folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(pattern.before) || !name.ends_with(pattern.behind) ||
        name.size() < pattern.before.size() + pattern.width + pattern.behind.size())
      continue;
    const std::string digits =
        name.substr(pattern.before.size(), name.size() - pattern.before.size() - pattern.behind.size());
    const bool is_plain =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::optional<std::int64_t> number = parse_number<std::int64_t>(digits);
    if (is_plain && number) files.push_back({*number, entry.path().string()});
  }
  std::sort(files.begin(), files.end(),
            [](const NumberedFile& a, const NumberedFile& b) { return a.number < b.number; });
  return files;
}

Error no_such_file(const std::string& path) {
  return {Errc::unreadable, fmt::format("{}: there is no file with such a name", path)};
}

// All points of a file, mesh by mesh.
Result<std::vector<Vec3>> points_of(const NumberedFile& file, const CacheOptions& options, Notes& notes) {
  LoadOptions load_options;
  load_options.max_memory = options.max_memory;
  load_options.up = options.up;
  Result<Asset> asset = load(file.path, load_options);
  if (!asset) return asset.error();
  notes = std::move(asset->notes);
  std::vector<Vec3> points;
  for (const Mesh& mesh : asset->character.meshes)
    points.insert(points.end(), mesh.points.begin(), mesh.points.end());
  return points;
}

// Appends those notes of a further frame that no earlier frame had.
void append_new(const Notes& more, const std::string& path, Notes& notes) {
  for (const Note& note : more) {
    const auto is_alike = [&](const Note& said) { return said.id == note.id; };
    if (std::any_of(notes.begin(), notes.end(), is_alike)) continue;
    const bool names_it = note.sentence.find(path) != std::string::npos;
    notes.push_back(
        {note.kind, note.id, names_it ? note.sentence : fmt::format("{}: {}", path, note.sentence)});
  }
}

}  // namespace

bool is_sequence(const std::string& path) {
  std::error_code failed;
  // Single files may have such names too: take#1.glb.
  return is_still_file(path) && pattern_of(path).has_value() && !fs::is_regular_file(path, failed);
}

bool is_picture_sequence(const std::string& path) {
  return extension_of(path) == ".png" && pattern_of(path).has_value();
}

std::string sequence_path(const std::string& path, std::int64_t frame) {
  const std::optional<Pattern> found = pattern_of(path);
  assert(found);
  const Pattern& pattern = *found;
  const std::string name = fmt::format("{}{:0{}}{}", pattern.before, frame, pattern.width, pattern.behind);
  return (fs::path(path).parent_path() / name).string();
}

Result<std::string> first_of_sequence(const std::string& path) {
  return without_throwing(path, [&]() -> Result<std::string> {
    const std::vector<NumberedFile> files = files_of(*pattern_of(path));
    if (files.empty()) return no_such_file(path);
    return files.front().path;
  });
}

std::vector<std::string> files_of_sequence(const std::string& path) {
  std::vector<std::string> paths;
  for (NumberedFile& file : files_of(*pattern_of(path))) paths.push_back(std::move(file.path));
  return paths;
}

Result<CacheAsset> read_sequence(const std::string& path, const CacheOptions& options,
                                 const Progress& progress) {
  const std::vector<NumberedFile> files = files_of(*pattern_of(path));
  if (files.empty()) return no_such_file(path);
  CacheAsset asset;
  PointCache& cache = asset.cache;
  const double fps = options.fps.value_or(kDefaultFps);
  std::size_t gaps = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (Status going =
            progress.at("reading frames", static_cast<double>(k) / static_cast<double>(files.size()));
        !going)
      return going.error();
    if (k > 0 && files[k].number == files[k - 1].number)
      return Error{Errc::bad_file,
                   fmt::format("{}: has the same number as {}", files[k].path, files[k - 1].path)};
    gaps += k > 0 && files[k].number > files[k - 1].number + 1 ? 1 : 0;
    Notes notes;
    const Result<std::vector<Vec3>> points = points_of(files[k], options, notes);
    if (!points) return points.error();
    if (k == 0) {
      cache.point_count = points->size();
      asset.notes = std::move(notes);
      if (cache.point_count * files.size() > options.max_memory / sizeof(Vec3)) {
        return over_memory(fmt::format("{}: its {} frames of {} points need more memory than allowed", path,
                                       files.size(), cache.point_count));
      }
      cache.points.reserve(cache.point_count * files.size());
    } else {
      append_new(notes, files[k].path, asset.notes);
    }
    if (points->size() != cache.point_count) {
      return Error{Errc::bad_file, fmt::format("{}: has {} points, but {} has {}", files[k].path,
                                               points->size(), files[0].path, cache.point_count)};
    }
    cache.points.insert(cache.points.end(), points->begin(), points->end());
    cache.times.push_back(static_cast<float>(static_cast<double>(files[k].number) / fps));
    if (k > 0 && !(cache.times[k] > cache.times[k - 1]))
      return Error{
          Errc::bad_file,
          fmt::format("{}: its number is too large to distinguish it from the previous one", files[k].path)};
  }
  note_guessed_rate(options, asset.notes);
  if (gaps > 0) {
    asset.notes.push_back(
        {Note::Kind::info, "frames-missing",
         fmt::format("{} in time", counted(gaps, "gap in the numbers of its frames; kept as a gap",
                                           "gaps in the numbers of its frames; kept as gaps"))});
  }
  return asset;
}

}  // namespace dermis
