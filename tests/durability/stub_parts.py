"""The application and the worker of `stub_service.py`, in a file that is quick to import, as every start of a
part does.
"""

import asyncio
import json
import os
import signal
import sys

from weighbridge.supervisor.process import die_with_supervisor

SLOW_SECONDS = 1.0


def create():
    return application


def create_broken():
    raise RuntimeError("this application cannot be made")


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    if scope["path"] == "/slow":
        sys.stderr.write('{"event": "slow_request"}\n')
        await asyncio.sleep(SLOW_SECONDS)
    body = {
        "process": os.getpid(),
        "database": os.environ["WEIGHBRIDGE_DATABASE_URL"],
        "path": scope["path"],
    }
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


async def _lifespan(receive, send):
    while (message := await receive())["type"] != "lifespan.shutdown":
        await send({"type": f"{message['type']}.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def work():
    """Stand for a worker whose task, when told to stop, is finished before the bound."""
    die_with_supervisor()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        signal.pause()


def work_on():
    """Stand for a worker whose task never ends."""
    die_with_supervisor()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr.write('{"event": "working_on"}\n')
    while True:
        signal.pause()
