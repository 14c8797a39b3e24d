"""A lore server for a test, over the example documents."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LORE = pathlib.Path(os.environ.get("LORE_BINARY", ROOT / "build" / "release" / "lore"))


class Served:
    """`with Served(flags…) as served:` — served.url, served.folder (indexed documents)."""

    def __init__(self, *flags, index=True):
        self.flags, self.index = flags, index

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name) / "documents"
        if self.index:
            shutil.copytree(ROOT / "examples" / "documents", self.folder,
                            ignore=shutil.ignore_patterns(".lore"))
            subprocess.run([LORE, "index", self.folder, "-q"], check=True, stdout=subprocess.DEVNULL)
        else:
            self.folder.mkdir()
        self.process = subprocess.Popen([LORE, "serve", "--port", "0", *self.flags],
                                        cwd=self.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read())
        self.url = line.split()[-1]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)
        self._folder.cleanup()

    def memory_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines()
                    if line.startswith("VmRSS:"))
