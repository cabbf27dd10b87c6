// SPDX-License-Identifier: MIT
// The program behind `dermis bench`: standard tasks compared with a plain loop and the memory limit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iterator>

#include "bench.h"
#include "dermis/io.h"
#include "dermis/ops.h"
#include "dermis/picture.h"

namespace dermis::bench {

std::vector<double> best_seconds(const std::vector<std::function<void()>>& works, int repetitions) {
  std::vector<double> best(works.size(), INFINITY);
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t w = 0; w < works.size(); ++w) {
      const auto start = std::chrono::steady_clock::now();
      works[w]();
      best[w] =
          std::min(best[w], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
  return best;
}

namespace {

struct BenchRow {
  std::string name;
  const char* summary;
  std::function<Result<std::vector<Record>>(const Options&)> run;
};

// The skinning methods come from the one table of stages.
std::vector<BenchRow> benches() {
  std::vector<BenchRow> rows = {{"load", "large made files, compared with reading their bytes", bench_load}};
  for (const StageRow& row : methods()) {
    if (!can_bench(row)) continue;
    rows.push_back({row.name, "skinning, compared with a plain Eigen loop (E) and a copy of the same bytes",
                    [&row](const Options& options) { return bench_skin(row, options); }});
  }
  const BenchRow others[] = {
      {"shapes", "blend shapes, compared with a plain loop and a copy of the same bytes", bench_shapes},
      {"bind",
       "automatic weights by every method, compared with a bare factorization of the surface's Laplacian",
       bench_bind},
      {"rig", "skeletons found in the built-in humanoid, compared with only filling it with cells",
       bench_rig},
      {"human", "five methods on the built-in humanoid, with their scalars per joint", bench_human},
      {"measure",
       "volume, strain, self-intersections and other measures, compared with a plain pass over the same "
       "memory",
       bench_measure},
      {"render", "a still of 1920 x 1080 pixels, compared with its camera rays alone", bench_render},
      {"stampede", "ten thousand characters per frame, each at its own time of a clip", bench_stampede},
  };
  rows.insert(rows.end(), std::begin(others), std::end(others));
  return rows;
}

// One sentence, as in all verbs; does not throw if stderr cannot be written.
int refuse(const std::string& sentence, int code) {
  std::fputs(fmt::format("dermis bench: {}\n", sentence).c_str(), stderr);
  return code;
}

// The standard line of each method (100,000 points, reordered, one thread) as bars.
Status save_bars(const Json& records, const std::string& path) {
  BarChart chart{"Skinning 100,000 points with normals, one thread", {}};
  double plain = 0;
  for (const Json& record : records) {
    const bool is_standard = record.value("order", "") == "packed" &&
                             record.value("palette", "") == "rigid" && record.value("points", 0) == 100000 &&
                             record.value("threads", 0) == 1 && record.value("influences", 0) == 4 &&
                             record.value("normals", false);
    if (!is_standard) continue;
    const double ns = record["ns_per_point"];
    chart.bars.push_back({record["name"], ns, fmt::format("{:.1f} ns a point", ns)});
    plain = record["eigen_ns_per_point"];
  }
  if (chart.bars.empty()) return Error{Errc::usage, "--svg shows skinning methods; name at least one"};
  chart.bars.push_back({"plain Eigen loop of lbs", plain, fmt::format("{:.1f} ns a point", plain)});
  const std::string svg = bars_svg(chart);
  return save_bytes(path, std::as_bytes(std::span(svg)));
}

int run(const std::vector<std::string>& names, const Options& options, bool as_json, const std::string& svg) {
  Json records = Json::array();
  for (const BenchRow& row : benches()) {
    const bool is_wanted = names.empty() || std::find(names.begin(), names.end(), row.name) != names.end();
    if (!is_wanted) continue;
    const Result<std::vector<Record>> result = row.run(options);
    if (!result) {
      return refuse(result.error().sentence, 1);
    }
    for (const Record& record : *result) {
      if (!as_json) std::puts(record.text.c_str());
      records.push_back(record.json);
    }
  }
  if (!svg.empty()) {
    if (const Status saved = save_bars(records, svg); !saved) return refuse(saved.error().sentence, 1);
  }
  if (as_json) {
    const Json report{{"schema", 1},
                      {"verb", "bench"},
                      {"version", version()},
                      {"records", records},
                      {"notes", Json::array()}};
    std::puts(report.dump(2).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace dermis::bench

int main(int argc, char** argv) {
  using namespace dermis::bench;
  CLI::App app{"standard tasks compared with a naive loop and the memory limit", "dermis bench"};
  std::vector<std::string> names, known;
  std::string help = "which ones (default: all):";
  for (const BenchRow& row : benches()) {
    known.emplace_back(row.name);
    help += fmt::format("\n  {}: {}", row.name, row.summary);
  }
  Options options;
  bool as_json = false;
  std::string svg;
  int threads = 0;
  app.add_option("NAME", names, help)->check(CLI::IsMember(known));
  app.add_option("--points", options.points, "points of the made character that 'load' reads")
      ->check(CLI::Range(1000, 1000000))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "how often each task runs; the best time counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--json", as_json, "print the records as JSON");
  app.add_option("--svg", svg, "also write a chart of the skinning methods to this .svg file");
  app.add_option("-j,--threads", threads, "threads to use")->check(CLI::Range(1, 1024));
  app.footer("Example:\n  dermis bench lbs dqs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    return refuse(fmt::format("{}; see dermis bench --help", error.what()), 2);
  }
  dermis::set_thread_count(threads);
  return run(names, options, as_json, svg);
}
