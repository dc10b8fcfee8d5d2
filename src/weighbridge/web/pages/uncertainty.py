"""How well batches and reports are known: their trials, what would halve it, which effects are material."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from markupsafe import Markup

from weighbridge.accounting.batches import get_batch
from weighbridge.accounting.books.effect_names import find_static_input
from weighbridge.accounting.records.batches import UncertaintyLine
from weighbridge.accounting.records.uncertainty_runs import (
    RUN_TRIALS_MAX,
    RUN_TRIALS_MIN,
    TRIALS_DEFAULT,
    UncertaintyRun,
)
from weighbridge.accounting.uncertainty_runs import list_report_uncertainty_runs
from weighbridge.accounting.uncertainty_savings import get_uncertainty_savings
from weighbridge.core.number import ZERO, plain
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.http.messages.operation import Endpoint
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.report_uncertainty import THRESHOLD, get_materiality, get_report_uncertainty
from weighbridge.reporting.reports import get_report
from weighbridge.web.display.charts import stacked_bar
from weighbridge.web.display.figures import round_figure
from weighbridge.web.display.histograms import draw_histogram
from weighbridge.web.framework.page import page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.records import find_own_project_url, find_record_url

THRESHOLD_DEFAULT: Final = "0.05"
"""The threshold that the page begins with: five percent, a usual one of registries."""


class NamedEffect(Protocol):
    """A line that names an effect."""

    @property
    def effect(self) -> str: ...
    @property
    def owner(self) -> str | None: ...


def effect_places(home: str) -> Callable[[NamedEffect], str]:
    """Return what gives the address of the record behind an effect; it is empty where there is none."""

    def place(one: NamedEffect) -> str:
        static = find_static_input(one.owner)
        if static is not None:
            return f"{home}/static_inputs/{static}"
        return find_record_url(one.effect) if one.owner is None else ""

    return place


def draw_budget(lines: Sequence[UncertaintyLine]) -> list[tuple[UncertaintyLine, Markup]]:
    """Return the lines of a budget, each with its share of the variance as a bar."""
    return [(line, _draw_share(max(line.share, ZERO))) for line in lines]


def _draw_share(share: Decimal) -> Markup:
    parts = [("drawn", min(share, Decimal(1))), ("remaining", max(1 - share, ZERO))]
    return stacked_bar(parts, alt_text=f"{share:.3f} of 1", width=120)


# Trials of a batch or a report: the newest ones, and a form that starts others.


@dataclass(frozen=True, slots=True)
class ShownTrials:
    """The newest trials of a batch or a report, and their distribution; None while there is no result."""

    run: UncertaintyRun
    histogram: Markup | None


async def read_trials(visit: Visit, listing: Endpoint) -> ShownTrials | None:
    """Read the newest trials that an operation lists; None where nobody asked for any."""
    listed = await visit.ask(listing, (("page_size", "1"), ("sort", "-id")))
    return draw_trials(listed.data[0]) if listed.data else None


def draw_trials(run: UncertaintyRun) -> ShownTrials:
    """Return trials with their distribution, as a page shows them."""
    return ShownTrials(run, _draw_distribution(run))


def _draw_distribution(run: UncertaintyRun) -> Markup | None:
    first, symmetric, shortest = run.first_order, run.symmetric_interval, run.shortest_interval
    if run.histogram is None or first is None or symmetric is None or shortest is None:
        return None
    intervals = [
        ("First order", first.low, first.high),
        ("Trials, symmetric", symmetric.low, symmetric.high),
        ("Trials, shortest", shortest.low, shortest.high),
    ]
    words = "; ".join(
        f"{name} from {plain(round_figure(low))} to {plain(round_figure(high))}"
        for name, low, high in intervals
    )
    return draw_histogram(
        run.histogram, intervals, alt_text=f"Distribution of {run.trials:,} trials in {run.unit}. {words}"
    )


async def start_trials(visit: Visit, operation: Endpoint, *, page: str) -> Redirect:
    """Start as many trials as the form says, and lead to where a page shows them; Invalid for no number."""
    text = visit.text("trials").replace(",", "").replace(" ", "")
    if not text.isdecimal() or len(text) > len(str(RUN_TRIALS_MAX)):
        message = f"Trials must be a whole number from {RUN_TRIALS_MIN:,} to {RUN_TRIALS_MAX:,}."
        raise Invalid([Problem(message, "trials", "invalid")])
    await visit.do(operation, {"uncertainty_run": {"trials": int(text)}})
    return Redirect(f"{visit.url(page)}#trials", "Trials started.")


BATCHES_AT_ONCE: Final = 1_000
"""Batches of a report whose page sums their uncertainty; of more it leads to where that is computed apart."""


async def read_uncertainty_context(visit: Visit, report: Report) -> dict[str, Any]:
    """What the page of a report shows of its uncertainty."""
    is_quick = report.inclusion_count <= BATCHES_AT_ONCE
    uncertainty = await visit.ask(get_report_uncertainty) if is_quick else None
    return {
        "uncertainty": uncertainty,
        "budget": draw_budget(uncertainty.budget) if uncertainty else [],
        "effect_place": effect_places(visit.frame.home),
        "trials": await read_trials(visit, list_report_uncertainty_runs),
        "trials_usual": TRIALS_DEFAULT,
    }


@page(
    "/projects/{project_id}/batches/{batch_id}/uncertainty_savings",
    permission="production_accounting:read",
    of=get_uncertainty_savings,
    computes=True,
)
async def savings(visit: Visit) -> View | Redirect:
    """What better instruments would make of a batch."""
    batch = await visit.ask(get_batch)
    if elsewhere := find_own_project_url(visit, batch):
        return Redirect(f"{elsewhere}/uncertainty_savings")
    home = visit.frame.home
    return view(
        "ledgers/savings.html",
        f"Uncertainty of {batch.tracking_id}",
        call=f"/batches/{batch.id}/uncertainty_savings",
        crumbs=((batch.tracking_id, f"{home}/batches/{batch.id}"),),
        batch=batch,
        found=await visit.ask(get_uncertainty_savings),
        place=effect_places(home),
    )


@page(
    "/projects/{project_id}/reports/{report_id}/materiality",
    permission="production_accounting:read",
    computes=True,
)
async def materiality(visit: Visit) -> View | Redirect:
    """Which effects can move a report by a threshold."""
    report = await visit.ask(get_report)
    if elsewhere := find_own_project_url(visit, report):
        return Redirect(f"{elsewhere}/materiality")
    home = visit.frame.home
    typed = dict(visit.query).get(THRESHOLD, THRESHOLD_DEFAULT)
    found, problems = None, list[Problem]()
    try:
        found = await visit.ask(get_materiality, ((THRESHOLD, typed),))
    except Invalid as refusal:
        problems = [*refusal.problems]
    return view(
        "reports/materiality.html",
        f"Materiality of {report.name}",
        call=f"/reports/{report.id}/materiality?{urlencode({THRESHOLD: typed})}",
        crumbs=(("Reports", f"{home}/reports"), (report.name, f"{home}/reports/{report.id}")),
        report=report,
        tone="quiet",
        path=f"{home}/reports/{report.id}/materiality",
        typed=typed,
        found=found,
        problems=problems,
        place=effect_places(home),
    )


PAGES = [*savings, *materiality]
