"""Read evidence: of an event, of the events behind a batch, or of a page of events."""

from collections.abc import Collection, Sequence
from typing import Any, Final, get_args

from msgspec import UNSET
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.collection.evidence.records import EventEvidence, Evidence, EvidenceType, StoredFile
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import API_PREFIX, ResourceAddress
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Command, Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.literal import Literal, numbers
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.scope import find, need, of_key, plain_key_named

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
    friendly = ids.of("event", project, event)
    inside = f"{API_PREFIX}/projects/{ids.of('project', project)}"
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


async def event_named(tx: Read, actor: Actor, text: str) -> ids.Key:
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


async def list_event_evidence(tx: Read, project: int, event: int, request: ListRequest) -> Page[Evidence]:
    """The evidence of one event."""
    of_event = SQL("v.project_id = {} AND v.event_id = {}").format(Literal(project), Literal(event))
    return await _page(tx, request, of_event)


async def list_batch_evidence(tx: Read, actor: Actor, batch: str, request: ListRequest) -> Page[Evidence]:
    """The evidence of every event that a batch was made of."""
    key = await _batch_named(tx, actor, batch)
    behind_batch = SQL(
        """
        v.project_id = {project} AND v.event_id IN (
            SELECT unnest(event_ids) FROM batch_inputs WHERE project_id = {project} AND batch_id = {batch})
        """
    ).format(project=Literal(key.project), batch=Literal(key.key))
    return await _page(tx, request, behind_batch)


async def get_evidence(tx: Read, project: int, event: int, text: str) -> Evidence:
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


async def _batch_named(tx: Read, actor: Actor, text: str) -> ids.Key:
    key = plain_key_named("batch", text)
    of_account = SQL("{} AND deleted_at IS NULL").format(of_key(actor, "project_id", "id"))
    await need(tx, "batches", of_account, (key.project, key.key))
    return key


def _number(text: str) -> int:
    try:
        return read_int4(text)
    except ValueError:
        raise NotFound from None
