"""What a link to a report opens of its batches: how each came about, down to readings and corrections.

Invariants: a link opens the batches that its report rests on, as its bundle does (`bundle/basis.py`), and any
other is answered as one that there is not; values, times and corrections are those that the batch saw;
evidence is named with its digest and never opened.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.accounting.batches_queries import (
    INPUT_DATA,
    LEDGER_BATCHES,
    get_lineage,
    list_input_data,
    list_ledger_batches,
)
from weighbridge.accounting.inputs.selection import EVENT_AS_USED
from weighbridge.accounting.records.batches import Batch, InputDataPoint, LineageNode
from weighbridge.accounting.tracing.input_data import find_offset
from weighbridge.collection.measurements.annotations import CAPTURED_BY
from weighbridge.core import identity
from weighbridge.core.number import EXACT, ZERO
from weighbridge.core.platform.permission import NOBODY, Actor
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Info, ListRequest, list_request, page_info
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.bundle.basis import find_in_basis, find_readers, read_submission_time
from weighbridge.reporting.bundle.rows import read_corrections
from weighbridge.reporting.report_links import ReportEntry

ROWS_SHOWN: Final = "50"
"""Readings, and corrections, of one page."""

ADJUSTING_SHOWN: Final = "100"
"""Batches in the history of a calculation."""

PAGE: Final = "page"
CORRECTIONS_PAGE: Final = "corrections_page"
EVENT: Final = "event"
PARAMETERS: Final[Mapping[str, str]] = {
    PAGE: "The page of the readings.",
    CORRECTIONS_PAGE: "The page of the corrections.",
    EVENT: "An event whose readings are shown, in place of a page.",
}
"""What the query of a batch's page takes beside the key."""


class NamedEvidence(NamedTuple):
    """A file or link that was attached to an event."""

    name: str
    sha256: str | None
    """The digest of the file; None of a link."""


class ReadEvent(NamedTuple):
    """An event as a batch read it."""

    id: str
    event_type: str
    tracking_id: str | None
    start_time: Instant
    end_time: Instant
    captured_by: str | None
    """The name of the user who captured it; None where a rule made it, or nobody is known."""
    captured_at: Instant
    evidences: Sequence[NamedEvidence]


class LinkedReading(NamedTuple):
    """A value that a batch was made of, with its event."""

    point: InputDataPoint
    event: ReadEvent | None
    """None of a type that was set aside."""
    is_first_of_event: bool
    """Whether no row before it on its page is of the same event."""


class LinkedCorrection(NamedTuple):
    """A correction that was in force when a batch was made."""

    event_id: str
    data_point: str
    """Its slug, or the field of the event."""
    origin: str
    from_value: str | None
    to_value: str
    rule: str | None
    """The name of the rule that made it."""
    rule_version: int | None
    reason: str | None
    user: str
    """The name of the user who made it, or who answers for its rule."""
    created_at: Instant


@dataclass(frozen=True, slots=True)
class LinkedBatch:
    """A batch that a link opens."""

    batch: Batch
    ledger: str
    """The name of its ledger."""
    nodes: Sequence[LineageNode]
    run: Sequence[Batch]
    """The batches of its run that the report rests on, in the order in which they were made."""
    total: Decimal
    """What these come to together."""
    readings: Sequence[LinkedReading]
    readings_info: Info
    corrections: Sequence[LinkedCorrection]
    corrections_info: Info


async def read_linked_batch(tx: Read, entry: ReportEntry, friendly: str) -> LinkedBatch:
    """A batch that the link's report rests on; NotFound for any other."""
    key = key_named("batch", friendly)
    stated = await read_submission_time(tx, entry.project, entry.report)
    in_basis = key.project == entry.project and await find_in_basis(
        tx, entry.project, entry.report, [key.key], stated
    )
    if not in_basis:
        raise NotFound("batch", friendly)
    actor = Actor(entry.account, NOBODY, None, frozenset(), entry.request_id)
    lineage = await get_lineage(tx, actor, friendly)
    batch = lineage.batch
    run = await _read_run(tx, key.project, batch)
    opened, others = {key.key}, {one.numeric_id for one in run} - {key.key}
    if others:
        opened |= await find_in_basis(tx, entry.project, entry.report, others, stated)
    shown = [one for one in run if one.numeric_id in opened]
    total = ZERO
    for one in shown:
        total = EXACT.add(total, one.primary_output.value)
    readings, readings_info = await _read_readings(tx, entry, actor, key)
    corrections, corrections_info = await _read_corrections(tx, entry, key)
    ledger = await tx.value(_LEDGER, (key.project, key.key))
    return LinkedBatch(
        batch, ledger, lineage.nodes, shown, total, readings, readings_info, corrections, corrections_info
    )


_LEDGER: Final = """
    SELECT l.name FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE (b.project_id, b.id) = (%s, %s)
"""


async def _read_run(tx: Read, project: int, batch: Batch) -> Sequence[Batch]:
    """All batches of the run on the ledger, in the order in which they were made."""
    if batch.model_run is None:
        return [batch]
    query = (
        ("filter[model_run_id]", batch.model_run.id),
        ("page_size", ADJUSTING_SHOWN),
        ("sort", "id"),
    )
    ledger = identity.number("ledger", batch.ledger_id, project)
    return (await list_ledger_batches(tx, project, ledger, list_request(query, LEDGER_BATCHES))).data


# The readings of a batch, page by page, with when they were measured, who captured them, and what is
# attached to their events.


async def _read_readings(
    tx: Read, entry: ReportEntry, actor: Actor, batch: identity.Key
) -> tuple[list[LinkedReading], Info]:
    request = await _choose_page(tx, entry, batch)
    page = await list_input_data(tx, actor, identity.make("batch", batch), request)
    names = list(dict.fromkeys(row.event.id for row in page.data if row.event.id is not None))
    numbers = [identity.number("event", name, batch.project) for name in names]
    values = {
        "account": entry.account, "project": batch.project, "batch": batch.key, "numbers": numbers,
        "names": names,
    }  # fmt: skip
    evidences: dict[int, list[NamedEvidence]] = {}
    for number, name, sha256 in await tx.tuples(_EVIDENCE, values):
        evidences.setdefault(number, []).append(NamedEvidence(name, sha256))
    events: dict[str | None, ReadEvent] = {}
    for number, name, slug, tracking_id, start, end, captured_by, captured_at in await tx.tuples(
        _EVENTS, values
    ):
        times = Instant.of(start), Instant.of(end)
        events[name] = ReadEvent(
            name, slug, tracking_id, *times, captured_by, Instant.of(captured_at), evidences.get(number, [])
        )
    seen: set[str | None] = {None}
    readings = []
    for row in page.data:
        name = row.event.id
        readings.append(LinkedReading(row.data_point, events.get(name), name not in seen))
        seen.add(name)
    return readings, page.info


async def _choose_page(tx: Read, entry: ReportEntry, batch: identity.Key) -> ListRequest:
    """The page of the readings that is asked for: by its number, or by an event."""
    query = [("page_size", ROWS_SHOWN)]
    event = identity.parse("event", entry.query.get(EVENT, ""))
    if entry.query.get(PAGE):
        query.append(("page", entry.query[PAGE]))
    elif event is not None and event.project == batch.project:
        offset = await find_offset(tx, batch.project, batch.key, event.key)
        query.append(("page", str((offset or 0) // int(ROWS_SHOWN) + 1)))
    return list_request(query, INPUT_DATA)


_EVENTS: Final = SQL(f"""
    SELECT named.number, named.id, t.slug, e.tracking_id, e.start_time, e.end_time, stored.captured_by,
           stored.created_at
      FROM unnest(%(numbers)s::bigint[], %(names)s::text[]) AS named (number, id)
     CROSS JOIN LATERAL (SELECT named.number AS event_id, %(batch)s::bigint AS batch_id) AS slot
     CROSS JOIN {{}}
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     CROSS JOIN LATERAL (
           SELECT ({CAPTURED_BY}) AS captured_by, e.created_at FROM events e
            WHERE e.project_id = %(project)s AND e.id = named.number) AS stored
""").format(EVENT_AS_USED)
_EVIDENCE: Final = """
    SELECT v.event_id, v.name, encode(v.sha256, 'hex') FROM evidence v
     WHERE v.project_id = %(project)s AND v.event_id = ANY (%(numbers)s) ORDER BY v.id
"""


# The corrections that were in force when a batch was made, page by page.


async def _read_corrections(
    tx: Read, entry: ReportEntry, batch: identity.Key
) -> tuple[list[LinkedCorrection], Info]:
    query = [("page_size", ROWS_SHOWN)]
    if entry.query.get(CORRECTIONS_PAGE):
        query.append(("page", entry.query[CORRECTIONS_PAGE]))
    request = list_request(query, INPUT_DATA)
    offset = (request.page - 1) * request.page_size
    of_batch = (batch.project, batch.key)
    count = await tx.value(_CORRECTION_COUNT, of_batch)
    found = await tx.tuples(_CORRECTIONS, (*of_batch, request.page_size, offset))
    rows = await read_corrections(tx, batch.project, [number for (number,) in found])
    users: dict[int, str] = dict(await tx.tuples(_USERS, ([row.user for row in rows],)))
    rules: dict[int, str] = dict(await tx.tuples(_RULES, (batch.project, [row.rule for row in rows])))
    corrections = [
        LinkedCorrection(
            identity.of("event", batch.project, row.event), row.data_point, row.origin, row.from_value,
            row.to_value, None if row.rule is None else rules[row.rule], row.rule_version, row.reason,
            users.get(row.user, ""), row.created_at,
        )
        for row in rows
    ]  # fmt: skip
    goes_on = offset + len(corrections) < count
    return corrections, page_info(request, len(corrections), count, is_estimate=False, goes_on=goes_on)


_CORRECTION_COUNT: Final = "SELECT count(*) FROM batch_corrections WHERE project_id = %s AND batch_id = %s"
_CORRECTIONS: Final = """
    SELECT correction_id FROM batch_corrections WHERE project_id = %s AND batch_id = %s
     ORDER BY correction_id LIMIT %s OFFSET %s
"""
_USERS: Final = "SELECT id, name FROM users WHERE id = ANY (%s)"
_RULES: Final = "SELECT id, name FROM rules WHERE project_id = %s AND id = ANY (%s::integer[])"


# Which batch of a report read an event, so that whatever names the event leads to its readings.


async def find_batches_of_events(
    tx: Read, entry: ReportEntry, events: Collection[str | None]
) -> Mapping[str, str]:
    """For each of some events the newest batch that read it, of those that the link opens."""
    keys = [identity.parse("event", name) for name in {name for name in events if name}]
    numbers = [key.key for key in keys if key is not None and key.project == entry.project]
    if not numbers:
        return {}
    stated = await read_submission_time(tx, entry.project, entry.report)
    found = await find_readers(tx, entry.project, entry.report, numbers, stated)
    return {
        identity.of("event", entry.project, event): identity.of("batch", entry.project, batch)
        for event, batch in found.items()
    }
