"""Rules of a project, one rule with its versions and runs, and the editor of a rule."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.events import list_events
from weighbridge.core.problem import Problem
from weighbridge.core.rule import WindowMeters
from weighbridge.core.rule.definition import Purpose
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Invalid, Malformed
from weighbridge.quality.records.rules import EVALUATIONS, EXAMPLES, Rule
from weighbridge.quality.rule_results import list_rule_results
from weighbridge.quality.rule_runs import list_rule_runs, start_rule_run
from weighbridge.quality.rules import (
    create_rule,
    get_rule,
    list_rule_versions,
    list_rules,
    preview_rule,
    update_rule,
)
from weighbridge.web.display.figures import to_instant
from weighbridge.web.framework.columns import build_tools
from weighbridge.web.framework.listing import ListView, build_query, list_query
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
    )  # fmt: skip


@form(f"{ONE}/run", permission="data_rules:write", error_page=rule)
async def run_rule(visit: Visit) -> Redirect:
    """Have a rule evaluated anew over all that it is effective for."""
    rule_record = await visit.ask(get_rule)
    until = rule_record.effective_to or visit.moments.now
    await visit.do(start_rule_run, {"start_time": rule_record.effective_from.text, "end_time": until.text})
    path = f"/projects/{visit.path['project_id']}/rules/{visit.path['rule_id']}"
    return Redirect(path, "Rule run started.")


# The editor of a rule: what it says is tried over a past period while it is typed, and saved when right.
#
# A window and a correction are typed as the JSON that the interface takes; everything else has a field.


OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Event types and assets that the editor offers."""

TRIED_DAYS: Final = 30
"""Days over which a rule is tried unless another period is typed."""

_TEXTS: Final = (
    "name", "expression", "message", "data_point", "event_type_id", "asset_id", "window_meters", "evaluation",
    "purpose",
)  # fmt: skip
_KEPT: Final = ("target", "model_id", "window_member_scope")
"""What the form carries along unseen, so that a rule is tried as it is stored."""

_WRITTEN: Final = ("window", "correction")
_MOMENTS: Final = ("effective_from", "effective_to")
_READ: Final = msgspec.json.Decoder(float_hook=Decimal)


async def new_rule(visit: Visit) -> View:
    """Show the form of a new rule, optionally filled with an example."""
    example = EXAMPLES.get(visit.asked("example"))
    begin = example[1]["rule"] if example else {}
    start = {name: value for name, value in begin.items() if name not in {"event_type_id", "model_id"}}
    return await _show_editor(visit, start, f"{visit.frame.home}/rules/new", "New rule")


async def edit_rule(visit: Visit) -> View | Redirect:
    """A rule that is to be changed."""
    rule_record = await visit.ask(get_rule)
    if rule_record.project_id != visit.path["project_id"]:
        return Redirect(f"/projects/{rule_record.project_id}/rules/{rule_record.id}/edit")
    return await _show_editor(
        visit, _fields_of(rule_record), f"{visit.frame.home}/rules/{rule_record.id}/edit", rule_record.name
    )


@form(f"{PATH}/new", permission="data_rules:write", error_page=new_rule, computes=True)
async def make_rule(visit: Visit) -> Redirect:
    """Make the rule; an automatic one is evaluated at once."""
    created_rule = await visit.do(create_rule, {"rule": _rule_body(visit, is_new=True)})
    notice = (
        "Rule created. It is now evaluated over existing data."
        if created_rule.backfill_enqueued
        else "Rule created."
    )
    return Redirect(f"{visit.frame.home}/rules/{created_rule.id}", notice)


@form(f"{ONE}/edit", permission="data_rules:write", error_page=edit_rule, computes=True)
async def change_rule(visit: Visit) -> Redirect:
    """Change the rule; what decides a result makes another version."""
    changed_rule = await visit.do(update_rule, {"rule": _rule_body(visit, is_new=False)})
    return Redirect(
        f"{visit.frame.home}/rules/{changed_rule.id}",
        f"Rule saved. The current version is {changed_rule.version}.",
    )


@form(f"{PATH}/preview", permission="data_rules:read", error_page=new_rule, computes=True, asks=True)
async def try_rule(visit: Visit) -> View:
    """What the rule would find and correct in a past period; nothing is stored."""
    problems: tuple[Problem, ...] = ()
    preview = None
    try:
        body = {"rule": _rule_body(visit, is_new=True), **_period(visit)}
        preview = await visit.do(preview_rule, body)
    except (Invalid, Malformed) as refusal:
        problems = tuple(refusal.problems)
    action = visit.text("action")
    address = action if action.startswith(f"{visit.frame.home}/rules/") else f"{visit.frame.home}/rules/new"
    title = visit.text("name") or "New rule"
    return await _show_editor(visit.refused(problems), {}, address, title, preview)


async def _show_editor(
    visit: Visit, start: dict[str, Any], action: str, title: str, preview: Any = None
) -> View:
    may_see = visit.may("data_collection:read")
    types = await visit.ask(list_event_types, OFFERED) if may_see else None
    assets = await visit.ask(list_assets_of_project, OFFERED) if may_see else None
    moments = visit.moments
    until = await _newest(visit)
    project = visit.frame.home

    def shown(name: str) -> str:
        if visit.typed:
            return visit.text(name)
        value = start.get(name)
        if name in _WRITTEN:
            return "" if value is None else visit.request.app.state.encode(value).decode()
        return "" if value is None else str(value)

    return view(
        "rules/editor.html", title,
        crumbs=(("Rules", f"{project}/rules"),),
        call=f"{project}/rules" if action.endswith("/new") else _own_call(visit, action),
        method="POST" if action.endswith("/new") else "PATCH",
        shown=shown, action=action, project=project, types=types.data if types else [],
        assets=assets.data if assets else [], meters=[*WindowMeters], kept=_KEPT,
        preview=preview, visit=visit,
        purposes=[*Purpose], evaluations=EVALUATIONS, examples=EXAMPLES, is_new=action.endswith("/new"),
        needs_approval=visit.text("requires_approval") == "yes"
        if visit.typed
        else bool(start.get("requires_approval")),
        tried_from=visit.text("tried_from") or moments.field(Instant.of(until - timedelta(days=TRIED_DAYS))),
        tried_until=visit.text("tried_until") or moments.field(until),
        moments={name: _moment_field(visit, start, name) for name in _MOMENTS},
    )  # fmt: skip


async def _newest(visit: Visit) -> Instant:
    """Return the end of the test period: after the newest data, or now without data or permission."""
    now = visit.moments.now
    if visit.typed or not visit.may("data_collection:read"):
        return now
    newest_events = (await visit.ask(list_events, (("page_size", "1"), ("sort", "-start_time")))).data
    return (
        min(now, Instant.of(to_instant(newest_events[0].end_time) + timedelta(minutes=1)))
        if newest_events
        else now
    )


def _own_call(visit: Visit, action: str) -> str:
    """The call that changes the rule of a form."""
    return action.removeprefix(visit.frame.home).removesuffix("/edit")


def _moment_field(visit: Visit, start: dict[str, Any], name: str) -> str:
    if visit.typed:
        return visit.text(name)
    value = start.get(name)
    if isinstance(value, str):
        return value[:16]
    return visit.moments.field(value)


def _fields_of(rule: Rule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in rule.__struct_fields__}


def _rule_body(visit: Visit, *, is_new: bool) -> dict[str, Any]:
    """What was typed, as the body of the interface; Invalid for what no field can be read from."""
    problems: list[Problem] = []
    body: dict[str, Any] = {name: visit.text(name) or None for name in _TEXTS}
    body |= {name: _read(visit, name, _READ.decode, problems, "JSON") for name in _WRITTEN}
    body |= {name: _moment(visit, name, problems) for name in _MOMENTS}
    body["priority"] = _read(visit, "priority", int, problems, "a whole number")
    body |= {name: visit.text(name) or None for name in _KEPT if is_new}
    body["requires_approval"] = visit.text("requires_approval") == "yes"
    if problems:
        raise Invalid(problems)
    required_names = {"name", "expression"}
    optional = {"message", "data_point", "event_type_id", "asset_id", "window", "correction", "effective_to"}
    return {
        name: "" if value is None else value
        for name, value in body.items()
        if value is not None or name in required_names
    } | ({} if is_new else {name: None for name in optional if body[name] is None})


def _read(
    visit: Visit, name: str, reader: Callable[[str], Any], problems: list[Problem], description: str
) -> Any:
    text = visit.text(name)
    if not text:
        return None
    try:
        return reader(text)
    except (ValueError, msgspec.DecodeError) as error:
        problems.append(Problem(f"{name} must be {description}: {error}.", name, "invalid"))
        return None


def _moment(visit: Visit, name: str, problems: list[Problem]) -> str | None:
    text = visit.text(name)
    moment = visit.moments.typed(text)
    if text and moment is None:
        problems.append(Problem(f"{name} must be a date and time, but is {text!r}.", name, "invalid"))
    return None if moment is None else moment.text


def _period(visit: Visit) -> dict[str, str]:
    problems: list[Problem] = []
    start, end = _moment(visit, "tried_from", problems), _moment(visit, "tried_until", problems)
    if start is None or end is None:
        problems.append(Problem("The test period must have a start and an end.", None, "required"))
    if problems:
        raise Invalid(problems)
    return {"start_time": start or "", "end_time": end or ""}


PAGES = [
    *rules,
    *page(ONE, permission="data_rules:read", of=get_rule)(rule),
    *run_rule,
    *page(f"{PATH}/new", permission="data_rules:write")(new_rule),
    *page(f"{ONE}/edit", permission="data_rules:write")(edit_rule),
    *make_rule,
    *change_rule,
    *try_rule,
]
