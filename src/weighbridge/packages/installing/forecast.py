"""What ledgers would become under the new versions of models, from the data as they are.

Every slot that was generated is generated twice, by the versions before and after, and with it all that draws
from the results; everything is undone. Invariant: the difference is that of two generations, to the digit.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from weighbridge.accounting.planning.proposal import Request
from weighbridge.accounting.posting.impact import compare_chains, compare_trials
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core import identity
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.packages.installing.making import Workplace
from weighbridge.platform.staleness import IS_NEWEST

NO_IMPACT: Final = GenerationImpact([], [], [], [], [], [])
"""What an upgrade comes to that changes no model whose ledgers have batches."""


class _GeneratedTime(NamedTuple):
    """The time over which a model was generated, and one of its ledgers."""

    family: int
    ledger: int
    start_time: Instant
    end_time: Instant


_GENERATED: Final = f"""
    SELECT r.family_id, min(b.ledger_id), min(r.start_time), max(r.end_time)
      FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     WHERE b.project_id = %s AND r.family_id = ANY (%s) AND {IS_NEWEST}
     GROUP BY r.family_id
"""


async def forecast_ledgers(work: Workplace, versions: Mapping[int, tuple[int, int]]) -> GenerationImpact:
    """What ledgers would become by other versions of models; the transaction must be undone afterwards.

    `versions` has those before and after by model.
    """
    rows = await work.tx.tuples(_GENERATED, (work.project, [*versions]))
    trials = {
        one.family: (
            _build_request(work, one, versions[one.family][0]),
            _build_request(work, one, versions[one.family][1]),
        )
        for one in (_GeneratedTime(*row) for row in rows)
    }
    if not trials:
        return NO_IMPACT
    before, after = await compare_trials(work.tx, work.project, trials)
    return await compare_chains(work.tx, work.project, before, after)


def _build_request(work: Workplace, one: _GeneratedTime, version: int) -> Request:
    # A range ends after its start, even for a slot that is a single instant.
    end = max(one.end_time, one.start_time + MILLISECOND)
    generation = NewGeneration(
        Instant.of(one.start_time), Instant.of(end), generate_concurrent_ledgers=True, model_version="latest"
    )
    ledger = identity.of("ledger", work.project, one.ledger)
    return Request(work.actor, ledger, generation, trial_version=version)
