"""Posting: everything that a proposal says is written to the books, in one transaction.

Invariant: what is posted is what was proposed, entry by entry; nothing is computed here.
"""

from weighbridge.accounting.books.slot_digests import keep_digests
from weighbridge.accounting.books.slot_inputs import forget_inputs, keep_inputs
from weighbridge.accounting.planning.plan import Plan
from weighbridge.accounting.planning.propose import Proposal
from weighbridge.accounting.posting.batches import insert_batches
from weighbridge.accounting.posting.entries import insert_entries
from weighbridge.accounting.posting.generated_slots import keep_seen
from weighbridge.accounting.posting.posted import GenerationContext, Posted
from weighbridge.db.engine import Write


async def post(tx: Write, proposal: Proposal, task_id: int, seen_until: object) -> list[Posted]:
    """Write the batches and entries of a proposal, and what stays with its slots; give the batches.

    `seen_until` is the moment up to which the transaction's snapshot shows all that was stored.
    """
    context = await _context(tx, proposal, task_id)
    credited = proposal.entries.credits
    posted = []
    for plan in proposal.plans:
        posted += await insert_batches(tx, context, plan, credited)
        await _keep_with_slots(tx, plan)
        await keep_seen(tx, plan.scope, seen_until)
    if posted:
        await insert_entries(tx, context.project, task_id, proposal.entries, posted)
    return posted


async def _context(tx: Write, proposal: Proposal, task_id: int) -> GenerationContext:
    project, family = proposal.scope.project, proposal.scope.family
    feedstocks = await tx.tuples("SELECT name, id FROM feedstocks WHERE project_id = %s", (project,))
    assets = await tx.tuples("SELECT name, id FROM assets WHERE project_id = %s", (project,))
    return GenerationContext(project, family, task_id, dict(feedstocks), dict(assets))


async def _keep_with_slots(tx: Write, plan: Plan) -> None:
    """Note what the slots were computed from, and what the request said of them."""
    scope = plan.scope
    ledgers = [ledger.number for ledger in scope.ledgers]
    await keep_digests(tx, scope.project, ledgers, plan.digests, scope.replaced)
    await forget_inputs(tx, scope.project, scope.family, scope.replaced)
    await keep_inputs(tx, scope.project, scope.family, scope.slots, scope.inputs)
