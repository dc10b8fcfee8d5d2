"""An error code is the word by which a program tells one reason for a refusal from another.

Every refusal carries one, and so do the problems that previews, validations and failed tasks name. The
catalogue below is the one place that lists them; the reference page of errors is made from it.

Invariants: a code keeps its meaning as long as the interface has its version; a problem has no other code
than one that stands here.
"""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.error_code.code import ErrorCode
from weighbridge.core.error_code.of_books import ACCOUNTING, LOCAL, MODEL
from weighbridge.core.error_code.of_requests import RECORD, REQUEST, SERVICE

GROUPS: Final[Mapping[str, Mapping[str, ErrorCode]]] = {
    "Requests": REQUEST,
    "The service and the caller": SERVICE,
    "Records": RECORD,
    "Ledgers, batches and computations": ACCOUNTING,
    "Model documents": MODEL,
    "Commands": LOCAL,
}
"""The catalogue as its page shows it."""

CODES: Final[Mapping[str, ErrorCode]] = {
    code: said for group in GROUPS.values() for code, said in group.items()
}
"""Every code."""
