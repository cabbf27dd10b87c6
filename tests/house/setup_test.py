# SPDX-License-Identifier: MIT
# Builds need no home folder: without one that can be written, caches are in build/.
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = 'root=$1; source "$2"; printf "%s|%s|%s" "${CCACHE_DIR:-}" "${DERMIS_LINT_CACHE:-}" "${npm_config_cache:-}"'


def caches(root, **home):
    """Where the three caches are; empty: where the programs put them."""
    kept = {"PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-euc", SCRIPT, "bash", root, ROOT / "tools/setup.sh"], env={**kept, **home},
                          capture_output=True, text=True, check=True)
    return done.stdout.split("|")


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def test_leaves_caches_in_a_home_that_can_be_written(self):
        self.assertEqual(caches(self.root, HOME=self.root), ["", "", ""])
        self.assertEqual(caches(self.root, HOME=f"{self.root}/not/yet/there"), ["", "", ""])

    def test_puts_caches_into_build_where_home_cannot_be_written(self):
        expected = [f"{self.root}/build/{name}" for name in ("ccache", "lint-cache", "npm")]
        for home in ({"HOME": "/dev/null"}, {"HOME": "/dev/null/home"}, {"HOME": ""}, {},
                     {"HOME": self.root, "XDG_CACHE_HOME": "/dev/null/cache"}):
            self.assertEqual(caches(self.root, **home), expected, home)

    def test_refuses_a_read_only_home(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        os.chmod(self.root, 0o500)
        self.addCleanup(os.chmod, self.root, 0o700)
        self.assertEqual(caches("/tmp/a", HOME=self.root)[0], "/tmp/a/build/ccache")

    def test_keeps_stated_caches(self):
        self.assertEqual(caches(self.root, HOME="/dev/null", CCACHE_DIR="/a")[0], "/a")


if __name__ == "__main__":
    unittest.main()
