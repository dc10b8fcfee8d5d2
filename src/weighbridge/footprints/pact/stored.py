"""Footprints as they are stored: written once, found by the criteria of PACT, deprecated, told to partners.

Invariants: what is sent of a footprint is what was stored, to the last digit, and its status; a page begins
behind the number of the last footprint of the one before, so none is skipped and none comes twice; partners
are told in the transaction that makes or deprecates a footprint.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID, uuid4

import msgspec

from weighbridge.core.footprint import ACTIVE, DEPRECATED, read_moment
from weighbridge.core.footprint_content import write_moment
from weighbridge.core.number import shorten
from weighbridge.db.engine import Database, Read, Write
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


_read: Final = msgspec.json.Decoder(float_hook=Decimal).decode
_write: Final = msgspec.json.Encoder(decimal_format="number").encode
_write_sorted: Final = msgspec.json.Encoder(decimal_format="number", order="sorted").encode


NESTED_MAX: Final = 100
"""How deep what others send may be nested."""


def read_json(content: bytes | str) -> Any:
    """What others have sent, with all digits of its numbers.

    Raises ValueError for what is no JSON, or is nested too deeply.
    """
    try:
        read = _read(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    layer = [read]
    for _ in range(NESTED_MAX):
        layer = [one for part in layer for one in _list_parts(part)]
        if not layer:
            return read
    raise ValueError("The JSON is nested too deeply.")


def _list_parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def write_json(content: Any, *, is_sorted: bool = False) -> str:
    """The JSON of what was read so."""
    return (_write_sorted if is_sorted else _write)(content).decode()


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
        if any("\x00" in value for value in listed):
            raise CriteriaError(f"{name} has a character of number 0 in it.")
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
        read[field] = moment
    status = given.get("status")
    status = status[0] if isinstance(status, list) and status else status
    if status is not None:
        text = str(status).lower()
        read["status"] = "" if "\x00" in text else text  # no status is so, and no database takes it
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


class FootprintPage(NamedTuple):
    """Footprints as they are sent, one after the other, and the number behind which the next page begins."""

    texts: str
    last: int | None
    has_more: bool


async def find_footprints(tx: Read, account: int, criteria: Criteria, *, limit: int) -> list[SentFootprint]:
    """Footprints that meet the criteria, in the order in which they were made."""
    return await tx.rows(SentFootprint, *_ask(_FIND, account, criteria, after=0, limit=limit))


async def read_page(
    place: Database, account: int, criteria: Criteria, *, after: int, limit: int
) -> FootprintPage:
    """A page of footprints that meet the criteria, behind a number: one statement, which gives its JSON."""
    row = await place.single(*_ask(_PAGE, account, criteria, after=after, limit=limit))
    assert row is not None, "an aggregate has a row"  # noqa: S101
    return FootprintPage(*row)


def _ask(
    statement: LiteralString, account: int, criteria: Criteria, *, after: int, limit: int
) -> tuple[str, dict[str, Any]]:
    """A statement on footprints that meet the criteria, with its values; only given criteria are named."""
    given = {name: value for name in Criteria.__slots__ if (value := getattr(criteria, name)) is not None}
    conditions = "".join(f" AND {_CONDITIONS[name]}" for name in given)
    return statement.format(conditions), given | {"account": account, "after": after, "limit": limit}


async def find_footprint(tx: Read, account: int, identifier: UUID) -> SentFootprint | None:
    """One footprint of an account."""
    return await tx.row(
        SentFootprint,
        "SELECT number, id, status, content FROM footprints WHERE account_id = %s AND id = %s",
        (account, identifier),
    )


_CONDITIONS: Final = {
    "product_ids": "product_ids && %(product_ids)s::text[]",
    "company_ids": "company_ids && %(company_ids)s::text[]",
    "geographies": "geographies && %(geographies)s::text[]",
    "classifications": "classifications && %(classifications)s::text[]",
    "valid_on": "%(valid_on)s::timestamptz BETWEEN valid_from AND valid_until",
    "valid_after": "valid_from > %(valid_after)s::timestamptz",
    "valid_before": "valid_until < %(valid_before)s::timestamptz",
    "status": "lower(status) = %(status)s",
}
"""What each criterion asks of a row."""

_FIND: Final = """
    SELECT number, id, status, content FROM footprints
     WHERE account_id = %(account)s AND number > %(after)s{}
     ORDER BY number LIMIT %(limit)s
"""

_PAGE: Final = """
    SELECT coalesce(string_agg(left(content, -1) || ',"status":"' || status || '"}}', ',' ORDER BY number)
                    FILTER (WHERE place <= %(limit)s), ''),
           max(number) FILTER (WHERE place <= %(limit)s), count(*) > %(limit)s
      FROM (SELECT number, status, content, row_number() OVER (ORDER BY number) AS place
              FROM footprints
             WHERE account_id = %(account)s AND number > %(after)s{}
             ORDER BY number LIMIT %(limit)s + 1) AS found
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
