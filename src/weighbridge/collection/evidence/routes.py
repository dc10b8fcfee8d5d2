"""Paths of evidence."""

from functools import partial

from weighbridge.collection.evidence import actions, queries
from weighbridge.collection.evidence.records import Evidence, NewEvidenceBody, StoredFile
from weighbridge.collection.evidence_files.keeping import NAME_PART, TYPE_PARTS, keep
from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.collection.evidence import EVIDENCE_BYTES_MAX
from weighbridge.core.collection.file_type import ALLOWED, BY_MEDIA_TYPE
from weighbridge.db.listing import Page, list_request
from weighbridge.http.arrival.upload import Form
from weighbridge.http.attachment import Attachment
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post

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
    return await actions.create_evidence(call.tx, call.actor, call.path["event_id"], new)


@get(_OF_EVENT, permission=_READ, returns=Page[Evidence], listing=queries.EVIDENCE)
async def list_event_evidence(call: ReadCall) -> Page[Evidence]:
    """List the evidence of one event."""
    project, event = await _event(call)
    return await queries.list_event_evidence(
        call.tx, project, event, list_request(call.query, queries.EVIDENCE)
    )


@get(_ONE, permission=_READ, returns=Evidence)
async def get_evidence(call: ReadCall) -> Evidence:
    """Read one piece of evidence."""
    project, event = await _event(call)
    return await queries.get_evidence(call.tx, project, event, call.path["evidence_id"])


@get(_ONE + "/file", permission=_READ, sends=tuple(BY_MEDIA_TYPE))
async def download_evidence(call: ReadCall) -> Attachment:
    """Download a file of evidence.

    The very bytes that were attached: when their SHA-256 is no longer that of the record, the answer is
    500 and says so. The answer is always an attachment, never a page.
    """
    project, event = await _event(call)
    file = await queries.get_file(call.tx, project, event, call.path["evidence_id"])
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
    listing=queries.EVIDENCE,
)
async def list_batch_evidence(call: ReadCall) -> Page[Evidence]:
    """List the evidence of every event that a batch was made of."""
    return await queries.list_batch_evidence(
        call.tx, call.actor, call.path["batch_id"], list_request(call.query, queries.EVIDENCE)
    )


async def _event(call: ReadCall) -> tuple[int, int]:
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return project, await queries.event_of_project(call.tx, call.actor, project, call.path["event_id"])


ROUTES = [create_evidence, list_event_evidence, get_evidence, download_evidence, list_batch_evidence]
