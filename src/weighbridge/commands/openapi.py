"""`weighbridge openapi`: the interface as an OpenAPI document."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

Output = Annotated[Path | None, Parameter(help="The file to write; standard output by default.")]


def register(app: App) -> None:
    """Add the command."""
    app.command(openapi)


def openapi(*, output: Output = None) -> None:
    """Print the OpenAPI document that the service answers at /openapi.json.

    It needs no database and is the same bytes each time.

    Example: `weighbridge openapi --output openapi.json`
    """
    from weighbridge.contents import SLICES  # noqa: PLC0415 - slow to import
    from weighbridge.core.identity.link import API_PREFIX  # noqa: PLC0415 - as above
    from weighbridge.http.openapi.document import written  # noqa: PLC0415 - as above

    text = written(SLICES, API_PREFIX).decode() + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
