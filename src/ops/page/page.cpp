// SPDX-License-Identifier: MIT
// Sections of reports, from characters and notes, and the parts they share.
#include "ops/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dermis/ops/methods.h"
#include "dermis/ops/notes.h"
#include "dermis/ops/render.h"
#include "ops/page/drawn.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

constexpr int kPageSamples = 9;

// The meanings are in a third column, if there is one.
ReportTable table_of(std::vector<std::string> columns, const Facts& facts) {
  ReportTable table{std::move(columns), {}};
  for (const Fact& fact : facts) {
    table.rows.push_back({fact.name, fact.value});
    if (table.columns.size() > 2) table.rows.back().push_back(fact.meaning);
  }
  return table;
}

std::string volume_text(const Shot& shot, const SceneVolume& rest) {
  if (!rest.is_told(rest.volume)) return {};
  return fmt::format("volume {:+.1f} %",
                     100 * (volume_of_scene(rest.surfaces, shot.still) / rest.volume - 1));
}

}  // namespace

Result<ReportFigure> figure_of(const Pixels& pixels, std::string caption, std::string number) {
  Result<std::vector<std::byte>> png = encode_png(pixels);
  if (!png) return png.error();
  return ReportFigure{std::move(*png), {}, std::move(caption), std::move(number)};
}

Result<ReportFigure> shoot(const Shot& shot, const Camera& camera, const Run& run, std::string caption,
                           std::string number) {
  RenderOptions options;
  options.width = kPageWidth;
  options.height = kPageHeight;
  options.samples = kPageSamples;
  Result<Pixels> pixels = render(shot.drawing, camera, options, run.progress);
  if (!pixels) return pixels.error();
  return figure_of(*pixels, std::move(caption), std::move(number));
}

ReportText nothing_to_draw() { return {"There are no triangles to draw."}; }

ReportFigure legend_of(const ColourScale& scale) { return {{}, legend_svg(scale), {}, {}}; }

int look_of(const Stack& stack) {
  int look = 0;
  const std::string_view skin = skin_row(stack).name;
  for (const StageRow& row : methods()) {
    if (row.phase != StagePhase::skin) continue;
    if (skin == row.name) break;
    ++look;
  }
  if (!has_phase(stack, StagePhase::posed)) return look;
  // Smoothed linear blending is next to the plain methods in every plot: it has its own colour.
  return skin == "lbs" ? kFullLooks : kFullLooks + 1 + look;
}

std::string seconds_text(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.1f} ms", 1000 * seconds) : fmt::format("{:.2f} s", seconds);
}

// ---- Facts of a report ----

namespace {

class FactsWriter final : public ReportVisitor {
 public:
  void value(const ReportField& field, const ReportValue& value) override {
    if (list_depth_ > 0 || std::holds_alternative<std::monostate>(value)) return;
    const auto* seconds = std::get_if<double>(&value);
    if (places_ == std::vector<std::string>{"seconds"} && seconds != nullptr)
      told.timings.push_back({spoken(field.name), seconds_text(*seconds)});
    else
      told.facts.push_back({label_of(field.name), value_text(field.form, value), std::string(field.meaning)});
  }
  void open(const ReportField& field, ReportContainer container) override {
    places_.emplace_back(field.name);
    if (container == ReportContainer::list || list_depth_ > 0) ++list_depth_;
  }
  void close() override {
    places_.pop_back();
    if (list_depth_ > 0) --list_depth_;
  }

  DescribedFacts told;

 private:
  static std::string spoken(std::string_view name) {
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
  }
  std::string label_of(std::string_view name) const {
    std::string label;
    for (const std::string& place : places_) label += spoken(place) + ": ";
    return label + spoken(name);
  }

  std::vector<std::string> places_;
  std::size_t list_depth_ = 0;  // how many of the open containers are in a list, or are one
};

}  // namespace

DescribedFacts described_facts(const ReportDescription& description) {
  FactsWriter writer;
  ReportFields fields(writer);
  description(fields);
  return std::move(writer.told);
}

// ---- In words --------------------------------------------------------------------------------------------

ReportSection facts_section(const Facts& facts) {
  Facts all = facts;
  all.push_back({"dermis", version()});
  all.push_back({"kernels", kernel_target()});
  const bool has_meanings =
      std::any_of(all.begin(), all.end(), [](const Fact& fact) { return !fact.meaning.empty(); });
  return {"What was done", {table_of(std::vector<std::string>(has_meanings ? 3 : 2), all)}};
}

ReportSection timings_section(const Facts& timings) {
  return {"Timings", {table_of({"step", "time"}, timings)}};
}

ReportSection notes_section(const Notes& notes, std::string_view verb) {
  ReportSection section{"Notes and warnings", {}};
  if (notes.empty()) {
    section.items.emplace_back(ReportText{"Nothing was repaired, guessed or lost."});
    return section;
  }
  ReportTable table{{"kind", "id", "what"}, {}};
  for (const Note& note : notes) table.rows.push_back({name_of(note.kind), note.id, words_of(note, verb)});
  section.items.emplace_back(std::move(table));
  return section;
}

ReportSection findings_section(const Findings& findings, const std::string& unjudged) {
  ReportSection section{"Findings", {}};
  if (!unjudged.empty()) section.items.emplace_back(ReportText{"Not judged: " + unjudged + "."});
  if (findings.empty()) {
    section.items.emplace_back(
        ReportText{unjudged.empty() ? "Nothing is wrong." : "Nothing is wrong with the rest."});
    return section;
  }
  ReportTable table{{"severity", "finding", "where", "what", "what to do"}, {}};
  for (const Finding& finding : findings) {
    table.rows.push_back({name_of(finding.severity), finding.id, place_of(finding), finding.sentence,
                          advice_of(finding, "check")});
  }
  section.items.emplace_back(std::move(table));
  return section;
}

ReportSection commands_section(const RunOptions& run, const std::vector<std::string>& more) {
  ReportSection section{"Do it again", {}};
  std::string lines = run.command;
  for (const std::string& command : more) lines += (lines.empty() ? "" : "\n") + command;
  section.items.emplace_back(ReportCode{lines});
  return section;
}

// ---- Volumes ---------------------------------------------------------------------------------------------

bool SceneVolume::is_told(double some_volume) const {
  constexpr double kLeastVolume = 1e-6;  // of the cube of the diagonal
  return std::abs(some_volume) > kLeastVolume * diagonal * diagonal * diagonal;
}

SceneVolume volume_at_rest(const Character& still) {
  SceneVolume rest;
  rest.surfaces = measured_scene(still);
  rest.volume = volume_of_scene(rest.surfaces, still);
  rest.diagonal = size_of(still).box.diagonal();
  for (const MeasuredSurface& surface : rest.surfaces) rest.opening_count += surface.loop_count();
  return rest;
}

void add_openings(const SceneVolume& volume, ReportSection& section) {
  if (volume.opening_count == 0) return;
  section.items.emplace_back(
      ReportText{fmt::format("Volumes are measured with {} capped, each by a fan around the middle of its "
                             "rim; if rims open or close, volumes change with them.",
                             counted(volume.opening_count, "opening", "openings"))});
}

ReportText no_volume() { return {"Nothing here encloses a volume."}; }

// ---- In pictures -----------------------------------------------------------------------------------------

Result<Shot> shot_at_rest(const ShotMaker& maker, bool has_joints, const Run& run) {
  const Character& character = maker.character();
  const Result<PoseFrame> rest = pose_frame(character, {});
  if (!rest) return rest.error();
  const Result<Deformer> deformer = ready_to_pose(character, {}, maker.file(), part_of(run, 0, 0.5));
  if (!deformer) return deformer.error();
  Result<Shot> shot = maker.take(*deformer, *rest, run.progress.part(0.5, 1));
  if (shot && has_joints) shot->drawing.bones = draw_bones(character, rest->world_from_node);
  return shot;
}

Result<ReportSection> rest_section(const ShotMaker& maker, const Run& run) {
  const std::size_t count = maker.character().skins.empty() ? 1 : 2;
  ReportRow row;
  std::vector<Shot> shots;
  for (std::size_t k = 0; k < count; ++k) {
    Result<Shot> shot = shot_at_rest(maker, k == 1, piece_of(part_of(run, 0, kPagePosed), k, count));
    if (!shot) return shot.error();
    if (triangle_count(shot->drawing) == 0) return ReportSection{"At rest", {nothing_to_draw()}};
    shots.push_back(std::move(*shot));
  }
  const Camera camera = frame_shots(shots, kPageView, kPageAspect);
  for (std::size_t k = 0; k < count; ++k) {
    Result<ReportFigure> figure = shoot(shots[k], camera, piece_of(part_of(run, kPagePosed, 1), k, count),
                                        k == 0 ? "at rest" : "the joints in it", {});
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return ReportSection{"At rest", {std::move(row)}};
}

Result<ReportSection> moments_section(const ShotMaker& maker, const Deformer& deformer,
                                      const std::vector<Moment>& moments, const Run& run) {
  std::vector<Shot> shots;
  const Result<PoseFrame> rest = pose_frame(maker.character(), {});
  if (!rest) return rest.error();
  std::vector<const PoseFrame*> frames = {&*rest};
  for (const Moment& moment : moments) frames.push_back(&moment.frame);
  const Result<HeatPainter> painter =
      HeatPainter::prepare(maker, {HeatMap::Kind::strain, {}, {}, {}}, run.progress.part(0, kPagePosed / 2));
  if (!painter) return painter.error();
  const Run posing = part_of(run, kPagePosed / 2, kPagePosed), drawing = part_of(run, kPagePosed, 1);
  for (const PoseFrame* frame : frames) {
    const Progress piece = piece_of(posing, shots.size(), frames.size()).progress;
    Result<Shot> shot = maker.take(deformer, *frame, piece);
    if (!shot) return shot.error();
    shots.push_back(std::move(*shot));
  }
  if (triangle_count(shots[0].drawing) == 0) return ReportSection{"Before and after", {nothing_to_draw()}};
  const Camera camera = frame_shots(shots, kPageView, kPageAspect);
  const SceneVolume volume = volume_at_rest(shots[0].still);
  const std::size_t picture_count = shots.size() + moments.size();
  ReportRow plain, painted;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure = shoot(shots[k], camera, piece_of(drawing, k, picture_count),
                                        k == 0 ? "before: at rest" : moments[k - 1].label,
                                        k == 0 ? std::string() : volume_text(shots[k], volume));
    if (!figure) return figure.error();
    plain.figures.push_back(std::move(*figure));
  }
  const std::span<Shot> posed = std::span(shots).subspan(1);
  const Result<std::optional<ColourScale>> scale =
      painter->paint(posed, piece_of(drawing, shots.size(), picture_count).progress.part(0, 0));
  if (!scale) return scale.error();
  for (std::size_t k = 0; k < posed.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(posed[k], camera, piece_of(drawing, shots.size() + k, picture_count),
              fmt::format("strain: {}", moments[k].label),
              fmt::format("edges change by up to {:.0f} %", largest_heat(posed.subspan(k, 1))));
    if (!figure) return figure.error();
    painted.figures.push_back(std::move(*figure));
  }
  ReportSection section{"Before and after", {std::move(plain)}};
  if (volume.is_told(volume.volume)) add_openings(volume, section);
  if (*scale) section.items.emplace_back(legend_of(**scale));
  section.items.emplace_back(std::move(painted));
  return section;
}

Result<std::vector<ReportFigure>> stacks_figures(const ShotMaker& maker, const PoseFrame& frame,
                                                 const std::vector<Stack>& stacks, std::optional<double> most,
                                                 const Run& run) {
  constexpr double kStacksPosed = 0.5;  // of the work: some stacks prepare for seconds
  std::vector<Shot> shots;
  const Result<HeatPainter> painter = HeatPainter::prepare(
      maker, {HeatMap::Kind::error, {}, "lbs", most, deform_stack("lbs")}, run.progress.part(0, 0));
  if (!painter) return painter.error();
  for (const Stack& stack : stacks) {
    const Run piece = piece_of(part_of(run, 0, kStacksPosed), shots.size(), stacks.size());
    const Result<Deformer> deformer =
        ready_to_pose(maker.character(), {stack, NormalMode::exact}, maker.file(), part_of(piece, 0, 0.9));
    if (!deformer) return deformer.error();
    Result<Shot> shot = maker.take(*deformer, frame, piece.progress.part(0.9, 1));
    if (!shot) return shot.error();
    shots.push_back(std::move(*shot));
  }
  const Run drawing = part_of(run, kStacksPosed, 1);
  const Camera camera = frame_shots(shots, kPageView, kPageAspect);
  std::vector<ReportFigure> figures;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const Run piece = piece_of(drawing, k, shots.size());
    std::string number = "reference for the others";
    if (stacks[k] != Stack{}) {
      const Result<std::optional<ColourScale>> scale =
          painter->paint({&shots[k], 1}, piece.progress.part(0, 0.1));
      if (!scale) return scale.error();
      number = fmt::format("{:.2f} % of its size from lbs", largest_heat({&shots[k], 1}));
    }
    Result<ReportFigure> figure =
        shoot(shots[k], camera, part_of(piece, 0.1, 1), name_of(stacks[k]), std::move(number));
    if (!figure) return figure.error();
    figures.push_back(std::move(*figure));
  }
  return figures;
}

Result<ReportSection> volume_section(const ShotMaker& maker, const Deformer& deformer, Index clip,
                                     double from, double to, const Run& run) {
  constexpr int kSteps = 40;
  std::vector<PoseFrame> frames;
  Curve curve{name_of(deformer.options.stack), {}, {}, look_of(deformer.options.stack)};
  for (int k = 0; k <= kSteps; ++k) {
    const double time = from + (to - from) * k / kSteps;
    Result<PoseFrame> frame = pose_frame(*deformer.character, {clip, time, nullptr});
    if (!frame) return frame.error();
    frames.push_back(std::move(*frame));
    curve.x.push_back(time);
  }
  const Result<Character> still = bare_at_rest(maker.character(), maker.file(), part_of(run, 0, 0.1));
  if (!still) return still.error();
  const SceneVolume rest = volume_at_rest(*still);
  const Result<std::vector<double>> volumes = volume_curve(deformer, frames, run.progress.part(0.1, 1));
  if (!volumes) return volumes.error();
  if (!rest.is_told(volumes->front())) return ReportSection{"Volume along the clip", {no_volume()}};
  for (const double volume : *volumes) curve.y.push_back(100 * volume / volumes->front());
  const std::string svg = plot_svg({"Volume along the clip", "seconds", "% of the first frame", {curve}, 1});
  ReportSection section{"Volume along the clip", {ReportFigure{{}, svg, "the whole scene", {}}}};
  add_openings(rest, section);
  return section;
}

Result<ReportSection> compared_section(const ComparedScene& a, const ComparedScene& b, const Run& run) {
  std::array<Shot, 3> shots;  // A, B, and A coloured
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const ComparedScene& scene = k == 1 ? b : a;
    shots[k].still = *scene.still;
    shots[k].drawing = draw_character(shots[k].still, scene.textures);
  }
  if (triangle_count(shots[0].drawing) == 0 || triangle_count(shots[1].drawing) == 0)
    return ReportSection{"Side by side", {nothing_to_draw()}};
  shots[2].heat = distances(*a.still, *b.still);
  const double most = largest_heat({&shots[2], 1});
  const bool is_flat = most < kLeastHeat;
  const ColourScale scale = {"distance of A from B (% of size)", 0, is_flat ? 1 : most, false, is_flat};
  for (std::size_t m = 0; m < shots[2].heat.size(); ++m) paint(shots[2].drawing, m, scale, shots[2].heat[m]);
  const Camera camera = frame_shots(shots, kPageView, kPageAspect);
  const std::string labels[] = {a.label, b.label, "A, coloured by its distance from B"};
  const std::string numbers[] = {"", "", is_flat ? "no difference" : fmt::format("up to {:.3g} %", most)};
  ReportRow row;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Result<ReportFigure> figure =
        shoot(shots[k], camera, piece_of(run, k, shots.size()), labels[k], numbers[k]);
    if (!figure) return figure.error();
    row.figures.push_back(std::move(*figure));
  }
  return ReportSection{"Side by side", {std::move(row), legend_of(scale)}};
}

// ---- Files -----------------------------------------------------------------------------------------------

ReportPage page_of(const char* verb, const std::string& input) {
  return {fmt::format("dermis {}: {}", verb, std::filesystem::path(input).filename().string()),
          fmt::format("dermis {}", version()),
          {}};
}

ShotMaker maker_of(const Character& character, const std::string& file, const Run& run, Notes& notes) {
  return {character, {file, false, load_textures(character, run, notes), run}};
}

void add_stage_facts(const Stack& stack, Facts& facts) {
  for (const StageUse& use : stack.stages) {
    for (const StageUse::Value& given : use.values)
      facts.push_back(
          {fmt::format("{} of {}", given.option, use.row->name), fmt::format("{:g}", given.value)});
  }
}

Status add_section(Result<ReportSection> section, ReportPage& page) {
  if (!section) return section.error();
  page.sections.push_back(std::move(*section));
  return Done{};
}

void add_times(std::span<const double> times, std::vector<Moment>& moments) {
  const std::vector<std::string> labels = time_labels(times);
  for (std::size_t k = 0; k < moments.size(); ++k) moments[k].label += " at " + labels[k];
}

Status check_report(const std::string& path, const std::vector<std::string>& inputs, const RunOptions& run) {
  if (path.empty()) return Done{};
  return check_output(path, inputs, {".html", ".htm"}, run);
}

Status save_report(const std::string& path, const ReportPage& page, Notes& notes) {
  const std::string html = report_html(page);
  if (Status saved = save_bytes(path, std::as_bytes(std::span(html))); !saved) return saved;
  notes.push_back({Note::Kind::info, "report-written", fmt::format("{}: report written", path)});
  return Done{};
}

}  // namespace dermis
