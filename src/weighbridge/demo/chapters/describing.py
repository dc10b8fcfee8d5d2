"""Describing: the plant and its measurements come into the service, with a model and a ledger a stage."""

from contextlib import ExitStack

from weighbridge.demo import measurements, plant
from weighbridge.demo.plant import ChainLedger, JsonRecord
from weighbridge.demo.serving import weighbridge
from weighbridge.demo.story import Plant, Story, called


def describe(story: Story) -> Plant:
    """Describe the plant, store its measurements, and open the chain of ledgers."""
    project, feedstock_ids = _create(story)
    path = f"/projects/{project['id']}"
    story.screen.step("Store three months of measurements", called("POST", f"{path}/events"))
    events = measurements.events(feedstock_ids)
    stored = story.client.post(f"{path}/events", {"events": events})["info"]["items"]
    story.client.post(f"{path}/outages", {"outage": plant.OUTAGE})
    values = sum(len(event["data_points"]) for event in events)
    story.screen.say(f"{stored:,} events with {values:,} values in one request, and an outage of the kiln")
    _check_models(story)
    return Plant(project, feedstock_ids, _open_ledgers(story, project))


def _create(story: Story) -> tuple[JsonRecord, dict[str, str]]:
    story.screen.step(
        "Describe the plant",
        called("POST", "/projects"),
        called("POST", f"/projects/…/event_types, {len(plant.EVENT_TYPES)} times"),
        called("POST", f"/projects/…/feedstocks, {len(plant.FEEDSTOCKS)} times"),
    )
    project: JsonRecord = story.client.post("/projects", {"project": plant.PROJECT})
    path = f"/projects/{project['id']}"
    types = [story.client.post(f"{path}/event_types", {"event_type": one}) for one in plant.EVENT_TYPES]
    feedstock_ids = {
        name: story.client.post(f"{path}/feedstocks", {"feedstock": {"name": name}})["id"]
        for name in plant.FEEDSTOCKS
    }
    story.screen.say(f"{project['name']} ({project['id']}) in {project['time_zone']}")
    story.screen.say(f"events: {', '.join(one['slug'] for one in types)}")
    story.screen.say(f"feedstocks: {', '.join(feedstock_ids)}")
    return project, feedstock_ids


def _check_models(story: Story) -> None:
    """Have the documents of the chain checked as their writer would, without the service."""
    with ExitStack() as used:
        files = [str(used.enter_context(plant.model_file(link))) for link in plant.CHAIN]
        story.screen.step(
            "Check the models, YAML documents with their own test cases",
            *(f"weighbridge model check {file}" for file in files),
        )
        for link, file in zip(plant.CHAIN, files, strict=True):
            *_, summary = weighbridge("model", "check", file).splitlines()
            story.screen.say(f"{link.ledger}: {summary}")


def _open_ledgers(story: Story, project: JsonRecord) -> dict[ChainLedger, JsonRecord]:
    story.screen.step(
        "Save the models, and open the ledger that each credits",
        called("POST", f"/models, {len(plant.CHAIN)} times"),
        called("POST", f"/projects/…/ledgers, {len(plant.CHAIN)} times"),
    )
    return {link: _open(story, project, link) for link in plant.CHAIN}


def _open(story: Story, project: JsonRecord, link: ChainLedger) -> JsonRecord:
    with plant.model_file(link) as file:
        document = file.read_text(encoding="utf-8")
    model = story.client.post("/models", {"model": {"project_id": project["id"], "yaml": document}})
    settings = {"name": link.ledger, "unit": link.unit, "model_id": model["id"]}
    ledger: JsonRecord = story.client.post(f"/projects/{project['id']}/ledgers", {"ledger": settings})
    story.screen.say(
        f"{ledger['name']} in {ledger['unit']}, {model['cadence']} by {model['partition_type']};"
        f" its model has the SHA-256 {model['sha256'][:12]}…, which every batch keeps"
    )
    return ledger
