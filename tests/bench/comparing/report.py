"""What a run of compare prints."""

import sys

from . import machine, peers


def number(value):
    """Three digits, or what a small share needs."""
    if value is None:
        return "-"
    if abs(value) < 0.1:
        return f"{value:.4f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _share(value):
    return "-" if value is None else f"{100 * value:.0f} %"


class Report:
    COLUMNS = "{:66} {:>9} {:>9} {:10} {:>6} {:>7} {:>6} {:>6}  {}"

    def __init__(self, settings, guard, limits, quiet):
        self.settings, self.guard, self.limits, self.quiet = settings, guard, limits, quiet
        self.rows = []
        self._print(f"{machine.processor()}, {settings.threads} threads, kernels "
                    f"{settings.kernels}, goals of {settings.column}; peer {peers.PACKAGE}, built "
                    f"for {peers.instruction_set(settings.kernels)}")
        self._print(f"limits: int8 {limits['int8_ops'] * 1e-12:.2f} TOPS, reading memory "
                    f"{limits['read_bytes'] * 1e-9:.1f} GB/s")
        self._print(self.COLUMNS.format("", "lore", "peer", "", "ratio", "limit", "floor", "goal",
                                        ""))

    def _print(self, line):
        # Beside a result in JSON the table goes to standard error, so that a long run is seen to go on.
        print(line.rstrip(), flush=True, file=sys.stderr if self.quiet else sys.stdout)

    def add(self, row, figures):
        floor, goal = row.goals.get(self.settings.column, (None, None))
        judged = {"ratio": figures.ratio, "limit_share": figures.limit_share,
                  "self": figures.own}[row.figure(self.settings.column)]
        entry = {"workload": row.name, "lore": figures.lore, "peer": figures.peer,
                 "unit": figures.unit,
                 "ratio": figures.own if row.judges == "self" else figures.ratio,
                 "floor": floor, "goal": goal, "limit_share": figures.limit_share,
                 "judged_by": row.figure(self.settings.column),
                 "verdict": self._verdict(row, judged, floor, goal), "note": figures.note,
                 "skipped": None}
        self.rows.append(entry)
        mark = entry["verdict"] or ""
        self._print(self.COLUMNS.format(
            row.name, number(figures.lore), number(figures.peer), figures.unit,
            number(entry["ratio"]), _share(figures.limit_share), number(floor), number(goal),
            f"{mark:11} {figures.note}"))

    @staticmethod
    def _verdict(row, judged, floor, goal):
        if floor is None or judged is None:
            return None
        sign = -1 if row.less_is_better else 1
        if sign * judged >= sign * goal:
            return "goal"
        return "floor" if sign * judged >= sign * floor else "below floor"

    def skip(self, row, reason):
        floor, goal = row.goals.get(self.settings.column, (None, None))
        self.rows.append({"workload": row.name, "lore": None, "peer": None, "unit": None,
                          "ratio": None, "floor": floor, "goal": goal, "limit_share": None,
                          "judged_by": row.figure(self.settings.column), "verdict": None,
                          "note": "", "skipped": reason})
        self._print(f"{row.name:66} skipped: {reason}")

    def finish(self):
        self._print(f"{self.guard.repeats} runs were repeated because others used the machine"
                    + ("" if self.guard.trusted else
                       "; it stayed busy, so that some ratios deserve less trust"))

    def as_json(self):
        return {"machine": {"processor": machine.processor(), "column": self.settings.column,
                            "threads": self.settings.threads, "kernels": self.settings.kernels,
                            "peer": peers.PACKAGE},
                "limits": self.limits, "repeats": self.guard.repeats,
                "quiet": self.guard.trusted, "rows": self.rows}
