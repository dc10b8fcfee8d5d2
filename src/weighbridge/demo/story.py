"""The story: what every chapter of the demonstration has at hand, and what it comes to know.

Invariant: a chapter that finds something else than it must ends the demonstration with a sentence.
"""

import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.identity.link import API_PREFIX
from weighbridge.demo.client import Client
from weighbridge.demo.plant import RANGE, ChainLedger, JsonRecord
from weighbridge.demo.show import Screen
from weighbridge.errors import Refusal

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
