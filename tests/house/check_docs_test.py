# SPDX-License-Identifier: MIT
# The document checker follows links, knows the program's verbs and flags, and sees stale generated parts.
import unittest

from checker import CheckerTest

PROGRAM = """#!/bin/sh
case "$*" in
  --help) echo "verbs: info, deform; --version" ;;
  "info --help") echo "info FILE [--json]" ;;
  "deform --help") echo "deform FILE --time S -o OUT [--time-scale N]" ;;
  methods) echo "| method |"; echo "|---|" ;;
  schema) echo '{"title": "new"}' ;;
  *) exit 2 ;;
esac
"""


class CheckDocs(CheckerTest):
    checker = "check_docs"
    fine = {
        "build/release/cli/dermis": PROGRAM,
        "docs/guide.md": "# Guide\n\n## Two words, here\n",
        "README.md": "# dermis\n\n[guide](docs/guide.md#two-words-here), [top](#dermis), [web](https://example.org)\n"
        "```\n./dermis info arm.glb --json | jq .   # a comment --with-words\n./dermis deform a.glb --time 1 -o out.obj\n```\n"
        "`./dermis VERB --whatever` and `dermis --version`\n",
    }

    def with_readme(self, text):
        return {"README.md": self.fine["README.md"] + text}

    def test_accepts_what_holds(self):
        self.assert_fine({})

    def test_refuses_a_link_that_leads_nowhere(self):
        self.assert_fault(self.with_readme("[x](docs/moon.md)\n"), "README.md:9: the link docs/moon.md leads nowhere")

    def test_refuses_a_missing_heading(self):
        self.assert_fault(self.with_readme("[x](docs/guide.md#three)\n"), "no heading #three")

    def test_refuses_an_unknown_verb(self):
        self.assert_fault(self.with_readme("`./dermis fly a.glb`\n"), "no verb fly")

    def test_refuses_an_unknown_flag(self):
        self.assert_fault(self.with_readme("`./dermis info a.glb --time 1`\n"), "dermis info has no flag --time")

    def test_does_not_take_part_of_a_flag_for_the_flag(self):
        self.assert_fault(self.with_readme("`./dermis deform a.glb --scale 1`\n"), "no flag --scale")

    def test_refuses_paths_of_one_machine(self):
        self.assert_fault(self.with_readme("see /" + "home/me/file\n"), "folder of one machine")

    def test_refuses_a_stale_generated_part(self):
        block = "<!-- generated: dermis methods -->\n%s<!-- end -->\n"
        self.assert_fine(self.with_readme(block % "| method |\n|---|\n"))
        self.assert_fault(self.with_readme(block % "| old |\n|---|\n"), "out of date")

    def test_refuses_a_generated_part_without_source(self):
        self.assert_fault(self.with_readme("<!-- generated: dermis moon -->\n<!-- end -->\n"), "nothing generates")

    def test_refuses_a_stale_generated_file(self):
        self.assert_fine({"docs/report.schema.json": '{"title": "new"}\n'})
        self.assert_fault({"docs/report.schema.json": '{"title": "old"}\n'}, "report.schema.json: out of date")

    def test_refuses_a_schema_that_is_not_json(self):
        self.assert_fault({"docs/a.json": "{,}"}, "not JSON")


if __name__ == "__main__":
    unittest.main()
