"""The process from which sandboxes are forked: `python -m weighbridge.sandbox.template FD`.

It has loaded what reads files and has one thread, so a fork of it takes milliseconds where a new interpreter
takes a second (`fork_server.py`). The processes of a service share one, which is itself forked from the
template of the service; any other process starts its own.

Invariants: it ends, with its sandboxes, when the process that started it is gone; it opens no file itself.
"""

import gc
import os
import resource
import signal
import socket
import sys
from importlib import import_module
from typing import Final

from weighbridge.sandbox.fork_server import ForkServer

NICENESS: Final = 5
"""How far sandboxes stand back behind the processes that answer and compute, on the scale of `nice`."""

IDLE_SECONDS: Final = 900
"""After how long it ends by itself when nobody asks it; the next request starts another."""

LOADED: Final = (
    "weighbridge.sandbox.work",
    "weighbridge.exchange.tables.reading",
    "weighbridge.exchange.tables.sample",
    "weighbridge.collection.named_records.spreadsheet",
)
"""What sandboxes need, loaded once."""


def _run_sandbox(work: socket.socket) -> int:
    from weighbridge.sandbox.work import carry_out  # noqa: PLC0415 - loaded before

    carry_out(work)
    return 0


def main(number: str) -> None:
    """Serve the process that holds the other end of a socket."""
    for name in LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(number)), idle_seconds=IDLE_SECONDS)


def serve(requests: socket.socket, *, idle_seconds: float | None = None) -> None:
    """Fork sandboxes until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's; whoever started this one ends it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)
    ForkServer(requests, _run_sandbox, idle_seconds=idle_seconds).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
