"""Requests made up from the OpenAPI document, and every answer held against it.

The requests are of every kind that the document allows and of many that it does not; some follow a link from
one answer to the next, as from the start of a task to its end. No answer may be a mistake of the service, and
none may have a status, a content type or a body that the document does not name. A seed gives the same
requests again.
"""

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from cyclopts import App, Parameter

from weighbridge.contents import SLICES

CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
START_SECONDS: Final = 60

_NO_TOKEN: Final = 2_147_483_646
"""No token has this number: the requests are not to revoke the token that they are sent with."""

_FLAGS: Final = ("--continue-on-failure", "--no-shrink", "--no-color")
_PROGRAMS: Final = Path(sys.executable).parent

Phases = tuple[str, ...]
ALL_PHASES: Final[Phases] = ("examples", "coverage", "fuzzing", "stateful")

app = App(help=__doc__)


@app.default
def main(
    *,
    cases: Annotated[int, Parameter(help="How many requests to make up.")] = 10_000,
    seed: int | None = None,
) -> None:
    """Try a service of its own, on a database that is made for it."""
    chosen = secrets.randbelow(2**32) if seed is None else seed
    sys.stdout.write(f"seed {chosen}\n")
    with TemporaryDirectory(prefix="weighbridge-fuzz-") as folder, _served(folder) as (address, token):
        sys.exit(
            try_out(
                address, token, cases=cases, seed=chosen, phases=ALL_PHASES, folder=Path(folder)
            ).returncode
        )


def try_out(
    address: str, token: str, *, cases: int, seed: int, phases: Phases, folder: Path, capture: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Send about so many requests made up at random; the other phases send theirs beside them."""
    settings = folder / "schemathesis.toml"
    settings.write_text(f'[parameters]\n"path.token_id" = {_NO_TOKEN}\n')
    operations = sum(len(routes) for routes in SLICES)
    options = {
        "--header": f"Authorization: Bearer {token}",
        "--checks": ",".join(CHECKS),
        "--phases": ",".join(phases),
        "--max-examples": str(-(-cases // operations)),
        "--seed": str(seed),
        "--generation-database": "none",
        "--suppress-health-check": "all",
        "--warnings": "off",
    }
    program = [str(_PROGRAMS / "schemathesis"), "--config-file", str(settings)]
    command = [*program, "run", f"{address}/openapi.json", *_FLAGS]
    words = [word for option in options.items() for word in option]
    return subprocess.run([*command, *words], check=False, text=True, capture_output=capture, cwd=folder)


@contextmanager
def _served(folder: str) -> Iterator[tuple[str, str]]:
    """A service with all its processes on a fresh database, and a token that may do everything."""
    quiet = {"WEIGHBRIDGE_RATE_LIMIT_PER_MINUTE": "0", "WEIGHBRIDGE_LOG_LEVEL": "warning"}
    weighbridge = _PROGRAMS / "weighbridge"
    data_dir = str(Path(folder) / "data")
    with subprocess.Popen(
        [weighbridge, "serve", "--data-dir", data_dir, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | quiet,
    ) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            ready = re.match(r"ready (http://\S+)", line)
            if ready is None:
                raise SystemExit("The service did not start.")
            made = subprocess.run(
                [weighbridge, "token", "create", "--data-dir", data_dir, "--name", "fuzz", "--all"],
                check=True,
                capture_output=True,
                text=True,
            )
            yield ready[1], made.stdout.strip()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


if __name__ == "__main__":
    app()
