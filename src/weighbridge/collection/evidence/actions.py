"""Attach evidence to events."""

from typing import Any

from weighbridge.collection.evidence import queries
from weighbridge.collection.evidence.records import LINKED, Evidence, NewEvidence, NewEvidenceBody, StoredFile
from weighbridge.core.collection.evidence import EVIDENCE_OF_EVENT_MAX, problems_of_link, problems_of_name
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_evidence(tx: Write, actor: Actor, event: str, new: NewEvidenceBody | StoredFile) -> Evidence:
    """Attach a link, or a file that is in the store already."""
    key = await queries.event_named(tx, actor, event)
    problems = [] if isinstance(new, StoredFile) else _problems(new.evidence)
    problems += await _problems_of_room(tx, key, event)
    if problems:
        raise Invalid(problems)
    number = await _insert(tx, actor, key, new)
    made = await queries.get_evidence(tx, key.project, key.key, str(number))
    changes.record(
        tx,
        actor,
        action="evidence.create",
        target=f"evidence {number} of {event}",
        project_id=key.project,
        after=made,
    )
    return made


def _problems(new: NewEvidence) -> list[Problem]:
    problems = [] if new.type in LINKED else [_problem_of_type(new.type)]
    problems += problems_of_name(new.name, "evidence.name")
    return problems + problems_of_link(new.url, "evidence.url")


def _problem_of_type(sent: str) -> Problem:
    return Problem(
        f"evidence.type is {sent!r}; a link has the type url, and a file is sent as multipart/form-data.",
        "evidence.type",
        "invalid",
    )


async def _problems_of_room(tx: Write, key: ids.Key, event: str) -> list[Problem]:
    """Whether the event has room for more; until the commit no other request attaches to it."""
    await tx.execute(
        "SELECT FROM events WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (key.project, key.key)
    )
    count: int = await tx.value(
        "SELECT count(*) FROM evidence WHERE project_id = %s AND event_id = %s", (key.project, key.key)
    )
    if count < EVIDENCE_OF_EVENT_MAX:
        return []
    said = f"The event {event} has {count} files and links; an event has at most {EVIDENCE_OF_EVENT_MAX}."
    return [Problem(said, "event_id", "full")]


async def _insert(tx: Write, actor: Actor, key: ids.Key, new: NewEvidenceBody | StoredFile) -> int:
    values: tuple[Any, ...]
    if isinstance(new, StoredFile):
        values = ("file", new.name, None, new.key, new.size, new.content_type, new.sha256)
    else:
        values = ("url", new.evidence.name.strip(), new.evidence.url, None, None, None, None)
    number: int = await tx.value(
        """
        INSERT INTO evidence (project_id, event_id, created_by,
                              type, name, url, storage_key, size, content_type, sha256)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (key.project, key.key, actor.user_id, *values),
    )
    return number
