"""A suggestion of what the columns of a header give: by slugs, names and usual words, with units in brackets.

Invariant: what is suggested would be taken: fields that exist, units that convert, none of them given twice.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.quantity.unit import UnitError, conversion, parse_unit
from weighbridge.exchange.data_feeds.records import FeedColumn, SuggestedColumns
from weighbridge.exchange.tabular.columns import LOCATION_FIELD, meanings_of_names, plain_name

_WORDS: Final = {
    "start_time": (
        "timestamp", "time stamp", "datetime", "date time", "date", "time", "start", "from", "begin",
        "start time utc", "measured at", "logged at", "ts", "zeit", "datum", "zeitstempel",
    ),
    "end_time": ("end", "to", "until", "stop", "end time utc"),
    "tracking_id": ("ticket", "ticket no", "ticket number", "tracking", "delivery note"),
    "feedstock": ("material", "feedstock id"),
    "asset": ("machine", "equipment", "asset id", "unit id"),
    LOCATION_FIELD: ("site", "place", "location id"),
    "client_reference": ("reference", "record id", "row id", "uuid"),
    "notes": ("note", "comment", "comments", "remark", "remarks"),
}  # fmt: skip
"""Words that name a field of an event in many files, beside its own name."""

_BRACKETS: Final = frozenset("[]()")
_UNIT_LENGTH_MAX: Final = 40
"""Characters of a unit that stands in brackets behind a name."""


def suggested(header: Sequence[str], event_type: EventType) -> SuggestedColumns:
    """What the columns of a header give to events of a type, as far as names tell."""
    points = {one.slug: one for one in event_type.data_point_types}
    of_names = {plain_name(one.name): one.slug for one in event_type.data_point_types}
    of_words = {plain_name(word): field for field, words in _WORDS.items() for word in words}
    meanings = of_words | of_names | meanings_of_names(points, _WORDS)
    columns: list[FeedColumn] = []
    unclear: list[str] = []
    given: set[str] = set()
    for name in header:
        bare, bracketed = _name_and_unit(name)
        field = meanings.get(plain_name(name)) or (meanings.get(plain_name(bare)) if bracketed else None)
        if field is None or field in given or not name.strip():
            unclear.append(name)
            continue
        given.add(field)
        unit = bracketed.strip() if field in points else None
        columns.append(FeedColumn(name.strip(), field, _fitting(unit, points[field].unit) if unit else None))
    needed = [one.slug for one in event_type.data_point_types if one.required]
    lacking = [field for field in ("start_time", *needed) if field not in given]
    return SuggestedColumns(columns, unclear, lacking)


def _name_and_unit(text: str) -> tuple[str, str]:
    """The name of a column and what stands in brackets behind it; empty where nothing does."""
    whole = text.rstrip()
    begin = max(whole.rfind("["), whole.rfind("("))
    unit = whole[begin + 1 : -1]
    is_unit = 0 < len(unit) <= _UNIT_LENGTH_MAX and _BRACKETS.isdisjoint(unit)
    if begin < 1 or whole[-1] not in "])" or not is_unit:
        return text, ""
    return whole[:begin].rstrip(), unit


def _fitting(unit: str, target: str | None) -> str | None:
    """The unit in brackets, where it is one that the data point's can be made of."""
    try:
        conversion(parse_unit(unit), parse_unit(target or ""))
    except UnitError:
        return None
    return unit
