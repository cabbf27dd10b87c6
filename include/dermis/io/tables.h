// SPDX-License-Identifier: MIT
// Text and number files beside characters: takes of weights, maps of shapes, matrices, keys by hand.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dermis/base.h"
#include "dermis/model.h"
#include "dermis/model/takes.h"

namespace dermis {

// ---- Weights over time ----------------------------------------------------------------------------------

struct LoadedTake {
  WeightTake take;
  double fps = 0;  // rows per second: as stated, else the usual distance of rows
  Notes notes;
};
// A .csv (commas, semicolons or tabs) with a line of names and a row per moment. Columns that state time are
// Timecode (Live Link Face), Frame with FPS and SubFrame, or time in seconds; the others are weights. Cells
// that are empty or no numbers keep the value of the row before, rows that do not advance are left out, each
// with a note. `fps` above zero replaces the rate of frames and rows that state none.
Result<LoadedTake> load_weight_take(const std::string& path, double fps = 0);
// The same from memory; `name` replaces the path in sentences.
Result<LoadedTake> load_weight_take_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                                double fps = 0);

// ---- Maps of shapes -------------------------------------------------------------------------------------

// A text file, one row per line: `smile_L = 0.8*mouthSmileLeft + 0.2*mouthDimpleLeft`. Names with blanks or
// signs are in double quotes; # begins a comment. Refuses anything else, and a target with two rows.
Result<std::vector<ShapeMapRow>> load_shape_map(const std::string& path);
Result<std::vector<ShapeMapRow>> load_shape_map_from_memory(std::span<const std::byte> bytes,
                                                            const std::string& name);
std::string shape_map_text(std::span<const ShapeMapRow> rows);
// Writes a map, completely or not at all.
Status save_shape_map(const std::string& path, std::span<const ShapeMapRow> rows);

// ---- Matrices -------------------------------------------------------------------------------------------

// A matrix of numbers with a name for each column.
struct NumberTable {
  std::size_t row_count = 0, column_count = 0;
  std::vector<double> values;      // column by column
  std::vector<std::string> names;  // one per column, or none: the file has no names
};
// A .npy (NumPy, formats 1 to 3: float32 or float64 of either byte order, C or Fortran order, one or two
// dimensions) or a .csv (names in the first line, then a line per row). The names of a .npy are the lines of
// NAME.names.txt beside it, if there is one. Memory is bounded by a multiple of the file's size.
Result<NumberTable> load_number_table(const std::string& path);
// The same from memory, without names for .npy; the extension of `name` determines the format.
Result<NumberTable> load_number_table_from_memory(std::span<const std::byte> bytes, const std::string& name);
// Writes .npy, version 1.0, with its names beside it, or .csv; completely or not at all. Numbers in .csv read
// back exactly.
enum class NumberWidth : std::uint8_t { float32, float64 };
Status save_number_table(const std::string& path, const NumberTable& table,
                         NumberWidth width = NumberWidth::float32);
// "shapes.names.txt" for "shapes.npy".
std::string names_beside(const std::string& path);

// ---- Keys by hand ---------------------------------------------------------------------------------------

// A .json: poses at times. Its schema is in docs/conventions.md.
Result<KeyedPoses> load_keys(const std::string& path);
Result<KeyedPoses> load_keys_from_memory(std::span<const std::byte> bytes, const std::string& name);
std::string keys_text(const KeyedPoses& keys);
// Writes such a file, completely or not at all.
Status save_keys(const std::string& path, const KeyedPoses& keys);

}  // namespace dermis
