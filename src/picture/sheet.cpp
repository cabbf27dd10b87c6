// SPDX-License-Identifier: MIT
// Contact sheets: pictures in rows with their labels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "dermis/picture.h"

namespace dermis {
namespace {

constexpr int kMostSheetSide = 32768;
constexpr std::array<std::uint8_t, 3> kSheetPaper{255, 255, 255};
// Text that does not fit shrinks to at least this fraction of its size, then loses its end.
constexpr double kSmallest = 0.7;
// The widest row labels, as a fraction of a cell's width.
constexpr double kWidestLabels = 0.5;
// The line spacing of a label, in heights of its capitals.
constexpr double kLineStep = 1.8;

struct Grid {
  std::size_t columns = 1, rows = 1;
};

// Labels determine the numbers of rows and columns; without labels a sheet is roughly square.
Grid grid_of(const Sheet& sheet) {
  const std::size_t count = sheet.cells.size();
  Grid grid;
  if (!sheet.columns.empty()) {
    grid.columns = sheet.columns.size();
  } else if (!sheet.rows.empty()) {
    grid.columns = (count + sheet.rows.size() - 1) / sheet.rows.size();
  } else {
    grid.columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  }
  grid.rows = (count + grid.columns - 1) / grid.columns;
  return grid;
}

// There is one.
const Pixels& first_picture(const Sheet& sheet) {
  return *std::find_if(sheet.cells.begin(), sheet.cells.end(),
                       [](const Pixels& cell) { return !cell.empty(); });
}

Status check(const Sheet& sheet, const Grid& grid) {
  const Pixels& first = first_picture(sheet);
  for (const Pixels& cell : sheet.cells) {
    if (cell.empty()) continue;
    if (cell.width != first.width || cell.height != first.height) {
      return Error{Errc::bad_argument, "the pictures of a contact sheet must have the same size"};
    }
  }
  // Only rows without labels may end early.
  if (!sheet.rows.empty() && grid.columns * grid.rows != sheet.cells.size()) {
    return Error{Errc::bad_argument, fmt::format("{} pictures do not fill {} columns of a contact sheet",
                                                 sheet.cells.size(), grid.columns)};
  }
  if (!sheet.rows.empty() && sheet.rows.size() != grid.rows) {
    return Error{Errc::bad_argument,
                 fmt::format("a contact sheet of {} rows has {} row labels", grid.rows, sheet.rows.size())};
  }
  if (!sheet.captions.empty() && sheet.captions.size() != sheet.cells.size()) {
    return Error{Errc::bad_argument, fmt::format("{} pictures of a contact sheet have {} captions",
                                                 sheet.cells.size(), sheet.captions.size())};
  }
  return Done{};
}

// The layout, in pixels.
struct SheetLayout {
  double text = 12;  // height of capitals in labels
  int gap = 8;       // around and between cells
  int labels = 0;    // width of row labels
  int left = 0, top = 0;
  int step_x = 0, step_y = 0;  // from cell to cell
  int width = 0, height = 0;

  int x(std::size_t column) const { return left + static_cast<int>(column) * step_x; }
  int y(std::size_t row) const { return top + static_cast<int>(row) * step_y; }
};

TextStyle label_style(const SheetLayout& l, bool is_bold) {
  TextStyle style;
  style.size = l.text;
  style.is_bold = is_bold;
  return style;
}

std::vector<std::string> lines_of(const std::string& label) {
  std::vector<std::string> lines;
  std::istringstream text(label);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

bool has_headings(const Sheet& sheet) {
  return std::any_of(sheet.columns.begin(), sheet.columns.end(),
                     [](const std::string& heading) { return !heading.empty(); });
}

SheetLayout layout_of(const Sheet& sheet, const Grid& grid) {
  const Pixels& cell = first_picture(sheet);
  SheetLayout l;
  l.text = std::clamp(std::min(cell.width, cell.height) * 0.036, 9.0, 40.0);
  l.gap = static_cast<int>(std::lround(l.text * 0.7));
  const int line = static_cast<int>(std::lround(l.text * 2.2));
  double widest = 0;
  for (const std::string& row : sheet.rows) {
    for (const std::string& text : lines_of(row))
      widest = std::max(widest, text_width(text, label_style(l, true)));
  }
  l.labels = std::min(static_cast<int>(std::ceil(widest)), static_cast<int>(kWidestLabels * cell.width));
  l.left = l.gap + (l.labels > 0 ? l.labels + l.gap : 0);
  l.top = l.gap + (sheet.title.empty() ? 0 : line + line / 2) + (has_headings(sheet) ? line : 0);
  l.step_x = cell.width + l.gap;
  l.step_y = cell.height + l.gap + (sheet.captions.empty() ? 0 : line);
  l.width = l.x(grid.columns);
  l.height = l.y(grid.rows);
  return l;
}

// `text` without its last letter, which may be several bytes of UTF-8.
void cut_letter(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0u) == 0x80u) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Shrinks `text` as needed to fit into `width`, then cuts off its end.
void fit_text(double width, std::string& text, TextStyle& style) {
  const double natural = text_width(text, style);
  if (natural <= width) return;
  style.size *= std::max(width / natural, kSmallest);
  if (text_width(text, style) <= width) return;
  while (!text.empty() && text_width(text + "...", style) > width) cut_letter(text);
  text += "...";
}

// Centred between `left` and `left + width`, or as much of it as fits.
void draw_centred(Pixels& pixels, double left, double width, double base, std::string text, TextStyle style) {
  fit_text(width, text, style);
  draw_text(pixels, left + (width - text_width(text, style)) / 2, base, text, style);
}

// A line starting at `left`.
void draw_fitted(Pixels& pixels, double left, double width, double base, std::string text, TextStyle style) {
  fit_text(width, text, style);
  draw_text(pixels, left, base, text, style);
}

void copy_cell(const Pixels& cell, int left, int top, Pixels& sheet) {
  for (int y = 0; y < cell.height; ++y) {
    std::copy_n(cell.at(0, y), 4 * static_cast<std::size_t>(cell.width), sheet.at(left, top + y));
  }
}

void draw_labels(const Sheet& sheet, const SheetLayout& l, Pixels& pixels) {
  const Pixels& cell = first_picture(sheet);
  const TextStyle bold = label_style(l, true);
  TextStyle title = bold;
  title.size *= 1.4;
  draw_fitted(pixels, l.gap, l.width - 2 * l.gap, l.gap + 1.7 * title.size, sheet.title, title);
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    draw_centred(pixels, l.x(c), cell.width, l.top - 0.7 * l.text, sheet.columns[c], bold);
  }
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    const std::vector<std::string> lines = lines_of(sheet.rows[r]);
    const double line = kLineStep * l.text;
    double base =
        l.y(r) + cell.height / 2.0 + l.text / 2 - line * (static_cast<double>(lines.size()) - 1) / 2;
    for (const std::string& text : lines) {
      draw_fitted(pixels, l.gap, l.labels, base, text, bold);
      base += line;
    }
  }
  for (std::size_t k = 0; k < sheet.captions.size(); ++k) {
    const std::size_t columns = grid_of(sheet).columns;
    const double base = l.y(k / columns) + cell.height + 1.6 * l.text;
    draw_centred(pixels, l.x(k % columns), cell.width, base, sheet.captions[k], label_style(l, false));
  }
}

}  // namespace

Result<Pixels> contact_sheet(const Sheet& sheet) {
  return without_throwing("making a contact sheet", [&]() -> Result<Pixels> {
    if (std::all_of(sheet.cells.begin(), sheet.cells.end(), [](const Pixels& cell) { return cell.empty(); }))
      return Error{Errc::bad_argument, "a contact sheet needs at least one picture"};
    const Grid grid = grid_of(sheet);
    if (const Status checked = check(sheet, grid); !checked) return checked.error();
    const SheetLayout l = layout_of(sheet, grid);
    if (l.width > kMostSheetSide || l.height > kMostSheetSide) {
      return Error{Errc::too_large,
                   fmt::format("a contact sheet of {} x {} pixels is too large; at most {} per side", l.width,
                               l.height, kMostSheetSide)};
    }
    Pixels pixels = blank_pixels(l.width, l.height, kSheetPaper[0], kSheetPaper[1], kSheetPaper[2]);
    for (std::size_t k = 0; k < sheet.cells.size(); ++k) {
      copy_cell(sheet.cells[k], l.x(k % grid.columns), l.y(k / grid.columns), pixels);
    }
    draw_labels(sheet, l, pixels);
    return pixels;
  });
}

}  // namespace dermis
