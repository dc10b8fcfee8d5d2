"""Print every change once and in order; where it is stands in a file, so a stop loses and repeats nothing."""

import sys
from collections.abc import Iterator
from pathlib import Path

from weighbridge.client import Client
from weighbridge.client.made.records import FeedChange


def main(client: Client, file: str) -> Iterator[FeedChange]:
    """Each change, without end. What a caller has done with one is kept when it asks for the next."""
    position = Path(file)
    for change in client.follow(after=position.read_text() if position.exists() else None):
        yield change
        fresh = position.with_suffix(".new")
        fresh.write_text(change.cursor)
        fresh.replace(position)


if __name__ == "__main__":
    with Client() as weighbridge:
        for change in main(weighbridge, sys.argv[1]):
            print(change)
