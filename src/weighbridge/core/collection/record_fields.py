"""Check the values that requests give fields of named records: texts, lines, degrees and instants.

Each check takes the value and the path of its field, and yields what is wrong.
"""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.core.collection.custom_field import CustomValueError, checked_text
from weighbridge.core.identity.names import problem_of_unseen
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limit_number, shorten
from weighbridge.core.time.instant import Instant

LATITUDE_MAX: Final = 90
LONGITUDE_MAX: Final = 180


def problems_of_text(longest: int, text: str, field: str) -> Iterator[Problem]:
    """A text must not be blank, and has at most so many characters."""
    if not text.strip():
        yield Problem(f"{field} is blank; send null instead.", field, "invalid")
    try:
        checked_text(text, longest)
    except CustomValueError as error:
        yield Problem(f"{field} {error}", field, "invalid")


def problems_of_line(longest: int, text: str, field: str) -> Iterator[Problem]:
    """A line is a text of visible characters."""
    yield from problems_of_text(longest, text, field)
    if unseen := problem_of_unseen(text, field):
        yield unseen


def problems_of_degrees(limit: int, degrees: Decimal, field: str) -> Iterator[Problem]:
    """Degrees lie between a limit and its negative, and have no more digits than a number may have."""
    if not (degrees.is_finite() and degrees.copy_abs() <= limit):
        message = f"{field} is {shorten(str(degrees))}; it takes degrees from -{limit} to {limit}."
        yield Problem(message, field, "invalid")
        return
    try:
        limit_number(degrees)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")


def problems_of_instant(moment: datetime, field: str) -> Iterator[Problem]:
    """A moment has a place in the calendar of UTC."""
    try:
        Instant.of(moment)
    except OverflowError:
        message = f"{field} is {moment}, which in UTC is outside the years 1 to 9999."
        yield Problem(message, field, "invalid")
