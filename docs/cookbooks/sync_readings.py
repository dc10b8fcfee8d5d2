"""Send the rows of a log that the service does not have yet: to be run every night.

Each row has a `client_reference` of its own, made of the file's name and the row's time, so running it again,
or after a crash in the middle, stores nothing twice.
"""

import csv
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from weighbridge.client import Client
from weighbridge.client.flows import event_of

BATCH = 2_000


def main(client: Client, project: str, event_type: str, location: str, file: str) -> int:
    """Send what is new in the file; give how many rows that were."""
    [kind] = client.event_types.list(project, slug=event_type)
    numbers = {each.slug for each in kind.data_point_types if each.value_type == "number"}
    newest = next(iter(client.events.list(project, slug=event_type, sort="-start_time", page_size=1)), None)
    stored = 0
    rows = _rows(Path(file), numbers, newest.start_time if newest else None)
    while batch := list(islice(rows, BATCH)):
        events = [event_of(row, event_type, [location]) for row in batch]
        stored += sum(1 for _ in client.store(project, events))
    return stored


def _rows(path: Path, numbers: set[str], after: datetime | None) -> Iterator[dict[str, Any]]:
    """The rows behind a time, whatever their offsets; an empty cell is a value that is missing."""
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            time = datetime.fromisoformat(row["start_time"]).astimezone(UTC)
            if after is None or time > after:
                cells = {
                    name: Decimal(cell) if name in numbers else cell for name, cell in row.items() if cell
                }
                yield {**cells, "client_reference": f"{path.name}/{time.isoformat()}"}


if __name__ == "__main__":
    with Client() as weighbridge:
        print(f"{main(weighbridge, *sys.argv[1:]):,} rows stored")
