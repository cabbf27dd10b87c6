// SPDX-License-Identifier: MIT
// The text that templates are written in: what it says comes through, what is wrong with it is told.
#include <gtest/gtest.h>

#include "characters.h"
#include "dermis/rig.h"

namespace dermis {
namespace {

using Joint = RigTemplate::Joint;
using Snap = RigTemplate::Snap;

const char* word_of(Snap snap) {
  switch (snap) {
    case Snap::share:
      return "";
    case Snap::root:
      return " root:";
    case Snap::part:
      return " part:";
    case Snap::thin:
      return " thin";
    case Snap::bend:
      return " bend";
    case Snap::heel:
      return " heel";
  }
  return "";
}

// A template as text, by the rules of the format and not by the parser's code.
std::string text_of(const RigTemplate& rig) {
  std::string text = "template " + rig.name + "\n" + (rig.is_free ? "free\n" : "");
  for (const Joint& joint : rig.joints) {
    if (joint.name.ends_with("_R")) continue;
    text += "joint " + joint.name + " " + (joint.parent == kNone ? "-" : rig.joints[at(joint.parent)].name);
    for (int axis = 0; axis < 3; ++axis) text += " " + std::to_string(joint.at[axis]);
    text += word_of(joint.snap);
    if (joint.snap == Snap::root || joint.snap == Snap::part) text += std::to_string(joint.above);
    for (const auto& [is_set, word] :
         {std::pair{joint.is_end, " end"}, std::pair{joint.is_fat, " fat"}, std::pair{joint.is_tip, " tip"},
          std::pair{joint.is_loose, " loose"}, std::pair{joint.is_grounded, " ground"},
          std::pair{joint.is_optional, " optional"}, std::pair{joint.is_spare, " spare"}})
      if (is_set) text += word;
    text += "\n";
  }
  return text;
}

void expect_same(const RigTemplate& a, const RigTemplate& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.is_free, b.is_free);
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    const Joint &m = a.joints[j], &n = b.joints[j];
    EXPECT_EQ(m.name, n.name);
    EXPECT_EQ(m.parent, n.parent);
    EXPECT_EQ(m.mirror, n.mirror);
    EXPECT_EQ(m.snap, n.snap);
    EXPECT_NEAR(length(m.at - n.at), 0, 1e-6);
    EXPECT_NEAR(m.above, n.above, 1e-6);
    EXPECT_EQ(std::tuple(m.is_end, m.is_fat, m.is_tip, m.is_loose, m.is_grounded, m.is_optional, m.is_spare),
              std::tuple(n.is_end, n.is_fat, n.is_tip, n.is_loose, n.is_grounded, n.is_optional, n.is_spare));
  }
}

// What every template that parses keeps.
void expect_valid(const RigTemplate& rig) {
  EXPECT_FALSE(rig.name.empty());
  ASSERT_GE(rig.joints.size(), 2u);
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    const Joint& joint = rig.joints[j];
    EXPECT_EQ(joint.parent == kNone, j == 0);
    EXPECT_LT(joint.parent, static_cast<Index>(j));
    EXPECT_TRUE(is_finite(joint.at));
    ASSERT_TRUE(joint.mirror >= 0 && at(joint.mirror) < rig.joints.size());
    const Joint& mirror = rig.joints[at(joint.mirror)];
    EXPECT_EQ(mirror.mirror, static_cast<Index>(j));
    EXPECT_EQ(mirror.at.y, joint.at.y);
    if (joint.parent != kNone) {
      EXPECT_EQ(mirror.parent, rig.joints[at(joint.parent)].mirror);
    }
  }
}

TEST(Templates, BuiltInOnesAreBipedQuadrupedAndHand) {
  ASSERT_EQ(rig_templates().size(), 3u);
  EXPECT_EQ(rig_templates()[0].name, "biped");
  EXPECT_EQ(rig_templates()[1].name, "quadruped");
  EXPECT_EQ(rig_templates()[2].name, "hand");
  EXPECT_TRUE(rig_template_text("octopus").empty());
}

TEST(Templates, AreWhatTheirTextsSayAndComeBackFromTheirOwn) {
  for (const RigTemplate& rig : rig_templates()) {
    SCOPED_TRACE(rig.name);
    expect_valid(rig);
    const Result<RigTemplate> parsed = parse_rig_template(rig_template_text(rig.name));
    ASSERT_TRUE(parsed);
    expect_same(*parsed, rig);
    const Result<RigTemplate> again = parse_rig_template(text_of(rig));
    ASSERT_TRUE(again) << again.error().sentence;
    expect_same(*again, rig);
  }
}

TEST(Templates, MakeTheRightSideFromTheLeft) {
  const Result<RigTemplate> rig = parse_rig_template(
      "template t\r\n# a remark\n\njoint a - 0 0 0 fat # another\njoint b_L a 1 2 3 part:0.5\n"
      "joint c_L b_L 2 3 4 end ground");
  ASSERT_TRUE(rig) << rig.error().sentence;
  expect_valid(*rig);
  ASSERT_EQ(rig->joints.size(), 5u);
  const Joint &left = rig->joints[3], &right = rig->joints[4];
  EXPECT_EQ(right.name, "c_R");
  EXPECT_EQ(rig->joints[at(right.parent)].name, "b_R");
  EXPECT_EQ(right.at, (Vec3d{-2, 3, 4}));
  EXPECT_TRUE(left.is_end && left.is_grounded && right.is_end && right.is_grounded);
  EXPECT_EQ(rig->joints[1].snap, Snap::part);
  EXPECT_EQ(rig->joints[1].above, 0.5);
}

struct Fault {
  const char* text;
  const char* sentence;
};
class FaultyTemplate : public testing::TestWithParam<Fault> {};

TEST_P(FaultyTemplate, IsToldWithItsLine) {
  const Result<RigTemplate> rig = parse_rig_template(GetParam().text);
  ASSERT_FALSE(rig);
  EXPECT_EQ(rig.error().code, Errc::bad_file);
  EXPECT_EQ(rig.error().sentence, GetParam().sentence);
}
INSTANTIATE_TEST_SUITE_P(
    All, FaultyTemplate,
    testing::Values(
        Fault{"", "a template needs at least two joints"},
        Fault{"joint a - 0 0 0", "line 1: a template begins with: template NAME"},
        Fault{"# only\ntemplate a b", "line 2: a template begins with: template NAME"},
        Fault{"template t\njoint a - 0 0 0", "a template needs at least two joints"},
        Fault{"template t\nbone a - 0 0 0", "line 2: a line starts with joint or free, not 'bone'"},
        Fault{"template t\njoint a - 0 0",
              "line 2: a joint needs a name, a parent (- for the first) and three numbers"},
        Fault{"template t\njoint a_R - 0 0 0",
              "line 2: joint 'a_R' is mirrored from its left side; leave it out"},
        Fault{"template t\njoint a - 0 0 0\njoint a a 0 1 0", "line 3: joint 'a' is defined twice"},
        Fault{"template t\njoint a b 0 0 0", "line 2: the first joint has no parent: write -"},
        Fault{"template t\njoint a - 0 0 0\njoint b - 0 1 0",
              "line 3: only the first joint may have no parent"},
        Fault{"template t\njoint a - 0 0 0\njoint b c 0 1 0",
              "line 3: the parent 'c' of joint 'b' is not defined above it"},
        Fault{"template t\njoint a - 0 0 0\njoint b_L a 1 1 0\njoint c b_L 1 2 0",
              "line 4: joint 'c' has a parent on one side and needs a name with _L"},
        Fault{"template t\njoint a_L - 0 0 0", "line 2: the first joint cannot be on one side"},
        Fault{"template t\njoint a - 0 x 0", "line 2: 'x' is not a number"},
        Fault{"template t\njoint a - 0 nan 0", "line 2: 'nan' is not a number"},
        Fault{"template t\njoint a - 0 1e999 0", "line 2: '1e999' is not a number"},
        Fault{"template t\njoint a - 0 2e9 0", "line 2: '2e9' is too large; only proportions matter"},
        Fault{"template t\njoint a - 0 0 0\njoint b a 0 0 0",
              "line 3: joint 'b' has the same position as its parent"},
        Fault{"template t\njoint a - 0 0 0 part:2", "line 2: 'part:2' needs a number from 0 to 1"},
        Fault{"template t\njoint a - 0 0 0 root:", "line 2: 'root:' needs a number from 0 to 1"},
        Fault{"template t\njoint a - 0 0 0 round", "line 2: 'round' is not a known word for a joint"}));

TEST(Templates, MayHave256JointsAndNoMore) {
  std::string text = "template chain\njoint j0 - 0 0 0\n";
  for (int j = 1; j < 256; ++j)
    text += "joint j" + std::to_string(j) + " j" + std::to_string(j - 1) + " 0 " + std::to_string(j) + " 0\n";
  EXPECT_TRUE(parse_rig_template(text));
  const Result<RigTemplate> more = parse_rig_template(text + "joint last j255 0 256 0");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().sentence, "line 258: a template has at most 256 joints");
}

TEST(Templates, FromRandomBytesAreValidOrAnError) {
  const std::string seed_text(rig_template_text("biped"));
  const std::string letters = " \n\t#-joint_LRenda0123456789.:free";
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    std::string text = seed % 2 == 0 ? seed_text : std::string(200, ' ');
    const int changes = seed % 2 == 0 ? 1 + random.below(6) : 200;
    for (int k = 0; k < changes; ++k) {
      const auto place = static_cast<std::size_t>(random.below(static_cast<int>(text.size())));
      text[place] = seed % 3 == 0 ? static_cast<char>(random.below(256))
                                  : letters[at(random.below(static_cast<int>(letters.size())))];
    }
    const Result<RigTemplate> rig = parse_rig_template(text);
    if (rig) {
      expect_valid(*rig);
    } else {
      EXPECT_FALSE(rig.error().sentence.empty());
    }
  }
}

}  // namespace
}  // namespace dermis
