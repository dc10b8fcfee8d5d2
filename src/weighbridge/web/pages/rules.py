"""Rules of a project, and one rule with its versions and runs."""

from functools import partial
from typing import Final
from urllib.parse import urlencode

from weighbridge.packages.records import PartKind
from weighbridge.quality.rule_results import list_rule_results
from weighbridge.quality.rule_runs import list_rule_runs, start_rule_run
from weighbridge.quality.rules import get_rule, list_rule_versions, list_rules
from weighbridge.web.framework.columns import build_tools
from weighbridge.web.framework.listing import ListView, build_query, list_query
from weighbridge.web.framework.origins import list_origins, map_origins
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.list_tables import RULE_COLUMNS, RULE_GROUPINGS
from weighbridge.web.pages.saved_views import ask_list, open_default_view, read_views

# Rules of a project, and one rule: what it says, what it found, its versions and runs.


PATH: Final = "/projects/{project_id}/rules"
ONE: Final = PATH + "/{rule_id}"

SHOWN: Final = (("page_size", "20"),)
"""Versions and runs that the page of a rule shows."""


_QUERY: Final = partial(list_query, sort="name")


@page(PATH, permission="data_rules:read", of=list_rules, query_of=_QUERY)
async def rules(visit: Visit) -> View | Redirect:
    """The rules of a project, by name."""
    path = visit.url("rules")
    if default := await open_default_view(visit, "rules", path):
        return default
    query = _QUERY(visit)
    listed_rules, remarks = await ask_list(visit, list_rules, query)
    return view(
        "rules/rules.html", "Rules", call=f"{path}?{urlencode(query)}", has_csv=True,
        rules=listed_rules.data, list=ListView(path, visit.query, listed_rules.info), path=path,
        views=await read_views(visit, "rules", path),
        origins=await map_origins(visit, PartKind.RULE, listed_rules.data),
        tools=build_tools(
            visit.query, RULE_COLUMNS, RULE_GROUPINGS, listed_rules.data, visit.moments, remarks
        ),
    )  # fmt: skip


async def rule(visit: Visit) -> View | Redirect:
    """A rule with every result of it."""
    rule_record = await visit.ask(get_rule)
    if rule_record.project_id != visit.path["project_id"]:
        return Redirect(f"/projects/{rule_record.project_id}/rules/{rule_record.id}")
    query = build_query(visit.query, sort="-id")
    results = await visit.ask(list_rule_results, query)
    versions = await visit.ask(list_rule_versions, SHOWN)
    runs = await visit.ask(list_rule_runs, (*SHOWN, ("sort", "-id")))
    path = f"/projects/{rule_record.project_id}/rules/{rule_record.id}"
    return view(
        "rules/rule.html", rule_record.name,
        call=f"/rules/{rule_record.id}", crumbs=(("Rules", f"/projects/{rule_record.project_id}/rules"),),
        rule=rule_record, results=results.data, list=ListView(path, visit.query, results.info),
        versions=versions.data, runs=runs.data, path=path,
        origins=await list_origins(visit, PartKind.RULE, rule_record.id),
    )  # fmt: skip


@form(f"{ONE}/run", permission="data_rules:write", error_page=rule)
async def run_rule(visit: Visit) -> Redirect:
    """Have a rule evaluated anew over all that it is effective for."""
    rule_record = await visit.ask(get_rule)
    until = rule_record.effective_to or visit.moments.now
    await visit.do(start_rule_run, {"start_time": rule_record.effective_from.text, "end_time": until.text})
    path = f"/projects/{visit.path['project_id']}/rules/{visit.path['rule_id']}"
    return Redirect(path, "Rule run started.")


PAGES = [
    *rules,
    *page(ONE, permission="data_rules:read", of=get_rule)(rule),
    *run_rule,
]
