"""Where a new file of the agent comes from: a file, the newest one of a folder, or an address.

Nothing is fetched that the operator did not name, and whatever comes is judged by its signature alone.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from weighbridge.agent.single_file.manifest import (
    AGENT_FILE_BYTES_MAX,
    PROGRAM,
    VERSION,
    read_bytes,
)
from weighbridge.agent.single_file.signing import SIGNATURE_BYTES_MAX, SIGNATURE_ENDING, read_signature
from weighbridge.errors import Refusal

ADDRESS: Final = re.compile(r"https?://")
FETCH_SECONDS: Final = 60.0
"""How long a server may be silent."""

FILE_ENDING: Final = ".pyz"


@dataclass(frozen=True, slots=True)
class SignedFile:
    """A file that is not trusted yet, with the signature that came with it."""

    place: str
    content: bytes
    signature: str


def read_source(source: str, platform: str) -> SignedFile:
    """The file that a source names, for a platform where it is a folder. Refusal where there is none."""
    if ADDRESS.match(source):
        content = _fetch(source, AGENT_FILE_BYTES_MAX)
        signature = _fetch(source + SIGNATURE_ENDING, SIGNATURE_BYTES_MAX)
        return SignedFile(source, content, signature.decode("ascii", errors="replace"))
    path = Path(source)
    if path.is_dir():
        path = find_newest(path, platform)
    signature_text = read_signature(path)
    return SignedFile(str(path), read_bytes(path, AGENT_FILE_BYTES_MAX, "The file"), signature_text)


def find_newest(folder: Path, platform: str) -> Path:
    """The newest file for a platform in a folder, by the names of the files."""
    pattern = re.compile(rf"{PROGRAM}-({VERSION.pattern})-{re.escape(platform)}{re.escape(FILE_ENDING)}")
    found = [(match, path) for path in folder.iterdir() if (match := pattern.fullmatch(path.name))]
    if not found:
        raise Refusal(f"{folder} has no file {PROGRAM}-VERSION-{platform}{FILE_ENDING}.")
    return max(found, key=lambda one: tuple(map(int, one[0].groups()[1:])))[1]


def _fetch(address: str, bytes_max: int) -> bytes:
    """What a server has at an address; redirections are not followed."""
    content = bytearray()
    try:
        with httpx2.stream("GET", address, timeout=FETCH_SECONDS) as response:
            if response.status_code != httpx2.codes.OK:
                raise Refusal(f"{address} cannot be fetched: the server answers {response.status_code}.")
            for part in response.iter_bytes():
                content += part
                if len(content) > bytes_max:
                    raise Refusal(f"{address} must have at most {bytes_max:,} bytes, but has more.")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Refusal(f"{address} cannot be fetched: {error or type(error).__name__}.") from None
    return bytes(content)
