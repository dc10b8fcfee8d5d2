"""Paths of statements."""

from weighbridge.accounting.statements import queries
from weighbridge.accounting.statements.records import Statement
from weighbridge.http.endpoint import ReadCall, get


@get(
    "/ledgers/{ledger_id}/statement",
    permission="production_accounting:read",
    returns=Statement,
    query={
        "start_time": "The moment at which the period begins: what counts for it is in the period before.",
        "end_time": "The moment at which it ends: what counts for it is in the period.",
    },
    moments={"as_of": "By what had been posted at this time; without it, by now."},
)
async def get_statement(call: ReadCall) -> Statement:
    """Read what each partition of a ledger had, produced and gave in a period."""
    return await queries.get_statement(call.tx, call.actor, call.path["ledger_id"], call.query)


ROUTES = [get_statement]
