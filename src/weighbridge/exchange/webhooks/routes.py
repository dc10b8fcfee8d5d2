"""Paths of webhooks and their deliveries."""

from weighbridge.db.listing import Page, list_request
from weighbridge.exchange.webhooks import actions, queries
from weighbridge.exchange.webhooks.records import (
    IssuedWebhook,
    NewWebhookBody,
    Redelivery,
    SecretRoll,
    Webhook,
    WebhookChangeBody,
    WebhookDelivery,
    WebhookTest,
    without_secret,
)
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_ONE = "/webhooks/{webhook_id}"
_READ, _WRITE = "administration:read", "administration:write"


@get("/webhooks", permission=_READ, returns=Page[Webhook], listing=queries.WEBHOOKS)
async def list_webhooks(call: ReadCall) -> Page[Webhook]:
    """List the account's webhooks, without their secrets."""
    return await queries.list_webhooks(call.tx, call.actor, list_request(call.query, queries.WEBHOOKS))


@post(
    "/webhooks",
    permission=_WRITE,
    body=NewWebhookBody,
    returns=IssuedWebhook,
    kept=without_secret,
    example={"webhook": {"url": "https://partner.example/hooks", "change_types": ["batch", "report.update"]}},
)
async def create_webhook(call: WriteCall, body: NewWebhookBody) -> IssuedWebhook:
    """Have an address told of what changes from now on; the answer shows the secret this once.

    A token can have others told only of what it may read. Each message is a CloudEvent, signed by the
    Standard Webhooks scheme; it names the records that changed, and says nothing else of them.
    """
    return await actions.create_webhook(call.tx, call.actor, body.webhook)


@get(_ONE, permission=_READ, returns=Webhook)
async def get_webhook(call: ReadCall) -> Webhook:
    """Read one webhook."""
    return await queries.get_webhook(call.tx, call.actor, call.path["webhook_id"])


@patch(_ONE, permission=_WRITE, body=WebhookChangeBody, returns=Webhook)
async def update_webhook(call: WriteCall, body: WebhookChangeBody) -> Webhook:
    """Change a webhook, disable it, or enable it again: it goes on where it stood in the feed."""
    return await actions.update_webhook(call.tx, call.actor, call.path["webhook_id"], body.webhook)


@delete(_ONE, permission=_WRITE)
async def delete_webhook(call: WriteCall) -> None:
    """Remove a webhook with the log of its deliveries."""
    await actions.delete_webhook(call.tx, call.actor, call.path["webhook_id"])


@post(
    _ONE + "/roll_secret",
    permission=_WRITE,
    body=SecretRoll,
    returns=IssuedWebhook,
    status=200,
    kept=without_secret,
    example={"overlap_hours": 24},
)
async def roll_secret(call: WriteCall, body: SecretRoll) -> IssuedWebhook:
    """Give a webhook a new secret, shown this once; those so far sign beside it until the overlap is over."""
    return await actions.roll_secret(call.tx, call.actor, call.path["webhook_id"], body)


@post(_ONE + "/test", permission=_WRITE, body=WebhookTest, returns=WebhookDelivery)
async def try_webhook(call: WriteCall, _: WebhookTest) -> WebhookDelivery:
    """Have a test delivered, of the type `weighbridge.webhook.test`: one attempt, also while disabled."""
    return await actions.try_webhook(call.tx, call.actor, call.path["webhook_id"])


@get(_ONE + "/deliveries", permission=_READ, returns=Page[WebhookDelivery], listing=queries.DELIVERIES)
async def list_deliveries(call: ReadCall) -> Page[WebhookDelivery]:
    """List what was sent to a webhook and what became of it, the newest first.

    Deliveries that were taken are kept for 7 days, those that failed for 30.
    """
    request = list_request(call.query, queries.DELIVERIES)
    return await queries.list_deliveries(call.tx, call.actor, call.path["webhook_id"], request)


@get(_ONE + "/deliveries/{delivery_id}", permission=_READ, returns=WebhookDelivery)
async def get_delivery(call: ReadCall) -> WebhookDelivery:
    """Read one delivery."""
    return await queries.get_delivery(call.tx, call.actor, call.path["webhook_id"], call.path["delivery_id"])


@post(
    _ONE + "/deliveries/{delivery_id}/redeliver",
    permission=_WRITE,
    body=Redelivery,
    returns=WebhookDelivery,
    status=200,
)
async def redeliver(call: WriteCall, _: Redelivery) -> WebhookDelivery:
    """Send a delivery again now, under the same id."""
    return await actions.redeliver(call.tx, call.actor, call.path["webhook_id"], call.path["delivery_id"])


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
