"""Tracing: a batch of carbon is followed down to its weighings, and meets figures that others published."""

from weighbridge.core.quantity.number import round_to
from weighbridge.demo import plant
from weighbridge.demo.chapters.reading import Chain
from weighbridge.demo.plant import JsonRecord
from weighbridge.demo.show import Compared
from weighbridge.demo.story import Story, called, require, value_of


def trace(story: Story, chain: Chain) -> None:
    """Show the lineage of one batch, and of the batches that it draws from."""
    batch = chain[plant.REMOVAL][plant.EXAMPLE]
    story.screen.step(
        f"Trace the net removal of {plant.EXAMPLE} to the lorries of feedstock",
        called("GET", f"/batches/{batch['id']}/lineage, and that of each batch it draws from"),
    )
    lineages: dict[str, JsonRecord] = {}
    _follow(story, batch["id"], lineages)
    ledgers = {one["ledger_id"]: link.ledger for link, batches in chain.items() for one in batches.values()}
    story.screen.lineage(batch["id"], lineages, ledgers)


def _follow(story: Story, batch: str, lineages: dict[str, JsonRecord]) -> None:
    if batch in lineages:
        return
    lineages[batch] = story.lineage(batch)
    for node in lineages[batch]["nodes"]:
        for draw in node["draws"]:
            _follow(story, draw["batch_id"], lineages)


def compare(story: Story, chain: Chain) -> None:
    """Set what came out beside what others have published, digit by digit."""
    story.screen.step("Compare with figures that others have published")
    rows = []
    for figure in plant.PUBLISHED:
        lineage = story.lineage(chain[figure.link][figure.slot]["id"])
        computed = round_to(value_of(lineage, figure.node), figure.places)
        rows.append(Compared(figure.what, computed, figure.published))
        require(computed == figure.value, f"{figure.what} came to {computed}, and should be {figure.value}.")
    story.screen.compared(rows)
