"""A message is what a delivery sends: a CloudEvent (version 1.0, structured mode) that names changed records.

Invariants: a delivery is sent under the same id however often it is tried, with the same bytes; it says
which records changed, never how they are now.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.platform.change import ChangeCursor
from weighbridge.core.time.instant import Instant
from weighbridge.exchange.feed.entries import SHOWN_KINDS, id_of_changed

MEDIA_TYPE: Final = "application/cloudevents+json; charset=utf-8"
"""What the body of a delivery is."""

TYPE_PREFIX: Final = "weighbridge."
"""What the type of every message begins with."""

TEST: Final = ("webhook", "test")
"""The kind and the action of a test, which is no change."""


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """A delivery as its row has it; the keys from each start to before its end."""

    number: int
    webhook: int
    kind: str
    action: str
    project: int | None
    starts: Sequence[int]
    ends: Sequence[int]
    first_number: int | None
    first_position: int | None
    next_number: int | None
    next_position: int | None
    changed_at: datetime
    attempts: int
    is_by_hand: bool

    @property
    def id(self) -> str:
        """The id under which it is sent."""
        return ids.of("delivery", 0, self.number)

    @property
    def cursor(self) -> str | None:
        """Where the feed goes on behind it; None for a test."""
        if self.next_number is None or self.next_position is None:
            return None
        return ChangeCursor(self.next_number, self.next_position).text

    @property
    def change_type(self) -> str:
        """What it tells of, such as `batch.create`."""
        return change_type(self.kind, self.action)


def change_type(kind: str, action: str) -> str:
    """What changes of a stored kind by an action are called: `batch.create`; a test is `webhook.test`."""
    return f"{SHOWN_KINDS.get(kind, kind)}.{action}"


def record_ids(delivery: StoredDelivery) -> list[str]:
    """The ids of the records that a delivery names, in the order of their keys."""
    if (delivery.kind, delivery.action) == TEST:
        return [ids.of("webhook", 0, delivery.webhook)]
    return [
        id_of_changed(delivery.kind, delivery.project, key)
        for start, end in zip(delivery.starts, delivery.ends, strict=True)
        for key in range(start, end)
    ]


def body_of(delivery: StoredDelivery, source: str) -> bytes:
    """The bytes that are sent and signed; `source` is the address of the service."""
    project = None if delivery.project is None else ids.of("project", delivery.project)
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": delivery.id,
        "source": source,
        "type": TYPE_PREFIX + delivery.change_type,
        "time": Instant.of(delivery.changed_at).text,
        "datacontenttype": "application/json",
    }
    if project is not None:
        event["subject"] = project
    if delivery.first_number is not None:
        # Ordered as text, as the extension asks (CloudEvents, "Sequence").
        event["sequence"] = f"{delivery.first_number:018}.{delivery.first_position:018}"
    event["data"] = {
        "kind": SHOWN_KINDS.get(delivery.kind, delivery.kind),
        "action": delivery.action,
        "project_id": project,
        "ids": record_ids(delivery),
        "cursor": delivery.cursor,
    }
    return msgspec.json.encode(event)
