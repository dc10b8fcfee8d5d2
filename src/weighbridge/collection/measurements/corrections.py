"""Write and undo corrections of captured values, in sets, and withdraw imputed events without values.

People, rules and completions all use `apply_corrections`. Afterwards the prevailing correction of each
value is in force, the event's row shows it, and every run that used the value is marked as out of date,
in one transaction.

Invariants: no row is removed or rewritten, only moved between states. The value in force depends only
on the corrections that were not reverted. A slot of a meter has at most one imputed event, and none
besides a captured one. The caller writes the audit row.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from weighbridge.collection.measurements.values import CURRENT
from weighbridge.core.collection.correction import (
    NOT_REVERTED,
    PRECEDENCE,
    CorrectionOrigin,
    CorrectionState,
    CorrectionTrigger,
    advance,
    states_before,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.db.statements import jsonb
from weighbridge.platform import changes, staleness

# Imputed events: what rules made for slots of a cadence in which no event came.
#
# An imputed event holds nothing that was captured; its values are corrections that rules made, or people.
# It is withdrawn when none is left, and by triggers when a captured event comes for its slot.
#
# Invariants: of a meter's slot at most one imputed event stands, and none beside a captured one; what was
# withdrawn stays voided.


async def settle_imputed(tx: Write, project: int, event_types: Collection[int] = ()) -> int:
    """Withdraw the imputed events that have no value any more, and say which are complete; gives how many
    were withdrawn.

    Where the transaction has made events of some event types it comes last: it waits for whoever is storing
    captured ones, and those that they come for go as well. Whoever stores some later finds what was made.
    """
    for event_type in sorted(event_types):
        await tx.execute(*locks.hold(locks.captured_slots(project, event_type)))
    if event_types:
        await tx.execute(_GIVE_WAY, {"project": project, "event_types": list(event_types)})
    values = {"project": project, "not_reverted": list(NOT_REVERTED)}
    empty = [event for (event,) in await tx.tuples(_EMPTY, values)]
    if empty:
        await tx.execute("SELECT withdraw_imputed(%s, %s::bigint[])", (project, empty))
    await tx.execute(_COMPLETE, values)
    return len(empty)


_GIVE_WAY: Final = """
    SELECT give_way_to_captured(%(project)s, array_agg(event_id)) FROM imputations
     WHERE project_id = %(project)s AND event_type_id = ANY (%(event_types)s) AND withdrawn_at IS NULL
    HAVING count(*) > 0
"""
_STAND: Final = """
    SELECT FROM corrections c
     WHERE (c.project_id, c.event_id) = (m.project_id, m.event_id) AND c.state = ANY (%(not_reverted)s)
"""
_EMPTY: Final = f"""
    SELECT m.event_id FROM imputations m
     WHERE m.project_id = %(project)s AND m.withdrawn_at IS NULL
       AND NOT EXISTS ({_STAND} AND c.position > 0)
     ORDER BY m.event_id
"""
_COMPLETE: Final = f"""
    UPDATE events e SET is_complete = NOT e.is_complete, updated_at = now()
      FROM imputations m
     WHERE (m.project_id, m.event_id) = (e.project_id, e.id) AND m.withdrawn_at IS NULL
       AND m.project_id = %(project)s
       AND e.is_complete = EXISTS (
           SELECT FROM data_point_types t
            WHERE (t.project_id, t.event_type_id) = (m.project_id, m.event_type_id) AND t.required
              AND NOT EXISTS ({_STAND} AND c.position = t.position))
"""


# Corrections: values stored in addition to the captured ones, written and undone in sets.
#
# People, rules and completions all go through `apply_corrections`; `undo` takes back what was applied.
# After either, the prevailing correction of each value (`core.collection.correction`) is in force, the
# event's row shows it, and every run that used the value is marked stale: all in the caller's transaction,
# one statement for each table.
#
# Invariants: no row is removed or rewritten, only moved between states; what is in force of a value depends
# on the corrections that were not reverted and on nothing else. The caller leaves the audit row.


_SOURCES: Final = ", ".join(f"'{source}'" for source in PRECEDENCE)
PREVAILING_FIRST: Final = f"array_position(ARRAY[{_SOURCES}], c.source), c.priority, c.id DESC"
"""The order of `core.collection.correction.prevailing` over corrections `c`, in SQL."""

PORTION: Final = 2_000
"""Corrections of a rule that are written, or reverted, at a time: so long statements never run."""

VALUE: Final = ""
"""The field of a correction of a data point's value."""

MOMENT: Final = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
"""The form of a time in a correction: as in the API."""


@dataclass(frozen=True, slots=True)
class RuleRef:
    """The rule that made a correction."""

    rule: int
    version: int
    run: int | None = None


@dataclass(frozen=True, slots=True)
class NewCorrection:
    """Another value for a data point, or at position 0 for a field of its event.

    The value has the type of its data point; times are texts with an offset, feedstock and asset numbers.
    Of each value at most one correction goes into a set.
    """

    event: int
    position: int
    value: Any
    source: CorrectionOrigin
    priority: int = 0
    field: str = VALUE
    reason: str | None = None
    rule: RuleRef | None = None
    substitution: dict[str, Any] | None = None
    """How a rule found a value that fills a gap."""


@dataclass(frozen=True, slots=True)
class CorrectionOutcome:
    """The outcome of a set: the recorded corrections, and the values that they changed."""

    recorded: tuple[int, ...]
    changed: tuple[tuple[int, int], ...]
    """Event and position, 0 for the event's own fields; what has changed is not always what was recorded."""


NOTHING_DONE: Final = CorrectionOutcome((), ())


async def apply_corrections(
    tx: Write, actor: Actor, project: int, corrections: Sequence[NewCorrection]
) -> CorrectionOutcome:
    """Record corrections of values that events hold; one that repeats what is in force adds nothing.

    A value that is missing has nothing to correct, and is passed over, unless a rule fills it. A completion
    takes back what rules filled in for the value that has come now, and what people and rules made of that:
    it was said of a substitute, not of what was measured.
    People repeat the value that is held; a rule repeats its own newest value, or without one the value that
    was captured. What fills a gap repeats nothing, though it comes to the value that was captured: that did
    not count.
    """
    if not corrections:
        return NOTHING_DONE
    events = sorted({correction.event for correction in corrections})
    inputs = staleness.announce(tx, project)
    await _hold_events(tx, project, events)
    recorded = await tx.tuples(
        _RECORD,
        {
            "project": project,
            "user": actor.user_id,
            "token": actor.token_id,
            "moment": MOMENT,
            "manual": CorrectionOrigin.MANUAL,
            "completion": CorrectionOrigin.COMPLETION,
            "in_force": CorrectionState.IN_FORCE,
            "not_reverted": list(NOT_REVERTED),
            **_columns(corrections),
        },
    )
    if not recorded:
        return NOTHING_DONE
    keys = [(event, position, field) for _, event, position, field in recorded]
    changed = await _settle(tx, inputs, keys)
    completed = {
        (one.event, one.position) for one in corrections if one.source is CorrectionOrigin.COMPLETION
    }
    if completed:
        taken_back = await undo(tx, actor, project, await _list_made_without(tx, project, completed))
        changed = tuple(sorted({*changed, *taken_back.changed}))
    return CorrectionOutcome(tuple(number for number, *_ in recorded), changed)


async def _list_made_without(tx: Write, project: int, values: Collection[tuple[int, int]]) -> list[int]:
    """The numbers of the corrections that were made before values had come, by event and position.

    A missing value has nothing to correct until a rule fills it in, so all are that or were made of it.
    """
    rows = await tx.tuples(
        """
        SELECT c.id FROM unnest(%s::bigint[], %s::smallint[]) AS named (event_id, position)
          JOIN corrections c ON (c.project_id, c.event_id, c.position, c.field)
                              = (%s, named.event_id, named.position, '')
         WHERE c.source <> %s AND c.state = ANY (%s) ORDER BY c.id
        """,
        (
            [event for event, _ in values], [position for _, position in values], project,
            CorrectionOrigin.COMPLETION, list(NOT_REVERTED),
        ),
    )  # fmt: skip
    return [number for (number,) in rows]


async def undo(
    tx: Write, actor: Actor, project: int, corrections: Collection[int], run: int | None = None
) -> CorrectionOutcome:
    """Revert corrections by their numbers; those that are reverted already, and completions, stay.

    A run of a rule withdraws corrections its rule no longer makes; the actor reverts all others.
    """
    named = dict.fromkeys(corrections)
    return await _undo(tx, project, named, actor.user_id if run is None else None, run)


async def undo_rejected(tx: Write, actor: Actor, project: int, corrections: Mapping[int, int]) -> None:
    """Revert corrections by their numbers, each for the result that is given with it: what that proposed was
    approved, and is rejected now.
    """
    await _undo(tx, project, corrections, actor.user_id, None)


async def undo_by_runs(tx: Write, project: int, corrections: Sequence[tuple[int, int]]) -> None:
    """Revert corrections by their numbers, each by the run that is given with it."""
    for run, run_corrections in groupby(sorted(corrections, key=itemgetter(1)), key=itemgetter(1)):
        await _undo(tx, project, dict.fromkeys(number for number, _ in run_corrections), None, run)


async def _undo(
    tx: Write, project: int, corrections: Mapping[int, int | None], user: int | None, run: int | None
) -> CorrectionOutcome:
    if not corrections:
        return NOTHING_DONE
    inputs = staleness.announce(tx, project)
    project_and_corrections = (project, list(corrections))
    events = await tx.tuples(
        "SELECT DISTINCT event_id FROM corrections WHERE project_id = %s AND id = ANY (%s) ORDER BY event_id",
        project_and_corrections,
    )
    await _hold_events(tx, project, [event for (event,) in events])
    in_force = await tx.tuples(
        "SELECT event_id, position FROM corrections WHERE project_id = %s AND id = ANY (%s) AND state = %s",
        (*project_and_corrections, CorrectionState.IN_FORCE),
    )
    reverted = await tx.tuples(
        """
        UPDATE corrections c
           SET state = %s, reverted_at = now(), reverted_by = %s, reverted_by_run = %s,
               rejected_result = named.result
          FROM unnest(%s::bigint[], %s::bigint[]) AS named (id, result)
         WHERE c.project_id = %s AND c.id = named.id AND c.state = ANY (%s) AND c.source <> %s
        RETURNING c.id, c.event_id, c.position, c.field
        """,
        (
            CorrectionState.REVERTED, user, run, [*corrections], [*corrections.values()], project,
            states_before(CorrectionTrigger.REVERT), CorrectionOrigin.COMPLETION,
        ),
    )  # fmt: skip
    if not reverted:
        return NOTHING_DONE
    keys = [(event, position, field) for _, event, position, field in reverted]
    touched = {(event, position) for event, position, _ in keys}
    changed = await _settle(tx, inputs, keys, [key for key in map(tuple, in_force) if key in touched])
    return CorrectionOutcome(tuple(sorted(number for number, *_ in reverted)), changed)


async def undo_rule(
    tx: Write, actor: Actor, project: int, rule: int, run: int | None = None
) -> tuple[int, int]:
    """Revert what a rule, or one of its runs, corrected: how many corrections, how many values changed."""
    numbers = await corrections_of_rule(tx, project, rule, run)
    recorded = changed = 0
    for first in range(0, len(numbers), PORTION):
        outcome = await undo(tx, actor, project, numbers[first : first + PORTION])
        recorded, changed = recorded + len(outcome.recorded), changed + len(outcome.changed)
    if recorded:
        await settle_imputed(tx, project)
    return recorded, changed


async def corrections_of_value(tx: Write, project: int, event: int, position: int) -> list[int]:
    """The numbers of the corrections of a value that are neither reverted nor a completion."""
    rows = await tx.tuples(
        """
        SELECT id FROM corrections
         WHERE project_id = %s AND event_id = %s AND position = %s
           AND state = ANY (%s) AND source <> %s
         ORDER BY id
        """,
        (project, event, position, list(NOT_REVERTED), CorrectionOrigin.COMPLETION),
    )
    return [number for (number,) in rows]


async def corrections_of_rule(tx: Write, project: int, rule: int, run: int | None = None) -> list[int]:
    """The numbers of a rule's corrections, or of one run's, that are not reverted; event by event."""
    rows = await tx.tuples(
        """
        SELECT id FROM corrections
         WHERE project_id = %(project)s AND rule_id = %(rule)s AND state = ANY (%(not_reverted)s)
           AND (%(run)s::integer IS NULL OR rule_run_id = %(run)s)
         ORDER BY event_id, id
        """,
        {"project": project, "rule": rule, "run": run, "not_reverted": list(NOT_REVERTED)},
    )
    return [number for (number,) in rows]


async def show_in_force(tx: Write, project: int, events: Sequence[int]) -> None:
    """Update the current values of events after their roll-up has changed."""
    if events:
        await tx.execute(
            _SHOW_VALUES,
            {"project": project, "events": list(events), "completion": CorrectionOrigin.COMPLETION},
        )


async def _hold_events(tx: Write, project: int, events: Sequence[int]) -> None:
    """Lock these events against other corrections; in a fixed order, so that no deadlock is possible.

    Keys stay usable: a generation that refers to the events does not wait.
    """
    await tx.execute(
        "SELECT FROM events WHERE project_id = %s AND id = ANY (%s) ORDER BY id FOR NO KEY UPDATE",
        (project, list(events)),
    )


def _columns(corrections: Iterable[NewCorrection]) -> dict[str, list[Any]]:
    rows = [
        (
            new.event, new.position, new.field, jsonb(new.value), new.source, new.priority, new.reason,
            new.rule and new.rule.rule, new.rule and new.rule.version, new.rule and new.rule.run,
            jsonb(new.substitution),
        )
        for new in corrections
    ]  # fmt: skip
    names = (
        "events", "positions", "fields", "values", "sources", "priorities", "reasons", "rules",
        "rule_versions", "rule_runs", "substitutions",
    )  # fmt: skip
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


async def _settle(
    tx: Write,
    inputs: staleness.InputsHeld,
    keys: Sequence[tuple[int, int, str]],
    fallen: Sequence[tuple[int, int]] = (),
) -> tuple[tuple[int, int], ...]:
    """Put in force what prevails, show it in the events, and mark their users; gives what changed."""
    project = inputs.project
    moved = await tx.tuples(
        _RANK,
        {
            "project": project,
            "not_reverted": list(NOT_REVERTED),
            "prevails": advance(CorrectionState.SUPERSEDED, CorrectionTrigger.PREVAIL),
            "gives_way": advance(CorrectionState.IN_FORCE, CorrectionTrigger.GIVE_WAY),
            "events": [event for event, _, _ in keys],
            "positions": [position for _, position, _ in keys],
            "fields": [field for _, _, field in keys],
        },
    )
    changed = tuple(sorted({*map(tuple, moved), *fallen}))
    events = sorted({event for event, _ in changed})
    await tx.execute(
        _SHOW_VALUES, {"project": project, "events": events, "completion": CorrectionOrigin.COMPLETION}
    )
    moved_fields = sorted({event for event, position in changed if position == 0})
    # The earlier time of an event is marked as well as its present one.
    changes.leave(tx, project, changes.StoredEvents(moved_fields))
    if moved_fields:
        await tx.execute(_SHOW_FIELDS, {"project": project, "events": moved_fields})
    changes.leave(tx, project, changes.StoredEvents(events), staleness.ChangedValues(inputs, changed))
    return changed


_HELD: Final = ", ".join(f"to_jsonb({value.format('sent.position')})" for value in CURRENT.values())

# `held` is what is in force now, `own` the newest that the same source and rule has made and not reverted.
_RECORD: Final = f"""
    WITH sent AS (
        SELECT * FROM unnest(
            %(events)s::bigint[], %(positions)s::smallint[], %(fields)s::text[], %(values)s::jsonb[],
            %(sources)s::text[], %(priorities)s::integer[], %(reasons)s::text[], %(rules)s::integer[],
            %(rule_versions)s::integer[], %(rule_runs)s::integer[], %(substitutions)s::jsonb[])
            WITH ORDINALITY AS sent (event_id, position, field, value, source, priority, reason, rule_id,
                                      rule_version, rule_run_id, substitution, place)
    ), compared AS (
        SELECT sent.*,
               CASE sent.field
                    WHEN 'start_time' THEN to_jsonb(to_char(e.start_time AT TIME ZONE 'UTC', %(moment)s))
                    WHEN 'end_time' THEN to_jsonb(to_char(e.end_time AT TIME ZONE 'UTC', %(moment)s))
                    WHEN 'tracking_id' THEN to_jsonb(e.tracking_id)
                    WHEN 'feedstock_id' THEN to_jsonb(e.feedstock_id)
                    WHEN 'asset_id' THEN to_jsonb(e.asset_id)
                    ELSE coalesce({_HELD})
               END AS held,
               (SELECT c.to_value FROM corrections c
                 WHERE (c.project_id, c.event_id, c.position, c.field)
                     = (e.project_id, e.id, sent.position, sent.field)
                   AND c.state = ANY (%(not_reverted)s) AND c.source = sent.source
                   AND c.rule_id IS NOT DISTINCT FROM sent.rule_id
                 ORDER BY c.id DESC LIMIT 1) AS own,
               EXISTS (SELECT FROM corrections c
                        WHERE (c.project_id, c.event_id, c.position, c.field)
                            = (e.project_id, e.id, sent.position, sent.field)
                          AND c.state = %(in_force)s AND c.source <> %(completion)s) AS is_corrected
          FROM sent JOIN events e ON e.project_id = %(project)s AND e.id = sent.event_id
    )
    INSERT INTO corrections (project_id, event_id, position, field, source, priority, from_value, to_value,
                             rule_id, rule_version, rule_run_id, user_id, token_id, reason, substitution)
    SELECT %(project)s, event_id, position, field, source, priority,
           CASE WHEN source <> %(completion)s THEN held END, value,
           rule_id, rule_version, rule_run_id, %(user)s, %(token)s, reason,
           substitution
      FROM compared
     WHERE source = %(completion)s
        OR (position = 0 OR held IS NOT NULL OR substitution IS NOT NULL)
       AND CASE WHEN source = %(manual)s OR (own IS NULL AND NOT is_corrected)
                THEN value IS DISTINCT FROM held OR substitution IS NOT NULL
                ELSE value IS DISTINCT FROM own END
     ORDER BY place
    RETURNING id, event_id, position, field
"""

_RANK: Final = f"""
    WITH touched AS (
        SELECT DISTINCT * FROM unnest(%(events)s::bigint[], %(positions)s::smallint[], %(fields)s::text[])
                               AS touched (event_id, position, field)
    ), ranked AS (
        SELECT c.id, CASE WHEN row_number() OVER (
                              PARTITION BY c.event_id, c.position, c.field
                              ORDER BY {PREVAILING_FIRST}
                          ) = 1 THEN %(prevails)s ELSE %(gives_way)s END AS state
          FROM touched
          JOIN corrections c ON c.project_id = %(project)s
           AND (c.event_id, c.position, c.field) = (touched.event_id, touched.position, touched.field)
         WHERE c.state = ANY (%(not_reverted)s)
    )
    UPDATE corrections c SET state = ranked.state FROM ranked
     WHERE c.project_id = %(project)s AND c.id = ranked.id AND c.state <> ranked.state
    RETURNING c.event_id, c.position
"""


def _corrected(array: str, kind: str, value: str) -> str:
    """A captured array with corrections in force applied; NULL when there are none.

    A captured array ends with its last value, and what is filled in may stand behind that.
    """
    in_force = f"""
        corrections c
        WHERE (c.project_id, c.event_id) = (e.project_id, e.id) AND c.position > 0
          AND c.state = 'in_force' AND c.source <> %(completion)s AND jsonb_typeof(c.to_value) = '{kind}'"""
    return f"""
        (SELECT CASE WHEN count(c.id) > 0
                     THEN array_agg(coalesce({value}, e.{array}[place]) ORDER BY place) END
           FROM generate_series(1, greatest(cardinality(e.{array}), (SELECT max(c.position) FROM {in_force})))
                AS place
           LEFT JOIN (SELECT c.id, c.position, c.to_value FROM {in_force}) c ON c.position = place)
    """


_SHOW_VALUES: Final = f"""
    UPDATE events e
       SET corrected_numbers = {_corrected("numbers", "number", "c.to_value::numeric")},
           corrected_texts = {_corrected("texts", "string", "c.to_value #>> '{}'")},
           corrected_booleans = {_corrected("booleans", "boolean", "c.to_value::boolean")},
           is_revised = true, updated_at = now()
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s)
"""


def _field_in_force(field: str) -> str:
    """The value of a field of an event: the correction in force, or the captured value."""
    return f"""
        coalesce(
            (SELECT c.to_value #>> '{{}}' FROM corrections c
              WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, 0, '{field}')
                AND c.state = 'in_force'),
            CASE WHEN e.captured ? '{field}' THEN e.captured ->> '{field}'
                 ELSE (SELECT to_jsonb(e) ->> '{field}') END)
    """


_SHOW_FIELDS: Final = f"""
    UPDATE events e
       SET start_time = ({_field_in_force("start_time")})::timestamptz,
           end_time = ({_field_in_force("end_time")})::timestamptz,
           tracking_id = {_field_in_force("tracking_id")},
           feedstock_id = ({_field_in_force("feedstock_id")})::integer,
           asset_id = ({_field_in_force("asset_id")})::integer
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s)
"""
