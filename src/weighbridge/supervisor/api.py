"""One API process: granian in front of the application, beside others on the same port.

The supervisor starts it as `python -m weighbridge.supervisor.api TARGET ADDRESS PORT`, as often as
`api_processes` says, and the kernel shares the connections out. Granian would start processes by itself, but
it takes two that fail in turns for healthy ones and starts them again for ever, and a process that does
nothing but watch another takes the time and the memory of a start: its worker runs in this one.

A connection costs nothing but a little memory until a request has arrived on it, and has only so long for
that: whoever opens connections and says nothing, or reads no answer, keeps none of them. Only HTTP/1 is
spoken. What waits to find out which HTTP a client speaks has no deadline in granian, and HTTP/2 without TLS
takes megabytes of headers.

Invariants: it does not outlive the supervisor; when told to stop it takes no new requests and finishes those
that it has.
"""

import resource
import socket
import sys
from importlib import import_module
from typing import Any, Final

from granian._granian import ListenerSpec
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import MPServer

from weighbridge.settings import read
from weighbridge.supervisor import logs
from weighbridge.supervisor.garbage import look_rarely, look_when_started
from weighbridge.supervisor.leaving import leave
from weighbridge.supervisor.parent import die_with_supervisor

CONNECTIONS_WAITING = 1024

CONNECTIONS_OF_ONE_PROCESS_MAX: Final = 4096
"""Connections that one API process has open, at most; silent ones take about 17 kB each."""

FILES_BESIDE_CONNECTIONS: Final = 256
"""Files and sockets that an API process needs beside the connections of its clients."""

HEADER_BYTES_MAX: Final = 65_536
"""Bytes of the request line and the headers together; a longer head is refused with 431."""


def main(target: str, address: str, port: str) -> None:
    """Serve until a signal comes."""
    die_with_supervisor()
    look_when_started()
    settings = read()
    server = _Server(
        settings.answer_stalled_seconds,
        target=target,
        address=address,
        port=int(port),
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=settings.request_header_seconds * 1000, max_buffer_size=HEADER_BYTES_MAX
        ),
        loop=Loops.uvloop,
        workers=1,
        backlog=CONNECTIONS_WAITING,
        backpressure=_connections_max(),
        websockets=False,
        log_level=LogLevels.warning,
        log_dictconfig=logs.server_logging(settings.log_format),
    )
    try:
        server.serve(target_loader=load)
    except SystemExit as ended:  # granian has threads that would still want the interpreter
        leave(1 if ended.code else 0)
    leave()


class _Server(MPServer):
    """A server in this process, whose connections are closed when their client takes nothing that is sent.

    The kernel has that deadline, and granian none: a connection inherits it from the socket that listens.
    """

    def __init__(self, stalled_seconds: int, **options: Any) -> None:
        super().__init__(**options)
        self._stalled_seconds = stalled_seconds

    def _init_shared_socket(self) -> None:
        made = ListenerSpec(self.bind_addr, self.bind_port, self.backlog).build()
        listening = socket.socket(fileno=made.get_fd())
        listening.set_inheritable(True)
        if sys.platform == "linux":
            milliseconds = self._stalled_seconds * 1000
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        vars(self).update(_shd=made, _sfd=made.get_fd(), _sso=listening)

    def _serve(self, spawn_target: Any, target_loader: Any) -> None:
        self._init_shared_socket()
        self._spawn_worker(0, spawn_target, target_loader).inner.run()


def _connections_max() -> int:
    """How many connections fit beside the other files that the process may open."""
    _, files_max = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files_max == resource.RLIM_INFINITY:
        files_max = CONNECTIONS_OF_ONE_PROCESS_MAX + FILES_BESIDE_CONNECTIONS
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))
    return max(1, min(CONNECTIONS_OF_ONE_PROCESS_MAX, files_max - FILES_BESIDE_CONNECTIONS))


def load(target: str) -> Any:
    """Make the application."""
    logs.configure(read())
    module, _, factory = target.partition(":")
    application = getattr(import_module(module), factory)()
    look_rarely()
    return application


if __name__ == "__main__":
    main(*sys.argv[1:])
