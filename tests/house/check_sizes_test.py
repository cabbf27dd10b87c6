# SPDX-License-Identifier: MIT
# The size checker counts files, functions and comments, and names what is past the limit.
import unittest

from checker import CheckerTest

HEAD = "// SPDX-License-Identifier: MIT\n// Says what the file does.\n"
SHORT = "int f() {\n  return 1;\n}\n"


def function_of(lines):
    return "int long_one(int x) {\n" + "  x += '{';\n" * (lines - 2) + "}\n"


class CheckSizes(CheckerTest):
    checker = "check_sizes"
    fine = {
        "include/dermis/base.h": HEAD + "// Adds.\nint add(int a, int b);\n",
        "src/base/base.cpp": HEAD + SHORT * 40,
    }

    def test_accepts_short_files_and_functions(self):
        self.assert_fine({})

    def test_refuses_a_file_past_900_lines(self):
        self.assert_fine({"src/base/a.cpp": HEAD + "int x;\n" * 898})
        self.assert_fault({"src/base/a.cpp": HEAD + "int x;\n" * 899}, "901 lines")

    def test_refuses_too_many_long_functions(self):
        self.assert_fine({"src/base/a.cpp": HEAD + function_of(81)})
        self.assert_fine({"src/base/a.cpp": HEAD + function_of(80) * 2})
        self.assert_fault({"src/base/a.cpp": HEAD + function_of(81) * 2}, "2 of 42 functions")

    def test_does_not_take_types_lists_or_namespaces_for_functions(self):
        rest = "namespace a {\nstruct S {\n" + "  int x;\n" * 90 + "};\nconst int t[] = {\n" + "  1,\n" * 90 + "};\n}\n"
        self.assert_fine({"src/base/a.cpp": HEAD + rest * 3})

    def test_sees_member_functions_and_their_initialisers(self):
        body = "struct S {\n  S(int x) : a_(x), b_{x} {\n" + "    a_++;\n" * 90 + "  }\n  int a_, b_;\n};\n"
        self.assert_fault({"src/base/a.cpp": HEAD + body * 2}, "past 80 lines")

    def test_refuses_bare_public_headers(self):
        self.assert_fault({"include/dermis/base.h": HEAD + "int f();\n" * 20}, "comment lines per line of code")

    def test_refuses_a_file_without_licence_tag(self):
        self.assert_fault({"src/base/a.cpp": "// Says what the file does.\n" + SHORT}, "a.cpp:1")

    def test_refuses_a_file_without_a_sentence(self):
        self.assert_fault({"src/base/a.cpp": HEAD.splitlines()[0] + "\n" + SHORT}, "a.cpp:2")

    def test_looks_at_scripts_too(self):
        self.assert_fault({"tools/x": "#!/bin/sh\necho hello\n"}, "tools/x:1")


if __name__ == "__main__":
    unittest.main()
