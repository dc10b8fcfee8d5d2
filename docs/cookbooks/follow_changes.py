"""Print every change once and in order; a file stores the position, so a stop loses and repeats nothing."""

import sys
from collections.abc import Iterator
from pathlib import Path

from weighbridge.client import Client
from weighbridge.client.made.records import FeedChange


def main(client: Client, file: str) -> Iterator[FeedChange]:
    """Yield each change, without end; store its position when the caller requests the next one."""
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
