"""The receiver of a report: the registry that its submission names, or else its methodology.

Invariant: what was rendered for one receiver goes to no other.
"""

from typing import NamedTuple

from msgspec import UNSET

from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import AdapterName
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.records.submissions import WITHOUT_REGISTRY, ReportSubmission
from weighbridge.reporting.submission.file import read_submission
from weighbridge.reporting.submission.moves import MovingReport


class Receiver(NamedTuple):
    """Who hands a report on, and to which registry, by its number."""

    adapter: str
    registry: int | None


async def find_receiver(tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission) -> Receiver:
    """Who receives a report that is submitted; Invalid where the request names nobody or another one."""
    kept = await read_submission(tx, report.project, report.number)
    named = await _read_named_receiver(tx, actor, report, request)
    if kept is None:
        return named or Receiver(AdapterName.FILE, None)
    sent_to = Receiver(kept.adapter, kept.registry)
    is_named = request.adapter is not UNSET or request.registry_id is not UNSET
    if is_named and named != sent_to:
        who = f"registry {kept.registry}" if kept.registry else "people to fetch"
        message = f"The report was rendered for {who}, and goes on there."
        raise Invalid([Problem(message, "registry_id", "conflict")])
    return sent_to


async def read_usual_receiver(tx: Read, report: Report) -> Receiver:
    """Who receives a report unless its submission names somebody else."""
    rows = await tx.tuples(
        """
        SELECT r.adapter, r.id FROM methodologies m JOIN registries r ON r.id = m.registry_id WHERE m.id = %s
        """,
        (report.methodology_id,),
    )
    return Receiver(*rows[0]) if rows else Receiver(AdapterName.FILE, None)


async def _read_named_receiver(
    tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission
) -> Receiver | None:
    if request.adapter is not UNSET:
        if request.registry_id is not UNSET:
            message = "adapter and registry_id cannot be sent together. Send one of them."
            raise Invalid([Problem(message, "adapter", "conflict")])
        if request.adapter not in WITHOUT_REGISTRY:
            message = f"adapter must be {', '.join(WITHOUT_REGISTRY)}, but is {shorten(request.adapter)!r}."
            raise Invalid([Problem(message, "adapter", "invalid")])
        return Receiver(request.adapter, None)
    if request.registry_id is UNSET:
        number = await tx.value("SELECT registry_id FROM methodologies WHERE id = %s", (report.methodology,))
    else:
        number = request.registry_id
    if number is None:
        return None
    rows = await tx.tuples(
        "SELECT adapter, id FROM registries WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, number),
    )
    if not rows:
        message = f"registry_id: registry {number} does not exist in this account."
        raise Invalid([Problem(message, "registry_id", "unknown")])
    return Receiver(*rows[0])
