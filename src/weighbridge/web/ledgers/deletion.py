"""Delete batches: what would come of it is shown first, with what stands in the way; then why.

The page carries the deletion out, looks at it and undoes it. Only its form asks for the deletion.
"""

from collections.abc import Sequence
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batches.records import Batch
from weighbridge.accounting.batches.routes import create_batch_deletion, get_batch
from weighbridge.accounting.ledgers.routes import get_ledger
from weighbridge.accounting.posting.deletion_trial import DeletionTrial, try_deletion
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid
from weighbridge.web.ledgers.batch import PATH
from weighbridge.web.page import form, page
from weighbridge.web.records.plain import own_project
from weighbridge.web.visit import Moved, View, Visit, view

REASON_NEEDED: Final = "Say why; it stands in the audit log as long as the books do."


@page(f"{PATH}/delete", permission="production_accounting:write", computes=True, tries=True)
async def deletion(visit: Visit) -> View | Moved:
    """What deleting a batch would change, tried and undone."""
    return await _shown(visit, tries=True)


async def deletion_again(visit: Visit) -> View | Moved:
    """The same form once it was refused; without a trial, for its transaction only reads."""
    return await _shown(visit, tries=False)


@form(f"{PATH}/delete", permission="production_accounting:write", again=deletion_again)
async def delete_batches(visit: Visit) -> Moved:
    """Ask for the deletion of the batch, and of those that were named with it."""
    found: Batch = await visit.ask(get_batch)
    reason = visit.text("reason")
    if not reason:
        raise Invalid([Problem(REASON_NEEDED, "reason", "required")])
    body = {"batch_ids": _named(found, visit.texts("with")), "reason": reason}
    task = await visit.do(create_batch_deletion, body, ledger_id=found.ledger_id)
    return Moved(f"{visit.frame.home}/async_tasks/{task.id}", "The deletion is on its way.")


async def _shown(visit: Visit, *, tries: bool) -> View | Moved:
    found: Batch = await visit.ask(get_batch)
    if elsewhere := own_project(visit, found):
        return Moved(elsewhere)
    ledger = await visit.ask(get_ledger, ledger_id=found.ledger_id)
    together = visit.texts("with") or tuple(value for name, value in visit.query if name == "with")
    named = _named(found, together)
    trial, problems = await _tried(visit, found, named) if tries else (None, list(visit.problems))
    home = visit.frame.home
    also = [one for problem in problems for one in problem.records if one.startswith("bat_")]
    return view(
        "ledgers/deletion.html", "Delete", call=f"/batches/{found.id}", method="DELETE",
        crumbs=(
            ("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}"),
            (found.tracking_id, f"{home}/batches/{found.id}"),
        ),
        batch=found, named=named, trial=trial, problems=problems, ids=ids, tried=tries,
        project=project_number(visit.path["project_id"]), path=f"{home}/batches/{found.id}",
        also=[one for one in dict.fromkeys(also) if one not in named],
    )  # fmt: skip


async def _tried(
    visit: Visit, found: Batch, named: Sequence[str]
) -> tuple[DeletionTrial | None, list[Problem]]:
    """What the deletion would come to; or what stands in its way."""
    try:
        task = await visit.do(create_batch_deletion, {"batch_ids": [*named]}, ledger_id=found.ledger_id)
    except (Invalid, Conflict) as refusal:
        return None, list(refusal.problems)
    numbers = [key.key for one in named if (key := ids.parse("batch", one)) is not None]
    project = project_number(visit.path["project_id"])
    return await try_deletion(visit.tx, project, numbers, task.id), []


def _named(found: Batch, together: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([found.id, *together]))


PAGES: Final[list[HTTPRouteHandler]] = [*deletion, *delete_batches]
