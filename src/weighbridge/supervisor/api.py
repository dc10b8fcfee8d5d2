"""One API process: granian in front of the application, one of several on the same port.

The supervisor starts `weighbridge.supervisor.api TARGET ADDRESS PORT` as often as `api_processes` says, and
the kernel shares the connections out. Granian would start processes by itself, but it takes two that fail in
turns for healthy ones and starts them again for ever, and a process that does nothing but watch another
takes the time and the memory of a start: its embedded server runs in this one.

A connection costs nothing but a little memory until a request has arrived on it, and has only so long for
that: whoever opens connections and says nothing, or reads no answer, keeps none of them. Only HTTP/1 is
spoken. What waits to find out which HTTP a client speaks has no deadline in granian, and HTTP/2 without TLS
takes megabytes of headers.

Invariants: it does not outlive the supervisor; when told to stop it takes no new requests and finishes those
that it has.
"""

import asyncio
import logging
import os
import resource
import signal
import socket
import stat
import sys
from pathlib import Path
from typing import Any, Final

import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from weighbridge.garbage import look_rarely, look_when_started
from weighbridge.settings import Settings, read
from weighbridge.supervisor import logs
from weighbridge.supervisor.process import die_with_supervisor, leave, load_application

CONNECTIONS_WAITING = 1024

CONNECTIONS_OF_ONE_PROCESS_MAX: Final = 4096
"""Connections that one API process has open, at most; silent ones take about 17 kB each."""

FILES_BESIDE_CONNECTIONS: Final = 256
"""Files and sockets that an API process needs in addition to the connections of its clients."""

LISTENING_LOOK_SECONDS: Final = 0.01

HEADER_BYTES_MAX: Final = 65_536
"""Bytes of the request line and the headers together; a longer head is refused with 431."""


def main(target: str, address: str, port: str) -> None:
    """Serve until a signal comes."""
    die_with_supervisor()
    look_when_started()
    settings = read()
    logs.configure(settings)
    application = load_application(target)
    look_rarely()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            has_ended_as_told = runner.run(_serve(application, address, int(port), settings))
        except Exception:
            logging.getLogger(__name__).exception("the API process failed")
            has_ended_as_told = False
        leave(0 if has_ended_as_told else 1)  # granian has threads that would still want the interpreter


async def _serve(application: Any, address: str, port: int, settings: Settings) -> bool:
    """Serve on this loop until the server is told to stop, or fails; whether it was told."""
    server = Server(
        application,
        address=address,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=settings.request_header_seconds * 1000, max_buffer_size=HEADER_BYTES_MAX
        ),
        backlog=CONNECTIONS_WAITING,
        backpressure=_connections_max(),
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=logs.server_logging(settings.log_format),
    )
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, server.stop)
    bounding = asyncio.create_task(_bound_stalled_connections(port, settings.answer_stalled_seconds))
    await server.serve()
    bounding.cancel()
    return bool(server.interrupt_signal)


async def _bound_stalled_connections(port: int, seconds: int) -> None:
    """Have connections closed when their client takes nothing that is sent for so long.

    The kernel has that deadline, and granian none: a connection inherits it from the socket that listens.
    Granian keeps that socket to itself, so it is looked for by its port until it listens.
    """
    if sys.platform != "linux":
        return
    while not _set_deadline(port, seconds):  # noqa: ASYNC110 - granian tells nobody that it listens
        await asyncio.sleep(LISTENING_LOOK_SECONDS)


def _set_deadline(port: int, seconds: int) -> bool:
    """Set the deadline of the sockets with a port; whether one of them listens already."""
    is_listening = False
    for entry in Path("/proc/self/fd").iterdir():
        number = int(entry.name)
        if not _is_socket(number):
            continue
        with socket.socket(fileno=os.dup(number)) as listener:
            if listener.family in {socket.AF_INET, socket.AF_INET6} and listener.getsockname()[1] == port:
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1000)
                is_listening |= bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    return is_listening


def _is_socket(number: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:  # that of the folder, which is closed by now
        return False


def _connections_max() -> int:
    """How many connections the limit on open files allows, after the other files of the process."""
    _, files_max = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files_max == resource.RLIM_INFINITY:
        files_max = CONNECTIONS_OF_ONE_PROCESS_MAX + FILES_BESIDE_CONNECTIONS
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))
    return max(1, min(CONNECTIONS_OF_ONE_PROCESS_MAX, files_max - FILES_BESIDE_CONNECTIONS))


if __name__ == "__main__":
    main(*sys.argv[1:])
