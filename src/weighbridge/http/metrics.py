"""Counters for Prometheus: requests by operation and status, and how long they took.

The processes of one service count in files in the folder that PROMETHEUS_MULTIPROC_DIR names, which
`weighbridge serve` sets and reads (`supervisor/metrics.py`).

Invariants: no label holds an id, a name or anything else that grows with the data.
"""

from functools import cache
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

_REQUESTS: Final = Counter(
    "weighbridge_requests", "Requests that were answered.", ("operation", "method", "status")
)
_SECONDS: Final = Histogram(
    "weighbridge_request_seconds", "How long answers took.", ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)  # fmt: skip
_HANDED_OVER: Final = Counter(
    "weighbridge_computing_requests", "Requests that were handed to a computing process.", ("outcome",)
)
_WAITS: Final = Counter("weighbridge_waits", "Requests that began to wait for something to answer.")
_REPLICA_READS: Final = Counter(
    "weighbridge_replica_reads", "Reads that the replica could answer, by who did or why not.", ("outcome",)
)
_REPLICA_LAG: Final = Gauge(
    "weighbridge_replica_lag_seconds",
    "How old what the replica shows may be, as the process saw it that looked last.",
    multiprocess_mode="mostrecent",
)
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
"""Stands for what is no operation or method of the service: a caller may make up any number of them."""


def observe(operation: str, method: str, status: int, seconds: float) -> None:
    """Count one request."""
    requests, times = _counters(operation, method if method in METHODS else OTHER, status)
    requests.inc()
    times.observe(seconds)


@cache
def _counters(operation: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """The counters of one operation, which take longer to find by their labels than to raise."""
    return _REQUESTS.labels(operation, method, status), _SECONDS.labels(operation)


def observe_handing_over(outcome: str) -> None:
    """Count what became of a request that was handed over: answered, lost, silent or unreachable."""
    _HANDED_OVER.labels(outcome).inc()


def observe_replica_read(outcome: str) -> None:
    """Count a read by who answered it: the replica, or the primary for a reason."""
    _REPLICA_READS.labels(outcome).inc()


def observe_replica_lag(seconds: float) -> None:
    """Say how old what the replica shows may be."""
    _REPLICA_LAG.set(seconds)


def observe_wait() -> None:
    """Count a request that begins to wait."""
    _WAITS.inc()
