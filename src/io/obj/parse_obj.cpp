// SPDX-License-Identifier: MIT
// Parses OBJ text: text is split into pieces at lines, pieces are read in parallel, then joined in order.
#include "io/obj/parse_obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text.h"

namespace dermis {
namespace {

// Large enough that joining costs little, small enough that two cores finish together.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

constexpr std::array kFreeForm = {"vp",   "cstype", "deg",  "bmat", "step", "curv", "curv2",
                                  "surf", "parm",   "trim", "hole", "scrv", "sp",   "end",
                                  "con",  "bzp",    "bsp",  "cdc",  "cdp",  "res"};
// Rendering statements that do not affect the surface.
constexpr std::array kIgnored = {"mg",     "bevel",  "c_interp",   "d_interp",  "lod",
                                 "maplib", "usemap", "shadow_obj", "trace_obj", "ctech",
                                 "stech",  "call",   "csh"};

template <class List>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The contents of one piece of the text. Positive corner indices count from the start of the file; negative
// ones, relative to their line, are listed and converted to count from the piece's start.
struct Piece {
  std::string_view text;
  ObjContent content;
  std::array<std::vector<std::size_t>, 3> backwards;  // corners, for points, texture coordinates, normals
  const char* fault_at = nullptr;                     // the line of the first fault
  std::string fault;
};

Index& member(ObjCorner& corner, std::size_t k) {
  return k == 0 ? corner.point : k == 1 ? corner.uv : corner.normal;
}

class PieceParser {
 public:
  explicit PieceParser(Piece& piece) : piece_(piece), out_(piece.content) {}

  void parse() {
    std::string_view text = piece_.text;
    while (!text.empty()) {
      const std::string_view line = next_line(text);
      std::string_view rest = line;
      if (!parse_line(next_word(rest), rest)) {
        piece_.fault_at = line.data();
        return;
      }
    }
  }

 private:
  bool parse_line(std::string_view word, std::string_view rest) {
    if (word.empty() || word.front() == '#') return true;
    if (word == "v") return add_point(rest);
    if (word == "vt") return add_uv(rest);
    if (word == "vn") return add_normal(rest);
    if (word == "f" || word == "fo") return add_face(rest);
    using enum ObjLabel::Kind;
    if (word == "o") return add_label(object, rest);
    if (word == "g") return add_label(groups, rest);
    if (word == "s") return add_label(smoothing, rest);
    if (word == "usemtl") return add_label(material, rest);
    if (word == "mtllib") return add_label(library, rest);
    if (word == "l") return ++out_.line_count, true;
    if (word == "p") return ++out_.point_element_count, true;
    if (is_one_of(word, kFreeForm)) return ++out_.free_form_count, true;
    if (is_one_of(word, kIgnored)) return true;
    if (out_.unknown_count++ == 0) out_.first_unknown = word;
    return true;
  }

  bool fail(std::string fault) {
    piece_.fault = std::move(fault);
    return false;
  }
  // Of a line of numbers.
  bool fail_at_number(const char* fault) {
    return fail(has_comma_ ? "has decimal commas; write points" : fault);
  }

  bool add_point(std::string_view rest) {
    Vec3 point, colour;
    if (!take_coordinate(rest, point.x) || !take_coordinate(rest, point.y) || !take_coordinate(rest, point.z))
      return fail_at_number("does not have three numbers");
    if (!is_finite(point)) return fail("has a position that is not finite");
    // x y z w is rational, x y z r g b has a colour; w alone does not affect polygons.
    const bool has_fourth = take_number(rest, colour.x);
    if (has_fourth && take_number(rest, colour.y) && take_number(rest, colour.z)) {
      ++out_.coloured_count;
      out_.bad_colour_count += is_finite(colour) ? 0 : 1;
      if (out_.colours.size() < out_.points.size()) out_.colours.resize(out_.points.size(), {1, 1, 1});
      out_.colours.push_back(is_finite(colour) ? colour : Vec3{1, 1, 1});
    } else {
      out_.rational_count += has_fourth && colour.x != 1 ? 1 : 0;
      if (!out_.colours.empty()) out_.colours.push_back({1, 1, 1});
    }
    if (has_comma_) return fail_at_number("");
    out_.points.push_back(point);
    return true;
  }

  bool add_uv(std::string_view rest) {
    Vec2 uv;
    const bool has_u = take_number(rest, uv.x);
    if (!has_u) return fail_at_number("does not have a number");
    if (!take_number(rest, uv.y)) uv.y = 0;
    float depth = 0;
    out_.uv_depth_count += take_number(rest, depth) && depth != 0 ? 1 : 0;
    if (has_comma_) return fail_at_number("");
    const bool is_good = std::isfinite(uv.x) && std::isfinite(uv.y);
    out_.bad_uv_count += is_good ? 0 : 1;
    out_.uvs.push_back(is_good ? uv : Vec2{});
    return true;
  }

  bool add_normal(std::string_view rest) {
    Vec3 normal;
    if (!take_number(rest, normal.x) || !take_number(rest, normal.y) || !take_number(rest, normal.z))
      return fail_at_number("does not have three numbers");
    out_.bad_normal_count += is_finite(normal) ? 0 : 1;
    out_.normals.push_back(normal);
    return true;
  }

  // take_float for a word that may continue after the number: "3.1+e2" is read as 3.1 and counted.
  bool take_coordinate(std::string_view& rest, float& number) {
    if (!take_float(rest, number)) return false;
    if (rest.empty() || is_blank(rest.front())) return true;
    if (rest.front() == '#' && !is_windows_nan(rest)) return true;  // a comment
    if (is_decimal_comma(rest)) return false;
    if (rest.front() == '#')
      number = NAN;
    else
      ++out_.cut_number_count;
    next_word(rest);
    return true;
  }

  // The tail of "0,5": half of Europe's programs write this, and the integer parts alone would be another
  // mesh.
  bool is_decimal_comma(std::string_view tail) {
    const bool is_one = tail.size() > 1 && tail[0] == ',' && tail[1] >= '0' && tail[1] <= '9';
    has_comma_ = has_comma_ || is_one;
    return is_one;
  }

  // The tail of "1.#QNAN", as a C library prints what is not a number on Windows.
  static bool is_windows_nan(std::string_view tail) {
    return tail.starts_with("#QNAN") || tail.starts_with("#SNAN") || tail.starts_with("#IN");
  }

  // take_float, but also accepts what a Windows C library prints for "not a number".
  bool take_number(std::string_view& rest, float& number) {
    if (take_float(rest, number)) {
      if (rest.empty() || is_blank(rest.front())) return true;
      if (is_decimal_comma(rest)) return false;
      next_word(rest);  // "nan(ind)", "1.#QNAN"
      number = NAN;
      return true;
    }
    return false;
  }

  bool add_face(std::string_view rest) {
    const std::size_t first = out_.corners.size();
    while (true) {
      while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
      if (rest.empty() || rest.front() == '#') break;
      if (!add_corner(rest)) return false;
    }
    const std::size_t size = out_.corners.size() - first;
    if (size < 3) {
      ++out_.short_face_count;
      out_.corners.resize(first);
      for (auto& list : piece_.backwards) {
        while (!list.empty() && list.back() >= first) list.pop_back();
      }
      return true;
    }
    out_.polygon_size.push_back(static_cast<std::uint32_t>(size));
    return true;
  }

  // "7", "7/1", "7//3", "7/1/3", each number may be negative.
  bool add_corner(std::string_view& rest) {
    ObjCorner corner;
    const std::size_t counts[] = {out_.points.size(), out_.uvs.size(), out_.normals.size()};
    for (std::size_t k = 0; k < 3; ++k) {
      if (k > 0) {
        if (rest.empty() || rest.front() != '/') break;
        rest.remove_prefix(1);
        if (rest.empty() || rest.front() == '/' || is_blank(rest.front())) continue;
      }
      std::int32_t number = 0;
      const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (fault != std::errc{} || number == 0)
        return fail(
            fmt::format("has a corner {} that is not a number from 1, or -1 backwards",
                        quoted_name(rest.substr(0, std::min(rest.find_first_of(" \t"), std::size_t{24})))));
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
      if (number < 0) piece_.backwards[k].push_back(out_.corners.size());
      member(corner, k) = number > 0 ? number - 1 : static_cast<Index>(counts[k]) + number;
    }
    if (!rest.empty() && !is_blank(rest.front()))
      return fail(fmt::format("has a corner that ends in {}", quoted_name(rest.substr(0, 8))));
    out_.corners.push_back(corner);
    return true;
  }

  bool add_label(ObjLabel::Kind kind, std::string_view rest) {
    out_.labels.push_back({kind, static_cast<std::uint32_t>(out_.polygon_size.size()), trimmed(rest)});
    return true;
  }

  Piece& piece_;
  ObjContent& out_;
  bool has_comma_ = false;
};

std::vector<Piece> cut_into_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    std::size_t end = text.size() <= kPieceBytes ? text.size() : text.find('\n', kPieceBytes);
    end = end == std::string_view::npos ? text.size() : std::min(end + 1, text.size());
    pieces.emplace_back();
    pieces.back().text = text.substr(0, end);
    text.remove_prefix(end);
  }
  return pieces;
}

// The number of items of each kind before a piece.
struct Base {
  std::size_t points = 0, uvs = 0, normals = 0, corners = 0, polygons = 0;
};

template <class Value>
void copy_to(const std::vector<Value>& from, std::vector<Value>& to, std::size_t at) {
  std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
}

// Converts the corner indices of a piece to indices of the whole file, and checks them. False: a point is
// missing.
bool resolve(Piece& piece, const Base& base, const ObjContent& whole) {
  ObjContent& content = piece.content;
  const std::size_t bases[] = {base.points, base.uvs, base.normals};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const std::size_t c : piece.backwards[k]) {
      const std::int64_t number =
          std::int64_t{member(content.corners[c], k)} + static_cast<std::int64_t>(bases[k]);
      member(content.corners[c], k) = number < 0 ? INT32_MAX : static_cast<Index>(number);
    }
  }
  bool is_good = true;
  for (ObjCorner& corner : content.corners) {
    is_good = is_good && static_cast<std::size_t>(corner.point) < whole.points.size();
    if (corner.uv != kNone && static_cast<std::size_t>(corner.uv) >= whole.uvs.size()) {
      corner.uv = kNone;
      ++content.lost_uv_count;
    }
    if (corner.normal != kNone && static_cast<std::size_t>(corner.normal) >= whole.normals.size()) {
      corner.normal = kNone;
      ++content.lost_normal_count;
    }
  }
  return is_good;
}

void add_counts(const ObjContent& from, ObjContent& to) {
  to.coloured_count += from.coloured_count;
  to.line_count += from.line_count;
  to.point_element_count += from.point_element_count;
  to.short_face_count += from.short_face_count;
  to.free_form_count += from.free_form_count;
  if (to.unknown_count == 0) to.first_unknown = from.first_unknown;
  to.unknown_count += from.unknown_count;
  to.uv_depth_count += from.uv_depth_count;
  to.rational_count += from.rational_count;
  to.cut_number_count += from.cut_number_count;
  to.bad_colour_count += from.bad_colour_count;
  to.bad_uv_count += from.bad_uv_count;
  to.bad_normal_count += from.bad_normal_count;
  to.lost_uv_count += from.lost_uv_count;
  to.lost_normal_count += from.lost_normal_count;
}

std::size_t line_number(std::string_view text, const char* at) {
  std::size_t number = 1;
  for (const char* c = text.data(); c != at; ++c)
    number += *c == '\n' || *c == kJoinedLine || (*c == '\r' && c[1] != '\n') ? 1 : 0;
  return number;
}

// A hint for a fault on an unterminated last line.
const char* hint_at_end(std::string_view text, const char* line) {
  const std::string_view rest = text.substr(static_cast<std::size_t>(line - text.data()));
  return rest.find_first_of("\r\n") == std::string_view::npos ? "; is the file cut short?" : "";
}

Error missing_point(std::string_view text, const Piece& piece, const ObjContent& whole,
                    const std::string& path) {
  // In the rare case of a fault, the face is found by reading the piece's faces again.
  std::size_t corner = 0;
  while (corner < piece.content.corners.size() &&
         static_cast<std::size_t>(piece.content.corners[corner].point) < whole.points.size())
    ++corner;
  std::size_t seen = 0;
  std::string_view rest = piece.text;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    std::string_view words = line;
    const std::string_view first = next_word(words);
    if (first != "f" && first != "fo") continue;
    std::size_t size = 0;
    for (std::string_view w = next_word(words); !w.empty() && w.front() != '#'; w = next_word(words)) ++size;
    seen += size < 3 ? 0 : size;
    if (seen > corner) {
      return {
          Errc::bad_file,
          fmt::format("{}: line {}: a face refers to a point that does not exist: the file has {}{}", path,
                      line_number(text, line.data()), whole.points.size(), hint_at_end(text, line.data()))};
    }
  }
  return {Errc::bad_file, fmt::format("{}: a face refers to a point that does not exist", path)};
}

}  // namespace

Result<ObjContent> parse_obj(std::string_view text, const std::string& path, const Progress& progress) {
  std::vector<Piece> pieces = cut_into_pieces(text);
  parallel_for(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end && !progress.is_stopped(); ++k) PieceParser(pieces[k]).parse();
  });
  if (Status going = progress.at("reading the OBJ", 0.8); !going) return going.error();
  std::vector<Base> bases(pieces.size() + 1);
  bool has_colours = false;
  ObjContent whole;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Piece& piece = pieces[k];
    const ObjContent& content = piece.content;
    if (piece.fault_at != nullptr) {
      return Error{Errc::bad_file, fmt::format("{}: line {} {}{}", path, line_number(text, piece.fault_at),
                                               piece.fault, hint_at_end(text, piece.fault_at))};
    }
    bases[k + 1] = {bases[k].points + content.points.size(), bases[k].uvs + content.uvs.size(),
                    bases[k].normals + content.normals.size(), bases[k].corners + content.corners.size(),
                    bases[k].polygons + content.polygon_size.size()};
    has_colours = has_colours || !content.colours.empty();
  }
  const Base& total = bases.back();
  if (std::max({total.points, total.uvs, total.normals, total.corners}) > static_cast<std::size_t>(INT32_MAX))
    return Error{Errc::too_large, fmt::format("{}: has more than 2^31 - 1 points or corners", path)};
  whole.points.resize(total.points);
  whole.uvs.resize(total.uvs);
  whole.normals.resize(total.normals);
  whole.corners.resize(total.corners);
  whole.polygon_size.resize(total.polygons);
  if (has_colours) whole.colours.assign(total.points, {1, 1, 1});
  std::vector<char> is_good(pieces.size(), 1);
  parallel_for(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      ObjContent& content = pieces[k].content;
      is_good[k] = resolve(pieces[k], bases[k], whole) ? 1 : 0;
      copy_to(content.points, whole.points, bases[k].points);
      copy_to(content.colours, whole.colours, content.colours.empty() ? 0 : bases[k].points);
      copy_to(content.uvs, whole.uvs, bases[k].uvs);
      copy_to(content.normals, whole.normals, bases[k].normals);
      copy_to(content.corners, whole.corners, bases[k].corners);
      copy_to(content.polygon_size, whole.polygon_size, bases[k].polygons);
    }
  });
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (is_good[k] == 0) return missing_point(text, pieces[k], whole, path);
    add_counts(pieces[k].content, whole);
    for (ObjLabel label : pieces[k].content.labels) {
      label.polygon += static_cast<std::uint32_t>(bases[k].polygons);
      whole.labels.push_back(label);
    }
  }
  return whole;
}

}  // namespace dermis
