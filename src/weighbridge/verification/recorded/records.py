"""Each record as the newest row of the audit log tells it: a field that differs was changed by no operation.

Rows of the log are read noun by noun, and compared in sets by PostgreSQL.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg.sql import SQL, Composable, Composed

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.json import canonical
from weighbridge.db.literal import Literal
from weighbridge.verification.recorded.nouns import NOUNS, RecordedNoun, Told

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
