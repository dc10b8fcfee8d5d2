"""Read model runs: those that stand alone and those behind batches, as one kind of record."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.model_run_ids import ModelRunKey, model_run_id, read_model_run_id
from weighbridge.accounting.model_runs.records import (
    STATES,
    Calculation,
    DeletionBlocker,
    ModelRun,
    NodeValue,
    OutputDataPoint,
)
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Owner
from weighbridge.core.model import ModelError
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import BOUNDS, MOMENT, Filter, Listing, Page, Wanted, among, page_of, read_moment
from weighbridge.db.literal import Literal
from weighbridge.errors import NotFound
from weighbridge.modelling.document.reading import read_model

MODEL_RUNS: Final = Listing(
    sorts={
        "id": "r.id",
        "start_time": "r.start_time",
        "end_time": "r.end_time",
        "state": "r.state",
        "created_at": "r.created_at",
        "updated_at": "r.updated_at",
    },
    default_sort="start_time",
    key=("r.project_id", "r.owner", "r.id"),
    filters={
        "start_time": Filter("r.start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("r.end_time", read_moment, MOMENT, BOUNDS),
        "state": Filter("r.state", among(STATES), " or ".join(STATES)),
    },
)

_SOURCE: Final = """(
    SELECT 2 AS owner, project_id, id, model_id, start_time, end_time, state, error_message,
           created_at, updated_at
      FROM model_runs WHERE deleted_at IS NULL
    UNION ALL
    SELECT 1, project_id, id, model_id, start_time, end_time, 'complete', NULL, created_at, updated_at
      FROM batches WHERE deleted_at IS NULL AND model_id IS NOT NULL
) AS r"""
_COLUMNS: Final = """
    r.owner, r.project_id, r.id, r.model_id, r.start_time, r.end_time, r.state, r.error_message,
    r.created_at, r.updated_at
"""


class _RunRow(msgspec.Struct, frozen=True):
    """A run as it stands in its row or in that of its batch."""

    owner: int
    project: int
    number: int
    model: int
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    created_at: Instant
    updated_at: Instant

    @property
    def key(self) -> ModelRunKey:
        return ModelRunKey(Owner(self.owner), self.project, self.number)


class _CalculationRow(msgspec.Struct, frozen=True):
    owner: int
    project: int
    run: int
    position: int
    id: int
    slug: str
    name: str
    unit: str
    value: Decimal | None
    elements: list[Decimal] | None
    is_output: bool

    @property
    def key(self) -> ModelRunKey:
        return ModelRunKey(Owner(self.owner), self.project, self.run)

    @property
    def content(self) -> NodeValue:
        return self.value if self.elements is None else self.elements


async def list_model_runs(tx: Read, model: int, wanted: Wanted) -> Page[ModelRun]:
    """The runs of one version: those that stand alone, and those behind its batches."""
    of_model = SQL("r.model_id = {}").format(Literal(model))
    page = await page_of(tx, _RunRow, MODEL_RUNS, wanted, columns=_COLUMNS, source=_SOURCE, where=[of_model])
    return Page(await _model_runs(tx, page.data), page.info)


async def get_model_run(tx: Read, actor: Actor, friendly: str) -> ModelRun:
    """One run of the actor's account."""
    key = read_model_run_id(friendly)
    if key is None:
        raise NotFound
    row = await tx.row(
        _RunRow,
        f"""
        SELECT {_COLUMNS} FROM {_SOURCE}
         WHERE r.owner = %s AND r.project_id = %s AND r.id = %s
           AND r.project_id IN (SELECT id FROM projects WHERE account_id = %s)
        """,
        (key.owner, key.project, key.number, actor.account_id),
    )
    if row is None:
        raise NotFound
    return (await _model_runs(tx, [row]))[0]


async def _model_runs(tx: Read, rows: Sequence[_RunRow]) -> list[ModelRun]:
    calculations: dict[ModelRunKey, list[_CalculationRow]] = {row.key: [] for row in rows}
    for one in await _calculations(tx, rows):
        calculations[one.key].append(one)
    tags = await _tags(tx, sorted({row.model for row in rows}))
    return [_model_run(row, calculations[row.key], tags[row.model]) for row in rows]


async def _calculations(tx: Read, rows: Sequence[_RunRow]) -> list[_CalculationRow]:
    """The values of the nodes of some runs, in each model's order."""
    return await tx.rows(
        _CalculationRow,
        """
        WITH wanted AS (
            SELECT * FROM unnest(%s::integer[], %s::integer[], %s::bigint[]) AS w (owner, project_id, id)
        )
        SELECT w.owner, c.project_id, c.model_run_id AS run, c.position, c.id, c.slug, c.name, c.unit,
               c.value, c.elements, c.is_output
          FROM wanted w
          JOIN model_run_calculations c ON (c.project_id, c.model_run_id) = (w.project_id, w.id)
         WHERE w.owner = 2
        UNION ALL
        SELECT w.owner, c.project_id, c.batch_id, c.position, c.id, c.slug, c.name, c.unit, c.value,
               NULL::numeric[], c.is_output OR c.is_primary
          FROM wanted w
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (w.project_id, w.id)
         WHERE w.owner = 1
         ORDER BY owner, project_id, run, position
        """,
        (
            [row.owner for row in rows],
            [row.project for row in rows],
            [row.number for row in rows],
        ),
    )


Tags = Mapping[str, Mapping[str, str]]
"""What a document says of its nodes, by their slugs."""


async def _tags(tx: Read, models: Sequence[int]) -> dict[int, Tags]:
    rows = await tx.tuples("SELECT id, document FROM models WHERE id = ANY (%s)", (list(models),))
    return {number: await tx.in_thread(_tags_in, document) for number, document in rows}


def _tags_in(document: str) -> Tags:
    """The tags of every node; none when the language has left the document behind."""
    try:
        return {node.slug: node.tags for node in read_model(document).nodes}
    except ModelError:
        return {}


def _model_run(row: _RunRow, calculations: Sequence[_CalculationRow], tags: Tags) -> ModelRun:
    batch = ids.of("batch", row.project, row.number) if row.owner == Owner.BATCH else None
    blockers = [] if batch is None else [_behind(batch)]
    return ModelRun(
        id=model_run_id(row.key),
        project_id=ids.of("project", row.project),
        model_id=ids.of("model", 0, row.model),
        batch_id=batch,
        start_time=row.start_time,
        end_time=row.end_time,
        state=row.state,
        error_message=row.error_message,
        calculations=[_calculation(one, tags.get(one.slug, {})) for one in calculations],
        output_data_points=[_output(one) for one in calculations if one.is_output],
        is_deletable=not blockers,
        deletion_blockers=blockers,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _behind(batch: str) -> DeletionBlocker:
    return DeletionBlocker(
        "batch",
        f"The batch {batch} is what the run came to; the run goes when the batch is deleted.",
        [batch],
    )


def _calculation(row: _CalculationRow, tags: Mapping[str, str]) -> Calculation:
    return Calculation(
        id=row.id,
        name=row.name,
        slug=row.slug,
        value=row.content,
        unit=row.unit,
        ghg=tags.get("ghg"),
        lca_role=tags.get("lca_role"),
        category=tags.get("category"),
    )


def _output(row: _CalculationRow) -> OutputDataPoint:
    key = ids.Key(row.project, row.run, row.position, Owner(row.owner))
    return OutputDataPoint(
        id=ids.make("data_point", key),
        slug=row.slug,
        data_point_type=row.name,
        value=row.content,
        unit=row.unit,
        status="incomplete" if row.content is None else "complete",
    )
