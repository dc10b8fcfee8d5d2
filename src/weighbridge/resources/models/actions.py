"""Make models."""

from weighbridge.core.model import CaseResult, sha256, show
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.models import queries
from weighbridge.resources.models.document import check_document
from weighbridge.resources.models.records import Model, NewModel
from weighbridge.resources.projects.queries import project_for_record


async def create_model(tx: Write, actor: Actor, asked: NewModel) -> Model:
    """Make a model of a document; its first version is active.

    Raises Invalid with every flaw of the document and its line.
    """
    project = None if asked.project_id is None else await project_for_record(tx, actor, asked.project_id)
    # Checking units and running the document's own cases can take longer than other requests may wait.
    report = await tx.in_thread(check_document, asked.yaml)
    problems = [flaw.problem("model.yaml") for flaw in report.flaws]
    problems += [_failed(result) for result in report.cases if not result.is_passed]
    if problems or report.model is None:
        raise Invalid(problems)
    model = report.model
    family: int = await tx.value(
        "INSERT INTO model_families (account_id, project_id) VALUES (%s, %s) RETURNING id",
        (actor.account_id, project),
    )
    number: int = await tx.value(
        """
        INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
        VALUES (%s, 1, %s, %s, %s, %s, %s) RETURNING id
        """,
        (family, model.name, model.cadence, model.partition_type, asked.yaml, bytes.fromhex(sha256(model))),
    )
    await tx.execute("UPDATE model_families SET active_model_id = %s WHERE id = %s", (number, family))
    made = await queries.get_model(tx, actor, queries.model_id(number))
    await audit.record(tx, actor, action="model.create", target=made.id, project_id=project, after=made)
    return made


def _failed(result: CaseResult) -> Problem:
    """Say what a case of the document expects and what comes of it instead."""
    if result.error is not None:
        return Problem(f"Case {result.case.name!r}: {result.error}", "model.yaml", "case_failed")
    wrong = "; ".join(
        f"{one.slug} should be {show(one.expected, one.unit)} and is {show(one.actual, one.unit)}"
        for one in result.comparisons
        if not one.is_met
    )
    return Problem(f"Case {result.case.name!r}: {wrong}.", "model.yaml", "case_failed")
