"""One API process: granian in front of the application, beside others on the same port.

The supervisor starts it as `python -m weighbridge.supervisor.api TARGET ADDRESS PORT`, as often as
`api_processes` says, and the kernel shares the connections out. Granian could start several processes by
itself, but it takes two that fail in turns for healthy ones and starts them again for ever.

Invariants: neither granian nor the process it starts outlives the supervisor; when told to stop it takes
no new requests and finishes those that it has.
"""

import atexit
import logging
import multiprocessing
import os
import sys
from importlib import import_module
from typing import Any

from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server import MPServer

from weighbridge.settings import read
from weighbridge.supervisor import logs
from weighbridge.supervisor.garbage import look_rarely
from weighbridge.supervisor.parent import die_with_parent, die_with_supervisor

CONNECTIONS_WAITING = 1024
CONNECTIONS_OF_ONE_PROCESS = 1024


def main(target: str, address: str, port: str) -> None:
    """Serve until a signal comes."""
    die_with_supervisor()
    settings = read()
    # A forked process would start with the locks of threads that it does not have.
    multiprocessing.set_start_method("spawn")
    server = MPServer(
        target,
        address=address,
        port=int(port),
        interface=Interfaces.ASGI,
        loop=Loops.uvloop,
        workers=1,
        backlog=CONNECTIONS_WAITING,
        backpressure=CONNECTIONS_OF_ONE_PROCESS,
        websockets=False,
        workers_kill_timeout=settings.shutdown_seconds,
        log_level=LogLevels.warning,
        log_dictconfig=logs.server_logging(settings.log_format),
    )
    server.serve(target_loader=load)


def load(target: str) -> Any:
    """Make the application inside one of granian's processes."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        die_with_parent(parent.pid)
    logs.configure(read())
    module, _, factory = target.partition(":")
    application = getattr(import_module(module), factory)()
    atexit.register(_leave)
    look_rarely()
    return application


def _leave() -> None:
    """End the process before the interpreter takes itself apart.

    Threads of granian that would still want it then abort the process, with a trace on standard error.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
