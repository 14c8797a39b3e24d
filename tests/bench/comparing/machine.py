"""What this machine is, and whether it was ours while something was measured."""

import json
import os
import platform
import subprocess
import time


def _field(name):
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith(name):
            return line.split(":")[1].strip()
    return ""


def processor():
    return _field("model name") or platform.machine()


def flags():
    return set(_field("flags").split())


def column():
    """The column of goals that fits the processor."""
    here = flags()
    if "amx_int8" in here:
        return "amx"
    return "avx512" if "avx512_vnni" in here else "avx2"


class Failed(Exception):
    """A program of a row ended with an error."""


class Result:
    """Of a process that has ended: what it printed, its wall time and its peak memory."""

    def __init__(self, output, seconds, peak_bytes):
        self.output, self.seconds, self.peak_bytes = output, seconds, peak_bytes

    def json(self):
        return json.loads(self.output)


def _busy_ticks():
    fields = [int(x) for x in open("/proc/stat", encoding="utf-8").readline().split()[1:9]]
    return sum(fields) - fields[3] - fields[4]


def _run(command):
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        output, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} failed: {errors.strip()[-500:]}")
    result = Result(output, time.monotonic() - start, usage.ru_maxrss * 1024)
    result.own_seconds = usage.ru_utime + usage.ru_stime
    return result


class Guard:
    """Runs commands one after the other; a run during which other processes took more than 5 % of
    the machine is repeated."""

    SHARE = 0.05

    def __init__(self, patience):
        self.patience = patience
        self.repeats = 0
        self.trusted = True

    def run(self, command):
        for attempt in range(self.patience + 1):
            before = _busy_ticks()
            result = _run(command)
            ticks = os.sysconf("SC_CLK_TCK")
            others = (_busy_ticks() - before) / ticks - result.own_seconds
            # Clock ticks are coarse: what lasts milliseconds is measured too coarsely to judge.
            allowed = self.SHARE * result.seconds * os.cpu_count() + 0.05
            if others <= allowed:
                return result
            if attempt < self.patience:
                self.repeats += 1
                time.sleep(2)
        self.trusted = False
        return result
