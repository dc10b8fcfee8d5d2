"""A process with one thread that forks: a child has what its parent has loaded, and starts in milliseconds.

Each request is one byte with two sockets. The child uses the first; on the second the process that asked
receives the status with which the child ended. A child whose second socket is closed is killed.

Invariants: the server opens no file itself; its children do not outlive the process that asks.
"""

import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
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
            sockets = [self._requests, self._woken, *self._status_sockets.values()]
            ready, _, _ = select.select(sockets, [], [], self._idle_seconds)
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
