"""Read webhooks, without their secrets, and their deliveries."""

from datetime import datetime
from functools import partial
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.audit import ChangeCursor
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.webhook import DeliveryState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    among,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.exchange.records.changes import SHOWN_KINDS, TYPE_PREFIX, change_type
from weighbridge.exchange.records.webhooks import AttemptMade, Webhook, WebhookDelivery
from weighbridge.platform.tenancy import find, of_account, plain_key_named, project_filter

WEBHOOKS: Final = Listing(
    sorts={"id": "w.id", "created_at": "w.created_at", "updated_at": "w.updated_at"},
    default_sort="id",
    key=("w.id",),
    filters={"project_id": project_filter("w.project_id")},
)

DELIVERIES: Final = Listing(
    sorts={"id": "d.id"},
    default_sort="-id",
    key=("d.id",),
    filters={
        "state": Filter("d.state", among(DeliveryState), ", ".join(DeliveryState)),
        "created_at": Filter("d.created_at", read_moment, MOMENT, BOUNDS),
    },
)

_OF_ATTEMPT: Final = ("status", "milliseconds", "error", "answer")

_webhook_id: Final = partial(ids.of, "webhook", 0)


def _cursor(number: int, position: int) -> str:
    return ChangeCursor(number, position).text


WEBHOOK: Final = row_of(
    Webhook,
    Column("id", "w.id", _webhook_id),
    Column("project_id", "w.project_id", unless_null(partial(ids.of, "project"))),
    Column("url", "w.url"),
    Column("description", "w.description"),
    Column("change_types", "w.change_types"),
    Column("is_enabled", "w.is_enabled"),
    Column("disabled_at", "w.disabled_at"),
    Column("disabled_reason", "w.disabled_reason"),
    Column("failing_since", "w.failing_since"),
    Column("cursor", ("l.next_number", "l.next_position"), _cursor),
    Column("lost_entries", "l.lost_entries"),
    Column(
        "pending_deliveries",
        "(SELECT count(*) FROM webhook_deliveries p WHERE p.webhook_id = w.id AND p.state = 'pending')",
    ),
    Column(
        "old_secrets_until",
        "(SELECT max(s.expires_at) FROM webhook_secrets s"
        " WHERE s.webhook_id = w.id AND s.expires_at > now())",
    ),
    Column("created_at", "w.created_at"),
    Column("updated_at", "w.updated_at"),
)

_SOURCE: Final = "webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id"


def _attempts(said: list[dict[str, Any]]) -> list[AttemptMade]:
    return [
        AttemptMade(Instant.of(datetime.fromisoformat(one["at"])), *(one[name] for name in _OF_ATTEMPT))
        for one in said
    ]


def _type(kind: str, action: str) -> str:
    return TYPE_PREFIX + change_type(kind, action)


DELIVERY: Final = row_of(
    WebhookDelivery,
    Column("id", "d.id", partial(ids.of, "delivery", 0)),
    Column("webhook_id", "d.webhook_id", _webhook_id),
    Column("type", ("d.kind", "d.action"), _type),
    Column("kind", "d.kind", lambda kind: str(SHOWN_KINDS.get(kind, kind))),
    Column("action", "d.action"),
    Column("project_id", "d.project_id", unless_null(partial(ids.of, "project"))),
    Column(
        "records",
        "CASE WHEN d.first_number IS NULL THEN 1 ELSE (SELECT sum(upper(part) - lower(part))::integer"
        " FROM unnest(d.keys) AS part) END",
    ),
    Column("cursor", ("d.next_number", "d.next_position"), unless_null(_cursor)),
    Column("state", "d.state"),
    Column("attempt_count", "d.attempt_count"),
    Column("next_attempt_at", "d.next_attempt_at"),
    Column("attempts", "d.attempts", _attempts),
    Column("created_at", "d.created_at"),
    Column("ended_at", "d.ended_at"),
)


async def list_webhooks(tx: Read, actor: Actor, request: ListRequest) -> Page[Webhook]:
    """The webhooks of the actor's account."""
    owned = of_account(actor, "w.account_id")
    return await read_page(tx, WEBHOOK, WEBHOOKS, request, source=_SOURCE, where=[owned])


async def get_webhook(tx: Read, actor: Actor, friendly: str) -> Webhook:
    """One webhook of the actor's account."""
    number = plain_key_named("webhook", friendly).key
    numbered = SQL("{} AND w.id = %s").format(of_account(actor, "w.account_id"))
    try:
        return await find(tx, WEBHOOK, _SOURCE, numbered, (number,))
    except NotFound:
        raise NotFound("webhook", friendly) from None


async def list_deliveries(
    tx: Read, actor: Actor, friendly: str, request: ListRequest
) -> Page[WebhookDelivery]:
    """The deliveries of a webhook of the account, as long as they are kept."""
    webhook = ids.number("webhook", (await get_webhook(tx, actor, friendly)).id, 0)
    of_webhook = SQL("d.webhook_id = {}").format(Literal(webhook))
    return await read_page(
        tx, DELIVERY, DELIVERIES, request, source="webhook_deliveries d", where=[of_webhook]
    )


async def get_delivery(tx: Read, actor: Actor, friendly: str, delivery: str) -> WebhookDelivery:
    """One delivery of a webhook of the account."""
    webhook = ids.number("webhook", (await get_webhook(tx, actor, friendly)).id, 0)
    number = plain_key_named("delivery", delivery).key
    of_webhook = SQL("d.webhook_id = %s AND d.id = %s")
    return await find(tx, DELIVERY, "webhook_deliveries d", of_webhook, (webhook, number))
