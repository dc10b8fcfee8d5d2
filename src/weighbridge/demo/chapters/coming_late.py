"""Coming late: a weighing of January turns up when everything is booked, and the chain follows it down.

What stands is not touched: an adjusting batch stands beside it, and what draws from it says that it is stale.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from weighbridge.demo.figure import number
from weighbridge.demo.measurements import LATE, late_event
from weighbridge.demo.plant import CHAIN, INVENTORY, ChainLedger, JsonRecord
from weighbridge.demo.show import AdjustedFigure
from weighbridge.demo.story import Plant, Story, called, require, value_of


def come_late(story: Story, plant: Plant) -> None:
    """Store the late weighing, and generate the chain anew from the source down."""
    path = f"/projects/{plant.project['id']}/events"
    story.screen.step("A weighing of January turns up late", called("POST", path))
    stored = story.client.post(path, {"event": late_event(plant.feedstock_ids)})
    story.screen.say(
        f"{stored['id']}: {LATE.wet_mass} t of {LATE.feedstock.lower()} with {LATE.moisture} % moisture,"
        f" from {LATE.distance} km away"
    )
    _adjust(story, plant, INVENTORY)
    _name_stale(story, plant)
    for link in CHAIN[1:]:
        _adjust(story, plant, link)
    batches = [batch for ledger in plant.ledgers.values() for batch in story.batches(ledger)]
    require(
        not any(batch["is_stale"] for batch in batches),
        "A batch is stale although everything was generated again.",
    )
    story.screen.say("No batch is stale any more.")


def _adjust(story: Story, plant: Plant, link: ChainLedger) -> None:
    """Generate a ledger in which something changed, and show the adjusting batches."""
    ledger = plant.ledgers[link]
    story.screen.step(
        f"Generate {link.ledger} again: adjusting batches beside those that stand",
        called("POST", f"/ledgers/{ledger['id']}/generate_preview"),
        called("POST", f"/ledgers/{ledger['id']}/batch_generations"),
    )
    before = _balance(story, ledger)
    expected = story.preview(ledger)["adjustments"]
    story.screen.say(f"The preview says how many batches will adjust another: {expected}")
    result = story.generate(ledger)["result"]
    require(
        result["adjusted"] == expected > 0 and not result["created"],
        f"The generation of {link.ledger} did not adjust what its preview said.",
    )
    story.screen.adjusted([row for batch in result["batches"] for row in _rows(story, link, batch)])
    after = _balance(story, ledger)
    story.screen.say(f"The balance of {link.ledger} {_moves(before, after)} {number(after)} {link.unit}.")


def _rows(story: Story, link: ChainLedger, batch: str) -> Iterator[AdjustedFigure]:
    now = story.lineage(batch)
    then = story.lineage(now["batch"]["adjusts"])
    for slug in (link.credited, link.emitted):
        yield AdjustedFigure(
            batch=batch,
            name=now["batch"]["tracking_id"],
            figure=slug,
            before=value_of(then, slug),
            after=value_of(now, slug),
        )


def _balance(story: Story, ledger: JsonRecord) -> Decimal:
    return Decimal(story.client.get(f"/ledgers/{ledger['id']}")["balance"])


def _moves(before: Decimal, after: Decimal) -> str:
    if before == after:
        return "stays at"
    return f"{'rises' if before < after else 'falls'} from {number(before)} to"


def _name_stale(story: Story, plant: Plant) -> None:
    story.screen.step(
        "See what no longer stands on the data as they are", called("GET", "/ledgers/…/batches")
    )
    for link, ledger in plant.ledgers.items():
        story.screen.say(f"{link.ledger}: {_stale(story.batches(ledger))}")


def _stale(batches: Sequence[JsonRecord]) -> str:
    named = [
        f"{batch['tracking_id']} ({', '.join(_reasons(batch))})" for batch in batches if batch["is_stale"]
    ]
    return f"{len(named)} stale: {', '.join(named)}" if named else "none is stale"


def _reasons(batch: JsonRecord) -> list[str]:
    return list(dict.fromkeys(reason["reason"] for reason in batch["stale_reasons"]))
