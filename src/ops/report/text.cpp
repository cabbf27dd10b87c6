// SPDX-License-Identifier: MIT
// Descriptions as text: their sentences with the fields filled in, or else all fields line by line.
#include <fmt/format.h>

#include <map>

#include "dermis/model.h"
#include "dermis/ops/report.h"
#include "ops/report/words.h"

namespace dermis {
namespace {

std::string words_of(const ReportForm& form, double number) {
  if (form.kind == ReportForm::Kind::scaled)
    return fmt::format(fmt::runtime(form.format), form.scale * number);
  return fmt::format("{:g}", number);
}

std::string words_of(const ReportForm& form, std::uint64_t count) {
  if (form.kind == ReportForm::Kind::counted) return counted(count, form.one, form.many);
  return form.kind == ReportForm::Kind::bytes ? bytes_text(count) : fmt::to_string(count);
}

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n') + 1;
    text += "  ";
    text += lines.substr(0, end);
    lines.remove_prefix(end);
  }
  return text;
}

class TextWriter final : public ReportVisitor {
 public:
  explicit TextWriter(bool has_details) : open_(1), has_details_(has_details) {}
  bool wants_words() const override { return true; }
  bool wants_details() const override { return has_details_; }
  void value(const ReportField& field, const ReportValue& value) override {
    std::string words = value_text(field.form, value);
    Open& inside = open_.back();
    if (inside.container == ReportContainer::list) {
      inside.elements.push_back(std::move(words));
    } else {
      inside.lines += fmt::format("{}: {}\n", field.name, words);
      inside.words.insert_or_assign(std::string(field.name), std::move(words));
    }
  }
  void open(const ReportField& field, ReportContainer container) override {
    Open inside;
    inside.name = field.name;
    inside.form = field.form;
    inside.container = container;
    if (open_.back().container == ReportContainer::list) {
      inside.name = fmt::to_string(open_.back().object_count++);
      inside.words["#"] = inside.name;
    }
    open_.push_back(std::move(inside));
  }
  void close() override {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    Open& around = open_.back();
    around.pieces.push_back({said_by(closed), true});
    if (closed.container == ReportContainer::list && closed.object_count == 0) {
      const std::string words = fmt::format("{}", fmt::join(closed.elements, ", "));
      around.lines += fmt::format("{}: {}\n", closed.name, words);
    } else {
      around.lines += fmt::format("{}:\n{}", closed.name, indented(closed.lines));
    }
    if (closed.container == ReportContainer::list)
      around.words.insert_or_assign(closed.name, words_of_list(closed));
    for (const auto& [name, words] : closed.words)
      around.words.insert_or_assign(fmt::format("{}.{}", closed.name, name), words);
  }
  void say(std::string_view sentence) override {
    open_.back().pieces.push_back({std::string(sentence), false});
  }
  void say_words(const std::string& words) override { open_.back().pieces.push_back({words, true}); }

  std::string text() const {
    std::string said = said_by(open_.front());
    return said.empty() ? open_.front().lines : said;
  }

 private:
  struct Piece {
    std::string text;
    bool is_finished = false;  // has no fields to fill in
  };
  struct Open {
    std::string name;
    ReportForm form;
    ReportContainer container = ReportContainer::object;
    std::map<std::string, std::string, std::less<>> words;  // of the fields of an object
    std::vector<std::string> elements;                      // of a list of values
    std::size_t object_count = 0;                           // of a list of objects
    std::vector<Piece> pieces;
    std::string lines;  // its fields, one per line
  };
  static std::string words_of_list(const Open& list) {
    if (list.form.kind == ReportForm::Kind::counted)
      return counted(list.elements.size() + list.object_count, list.form.one, list.form.many);
    return fmt::format("{}", fmt::join(list.elements, ", "));
  }
  // Its sentences, with its fields filled in.
  static std::string said_by(const Open& object) {
    std::string text;
    for (const Piece& piece : object.pieces) {
      std::string_view rest = piece.text;
      while (!piece.is_finished && rest.find('{') != std::string_view::npos) {
        const std::size_t start = rest.find('{'), end = rest.find('}', start);
        const auto words = object.words.find(rest.substr(start + 1, end - start - 1));
        text += rest.substr(0, start);
        // A name that is not a field stays, so that the mistake is visible.
        text += words != object.words.end() ? std::string_view(words->second)
                                            : rest.substr(start, end - start + 1);
        rest.remove_prefix(end + 1);
      }
      text += rest;
    }
    return text;
  }
  std::vector<Open> open_;  // the innermost last
  bool has_details_;
};

}  // namespace

std::string value_text(const ReportForm& form, const ReportValue& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::to_string(*number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return words_of(form, *count);
  if (const auto* number = std::get_if<double>(&value)) return words_of(form, *number);
  if (const auto* text = std::get_if<std::string_view>(&value))
    return form.kind == ReportForm::Kind::name ? quoted_name(*text) : on_one_line(*text);
  return "none";
}

std::string described_text(const ReportDescription& description, bool has_details) {
  TextWriter writer(has_details);
  ReportFields fields(writer);
  description(fields);
  return writer.text();
}

}  // namespace dermis
