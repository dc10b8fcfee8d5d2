"""Send the rows of a log that the service does not have yet: to be run every night.

Each row has a `client_reference` of its own, made of the file's name and the row's time, so running it again,
or after a crash in the middle, stores nothing twice.
"""

import csv
import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from weighbridge.client import Client
from weighbridge.client.ingest import event_of

BATCH = 2_000


def main(client: Client, project: str, event_type: str, location: str, file: str) -> int:
    """Send what is new in the file; give how many rows that were."""
    newest = next(iter(client.events.list(project, slug=event_type, sort="-start_time", page_size=1)), None)
    [kind] = client.event_types.list(project, slug=event_type)
    numbers = {point.slug for point in kind.data_point_types if point.value_type == "number"}
    stored = 0
    rows = _rows(Path(file), numbers, newest.start_time.isoformat() if newest else "")
    while batch := list(islice(rows, BATCH)):
        events = [event_of(row, event_type, [location]) for row in batch]
        stored += sum(1 for _ in client.store(project, events))
    return stored


def _rows(path: Path, numbers: set[str], after: str) -> Iterator[dict[str, Any]]:
    """The rows behind a time, numbers with every digit, times in one form, so that they can be compared."""
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            time = row["start_time"].replace("Z", "+00:00")
            if time > after:
                values = {name: Decimal(row[name]) for name in numbers & row.keys() if row[name]}
                yield {**row, **values, "client_reference": f"{path.name}/{time}"}


if __name__ == "__main__":
    with Client() as weighbridge:
        print(f"{main(weighbridge, *sys.argv[1:]):,} rows stored")
