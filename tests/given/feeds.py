"""Data feeds, the files that are uploaded to them, and what became of those."""

import csv
import io
from typing import Any

from tests.given import collection as given
from tests.server import Account, Caller

Record = dict[str, Any]


class Feeding:
    """Someone with a project, of weighed deliveries or the one that is given, who uploads files to a feed."""

    def __init__(
        self, account: Account, api: Caller | None = None, on: Record | None = None, **fields: Any
    ) -> None:
        self.account = account
        self.api = api or account.caller()
        self.plant = on or given.measuring(
            self.api, given.number("mass"), given.text("driver"), given.boolean("is_dry"), **fields
        )
        self.path = f"/projects/{self.plant['id']}"
        [self.event_type] = self.api.get(f"{self.path}/event_types").data

    def feed(self, **fields: Any) -> Record:
        """A data feed of deliveries, which takes UTC for times without an offset."""
        body = {"name": "Scale", "event_type_id": self.event_type["id"], "time_zone": "UTC"} | fields
        made: Record = self.api.post(f"{self.path}/data_feeds", {"data_feed": body}).expect(201).body
        return made

    def uploads(self, feed: Record) -> str:
        return f"{self.path}/data_feeds/{feed['id']}/uploads"

    def upload(self, feed: Record, content: str | bytes, name: str = "log.csv", **texts: str) -> Record:
        """Upload a file, have its task carried out, and give what became of it."""
        whole = content.encode() if isinstance(content, str) else content
        made = self.api.upload(self.uploads(feed), name, whole, **texts).expect(202).body
        self.account.drain()
        return self.read(feed, made["id"])

    def read(self, feed: Record, number: int) -> Record:
        found: Record = self.api.get(f"{self.uploads(feed)}/{number}").expect(200).body
        return found

    def bad_rows(self, feed: Record, upload: Record) -> list[Record]:
        """The rows of the file of bad rows."""
        answer = self.api.get(f"{self.uploads(feed)}/{upload['id']}/bad_rows.csv").expect(200)
        return [*csv.DictReader(io.StringIO(answer.content.decode()))]

    def events(self) -> list[Record]:
        """All events of the project, the earliest first."""
        found: list[Record] = (
            self.api.get(f"{self.path}/events", {"page_size": "200", "sort": "start_time"}).expect(200).data
        )
        return found

    def values(self) -> list[tuple[Any, ...]]:
        """The starts of all events, each with its values by slug."""
        return [
            (event["start_time"], {point["slug"]: point["value"] for point in event["data_points"]})
            for event in self.events()
        ]
