"""Links that open a report to whoever has their address.

The address of a link is in the answer that makes it alone.
"""

from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity import ResourceAddress
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    Name,
    between,
    one_of,
)
from weighbridge.platform.records import HandedOver, TokenUser

LINK_SECONDS_MIN: Final = 60
"""How long a link to a report lives at least, in seconds."""

LINK_SECONDS_MAX: Final = 366 * 86_400
"""How long a link to a report lives at most, in seconds."""

LINK_SECONDS_DEFAULT: Final = 30 * 86_400
"""How long a link to a report lives unless it is said, in seconds."""

STANDING_LINKS_MAX: Final = 100
"""Links of one report that are open at the same time, at most."""


class LinkStatus(StrEnum):
    """Whether a link opens its report."""

    OPEN = "open"
    EXPIRED = "expired"
    REVOKED = "revoked"


class ReportLink(msgspec.Struct, frozen=True):
    """A link that opens a report to whoever has its address."""

    id: int
    """The number of the link, by which it is revoked."""
    report_id: str
    name: Annotated[
        str,
        Sent(Name, write=str.strip, meaning="Whom or what it is for, such as `Verifier, first review`."),
    ]
    """Whom or what the link is for, in the words of whoever made it."""
    is_of_verifier: Annotated[
        bool, Sent(bool, default=False, meaning="Whether its holder may act as the verifier.")
    ]
    """Whether its holder may act as the verifier: draw samples, record findings, and conclude engagements."""
    status: Annotated[str, one_of(LinkStatus)]
    """Whether it opens the report: `open`, or over because it has `expired` or was `revoked`."""
    use_count: int
    """How often it was used; uses after its end count too."""
    last_used_at: Instant | None
    """When it was used last; null for one that never was."""
    created_by: str
    """The name of the user who made it."""
    created_at: Instant
    expires_at: Instant
    """When it stops opening the report."""
    revoked_at: Instant | None
    revoked_by: str | None
    """The name of the user who revoked it; null unless someone did."""
    user: TokenUser
    """Who answers for it: who made it, unless it was handed over."""


class IssuedReportLink(ReportLink, frozen=True):
    """A new link with its address, which is shown this once."""

    url: ResourceAddress | UnsetType = UNSET
    """The address that opens the report; it is shown this once. The answer to a request that is repeated with
    its Idempotency-Key has none."""


class HandedOverLinkBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /reports/{report_id}/links/{link_id}."""

    link: HandedOver


REPORT_LINK_BODIES: Final = RequestBodies(
    ReportLink,
    "link",
    "/reports/{report_id}/links",
    extra={
        "expires_in": Sent(
            Annotated[int, between(LINK_SECONDS_MIN, LINK_SECONDS_MAX)],
            default=LINK_SECONDS_DEFAULT,
            meaning="How long it opens the report, in seconds: 60 to 31,622,400, which are 366 days.",
        )
    },
    about_new="What a caller sends to make a link.",
)
