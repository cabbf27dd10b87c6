// SPDX-License-Identifier: MIT
// Reports and tables as JSON, in one envelope.
#pragma once

#include <string>
#include <string_view>

#include "dermis/base.h"
#include "dermis/ops/animate.h"
#include "dermis/ops/bind.h"
#include "dermis/ops/convert.h"
#include "dermis/ops/demo.h"
#include "dermis/ops/inspect.h"
#include "dermis/ops/pose.h"
#include "dermis/ops/render.h"
#include "dermis/ops/rig.h"
#include "dermis/ops/weights.h"

namespace dermis {

// {"schema": 1, "verb": "info", "version": "0.1.0", ..., "notes": [...]}; docs/conventions.md has the
// envelope.
inline constexpr int kJsonSchema = 1;
std::string to_json(const InfoReport& report);
std::string to_json(const CheckReport& report);
std::string to_json(const ConvertReport& report);
std::string to_json(const DeformReport& report);
std::string to_json(const BakeReport& report);
std::string to_json(const BindReport& report);
std::string to_json(const RigReport& report);
std::string to_json(const AnimateReport& report);
std::string to_json(const CompareReport& report);
std::string to_json(const WeightsReport& report);
std::string to_json(const RenderReport& report);
std::string to_json(const MakeReport& report);
std::string to_json(const DemoReport& report);
std::string to_json(std::string_view verb, const Error& error);
// The method table in the same envelope.
std::string methods_json();
// The table of binding methods, likewise.
std::string bind_methods_json();
// The table of formats, likewise.
std::string formats_json();
// The tables of rules and profiles likewise.
std::string check_rules_json();

}  // namespace dermis
