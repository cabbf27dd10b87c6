// SPDX-License-Identifier: MIT
// Reports described once: a description from outside becomes JSON, its schema, text and a map without more
// ado.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "dermis/ops.h"

namespace dermis {

// A report of a verb that the library does not know, with a field of each kind.
namespace toy {

enum class Mood { calm, wild };
const char* name_of(Mood mood) { return mood == Mood::calm ? "calm" : "wild"; }

struct Leg {
  std::string name;
  double length = 0;
};
void describe(ReportFields& fields, const Leg& leg) {
  fields.name_type("leg");
  fields.say("  leg {#} '{name}': {length}\n");
  fields.add("name", leg.name, "as the animal calls it");
  fields.add("length", leg.length, "metres", scaled_as(100, "{:.1f} cm"));
}

struct WalkReport {
  static constexpr const char* kVerb = "walk";
  std::string input, pose_file;
  std::size_t step_count = 1;
  int slope = -2;
  bool is_done = true;
  Mood mood = Mood::wild;
  std::vector<Leg> legs;
  std::array<double, 2> ends{0.5, 1};
  Vec3d up{0, 1, 0};
  Box box;
  std::optional<double> limit, load;
  std::vector<NamedValue> shapes;
  Index parent = kNone;
  double seconds = 0.25;
  Notes notes;
};
void describe(ReportFields& fields, const WalkReport& report) {
  fields.say("{input}: {steps}, {mood}, ends {ends}");
  fields.say_if(report.limit.has_value(), " under {limit} ");
  fields.say_words([] { return std::string("{as it is}"); });
  fields.say(" in {seconds.walking}\n");
  fields.add("input", report.input, "the file");
  fields.add_or_null("pose_file", report.pose_file, "the pose");
  fields.add("steps", report.step_count, "steps", counted_as("step", "steps"));
  fields.add("slope", report.slope, "of the ground");
  fields.add("is_done", report.is_done, "it arrived");
  fields.add_choice("mood", report.mood, {Mood::calm, Mood::wild}, "how it walks");
  fields.add("legs", report.legs, "left first");
  fields.add("ends", report.ends, "where it starts and stops");
  fields.add("up", report.up, "unit");
  fields.add("box", report.box, "around it");
  fields.add("limit", report.limit, "null: none");
  fields.add_if_set("load", report.load, "what it carries");
  fields.add_map(
      "shapes", report.shapes, "by name", [](const NamedValue& s) { return std::string_view(s.name); },
      [](const NamedValue& s) { return s.value; });
  fields.add_index("parent", report.parent, "who leads");
  fields.add_object("seconds", "of each step",
                    [&] { fields.add("walking", report.seconds, "on foot", kAsMilliseconds); });
  fields.say_details([] { return std::string("details\n"); });
  fields.add("notes", report.notes, "what there is to say");
}

// One whose description says no sentences.
struct RestReport {
  static constexpr const char* kVerb = "rest";
  std::vector<Leg> legs;
  std::size_t hour_count = 0;
};
void describe(ReportFields& fields, const RestReport& report) {
  fields.add("hours", report.hour_count, "of sleep", counted_as("hour", "hours"));
  fields.add("beds", std::vector<std::string>{"hay", "moss"}, "that were tried");
  fields.add_list("legs", report.legs, "left first", {},
                  [&](const Leg& leg) { fields.add("name", leg.name, "as the animal calls it"); });
  fields.add_object("seconds", "of each step", [&] { fields.add("sleeping", 1.5, "in a bed"); });
}

}  // namespace toy

namespace {

using OrderedJson = nlohmann::ordered_json;

toy::WalkReport walk() {
  toy::WalkReport report;
  report.input = "cat.glb";
  report.legs = {{"front", 0.25}, {"hind", 0.3}};
  report.shapes = {{"smile", 0.5f}};
  report.notes = {{Note::Kind::guess, "no-unit", "metres were taken"}};
  return report;
}

TEST(DescribedReport, BecomesJsonInTheOrderOfItsFields) {
  const OrderedJson json = OrderedJson::parse(to_json(walk()));
  const OrderedJson wanted = OrderedJson::parse(R"({
    "schema": 1, "verb": "walk", "version": "", "input": "cat.glb", "pose_file": null, "steps": 1, "slope": -2,
    "is_done": true, "mood": "wild",
    "legs": [{"name": "front", "length": 0.25}, {"name": "hind", "length": 0.3}], "ends": [0.5, 1.0],
    "up": [0.0, 1.0, 0.0], "box": null, "limit": null, "shapes": {"smile": 0.5}, "parent": null,
    "seconds": {"walking": 0.25},
    "notes": [{"kind": "guess", "id": "no-unit", "sentence": "metres were taken", "severity": "info", "remedies": []}]})");
  OrderedJson without_version = json;
  without_version["version"] = "";
  EXPECT_EQ(without_version.dump(), wanted.dump());
  EXPECT_EQ(json["version"], version());
}

TEST(DescribedReport, BecomesASchemaThatKnowsWhatItsValuesDoNotShow) {
  const OrderedJson schema = OrderedJson::parse(to_schema<toy::WalkReport>());
  const OrderedJson& report = schema["$defs"]["walk_report"];
  const OrderedJson& fields = report["properties"];
  EXPECT_EQ(fields["verb"]["const"], "walk");
  EXPECT_EQ(fields["steps"],
            OrderedJson::parse(R"({"type": "integer", "minimum": 0, "description": "steps"})"));
  EXPECT_EQ(fields["slope"]["type"], "integer");
  EXPECT_FALSE(fields["slope"].contains("minimum"));
  EXPECT_EQ(fields["mood"]["enum"], OrderedJson::parse(R"(["calm", "wild"])"));
  EXPECT_EQ(fields["legs"]["items"]["$ref"], "#/$defs/leg");
  EXPECT_EQ(schema["$defs"]["leg"]["required"], OrderedJson::parse(R"(["name", "length"])"));
  EXPECT_EQ(fields["ends"]["maxItems"], 2);
  EXPECT_EQ(fields["box"]["anyOf"][0]["$ref"], "#/$defs/box");
  EXPECT_EQ(fields["limit"]["type"], OrderedJson::parse(R"(["number", "null"])"));
  EXPECT_EQ(fields["shapes"]["additionalProperties"]["type"], "number");
  EXPECT_EQ(fields["parent"]["type"], OrderedJson::parse(R"(["integer", "null"])"));
  const auto is_required = [&](const char* name) {
    return std::find(report["required"].begin(), report["required"].end(), name) != report["required"].end();
  };
  EXPECT_TRUE(is_required("limit"));
  EXPECT_FALSE(is_required("load"));
}

TEST(DescribedReport, BecomesTextWithTheWordsOfItsFields) {
  EXPECT_EQ(to_text(walk()),
            "cat.glb: 1 step, wild, ends 0.5, 1{as it is} in 250 ms\n"
            "  leg 0 'front': 25.0 cm\n"
            "  leg 1 'hind': 30.0 cm\n");
  toy::WalkReport limited = walk();
  limited.step_count = 3;
  limited.limit = 2.5;
  limited.legs.clear();
  EXPECT_EQ(to_text(limited, true),
            "cat.glb: 3 steps, wild, ends 0.5, 1 under 2.5 {as it is} in 250 ms\ndetails\n");
}

TEST(DescribedReport, WithoutSentencesIsListedFieldByField) {
  const toy::RestReport report{{{"front", 1}}, 8};
  EXPECT_EQ(to_text(report),
            "hours: 8 hours\nbeds: hay, moss\nlegs:\n  0:\n    name: front\nseconds:\n  sleeping: 1.5\n");
}

// What a binding to another language would do: values, lists and maps of them by name.
struct Value {
  std::string words;
  std::vector<Value> list;
  std::map<std::string, Value> map;
};

class MapVisitor final : public ReportVisitor {
 public:
  void value(const ReportField& field, const ReportValue& value) override {
    const auto words = [](const auto& v) -> std::string {
      using T = std::decay_t<decltype(v)>;
      if constexpr (std::is_same_v<T, std::monostate>)
        return "None";
      else if constexpr (std::is_same_v<T, std::string_view>)
        return std::string(v);
      else
        return std::to_string(v);
    };
    put(field.name, {std::visit(words, value), {}, {}});
  }
  void open(const ReportField& field, ReportContainer container) override {
    open_.push_back({std::string(field.name), container, {}});
  }
  void close() override {
    const Open closed = open_.back();
    open_.pop_back();
    put(closed.name, closed.value);
  }
  const Value& all() const { return open_.front().value; }

 private:
  struct Open {
    std::string name;
    ReportContainer container = ReportContainer::object;
    Value value;
  };
  void put(std::string_view name, const Value& value) {
    if (open_.back().container == ReportContainer::list)
      open_.back().value.list.push_back(value);
    else
      open_.back().value.map[std::string(name)] = value;
  }
  std::vector<Open> open_ = std::vector<Open>(1);
};

TEST(DescribedReport, BecomesANestedMapForAVisitorFromOutside) {
  BindReport report;
  report.output = "bound.glb";
  report.point_count = 12;
  report.idle = {{"tail", "unfollowed"}};
  report.points_by_influences = {0, 5, 7};
  report.notes = {{Note::Kind::info, "an-id", "a sentence"}};
  MapVisitor visitor;
  ReportFields fields(visitor);
  describe(fields, report);
  const Value& all = visitor.all();
  EXPECT_EQ(all.map.at("output").words, "bound.glb");
  EXPECT_EQ(all.map.at("points").words, "12");
  EXPECT_EQ(all.map.at("idle").list.at(0).map.at("joint").words, "tail");
  EXPECT_EQ(all.map.at("points_by_influences").list.at(2).words, "7");
  EXPECT_EQ(all.map.at("notes").list.at(0).map.at("kind").words, "info");
  EXPECT_EQ(all.map.at("seconds").map.size(), 3u);
  EXPECT_FALSE(all.map.contains("verb"));
}

template <class Report>
void expect_words(const Report& report) {
  const std::string text = to_text(report, true);
  EXPECT_FALSE(text.empty()) << Report::kVerb;
  EXPECT_EQ(text.find('{'), std::string::npos) << Report::kVerb << ": " << text;
}

TEST(DescribedReport, OfEveryVerbHasWordsForAllFieldsThatItsSentencesName) {
  expect_words(InfoReport{});
  expect_words(CheckReport{});
  expect_words(ConvertReport{});
  expect_words(MakeReport{});
  expect_words(DeformReport{});
  expect_words(BakeReport{});
  expect_words(RigReport{});
  expect_words(BindReport{});
  expect_words(AnimateReport{});
  expect_words(WeightsReport{});
  expect_words(CompareReport{});
  expect_words(RenderReport{});
  expect_words(DemoReport{});
}

TEST(DescribedReport, SaysMoreWhereThereIsMore) {
  InfoReport shown;
  shown.cache = InfoReport::Cache{3, 4, 0, 1};
  expect_words(shown);
  shown = {};
  shown.material_count = 1;
  shown.controls = {"a"};
  shown.meshes.resize(1);
  shown.meshes[0] = {"m", 4, 3, 2, 2, 2, true, true, true, 1, 1, {"s"}, {0, 4}, 1, 2, 1, false};
  shown.skins = {{"s", 2, 1, 0.5}};
  shown.clips = {{"c", 0, 1, 2}};
  shown.nodes = {{"n", "n", kNone, true}};
  expect_words(shown);
  CheckReport checked;
  checked.quality.emplace();
  checked.quality->is_rest_count_exact = false;
  checked.quality->joints.resize(2);
  expect_words(checked);
  CompareReport compared;
  compared.max_weight_difference = compared.mean_weight_difference = compared.e_rms = compared.kg = 1;
  compared.sequence.emplace();
  compared.volumes = compared.normal_errors = {1.0, 2.0};
  compared.surface.emplace();
  compared.limit = 0.1;
  expect_words(compared);
  RigReport rigged;
  rigged.clip = "walk";
  rigged.figures.contact_count = 1;
  expect_words(rigged);
  AnimateReport moved;
  moved.figures.contact_count = moved.figures.hinge_count = 1;
  expect_words(moved);
  WeightsReport changed;
  changed.meshes.resize(1);
  changed.meshes[0].changed_point_count = changed.meshes[0].longest_before = 1;
  changed.meshes[0].mirrored.emplace().other_mesh_count = 1;
  changed.meshes[0].transferred.emplace();
  changed.meshes[0].limited.emplace().limited_count = 1;
  changed.meshes[0].polygon_count = 1;
  changed.renamed_count = changed.mended_count = 1;
  changed.motion.emplace();
  expect_words(changed);
  RenderReport drawn;
  drawn.heat_max = 1;
  drawn.heat_unit = "%";
  drawn.frame_count = 2;
  expect_words(drawn);
  DemoReport demoed;
  demoed.posed.resize(1);
  expect_words(demoed);
}

TEST(JsonSchema, HasEveryReportTableAndError) {
  const OrderedJson schema = OrderedJson::parse(json_schema());
  for (const char* type :
       {"info_report",        "check_report",  "convert_report", "make_report",       "deform_report",
        "bake_report",        "rig_report",    "bind_report",    "animate_report",    "weights_report",
        "compare_report",     "render_report", "combine_report", "demo_report",       "methods_table",
        "bind_methods_table", "formats_table", "notes_table",    "check_rules_table", "motions_table",
        "roles_table",        "error_report",  "shapes_report",  "helpers_report"}) {
    EXPECT_TRUE(schema["$defs"].contains(type)) << type;
  }
  EXPECT_EQ(schema["anyOf"].size(), 24u);
}

}  // namespace
}  // namespace dermis
