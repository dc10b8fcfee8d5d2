"""Read ledgers: balances now and at a named time, deficits, and the inputs that their models require."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.balances import (
    add_slot_starts,
    list_shortages,
    read_standings,
    show_deficit,
)
from weighbridge.accounting.books.runs import count_stale_of_ledgers, is_any_stale
from weighbridge.accounting.records.ledgers import (
    AllocationGroup,
    Deficits,
    Ledger,
    LedgerModel,
    NotCountedYet,
    RequiredInput,
    RequiredInputs,
    SourceLedger,
)
from weighbridge.accounting.tracing.pending_proposals import ask_for_any_pending, count_pending_of_ledgers
from weighbridge.core import identity
from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import LedgerRounding, warn_of_coarse_scale
from weighbridge.core.ledger.conditions import list_ledger_conditions
from weighbridge.core.model import Input, Model, Node, StaticInput, Upstream
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.lists.page import ANY_WAY
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.db.statements import Literal, Part
from weighbridge.errors import Malformed, NotFound
from weighbridge.modelling.documents import find_stored_model, read_model
from weighbridge.platform.tenancy import find, key_named, of_key, of_projects, project_filter

# What a ledger's model needs to run.


NO_TYPE: Final = 0
"""The number of no data point type."""


async def read_required_inputs(tx: Read, project: int, model: Model) -> list[RequiredInput]:
    """The inputs of a model, with the data point types and ledgers of a project that serve them."""
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.id FROM data_point_types dpt
          JOIN event_types et ON (et.project_id, et.id) = (dpt.project_id, dpt.event_type_id)
         WHERE dpt.project_id = %s
        """,
        (project,),
    )
    numbers = {(event_type, slug): number for event_type, slug, number in rows}
    ledgers = await _read_source_ledgers(tx, project, model)
    return _number_inputs(_build_required_input(node, numbers, ledgers) for node in model.nodes)


def _number_inputs(inputs: Iterable[RequiredInput | None]) -> list[RequiredInput]:
    """The inputs of the nodes of a model, each with an id of its own.

    That of a data point type is the type's number, for the first node that reads it. What else there is has
    the position of its node in the model, below zero, where no type has its number.
    """
    told: dict[int, RequiredInput] = {}
    for position, one in enumerate(inputs, start=1):
        if one is not None:
            number = -position if one.id in {NO_TYPE, *told} else one.id
            told[number] = msgspec.structs.replace(one, id=number)
    return [*told.values()]


async def _read_source_ledgers(tx: Read, project: int, model: Model) -> dict[str, SourceLedger]:
    """The ledgers of the project that the model draws from, by name."""
    names = {node.body.ledger for node in model.nodes if isinstance(node.body, Upstream)}
    rows = await tx.tuples(
        "SELECT id, name, unit FROM ledgers WHERE project_id = %s AND name = ANY (%s)",
        (project, sorted(names)),
    )
    return {
        name: SourceLedger(identity.of("ledger", project, number), name, unit) for number, name, unit in rows
    }


def _build_required_input(
    node: Node, numbers: Mapping[tuple[str, str], int], ledgers: Mapping[str, SourceLedger]
) -> RequiredInput | None:
    match node.body:
        case Input(event_type=event_type, data_point_type=slug):
            return RequiredInput(
                id=numbers.get((event_type, slug), NO_TYPE),
                name=node.label,
                slug=slug,
                unit=str(node.unit),
                value_type="number",
                category="event",
                subcategory=event_type,
                is_manual_select=False,
                allocation_groups=[],
                output_of_ledgers=[],
            )
        case StaticInput(slug=slug, by=by):
            return RequiredInput(
                id=NO_TYPE,
                name=node.label,
                slug=slug,
                unit=str(node.unit),
                value_type="number",
                category="static_input",
                subcategory=by or "project",
                is_manual_select=False,
                allocation_groups=[],
                output_of_ledgers=[],
            )
        case Upstream(ledger=name, is_manual=is_manual):
            return RequiredInput(
                id=NO_TYPE,
                name=node.label,
                slug=node.slug,
                unit=str(node.unit),
                value_type="number",
                category="ledger",
                subcategory=name,
                is_manual_select=is_manual,
                allocation_groups=[
                    AllocationGroup(group, node.slug) for group in [node.allocation_group] if group
                ],
                output_of_ledgers=[ledgers[name]] if name in ledgers else [],
            )
    return None


# Read ledgers.


LEDGERS: Final = Listing(
    sorts={"id": "l.id", "name": "l.name", "created_at": "l.created_at", "updated_at": "l.updated_at"},
    default_sort="id",
    key=("l.project_id", "l.id"),
    filters={
        "name": Filter("l.name", str, "a name"),
        "project_id": project_filter("l.project_id"),
    },
    is_exported=True,
)


def _build_model(number: int, name: str) -> LedgerModel:
    return LedgerModel(identity.of("model", 0, number), name)


def _list_scale_warnings(
    name: str, unit: str, scale: int, rounding: LedgerRounding, share_places: int | None
) -> list[str]:
    if share_places is None:
        return []
    warning = warn_of_coarse_scale(name, unit, scale, rounding, share_places)
    return [] if warning is None else [warning]


def _link_page(project: str, ledger: str) -> Link:
    return Link(f"/projects/{project}/ledgers/{ledger}")


_SOURCE: Final = """
    ledgers l
    LEFT JOIN model_families f ON f.id = l.family_id
    LEFT JOIN models m ON m.id = f.active_model_id
    LEFT JOIN ledger_waits w ON (w.project_id, w.ledger_id) = (l.project_id, l.id)
"""
# Where slots are not cut into partitions, nothing is shared.
_SHARES: Final = "CASE WHEN m.partition_type <> 'time' THEN m.share_places END"
LEDGER: Final = row_of(
    Ledger,
    Column("id", ("l.project_id", "l.id"), partial(identity.of, "ledger")),
    Column("numeric_id", "l.id"),
    Column("project_id", "l.project_id", partial(identity.of, "project")),
    Column("name", "l.name"),
    Column("unit", "l.unit"),
    Column("scale", "l.scale"),
    Column("rounding", "l.rounding"),
    Column(
        "balance",
        """(SELECT coalesce(sum(b.balance), 0) FROM batches b
             WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id))""",
    ),
    Column(
        "deficit",
        """(SELECT coalesce(sum(d.amount), 0) FROM deficits d
             WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id))""",
    ),
    Column(
        "open_liability",
        """(SELECT coalesce(sum(r.liability), 0) FROM reports r
             WHERE (r.project_id, r.ledger_id, r.status) = (l.project_id, l.id, 'complete'))""",
    ),
    Column("system_ledger_type", "l.system_ledger_type"),
    Column("partition_type", "m.partition_type"),
    Column("cadence", "m.cadence"),
    Column("latest_model", ("m.id", "m.name"), unless_null(_build_model)),
    Column("output", "l.output"),
    Column("asset_category", "l.asset_category"),
    Column("display_places", "l.display_places"),
    Column(
        "not_counted_yet",
        ("w.event_count", "w.is_more", "w.start_time", "w.end_time"),
        unless_null(NotCountedYet),
    ),
    Column("stale_batch_count", (), int),
    Column("pending_proposal_count", (), int),
    Column("conditions", (), list),
    Column("warnings", ("l.name", "l.unit", "l.scale", "l.rounding", _SHARES), _list_scale_warnings),
    Column("created_at", "l.created_at"),
    Column("updated_at", "l.updated_at"),
    Derived("ui_url", ("project_id", "id"), _link_page),
)


AS_OF: Final = "as_of"
"""The parameter that reads balances and deficits by what had been posted at a time."""

EFFECTIVE_AT: Final = "effective_at"
"""The parameter that reads them by what counts for a moment or an earlier one."""


async def list_ledgers(tx: Read, actor: Actor, query: Sequence[tuple[str, str]]) -> Page[Ledger]:
    """The ledgers of every project of the actor's account, as they stood at the times of the query or now."""
    return await _read_page(tx, query, of_projects(actor, "l.project_id"))


async def list_ledgers_of_project(tx: Read, project: int, query: Sequence[tuple[str, str]]) -> Page[Ledger]:
    """The ledgers of a project, as they stood at the times of the query or now."""
    return await _read_page(tx, query, SQL("l.project_id = {}").format(Literal(project)))


async def _read_page(tx: Read, query: Sequence[tuple[str, str]], where: Composable) -> Page[Ledger]:
    moments, rest = read_moments(query, (AS_OF, EFFECTIVE_AT))
    request = list_request(rest, LEDGERS)
    page = await read_page(tx, LEDGER, LEDGERS, request, source=_SOURCE, where=[where])
    ledgers = await _complete_ledgers(tx, page.data)
    return Page(await _read_at(tx, ledgers, moments) if moments else ledgers, page.info)


async def get_ledger(tx: Read, actor: Actor, friendly: str) -> Ledger:
    """One ledger of the actor's account."""
    return (await _complete_ledgers(tx, [await find_ledger(tx, actor, friendly)]))[0]


async def find_ledger(tx: Read, actor: Actor, friendly: str) -> Ledger:
    """One ledger of the actor's account, for those who do not ask for the conditions of its batches."""
    key = key_named("ledger", friendly)
    return await find(tx, LEDGER, _SOURCE, of_key(actor, "l.project_id", "l.id"), (key.project, key.key))


_FILLED: Final = """
    SELECT wanted.id FROM unnest(%s::integer[]) AS wanted (id)
     WHERE EXISTS (SELECT FROM batches b
                    WHERE b.project_id = %s AND b.ledger_id = wanted.id AND b.deleted_at IS NULL)
"""
"""The ledgers of a project that have batches."""


async def _complete_ledgers(tx: Read, ledgers: Sequence[Ledger]) -> list[Ledger]:
    """Ledgers with what holds of their batches, which is read for all ledgers of a project at once."""
    keys = [key_named("ledger", ledger.id) for ledger in ledgers]
    stale: dict[identity.Key, int] = {}
    pending: dict[identity.Key, int] = {}
    filled: set[identity.Key] = set()
    for project in {key.project for key in keys}:
        numbers = [key.key for key in keys if key.project == project]
        _, [(is_any_batch_stale,)], [(is_any_pending,)], with_batches = await tx.several(
            ANY_WAY, is_any_stale(project), ask_for_any_pending(project), (_FILLED, (numbers, project))
        )
        filled |= {identity.Key(project, number) for (number,) in with_batches}
        if is_any_batch_stale:
            counts = await count_stale_of_ledgers(tx, project, numbers)
            stale |= {identity.Key(project, number): count for number, count in counts.items()}
        if is_any_pending:
            counts = await count_pending_of_ledgers(tx, project, numbers)
            pending |= {identity.Key(project, number): count for number, count in counts.items()}
    return [
        msgspec.structs.replace(
            ledger,
            stale_batch_count=stale.get(key, 0),
            pending_proposal_count=pending.get(key, 0),
            conditions=list_ledger_conditions(
                has_batches=key in filled,
                is_stale=key in stale,
                waiting_event_count=ledger.not_counted_yet.event_count if ledger.not_counted_yet else 0,
                pending_proposal_count=pending.get(key, 0),
            ),
        )
        for key, ledger in zip(keys, ledgers, strict=True)
    ]


def find_ledger_to_read(tx: Read, actor: Actor, friendly: str) -> identity.Key:
    """The key of the ledger to read from; whether the account has it is asked with the next statement.

    NotFound comes from there.
    """
    key = key_named("ledger", friendly)
    mine = Part.of(of_projects(actor, "l.project_id"))
    asked = f"SELECT FROM ledgers l WHERE {mine.text} AND l.project_id = %s AND l.id = %s"
    tx.require(asked, (*mine.values, key.project, key.key), NotFound())
    return key


async def list_required_inputs(tx: Read, actor: Actor, friendly: str) -> RequiredInputs:
    """The inputs of the ledger's active model, with the data point types and ledgers that serve them."""
    ledger = await find_ledger(tx, actor, friendly)
    if ledger.latest_model is None:
        return RequiredInputs([])
    stored = await find_stored_model(tx, identity.number("model", ledger.latest_model.id))
    model = await tx.in_thread(read_model, stored.document)
    return RequiredInputs(await read_required_inputs(tx, key_named("ledger", friendly).project, model))


async def get_ledger_at(tx: Read, actor: Actor, friendly: str, query: Sequence[tuple[str, str]]) -> Ledger:
    """One ledger, as it stood at the times that the query names, or as it stands now."""
    moments, _ = read_moments(query, (AS_OF, EFFECTIVE_AT))
    ledger = await get_ledger(tx, actor, friendly)
    return (await _read_at(tx, [ledger], moments))[0] if moments else ledger


async def list_deficits(tx: Read, actor: Actor, friendly: str) -> Deficits:
    """The times in which more was drawn than produced, by partition and slot."""
    await find_ledger(tx, actor, friendly)
    key = key_named("ledger", friendly)
    short = list_shortages(await read_standings(tx, key.project, [key.key]))
    return Deficits([show_deficit(key.project, one) for one in await add_slot_starts(tx, key.project, short)])


async def _read_at(tx: Read, ledgers: Sequence[Ledger], moments: Mapping[str, Instant]) -> list[Ledger]:
    """Ledgers as they stood: by what had been posted at one time, by what counts at another."""
    keys = [key for ledger in ledgers if (key := identity.parse("ledger", ledger.id)) is not None]
    values = {
        "projects": [key.project for key in keys],
        "ledgers": [key.key for key in keys],
        "as_of": moments.get(AS_OF),
        "effective_at": moments.get(EFFECTIVE_AT),
    }
    rows = await tx.tuples(_STANDING_AT if EFFECTIVE_AT in moments else _POSTED_UNTIL, values)
    return [
        msgspec.structs.replace(one, balance=balance, deficit=deficit)
        for one, (balance, deficit) in zip(ledgers, rows, strict=True)
    ]


_POSTED_UNTIL: Final = """
    SELECT (SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
             WHERE (e.project_id, e.ledger_id) = (named.project, named.ledger)
               AND e.posted_at <= %(as_of)s),
           (SELECT coalesce(sum(d.amount), 0) FROM deficit_entries d
             WHERE (d.project_id, d.ledger_id) = (named.project, named.ledger)
               AND d.posted_at <= %(as_of)s)
      FROM unnest(%(projects)s::integer[], %(ledgers)s::integer[])
           WITH ORDINALITY AS named (project, ledger, position)
     ORDER BY position
"""

# What is produced less what is drawn may be above nothing in one partition and below it in another.
_STANDING_AT: Final = """
    SELECT coalesce(sum(greatest(standing.amount, 0)), 0), coalesce(- sum(least(standing.amount, 0)), 0)
      FROM unnest(%(projects)s::integer[], %(ledgers)s::integer[])
           WITH ORDINALITY AS named (project, ledger, position)
      LEFT JOIN LATERAL (
            SELECT sum(change.amount) AS amount
              FROM (SELECT b.run_id, e.amount
                      FROM ledger_entries e
                      JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
                     WHERE (e.project_id, e.ledger_id) = (named.project, named.ledger)
                       AND e.effective_at <= %(effective_at)s
                       AND (%(as_of)s::timestamptz IS NULL OR e.posted_at <= %(as_of)s)
                    UNION ALL
                    SELECT d.run_id, - d.amount FROM deficit_entries d
                     WHERE (d.project_id, d.ledger_id) = (named.project, named.ledger)
                       AND d.effective_at <= %(effective_at)s
                       AND (%(as_of)s::timestamptz IS NULL OR d.posted_at <= %(as_of)s)) AS change
              LEFT JOIN runs r ON (r.project_id, r.id) = (named.project, change.run_id)
             GROUP BY r.tracking_id, r.feedstock_id, r.asset_id) AS standing ON true
     GROUP BY position ORDER BY position
"""


def read_moments(
    query: Sequence[tuple[str, str]], names: Sequence[str]
) -> tuple[dict[str, Instant], list[tuple[str, str]]]:
    """The times that a query names, and the rest of the query; raise Malformed when one is no time."""
    moments, problems = {}, []
    for name in names:
        if given := [value for key, value in query if key == name]:
            try:
                [text] = given
                moments[name] = Instant.of(msgspec.convert(text, datetime))
            except (ValueError, msgspec.ValidationError):
                problems.append(_build_moment_problem(name, given))
    if problems:
        raise Malformed(problems)
    return moments, [pair for pair in query if pair[0] not in names]


def _build_moment_problem(name: str, given: Sequence[str]) -> Problem:
    said = ", ".join(repr(shorten(text)) for text in given)
    message = f"{name} takes one time with an offset or Z, such as 2025-04-01T00:00:00Z; it is {said}."
    return Problem(message, name, "invalid")
