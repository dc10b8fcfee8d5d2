"""The stored records against the audit log: what a row says was written is what stands in the database."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.posting.posting_run import WRITTEN, match_tasks, select_digest
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.json import canonical
from weighbridge.db.literal import Literal
from weighbridge.verification.recorded_nouns import NOUNS, RecordedNoun, Told

# Each record as the newest row of the audit log tells it: a field that differs was changed by no operation.
#
# Rows of the log are read noun by noun, and compared in sets by PostgreSQL.


COMPARED_AT_ONCE: Final = 2_000
"""Records whose rows of the log are held in memory at a time."""

_EVIDENCE: Final = re.compile(r"evidence (\d+) of (evt_\w+)\Z")


@dataclass(frozen=True, slots=True)
class RecordedState:
    """What the newest row of the log tells of a record: None where it is gone."""

    object: str
    project: int
    key: int
    part: str | None
    told: Told | None


async def check_records(tx: Read) -> list[str]:
    """Hold each record that the log tells against its row; a sentence for each that differs or is missing."""
    found: list[str] = []
    for noun in NOUNS:
        after = 0
        while rows := await tx.tuples(_NEWEST, _asked(noun, after)):
            after = rows[-1][0]
            found += await _differing(tx, noun, [*_states(noun, rows)])
    return found


def _asked(noun: RecordedNoun, after: int) -> dict[str, Any]:
    return {
        "actions": [*noun.actions, *noun.gone],
        "gone": [*noun.gone],
        "unsettling": [*noun.unsettled_by],
        "part": noun.part or "",
        "after": after,
        "limit": COMPARED_AT_ONCE,
    }


def _states(noun: RecordedNoun, rows: Sequence[Sequence[Any]]) -> Iterator[RecordedState]:
    for _, project, name, told, is_gone in rows:
        key = _key(noun, name, told or {})
        if key is None or (told is None and not is_gone):
            continue
        number = project or key.project
        part = None if noun.part is None or told is None else str(told[noun.part]).lower()
        yield RecordedState(name, number, key.key or key.project, part, None if is_gone else told)


def _key(noun: RecordedNoun, name: str, told: Mapping[str, Any]) -> ids.Key | None:
    if noun.name == "evidence" and (found := _EVIDENCE.match(name)):
        return ids.Key(0, int(found[1]))
    if isinstance(told.get("id"), int):
        return ids.Key(0, told["id"])
    if name.isdigit():
        return ids.Key(0, int(name))
    kind = noun.kind or ("batch" if noun.name == "instrument" else noun.name)
    return ids.parse(kind, name.rpartition(" ")[2]) if kind in ids.PREFIXES else None


def _expected(noun: RecordedNoun, state: RecordedState) -> str | None:
    """The fields that are compared, as JSON; ids are numbers."""
    if state.told is None:
        return None
    told = dict(state.told)
    if noun.name == "evidence" and (of := _EVIDENCE.match(state.object)):
        told["event_id"] = of[2]
    told = dict(noun.shape(told))
    for name, kind in noun.friendly.items():
        if told.get(name) is not None:
            key = ids.parse(kind, told[name])
            told[name] = None if key is None else key.key
    return canonical({name: told[name] for name in noun.columns if name in told}).decode()


async def _differing(tx: Read, noun: RecordedNoun, states: Sequence[RecordedState]) -> list[str]:
    if not states:
        return []
    rows = await tx.tuples(
        _comparing(noun),
        {
            "projects": [state.project for state in states],
            "keys": [state.key for state in states],
            "parts": [state.part for state in states],
            "told": [_expected(noun, state) for state in states],
        },
    )
    said = []
    for number, is_there, fields in rows:
        state = states[number - 1]
        name = f"{noun.name} {state.object}" + (f" {noun.part} {state.part}" if noun.part else "")
        if not is_there:
            said.append(f"{name}: the log tells of it, and it is not there")
        elif state.told is None:
            said.append(f"{name}: the log says that it was removed, and it is there")
        else:
            said.append(f"{name}: {', '.join(fields)} differ from what the log says was written")
    return said


def _comparing(noun: RecordedNoun) -> Composed:
    """The statement that gives records that differ from what is told, with the fields that do."""
    columns = SQL(", ").join(
        SQL("{}, {}").format(Literal(name), SQL(expression)) for name, expression in noun.columns.items()
    )
    table = SQL(noun.table if noun.table.startswith("(") else f"(SELECT * FROM {noun.table})")
    matching: list[Composable] = [
        SQL("t.{} = told.key").format(SQL("batch_id" if noun.name == "instrument" else "id"))
    ]
    if noun.is_of_project:
        matching.append(SQL("t.project_id = told.project"))
    if noun.part is not None:
        matching.append(SQL("t.{}::text = told.part").format(SQL(noun.part_column)))
    return _COMPARE.format(columns=columns, table=table, matching=SQL(" AND ").join(matching))


# Whoever erases a person, or imports a table of assets, changes many records by one row of the log.
_NEWEST: Final = """
    SELECT a.id, a.project_id, a.object, a.after, a.action = ANY (%(gone)s)
      FROM audit_log a
     WHERE a.action = ANY (%(actions)s) AND a.id > %(after)s
       AND NOT EXISTS (
            SELECT FROM audit_log later
             WHERE later.account_id = a.account_id AND later.object = a.object AND later.id > a.id
               AND later.action = ANY (%(actions)s)
               AND (later.after IS NULL OR %(part)s = ''
                    OR later.after -> %(part)s IS NOT DISTINCT FROM a.after -> %(part)s)
               AND (later.after -> 'id' IS NOT DISTINCT FROM a.after -> 'id' OR later.after IS NULL))
       AND NOT EXISTS (
            SELECT FROM audit_log import
             WHERE import.account_id = a.account_id AND import.action = ANY (%(unsettling)s)
               AND import.id > a.id)
     ORDER BY a.id LIMIT %(limit)s
"""
_COMPARE: Final = SQL("""
    SELECT told.number, t.record IS NOT NULL, differing.fields
      FROM unnest(%(projects)s::integer[], %(keys)s::bigint[], %(parts)s::text[], %(told)s::text[])
           WITH ORDINALITY AS told (project, key, part, fields, number)
      LEFT JOIN LATERAL (
        SELECT jsonb_build_object({columns}) AS record FROM {table} AS t WHERE {matching}) AS t ON true
     CROSS JOIN LATERAL (
        SELECT array_agg(each.key ORDER BY each.key) AS fields
          FROM jsonb_each(told.fields::jsonb) AS each
         WHERE t.record -> each.key IS DISTINCT FROM each.value) AS differing
     WHERE CASE WHEN told.fields IS NULL THEN t.record IS NOT NULL
                ELSE t.record IS NULL OR differing.fields IS NOT NULL END
     ORDER BY told.number
""")


# When records were made: the moment of a transaction is that of its row in the audit log.
#
# A record that was made at a moment for which its account's log tells nothing was not made by an operation.


NAMED_MAX: Final = 20
"""Records of one table that are named."""

MADE_BY_OPERATIONS: Final[dict[LiteralString, LiteralString]] = {
    "event_types": "id", "data_point_types": "id", "locations": "id", "feedstocks": "id", "assets": "id",
    "asset_custom_fields": "id", "outages": "id", "static_inputs": "id", "evidence": "id", "ledgers": "id",
    "rules": "id", "rule_versions": "rule_id", "reports": "id", "report_links": "id", "data_feeds": "id",
    "corrections": "id", "batches": "id", "events": "id",
}  # fmt: skip
"""Tables whose rows are made in the transaction of an operation, or of a task that tells what it did."""


async def check_moments(tx: Read) -> list[str]:
    """A sentence for each record that was made when the log tells of nothing in its project."""
    found = []
    for table, key in MADE_BY_OPERATIONS.items():
        # What is rolled up follows from its readings, which is checked by itself.
        condition = SQL("t.readings IS NULL" if table == "events" else "true")
        statement = SQL(_UNTOLD).format(table=SQL(table), key=SQL(key), condition=condition)
        rows = await tx.tuples(statement, (NAMED_MAX,))
        found += [f"{table} {number} of project {project}: made at {at}, when the log tells of nothing"
                  for project, number, at in rows]  # fmt: skip
    for project, number, at in await tx.tuples(_VOIDED, (NAMED_MAX,)):
        found.append(f"events {number} of project {project}: voided at {at}, when the log tells of nothing")
    return found


_VOIDED: Final = """
    SELECT t.project_id, t.id, t.voided_at FROM events t
     WHERE t.voided_at IS NOT NULL AND t.readings IS NULL
       AND NOT EXISTS (SELECT FROM audit_log a WHERE a.at = t.voided_at AND a.project_id = t.project_id)
     ORDER BY t.project_id, t.id LIMIT %s
"""
_UNTOLD: Final = """
    SELECT t.project_id, t.{key}, t.created_at FROM {table} t
     WHERE NOT EXISTS (SELECT FROM audit_log a WHERE a.at = t.created_at AND a.project_id = t.project_id)
       AND {condition}
     ORDER BY t.project_id, t.{key} LIMIT %s
"""


# Corrections against the audit log: whose they are, why, and what a rule run did.
#
# A correction was recorded in the transaction of a row of the log, which tells its reason where a person
# gave one, and the rule run where a rule did.


ROWS_AT_ONCE: Final = 2_000


async def check_corrections(tx: Read) -> list[str]:
    """A sentence for each correction that the log tells otherwise, or not at all."""
    found = [
        f"correction {number} of {ids.of('event', project, event)}: the log tells of another, or of none"
        for project, number, event in await tx.tuples(_OTHERS)
    ]
    after = 0
    while rows := await tx.tuples(_TOLD_OF_CORRECTIONS, (after, ROWS_AT_ONCE)):
        after = rows[-1][0]
        keys = [ids.parse("data_point", row[2]) for row in rows]
        values = {
            "projects": [row[1] for row in rows],
            "events": [key.key if key else None for key in keys],
            "positions": [key.position if key else None for key in keys],
            "moments": [row[3] for row in rows],
            "reasons": [row[4] for row in rows],
        }
        found += [
            f"data point {rows[number - 1][2]}: the log tells of a correction that is not there so"
            for (number,) in await tx.tuples(_NOT_THERE, values)
        ]
    return found


# A row of the same moment names the user and the token. The row of a run tells what its rule corrected in it;
# what was approved later is of a run of that rule.
_OTHERS: Final = """
    SELECT c.project_id, c.id, c.event_id FROM corrections c
     WHERE NOT EXISTS (
        SELECT FROM audit_log a
         WHERE a.at = c.created_at AND a.project_id = c.project_id
           AND a.user_id IS NOT DISTINCT FROM c.user_id AND a.token_id IS NOT DISTINCT FROM c.token_id
           AND (c.rule_run_id IS NULL OR (a.after ->> 'rule_run_id')::bigint = c.rule_run_id
                OR a.action IN ('rule_result.approve', 'rule_result.bulk_approve')
                   AND EXISTS (SELECT FROM rule_runs r
                                WHERE r.project_id = c.project_id AND r.id = c.rule_run_id
                                  AND r.rule_id = c.rule_id AND r.created_at <= c.created_at)))
     ORDER BY c.project_id, c.id LIMIT 100
"""
_TOLD_OF_CORRECTIONS: Final = """
    SELECT id, project_id, object, at, after ->> 'reason' FROM audit_log
     WHERE action = 'data_point.correct' AND id > %s ORDER BY id LIMIT %s
"""
_NOT_THERE: Final = """
    SELECT told.number
      FROM unnest(%(projects)s::integer[], %(events)s::bigint[], %(positions)s::integer[],
                  %(moments)s::timestamptz[], %(reasons)s::text[])
           WITH ORDINALITY AS told (project_id, event_id, position, at, reason, number)
     WHERE NOT EXISTS (
        SELECT FROM corrections c
         WHERE (c.project_id, c.event_id, c.position) = (told.project_id, told.event_id, told.position)
           AND c.created_at = told.at AND c.reason IS NOT DISTINCT FROM told.reason)
     ORDER BY told.number
"""


# The books against the audit log: what each generation wrote is what its row tells, by its digests.


Digests = dict[int, list[Any]]
"""By task, how many rows there are, and the SHA-256 over them."""


async def check_written(tx: Read) -> tuple[int, list[str]]:
    """Gives how many generations told no digests, and a sentence for each table that was changed."""
    rows = await tx.tuples(_TOLD)
    told = [written for (written,) in rows if written is not None]
    found: list[str] = []
    for table in WRITTEN:
        statement = SQL(_STORED).format(
            digest=select_digest(table),
            table=SQL(table.name),
            batch=SQL(table.batch),
            task=match_tasks(table),
        )
        stored: Digests = {task: [count, digest] for task, count, digest in await tx.tuples(statement)}
        for one in told:
            name = f"{table.name} of task {one['task']}"
            was, now = one["tables"].get(table.name, [0, ""]), stored.get(one["task"], [0, ""])
            if was[0] != now[0]:
                found.append(f"{name}: there are {now[0]:,} rows, and {was[0]:,} were written")
            elif was != now:
                found.append(f"{name}: they differ from what was written")
    return len(rows) - len(told), found


_TOLD: Final = "SELECT after -> 'written' FROM audit_log WHERE action = 'batch_generation.finish' ORDER BY id"
_STORED: Final[LiteralString] = """
    SELECT b.async_task_id, {digest} FROM {table} w
      JOIN batches b ON b.project_id = w.project_id AND b.id = {batch} AND {task}
     WHERE b.async_task_id IS NOT NULL
     GROUP BY b.async_task_id
"""
