"""Evaluate a version over data points that somebody names and keep the result; delete such a run."""

from collections.abc import Sequence

from weighbridge.accounting.books.model_run_ids import ModelRunKey, model_run_id, read_model_run_id
from weighbridge.accounting.inputs.named_checks import unused_data_points
from weighbridge.accounting.inputs.named_data import read_named_inputs
from weighbridge.accounting.inputs.named_data_points import FIELD, NamedDataPoint, named_data_points
from weighbridge.accounting.inputs.named_run import Outcome, compute
from weighbridge.accounting.model_runs import queries
from weighbridge.accounting.model_runs.records import DATA_POINTS_MAX, ModelRun, NewModelRun
from weighbridge.core.identity.ids import Owner
from weighbridge.core.model import Model, ModelError, PreparedModel, Surroundings, prepare
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, bounded
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.modelling.document.surroundings import surroundings_of
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.versions.stored import StoredModel, owned_model
from weighbridge.platform import changes

PROBLEMS_MAX = 100
"""Problems of a model run that are said at once."""


async def create_model_run(tx: Write, actor: Actor, model: str, request: NewModelRun) -> ModelRun:
    """Evaluate a version over the data points and keep what it came to.

    Raises Invalid with everything that keeps it from being evaluated. An evaluation that fails, as by a
    division by zero, is kept as a failed run.
    """
    kept = await owned_model(tx, actor, model)
    project, period = _frame(kept, request)
    surroundings = await surroundings_of(tx, project, kept.document, is_final=False)
    program = await tx.in_thread(_program, kept.document, surroundings)
    named, problems = await named_data_points(tx, project, request.data_point_ids)
    given = await read_named_inputs(tx, project, program, named, period)
    unused = await unused_data_points(tx, project, given, named)
    outcome = await tx.in_thread(compute, given)
    # An input whose data are of another period has been spoken of.
    refusals = [one for one in outcome.refusals if one.field not in unused.inputs]
    _refuse([*problems, *unused.problems, *refusals])
    key = await _keep(tx, project, kept.id, period, outcome)
    await _keep_inputs(tx, key, named)
    await _keep_values(tx, key, program.model, outcome)
    made = await queries.get_model_run(tx, actor, model_run_id(key))
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


async def delete_model_run(tx: Write, actor: Actor, friendly: str) -> None:
    """Delete a run that stands alone; raises Invalid with every blocker and its records."""
    before = await queries.get_model_run(tx, actor, friendly)
    if before.deletion_blockers:
        raise Invalid(
            [Problem(one.message, None, one.code, tuple(one.records)) for one in before.deletion_blockers]
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


def _frame(kept: StoredModel, request: NewModelRun) -> tuple[int, Interval]:
    """The project whose data are read and the period; Invalid with what is wrong about the request itself."""
    problems = []
    if kept.project is None:
        said = "The model belongs to no project, so there are no data to run it over."
        problems.append(Problem(said, "model_id", "no_project"))
    if request.end_time <= request.start_time:
        said = "model_run.end_time is not after model_run.start_time."
        problems.append(Problem(said, "model_run.end_time", "invalid"))
    if len(request.data_point_ids) > DATA_POINTS_MAX:
        said = f"{FIELD} holds {len(request.data_point_ids)} ids; a run takes {DATA_POINTS_MAX:,} at most."
        problems.append(Problem(said, FIELD, "too_many"))
    if problems or kept.project is None:
        raise Invalid(problems)
    return kept.project, Interval(Instant.of(request.start_time), Instant.of(request.end_time))


def _program(document: str, surroundings: Surroundings) -> PreparedModel:
    try:
        return prepare(read_model(document, surroundings), surroundings)
    except ModelError as error:
        raise Invalid([flaw.problem("model_id") for flaw in error.flaws]) from None


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise Invalid(bounded(problems, PROBLEMS_MAX))


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
