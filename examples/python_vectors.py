#!/usr/bin/env python3
"""Vectors and answers from Python, through lore's C interface and nothing but ctypes.

  python_vectors.py LIBLORE.so MODELS [INDEX QUESTION]

LIBLORE.so: /usr/lib/…/liblore.so.0, or build/release/src/capi/liblore.so. MODELS: the folder that
scripts/get-models.sh fills. INDEX: the folder .lore beside documents that lore has indexed.
"""

import ctypes
import json
import sys

TEXTS = ["The pump stops at 6 bar.", "Die Pumpe hält bei 6 bar an.", "Bread rises for an hour."]


class Lore:
    """The calls that this example uses; lore.h tells of the others."""

    def __init__(self, path, models):
        self.c = ctypes.CDLL(path)
        for name in ("lore_open", "lore_embedder_open", "lore_index_open"):
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.lore_embedder_dimension.restype = ctypes.c_size_t
        self.c.lore_embed.restype = ctypes.c_int64
        self.c.lore_ask.restype = ctypes.c_void_p
        self.library = self._call(self.c.lore_open, json.dumps({"models": models}).encode())

    def _call(self, function, *arguments):
        error = ctypes.c_char_p()
        result = function(*arguments, ctypes.byref(error))
        if error.value is not None:
            message = error.value.decode()
            self.c.lore_free(error)
            raise RuntimeError(message)
        return result

    def embed(self, texts, **options):
        embedder = ctypes.c_void_p(
            self._call(self.c.lore_embedder_open, ctypes.c_void_p(self.library),
                       json.dumps(options).encode()))
        width = self.c.lore_embedder_dimension(embedder)
        vectors = (ctypes.c_float * (width * len(texts)))()
        array = (ctypes.c_char_p * len(texts))(*[text.encode() for text in texts])
        self._call(self.c.lore_embed, embedder, array, ctypes.c_size_t(len(texts)), vectors)
        self.c.lore_embedder_close(embedder)
        return [vectors[i * width:(i + 1) * width] for i in range(len(texts))]

    def ask(self, index_folder, question, **options):
        index = ctypes.c_void_p(
            self._call(self.c.lore_index_open, ctypes.c_void_p(self.library),
                       index_folder.encode()))
        answer = ctypes.c_void_p(
            self._call(self.c.lore_ask, index, question.encode(), json.dumps(options).encode(),
                       None, None))
        result = json.loads(ctypes.string_at(answer))
        self.c.lore_free(answer)
        self.c.lore_index_close(index)
        return result

    def close(self):
        self.c.lore_close(ctypes.c_void_p(self.library))


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    lore = Lore(sys.argv[1], sys.argv[2])
    first, *others = lore.embed(TEXTS, model="minilm")
    for text, vector in zip(TEXTS[1:], others):
        print(f"{sum(a * b for a, b in zip(first, vector)):.3f}  {TEXTS[0]} | {text}")
    if len(sys.argv) == 5:
        answer = lore.ask(sys.argv[3], sys.argv[4], generate=False)
        print(answer["answer"] or answer["status"])
    lore.close()


if __name__ == "__main__":
    main()
