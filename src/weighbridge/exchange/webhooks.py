"""Webhooks: URLs of others that receive what changes, by requests that they can trust.

In: a URL, the changes to send, a project or the whole account. Out: CloudEvents, signed by the Standard
Webhooks scheme, and the log of their deliveries. `delivery` delivers them. Permission: administration, and of
what is sent the permission to read it.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import asdict
from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.identity import explain_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform.audit import CHANGE_TYPES, PERMISSIONS, ChangeCursor, ChangeKind
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import list_readable_kinds
from weighbridge.core.platform.webhook import (
    SECRET_BYTES,
    SECRET_BYTES_MAX,
    SECRET_BYTES_MIN,
    SECRET_PREFIX,
    SIGNING_SECRETS_MAX,
    DeliveryState,
    read_secret,
    write_secret,
)
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    Page,
    among,
    list_request,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Forbidden, Invalid, NotFound
from weighbridge.exchange.records.changes import (
    OVERLAP_HOURS_MAX,
    SHOWN_KINDS,
    TEST,
    TYPE_PREFIX,
    WEBHOOK_BODIES,
    AttemptMade,
    IssuedWebhook,
    Redelivery,
    SecretRoll,
    Webhook,
    WebhookDelivery,
    WebhookTest,
    change_type,
)
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.outgoing import problem_of_address
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import WEBHOOK_SECRETS, encrypt_secret
from weighbridge.platform.tenancy import (
    find,
    of_account,
    plain_key_named,
    project_filter,
    project_for_record,
    project_number,
)

# Read webhooks, without their secrets, and their deliveries.


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

_ATTEMPT_FIELDS: Final = ("status", "milliseconds", "error", "answer")

_webhook_id: Final = partial(identity.of, "webhook", 0)


def _build_cursor(number: int, position: int) -> str:
    return ChangeCursor(number, position).text


WEBHOOK: Final = row_of(
    Webhook,
    Column("id", "w.id", _webhook_id),
    Column("project_id", "w.project_id", unless_null(partial(identity.of, "project"))),
    Column("url", "w.url"),
    Column("description", "w.description"),
    Column("change_types", "w.change_types"),
    Column("is_enabled", "w.is_enabled"),
    Column("disabled_at", "w.disabled_at"),
    Column("disabled_reason", "w.disabled_reason"),
    Column("failing_since", "w.failing_since"),
    Column("cursor", ("l.next_number", "l.next_position"), _build_cursor),
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


def _read_attempts(stored: list[dict[str, Any]]) -> list[AttemptMade]:
    return [
        AttemptMade(
            Instant.of(datetime.fromisoformat(attempt["at"])), *(attempt[name] for name in _ATTEMPT_FIELDS)
        )
        for attempt in stored
    ]


def _build_type(kind: str, action: str) -> str:
    return TYPE_PREFIX + change_type(kind, action)


DELIVERY: Final = row_of(
    WebhookDelivery,
    Column("id", "d.id", partial(identity.of, "delivery", 0)),
    Column("webhook_id", "d.webhook_id", _webhook_id),
    Column("type", ("d.kind", "d.action"), _build_type),
    Column("kind", "d.kind", lambda kind: str(SHOWN_KINDS.get(kind, kind))),
    Column("action", "d.action"),
    Column("project_id", "d.project_id", unless_null(partial(identity.of, "project"))),
    Column(
        "records",
        "CASE WHEN d.first_number IS NULL THEN 1 ELSE (SELECT sum(upper(part) - lower(part))::integer"
        " FROM unnest(d.keys) AS part) END",
    ),
    Column("cursor", ("d.next_number", "d.next_position"), unless_null(_build_cursor)),
    Column("state", "d.state"),
    Column("attempt_count", "d.attempt_count"),
    Column("next_attempt_at", "d.next_attempt_at"),
    Column("attempts", "d.attempts", _read_attempts),
    Column("created_at", "d.created_at"),
    Column("ended_at", "d.ended_at"),
)


async def read_webhook(tx: Read, actor: Actor, friendly: str) -> Webhook:
    """One webhook of the actor's account."""
    number = plain_key_named("webhook", friendly).key
    numbered = SQL("{} AND w.id = %s").format(of_account(actor, "w.account_id"))
    try:
        return await find(tx, WEBHOOK, _SOURCE, numbered, (number,))
    except NotFound:
        raise NotFound("webhook", friendly) from None


async def read_delivery(tx: Read, actor: Actor, friendly: str, delivery: str) -> WebhookDelivery:
    """One delivery of a webhook of the account."""
    webhook = identity.number("webhook", (await read_webhook(tx, actor, friendly)).id, 0)
    number = plain_key_named("delivery", delivery).key
    of_webhook = SQL("d.webhook_id = %s AND d.id = %s")
    return await find(tx, DELIVERY, "webhook_deliveries d", of_webhook, (webhook, number))


# Create, change and remove webhooks.


WEBHOOKS_OF_ACCOUNT_MAX: Final = 100
"""Webhooks of one account."""

BY_CALLER: Final = "It was disabled by a request."
"""Why a webhook is disabled that a caller disables."""


async def insert_webhook(tx: Write, actor: Actor, new: Webhook) -> IssuedWebhook:
    """Make a webhook that is told of what changes from now on."""
    project = None if new.project_id is None else await project_for_record(tx, actor, new.project_id)
    types = _choose_types(actor, new.change_types)
    if problems := [*_list_problems(new), *await _list_count_problems(tx, actor)]:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO webhooks (account_id, project_id, url, description, change_types, task_types, is_enabled,
                              disabled_at, disabled_reason, user_id)
        VALUES (%(account)s, %(project)s, %(url)s, %(description)s, %(types)s, %(task_types)s, %(enabled)s,
                CASE WHEN NOT %(enabled)s THEN now() END, CASE WHEN NOT %(enabled)s THEN %(reason)s END,
                %(user)s)
        RETURNING id
        """,
        {
            "account": actor.account_id,
            "project": project,
            "url": new.url,
            "description": new.description,
            "types": types,
            "task_types": list_readable_kinds(actor),
            "enabled": new.is_enabled,
            "reason": BY_CALLER,
            "user": actor.user_id,
        },
    )
    await tx.execute(_INSERT_LANE, {"number": number, "account": actor.account_id})
    secret = await _store_secret(tx, number, actor.account_id)
    made = await read_webhook(tx, actor, identity.of("webhook", 0, number))
    changes.record(
        tx,
        actor,
        action="webhook.create",
        target=made.id,
        project_id=project,
        after=_build_audit_record(made),
    )
    return IssuedWebhook(**asdict(made), secret=write_secret(secret))


async def change_webhook(tx: Write, actor: Actor, friendly: str, change: Struct) -> Webhook:
    """Change a webhook; one that is enabled again goes on where it stood."""
    before, number = await _lock_webhook(tx, actor, friendly)
    project = None
    desired, sent = WEBHOOK_BODIES.changed(before, change), WEBHOOK_BODIES.sent(change)
    if desired.project_id is not None:
        project = await project_for_record(tx, actor, desired.project_id)
    types = before.change_types
    is_moved = (desired.url, desired.project_id) != (before.url, before.project_id)
    if is_moved or "change_types" in sent:
        # Another address or project has somebody told of more: of no more than the caller may read.
        types = _choose_types(actor, desired.change_types)
    secret, secret_problems = _read_sent_secret(before, desired, sent.get("secret"))
    if problems := [*_list_problems(desired), *secret_problems]:
        raise Invalid(problems)
    await tx.execute(
        _UPDATE,
        {
            "number": number,
            "project": project,
            "url": desired.url,
            "description": desired.description,
            "types": types,
            "task_types": None if types is before.change_types else list_readable_kinds(actor),
            "enabled": desired.is_enabled,
            "reason": BY_CALLER,
            "user": actor.user_id,
        },
    )
    if secret is not None:
        await tx.execute(_END_SECRETS, (0, number))
        await _store_secret(tx, number, actor.account_id, secret)
    if desired.is_enabled:
        tx.later(_WAKE_LANE, (number,))
    after = await read_webhook(tx, actor, friendly)
    if secret is not None or _build_audit_record(after) != _build_audit_record(before):
        changes.record(
            tx, actor, action="webhook.update", target=friendly, project_id=project,
            before=_build_audit_record(before), after=_build_audit_record(after),
        )  # fmt: skip
    return after


def _read_sent_secret(
    before: Webhook, desired: Webhook, text: str | None
) -> tuple[bytes | None, list[Problem]]:
    """The secret that a change states, if it states one, and what is wrong with it or with its absence."""
    if text is None:
        hosts = [urlsplit(webhook.url).netloc.lower() for webhook in (before, desired)]
        if hosts[0] == hosts[1]:
            return None, []
        message = (
            f"webhook.url changes its host from {shorten(hosts[0])!r} to {shorten(hosts[1])!r}, where"
            " nobody is to get what is signed by the secrets so far; state the secret of the receiver there"
            " with it."
        )
        return None, [Problem(message, "webhook.secret", "required")]
    secret = read_secret(text)
    if secret is not None:
        return secret, []
    message = (
        f"webhook.secret is not a secret; it is {SECRET_PREFIX} and base64 of {SECRET_BYTES_MIN} to"
        f" {SECRET_BYTES_MAX} bytes."
    )
    return None, [Problem(message, "webhook.secret", "invalid")]


_INSERT_LANE: Final = """
    WITH made AS MATERIALIZED (
        SELECT %(number)s, 1 + greatest(
                   coalesce((SELECT max(number) FROM changes WHERE account_id = %(account)s), 0),
                   coalesce((SELECT number FROM change_horizons WHERE account_id = %(account)s), 0))
    )
    INSERT INTO webhook_lanes (webhook_id, next_number)
    SELECT * FROM made
"""

_UPDATE: Final = """
    UPDATE webhooks
       SET project_id = %(project)s, url = %(url)s, description = %(description)s, change_types = %(types)s,
           task_types = coalesce(%(task_types)s::text[], task_types), is_enabled = %(enabled)s,
           disabled_at = CASE WHEN NOT %(enabled)s THEN coalesce(disabled_at, (SELECT now())) END,
           disabled_reason = CASE WHEN NOT %(enabled)s THEN coalesce(disabled_reason, %(reason)s) END,
           failing_since = CASE WHEN is_enabled = %(enabled)s THEN failing_since END,
           user_id = %(user)s, updated_at = now()
     WHERE id = %(number)s
       AND (project_id IS DISTINCT FROM %(project)s::integer OR (url, description, change_types, is_enabled)
            IS DISTINCT FROM (%(url)s::text, %(description)s::text, %(types)s::text[], %(enabled)s::boolean))
"""

_END_SECRETS: Final = """
    UPDATE webhook_secrets
       SET expires_at = least(coalesce(expires_at, 'infinity'),
                              date_trunc('milliseconds', now()) + make_interval(hours => %s))
     WHERE webhook_id = %s AND (expires_at IS NULL OR expires_at > now())
"""

_STANDING_SECRETS: Final = "SELECT count(*) FROM webhook_secrets WHERE webhook_id = %s AND expires_at > now()"

_REDELIVER: Final = """
    UPDATE webhook_deliveries d
       SET is_by_hand = d.state <> 'pending' OR NOT w.is_enabled OR d.is_by_hand, state = 'pending',
           next_attempt_at = now(), ended_at = NULL
      FROM webhooks w
     WHERE d.id = %s AND w.id = d.webhook_id
"""


_STATE_FIELDS: Final = frozenset(
    {"cursor", "failing_since", "lost_entries", "pending_deliveries", "old_secrets_until", "updated_at"}
)
"""What changes of a webhook by itself."""


def _find_project(webhook: Webhook) -> int | None:
    return None if webhook.project_id is None else project_number(webhook.project_id)


async def _lock_webhook(tx: Write, actor: Actor, friendly: str) -> tuple[Webhook, int]:
    """A webhook that nobody else changes or delivers for until the transaction ends, and its number."""
    number = plain_key_named("webhook", friendly).key
    tx.later(_LOCK_LANE, (number, actor.account_id))
    tx.later(_LOCK_WEBHOOK, (number, actor.account_id))
    return await read_webhook(tx, actor, friendly), number


_LOCK_LANE: Final = """
    SELECT FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
     WHERE l.webhook_id = %s AND w.account_id = %s FOR UPDATE OF l
"""
_LOCK_WEBHOOK: Final = "SELECT FROM webhooks WHERE id = %s AND account_id = %s FOR UPDATE"

_WAKE_LANE: Final = "UPDATE webhook_lanes SET due_at = now() WHERE webhook_id = %s"


async def _store_secret(tx: Write, webhook: int, account: int, secret: bytes | None = None) -> bytes:
    """Store a secret, a new one if none is given, encrypted for its row."""
    secret = secret or secrets.token_bytes(SECRET_BYTES)
    # The row is known by the number that it is given, so it gets its envelope after that.
    number: int = await tx.value(
        "INSERT INTO webhook_secrets (webhook_id, encrypted) VALUES (%s, %s) RETURNING id", (webhook, b"")
    )
    place = WEBHOOK_SECRETS.place(account, f"{webhook}/{number}")
    await tx.execute(
        "UPDATE webhook_secrets SET encrypted = %s WHERE id = %s",
        (await encrypt_secret(tx, secret, place), number),
    )
    return secret


def _choose_types(actor: Actor, types: Sequence[str] | None) -> list[str]:
    """The changes of which is told; Forbidden where the caller's token may not read them."""
    readable = [kind for kind in ChangeKind if kind not in PERMISSIONS or actor.may(PERMISSIONS[kind])]
    if types is None:
        return [kind.value for kind in readable]
    known = [text for text in types if text in CHANGE_TYPES]
    kinds = {kind for text in known for kind, _ in CHANGE_TYPES[text]}
    lacking = sorted({PERMISSIONS[kind] for kind in kinds if kind not in readable})
    if lacking:
        raise Forbidden(
            f"The token lacks the permission {', '.join(lacking)}, so it cannot have others told of that.",
            "permission_missing",
        )
    return [*dict.fromkeys(types)]


def _list_problems(webhook: Webhook) -> list[Problem]:
    """What is wrong with a webhook as it is wanted."""
    problems = []
    if wrong := problem_of_address(webhook.url, "webhook.url"):
        problems.append(wrong)
    if unseen := explain_unseen(webhook.description):
        problems.append(Problem(f"webhook.description {unseen}.", "webhook.description", "invalid"))
    # Of a new webhook they may be null: whatever its caller may read.
    if webhook.change_types is not None and not webhook.change_types:
        message = f"webhook.change_types is empty; it takes some of {', '.join(CHANGE_TYPES)}."
        problems.append(Problem(message, "webhook.change_types", "required"))
    problems += [
        Problem(
            f"webhook.change_types has {shorten(text)!r}; it takes some of {', '.join(CHANGE_TYPES)}.",
            "webhook.change_types",
            "invalid",
        )
        for text in dict.fromkeys(webhook.change_types or ())
        if text not in CHANGE_TYPES
    ]
    return problems


async def _list_count_problems(tx: Read, actor: Actor) -> list[Problem]:
    count: int = await tx.value("SELECT count(*) FROM webhooks WHERE account_id = %s", (actor.account_id,))
    if count < WEBHOOKS_OF_ACCOUNT_MAX:
        return []
    return [Problem(f"The account has {count} webhooks, which is all it may.", None, "too_many")]


def _build_audit_record(webhook: Webhook) -> dict[str, object]:
    """What the audit log keeps of a webhook: what people decided, not how its deliveries stand."""
    return {name: value for name, value in asdict(webhook).items() if name not in _STATE_FIELDS}


DELIVERED_DAYS: Final = 7
"""Days for which deliveries that were taken are kept."""

FAILED_DAYS: Final = 30
"""Days for which deliveries that failed are kept."""

_FORGET: Final = """
    DELETE FROM webhook_deliveries
     WHERE (state = 'delivered' AND ended_at < now() - make_interval(days => %s))
        OR (state <> 'delivered' AND ended_at < now() - make_interval(days => %s))
"""


async def forget_deliveries(tx: Write) -> int:
    """Remove what ended long ago; gives how many deliveries that were."""
    await tx.execute("DELETE FROM webhook_secrets WHERE expires_at < now()")
    return await tx.execute(_FORGET, (DELIVERED_DAYS, FAILED_DAYS))


_ONE = "/webhooks/{webhook_id}"
_READ, _WRITE = "administration:read", "administration:write"


@get("/webhooks", permission=_READ, returns=Page[Webhook], listing=WEBHOOKS)
async def list_webhooks(call: ReadCall) -> Page[Webhook]:
    """List the account's webhooks, without their secrets."""
    request = list_request(call.query, WEBHOOKS)
    owned = [of_account(call.actor, "w.account_id")]
    return await read_page(call.tx, WEBHOOK, WEBHOOKS, request, source=_SOURCE, where=owned)


@post(
    "/webhooks",
    permission=_WRITE,
    body=WEBHOOK_BODIES.new_body,
    returns=IssuedWebhook,
    shown_once="secret",
    example={"webhook": {"url": "https://partner.example/hooks", "change_types": ["batch", "report.update"]}},
)
async def create_webhook(call: WriteCall, body: Struct) -> IssuedWebhook:
    """Have an address told of what changes from now on; the answer shows the secret this once.

    A token can have others told only of what it may read. Each message is a CloudEvent, signed by the
    Standard Webhooks scheme; it names the records that changed, and says nothing else of them.
    """
    return await insert_webhook(call.tx, call.actor, WEBHOOK_BODIES.created(body))


@get(_ONE, permission=_READ, returns=Webhook)
async def get_webhook(call: ReadCall) -> Webhook:
    """Read one webhook."""
    return await read_webhook(call.tx, call.actor, call.path["webhook_id"])


@patch(_ONE, permission=_WRITE, body=WEBHOOK_BODIES.change_body, returns=Webhook)
async def update_webhook(call: WriteCall, body: Struct) -> Webhook:
    """Change a webhook, disable it, or enable it again: it goes on where it stood in the feed."""
    return await change_webhook(call.tx, call.actor, call.path["webhook_id"], body)


@delete(_ONE, permission=_WRITE)
async def delete_webhook(call: WriteCall) -> None:
    """Remove a webhook with the log of its deliveries."""
    tx, actor, friendly = call.tx, call.actor, call.path["webhook_id"]
    before, number = await _lock_webhook(tx, actor, friendly)
    await tx.execute("DELETE FROM webhooks WHERE id = %s", (number,))
    changes.record(
        tx, actor, action="webhook.delete", target=friendly, before=_build_audit_record(before),
        project_id=_find_project(before),
    )  # fmt: skip


@post(
    _ONE + "/roll_secret",
    permission=_WRITE,
    body=SecretRoll,
    returns=IssuedWebhook,
    status=200,
    shown_once="secret",
    example={"overlap_hours": 24},
)
async def roll_secret(call: WriteCall, body: SecretRoll) -> IssuedWebhook:
    """Give a webhook a new secret, shown this once; those so far sign beside it until the overlap is over."""
    tx, actor, friendly = call.tx, call.actor, call.path["webhook_id"]
    if not 0 <= body.overlap_hours <= OVERLAP_HOURS_MAX:
        message = f"overlap_hours is {body.overlap_hours:,}; it takes 0 to {OVERLAP_HOURS_MAX}."
        raise Invalid([Problem(message, "overlap_hours", "invalid")])
    _, number = await _lock_webhook(tx, actor, friendly)
    await tx.execute(_END_SECRETS, (body.overlap_hours, number))
    standing: int = await tx.value(_STANDING_SECRETS, (number,))
    if standing >= SIGNING_SECRETS_MAX:
        message = (
            f"{standing} secrets of the webhook sign already, which is as many as may. Wait until one has "
            "ended, or roll with overlap_hours 0."
        )
        raise Invalid([Problem(message, "overlap_hours", "too_many")])
    secret = await _store_secret(tx, number, actor.account_id)
    after = await read_webhook(tx, actor, friendly)
    changes.record(
        tx, actor, action="webhook.roll_secret", target=friendly,
        project_id=_find_project(after),
        after={"overlap_hours": body.overlap_hours},
    )  # fmt: skip
    return IssuedWebhook(**asdict(after), secret=write_secret(secret))


@post(_ONE + "/test", permission=_WRITE, body=WebhookTest, returns=WebhookDelivery)
async def try_webhook(call: WriteCall, _: WebhookTest) -> WebhookDelivery:
    """Have a test delivered, of the type `weighbridge.webhook.test`: one attempt, also while disabled."""
    tx, actor, friendly = call.tx, call.actor, call.path["webhook_id"]
    webhook, number = await _lock_webhook(tx, actor, friendly)
    kind, action = TEST
    delivery: int = await tx.value(
        """
        INSERT INTO webhook_deliveries (webhook_id, kind, action, project_id, keys, changed_at, is_by_hand)
        VALUES (%s, %s, %s, %s, '{}', now(), true) RETURNING id
        """,
        (number, kind, action, _find_project(webhook)),
    )
    tx.later(_WAKE_LANE, (number,))
    made = await read_delivery(tx, actor, friendly, identity.of("delivery", 0, delivery))
    changes.record(
        tx, actor, action="webhook.test", target=friendly, project_id=_find_project(webhook),
        after={"delivery_id": made.id},
    )  # fmt: skip
    return made


@get(_ONE + "/deliveries", permission=_READ, returns=Page[WebhookDelivery], listing=DELIVERIES)
async def list_deliveries(call: ReadCall) -> Page[WebhookDelivery]:
    """List what was sent to a webhook and what became of it, the newest first.

    Deliveries that were taken are kept for 7 days, those that failed for 30.
    """
    request = list_request(call.query, DELIVERIES)
    webhook = await read_webhook(call.tx, call.actor, call.path["webhook_id"])
    of_webhook = SQL("d.webhook_id = {}").format(Literal(identity.number("webhook", webhook.id, 0)))
    return await read_page(
        call.tx, DELIVERY, DELIVERIES, request, source="webhook_deliveries d", where=[of_webhook]
    )


@get(_ONE + "/deliveries/{delivery_id}", permission=_READ, returns=WebhookDelivery)
async def get_delivery(call: ReadCall) -> WebhookDelivery:
    """Read one delivery."""
    return await read_delivery(call.tx, call.actor, call.path["webhook_id"], call.path["delivery_id"])


@post(
    _ONE + "/deliveries/{delivery_id}/redeliver",
    permission=_WRITE,
    body=Redelivery,
    returns=WebhookDelivery,
    status=200,
)
async def redeliver(call: WriteCall, _: Redelivery) -> WebhookDelivery:
    """Send a delivery again now, under the same id."""
    # One that is pending goes on with its schedule afterwards, if it has to.
    tx, actor, friendly, delivery = call.tx, call.actor, call.path["webhook_id"], call.path["delivery_id"]
    webhook, number = await _lock_webhook(tx, actor, friendly)
    before = await read_delivery(tx, actor, friendly, delivery)
    await tx.execute(_REDELIVER, (identity.number("delivery", delivery, 0),))
    tx.later(_WAKE_LANE, (number,))
    changes.record(
        tx, actor, action="webhook.redeliver", target=friendly, project_id=_find_project(webhook),
        after={"delivery_id": delivery, "state": before.state},
    )  # fmt: skip
    return await read_delivery(tx, actor, friendly, delivery)


ROUTES = [
    list_webhooks,
    create_webhook,
    get_webhook,
    update_webhook,
    delete_webhook,
    roll_secret,
    try_webhook,
    list_deliveries,
    get_delivery,
    redeliver,
]
