"""The story of the demonstration, chapter by chapter; each chapter shows one thing and checks it.

The plant is described and measured, its ledgers are generated and read, a batch is traced to its
weighings, and a late weighing follows the chain.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import TracebackType
from typing import Any, Final, Self

from weighbridge import client
from weighbridge.client.calls import Method, call
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.number import exact_total, round_to
from weighbridge.demo import plant
from weighbridge.demo import plant as measurements
from weighbridge.demo.plant import CHAIN, INVENTORY, LATE, RANGE, ChainLedger, JsonRecord, late_event
from weighbridge.demo.serving import weighbridge
from weighbridge.demo.show import AdjustedFigure, Compared, LedgerRow, Screen, number
from weighbridge.errors import Refusal

# The demo as a caller of the service: records as plain objects, as a reader of the interface sees them.


class Client:
    """The service at an address, with a token."""

    def __init__(self, address: str, token: str) -> None:
        self._client = client.Client(address, token=token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str) -> Any:
        """Read a record, or a list of them."""
        return self._send("GET", path, None)

    def post(self, path: str, body: Any) -> Any:
        """Write what the body says, and give the record that came of it."""
        return self._send("POST", path, body)

    def _send(self, method: Method, path: str, body: Any) -> Any:
        try:
            return self._client.carry(call(method, path, Any, body=body))
        except client.WeighbridgeError as error:
            raise Refusal(f"{method} {path} was answered {error}.") from error


# The story: what every chapter of the demonstration has at hand, and what it comes to know.
#
# Invariant: a chapter that finds something else than it must ends the demonstration with a sentence.


POLL_SECONDS: Final = 0.1
TASK_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Plant:
    """The plant as the service knows it: feedstocks are by name, ledgers from the source down."""

    project: JsonRecord
    feedstock_ids: dict[str, str]
    ledgers: dict[ChainLedger, JsonRecord]


@dataclass(frozen=True, slots=True)
class Story:
    """The screen that it is told on, and the service that it is about."""

    screen: Screen
    client: Client

    def preview(self, ledger: JsonRecord) -> JsonRecord:
        """What a generation would do on a ledger, which nothing may stand in the way of."""
        entries = self.client.post(f"/ledgers/{ledger['id']}/generate_preview", RANGE)["data"]
        entry: JsonRecord = next(one for one in entries if one["id"] == ledger["id"])
        require(not entry["problems"], " ".join(entry["problems"]))
        return entry

    def generate(self, ledger: JsonRecord) -> JsonRecord:
        """Generate the batches of a ledger; gives the finished task."""
        task: JsonRecord = self.client.post(f"/ledgers/{ledger['id']}/batch_generations", RANGE)
        deadline = time.monotonic() + TASK_SECONDS
        with self.screen.progress() as update:
            while task["state"] in {"pending", "running"}:
                require(time.monotonic() < deadline, f"The task was not done within {TASK_SECONDS} seconds.")
                time.sleep(POLL_SECONDS)
                task = self.client.get(f"/async_tasks/{task['id']}")
                update(task["progress"], task["progress_description"] or task["state"])
        require(task["state"] == "complete", f"The task failed: {task['error_message']}")
        return task

    def batches(self, ledger: JsonRecord) -> list[JsonRecord]:
        """The batches of a ledger, oldest slot first and then in the order they were made."""
        path = f"/ledgers/{ledger['id']}/batches?page_size=200&sort=start_time"
        batches: list[JsonRecord] = self.client.get(path)["data"]
        return batches

    def lineage(self, batch: str) -> JsonRecord:
        """How a batch came about."""
        lineage: JsonRecord = self.client.get(f"/batches/{batch}/lineage")
        return lineage


def called(method: str, path: str) -> str:
    """A request, as it is shown."""
    return f"{method} {API_PREFIX}{path}"


def value_of(lineage: JsonRecord, slug: str) -> Decimal:
    """The value of a node in a batch, or its one element."""
    node = next(node for node in lineage["nodes"] if node["slug"] == slug)
    if node["value"] is not None:
        return Decimal(node["value"])
    (only,) = node["elements"]
    return Decimal(only)


def require(holds: bool, sentence: str) -> None:  # noqa: FBT001 - reads as a sentence
    """End the demonstration with a sentence when something does not hold."""
    if not holds:
        raise Refusal(sentence)


# Describing: the plant comes into the service with a package, and its measurements follow.


def describe(story: Story) -> Plant:
    """Begin the plant with its package, which opens the chain of ledgers, and store its measurements."""
    _check_package(story)
    project = _create(story)
    ledgers = _install(story, project)
    path = f"/projects/{project['id']}"
    story.screen.step(
        "Store three months of measurements",
        called("POST", f"/projects/…/feedstocks, {len(plant.FEEDSTOCKS)} times"),
        called("POST", f"{path}/events"),
    )
    feedstock_ids = {
        name: story.client.post(f"{path}/feedstocks", {"feedstock": {"name": name}})["id"]
        for name in plant.FEEDSTOCKS
    }
    story.screen.say(f"feedstocks: {', '.join(feedstock_ids)}")
    events = measurements.events(feedstock_ids)
    stored = story.client.post(f"{path}/events", {"events": events})["info"]["items"]
    story.client.post(f"{path}/outages", {"outage": plant.OUTAGE})
    values = sum(len(event["data_points"]) for event in events)
    story.screen.say(f"{stored:,} events with {values:,} values in one request, and an outage of the kiln")
    return Plant(project, feedstock_ids, ledgers)


def _check_package(story: Story) -> None:
    """Have the package checked as its writer would, without the service."""
    folder = str(plant.PACKAGE_FOLDER)
    story.screen.step(
        "Check a methodology package: models as YAML documents with their own test cases",
        f"weighbridge package check {folder}",
    )
    for line in weighbridge("package", "check", folder).splitlines():
        story.screen.say(line)


def _create(story: Story) -> JsonRecord:
    story.screen.step("Describe the plant", called("POST", "/projects"))
    project: JsonRecord = story.client.post("/projects", {"project": plant.PROJECT})
    story.screen.say(f"{project['name']} ({project['id']}) in {project['time_zone']}")
    return project


def _install(story: Story, project: JsonRecord) -> dict[ChainLedger, JsonRecord]:
    """Install the package: its event types, its models, and the ledger that each of these credits."""
    path = f"/projects/{project['id']}"
    story.screen.step(
        "Begin with the package: its event types, models and ledgers are made in one request",
        called("POST", "/methodology_packages"),
        called("POST", "/projects/…/package_installations"),
    )
    taken = story.client.post("/methodology_packages", {"methodology_package": {"name": plant.PACKAGE}})
    body = {"package_installation": {"package_id": taken["id"]}}
    installed = story.client.post(f"{path}/package_installations", body)
    story.screen.say(f"{taken['title']} {taken['version']} with the SHA-256 {taken['sha256'][:12]}…")
    types = [part["key"] for part in installed["parts"] if part["kind"] == "event_type"]
    story.screen.say(f"events: {', '.join(types)}")
    made = {part["key"]: part["record_id"] for part in installed["parts"] if part["kind"] == "ledger"}
    return {link: _read_ledger(story, made[link.ledger]) for link in plant.CHAIN}


def _read_ledger(story: Story, friendly: str) -> JsonRecord:
    ledger: JsonRecord = story.client.get(f"/ledgers/{friendly}")
    model = story.client.get(f"/models/{ledger['latest_model']['id']}")
    story.screen.say(
        f"{ledger['name']} in {ledger['unit']}, {model['cadence']} by {model['partition_type']};"
        f" its model has the SHA-256 {model['sha256'][:12]}…, which every batch keeps"
    )
    return ledger


# Generating: each ledger of the chain is previewed and generated, from the source down.


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


# Reading: the batches of each ledger with what they credited, what was drawn of them and what is left.


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


# Tracing: a batch of carbon is followed down to its weighings, and meets figures that others published.


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


# Coming late: a weighing of January turns up when everything is booked, and the chain follows it down.
#
# What stands is not touched: an adjusting batch stands beside it, and what draws from it says that it is
# stale.


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
