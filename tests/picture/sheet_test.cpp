// SPDX-License-Identifier: MIT
// Contact sheets hold every cell whole, in order, with their labels.
#include <gtest/gtest.h>

#include "drawings.h"

namespace dermis {
namespace {

// Each cell of a colour of its own.
Sheet sheet_of(std::size_t count) {
  Sheet sheet;
  for (std::size_t k = 0; k < count; ++k) {
    sheet.cells.push_back(blank_pixels(120, 80, static_cast<std::uint8_t>(10 + k), 77, 99));
  }
  return sheet;
}

// Where cell `k` stands, or -1, -1; checks that all of it is there.
std::pair<int, int> place_of(const Pixels& sheet, const Sheet& source, std::size_t k) {
  const std::array<int, 3> colour = test::colour_at(source.cells[k], 0, 0);
  for (int y = 0; y < sheet.height; ++y) {
    for (int x = 0; x < sheet.width; ++x) {
      if (test::colour_at(sheet, x, y) != colour) continue;
      for (int dy = 0; dy < 80; ++dy) {
        for (int dx = 0; dx < 120; ++dx) EXPECT_EQ(test::colour_at(sheet, x + dx, y + dy), colour);
      }
      return {x, y};
    }
  }
  return {-1, -1};
}

TEST(ContactSheet, HoldsEveryCellWholeRowAfterRow) {
  Sheet source = sheet_of(6);
  source.title = "humanoid, walking";
  source.columns = {"lbs", "dqs", "cor"};
  source.rows = {"0.0 s", "0.5 s"};
  source.captions = {
      "volume -38 %", "", "", "", "", "a caption that is much too long for the cell it stands under"};
  const Result<Pixels> sheet = contact_sheet(source);
  ASSERT_TRUE(sheet) << sheet.error().sentence;
  std::vector<std::pair<int, int>> places;
  for (std::size_t k = 0; k < 6; ++k) places.push_back(place_of(*sheet, source, k));
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(places[k].second, places[k / 3 * 3].second);
    EXPECT_EQ(places[k].first, places[k % 3].first);
    if (k % 3 > 0) {
      EXPECT_GE(places[k].first, places[k - 1].first + 120);
    }
  }
  EXPECT_GE(places[3].second, places[0].second + 80);
}

TEST(ContactSheet, WritesItsLabelsOutsideTheCells) {
  Sheet source = sheet_of(2);
  source.columns = {"lbs", "dqs"};
  const Pixels plain = *contact_sheet(source);
  const auto differences = [&](const Sheet& other) {
    const Pixels pixels = *contact_sheet(other);
    EXPECT_EQ(pixels.width, plain.width);
    for (std::size_t k = 0; k < 2; ++k) place_of(pixels, other, k);
    return test::count_different(pixels, plain);
  };
  Sheet relabelled = source;
  relabelled.columns[1] = "cor";
  EXPECT_GT(differences(relabelled), 10u);
}

TEST(ContactSheet, CutsLabelsOfRowsAndTitlesThatAreTooLong) {
  Sheet source = sheet_of(2);
  source.rows = {"short", "short"};
  const Pixels plain = *contact_sheet(source);
  source.title = "t";
  const int width = contact_sheet(source)->width;
  EXPECT_EQ(width, plain.width);
  // However long, they take half a cell and the width of the sheet, and end within.
  const std::string long_text =
      "a_very_long_name_of_a_file_\xc3\xa4_that_goes_on_and_on_and_on_and_on_and_on";
  source.rows[1] = source.title = long_text;
  const Pixels cut = *contact_sheet(source);
  EXPECT_LE(cut.width, 120 + 60 + 3 * 10);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_GE(place_of(cut, source, k).first, 0);
  const auto is_paper = [&](int x, int y) { return test::colour_at(cut, x, y) == std::array{255, 255, 255}; };
  const auto [left, top] = place_of(cut, source, 0);
  for (int y = 0; y < cut.height; ++y) {
    EXPECT_TRUE(y < top || is_paper(left - 1, y)) << "a row's label reaches its cell at " << y;
    EXPECT_TRUE(y >= top || is_paper(cut.width - 1, y)) << "the title leaves the sheet at " << y;
  }
}

TEST(ContactSheet, KeepsTheSecondLineOfALabelWhoseFirstIsTooLong) {
  const auto sheet = [](const char* time) {
    Sheet source = sheet_of(1);
    source.rows = {std::string("a_very_long_name_of_a_clip_that_goes_on_and_on_and_on\n") + time};
    return *contact_sheet(source);
  };
  EXPECT_GT(test::count_different(sheet("0.2 s"), sheet("0.7 s")), 5u);
}

TEST(ContactSheet, WithoutLabelsIsAboutSquare) {
  const Sheet source = sheet_of(7);
  const Result<Pixels> sheet = contact_sheet(source);
  ASSERT_TRUE(sheet);
  EXPECT_EQ(place_of(*sheet, source, 0).second, place_of(*sheet, source, 2).second);
  EXPECT_EQ(place_of(*sheet, source, 0).first, place_of(*sheet, source, 6).first);
}

// A method that fills one and a half rows of its pose.
TEST(ContactSheet, LeavesThePlaceOfAnEmptyCellBlank) {
  Sheet source = sheet_of(4);
  source.columns = {"", ""};
  source.rows = {"rest", ""};
  source.cells[1] = {};
  const Result<Pixels> sheet = contact_sheet(source);
  ASSERT_TRUE(sheet) << sheet.error().sentence;
  const auto [x, y] = place_of(*sheet, source, 3);
  const int above = place_of(*sheet, source, 0).second;
  EXPECT_LT(above, y);
  EXPECT_EQ(test::colour_at(*sheet, x + 60, above + 40), (std::array<int, 3>{255, 255, 255}));
}

TEST(ContactSheet, RefusesWhatDoesNotFit) {
  EXPECT_EQ(contact_sheet({}).error().code, Errc::bad_argument);
  Sheet blank = sheet_of(2);
  blank.cells = {{}, {}};
  EXPECT_EQ(contact_sheet(blank).error().code, Errc::bad_argument);
  Sheet uneven = sheet_of(2);
  uneven.cells[1] = blank_pixels(10, 10, 0, 0, 0);
  EXPECT_EQ(contact_sheet(uneven).error().code, Errc::bad_argument);
  Sheet short_row = sheet_of(3);
  short_row.columns = {"a", "b"};
  short_row.rows = {"one", "two"};
  EXPECT_EQ(contact_sheet(short_row).error().code, Errc::bad_argument);
  Sheet rows = sheet_of(4);
  rows.columns = {"a", "b"};
  rows.rows = {"one"};
  EXPECT_EQ(contact_sheet(rows).error().code, Errc::bad_argument);
  Sheet captions = sheet_of(2);
  captions.captions = {"only one"};
  EXPECT_EQ(contact_sheet(captions).error().code, Errc::bad_argument);
}

}  // namespace
}  // namespace dermis
