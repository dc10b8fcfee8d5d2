"""Computing a model run: the engine's run over the data that were named.

Invariants: what is missing or does not fit is refused in the sentences of a generation; where all is there
and yet comes to no value, as in a division by zero, the run has failed and says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from weighbridge.accounting.inputs.named_data import NamedInputs
from weighbridge.accounting.inputs.named_data_points import FIELD
from weighbridge.core.engine import NOT_COMPUTABLE, Amount, run_slot
from weighbridge.core.engine.meters.totalisers import Unusable, unusable
from weighbridge.core.problem import Problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to: the value of every node, or why it failed; and what keeps it from being made."""

    values: Mapping[str, Amount]
    error_message: str | None = None
    refusals: tuple[Problem, ...] = ()


def compute(inputs: NamedInputs) -> Outcome:
    """Run the nodes over what was named."""
    ran = run_slot(inputs.setting, inputs.data)
    refusals = tuple(_of_request(one) for one in ran.problems if one.code != NOT_COMPUTABLE)
    if ran.problems:
        return Outcome({}, " ".join(one.message for one in ran.problems), refusals)
    [run] = ran.runs
    left = tuple(_of_unusable(inputs, one) for one in unusable(inputs.setting, inputs.data))
    return Outcome({slug: reading.amount for slug, reading in run.readings.items()}, refusals=left)


def _of_unusable(inputs: NamedInputs, one: Unusable) -> Problem:
    """Readings that were named and that an input can make nothing of."""
    events = [element.event for element in one.elements]
    said = (
        f"Input {one.node!r} can make nothing of {inputs.setting.named(events)}, beside what else was named."
    )
    return Problem(said, FIELD, "unused", inputs.setting.ids_of(events))


def _of_request(problem: Problem) -> Problem:
    """A problem of events is one of the data points that were named."""
    return replace(problem, field=FIELD) if problem.records else problem
