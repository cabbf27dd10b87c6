// SPDX-License-Identifier: MIT
// One schema for several reports, which share the types they are made of.
#pragma once

#include <span>
#include <string>

#include "dermis/ops/report.h"

namespace dermis {

struct SchemaRow {
  std::string verb;  // empty: any
  std::string type;  // its name among the definitions: "bind_report"
  ReportDescription description;
};
std::string schema_of_reports(std::span<const SchemaRow> rows);

}  // namespace dermis
