"""Model runs: one version of a model evaluated once, with the value of every node.

A run stands alone when somebody named the data points to evaluate; its result is stored and credits
nothing. Behind every batch stands a run too, whose values are the batch's. Both are computed by one
engine and read by the same code, so over the same data they have the same digits. A run never changes;
one that stands alone may be deleted. Permission: production accounting.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.inputs.named_data import (
    FIELD,
    NamedDataPoint,
    Outcome,
    compute,
    find_named_data_points,
    find_unused_data_points,
    read_named_inputs,
)
from weighbridge.accounting.records.model_runs import (
    DATA_POINTS_MAX,
    RUN_STATES,
    Calculation,
    DeletionBlocker,
    ModelRun,
    ModelRunKey,
    NewModelRun,
    NewModelRunBody,
    NodeValue,
    OutputDataPoint,
    read_model_run_id,
    write_model_run_id,
)
from weighbridge.core import identity
from weighbridge.core.identity import Owner
from weighbridge.core.model import Model, ModelError, PreparedModel, Surroundings, prepare
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    list_request,
    read_moment,
    read_page,
    start_implied,
)
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.modelling.documents import StoredModel, find_owned_model, read_model, read_surroundings
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, of_key, of_projects

# Read model runs: those that stand alone and those behind batches, as one kind of record.


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
        "state": Filter("r.state", among(RUN_STATES), " or ".join(RUN_STATES)),
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
    return write_model_run_id(ModelRunKey(Owner(owner), project, number))


def _find_batch_id(owner: int, project: int, number: int) -> str | None:
    return identity.of("batch", project, number) if owner == Owner.BATCH else None


def _list_blockers(batch: str | None) -> list[DeletionBlocker]:
    if batch is None:
        return []
    message = f"The batch {batch} is what the run came to; the run goes when the batch is deleted."
    return [DeletionBlocker("batch", message, [batch])]


MODEL_RUN: Final = row_of(
    ModelRun,
    Column("id", ("r.owner", "r.project_id", "r.id"), _run_id),
    Column("project_id", "r.project_id", partial(identity.of, "project")),
    Column("model_id", "r.model_id", partial(identity.of, "model", 0)),
    Column("batch_id", ("r.owner", "r.project_id", "r.id"), _find_batch_id),
    Column("start_time", "r.start_time"),
    Column("end_time", "r.end_time"),
    Column("state", "r.state"),
    Column("error_message", "r.error_message"),
    Column("calculations", (), list),
    Column("output_data_points", (), list),
    Derived("is_deletable", ("batch_id",), lambda batch: batch is None),
    Derived("deletion_blockers", ("batch_id",), _list_blockers),
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


async def select_model_runs(tx: Read, actor: Actor, model: int, request: ListRequest) -> Page[ModelRun]:
    """The runs of one version: those that stand alone, and those behind its batches."""
    of_model = SQL("r.model_id = {}").format(Literal(model))
    if actor.projects is not None:  # ledgers of other projects run a model that is shared
        of_model = SQL("{} AND {}").format(of_model, of_projects(actor, "r.project_id"))
    longest = SQL(_LONGEST).format(model=Literal(model))
    source = Source(
        f"({_ALONE}) AS r", "r.*", others=(f"({_BEHIND_BATCHES}) AS r",), name="r",
        implied=start_implied(request, "r.start_time", longest),
    )  # fmt: skip
    page = await read_page(tx, MODEL_RUN, MODEL_RUNS, request, source=source, where=[of_model])
    return Page(await _add_calculations(tx, page.data), page.info)


async def read_model_run(tx: Read, actor: Actor, friendly: str) -> ModelRun:
    """One run of the actor's account."""
    key = read_model_run_id(friendly)
    if key is None:
        raise NotFound
    keyed = SQL("r.owner = %s AND {}").format(of_key(actor, "r.project_id", "r.id"))
    run = await find(tx, MODEL_RUN, _SOURCE, keyed, (key.owner, key.project, key.number))
    return (await _add_calculations(tx, [run]))[0]


async def _add_calculations(tx: Read, runs: Sequence[ModelRun]) -> list[ModelRun]:
    """Runs with what their nodes came to."""
    by_run: dict[str, list[_CalculationRow]] = {run.id: [] for run in runs}
    for calculation in await _read_calculations(
        tx, [key for run in runs if (key := read_model_run_id(run.id))]
    ):
        by_run[write_model_run_id(calculation.key)].append(calculation)
    tags = await _read_tags(tx, {run.model_id for run in runs})
    return [
        msgspec.structs.replace(
            run,
            calculations=[
                _build_calculation(one, tags[run.model_id].get(one.slug, {})) for one in by_run[run.id]
            ],
            output_data_points=[_build_output(one) for one in by_run[run.id] if one.is_output],
        )
        for run in runs
    ]


async def _read_calculations(tx: Read, keys: Sequence[ModelRunKey]) -> list[_CalculationRow]:
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


async def _read_tags(tx: Read, models: Collection[str]) -> dict[str, Tags]:
    """What the documents of models say, by the models' ids."""
    numbers = sorted(identity.number("model", friendly) for friendly in models)
    rows = await tx.tuples("SELECT id, document FROM models WHERE id = ANY (%s)", (numbers,))
    return {
        identity.of("model", 0, number): await tx.in_thread(_read_document_tags, document)
        for number, document in rows
    }


def _read_document_tags(document: str) -> Tags:
    """The tags of every node; none when the language has left the document behind."""
    try:
        return {node.slug: node.tags for node in read_model(document).nodes}
    except ModelError:
        return {}


def _build_calculation(row: _CalculationRow, tags: Mapping[str, str]) -> Calculation:
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


def _build_output(row: _CalculationRow) -> OutputDataPoint:
    key = identity.Key(row.project, row.run, row.position, Owner(row.owner))
    return OutputDataPoint(
        id=identity.make("data_point", key),
        slug=row.slug,
        data_point_type=row.name,
        value=row.content,
        unit=row.unit,
        status="incomplete" if row.content is None else "complete",
    )


# Evaluate a version over data points that somebody names and keep the result; delete such a run.


PROBLEMS_MAX = 100
"""Problems of a model run that are said at once."""


def _read_frame(kept: StoredModel, request: NewModelRun) -> tuple[int, Interval]:
    """The project whose data are read and the period; Invalid with what is wrong about the request itself."""
    problems = []
    if kept.project is None:
        message = "The model belongs to no project, so there are no data to run it over."
        problems.append(Problem(message, "model_id", "no_project"))
    if request.end_time <= request.start_time:
        message = "model_run.end_time is not after model_run.start_time."
        problems.append(Problem(message, "model_run.end_time", "invalid"))
    if len(request.data_point_ids) > DATA_POINTS_MAX:
        message = f"{FIELD} holds {len(request.data_point_ids)} ids; a run takes {DATA_POINTS_MAX:,} at most."
        problems.append(Problem(message, FIELD, "too_many"))
    if problems or kept.project is None:
        raise Invalid(problems)
    return kept.project, Interval(Instant.of(request.start_time), Instant.of(request.end_time))


def _prepare_program(document: str, surroundings: Surroundings) -> PreparedModel:
    try:
        return prepare(read_model(document, surroundings), surroundings)
    except ModelError as error:
        raise Invalid([flaw.problem("model_id") for flaw in error.flaws]) from None


def _reject_problems(problems: Sequence[Problem]) -> None:
    if problems:
        raise Invalid(limit_problems(problems, PROBLEMS_MAX))


async def _keep(tx: Write, project: int, model: int, period: Interval, outcome: Outcome) -> ModelRunKey:
    number: int = await tx.value(
        """
        INSERT INTO model_runs (project_id, model_id, start_time, end_time, state, error_message)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, model, period.start, period.end,
            "failed" if outcome.error_message else "complete", outcome.error_message,
        ),
    )  # fmt: skip
    return ModelRunKey(Owner.MODEL_RUN, project, number)


async def _keep_inputs(tx: Write, key: ModelRunKey, named: Sequence[NamedDataPoint]) -> None:
    await tx.execute(
        """
        INSERT INTO model_run_inputs (project_id, model_run_id, event_id, positions)
        SELECT %s, %s, event_id, array_agg(position ORDER BY position)
          FROM unnest(%s::bigint[], %s::smallint[]) AS given (event_id, position) GROUP BY event_id
        """,
        (key.project, key.number, [one.event for one in named], [one.position for one in named]),
    )


async def _keep_values(tx: Write, key: ModelRunKey, model: Model, outcome: Outcome) -> None:
    """Keep the nodes that were computed, in the order of the document; arrays as texts of arrays."""
    nodes = [node for node in model.nodes if node.slug in outcome.values]
    outputs = {node.slug for node in model.outputs}
    values = [outcome.values[node.slug] for node in nodes]
    await tx.execute(
        """
        INSERT INTO model_run_calculations
               (project_id, model_run_id, position, slug, name, unit, value, elements, is_output)
        SELECT %s, %s, place, slug, name, unit, value, elements::numeric[], is_output
          FROM unnest(%s::text[], %s::text[], %s::text[], %s::numeric[], %s::text[], %s::boolean[])
                 WITH ORDINALITY AS made (slug, name, unit, value, elements, is_output, place)
         ORDER BY place
        """,
        (
            key.project, key.number,
            [node.slug for node in nodes], [node.label for node in nodes], [node.unit.text for node in nodes],
            [None if isinstance(value, tuple) else value for value in values],
            [f"{{{','.join(map(str, value))}}}" if isinstance(value, tuple) else None for value in values],
            [node.slug in outputs for node in nodes],
        ),
    )  # fmt: skip


# Paths of model runs.


_READ = "production_accounting:read"
_WRITE = "production_accounting:write"
_OF_MODEL = "/models/{model_id}/model_runs"
_ONE = "/model_runs/{model_run_id}"


@get(_OF_MODEL, permission=_READ, returns=Page[ModelRun], listing=MODEL_RUNS, spans_projects=True)
async def list_model_runs(call: ReadCall) -> Page[ModelRun]:
    """List the runs of one version of a model: those that stand alone, and those behind its batches."""
    kept = await find_owned_model(call.tx, call.actor, call.path["model_id"])
    return await select_model_runs(call.tx, call.actor, kept.id, list_request(call.query, MODEL_RUNS))


@post(
    _OF_MODEL,
    permission=_WRITE,
    body=NewModelRunBody,
    returns=ModelRun,
    example={
        "model_run": {
            "start_time": "2025-01-01T00:00:00Z",
            "end_time": "2025-02-01T00:00:00Z",
            "data_point_ids": ["in_8a8a3be3654d96b1a9c04f14"],
        }
    },
    computes=True,
    spans_projects=True,
)
async def create_model_run(call: WriteCall, body: NewModelRunBody) -> ModelRun:
    """Evaluate one version of a model at once over the data points that are named; it credits no ledger.

    The period is computed as generation computes a slot, with the data points that are named and no others:
    the same digits, and the same sentences where data are missing, do not match or do not cover the period.
    Weights, and texts that are joined on, come from the same event. The run has the partition that all its
    events share, and draws nothing. Data points that cannot count are refused; an evaluation that fails, as
    by a division by zero, is kept as a run whose state is `failed`.
    """
    # Raises Invalid with everything that keeps it from being evaluated. An evaluation that fails, as by a
    # division by zero, is kept as a failed run.
    tx, actor, request = call.tx, call.actor, body.model_run
    kept = await find_owned_model(tx, actor, call.path["model_id"])
    project, period = _read_frame(kept, request)
    surroundings = await read_surroundings(tx, project, kept.document, is_final=False)
    program = await tx.in_thread(_prepare_program, kept.document, surroundings)
    named, problems = await find_named_data_points(tx, project, request.data_point_ids)
    given = await read_named_inputs(tx, project, program, named, period)
    unused = await find_unused_data_points(tx, project, given, named)
    outcome = await tx.in_thread(compute, given)
    # An input whose data are of another period has been spoken of.
    refusals = [refusal for refusal in outcome.refusals if refusal.field not in unused.inputs]
    _reject_problems([*problems, *unused.problems, *refusals])
    key = await _keep(tx, project, kept.id, period, outcome)
    await _keep_inputs(tx, key, named)
    await _keep_values(tx, key, program.model, outcome)
    made = await read_model_run(tx, actor, write_model_run_id(key))
    changes.record(
        tx,
        actor,
        changes.ChangedModelRun(key.number),
        action="model_run.create",
        target=made.id,
        project_id=project,
        after=made,
    )
    return made


@get(_ONE, permission=_READ, returns=ModelRun)
async def get_model_run(call: ReadCall) -> ModelRun:
    """Read one run with the value of every node; that behind a batch has the batch's values."""
    return await read_model_run(call.tx, call.actor, call.path["model_run_id"])


@delete(_ONE, permission=_WRITE)
async def delete_model_run(call: WriteCall) -> None:
    """Delete a run that stands alone; 422 with every blocker and its records for one behind a batch."""
    tx, actor, friendly = call.tx, call.actor, call.path["model_run_id"]
    before = await read_model_run(tx, actor, friendly)
    if before.deletion_blockers:
        raise Invalid(
            [
                Problem(blocker.message, None, blocker.code, tuple(blocker.records))
                for blocker in before.deletion_blockers
            ]
        )
    key = read_model_run_id(friendly)
    assert key is not None  # noqa: S101 - the run was found by it
    await tx.execute(
        """
        UPDATE model_runs SET deleted_at = now(), updated_at = now()
         WHERE project_id = %s AND id = %s AND deleted_at IS NULL
        """,
        (key.project, key.number),
    )
    changes.record(
        tx,
        actor,
        changes.ChangedModelRun(key.number),
        action="model_run.delete",
        target=before.id,
        project_id=key.project,
        before=before,
    )


ROUTES = [list_model_runs, create_model_run, get_model_run, delete_model_run]
