// SPDX-License-Identifier: MIT
// The parsers of marker files, and their shared helpers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dermis/io.h"
#include "io/gltf/document.h"

namespace dermis {

// Bytes that one marker in one frame needs: its point, whether it is seen, and its key.
inline constexpr std::uint64_t kMarkerSampleBytes = sizeof(Vec3) + 1 + 4 * sizeof(float);
// Bytes that a marker needs in any case: its label and its node.
inline constexpr std::uint64_t kMarkerBytes = 2 * sizeof(std::string) + sizeof(Node) + sizeof(Channel);
// Key times are float: beyond this, neighbouring frames would get the same time.
inline constexpr std::size_t kMaxMarkerFrames = std::size_t{1} << 24;

// Everything except the unit if the file does not state it: guessing it needs the figure.
Result<Markers> parse_c3d(std::span<const std::byte> bytes, const std::string& path, MemoryBudget& budget);
Result<Markers> parse_trc(std::string_view text, const std::string& path, MemoryBudget& budget);

// "mm", "Centimeters" and so on; nullopt if it is not known.
std::optional<double> metres_of_unit(std::string_view spelling);

// The rate of many laboratories; only for files without a usable rate.
inline constexpr double kUsualRate = 100;
// True for any plausible number of frames per second.
inline bool is_usable_rate(double rate) { return rate >= 1e-4 && rate <= 1e5; }

// Adds a label as UTF-8, and counts it if it was not.
void add_label(Markers& markers, std::string_view label, std::size_t& recoded);
// Notes how many labels were not UTF-8.
void note_recoded(Markers& markers, std::size_t recoded);
// Labels for markers that have none: "marker 12", from 1, with a note.
void name_unnamed(Markers& markers);

}  // namespace dermis
