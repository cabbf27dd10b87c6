// SPDX-License-Identifier: MIT
// A report is described once, field by field. Its JSON, the schema of that JSON, the text that the command
// prints and any view of yours are visitors of this one description.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "dermis/base.h"
#include "dermis/math.h"

namespace dermis {

// ---- Fields -------------------------------------------------------------------------------------------

// How text shows a value. JSON has the raw value.
struct ReportForm {
  enum class Kind {
    plain,    // numbers with six digits
    counted,  // "1 point", "3 points"; for a list, its number of elements
    scaled,   // a number times `scale`, by `format`
    bytes,    // "31.2 KB"
    name,     // 'walk', quoted as in all sentences
  };
  Kind kind = Kind::plain;
  const char* one = "";     // for counted: "point",
  const char* many = "";    // and "points"
  const char* format = "";  // for scaled: "{:.0f} ms"
  double scale = 1;
};
constexpr ReportForm counted_as(const char* one, const char* many) {
  return {ReportForm::Kind::counted, one, many, "", 1};
}
constexpr ReportForm scaled_as(double scale, const char* format) {
  return {ReportForm::Kind::scaled, "", "", format, scale};
}
inline constexpr ReportForm kAsMilliseconds = scaled_as(1e3, "{:.0f} ms");
inline constexpr ReportForm kAsBytes{ReportForm::Kind::bytes, "", "", "", 1};
inline constexpr ReportForm kAsName{ReportForm::Kind::name, "", "", "", 1};

// What is known about a field besides its value. Views are valid during the call that passes them.
struct ReportField {
  std::string_view name;     // its key; empty in lists
  std::string_view meaning;  // a clause for the schema, with the unit if there is one
  ReportForm form{};
  bool may_be_null = false;
  bool may_be_absent = false;                   // its key may be left out
  std::span<const std::string_view> choices{};  // for text: all possible values; empty: anything
  std::optional<std::size_t> fixed_size{};      // for a list that always has this many elements
};
// Null, or a value.
using ReportValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string_view>;

enum class ReportContainer {
  object,  // fields with names
  list,    // fields without
  map,     // fields whose names come from the data
};

// Visits a description in the order of the JSON. A visitor overrides only what it needs.
class ReportVisitor {
 public:
  virtual ~ReportVisitor() = default;
  virtual void value(const ReportField& field, const ReportValue& value) = 0;
  // What follows, until close(), is inside.
  virtual void open(const ReportField& field, ReportContainer container) = 0;
  virtual void close() = 0;
  // The object just opened has a type that occurs in several places: "note".
  virtual void name_type(std::string_view /*type*/) {}

  // True: each field is visited once, whatever the data: lists have one element, absent objects are present.
  virtual bool wants_shape() const { return false; }

  // Sentences for people, in the order of the description. "{points}" and "{feet.slide}" stand for fields of
  // the object that contains the sentence, "{#}" for its number in its list.
  virtual void say(std::string_view /*sentence*/) {}
  virtual bool wants_words() const { return false; }
  virtual bool wants_details() const { return false; }
  // Literal text, "{" included.
  virtual void say_words(const std::string& /*words*/) {}
};

class ReportFields;
// A described type: `describe` adds its fields in order.
template <class T>
concept Described = requires(ReportFields& fields, const T& value) {
  describe(fields, value);
};

// A description adds its fields and sentences here.
class ReportFields {
 public:
  explicit ReportFields(ReportVisitor& visitor) : visitor_(visitor) {}

  // A boolean, a number, a text, a described type, or a list of these. An unset optional is null, and so is
  // an empty box.
  template <class T>
  void add(const char* name, const T& value, const char* meaning, const ReportForm& form = {}) {
    visit({name, meaning, form}, value);
  }
  // The same; the key is left out if the value is not set.
  template <class T>
  void add_if_set(const char* name, const std::optional<T>& value, const char* meaning,
                  const ReportForm& form = {}) {
    ReportField field{name, meaning, form};
    field.may_be_absent = true;
    if (value)
      visit(field, *value);
    else if (visitor_.wants_shape())
      visit(field, T{});
  }
  // Null if empty.
  void add_or_null(const char* name, const std::string& text, const char* meaning,
                   const ReportForm& form = {}) {
    ReportField field{name, meaning, form};
    field.may_be_null = true;
    visitor_.value(field, text.empty() && !visitor_.wants_shape() ? ReportValue() : ReportValue(text));
  }
  // Null if kNone.
  void add_index(const char* name, std::int32_t index, const char* meaning) {
    ReportField field{name, meaning};
    field.may_be_null = true;
    const bool is_null = index < 0 && !visitor_.wants_shape();
    visitor_.value(field, is_null ? ReportValue() : ReportValue(std::int64_t{index}));
  }
  // One of `choices`, by name_of.
  template <class Enum>
  void add_choice(const char* name, Enum value, std::initializer_list<Enum> choices, const char* meaning) {
    std::vector<std::string_view> names;
    for (const Enum choice : choices) names.emplace_back(name_of(choice));
    ReportField field{name, meaning};
    field.choices = names;
    visitor_.value(field, std::string_view(name_of(value)));
  }
  // An object: `inside` adds its fields.
  template <class Inside>
  void add_object(const char* name, const char* meaning, const Inside& inside) {
    visit_object({name, meaning}, inside);
  }
  // The same: null, or left out, unless `is_there`. `inside` may be called even then.
  template <class Inside>
  void add_object_or_null(const char* name, bool is_there, const char* meaning, const Inside& inside) {
    ReportField field{name, meaning};
    field.may_be_null = true;
    if (is_there || visitor_.wants_shape())
      visit_object(field, inside);
    else
      visitor_.value(field, {});
  }
  template <class Inside>
  void add_object_if(const char* name, bool is_there, const char* meaning, const Inside& inside) {
    ReportField field{name, meaning};
    field.may_be_absent = true;
    if (is_there || visitor_.wants_shape()) visit_object(field, inside);
  }
  // A list of objects: `inside` adds the fields of the element it is given.
  template <class List, class Inside>
  void add_list(const char* name, const List& list, const char* meaning, const ReportForm& form,
                const Inside& inside) {
    visit_list({name, meaning, form}, list, [&](const ReportField& field, const auto& element) {
      visit_object(field, [&] { inside(element); });
    });
  }
  // An object with one field per element, named by the data: key(element) and value(element).
  template <class List, class Key, class Value>
  void add_map(const char* name, const List& list, const char* meaning, const Key& key, const Value& value) {
    visit_map({name, meaning}, list, key, value);
  }
  // The same; left out if empty.
  template <class List, class Key, class Value>
  void add_map_if_any(const char* name, const List& list, const char* meaning, const Key& key,
                      const Value& value) {
    ReportField field{name, meaning};
    field.may_be_absent = true;
    if (!std::empty(list) || visitor_.wants_shape()) visit_map(field, list, key, value);
  }

  void name_type(const char* type) { visitor_.name_type(type); }

  // Part of a line, or lines: see ReportVisitor::say.
  void say(const char* sentence) { visitor_.say(sentence); }
  void say_if(bool is_said, const char* sentence) {
    if (is_said) visitor_.say(sentence);
  }
  // Text that no sentence with fields can express, such as a table: `words` returns it.
  template <class Words>
  void say_words(const Words& words) {
    if (visitor_.wants_words()) visitor_.say_words(words());
  }
  // The same, only with details.
  template <class Words>
  void say_details(const Words& words) {
    if (visitor_.wants_details()) visitor_.say_words(words());
  }

 private:
  template <class T>
  struct IsOptional : std::false_type {};
  template <class T>
  struct IsOptional<std::optional<T>> : std::true_type {};
  template <class T>
  struct ArraySize {
    static constexpr std::optional<std::size_t> value = std::nullopt;
  };
  template <class T, std::size_t N>
  struct ArraySize<std::array<T, N>> {
    static constexpr std::optional<std::size_t> value = N;
  };

  template <class T>
  void visit(ReportField field, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      visitor_.value(field, value);
    } else if constexpr (std::unsigned_integral<T>) {
      visitor_.value(field, static_cast<std::uint64_t>(value));
    } else if constexpr (std::signed_integral<T>) {
      visitor_.value(field, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      visitor_.value(field, static_cast<double>(value));
    } else if constexpr (std::is_same_v<T, const char*>) {
      visitor_.value(field, std::string_view(value == nullptr ? "" : value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      visitor_.value(field, std::string_view(value));
    } else if constexpr (IsOptional<T>::value) {
      visit_optional(field, value);
    } else if constexpr (std::is_same_v<T, Vec3d>) {
      visit(field, std::array<double, 3>{value.x, value.y, value.z});
    } else if constexpr (std::is_same_v<T, Box>) {
      visit_box(field, value);
    } else if constexpr (Described<T>) {
      visit_object(field, [&] { describe(*this, value); });
    } else {
      visit_list(field, value, [&](const ReportField& item, const auto& element) { visit(item, element); });
    }
  }
  template <class T>
  void visit_optional(ReportField field, const std::optional<T>& value) {
    field.may_be_null = true;
    if (value)
      visit(field, *value);
    else if (visitor_.wants_shape())
      visit(field, T{});
    else
      visitor_.value(field, {});
  }
  void visit_box(ReportField field, const Box& box) {
    field.may_be_null = true;
    if (box.is_empty() && !visitor_.wants_shape()) return visitor_.value(field, {});
    visit_object(field, [&] {
      name_type("box");
      add("min", box.lower, "the corner with the smallest coordinates");
      add("max", box.upper, "the corner with the largest");
      add("diagonal", box.diagonal(), "its length");
    });
  }
  template <class Inside>
  void visit_object(const ReportField& field, const Inside& inside) {
    visitor_.open(field, ReportContainer::object);
    inside();
    visitor_.close();
  }
  template <class List, class Visit>
  void visit_list(ReportField field, const List& list, const Visit& visit_element) {
    using Element = std::remove_cvref_t<decltype(*std::begin(list))>;
    field.fixed_size = ArraySize<List>::value;
    visitor_.open(field, ReportContainer::list);
    if (visitor_.wants_shape()) {
      visit_element(ReportField{}, Element{});
    } else {
      for (const auto& element : list) visit_element(ReportField{}, element);
    }
    visitor_.close();
  }
  template <class List, class Key, class Value>
  void visit_map(const ReportField& field, const List& list, const Key& key, const Value& value) {
    using Element = std::remove_cvref_t<decltype(*std::begin(list))>;
    visitor_.open(field, ReportContainer::map);
    if (visitor_.wants_shape()) {
      visit({"", ""}, value(Element{}));
    } else {
      for (const Element& element : list) visit({key(element), ""}, value(element));
    }
    visitor_.close();
  }

  ReportVisitor& visitor_;
};

// An option the user can change.
void describe(ReportFields& fields, const Remedy& remedy);
// A note from loading, the verb or saving. Every report has these.
void describe(ReportFields& fields, const Note& note);

// What the report of a verb on files has besides its own results. The verb sets the input and its notes;
// run_on_files adds the rest.
struct FileReport {
  std::string input, output;
  double seconds_loading = 0, seconds_saving = 0;
  Notes notes;
  // For verbs that judge their own result: why it may be wrong, as a clause; empty: no doubt. It is written
  // all the same.
  std::string doubt{};
  bool is_doubt_accepted = false;  // the user takes it as it is
};

// ---- Views --------------------------------------------------------------------------------------------

// The fields of a report, after those of the envelope.
using ReportDescription = std::function<void(ReportFields& fields)>;
// A report names its verb and is described.
template <class T>
concept DescribedReport = Described<T> && std::convertible_to<decltype(T::kVerb), const char*>;

// {"schema": 1, "verb": "info", "version": "0.1.0", ..., "notes": [...]}; docs/conventions.md has the
// envelope, docs/report.schema.json the schema.
inline constexpr int kJsonSchema = 1;
std::string described_json(std::string_view verb, const ReportDescription& description);
template <DescribedReport T>
std::string to_json(const T& report) {
  return described_json(T::kVerb, [&](ReportFields& fields) { describe(fields, report); });
}
std::string to_json(std::string_view verb, const Error& error);

// Sentences for people; if a description has none, its fields line by line. With details, also long sentences
// that are seldom needed.
std::string described_text(const ReportDescription& description, bool has_details);
template <DescribedReport T>
std::string to_text(const T& report, bool has_details = false) {
  return described_text([&](ReportFields& fields) { describe(fields, report); }, has_details);
}

// The JSON Schema (2020-12) of one report's JSON.
std::string described_schema(std::string_view verb, const ReportDescription& description);
template <DescribedReport T>
std::string to_schema() {
  return described_schema(T::kVerb, [](ReportFields& fields) { describe(fields, T{}); });
}
// The schema of everything that the command prints with --json: every report, the tables and errors.
std::string json_schema();

}  // namespace dermis
