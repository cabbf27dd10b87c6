# SPDX-License-Identifier: MIT
# The checker of definitions finds every kind of name that two files of a program define, and accepts what is their own.
import unittest

from checker import CheckerTest

FRAME = "namespace dermis {\nstruct Frame {\n  int left = 0;\n};\n}  // namespace dermis\n"


def in_dermis(text):
    return f"namespace dermis {{\n{text}\n}}\n"


class CheckOdr(CheckerTest):
    checker = "check_odr"
    fine = {
        "include/dermis/rig.h": in_dermis("struct Joint;\nstruct Body { int a; };\nvoid find(const Body& body);"),
        "src/rig/frames.h": FRAME,
        "src/rig/find.cpp": in_dermis("namespace {\nstruct Row { int a; };\n}\nvoid find(const Body&) {}"),
        "src/motion/legs.h": in_dermis("struct Leg { int a; };\nstruct Body;\nclass Leg;\nusing Row = int;"),
        "src/motion/legs.cpp": in_dermis("namespace {\nstruct Row { double b; };\nint help() { return 1; }\n}"),
    }

    def test_accepts_declarations_and_names_in_anonymous_namespaces(self):
        self.assert_fine({"src/rig/more.cpp": in_dermis("namespace {\nint help() { return 2; }\n}")})

    def test_finds_two_structs_of_one_name_in_two_rooms(self):
        self.assert_fault({"src/motion/reference.h": FRAME.replace("int left", "double up")},
                          "dermis::Frame is defined in src/motion/reference.h:2, src/rig/frames.h:2")

    def test_finds_two_structs_of_one_name_in_two_sources_of_a_room(self):
        self.assert_fault({"src/rig/a.cpp": in_dermis("struct Pair { int a; };"),
                           "src/rig/b.cpp": in_dermis("struct Pair final : Body { int b; };")}, "dermis::Pair")

    def test_finds_classes_enums_and_templates(self):
        for text in ["class Frame final {};", "enum class Frame : int { a };", "enum Frame { a };",
                     "union Frame { int a; };", "struct [[nodiscard]] alignas(16) Frame { int a; };"]:
            self.assert_fault({"src/motion/a.h": in_dermis(text)}, "dermis::Frame")
        both = in_dermis("template <class T, class U = std::vector<T>>\nstruct Grid { T a; };")
        self.assert_fault({"src/motion/a.h": both, "src/rig/a.h": both}, "dermis::Grid")

    def test_finds_inline_functions_with_the_same_parameters(self):
        self.assert_fault({"src/rig/a.h": in_dermis("inline int half(int a, const Body& b = {}) { return a / 2; }"),
                           "src/motion/a.h": in_dermis("inline int half(int n, const Body& body) { return n; }")},
                          "dermis::half(int, const Body&)")

    def test_accepts_overloads(self):
        self.assert_fine({"src/rig/a.h": in_dermis("inline int half(int a) { return a / 2; }"),
                          "src/motion/a.h": in_dermis("inline int half(double a) { return 2; }")})

    def test_finds_template_functions(self):
        text = in_dermis("template <class T>\nT twice(T a) { return a + a; }")
        self.assert_fault({"src/rig/a.h": text, "src/motion/a.h": text}, "dermis::twice")

    def test_finds_functions_that_an_archive_may_hide_from_the_linker(self):
        text = in_dermis("void solve(int* a) { *a = 1; }")
        self.assert_fault({"src/rig/a.cpp": text, "src/motion/a.cpp": text}, "dermis::solve")

    def test_finds_inline_variables_and_accepts_plain_constants(self):
        text = in_dermis("inline constexpr int kMost = 3;")
        self.assert_fault({"src/rig/a.h": text, "src/motion/a.h": text}, "dermis::kMost")
        plain = in_dermis("constexpr int kMost = 3;\nstatic int count() { return 1; }")
        self.assert_fine({"src/rig/a.h": plain, "src/motion/a.h": plain})

    def test_accepts_one_name_in_two_namespaces(self):
        self.assert_fine({"src/motion/a.h": FRAME.replace("dermis", "dermis::motion_detail")})

    def test_finds_a_name_that_a_program_takes_from_the_library(self):
        for path in ["cli/a.cpp", "import/a.h", "tests/rig/a_test.cpp", "tests/fuzz/a_fuzz.cpp"]:
            self.assert_fault({path: FRAME}, "dermis::Frame")

    def test_accepts_one_name_in_two_programs(self):
        text = in_dermis("struct Case { int a; };")
        self.assert_fine({"cli/a.cpp": text, "tests/rig/a_test.cpp": text, "tests/io/a_test.cpp": text})

    def test_finds_a_name_of_a_shared_header_that_is_included(self):
        text = in_dermis("struct Case { int a; };")
        self.assert_fault({"tests/shared.h": text, "tests/rig/a_test.cpp": '#include "shared.h"\n' + text},
                          "dermis::Case")
        self.assert_fine({"tests/shared.h": text, "tests/rig/a_test.cpp": text})

    def test_is_not_misled_by_comments_strings_and_macros(self):
        self.assert_fine({"src/motion/a.cpp": "// struct Frame {\n/* namespace dermis { struct Frame {}; } */\n"
                                              "#define OPEN namespace dermis { struct Frame {\n"
                                              + in_dermis('const char* words() { return "} struct Frame {"; }\n'
                                                          "char brace() { return '{'; }\n"
                                                          'const char* raw() { return R"(}})"; }')})


if __name__ == "__main__":
    unittest.main()
