"""What a link to a report opens of the audit log behind it: keys, heads and proofs, without a token.

A verifier of a report can so hold the log of its account against heads that they kept, and needs nobody for
it. Rows are in the report's bundle alone; proofs say nothing of rows but their hashes.

Invariants: a link opens the log of its own account only; each use is counted like every use of the link.
"""

from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.links import KEY, by_logged_link
from weighbridge.http.messages.operation import Attachment
from weighbridge.platform.audit_log import (
    OF_CONSISTENCY,
    OF_COSIGNED_HEAD,
    OF_PROOF,
    TEXT,
    attach,
    read_audit_consistency,
    read_audit_head,
    read_audit_key,
    read_audit_keys,
    read_audit_proof,
    read_cosigned_head,
)
from weighbridge.platform.records import AuditKey, AuditKeys
from weighbridge.reporting.report_links import KEY_MEANING, ReportEntry, report_entry

_LOG = "/reports/{report_id}/by_link/audit_log"
_QUERY = {KEY: KEY_MEANING}


@by_logged_link(_LOG + "/key", enter=report_entry, query=_QUERY, returns=AuditKey)
async def get_audit_key_by_link(tx: Read, entry: ReportEntry) -> AuditKey:
    """Read the public key of the audit log behind a report, by a link to the report.

    A verifier compares it with the key that they have from somebody they trust.
    """
    return await read_audit_key(tx, entry.account, entry.settings)


@by_logged_link(_LOG + "/keys", enter=report_entry, query=_QUERY, returns=AuditKeys)
async def get_audit_keys_by_link(tx: Read, entry: ReportEntry) -> AuditKeys:
    """Read the history of the keys of the audit log behind a report, by a link to the report."""
    return await read_audit_keys(tx, entry.account, entry.settings)


@by_logged_link(_LOG + "/head", enter=report_entry, query=_QUERY, sends=(TEXT,))
async def get_audit_head_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the newest head of the audit log behind a report, by a link to the report."""
    return attach("audit_log.checkpoint", await read_audit_head(tx, entry.account, entry.settings))


@by_logged_link(
    _LOG + "/cosigned_head",
    enter=report_entry,
    query=_QUERY | OF_COSIGNED_HEAD,
    sends=(TEXT,),
    refuses=(Invalid,),
)
async def get_cosigned_head_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the newest head that enough witnesses have cosigned, by a link to a report."""
    text = await read_cosigned_head(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.checkpoint", text)


@by_logged_link(
    _LOG + "/proof", enter=report_entry, query=_QUERY | OF_PROOF, sends=(TEXT,), refuses=(Invalid,)
)
async def get_audit_proof_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof that a row is under a head of the audit log, by a link to a report."""
    text = await read_audit_proof(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.tlog-proof", text)


@by_logged_link(
    _LOG + "/consistency",
    enter=report_entry,
    query=_QUERY | OF_CONSISTENCY,
    sends=(TEXT,),
    refuses=(Invalid,),
)
async def get_audit_consistency_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof that a head extends one that a verifier kept, by a link to a report."""
    text = await read_audit_consistency(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.consistency", text)


ROUTES = [
    get_audit_key_by_link,
    get_audit_keys_by_link,
    get_audit_head_by_link,
    get_cosigned_head_by_link,
    get_audit_proof_by_link,
    get_audit_consistency_by_link,
]
"""The paths."""
