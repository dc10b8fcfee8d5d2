"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

DataDir = Annotated[
    Path | None,
    Parameter(
        help="The folder of the embedded database and the evidence files, made when it does not exist; "
        "WEIGHBRIDGE_DATA_DIR or ./.data by default.",
    ),
]
ExistingDataDir = Annotated[
    Path | None,
    Parameter(
        help="The folder of the embedded database and the evidence files, which the service has made; "
        "WEIGHBRIDGE_DATA_DIR or ./.data by default.",
    ),
]
Json = Annotated[bool, Parameter(name="--json", negative=(), show_default=False, help="Print JSON.")]
