"""Compare footprints, with all that they are made by, with the audit log, and make each of them again.

A footprint is made again of the product as it was then, of its batch by the run that the log names, and of
its report as it was accepted. How much was measured of a report is compared with the log alone.

Invariant: nothing is taken from a column that follows from another one, without comparing both.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from weighbridge.accounting.books.runs import compute_measured_share, compute_value_source_shares
from weighbridge.core import identity
from weighbridge.core.footprint import ACTIVE, DEPRECATED
from weighbridge.core.footprint_content import (
    MeasuredAmount,
    Produced,
    UnmadeFootprintError,
    list_nodes,
    write_footprint,
    write_pcf,
)
from weighbridge.core.number import EXACT, read_special
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.footprints.pact.events import digest_content
from weighbridge.footprints.pact.making import (
    choose_share,
    compute_validity,
    declare,
    read_nodes_of_report,
    write_texts,
)
from weighbridge.footprints.pact.stored import derive_keys
from weighbridge.footprints.records import FootprintProduct
from weighbridge.reporting.submission.ledgers import FACTOR
from weighbridge.verification.recorded import RecordedNoun, check_records
from weighbridge.verification.recorded_forms import moment

MADE_AT_ONCE: Final = 500
"""Footprints that are read at a time."""

_PRODUCT_COLUMNS: Final = (
    "name", "company_name", "company_ids", "product_ids", "product_classifications", "description", "comment",
    "declared_unit", "declared_amount", "mass_per_declared_unit", "geography", "quantity", "amounts",
    "properties", "exempted_percent", "states_primary_data_share", "valid_months",
)  # fmt: skip

NOUNS: Final = (
    RecordedNoun(
        "footprint_product",
        "footprint_products",
        ("footprint_product.create", "footprint_product.update"),
        {name: f"t.{name}" for name in _PRODUCT_COLUMNS}
        | {name: moment(f"t.{name}") for name in ("created_at", "updated_at")},
        is_of_project=False,
    ),
    RecordedNoun(
        "footprint_partner",
        "footprint_partners",
        ("footprint_partner.create", "footprint_partner.update"),
        {
            "name": "t.name", "address": "t.address", "token_address": "t.token_address",
            "client_id": "t.client_id", "is_notified": "t.is_notified",
            "created_at": moment("t.created_at"), "updated_at": moment("t.updated_at"),
        },
        is_of_project=False,
    ),
    RecordedNoun(
        "footprint_client",
        "footprint_clients",
        ("footprint_client.create", "footprint_client.update", "footprint_client.revoke"),
        {
            "name": "t.name", "client_id": "t.client_id", "partner_id": "t.partner_id",
            "created_at": moment("t.created_at"), "revoked_at": moment("t.revoked_at"),
        },
        is_of_project=False,
    ),
)  # fmt: skip
"""What footprints are made by, and who exchanges them."""


class _StoredFootprint(msgspec.Struct, frozen=True):
    """A footprint as the row of the log and the tables have it; what only the log has, where it is gone."""

    row: int
    object: str
    account: int
    project: int
    told: Any
    told_user: int | None
    told_at: datetime
    reason: str | None
    """Why the log says that it was deprecated."""
    product_told: Any
    """The product as it was when the footprint was made."""
    number: int | None
    product: int | None
    of_project: int | None
    batch: int | None
    report: int | None
    status: str | None
    content: str | None
    preceding: list[UUID] | None
    share_reason: str | None
    keys: Any
    valid_from: datetime | None
    valid_until: datetime | None
    user: int | None
    created_at: datetime | None
    deprecated_reason: str | None


async def check_footprints(tx: Read) -> list[str]:
    """Return a sentence for each footprint, product, partner or client that is not what was written."""
    complaints = await check_records(tx, NOUNS)
    after = 0
    while rows := await tx.rows(_StoredFootprint, _FOOTPRINTS, (after, MADE_AT_ONCE)):
        after = rows[-1].row
        for stored in rows:
            name = f"footprint {stored.object}"
            if stored.content is None:
                complaints.append(f"{name}: the log has it, but the database does not")
                continue
            if differing := [*_compare(stored)]:
                complaints.append(f"{name}: {', '.join(differing)} differ from what the log says was written")
            if differing := await _make_again(tx, stored):
                complaints.append(f"{name}: made again, {', '.join(differing)} differ")
    for statement, words in _BROKEN.items():
        complaints += [f"{name}: {words}" for (name,) in await tx.tuples(statement)]
    return complaints + [
        f"received footprint {number}: its content has another digest"
        async for portion in tx.portions(_RECEIVED, MADE_AT_ONCE)
        for number, content, digest in portion
        if not _has_digest(content, digest)
    ]


def _has_digest(content: str, digest: bytes) -> bool:
    try:
        return digest_content(content) == bytes(digest)
    except ValueError:  # it is no JSON any more
        return False


def _compare(stored: _StoredFootprint) -> Iterator[str]:
    """The fields of a footprint that are not as the log has them, or do not follow from what is sent."""
    told, content = stored.told, json.loads(stored.content or "{}", parse_float=Decimal)
    pairs = {
        "content": (content, told["content"]),
        "product_id": (stored.product, told["product_id"]),
        "project_id": (stored.of_project, stored.project),
        "batch_id": (stored.batch, told["batch"]),
        "report_id": (stored.report, told["report"]),
        "user_id": (stored.user, stored.told_user),
        "created_at": (stored.created_at, stored.told_at),
        "status": (stored.status, ACTIVE if stored.reason is None else DEPRECATED),
        "deprecated_reason": (stored.deprecated_reason, stored.reason),
        "preceding_ids": ([str(one) for one in stored.preceding or ()], content.get("precedingPfIds", [])),
        "what it is found by": (stored.keys, derive_keys(content)),
        "valid_from": (stored.valid_from, datetime.fromisoformat(content["validityPeriodStart"])),
        "valid_until": (stored.valid_until, datetime.fromisoformat(content["validityPeriodEnd"])),
    }
    return (name for name, (has, should) in pairs.items() if has != should)


async def _make_again(tx: Read, stored: _StoredFootprint) -> list[str]:
    """The fields of a footprint that come out otherwise when it is made of the product as it was."""
    if stored.product_told is None:
        return ["the product, of which the log has no such state,"]
    product = msgspec.convert(stored.product_told, FootprintProduct, dec_hook=_read_special)
    content = json.loads(stored.content or "{}", parse_float=Decimal)
    produced = await _read_produced(tx, stored, product)
    if produced is None:
        return ["the batch or report, which is not there,"]
    share, reason = choose_share(product, produced)
    said = content["pcf"].get("primaryDataShare")
    if stored.report is not None and share is not None:
        share = None if said is None else EXACT.scaleb(Decimal(said), Decimal(-2))
        reason = stored.share_reason
    try:
        pcf = write_pcf(declare(product), produced, share)
    except UnmadeFootprintError as error:
        return [str(error)]
    validity = await compute_validity(tx, produced.end, product.valid_months)
    texts = {**write_texts(product, None, validity), "comment": content.get("comment")}
    chain = [str(one) for one in stored.preceding or ()]
    again = write_footprint(stored.object, stored.told_at, texts, chain, pcf)
    differing = [*_list_differing(content, again, ""), *_list_differing(content["pcf"], again["pcf"], "pcf.")]
    return [*differing, *(["primary_data_share_reason"] if reason != stored.share_reason else [])]


def _read_special(kind: type[Any], value: Any) -> Any:
    if kind is Instant and isinstance(value, str):
        return Instant.of(datetime.fromisoformat(value))
    return read_special(kind, value)


def _list_differing(has: Mapping[str, Any], should: Mapping[str, Any], prefix: str) -> Iterator[str]:
    names = dict.fromkeys([*has, *should])
    return (f"{prefix}{name}" for name in names if name != "pcf" and has.get(name) != should.get(name))


async def _read_produced(tx: Read, stored: _StoredFootprint, product: FootprintProduct) -> Produced | None:
    """What the batch came to in the run that the footprint rests on, or the report as it was accepted."""
    nodes = list_nodes((product.quantity, *product.amounts.values()))
    if stored.report is not None:
        key = identity.Key(stored.project, stored.report)
        rows = await tx.tuples(_REPORT, (key.project, key.key))
        if not rows:
            return None
        [(amount, unit, start, end)] = rows
        try:
            values = await read_nodes_of_report(tx, key, nodes)
        except Invalid:
            values = {}
        # Of what was accepted, how much was measured is as it is now; any share stands for one that is known.
        return Produced(MeasuredAmount(amount, unit), values, start, end, Decimal(0))
    rows = await tx.tuples(_BATCH, (stored.told["basis"], stored.project, stored.batch))
    if not rows:
        return None
    [(amount, unit, start, end, contributions)] = rows
    values = {
        slug: MeasuredAmount(value, unit_of_node)
        for slug, value, unit_of_node in await tx.tuples(
            _NODES, (stored.project, stored.told["basis"], sorted(nodes))
        )
    }
    share = compute_measured_share(compute_value_source_shares(contributions))
    return Produced(MeasuredAmount(amount, unit), values, start, end, share)


_FOOTPRINTS: Final = """
    SELECT a.id, a.object, a.account_id, a.project_id, a.after, a.user_id, a.at, gone.reason, product.after,
           f.number, f.product_id, f.project_id, f.batch_id, f.report_id, f.status, f.content, f.preceding,
           f.primary_data_share_reason,
           jsonb_build_array(f.product_ids, f.company_ids, f.classifications, f.geographies),
           f.valid_from, f.valid_until, f.user_id, f.created_at, f.deprecated_reason
      FROM audit_log a
      LEFT JOIN footprints f ON f.account_id = a.account_id AND f.id = a.object::uuid
      LEFT JOIN LATERAL (
        SELECT d.after ->> 'reason' AS reason FROM audit_log d
         WHERE d.account_id = a.account_id AND d.object = a.object AND d.action = 'footprint.deprecate'
         ORDER BY d.id LIMIT 1) AS gone ON true
      LEFT JOIN LATERAL (
        SELECT p.after FROM audit_log p
         WHERE p.account_id = a.account_id AND p.object = a.after ->> 'product_id'
           AND p.action IN ('footprint_product.create', 'footprint_product.update')
           AND p.after ->> 'updated_at' = a.after ->> 'product_updated_at'
         ORDER BY p.id DESC LIMIT 1) AS product ON true
     WHERE a.action = 'footprint.create' AND a.id > %s ORDER BY a.id LIMIT %s
"""
_REPORT: Final = f"""
    SELECT sum(coalesce(i.accepted_amount, i.amount) * {FACTOR}) - coalesce(max(r.liability), 0), max(l.unit),
           min(b.start_time), max(b.end_time)
      FROM reports r JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
      JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
     WHERE r.project_id = %s AND r.id = %s GROUP BY r.id
"""
_BATCH: Final = """
    SELECT newest.total, l.unit, b.start_time, b.end_time,
           CASE WHEN newest.total <> 0 THEN c.contributions END
      FROM batches b
      JOIN batches newest ON (newest.project_id, newest.id) = (b.project_id, %s)
       AND (newest.id = b.id OR (newest.run_id, newest.ledger_id) = (b.run_id, b.ledger_id))
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN batch_calculations c
        ON (c.project_id, c.batch_id) = (newest.project_id, newest.id) AND c.is_primary
     WHERE b.project_id = %s AND b.id = %s
"""
_NODES: Final = """
    SELECT slug, value, unit FROM batch_calculations
     WHERE project_id = %s AND batch_id = %s AND slug = ANY (%s) AND value IS NOT NULL
"""

_BROKEN: Final[Mapping[Any, str]] = {
    """
    SELECT 'footprint ' || f.id FROM footprints f
     WHERE NOT EXISTS (SELECT FROM audit_log a WHERE a.account_id = f.account_id
                          AND a.object = f.id::text AND a.action = 'footprint.create')
     ORDER BY f.account_id, f.number
    """: "the database has it, but the log does not",
    """
    SELECT 'footprint ' || f.id FROM footprints f CROSS JOIN unnest(f.preceding) AS one (id)
      LEFT JOIN footprints earlier ON (earlier.account_id, earlier.id) = (f.account_id, one.id)
     WHERE earlier.id IS NULL OR earlier.number >= f.number OR earlier.status = 'Active'
        OR NOT earlier.preceding <@ f.preceding
     GROUP BY f.account_id, f.number, f.id ORDER BY f.account_id, f.number
    """: "what precedes it is not a chain of earlier footprints that are deprecated",
}
_RECEIVED: Final = "SELECT id, content, sha256 FROM received_footprints ORDER BY id"
