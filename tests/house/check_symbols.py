#!/usr/bin/env python3
"""Fails where an object compiled for a wider instruction set exports a weak symbol.

Such a symbol (an inline function of a header, a template) may be the copy that the linker keeps for
the whole program, and then baseline code runs instructions that the processor lacks.
"""

import re
import subprocess
import sys

UNIT = re.compile(r"avx2|avxvnni|avx512|amx|sse4|neon")
OBJECT = re.compile(r"^(\S+\.o):$")


def weak_symbols(nm, library):
    """(object, symbol) of each weak definition in the library's instruction-set units."""
    current, units = "", set()
    listing = subprocess.run([nm, "-C", library], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listing.splitlines():
        if match := OBJECT.match(line):
            current = match[1]
            if UNIT.search(current):
                units.add(current)
            continue
        fields = line.split(maxsplit=2)
        if current in units and len(fields) == 3 and fields[1] in "WwVvu":
            found.append((current, fields[2]))
    return units, found


def main():
    nm, *libraries = sys.argv[1:]
    units, weak = set(), []
    for library in libraries:
        more_units, more_weak = weak_symbols(nm, library)
        units |= more_units
        weak += more_weak
    for unit, symbol in weak:
        print(f"{unit}: weak symbol {symbol}")
    print(f"{len(units)} instruction-set units, {len(weak)} weak symbols")
    sys.exit(1 if weak or not units else 0)


if __name__ == "__main__":
    main()
