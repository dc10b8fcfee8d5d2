"""Records of a project are made of parts, changed to what a part says, and removed.

Each is done by the function of the operation of the interface, with its checks and its row in the audit log.
Invariant: what is refused is named with the part that it is about.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from msgspec import structs

from weighbridge.accounting.ledgers import change_ledger, insert_ledger, remove_ledger
from weighbridge.accounting.records.ledgers import LEDGER_BODIES
from weighbridge.collection.event_types import change_event_type, insert_event_type, remove_event_type
from weighbridge.collection.records.data_points import EVENT_TYPE_BODIES
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.lists.field import RequestBodies
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import find_owned_model
from weighbridge.modelling.models import create_version, insert_model
from weighbridge.modelling.records import STATIC_INPUT_BODIES, NewVersion
from weighbridge.modelling.static_inputs import insert_static_input
from weighbridge.packages.installing.matching import CurrentRecord, list_methodology_versions
from weighbridge.packages.installing.parts import PackagedPart, decode_body, decode_change, decode_ledger
from weighbridge.packages.records import PartKind
from weighbridge.quality.records.rules import RULE_BODIES
from weighbridge.quality.rules import change_rule, insert_rule, project_with_rules, remove_rule
from weighbridge.reporting.methodologies import insert_methodology
from weighbridge.reporting.records.registries import METHODOLOGY_BODIES

Records = Mapping[tuple[PartKind, str], str]
"""The ids of records by what packages call them."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where parts are made and by whom, and the records that packages have brought so far."""

    tx: Write
    actor: Actor
    project: int
    records: dict[tuple[PartKind, str], str]

    async def find_event_type(self, slug: str) -> str:
        """The id of an event type that a package names, be it of the package or of one that it needs."""
        number: int = await self.tx.value(
            "SELECT id FROM event_types WHERE project_id = %s AND slug = %s", (self.project, slug)
        )
        return identity.of("event_type", self.project, number or 0)


@contextmanager
def named_problems(part: PackagedPart) -> Iterator[None]:
    """Have refusals say which part they are about."""
    try:
        yield
    except Invalid as error:
        raise Invalid(
            [
                Problem(f"The {part.title}: {problem.message}", None, problem.code or "invalid")
                for problem in error.problems
            ]
        ) from None


# Make.


async def make_record(work: Workplace, part: PackagedPart) -> str:
    """Make the record of a part; gives its id."""
    with named_problems(part):
        return str(await _MAKERS[part.kind](work, part))


async def _make_event_type(work: Workplace, part: PackagedPart) -> str:
    body = decode_body(EVENT_TYPE_BODIES, part.record)
    return (await insert_event_type(work.tx, work.actor, work.project, body)).id


async def _make_static_input(work: Workplace, part: PackagedPart) -> int:
    new = STATIC_INPUT_BODIES.created(decode_body(STATIC_INPUT_BODIES, part.record))
    return (await insert_static_input(work.tx, work.actor, work.project, new)).id


async def _make_model(work: Workplace, part: PackagedPart) -> str:
    assert part.model is not None, "a part that is a model has it"  # noqa: S101
    return (await insert_model(work.tx, work.actor, work.project, part.model.document)).id


async def _make_ledger(work: Workplace, part: PackagedPart) -> str:
    assert part.model is not None, "a ledger of a package has a model"  # noqa: S101
    model = work.records[PartKind.MODEL, part.model.name]
    ledger = decode_ledger({**part.record, "model_id": model}).ledger
    return (await insert_ledger(work.tx, work.actor, ledger, work.project)).id


async def _make_rule(work: Workplace, part: PackagedPart) -> str:
    # The rules engine may be switched off for the account.
    await project_with_rules(work.tx, work.actor, identity.of("project", work.project))
    body = decode_body(RULE_BODIES, await _name_records(work, part.record))
    return (await insert_rule(work.tx, work.actor, work.project, body)).id


async def _name_records(work: Workplace, record: Mapping[str, Any]) -> dict[str, Any]:
    """What a package says of a rule, with ids in the place of what it calls other records."""
    named = dict(record)
    if named.get("event_type_id") is not None:
        named["event_type_id"] = await work.find_event_type(named["event_type_id"])
    if named.get("model_id") is not None:
        named["model_id"] = work.records[PartKind.MODEL, named["model_id"]]
    return named


async def _make_methodology(work: Workplace, part: PackagedPart) -> int:
    """Where another project came first, the version has the id of the project behind it."""
    models = [work.records[PartKind.MODEL, name] for name in part.record.get("model_ids") or ()]
    version, of_project = list_methodology_versions(part, work.project)
    is_taken = await work.tx.value(
        "SELECT true FROM methodologies WHERE account_id = %s AND name = %s AND version = %s",
        (work.actor.account_id, part.form["name"], version),
    )
    changed = {"model_ids": models} | ({"version": of_project} if is_taken and models else {})
    body = decode_body(METHODOLOGY_BODIES, {**part.record, **changed})
    return (await insert_methodology(work.tx, work.actor, body)).id


_MAKERS: Final[Mapping[PartKind, Callable[[Workplace, PackagedPart], Awaitable[str | int]]]] = {
    PartKind.EVENT_TYPE: _make_event_type,
    PartKind.STATIC_INPUT: _make_static_input,
    PartKind.MODEL: _make_model,
    PartKind.LEDGER: _make_ledger,
    PartKind.RULE: _make_rule,
    PartKind.METHODOLOGY: _make_methodology,
}


# Change.


async def change_record(
    work: Workplace, before: PackagedPart, after: PackagedPart, current: CurrentRecord
) -> str:
    """Change a record to what the part of another version says; gives the id of what it is now."""
    with named_problems(after):
        return str(await _CHANGERS[after.kind](work, before, after, current))


async def _change_event_type(
    work: Workplace, before: PackagedPart, after: PackagedPart, current: CurrentRecord
) -> str:
    body = decode_change(EVENT_TYPE_BODIES, _list_changed(EVENT_TYPE_BODIES, before, after))
    return (await change_event_type(work.tx, work.actor, work.project, current.id, body)).id


def _list_changed(bodies: RequestBodies[Any], before: PackagedPart, after: PackagedPart) -> dict[str, Any]:
    """The fields that a package says, and those that it says no more, as a new record would have them."""
    values = structs.asdict(getattr(decode_body(bodies, after.record), bodies.noun))
    names = [name for name in bodies.change.__struct_fields__ if name in values]
    return {
        name: values[name] for name in names if name in after.record or before.record.get(name) is not None
    }


async def _change_static_input(
    work: Workplace, _: PackagedPart, after: PackagedPart, __: CurrentRecord
) -> int:
    return await _make_static_input(work, after)


async def _change_model(work: Workplace, _: PackagedPart, after: PackagedPart, current: CurrentRecord) -> str:
    assert after.model is not None, "a part that is a model has it"  # noqa: S101
    family = (await find_owned_model(work.tx, work.actor, current.id)).family
    number: int = await work.tx.value(
        "SELECT id FROM models WHERE family_id = %s ORDER BY version DESC LIMIT 1", (family,)
    )
    new = NewVersion(yaml=after.model.document, activate=True)
    return (await create_version(work.tx, work.actor, identity.of("model", 0, number), new)).id


async def _change_ledger(
    work: Workplace, before: PackagedPart, after: PackagedPart, current: CurrentRecord
) -> str:
    names = ("name", "asset_category", "display_places")
    fixed = [
        field
        for field in sorted({**before.form, **after.form})
        if field not in names and before.form.get(field) != after.form.get(field)
    ]
    # The name of its model follows from the model.
    if refused := [field for field in fixed if field != "model" or not _is_same_model(before, after)]:
        raise Invalid([_refuse_ledger_change(before, after, field) for field in refused])
    fields = {name: after.record.get(name) for name in names if before.form.get(name) != after.form.get(name)}
    if not fields:
        return current.id
    return (await change_ledger(work.tx, work.actor, current.id, decode_change(LEDGER_BODIES, fields))).id


def _refuse_ledger_change(before: PackagedPart, after: PackagedPart, field: str) -> Problem:
    was, now = (one.form.get(field) for one in (before, after))
    message = (
        f"its {field} is {was!r} and cannot become {now!r}, for what it was credited with would mean"
        " something else. In the new version of the package, give a ledger with this another name; the one"
        " that is here then stays with its batches, or is removed if it has none."
    )
    return Problem(message, None, "invalid")


def _is_same_model(before: PackagedPart, after: PackagedPart) -> bool:
    return before.model is not None and after.model is not None and before.model.name == after.model.name


async def _change_rule(
    work: Workplace, before: PackagedPart, after: PackagedPart, current: CurrentRecord
) -> str:
    fields = _list_changed(RULE_BODIES, before, after)
    body = decode_change(RULE_BODIES, await _name_records(work, fields))
    number = identity.number("rule", current.id, work.project)
    return (await change_rule(work.tx, work.actor, work.project, number, body)).id


async def _change_methodology(
    work: Workplace, _: PackagedPart, after: PackagedPart, __: CurrentRecord
) -> int:
    return await _make_methodology(work, after)


_Changer = Callable[[Workplace, PackagedPart, PackagedPart, CurrentRecord], Awaitable[str | int]]

_CHANGERS: Final[Mapping[PartKind, _Changer]] = {
    PartKind.EVENT_TYPE: _change_event_type,
    PartKind.STATIC_INPUT: _change_static_input,
    PartKind.MODEL: _change_model,
    PartKind.LEDGER: _change_ledger,
    PartKind.RULE: _change_rule,
    PartKind.METHODOLOGY: _change_methodology,
}


# Remove.


STAYING: Final[Mapping[PartKind, str]] = {
    PartKind.STATIC_INPUT: (
        "A value of a static input is never removed, so that what was computed of it can be computed again."
    ),
    PartKind.MODEL: (
        "A model is never removed, so that what was computed by its versions can be computed again; a ledger"
        " that stays still runs it."
    ),
    PartKind.METHODOLOGY: "A methodology stays, for reports may name it.",
}
"""Why records of some kinds stay, whatever becomes of their package."""


async def remove_record(work: Workplace, kind: PartKind, record: str) -> str | None:
    """Remove a record that nothing uses; gives in a sentence why it stays, where it does."""
    if sentence := STAYING.get(kind):
        return sentence
    try:
        match kind:
            case PartKind.EVENT_TYPE:
                await remove_event_type(work.tx, work.actor, work.project, record)
            case PartKind.LEDGER:
                await remove_ledger(work.tx, work.actor, record)
            case _:
                await _remove_rule(work, record)
    except Invalid as error:
        return " ".join(problem.message for problem in error.problems)
    return None


async def _remove_rule(work: Workplace, record: str) -> None:
    number = identity.number("rule", record, work.project)
    if await work.tx.value(
        """
        SELECT EXISTS (SELECT FROM data_point_results WHERE project_id = %(project)s AND rule_id = %(rule)s)
            OR EXISTS (SELECT FROM model_run_results WHERE project_id = %(project)s AND rule_id = %(rule)s)
        """,
        {"project": work.project, "rule": number},
    ):
        raise Invalid(
            [Problem("The rule has results; it stays, and can be removed by itself.", None, "in_use")]
        )
    await remove_rule(work.tx, work.actor, work.project, number)
