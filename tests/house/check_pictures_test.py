#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The checker of pictures can fail: on missing, aged and unknown ones.
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures/make"


def load_script():
    loader = importlib.machinery.SourceFileLoader("make_pictures", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class CheckPictures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name)
        self.make = load_script()
        self.make.ROOT, self.make.HERE = root, root / "docs/pictures"
        self.make.MANIFEST = self.make.HERE / "made_from.txt"
        self.make.HERE.mkdir(parents=True)
        for room in ("deform/kernels", "made", "picture"):
            (root / "src" / room).mkdir(parents=True)
        for source in ("deform/kernels/blocks.cpp", "deform/shapes.cpp", "made/clips.cpp", "picture/plot.cpp"):
            (root / "src" / source).write_text("one")
        for method in self.make.METHODS:
            (root / f"src/deform/{method}.cpp").write_text("one")
        table = self.make.pictures()
        for name in table:
            (self.make.HERE / name).write_bytes(b"picture")
        self.make.write_manifest({name: self.make.hash_of(*row) for name, row in table.items()})

    def test_is_quiet_when_all_is_there_and_fresh(self):
        self.assertEqual(self.make.check(), [])

    def test_names_a_missing_picture(self):
        (self.make.HERE / "dqs.png").unlink()
        self.assertEqual(len(self.make.check()), 1)
        self.assertIn("dqs.png: is missing", self.make.check()[0])

    def test_names_every_picture_older_than_its_method(self):
        (self.make.ROOT / "src/deform/dqs.cpp").write_text("two")
        faults = self.make.check()
        self.assertEqual({fault.split(":")[0] for fault in faults},
                         {f"docs/pictures/{name}" for name in ("twist.png", "elbow.png", "dqs.png")})
        self.assertTrue(all("is older than" in fault for fault in faults))

    def names_after(self, source, text="two"):
        """The pictures that are older once a source has this text."""
        (self.make.ROOT / source).write_text(text)
        return {fault.split(":")[0].removeprefix("docs/pictures/") for fault in self.make.check()}

    def test_names_every_picture_when_the_kernels_that_pose_it_change(self):
        self.assertEqual(self.names_after("src/deform/kernels/blocks.cpp"), set(self.make.pictures()))

    def test_names_every_posed_picture_when_what_methods_share_changes(self):
        self.assertEqual(self.names_after("src/deform/shapes.cpp"), set(self.make.pictures()) - {"methods.svg"})

    def test_names_the_walk_when_the_walk_changes(self):
        self.assertIn("walk.png", self.names_after("src/made/clips.cpp"))

    def test_names_the_chart_when_what_draws_it_changes(self):
        self.assertIn("methods.svg", self.names_after("src/picture/plot.cpp"))

    def test_is_quiet_when_only_comments_and_line_ends_change(self):
        self.assertEqual(self.names_after("src/deform/dqs.cpp", "// why\n  one  // and how\n"), set())

    def test_is_quiet_about_what_was_kept(self):
        self.assertEqual(self.names_after("src/deform/dqs.cpp"), {"twist.png", "elbow.png", "dqs.png"})
        self.assertEqual(self.make.main(["--keep", "twist.png", "elbow.png", "dqs.png"]), 0)
        self.assertEqual(self.make.check(), [])

    def test_names_every_picture_when_a_pose_changes(self):
        self.make.POSES = {**self.make.POSES, "twist": {}}
        self.assertEqual(len(self.make.check()), len(self.make.pictures()))

    def test_names_a_picture_that_nothing_makes(self):
        (self.make.HERE / "stray.png").write_bytes(b"picture")
        self.assertEqual(self.make.check(), ["docs/pictures/stray.png: nothing makes it"])

    def test_gives_a_source_to_the_method_with_the_longest_name(self):
        shared = ["src/deform/shapes.cpp", "src/deform/kernels/blocks.cpp"]
        self.assertEqual(self.make.sources_of("lbs"), ["src/deform/lbs.cpp", *shared])
        self.assertEqual(self.make.sources_of("lbs_dqs"), ["src/deform/lbs_dqs.cpp", *shared])


if __name__ == "__main__":
    unittest.main()
