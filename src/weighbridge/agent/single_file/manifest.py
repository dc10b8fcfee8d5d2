"""What a file of the agent says of itself: its version, its machine, and whose signatures it trusts.

Invariant: what is said is true of the bytes that are in hand, for a file is read once and only then judged.
"""

import io
import os
import re
import struct
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Final

import msgspec

from weighbridge.agent.single_file.machine import MANIFEST, find_obstacle
from weighbridge.errors import Refusal

PROGRAM: Final = "weighbridge-agent"
AGENT_FILE_BYTES_MAX: Final = 100_000_000
"""A file of the agent; one has about 15 MB."""

MANIFEST_BYTES_MAX: Final = 4_000_000
"""What a file says of itself, most of it the digests of its parts."""

VERSION: Final = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


class AgentManifest(msgspec.Struct, frozen=True):
    """What a file of the agent says of itself."""

    program: str
    version: str
    platform: str
    machine: str
    glibc: str
    pythons: list[str]
    spool_version: int
    signers: str
    """Whose updates it takes, as a file of allowed signers says it."""

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers that can be compared."""
        found = VERSION.fullmatch(self.version)
        return tuple(map(int, found.groups())) if found else ()

    @property
    def text(self) -> str:
        """Which file it is."""
        return f"{self.program} {self.version} for {self.platform}"

    def find_obstacle(self) -> str | None:
        """Why this machine cannot run the file, in a sentence."""
        return find_obstacle(msgspec.to_builtins(self))


def read_bytes(path: Path, bytes_max: int, what: str) -> bytes:
    """Read a file that may come from anywhere. Raises Refusal for a large one, and what is no file."""
    try:
        # A pipe in its place would be waited for.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            content = file.read(bytes_max + 1)
    except OSError as error:
        raise Refusal(f"{what} {path} cannot be read: {error.strerror}.") from None
    if len(content) > bytes_max:
        raise Refusal(f"{what} {path} must have at most {bytes_max:,} bytes, but has more.")
    return content


def read_manifest(content: bytes, path: str) -> AgentManifest:
    """What a file says of itself. Raises Refusal where it is none of the agent's."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if archive.getinfo(MANIFEST).file_size > MANIFEST_BYTES_MAX:
                raise Refusal(f"{path} is not a file of the agent: its {MANIFEST} is too large.")
            manifest = msgspec.json.decode(archive.read(MANIFEST), type=AgentManifest)
    except (KeyError, OSError, ValueError, zipfile.BadZipFile, zlib.error, struct.error) as error:
        raise Refusal(f"{path} is not a file of the agent: {error}.") from None
    if manifest.program != PROGRAM or not manifest.number:
        raise Refusal(f"{path} is not a file of the agent: it is {manifest.program!r} {manifest.version!r}.")
    return manifest


def python_of_file() -> list[str]:
    """The command with which a file of the agent is started by this Python."""
    return [sys.executable, "-IS"]
