"""Invariants of the books, each in words with the statement that finds the records which break it.

Batches and their lineage, corrections, imputed and rolled-up events, reports, and that an event counts
once.
"""

from dataclasses import dataclass
from typing import Final, LiteralString
from zoneinfo import ZoneInfo

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import IN_FORCE, select_sharing_time
from weighbridge.accounting.inputs.streams import Reach, find_window
from weighbridge.collection.measurements.corrections import PREVAILING_FIRST
from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.collection.measurements.values import CURRENT
from weighbridge.core import identity
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin, CorrectionState
from weighbridge.core.model import Input, Share
from weighbridge.core.model.definition import ModelError
from weighbridge.core.time.calendar import EVENT, Instant
from weighbridge.db.engine import Read
from weighbridge.modelling.documents import read_model
from weighbridge.quality.slots.roll_up import (
    CONTENT,
    MADE,
    SAME_SLOT_AND_TAGS,
    RollUpDefinition,
    events_of_slots,
    read_definition,
)
from weighbridge.quality.slots.roll_up_refresh import SLOTS, slots_of

# An invariant of the books: in words, with the statement that finds the records which break it.


@dataclass(frozen=True, slots=True)
class Invariant:
    """What must hold, a sentence about what does not, and the statement that finds it."""

    words: str
    sentence: str
    """With {id}, {actual} and {expected}."""
    statement: LiteralString
    """Gives project, record, what is there, what was expected."""
    kind: str = "batch"
    """What the record is, by which its id is made."""


def ledger_invariant(words: str, sentence: str, statement: LiteralString) -> Invariant:
    """An invariant whose violations name ledgers."""
    return Invariant(words, sentence, statement, "ledger")


# Calibrations: of a meter one holds at a time, which a constraint of the database holds as well.


CALIBRATED: Final = (
    Invariant(
        "of a meter and a data point type only one calibration holds at a time",
        "calibration {id}: it holds while {actual} does, and none may",
        """
        SELECT c.project_id, c.id, string_agg(other.name, ', ' ORDER BY other.id), 0
          FROM calibrations c
          JOIN calibrations other ON other.project_id = c.project_id AND other.id > c.id
           AND other.data_point_type_id = c.data_point_type_id
           AND other.asset_id IS NOT DISTINCT FROM c.asset_id
           AND tstzrange(other.valid_from, other.valid_until) && tstzrange(c.valid_from, c.valid_until)
         GROUP BY c.project_id, c.id
        """,
        "calibration",
    ),
    Invariant(
        "a draw carries an uncertainty only where its batch does",
        "batch {id}: {actual} of its draws carry an uncertainty, and its model asks for {expected}",
        """
        SELECT d.project_id, d.batch_id, count(*), 'none'
          FROM batch_draws d JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id)
         WHERE d.uncertainties IS NOT NULL AND b.uncertainty_sha256 IS NULL
         GROUP BY d.project_id, d.batch_id
        """,
    ),
)
"""Rules about certificates, and about what is uncertain."""


# Batches themselves: invariants about whose they are, when they were made, and how their lineage is kept.


BATCHES: Final = (
    Invariant(
        "every batch has the times of its run's slot",
        "batch {id}: it is effective from {actual}, its run from {expected}",
        """
        SELECT b.project_id, b.id, concat_ws(' to ', b.start_time, b.end_time),
               concat_ws(' to ', r.start_time, r.end_time)
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE NOT r.by_event AND (b.start_time, b.end_time) <> (r.start_time, r.end_time)
        """,
        # A run of an event moves when the event's times are corrected; its batches stay where they were.
    ),
    Invariant(
        "every batch is of a version of the model that its run and its ledger have, as that version was",
        "batch {id}: it was made by version {actual} of another model, or of other content ({expected})",
        """
        SELECT b.project_id, b.id, b.model_id, encode(m.sha256, 'hex')
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
          JOIN models m ON m.id = b.model_id
         WHERE m.family_id <> r.family_id OR l.family_id IS DISTINCT FROM r.family_id
            OR m.sha256 <> b.model_sha256
        """,
    ),
    Invariant(
        "every adjusting batch names the first batch of its run on the ledger",
        "batch {id}: it names {actual}, and the first is {expected}",
        """
        SELECT project_id, id, coalesce(adjusts::text, 'none'), coalesce(first::text, 'itself')
          FROM (SELECT b.project_id, b.id, b.adjusts,
                       (SELECT max(f.id) FROM batches f
                         WHERE (f.project_id, f.run_id, f.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                           AND f.adjusts IS NULL AND f.id < b.id) AS first
                  FROM batches b WHERE b.adjusts IS NOT NULL) AS adjusting
         WHERE adjusts IS DISTINCT FROM first
        """,
    ),
    Invariant(
        "every batch posted for its own run, by the task that made it and at one time",
        "batch {id}: of what it posted, {actual} entries are another's, or of another task or time",
        """
        SELECT p.project_id, p.id, count(*), 0
          FROM (SELECT project_id, posted_by, batch_id, run_id, kind, async_task_id, posted_at
                  FROM ledger_entries WHERE reverses IS NULL AND report_id IS NULL
                UNION ALL
                SELECT project_id, posted_by, NULL, run_id, 'deficit', async_task_id, posted_at
                  FROM deficit_entries WHERE reverses IS NULL AND report_id IS NULL) AS e
          JOIN batches p ON (p.project_id, p.id) = (e.project_id, e.posted_by)
          LEFT JOIN ledger_entries credit
            ON (credit.project_id, credit.batch_id) = (p.project_id, p.id)
           AND credit.kind = 'credit' AND credit.reverses IS NULL
         WHERE e.async_task_id IS DISTINCT FROM p.async_task_id
            OR e.posted_at IS DISTINCT FROM credit.posted_at
            OR e.kind = 'credit' AND e.batch_id <> p.id
            OR e.kind NOT IN ('fall', 'rise', 'deficit') AND e.run_id IS DISTINCT FROM p.run_id
         GROUP BY p.project_id, p.id
        """,
        # Falls, rises and deficits of other runs are settled or released: another invariant compares them.
    ),
    Invariant(
        "what one task posted, it posted at one time",
        "batch {id}: its task posted at {actual} and at {expected}",
        """
        SELECT project_id, min(batch_id), min(posted_at), max(posted_at)
          FROM (SELECT project_id, batch_id, async_task_id, posted_at FROM ledger_entries
                UNION ALL
                SELECT project_id, posted_by, async_task_id, posted_at FROM deficit_entries) AS e
         WHERE async_task_id IS NOT NULL
         GROUP BY project_id, async_task_id HAVING min(posted_at) < max(posted_at)
        """,
    ),
    Invariant(
        "a batch is deleted at the time at which what it posted was undone",
        "batch {id}: it was deleted at {actual}, and undone at {expected}",
        """
        SELECT b.project_id, b.id, b.deleted_at, e.posted_at
          FROM batches b
          JOIN ledger_entries e ON (e.project_id, e.posted_by) = (b.project_id, b.id)
         WHERE e.reverses IS NOT NULL AND e.posted_at IS DISTINCT FROM b.deleted_at
        """,
    ),
    Invariant(
        "every lineage is kept in full chunks, each with the first and last number of its events",
        "batch {id}: {actual} chunks of its lineage are out of place, of {expected}",
        """
        SELECT project_id, batch_id, count(*) FILTER (WHERE is_wrong), count(*)
          FROM (SELECT i.project_id, i.batch_id,
                       i.chunk <> row_number() OVER (PARTITION BY i.project_id, i.batch_id, i.set_number
                                                     ORDER BY i.chunk) - 1
                       OR cardinality(i.event_ids) <> least(1000, s.event_count - i.chunk * 1000)
                       OR i.first_event <> (SELECT min(id) FROM unnest(i.event_ids) AS id)
                       OR i.last_event <> (SELECT max(id) FROM unnest(i.event_ids) AS id) AS is_wrong
                  FROM batch_inputs i
                  JOIN batch_input_sets s ON (s.project_id, s.batch_id, s.set_number)
                                           = (i.project_id, i.batch_id, i.set_number)) AS chunks
         GROUP BY project_id, batch_id HAVING bool_or(is_wrong)
        """,
    ),
)


# Corrections in the books: every value is the captured one or that of the correction which prevails.


_NOT_REVERTED: Final = ", ".join(f"'{state}'" for state in NOT_REVERTED)

CORRECTIONS: Final = (
    Invariant(
        "every value is what was captured, or what the correction in force says",
        "event {id}: a value is {actual}, and by its corrections it is {expected}",
        f"""
        SELECT e.project_id, e.id, v.shown::text, coalesce(c.to_value, v.captured)::text
          FROM events e
         CROSS JOIN LATERAL (
               SELECT position, 'number' AS type, to_jsonb({CURRENT["number"].format("position")}) AS shown,
                      to_jsonb(e.numbers[position]) AS captured
                 FROM generate_series(1, cardinality(e.numbers)) AS position
               UNION ALL
               SELECT position, 'string', to_jsonb({CURRENT["string"].format("position")}),
                      to_jsonb(e.texts[position])
                 FROM generate_series(1, cardinality(e.texts)) AS position
               UNION ALL
               SELECT position, 'boolean', to_jsonb({CURRENT["boolean"].format("position")}),
                      to_jsonb(e.booleans[position])
                 FROM generate_series(1, cardinality(e.booleans)) AS position) AS v
          LEFT JOIN corrections c
            ON (c.project_id, c.event_id, c.position) = (e.project_id, e.id, v.position)
           AND c.state = '{CorrectionState.IN_FORCE}' AND c.source <> '{CorrectionOrigin.COMPLETION}'
           AND (v.captured IS NOT NULL OR jsonb_typeof(c.to_value) = v.type)
         WHERE v.shown IS DISTINCT FROM coalesce(c.to_value, v.captured)
           AND (e.is_revised OR EXISTS (SELECT FROM corrections o
                                         WHERE (o.project_id, o.event_id) = (e.project_id, e.id)))
        """,
        "event",
    ),
    Invariant(
        "of the corrections of a value the one that prevails is in force",
        "event {id}: correction {actual} is in force, and {expected} prevails",
        f"""
        SELECT project_id, event_id, coalesce(in_force::text, 'none'), prevails
          FROM (SELECT c.project_id, c.event_id,
                       max(c.id) FILTER (WHERE c.state = '{CorrectionState.IN_FORCE}') AS in_force,
                       (array_agg(c.id ORDER BY {PREVAILING_FIRST}))[1] AS prevails
                  FROM corrections c WHERE c.state IN ({_NOT_REVERTED})
                 GROUP BY c.project_id, c.event_id, c.position, c.field) AS ranked
         WHERE in_force IS DISTINCT FROM prevails
        """,
        "event",
    ),
    Invariant(
        "a rule corrects a value once",
        "event {id}: a rule has {actual} corrections in force of one value, and at most {expected} may be",
        f"""
        SELECT c.project_id, c.event_id, count(*)::text, 1
          FROM corrections c
         WHERE c.rule_id IS NOT NULL AND c.state IN ({_NOT_REVERTED})
         GROUP BY c.project_id, c.event_id, c.position, c.field, c.rule_id
        HAVING count(*) > 1
        """,
        "event",
    ),
)
"""Rules about the corrections of events."""


# Imputed events: invariants about what rules made for slots in which nothing was captured.


IMPUTED: Final = (
    Invariant(
        "no imputed event is in its meter's slot with a captured one",
        "event {id}: it was imputed, but its slot has {actual} captured events instead of {expected}",
        f"""
        SELECT m.project_id, m.event_id, beside.count, 0
          FROM imputations m
          JOIN events made ON (made.project_id, made.id) = (m.project_id, m.event_id)
           AND made.voided_at IS NULL
         CROSS JOIN LATERAL (
               SELECT count(*) FROM events e
                WHERE e.project_id = m.project_id AND e.event_type_id = made.event_type_id
                  AND e.voided_at IS NULL AND NOT e.is_imputed
                  AND e.start_time >= m.slot_start AND e.start_time < m.slot_end
                  AND {METER_ASSET} = m.asset_id AND {METER_LOCATION} = m.location_id) AS beside
         WHERE beside.count > 0
        """,
        "event",
    ),
    Invariant(
        "every imputed event has a slot, and is voided when it is withdrawn from there, and not before",
        "event {id}: it is {actual}, and by its slot {expected}",
        """
        SELECT project_id, event_id,
               concat_ws(' and ', CASE WHEN e.is_imputed THEN 'imputed' ELSE 'captured' END,
                         CASE WHEN e.voided_at IS NOT NULL THEN 'voided' END),
               CASE WHEN m.slot_start IS NULL THEN 'not imputed'
                    WHEN m.withdrawn_at IS NULL THEN 'imputed' ELSE 'imputed and voided' END
          FROM (SELECT *, id AS event_id FROM events WHERE is_imputed) AS e
          FULL JOIN imputations m USING (project_id, event_id)
         WHERE e.is_imputed IS NULL OR m.slot_start IS NULL
            OR (e.voided_at IS NULL) <> (m.withdrawn_at IS NULL)
        """,
        "event",
    ),
)
"""Rules about the events that nobody captured."""


# Rolled-up events: all of them anew from their readings, by the statement that made them.
#
# Where readings changed and a mark says so, the events may still be those of before; that is no violation.


UTC: Final = ZoneInfo("UTC")


async def check_roll_ups(tx: Read) -> list[str]:
    """A sentence for each event that is not what its readings come to, and for each that is not there."""
    violations: list[str] = []
    for project, event_type in await tx.tuples(
        "SELECT project_id, event_type_id FROM roll_ups ORDER BY project_id, event_type_id"
    ):
        definition = await read_definition(tx, project, event_type)
        assert definition is not None, "it was listed a moment ago"  # noqa: S101
        slots = await slots_of(tx, definition, (None, None))
        for first in range(slots.start, slots.stop, SLOTS):
            violations += await _check(tx, definition, range(first, min(first + SLOTS, slots.stop)))
    return violations


async def _check(tx: Read, definition: RollUpDefinition, slots: range) -> list[str]:
    query, values = events_of_slots(definition, slots)
    rows = await tx.tuples(SQL(_BROKEN).format(events=query), values | {"event_type": definition.event_type})
    kind = identity.of("event_type", definition.project, definition.event_type)
    return [
        f"event type {kind}: readings from {Instant.of(start).astimezone(UTC).isoformat()} have no event"
        if event is None
        else f"event {identity.of('event', definition.project, event)}: its readings come to something else"
        for event, start in rows
    ]


_BROKEN: Final = f"""
    WITH made AS MATERIALIZED (SELECT * FROM ({{events}}) AS {MADE}
    ), matched AS MATERIALIZED (
        SELECT made.start_time, made.end_time, e.id,
               e.id IS NULL OR {CONTENT.format("e")} IS DISTINCT FROM {CONTENT.format("made")} AS is_broken
          FROM made
          LEFT JOIN events e ON e.project_id = %(project)s AND e.event_type_id = %(event_type)s
           AND e.readings IS NOT NULL AND e.voided_at IS NULL
           AND e.start_time >= %(first)s AND e.start_time < %(last)s AND {SAME_SLOT_AND_TAGS}
    ), broken AS (
        SELECT id, start_time, end_time FROM matched WHERE is_broken
        UNION ALL
        SELECT e.id, e.start_time, e.end_time FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
           AND e.start_time >= %(first)s AND e.start_time < %(last)s AND NOT e.is_imputed
           AND e.id NOT IN (SELECT id FROM matched WHERE id IS NOT NULL)
    )
    SELECT id, start_time FROM broken
     WHERE NOT EXISTS (SELECT FROM roll_up_marks m
                        WHERE m.project_id = %(project)s AND m.source_id = %(source)s
                          AND m.start_time < broken.end_time AND m.end_time >= broken.start_time)
     ORDER BY start_time, id
"""


# Reports: invariants about what they state, reserve and post.


REPORTS: Final = (
    Invariant(
        "what a chain of reports has posted and reserved is what its reports state, at every moment",
        "batch {id}: reports hold {actual} of it for a moment for which they state {expected}",
        """
        SELECT chain.project_id, wrong.batch_id, wrong.posted, wrong.expected
          FROM (SELECT DISTINCT project_id, chain_id FROM reports) AS chain
         CROSS JOIN LATERAL misposted_of_chain(chain.project_id, chain.chain_id) AS wrong
        """,
    ),
    Invariant(
        "a report counts from the latest end of its batches' slots on, or from when what it restates did",
        "batch {id}: it ends at {expected}, and a report that takes from it counts from {actual} on",
        """
        SELECT i.project_id, i.batch_id, r.effective_at, b.end_time
          FROM reports r
          JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE r.effective_at < b.end_time
        """,
    ),
    Invariant(
        "a report is superseded by a later one of its chain, when that went as far as it had",
        "report {id}: it was {expected} and is superseded, and {actual} later ones of its chain went as far",
        """
        SELECT r.project_id, r.id, count(later.id), own.status
          FROM reports r
         CROSS JOIN LATERAL (
               SELECT m.status FROM report_moves m
                WHERE (m.project_id, m.report_id) = (r.project_id, r.id) AND m.status <> 'superseded'
                ORDER BY m.id DESC LIMIT 1) AS own
          LEFT JOIN reports later
            ON (later.project_id, later.chain_id) = (r.project_id, r.chain_id) AND later.id > r.id
           AND EXISTS (SELECT FROM report_moves m
                        WHERE (m.project_id, m.report_id) = (later.project_id, later.id)
                          AND m.status = CASE own.status WHEN 'complete' THEN 'complete'
                                         ELSE 'submitting' END)
         WHERE r.status = 'superseded'
           AND NOT EXISTS (SELECT FROM report_successions s
                            WHERE (s.project_id, s.predecessor_id) = (r.project_id, r.id))
         GROUP BY r.project_id, r.id, own.status HAVING count(later.id) = 0
        """,
        "report",
    ),
    Invariant(
        "a report takes of batches of its ledgers, and its ledgers have the signs of its methodology",
        "report {id}: it has a ledger or a batch that is none of its own, or another sign",
        """
        SELECT r.project_id, r.id, count(*), 0
          FROM reports r
         CROSS JOIN LATERAL (
               SELECT FROM report_batches i
                 JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
                WHERE (i.project_id, i.report_id) = (r.project_id, r.id)
                  AND b.ledger_id <> r.ledger_id
                  AND NOT EXISTS (SELECT FROM report_ledgers g
                                   WHERE (g.project_id, g.report_id, g.ledger_id)
                                       = (r.project_id, r.id, b.ledger_id))
                UNION ALL
               SELECT FROM report_ledgers g
                 LEFT JOIN methodology_ledgers m
                        ON (m.methodology_id, m.position) = (r.methodology_id, g.position)
                WHERE (g.project_id, g.report_id) = (r.project_id, r.id)
                  AND (m.role, m.sign) IS DISTINCT FROM (g.role, sign(g.factor)::smallint)
                UNION ALL
               SELECT FROM report_ledgers g
                WHERE (g.project_id, g.report_id, g.position) = (r.project_id, r.id, 0)
                  AND g.ledger_id <> r.ledger_id) AS wrong
         GROUP BY r.project_id, r.id
        """,
        "report",
    ),
    # Successors share their predecessors: several of one that was split, or one of several that were merged.
    Invariant(
        "successors of reports take of every batch what their predecessors held",
        "report {id}: it and the successors with it take {actual} of a batch of which {expected} was held",
        """
        WITH grouped AS (
            SELECT s.project_id, s.report_id, s.predecessor_id,
                   min(s.report_id) OVER (PARTITION BY s.project_id, s.predecessor_id) AS first_id
              FROM report_successions s
        ), parts AS (
            SELECT g.project_id, g.first_id, b.batch_id, b.amount AS taken, 0::numeric AS held
              FROM (SELECT DISTINCT project_id, first_id, report_id FROM grouped) AS g
              JOIN report_batches b ON (b.project_id, b.report_id) = (g.project_id, g.report_id)
            UNION ALL
            SELECT g.project_id, g.first_id, b.batch_id, 0, coalesce(b.accepted_amount, b.amount)
              FROM (SELECT DISTINCT project_id, first_id, predecessor_id FROM grouped) AS g
              JOIN report_batches b ON (b.project_id, b.report_id) = (g.project_id, g.predecessor_id)
        )
        SELECT project_id, first_id, sum(taken), sum(held) FROM parts
         GROUP BY project_id, first_id, batch_id HAVING sum(taken) <> sum(held)
        """,
        "report",
    ),
)
"""What holds of reports."""


# Counted once: of every model and each of its inputs, an event counts in one slot in force of a ledger.
#
# What an event counts for in its slot sums to one: shares of partitions are divided without a rest, and the
# recomputation of every batch shows them; of an event that is prorated each slot has the part that lies in
# it, and slots in force share no time. So an event counts twice only where slots share time, or where two
# slots have it and one of them counts all of it.
#
# Readings that only give context are none of these: those whatever their date (`period: any`), the reading
# in force when a slot begins (`delta`, `time_weighted`), and what an input repeats for each slot of an
# event.


NO_SHARED_TIME: Final = "no two slots in force of a ledger share time"
COUNTED_ONCE: Final = "every event counts in one slot in force of a ledger, by each input that counts it"

_WHOLE: Final = frozenset({Reach.INSIDE, Reach.STARTING, Reach.ENDING})
"""The windows that give an event to one slot, and all of it."""
_COUNTING: Final = _WHOLE | {Reach.MEETING}
"""Those with the one that gives each slot the part that lies in it."""


async def check_counted_once(tx: Read, project: int | None = None) -> dict[str, list[str]]:
    """What counts more than once, over all books or those of one project, by rule."""
    values = {"project": project}
    shared = await tx.tuples(_SHARED_TIME, values)
    twice = await tx.tuples(_TWICE, {**values, **await _counting_inputs(tx, project)})
    return {
        NO_SHARED_TIME: [
            f"ledger {identity.of('ledger', number, ledger)}: the slot of batch "
            f"{identity.of('batch', number, batch)}, {start.isoformat()} to {end.isoformat()}, "
            "shares time with an earlier one in force"
            for number, ledger, batch, start, end in shared
        ],
        COUNTED_ONCE: [
            f"ledger {identity.of('ledger', number, ledger)}: input {node!r} counts {count} events in more "
            f"than one slot, {identity.of('event', number, event)} for one"
            for number, ledger, node, count, event in twice
        ],
    }


async def _counting_inputs(tx: Read, project: int | None) -> dict[str, list[int] | list[str] | list[bool]]:
    """The inputs of versions with batches that count an event once, and whether in one slot alone."""
    models, nodes, whole_bodies = [], [], []
    for number, document in await tx.tuples(_MODELS, {"project": project}):
        try:
            model = await tx.in_thread(read_model, document)
        except ModelError:
            continue  # that its batches cannot be computed anew is named with them
        for node in model.nodes:
            if not isinstance(node.body, Input):
                continue
            window = find_window(node.body)
            is_repeated = model.cadence == EVENT and node.body.share is Share.REPEAT
            if window.reach in _COUNTING and not window.is_held and not is_repeated:
                models.append(number)
                nodes.append(node.slug)
                whole_bodies.append(window.reach in _WHOLE)
    return {"models": models, "nodes": nodes, "whole": whole_bodies}


_SHARED_TIME: Final = select_sharing_time("(%(project)s::integer IS NULL OR b.project_id = %(project)s)")

_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches
                     WHERE deleted_at IS NULL AND (%(project)s::integer IS NULL OR project_id = %(project)s))
"""

_TWICE: Final = f"""
    WITH used AS (
        SELECT b.project_id, b.ledger_id, counting.node, counting.is_whole, s.batch_id, s.set_number,
               concat_ws(' ', r.by_event, r.event_id,
                   CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END,
                   CASE WHEN NOT r.by_event THEN r.start_time END,
                   CASE WHEN NOT r.by_event THEN r.end_time END) AS slot
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN batch_input_sets s ON (s.project_id, s.batch_id) = (b.project_id, b.id)
          JOIN unnest(%(models)s::integer[], %(nodes)s::text[], %(whole)s::boolean[])
               AS counting (model_id, node, is_whole)
            ON counting.model_id = b.model_id AND counting.node = ANY (s.nodes)
         WHERE (%(project)s::integer IS NULL OR b.project_id = %(project)s) AND {IN_FORCE}
    ), twice AS (
        SELECT used.project_id, used.ledger_id, used.node, event.id
          FROM used
          JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                               = (used.project_id, used.batch_id, used.set_number)
         CROSS JOIN unnest(i.event_ids) AS event (id)
         GROUP BY used.project_id, used.ledger_id, used.node, event.id
        HAVING min(used.slot) <> max(used.slot) AND bool_or(used.is_whole)
    )
    SELECT project_id, ledger_id, node, count(*), min(id) FROM twice
     GROUP BY project_id, ledger_id, node ORDER BY project_id, ledger_id, node
"""
