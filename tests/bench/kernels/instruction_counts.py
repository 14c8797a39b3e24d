#!/usr/bin/env python3
"""Compares the instructions that the AVX2 kernels take with instruction_counts.json.

Callgrind counts them, so the numbers are the same on every machine and however busy it is; they say
nothing of memory. One that grows by more than 3 % is a failure. Who means it changes the file with
the kernel:

    cmake --build --preset release --target update_instruction_counts

Ends with 77 (skipped) where valgrind is missing, where the processor has no AVX2, and where the
compiler is not the one that the file's numbers are of.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instruction_counts.json"
FUNCTION = "lore_counted_kernel"
GROWTH = 0.03
SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def total_of(dump):
    """The instructions of a dump: its "totals:" line."""
    for line in dump.read_text(encoding="utf-8").splitlines():
        if line.startswith("totals:"):
            return int(line.split()[1])
    sys.exit(f"{dump} has no total")


def count(program):
    """{kernel: instructions}: the program calls FUNCTION once for each name that it prints."""
    if shutil.which("valgrind") is None:
        skip("there is no valgrind here; install the Debian package")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={FUNCTION}",
             f"--dump-after={FUNCTION}", f"--callgrind-out-file={out}", str(program)],
            capture_output=True, text=True, check=False)
        if result.returncode == SKIP:
            skip(result.stderr.strip().splitlines()[-1])
        if result.returncode != 0:
            sys.exit(f"{program} failed under valgrind:\n{result.stderr}")
        names = result.stdout.splitlines()
        # One dump after each call, numbered from 1, and a last one at the end.
        dumps = [pathlib.Path(f"{out}.{i}") for i in range(1, len(names) + 1)]
        missing = [dump.name for dump in dumps if not dump.exists()]
        if missing or not names:
            sys.exit(f"callgrind left no {missing or 'dump'}:\n{result.stderr}")
        return {name: total_of(dump) for name, dump in zip(names, dumps)}


def compare(recorded, counted):
    """What is wrong, a line each."""
    problems = [f"{name}: not in {RECORD.name}" for name in counted.keys() - recorded.keys()]
    problems += [f"{name}: not counted any more" for name in recorded.keys() - counted.keys()]
    for name, now in counted.items():
        before = recorded.get(name)
        if before is None:
            continue
        change = now / before - 1
        print(f"{now:10}  {100 * change:+6.2f} %  {name}")
        if change > GROWTH:
            problems.append(f"{name}: {now} instructions, {100 * change:.1f} % more than {before}")
        elif change < -GROWTH:
            print("            fewer than recorded: record it, so that it stays")
    return sorted(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="kernel_counts, of a release build")
    parser.add_argument("compiler", help="that built it, as in \"GNU 12\"")
    parser.add_argument("--update", action="store_true", help="record the counts of today")
    arguments = parser.parse_args()
    if arguments.update:
        record = {"compiler": arguments.compiler, "instructions": count(arguments.program)}
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {RECORD}")
        return
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if record["compiler"] != arguments.compiler:
        skip(f"the recorded counts are of {record['compiler']}, this build is of "
             f"{arguments.compiler}")
    counted = count(arguments.program)
    problems = compare(record["instructions"], counted)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit("If that is meant: cmake --build --preset release --target "
                 "update_instruction_counts")


if __name__ == "__main__":
    main()
