"""Carry out uncertainty runs: read the chain, compute blocks of trials, summarise them.

Invariants: a block that is computed is kept until the run ends, so whoever goes on after a worker died begins
where that stood; a block has the same bytes whoever computes it. The summary is published once, with the
fence of the task.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from weighbridge.accounting.inputs.posted_chain import ChainSubject, PostedChain, read_chain
from weighbridge.accounting.records.uncertainty_runs import SIGNIFICANT_DIGITS, TrialResult
from weighbridge.concurrency import compute_in_thread, computing_for
from weighbridge.core import identity
from weighbridge.core.engine.chain import ChainError
from weighbridge.core.number import CONTEXT, plain, round_to_digits
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt

if TYPE_CHECKING:
    from weighbridge.core.engine.chain_trials import ChainProgram

TRIALS_OF_A_STORED_BLOCK: Final = 8192
"""Trials whose results are kept together while a run is at work."""


class _StoredRequest(Struct, frozen=True):
    """What a run was asked for."""

    trials: int
    seed: int
    probability: Decimal
    estimate: Decimal
    certain: Decimal
    batches: list[int]
    amounts: list[Decimal]
    totals: list[Decimal]

    @property
    def subjects(self) -> list[ChainSubject]:
        """The runs that count."""
        return [ChainSubject(*one) for one in zip(self.batches, self.amounts, self.totals, strict=True)]


async def run_trials(database: Database, attempt: Attempt) -> None:
    """Compute the trials that a task asks for, as far as they are missing, and publish their summary."""
    with computing_for(attempt.actor.account_id):
        await _compute(
            database, attempt, identity.number("uncertainty_run", attempt.args["uncertainty_run_id"])
        )


async def _compute(database: Database, attempt: Attempt, number: int) -> None:
    await tasks.report_progress(database, attempt, 1, "Reading what the runs were computed of")
    async with database.read() as tx:
        asked = await tx.row(_StoredRequest, _REQUEST, (attempt.project_id, number))
        assert asked is not None, "a task of trials is written with its run"  # noqa: S101
        chain = await read_chain(tx, attempt.project_id, asked.subjects)
        done = {block for (block,) in await tx.tuples(_DONE, (attempt.project_id, number))}
    try:
        program = await compute_in_thread(None, _prepare, chain, asked)
    except ChainError as error:
        raise Invalid([Problem(str(error), "trials", "invalid")]) from None
    blocks = range(-(-asked.trials // TRIALS_OF_A_STORED_BLOCK))
    for block in blocks:
        if block in done:
            continue
        first = block * TRIALS_OF_A_STORED_BLOCK
        count = min(TRIALS_OF_A_STORED_BLOCK, asked.trials - first)
        column = await compute_in_thread(None, program.run_block, first, count)
        async with database.write() as tx:
            tx.later(_KEEP, (attempt.project_id, number, block, column.astype("<f8").tobytes()))
        await tasks.report_progress(
            database, attempt, 5 + 90 * block // len(blocks), f"{first + count:,} of {asked.trials:,} trials"
        )
    await _publish(database, attempt, number, asked, chain)


def _prepare(chain: PostedChain, asked: _StoredRequest) -> "ChainProgram":
    """Make the trials ready to run; ChainError when they cannot be, or draw too many values."""
    # NumPy is slow to import and large: no worker has it before the first trials.
    from weighbridge.core.engine.chain_trials import check_chain, prepare_chain  # noqa: PLC0415

    program = prepare_chain(chain.runs, chain.terms, asked.seed, asked.certain)
    check_chain(program, asked.trials)
    return program


async def _publish(
    database: Database, attempt: Attempt, number: int, asked: _StoredRequest, chain: PostedChain
) -> None:
    """Summarise the blocks, and keep the summary in their place."""
    async with database.read() as tx:
        rows = await tx.tuples(_BLOCKS, (attempt.project_id, number))
    result = await compute_in_thread(None, _summarise, [block for (block,) in rows], asked, chain)
    friendly = identity.of("uncertainty_run", attempt.project_id, number)
    said = TrialResult(friendly, asked.trials, result.get("is_first_order_valid"))
    async with database.write() as tx:
        await tasks.lock_current_attempt(tx, attempt)
        await tx.execute(_FINISH, (jsonb(result), chain.sha256, attempt.project_id, number))
        await tx.execute(_REMOVE_BLOCKS, (attempt.project_id, number))
        changes.record(
            tx, attempt.actor, action="uncertainty_run.finish", target=friendly,
            project_id=attempt.project_id, after=said,
        )  # fmt: skip
        await tasks.complete_task(tx, attempt, said)


def _summarise(blocks: Sequence[bytes], asked: _StoredRequest, chain: PostedChain) -> dict[str, Any]:
    """What the trials came to, next to first order, with numbers as texts."""
    from weighbridge.core.engine.chain_trials import join_bytes  # noqa: PLC0415
    from weighbridge.core.uncertainty.trial_summary import (  # noqa: PLC0415
        compare_with_first_order,
        list_edges,
        summarise,
    )

    combined = chain.first_order.combine()
    uncertainty = combined.standard_uncertainty
    expanded = combined.compute_expanded_uncertainty(asked.probability)
    estimate = CONTEXT.add(asked.estimate, chain.discount)
    low, high = CONTEXT.subtract(estimate, expanded), CONTEXT.add(estimate, expanded)
    summary = summarise(join_bytes(blocks), asked.probability)
    result: dict[str, Any] = {
        "trials_without_result": summary.without_result,
        "first_order": _write(
            estimate=estimate,
            standard_uncertainty=uncertainty,
            coverage_factor=combined.compute_coverage_factor(asked.probability),
            expanded_uncertainty=expanded, low=low, high=high,
        ),
    }  # fmt: skip
    found = summary.distributed
    if found is None:
        return result
    comparison = compare_with_first_order(estimate, uncertainty, expanded, found)
    return result | {
        **_write(mean=found.mean, standard_uncertainty=found.standard_uncertainty),
        "symmetric_interval": _write(low=found.symmetric.low, high=found.symmetric.high),
        "shortest_interval": _write(low=found.shortest.low, high=found.shortest.high),
        "differences": _write(
            mean=CONTEXT.subtract(found.mean, estimate),
            standard_uncertainty=CONTEXT.subtract(found.standard_uncertainty, uncertainty),
            low=comparison.low_difference, high=comparison.high_difference, tolerance=comparison.tolerance,
            sampling_error=comparison.sampling_error,
        ),
        "is_first_order_valid": comparison.is_passed,
        "histogram": {
            "edges": [_write_number(edge) for edge in list_edges(found.histogram)],
            "counts": list(found.histogram.counts),
        },
    }  # fmt: skip


def _write(**numbers: Decimal) -> Mapping[str, str]:
    return {name: _write_number(number) for name, number in numbers.items()}


def _write_number(number: Decimal) -> str:
    return plain(round_to_digits(number, SIGNIFICANT_DIGITS))


_REQUEST: Final = """
    SELECT trials, seed, coverage_probability, estimate, certain, batches, amounts, totals
      FROM uncertainty_runs WHERE project_id = %s AND id = %s
"""
_DONE: Final = "SELECT number FROM uncertainty_run_blocks WHERE project_id = %s AND run_id = %s"
_BLOCKS: Final = """
    SELECT results FROM uncertainty_run_blocks WHERE project_id = %s AND run_id = %s ORDER BY number
"""
_KEEP: Final = """
    INSERT INTO uncertainty_run_blocks (project_id, run_id, number, results) VALUES (%s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""
_FINISH: Final = (
    "UPDATE uncertainty_runs SET result = %s, inputs_sha256 = %s WHERE project_id = %s AND id = %s"
)
_REMOVE_BLOCKS: Final = "DELETE FROM uncertainty_run_blocks WHERE project_id = %s AND run_id = %s"
