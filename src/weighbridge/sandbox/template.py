"""The process from which sandboxes are forked: `python -m weighbridge.sandbox.template FD`.

It has loaded what reads files and has one thread, so a fork of it takes milliseconds where a new interpreter
takes a second. Each request brings two sockets: one on which the sandbox is asked, and one on which the
process that asked is told how the sandbox ended. A sandbox whose second socket is closed is ended.

Invariants: it ends, with its sandboxes, when the process that started it is gone; it opens no file itself.
"""

import gc
import os
import resource
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from typing import Final

NICENESS: Final = 5
"""How far sandboxes stand back behind the processes that answer and compute, on the scale of `nice`."""

STATUS: Final = struct.Struct("!i")
"""How a sandbox ended, as `wait` tells it."""

IDLE_SECONDS: Final = 900
"""After how long it ends by itself when nobody asks it; the next request starts another."""

LOADED: Final = (
    "weighbridge.sandbox.work",
    "weighbridge.exchange.tables.reading",
    "weighbridge.exchange.tables.sample",
    "weighbridge.collection.named_records.spreadsheet",
)
"""What sandboxes need, loaded once."""

_SOCKETS_OF_REQUEST: Final = 2


class _Template:
    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._told: dict[int, socket.socket] = {}
        self._woken, self._wakes = socket.socketpair()
        self._wakes.settimeout(0)
        self._woken.settimeout(0)
        signal.set_wakeup_fd(self._wakes.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Fork until nobody asks any more."""
        while True:
            ready, _, _ = select.select(
                [self._asked, self._woken, *self._told.values()], [], [], IDLE_SECONDS
            )
            if not ready and not self._told:
                return
            self._reap()
            for process, told in [*self._told.items()]:
                if told in ready:  # nothing is ever sent there: the other side is closed
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
            if self._asked in ready and not self._fork():
                self._end_all()
                return

    def _fork(self) -> bool:
        message, sockets, _, _ = socket.recv_fds(self._asked, 1, _SOCKETS_OF_REQUEST)
        if not message:
            return False
        work, told = (socket.socket(fileno=number) for number in sockets)
        process = os.fork()
        if process == 0:
            self._become_sandbox(work, told)
        work.close()
        self._told[process] = told
        return True

    def _become_sandbox(self, work: socket.socket, told: socket.socket) -> None:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            for one in (told, self._asked, self._woken, self._wakes, *self._told.values()):
                one.close()
            from weighbridge.sandbox.work import carry_out  # noqa: PLC0415 - loaded before

            carry_out(work)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            while self._woken.recv(1024):
                pass
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                process, status = ended
                if (told := self._told.pop(process, None)) is not None:
                    with suppress(OSError):
                        told.send(STATUS.pack(status))
                    told.close()

    def _end_all(self) -> None:
        for process in self._told:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def main(number: str) -> None:
    """Serve the process that holds the other end of a socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's; whoever started this one ends it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)
    for name in LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()
    _Template(socket.socket(fileno=int(number))).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
