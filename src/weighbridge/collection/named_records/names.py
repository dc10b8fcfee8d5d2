"""Identify the project that a request names, by its friendly id or its number.

Invariant: a project of another account and a project that does not exist give the same response.
"""

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound
from weighbridge.http.messages.operation import ReadCall, WriteCall
from weighbridge.platform.tenancy import read_project


async def project_named(tx: Read, actor: Actor, text: str) -> int:
    """The number of the project that a friendly id or a number names; NotFound in another account."""
    number = await tx.value(
        "SELECT id FROM projects WHERE id = %s AND account_id = %s", (project_number(text), actor.account_id)
    )
    if number is None:
        raise NotFound("project", text)
    return int(number)


async def project_of(call: ReadCall | WriteCall) -> int:
    """The number of the project that the path of a request names; NotFound in another account."""
    return await project_named(call.tx, call.actor, call.path["project_id"])


def project_to_read(call: ReadCall | WriteCall) -> int:
    """The number of the project to read from; whether the account has it is asked with the next statement.

    NotFound comes from there.
    """
    text = call.path["project_id"]
    missing = NotFound("project", text)
    if not (number := project_number(text)):
        raise missing
    whole = "SELECT FROM projects WHERE id = %s AND account_id = %s"
    call.tx.require(whole, (number, call.actor.account_id), missing)
    return number


def project_number(text: str) -> int:
    """The number in a friendly id or a number's text; 0, which no project has, for any other text."""
    try:
        return read_project(text)
    except ValueError:
        return 0


async def project_for_record(tx: Read, actor: Actor, named: str | int) -> int:
    """The project that a new record names in its body; a refusal of its own when there is none."""
    try:
        return await project_named(tx, actor, str(named))
    except NotFound:
        raise NotFound("project", named, message="Project not found") from None
