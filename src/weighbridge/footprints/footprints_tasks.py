"""Follow reports with their footprints: a restated report has a new one, a withdrawn one none that is active.

Invariants: what was accepted in place of a report has a footprint of the same product before the old one is
deprecated, and names all that it takes the place of, also where reports were merged or split; where none can
be made, the old one is deprecated and says why.
"""

from typing import Final
from uuid import UUID

import msgspec

from weighbridge.core import identity
from weighbridge.core.footprint_content import list_nodes
from weighbridge.core.platform.permission import Actor
from weighbridge.core.report import ReportStatus
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Invalid
from weighbridge.footprints.footprint_products import read_footprint_product
from weighbridge.footprints.pact.making import (
    REPLACED,
    find_replaced,
    make_footprint,
    retire,
)
from weighbridge.footprints.pact.sources import read_report_source
from weighbridge.footprints.pact.stored import notify_partners

FOLLOWED_AT_ONCE: Final = 20
"""Footprints that one round looks after."""

WITHDRAWN: Final = "The report that it was made from was withdrawn."
NOTHING_MADE: Final = (
    "The report that it was made from was restated, and no footprint could be made: {reason}"
)


class _LeftBehind(msgspec.Struct, frozen=True):
    """An active footprint whose report does not stand any more, and the accepted reports in its place."""

    account: int
    user: int
    footprint: UUID
    product: int
    project: int
    report: int
    status: str
    successors: list[int]


async def follow_reports(database: Database, address: str) -> int:
    """Make footprints of reports that took the place of others, deprecate the old ones; gives how many."""
    async with database.read() as tx:
        found = await tx.rows(_LeftBehind, _FIND, (FOLLOWED_AT_ONCE,))
    for one in found:
        async with database.write() as tx:
            await _follow(tx, one, address)
    return len(found)


async def _follow(tx: Write, one: _LeftBehind, address: str) -> None:
    """Make what takes the place of one footprint, unless another worker has done that."""
    lock = """
        SELECT true FROM footprints WHERE account_id = %s AND id = %s AND status = 'Active' FOR UPDATE
    """
    if not await tx.value(lock, (one.account, one.footprint)):
        return
    report = identity.of("report", one.project, one.report)
    actor = Actor(one.account, one.user, None, frozenset({"production_accounting:write"}), f"follow_{report}")
    reason = WITHDRAWN
    if one.status != ReportStatus.WITHDRAWN:
        try:
            for successor in one.successors:
                made = await _restate(tx, actor, one, successor, address)
                reason = REPLACED.format(id=made)
        except Invalid as refusal:
            reason = NOTHING_MADE.format(reason=" ".join(problem.message for problem in refusal.problems))
    gone = await retire(tx, actor, [one.footprint], reason)
    await notify_partners(tx, one.account, address, gone)


async def _restate(tx: Write, actor: Actor, one: _LeftBehind, successor: int, address: str) -> UUID:
    """Have the footprint of a report that took the place of another's; gives which it is."""
    if (made := await _find_made(tx, one, successor)) is not None:
        return made
    product = await read_footprint_product(tx, actor, str(one.product))
    nodes = list_nodes((product.quantity, *product.amounts.values()))
    friendly = identity.of("report", one.project, successor)
    source = await read_report_source(tx, actor, friendly, nodes)
    # A part of a split follows the footprint of the whole, which the first part has deprecated already.
    replaced = {one.footprint, *await find_replaced(tx, actor, product, source)}
    return await make_footprint(tx, actor, product, source, address, replaces=[*replaced])


async def _find_made(tx: Read, one: _LeftBehind, successor: int) -> UUID | None:
    """The footprint of a report, if somebody has made it already."""
    found: UUID | None = await tx.value(
        """
        SELECT id FROM footprints
         WHERE account_id = %s AND product_id = %s AND project_id = %s AND report_id = %s
           AND status = 'Active' LIMIT 1
        """,
        (one.account, one.product, one.project, successor),
    )
    return found


_FIND: Final = """
    SELECT f.account_id, f.user_id, f.id, f.product_id, f.project_id, f.report_id, r.status, next.reports
      FROM footprints f
      JOIN reports r ON (r.project_id, r.id) = (f.project_id, f.report_id)
     CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(found.id ORDER BY found.id), '{}') AS reports FROM (
            SELECT later.id FROM reports later
             WHERE (later.project_id, later.chain_id) = (r.project_id, r.chain_id) AND later.id > r.id
               AND later.status = 'complete'
            UNION
            SELECT s.report_id FROM report_successions s
              JOIN reports n ON (n.project_id, n.id) = (s.project_id, s.report_id) AND n.status = 'complete'
             WHERE (s.project_id, s.predecessor_id) = (r.project_id, r.id)) AS found) AS next
     WHERE f.status = 'Active'
       AND (r.status = 'withdrawn' OR r.status = 'superseded' AND cardinality(next.reports) > 0)
     ORDER BY f.account_id, f.number LIMIT %s
"""
