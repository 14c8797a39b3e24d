#!/usr/bin/env python3
"""Writes a text to time tokenizers on: English and German prose, Chinese, code and numbers.

Real words in their real frequencies matter, for a tokenizer meets frequent words again and again:
the text is made of what a Debian machine holds (manual pages, documentation, headers, Python's
library, tables of time zones and places) and of this repository, in fixed shares, in pieces of some
kilobytes that take turns. No paragraph comes twice. The same machine gives the same text.

  make_text.py OUT [--bytes 10000000] [--prose FOLDER]

--prose names a folder with better English prose (.txt files, or .jsonl files whose objects have a
"text"): it takes the place of the manual pages.
"""

import argparse
import gzip
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
SHARE = pathlib.Path("/usr/share")
SHARES = {"english": 0.62, "german": 0.1, "chinese": 0.06, "code": 0.17, "numbers": 0.05}
PIECE = 4000  # bytes of one kind at a time, and the rest of the paragraph

ROFF_ESCAPE = re.compile(r"\\f[BIRPC]|\\f\([A-Z]{2}|\\&|\\c|\\s[-+]?\d")
ROFF_NAMES = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\(bu": "•", r"\(en": "–", r"\(em": "—",
              r"\e": "\\", r"\ ": " ", r"\(co": "©", r"\(lq": "“", r"\(rq": "”", r"\(:a": "ä"}


def read(path):
    """The file's text, or "" where it is no UTF-8 or cannot be read."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError, gzip.BadGzipFile):
        return ""


def files(folders, pattern):
    found = set()
    for folder in folders:
        found.update(path for path in folder.rglob("*")
                     if re.search(pattern, path.name) and path.is_file())
    return sorted(found)


def manual(text):
    """A manual page as it is read: macros and escapes of roff taken out, paragraphs kept."""
    lines = []
    for line in text.splitlines():
        if re.match(r"[.']\s*(SH|SS|PP|P|TP|IP|LP|Sh|Pp|It|HP)\b", line):
            lines.append("")
        if line.startswith((".", "'")):
            words = re.match(r"[.']\s*(?:SH|SS|B|I|BR|IR|BI|RB|RI|IB)\s+(.*)", line)
            line = words[1] if words else ""
        for name, character in ROFF_NAMES.items():
            line = line.replace(name, character)
        lines.append(ROFF_ESCAPE.sub("", line).replace('"', "") if line else "")
    return "\n".join(lines)


def manuals(language):
    folder = SHARE / "man" / language if language else SHARE / "man"
    names = files([folder] if language else sorted(folder.glob("man[1-8]")), r"\.[1-8]\w*(\.gz)?$")
    return (manual(read(path)) for path in names)


def prose(folder):
    for path in files([folder], r"\.(txt|jsonl)$"):
        if path.suffix == ".txt":
            yield read(path)
        else:
            for line in read(path).splitlines():
                item = json.loads(line)
                text = item.get("text", "")
                yield " ".join(text) if isinstance(text, list) else str(text)


def english(folder):
    yield from (read(path) for path in files([ROOT / "docs", ROOT / "examples"], r"\.(md|txt)$"))
    yield from prose(folder) if folder else ()
    yield from (read(path) for path in files([SHARE / "doc"], r"\.(md|rst|txt)(\.gz)?$|^README"))
    yield from manuals("")


def german(_):
    yield from (read(path) for path in sorted((ROOT / "examples" / "sources").glob("wasch*")))
    yield from manuals("de")


def chinese(_):
    yield from (read(path) for path in sorted((ROOT / "examples" / "sources").glob("jing*")))
    for language in ("zh_CN", "zh_TW"):
        yield from manuals(language)
    for path in files([SHARE], r"^(iso_.*|vim|git|gnupg2|apt|dpkg|glib20|gtk30)\.mo$"):
        if "zh_" in str(path):  # compiled messages: each ends in a zero byte
            data = path.read_bytes().decode(errors="ignore")
            yield "\n".join(m for m in data.split("\0") if re.search(r"[\u4e00-\u9fff]{2}", m))


def code(_):
    pattern = r"\.(cpp|hpp|py|cmake|h|sh)$"
    own = [ROOT / "engine", ROOT / "src", ROOT / "index", ROOT / "ingest", ROOT / "cli"]
    yield from (read(path) for path in files(own, pattern))
    library = sorted(pathlib.Path("/usr/lib").glob("python3*"))
    yield from (read(path) for path in files(library, r"\.py$"))
    yield from (read(path) for path in files([pathlib.Path("/usr/include")], r"\.h(pp)?$"))


def numbers(_):
    zones = files([SHARE / "zoneinfo"], r"^(tzdata\.zi|.*\.tab|.*\.list|leapseconds)$")
    yield from (read(path) for path in zones)
    yield from (read(path) for path in files([SHARE / "perl", SHARE / "unicode"], r"\.(pl|txt)$"))
    yield from (read(path) for path in files([SHARE], r"\.(csv|tsv|afm|cidmap)$"))


def paragraphs(texts, seen):
    """The texts' paragraphs, cut at blank lines, without those that were there before."""
    for text in texts:
        for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
            key = " ".join(paragraph.split())
            if len(key) >= 20 and key not in seen:
                seen.add(key)
                yield paragraph.strip("\n") + "\n\n"
        yield "\n"


def pieces(source, share):
    """Pieces of about PIECE bytes until the share is full."""
    piece, size = [], 0
    for paragraph in source:
        piece.append(paragraph)
        size += len(paragraph.encode())
        if size >= PIECE or size >= share:
            yield "".join(piece).encode()
            share -= size
            piece, size = [], 0
            if share <= 0:
                return
    yield "".join(piece).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--prose", type=pathlib.Path)
    arguments = parser.parse_args()
    seen = set()
    kinds = {"german": german, "chinese": chinese, "numbers": numbers, "code": code,
             "english": english}
    texts = {kind: list(pieces(paragraphs(make(arguments.prose), seen),
                               SHARES[kind] * arguments.bytes)) for kind, make in kinds.items()}
    # The kinds take turns, each spread evenly over the whole.
    order = sorted((place / len(found), kind, place) for kind, found in texts.items()
                   for place in range(len(found)))
    text = b"".join(texts[kind][place] for _, kind, place in order)
    while len(text) > arguments.bytes or (text and text[-1] >= 0x80):
        text = text[:min(len(text) - 1, arguments.bytes)]  # ends at a character
    arguments.out.write_bytes(text)
    sizes = ", ".join(f"{kind} {sum(map(len, found))}" for kind, found in texts.items())
    print(f"{arguments.out}: {len(text)} bytes ({sizes})")
    if len(text) < 0.9 * arguments.bytes:
        sys.exit("make_text: this machine holds less text than asked for; name a folder with --prose")


if __name__ == "__main__":
    main()
