"""Define the records of uncertainty runs: what is asked for, and what Monte Carlo trials came to."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import one_of
from weighbridge.platform.records import AsyncTask

TRIALS_DEFAULT: Final = 100_000
"""How many trials a run has where nothing else is asked for."""

RUN_TRIALS_MIN: Final = 100
"""The fewest trials of which a summary is made."""

RUN_TRIALS_MAX: Final = 1_000_000
"""The most trials of a run of the service: JCGM 101, 7.2.2, expects two digits of so many at 95 %."""

RUN_SEED_MAX: Final = 2**53 - 1
"""The largest seed: the largest whole number that every reader of JSON holds exactly."""

UNFINISHED_MAX: Final = 4
"""How many unfinished uncertainty runs an account may have."""

SIGNIFICANT_DIGITS: Final = 12
"""To how many significant digits results are rounded: binary floats have 15."""

ARITHMETIC: Final = (
    "The trials were computed in binary floating point (IEEE 754, 64 bits), from where values are drawn to"
    f" the results here, which are decimals rounded to {SIGNIFICANT_DIGITS} significant digits. First order,"
    " and every posted amount, is computed in decimals; no trial changes a posted amount."
)


class NewUncertaintyRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the trials are drawn; each field may be left out."""

    trials: int = TRIALS_DEFAULT
    """How many trials to compute, from 100 to 1,000,000."""
    seed: int = 0
    """Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials everywhere."""
    coverage_probability: Decimal | None = None
    """The coverage probability of the intervals, above 0 and below 1; null for that of the model."""


class NewUncertaintyRunBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /batches/{batch_id}/uncertainty_runs, and of a report."""

    uncertainty_run: NewUncertaintyRun = NewUncertaintyRun()


class TrialInterval(msgspec.Struct, frozen=True):
    """An interval that has the coverage probability."""

    low: Decimal
    """The low end, in the `unit` of the run."""
    high: Decimal
    """The high end, in the `unit` of the run."""


class FirstOrderResult(msgspec.Struct, frozen=True):
    """The same by the law of propagation (JCGM 100), in the `unit` of the run."""

    estimate: Decimal
    """What the runs came to, before a discount was taken off."""
    standard_uncertainty: Decimal
    """The standard uncertainty to first order."""
    coverage_factor: Decimal
    """By what the standard uncertainty is multiplied, by Student's t or the normal distribution."""
    expanded_uncertainty: Decimal
    """Half the width of the interval."""
    low: Decimal
    """The low end of the interval about `estimate`."""
    high: Decimal
    """The high end of the interval about `estimate`."""


class TrialDifferences(msgspec.Struct, frozen=True):
    """How far trials are from first order, and what JCGM 101 tolerates, in `unit`."""

    mean: Decimal
    """The mean of the trials less the estimate of first order."""
    standard_uncertainty: Decimal
    """That of the trials less that of first order."""
    low: Decimal
    """How far the low ends of the symmetric interval and of first order are apart."""
    high: Decimal
    """How far the high ends are apart."""
    tolerance: Decimal
    """The numerical tolerance of two significant digits (JCGM 101, 7.9.2)."""
    sampling_error: Decimal | None = None
    """The standard error of the ends of the symmetric interval, by the number of trials; null for trials that
    were computed before it was.
    """


class TrialHistogram(msgspec.Struct, frozen=True):
    """How many trials fell into each of some columns of equal width."""

    edges: list[Decimal]
    """The ends of the columns, in `unit`: one more than there are columns."""
    counts: list[int]
    """How many trials each column has, from the least value on."""


class UncertaintyRun(msgspec.Struct, frozen=True):
    """Monte Carlo trials of the run of a batch, or of what a report holds (JCGM 101)."""

    id: str
    project_id: str
    batch_id: str | None
    """The batch whose run was repeated; null for a report."""
    report_id: str | None
    """The report whose amounts were added up; null for a batch."""
    state: Annotated[str, one_of(TaskState)]
    """Where the trials are: that of the task."""
    error_message: str | None
    """Why there is no result; null while there may be one."""
    trials: int
    """How many trials were asked for."""
    trials_done: int
    """How many of them are computed."""
    seed: int
    """Which trials were drawn: the same seed has the same trials everywhere."""
    coverage_probability: Decimal
    """The coverage probability of the intervals."""
    inputs_sha256: str | None
    """The SHA-256 of what was computed of: the batches of all runs of the chain, with the digests of their
    data and of how uncertain these are. Null until they are read.
    """
    is_current: bool
    """Whether it is of the batch, or of the report, as it is now: false once a batch adjusts a run that it
    counts, or the amounts of the report change.
    """
    unit: str
    """The unit of the ledger, such as `t`."""
    estimate: Decimal
    """What was posted: the total of the run, or what the report holds in all; the trials are about it."""
    mean: Decimal | None
    """The mean of the trials (7.6), in `unit`; null while there is none, as for all results below, and where
    some trials have no result.
    """
    standard_uncertainty: Decimal | None
    """The standard deviation of the trials (7.6), in `unit`."""
    symmetric_interval: TrialInterval | None
    """As many trials are below it as above it (7.7.2)."""
    shortest_interval: TrialInterval | None
    """The shortest of all that have the coverage probability (7.7.4)."""
    first_order: FirstOrderResult | None
    """What first order says."""
    differences: TrialDifferences | None
    """How far the two are apart."""
    is_first_order_valid: bool | None
    """Whether first order passes JCGM 101, clause 8: both ends are within the tolerance. Null where the
    trials are too few to decide: twice the sampling error reaches over the tolerance.
    """
    trials_without_result: int | None
    """How many trials have no result, such as of a division by zero."""
    histogram: TrialHistogram | None
    """The distribution of the trials."""
    significant_digits: int
    """To how many digits the results are rounded."""
    arithmetic: str
    """Where binary floats are used, and where they end."""
    async_task_id: int
    """The number of the task that computes it."""
    created_at: Instant
    finished_at: Instant | None
    """When it was complete or failed; null before."""


class StartedUncertaintyRun(msgspec.Struct, frozen=True):
    """The answer to an uncertainty run that was asked for: its trials are queued."""

    uncertainty_run: UncertaintyRun
    async_task: AsyncTask


class TrialResult(msgspec.Struct, frozen=True):
    """The result of a finished task of trials."""

    uncertainty_run_id: str
    """The friendly id of the run."""
    trials: int
    """How many trials it has."""
    is_first_order_valid: bool | None
    """Whether first order passes JCGM 101, clause 8; null where the trials are too few to decide, and where
    some have no result.
    """
