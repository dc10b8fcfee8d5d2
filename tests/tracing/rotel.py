"""Rotel, a collector of OpenTelemetry of others, in a process of its own that writes down each span it takes.

`make packages` installs it into `.venv/foreign/collector`. A test that needs it is left out without it.
"""

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[2] / ".venv/foreign/collector"
PROGRAM: Final = next(FOLDER.glob("lib/python*/site-packages/rotel/rotel-agent"), None)
MISSING: Final = (
    "Rotel is not installed (`make packages`, with a package index, for Python 3.11 to 3.13), so no "
    "collector of others takes the traces"
)
_SPAN: Final = re.compile(r"^Span #\d+$", re.MULTILINE)
_FIELD: Final = re.compile(r"^    (Trace ID|Parent ID|ID|Name) +: (.*)$", re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^     -> ([\w.]+): \w+\((.*)\)$", re.MULTILINE)
_LINK: Final = re.compile(r"^SpanLink #\d+\n     -> Trace ID: \w+\n     -> ID: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Span:
    """One span as the collector writes it down."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, str]
    links: tuple[str, ...]


@dataclass(frozen=True)
class Rotel:
    """A collector that runs."""

    address: str
    log: Path

    def spans(self) -> list[Span]:
        """Every span that came so far."""
        return [_read(block) for block in _SPAN.split(self.log.read_text())[1:]]


def _read(block: str) -> Span:
    span, _, _ = block.partition("ResourceSpans #")
    field = dict(_FIELD.findall(span))
    return Span(
        field["Name"], field["Trace ID"], field["ID"], field["Parent ID"],
        dict(_ATTRIBUTE.findall(span)), tuple(_LINK.findall(span)),
    )  # fmt: skip


@contextmanager
def rotel(folder: Path) -> Iterator[Rotel]:
    """A collector for as long as the block lasts."""
    with socket.create_server(("127.0.0.1", 0)) as http, socket.create_server(("127.0.0.1", 0)) as grpc:
        addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in (http, grpc)]
    log = folder / "rotel.log"
    words = [
        PROGRAM, "start", "--exporter", "blackhole",
        "--debug-log", "traces", "--debug-log-verbosity", "detailed",
        "--otlp-http-endpoint", addresses[0], "--otlp-grpc-endpoint", addresses[1],
        "--pid-file", folder / "rotel.pid",
    ]  # fmt: skip
    with log.open("w") as said, subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT) as process:
        try:
            yield Rotel(f"http://{addresses[0]}", log)
        finally:
            process.terminate()
