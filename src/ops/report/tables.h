// SPDX-License-Identifier: MIT
// The tables that the command prints instead of a report, as descriptions.
#pragma once

#include "dermis/ops/report.h"

namespace dermis {

void describe_methods(ReportFields& fields);
void describe_bind_methods(ReportFields& fields);
void describe_formats(ReportFields& fields);
void describe_notes(ReportFields& fields);
void describe_check_rules(ReportFields& fields);
void describe_motions(ReportFields& fields);
void describe_roles(ReportFields& fields);

}  // namespace dermis
