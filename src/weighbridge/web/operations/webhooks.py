"""Webhooks: whom the service tells what changes, made and changed here, with what was delivered to each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.change import ACTIONS
from weighbridge.exchange.webhooks.records import IssuedWebhook, Webhook
from weighbridge.exchange.webhooks.routes import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    redeliver,
    roll_secret,
    try_webhook,
    update_webhook,
)
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.operations.tasks import home_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

_ALL: Final = "/webhooks"
_ONE: Final = "/webhooks/{webhook_id}"
_READ: Final = "administration:read"
_WRITE: Final = "administration:write"

OVERLAP_HOURS: Final = (0, 24, 168)
"""For how long the form offers that the secret so far signs beside the new one."""


def asked_for_webhooks(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


async def webhooks(visit: Visit) -> View:
    """The webhooks of the account, and the form that makes one."""
    return await _webhooks(visit)


@form(_ALL, permission=_WRITE, again=webhooks, everywhere=True)
async def make_webhook(visit: Visit) -> View:
    """Make a webhook; its secret is shown this once."""
    made: IssuedWebhook = await visit.do(create_webhook, {"webhook": _typed(visit)})
    return await _webhooks(visit, issued=made)


async def webhook(visit: Visit) -> View:
    """One webhook: whom it tells what, how it fares, and its deliveries."""
    return await _webhook(visit)


@form(_ONE, permission=_WRITE, again=webhook, everywhere=True)
async def change_webhook(visit: Visit) -> Moved:
    """Change whom a webhook tells what."""
    await visit.do(update_webhook, {"webhook": _typed(visit)})
    return Moved(_own(visit), "The webhook is changed.")


@form(f"{_ONE}/switch", permission=_WRITE, again=webhook, everywhere=True)
async def switch(visit: Visit) -> Moved:
    """Have a webhook told nothing more, or go on where it stood."""
    is_on = visit.text("on") == "yes"
    await visit.do(update_webhook, {"webhook": {"is_enabled": is_on}})
    said = "It goes on where it stood." if is_on else "It is told nothing until it is on again."
    return Moved(_own(visit), said)


@form(f"{_ONE}/roll_secret", permission=_WRITE, again=webhook, everywhere=True)
async def new_secret(visit: Visit) -> View:
    """Give a webhook another secret; it is shown this once."""
    hours = visit.text("hours")
    body = {"overlap_hours": int(hours)} if hours.isdecimal() else {}
    return await _webhook(visit, issued=await visit.do(roll_secret, body))


@form(f"{_ONE}/delete", permission=_WRITE, again=webhook, everywhere=True)
async def remove(visit: Visit) -> Moved:
    """Remove a webhook with the log of its deliveries."""
    await visit.do(delete_webhook)
    return Moved(f"{home_of(visit)}{_ALL}", "The webhook is gone.")


@form(f"{_ONE}/test", permission=_WRITE, again=webhook, everywhere=True)
async def try_one(visit: Visit) -> Moved:
    """Send a message that says nothing, to see whether it arrives."""
    await visit.do(try_webhook, {})
    return Moved(_own(visit), "A test message is on its way.")


@form(f"{_ONE}/deliveries/{{delivery_id}}/again", permission=_WRITE, again=webhook, everywhere=True)
async def send_again(visit: Visit) -> Moved:
    """Send a message again that did not arrive."""
    await visit.do(redeliver, {})
    return Moved(_own(visit), "The message is on its way again.")


async def _webhooks(visit: Visit, issued: IssuedWebhook | None = None) -> View:
    found = await visit.ask(list_webhooks, asked_for_webhooks(visit))
    path = f"{home_of(visit)}{_ALL}"
    return view(
        "operations/webhooks.html", "Webhooks",
        call=_ALL, has_csv=True, webhooks=found.data, issued=issued, path=path,
        list=ListView(path, visit.query, found.info), kinds=ACTIONS, chosen=_chosen(visit, None),
        is_here=visit.text("project", "yes") == "yes", names=_names(visit),
    )  # fmt: skip


async def _webhook(visit: Visit, issued: IssuedWebhook | None = None) -> View:
    found: Webhook = await visit.ask(get_webhook)
    deliveries = await visit.ask(list_deliveries, asked_for(visit.query))
    path = f"{home_of(visit)}{_ALL}"
    return view(
        "operations/webhook.html", found.description or found.url,
        call=f"{_ALL}/{found.id}", crumbs=(("Webhooks", path),),
        webhook=found, deliveries=deliveries.data, path=f"{path}/{found.id}", issued=issued,
        list=ListView(f"{path}/{found.id}", visit.query, deliveries.info), kinds=ACTIONS,
        chosen=_chosen(visit, found), overlaps=OVERLAP_HOURS, names=_names(visit),
        is_here=found.project_id is not None,
    )  # fmt: skip


def _names(visit: Visit) -> Mapping[str, str]:
    """What the projects that webhooks may be of are called, by their ids."""
    return {one.id: one.name for one in visit.frame.projects}


def _chosen(visit: Visit, found: Webhook | None) -> Sequence[str]:
    """The changes that the form has ticked: what was typed, else what the webhook is told."""
    if visit.typed:
        return visit.texts("change_types")
    return found.change_types if found else ()


def _typed(visit: Visit) -> dict[str, Any]:
    """What the form says of a webhook; without a tick it is told of all that its maker may read."""
    project = visit.frame.project
    named: dict[str, Any] = {"url": visit.text("url"), "description": visit.text("description")}
    if types := visit.texts("change_types"):
        named["change_types"] = [*types]
    if project is not None and "project" in visit.typed:
        named["project_id"] = project.id if visit.text("project") == "yes" else None
    return named


def _own(visit: Visit) -> str:
    return f"{home_of(visit)}{_ALL}/{visit.path['webhook_id']}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(_ALL, permission=_READ, of=list_webhooks, asked=asked_for_webhooks, everywhere=True)(webhooks),
    *page(_ONE, permission=_READ, of=get_webhook, everywhere=True)(webhook),
    *(*make_webhook, *change_webhook, *switch, *new_secret, *remove),
    *(*try_one, *send_again),
]
