#!/usr/bin/env python3
"""Makes docs/performance.md and its charts from what compare printed on each machine.

  tests/bench/compare --all --json > docs/performance/NAME.json     on a machine
  tests/bench/performance_page.py                                    anywhere

The text between the tables is docs/performance/notes.md.
"""

import html
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from comparing.report import number  # noqa: E402

ROOT = HERE.parent.parent
FOLDER = ROOT / "docs" / "performance"
WIDTH, LABEL, BAR, ROW = 860, 430, 300, 24
COLOURS = {"goal": "#2e7d32", "floor": "#b07d00", "below floor": "#b3261e", None: "#5f6b7a"}


def judged(row):
    return row["limit_share"] if row["judged_by"] == "limit_share" else row["ratio"]


def is_less_better(row):
    return row["floor"] is not None and row["goal"] < row["floor"]


def table(result):
    lines = ["| workload | lore | peer | unit | ratio | of the limit | floor / goal | reached |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in result["rows"]:
        if row["skipped"]:
            lines.append(f"| {row['workload']} | | | | | | | skipped: {row['skipped']} |")
            continue
        share = "–" if row["limit_share"] is None else f"{100 * row['limit_share']:.0f} %"
        goals = "–" if row["floor"] is None else f"{number(row['floor'])} / {number(row['goal'])}"
        lines.append(f"| {row['workload']} | {number(row['lore'])} | {number(row['peer'])} | "
                     f"{row['unit']} | {number(row['ratio'])} | {share} | {goals} | "
                     f"{row['verdict'] or '–'} |")
    return lines


def chart(result):
    """Bars of what each row reaches, as a share of its goal; a line at the goal, a tick at the floor."""
    rows = [row for row in result["rows"] if not row["skipped"] and row["goal"] is not None]
    height = 60 + ROW * len(rows)
    most = 1.6  # of the goal; longer bars end there with their figure
    x = lambda share: LABEL + BAR * min(share, most) / most  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             f'<text x="12" y="22" font-size="14" fill="#1c1c1c">'
             f'{html.escape(result["machine"]["processor"])}, kernels '
             f'{result["machine"]["kernels"]}: reached, as a share of the goal</text>']
    for index, row in enumerate(rows):
        y = 40 + ROW * index
        inverse = is_less_better(row)
        share = row["goal"] / judged(row) if inverse else judged(row) / row["goal"]
        floor = row["goal"] / row["floor"] if inverse else row["floor"] / row["goal"]
        parts += [f'<text x="{LABEL - 8}" y="{y + 14}" text-anchor="end" fill="#1c1c1c">'
                  f'{html.escape(row["workload"][:68])}</text>',
                  f'<rect x="{LABEL}" y="{y + 3}" width="{x(share) - LABEL:.1f}" height="14" '
                  f'fill="{COLOURS[row["verdict"]]}"/>',
                  f'<line x1="{x(floor):.1f}" x2="{x(floor):.1f}" y1="{y + 1}" y2="{y + 19}" '
                  'stroke="#1c1c1c" stroke-width="2"/>',
                  f'<text x="{x(share) + 6:.1f}" y="{y + 14}" fill="#1c1c1c">'
                  f'{number(judged(row))}</text>']
    bottom = 40 + ROW * len(rows)
    parts += [f'<line x1="{x(1)}" x2="{x(1)}" y1="36" y2="{bottom}" stroke="#1c1c1c" '
              'stroke-dasharray="4 3"/>',
              f'<text x="{x(1)}" y="{bottom + 14}" text-anchor="middle" fill="#1c1c1c">goal</text>',
              "</svg>"]
    return "\n".join(parts) + "\n"


def section(path):
    result = json.loads(path.read_text(encoding="utf-8"))
    here, limits = result["machine"], result["limits"]
    chart_path = path.with_suffix(".svg")
    chart_path.write_text(chart(result), encoding="utf-8")
    return [f"## {here['processor']}, kernels {here['kernels']}", "",
            f"{here['threads']} threads; int8 products {limits['int8_ops'] * 1e-12:.2f} TOPS, "
            f"reading memory {limits['read_bytes'] * 1e-9:.1f} GB/s, measured in the same run; "
            f"peer {here['peer']}; goals of the column {here['column']}. "
            f"{result['repeats']} runs were repeated because others used the machine"
            + ("." if result["quiet"] else ", and it stayed busy: some ratios deserve less trust."),
            "", *table(result), "",
            f"![What each row reaches of its goal](performance/{chart_path.name})", ""]


def main():
    lines = ["# Performance", "",
             "<!-- Made by tests/bench/performance_page.py from docs/performance/*.json and "
             "notes.md. -->", "",
             "What `tests/bench/compare --all` printed on each machine: lore beside the llama.cpp of",
             "llama-cpp-python, same files, same threads, in turns. Ratios are lore / peer; for rows",
             "about memory and a second question they are lore against the file or the first question,",
             "and less is better. A share of the limit is the rate of int8 products or of bytes read, of",
             "what the processor did at most in the same run.", ""]
    for path in sorted(FOLDER.glob("*.json")):
        lines += section(path)
    notes = FOLDER / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").rstrip(), ""]
    (ROOT / "docs" / "performance.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
