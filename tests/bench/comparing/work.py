"""Operations and bytes of a decoder's token, from the tensor table of its GGUF file."""

import struct

_FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
# (values, bytes) of a block by type number.
_BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
           10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
           30: (1, 2)}


class _Reader:
    def __init__(self, file):
        self.file = file

    def number(self, code):
        return struct.unpack("<" + code, self.file.read(struct.calcsize("<" + code)))[0]

    def text(self):
        return self.file.read(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind):
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, count = self.number("I"), self.number("Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(_FIXED[kind])


class Work:
    """`operations_per_token`: of the products of a prompt token, a multiplication and an addition
    counted apart, without the output layer (which only the last token meets) and attention.
    `bytes_per_token`: of the weights that a generated token reads. `cache_bytes_per_token`: keys and
    values of one position in half precision."""

    def __init__(self, path):
        with open(path, "rb") as file:
            reader = _Reader(file)
            if file.read(4) != b"GGUF":
                raise ValueError(f"{path} is no GGUF file")
            reader.number("I")
            tensors, keys = reader.number("Q"), reader.number("Q")
            values = {}
            for _ in range(keys):
                name = reader.text()
                values[name] = reader.value(reader.number("I"))
            table = {}
            for _ in range(tensors):
                name = reader.text()
                shape = [reader.number("Q") for _ in range(reader.number("I"))]
                table[name] = (shape, reader.number("I"))
                reader.number("Q")
        self._sum(table)
        self._cache(values)

    def _sum(self, table):
        tied = "output.weight" not in table
        output = "token_embd.weight" if tied else "output.weight"
        self.operations_per_token = self.bytes_per_token = 0
        for name, (shape, kind) in table.items():
            if len(shape) != 2 or (name == "token_embd.weight" and not tied):
                continue
            if name in ("position_embd.weight", "token_types.weight"):
                continue
            count = shape[0] * shape[1]
            values, size = _BLOCKS[kind]
            self.bytes_per_token += count // values * size
            if name != output:
                self.operations_per_token += 2 * count

    def _cache(self, values):
        family = values["general.architecture"]
        heads = values.get(f"{family}.attention.head_count", 1)
        kv_heads = values.get(f"{family}.attention.head_count_kv", heads)
        width = values.get(f"{family}.attention.key_length",
                           values[f"{family}.embedding_length"] // heads)
        self.cache_bytes_per_token = 2 * 2 * values[f"{family}.block_count"] * kv_heads * width
