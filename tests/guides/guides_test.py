#!/usr/bin/env python3
"""Runs every command that the README and the guides show in blocks of `sh`, in a home of its own
whose ~/Documents are the example documents.

  guides_test.py LORE      exit code 77: what it needs is not on this machine
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Codes that a command may end with and be right: 0 done, 3 not in the documents, 4 some files failed,
# 130 stopped, as a server is here.
FINE = (0, 3, 4, 130)
SERVER_SECONDS = 4


def blocks(path):
    return re.findall(r"^```sh\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)


def commands(block, models):
    """The lines that can be run here: builds and their scripts run this test."""
    for line in block.splitlines():
        if not line.strip() or line.startswith(("./scripts/", "cmake ")):
            continue
        missing = [name for name in re.findall(r"\b(?:qwen-1.5b|smollm2)\b", line)
                   if not (models / "models" / f"{name}.gguf").exists()]
        if missing:
            print(f"left out, because {missing[0]} is not on this machine: {line}")
        elif line.startswith("lore serve"):
            yield f"timeout --preserve-status -s INT {SERVER_SECONDS} {line}"
        else:
            yield line


def make_what_the_readme_supposes(home, models):
    documents = home / "Documents"
    (documents / "questions.csv").write_text("question\nWhat does alarm A12 mean?\n")
    (home / "texts.jsonl").write_text('{"text": "a sentence"}\n')
    (documents / "texts.jsonl").symlink_to(home / "texts.jsonl")
    (home / "models").mkdir()
    (home / "models" / "e5-small.gguf").symlink_to(models / "models" / "minilm.gguf")


def main():
    lore = pathlib.Path(sys.argv[1]).resolve()
    models = pathlib.Path(os.environ.get("LORE_HOME") or pathlib.Path.home() / ".local/share/lore")
    if not (models / "models" / "minilm.gguf").exists():
        print("model not on this machine: run scripts/get-models.sh minilm")
        sys.exit(77)
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        home = pathlib.Path(temporary)
        shutil.copytree(ROOT / "examples" / "documents", home / "Documents",
                        ignore=shutil.ignore_patterns(".lore"))
        environment = {"HOME": str(home), "PATH": f"{lore.parent}:/usr/bin:/bin",
                       "LORE_HOME": str(models), "LANG": "C.UTF-8"}
        make_what_the_readme_supposes(home, models)
        guides = sorted((ROOT / "docs" / "guides").glob("*.md"), key=lambda g: g.name != "index.md")
        guides.insert(0, ROOT / "README.md")
        for guide in guides:
            for block in blocks(guide):
                # One shell a block; each line is judged by itself.
                script = "".join(
                    f"{line}\ncode=$?\ncase $code in {'|'.join(map(str, FINE))}) ;; "
                    f"*) echo {shlex.quote(line)}: code $code >&2; exit 1 ;; esac\n"
                    for line in commands(block, models))
                # The README begins in the documents and stays there.
                folder = home / "Documents" if guide.name == "README.md" else home
                done = subprocess.run(["sh", "-c", script], cwd=folder, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=300)
                if done.returncode != 0:
                    failures.append(f"{guide.name}: {done.stderr.strip()[-600:]}")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
