#!/usr/bin/env python3
"""Checks every source file with the second compiler and the linters.

  format   clang-format-14 leaves the file as it is
  clang    clang++-14 accepts it (the product is built with g++ 12)
  tidy     clang-tidy-14 finds nothing

The last two look only at files whose preprocessed text (and whose checks) changed since they last
passed; that is remembered below $XDG_CACHE_HOME/lore-checks.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG, TIDY, FORMAT = "clang++-14", "clang-tidy-14", "clang-format-14"


def cache_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(cache) / "lore-checks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=ROOT,
                          stdin=subprocess.DEVNULL)


def tracked(*endings):
    listed = run(["git", "ls-files", "-co", "--exclude-standard"])
    if listed.returncode != 0 or not listed.stdout:
        sys.exit(f"check_sources: git cannot list the files of {ROOT}: {listed.stderr.strip()}")
    names = listed.stdout.splitlines()
    return [n for n in names if n.endswith(endings) and (ROOT / n).is_file()]


def check_format(_):
    files = [n for n in tracked(".cpp", ".hpp") if not n.endswith("_data.cpp")]
    result = run([FORMAT, "--dry-run", "-Werror", *files])
    return [] if result.returncode == 0 else [result.stderr]


def commands(build):
    """(file, clang's arguments) of each entry of compile_commands.json inside the tree."""
    database = json.loads((build / "compile_commands.json").read_text())
    for entry in database:
        file = pathlib.Path(entry["file"])
        inside = file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "build")
        if not inside or file.suffix != ".cpp":
            continue
        words = shlex.split(entry["command"])
        words = words[[i for i, w in enumerate(words) if w.endswith(("++", "cc"))][0] + 1:]
        kept, skip = [], False
        for word in words:
            if skip or word in ("-c", str(file)):
                skip = False
            elif word in ("-o", "-MF", "-MT"):
                skip = True
            elif not word.startswith(("-MD", "-fno-sanitize", "-fsanitize", "-Werror", "-Wno-error")):
                kept.append(word)
        yield file, kept


@functools.lru_cache(maxsize=None)
def text_digest(file, arguments):
    """Of a file as the compiler sees it, wherever the checkout stands; None where it fails."""
    text = run([CLANG, *arguments, "-E", "-P", str(file)])
    if text.returncode != 0:
        return None
    seen = "\0".join([*arguments, text.stdout]).replace(str(ROOT), ".")
    return hashlib.sha256(seen.encode()).hexdigest()


def passed_before(step, file, arguments, salt):
    """(marker file, whether this very text has passed this very check)."""
    text = text_digest(file, tuple(arguments))
    if text is None:
        return None, False
    marker = cache_folder() / hashlib.sha256(f"{step}\0{salt}\0{text}".encode()).hexdigest()
    return marker, marker.exists()


def check_one(step, file, arguments, salt, make_command):
    marker, known = passed_before(step, file, arguments, salt)
    if known:
        return None
    result = run(make_command(file, arguments))
    if result.returncode == 0:
        if marker:
            marker.touch()
        return ""
    return f"{file.relative_to(ROOT)}\n{result.stdout}{result.stderr}"


def check_with(step, build, salt, make_command, wanted=lambda file: True):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check_one, step, file, arguments, salt, make_command)
                for file, arguments in commands(build) if wanted(file)]
        results = [job.result() for job in jobs]
    fresh = [r for r in results if r is not None]
    print(f"{step}: {len(results)} files, {len(fresh)} looked at anew", flush=True)
    return [r for r in fresh if r]


def check_clang(build):
    return check_with("clang", build, "1", lambda file, arguments: [
        CLANG, *arguments, "-fsyntax-only", "-Wno-unknown-warning-option", str(file)])


def check_tidy(build):
    config = (ROOT / ".clang-tidy").read_text()
    generated = ("_data.cpp", "_test.cpp")
    return check_with("tidy", build, config, lambda file, arguments: [
        TIDY, "--quiet", f"--config-file={ROOT}/.clang-tidy", str(file), "--", *arguments,
        "-Wno-unknown-warning-option"],
        lambda file: not file.name.endswith(generated) and "tests" not in file.parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", default=["format", "clang", "tidy"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="the build folder whose compile_commands.json is used")
    arguments = parser.parse_args()
    failed = False
    for step in arguments.steps:
        problems = {"format": check_format, "clang": check_clang, "tidy": check_tidy}[step](
            arguments.build.resolve())
        for problem in problems:
            print(problem, file=sys.stderr)
        failed |= bool(problems)
        print(f"{step}: {'failed' if problems else 'clean'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
