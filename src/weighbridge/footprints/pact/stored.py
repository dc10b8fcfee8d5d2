"""Footprints as they are stored: written once, found by the criteria of PACT, deprecated, told to partners.

Invariants: what is sent of a footprint is what was stored, to the last digit, and its status; a page begins
behind the number of the last footprint of the one before, so none is skipped and none comes twice; partners
are told in the transaction that makes or deprecates a footprint.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec

from weighbridge.core.footprint import ACTIVE, DEPRECATED, read_moment
from weighbridge.core.footprint_content import write_moment
from weighbridge.core.number import shorten
from weighbridge.db.engine import Read, Write
from weighbridge.footprints.records import CallKind

PATH: Final = "/pact"
"""What the paths of PACT begin with; it carries no version, for those of PACT do."""

LIMIT_DEFAULT: Final = 100
"""Footprints of a page, unless a request asks for fewer."""

LIMIT_MAX: Final = 500
"""Footprints of a page, at most; a host may give fewer than were asked for."""

VALUES_MAX: Final = 200
"""Values of one criterion, at most."""

EVENT_PREFIX: Final = "org.wbcsd.pact.ProductFootprint."
EVENT_TYPES: Final[Mapping[CallKind, str]] = {
    CallKind.PUBLISHED: f"{EVENT_PREFIX}PublishedEvent.3",
    CallKind.REQUEST_CREATED: f"{EVENT_PREFIX}RequestCreatedEvent.3",
    CallKind.REQUEST_FULFILLED: f"{EVENT_PREFIX}RequestFulfilledEvent.3",
    CallKind.REQUEST_REJECTED: f"{EVENT_PREFIX}RequestRejectedEvent.3",
}
"""The types of events, in the words of PACT 3."""

_LISTS: Final = {
    "productId": "product_ids",
    "companyId": "company_ids",
    "geography": "geographies",
    "classification": "classifications",
}
_MOMENTS: Final = {"validOn": "valid_on", "validAfter": "valid_after", "validBefore": "valid_before"}

CRITERIA: Final = (*_LISTS, *_MOMENTS, "status")
"""What footprints are looked for by, in the words of PACT."""


class CriteriaError(ValueError):
    """A criterion is not what PACT allows; the message is a full sentence."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What footprints are looked for by: texts in lower case, of which one has to fit; None for any."""

    product_ids: list[str] | None = None
    company_ids: list[str] | None = None
    geographies: list[str] | None = None
    classifications: list[str] | None = None
    valid_on: datetime | None = None
    valid_after: datetime | None = None
    valid_before: datetime | None = None
    status: str | None = None


def read_criteria(given: Mapping[str, Any]) -> Criteria:
    """The criteria of a query or an event; what is not one is left out. Raises CriteriaError."""
    read: dict[str, Any] = {}
    for name, field in _LISTS.items():
        values = given.get(name)
        if values is None:
            continue
        listed = values if isinstance(values, list) else [values]
        if len(listed) > VALUES_MAX or not all(isinstance(value, str) for value in listed):
            raise CriteriaError(f"{name} takes up to {VALUES_MAX} texts.")
        read[field] = [value.lower() for value in listed]
    for name, field in _MOMENTS.items():
        value = given.get(name)
        value = value[0] if isinstance(value, list) and value else value
        if value is None:
            continue
        # A plus sign of a query that was not escaped arrives as a space.
        moment = read_moment(value.replace(" ", "+") if isinstance(value, str) else value)
        if moment is None:
            raise CriteriaError(
                f"{name} is {shorten(repr(value))}; it is a time such as 2025-01-01T00:00:00Z."
            )
        read[field] = moment.astimezone(UTC)
    status = given.get("status")
    status = status[0] if isinstance(status, list) and status else status
    if status is not None:
        read["status"] = str(status).lower()
    return Criteria(**read)


class SentFootprint(msgspec.Struct, frozen=True):
    """A footprint as it is stored to be sent."""

    number: int
    id: UUID
    status: str
    content: str

    @property
    def text(self) -> str:
        """Its JSON, with the status that it has now."""
        return f'{self.content[:-1]},"status":"{self.status}"}}'


async def find_footprints(
    tx: Read, account: int, criteria: Criteria, *, after: int = 0, limit: int
) -> list[SentFootprint]:
    """Footprints that meet the criteria, in the order in which they were made, behind a number."""
    values = {name: getattr(criteria, name) for name in Criteria.__slots__}
    return await tx.rows(SentFootprint, _FIND, values | {"account": account, "after": after, "limit": limit})


async def find_footprint(tx: Read, account: int, identifier: UUID) -> SentFootprint | None:
    """One footprint of an account."""
    return await tx.row(
        SentFootprint,
        "SELECT number, id, status, content FROM footprints WHERE account_id = %s AND id = %s",
        (account, identifier),
    )


_FIND: Final = """
    SELECT number, id, status, content FROM footprints
     WHERE account_id = %(account)s AND number > %(after)s
       AND (%(product_ids)s::text[] IS NULL OR product_ids && %(product_ids)s::text[])
       AND (%(company_ids)s::text[] IS NULL OR company_ids && %(company_ids)s::text[])
       AND (%(geographies)s::text[] IS NULL OR geographies && %(geographies)s::text[])
       AND (%(classifications)s::text[] IS NULL OR classifications && %(classifications)s::text[])
       AND (%(valid_on)s::timestamptz IS NULL OR %(valid_on)s BETWEEN valid_from AND valid_until)
       AND (%(valid_after)s::timestamptz IS NULL OR valid_from > %(valid_after)s)
       AND (%(valid_before)s::timestamptz IS NULL OR valid_until < %(valid_before)s)
       AND (%(status)s::text IS NULL OR lower(status) = %(status)s)
     ORDER BY number LIMIT %(limit)s
"""


# Footprints are written, and deprecated.


@dataclass(frozen=True, slots=True)
class FootprintKeys:
    """What a footprint is of, and where it is stored."""

    account: int
    user: int
    product: int
    project: int
    batch: int | None
    report: int | None


async def insert_footprint(
    tx: Write,
    keys: FootprintKeys,
    content: Mapping[str, Any],
    preceding: Sequence[UUID],
    validity: tuple[datetime, datetime],
    reason: str | None,
) -> None:
    """Store a footprint; `reason` is why the share of primary data is left out."""
    await tx.execute(
        """
        INSERT INTO footprints (account_id, id, product_id, project_id, batch_id, report_id, content,
                                preceding, primary_data_share_reason, product_ids, company_ids,
                                classifications, geographies, valid_from, valid_until, user_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            keys.account, UUID(content["id"]), keys.product, keys.project, keys.batch, keys.report,
            json.dumps(content, ensure_ascii=False, separators=(",", ":")), [*preceding], reason,
            *derive_keys(content), *validity, keys.user,
        ),
    )  # fmt: skip


def derive_keys(content: Mapping[str, Any]) -> list[list[str]]:
    """What a footprint is looked for by, in lower case: products, companies, classifications, places."""
    pcf = content["pcf"]
    places = (pcf.get(f"geography{name}") for name in ("Country", "CountrySubdivision", "RegionOrSubregion"))
    return [
        _lower(content["productIds"]),
        _lower(content["companyIds"]),
        _lower(content.get("productClassifications", ())),
        _lower(place for place in places if place),
    ]


def _lower(texts: Any) -> list[str]:
    return [text.lower() for text in texts]


async def deprecate_footprints(tx: Write, account: int, ids: Sequence[UUID], reason: str) -> list[UUID]:
    """Deprecate those of some footprints that are active; gives which."""
    rows = await tx.tuples(
        """
        UPDATE footprints SET status = %s, deprecated_at = (SELECT clock_timestamp()), deprecated_reason = %s
         WHERE account_id = %s AND id = ANY (%s) AND status = %s RETURNING id
        """,
        (DEPRECATED, reason, account, [*ids], ACTIVE),
    )
    return [identifier for (identifier,) in rows]


# Events are written, and left to be sent.


def write_event(kind: CallKind, source: str, data_text: str, now: datetime) -> tuple[str, str]:
    """The id and the text of an event (CloudEvents 1.0, structured mode), with data that are JSON already."""
    identifier = str(uuid4())
    head = json.dumps(
        {
            "type": EVENT_TYPES[kind], "specversion": "1.0", "id": identifier, "source": source,
            "time": write_moment(now),
        }
    )  # fmt: skip
    return identifier, f'{head[:-1]}, "data": {data_text}}}'


async def insert_call(tx: Write, account: int, partner: int, kind: CallKind, event: tuple[str, str]) -> int:
    """Leave something to be sent to a partner, or read from it; gives its number."""
    number: int = await tx.value(
        """
        INSERT INTO footprint_calls (account_id, partner_id, kind, event_id, content)
        VALUES (%s, %s, %s, %s, %s) RETURNING id
        """,
        (account, partner, kind, *event),
    )
    return number


async def notify_partners(tx: Write, account: int, address: str, ids: Sequence[UUID]) -> None:
    """Leave it to be told to every partner that wants to know that footprints are new or deprecated."""
    if not ids:
        return
    rows = await tx.tuples(
        "SELECT id, now() FROM footprint_partners WHERE account_id = %s AND is_notified ORDER BY id",
        (account,),
    )
    data = json.dumps({"pfIds": [str(identifier) for identifier in ids]})
    for partner, now in rows:
        event = write_event(CallKind.PUBLISHED, f"{address}{PATH}", data, now)
        await insert_call(tx, account, partner, CallKind.PUBLISHED, event)
