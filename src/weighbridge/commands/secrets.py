"""`weighbridge secrets`: the keys by which secrets of others are encrypted, and how they are rotated.

Invariants: a command that was stopped is carried on by the same command; nothing prints a secret or a key.
"""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import App, Parameter

from weighbridge.commands.context import open_cells
from weighbridge.commands.options import ExistingDataDir, Json
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from weighbridge.core.platform.encryption import KeyRing
    from weighbridge.db.engine import Database, Read
    from weighbridge.platform.secret_keys import SecretKeys
    from weighbridge.settings import Settings

Result = TypeVar("Result")

LostOption = Annotated[
    bool,
    Parameter(
        name="--lost", negative=(),
        help="Nobody has the keys any more: new ones begin, and every secret has to be stated anew.",
    ),
]  # fmt: skip

secrets = App(name="secrets", help="Secrets of others, which are stored encrypted: their keys.")


@secrets.command
def keys(*, data_dir: ExistingDataDir = None, as_json: Json = False) -> None:
    """List the keys of secrets by their names, and how many secrets each has encrypted.

    Example: `weighbridge secrets keys`
    """
    from weighbridge.settings import read_with

    settings = read_with(data_dir=data_dir)
    ring = _read_keys(settings).load()
    with open_cells(data_dir) as urls:
        counted = _count(settings, [*urls.values()])
    others = sorted(name for name in counted if name is not None and name not in ring.ids)
    names = [*ring.ids, *others]
    if as_json:
        rows = [
            {"key": name.hex(), "secrets": counted.get(name, 0), "is_at_hand": name in ring.ids}
            for name in names
        ]
        sys.stdout.write(json.dumps({"keys": rows, "readable": counted.get(None, 0)}) + "\n")
        return
    for name in names:
        what = "encrypts" if name == ring.ids[0] else "opens" if name in ring.ids else "is not at hand"
        sys.stdout.write(f"{name.hex()}  {counted.get(name, 0):>6,} secrets  {what}\n")
    if readable := counted.get(None, 0):
        sys.stdout.write(f"{readable:,} secrets are not encrypted; start the service, or rotate.\n")


@secrets.command
def rotate(*, lost: LostOption = False, data_dir: ExistingDataDir = None) -> None:
    """Encrypt every secret by a new key, while the service works.

    Where a command unwraps the keys, put the new key before the others by its own tools first. Copy the file
    to the other hosts before and after: they open no secret by a key that they do not have.

    Example: `weighbridge secrets rotate`
    """
    from weighbridge.platform.kept_secrets import encrypt_all, list_unopened
    from weighbridge.platform.secret_keys import keys_file
    from weighbridge.settings import read_with

    settings = read_with(data_dir=data_dir)
    with open_cells(data_dir) as urls:
        places = [*urls.values()]
        ring = _begin_keys(settings) if lost else _next_keys(settings, places)
        encrypted = sum(_each(settings, places, lambda database: encrypt_all(database, ring)))
        unopened = [one for found in _each(settings, places, _in_reading(list_unopened)) for one in found]
        counted = _count(settings, places)
    sys.stdout.write(f"Encrypted anew by the key {ring.ids[0].hex()}: {encrypted:,}.\n")
    if idle := [name.hex() for name in ring.ids[1:] if not counted.get(name)]:
        sys.stdout.write(
            f"{', '.join(idle)} opens nothing any more: remove it from {keys_file(settings)} once every host"
            " has the new key and no backup is kept that needs it.\n"
        )
    if unopened:
        for one in unopened:
            sys.stdout.write(f"{one.reason}\n")
        sys.stdout.write("These have to be stated anew, or their key restored.\n")
        sys.exit(1)


def _read_keys(settings: "Settings") -> "SecretKeys":
    from weighbridge.platform.secret_keys import SecretKeys

    return SecretKeys.of(settings)


def _next_keys(settings: "Settings", urls: "Sequence[str]") -> "KeyRing":
    """The keys by which all is to be encrypted: new ones, unless an earlier rotation has not ended."""
    from weighbridge.platform.secret_keys import keys_file, with_new_key, write_ring

    ring = _read_keys(settings).load()
    counted = _count(settings, urls)
    is_under_way = any(
        count for name, count in counted.items() if name != ring.ids[0] and name in {None, *ring.ids}
    )
    if is_under_way:
        return ring
    if settings.secret_keys_command is not None:
        raise Refusal(
            "Every secret is encrypted by the first key already. The file is for"
            " WEIGHBRIDGE_SECRET_KEYS_COMMAND alone: put a new line of 32 random bytes in base64 before the"
            " others, wrap it, and rotate again."
        )
    return write_ring(keys_file(settings), with_new_key(ring))


def _begin_keys(settings: "Settings") -> "KeyRing":
    from weighbridge.core.platform.encryption import KeyRing
    from weighbridge.platform.secret_keys import keys_file, with_new_key, write_ring

    file = keys_file(settings)
    if file.exists() or settings.secret_keys_command is not None:
        raise Refusal(f"{file} has keys, so they are not lost; rotate without --lost.")
    return write_ring(file, with_new_key(KeyRing()), is_new=True)


def _in_reading(
    read: "Callable[[Read], Awaitable[Result]]",
) -> "Callable[[Database], Awaitable[Result]]":
    async def work(database: "Database") -> "Result":
        async with database.read() as tx:
            return await read(tx)

    return work


def _count(settings: "Settings", urls: "Sequence[str]") -> "dict[bytes | None, int]":
    """How many secrets of all cells each key has encrypted, by its name; those that are readable by None."""
    from weighbridge.platform.kept_secrets import count_by_key

    total: dict[bytes | None, int] = {}
    for counted in _each(settings, urls, _in_reading(count_by_key)):
        for name, count in counted.items():
            total[name] = total.get(name, 0) + count
    return total


def _each(
    settings: "Settings", urls: "Sequence[str]", work: "Callable[[Database], Awaitable[Result]]"
) -> "list[Result]":
    """What comes of some work in each cell."""
    from weighbridge.db.engine import Database

    async def run(url: str) -> "Result":
        async with Database(url, connections_max=1, encryption=_read_keys(settings)) as database:
            return await work(database)

    return [asyncio.run(run(url)) for url in urls]
