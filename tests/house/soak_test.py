# SPDX-License-Identifier: MIT
# tools/soak notices every broken rule, blames the right file, and continues where it ended.
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Stand-ins for the command and the reader: each remembers the bytes of the files it got.
COMMAND = '#!/bin/sh\nfor word; do case $word in */x.*) input=$word;; esac; done\ncksum <"$input" >>"{log}"\necho no >&2\nexit 1\n'
READER = """#!{python}
import sys, zlib
for number, line in enumerate(sys.stdin):
    data = open(line.split("\\t")[0], "rb").read()
    print(zlib.crc32(data), file=open({log!r}, "a"))
    if number == {last}:
        {deed}
    print("refused", flush=True)
"""


class Soak(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "seeds").mkdir()
        (self.folder / "seeds/a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" * 20)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def soak(self, deed="pass", last=-1, command=COMMAND, **more):
        """Its output after one turn of OBJ files, its exit code and the totals."""
        reader = READER.format(python=sys.executable, log=str(self.folder / "read"), last=last, deed=deed)
        words = ["--program", self.program("command", command.format(log=self.folder / "called")),
                 "--reader", self.program("reader", reader), "--folders", str(self.folder / "seeds"),
                 "--totals", str(self.folder / "out/totals.json"), "--jobs", "1"]
        words += [word for key, value in more.items() for word in (f"--{key}", str(value))]
        done = subprocess.run([ROOT / "tools/soak", "1", *words], capture_output=True, text=True)
        return done, json.loads((self.folder / "out/totals.json").read_text())["formats"][".obj"]

    def test_counts_refused_files(self):
        done, totals = self.soak(count=1)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((totals["files"], totals["called"], totals["refused"]), (204, 4, 204))
        self.assertIn("| .obj | 204 | 4 | 0 | 204 | 0 | 0 | 0 |", done.stdout)

    def test_blames_the_file_that_ended_the_reader_and_reads_on(self):
        done, totals = self.soak(count=1, last=17, deed="sys.exit(9)")
        self.assertEqual(done.returncode, 1)
        # A new reader dies on its own eighteenth file.
        self.assertEqual((totals["files"], len(totals["faults"])), (204, 200 // 18))
        crc = int((self.folder / "read").read_text().split()[17])
        kept = [path for path in (self.folder / "out").glob("mutated-*.obj")]
        self.assertEqual(len(kept), 200 // 18)
        self.assertIn(crc, [zlib.crc32(path.read_bytes()) for path in kept])

    def test_notices_files_that_are_left_behind(self):
        done, _ = self.soak(count=1, last=3, deed='open(line.split("\\t")[1].strip(), "w").write("half")')
        self.assertEqual(done.returncode, 1)
        self.assertIn("left the wrong files behind", done.stdout)

    def test_notices_a_command_that_prints_nothing(self):
        done, totals = self.soak(count=1, command="#!/bin/sh\nexit 1\n")
        self.assertEqual((done.returncode, totals["fault"]), (1, 4))

    def test_notices_a_reader_that_hangs(self):
        done, totals = self.soak(count=1, last=150, deed="import time; time.sleep(60)", seconds=0.7)
        self.assertEqual(done.returncode, 1)
        self.assertGreaterEqual(totals["hang"], 1)

    def test_continues_with_other_files(self):
        self.soak(count=1)
        _, totals = self.soak(count=205)
        self.assertEqual(totals["files"], 408)
        read = (self.folder / "read").read_text().split()
        self.assertEqual(len(read), 400)
        # Different seeds seldom mutate one small file in the same way, except by cutting nearly all of it.
        self.assertNotEqual(read[:200], read[200:])


if __name__ == "__main__":
    unittest.main()
