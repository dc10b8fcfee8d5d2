"""Paths of the audit log."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.audit_log import queries
from weighbridge.platform.audit_log.records import AuditRow


@get("/audit_log", permission="administration:read", returns=Page[AuditRow], listing=queries.AUDIT_LOG)
async def list_audit_log(call: ReadCall) -> Page[AuditRow]:
    """List every write to the account's records, newest first, with its place in the sealed chain."""
    return await queries.list_audit_log(call.tx, call.actor, list_request(call.query, queries.AUDIT_LOG))


ROUTES = [list_audit_log]
"""The slice's paths."""
