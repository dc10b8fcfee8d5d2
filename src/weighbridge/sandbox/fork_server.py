"""The process from which sandboxes are forked: `python -m weighbridge.sandbox.fork_server FD`.

It has one thread and has loaded what reads files: a child has what its parent has loaded, so a fork takes
milliseconds where a new interpreter takes a second. Each request is one byte with two sockets. The child uses
the first; on the second the process that asked receives the status with which the child ended. A child whose
second socket is closed is killed. The processes of a service share one such process, which is itself forked
from the template of the service (`supervisor/template.py`, another `ForkServer`); any other process starts
its own.

Invariants: it opens no file itself; it ends, with its children, when the process that asks is gone.
"""

import gc
import os
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final

REQUEST: Final = b"f"

STATUS: Final = struct.Struct("!i")
"""How a child ended, as `wait` returns it."""

_SOCKETS_OF_REQUEST: Final = 2


class ForkServer:
    """Forks a child for each request on a socket; the child calls a function with its first socket."""

    def __init__(
        self,
        requests: socket.socket,
        run_child: Callable[[socket.socket], int],
        *,
        idle_seconds: float | None = None,
    ) -> None:
        """Take the function that a child runs, which returns its exit code.

        A server without children ends when nobody asks it for `idle_seconds`.
        """
        self._requests = requests
        self._run_child = run_child
        self._idle_seconds = idle_seconds
        self._status_sockets: dict[int, socket.socket] = {}
        self._woken, self._wakes = socket.socketpair()
        self._wakes.settimeout(0)
        self._woken.settimeout(0)
        signal.set_wakeup_fd(self._wakes.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> None:
        """Fork until nobody asks any more."""
        while True:
            ready = self._wait([self._requests, self._woken, *self._status_sockets.values()])
            if not ready and not self._status_sockets:
                return
            self._reap()
            for process, status_socket in [*self._status_sockets.items()]:
                if status_socket in ready:  # nothing is ever sent there: the other side is closed
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
            if self._requests in ready and not self._fork():
                self._kill_all()
                return

    def _wait(self, sockets: list[socket.socket]) -> list[socket.socket]:
        """Wait for the sockets that can be read; none when nobody asked for long."""
        waiting = select.poll()
        for one in sockets:
            waiting.register(one, select.POLLIN)
        milliseconds = None if self._idle_seconds is None else 1000 * self._idle_seconds
        found = {number for number, _ in waiting.poll(milliseconds)}
        return [one for one in sockets if one.fileno() in found]

    def _fork(self) -> bool:
        message, sockets, _, _ = socket.recv_fds(self._requests, len(REQUEST), _SOCKETS_OF_REQUEST)
        if not message:
            return False
        work, status_socket = (socket.socket(fileno=number) for number in sockets)
        process = os.fork()
        if process == 0:
            self._become_child(work, status_socket)
        work.close()
        self._status_sockets[process] = status_socket
        return True

    def _become_child(self, work: socket.socket, status_socket: socket.socket) -> None:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            own = (status_socket, self._requests, self._woken, self._wakes)
            for one in (*own, *self._status_sockets.values()):
                one.close()
            code = self._run_child(work)
        finally:
            os._exit(code)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            while self._woken.recv(1024):
                pass
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                process, status = ended
                if (status_socket := self._status_sockets.pop(process, None)) is not None:
                    with suppress(OSError):
                        status_socket.send(STATUS.pack(status))
                    status_socket.close()

    def _kill_all(self) -> None:
        for process in self._status_sockets:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


NICENESS: Final = 5
"""How far sandboxes stand back behind the processes that answer and compute, on the scale of `nice`."""

IDLE_SECONDS: Final = 900
"""After how long it ends by itself when nobody asks it; the next request starts another."""

LOADED: Final = (
    "weighbridge.sandbox.work",
    "weighbridge.exchange.tables.reading",
    "weighbridge.exchange.tables.sample",
    "weighbridge.collection.named_records.spreadsheet",
    "weighbridge.packages.describing",
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
