"""Find the generated slots and the automatic rules that a change of events may affect.

The times of an event before and after the change both count, and so do events rolled up from it.

Invariants: only generated slots are included. A rule is included only if it is effective where it would
evaluate and may read one of the events.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import SLOT_COLUMNS, SlotRow
from weighbridge.accounting.inputs.streams import (
    Catalogue,
    InputStream,
    Reach,
    read_catalogue,
    resolve_streams,
)
from weighbridge.accounting.planning.proposal import Request, read_scopes
from weighbridge.accounting.posting.impact import build_slot_request
from weighbridge.core import identity
from weighbridge.core.model import ModelError
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import WindowMeters
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import find_stored_model, read_model
from weighbridge.quality.evaluation.incremental import Marked, marked_periods, may_concern, read_marks
from weighbridge.quality.evaluation.record_streams import asked, within
from weighbridge.quality.records.rule_results import FollowingRule
from weighbridge.quality.rule_versions import (
    Period,
    PreparedRule,
    StoredVersion,
    automatic_versions,
    effective_period,
    prepared_rule,
)

# The slots that a change of events may touch: those with batches that used them, or that hold their times.
#
# Where an event is before the change and where it is afterwards both count. Of each model its slots make
# one generation, as they share what they draw and what they are short of.
#
# Events that are rolled up from the event change with it.
#
# Invariants: only slots that were generated are here; data of others come to nothing that could change.


class ChangedEvent(NamedTuple):
    """An event that is changed: one of its values, or without a position anything of it."""

    event: int
    position: int | None = None


class TouchedSlot(SlotRow, frozen=True):
    """A slot of a model with batches, and an event of a type that may touch it."""

    family: int
    ledger: int
    changed: int
    event_type: int


async def with_roll_ups(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> list[ChangedEvent]:
    """The events, and those that are rolled up from where they are now: of these, anything may change."""
    events = sorted({event_change.event for event_change in changed})
    rows = await tx.tuples(_ROLLED_UP, {"project": project, "events": events})
    return list(dict.fromkeys([*changed, *(ChangedEvent(event) for (event,) in rows)]))


async def touched_slots(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> list[TouchedSlot]:
    """The slots that the events touch where they are now, by model."""
    events = sorted({event_change.event for event_change in changed})
    return await tx.rows(TouchedSlot, _TOUCHED, {"project": project, "events": events})


async def reached_slots(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> list[TouchedSlot]:
    """Slots that see the events where they are now although they neither hold their times nor used them.

    A meter is read from where it stood before the slot; some inputs take events whatever their date. What a
    model reads is asked of its active version.
    """
    events = sorted({event_change.event for event_change in changed})
    kinds = {kind for (kind,) in await tx.tuples(_KINDS, (project, events))}
    catalogue = await read_catalogue(tx, project)
    reached: list[TouchedSlot] = []
    for family, active in await tx.tuples(_MODELS, (project,)):
        stored_model = await find_stored_model(tx, active)
        try:
            streams = resolve_streams(
                await tx.in_thread(read_model, stored_model.document), catalogue
            ).streams
        except (Invalid, ModelError):
            continue  # it cannot be generated; its batches are found by their time and by use
        windows = [stream.window for stream in streams if stream.event_type in kinds]
        values = {"project": project, "family": family, "events": events}
        if any(window.is_held for window in windows):
            reached += await tx.rows(TouchedSlot, _FOLLOWING, values)
        if any(window.reach is Reach.ANY for window in windows):
            reached += await tx.rows(TouchedSlot, _OF_ANY_PERIOD, values)
    return reached


async def list_generations(
    tx: Read, actor: Actor, project: int, changed: Collection[ChangedEvent], touched: Iterable[TouchedSlot]
) -> dict[int, Request]:
    """A generation for each model, of the slots whose data the events may change.

    There is none of a model that reads nothing of what changes, or whose slots were replaced by others.
    """
    catalogue = await read_catalogue(tx, project)
    requests: dict[int, Request] = {}
    for family, of_family in groupby(sorted(touched, key=_family_key), key=_family_key):
        rows = list(of_family)
        every = _request(actor, project, rows)
        try:
            streams = await _streams_read(tx, every, catalogue)
        except Invalid as error:
            if [problem.code for problem in error.problems] != ["replaced"]:
                requests[family] = every  # the generation itself says what prevents it
            continue
        if reading := [row for row in rows if _is_read(row, changed, streams)]:
            requests[family] = _request(actor, project, reading)
    return requests


def _family_key(row: TouchedSlot) -> int:
    return row.family


async def _streams_read(tx: Read, request: Request, catalogue: Catalogue) -> list[InputStream]:
    """The inputs that the versions of a generation read."""
    return [
        stream
        for scope in await read_scopes(tx, request)
        for stream in resolve_streams(scope.model, catalogue, scope.inputs.nodes).streams
    ]


def _is_read(row: TouchedSlot, changed: Collection[ChangedEvent], streams: Iterable[InputStream]) -> bool:
    """Whether a model reads, by one of these streams, what changes of a slot's event."""
    positions = [stream.positions for stream in streams if stream.event_type == row.event_type]
    return any(
        event_change.event == row.changed
        and (event_change.position is None or any(event_change.position in read for read in positions))
        for event_change in changed
        if positions
    )


def _request(actor: Actor, project: int, rows: Sequence[TouchedSlot]) -> Request:
    return build_slot_request(actor, project, rows[0].ledger, (row.slot for row in rows))


_ROLLED_UP: Final = """
    WITH RECURSIVE changed (project_id, id, event_type_id, start_time, is_made) AS (
        SELECT e.project_id, e.id, e.event_type_id, e.start_time, false FROM events e
         WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[])
        UNION
        SELECT made.project_id, made.id, made.event_type_id, made.start_time, true
          FROM changed c
          JOIN roll_ups r ON (r.project_id, r.source_id) = (c.project_id, c.event_type_id)
          JOIN events made ON (made.project_id, made.event_type_id) = (r.project_id, r.event_type_id)
           AND made.start_time <= c.start_time AND made.end_time > c.start_time AND made.readings IS NOT NULL
           AND made.start_time >= c.start_time - (SELECT max(n.longest) FROM event_counts n
                WHERE (n.project_id, n.event_type_id) = (r.project_id, r.event_type_id))
    )
    SELECT id FROM changed WHERE is_made
"""
_KINDS: Final = "SELECT DISTINCT event_type_id FROM events WHERE project_id = %s AND id = ANY (%s::bigint[])"
_MODELS: Final = """
    SELECT f.id, f.active_model_id FROM model_families f
     WHERE f.id IN (SELECT l.family_id FROM ledgers l WHERE l.project_id = %s) ORDER BY f.id
"""
_COLUMNS: Final = f"""DISTINCT
           {SLOT_COLUMNS}, r.family_id,
           first_value(b.ledger_id) OVER (PARTITION BY r.family_id ORDER BY b.ledger_id), c.id,
           c.event_type_id"""
_CREDITED: Final = """
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id) AND l.family_id = r.family_id
"""
_TOUCHED: Final = f"""
    WITH changed AS MATERIALIZED (
        SELECT e.project_id, e.id, e.event_type_id, e.start_time, e.end_time, e.tracking_id FROM events e
         WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[])
    ), touched AS (
        SELECT c.id AS changed, u.id
          FROM changed c
          JOIN runs u ON u.project_id = c.project_id
           AND (u.start_time < c.end_time OR u.start_time <= c.start_time)
           AND u.end_time >= c.start_time
        UNION
        SELECT c.id, u.id
          FROM changed c
          JOIN runs u ON u.project_id = c.project_id AND u.by_event AND u.event_id IS NULL
           AND u.tracking_id = c.tracking_id
        UNION
        SELECT c.id, b.run_id
          FROM changed c
          JOIN batch_inputs i ON i.project_id = c.project_id
           AND int8range(i.first_event, i.last_event, '[]') @> c.id AND c.id = ANY (i.event_ids)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
    )
    SELECT {_COLUMNS}
      FROM touched
      JOIN changed c ON c.id = touched.changed
      JOIN runs r ON (r.project_id, r.id) = (%(project)s, touched.id)
      {_CREDITED}
"""

# The indication of a meter before a slot matters until the next reading.
_FOLLOWING: Final = f"""
    WITH changed AS MATERIALIZED (
        SELECT e.*, (SELECT min(n.start_time) FROM events n
                      WHERE (n.project_id, n.event_type_id) = (e.project_id, e.event_type_id)
                        AND n.start_time > e.start_time AND n.voided_at IS NULL
                        AND n.asset_id IS NOT DISTINCT FROM e.asset_id
                        AND n.location_ids[1] IS NOT DISTINCT FROM e.location_ids[1]) AS next_time
          FROM events e
         WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[])
    )
    SELECT {_COLUMNS}
      FROM changed c
      JOIN runs r ON (r.project_id, r.family_id) = (c.project_id, %(family)s) AND r.start_time >= c.start_time
       AND r.start_time <= coalesce(c.next_time, 'infinity')
      {_CREDITED}
"""
_OF_ANY_PERIOD: Final = f"""
    SELECT {_COLUMNS}
      FROM events c
      JOIN runs r ON (r.project_id, r.family_id) = (c.project_id, %(family)s)
       AND (r.tracking_id = c.tracking_id OR r.feedstock_id = c.feedstock_id OR r.asset_id = c.asset_id
            OR num_nonnulls(r.tracking_id, r.feedstock_id, r.asset_id) = 0)
      {_CREDITED}
     WHERE c.project_id = %(project)s AND c.id = ANY (%(events)s::bigint[])
"""


# The automatic rules that correct unasked and would evaluate what a change touches, once it is made.
#
# A change leaves marks for rules as it is written; those that it leaves in the transaction of a dry run are
# read like any others, by the function that incremental evaluation reads them by.
#
# Invariants: a rule is here only if it is effective where it would evaluate, and may see one of the events.


@dataclass(frozen=True, slots=True)
class MarksBefore:
    """The marks for rules before a change, and the assets of the events to be changed."""

    numbers: Sequence[int]
    assets: frozenset[int]


async def marks_before(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> MarksBefore:
    """The periods that rules have not evaluated yet, independent of the change."""
    marks = await read_marks(tx, project)
    return MarksBefore(marks.numbers, await _assets(tx, project, changed))


async def following_rules(
    tx: Read, project: int, changed: Sequence[ChangedEvent], before: MarksBefore
) -> list[FollowingRule]:
    """The rules that would evaluate what the change has marked, in the order of their numbers.

    Those whose corrections are only proposed change no figure until a user decides.
    """
    marked = (await read_marks(tx, project, before.numbers)).marked
    if not marked.events:
        return []
    assets = before.assets | await _assets(tx, project, changed)
    return [
        FollowingRule(identity.of("rule", project, version.rule), version.name, version.purpose)
        for version in await automatic_versions(tx, project)
        if version.correction is not None
        and not version.requires_approval
        and may_concern(version, marked)
        and (_looks_at_all_assets(version) or version.asset in assets)
        and await _evaluates(tx, version, marked)
    ]


def _looks_at_all_assets(version: StoredVersion) -> bool:
    """Whether a rule's results may depend on events of any asset."""
    return version.asset is None or version.window_meters == WindowMeters.ALL


async def _evaluates(tx: Read, version: StoredVersion, marked: Marked) -> bool:
    """Whether a rule is effective where it would be evaluated, and has something to evaluate there."""
    try:
        prepared = await prepared_rule(tx, version)
    except Invalid:  # it no longer fits any data; its next run fails and reports that
        return False
    for start, end in await marked_periods(tx, prepared, marked):
        period = effective_period(version, start, end)
        if period is not None and await _has_records(tx, prepared, period):
            return True
    return False


async def _has_records(tx: Read, prepared: PreparedRule, period: Period) -> bool:
    """Whether a rule watches anything that starts in a period; gaps hold no event and are always watched."""
    if prepared.gaps is not None:
        return True
    statement = SQL("SELECT EXISTS (SELECT FROM events e WHERE {} AND {} AND e.voided_at IS NULL)").format(
        within(prepared.version.project, prepared.watched, period), asked(prepared)
    )
    return bool(await tx.value(statement))


async def _assets(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> frozenset[int]:
    """The assets of events where they are now."""
    rows = await tx.tuples(_ASSETS, (project, sorted({event_change.event for event_change in changed})))
    return frozenset(asset for (asset,) in rows)


_ASSETS: Final = """
    SELECT DISTINCT asset_id FROM events
     WHERE project_id = %s AND id = ANY (%s) AND asset_id IS NOT NULL
"""
