"""Attributes: the values that travel along with what is drawn, as they are now and as they were then."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Protocol

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RUNS_OF_SLOTS, RunRow, slot_columns
from weighbridge.core.ledger.contributions import Contributions, of_columns
from weighbridge.core.ledger.drawing import Attributes, Drawer
from weighbridge.core.quantity.unit import Unit, parse_unit
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read


class Maker(Protocol):
    """A source batch, by what says what it came to."""

    @property
    def number(self) -> int: ...
    @property
    def ledger(self) -> int: ...
    @property
    def run(self) -> int | None: ...


async def attributes_now(
    tx: Read, project: int, slugs: Collection[str], sources: Sequence[Maker]
) -> Mapping[tuple[int, int], dict[str, tuple[Decimal, Unit]]]:
    """What the runs behind the sources came to, by ledger and run: their newest batch says it.

    An instrument says itself what it came to, and stands in for a run, by its own number below zero.
    """
    if not slugs or not sources:
        return {}
    rows = await tx.tuples(
        """
        SELECT newest.ledger_id, newest.run_id, c.slug, c.value, c.unit
          FROM ((SELECT DISTINCT ON (b.ledger_id, b.run_id) b.ledger_id, b.run_id, b.id
                   FROM batches b
                  WHERE b.project_id = %(project)s AND b.deleted_at IS NULL
                    AND b.run_id = ANY (%(runs)s) AND b.ledger_id = ANY (%(ledgers)s)
                  ORDER BY b.ledger_id, b.run_id, b.id DESC)
                UNION ALL
                SELECT b.ledger_id, - b.id, b.id FROM batches b
                 WHERE b.project_id = %(project)s AND b.id = ANY (%(instruments)s)) AS newest
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (%(project)s, newest.id)
           AND c.is_output AND c.slug = ANY (%(slugs)s) AND c.value IS NOT NULL
        """,
        {
            "project": project,
            "runs": sorted({batch.run for batch in sources if batch.run is not None}),
            "instruments": [batch.number for batch in sources if batch.run is None],
            "ledgers": sorted({batch.ledger for batch in sources}),
            "slugs": sorted(slugs),
        },
    )
    by_run: dict[tuple[int, int], dict[str, tuple[Decimal, Unit]]] = {}
    for ledger, run, slug, value, unit in rows:
        by_run.setdefault((ledger, run), {})[slug] = (value, parse_unit(unit))
    return by_run


async def contributions_now(
    tx: Read, project: int, sources: Sequence[Maker]
) -> Mapping[tuple[int, int], dict[str, Contributions | None]]:
    """What contributes to each output of the runs behind the sources, by ledger and run, as of now.

    Under no name stands that of what is drawn of them; an instrument rests on no value.
    """
    if not sources:
        return {}
    rows = await tx.tuples(
        """
        SELECT newest.ledger_id, newest.run_id, c.slug, c.is_primary, c.contributions
          FROM (SELECT DISTINCT ON (b.ledger_id, b.run_id) b.ledger_id, b.run_id, b.id
                  FROM batches b
                 WHERE b.project_id = %(project)s AND b.deleted_at IS NULL
                   AND b.run_id = ANY (%(runs)s) AND b.ledger_id = ANY (%(ledgers)s)
                 ORDER BY b.ledger_id, b.run_id, b.id DESC) AS newest
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (%(project)s, newest.id) AND c.is_output
        """,
        {
            "project": project,
            "runs": sorted({batch.run for batch in sources if batch.run is not None}),
            "ledgers": sorted({batch.ledger for batch in sources}),
        },
    )
    by_run: dict[tuple[int, int], dict[str, Contributions | None]] = {}
    for ledger, run, slug, is_primary, kept in rows:
        contributions = None if kept is None else of_columns(kept)
        of_run = by_run.setdefault((ledger, run), {})
        of_run[slug] = contributions
        if is_primary:
            of_run[""] = contributions
    return by_run


class _DrawnRow(RunRow, frozen=True):
    """What a node of a run was last computed from, of one source."""

    slot_number: int
    """The position of its slot among those that are named, from 1."""
    node: str
    source: int
    values: list[Decimal]
    units: list[str]


@dataclass(frozen=True, slots=True)
class DrawnThen:
    """What is looked for: the runs of a model's slots, and sources that they hold something of."""

    project: int
    family: int
    slots: Sequence[Interval]
    sources: Collection[int]
    slugs: Mapping[str, Sequence[str]]
    """What travels along, by node."""


async def attributes_then(tx: Read, drawn: DrawnThen) -> Mapping[tuple[Drawer, int], Attributes]:
    """What travelled along when runs last drew of sources."""
    slots, slugs = drawn.slots, drawn.slugs
    if not drawn.sources or not any(slugs.values()):
        return {}
    rows = await tx.rows(
        _DrawnRow,
        _DRAWN_THEN,
        {
            "project": drawn.project,
            "family": drawn.family,
            "sources": sorted(drawn.sources),
            **slot_columns(slots),
        },
    )
    then: dict[tuple[Drawer, int], Attributes] = {}
    for row in rows:
        of_node = slugs.get(row.node, ())
        # Another version of the model may have had others.
        if len(of_node) == len(row.values):
            drawer = Drawer(slots[row.slot_number - 1], row.partition, row.node)
            units = map(parse_unit, row.units)
            then[drawer, row.source] = dict(zip(of_node, zip(row.values, units, strict=True), strict=True))
    return then


_DRAWN_THEN: Final = SQL("""
    SELECT DISTINCT ON (r.id, d.node, d.source_batch_id)
           {columns}, r.slot, d.node, d.source_batch_id, d.attributes, d.units
      FROM {runs}
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN batch_draws d ON (d.project_id, d.batch_id) = (b.project_id, b.id)
       AND d.source_batch_id = ANY (%(sources)s)
      {tags}
     ORDER BY r.id, d.node, d.source_batch_id, b.id DESC, d.place DESC
""").format(columns=SQL(RUN_COLUMNS), runs=RUNS_OF_SLOTS, tags=SQL(RUN_TAGS))
