// SPDX-License-Identifier: MIT
// The built-in templates, and the parser of template texts.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dermis/rig.h"

namespace dermis {
namespace {

constexpr std::string_view kBiped = R"(template biped
# joint        parent       left   up     front
joint hips         -            0      0.535  0      fat
joint spine        hips         0      0.63   0
joint chest        spine        0      0.74   0      fat
joint neck         chest        0      0.825  -0.01
joint head         neck         0      0.88   0      thin
joint head_end     head         0      1.00   0      end
joint shoulder_L   chest        0.025  0.80   0      loose
joint upper_arm_L  shoulder_L   0.105  0.80   0      root
joint forearm_L    upper_arm_L  0.25   0.80   0      bend
joint hand_L       forearm_L    0.395  0.80   0      thin spare
joint hand_end_L   hand_L       0.505  0.80   0      end
joint thigh_L      hips         0.055  0.515  0      part:0.13
joint shin_L       thigh_L      0.06   0.285  0
joint foot_L       shin_L       0.06   0.05   -0.02  heel
joint toe_L        foot_L       0.065  0.01   0.06   spare
joint toe_end_L    toe_L        0.065  0.01   0.10   end ground
)";

constexpr std::string_view kQuadruped = R"(template quadruped
# joint               parent          left   up    front
joint hips             -               0      0.60  -0.25  fat
joint spine            hips            0      0.62  -0.05
joint chest            spine           0      0.60  0.18   fat
joint neck_1           chest           0      0.66  0.28   loose
joint neck_2           neck_1          0      0.74  0.35
joint head             neck_2          0      0.80  0.42
joint head_end         head            0      0.76  0.60   end
joint tail_1           hips            0      0.62  -0.36  optional loose root
joint tail_2           tail_1          0      0.56  -0.43
joint tail_3           tail_2          0      0.50  -0.49
joint tail_end         tail_3          0      0.44  -0.56  end
joint front_upper_L    chest           0.07   0.50  0.20   part:0.36
joint front_lower_L    front_upper_L   0.07   0.285 0.15
joint front_foot_L     front_lower_L   0.07   0.112 0.17
joint front_toe_L      front_foot_L    0.07   0.03  0.18
joint front_toe_end_L  front_toe_L     0.07   0     0.22   end ground
joint hind_upper_L     hips            0.07   0.52  -0.24  part:0.28
joint hind_lower_L     hind_upper_L    0.07   0.30  -0.19
joint hind_foot_L      hind_lower_L    0.07   0.17  -0.31  bend
joint hind_toe_L       hind_foot_L     0.07   0.03  -0.28
joint hind_toe_end_L   hind_toe_L      0.07   0     -0.23  end ground
)";

constexpr std::string_view kHand = R"(template hand
free
# joint    parent    across  along  above
joint hand        -         0      0     0     tip
joint thumb_1     hand      0.10   0.13  0
joint thumb_2     thumb_1   0.26   0.27  0     root:0.18
joint thumb_3     thumb_2   0.36   0.39  0
joint thumb_end   thumb_3   0.44   0.50  0     end
joint index_1     hand      0.14   0.47  0     root:0.18
joint index_2     index_1   0.17   0.69  0
joint index_3     index_2   0.195  0.82  0
joint index_end   index_3   0.18   0.95  0     end
joint middle_1    hand      0.03   0.48  0     root:0.18
joint middle_2    middle_1  0.035  0.73  0
joint middle_3    middle_2  0.04   0.88  0
joint middle_end  middle_3  0.035  1.01  0     end
joint ring_1      hand      -0.06  0.46  0     root:0.18
joint ring_2      ring_1    -0.08  0.67  0
joint ring_3      ring_2    -0.09  0.81  0
joint ring_end    ring_3    -0.085 0.935 0     end
joint pinky_1     hand      -0.14  0.41  0     root:0.18
joint pinky_2     pinky_1   -0.19  0.57  0
joint pinky_3     pinky_2   -0.21  0.66  0
joint pinky_end   pinky_3   -0.21  0.765 0     end
)";

constexpr std::array kTexts{kBiped, kQuadruped, kHand};

// More joints than the limbs of any body could distinguish.
constexpr std::size_t kMostTemplateJoints = 256;
// Squares of sums of smaller values are still finite.
constexpr double kMostCoordinate = 1e9;

struct Word {
  std::string_view name;
  void (*set)(RigTemplate::Joint&);
};
constexpr std::array kWords{
    Word{"end", [](RigTemplate::Joint& joint) { joint.is_end = true; }},
    Word{"fat", [](RigTemplate::Joint& joint) { joint.is_fat = true; }},
    Word{"tip", [](RigTemplate::Joint& joint) { joint.is_tip = true; }},
    Word{"loose", [](RigTemplate::Joint& joint) { joint.is_loose = true; }},
    Word{"ground", [](RigTemplate::Joint& joint) { joint.is_grounded = true; }},
    Word{"optional", [](RigTemplate::Joint& joint) { joint.is_optional = true; }},
    Word{"spare", [](RigTemplate::Joint& joint) { joint.is_spare = true; }},
    Word{"root", [](RigTemplate::Joint& joint) { joint.snap = RigTemplate::Snap::root; }},
    Word{"thin", [](RigTemplate::Joint& joint) { joint.snap = RigTemplate::Snap::thin; }},
    Word{"bend", [](RigTemplate::Joint& joint) { joint.snap = RigTemplate::Snap::bend; }},
    Word{"heel", [](RigTemplate::Joint& joint) { joint.snap = RigTemplate::Snap::heel; }},
};

std::vector<std::string_view> words_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t k = 0; k < line.size();) {
    const std::size_t first = line.find_first_not_of(" \t\r", k);
    if (first == std::string_view::npos) break;
    k = std::min(line.find_first_of(" \t\r", first), line.size());
    words.push_back(line.substr(first, k - first));
  }
  return words;
}

std::optional<double> number_in(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

Index joint_named(const RigTemplate& rig, std::string_view name) {
  for (std::size_t j = 0; j < rig.joints.size(); ++j)
    if (rig.joints[j].name == name) return static_cast<Index>(j);
  return kNone;
}

bool is_left(std::string_view name) { return name.ends_with("_L"); }
bool is_right(std::string_view name) { return name.ends_with("_R"); }
std::string right_of(std::string_view name) { return std::string(name.substr(0, name.size() - 1)) + "R"; }

Error fault(std::size_t line, const std::string& what) {
  return {Errc::bad_file, fmt::format("line {}: {}", line, what)};
}

// joint NAME PARENT X Y Z [WORD...], and its mirror image if it has a side.
Status add_joint(std::span<const std::string_view> words, std::size_t line, RigTemplate& rig) {
  if (words.size() < 6)
    return fault(line, "a joint needs a name, a parent (- for the first) and three numbers");
  RigTemplate::Joint joint;
  joint.name = words[1];
  if (is_right(joint.name))
    return fault(line, fmt::format("joint '{}' is mirrored from its left side; leave it out", joint.name));
  if (joint_named(rig, joint.name) != kNone)
    return fault(line, fmt::format("joint '{}' is defined twice", joint.name));
  if ((words[2] == "-") != rig.joints.empty())
    return fault(line, rig.joints.empty() ? "the first joint has no parent: write -"
                                          : "only the first joint may have no parent");
  if (words[2] != "-") {
    joint.parent = joint_named(rig, words[2]);
    if (joint.parent == kNone)
      return fault(
          line, fmt::format("the parent '{}' of joint '{}' is not defined above it", words[2], joint.name));
    if (is_left(words[2]) && !is_left(joint.name))
      return fault(line,
                   fmt::format("joint '{}' has a parent on one side and needs a name with _L", joint.name));
  } else if (is_left(joint.name)) {
    return fault(line, "the first joint cannot be on one side");
  }
  for (int axis = 0; axis < 3; ++axis) {
    const std::string_view word = words[3 + static_cast<std::size_t>(axis)];
    const std::optional<double> value = number_in(word);
    if (!value) return fault(line, fmt::format("'{}' is not a number", word));
    if (std::abs(*value) > kMostCoordinate)
      return fault(line, fmt::format("'{}' is too large; only proportions matter", word));
    joint.at[axis] = *value;
  }
  if (joint.parent != kNone &&
      !(length(joint.at - rig.joints[static_cast<std::size_t>(joint.parent)].at) > 0))
    return fault(line, fmt::format("joint '{}' has the same position as its parent", joint.name));
  for (const std::string_view word : words.subspan(6)) {
    if (word.starts_with("part:") || word.starts_with("root:")) {
      const std::optional<double> above = number_in(word.substr(5));
      if (!above || *above < 0 || *above > 1)
        return fault(line, fmt::format("'{}' needs a number from 0 to 1", word));
      joint.snap = word.front() == 'p' ? RigTemplate::Snap::part : RigTemplate::Snap::root;
      joint.above = *above;
      continue;
    }
    const auto* known =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.name == word; });
    if (known == kWords.end()) return fault(line, fmt::format("'{}' is not a known word for a joint", word));
    known->set(joint);
  }
  if (rig.joints.size() + (is_left(joint.name) ? 2 : 1) > kMostTemplateJoints)
    return fault(line, fmt::format("a template has at most {} joints", kMostTemplateJoints));
  const auto own = static_cast<Index>(rig.joints.size());
  joint.mirror = is_left(joint.name) ? own + 1 : own;
  rig.joints.push_back(joint);
  if (!is_left(joint.name)) return Done{};
  joint.name = right_of(joint.name);
  if (joint.parent != kNone) joint.parent = rig.joints[static_cast<std::size_t>(joint.parent)].mirror;
  joint.mirror = own;
  joint.at.x = -joint.at.x;
  rig.joints.push_back(joint);
  return Done{};
}

}  // namespace

Result<RigTemplate> parse_rig_template(std::string_view text) {
  RigTemplate rig;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = words_in(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    if (words.empty()) continue;
    if (rig.name.empty()) {
      if (words[0] != "template" || words.size() != 2)
        return fault(line, "a template begins with: template NAME");
      rig.name = words[1];
    } else if (words[0] == "free" && words.size() == 1) {
      rig.is_free = true;
    } else if (words[0] == "joint") {
      if (Status added = add_joint(words, line, rig); !added) return added.error();
    } else {
      return fault(line, fmt::format("a line starts with joint or free, not '{}'", words[0]));
    }
  }
  if (rig.joints.size() < 2) return Error{Errc::bad_file, "a template needs at least two joints"};
  return rig;
}

std::span<const RigTemplate> rig_templates() {
  static const std::vector<RigTemplate> templates = [] {
    std::vector<RigTemplate> list;
    list.reserve(kTexts.size());
    for (const std::string_view text : kTexts) list.push_back(parse_rig_template(text).value());
    return list;
  }();
  return templates;
}

std::string_view rig_template_text(std::string_view name) {
  for (std::size_t k = 0; k < kTexts.size(); ++k)
    if (rig_templates()[k].name == name) return kTexts[k];
  return {};
}

}  // namespace dermis
