"""The Python client: every operation of the interface as a method, for programs that wait or await.

An address and a token come in. Records go out as typed values, decimals exact, times with their zone.

Read `calls.py` first (what a call is, how it is executed, what can go wrong, and the one place that decides
what is sent again), then `flows.py` (several calls that belong together), `walking.py` (lists), `frames.py`
(records as columns) and `clients.py`, the two clients. `made/` follows from the OpenAPI document by
`make docs`: records, calls and methods.
"""

from weighbridge.client.calls import (
    BadRequest,
    Conflict,
    Failed,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    Refused,
    TaskFailed,
    TaskTimeout,
    Unauthenticated,
    Unreachable,
    UnreadableAnswer,
    WeighbridgeError,
)
from weighbridge.client.clients import AsyncClient, Client
from weighbridge.client.flows import File
from weighbridge.client.frames import Table, tabulate

__all__ = [
    "AsyncClient",
    "BadRequest",
    "Client",
    "Conflict",
    "Failed",
    "File",
    "Forbidden",
    "Invalid",
    "NotFound",
    "RateLimited",
    "Refused",
    "Table",
    "TaskFailed",
    "TaskTimeout",
    "Unauthenticated",
    "Unreachable",
    "UnreadableAnswer",
    "WeighbridgeError",
    "tabulate",
]
