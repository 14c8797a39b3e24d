#!/usr/bin/env python3
"""Installs lore into a folder and uses it from there: the command, its manual pages and completions,
a program that is built with find_package(lore), and the C interface from Python.

  install_test.py BUILD    exit code 77: what it needs is not on this machine
"""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command}: code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def main():
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        lore = prefix / "bin" / "lore"
        assert run(lore, "--version").startswith("lore ")
        for name in ("lore", "lore-ask", "lore-serve", "lore-model-bench"):
            page = gzip.open(prefix / "share/man/man1" / f"{name}.1.gz", "rt").read()
            assert page.startswith(".TH") and ".SH DESCRIPTION" in page, name
        for file in ("bash-completion/completions/lore", "zsh/vendor-completions/_lore",
                     "fish/vendor_completions.d/lore.fish"):
            assert "serve" in (prefix / "share" / file).read_text(), file
        fetcher = prefix / "bin" / "lore-get-models"
        assert "minilm" in run(fetcher, "--help")
        done = subprocess.run([lore, "embed", "x", "-m", "none"], capture_output=True, text=True)
        assert f"get it with: {prefix}/share/lore/get-models.sh none" in done.stderr, done.stderr
        on_path = os.environ | {"PATH": f"{prefix}/bin:{os.environ['PATH']}"}
        done = subprocess.run([lore, "embed", "x", "-m", "none"], capture_output=True, text=True, env=on_path)
        assert "get it with: lore-get-models none" in done.stderr, done.stderr
        library = next(prefix.rglob("liblore.so"))
        assert next(prefix.rglob("lore.h")) and next(prefix.rglob("lore.pc"))

        example = pathlib.Path(folder) / "example"
        run("cmake", "-S", ROOT / "examples" / "installed", "-B", example, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", example)

        home = os.environ.get("LORE_HOME") or pathlib.Path.home() / ".local/share/lore"
        model = pathlib.Path(home) / "models" / "minilm.gguf"
        if not model.exists():
            print("model not on this machine: run scripts/get-models.sh minilm")
            sys.exit(77)
        nearest = run(example / "nearest_text", model, "The pump stops.", "Bread rises.",
                      "The motor halts.", "It rains.")
        assert nearest.strip() == "The motor halts.", nearest
        lines = run(sys.executable, ROOT / "examples" / "python_vectors.py", library, model.parent)
        near, far = (float(line.split()[0]) for line in lines.splitlines())
        assert near > far, lines


if __name__ == "__main__":
    main()
