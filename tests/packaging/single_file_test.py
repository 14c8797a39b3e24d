#!/usr/bin/env python3
"""What unpacks the single file, tried with a tiny archive: starts, starts at the same time, damage,
places that cannot be written, old versions.

  single_file_test.py STUB PROGRAM
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PACK = pathlib.Path(__file__).resolve().parent.parent.parent / "packaging" / "single_file" / "pack.py"
LOADER = "ld-linux-x86-64.so.2"
STUB, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])


def pack(work, version):
    """A single file that carries the tiny program, its loader and a text."""
    folder = work / f"content-{version}"
    for part in ("bin", "lib", "share/deep/er"):
        (folder / part).mkdir(parents=True)
    shutil.copy(PROGRAM, folder / "bin" / "lore")
    shutil.copy(pathlib.Path("/lib64") / LOADER, folder / "lib" / LOADER)
    (folder / "share/deep/er/text").write_text(version * 1000)
    (folder / "share/empty").write_text("")
    subprocess.run([sys.executable, PACK, STUB, folder, version, work / version], check=True)
    return work / version


class SingleFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.file = pack(self.work, "1.0")
        self.cache, self.temporary_folder = self.work / "cache", self.work / "tmp"
        self.temporary_folder.mkdir()

    def environment(self, **changes):
        return {"XDG_CACHE_HOME": str(self.cache), "HOME": "/nowhere",
                "TMPDIR": str(self.temporary_folder), **changes}

    def start(self, *arguments, file=None, **changes):
        return subprocess.run([str(file or self.file), *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, env=self.environment(**changes))

    def expect_started(self, done):
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(done.stderr, "")

    def expect_refused(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in ("lore: ", *words):
            self.assertIn(word, done.stderr)

    def versions(self):
        return sorted(path.name.split("-")[0] for path in (self.cache / "lore/program").iterdir()
                      if not path.name.startswith("."))

    def leftovers(self):
        return [path.name for path in (self.cache / "lore/program").iterdir()
                if path.name.startswith(".") and path.name != ".lock"]

    def unpacked(self):
        return next((self.cache / "lore/program").glob("1.0-*"))

    def test_becomes_the_program(self):
        for _ in range(2):
            done = self.start("ask", "two words", TINY="kept", LD_LIBRARY_PATH="/somewhere")
            self.expect_started(done)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[:3], [f"argument {self.file}", "argument ask", "argument two words"])
            self.assertEqual(lines[3:], [f"program {self.unpacked() / 'bin/lore'}",
                                         "LD_LIBRARY_PATH /somewhere", "TINY kept"])
        self.assertEqual((self.unpacked() / "share/deep/er/text").read_text(), "1.0" * 1000)
        self.assertEqual((self.unpacked() / "share/empty").read_text(), "")
        self.assertEqual(self.leftovers(), [])

    def test_first_starts_at_the_same_time(self):
        running = [subprocess.Popen([self.file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, env=self.environment()) for _ in range(8)]
        for one in running:
            output = one.communicate(timeout=60)[0]
            self.assertEqual(one.returncode, 7, output)
        self.assertEqual(self.versions(), ["1.0"])
        self.assertEqual(self.leftovers(), [])

    def test_what_was_damaged_since_is_unpacked_again(self):
        self.expect_started(self.start())
        folder = self.unpacked()
        for damage in (lambda: (folder / "share/deep/er/text").unlink(),
                       lambda: (folder / "share/deep/er/text").write_text("short"),
                       lambda: (folder / "files").unlink(), lambda: (folder / "files").write_text(""),
                       lambda: (folder / "lock").unlink(), lambda: shutil.rmtree(folder / "lib")):
            damage()
            self.expect_started(self.start())
            self.assertEqual((folder / "share/deep/er/text").read_text(), "1.0" * 1000)

    def test_a_cache_that_was_moved(self):
        self.expect_started(self.start())
        moved = self.work / "elsewhere"
        self.cache.rename(moved)
        self.expect_started(self.start(XDG_CACHE_HOME=str(moved)))
        self.cache.symlink_to(moved)
        before = os.stat(next((moved / "lore/program").glob("1.0-*"))).st_ino
        self.expect_started(self.start())
        after = os.stat(next((moved / "lore/program").glob("1.0-*"))).st_ino
        self.assertEqual(before, after)

    def test_what_a_cut_off_start_left_goes_away(self):
        leftover = self.cache / "lore/program/.new-0.9-0123"
        (leftover / "lib").mkdir(parents=True)
        (leftover / "lib/x").write_text("half")
        self.expect_started(self.start())
        self.assertEqual(self.leftovers(), [])

    def test_a_file_that_is_not_whole(self):
        whole = self.file.read_bytes()
        cut = self.work / "cut"
        for size in (len(whole) - 1, STUB.stat().st_size + 100, STUB.stat().st_size + 5):
            cut.write_bytes(whole[:size])
            cut.chmod(0o755)
            self.expect_refused(self.start(file=cut), str(cut), "get it again")
        middle = (STUB.stat().st_size + len(whole)) // 2
        cut.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0x55]) + whole[middle + 1:])
        self.expect_refused(self.start(file=cut), "damaged", "get it again")
        self.assertEqual(self.versions(), [])
        self.assertEqual(self.leftovers(), [])

    def test_places_that_cannot_be_written(self):
        (self.work / "plain").write_text("")
        no_folder = str(self.work / "plain")
        done = self.start(XDG_CACHE_HOME=no_folder)
        self.expect_started(done)
        self.assertIn(f"program {self.temporary_folder}/lore-{os.geteuid()}/program/1.0-", done.stdout)
        self.expect_refused(self.start(XDG_CACHE_HOME=no_folder, TMPDIR=no_folder), no_folder,
                            "XDG_CACHE_HOME", "Not a directory")
        self.expect_refused(self.start(XDG_CACHE_HOME=f"/tmp/{'x' * 5000}", TMPDIR=no_folder), "too long")

    def test_a_folder_that_others_can_write_is_not_trusted(self):
        theirs = self.temporary_folder / f"lore-{os.geteuid()}" / "program"
        theirs.mkdir(parents=True)
        theirs.chmod(0o777)
        self.expect_refused(self.start(XDG_CACHE_HOME="/dev/null"), "another user")

    def test_old_versions_go_but_not_those_that_run(self):
        running = subprocess.Popen([self.file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=self.environment())
        running.stdout.readline()
        try:
            for version in ("2.0", "3.0", "4.0"):
                self.expect_started(self.start(file=pack(self.work, version)))
            self.assertEqual(self.versions(), ["1.0", "3.0", "4.0"])
        finally:
            running.communicate(timeout=60)
        self.expect_started(self.start(file=pack(self.work, "5.0")))
        self.assertEqual(self.versions(), ["4.0", "5.0"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
