"""Runs a row: lore and the peer in turns, and the limits of the machine beside them."""

import statistics

TEXT = "How long does the pump run dry before it stops, and what has to be done then?"


class Skipped(Exception):
    """Why a row cannot be measured here."""


class Figures:
    """Rates (more is better), or seconds for what ends with an answer."""

    def __init__(self, lore, peer, unit, ratio, limit_share=None, own=None, note=""):
        self.lore, self.peer, self.unit, self.ratio = lore, peer, unit, ratio
        self.limit_share, self.own, self.note = limit_share, own, note


class Measuring:
    def __init__(self, settings, guard, peers, limits):
        self.settings, self.guard, self.peers, self.limits = settings, guard, peers, limits
        self._best_peer = {}

    # ---- the two sides ----

    def engine(self, row, mode, *flags):
        settings = self.settings
        return self.guard.run([settings.engine_bench, mode, settings.model(row.model), *flags,
                               "--threads", settings.threads, "--kernels", settings.kernels,
                               "--runs", settings.runs]).json()

    def peer_commands(self, row, mode, *sizes, flashes=(0, 1), batches=(256, 512)):
        settings = self.settings
        return [(f"{peer.name}, flash {flash}, batch {batch}",
                 [peer.bench, mode, settings.model(row.model), settings.threads, flash, batch,
                  *sizes])
                for peer in self.peers() for flash in flashes for batch in batches]

    def best_of(self, commands, seconds):
        """The peer's configuration that takes the least time, by one run of each."""
        if len(commands) == 1:
            return commands[0]
        return min(commands, key=lambda named: seconds(self.guard.run(named[1])))

    def pairs(self, lore, peer):
        """Medians of both and of the pairs' ratios, in turns."""
        ours, theirs = [], []
        for _ in range(self.settings.pairs):
            theirs.append(peer())
            ours.append(lore())
        ratios = [a / b for a, b in zip(ours, theirs)]
        return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)

    def rates(self, row, mode, lore_flags, sizes, unit, per_unit=1, **choice):
        def rate(run):
            return run["tokens"] / run["seconds"] / per_unit

        name, best = self.best_of(self.peer_commands(row, mode, *sizes, **choice),
                                  lambda result: result.json()["seconds"])
        lore, peer, ratio = self.pairs(lambda: rate(self.engine(row, mode, *lore_flags)),
                                       lambda: rate(self.guard.run(best).json()))
        return Figures(lore, peer, unit, ratio, note=name)

    # ---- the rows ----

    def embed(self, row):
        return self.rates(row, "embed", ["--chunks", 128, "--tokens", 256], [128, 256], "chunks/s",
                          256)

    def mixed(self, row):
        def rate(mode):
            run = self.engine(row, mode, "--chunks", 128)
            return run["tokens"] / run["seconds"]

        mixed, equal, share = self.pairs(lambda: rate("mixed"), lambda: rate("embed"))
        return Figures(mixed, None, "tokens/s", None, own=share, note=f"equal: {equal:.0f}")

    def prefill(self, row):
        tokens = row.options["tokens"]
        figures = self.rates(row, "prefill", ["--tokens", tokens], [tokens], "tokens/s")
        work = self.settings.work(row.model)
        figures.limit_share = figures.lore * work.operations_per_token / self.limits["int8_ops"]
        return figures

    def decode(self, row):
        depth, tokens = row.options["depth"], row.options["tokens"]
        figures = self.rates(row, "decode", ["--tokens", tokens, "--depth", depth],
                             [depth, tokens], "tokens/s", batches=(512,))
        work = self.settings.work(row.model)
        read = work.bytes_per_token + depth * work.cache_bytes_per_token
        figures.limit_share = figures.lore * read / self.limits["read_bytes"]
        return figures

    def batch(self, row):
        options = row.options
        sizes = [options["depth"], options["tokens"], options["sequences"]]
        return self.rates(row, "batch",
                          ["--depth", sizes[0], "--tokens", sizes[1], "--sequences", sizes[2]],
                          sizes, "tokens/s", batches=(512,))

    def reuse(self, row):
        run = self.engine(row, "reuse", "--depth", 2048, "--new", 16)
        return Figures(run["seconds"], None, "s", None, own=run["seconds"] / run["first_seconds"],
                       note=f"the first: {run['first_seconds']:.2f} s")

    def memory(self, row):
        settings = self.settings
        model = settings.model(row.model)
        result = self.guard.run([settings.lore, "generate", "-m", model, "-p", TEXT, "-n", 16,
                                 "-c", 2048, "-t", settings.threads, "--kernels",
                                 settings.kernels])
        return Figures(result.peak_bytes / 1e6, None, "MB", None,
                       own=result.peak_bytes / model.stat().st_size)

    def whole_process(self, row, mode, command):
        settings = self.settings
        ours = [settings.lore, *command, "-t", settings.threads, "--kernels", settings.kernels]
        name, best = self.best_of(self.peer_commands(row, mode, TEXT, batches=(512,)),
                                  lambda result: result.seconds)
        # Processes that last a fraction of a second are started several times a turn.
        times = 1 if mode == "token" else 5
        lore, peer, ratio = self.pairs(
            lambda: min(self.guard.run(ours).seconds for _ in range(times)),
            lambda: min(self.guard.run(best).seconds for _ in range(times)))
        return Figures(lore, peer, "s", 1 / ratio, note=name)

    def vector(self, row):
        return self.whole_process(row, "vector",
                                  ["embed", TEXT, "-m", self.settings.model(row.model)])

    def token(self, row):
        return self.whole_process(row, "token", ["generate", "--raw", "-p", TEXT, "-n", 1, "-c",
                                                 512, "-m", self.settings.model(row.model)])

    def tokenize(self, row):
        settings = self.settings
        text = settings.text(row.options.get("bytes"))
        peer = self.peers()[0]
        model = settings.model(row.model)

        def rate(program):
            run = self.guard.run([program, model, text]).json()
            return run["bytes"] / run["seconds"] / 1e6

        lore, theirs, ratio = self.pairs(lambda: rate(settings.tokenizer_bench),
                                         lambda: rate(peer.tokenize))
        return Figures(lore, theirs, "MB/s", ratio)

    def vectors(self, row):
        settings = self.settings
        run = self.guard.run([settings.vectors_bench, *settings.vectors_flags()]).json()
        newer = self.guard.run(settings.faiss_command()).json()
        seconds, faiss = run["seconds_per_query"], run["faiss_seconds_per_query"]
        return Figures(1 / seconds, 1 / faiss, "queries/s", faiss / seconds,
                       note=f"faiss-cpu 1.15: {1 / newer['seconds_per_query']:.1f} queries/s")
