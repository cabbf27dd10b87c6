// SPDX-License-Identifier: MIT
// Descriptions as JSON, in one envelope for all verbs.
#include <nlohmann/json.hpp>

#include "dermis/ops/report.h"

namespace dermis {
namespace {

using Json = nlohmann::ordered_json;

class JsonWriter final : public ReportVisitor {
 public:
  explicit JsonWriter(Json start) { open_.push_back({"", std::move(start)}); }
  void value(const ReportField& field, const ReportValue& value) override {
    put(field.name, std::visit([](const auto& v) { return json_of(v); }, value));
  }
  void open(const ReportField& field, ReportContainer container) override {
    open_.push_back(
        {std::string(field.name), container == ReportContainer::list ? Json::array() : Json::object()});
  }
  void close() override {
    Open closed = std::move(open_.back());
    open_.pop_back();
    put(closed.name, std::move(closed.json));
  }
  // Names come from files and are valid UTF-8: loading checked them. Paths come from the shell and may be
  // anything, so bytes that are not UTF-8 are replaced.
  std::string text() const { return open_.front().json.dump(2, ' ', false, Json::error_handler_t::replace); }

 private:
  struct Open {
    std::string name;
    Json json;
  };
  static Json json_of(std::monostate) { return {}; }
  static Json json_of(std::string_view text) { return std::string(text); }
  template <class Number>
  static Json json_of(Number number) {
    return number;
  }
  void put(std::string_view name, Json json) {
    Json& inside = open_.back().json;
    if (inside.is_array())
      inside.push_back(std::move(json));
    else
      inside[std::string(name)] = std::move(json);
  }
  std::vector<Open> open_;  // the innermost last
};

Json envelope(std::string_view verb) {
  return {{"schema", kJsonSchema}, {"verb", verb}, {"version", version()}};
}

}  // namespace

std::string described_json(std::string_view verb, const ReportDescription& description) {
  JsonWriter writer(envelope(verb));
  ReportFields fields(writer);
  description(fields);
  return writer.text();
}

}  // namespace dermis
