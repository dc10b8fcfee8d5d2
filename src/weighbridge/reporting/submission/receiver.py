"""The receiver of a report: the registry that its submission names, or else its methodology.

Invariant: what was rendered for one receiver goes to no other.
"""

from typing import NamedTuple

from msgspec import UNSET

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.adapter import AdapterName
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.reports.records import WITHOUT_REGISTRY, ReportSubmission
from weighbridge.reporting.submission.kept import kept_submission
from weighbridge.reporting.taking.moves import MovingReport


class Receiver(NamedTuple):
    """Who hands a report on, and to which registry, by its number."""

    adapter: str
    registry: int | None


async def receiver_of(tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission) -> Receiver:
    """Who receives a report that is submitted; Invalid where the request names nobody or another one."""
    kept = await kept_submission(tx, report.project, report.number)
    named = await _named(tx, actor, report, request)
    if kept is None:
        return named or Receiver(AdapterName.FILE, None)
    sent_to = Receiver(kept.adapter, kept.registry)
    is_named = request.adapter is not UNSET or request.registry_id is not UNSET
    if is_named and named != sent_to:
        who = f"registry {kept.registry}" if kept.registry else "people to fetch"
        message = f"The report was rendered for {who}, and goes on there."
        raise Invalid([Problem(message, "registry_id", "conflict")])
    return sent_to


async def _named(tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission) -> Receiver | None:
    if request.adapter is not UNSET:
        if request.registry_id is not UNSET:
            message = "adapter and registry_id name two receivers; send one of them."
            raise Invalid([Problem(message, "adapter", "conflict")])
        if request.adapter not in WITHOUT_REGISTRY:
            message = f"adapter is {shorten(request.adapter)!r}; it is one of {', '.join(WITHOUT_REGISTRY)}."
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
        message = f"registry_id is {number}, which is no registry of the account."
        raise Invalid([Problem(message, "registry_id", "unknown")])
    return Receiver(*rows[0])
