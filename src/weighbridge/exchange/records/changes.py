"""A change in three forms: on the wire, as an entry of the feed, and as the message that a webhook
receives.

A message is a CloudEvent (version 1.0, structured mode) that names changed records.

Invariants: a delivery has the same id and the same bytes however often it is tried; it tells which
records changed, never how they are now.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.platform.audit import ChangeAction, ChangeCursor, ChangeKind
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of

# What a change looks like on the wire.


class FeedChange(msgspec.Struct, frozen=True):
    """One record was changed; how it is now says the record itself."""

    cursor: str
    """Where the feed goes on behind this change: send it as `after`."""
    kind: Annotated[str, one_of(ChangeKind)]
    """What was changed."""
    action: Annotated[str, one_of(ChangeAction)]
    """What was done to it; events are voided and restored, corrections reverted, tasks started, completed and
    failed."""
    id: str
    """The id of the record; of a correction that of the data point, or of the event whose times or tags it
    corrects."""
    project_id: str | None
    """The friendly id of its project; null for a task of the account."""
    at: Instant
    """When the change took its place in the feed, soon after it was committed."""


class ChangePage(msgspec.Struct, frozen=True):
    """Changes in the order of the feed."""

    data: list[FeedChange]
    """The changes behind the cursor, oldest first."""
    cursor: str
    """Where the feed goes on behind all that was looked at: send it as `after`, also when `data` is empty."""
    has_more: bool
    """Whether there are more changes behind the cursor just now."""


# Entries of the feed: one transaction's changes of one kind by one action, however many records they are.


_STORED: Final[Mapping[ChangeKind, Sequence[str]]] = {
    ChangeKind.RULE_RESULT: ("data_point_result", "model_run_result")
}
"""The kinds of records of which a kind consists, where it is not one of that name."""

SHOWN_KINDS: Final = {stored: kind for kind in ChangeKind for stored in _STORED.get(kind, (kind.value,))}
"""The kind as which records of a stored kind are told."""


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """One transaction's changes of one kind by one action; the keys from each start to before its end."""

    number: int
    kind: str
    action: str
    project: int | None
    at: datetime
    starts: Sequence[int]
    ends: Sequence[int]

    @property
    def size(self) -> int:
        """How many records it tells of."""
        return sum(self.ends) - sum(self.starts)

    def ranges(self, left_out: int) -> Iterator[range]:
        """The keys behind so many of them."""
        for start, end in zip(self.starts, self.ends, strict=True):
            yield range(min(start + left_out, end), end)
            left_out = max(0, left_out - (end - start))


def stored_kinds(kinds: Iterable[ChangeKind]) -> list[str]:
    """The kinds of records of which these kinds consist."""
    return [stored for kind in kinds for stored in _STORED.get(kind, (kind.value,))]


def id_of_changed(kind: str, project: int | None, key: int) -> str:
    """The id by which a change of a stored kind names its record."""
    if kind == ChangeKind.ASYNC_TASK:
        return str(key)
    assert project is not None, "only tasks may have no project"  # noqa: S101
    if kind != ChangeKind.CORRECTION:
        return ids.of(kind, project, key)
    event, position = key >> ids.POSITION_BITS, key & ids.POSITION_MAX
    return ids.of("data_point", project, event, position) if position else ids.of("event", project, event)


# A message is what a delivery sends: a CloudEvent (version 1.0, structured mode) that names changed
# records.
#
# Invariants: a delivery is sent under the same id however often it is tried, with the same bytes; it says
# which records changed, never how they are now.


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
