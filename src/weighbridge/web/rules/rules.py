"""Rules of a project, and one rule: what it says, what it found, its versions and runs."""

from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.quality.rule_results.routes import list_rule_results
from weighbridge.quality.rule_runs.routes import list_rule_runs, start_rule_run
from weighbridge.quality.rules.routes import get_rule, list_rule_versions, list_rules
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/rules"
ONE: Final = PATH + "/{rule_id}"

SHOWN: Final = (("page_size", "20"),)
"""Versions and runs that the page of a rule shows."""


def asked_for_rules(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query, sort="name")


@page(PATH, permission="data_rules:read", of=list_rules, asked=asked_for_rules)
async def rules(visit: Visit) -> View:
    """The rules of a project, by name."""
    query = asked_for_rules(visit)
    found = await visit.ask(list_rules, query)
    path = f"/projects/{visit.path['project_id']}/rules"
    return view(
        "rules/rules.html", "Rules", call=f"{path}?{urlencode(query)}", has_csv=True,
        rules=found.data, list=ListView(path, visit.query, found.info), path=path,
    )  # fmt: skip


async def rule(visit: Visit) -> View | Moved:
    """A rule with every result of it."""
    found = await visit.ask(get_rule)
    if found.project_id != visit.path["project_id"]:
        return Moved(f"/projects/{found.project_id}/rules/{found.id}")
    query = asked_for(visit.query, sort="-id")
    results = await visit.ask(list_rule_results, query)
    versions = await visit.ask(list_rule_versions, SHOWN)
    runs = await visit.ask(list_rule_runs, (*SHOWN, ("sort", "-id")))
    path = f"/projects/{found.project_id}/rules/{found.id}"
    return view(
        "rules/rule.html", found.name,
        call=f"/rules/{found.id}", crumbs=(("Rules", f"/projects/{found.project_id}/rules"),),
        rule=found, results=results.data, list=ListView(path, visit.query, results.info),
        versions=versions.data, runs=runs.data, path=path,
    )  # fmt: skip


@form(f"{ONE}/run", permission="data_rules:write", again=rule)
async def run_rule(visit: Visit) -> Moved:
    """Have a rule evaluated anew over all that it is effective for."""
    found = await visit.ask(get_rule)
    until = found.effective_to or visit.moments.now
    await visit.do(start_rule_run, {"start_time": found.effective_from.text, "end_time": until.text})
    path = f"/projects/{visit.path['project_id']}/rules/{visit.path['rule_id']}"
    return Moved(path, "The evaluation is queued.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *rules,
    *page(ONE, permission="data_rules:read", of=get_rule)(rule),
    *run_rule,
]
