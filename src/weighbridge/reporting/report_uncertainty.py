"""How uncertain a report is: what it states with an interval, and the budget of what its batches share.

It is computed when it is asked for, of what batches keep: of thousands of them that takes seconds, so no list
and no other reading of a report has it. Permission: production accounting.

Invariant: of a report that was sent off it is what it was then, whatever becomes of certificates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.accounting.books.effect_names import (
    EffectNames,
    describe_effect,
    name_lines,
    read_effect_names,
)
from weighbridge.accounting.books.uncertainty import LINES_MAX, list_lines
from weighbridge.accounting.records.uncertainty import MaterialEffect, ReportMateriality
from weighbridge.core import identity
from weighbridge.core.number import CONTEXT, NumberError, parse_decimal, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.effects import UncertaintyEffect
from weighbridge.core.uncertainty.importance import (
    ChosenEffects,
    compute_own_uncertainty,
    compute_reach,
    find_moving_effects,
)
from weighbridge.core.unit import Unit, UnitError, find_slope, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.http.endpoints.links import KEY, by_logged_link
from weighbridge.reporting.records.reports import UNKNOWN_BATCHES_INLINE, ReportUncertainty
from weighbridge.reporting.report_links import KEY_MEANING, ReportEntry, report_entry
from weighbridge.reporting.reports_queries import find_compared, find_report_key, was_accepted
from weighbridge.reporting.submission.uncertainty import Included, ReportedUncertainty, read_included


async def read_report_uncertainty(tx: Read, report: identity.Key) -> ReportUncertainty:
    """Read how uncertain a report is that is there, and how uncertain what it restates was."""
    earlier = await find_compared(tx, report.project, report.key)
    included = [await read_included(tx, report)]
    if has_acceptance := await was_accepted(tx, report.project, report.key):
        included.append(await read_included(tx, report, is_accepted=True))
    if earlier is not None:
        compared = identity.Key(report.project, earlier)
        included.append(await read_included(tx, compared, is_accepted=True))
    sums = await tx.in_thread(_sum_all, included)
    stated = sums[0]
    accepted = sums[1] if has_acceptance else None
    before = sums[-1] if earlier is not None else None
    unknown = included[0].unknown
    found = ReportUncertainty(
        report_id=identity.make("report", report),
        unit=included[0].unit,
        stated=stated.amount if stated else None,
        accepted=accepted.amount if accepted else None,
        compared_with=None if earlier is None else identity.of("report", report.project, earlier),
        before=before.amount if before else None,
        is_coverage_probability_shared=stated.summed.is_probability_shared if stated else None,
        unknown_batch_count=len(unknown),
        unknown_batches=[
            identity.of("batch", report.project, batch) for batch in unknown[:UNKNOWN_BATCHES_INLINE]
        ],
        budget=list_lines(stated.combined) if stated else [],
        budget_count=len(stated.combined.budget) if stated else 0,
    )
    return msgspec.structs.replace(found, budget=await name_lines(tx, report.project, found.budget))


def _sum_all(included: list[Included]) -> list[ReportedUncertainty | None]:
    return [one.sum() for one in included]


# Materiality: which effects can move what a report states by as much as a threshold that the reader sets
# (ISO 14064-3, where a misstatement is material that could influence the decisions of intended users).


THRESHOLD: Final = "threshold"

THRESHOLD_MEANING: Final = (
    "By how much the total would have to move: a part of the amount above 0 and at most 1, such as `0.05`,"
    " or an amount with its unit, such as `12 t`."
)


def read_threshold(query: Sequence[tuple[str, str]]) -> tuple[Decimal, Unit | None]:
    """Read the threshold of a request: a part of the amount, or an amount in a unit; Invalid for no such."""
    text = dict(query).get(THRESHOLD, "").strip()
    if not text:
        raise Invalid([Problem("threshold is required.", THRESHOLD, "required")])
    number, _, unit_text = text.partition(" ")
    try:
        threshold = parse_decimal(number)
        unit = parse_unit(unit_text.strip()) if unit_text else None
    except (NumberError, UnitError) as error:
        raise Invalid([Problem(f"threshold: {error}", THRESHOLD, "invalid")]) from None
    if threshold <= 0 or (unit is None and threshold > 1):
        message = (
            "threshold must be a part of the amount above 0 and at most 1, or an amount above 0 with its"
            f" unit, but is {shorten(text)}."
        )
        raise Invalid([Problem(message, THRESHOLD, "invalid")])
    return threshold, unit


def _bring_to_amount(threshold: Decimal, unit: Unit | None, amount: Decimal, of_ledger: str) -> Decimal:
    """The threshold in the unit of the ledger."""
    if unit is None:
        if not amount:
            message = "threshold cannot be a part of the amount, which is 0. State an amount with its unit."
            raise Invalid([Problem(message, THRESHOLD, "invalid")])
        return CONTEXT.multiply(threshold, amount.copy_abs())
    try:
        return CONTEXT.multiply(threshold, find_slope(unit, parse_unit(of_ledger)))
    except UnitError as error:
        message = f"threshold must be in a unit that converts to {of_ledger}: {error}"
        raise Invalid([Problem(message, THRESHOLD, "invalid")]) from None


async def read_materiality(
    tx: Read, report: identity.Key, threshold: Decimal, unit: Unit | None
) -> ReportMateriality:
    """Read which effects can move what a report that is there states by as much as a threshold."""
    included = await read_included(tx, report)
    name = identity.make("report", report)
    if included.unit is None:
        return ReportMateriality(name, None, None, threshold, [], 0, [], 0, None, is_fewest=True)
    amount = _bring_to_amount(threshold, unit, included.amount, included.unit)
    [stated] = await tx.in_thread(_sum_all, [included])
    if stated is None:
        return ReportMateriality(name, included.unit, None, amount, [], 0, [], 0, None, is_fewest=True)
    weighed = await tx.in_thread(_weigh_effects, stated, amount)
    names = await read_effect_names(tx, report.project, {*weighed.alone, *weighed.together})
    return _build_materiality(name, included.unit, stated, weighed, names)


@dataclass(frozen=True, slots=True)
class _WeighedEffects:
    """How far effects move a report: those that are shown, alone and together."""

    threshold: Decimal
    coverage_factor: Decimal
    alone: Mapping[UncertaintyEffect, Decimal]
    chosen: ChosenEffects | None

    @property
    def together(self) -> Sequence[UncertaintyEffect]:
        return self.chosen.effects[:LINES_MAX] if self.chosen else ()


def _weigh_effects(stated: ReportedUncertainty, threshold: Decimal) -> _WeighedEffects:
    uncertainty, factor = stated.summed.uncertainty, stated.amount.coverage_factor
    reach = compute_reach(uncertainty, factor)[:LINES_MAX]
    return _WeighedEffects(
        threshold, factor, dict(reach), find_moving_effects(uncertainty, factor, threshold)
    )


def _build_materiality(
    report: str, unit: str, stated: ReportedUncertainty, weighed: _WeighedEffects, names: EffectNames
) -> ReportMateriality:
    uncertainty, factor = stated.summed.uncertainty, weighed.coverage_factor

    def build(effect: UncertaintyEffect) -> MaterialEffect:
        reach = CONTEXT.multiply(factor, compute_own_uncertainty(uncertainty, effect))
        described = msgspec.structs.asdict(describe_effect(names, uncertainty, effect))
        return MaterialEffect(**described, reach=reach, is_material=reach >= weighed.threshold)

    chosen = weighed.chosen
    return ReportMateriality(
        report_id=report,
        unit=unit,
        stated=stated.amount,
        threshold=weighed.threshold,
        effects=[build(effect) for effect in weighed.alone],
        effect_count=len(uncertainty.components),
        together=[build(effect) for effect in weighed.together],
        together_count=len(chosen.effects) if chosen else 0,
        together_reach=CONTEXT.multiply(factor, chosen.standard_uncertainty) if chosen else None,
        is_fewest=chosen.is_fewest if chosen else True,
    )


# Paths of the uncertainty of reports.


@get(
    "/reports/{report_id}/materiality",
    permission="production_accounting:read",
    returns=ReportMateriality,
    refuses=(Invalid,),
    query={THRESHOLD: THRESHOLD_MEANING},
    computes=True,
)
async def get_materiality(call: ReadCall) -> ReportMateriality:
    """Read which effects can move what a report states by a threshold, alone and together (ISO 14064-3).

    An effect moves the total by its contribution times the coverage factor of the whole. Effects move it
    together by the root of the sum of squares, with their correlations. They are chosen one by one, always
    the one that adds most: with correlated effects fewer might do, and `is_fewest` is false.
    """
    threshold, unit = read_threshold(call.query)
    key = await find_report_key(call.tx, call.actor, call.path["report_id"])
    return await read_materiality(call.tx, key, threshold, unit)


@get(
    "/reports/{report_id}/uncertainty",
    permission="production_accounting:read",
    returns=ReportUncertainty,
    computes=True,
)
async def get_report_uncertainty(call: ReadCall) -> ReportUncertainty:
    """Read how uncertain what a report states is, with an interval and the budget of what its batches share.

    Each batch counts with the part of its run that the report takes. Of a report that was sent off it is
    what it was then. `stated` is null where a batch is of unknown uncertainty; `unknown_batches` names those.
    """
    key = await find_report_key(call.tx, call.actor, call.path["report_id"])
    return await read_report_uncertainty(call.tx, key)


@by_logged_link(
    "/reports/{report_id}/by_link/uncertainty",
    enter=report_entry,
    query={KEY: KEY_MEANING},
    returns=ReportUncertainty,
)
async def get_report_uncertainty_by_link(tx: Read, entry: ReportEntry) -> ReportUncertainty:
    """Read how uncertain what a report states is, by a link to the report, with the `key` of its `url`."""
    return await read_report_uncertainty(tx, identity.Key(entry.project, entry.report))


@by_logged_link(
    "/reports/{report_id}/by_link/materiality",
    enter=report_entry,
    query={KEY: KEY_MEANING, THRESHOLD: THRESHOLD_MEANING},
    returns=ReportMateriality,
    refuses=(Invalid,),
)
async def get_materiality_by_link(tx: Read, entry: ReportEntry) -> ReportMateriality:
    """Read which effects can move what a report states by a threshold, by a link to the report."""
    threshold, unit = read_threshold([*entry.query.items()])
    return await read_materiality(tx, identity.Key(entry.project, entry.report), threshold, unit)


ROUTES = [
    get_report_uncertainty,
    get_materiality,
    get_report_uncertainty_by_link,
    get_materiality_by_link,
]
