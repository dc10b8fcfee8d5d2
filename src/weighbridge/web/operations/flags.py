"""Feature flags: which parts of the service the account has, and the line by which each is switched."""

from shlex import quote
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.feature_flag import FEATURES
from weighbridge.core.platform.permission import ANY
from weighbridge.platform.feature_flags.routes import get_feature_flags
from weighbridge.web.page import page
from weighbridge.web.visit import View, Visit, view

_ACCOUNT: Final = "SELECT name FROM accounts WHERE id = %s"


async def flags(visit: Visit) -> View:
    """The feature flags of the account; they are switched on the server, not here."""
    found = await visit.ask(get_feature_flags)
    account = await visit.reading.value(_ACCOUNT, (visit.actor.account_id,))
    return view(
        "operations/flags.html", "Flags",
        call="/feature_flags", account=quote(account),
        flags=[(feature.value, meaning, getattr(found, feature)) for feature, meaning in FEATURES.items()],
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [
    *page("/feature_flags", permission=ANY, of=get_feature_flags, everywhere=True)(flags)
]
