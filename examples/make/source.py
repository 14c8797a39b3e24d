"""Reads the sources of the example documents: plain text with a little markup.

    @title …  @author …  @header …      properties, one a line, before the text
    @producer pdftex|libreoffice|cairo|reportlab|scan
    @roman N      the first N pages have roman page labels
    @columns 2    two columns
    @encrypt      with an empty user password
    @page         a new page starts
    @field A | B  a form's field with its value
    # …  ## …     headings
    - …  1. …     list items, one a line
    | a | b |     table rows, the first of them the head
    anything else a paragraph a line
"""
import dataclasses
import re


@dataclasses.dataclass
class Block:
    kind: str  # heading, paragraph, bullet, number, table, field, page
    text: str = ""
    level: int = 0
    rows: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Source:
    properties: dict
    blocks: list

    def get(self, name, default=""):
        return self.properties.get(name, default)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read(path):
    properties, blocks = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        if line == "@page":
            blocks.append(Block("page"))
        elif line.startswith("@field "):
            blocks.append(Block("field", rows=[cells(line[len("@field "):])]))
        elif line.startswith("@"):
            name, _, value = line[1:].partition(" ")
            properties[name] = value or "yes"
        elif line.startswith("#"):
            marks, _, text = line.partition(" ")
            blocks.append(Block("heading", text, len(marks)))
        elif line.startswith("- "):
            blocks.append(Block("bullet", line[2:]))
        elif re.match(r"\d+\. ", line):
            blocks.append(Block("number", line))
        elif line.startswith("|"):
            if not blocks or blocks[-1].kind != "table":
                blocks.append(Block("table"))
            blocks[-1].rows.append(cells(line))
        else:
            blocks.append(Block("paragraph", line))
    return Source(properties, blocks)


def column_shares(rows, least=0.1):
    """The share of the width that each column of a table gets, by its longest cell and word."""
    def need(column):
        texts = [row[column] for row in rows]
        longest_word = max(len(word) for text in texts for word in text.split() or [""])
        longest = max(len(text) for text in texts)
        return max(longest_word + 2, min(longest, 40) + 2)
    needs = [need(i) for i in range(len(rows[0]))]
    shares = [max(n / sum(needs), least) for n in needs]
    return [share / sum(shares) for share in shares]
