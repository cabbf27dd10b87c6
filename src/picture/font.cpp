// SPDX-License-Identifier: MIT
// The letters of the stroke font.
#include "picture/font.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>

namespace dermis {
namespace {

// Space left and right of each letter.
constexpr double kBearing = 2.7;
// Arcs become polylines that turn by this much.
constexpr double kArcStep = 15;

// How wide a letter is, and how it is drawn:
//   m x y                      lift the pen and go there
//   l x y                      a line to there
//   a cx cy rx ry from to      an arc of an ellipse, degrees; with a line to its start
//   o cx cy rx ry from to      the same, after lifting the pen
//   p x y                      a dot
struct Row {
  double width;
  const char* strokes;
};
// clang-format off
constexpr Row kLetters[] = {
    {4, ""},                                                                                      // space
    {1, "m.5 20 l.5 6.5 p.5 1"},                                                                  // !
    {5, "m0 20 l0 14.5 m5 20 l5 14.5"},                                                           // "
    {14, "m5 20 l2.5 0 m11.5 20 l9 0 m.5 13.5 l14 13.5 m0 6.5 l13.5 6.5"},                        // #
    {12, "o6 15 5.5 5 30 270 a6 5 6 5 90 -150 m6 22.8 l6 -2.8"},                                  // $
    {19, "o4 15.7 4 4.3 0 360 o15 4.3 4 4.3 0 360 m15.5 20 l3.5 0"},                              // %
    {15, "m15 0 l3.57 13.54 a6.8 16 4.1 4 218 -50 l2.5 9.3 a5.8 5.1 5.8 5.1 125 320 l14.5 9.5"},  // &
    {0, "m0 20 l0 14.5"},                                                                         // '
    {4, "o7 8 7 15 125 235"},                                                                     // (
    {4, "o-3 8 7 15 55 -55"},                                                                     // )
    {9, "m4.5 20 l4.5 11 m.6 17.8 l8.4 13.2 m8.4 17.8 l.6 13.2"},                                 // *
    {12, "m6 2.5 l6 13.5 m.5 8 l11.5 8"},                                                         // +
    {1, "m1 1 l-.2 -3.6"},                                                                        // ,
    {7, "m0 7.5 l7 7.5"},                                                                         // -
    {1, "p.5 .9"},                                                                                // .
    {8.5, "m0 -2.5 l8.5 20.5"},                                                                   // /
    {12, "o6 10 6 10 0 360"},                                                                     // 0
    {12, "m2 16 l7 20 l7 0"},                                                                     // 1
    {12, "o6 14.2 5.6 5.8 165 -35 l.3 0 l12 0"},                                                  // 2
    {12, "o5.8 15.2 5 4.8 150 -90 a5.8 5.2 6 5.2 90 -155"},                                       // 3
    {12, "m9 0 l9 20 l0 6 l12 6"},                                                                // 4
    {12, "m10.8 20 l2 20 l1.13 10.7 a5.8 6.5 6.1 6.5 140 -152"},                                  // 5
    {12, "m7.6 20 l.8 9.3 a6 6.2 6 6.2 150 510"},                                                 // 6
    {12, "m0 20 l12 20 l4.5 0"},                                                                  // 7
    {12, "o6 15.2 4.9 4.8 0 360 o6 5.2 6 5.2 0 360"},                                             // 8
    {12, "m4.4 0 l11.2 10.7 a6 13.8 6 6.2 -30 330"},                                              // 9
    {1, "p.5 .9 p.5 12.5"},                                                                       // :
    {1, "p.7 12.5 m1 1 l-.2 -3.6"},                                                               // ;
    {11, "m11 14 l0 8 l11 2"},                                                                    // <
    {11.5, "m0 11 l11.5 11 m0 5 l11.5 5"},                                                        // =
    {11, "m0 14 l11 8 l0 2"},                                                                     // >
    {10, "o5 14.8 5 5.2 170 -60 l5 8.2 l5 6.2 p5 .9"},                                            // ?
    {20, "o10 8 10 10.5 0 305 o10 8 4.6 5 0 360 m14.6 13 l14.6 6.5 a17.3 6.5 2.7 3 180 360 l20 8"},  // @
    {15, "m0 0 l7.5 20 l15 0 m2.6 7 l12.4 7"},                                                    // A
    {12, "m0 10.6 l6.5 10.6 a6.5 15.3 4.8 4.7 -90 90 l0 20 l0 0 l6.7 0 a6.7 5.3 5.3 5.3 -90 90"},  // B
    {14.5, "o8.7 10 8.7 10 48 312"},                                                              // C
    {14.5, "m0 0 l0 20 l5 20 a5 10 9.5 10 90 -90 l0 0"},                                          // D
    {11, "m11 0 l0 0 l0 20 l11 20 m0 10.4 l9.5 10.4"},                                            // E
    {10.5, "m0 0 l0 20 l10.5 20 m0 10 l9 10"},                                                    // F
    {16.5, "o8.7 10 8.7 10 48 354 l10 9"},                                                        // G
    {14, "m0 0 l0 20 m14 0 l14 20 m0 10.4 l14 10.4"},                                             // H
    {0, "m0 0 l0 20"},                                                                            // I
    {9, "m9 20 l9 5.5 a4.5 5.5 4.5 5.5 0 -170"},                                                  // J
    {13, "m0 0 l0 20 m12.5 20 l0 7.5 m4.8 12 l13 0"},                                             // K
    {10.5, "m0 20 l0 0 l10.5 0"},                                                                 // L
    {17, "m0 0 l0 20 l8.5 5 l17 20 l17 0"},                                                       // M
    {14, "m0 0 l0 20 l14 0 l14 20"},                                                              // N
    {17, "o8.5 10 8.7 10 0 360"},                                                                 // O
    {11.5, "m0 0 l0 20 l6 20 a6 14.6 5.5 5.4 90 -90 l0 9.2"},                                     // P
    {17, "o8.5 10 8.7 10 0 360 m10.5 5 l16.5 -1.8"},                                              // Q
    {12.5, "m0 0 l0 20 l6 20 a6 14.6 5.5 5.4 90 -90 l0 9.2 m6 9.2 l12.5 0"},                      // R
    {12, "o6 15 5.5 5 30 270 a6 5 6 5 90 -150"},                                                  // S
    {14, "m0 20 l14 20 m7 20 l7 0"},                                                              // T
    {14, "m0 20 l0 7 a7 7 7 7 180 360 l14 20"},                                                   // U
    {15, "m0 20 l7.5 0 l15 20"},                                                                  // V
    {22, "m0 20 l5.5 0 l11 19 l16.5 0 l22 20"},                                                   // W
    {14, "m0 20 l14 0 m14 20 l0 0"},                                                              // X
    {14, "m0 20 l7 9.5 l14 20 m7 9.5 l7 0"},                                                      // Y
    {13, "m0 20 l13 20 l0 0 l13 0"},                                                              // Z
    {5, "m5 21 l0 21 l0 -4 l5 -4"},                                                               // [
    {8.5, "m0 20.5 l8.5 -2.5"},                                                                   // backslash
    {5, "m0 21 l5 21 l5 -4 l0 -4"},                                                               // ]
    {10, "m0 12 l5 20 l10 12"},                                                                   // ^
    {12, "m0 -3 l12 -3"},                                                                         // _
    {4, "m0 20.5 l3.5 16.5"},                                                                     // `
    {10, "o5 4 5 4.1 0 360 m.8 11.6 a5.2 9.4 4.8 4.6 150 0 l10 0"},                               // a
    {11, "m0 20 l0 0 o5.5 7 5.5 7 0 360"},                                                        // b
    {10, "o6 7 6 7 48 312"},                                                                      // c
    {11, "m11 20 l11 0 o5.5 7 5.5 7 0 360"},                                                      // d
    {11.5, "m.1 7.4 l11.5 7.4 a5.75 7 5.75 7 3 315"},                                             // e
    {7, "m3 0 l3 15.5 a6.8 15.5 3.8 4.8 180 75 m0 13.6 l7 13.6"},                                 // f
    {11, "o5.5 7 5.5 7 0 360 m11 14 l11 -1 a5.5 -1 5.5 5.2 0 -150"},                              // g
    {10.4, "m0 20 l0 0 m0 8.8 a5.2 8.8 5.2 5.2 180 0 l10.4 0"},                                   // h
    {0, "m0 14 l0 0 p0 19"},                                                                      // i
    {2, "m2 14 l2 -2.2 a-1 -2.2 3 3.8 0 -80 p2 19"},                                              // j
    {10, "m0 20 l0 0 m9.5 14 l0 5 m3.6 8.4 l10 0"},                                               // k
    {2, "m0 20 l0 3.5 a3 3.5 3 3.5 180 262"},                                                     // l
    {17.2, "m0 14 l0 0 m0 9.5 a4.3 9.5 4.3 4.5 180 0 l8.6 0 m8.6 9.5 a12.9 9.5 4.3 4.5 180 0 l17.2 0"},  // m
    {10.4, "m0 14 l0 0 m0 8.8 a5.2 8.8 5.2 5.2 180 0 l10.4 0"},                                   // n
    {12, "o6 7 6 7 0 360"},                                                                       // o
    {11, "m0 14 l0 -6 o5.5 7 5.5 7 0 360"},                                                       // p
    {11, "m11 14 l11 -6 o5.5 7 5.5 7 0 360"},                                                     // q
    {6.2, "m0 14 l0 0 m0 7.6 a5.6 7.6 5.6 6.4 180 82"},                                           // r
    {9, "o4.6 10.4 4.2 3.6 30 270 a4.6 3.4 4.6 3.4 90 -150"},                                     // s
    {7, "m3 18.5 l3 4 a6.5 4 3.5 4 180 282 m0 13.6 l7 13.6"},                                     // t
    {10.4, "m0 14 l0 5.2 a5.2 5.2 5.2 5.2 180 360 m10.4 14 l10.4 0"},                             // u
    {11, "m0 14 l5.5 0 l11 14"},                                                                  // v
    {17, "m0 14 l4.3 0 l8.5 13 l12.7 0 l17 14"},                                                  // w
    {10, "m0 14 l10 0 m10 14 l0 0"},                                                              // x
    {11, "m0 14 l5.5 .3 m11 14 l4.6 -2.6 a1.6 -1.6 3.2 4 -15 -100"},                              // y
    {10, "m0 14 l10 14 l0 0 l10 0"},                                                              // z
    {6, "m6 21 a6 18 3 3 90 180 l3 11.3 a.2 11.3 2.8 2.8 0 -90 a.2 5.7 2.8 2.8 90 0 l3 -1 a6 -1 3 3 180 270"},  // {
    {0, "m0 21 l0 -4"},                                                                           // |
    {6, "m0 21 a0 18 3 3 90 0 l3 11.3 a5.8 11.3 2.8 2.8 180 270 a5.8 5.7 2.8 2.8 90 180 l3 -1 a0 -1 3 3 0 -90"},  // }
    {11, "m0 6.6 l1.6 8.7 l3.6 9 l7.4 6.6 l9.4 6.9 l11 9"},                                       // ~
};
constexpr std::size_t kLetterCount = 127 - 32;
static_assert(std::size(kLetters) == kLetterCount);

// Letters of Latin-1 that are not an ASCII letter with a mark.
struct OwnRow {
  char32_t letter;
  Row row;
};
constexpr OwnRow kOwn[] = {
    {U'\u00b0', {6, "o3 17 3 3 0 360"}},                                                         // degree
    {U'\u00b1', {12, "m6 5 l6 15 m.5 10 l11.5 10 m.5 1 l11.5 1"}},                               // plus-minus
    {U'\u00c6', {20, "m0 0 l9 20 l20 20 m10.5 20 l10.5 0 l20 0 m3.2 7 l10.5 7 m10.5 10.4 l18.5 10.4"}},  // AE
    {U'\u00d7', {10, "m0 3 l10 13 m10 3 l0 13"}},                                                // times
    {U'\u00de', {11.5, "m0 0 l0 20 m0 16 l6 16 a6 10.8 5.5 5.2 90 -90 l0 5.6"}},                 // Thorn
    {U'\u00df', {11, "m0 0 l0 15 a4.5 15 4.5 5 180 0 l5 11 a5.5 5.5 5 5.5 90 -120"}},            // sharp s
    {U'\u00e6', {18, "o5 4 5 4.1 0 360 m.8 11.6 a5.2 9.4 4.8 4.6 150 0 m9.2 7.4 l18 7.4 a13.6 7 4.5 7 3 315"}},  // ae
    {U'\u00f0', {11, "o5.5 6 5.5 6 0 360 m11 6.5 l8.5 14 l3.5 20 m2.5 15.5 l9 18.5"}},           // eth
    {U'\u00f7', {12, "m.5 8 l11.5 8 p6 12.5 p6 3.5"}},                                           // divided by
    {U'\u00fe', {11, "m0 20 l0 -6 o5.5 7 5.5 7 0 360"}},                                         // thorn
};

// Marks about the middle of a letter, starting at the height kAboveSmall or kAboveCapital; the last three at
// the baseline.
constexpr const char* kGrave = "m-3 4 l1 0";
constexpr const char* kAcute = "m3 4 l-1 0";
constexpr const char* kCircumflex = "m-3.5 0 l0 3.5 l3.5 0";
constexpr const char* kTilde = "m-4.4 .6 l-2.2 2.6 l2.2 .8 l4.4 2.8";
constexpr const char* kDots = "p-2.9 1.8 p2.9 1.8";
constexpr const char* kRing = "o0 2.3 2.3 2.3 0 360";
constexpr const char* kCedilla = "m0 0 l-.7 -2.2 l1.5 -3 l1 -5.2 l-1.8 -5.6";
constexpr const char* kSlash = "m-7 -1.5 l7 15.5";
constexpr const char* kCrossbar = "m-9.5 10.4 l-1 10.4";
constexpr double kAboveSmall = 16.6, kAboveCapital = 22.4;

struct MarkedRow {
  char32_t letter;
  char base;  // small i loses its dot
  const char* mark;
};
constexpr MarkedRow kMarked[] = {
    {U'\u00c0', 'A', kGrave}, {U'\u00c1', 'A', kAcute}, {U'\u00c2', 'A', kCircumflex}, {U'\u00c3', 'A', kTilde},
    {U'\u00c4', 'A', kDots}, {U'\u00c5', 'A', kRing}, {U'\u00c7', 'C', kCedilla}, {U'\u00c8', 'E', kGrave},
    {U'\u00c9', 'E', kAcute}, {U'\u00ca', 'E', kCircumflex}, {U'\u00cb', 'E', kDots}, {U'\u00cc', 'I', kGrave},
    {U'\u00cd', 'I', kAcute}, {U'\u00ce', 'I', kCircumflex}, {U'\u00cf', 'I', kDots}, {U'\u00d0', 'D', kCrossbar},
    {U'\u00d1', 'N', kTilde}, {U'\u00d2', 'O', kGrave}, {U'\u00d3', 'O', kAcute}, {U'\u00d4', 'O', kCircumflex},
    {U'\u00d5', 'O', kTilde}, {U'\u00d6', 'O', kDots}, {U'\u00d8', 'O', kSlash}, {U'\u00d9', 'U', kGrave},
    {U'\u00da', 'U', kAcute}, {U'\u00db', 'U', kCircumflex}, {U'\u00dc', 'U', kDots}, {U'\u00dd', 'Y', kAcute},
    {U'\u00e0', 'a', kGrave}, {U'\u00e1', 'a', kAcute}, {U'\u00e2', 'a', kCircumflex}, {U'\u00e3', 'a', kTilde},
    {U'\u00e4', 'a', kDots}, {U'\u00e5', 'a', kRing}, {U'\u00e7', 'c', kCedilla}, {U'\u00e8', 'e', kGrave},
    {U'\u00e9', 'e', kAcute}, {U'\u00ea', 'e', kCircumflex}, {U'\u00eb', 'e', kDots}, {U'\u00ec', 'i', kGrave},
    {U'\u00ed', 'i', kAcute}, {U'\u00ee', 'i', kCircumflex}, {U'\u00ef', 'i', kDots}, {U'\u00f1', 'n', kTilde},
    {U'\u00f2', 'o', kGrave}, {U'\u00f3', 'o', kAcute}, {U'\u00f4', 'o', kCircumflex}, {U'\u00f5', 'o', kTilde},
    {U'\u00f6', 'o', kDots}, {U'\u00f8', 'o', kSlash}, {U'\u00f9', 'u', kGrave}, {U'\u00fa', 'u', kAcute},
    {U'\u00fb', 'u', kCircumflex}, {U'\u00fc', 'u', kDots}, {U'\u00fd', 'y', kAcute}, {U'\u00ff', 'y', kDots},
};
// clang-format on
constexpr Row kDotless{0, "m0 14 l0 0"};
constexpr Row kBox{12, "m0 0 l12 0 l12 20 l0 20 l0 0"};

// Reads the numbers that follow a letter of the table.
template <std::size_t Count>
std::array<double, Count> numbers_at(const char*& text) {
  std::array<double, Count> numbers{};
  for (double& number : numbers) {
    while (*text == ' ') ++text;
    text = std::from_chars(text, text + std::strlen(text), number).ptr;
  }
  return numbers;
}

Vec2 inked(double x, double y) { return {static_cast<float>(x + kBearing), static_cast<float>(y)}; }

void add_arc(const std::array<double, 6>& arc, Stroke& stroke) {
  const auto [cx, cy, rx, ry, from, to] = arc;
  const int steps = static_cast<int>(std::ceil(std::abs(to - from) / kArcStep));
  for (int k = 0; k <= steps; ++k) {
    const double angle = radians_from_degrees(from + (to - from) * k / steps);
    stroke.points.push_back(inked(cx + rx * std::cos(angle), cy + ry * std::sin(angle)));
  }
}

Glyph glyph_from(const Row& row) {
  Glyph glyph;
  glyph.advance = row.width + 2 * kBearing;
  for (const char* text = row.strokes; *text != '\0';) {
    const char command = *text++;
    if (command == ' ') continue;
    if (command != 'l' && command != 'a') glyph.strokes.emplace_back();
    Stroke& stroke = glyph.strokes.back();
    if (command == 'a' || command == 'o') {
      add_arc(numbers_at<6>(text), stroke);
    } else {
      const auto [x, y] = numbers_at<2>(text);
      stroke.points.push_back(inked(x, y));
    }
  }
  return glyph;
}

// A letter with a mark over, under or through its middle.
Glyph marked_glyph(const MarkedRow& marked) {
  const bool is_small = marked.base >= 'a';
  const Row base = marked.base == 'i' ? kDotless : kLetters[marked.base - 32];
  Glyph glyph = glyph_from(base);
  const bool is_above = marked.mark != kCedilla && marked.mark != kSlash && marked.mark != kCrossbar;
  const double rise = !is_above ? 0 : is_small ? kAboveSmall : kAboveCapital;
  // A slash is as high as its letter.
  const double stretch = marked.mark == kSlash && !is_small ? kCapital / 14 : 1;
  for (Stroke& stroke : glyph_from({0, marked.mark}).strokes) {
    for (Vec2& p : stroke.points)
      p = {p.x + static_cast<float>(base.width / 2),
           p.y * static_cast<float>(stretch) + static_cast<float>(rise)};
    glyph.strokes.push_back(std::move(stroke));
  }
  return glyph;
}

struct Font {
  std::map<char32_t, Glyph> letters;
  Glyph box = glyph_from(kBox);
  Font() {
    for (std::size_t k = 0; k < kLetterCount; ++k)
      letters[static_cast<char32_t>(k + 32)] = glyph_from(kLetters[k]);
    for (const OwnRow& own : kOwn) letters[own.letter] = glyph_from(own.row);
    for (const MarkedRow& marked : kMarked) letters[marked.letter] = marked_glyph(marked);
    letters[U'\u00a0'] = letters[U' '];
  }
};
const Font& font() {
  static const Font made;
  return made;
}

// The number of bytes of a letter that starts with this one; 0: no letter does.
std::size_t letter_bytes(unsigned char first) {
  if (first < 0x80u) return 1;
  if (first >= 0xf8u || first < 0xc0u) return 0;
  return first >= 0xf0u ? 4 : first >= 0xe0u ? 3 : 2;
}

}  // namespace

bool has_glyph(char32_t letter) { return font().letters.contains(letter); }

const Glyph& glyph_of(char32_t letter) {
  const auto found = font().letters.find(letter);
  return found != font().letters.end() ? found->second : font().box;
}

std::u32string letters_of(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto goes_on = [&](std::size_t k) { return k < text.size() && (byte(k) & 0xc0u) == 0x80u; };
  std::u32string letters;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t count = letter_bytes(byte(k));
    char32_t letter = count == 1 ? byte(k) : byte(k) & (0x7fu >> count);
    std::size_t used = 1;
    for (; used < count && goes_on(k + used); ++used) letter = letter << 6u | (byte(k + used) & 0x3fu);
    const bool is_stray = goes_on(k);
    if (!is_stray) letters += count > 0 && used == count ? letter : U'\ufffd';
    k += used;
  }
  return letters;
}

}  // namespace dermis
