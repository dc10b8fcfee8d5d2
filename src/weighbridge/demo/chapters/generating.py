"""Generating: each ledger of the chain is previewed and generated, from the source down."""

from weighbridge.demo.story import Plant, Story, called, require


def generate(story: Story, plant: Plant) -> None:
    """Make the batches of every ledger, as its preview says."""
    story.screen.step(
        "Preview and generate each ledger, from the source down",
        called("POST", "/ledgers/…/generate_preview"),
        called("POST", "/ledgers/…/batch_generations"),
        called("GET", "/async_tasks/…"),
    )
    for link, ledger in plant.ledgers.items():
        preview = story.preview(ledger)
        task = story.generate(ledger)
        created = task["result"]["created"]
        story.screen.say(
            f"{link.ledger}: the preview says {preview['count']} batches in {', '.join(preview['slots'])},"
            f" and data that none would use: {len(preview['not_counted'])};"
            f" task {task['id']} made {created} in one transaction"
        )
        require(created == preview["count"], "The generation made other batches than the preview said.")


def generate_again(story: Story, plant: Plant) -> None:
    """Make nothing, because nothing has changed."""
    story.screen.step(
        "Generate everything again: nothing has changed, so nothing is posted",
        called("POST", "/ledgers/…/batch_generations"),
    )
    for link, ledger in plant.ledgers.items():
        result = story.generate(ledger)["result"]
        story.screen.say(
            f"{link.ledger}: created {result['created']}, adjusted {result['adjusted']},"
            f" unchanged {result['unchanged']}"
        )
        require(not result["batches"], "A generation without new data posted something.")
