#!/usr/bin/env python3
"""Times lore and llama.cpp side by side and prints the ratio.

Both run the same model file with the same number of threads, one process after the other in turns,
and the medians of the pairs' ratios are printed. A pair during which other processes took more than
5 % of the machine is thrown away and run again.

The peer is the llama.cpp inside the Python package llama-cpp-python, built for this machine in a
virtual environment of its own (some minutes, once), through peer/peer_bench.cpp. Each workload takes
the peer's best configuration of flash attention on/off and batches of 256/512.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from get_models import models_folder  # noqa: E402
PACKAGE = "llama-cpp-python==0.3.36"
# gcc 12 miscompiles the peer's tile configuration (it dies with SIGILL), so machines with AMX name
# the instruction sets instead of asking for all of them.
NATIVE = "-DGGML_NATIVE=ON -DGGML_OPENMP=OFF"
NO_AMX = ("-DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON "
          "-DGGML_AVX512=ON -DGGML_AVX512_VNNI=ON -DGGML_AVX512_VBMI=ON -DGGML_AVX512_BF16=ON")


def cpu_flags():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("flags"):
            return set(line.split(":")[1].split())
    return set()


def peer_program(folder):
    """Builds the peer and its small program once; returns the program's path."""
    python = folder / "bin" / "python"
    site = next(iter((folder / "lib").glob("python3*/site-packages")), None)
    if site is None or not (site / "llama_cpp").exists():
        print(f"building {PACKAGE} in {folder} (some minutes, once)", flush=True)
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit("compare: Python cannot make a virtual environment; "
                     "install python3-venv and run this again")
        flags = NO_AMX if "amx_tile" in cpu_flags() else NATIVE
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-binary",
                        "llama-cpp-python", PACKAGE], check=True,
                       env={**os.environ, "CMAKE_ARGS": flags})
        site = next((folder / "lib").glob("python3*/site-packages"))
    libraries = site / "llama_cpp" / "lib"
    include = next(path.parent for path in site.rglob("llama.h"))
    program = folder / "peer_bench"
    source = HERE / "peer" / "peer_bench.cpp"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["g++", "-std=c++17", "-O2", f"-I{include}", str(source), "-o", str(program),
                        f"-L{libraries}", "-lllama", "-lggml", "-lggml-base", "-lggml-cpu",
                        f"-Wl,-rpath,{libraries}"], check=True)
    return program


def busy_ticks():
    """(ticks of all processes, ticks of this one's children) so far."""
    fields = [int(x) for x in open("/proc/stat", encoding="utf-8").readline().split()[1:9]]
    total = sum(fields) - fields[3] - fields[4]
    times = os.times()
    own = (times.children_user + times.children_system + times.user + times.system)
    return total, own * os.sysconf("SC_CLK_TCK")


class Noise(Exception):
    """Other processes took too much of the machine during a run."""


def timed(command):
    """The JSON object that a command prints; Noise where the machine was not ours meanwhile."""
    start, (total, own) = time.monotonic(), busy_ticks()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"compare: {' '.join(map(str, command))} failed: {run.stderr.strip()[-500:]}")
    ticks = (time.monotonic() - start) * os.sysconf("SC_CLK_TCK") * os.cpu_count()
    total_after, own_after = busy_ticks()
    if (total_after - total) - (own_after - own) > 0.05 * ticks:
        raise Noise
    return parsed(run.stdout)


def parsed(output):
    """Tokens and seconds, of the peer's JSON or of what engine_bench prints."""
    if found := re.search(r"median ([0-9.]+) tokens/s", output):
        return {"tokens": float(found[1]), "seconds": 1.0}
    return json.loads(output)


def quiet(command, patience):
    for _ in range(patience):
        try:
            return timed(command)
        except Noise:
            time.sleep(2)
    print("  (the machine stays busy: measured all the same, trust the ratio less)", flush=True)
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return parsed(run.stdout)


def rate(result):
    return result["tokens"] / result["seconds"]


class Workload:
    def __init__(self, name, model, peer, lore, unit, per_unit=1):
        self.name, self.model, self.peer, self.lore = name, model, peer, lore
        self.unit, self.per_unit = unit, per_unit


def workloads(models):
    rows = []
    for name in ("minilm-q8_0", "minilm"):
        rows.append(Workload(f"embed 128 x 256 tokens, {name}", name, ["embed", 128, 256],
                             ["embed", "--chunks", "128", "--tokens", "256"], "chunks/s", 256))
    for name in ("smollm2", "qwen-0.5b", "gemma-270m", "qwen-1.5b"):
        rows.append(Workload(f"prefill 512, {name}", name, ["prefill", 512],
                             ["prefill", "--tokens", "512"], "tokens/s"))
        rows.append(Workload(f"decode 64, {name}", name, ["decode", 16, 64],
                             ["decode", "--tokens", "64", "--depth", "16"], "tokens/s"))
    return [row for row in rows if (models / f"{row.model}.gguf").exists()]


def compare(row, arguments, program, models):
    model = str(models / f"{row.model}.gguf")
    mode, *flags = row.lore
    lore = [str(arguments.lore), mode, model, *flags, "--threads", str(arguments.threads),
            "--kernels", arguments.kernels, "--runs", "3"]
    peers = []
    for flash in (0, 1):
        for ubatch in (256, 512):
            mode, *sizes = row.peer
            peers.append([str(program), mode, model, str(arguments.threads), str(flash),
                          str(ubatch), *map(str, sizes)])
    if row.peer[0] == "decode":
        peers = peers[1::2]  # the batch size does not matter to single tokens
    best = max(peers, key=lambda command: rate(quiet(command, arguments.patience)))
    ratios, ours, theirs = [], [], []
    for _ in range(arguments.pairs):
        theirs.append(rate(quiet(best, arguments.patience)) / row.per_unit)
        ours.append(rate(quiet(lore, arguments.patience)) / row.per_unit)
        ratios.append(ours[-1] / theirs[-1])
    print(f"{row.name:38} lore {statistics.median(ours):9.1f}  peer {statistics.median(theirs):9.1f}"
          f" {row.unit:9} ratio {statistics.median(ratios):5.2f}"
          f"  ({min(ratios):.2f} to {max(ratios):.2f}; peer with flash {best[4]}, batch {best[5]})",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lore", type=pathlib.Path, help="the program that times lore's engine",
                        default=ROOT / "build" / "release" / "tests" / "bench" / "engine"
                        / "engine_bench")
    parser.add_argument("--models", type=pathlib.Path, default=models_folder())
    parser.add_argument("--peer", type=pathlib.Path, default=ROOT / "build" / "peer",
                        help="folder of the peer's virtual environment")
    parser.add_argument("-t", "--threads", type=int, default=2)
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--patience", type=int, default=5, help="runs to wait for a quiet machine")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    arguments = parser.parse_args()
    if not os.access(arguments.lore, os.X_OK):
        sys.exit(f"compare: {arguments.lore} is not there; build it first: cmake --preset release && "
                 "cmake --build --preset release")
    rows = [row for row in workloads(arguments.models) if arguments.only in row.name]
    if not rows:
        sys.exit(f"compare: {arguments.models} holds no model for this; see scripts/get-models.sh")
    program = peer_program(arguments.peer.resolve())
    model_name = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                       if line.startswith("model name")), platform.machine())
    print(f"{model_name}, {arguments.threads} threads, kernels {arguments.kernels}; peer {PACKAGE}")
    for row in rows:
        compare(row, arguments, program, arguments.models)


if __name__ == "__main__":
    main()
