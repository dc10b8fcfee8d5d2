"""Ledgers: mass-balance accounts that a model's runs credit.

Entries are only ever added, and no batch's balance is ever negative; the database refuses both.
Permission: production accounting.

Reading ledgers is in `ledgers_queries.py`. A system ledger takes its unit from its kind and runs no
model.
"""

from dataclasses import dataclass, replace
from typing import Final

import msgspec
from msgspec import Struct

from weighbridge.accounting import ledgers_queries as queries
from weighbridge.accounting.records.ledgers import (
    LEDGER_BODIES,
    Deficits,
    Ledger,
    NewLedger,
    NewLedgerBody,
    NewLedgerOfAccountBody,
    RequiredInputs,
)
from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.ledger.posting import SCALE_MAX
from weighbridge.core.model import Available, Model, Upstream
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.unit import UnitError, are_compatible, parse_unit
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import Page
from weighbridge.errors import Invalid, Malformed, NotFound
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, WriteCall, delete, get, patch, post
from weighbridge.modelling.documents import (
    CreditingModel,
    check_circle,
    find_stored_model,
    list_source_ledgers,
    read_crediting_models,
    read_model,
)
from weighbridge.modelling.models import read_model_version
from weighbridge.platform import changes
from weighbridge.platform.tenancy import key_named, project_for_record, project_of

# Presets: what a system ledger is made with. Its unit comes with its kind, and it runs no model.
#
# What a caller says besides may repeat the preset and not contradict it.


def apply_preset(given: NewLedger) -> tuple[NewLedger, str, list[Problem]]:
    """What a ledger is to be made with and its unit; and what is wrong with it as a system ledger."""
    if given.system_ledger_type is None:
        if given.unit is None:
            raise Malformed([Problem("ledger.unit is required.", "ledger.unit", "required")])
        return given, given.unit, []
    preset = PRESETS.get(given.system_ledger_type)
    if preset is None:
        field = "ledger.system_ledger_type"
        message = f"system_ledger_type is {given.system_ledger_type!r}; it is one of {', '.join(PRESETS)}."
        return given, given.unit or "1", [Problem(message, field, "invalid")]
    kind = preset.name.lower()
    problems = [
        Problem(f"A system ledger runs no model; leave {name} out.", f"ledger.{name}", "system_ledger")
        for name in ("model_id", "output")
        if getattr(given, name) is not None
    ]
    if given.unit not in {None, preset.unit}:
        message = f"unit is {given.unit!r}; a ledger of {kind} is kept in {preset.unit}."
        problems.append(Problem(message, "ledger.unit", "system_ledger"))
    without_model = msgspec.structs.replace(given, unit=preset.unit, model_id=None, output=None)
    return without_model, preset.unit, problems


# Make ledgers, change their names, give them a model, and remove those that were never posted to.
#
# Invariant: a ledger that has a model keeps it, and the output that it counts.


BATCHES_NAMED_MAX: Final = 10
"""Batches that the refusal to remove their ledger names; there may be more."""


async def insert_ledger(tx: Write, actor: Actor, request: NewLedger, named: str | int) -> Ledger:
    """Make a ledger of a project, linked to one output of a model when it names one."""
    project = await project_for_record(tx, actor, named)
    request, unit, problems = apply_preset(request)
    problems += _check_ledger(request, unit) + _check_project(request.project_id, project)
    problems += _check_category(request.asset_category)
    problems += _check_places(request.display_places, request.scale)
    kept = _KeptBy(project, request.name.strip(), unit)
    link = await _link(tx, actor, kept, request.model_id, request.output)
    problems += [*link.problems, *await _check_taken(tx, project, kept.name, link.family, link.output)]
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO ledgers (project_id, name, unit, scale, rounding, family_id, output, system_ledger_type,
                             asset_category, display_places)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, kept.name, unit, request.scale, request.rounding, link.family, link.output,
            request.system_ledger_type, request.asset_category, request.display_places,
        ),
    )  # fmt: skip
    made = await queries.get_ledger(tx, actor, identity.of("ledger", project, number))
    changes.record(tx, actor, action="ledger.create", target=made.id, project_id=project, after=made)
    return made


async def change_ledger(tx: Write, actor: Actor, friendly: str, change: Struct) -> Ledger:
    """Change a ledger's name or asset category, or give it a model; what is left out stays."""
    await queries.find_ledger(tx, actor, friendly)
    key = key_named("ledger", friendly)
    # Locked, so that of two models that come at once the second finds the first.
    await tx.execute(
        "SELECT FROM ledgers WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (key.project, key.key)
    )
    before = await queries.get_ledger(tx, actor, friendly)
    desired = LEDGER_BODIES.changed(before, change)
    name, category = desired.name, desired.asset_category
    problems = _check_not_system(before)
    if name != before.name:
        if wrong := problem_of_name(name, "A ledger", "ledger.name"):
            problems.append(wrong)
        problems += await _check_taken(tx, key.project, name, None, None)
        problems += await _check_circle_of_renamed(tx, key.project, before.name, name)
    problems += _check_category(category)
    problems += _check_places(desired.display_places, before.scale)
    link = _Link()
    if not problems:
        link = await _change_link(tx, actor, before, _KeptBy(key.project, name, before.unit), change)
    if problems := [*problems, *link.problems]:
        raise Invalid(problems)
    if link.family is None and desired == before:
        return before
    await tx.execute(
        """
        UPDATE ledgers
           SET name = %s, asset_category = %s, display_places = %s, family_id = coalesce(%s, family_id),
               output = coalesce(%s, output), updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (name, category, desired.display_places, link.family, link.output, key.project, key.key),
    )
    after = await queries.get_ledger(tx, actor, friendly)
    changes.record(
        tx, actor, action="ledger.update", target=after.id, project_id=key.project, before=before, after=after
    )
    return after


async def remove_ledger(tx: Write, actor: Actor, friendly: str) -> None:
    """Remove a ledger to which nothing was ever posted; Invalid with what was."""
    before = await queries.get_ledger(tx, actor, friendly)
    key = key_named("ledger", friendly)
    problems = _check_not_system(before) + await _check_no_batches(tx, key)
    problems += await _check_no_role(tx, key)
    if problems:
        raise Invalid(problems)
    await tx.execute("DELETE FROM ledgers WHERE project_id = %s AND id = %s", (key.project, key.key))
    changes.record(tx, actor, action="ledger.delete", target=before.id, project_id=key.project, before=before)


def _check_not_system(ledger: Ledger) -> list[Problem]:
    if ledger.system_ledger_type is None:
        return []
    message = f"{ledger.name!r} is a system ledger, which is kept as it is."
    return [Problem(message, "ledger_id", "system_ledger")]


async def _check_no_batches(tx: Write, key: identity.Key) -> list[Problem]:
    # The ledger is locked against a generation that would make its first batch just now.
    await tx.execute(
        "SELECT FROM ledgers WHERE project_id = %s AND id = %s FOR UPDATE", (key.project, key.key)
    )
    rows = await tx.tuples(
        """
        SELECT id, deleted_at IS NOT NULL FROM batches WHERE project_id = %s AND ledger_id = %s
         ORDER BY deleted_at IS NOT NULL, id LIMIT %s
        """,
        (key.project, key.key, BATCHES_NAMED_MAX),
    )
    if not rows:
        return []
    live = tuple(identity.of("batch", key.project, batch) for batch, is_deleted in rows if not is_deleted)
    if not live:
        message = "The ledger had batches, and the entries of deleted batches stay; it cannot be removed."
        return [Problem(message, "ledger_id", "has_entries")]
    message = f"The ledger has batches, among them {', '.join(live)}; delete them first."
    return [Problem(message, "ledger_id", "has_batches", live)]


async def _check_no_role(tx: Write, key: identity.Key) -> list[Problem]:
    """What is wrong with removing a ledger that plays a role in reports of several, perhaps of no batches."""
    rows = await tx.tuples(
        "SELECT report_id FROM report_ledgers WHERE project_id = %s AND ledger_id = %s ORDER BY 1 LIMIT %s",
        (key.project, key.key, BATCHES_NAMED_MAX),
    )
    if not rows:
        return []
    named = tuple(identity.of("report", key.project, report) for (report,) in rows)
    message = (
        f"The ledger plays a role in reports, among them {', '.join(named)}; name another one there first."
    )
    return [Problem(message, "ledger_id", "in_use", named)]


@dataclass(frozen=True, slots=True)
class _KeptBy:
    """What a ledger is to be: its project, its name and its unit."""

    project: int
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class _Link:
    """The model that a ledger is to run and the output that it keeps; none without a family."""

    family: int | None = None
    output: str | None = None
    problems: tuple[Problem, ...] = ()


async def _link(tx: Write, actor: Actor, ledger: _KeptBy, model_id: str | None, output: str | None) -> _Link:
    """The link of a ledger to a model, and what is wrong with it."""
    if model_id is None:
        message = "output names a node of a model; model_id is missing."
        return _Link(problems=() if output is None else (Problem(message, "ledger.output", "invalid"),))
    family, model = await _read_active_model(tx, actor, model_id)
    output = output or model.primary_output
    circle = _check_own_source(ledger.name, model) or await _check_circle(
        tx, ledger.project, ledger.name, CreditingModel(family, list_source_ledgers(model))
    )
    return _Link(family, output, (*_check_output(ledger.unit, model, output), *circle))


async def _change_link(tx: Write, actor: Actor, before: Ledger, ledger: _KeptBy, change: Struct) -> _Link:
    """The link that a change gives a ledger which has none; naming what it has already changes nothing."""
    sent = LEDGER_BODIES.sent(change)
    model_id, output = sent.get("model_id"), sent.get("output")
    if before.latest_model is None:
        link = await _link(tx, actor, ledger, model_id, output)
        taken = await _check_taken(tx, ledger.project, "", link.family, link.output)
        return replace(link, problems=(*link.problems, *taken))
    model = before.latest_model
    is_own_model = model_id is None or await _is_same_family(tx, actor, model_id, model.id)
    if is_own_model and output in {None, before.output}:
        return _Link()
    field = "ledger.output" if is_own_model else "ledger.model_id"
    message = (
        f"The ledger keeps {before.output!r} of the model {model.name!r}, {model.id}, and stays with it."
    )
    return _Link(problems=(Problem(message, field, "has_model", (model.id,)),))


async def _is_same_family(tx: Write, actor: Actor, named: str, own: str) -> bool:
    """Whether an id names a version of the model that another is a version of."""
    family, _ = await _read_active_model(tx, actor, named)
    return family == (await find_stored_model(tx, identity.number("model", own))).family


async def _read_active_model(tx: Write, actor: Actor, friendly: str) -> tuple[int, Model]:
    try:
        await read_model_version(tx, actor, friendly)
    except NotFound:
        raise Invalid(
            [
                Problem(
                    f"model_id is {friendly!r}, which is no model of the account.",
                    "ledger.model_id",
                    "unknown",
                )
            ]
        ) from None
    family = (await find_stored_model(tx, identity.number("model", friendly))).family
    # Ledgers run the active version, whichever was named; it stays so until the ledger is there.
    active: int = await tx.value(
        "SELECT active_model_id FROM model_families WHERE id = %s FOR SHARE", (family,)
    )
    return family, await tx.in_thread(read_model, (await find_stored_model(tx, active)).document)


def _check_category(category: str | None) -> list[Problem]:
    if category is None:
        return []
    wrong = problem_of_name(category, "A category", "ledger.asset_category")
    return [] if wrong is None else [wrong]


def _check_places(places: int | None, scale: int) -> list[Problem]:
    if places is None or 0 <= places <= scale:
        return []
    message = f"display_places is {places}; it must be at most the ledger's scale, {scale}."
    return [Problem(message, "ledger.display_places", "invalid")]


def _check_project(named: str | int | None, project: int) -> list[Problem]:
    """The body need not repeat the project of the path; what it says may not differ from it."""
    if named is None or str(named) in {str(project), identity.of("project", project)}:
        return []
    message = f"project_id is {named!r}, which is not the project of the path; leave it out."
    return [Problem(message, "ledger.project_id", "conflict")]


def _check_ledger(request: NewLedger, unit: str) -> list[Problem]:
    problems = []
    if wrong := problem_of_name(request.name, "A ledger", "ledger.name"):
        problems.append(wrong)
    if not 0 <= request.scale <= SCALE_MAX:
        problems.append(
            Problem(
                f"scale is {request.scale}; it takes 0 to {SCALE_MAX} decimals.", "ledger.scale", "invalid"
            )
        )
    try:
        parse_unit(unit)
    except UnitError as error:
        problems.append(Problem(f"unit is {unit!r}: {error}", "ledger.unit", "invalid"))
    if not unit.strip():
        problems.append(
            Problem(
                "A ledger needs a unit; that of plain numbers is dimensionless.", "ledger.unit", "required"
            )
        )
    return problems


def _check_output(written: str, model: Model, output: str) -> list[Problem]:
    """The output must be one of the model's, in a unit that the ledger's can be converted from."""
    outputs = {node.slug: node for node in model.outputs}
    if output not in outputs:
        allowed = ", ".join(outputs)
        return [
            Problem(f"output is {output!r}; the model has the outputs {allowed}.", "ledger.output", "invalid")
        ]
    unit = outputs[output].unit
    try:
        fits = are_compatible(parse_unit(written), unit)
    except UnitError:
        return []
    if fits:
        return []
    return [
        Problem(
            f"unit is {written!r}; the output {output!r} is in {unit}, which counts a different thing.",
            "ledger.unit",
            "invalid",
        )
    ]


def _check_own_source(name: str, model: Model) -> list[Problem]:
    """A model cannot draw from a ledger that it credits."""
    sources = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    drawing = [slug for slug, body in sources.items() if body.ledger == name]
    if not drawing:
        return []
    nodes = " and ".join(map(repr, drawing))
    message = f"name is {name!r}, and {nodes} of the model would draw from the ledger that the model credits."
    return [Problem(message, "ledger.name", "own_ledger")]


async def _check_circle(tx: Write, project: int, name: str, model: CreditingModel) -> list[Problem]:
    """That a ledger of this name, credited by the model, would close a circle of ledgers."""
    ledgers = await read_crediting_models(tx, project)
    return check_circle(model.family, {**ledgers, name: model}, "ledger.model_id")


async def _check_circle_of_renamed(tx: Write, project: int, before: str, name: str) -> list[Problem]:
    """That a ledger would close a circle under another name, by which models draw from it."""
    ledgers = await read_crediting_models(tx, project)
    model = ledgers.pop(before, None)
    return [] if model is None else check_circle(model.family, {**ledgers, name: model}, "ledger.name")


async def _check_taken(
    tx: Write, project: int, name: str, family: int | None, output: str | None
) -> list[Problem]:
    """What another ledger of the project has already: the name, or the output of the model."""
    rows = await tx.tuples(
        """
        SELECT name, name = %(name)s FROM ledgers
         WHERE project_id = %(project)s
           AND (name = %(name)s OR (family_id = %(family)s AND output = %(output)s))
        """,
        {"project": project, "name": name, "family": family, "output": output},
    )
    return [
        Problem(f"The project has a ledger {name!r} already.", "ledger.name", "taken")
        if same_name
        else Problem(
            f"The ledger {other!r} is credited by {output!r} of this model already.", "ledger.output", "taken"
        )
        for other, same_name in rows
    ]


# Paths of ledgers.


_MOMENTS: Final = {
    queries.EFFECTIVE_AT: (
        "What was produced and drawn up to this moment, which ends the slots and periods that it closes; "
        "without it, everything."
    ),
}


@get(
    "/ledgers",
    permission="production_accounting:read",
    returns=Page[Ledger],
    listing=queries.LEDGERS,
    time_parameters=_MOMENTS,
    looks_back=LookingBack.ASKED_OR_BEFORE,
    spans_projects=True,
)
async def list_ledgers(call: ReadCall) -> Page[Ledger]:
    """List the account's ledgers, with what they hold and are short of, now or at named times."""
    return await queries.list_ledgers(call.tx, call.actor, call.query)


@get(
    "/projects/{project_id}/ledgers",
    permission="production_accounting:read",
    returns=Page[Ledger],
    listing=queries.LEDGERS,
    time_parameters=_MOMENTS,
    looks_back=LookingBack.ASKED_OR_BEFORE,
)
async def list_project_ledgers(call: ReadCall) -> Page[Ledger]:
    """List the ledgers of a project, with what they hold and are short of, now or at named times."""
    return await queries.list_ledgers_of_project(call.tx, await project_of(call), call.query)


@post(
    "/ledgers",
    permission="production_accounting:write",
    body=NewLedgerOfAccountBody,
    returns=Ledger,
    spans_projects=True,
)
async def create_ledger(call: WriteCall, body: NewLedgerOfAccountBody) -> Ledger:
    """Create a ledger of the project that the body names."""
    return await insert_ledger(call.tx, call.actor, body.ledger, body.ledger.project_id)


@post(
    "/projects/{project_id}/ledgers",
    permission="production_accounting:write",
    body=NewLedgerBody,
    returns=Ledger,
)
async def create_ledger_of_project(call: WriteCall, body: NewLedgerBody) -> Ledger:
    """Create a ledger of the project in the path."""
    return await insert_ledger(call.tx, call.actor, body.ledger, call.path["project_id"])


@get(
    "/ledgers/{ledger_id}",
    permission="production_accounting:read",
    returns=Ledger,
    time_parameters=_MOMENTS,
    looks_back=LookingBack.ASKED_OR_BEFORE,
)
async def get_ledger(call: ReadCall) -> Ledger:
    """Read one ledger, with what it holds and is short of, now or at named times."""
    return await queries.get_ledger_at(call.tx, call.actor, call.path["ledger_id"], call.query)


@patch(
    "/ledgers/{ledger_id}",
    permission="production_accounting:write",
    body=LEDGER_BODIES.change_body,
    returns=Ledger,
    example={"ledger": {"name": "Stored carbon"}},
)
async def update_ledger(call: WriteCall, body: Struct) -> Ledger:
    """Change a ledger's name or asset category, or give it a model while it has none.

    A ledger that has a model keeps it; system ledgers cannot be changed.
    """
    return await change_ledger(call.tx, call.actor, call.path["ledger_id"], body)


@delete("/ledgers/{ledger_id}", permission="production_accounting:write")
async def delete_ledger(call: WriteCall) -> None:
    """Remove a ledger to which nothing was ever posted."""
    await remove_ledger(call.tx, call.actor, call.path["ledger_id"])


@get("/ledgers/{ledger_id}/required_inputs", permission="production_accounting:read", returns=RequiredInputs)
async def list_required_inputs(call: ReadCall) -> RequiredInputs:
    """List the inputs that the ledger's model needs."""
    return await queries.list_required_inputs(call.tx, call.actor, call.path["ledger_id"])


@get(
    "/ledgers/{ledger_id}/deficits",
    permission="production_accounting:read",
    returns=Deficits,
    looks_back=LookingBack.ASKED,
)
async def list_deficits(call: ReadCall) -> Deficits:
    """List the times in which more was drawn from the ledger than it had produced, by partition and slot."""
    return await queries.list_deficits(call.tx, call.actor, call.path["ledger_id"])


ROUTES = [
    list_ledgers,
    list_project_ledgers,
    create_ledger,
    create_ledger_of_project,
    get_ledger,
    update_ledger,
    delete_ledger,
    list_required_inputs,
    list_deficits,
]
