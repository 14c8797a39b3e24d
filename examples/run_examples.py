#!/usr/bin/env python3
"""Runs the example programs on the example documents: run_examples.py PROGRAMS DOCUMENTS."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    print(" ".join(map(str, command)), result.stdout, result.stderr, sep="\n")
    return result


def main():
    programs, documents = map(pathlib.Path, sys.argv[1:])
    home = os.environ.get("LORE_HOME") or os.path.join(
        os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "lore")
    models = pathlib.Path(home) / "models"
    if not (models / "minilm.gguf").exists():
        print("model not on this machine: run scripts/get-models.sh minilm")
        sys.exit(SKIPPED)

    similar = run(programs / "similar_texts", models, "The pump has no water.",
                  "The meeting starts at ten.", "The pump is running dry.")
    assert similar.returncode == 0
    assert similar.stdout.splitlines()[0].endswith("The pump is running dry."), similar.stdout

    with tempfile.TemporaryDirectory() as folder:
        copied = pathlib.Path(folder) / "documents"
        copied.mkdir()
        for path in sorted(documents.glob("*.pdf"))[:2] + sorted(documents.glob("*.md")):
            shutil.copy(path, copied)
        for expected in ("0 unchanged", "0 documents read"):  # the second run finds all done
            answer = run(programs / "ask_a_folder", models, copied, "What does the alarm mean?")
            assert answer.returncode in (0, 3), answer.returncode
            assert expected in answer.stdout, answer.stdout
    assert run(programs / "ask_a_folder").returncode == 2


if __name__ == "__main__":
    main()
