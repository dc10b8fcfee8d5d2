"""A webhook with what was delivered to it, and sending one message again."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.exchange.webhooks.routes import get_webhook, list_deliveries, redeliver, try_webhook
from weighbridge.web.listing import ListView, asked_for
from weighbridge.web.operations.tasks import home_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

_ONE: Final = "/webhooks/{webhook_id}"


async def webhook(visit: Visit) -> View:
    """One webhook: whom it tells what, how it fares, and its deliveries."""
    found = await visit.ask(get_webhook)
    deliveries = await visit.ask(list_deliveries, asked_for(visit.query))
    path = f"{home_of(visit)}/webhooks"
    return view(
        "operations/webhook.html", found.description or found.url,
        call=f"/webhooks/{found.id}", crumbs=(("Webhooks", path),),
        webhook=found, deliveries=deliveries.data, path=f"{path}/{found.id}",
        list=ListView(f"{path}/{found.id}", visit.query, deliveries.info),
    )  # fmt: skip


@form(f"{_ONE}/test", permission="administration:write", again=webhook, everywhere=True)
async def try_one(visit: Visit) -> Moved:
    """Send a message that says nothing, to see whether it arrives."""
    await visit.do(try_webhook, {})
    return Moved(f"{home_of(visit)}/webhooks/{visit.path['webhook_id']}", "A test message is on its way.")


@form(
    f"{_ONE}/deliveries/{{delivery_id}}/again",
    permission="administration:write",
    again=webhook,
    everywhere=True,
)
async def send_again(visit: Visit) -> Moved:
    """Send a message again that did not arrive."""
    await visit.do(redeliver, {})
    return Moved(f"{home_of(visit)}/webhooks/{visit.path['webhook_id']}", "The message is on its way again.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(_ONE, permission="administration:read", of=get_webhook, everywhere=True)(webhook),
    *try_one,
    *send_again,
]
