"""Counters for Prometheus: requests by operation and status, how long they took, tasks by state.

The processes of one service add up their counters through files in the folder that
PROMETHEUS_MULTIPROC_DIR names, which `weighbridge serve` sets; a single process needs none.

Invariants: no label holds an id, a name or anything else that grows with the data.
"""

import os
from functools import cache
from typing import Final

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client import REGISTRY as OWN_PROCESS
from prometheus_client.multiprocess import MultiProcessCollector

from weighbridge.core.platform.task_state import TaskState
from weighbridge.db.engine import Database
from weighbridge.http.caller import WebRequest

_REQUESTS: Final = Counter(
    "weighbridge_requests", "Requests that were answered.", ("operation", "method", "status")
)
_SECONDS: Final = Histogram(
    "weighbridge_request_seconds", "How long answers took.", ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)  # fmt: skip
_TYPE: Final = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
"""The framework adds the character set."""

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
"""Stands for what is no operation or method of the service: a caller may make up any number of them."""

_TASKS: Final = "# HELP weighbridge_tasks Async tasks by state.\n# TYPE weighbridge_tasks gauge\n"


def observe(operation: str, method: str, status: int, seconds: float) -> None:
    """Count one request."""
    requests, times = _counters(operation, method if method in METHODS else OTHER, status)
    requests.inc()
    times.observe(seconds)


@cache
def _counters(operation: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """The counters of one operation, which take longer to find by their labels than to raise."""
    return _REQUESTS.labels(operation, method, status), _SECONDS.labels(operation)


@get("/metrics", include_in_schema=False)
async def metrics(request: WebRequest) -> Response[bytes]:
    """The counters in Prometheus' text form."""
    database: Database = request.app.state.database
    async with database.read() as tx:
        counted: dict[str, int] = dict(
            await tx.tuples("SELECT state, count(*) FROM async_tasks GROUP BY state")
        )
    tasks = "".join(f'weighbridge_tasks{{state="{state}"}} {counted.get(state, 0)}\n' for state in TaskState)
    return Response(generate_latest(_registry()) + (_TASKS + tasks).encode(), media_type=_TYPE)


def _registry() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return OWN_PROCESS
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
