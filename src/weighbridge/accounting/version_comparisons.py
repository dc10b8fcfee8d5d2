"""Version comparisons: what a version of a model would have come to over a past period, against another.

Both versions are planned by the one plan of generation over the data as they are now, as if each were
the active one and replaced what was generated, and all ledgers further down are generated after them;
everything is undone. Permission: production accounting.

Invariants: both plans are made from one snapshot. A version's result is what a generation would post
that replaced the period by it.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Final

from psycopg.sql import SQL

from weighbridge.accounting.planning.plan import Run, total_of
from weighbridge.accounting.planning.proposal import Proposal, Request
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.accounting.posting.impact import Chain, compare_chains, compare_trials
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.accounting.records.model_runs import (
    ComparedBatch,
    ComparedLedger,
    ComparedNode,
    ComparedPeriod,
    ComparedRun,
    ComparedVersions,
    NewGeneration,
)
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import Amount, Model
from weighbridge.core.number import exact_total
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, identify_slot
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.dry_runs import attempt_with_body
from weighbridge.http.endpoints.endpoint import WriteCall
from weighbridge.modelling.documents import StoredModel, find_owned_model, find_stored_model
from weighbridge.modelling.models_simulation import write_amount
from weighbridge.modelling.records import ModelName
from weighbridge.modelling.validation import check_activation
from weighbridge.platform.tenancy import of_projects

# Compare two versions of a model over a period: their plans, run by run and node by node.
#
# Invariants: both plans are of one snapshot; what a version comes to is what a generation would post that
# replaced the period by it.


COMPARED_VALUES_MAX: Final = 100_000
"""Values of nodes in one comparison, those of both versions together."""

RunKey = tuple[Hashable, Partition]
"""A slot wherever it is, and a partition."""


@dataclass(frozen=True, slots=True)
class _Side:
    """What one version comes to in one project."""

    model: Model
    ledgers: Mapping[int, CreditedLedger]
    """Those that the version can credit, by number."""
    runs: Mapping[RunKey, Run]

    def total(self, run: Run | None, ledger: int) -> Decimal | None:
        """What a run comes to on a ledger; None where there is none or it cannot be credited."""
        if run is None or ledger not in self.ledgers:
            return None
        return total_of(self.model, run, self.ledgers[ledger])

    def sum(self, ledger: int) -> Decimal | None:
        """What all runs come to on a ledger; None where the version cannot credit it."""
        if ledger not in self.ledgers:
            return None
        return exact_total(self.total(run, ledger) or Decimal(0) for run in self.runs.values())


async def compare_versions(
    tx: Write, actor: Actor, friendly: str, request: ComparedPeriod
) -> ComparedVersions:
    """What a version comes to over a period, against another; the transaction must be undone afterwards.

    Raises Invalid when the version could not be activated.
    """
    version = await find_owned_model(tx, actor, friendly)
    against = await _find_other_version(tx, actor, version, request.against)
    if problems := await check_activation(tx, version):
        raise Invalid(problems)
    ledgers: list[ComparedLedger] = []
    runs: list[ComparedRun] = []
    problems_before: list[str] = []
    problems_after: list[str] = []
    impacts: list[GenerationImpact] = []
    for project, ledger in await _read_ledgers(tx, actor, version.family):
        requests = [_build_request(actor, project, ledger, one, request) for one in (against, version)]
        chains = await compare_trials(tx, project, {version.family: (requests[0], requests[1])})
        planned = [_find_own(one, version.family) for one in chains]
        before, after = await tx.in_thread(lambda both: [_build_side(one) for one in both], planned)
        impacts.append(await compare_chains(tx, project, *chains))
        problems_before += [problem.message for problem in planned[0].problems]
        problems_after += [problem.message for problem in planned[1].problems]
        differing = await tx.in_thread(_list_differing_runs, project, before, after)
        runs += differing
        ledgers += _compare_totals(project, before, after, differing)
        _require_limit(runs)
    return ComparedVersions(
        _name(version), _name(against), Instant.of(request.start_time), Instant.of(request.end_time),
        ledgers, runs, problems_before, problems_after, _join(impacts),
    )  # fmt: skip


def _find_own(generations: Chain, family: int) -> Proposal:
    """The generation by the version on trial."""
    return next(one for one in generations.proposals if one.scope.family == family)


def _join(impacts: Sequence[GenerationImpact]) -> GenerationImpact:
    """Those of several projects, one after the other."""
    lists = {
        name: list(chain.from_iterable(getattr(impact, name) for impact in impacts))
        for name in GenerationImpact.__struct_fields__
    }
    return GenerationImpact(**lists)


async def _find_other_version(tx: Read, actor: Actor, version: StoredModel, named: str | None) -> StoredModel:
    """The version that is compared with: the one that is named, else the active one."""
    if named is None:
        active: int = await tx.value(
            "SELECT active_model_id FROM model_families WHERE id = %s", (version.family,)
        )
        return await find_stored_model(tx, active)
    other = await find_owned_model(tx, actor, named)
    if other.family != version.family:
        message = f"against is {named!r}, which is a version of another model."
        raise Invalid([Problem(message, "against", "other_model")])
    return other


async def _read_ledgers(tx: Read, actor: Actor, family: int) -> list[tuple[int, int]]:
    """The projects where ledgers run a model, each with one of these ledgers; Invalid when none does."""
    statement = SQL(
        "SELECT project_id, min(id) FROM ledgers WHERE family_id = %s AND {} GROUP BY 1 ORDER BY 1"
    ).format(of_projects(actor, "project_id"))
    rows = await tx.tuples(statement, (family,))
    if not rows:
        raise Invalid([Problem("No ledger runs the model, so nothing would change.", None, "no_ledger")])
    return [(project, ledger) for project, ledger in rows]


def _build_request(
    actor: Actor, project: int, ledger: int, version: StoredModel, period: ComparedPeriod
) -> Request:
    generation = NewGeneration(
        period.start_time, period.end_time, generate_concurrent_ledgers=True, model_version="latest"
    )
    return Request(actor, identity.of("ledger", project, ledger), generation, trial_version=version.id)


def _build_side(proposal: Proposal) -> _Side:
    """What the version on trial comes to; slots that came along, for data that moved, do not count."""
    plan = next(one for one in proposal.plans if one.scope.model_id == proposal.request.trial_version)
    return _Side(
        plan.scope.model,
        {ledger.number: ledger for ledger in plan.scope.ledgers},
        {
            (identify_slot(run.slot), run.partition): run
            for run in plan.runs
            if run.slot not in plan.scope.included
        },
    )


def _list_differing_runs(project: int, before: _Side, after: _Side) -> list[ComparedRun]:
    """The runs that the versions do not agree on, in order of slot and partition."""
    keys = sorted({**before.runs, **after.runs}.items(), key=lambda one: one[1].identity.order)
    compared = [
        _compare_run(project, (before, before.runs.get(key)), (after, after.runs.get(key))) for key, _ in keys
    ]
    return [one for one in compared if one.batches or one.nodes]


def _compare_run(
    project: int, before: tuple[_Side, Run | None], after: tuple[_Side, Run | None]
) -> ComparedRun:
    run = after[1] or before[1]
    assert run is not None, "one of the versions has the run"  # noqa: S101
    return ComparedRun(
        identity.of("project", project),
        run.partition.label or None,
        Instant.of(run.slot.start),
        Instant.of(run.slot.end),
        list(_compare_batches(project, before, after)),
        list(_compare_nodes(before, after)),
    )


def _compare_batches(
    project: int, before: tuple[_Side, Run | None], after: tuple[_Side, Run | None]
) -> Iterator[ComparedBatch]:
    for number, ledger in sorted({**before[0].ledgers, **after[0].ledgers}.items()):
        was, now = before[0].total(before[1], number), after[0].total(after[1], number)
        if was != now:
            yield ComparedBatch(identity.of("ledger", project, number), was, now, ledger.unit)


def _compare_nodes(
    before: tuple[_Side, Run | None], after: tuple[_Side, Run | None]
) -> Iterator[ComparedNode]:
    was = {node.slug: node for node in before[0].model.nodes}
    now = {node.slug: node for node in after[0].model.nodes}
    for slug, node in {**now, **{slug: node for slug, node in was.items() if slug not in now}}.items():
        units = [one[slug].unit.text if slug in one else None for one in (was, now)]
        values = [_read_amount(run, slug) for _, run in (before, after)]
        if values[0] != values[1] or (units[0] != units[1] and before[1] and after[1]):
            yield ComparedNode(
                slug, node.label, write_amount(values[0]), write_amount(values[1]), units[0], units[1]
            )


def _read_amount(run: Run | None, slug: str) -> Amount:
    reading = None if run is None else run.readings.get(slug)
    return None if reading is None else reading.amount


def _compare_totals(
    project: int, before: _Side, after: _Side, runs: Sequence[ComparedRun]
) -> Iterator[ComparedLedger]:
    for number, ledger in sorted(after.ledgers.items()):
        friendly = identity.of("ledger", project, number)
        count = sum(batch.ledger_id == friendly for run in runs for batch in run.batches)
        total = after.sum(number) or Decimal(0)
        yield ComparedLedger(friendly, ledger.name, count, before.sum(number), total, ledger.unit)


def _require_limit(runs: Sequence[ComparedRun]) -> None:
    """Raise Invalid when the runs have more values than one answer tells."""
    values = [value for run in runs for node in run.nodes for value in (node.value_before, node.value_after)]
    count = sum(len(value) if isinstance(value, list) else 1 for value in values)
    if count > COMPARED_VALUES_MAX:
        message = (
            f"The versions differ in {count:,} values of nodes over the period; a comparison tells "
            f"{COMPARED_VALUES_MAX:,} at most. Ask for a shorter period."
        )
        raise Invalid([Problem(message, "end_time", "too_many")])


def _name(version: StoredModel) -> ModelName:
    return ModelName(identity.of("model", 0, version.id), version.name, version.version)


# Paths of version comparisons: asked of the version that would be new.


@attempt_with_body(
    "/models/{model_id}/compare",
    permission="production_accounting:read",
    body=ComparedPeriod,
    returns=ComparedVersions,
    example={"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-04-01T00:00:00Z"},
    spans_projects=True,
)
async def compare_over_period(call: WriteCall, body: ComparedPeriod) -> ComparedVersions:
    """Say what a version would change over a past period against another, by batch and node.

    Both versions are computed over the data as they are now, whatever was generated before and by whichever
    version, as if each were activated and replaced it; nothing is stored. `impact` follows what draws from
    the results, down to the last ledger and report. Without `against` it is the version
    that ledgers run now. Each version has the slots of its own cadence; where these differ, ask for a period
    that holds whole slots of both. 422 for a version that could not be activated, for a model that no ledger
    runs, and for a period that cuts generated slots of another cadence in two.
    """
    return await compare_versions(call.tx, call.actor, call.path["model_id"], body)


ROUTES = [compare_over_period]
