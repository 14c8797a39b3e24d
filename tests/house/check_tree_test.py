#!/usr/bin/env python3
"""The checks of check_tree.py, each on a tree that breaks its rule and on one that does not."""

import pathlib
import tempfile
import unittest

import check_tree


def problems_of(**files):
    """What check_tree says of a tree with these files ('__' stands for '/')."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / (name.replace("__", "/") + (".hpp" if name.endswith("_h") else ".cpp"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(check_tree.check(root))


class CheckTree(unittest.TestCase):
    def assert_found(self, word, **files):
        found = problems_of(**files)
        self.assertTrue(any(word in problem for problem in found), found)

    def test_a_sound_file_passes(self):
        self.assertEqual(problems_of(engine__a="int f() {\n  return 1;\n}\n"), [])

    def test_long_files(self):
        self.assert_found("501 lines", engine__a="\n" * 501)
        self.assertEqual(problems_of(tests__a="\n" * 501), [])
        self.assert_found("701 lines", tests__a="\n" * 701)

    def test_long_functions(self):
        body = "int f(int a) {\n" + "  a += 1;\n" * 80 + "  return a;\n}\n"
        self.assert_found("a function of 83 lines", engine__a=body)
        self.assert_found("a function of 83 lines", engine__a=f"namespace x {{\n{body}}}\n")
        self.assertEqual(problems_of(engine__backend__cpu__kernels__a=body), [])
        constructor = "A::A(int a)\n    : a_(a) {\n" + "  g();\n" * 90 + "}\n"
        self.assert_found("a function of 92 lines", engine__a=constructor)

    def test_edges_between_modules(self):
        self.assert_found("ingest may not", ingest__a='#include "engine/b_h.hpp"\n',
                          engine__b_h="")
        self.assert_found("cli may not", cli__a='#include "engine/engine_h.hpp"\n',
                          engine__engine_h="")
        self.assert_found("stands above", engine__gguf__a='#include "engine/model/b_h.hpp"\n',
                          engine__model__b_h="")
        self.assertEqual(problems_of(engine__model__a='#include "engine/gguf/b_h.hpp"\n',
                                     engine__gguf__b_h=""), [])

    def test_third_party_headers_have_a_home(self):
        self.assert_found("whose place is", engine__a="#include <sqlite3.h>\n")
        self.assertEqual(problems_of(index__store__a="#include <sqlite3.h>\n"), [])

    def test_manners(self):
        self.assert_found("prints", src__a='void f() { std::cout << 1; }\n')
        self.assert_found("exits", engine__a="void f() { std::exit(1); }\n")
        self.assert_found("reads the environment", index__a='auto f() { return getenv("A"); }\n')
        self.assert_found("naked new", cli__a="auto f() { return new int; }\n")
        self.assertEqual(problems_of(cli__a="void f() { std::cout << 1; }  // new file\n"), [])

    def test_instruction_set_units(self):
        path = "engine__backend__cpu__kernels__avx2__a"
        self.assert_found("instruction-set unit", **{path: "#include <vector>\n"})
        self.assertEqual(problems_of(**{path: "#include <immintrin.h>\n"}), [])


if __name__ == "__main__":
    unittest.main()
