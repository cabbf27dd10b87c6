// SPDX-License-Identifier: MIT
// Marker files: every machine's C3D holds the same points, gaps stay gaps, and a real take agrees with the
// skeleton that was fitted to it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dermis/io.h"
#include "dermis/motion.h"
#include "io/made_gltf.h"
#include "outside/files.h"

namespace dermis {
namespace {

namespace fs = std::filesystem;
using test::has_note;

// A C3D file made by hand, for any of the three machines.
class MadeC3d {
 public:
  enum Machine { intel = 84, dec = 85, sgi = 86 };
  Machine machine = intel;
  float scale = -1;  // negative: floats
  std::size_t analog_count = 0;
  std::vector<std::string> labels{"LFHD", "RFHD", "a label"};
  int frame_count = 4;
  int long_frames = 0;  // written to TRIAL when above zero
  bool has_groups_last = false;
  std::string units = "mm";

  static Vec3 point(int frame, int m) {
    return {float(100 * m + frame), float(-50 * frame + m), float(1000 + 250 * m)};
  }
  static bool is_gap(int frame, int m) { return m == 1 && (frame == 1 || frame == 2); }

  std::string text() {
    std::string parameters;
    if (!has_groups_last) parameters += group(1, "POINT") + group(2, "TRIAL");
    parameters += words(1, "USED", {int(labels.size())}) +
                  words(1, "FRAMES", {std::min(frame_count, 65535)}) + reals(1, "SCALE", {scale}) +
                  reals(1, "RATE", {120}) + characters(1, "UNITS", {units}, 0) +
                  characters(1, "Y_SCREEN", {"+Z"}, 0);
    const std::size_t cut = std::min<std::size_t>(labels.size(), 255);
    parameters += characters(1, "LABELS", {labels.begin(), labels.begin() + long(cut)}, 8);
    if (cut < labels.size())
      parameters += characters(1, "LABELS2", {labels.begin() + long(cut), labels.end()}, 8);
    if (long_frames > 0)
      parameters += words(2, "ACTUAL_START_FIELD", {7, 0}) +
                    words(2, "ACTUAL_END_FIELD", {(6 + long_frames) % 65536, (6 + long_frames) / 65536});
    if (has_groups_last) parameters += group(1, "POINT") + group(2, "TRIAL");
    parameters += std::string(2, '\0');
    parameters = std::string{1, 0x50, char(1 + parameters.size() / 512), char(machine)} + parameters;
    parameters.resize((parameters.size() + 511) / 512 * 512);
    return header(2 + parameters.size() / 512) + parameters + data();
  }

  std::string word(int value) const {
    const char low = char(value & 255), high = char((value >> 8) & 255);
    return machine == sgi ? std::string{high, low} : std::string{low, high};
  }
  std::string real(float value) const {
    // DEC: a quarter of the exponent's bias away, words swapped.
    const auto bits = std::bit_cast<std::uint32_t>(machine == dec ? value * 4 : value);
    const int low = int(bits & 65535), high = int(bits >> 16);
    return machine == intel ? word(low) + word(high) : word(high) + word(low);
  }

 private:
  std::string header(std::size_t data_block) const {
    std::string text{2, 0x50};
    text += word(int(labels.size())) + word(int(analog_count)) + word(1) +
            word(std::min(frame_count, 65535)) + word(0) + real(scale) + word(int(data_block)) + word(1) +
            real(120);
    text.resize(512);
    return text;
  }
  std::string record(int group, const std::string& name, const std::string& body) const {
    return std::string{char(name.size()), char(group)} + name + word(int(body.size()) + 2) + body;
  }
  std::string group(int number, const std::string& name) const {
    return record(-number, name, std::string(1, '\0'));
  }
  std::string words(int group, const std::string& name, const std::vector<int>& values) const {
    std::string body = values.size() == 1 ? std::string{2, 0} : std::string{2, 1, char(values.size())};
    for (const int value : values) body += word(value);
    return record(group, name, body + '\0');
  }
  std::string reals(int group, const std::string& name, const std::vector<float>& values) const {
    std::string body{4, 1, char(values.size())};
    for (const float value : values) body += real(value);
    return record(group, name, body + '\0');
  }
  std::string characters(int group, const std::string& name, const std::vector<std::string>& rows,
                         std::size_t width) const {
    if (width == 0) return record(group, name, std::string{-1, 1, char(rows[0].size())} + rows[0] + '\0');
    std::string body{-1, 2, char(width), char(rows.size())};
    for (std::string row : rows) {
      row.resize(width, ' ');
      body += row;
    }
    return record(group, name, body + '\0');
  }
  std::string data() const {
    std::string text;
    for (int frame = 0; frame < frame_count; ++frame) {
      for (int m = 0; m < int(labels.size()); ++m) {
        const Vec3 p = point(frame, m);
        const int residual = is_gap(frame, m) ? -1 : 3;
        for (int axis = 0; axis < 3; ++axis)
          text += scale < 0 ? real(p[axis]) : word(int(std::lround(p[axis] / scale)));
        text += scale < 0 ? real(float(residual)) : word(residual);
      }
      for (std::size_t k = 0; k < analog_count; ++k) text += scale < 0 ? real(9) : word(9);
    }
    return text;
  }
};

Result<Markers> markers_of(const std::string& text, const std::string& name = "made.c3d") {
  return load_markers_from_memory(std::as_bytes(std::span(text.data(), text.size())), name);
}

void expect_made_points(const Markers& markers) {
  for (std::size_t frame = 0; frame < markers.frame_count; ++frame) {
    for (std::size_t m = 0; m < markers.marker_count(); ++m) {
      const std::size_t k = markers.index(frame, m);
      const bool is_seen = !MadeC3d::is_gap(int(frame), int(m));
      EXPECT_EQ(markers.is_seen[k], is_seen);
      EXPECT_EQ(markers.points[k], is_seen ? MadeC3d::point(int(frame), int(m)) : Vec3{});
    }
  }
}

TEST(C3d, LabelsThatAreNotUtf8AreNoted) {
  MadeC3d made;
  made.labels[0] = "H\xe4nde";
  const Result<Markers> markers = markers_of(made.text());
  ASSERT_TRUE(markers) << markers.error().sentence;
  EXPECT_EQ(markers->labels[0], "H\u00e4nde");
  EXPECT_TRUE(has_note(markers->notes, "names-not-utf8"));
}

TEST(C3d, ParametersOfMoreDimensionsThanTheFormatKnowsAreRefused) {
  MadeC3d made;
  std::string text = made.text();
  const std::size_t at = text.find("RATE") + 4 + 2 + 1;  // behind the name, the step and the type
  text[at] = 8;
  const Result<Markers> markers = markers_of(text);
  ASSERT_FALSE(markers);
  EXPECT_NE(markers.error().sentence.find("'RATE' has 8 dimensions"), std::string::npos)
      << markers.error().sentence;
}

TEST(C3d, ParametersAreChargedToTheAllowedMemory) {
  MadeC3d made;
  const std::string text = made.text();
  LoadOptions options;
  options.max_memory = 2000;
  const Result<Markers> markers =
      load_markers_from_memory(std::as_bytes(std::span(text.data(), text.size())), "made.c3d", options);
  ASSERT_FALSE(markers);
  EXPECT_EQ(markers.error().code, Errc::too_large);
  EXPECT_NE(markers.error().sentence.find("parameters"), std::string::npos) << markers.error().sentence;
}

TEST(C3d, HoldsTheSamePointsFromEveryMachine) {
  for (const MadeC3d::Machine machine : {MadeC3d::intel, MadeC3d::dec, MadeC3d::sgi}) {
    for (const float scale : {-1.0f, -0.05f, 1.0f, 0.5f}) {
      for (const bool has_groups_last : {false, true}) {
        MadeC3d file;
        file.machine = machine;
        file.scale = scale;
        file.has_groups_last = has_groups_last;
        file.analog_count = 5;
        const Result<Markers> markers = markers_of(file.text());
        ASSERT_TRUE(markers) << markers.error().sentence;
        EXPECT_EQ(markers->labels, file.labels);
        EXPECT_EQ(markers->rate, 120);
        EXPECT_EQ(markers->units, "mm");
        EXPECT_EQ(markers->metres_per_unit, 0.001);
        EXPECT_EQ(markers->up, UpAxis::z);
        EXPECT_EQ(markers->frame_count, 4u);
        EXPECT_EQ(markers->first_frame, 1);
        EXPECT_TRUE(markers->notes.empty());
        expect_made_points(*markers);
      }
    }
  }
}

TEST(C3d, HasMoreThan65535FramesWhenTheTrialSaysSo) {
  MadeC3d file;
  file.labels = {"a"};
  file.frame_count = file.long_frames = 70000;
  const Result<Markers> markers = markers_of(file.text());
  ASSERT_TRUE(markers) << markers.error().sentence;
  EXPECT_EQ(markers->frame_count, 70000u);
  EXPECT_EQ(markers->first_frame, 7);
  EXPECT_EQ(markers->points.back(), MadeC3d::point(69999, 0));
}

TEST(C3d, ReadsLabelsBeyond255) {
  MadeC3d file;
  file.labels.clear();
  for (int m = 0; m < 300; ++m) file.labels.push_back("m" + std::to_string(m));
  const Result<Markers> markers = markers_of(file.text());
  ASSERT_TRUE(markers) << markers.error().sentence;
  EXPECT_EQ(markers->labels, file.labels);
  EXPECT_TRUE(markers->notes.empty());
}

TEST(C3d, CutShortLoadsWhatIsThereOrIsRefused) {
  MadeC3d file;
  const std::string whole = file.text();
  const Result<Markers> cut = markers_of(whole.substr(0, whole.size() - 60));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->frame_count, 2u);
  const auto is_repair = [](const Note& note) {
    return note.id == "frames-missing" && note.kind == Note::Kind::repair;
  };
  EXPECT_TRUE(std::any_of(cut->notes.begin(), cut->notes.end(), is_repair));
  for (const std::size_t size : {0u, 100u, 512u, 514u, 520u, 600u}) {
    const Result<Markers> refused = markers_of(whole.substr(0, size));
    ASSERT_FALSE(refused) << size;
    EXPECT_TRUE(refused.error().sentence.starts_with("made.c3d: ")) << refused.error().sentence;
  }
}

TEST(C3d, TakesNumbersThatAreNoneAsGaps) {
  MadeC3d file;
  std::string text = file.text();
  const std::string nan = file.real(NAN);
  text.replace(text.size() - 16, 4, nan);
  const Result<Markers> markers = markers_of(text);
  ASSERT_TRUE(markers);
  EXPECT_TRUE(has_note(markers->notes, "points-not-finite"));
  EXPECT_FALSE(markers->is_seen.back());
}

TEST(C3d, BecomesACharacterWithAKeyForEachSeenMarker) {
  const std::string text = MadeC3d().text();
  const Result<Asset> asset =
      load_from_memory(std::as_bytes(std::span(text.data(), text.size())), "made.c3d", {});
  ASSERT_TRUE(asset) << asset.error().sentence;
  EXPECT_TRUE(has_note(asset->notes, "marker-gaps"));
  EXPECT_TRUE(has_note(asset->notes, "turned-y-up"));
  ASSERT_EQ(asset->character.nodes.size(), 3u);
  EXPECT_EQ(asset->character.nodes[2].name, "a label");
  const std::vector<Channel>& channels = asset->character.clips.at(0).channels;
  ASSERT_EQ(channels.size(), 3u);
  EXPECT_EQ(channels[1].times, (std::vector<float>{0, 3.0f / 120}));
  const Vec3 last = MadeC3d::point(3, 2);  // Z up becomes Y up
  const std::vector<float>& values = channels[2].values;
  EXPECT_NEAR(values[9], last.x, 1e-3);
  EXPECT_NEAR(values[10], last.z, 1e-3);
  EXPECT_NEAR(values[11], -last.y, 1e-3);
}

// ---- TRC ------------------------------------------------------------------------------------------------

const std::string kTrc =
    "PathFileType\t4\t(X/Y/Z)\tmade.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "60.00\t60.00\t3\t2\tmm\t60.00\t1\t3\n"
    "Frame#\tTime\tR.ASIS\t\t\ttop of head\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "5\t0.000\t1\t2\t3\t4\t5\t6\n"
    "6\t0.017\t1.5\t2\t3\t\t\t\n"
    "7\t0.033\t2e0\t2\t3\t4\t1700\t6\n";

TEST(Trc, HasLabelsUnitsRateAndGaps) {
  const Result<Markers> markers = markers_of(kTrc, "made.trc");
  ASSERT_TRUE(markers) << markers.error().sentence;
  EXPECT_EQ(markers->labels, (std::vector<std::string>{"R.ASIS", "top of head"}));
  EXPECT_EQ(markers->rate, 60);
  EXPECT_EQ(markers->metres_per_unit, 0.001);
  EXPECT_EQ(markers->first_frame, 5);
  EXPECT_EQ(markers->frame_count, 3u);
  EXPECT_EQ(markers->points[0], (Vec3{1, 2, 3}));
  EXPECT_EQ(markers->points[4], (Vec3{2, 2, 3}));
  EXPECT_EQ(markers->is_seen, (std::vector<bool>{true, true, true, false, true, true}));
  EXPECT_TRUE(markers->notes.empty());
}

std::string replaced(std::string text, const std::string& old_words, const std::string& new_words) {
  for (std::size_t at = text.find(old_words); at != std::string::npos;
       at = text.find(old_words, at + new_words.size()))
    text.replace(at, old_words.size(), new_words);
  return text;
}

TEST(Trc, ReadsTheSameFromEveryWriter) {
  const Result<Markers> plain = markers_of(kTrc, "made.trc");
  for (const std::string& variant :
       {replaced(kTrc, "\n", "\r\n"), replaced(kTrc, "R.ASIS\t\t\ttop of head\t\t", "R.ASIS\ttop of head"),
        replaced(kTrc, "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n", ""), replaced(kTrc, "\t\t\t\n7", "\n7"),
        replaced(kTrc, "Z2\n\n", "Z2\n"), kTrc.substr(kTrc.find("DataRate")),
        replaced(kTrc, "\t\t\t\n7", "\tnan\tnan\tnan\n7")}) {
    const Result<Markers> markers = markers_of(variant, "made.trc");
    ASSERT_TRUE(markers) << markers.error().sentence << "\n" << variant;
    EXPECT_EQ(markers->labels, plain->labels) << variant;
    EXPECT_EQ(markers->points, plain->points) << variant;
    EXPECT_EQ(markers->is_seen, plain->is_seen) << variant;
  }
}

TEST(Trc, SaysWhatItMendsAndRefusesWhatItCannot) {
  EXPECT_TRUE(
      has_note(markers_of(replaced(kTrc, "\t3\t2\tmm", "\t9\t2\tmm"), "a.trc")->notes, "frames-miscounted"));
  EXPECT_TRUE(
      has_note(markers_of(replaced(kTrc, "\t3\t2\tmm", "\t3\t7\tmm"), "a.trc")->notes, "markers-miscounted"));
  EXPECT_TRUE(has_note(markers_of(replaced(kTrc, "\t1700\t6\n", "\n"), "a.trc")->notes, "rows-short"));
  EXPECT_TRUE(has_note(markers_of(replaced(kTrc, "\n60.00", "\n0"), "a.trc")->notes, "rate-missing"));
  const Result<Markers> unitless = markers_of(replaced(kTrc, "\tmm\t", "\t\t"), "a.trc");
  EXPECT_TRUE(has_note(unitless->notes, "unit-guessed"));
  EXPECT_EQ(unitless->metres_per_unit, 0.001);
  EXPECT_TRUE(has_note(markers_of(replaced(kTrc, "\t1700\t6\n", "\t1700\t6\t99\n"), "a.trc")->notes,
                       "columns-left-over"));
  const Result<Markers> odd = markers_of(replaced(kTrc, "\tmm\t", "\tcubits\t"), "a.trc");
  ASSERT_TRUE(odd);
  const auto guess = std::find_if(odd->notes.begin(), odd->notes.end(),
                                  [](const Note& note) { return note.id == "unit-guessed"; });
  ASSERT_NE(guess, odd->notes.end());
  EXPECT_TRUE(guess->sentence.starts_with("the file's unit 'cubits' is not known")) << guess->sentence;
  EXPECT_FALSE(markers_of("", "a.trc"));
  EXPECT_FALSE(markers_of(replaced(kTrc, "1700", "high"), "a.trc"));
  EXPECT_FALSE(markers_of(replaced(kTrc, "7\t0.033", "seven\t0.033"), "a.trc"));
}

// ---- A take that is there twice -------------------------------------------------------------------------

// CMU's take 02_01: markers as recorded, and the skeleton that was fitted to them. The BVH starts with an
// added frame and counts in units of its own.
class Take0201 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::data_folder().empty()) GTEST_SKIP() << "the files made elsewhere are not at hand";
    const fs::path folder = test::data_folder() / "motion";
    Result<Asset> markers = load((folder / "c3d" / "02_01.c3d").string());
    Result<Asset> skeleton = load((folder / "cmu" / "02_01.bvh").string());
    ASSERT_TRUE(markers && skeleton);
    markers_ = std::move(markers->character);
    skeleton_ = std::move(skeleton->character);
    frame_count_ = skeleton_.clips[0].channels[0].times.size() - 1;
  }
  // In metres, in frame `frame` of the markers. The fitting named the axes anew: both files agree after a
  // quarter turn about the vertical.
  Vec3d marker(const std::string& name, std::size_t frame) const {
    const Index node = *find_node(markers_, "TakeoMonday:" + name);
    for (const Channel& channel : markers_.clips[0].channels) {
      if (channel.target != node) continue;
      std::vector<float> out(3);
      sample_channel(channel, double(frame) / 120, out);
      return Vec3d{-out[2], out[1], out[0]} * markers_.metres_per_unit;
    }
    return {};
  }
  Vec3d joint(const std::string& name, std::size_t frame) const {
    const Index node = *find_node(skeleton_, name);
    const double time = double(skeleton_.clips[0].channels[0].times[frame + 1]);
    return pose_frame(skeleton_, {0, time, nullptr})->world_from_node[std::size_t(node)].translation *
           skeleton_.metres_per_unit;
  }

  Character markers_, skeleton_;
  std::size_t frame_count_ = 0;
};

template <class Value>
double deviation_over(std::size_t count, const Value& value) {
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = value(k);
    sum += x, squares += x * x;
  }
  const double mean = sum / double(count);
  return std::sqrt(std::max(0.0, squares / double(count) - mean * mean));
}

TEST_F(Take0201, HasAsManyFramesInBothFiles) {
  EXPECT_EQ(frame_count_, 343u);
  EXPECT_EQ(markers_.nodes.size(), 41u);
  // What the library's documents say: a unit of its skeletons is 1 / 0.45 inches.
  EXPECT_DOUBLE_EQ(skeleton_.metres_per_unit, 0.0254 / 0.45);
}

TEST_F(Take0201, KeepsTheHipsBetweenTheWaistMarkers) {
  // The middle of the four waist markers is fixed to the pelvis: the root follows it at a constant distance.
  const auto waist = [&](std::size_t frame) {
    return (marker("LFWT", frame) + marker("RFWT", frame) + marker("LBWT", frame) + marker("RBWT", frame)) *
           0.25;
  };
  const Vec3d start = joint("Hips", 0) - waist(0);
  double worst = 0;
  for (std::size_t frame = 0; frame < frame_count_; ++frame)
    worst = std::max(worst, length(joint("Hips", frame) - waist(frame) - start));
  EXPECT_LE(length(start), 0.002);
  EXPECT_NEAR(length(waist(frame_count_ - 1) - waist(0)), 3.366, 0.001);
  EXPECT_LE(worst, 0.025);
}

TEST_F(Take0201, KeepsMarkersAtTheirDistanceFromTheJointsBelowThem) {
  // Skin slides over knees and elbows, not over ankles.
  const struct {
    const char *label, *name;
    double deviation;
  } rows[] = {{"LANK", "LeftFoot", 0.0005}, {"RANK", "RightFoot", 0.0005}, {"LKNE", "LeftLeg", 0.01},
              {"RKNE", "RightLeg", 0.01},   {"LELB", "LeftForeArm", 0.01}, {"RELB", "RightForeArm", 0.01},
              {"LFHD", "Head", 0.01},       {"RFHD", "Head", 0.01}};
  for (const auto& row : rows) {
    const double deviation = deviation_over(frame_count_, [&](std::size_t frame) {
      return length(marker(row.label, frame) - joint(row.name, frame));
    });
    EXPECT_LE(deviation, row.deviation) << row.label;
    EXPECT_GT(deviation, 0) << row.label;
  }
}

}  // namespace
}  // namespace dermis
