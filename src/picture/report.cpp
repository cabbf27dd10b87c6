// SPDX-License-Identifier: MIT
// Reports: one HTML file with everything in it.
#include <fmt/format.h>

#include "dermis/picture.h"
#include "picture/svg.h"

namespace dermis {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light}
body{margin:0;background:#f5f6f8;color:#22262b;font:16px/1.55 system-ui,sans-serif}
header{background:#1f2a37;color:#f3f5f8;padding:28px 0}
header h1{margin:0 0 4px;font-size:30px}
header p{margin:0;opacity:.85}
header div,main{max-width:1180px;margin:0 auto;padding:0 24px}
nav{margin:18px 0 0;display:flex;flex-wrap:wrap;gap:6px 16px;font-size:14px}
nav a{color:#9cc4f0;text-decoration:none}
section{background:#fff;border:1px solid #e2e5ea;border-radius:8px;padding:8px 24px 20px;margin:22px 0}
h2{font-size:21px;margin:14px 0 8px}
h3{font-size:17px;margin:22px 0 4px}
p{max-width:75ch}
figure{margin:14px 0;text-align:center}
figure img,figure svg{max-width:100%;height:auto;border-radius:4px}
figcaption{font-size:14px;color:#4a5058;text-align:left;margin-top:4px}
figcaption b{color:#22262b;font-weight:600}
figcaption b.bad{color:#b3261e}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(250px,1fr));gap:14px}
.row figure{margin:6px 0}
table{border-collapse:collapse;font-size:14px;margin:10px 0;display:block;overflow-x:auto}
th,td{border-bottom:1px solid #e2e5ea;padding:5px 12px 5px 0;text-align:left;vertical-align:top}
th{color:#4a5058;font-weight:600}
pre{background:#1f2a37;color:#e9edf2;border-radius:6px;padding:12px 16px;overflow-x:auto;font-size:13.5px}
)";

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8 | (b < count ? std::to_integer<std::uint32_t>(bytes[k + b]) : 0);
    for (std::size_t d = 0; d < 4; ++d) out += d <= count ? kDigits[group >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

std::string html_of(const ReportHeading& heading) {
  return fmt::format("<h3>{}</h3>\n", escaped(heading.text));
}

std::string html_of(const ReportText& text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.text.size();) {
    const std::size_t end = std::min(text.text.find("\n\n", begin), text.text.size());
    out += fmt::format("<p>{}</p>\n", escaped(std::string_view(text.text).substr(begin, end - begin)));
    begin = end + 2;
  }
  return out;
}

std::string html_of(const ReportCode& code) { return fmt::format("<pre>{}</pre>\n", escaped(code.text)); }

std::string html_of(const ReportTable& table) {
  std::string out = "<table>\n<tr>";
  for (const std::string& column : table.columns) out += fmt::format("<th>{}</th>", escaped(column));
  out += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += fmt::format("<td>{}</td>", escaped(cell));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string html_of(const ReportFigure& figure) {
  std::string out = "<figure>";
  if (figure.png.empty()) {
    out += figure.svg;
  } else {
    out += fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", escaped(figure.caption),
                       base64(figure.png));
  }
  out += "<figcaption>";
  if (!figure.number.empty()) {
    out += fmt::format("<b{}>{}</b> ", figure.is_bad ? " class=\"bad\"" : "", escaped(figure.number));
  }
  return out + escaped(figure.caption) + "</figcaption></figure>\n";
}

std::string html_of(const ReportRow& row) {
  std::string out = "<div class=\"row\">\n";
  for (const ReportFigure& figure : row.figures) out += html_of(figure);
  return out + "</div>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Control characters are not allowed in XML, not even by number.
        out += static_cast<unsigned char>(letter) < 0x20 && letter != '\n' && letter != '\t' ? ' ' : letter;
    }
  }
  return out;
}

std::string report_html(const ReportPage& page) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<header><div><h1>{}</h1><p>{}</p>\n<nav>",
      escaped(page.title), kStyle, escaped(page.title), escaped(page.subtitle));
  for (std::size_t s = 0; s < page.sections.size(); ++s)
    html += fmt::format("<a href=\"#s{}\">{}</a>", s, escaped(page.sections[s].title));
  html += "</nav></div></header>\n<main>\n";
  for (std::size_t s = 0; s < page.sections.size(); ++s) {
    html += fmt::format("<section id=\"s{}\">\n<h2>{}</h2>\n", s, escaped(page.sections[s].title));
    for (const auto& item : page.sections[s].items)
      html += std::visit([](const auto& content) { return html_of(content); }, item);
    html += "</section>\n";
  }
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace dermis
