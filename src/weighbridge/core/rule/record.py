"""A record is what a rule evaluates and what its windows are made of: an event, or a model run.

Invariants: records come in the order of their start, end, tracking id, client reference and values; the
values stand in the order of the rule's names, None where one is missing.
"""

from collections.abc import Hashable
from datetime import datetime
from typing import Any, NamedTuple

from weighbridge.core.expression.value import Scalar
from weighbridge.core.time.expectation import MeterSlot


class Record(NamedTuple):
    """One event or model run; a tuple because hundreds of thousands are made of rows."""

    key: int
    start: datetime
    end: datetime
    created: datetime
    group: Hashable
    """Records of the same group are members of one another's windows."""
    slot: MeterSlot | None
    """The slot of its event type's cadence that it starts in, among those expected of its meter."""
    is_target: bool
    """Whether it is evaluated; else it is only a member."""
    values: tuple[Scalar | None, ...]
    about: Any = None
    """What the caller wants back with what is found."""
