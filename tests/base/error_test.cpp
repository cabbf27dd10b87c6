// SPDX-License-Identifier: MIT
// Tests of errors, notes and results.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "dermis/base.h"

namespace dermis {
namespace {

Result<int> run_and_throw(void (*thrower)()) {
  return without_throwing("arm.glb", [&]() -> Result<int> {
    thrower();
    return 7;
  });
}

TEST(WithoutThrowing, BadAllocBecomesTooLargeAndNamesTheWork) {
  const Result<int> result = run_and_throw([] { throw std::bad_alloc(); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::too_large);
  EXPECT_EQ(result.error().sentence, "arm.glb: not enough memory");
}

TEST(WithoutThrowing, AbsurdContainerSizeBecomesTooLarge) {
  const Result<int> result =
      run_and_throw([] { std::vector<double>().reserve(static_cast<std::size_t>(-1)); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::too_large);
}

TEST(WithoutThrowing, StandardExceptionKeepsItsWordsOnOneLineWithoutFinalStop) {
  const Result<int> result = run_and_throw([] { throw std::runtime_error("line one\nline two.\n"); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::internal);
  EXPECT_EQ(result.error().sentence, "arm.glb: line one line two");
}

TEST(WithoutThrowing, UnknownExceptionBecomesInternalAndNamesTheWork) {
  const Result<int> result = run_and_throw([] { throw 42; });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Errc::internal);
  EXPECT_EQ(result.error().sentence.rfind("arm.glb: ", 0), 0u);
}

TEST(WithoutThrowing, ValuesAndErrorsPassThroughUntouched) {
  EXPECT_EQ(*run_and_throw([] {}), 7);
  const Status status = without_throwing("x", []() -> Status { return Error{Errc::bad_rig, "a fault"}; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Errc::bad_rig);
  EXPECT_EQ(status.error().sentence, "a fault");
}

TEST(Result, HoldsMoveOnlyValuesAndGivesThemAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, MovesAMoveOnlyValueThroughAFunctionThatCannotThrow) {
  const auto result =
      without_throwing("x", []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); });
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 3);
}

TEST(Result, TellsAValueOfTypeErrorFreeFromAnError) {
  const Result<std::string> value = std::string("fine");
  const Result<std::string> error = Error{Errc::bad_argument, "not fine"};
  EXPECT_TRUE(value);
  EXPECT_FALSE(error);
  EXPECT_EQ(value->size(), 4u);
  EXPECT_EQ(error.error().sentence, "not fine");
}

TEST(Result, ValueCanBeChangedInPlace) {
  Result<std::vector<int>> result = std::vector<int>{1, 2};
  result->push_back(3);
  EXPECT_EQ(result.value().size(), 3u);
}

TEST(Status, DoneIsOk) {
  const Status status = Done{};
  EXPECT_TRUE(status.ok());
}

TEST(ErrcName, IsTheEnumeratorAndUnique) {
  EXPECT_STREQ(name_of(Errc::bad_file), "bad_file");
  std::set<std::string> names;
  for (const Errc code : {Errc::unreadable, Errc::bad_file, Errc::bad_rig, Errc::unsupported, Errc::too_large,
                          Errc::bad_argument, Errc::cancelled, Errc::internal}) {
    names.insert(name_of(code));
  }
  EXPECT_EQ(names.size(), 8u);
}

TEST(NoteKindName, IsTheEnumeratorAndUnique) {
  EXPECT_STREQ(name_of(Note::Kind::repair), "repair");
  std::set<std::string> names;
  for (const Note::Kind kind : {Note::Kind::info, Note::Kind::guess, Note::Kind::repair, Note::Kind::loss}) {
    names.insert(name_of(kind));
  }
  EXPECT_EQ(names.size(), 4u);
}

TEST(SeverityName, IsTheEnumeratorAndUnique) {
  EXPECT_STREQ(name_of(Severity::info), "info");
  EXPECT_STREQ(name_of(Severity::warning), "warning");
  EXPECT_STREQ(name_of(Severity::error), "error");
}

TEST(Prefixed, KeepsCodeAndRemedies) {
  const Error error = Error{Errc::too_large, "is too large"}.with_remedy("max_memory").with_remedy("up", "z");
  const Error placed = prefixed("a.glb", error);
  EXPECT_EQ(placed.code, Errc::too_large);
  EXPECT_EQ(placed.sentence, "a.glb: is too large");
  EXPECT_EQ(placed.remedies, (Remedies{{"max_memory", ""}, {"up", "z"}}));
}

TEST(NoteRows, MatterAsTheirKindUnlessTheySayMore) {
  constexpr NoteRow plain{"toy-lost", Note::Kind::loss, "a toy was lost"};
  constexpr NoteRow grave{"toy-found", Note::Kind::info, "a toy was found", Severity::error};
  EXPECT_EQ(plain.severity, Severity::warning);
  EXPECT_EQ(grave.severity, Severity::error);
}

TEST(Version, IsThreeNumbersJoinedByStops) {
  int major = -1, minor = -1, patch = -1;
  char rest = 0;
  EXPECT_EQ(std::sscanf(version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3) << version();
}

}  // namespace
}  // namespace dermis
