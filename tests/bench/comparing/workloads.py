"""What is compared, and the goals of each row.

Goals are (floor, goal) by the kind of machine: "amx", "avx512" (with VNNI, without AMX) and "avx2"
(that table forced, beside a peer built for it). A row judges one figure: "ratio" (lore / peer),
"limit_share" (of the machine's limit), or "self" (lore against lore, or memory against the file).
For "self" of times and memory less is better.
"""

from dataclasses import dataclass, field


@dataclass
class Row:
    name: str
    measure: str  # a method of measuring.Measuring
    model: str = ""
    goals: dict = field(default_factory=dict)
    judges: str = "ratio"
    judges_on: dict = field(default_factory=dict)  # another figure, by column
    options: dict = field(default_factory=dict)
    less_is_better: bool = False
    quick: bool = False

    def figure(self, column):
        return self.judges_on.get(column, self.judges)


def _goals(amx, avx512, avx2):
    return {"amx": amx, "avx512": avx512, "avx2": avx2}


def _same(floor, goal):
    return _goals((floor, goal), (floor, goal), (floor, goal))


def rows():
    bandwidth = {"judges": "limit_share"}
    int8_share = {"judges_on": {"avx512": "limit_share"}}
    own = {"judges": "self"}
    smaller = {**own, "less_is_better": True}
    return [
        Row("MiniLM Q8_0, 128 chunks of 256 tokens", "embed", "minilm-q8_0",
            _goals((3, 6), (2, 3), (1.5, 2.5)), quick=True),
        Row("MiniLM F16, the same", "embed", "minilm",
            _goals((2.5, 5), (1.4, 1.8), (1.2, 1.6))),
        Row("bge-base shape Q8_0, the same", "embed", "bge-base-q8_0",
            _goals((3, 5), (2, 3), (1.5, 2.5))),
        Row("MiniLM Q8_0, mixed lengths: rate per token against equal lengths", "mixed",
            "minilm-q8_0", _same(0.9, 0.95), **own),
        Row("1.5B Q4_K_M, prefill 512", "prefill", "qwen-1.5b",
            _goals((2, 4), (0.60, 0.75), (1.2, 1.6)), options={"tokens": 512}, **int8_share,
            quick=True),
        Row("1.5B Q8_0, prefill 512", "prefill", "qwen-1.5b-q8_0",
            _goals((2, 4), (0.55, 0.75), (1.2, 1.6)), options={"tokens": 512}, **int8_share),
        Row("1.5B Q4_0, prefill 512", "prefill", "qwen-1.5b-q4_0",
            _goals((2, 4), (0.62, 0.78), (1.2, 1.6)), options={"tokens": 512}, **int8_share),
        Row("1.5B Q4_K_M, prefill 4096", "prefill", "qwen-1.5b",
            _goals((2.5, 5), (1.2, 1.5), (1.2, 1.5)), options={"tokens": 4096}),
        Row("1.5B Q4_K_M, decode", "decode", "qwen-1.5b",
            _goals((0.75, 0.85), (0.75, 0.85), (0.70, 0.80)),
            options={"depth": 16, "tokens": 64}, **bandwidth, quick=True),
        Row("1.5B Q4_K_M, decode at depth 4096", "decode", "qwen-1.5b",
            _goals((2, 3), (1.15, 1.4), (1.15, 1.4)), options={"depth": 4096, "tokens": 32}),
        Row("SmolLM2-135M Q4_1, prefill 512", "prefill", "smollm2",
            _goals((3, 6), (2, 4), (1.5, 3)), options={"tokens": 512}),
        Row("SmolLM2-135M Q4_1, decode", "decode", "smollm2",
            _goals((1.3, 2), (1.2, 1.6), (1.1, 1.4)), options={"depth": 16, "tokens": 128}),
        Row("1.5B Q4_K_M, 16 questions on one prompt of 512 tokens", "batch", "qwen-1.5b",
            _goals((3, 6), (1.6, 2.1), (1.2, 1.5)),
            options={"depth": 512, "tokens": 32, "sequences": 16}),
        Row("1.5B Q4_K_M, second question on 2,048 tokens: time to its first token", "reuse",
            "qwen-1.5b", _same(0.03, 0.02), **smaller),
        Row("1.5B Q4_K_M, peak memory over the file's size", "memory", "qwen-1.5b",
            _same(1.35, 1.2), **smaller),
        Row("MiniLM F16, process start to the vector of a text", "vector", "minilm", _same(1, 2),
            quick=True),
        Row("1.5B Q4_K_M, process start to the first token", "token", "qwen-1.5b", _same(1, 1.5)),
        Row("tokenizing 10 MB, WordPiece (MiniLM)", "tokenize", "minilm", _same(2, 4)),
        Row("tokenizing 10 MB, byte-level BPE (Qwen)", "tokenize", "qwen-0.5b", _same(2, 4)),
        Row("tokenizing 10 MB, byte-level BPE (SmolLM2)", "tokenize", "smollm2", _same(2, 4)),
        # The peer takes more than seven minutes for 10 MB.
        Row("tokenizing 1 MB, SentencePiece (Gemma)", "tokenize", "gemma-270m", _same(2, 4),
            options={"bytes": 1_000_000}),
        Row("exact top-10 of 1,000,000 x 384, one query, one thread", "vectors", "",
            _goals((8, 15), (8, 11), (5, 8))),
        # Beyond the goals: what else people run.
        Row("0.5B Q4_K_M, prefill 512", "prefill", "qwen-0.5b", options={"tokens": 512}),
        Row("0.5B Q4_K_M, decode", "decode", "qwen-0.5b", options={"depth": 16, "tokens": 64}),
        Row("Gemma 270M Q4_K_M, prefill 512", "prefill", "gemma-270m", options={"tokens": 512}),
        Row("Gemma 270M Q4_K_M, decode", "decode", "gemma-270m",
            options={"depth": 16, "tokens": 64}),
    ]
