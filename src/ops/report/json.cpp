// SPDX-License-Identifier: MIT
// Descriptions as JSON, in one envelope for all verbs.
#include <fmt/format.h>

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
  std::string text() const {
    return with_escaped_controls(open_.front().json.dump(2, ' ', false, Json::error_handler_t::replace));
  }

 private:
  // JSON allows DEL and U+0080 to U+009F unescaped in strings; terminals obey them.
  static std::string with_escaped_controls(const std::string& json) {
    constexpr char kLead = '\xc2', kFirst = '\x80', kLast = '\x9f';
    std::string text;
    text.reserve(json.size());
    for (std::size_t k = 0; k < json.size(); ++k) {
      const bool is_pair =
          json[k] == kLead && k + 1 < json.size() && json[k + 1] >= kFirst && json[k + 1] <= kLast;
      if (json[k] != '\x7f' && !is_pair) {
        text += json[k];
        continue;
      }
      k += is_pair ? 1 : 0;
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(json[k])));
    }
    return text;
  }
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
