"""What rules found: every result of a project by its filters, and the dismissal of many with one reason."""

from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.rule.result import ResultStatus
from weighbridge.quality.rule_results.routes import bulk_dismiss, list_project_rule_results
from weighbridge.quality.rules.routes import list_rules
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.showing.words import plural
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/rule_results"

RULES_OFFERED: Final = "200"
"""Rules that the filter offers."""


def asked_for_results(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query, sort="-id")


async def rule_results(visit: Visit) -> View:
    """What the rules of a project found, the newest first."""
    query = asked_for_results(visit)
    found = await visit.ask(list_project_rule_results, query)
    rules = await visit.ask(list_rules, (("page_size", RULES_OFFERED), ("sort", "name")))
    path = f"/projects/{visit.path['project_id']}/rule_results"
    return view(
        "rules/results.html", "Results",
        call=f"{path}?{urlencode(query)}",
        results=found.data, list=ListView(path, visit.query, found.info), rules=rules.data, path=path,
        statuses=[*ResultStatus], approval_states=[*ApprovalState],
    )  # fmt: skip


@form(f"{PATH}/dismiss", permission="data_rules:write", again=rule_results)
async def dismiss_results(visit: Visit) -> Moved:
    """Dismiss the chosen results with one reason."""
    chosen = visit.texts("result_ids")
    done = await visit.do(bulk_dismiss, {"result_ids": [*chosen], "reason": visit.text("reason")})
    path = f"/projects/{visit.path['project_id']}/rule_results"
    return Moved(path, f"{plural(len(done.data), 'result')} dismissed.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="data_rules:read", of=list_project_rule_results, asked=asked_for_results)(
        rule_results
    ),
    *dismiss_results,
]
