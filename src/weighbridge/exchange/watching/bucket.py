"""A prefix of an object store as a place: objects are there whole or not at all, so none has to rest."""

import asyncio
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from weighbridge.exchange.watching.place import (
    COPIED_BYTES,
    FILES_OF_LOOK_MAX,
    CopiedFile,
    PlaceError,
    check_size,
    is_ready_name,
)

RETRIES: Final = 2


class BucketPlace:
    """The objects directly below a prefix."""

    def __init__(self, place: str, store: ObjectStore) -> None:
        self._place, self._store = place, store

    async def waiting(self, _: datetime) -> list[str]:
        """The names of the objects."""
        try:
            listed = await self._store.list_with_delimiter_async()
        except (BaseError, OSError) as error:
            raise self._away(error) from None
        names = sorted(one["path"] for one in listed["objects"] if is_ready_name(one["path"]))
        return names[:FILES_OF_LOOK_MAX]

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy an object."""
        digest, size = hashlib.sha256(), 0
        try:
            stored = await self._store.get_async(name)
            check_size(name, stored.meta["size"])
            with target.open("wb") as file:
                async for chunk in stored.stream(min_chunk_size=COPIED_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
                    await asyncio.to_thread(file.write, chunk)
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise self._away(error) from None
        return CopiedFile(size, digest.digest())

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then copy the object and remove it."""
        try:
            for report, content in reports.items():
                content.seek(0)
                await self._store.put_async(report, content)
            with suppress(FileNotFoundError):
                if await self._sha256(name) == sha256:
                    await self._store.copy_async(name, target)
                    await self._store.delete_async(name)
        except (BaseError, OSError) as error:
            raise self._away(error) from None

    async def _sha256(self, name: str) -> bytes:
        digest = hashlib.sha256()
        stored = await self._store.get_async(name)
        async for chunk in stored.stream(min_chunk_size=COPIED_BYTES):
            digest.update(chunk)
        return digest.digest()

    def _away(self, error: Exception) -> PlaceError:
        return PlaceError(f"The place {self._place} cannot be used: {str(error).splitlines()[0]}")


def bucket_place(place: str) -> BucketPlace:
    """Open a place by its URL; who may read it is said by the environment, as for evidence files."""
    try:
        return BucketPlace(place, from_url(place, retry_config={"max_retries": RETRIES}))
    except (BaseError, ValueError) as error:
        raise PlaceError(f"The place {place} cannot be used: {str(error).splitlines()[0]}") from None
