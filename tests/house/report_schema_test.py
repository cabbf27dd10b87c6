# SPDX-License-Identifier: MIT
# What the command prints with --json is what its schema says, for every verb; and the judge of that can fail.
"""report_schema_test.py COMMAND: COMMAND is the built dermis."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from json_schema import faults

COMMAND = ""
FIGURE = ["--points", "1000"]


def ask(*words):
    """What `dermis WORDS --json` prints."""
    done = subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


class Judge(unittest.TestCase):
    SCHEMA = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": ["string", "null"], "enum": ["x", None]},
                                               "c": {"type": "array", "items": {"$ref": "#/$defs/d"}, "maxItems": 1}},
              "required": ["a"], "$defs": {"d": {"anyOf": [{"const": 1}, {"const": 2}]}}}

    def assert_faults(self, value, *words):
        found = faults(value, self.SCHEMA)
        self.assertEqual(len(found), len(words), found)
        for fault, word in zip(found, words):
            self.assertIn(word, fault)

    def test_accepts_what_fits(self):
        self.assert_faults({"a": 1, "b": None, "c": [2]})

    def test_refuses_what_does_not(self):
        self.assert_faults([], "not of type object")
        self.assert_faults({"a": -1}, "below 0")
        self.assert_faults({"a": True}, "not of type integer")
        self.assert_faults({"a": 1.5}, "not of type integer")
        self.assert_faults({}, "has no a")
        self.assert_faults({"a": 1, "z": 1}, "z is not in the schema")
        self.assert_faults({"a": 1, "b": "y"}, "is not one of")
        self.assert_faults({"a": 1, "c": [3]}, "is not 1")
        self.assert_faults({"a": 1, "c": [1, 1]}, "has 2 elements")


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(subprocess.run([COMMAND, "schema"], capture_output=True, text=True, check=True).stdout)
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        cls.figure, cls.face = cls.folder / "figure.glb", cls.folder / "face.glb"
        cls.made = [ask("make", "humanoid", *FIGURE, "-o", cls.figure), ask("make", "face", *FIGURE, "-o", cls.face)]

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def judge(self, report, type):
        """By the schema of all, and by that of its own type: another report must not take it."""
        self.assertEqual(faults(report, self.schema), [])
        self.assertEqual(faults(report, self.schema["$defs"][type], self.schema), [])

    def test_make(self):
        for report in self.made:
            self.judge(report, "make_report")

    def test_info_and_check(self):
        for file in (self.figure, self.face):
            self.judge(ask("info", file), "info_report")
            self.judge(ask("check", file), "check_report")
        self.judge(ask("check", self.figure, "--no-quality", "--fix", "-o", self.folder / "mended.glb"), "check_report")
        self.judge(ask("info", self.folder / "nothing.glb"), "error_report")

    def test_tables(self):
        self.judge(ask("methods"), "methods_table")
        self.judge(ask("formats"), "formats_table")
        self.judge(ask("animate", "--list"), "motions_table")
        self.judge(ask("animate", "--roles"), "roles_table")
        self.judge(ask("check", "--list"), "check_rules_table")
        self.judge(ask("bind", "--list"), "bind_methods_table")

    def test_convert_deform_bake_and_compare(self):
        posed, cache = self.folder / "posed.ply", self.folder / "walk.pc2"
        self.judge(ask("convert", self.figure, "-o", self.folder / "figure.obj"), "convert_report")
        self.judge(ask("deform", self.face, "--shape", "smile_L=0.5", "-o", self.folder / "smile.obj"), "deform_report")
        self.judge(ask("deform", self.figure, "--clip", "0", "--time", "0.5", "-o", posed), "deform_report")
        self.judge(ask("bake", self.figure, "--fps", "5", "-o", cache), "bake_report")
        self.judge(ask("info", cache), "info_report")
        self.judge(ask("compare", self.figure, posed, "--clip", "0", "--time", "0.5"), "compare_report")
        self.judge(ask("compare", self.figure, cache, "--clip", "0"), "compare_report")
        self.judge(ask("compare", self.figure, self.figure, "--clip", "0", "--time", "0.5", "--method-b", "dqs", "--limit", "1"), "compare_report")

    def test_rig_bind_animate_and_weights(self):
        bound, out = self.folder / "bound.glb", self.folder / "out.glb"
        self.judge(ask("bind", self.figure, "-o", bound), "bind_report")
        self.judge(ask("rig", self.figure, "--motion", "walk", "-o", self.folder / "rigged.glb"), "rig_report")
        self.judge(ask("rig", self.figure, "-o", self.folder / "still.glb"), "rig_report")
        self.judge(ask("animate", self.figure, "--motion", "walk", "-o", self.folder / "walk.glb"), "animate_report")
        for operation in (["normalize"], ["limit", "--max-influences", "2"], ["prune"], ["mirror"], ["subdivide"]):
            self.judge(ask("weights", operation[0], self.figure, *operation[1:], "-o", out), "weights_report")
        self.judge(ask("weights", "transfer", self.figure, bound, "-o", out), "weights_report")
        self.judge(ask("weights", "diff", self.figure, bound), "weights_report")

    def test_render(self):
        small = ["--size", "64x48", "--samples", "1"]
        self.judge(ask("render", self.figure, *small, "-o", self.folder / "a.png"), "render_report")
        self.judge(ask("render", self.figure, *small, "--heat", "strain", "--clip", "0", "--time", "0.5", "-o", self.folder / "b.png"), "render_report")

    def test_a_changed_report_is_refused(self):
        report = self.made[0] | {"points": -1}
        self.assertIn("$.points: -1 is below 0", faults(report, self.schema))


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
