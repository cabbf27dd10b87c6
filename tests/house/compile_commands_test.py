# SPDX-License-Identifier: MIT
# Editors find the compile command of every source, although several are compiled as one unit.
import json
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CompileCommands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return str(place)

    def configure(self, build, units):
        """units: file -> (flags, text if it is a unit)."""
        entries = []
        for path, (flags, text) in units.items():
            file = self.write(path, text)
            entries.append({"directory": str(self.root / build), "file": file, "command": f"c++ {flags} -c {file}"})
        self.write(f"{build}/compile_commands.json", json.dumps(entries))

    def run_tool(self):
        done = subprocess.run([ROOT / "tools/compile_commands", self.root], capture_output=True, text=True, check=False)
        listed = self.root / "compile_commands.json"
        return done.returncode, {entry["file"]: entry["command"] for entry in json.loads(listed.read_text())}

    def test_give_each_source_the_flags_of_its_unit(self):
        self.configure("build/lint", {
            "build/lint/src/bundles/io/io_0.cpp": ("-Iinclude", '// Generated\n#include "io/a.cpp"\n#include "io/b.cpp"\n'),
            "src/io/alone.cpp": ("-O3", "int alone;\n")})
        code, commands = self.run_tool()
        self.assertEqual(code, 0)
        a = str(self.root / "src/io/a.cpp")
        self.assertEqual(set(commands), {a, str(self.root / "src/io/b.cpp"), str(self.root / "src/io/alone.cpp")})
        self.assertEqual(commands[a], f"c++ -Iinclude -c {a}")

    def test_take_tests_from_the_build_that_has_them(self):
        self.configure("build/lint", {"src/a.cpp": ("-lint", "")})
        self.configure("build/release", {
            "src/a.cpp": ("-release", ""),
            "build/release/tests/bundles/io/io_0.cpp": ("-gtest", '#include "io/a_test.cpp"\n')})
        _, commands = self.run_tool()
        self.assertIn("-lint", commands[str(self.root / "src/a.cpp")])
        self.assertIn("-gtest", commands[str(self.root / "tests/io/a_test.cpp")])

    def test_say_that_nothing_is_configured(self):
        code, commands = self.run_tool()
        self.assertEqual(code, 1)
        self.assertEqual(commands, {})


if __name__ == "__main__":
    unittest.main()
