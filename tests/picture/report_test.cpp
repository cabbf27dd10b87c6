// SPDX-License-Identifier: MIT
// Reports: one file, nothing leaves it, text stays text.
#include <gtest/gtest.h>

#include <regex>

#include "dermis/picture.h"

namespace dermis {
namespace {

ReportPage full_page() {
  const std::vector<std::byte> png = *encode_png(blank_pixels(3, 2, 10, 20, 30));
  ReportFigure picture{png, {}, "a picture", "12 %"};
  ReportFigure plot{{}, plot_svg({"p", "x", "y", {{"c", {0, 1}, {0, 1}}}}), "a plot", {}};
  return {"Title",
          "below",
          {{"First", {ReportHeading{"h"}, ReportText{"one\n\ntwo"}, ReportCode{"dermis demo"}}},
           {"Second", {ReportTable{{"a", "b"}, {{"1", "2"}}}, picture, ReportRow{{picture, plot}}}}}};
}

TEST(ReportHtml, LeadsNowhereOutsideItself) {
  const std::string html = report_html(full_page());
  const std::regex link("(?:src|href)=\"([^\"]*)\"");
  int found = 0;
  for (auto at = std::sregex_iterator(html.begin(), html.end(), link); at != std::sregex_iterator(); ++at) {
    const std::string target = (*at)[1];
    EXPECT_TRUE(target.starts_with("#") || target.starts_with("data:")) << target;
    ++found;
  }
  EXPECT_EQ(found, 4);  // two sections, two pictures
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
}

TEST(ReportHtml, HoldsThePicturesWhole) {
  const std::vector<std::byte> png = *encode_png(blank_pixels(3, 2, 10, 20, 30));
  const std::string html = report_html(full_page());
  const std::string mark = "data:image/png;base64,";
  const std::size_t begin = html.find(mark) + mark.size();
  const std::string text = html.substr(begin, html.find('"', begin) - begin);
  ASSERT_EQ(text.size() % 4, 0u);
  std::vector<std::byte> bytes;
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t k = 0; k < text.size(); k += 4) {
    std::uint32_t group = 0;
    int pads = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      pads += text[k + d] == '=' ? 1 : 0;
      group = group << 6 | (text[k + d] == '=' ? 0u : static_cast<std::uint32_t>(digits.find(text[k + d])));
    }
    for (int b = 0; b < 3 - pads; ++b) bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * b) & 255));
  }
  EXPECT_EQ(bytes, png);
}

TEST(ReportHtml, KeepsTextAsText) {
  ReportPage page = full_page();
  page.title = "<script>alert(1)</script> & 'more'";
  page.sections[0].items.emplace_back(ReportCode{"a < b && c > \"d\""});
  const std::string html = report_html(page);
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_NE(html.find("a &lt; b &amp;&amp; c &gt; &quot;d&quot;"), std::string::npos);
}

TEST(ReportHtml, PartsParagraphsAtBlankLines) {
  const std::string html = report_html(full_page());
  EXPECT_NE(html.find("<p>one</p>\n<p>two</p>"), std::string::npos);
}

TEST(ReportHtml, MarksBadNumbersAlone) {
  const ReportFigure good{{}, "<svg/>", "a", "1 %"}, bad{{}, "<svg/>", "b", "99 %", true};
  const std::string html = report_html({"t", "s", {{"one", {ReportRow{{good, bad}}}}}});
  EXPECT_NE(html.find("<b>1 %</b>"), std::string::npos);
  EXPECT_NE(html.find("<b class=\"bad\">99 %</b>"), std::string::npos);
}

}  // namespace
}  // namespace dermis
