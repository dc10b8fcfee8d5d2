"""The audit log: every write with what was before and after, under a signed head that strangers keep."""

from dataclasses import dataclass
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.proof.checkpoint import opened
from weighbridge.core.proof.signing import VerifierKey
from weighbridge.errors import Unavailable
from weighbridge.http.attachment import Attachment, AttachmentReply
from weighbridge.platform.audit_log.records import AuditKey
from weighbridge.platform.audit_log.routes import (
    get_audit_consistency,
    get_audit_head,
    get_audit_key,
    get_audit_proof,
    list_audit_log,
)
from weighbridge.web.listing import ListQuery, ListView, asked_for, without_blanks
from weighbridge.web.operations.tasks import home_of
from weighbridge.web.page import page
from weighbridge.web.records.shown import ShownField, shown_record
from weighbridge.web.visit import View, Visit, view

_PATH: Final = "/audit_log"
_READ: Final = "administration:read"


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The newest head of the account's log as its page shows it: what it says, and how it is checked."""

    size: int
    root: str
    """The root of the tree, as 64 hexadecimal digits."""
    signature: str
    """The line of the signature, as the file of the head has it."""
    text: str
    key: AuditKey


def asked_for_rows(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


async def audit(visit: Visit) -> View:
    """Every write of the account, the newest first, and the head that they are under."""
    found = await visit.ask(list_audit_log, asked_for_rows(visit))
    path = f"{home_of(visit)}{_PATH}"
    head = await _head(visit)
    return view(
        "operations/audit.html", "Audit",
        call=_PATH, has_csv=True, path=path, head=head,
        list=ListView(path, visit.query, found.info),
        rows=[(row, _fields(row.before), _fields(row.after)) for row in found.data],
    )  # fmt: skip


async def _head(visit: Visit) -> AuditHead | None:
    """The head, as its signature says it; None on a host that lacks the key, which signs nothing."""
    try:
        attachment: Attachment = await visit.ask(get_audit_head)
        key: AuditKey = await visit.ask(get_audit_key)
    except Unavailable:
        return None
    with await attachment.read() as spool:
        text = spool.read().decode()
    checkpoint = opened(text, VerifierKey.read(key.verifier_key))
    return AuditHead(checkpoint.size, checkpoint.root.hex(), text.rstrip("\n").rpartition("\n")[2], text, key)


def _fields(record: object) -> list[ShownField]:
    return shown_record(record) if isinstance(record, dict) else []


@page(f"{_PATH}/head", permission=_READ, everywhere=True)
async def head_file(visit: Visit) -> AttachmentReply:
    """The signed head, to be kept by somebody outside."""
    return _file(visit, await visit.ask(get_audit_head))


@page(f"{_PATH}/proof", permission=_READ, everywhere=True)
async def proof_file(visit: Visit) -> AttachmentReply:
    """The proof that a row is under a head."""
    return _file(visit, await visit.ask(get_audit_proof, without_blanks(visit.query)))


@page(f"{_PATH}/consistency", permission=_READ, everywhere=True)
async def consistency_file(visit: Visit) -> AttachmentReply:
    """The proof that the head extends one that was kept."""
    return _file(visit, await visit.ask(get_audit_consistency, without_blanks(visit.query)))


def _file(visit: Visit, attachment: Attachment) -> AttachmentReply:
    return attachment.reply(visit.request.app.state.downloads, visit.actor.account_id)


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(_PATH, permission=_READ, of=list_audit_log, asked=asked_for_rows, everywhere=True)(audit),
    *(*head_file, *proof_file, *consistency_file),
]
