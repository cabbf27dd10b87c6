# SPDX-License-Identifier: MIT
# What the tests of the checkers share: a small tree in a temporary folder, and a checker run on it.
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckerTest(unittest.TestCase):
    """A test writes files (path -> text) into a tree that is fine, and says what the checker must answer."""

    checker = ""
    fine = {}

    def judge(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**self.fine, **changes}.items():
                if text is None:
                    continue
                place = pathlib.Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
                place.chmod(0o755)
            done = subprocess.run([ROOT / "tools" / self.checker, folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def assert_fine(self, changes):
        code, said = self.judge(changes)
        self.assertEqual(code, 0, said)

    def assert_fault(self, changes, words):
        code, said = self.judge(changes)
        self.assertEqual(code, 1, said)
        self.assertIn(words, said)
