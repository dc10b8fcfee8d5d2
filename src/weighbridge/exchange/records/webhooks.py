"""What webhooks and their deliveries look like on the wire; a secret is shown once."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from weighbridge.core.platform.audit import CHANGE_TYPES, ChangeAction, ChangeKind
from weighbridge.core.platform.webhook import DeliveryState
from weighbridge.core.time.instant import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import ADDRESS_MAX, at_most, between, one_of

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


def without_secret(issued: IssuedWebhook) -> Webhook:
    """What may be stored of an answer with a secret."""
    return Webhook(**{name: value for name, value in asdict(issued).items() if name != "secret"})


WEBHOOK_BODIES: Final = RequestBodies(
    Webhook,
    "webhook",
    "/webhooks",
    first=("url", "change_types"),
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
