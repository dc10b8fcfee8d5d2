"""Make ledgers."""

from weighbridge.core.ledger import SCALE_MAX
from weighbridge.core.model import Model
from weighbridge.core.name import problem_of_name
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.unit import UnitError, compatible, parse_unit
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid, Malformed, NotFound
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.ledgers import queries
from weighbridge.resources.ledgers.records import Ledger, NewLedger
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import get_model, model_number, stored_model
from weighbridge.resources.projects.queries import project_for_record, project_id


async def create_ledger(tx: Write, actor: Actor, asked: NewLedger, project_of_path: str | None) -> Ledger:
    """Make a ledger of a project, linked to one output of a model when it names one."""
    named = project_of_path if project_of_path is not None else asked.project_id
    if named is None:
        raise Malformed([Problem("ledger.project_id is required.", "ledger.project_id", "required")])
    project = await project_for_record(tx, actor, named)
    problems = _problems(asked) + _contradiction(asked.project_id, project)
    family, output = None, None
    if asked.model_id is not None:
        family, model = await _model(tx, actor, asked.model_id)
        output = asked.output or model.primary_output
        problems += _output_problems(asked, model, output)
    elif asked.output is not None:
        problems.append(
            Problem("output names a node of a model; model_id is missing.", "ledger.output", "invalid")
        )
    problems += await _taken(tx, project, asked.name.strip(), family, output)
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO ledgers (project_id, name, unit, scale, family_id, output)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (project, asked.name.strip(), asked.unit, asked.scale, family, output),
    )
    made = await queries.get_ledger(tx, actor, queries.ledger_id(project, number))
    await audit.record(tx, actor, action="ledger.create", target=made.id, project_id=project, after=made)
    return made


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
    family = (await stored_model(tx, model_number(friendly))).family
    # Ledgers run the active version, whichever was named; it stays so until the ledger is there.
    active: int = await tx.value(
        "SELECT active_model_id FROM model_families WHERE id = %s FOR SHARE", (family,)
    )
    return family, read_model((await stored_model(tx, active)).document)


def _contradiction(named: str | int | None, project: int) -> list[Problem]:
    """The body need not repeat the project of the path; what it says may not differ from it."""
    if named is None or str(named) in {str(project), project_id(project)}:
        return []
    message = f"project_id is {named!r}, which is not the project of the path; leave it out."
    return [Problem(message, "ledger.project_id", "conflict")]


def _problems(asked: NewLedger) -> list[Problem]:
    problems = []
    if wrong := problem_of_name(asked.name, "A ledger", "ledger.name"):
        problems.append(wrong)
    if not 0 <= asked.scale <= SCALE_MAX:
        problems.append(
            Problem(f"scale is {asked.scale}; it takes 0 to {SCALE_MAX} decimals.", "ledger.scale", "invalid")
        )
    try:
        parse_unit(asked.unit)
    except UnitError as error:
        problems.append(Problem(f"unit is {asked.unit!r}: {error}", "ledger.unit", "invalid"))
    if not asked.unit.strip():
        problems.append(Problem("A ledger needs a unit.", "ledger.unit", "required"))
    return problems


def _output_problems(asked: NewLedger, model: Model, output: str) -> list[Problem]:
    """The output must be one of the model's, in a unit that the ledger's can be converted from."""
    outputs = {node.slug: node for node in model.outputs}
    if output not in outputs:
        allowed = ", ".join(outputs)
        return [
            Problem(f"output is {output!r}; the model has the outputs {allowed}.", "ledger.output", "invalid")
        ]
    unit = outputs[output].unit
    try:
        fits = compatible(parse_unit(asked.unit), unit)
    except UnitError:
        return []
    if fits:
        return []
    return [
        Problem(
            f"unit is {asked.unit!r}; the output {output!r} is in {unit}, which counts a different thing.",
            "ledger.unit",
            "invalid",
        )
    ]


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
