"""The editor of a rule: what it says is tried over a past period while it is typed, and saved when right.

Windows and corrections have the fields of their kinds (`forms/rule_form.py`), and the whole rule is also
shown as JSON, which can be edited and filled into the fields.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from weighbridge.collection.events import list_events
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Invalid, Malformed
from weighbridge.quality.records.rule_examples import EXAMPLES
from weighbridge.quality.rules import create_rule, get_rule, preview_rule, update_rule
from weighbridge.web.display.figures import to_instant
from weighbridge.web.forms.choices import find_typed_new_record, leave_to_make, make_new_records
from weighbridge.web.forms.fields import FormBody, FormField, Texts, names_shown, texts_of, usual_texts
from weighbridge.web.forms.json_view import USE, json_of, problems_of_json, with_json
from weighbridge.web.forms.pages import MORE, form_view, typed_texts
from weighbridge.web.forms.rule_form import example_texts, rule_fields, rule_heads, with_only_method
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit
from weighbridge.web.pages.rules import ONE, PATH

TRIED_DAYS: Final = 30
"""Days over which a rule is tried unless another period is typed."""

_NOUN: Final = "rule"


async def new_rule(visit: Visit) -> View:
    """Show the form of a new rule, optionally filled with an example."""
    example = EXAMPLES.get(visit.asked("example"))
    start = usual_texts(rule_fields({}))
    if example:
        start |= _texts_of(visit, example_texts(example[1]))
    return await _show_editor(visit, start, None, "New rule")


async def edit_rule(visit: Visit) -> View | Redirect:
    """A rule that is to be changed."""
    rule_record = await visit.ask(get_rule)
    if rule_record.project_id != visit.path["project_id"]:
        return Redirect(f"/projects/{rule_record.project_id}/rules/{rule_record.id}/edit")
    before = _texts_of(visit, rule_record)
    return await _show_editor(visit, before, before, rule_record.name)


@form(f"{PATH}/new", permission="data_rules:write", error_page=new_rule, computes=True)
async def make_rule(visit: Visit) -> Any:
    """Make the rule; an automatic one is evaluated at once."""
    if visit.text(MORE):
        return await new_rule(visit)
    if visit.text(USE):
        return await new_rule(with_json(visit, _NOUN, rule_fields, is_new=True))
    if leaving := leave_to_make(visit, _fields_typed(visit)):
        return leaving
    visit = await make_new_records(visit, _fields_typed(visit))
    created_rule = await visit.do(create_rule, {_NOUN: _sent(visit, None)})
    notice = (
        "Rule created. It is now evaluated over existing data."
        if created_rule.backfill_enqueued
        else "Rule created."
    )
    return Redirect(f"{visit.frame.home}/rules/{created_rule.id}", notice)


@form(f"{ONE}/edit", permission="data_rules:write", error_page=edit_rule, computes=True)
async def change_rule(visit: Visit) -> Any:
    """Change the rule; what decides a result makes another version."""
    if visit.text(MORE):
        return await edit_rule(visit)
    if visit.text(USE):
        return await edit_rule(with_json(visit, _NOUN, rule_fields, is_new=False))
    if leaving := leave_to_make(visit, _fields_typed(visit)):
        return leaving
    visit = await make_new_records(visit, _fields_typed(visit))
    before = _texts_of(visit, await visit.ask(get_rule))
    changed_rule = await visit.do(update_rule, {_NOUN: _sent(visit, before)})
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
        _check_records_there(visit)
        preview = await visit.do(preview_rule, {_NOUN: _sent(visit, None), **_period(visit)})
    except (Invalid, Malformed) as refusal:
        problems = tuple(refusal.problems)
    before = None
    rule_id = visit.text("rule_id")
    if rule_id:
        before = _texts_of(visit, await visit.ask(get_rule, rule_id=rule_id))
    title = visit.text("name") or "New rule"
    return await _show_editor(visit.refused(problems), {}, before, title, preview, rule_id)


async def _show_editor(
    visit: Visit, start: Texts, before: Texts | None, title: str, preview: Any = None, rule_id: str = ""
) -> View:
    rule_id, is_new = rule_id or visit.path.get("rule_id", ""), before is None
    kept = {name: text for name, text in visit.query if _is_of_rule(name)}
    texts = with_only_method(typed_texts(visit) if visit.typed else {**start, **kept})
    fields = [one for one in rule_fields(texts) if is_new or not one.is_fixed]
    project, shown = visit.frame.home, {*names_shown(fields, texts)}
    until, moments = await _newest(visit), visit.moments
    action = f"{project}/rules/new" if is_new else f"{project}/rules/{rule_id}/edit"
    body, _ = _body(visit, texts, before)
    return await form_view(
        visit, fields, texts, _NOUN, title,
        template="rules/editor.html",
        crumbs=(("Rules", f"{project}/rules"),),
        call=f"{project}/rules" if is_new else f"/rules/{rule_id}",
        method="POST" if is_new else "PATCH",
        action=action, project=project, rule_id="" if is_new else rule_id, is_new=is_new,
        hidden={name: text for name, text in texts.items() if _is_of_rule(name) and name not in shown},
        preview=preview, examples=EXAMPLES,
        tried_from=visit.text("tried_from") or moments.field(Instant.of(until - timedelta(days=TRIED_DAYS))),
        tried_until=visit.text("tried_until") or moments.field(until),
        **json_of(visit, {_NOUN: body}),
    )  # fmt: skip


def _fields_typed(visit: Visit) -> Sequence[FormField]:
    """The fields that a rule has by what was typed."""
    return rule_fields(typed_texts(visit))


def _check_records_there(visit: Visit) -> None:
    """Raise Invalid for a record that is only created with the rule: it has no past to test on."""
    if found := find_typed_new_record(_fields_typed(visit), typed_texts(visit)):
        path, words = found
        message = f"The new {words} has no data yet, so the rule cannot be tested on it."
        raise Invalid([Problem(message, path, "invalid")])


def _is_of_rule(name: str) -> bool:
    return name.partition(".")[0].partition("[")[0] in rule_heads()


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


def _texts_of(visit: Visit, record: Any) -> dict[str, str]:
    """A rule, or what an example says of one, as the texts of its fields."""
    said = record if isinstance(record, Mapping) else {name: getattr(record, name) for name in rule_heads()}
    draft = {name: str(said[name]) for name in ("purpose", "target") if name in said}
    return texts_of(rule_fields(draft), said, visit.moments)


def _sent(visit: Visit, before: Texts | None) -> dict[str, Any]:
    """What was typed, as the interface takes it; Invalid for what no field can be read from."""
    body, problems = _body(visit, typed_texts(visit), before)
    if problems := [*problems, *problems_of_json(visit)]:
        raise Invalid(problems)
    return body


def _body(visit: Visit, texts: Texts, before: Texts | None) -> tuple[dict[str, Any], list[Problem]]:
    """The body of a rule with these texts; of a change, with null for what was taken away."""
    reading = FormBody(visit.moments)
    fields = [one for one in rule_fields(texts) if before is None or not one.is_fixed]
    body = reading.new(fields, texts)
    if before is None:
        return body, reading.problems
    shown = {one.name for one in fields}
    empty = {
        one.name: False if one.kind == "truth" else None
        for one in rule_fields(before)
        if one.name not in body
        and not one.is_fixed
        and any(_is_within(one.name, name) for name in before)
        and (one.name not in shown or any(_is_within(one.name, name) for name in texts))
    }
    return {**body, **empty}, reading.problems


def _is_within(head: str, name: str) -> bool:
    return name == head or name.startswith((f"{head}.", f"{head}["))


def _period(visit: Visit) -> dict[str, str]:
    problems: list[Problem] = []
    read = {name: visit.moments.typed(visit.text(name)) for name in ("tried_from", "tried_until")}
    for name, moment in read.items():
        if visit.text(name) and moment is None:
            message = f"{name} must be a date and time, but is {visit.text(name)!r}."
            problems.append(Problem(message, name, "invalid"))
    start, end = read["tried_from"], read["tried_until"]
    if start is None or end is None:
        problems.append(Problem("The test period must have a start and an end.", None, "required"))
        raise Invalid(problems)
    return {"start_time": start.text, "end_time": end.text}


PAGES = [
    *page(f"{PATH}/new", permission="data_rules:write")(new_rule),
    *page(f"{ONE}/edit", permission="data_rules:write")(edit_rule),
    *make_rule,
    *change_rule,
    *try_rule,
]
