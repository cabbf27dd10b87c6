// SPDX-License-Identifier: MIT
// All reports and tables in one list, for the schema of what the command prints.
#include "dermis/ops.h"
#include "ops/report/schema.h"
#include "ops/report/tables.h"

namespace dermis {
namespace {

template <DescribedReport T>
SchemaRow report_row() {
  return {T::kVerb, std::string(T::kVerb) + "_report", [](ReportFields& fields) { describe(fields, T{}); }};
}

void describe_error(ReportFields& fields, const Error& error) {
  fields.add_object("error", "why the verb failed", [&] {
    fields.add_choice("code", error.code,
                      {Errc::unreadable, Errc::bad_file, Errc::bad_rig, Errc::unsupported, Errc::too_large,
                       Errc::usage, Errc::bad_argument, Errc::cancelled, Errc::internal},
                      "for scripts; docs/conventions.md lists the meanings");
    fields.add("sentence", error.sentence, "for people");
    fields.add("remedies", error.remedies, "what can be changed; any one of them helps, the best first");
  });
}

}  // namespace

std::string to_json(std::string_view verb, const Error& error) {
  return described_json(verb, [&](ReportFields& fields) { describe_error(fields, error); });
}

std::string json_schema() {
  const SchemaRow rows[] = {
      report_row<InfoReport>(),
      report_row<CheckReport>(),
      report_row<ConvertReport>(),
      report_row<MakeReport>(),
      report_row<DeformReport>(),
      report_row<BakeReport>(),
      report_row<RigReport>(),
      report_row<BindReport>(),
      report_row<AnimateReport>(),
      report_row<WeightsReport>(),
      report_row<ShapesReport>(),
      report_row<HelpersReport>(),
      report_row<CombineReport>(),
      report_row<CompareReport>(),
      report_row<RenderReport>(),
      report_row<DemoReport>(),
      {"methods", "methods_table", describe_methods},
      {"bind", "bind_methods_table", describe_bind_methods},
      {"formats", "formats_table", describe_formats},
      {"notes", "notes_table", describe_notes},
      {"check", "check_rules_table", describe_check_rules},
      {"animate", "motions_table", describe_motions},
      {"animate", "roles_table", describe_roles},
      {"", "error_report", [](ReportFields& fields) { describe_error(fields, {}); }},
  };
  return schema_of_reports(rows);
}

}  // namespace dermis
