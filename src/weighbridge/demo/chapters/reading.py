"""Reading: the batches of each ledger with what they credited, what was drawn of them and what is left."""

from collections.abc import Mapping
from decimal import Decimal

from weighbridge.core.quantity.number import exact_total
from weighbridge.demo.figure import number
from weighbridge.demo.plant import ChainLedger, JsonRecord
from weighbridge.demo.show import LedgerRow
from weighbridge.demo.story import Plant, Story, called, require

Chain = Mapping[ChainLedger, Mapping[str, JsonRecord]]
"""The batches of each ledger, by the slot and partition that they are named for."""


def read(story: Story, plant: Plant) -> Chain:
    """Show every ledger, whose balance must be what its batches were credited less what was drawn of them."""
    story.screen.step("Read the ledgers", called("GET", "/ledgers/…/batches"), called("GET", "/ledgers/…"))
    return {link: _read(story, link, ledger) for link, ledger in plant.ledgers.items()}


def _read(story: Story, link: ChainLedger, ledger: JsonRecord) -> Mapping[str, JsonRecord]:
    batches = story.batches(ledger)
    rows = [_row(batch) for batch in batches]
    story.screen.ledger(f"{link.ledger}, {link.unit}", rows)
    balance = Decimal(story.client.get(f"/ledgers/{ledger['id']}")["balance"])
    left = exact_total([row.credited for row in rows] + [-row.drawn for row in rows])
    require(
        balance == left == exact_total(row.balance for row in rows),
        f"The balance of {link.ledger} is not what was credited less what was drawn.",
    )
    story.screen.say(f"The balance of {link.ledger} is {number(balance)} {link.unit}.")
    return {batch["tracking_id"]: batch for batch in batches}


def _row(batch: JsonRecord) -> LedgerRow:
    return LedgerRow(
        batch=batch["id"],
        name=batch["tracking_id"],
        credited=Decimal(batch["primary_output"]["value"]),
        drawn=exact_total(Decimal(one["amount"]) for one in batch["allocations"]),
        balance=Decimal(batch["ledger_balance"]),
    )
