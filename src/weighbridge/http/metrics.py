"""Counters for Prometheus: the table of all that the service counts, and those that requests raise.

The processes of one service count in files in the folder that PROMETHEUS_MULTIPROC_DIR names, which
`weighbridge serve` sets and reads (`supervisor/metrics.py`); it adds the gauges, which it alone knows.

Invariants: no label holds an id, a name or anything else that grows with the data; nothing is counted that
the table does not name, from which the reference page is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from prometheus_client import Counter, Gauge, Histogram


@dataclass(frozen=True, slots=True)
class Metric:
    """One name on the page of counters: its kind, its labels, what it is, and its meaning for an operator."""

    kind: Literal["counter", "gauge", "histogram"]
    labels: Mapping[str, str]
    doc: str
    tells: str


METRICS: Final[Mapping[str, Metric]] = {
    "weighbridge_requests_total": Metric(
        "counter",
        {
            "operation": "the operation's id in the OpenAPI document, or `other`",
            "method": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS or `other`",
            "status": "the HTTP status",
        },
        "Requests that were answered.",
        "Load, and which part of it is refused (4xx) or failed (5xx).",
    ),
    "weighbridge_request_seconds": Metric(
        "histogram",
        {"operation": "as above"},
        "How long answers took.",
        "Whether people wait. Operations that compute, and those that wait for changes, take long by nature.",
    ),
    "weighbridge_computing_requests_total": Metric(
        "counter",
        {"outcome": "answered, lost (the process ended), silent (it did not answer) or unreachable"},
        "Requests that were handed to a computing process.",
        "Anything but `answered` means that a computing process was ended or hangs.",
    ),
    "weighbridge_waits_total": Metric(
        "counter",
        {},
        "Requests that began to wait for something to answer.",
        "How many clients follow changes by waiting requests.",
    ),
    "weighbridge_authentication_failures_total": Metric(
        "counter",
        {"reason": "the code of the refusal, such as token_unknown or token_expired, or throttled"},
        "Requests whose token was refused, by the reason.",
        "A client guesses tokens (`token_unknown`, `throttled`), or uses an old one (`token_expired`).",
    ),
    "weighbridge_replica_reads_total": Metric(
        "counter",
        {"outcome": "replica, behind, away or failed"},
        "Reads that the replica could answer, by who did or why not.",
        "Whether the replica takes load off the primary; `behind` says that it does not replay fast enough.",
    ),
    "weighbridge_replica_lag_seconds": Metric(
        "gauge",
        {},
        "How old what the replica shows may be, as the process saw it that looked last.",
        "Where a replica is named: how far it is behind. Lists are read from the primary then.",
    ),
    "weighbridge_last_backup_timestamp_seconds": Metric(
        "gauge",
        {},
        "When the last whole backup was taken.",
        "Of an embedded database that was backed up once: whether whole backups still succeed.",
    ),
    "weighbridge_backup_reaches_timestamp_seconds": Metric(
        "gauge",
        {},
        "The latest moment that backups can restore.",
        "Of an embedded database that was backed up once: what would be lost with its disk.",
    ),
    "weighbridge_build_info": Metric(
        "gauge",
        {"version": "the version of the package"},
        "1, with the version that runs.",
        "Whether all hosts run the same version after an upgrade.",
    ),
    "weighbridge_database_up": Metric(
        "gauge",
        {},
        "Whether the database answered when the page was made: 1 or 0.",
        "While it is 0, requests are answered 503 and the gauges that come from the database are missing.",
    ),
    "weighbridge_database_bytes": Metric(
        "gauge",
        {},
        "The size of the database on its disk, in bytes.",
        "How quickly data grow; see sizing.",
    ),
    "weighbridge_cell_up": Metric(
        "gauge",
        {"cell": "the name of the cell"},
        "Whether the cell answered when the page was made: 1 or 0; of several cells.",
        "While it is 0, requests of its accounts are answered 503, and its other gauges are missing.",
    ),
    "weighbridge_cell_bytes": Metric(
        "gauge",
        {"cell": "as above"},
        "The size of the cell's tables with their indexes, in bytes; of several cells.",
        "Which cell is to be moved to another node, and which should take new accounts.",
    ),
    "weighbridge_tasks": Metric(
        "gauge",
        {"state": "pending, running, complete or failed", "cell": "as above, where there are several"},
        "Async tasks by state.",
        "Tasks that fail, and how many wait for a worker.",
    ),
    "weighbridge_waiting": Metric(
        "gauge",
        {"work": "tasks, deliveries, seals, numbers or roll_ups", "cell": "as above"},
        "Work that is due and waits for a worker, up to 10,000 of each kind.",
        "Whether workers keep up: tasks; messages to webhooks; rows of the audit log to be sealed; changes "
        "to be numbered for the feed; ranges of readings to be rolled up.",
    ),
    "weighbridge_waiting_seconds": Metric(
        "gauge",
        {"work": "tasks, deliveries, seals or roll_ups", "cell": "as above"},
        "For how long the oldest of the work that is due has waited, in seconds; 0 where none does.",
        "The measure of lateness. Seconds are usual; minutes mean that workers are missing or stuck.",
    ),
    "weighbridge_process_starts_total": Metric(
        "counter",
        {"process": "api-1, api-2, …, computing-1, …, worker"},
        "Starts of each process since the service began; the first counts.",
        "More than one means that a process died, froze or took too much memory: the log says which.",
    ),
    "weighbridge_disk_free_bytes": Metric(
        "gauge",
        {"place": "data, the data folder"},
        "Bytes that the service may still write there.",
        "When none are left, writes are refused with 503 `disk_full`; reading goes on.",
    ),
    "weighbridge_disk_bytes": Metric(
        "gauge",
        {"place": "as above"},
        "The size of that disk, in bytes.",
        "What the free bytes are held against.",
    ),
}
"""Everything on the page at /metrics, by the name that it has there."""


def counter(name: str) -> Counter:
    """The counter of a name in the table."""
    metric = METRICS[name]
    return Counter(name.removesuffix("_total"), metric.doc, tuple(metric.labels))


_REQUESTS: Final = counter("weighbridge_requests_total")
_SECONDS: Final = Histogram(
    "weighbridge_request_seconds",
    METRICS["weighbridge_request_seconds"].doc,
    ("operation",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)
_HANDED_OVER: Final = counter("weighbridge_computing_requests_total")
_WAITS: Final = counter("weighbridge_waits_total")
_FAILURES: Final = counter("weighbridge_authentication_failures_total")
_REPLICA_READS: Final = counter("weighbridge_replica_reads_total")
_REPLICA_LAG: Final = Gauge(
    "weighbridge_replica_lag_seconds",
    METRICS["weighbridge_replica_lag_seconds"].doc,
    multiprocess_mode="mostrecent",
)
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
"""The label of unknown operations and methods, because callers may invent any number of them."""


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


def observe_authentication_failure(reason: str) -> None:
    """Count a token that was refused."""
    _FAILURES.labels(reason).inc()
