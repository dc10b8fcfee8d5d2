"""Real processes for the tests of durability, always ended, and waits that end at a deadline."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).parent
DEADLINE_SECONDS = 60.0
CLOCK_SECONDS = 1
"""How far the clock of the machine may have been set forward since it began."""


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return kept | {"PYTHONPATH": os.pathsep.join(paths)} | variables


def until(condition, *, what):
    """Wait until the condition gives something true, and give that."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"within {DEADLINE_SECONDS} seconds this did not come true: {what}")


class Program:
    """A started process whose standard output is read by lines."""

    def __init__(self, *command, prefix=(), log, **variables):
        self.log = log
        with log.open("a") as errors:
            self.process = subprocess.Popen(
                [*prefix, sys.executable, *map(str, command)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(**variables),
                text=True,
            )

    @property
    def pid(self):
        return self.process.pid

    def line(self):
        text = self.process.stdout.readline().strip()
        assert text, self.log.read_text()
        return text

    def finish(self):
        """End the process by the end of its input, and give its exit code."""
        self.process.stdin.close()
        return self.exit_code()

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.exit_code()

    def exit_code(self):
        return self.process.wait(DEADLINE_SECONDS)

    def close(self):
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(DEADLINE_SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()


def postmaster(data_dir):
    """Give the number of the living postmaster of a data directory, or None."""
    with suppress(FileNotFoundError, IndexError, ValueError):
        for file in [data_dir / "postgres" / "cluster" / "postmaster.pid"]:
            number = int(file.read_text().splitlines()[0])
            return number if is_alive(number) else None
    return None


def is_alive(number):
    try:
        status = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def lives(line):
    """Whether the process still lives of which a line of the log tells that it was started.

    A run of all tests starts more processes and threads than there are numbers, so by now the number may be
    that of a process that began after the line was written, which no test may end.
    """
    number = line["pid"]
    if not is_alive(number):
        return False
    with suppress(OSError):
        ticks = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19])
        since_boot = ticks / os.sysconf("SC_CLK_TCK")
        began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
        return began <= datetime.fromisoformat(line["timestamp"]).timestamp() + CLOCK_SECONDS
    return False


def postmasters_of(cluster):
    """Give the numbers of all processes that were started as the server of the cluster."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            if words[0].endswith(b"/postgres") and str(cluster).encode() in words:
                found.append(int(entry.parent.name))
    return found


def children(number):
    """Give the numbers of a process's children, and of theirs."""
    found = []
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *children(child)]
    return found


def kill_server(data_dir):
    number = postmaster(data_dir)
    if number is not None:
        os.kill(number, signal.SIGKILL)
        until(lambda: not is_alive(number), what="the killed postmaster is gone")
    return number
