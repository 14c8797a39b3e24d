"""The peers: llama.cpp inside the Python package llama-cpp-python, built for this machine, and tools
for making models. Each lives in a virtual environment of its own."""

import os
import subprocess
import sys
import venv

from . import machine

PACKAGE = "llama-cpp-python==0.3.36"
TOOLS = ("gguf==0.19",)
# gcc 12 miscompiles the peer's tile configuration (it dies with SIGILL), so machines with AMX name
# the instruction sets instead of asking for all of them.
_NO_AMX = ("-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_AVX512=ON "
           "-DGGML_AVX512_VNNI=ON -DGGML_AVX512_VBMI=ON -DGGML_AVX512_BF16=ON")
_SETS = {
    "native": "-DGGML_NATIVE=ON",
    "avx2": "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON",
    "sse42": "-DGGML_NATIVE=OFF -DGGML_SSE42=ON -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF "
             "-DGGML_F16C=OFF -DGGML_BMI2=OFF",
}


def instruction_set(kernels):
    """The peer's build that stands beside a kernel table."""
    return {"avx2": "avx2", "avxvnni": "avx2", "sse41": "sse42"}.get(kernels, "native")


def _make_venv(folder):
    try:
        venv.create(folder, with_pip=True)
    except subprocess.CalledProcessError:
        sys.exit("compare: Python cannot make a virtual environment; install python3-venv and run "
                 "this again")


def _site(folder):
    return next(iter((folder / "lib").glob("python3*/site-packages")), None)


def _build(folder, flags):
    site = _site(folder)
    if site is not None and (site / "llama_cpp").exists():
        return site
    print(f"building {PACKAGE} in {folder} (some minutes, once)", file=sys.stderr, flush=True)
    _make_venv(folder)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-cache-dir",
                    "--no-binary", "llama-cpp-python", PACKAGE],
                   check=True, env={**os.environ, "CMAKE_ARGS": flags})
    return _site(folder)


def _compile(folder, site, source):
    """One of our small programs over the peer's C interface."""
    libraries = site / "llama_cpp" / "lib"
    include = next(path.parent for path in site.rglob("llama.h"))
    program = folder / source.stem
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["g++", "-std=c++17", "-O2", f"-I{include}", source, "-o", program,
                        f"-L{libraries}", "-lllama", "-lggml", "-lggml-base", "-lggml-cpu",
                        f"-Wl,-rpath,{libraries}"], check=True)
    return program


class Peer:
    """A build of the peer, and our programs over it."""

    def __init__(self, folder, kernels, openmp, sources):
        name = instruction_set(kernels)
        flags = _SETS[name]
        if name == "native" and "amx_tile" in machine.flags():
            flags = _NO_AMX
        self.name = "OpenMP" if openmp else "its own threads"
        folder = folder / (name + ("-openmp" if openmp else ""))
        site = _build(folder, f"{flags} -DGGML_OPENMP={'ON' if openmp else 'OFF'}")
        self.bench = _compile(folder, site, sources / "peer_bench.cpp")
        self.tokenize = _compile(folder, site, sources / "peer_tokenize.cpp")


def tools_python(folder):
    """A Python that has the tools."""
    folder = folder / "tools"
    python = folder / "bin" / "python"
    if _site(folder) is None or not (_site(folder) / "gguf").exists():
        _make_venv(folder)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *TOOLS], check=True)
    return python
