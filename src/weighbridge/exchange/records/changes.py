"""A change on the wire, in the feed and as the message of a webhook, and webhooks with their deliveries.

A message is a CloudEvent (version 1.0, structured mode) that names changed records. The secret of a webhook
is shown once.

Invariants: a delivery has the same id and the same bytes however often it is tried; it tells which
records changed, never how they are now.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core import identity
from weighbridge.core.platform.audit import CHANGE_TYPES, ChangeAction, ChangeCursor, ChangeKind
from weighbridge.core.platform.ticket import SECONDS_DEFAULT, SECONDS_MAX
from weighbridge.core.platform.webhook import SECRET_TEXT_MAX, DeliveryState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import ADDRESS_MAX, at_most, between, one_of

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


class TicketQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /changes/issue_ticket."""

    expires_in_seconds: Annotated[int, msgspec.Meta(ge=1, le=SECONDS_MAX)] = SECONDS_DEFAULT
    """For how many seconds the ticket opens a stream, and a stream that it opened goes on: 1 to 3,600."""


class IssuedTicket(msgspec.Struct, frozen=True):
    """A ticket for the stream of changes."""

    ticket: str
    """Sent as `ticket` in the query of GET /changes."""
    expires_at: Instant
    """When it opens nothing any more, and a stream that it opened ends."""


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
    named: Sequence[str] | None = None
    """The ids of its records, in the order of their keys, where they do not follow from the keys."""

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


IDS_OF_KEYS: Final = """
    CASE WHEN kind = 'footprint' THEN ARRAY(
        SELECT f.id::text FROM footprints f
         WHERE f.project_id = told.project_id AND f.number >= lower(keys) AND f.number < upper(keys)
           AND keys @> f.number ORDER BY f.number) END
"""
"""The ids of the footprints that a row `told` with `kind` and `keys` tells of; of other kinds ids follow from
keys.
"""


def id_of_changed(kind: str, project: int | None, key: int) -> str:
    """The id by which a change of a stored kind names its record."""
    if kind == ChangeKind.ASYNC_TASK:
        return str(key)
    assert project is not None, "only tasks may have no project"  # noqa: S101
    if kind != ChangeKind.CORRECTION:
        return identity.of(kind, project, key)
    event, position = key >> identity.POSITION_BITS, key & identity.POSITION_MAX
    return (
        identity.of("data_point", project, event, position)
        if position
        else identity.of("event", project, event)
    )


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
    named: Sequence[str] | None = None
    """The ids of its records, where they do not follow from the keys."""

    @property
    def id(self) -> str:
        """The id under which it is sent."""
        return identity.of("delivery", 0, self.number)

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
        return [identity.of("webhook", 0, delivery.webhook)]
    if delivery.named is not None:
        return [*delivery.named]
    return [
        id_of_changed(delivery.kind, delivery.project, key)
        for start, end in zip(delivery.starts, delivery.ends, strict=True)
        for key in range(start, end)
    ]


def body_of(delivery: StoredDelivery, source: str) -> bytes:
    """The bytes that are sent and signed; `source` is the address of the service."""
    project = None if delivery.project is None else identity.of("project", delivery.project)
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


OVERLAP_HOURS_MAX: Final = 168
"""For how many hours a replaced secret may sign beside the new one, at most."""

WEBHOOK_DESCRIPTION_MAX: Final = 1_000
"""The longest description of a webhook, in characters."""

_ChangeType = Annotated[str, one_of(CHANGE_TYPES)]
_WebhookDescription = Annotated[str, msgspec.Meta(max_length=WEBHOOK_DESCRIPTION_MAX)]


_Address = Annotated[str, at_most(ADDRESS_MAX)]


class Webhook(msgspec.Struct, frozen=True):
    """An address that is told what changes."""

    id: str
    """The friendly id of the webhook, `whk_…`."""
    project_id: Annotated[str | None, Sent(str)]
    """The friendly id of the project whose changes are told; null for the whole account."""
    url: Annotated[
        str,
        Sent(
            _Address,
            meaning=(
                "An address that begins with https://; "
                "http:// reaches only networks that the service was told of."
            ),
        ),
    ]
    """Where requests are sent by POST."""
    description: Annotated[str, Sent(_WebhookDescription, default="", write=str.strip)]
    """What it is for, in the words of whoever made it."""
    change_types: Annotated[
        list[_ChangeType],
        Sent(
            list[_ChangeType],
            default=None,
            meaning="Which changes are told; all that the caller's token may read when left out.",
        ),
    ]
    """Which changes are told: `batch` for all of batches, `batch.create` for new ones."""
    is_enabled: Annotated[
        bool,
        Sent(
            bool,
            default=True,
            change_meaning="A webhook that is enabled again goes on where it stood in the feed.",
        ),
    ]
    """Whether changes are sent; while it is not, they wait in the feed, as long as that keeps them."""
    disabled_at: Instant | None
    """When it was disabled; null while it is enabled."""
    disabled_reason: str | None
    """Why it was disabled, by whoever did or by the service; null while it is enabled."""
    failing_since: Instant | None
    """Since when every attempt has failed; null when the last one was taken."""
    cursor: str
    """Where in the feed of changes it stands: all before was made into deliveries."""
    lost_entries: int
    """Entries of the feed that were removed because of their age while it was disabled."""
    pending_deliveries: int
    """Deliveries that wait for their first or next attempt."""
    old_secrets_until: Instant | None
    """Until when secrets that were replaced sign beside the new one; null when there is only one."""
    created_at: Instant
    updated_at: Instant


class IssuedWebhook(Webhook, frozen=True):
    """A webhook with its new secret, which is shown this once."""

    secret: str | UnsetType = UNSET
    """What the receiver checks signatures by, `whsec_` and base64; it is shown this once. The answer to a
    request that is repeated with its Idempotency-Key has none."""


WEBHOOK_BODIES: Final = RequestBodies(
    Webhook,
    "webhook",
    "/webhooks",
    leading=("url", "change_types"),
    extra={
        "secret": Sent(
            Annotated[str, at_most(SECRET_TEXT_MAX)],
            is_later=True,
            change_meaning=(
                "What the receiver checks signatures by from now on, `whsec_` and base64 of 24 to 64 bytes, "
                "instead of all secrets so far. Required with a URL on another host."
            ),
        )
    },
    about_new="What a caller sends to make a webhook; it is told of what changes from then on.",
)


class SecretRoll(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /webhooks/{webhook_id}/roll_secret."""

    overlap_hours: Annotated[int, between(0, OVERLAP_HOURS_MAX)] = 24
    """For how many hours the secrets so far sign beside the new one: 0 to 168; 0 ends them at once."""


class WebhookTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /webhooks/{webhook_id}/test, which says nothing."""


class Redelivery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver, which says nothing."""


class AttemptMade(msgspec.Struct, frozen=True):
    """One request that was sent, or could not be."""

    at: Instant
    """When it began."""
    status: int | None
    """The status of the answer; null when none came."""
    milliseconds: int
    """How long it took, from resolving the name to the end of the answer."""
    error: str | None
    """Why it was not taken; null when it was."""
    answer: str | None
    """The beginning of what the receiver answered, up to 1,000 characters."""


class WebhookDelivery(msgspec.Struct, frozen=True):
    """One message to a webhook, and what became of it."""

    id: str
    """The friendly id of the delivery, `dlv_…`, which every attempt carries as `webhook-id`."""
    webhook_id: str
    type: str
    """The type of the message, such as `weighbridge.batch.create`."""
    kind: Annotated[str, one_of([*ChangeKind, "webhook"])]
    """What was changed; `webhook` for a test."""
    action: Annotated[str, one_of([*ChangeAction, "test"])]
    """What was done to it; `test` for a test."""
    project_id: str | None
    records: int
    """How many records the message names."""
    cursor: str | None
    """Where the feed of changes goes on behind the message; null for a test."""
    state: Annotated[str, one_of(DeliveryState)]
    """How it stands: `pending` until it is taken, `delivered`, or for three days was not, `failed`."""
    attempt_count: int
    """How often it was tried."""
    next_attempt_at: Instant | None
    """When it is tried next, at the earliest; null when it is not."""
    attempts: list[AttemptMade]
    """The last attempts, up to 20, oldest first."""
    created_at: Instant
    ended_at: Instant | None
    """When it was taken, or given up; null while it is pending."""
