"""What a rehearsal registry has received: each report once, by its key.

Invariants: the same key with the same bytes is the same report, whatever is received how often; what was kept
in a file is there again when the registry starts anew, and under review from then on.
"""

import json
import os
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from weighbridge.demo.rehearsal.behaviour import RegistryBehaviour, behaviour_for

REVIEWED: Final = "under_review"


class OtherContentError(Exception):
    """The key is known, with other bytes."""


@dataclass(slots=True)
class ReceivedReport:
    """One report, and what becomes of it."""

    key: str
    reference: str
    media_type: str
    content: bytes
    received_at: float
    behaviour: RegistryBehaviour
    requests: int = 1
    """How often it was received."""
    decided: tuple[str, str | None] | None = None
    """What somebody has decided of it, and why."""

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()

    def status(self, now: float) -> tuple[str, str | None]:
        """What is decided of it at a time, and why."""
        if self.decided is not None:
            return self.decided
        behaviour = self.behaviour
        is_over = now >= self.received_at + behaviour.decide_after_seconds
        return (behaviour.decision, behaviour.reason) if behaviour.decision and is_over else (REVIEWED, None)

    def shown(self, now: float) -> dict[str, Any]:
        """What is told of it."""
        status, reason = self.status(now)
        return {
            "key": self.key,
            "reference": self.reference,
            "status": status,
            "reason": reason,
            "sha256": self.sha256,
            "media_type": self.media_type,
            "size_bytes": len(self.content),
            "requests": self.requests,
        }


@dataclass(slots=True)
class ReceivedReports:
    """Everything that was received; safe to use from many threads."""

    usual: RegistryBehaviour
    file: Path | None = None
    clock: Callable[[], float] = time.monotonic
    _reports: dict[str, ReceivedReport] = field(default_factory=dict)
    _tries: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Take up what was kept in the file."""
        if self.file is not None and self.file.exists():
            for line in self.file.read_text().splitlines():
                self._take(json.loads(line))

    def tried(self, key: str) -> int:
        """Count a request for a key; gives how many there were before."""
        with self._lock:
            before = self._tries.get(key, 0)
            self._tries[key] = before + 1
            return before

    def receive(self, key: str, media_type: str, content: bytes) -> tuple[ReceivedReport, bool]:
        """Keep a report, and whether it is new; raises OtherContentError for a key that has other bytes."""
        with self._lock:
            known = self._reports.get(key)
            if known is not None:
                if known.content != content:
                    raise OtherContentError
                known.requests += 1
                return known, False
            row = {
                "key": key,
                "reference": f"REH-{len(self._reports) + 1:04}",
                "media_type": media_type,
                "content": b64encode(content).decode(),
            }
            self._write(row)
            return self._take(row), True

    def find(self, key: str) -> ReceivedReport | None:
        """The report of a key."""
        with self._lock:
            return self._reports.get(key)

    def all(self) -> list[ReceivedReport]:
        """Every report, in the order in which they came."""
        with self._lock:
            return [*self._reports.values()]

    def decide(self, key: str, status: str, reason: str | None) -> ReceivedReport | None:
        """Write down what somebody has decided; None for a key that nothing has."""
        with self._lock:
            if key not in self._reports:
                return None
            row = {"key": key, "status": status, "reason": reason}
            self._write(row)
            return self._take(row)

    def _take(self, row: dict[str, Any]) -> ReceivedReport:
        if "status" in row:
            self._reports[row["key"]].decided = row["status"], row["reason"]
        else:
            content = b64decode(row["content"])
            self._reports[row["key"]] = ReceivedReport(
                row["key"], row["reference"], row["media_type"], content, self.clock(),
                behaviour_for(content, self.usual),
            )  # fmt: skip
        return self._reports[row["key"]]

    def _write(self, row: dict[str, Any]) -> None:
        if self.file is not None:
            with self.file.open("a") as file:
                file.write(json.dumps(row) + "\n")
                file.flush()
                os.fsync(file.fileno())
