#!/usr/bin/env python3
"""Puts everything that the command needs into one folder, as it is unpacked from the single file.

  collect.py PROGRAM FOLDER

FOLDER then holds bin/lore (stripped), lib/ with every shared library that it loads, its loader and
OpenSSL's legacy provider, share/poppler/cMap, share/lore with what fetches models, and
share/doc/licenses/PACKAGE of each Debian package that something came from.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOADER = "ld-linux-x86-64.so.2"
CHARACTER_MAPS = pathlib.Path("/usr/share/poppler/cMap")
# Of which parts are linked into the program or into what unpacks it.
LINKED_IN = ("libfaiss-dev", "liblapack-dev", "libblas-dev", "libgfortran-12-dev", "libcli11-dev",
             "nlohmann-json3-dev", "libcpp-httplib-dev", "liblzma-dev", "musl-dev")
FETCHER = ("get-models.sh", "get_models.py", "models.json", "packages.sh")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def libraries(program):
    """(name that programs ask for, file) of each shared library, the loader included."""
    found = {}
    for line in run("ldd", program).splitlines():
        if "not found" in line:
            sys.exit(f"collect: {program}: {line.strip()}")
        if match := re.match(r"\s*(/\S*/)?(\S+)( => /\S+)? \(", line):
            folder, name, file = match.groups()
            if folder or file:  # else the kernel's own
                found[name] = pathlib.Path(file.removeprefix(" => ") if file else folder + name)
    return found


def package_of(file):
    """The Debian package of a file, also where it is known by its name before /usr was merged."""
    names = [str(file), str(file.resolve())]
    names += [name.removeprefix("/usr") for name in names]
    for name in names:
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return sys.exit(f"collect: no Debian package has {file}, so its licence is not known")


def collect_licenses(packages, folder):
    """Each package's own text, and the licences that those refer to."""
    folder.mkdir(parents=True)
    common = set()
    for package in sorted(packages):
        text = pathlib.Path("/usr/share/doc") / package / "copyright"
        if not text.exists():
            sys.exit(f"collect: {text} is missing; install {package} with its documentation")
        shutil.copyfile(text, folder / package)
        common |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z]+(?:-[0-9.]*[0-9])?)",
                                 text.read_text(errors="replace")))
    for name in sorted(common):
        text = pathlib.Path("/usr/share/common-licenses") / name
        if text.exists():
            shutil.copyfile(text, folder / f"common-{name}")


def main():
    program, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("bin", "lib/ossl-modules", "share/poppler", "share/lore"):
        (folder / part).mkdir(parents=True)
    run("strip", "-o", folder / "bin" / "lore", program)
    files = libraries(program)
    modules = pathlib.Path(run("pkg-config", "--variable=modulesdir", "libcrypto").strip())
    files["ossl-modules/legacy.so"] = modules / "legacy.so"
    for name, file in files.items():
        shutil.copyfile(file, folder / "lib" / name)
    (folder / "lib" / LOADER).chmod(0o755)
    shutil.copytree(CHARACTER_MAPS, folder / "share" / "poppler" / "cMap")
    for name in FETCHER:
        shutil.copy(ROOT / "scripts" / name, folder / "share" / "lore" / name)
    some_map = next(file for file in sorted(CHARACTER_MAPS.rglob("*")) if file.is_file())
    packages = {package_of(file) for file in [*files.values(), some_map]} | set(LINKED_IN)
    collect_licenses(packages, folder / "share" / "doc" / "licenses")


if __name__ == "__main__":
    main()
