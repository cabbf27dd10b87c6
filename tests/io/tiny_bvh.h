// SPDX-License-Identifier: MIT
// A second opinion on BVH: joint positions straight from the text, in double and without the library.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace dermis::test {

// The words of a text, with braces apart.
inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool is_brace = c == '{' || c == '}', is_gap = std::isspace(static_cast<unsigned char>(c)) != 0;
    if ((is_brace || is_gap) && !words.back().empty()) words.emplace_back();
    if (is_brace) words.back() = c;
    if (is_brace) words.emplace_back();
    if (!is_brace && !is_gap) words.back() += c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

class TinyBvh {
 public:
  using Point = std::array<double, 3>;
  using Matrix = std::array<Point, 3>;  // rows

  struct Joint {
    int parent = -1;
    Point offset{};
    std::vector<std::string> channels;
    std::size_t first = 0;  // number of its first channel in a frame
  };
  std::vector<Joint> joints;  // End Sites too
  std::vector<std::vector<double>> frames;
  double frame_time = 0;

  explicit TinyBvh(const std::string& text) {
    const std::vector<std::string> words = words_of(text);
    std::vector<int> open;
    std::size_t k = 0, width = 0;
    for (; k < words.size() && words[k] != "MOTION"; ++k) {
      if (words[k] == "{") {
        joints.push_back({open.empty() ? -1 : open.back(), {}, {}, width});
        open.push_back(static_cast<int>(joints.size()) - 1);
      } else if (words[k] == "}") {
        open.pop_back();
      } else if (words[k] == "OFFSET") {
        for (std::size_t axis = 0; axis < 3; ++axis)
          joints.back().offset[axis] = std::atof(words[++k].c_str());
      } else if (words[k] == "CHANNELS") {
        const int count = std::atoi(words[++k].c_str());
        for (int c = 0; c < count; ++c) joints.back().channels.push_back(words[++k]);
        width += static_cast<std::size_t>(count);
      }
    }
    if (k == words.size()) return;
    frame_time = std::atof(words[k + 5].c_str());  // MOTION Frames: N Frame Time: T
    k += 6;
    frames.resize(width == 0 ? 0 : (words.size() - k) / width);  // N may be wrong
    for (std::vector<double>& frame : frames) {
      for (std::size_t c = 0; c < width; ++c) frame.push_back(std::atof(words[k++].c_str()));
    }
  }

  // Where the joints are. Positions replace the offset's axis, or are added to it.
  std::vector<Point> positions(std::size_t frame, bool is_added = false) const {
    std::vector<Point> points;
    std::vector<Matrix> axes;
    for (const Joint& joint : joints) {
      Point local = joint.offset;
      Matrix turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      for (std::size_t c = 0; c < joint.channels.size(); ++c) {
        const double value = frames[frame][joint.first + c];
        const auto axis = static_cast<std::size_t>(joint.channels[c][0] - 'X');
        if (joint.channels[c].substr(1) == "position")
          local[axis] = value + (is_added ? joint.offset[axis] : 0);
        else
          turn = product(turn, about(axis, value * std::acos(-1.0) / 180));
      }
      if (joint.parent >= 0) {
        const auto p = static_cast<std::size_t>(joint.parent);
        local = sum(points[p], product(axes[p], local));
        turn = product(axes[p], turn);
      }
      points.push_back(local);
      axes.push_back(turn);
    }
    return points;
  }

 private:
  static Matrix about(std::size_t axis, double angle) {
    const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    Matrix m{};
    m[axis][axis] = 1;
    m[a][a] = m[b][b] = std::cos(angle);
    m[a][b] = -std::sin(angle);
    m[b][a] = std::sin(angle);
    return m;
  }
  static Point product(const Matrix& m, const Point& p) {
    Point out{};
    for (std::size_t r = 0; r < 3; ++r) out[r] = m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2];
    return out;
  }
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix m{};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) m[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c];
    return m;
  }
  static Point sum(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
};

}  // namespace dermis::test
