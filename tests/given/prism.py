"""Prism, a mock that holds requests and answers against an OpenAPI document: a tool of others.

`make test` installs it into `.venv/foreign`; ISOMETRIC_OPENAPI names the document that Isometric publishes.
A test that needs both is left out where either is missing, with a sentence that says so.
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

PROGRAM: Final = Path(__file__).parents[2] / ".venv/foreign/node_modules/.bin/prism"
DOCUMENT: Final = os.environ.get("ISOMETRIC_OPENAPI", "")
MISSING: Final = (
    "Prism is not installed (npm), so requests are not held against Isometric's document"
    if not PROGRAM.exists()
    else "ISOMETRIC_OPENAPI names no document of Isometric, so requests are not held against it"
    if not Path(DOCUMENT).is_file()
    else ""
)
"""Why a test is left out; empty where it is not."""

SECONDS_MAX: Final = 60


@contextmanager
def proxy(upstream: str, log: Path) -> Iterator[str]:
    """Prism before another address: what the document does not allow is refused, on both ways."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(PROGRAM), "proxy", "--errors", "-h", "127.0.0.1", "-p", str(port), DOCUMENT, upstream]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            deadline = time.monotonic() + SECONDS_MAX
            while b"is listening" not in log.read_bytes():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(SECONDS_MAX)
