"""What `weighbridge serve` takes until it is ready, against the same service with each process started anew.

Both start on the same data folder, in turns, with two API processes, a computing process and a worker. The
figures are the processor time of all processes but those of PostgreSQL and the time by the clock until
"ready"; the memory of all of them together (Pss, which counts what they share once); and the time from the
kill of an API process until its successor has started to listen, with the processor time that it took.

    python benchmarks/bench_start.py [ROUNDS]
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from service import descendants, median, now

ROUNDS = 3
GOAL_SECONDS = 3.0
LOOK_SECONDS = 0.005
API_PROCESSES = 2
API = "weighbridge.supervisor.api"
TICKS = os.sysconf("SC_CLK_TCK")

ANEW = """
from contextlib import nullcontext
from weighbridge import cli
from weighbridge.supervisor import lifecycle
lifecycle.process_template = lambda *_: nullcontext()
cli.main()
"""
WAYS = {"anew": ("-c", ANEW), "forked": ("-m", "weighbridge")}


@dataclass(frozen=True)
class Start:
    """What one start took."""

    cpu_seconds: float
    seconds: float
    memory_mb: float
    restart_seconds: float
    restart_cpu_seconds: float


NAMES = (
    "processor time until ready, s",
    "time until ready, s",
    "memory of all processes, MB",
    "time from the kill of an API process until another listens, s",
    "processor time of that, s",
)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder:
        _start(WAYS["forked"], folder)  # makes the database
        starts: dict[str, list[Start]] = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way, words in WAYS.items():
                starts[way].append(_start(words, folder))
    figures = {
        way: [median([*one]) for one in zip(*map(astuple, found), strict=True)]
        for way, found in starts.items()
    }
    for name, anew, forked in zip(NAMES, figures["anew"], figures["forked"], strict=True):
        print(f"start: {name}: {forked:.2f}, anew {anew:.2f}, ratio {forked / anew:.2f}")
    print(f"       (goal: {GOAL_SECONDS} s of the clock, and of processor time, on two free processors)")


def _start(words: tuple[str, ...], folder: str) -> Start:
    command = [sys.executable, *words, "serve", "--data-dir", folder, "--port", "0"]
    command += ["--api-processes", str(API_PROCESSES)]
    began = now()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        ready = re.match(r"ready http://[^:]+:(\d+)", process.stdout.readline())
        assert ready, "the service did not start"
        seconds, cpu_seconds = now() - began, _cpu_seconds(process.pid)
        time.sleep(1)  # the worker is at work by then, and the templates of sandboxes have not begun
        memory = sum(_memory_mb(one) for one in _processes(process.pid))
        restart = _restart(process.pid, int(ready[1]))
        process.terminate()
    return Start(cpu_seconds, seconds, memory, *restart)


def _restart(supervisor: int, port: int) -> tuple[float, float]:
    """Kill an API process; the time until another listens, and the processor time of all processes in it."""
    while _listening(port) < API_PROCESSES:  # one of them answers when the service is ready
        time.sleep(LOOK_SECONDS)
    victim = next(one for one in descendants(supervisor) if API in _command(one))
    listening, before = _listening(port), _cpu_seconds(supervisor)
    began = now()
    os.kill(victim, signal.SIGKILL)
    while _listening(port) >= listening:
        time.sleep(LOOK_SECONDS)
    while _listening(port) < listening:
        time.sleep(LOOK_SECONDS)
    return now() - began, _cpu_seconds(supervisor) - before


def _listening(port: int) -> int:
    """How many sockets listen on a port."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(state == "0A" and local.endswith(f":{port:04X}") for _, local, _, state, *_ in sockets)


def _processes(supervisor: int) -> list[int]:
    return [supervisor, *(one for one in descendants(supervisor) if "postgres" not in _command(one))]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _cpu_seconds(supervisor: int) -> float:
    """What the processes of a service took, with those of them that have ended."""
    ticks = 0
    for pid in _processes(supervisor):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def _memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
