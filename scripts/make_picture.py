#!/usr/bin/env python3
"""Draws a real run of lore as people see it on a terminal: docs/picture.svg, for the README.

  make_picture.py LORE [OUT.svg]

Indexes a copy of the example documents and asks about them, on a terminal of its own; needs the
models minilm and qwen-1.5b.
"""

import html
import os
import pathlib
import pty
import re
import shutil
import sys
import tempfile
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 96
COMMANDS = (
    ["lore", "index"],
    ["lore", "ask", "What does alarm A12 on the pump mean and what has to be done?"],
    ["lore", "ask", "How often should the brake fluid of the delivery van be changed?"],
)
NEAREST = re.compile(r"^2\. ")  # what is shown of the passages next to a question without an answer
STYLES = {"1": "font-weight:700", "2": "fill:#8b949e", "32": "fill:#7ee787", "33": "fill:#e3b341",
          "31": "fill:#ff7b72"}
CHARACTER, LINE, MARGIN, SIZE = 8.4, 20, 18, 14  # pixels


def run(lore, arguments, folder, models):
    """What the command writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LORE_HOME": str(models),
                       "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "LORE_NO_PROGRESS": "1"}
        os.execve(lore, arguments, environment)
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the command has ended
            break
        if not part:
            break
        written += part
    os.waitpid(child, 0)
    return written.decode()


def pieces(text):
    """(style, characters) of a line with escapes; links are left out."""
    text = re.sub(r"\x1b\].*?\x1b\\", "", text)
    style = ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        if part.startswith("\x1b["):
            style = STYLES.get(part[2:-1], "")
        elif part:
            yield style, part


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def folded(line):
    """A terminal's lines of one line."""
    rows, row, used = [], [], 0
    for style, text in pieces(line):
        for c in text:
            if used + width(c) > COLUMNS:
                rows.append(row)
                row, used = [], 0
            row.append((style, c))
            used += width(c)
    return rows + [row]


def drawn(row, top):
    spans, at = [], 0
    while at < len(row):
        end = at
        while end < len(row) and row[end][0] == row[at][0]:
            end += 1
        text = html.escape("".join(c for _, c in row[at:end]))
        style = f' style="{row[at][0]}"' if row[at][0] else ""
        spans.append(f"<tspan{style}>{text}</tspan>")
        at = end
    return f'<text x="{MARGIN}" y="{top}" xml:space="preserve">{"".join(spans)}</text>'


def main():
    lore = str(pathlib.Path(sys.argv[1]).resolve())
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "picture.svg"
    models = os.environ.get("LORE_HOME") or pathlib.Path.home() / ".local/share/lore"
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "documents"
        shutil.copytree(ROOT / "examples" / "documents", folder, ignore=shutil.ignore_patterns(".lore"))
        for command in COMMANDS:
            words = " ".join(f'"{word}"' if " " in word else word for word in command)
            rows += folded(f"\x1b[32m$\x1b[0m \x1b[1m{words}\x1b[0m")
            for line in run(lore, command, folder, models).replace("\r\n", "\n").rstrip("\n").split("\n"):
                if NEAREST.match(re.sub(r"\x1b\[[0-9;]*m", "", line)) and command is COMMANDS[-1]:
                    rows += folded("\x1b[2m…\x1b[0m")
                    break
                rows += folded(line)
            rows.append([])
    rows.pop()
    high = MARGIN * 2 + LINE * len(rows)
    wide = round(MARGIN * 2 + CHARACTER * COLUMNS)
    body = "\n".join(drawn(row, MARGIN + LINE * i + SIZE) for i, row in enumerate(rows) if row)
    out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"\n'
        f'     font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{SIZE}">\n'
        f"<title>lore indexes a folder and answers two questions</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        f'<g fill="#e6edf3">\n{body}\n</g>\n</svg>\n', encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
