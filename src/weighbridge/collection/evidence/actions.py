"""Attach evidence to events."""

from typing import Any

from msgspec import UNSET

from weighbridge.collection.evidence import queries
from weighbridge.collection.evidence.records import LINKED, Evidence, NewEvidence, NewEvidenceBody, StoredFile
from weighbridge.core.collection.evidence import EVIDENCE_OF_EVENT_MAX, problems_of_link, problems_of_name
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.quota import problem_of_quota
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid, Malformed
from weighbridge.platform import changes


async def create_evidence(tx: Write, actor: Actor, event: str, new: NewEvidenceBody | StoredFile) -> Evidence:
    """Attach a link, or a file that is in the store already."""
    key = await queries.event_named(tx, actor, event)
    if not isinstance(new, StoredFile):
        _need_type(new.evidence)
    problems = [] if isinstance(new, StoredFile) else _problems(new.evidence)
    problems += await _problems_of_room(tx, key, event)
    if isinstance(new, StoredFile):
        problems += await _problems_of_quota(tx, actor, new.size)
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


def _need_type(new: NewEvidence) -> None:
    """Refuse a body that does not say what is attached, as one of the wrong shape."""
    if new.type is UNSET and new.evidence_type is UNSET:
        raise Malformed([Problem("evidence.type is required.", "evidence.type", "required")])


def _problems(new: NewEvidence) -> list[Problem]:
    sent = {"evidence.type": new.type, "evidence.evidence_type": new.evidence_type}
    problems = [
        _problem_of_type(field, said)
        for field, said in sent.items()
        if said is not UNSET and said not in LINKED
    ]
    problems += problems_of_name(new.name, "evidence.name")
    return problems + problems_of_link(new.url, "evidence.url")


def _problem_of_type(field: str, sent: str) -> Problem:
    said = f"{field} is {sent!r}; a link has the type url, and a file is sent as multipart/form-data."
    return Problem(said, field, "invalid")


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


async def _problems_of_quota(tx: Write, actor: Actor, size: int) -> list[Problem]:
    """Whether the account may keep one more file of this size; until the commit no other request adds one."""
    quotas = tx.quotas
    if not quotas.evidence_files and not quotas.evidence_bytes:
        return []
    await tx.execute(*locks.hold(locks.evidence_quota(actor.account_id)))
    [(files, used)] = await tx.tuples(
        """
        SELECT count(*), coalesce(sum(e.size), 0)::bigint
          FROM projects p JOIN evidence e ON e.project_id = p.id AND e.type = 'file'
         WHERE p.account_id = %s
        """,
        (actor.account_id,),
    )
    asked = (
        ("evidence files", files, 1, quotas.evidence_files),
        ("bytes of evidence files", used, size, quotas.evidence_bytes),
    )
    return [
        problem_of_quota(what, has, adding, allowed, "file")
        for what, has, adding, allowed in asked
        if allowed and has + adding > allowed
    ]


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
