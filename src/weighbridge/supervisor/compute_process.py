"""One computing process: it executes requests that API processes hand over, at a lower priority.

The supervisor starts `weighbridge.supervisor.compute_process TARGET SOCKET`. It is told to stop when no
API process is left that could ask it anything.

Invariants: it does not outlive the supervisor, and has the processor only when no API process wants it.
"""

import asyncio
import signal
import sys
from typing import Any

import uvloop

from weighbridge.garbage import look_rarely, look_when_started
from weighbridge.http.endpoints.computing_process import serve_on_socket
from weighbridge.settings import read
from weighbridge.supervisor import logs
from weighbridge.supervisor.process import (
    OF_COMPUTING,
    die_with_supervisor,
    leave,
    load_application,
    stand_back,
)


def main(target: str, socket: str) -> None:
    """Serve until a signal comes."""
    die_with_supervisor()
    look_when_started()
    logs.configure(read())
    application = load_application(target)
    look_rarely()
    stand_back(OF_COMPUTING)  # only now: who waits for the start waits for this process too
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(application, socket))


async def _serve(application: Any, socket: str) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with serve_on_socket(application, socket) as requests:
        await stopping.wait()
        await requests.finish()
        leave()  # connections that are closed one by one would take their time


if __name__ == "__main__":
    main(*sys.argv[1:])
