"""A clone: the cluster of a running server once more, in a folder of its own, to try something on.

It lies on this machine only and is gone when the block ends; nothing of it is compressed or noted.
"""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weighbridge.backup.extraction import Progress, give_to
from weighbridge.backup.taking import streamed
from weighbridge.db.embedded import Server, attached
from weighbridge.db.embedded.files import make_folder
from weighbridge.db.embedded.location import find_location
from weighbridge.errors import Refusal


@contextmanager
def cloned(server: Server, folder: Path, report: Progress) -> Iterator[str]:
    """Start a server on a copy of another's cluster; gives the URL for its owner. Raises Refusal."""
    data_dir = folder / "data"
    make_folder(data_dir)
    location = find_location(data_dir)
    unfinished = location.home / "cluster-restoring"
    unfinished.mkdir(mode=0o700)
    report("copy", 0, 1)
    try:
        with streamed(server) as stream, tarfile.open(fileobj=stream, mode="r|") as files:
            files.extractall(unfinished, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise Refusal(f"The database cannot be copied to {folder}: {error}") from error
    report("copy", 1, 1)
    give_to(location, unfinished)
    unfinished.rename(location.cluster)
    with attached(data_dir) as clone:
        yield clone.url
