"""Evidence: the files and links that stand behind an event.

A file is kept as it came, known by its SHA-256 and handed out only while it still has it; a link is
kept and never followed. Evidence is added, never changed or removed. Permission: data collection.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple, get_args

from msgspec import UNSET
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.collection.evidence_files import NAME_PART, TYPE_PARTS, keep
from weighbridge.collection.records.events import (
    LINKED,
    EventEvidence,
    Evidence,
    EvidenceType,
    NewEvidence,
    NewEvidenceBody,
    StoredFile,
)
from weighbridge.core import identity
from weighbridge.core.collection.evidence import (
    ALLOWED,
    BY_MEDIA_TYPE,
    EVIDENCE_BYTES_MAX,
    EVIDENCE_OF_EVENT_MAX,
    check_file_name,
    check_link,
)
from weighbridge.core.identity import API_PREFIX, ResourceAddress
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import check_quota
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_int4,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal, numbers
from weighbridge.errors import Invalid, Malformed, NotFound
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, WriteCall, get, post
from weighbridge.http.messages.body import Form
from weighbridge.http.messages.operation import Attachment
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, need, of_key, plain_key_named, project_of

# Read evidence: of an event, of the events behind a batch, or of a page of events.


_TYPES: Final = get_args(EvidenceType)


def _type(text: str) -> str:
    if text not in _TYPES:
        raise ValueError(text)
    return text


EVIDENCE: Final = Listing(
    sorts={"id": "v.id", "name": "v.name", "created_at": "v.created_at"},
    default_sort="id",
    key=("v.id",),
    filters={"type": Filter("v.type", _type, "file or url")},
)


def _or_unset(value: Any) -> Any:
    return UNSET if value is None else value


def _address(project: int, event: int, number: int, url: str | None) -> ResourceAddress:
    """Where a link leads, or where a file is downloaded."""
    if url is not None:
        return ResourceAddress(url)
    friendly = identity.of("event", project, event)
    inside = f"{API_PREFIX}/projects/{identity.of('project', project)}"
    return ResourceAddress(f"{inside}/events/{friendly}/evidences/{number}/file")


EVIDENCE_ROW: Final = row_of(
    Evidence,
    Column("id", "v.id"),
    Column("type", "v.type"),
    Column("url", ("v.project_id", "v.event_id", "v.id", "v.url"), _address),
    Column("name", "v.name"),
    Column("size", "v.size", _or_unset),
    Column("content_type", "v.content_type", _or_unset),
    Column("sha256", "encode(v.sha256, 'hex')", _or_unset),
)


def _certificate(project: int, number: int | None, stored: Sequence[Any] | None) -> EventEvidence | None:
    """The evidence that a record names, of its event, type, name and link."""
    if number is None or stored is None:
        return None
    event, kind, name, url = stored
    return EventEvidence(number, kind, _address(project, event, number, url), name)


EVIDENCE_OF_CALIBRATION: Final = Column(
    "evidence",
    (
        "project_id",
        "evidence_id",
        """(SELECT jsonb_build_array(v.event_id, v.type, v.name, v.url) FROM evidence v
             WHERE (v.project_id, v.id) = (calibrations.project_id, calibrations.evidence_id)) AS evidence""",
    ),
    _certificate,
)
"""The file or link that a calibration names as its certificate."""


class OfferedEvidence(NamedTuple):
    """A file or link of a project as people choose it: by its name, and the event that has it."""

    number: int
    name: str
    event_type: str
    """The name of the event's type."""
    start_time: datetime
    """When the event begins."""


async def list_newest_evidence(tx: Read, project: int, count: int) -> list[OfferedEvidence]:
    """List so many of the newest files and links of a project."""
    return await tx.rows(OfferedEvidence, _NEWEST_OF_PROJECT, (project, count))


_NEWEST_OF_PROJECT: Final = """
    SELECT v.id, v.name, t.name, e.start_time
      FROM evidence v
      JOIN events e ON (e.project_id, e.id) = (v.project_id, v.event_id)
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     WHERE v.project_id = %s ORDER BY v.id DESC LIMIT %s
"""


async def event_named(tx: Read, actor: Actor, text: str) -> identity.Key:
    """The key of an event of the actor's account, by its id alone."""
    key = plain_key_named("event", text)
    of_account = SQL("{} AND voided_at IS NULL").format(of_key(actor, "project_id", "id"))
    await need(tx, "events", of_account, (key.project, key.key), ("event", text))
    return key


async def event_of_project(tx: Read, actor: Actor, project: int, text: str) -> int:
    """The number of an event that a path names below its project."""
    key = await event_named(tx, actor, text)
    if key.project != project:
        raise NotFound("event", text)
    return key.key


async def read_evidence(tx: Read, project: int, event: int, text: str) -> Evidence:
    """One piece of evidence of an event, by its number."""
    of_event = SQL("v.project_id = %s AND v.event_id = %s AND v.id = %s")
    return await find(tx, EVIDENCE_ROW, "evidence v", of_event, (project, event, _number(text)))


async def get_file(tx: Read, project: int, event: int, text: str) -> StoredFile:
    """What is written down of a file; a link has none."""
    stored_file = await tx.row(
        StoredFile,
        """
        SELECT storage_key, name, size, content_type, sha256 FROM evidence
         WHERE project_id = %s AND event_id = %s AND id = %s AND type = 'file'
        """,
        (project, event, _number(text)),
    )
    if stored_file is None:
        raise NotFound
    return stored_file


def evidence_numbered(project: int, events: Collection[int]) -> Command:
    """The question for the evidence of several events, in the order in which it was attached."""
    return _OF_EVENTS, (project, numbers(events))


def evidence_by_event(project: int, rows: Sequence[TupleRow]) -> dict[int, list[EventEvidence]]:
    """The evidence that was asked for, by its event."""
    evidence: dict[int, list[EventEvidence]] = {}
    for event, number, kind, name, url in rows:
        address = _address(project, event, number, url)
        evidence.setdefault(event, []).append(EventEvidence(number, kind, address, name))
    return evidence


_OF_EVENTS: Final = """
    SELECT event_id, id, type, name, url FROM evidence
     WHERE project_id = %s AND event_id = ANY (%s::bigint[]) ORDER BY event_id, id
"""


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Evidence]:
    return await read_page(tx, EVIDENCE_ROW, EVIDENCE, request, source="evidence v", where=[where])


async def _batch_named(tx: Read, actor: Actor, text: str) -> identity.Key:
    key = plain_key_named("batch", text)
    of_account = SQL("{} AND deleted_at IS NULL").format(of_key(actor, "project_id", "id"))
    await need(tx, "batches", of_account, (key.project, key.key))
    return key


def _number(text: str) -> int:
    try:
        return read_int4(text)
    except ValueError:
        raise NotFound from None


# Attach evidence to events.


def _need_type(new: NewEvidence) -> None:
    """Refuse a body that does not say what is attached, as one of the wrong shape."""
    if new.type is UNSET and new.evidence_type is UNSET:
        raise Malformed([Problem("evidence.type is required.", "evidence.type", "required")])


def _problems(new: NewEvidence) -> list[Problem]:
    sent = {"evidence.type": new.type, "evidence.evidence_type": new.evidence_type}
    problems = [
        _problem_of_type(field, message)
        for field, message in sent.items()
        if message is not UNSET and message not in LINKED
    ]
    problems += check_file_name(new.name, "evidence.name")
    return problems + check_link(new.url, "evidence.url")


def _problem_of_type(field: str, sent: str) -> Problem:
    message = f"{field} is {sent!r}; a link has the type url, and a file is sent as multipart/form-data."
    return Problem(message, field, "invalid")


async def _problems_of_room(tx: Write, key: identity.Key, event: str) -> list[Problem]:
    """Whether the event has room for more; until the commit no other request attaches to it."""
    await tx.execute(
        "SELECT FROM events WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (key.project, key.key)
    )
    count: int = await tx.value(
        "SELECT count(*) FROM evidence WHERE project_id = %s AND event_id = %s", (key.project, key.key)
    )
    if count < EVIDENCE_OF_EVENT_MAX:
        return []
    message = f"The event {event} has {count} files and links; an event has at most {EVIDENCE_OF_EVENT_MAX}."
    return [Problem(message, "event_id", "full")]


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
        check_quota(what, has, adding, allowed, "file")
        for what, has, adding, allowed in asked
        if allowed and has + adding > allowed
    ]


async def _insert(tx: Write, actor: Actor, key: identity.Key, new: NewEvidenceBody | StoredFile) -> int:
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


# Paths of evidence.


_READ = "data_collection:read"
_OF_EVENT = "/projects/{project_id}/events/{event_id}/evidences"
_ONE = _OF_EVENT + "/{evidence_id}"
_FORM = Form(
    file_bytes_max=EVIDENCE_BYTES_MAX,
    file=f"A file of at most {EVIDENCE_BYTES_MAX:,} bytes; its name ends in one of {ALLOWED}.",
    texts={
        NAME_PART: "What the file is called; by default, the name it comes with.",
        **dict.fromkeys(TYPE_PARTS, "That it is a file: file. It may be left out."),
    },
    wrapping="evidence",
    received=keep,
)


@post(
    "/events/{event_id}/evidence",
    permission="data_collection:write",
    body=NewEvidenceBody,
    form=_FORM,
    returns=Evidence,
    example={
        "evidence": {
            "type": "url",
            "url": "https://example.org/tickets/4711",
            "name": "Weighbridge ticket 4711",
        }
    },
)
async def create_evidence(call: WriteCall, new: NewEvidenceBody | StoredFile) -> Evidence:
    """Attach a file or a link to an event.

    A file is sent as multipart/form-data and kept as it is; a link is sent as JSON and never followed.
    """
    tx, actor, event = call.tx, call.actor, call.path["event_id"]
    key = await event_named(tx, actor, event)
    if not isinstance(new, StoredFile):
        _need_type(new.evidence)
    problems = [] if isinstance(new, StoredFile) else _problems(new.evidence)
    problems += await _problems_of_room(tx, key, event)
    if isinstance(new, StoredFile):
        problems += await _problems_of_quota(tx, actor, new.size)
    if problems:
        raise Invalid(problems)
    number = await _insert(tx, actor, key, new)
    made = await read_evidence(tx, key.project, key.key, str(number))
    changes.record(
        tx,
        actor,
        action="evidence.create",
        target=f"evidence {number} of {event}",
        project_id=key.project,
        after=made,
    )
    return made


@get(_OF_EVENT, permission=_READ, returns=Page[Evidence], listing=EVIDENCE, looks_back=LookingBack.ASKED)
async def list_event_evidence(call: ReadCall) -> Page[Evidence]:
    """List the evidence of one event."""
    project, event = await _event(call)
    request = list_request(call.query, EVIDENCE)
    of_event = SQL("v.project_id = {} AND v.event_id = {}").format(Literal(project), Literal(event))
    return await _page(call.tx, request, of_event)


@get(_ONE, permission=_READ, returns=Evidence, looks_back=LookingBack.ASKED)
async def get_evidence(call: ReadCall) -> Evidence:
    """Read one piece of evidence."""
    project, event = await _event(call)
    return await read_evidence(call.tx, project, event, call.path["evidence_id"])


@get(_ONE + "/file", permission=_READ, sends=tuple(BY_MEDIA_TYPE))
async def download_evidence(call: ReadCall) -> Attachment:
    """Download a file of evidence.

    The very bytes that were attached: when their SHA-256 is no longer that of the record, the answer is
    500 and says so. The answer is always an attachment, never a page.
    """
    project, event = await _event(call)
    file = await get_file(call.tx, project, event, call.path["evidence_id"])
    return Attachment(
        name=BY_MEDIA_TYPE[file.content_type].name_of(file.name),
        media_type=file.content_type,
        size=file.size,
        read=partial(call.files.get, file.key, file.size, file.sha256),
    )


@get(
    "/batches/{batch_id}/evidences",
    permission="production_accounting:read",
    returns=Page[Evidence],
    listing=EVIDENCE,
)
async def list_batch_evidence(call: ReadCall) -> Page[Evidence]:
    """List the evidence of every event that a batch was made of."""
    request = list_request(call.query, EVIDENCE)
    key = await _batch_named(call.tx, call.actor, call.path["batch_id"])
    behind_batch = SQL(
        """
        v.project_id = {project} AND v.event_id IN (
            SELECT unnest(event_ids) FROM batch_inputs WHERE project_id = {project} AND batch_id = {batch})
        """
    ).format(project=Literal(key.project), batch=Literal(key.key))
    return await _page(call.tx, request, behind_batch)


async def _event(call: ReadCall) -> tuple[int, int]:
    project = await project_of(call)
    return project, await event_of_project(call.tx, call.actor, project, call.path["event_id"])


ROUTES = [create_evidence, list_event_evidence, get_evidence, download_evidence, list_batch_evidence]
