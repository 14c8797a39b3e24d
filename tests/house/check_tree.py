#!/usr/bin/env python3
"""Checks the tree against the rules of docs/architecture.md.

  sizes    files of at most 500 lines (tests 700), functions of at most 80 (kernels 120)
  edges    who may include whom; third-party headers in the one folder that wraps them
  manners  the library neither prints, exits, aborts nor reads the environment; no naked new or
           delete, no `using namespace`
  units    instruction-set units include intrinsics, fixed-width types and block layouts only
"""

import pathlib
import re
import sys

FILE_LINES, TEST_FILE_LINES = 500, 700
FUNCTION_LINES, KERNEL_FUNCTION_LINES = 80, 120
LIBRARY = ("engine/", "ingest/", "index/", "src/")

# What stands where may include what. A path is matched by its longest prefix; itself is allowed.
MAY_INCLUDE = {
    "src/include/lore": [],
    "src/base": ["src/include/lore"],
    "src/capi": ["src/include"],
    "src/pipeline": ["src/base", "src/include/lore", "engine/engine.hpp", "ingest/ingest.hpp",
                     "index/index.hpp"],
    "engine": ["src/base", "src/include/lore"],
    "ingest": ["src/base", "src/include/lore"],
    "index": ["src/base", "src/include/lore"],
    "cli": ["src/include/lore", "src/base"],
    "examples": ["src/include/lore"],
}
# Inside the engine: a folder may not include those that stand above it.
FLOOR = ("model", "graph", "backend", "cache", "sample", "convert", "tokenizer")
ABOVE = {
    "engine/gguf": FLOOR, "engine/quant": FLOOR, "engine/tensor": FLOOR,
    "engine/tokenizer": ("model", "graph", "backend", "cache", "sample", "convert"),
    "engine/backend/cpu/kernels": ("model", "graph", "tokenizer", "cache", "sample", "convert"),
    "engine/backend": ("model", "tokenizer", "sample", "convert"),
    "engine/cache": ("model", "tokenizer", "sample", "convert"),
    "engine/graph": ("model", "tokenizer", "sample", "convert", "backend"),
    "engine/model": ("tokenizer", "cache", "sample", "convert"),
    "engine/sample": ("model", "graph", "backend", "cache", "convert", "tokenizer"),
    "engine/convert": ("model", "graph", "backend", "cache", "sample", "tokenizer"),
}
THIRD_PARTY = {
    r"podofo/": "ingest/pdf/", r"sqlite3\.h": "index/store/", r"faiss/": "index/vectors/",
    r"CLI/": "cli/", r"ft2build\.h|freetype/": "ingest/pdf/", r"gumbo\.h": "ingest/text/",
    r"cmark": "ingest/text/", r"openssl/": "src/base/ ingest/pdf/", r"httplib\.h": "cli/serve/",
    r"histedit\.h": "cli/chat/",
}
MANNERS = {
    "prints": r"\b(?:std::)?(?:printf|puts|perror)\s*\(|\bstd::(?:cout|cerr|clog)\b"
              r"|\bfprintf\s*\(\s*std(?:out|err)\b",
    "aborts": r"\b(?:std::)?(?:abort|terminate)\s*\(",
    "exits": r"(?<![\w.>])(?:std::)?(?:exit|quick_exit)\s*\(",
    "reads the environment": r"\b(?:std::|secure_)?getenv\s*\(",
}
EVERYWHERE = {
    "naked new": r"(?<![\w:])new\s+[A-Za-z_:(]",
    "naked delete": r"(?<!=\s)(?<!operator\s)\bdelete\b\s*(?:\[\s*\])?\s*[\w*(]",
    "using namespace": r"\busing\s+namespace\b",
}
UNIT_PATH = re.compile(r"(?:^|/)(?:kernels|simd)/.*(?:avx2|avxvnni|avx512|amx|sse41|neon)")
UNIT_HEADER = re.compile(r"cstdint|cstddef|stdint\.h|stddef\.h|\w*intrin\.h|arm_neon\.h")
UNIT_OWN = re.compile(r"kernels/|base/simd/|quant/blocks\.hpp|tensor/dtype\.hpp")

TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|R\"\((?s:.*?)\)\"|\"(?:\\.|[^\"\\\n])*\""
                   r"|'(?:\\.|[^'\\\n])'", re.S)
INCLUDE = re.compile(r"^\s*#\s*include\s+([<\"])([^>\"]+)[>\"]", re.M)


def blank(match):
    """Takes a comment or literal out of the code and leaves its lines."""
    return '""' + "\n" * match.group().count("\n")


def sources(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix in (".cpp", ".hpp", ".h") and relative.parts[0] not in ("build", ".cache"):
            yield relative.as_posix(), path.read_text(encoding="utf-8")


def longest_prefix(path, table):
    fits = [prefix for prefix in table if path == prefix or path.startswith(prefix + "/")]
    return max(fits, key=len, default=None)


def resolve(name, files):
    for candidate in (name, "src/" + name, "src/include/" + name):
        if candidate in files:
            return candidate
    return None


def functions(code):
    """(first line, last line) of each outermost function body, by its braces.

    A brace belongs to a function when a parenthesis closes before it (and what stands between is
    only qualifiers or a member list); scopes of namespaces and classes are walked into.
    """
    depth_of_function, depth, start = None, 0, 0
    head = ""
    for number, line in enumerate(code.split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line:
            if char == "{":
                if depth_of_function is None and re.search(r"\)[^;{}]*$", head) \
                        and not re.search(r"\b(?:class|struct|enum|namespace)\b[^()]*$", head):
                    depth_of_function, start = depth, number
                depth += 1
                head = ""
            elif char == "}":
                depth -= 1
                head = ""
                if depth_of_function == depth:
                    yield start, number
                    depth_of_function = None
            elif char == ";":
                head = ""
            else:
                head += char
        head += " "


def check_sizes(path, text, code):
    if path.endswith("_data.cpp"):
        return
    lines = text.count("\n")
    cap = TEST_FILE_LINES if path.startswith("tests/") else FILE_LINES
    if lines > cap:
        yield f"{path}: {lines} lines, at most {cap}"
    cap = KERNEL_FUNCTION_LINES if "/kernels/" in path else FUNCTION_LINES
    for first, last in functions(code):
        if last - first + 1 > cap:
            yield f"{path}:{first}: a function of {last - first + 1} lines, at most {cap}"


def check_edges(path, text, files):
    here = longest_prefix(path, MAY_INCLUDE)
    for match in INCLUDE.finditer(text):
        name = match[2]
        for pattern, homes in THIRD_PARTY.items():
            if match[1] == "<" and re.match(pattern, name) and not path.startswith("tests/") \
                    and not path.startswith(tuple(homes.split())):
                yield f"{path}: includes <{name}>, whose place is {homes}"
        target = resolve(name, files)
        if match[1] == '"' and target is None:
            yield f"{path}: includes \"{name}\", which is not root-relative"
        if target is None or here is None:
            continue
        allowed = MAY_INCLUDE[here] + [here]
        if not any(target == a or target.startswith(a + "/") for a in allowed):
            yield f"{path}: includes {target}, which {here} may not"
        inner = longest_prefix(path, ABOVE)
        folder = target.split("/")[1] if target.startswith("engine/") else ""
        if inner and folder in ABOVE[inner] and not target.startswith(inner + "/"):
            yield f"{path}: includes {target}, which stands above {inner}"


def check_manners(path, code):
    rules = dict(EVERYWHERE)
    if path.startswith(LIBRARY):
        rules.update(MANNERS)
    for name, pattern in rules.items():
        for match in re.finditer(pattern, code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {name}"


def check_unit(path, text):
    if not UNIT_PATH.search(path) or path.startswith("tests/"):
        return
    for match in INCLUDE.finditer(text):
        fits = UNIT_HEADER.fullmatch(match[2]) if match[1] == "<" else UNIT_OWN.search(match[2])
        if not fits:
            yield f"{path}: an instruction-set unit includes {match[2]}"


def check(root):
    files = dict(sources(root))
    for path, text in files.items():
        code = TOKEN.sub(blank, text)
        yield from check_sizes(path, text, code)
        yield from check_edges(path, text, files)
        yield from check_manners(path, code)
        yield from check_unit(path, text)


def main():
    problems = list(check(pathlib.Path(sys.argv[1])))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
