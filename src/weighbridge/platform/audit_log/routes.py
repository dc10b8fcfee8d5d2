"""Paths of the audit log."""

from tempfile import SpooledTemporaryFile

from weighbridge.db.listing import Page, list_request
from weighbridge.errors import Invalid
from weighbridge.http.attachment import Attachment, Spool
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.audit_log import queries
from weighbridge.platform.audit_log.records import AuditKey, AuditRow

_READ = "administration:read"
_TEXT = "text/plain"


@get("/audit_log", permission=_READ, returns=Page[AuditRow], listing=queries.AUDIT_LOG)
async def list_audit_log(call: ReadCall) -> Page[AuditRow]:
    """List every write to the account's records, newest first, with its place in the sealed log."""
    return await queries.list_audit_log(call.tx, call.actor, list_request(call.query, queries.AUDIT_LOG))


@get("/audit_log/key", permission=_READ, returns=AuditKey)
async def get_audit_key(call: ReadCall) -> AuditKey:
    """Read the public key by which heads of the account's log are verified.

    Whoever checks a head takes the key from somebody they trust, not from whoever shows them the head.
    """
    return await queries.get_audit_key(call.tx, call.actor, call.settings)


@get("/audit_log/head", permission=_READ, sends=(_TEXT,))
async def get_audit_head(call: ReadCall) -> Attachment:
    """Download the head of the account's log: how many rows are sealed and the root of their tree, signed.

    The file is a checkpoint (C2SP tlog-checkpoint). Whoever keeps it can tell later whether any of those rows
    was changed, removed or put elsewhere.
    """
    return _file("audit_log.checkpoint", await queries.get_audit_head(call.tx, call.actor, call.settings))


@get(
    "/audit_log/proof",
    permission=_READ,
    sends=(_TEXT,),
    refuses=(Invalid,),
    query={
        "number": "The number of the row, from 1.",
        "size": "How many rows the head has under which the row is proved to be.",
    },
)
async def get_audit_proof(call: ReadCall) -> Attachment:
    """Download the proof that a row is under a head, with that head (C2SP tlog-proof)."""
    text = await queries.get_audit_proof(call.tx, call.actor, call.settings, call.query)
    return _file("audit_log.tlog-proof", text)


@get(
    "/audit_log/consistency",
    permission=_READ,
    sends=(_TEXT,),
    refuses=(Invalid,),
    query={
        "from": "How many rows the older head has.",
        "to": "How many rows the newer head has.",
    },
)
async def get_audit_consistency(call: ReadCall) -> Attachment:
    """Download the proof that a head extends an older one, with the newer head (as C2SP tlog-witness has it).

    Every row of the older head is in the newer one, unchanged and in its place.
    """
    text = await queries.get_audit_consistency(call.tx, call.actor, call.settings, call.query)
    return _file("audit_log.consistency", text)


def _file(name: str, text: str) -> Attachment:
    content = text.encode()

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(content) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(content)
        spool.seek(0)
        return spool

    return Attachment(name, f"{_TEXT}; charset=utf-8", len(content), read)


ROUTES = [list_audit_log, get_audit_key, get_audit_head, get_audit_proof, get_audit_consistency]
"""The slice's paths."""
