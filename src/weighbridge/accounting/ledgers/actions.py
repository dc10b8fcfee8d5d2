"""Make ledgers, change their names, and remove those that were never posted to."""

from typing import Final

import msgspec

from weighbridge.accounting.books.presets import with_preset
from weighbridge.accounting.ledgers import queries
from weighbridge.accounting.ledgers.records import Ledger, LedgerChange, NewLedger
from weighbridge.collection.tenancy.project import project_for_record
from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.ledger.posting import SCALE_MAX
from weighbridge.core.model import Available, Model, Upstream
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import UnitError, compatible, parse_unit
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid, Malformed, NotFound
from weighbridge.modelling.document.ledger_circles import (
    CreditingModel,
    crediting_models,
    problem_of_circle,
    sources_of,
)
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models.queries import get_model
from weighbridge.modelling.versions.stored import stored_model
from weighbridge.platform import changes

BATCHES_NAMED_MAX: Final = 10
"""Batches that the refusal to remove their ledger names; there may be more."""


async def create_ledger(tx: Write, actor: Actor, request: NewLedger, project_of_path: str | None) -> Ledger:
    """Make a ledger of a project, linked to one output of a model when it names one."""
    named = project_of_path if project_of_path is not None else request.project_id
    if named is None:
        raise Malformed([Problem("ledger.project_id is required.", "ledger.project_id", "required")])
    project = await project_for_record(tx, actor, named)
    request, unit, problems = with_preset(request)
    problems += _problems(request, unit) + _contradiction(request.project_id, project)
    family, output = None, None
    if request.model_id is not None:
        family, model = await _model(tx, actor, request.model_id)
        output = request.output or model.primary_output
        problems += _output_problems(unit, model, output)
        problems += _own_source(request.name.strip(), model) or await _circle(
            tx, project, request.name.strip(), CreditingModel(family, sources_of(model))
        )
    elif request.output is not None:
        problems.append(
            Problem("output names a node of a model; model_id is missing.", "ledger.output", "invalid")
        )
    problems += await _taken(tx, project, request.name.strip(), family, output)
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO ledgers (project_id, name, unit, scale, rounding, family_id, output, system_ledger_type)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, request.name.strip(), unit, request.scale, request.rounding, family, output,
            request.system_ledger_type,
        ),
    )  # fmt: skip
    made = await queries.get_ledger(tx, actor, ids.of("ledger", project, number))
    changes.record(tx, actor, action="ledger.create", target=made.id, project_id=project, after=made)
    return made


async def update_ledger(tx: Write, actor: Actor, friendly: str, request: LedgerChange) -> Ledger:
    """Change a ledger's name or asset category; what is left out stays."""
    before = await queries.get_ledger(tx, actor, friendly)
    key = _key(friendly)
    wanted = {
        name: value for name, value in msgspec.structs.asdict(request).items() if value is not msgspec.UNSET
    }
    if "name" in wanted:
        wanted["name"] = wanted["name"].strip()
    problems = _system_problems(before)
    if "name" in wanted and wanted["name"] != before.name:
        if wrong := problem_of_name(wanted["name"], "A ledger", "ledger.name"):
            problems.append(wrong)
        problems += await _taken(tx, key.project, wanted["name"], None, None)
        problems += await _circle_of_renamed(tx, key.project, before.name, wanted["name"])
    category = wanted.get("asset_category")
    if category is not None and (wrong := problem_of_name(category, "A category", "ledger.asset_category")):
        problems.append(wrong)
    if problems:
        raise Invalid(problems)
    if all(value == getattr(before, name) for name, value in wanted.items()):
        return before
    await tx.execute(
        """
        UPDATE ledgers SET name = %s, asset_category = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            wanted.get("name", before.name),
            wanted.get("asset_category", before.asset_category),
            key.project,
            key.key,
        ),
    )
    after = await queries.get_ledger(tx, actor, friendly)
    changes.record(
        tx, actor, action="ledger.update", target=after.id, project_id=key.project, before=before, after=after
    )
    return after


async def delete_ledger(tx: Write, actor: Actor, friendly: str) -> None:
    """Remove a ledger; refused while it has batches, and when it had some, whose entries stay."""
    before = await queries.get_ledger(tx, actor, friendly)
    key = _key(friendly)
    problems = _system_problems(before) + await _batch_problems(tx, key)
    if problems:
        raise Invalid(problems)
    await tx.execute("DELETE FROM ledgers WHERE project_id = %s AND id = %s", (key.project, key.key))
    changes.record(tx, actor, action="ledger.delete", target=before.id, project_id=key.project, before=before)


def _key(friendly: str) -> ids.Key:
    key = ids.parse("ledger", friendly)
    assert key is not None  # noqa: S101 - the ledger was found by it
    return key


def _system_problems(ledger: Ledger) -> list[Problem]:
    if ledger.system_ledger_type is None:
        return []
    message = f"{ledger.name!r} is a system ledger, which is kept as it is."
    return [Problem(message, "ledger_id", "system_ledger")]


async def _batch_problems(tx: Write, key: ids.Key) -> list[Problem]:
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
    live = tuple(ids.of("batch", key.project, batch) for batch, is_deleted in rows if not is_deleted)
    if not live:
        message = "The ledger had batches, and the entries of deleted batches stay; it cannot be removed."
        return [Problem(message, "ledger_id", "has_entries")]
    message = f"The ledger has batches, among them {', '.join(live)}; delete them first."
    return [Problem(message, "ledger_id", "has_batches", live)]


async def _model(tx: Write, actor: Actor, friendly: str) -> tuple[int, Model]:
    try:
        await get_model(tx, actor, friendly)
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
    family = (await stored_model(tx, ids.number("model", friendly))).family
    # Ledgers run the active version, whichever was named; it stays so until the ledger is there.
    active: int = await tx.value(
        "SELECT active_model_id FROM model_families WHERE id = %s FOR SHARE", (family,)
    )
    return family, read_model((await stored_model(tx, active)).document)


def _contradiction(named: str | int | None, project: int) -> list[Problem]:
    """The body need not repeat the project of the path; what it says may not differ from it."""
    if named is None or str(named) in {str(project), ids.of("project", project)}:
        return []
    message = f"project_id is {named!r}, which is not the project of the path; leave it out."
    return [Problem(message, "ledger.project_id", "conflict")]


def _problems(request: NewLedger, unit: str) -> list[Problem]:
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


def _output_problems(written: str, model: Model, output: str) -> list[Problem]:
    """The output must be one of the model's, in a unit that the ledger's can be converted from."""
    outputs = {node.slug: node for node in model.outputs}
    if output not in outputs:
        allowed = ", ".join(outputs)
        return [
            Problem(f"output is {output!r}; the model has the outputs {allowed}.", "ledger.output", "invalid")
        ]
    unit = outputs[output].unit
    try:
        fits = compatible(parse_unit(written), unit)
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


def _own_source(name: str, model: Model) -> list[Problem]:
    """A model cannot draw from a ledger that it credits."""
    sources = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    drawing = [slug for slug, body in sources.items() if body.ledger == name]
    if not drawing:
        return []
    nodes = " and ".join(map(repr, drawing))
    message = f"name is {name!r}, and {nodes} of the model would draw from the ledger that the model credits."
    return [Problem(message, "ledger.name", "own_ledger")]


async def _circle(tx: Write, project: int, name: str, model: CreditingModel) -> list[Problem]:
    """That a ledger of this name, credited by the model, would close a circle of ledgers."""
    ledgers = await crediting_models(tx, project)
    return problem_of_circle(model.family, {**ledgers, name: model}, "ledger.model_id")


async def _circle_of_renamed(tx: Write, project: int, before: str, name: str) -> list[Problem]:
    """That a ledger would close a circle under another name, by which models draw from it."""
    ledgers = await crediting_models(tx, project)
    model = ledgers.pop(before, None)
    return [] if model is None else problem_of_circle(model.family, {**ledgers, name: model}, "ledger.name")


async def _taken(tx: Write, project: int, name: str, family: int | None, output: str | None) -> list[Problem]:
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
