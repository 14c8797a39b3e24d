#!/usr/bin/env python3
"""Times the flat index of a newer FAISS (the package faiss-cpu) on what vectors_bench wrote.

The package is installed into the virtual environment that --venv names, once; then this program
runs itself there. One thread, one query at a time. Prints one JSON object.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import venv

PACKAGE = "faiss-cpu==1.15.1"


def enter(folder):
    """Runs this program anew with the interpreter of the environment, made where it is not."""
    python = folder / "bin" / "python"
    if not list(folder.glob("lib/python3*/site-packages/faiss")):
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit("faiss_peer: Python cannot make a virtual environment; "
                     "install python3-venv and run this again")
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True)
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [str(python), *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="written by vectors_bench --write")
    parser.add_argument("--venv", type=pathlib.Path, required=True)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--k", type=int, default=10)
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        sys.exit(f"faiss_peer: {arguments.file} is not there; make it with vectors_bench --write")
    enter(arguments.venv)

    os.environ["OMP_NUM_THREADS"] = "1"
    import faiss  # pylint: disable=import-outside-toplevel,import-error
    import numpy  # pylint: disable=import-outside-toplevel,import-error

    faiss.omp_set_num_threads(1)
    values = numpy.memmap(arguments.file, numpy.float32, "r").reshape(-1, arguments.dim)
    if len(values) <= arguments.n:
        sys.exit(f"faiss_peer: {arguments.file} holds {len(values)} rows, no queries after them")
    index = faiss.IndexFlatIP(arguments.dim)
    index.add(values[:arguments.n])
    seconds = []
    for query in numpy.array(values[arguments.n:]):
        start = time.perf_counter()
        index.search(query[None, :], arguments.k)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds_per_query": round(statistics.median(seconds), 6),
                      "best_seconds_per_query": round(min(seconds), 6), "n": arguments.n,
                      "dim": arguments.dim, "k": arguments.k, "queries": len(seconds),
                      "faiss": faiss.__version__, "compiled_for": faiss.get_compile_options()}))


if __name__ == "__main__":
    main()
