"""Read model runs: those that stand alone and those behind batches, as one kind of record."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import partial
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
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    read_moment,
    read_page,
    start_implied,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.errors import NotFound
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.platform.tenancy.scope import find, of_key

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
    key=("r.id", "r.owner"),
    filters={
        "start_time": Filter("r.start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("r.end_time", read_moment, MOMENT, BOUNDS),
        "state": Filter("r.state", among(STATES), " or ".join(STATES)),
    },
    indexes=(Index("start_time", "state"), Index("start_time"), Index("id")),
)

_ALONE: Final = """
    SELECT 2 AS owner, project_id, id, model_id, start_time, end_time, state, error_message,
           created_at, updated_at
      FROM model_runs WHERE deleted_at IS NULL
"""
_BEHIND_BATCHES: Final = """
    SELECT 1 AS owner, project_id, id, model_id, start_time, end_time, 'complete' AS state,
           NULL::text AS error_message, created_at, updated_at
      FROM batches WHERE deleted_at IS NULL AND model_id IS NOT NULL
"""
_SOURCE: Final = f"({_ALONE} UNION ALL {_BEHIND_BATCHES}) AS r"

# Each of the two numbers is an index's last entry.
_LONGEST: Final = """
    (SELECT greatest(
        (SELECT end_time - start_time FROM model_runs
          WHERE model_id = {model} AND deleted_at IS NULL ORDER BY end_time - start_time DESC LIMIT 1),
        (SELECT end_time - start_time FROM batches
          WHERE model_id = {model} AND deleted_at IS NULL ORDER BY end_time - start_time DESC LIMIT 1)))
"""


def _run_id(owner: int, project: int, number: int) -> str:
    return model_run_id(ModelRunKey(Owner(owner), project, number))


def _batch_id(owner: int, project: int, number: int) -> str | None:
    return ids.of("batch", project, number) if owner == Owner.BATCH else None


def _blockers(batch: str | None) -> list[DeletionBlocker]:
    if batch is None:
        return []
    said = f"The batch {batch} is what the run came to; the run goes when the batch is deleted."
    return [DeletionBlocker("batch", said, [batch])]


MODEL_RUN: Final = row_of(
    ModelRun,
    Column("id", ("r.owner", "r.project_id", "r.id"), _run_id),
    Column("project_id", "r.project_id", partial(ids.of, "project")),
    Column("model_id", "r.model_id", partial(ids.of, "model", 0)),
    Column("batch_id", ("r.owner", "r.project_id", "r.id"), _batch_id),
    Column("start_time", "r.start_time"),
    Column("end_time", "r.end_time"),
    Column("state", "r.state"),
    Column("error_message", "r.error_message"),
    Column("calculations", (), list),
    Column("output_data_points", (), list),
    Derived("is_deletable", ("batch_id",), lambda batch: batch is None),
    Derived("deletion_blockers", ("batch_id",), _blockers),
    Column("created_at", "r.created_at"),
    Column("updated_at", "r.updated_at"),
)
"""A run as it stands in its row or in that of its batch; what its nodes came to is read beside."""


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


async def list_model_runs(tx: Read, model: int, request: ListRequest) -> Page[ModelRun]:
    """The runs of one version: those that stand alone, and those behind its batches."""
    of_model = SQL("r.model_id = {}").format(Literal(model))
    longest = SQL(_LONGEST).format(model=Literal(model))
    source = Source(
        f"({_ALONE}) AS r", "r.*", others=(f"({_BEHIND_BATCHES}) AS r",), name="r",
        implied=start_implied(request, "r.start_time", longest),
    )  # fmt: skip
    page = await read_page(tx, MODEL_RUN, MODEL_RUNS, request, source=source, where=[of_model])
    return Page(await _computed(tx, page.data), page.info)


async def get_model_run(tx: Read, actor: Actor, friendly: str) -> ModelRun:
    """One run of the actor's account."""
    key = read_model_run_id(friendly)
    if key is None:
        raise NotFound
    keyed = SQL("r.owner = %s AND {}").format(of_key(actor, "r.project_id", "r.id"))
    run = await find(tx, MODEL_RUN, _SOURCE, keyed, (key.owner, key.project, key.number))
    return (await _computed(tx, [run]))[0]


async def _computed(tx: Read, runs: Sequence[ModelRun]) -> list[ModelRun]:
    """Runs with what their nodes came to."""
    by_run: dict[str, list[_CalculationRow]] = {run.id: [] for run in runs}
    for one in await _calculations(tx, [key for run in runs if (key := read_model_run_id(run.id))]):
        by_run[model_run_id(one.key)].append(one)
    tags = await _tags(tx, {run.model_id for run in runs})
    return [
        msgspec.structs.replace(
            run,
            calculations=[_calculation(one, tags[run.model_id].get(one.slug, {})) for one in by_run[run.id]],
            output_data_points=[_output(one) for one in by_run[run.id] if one.is_output],
        )
        for run in runs
    ]


async def _calculations(tx: Read, keys: Sequence[ModelRunKey]) -> list[_CalculationRow]:
    """The values of the nodes of some runs, in each model's order."""
    return await tx.rows(
        _CalculationRow,
        """
        WITH request AS (
            SELECT * FROM unnest(%s::integer[], %s::integer[], %s::bigint[]) AS w (owner, project_id, id)
        )
        SELECT w.owner, c.project_id, c.model_run_id AS run, c.position, c.id, c.slug, c.name, c.unit,
               c.value, c.elements, c.is_output
          FROM request w
          JOIN model_run_calculations c ON (c.project_id, c.model_run_id) = (w.project_id, w.id)
         WHERE w.owner = 2
        UNION ALL
        SELECT w.owner, c.project_id, c.batch_id, c.position, c.id, c.slug, c.name, c.unit, c.value,
               NULL::numeric[], c.is_output OR c.is_primary
          FROM request w
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (w.project_id, w.id)
         WHERE w.owner = 1
         ORDER BY owner, project_id, run, position
        """,
        (
            [key.owner for key in keys],
            [key.project for key in keys],
            [key.number for key in keys],
        ),
    )


Tags = Mapping[str, Mapping[str, str]]
"""What a document says of its nodes, by their slugs."""


async def _tags(tx: Read, models: Collection[str]) -> dict[str, Tags]:
    """What the documents of models say, by the models' ids."""
    numbers = sorted(ids.number("model", friendly) for friendly in models)
    rows = await tx.tuples("SELECT id, document FROM models WHERE id = ANY (%s)", (numbers,))
    return {ids.of("model", 0, number): await tx.in_thread(_tags_in, document) for number, document in rows}


def _tags_in(document: str) -> Tags:
    """The tags of every node; none when the language has left the document behind."""
    try:
        return {node.slug: node.tags for node in read_model(document).nodes}
    except ModelError:
        return {}


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
