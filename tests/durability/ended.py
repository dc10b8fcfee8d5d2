"""A program that is started by tests of the template: it writes what it is, and ends as it is told."""

import json
import os
import random
import signal
import sys
from pathlib import Path

ENDINGS = {
    "return": lambda: None,
    "code": lambda: sys.exit(3),
    "message": lambda: sys.exit("it cannot go on"),
    "error": lambda: {}["missing"],
    "signal": signal.pause,
    "leave": lambda: os._exit(4),
}


def main(file, ending):
    """Write to a file, then end."""
    draft = Path(f"{file}.{os.getpid()}")
    draft.write_text(json.dumps(_what_i_am()))
    draft.rename(file)
    ENDINGS[ending]()


def _what_i_am():
    command = Path("/proc/self/cmdline").read_bytes().rstrip(b"\0").decode().split("\0")
    handlers = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)]
    return {
        "pid": os.getpid(),
        "leads": [os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid()],
        "command": command,
        "arguments": sys.argv[1:],
        "environment": dict(os.environ),
        "handlers": [getattr(one, "__name__", str(one)) for one in handlers],
        "input": str(Path("/proc/self/fd/0").readlink()),
        "output": os.path.samestat(os.fstat(1), os.fstat(2)),
        "random": random.random(),  # noqa: S311 - whether it differs
        "niceness": os.getpriority(os.PRIO_PROCESS, 0),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
