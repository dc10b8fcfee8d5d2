"""The Python client: every operation of the interface as a method, for programs that wait and that await.

In: an address and a token. Out: records as typed values, decimals exact, times aware of their zone.

Read first `call.py` (what a call is), then `carrying.py` (how it is carried out: the one place that decides
what is sent again), then `waiting.py` and `awaiting.py`, which run the same flows. `made/` follows from
the OpenAPI document by `make docs`: records, calls and methods.
"""

from weighbridge.client.clients import AsyncClient, Client
from weighbridge.client.errors import (
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

__all__ = [
    "AsyncClient",
    "BadRequest",
    "Client",
    "Conflict",
    "Failed",
    "Forbidden",
    "Invalid",
    "NotFound",
    "RateLimited",
    "Refused",
    "TaskFailed",
    "TaskTimeout",
    "Unauthenticated",
    "Unreachable",
    "UnreadableAnswer",
    "WeighbridgeError",
]
