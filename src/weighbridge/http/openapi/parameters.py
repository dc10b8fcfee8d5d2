"""The parameters of a request: ids in the path, and the query of a list."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from weighbridge.core.identity import PREFIXES
from weighbridge.core.platform.tasks import ExportFormat, ResponseMode
from weighbridge.db.known_then import AS_OF
from weighbridge.db.lists.listing import (
    PAGE_MAX,
    PAGE_SIZE_DEFAULT,
    PAGE_SIZE_MAX,
    SORT_COLUMNS_MAX,
    Filter,
    Listing,
)
from weighbridge.db.lists.page import SORTED_MAX
from weighbridge.db.lists.table import CURSOR_LENGTH_MAX
from weighbridge.http.endpoints.response_modes import FORMAT, MODE, SAMPLES, modes
from weighbridge.http.idempotency import KEPT_HOURS, KEY_LENGTH_MAX
from weighbridge.http.openapi.schemas import MOMENT_EXAMPLE
from weighbridge.http.text import Schema, friendly_id

EXPORTED_MODE: Final = "response_mode_of_exported"
"""What the document calls the response modes of a list that is written to files as well."""

SHARED: Final = {
    "page": {
        "name": "page",
        "in": "query",
        "description": "Which page of the list, from 1; the first one when left out. Not with `cursor`.",
        "schema": {"type": "integer", "minimum": 1, "maximum": PAGE_MAX},
    },
    "page_size": {
        "name": "page_size",
        "in": "query",
        "description": (
            f"How many records a page holds, {PAGE_SIZE_DEFAULT} when left out; more are taken as "
            f"{PAGE_SIZE_MAX}."
        ),
        "schema": {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX},
    },
}
"""Parameters of every list, as components."""

CURSOR: Final = {
    "cursor": {
        "name": "cursor",
        "in": "query",
        "description": "The `next_cursor` of the page before, in place of `page`; each page costs the same.",
        "schema": {"type": "string", "minLength": 1, "maxLength": CURSOR_LENGTH_MAX},
    },
}
"""The parameter of every list that can be walked by key, as a component."""

SUMMARISED: Final = {
    MODE: {
        "name": MODE,
        "in": "query",
        "description": (
            "How the list answers: page by page, also when it is left out, or as a summary with its count "
            f"and up to {SAMPLES} samples."
        ),
        "schema": {"type": "string", "enum": [*modes(is_exported=False)]},
    },
}
"""The parameter of every list that is not written to files, as a component."""

EXPORTING: Final = {
    EXPORTED_MODE: {
        "name": MODE,
        "in": "query",
        "description": (
            "How the list answers: page by page, also when it is left out, or as a summary with its count "
            f"and up to {SAMPLES} samples, while its rows are written to a file where that is asked for."
        ),
        "schema": {"type": "string", "enum": [*modes(is_exported=True)]},
    },
    FORMAT: {
        "name": FORMAT,
        "in": "query",
        "description": (
            f"What the file is written as, {ExportFormat.CSV} when left out; goes with "
            f"`{MODE}={ResponseMode.SUMMARY_WITH_EXPORT}`."
        ),
        "schema": {"type": "string", "enum": [*ExportFormat]},
    },
}
"""The parameters of every list that is written to files, as components."""

LOOKING_BACK: Final = {
    AS_OF: {
        "name": AS_OF,
        "in": "query",
        "description": (
            "As it was known at a row of the account's audit log: the number of the row, such as `1042`, or "
            "a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers "
            "`As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`."
        ),
        "schema": {"type": "string", "minLength": 1},
    },
}
"""The parameter of every request that also reads what was known then, as a component."""

SENDING_AGAIN: Final = {
    "idempotency_key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": (
            "A text of the caller's choice. The same request with the same key has its effect once, and "
            f"every repetition within {KEPT_HOURS} hours gets the same answer."
        ),
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": KEY_LENGTH_MAX,
            "pattern": "^[!-~]([ -~]*[!-~])?$",
        },
    },
}
"""The header of every request that may be sent again, as a component."""

_LISTED: Final = re.compile(", | or ")
"""The separator between the words that a filter expects."""

_NO_WORD: Final = "no word of any filter"

COMPONENTS: Final = SHARED | CURSOR | SUMMARISED | EXPORTING | LOOKING_BACK | SENDING_AGAIN

_NUMBERED: Final = {
    "task": "async task",
    "evidence": "evidence",
    "token": "API token",
    "asset_custom_field": "asset custom field",
    "static_input": "static input",
    "outage": "outage",
    "agent": "agent",
    "agent_mapping": "agent mapping",
    "link": "link",
}
"""Records in paths whose id is a number."""

_EITHER: Final = {"rule_result": ("data_point_result", "model_run_result")}
"""Records in paths whose id is of one of several kinds."""

_TIMES: Final = {"eq": "is", "geq": "is at or after", "leq": "is at or before"}
_OTHERS: Final = {"eq": "is", "geq": "is at least", "leq": "is at most"}


def names_in(path: str) -> list[str]:
    """The names of the parameters of a path, in their order."""
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def of_path(path: str) -> list[Schema]:
    """Return a parameter for each part of a path in braces."""
    return [_in_path(name) for name in names_in(path)]


def of_query(query: Mapping[str, str]) -> list[Schema]:
    """Return the required parameters of the query."""
    return [
        {"name": name, "in": "query", "required": True, "description": meaning, "schema": {"type": "string"}}
        for name, meaning in query.items()
    ]


def of_options(options: Mapping[str, str]) -> list[Schema]:
    """Return the optional texts of the query."""
    return [
        {"name": name, "in": "query", "required": False, "description": meaning, "schema": {"type": "string"}}
        for name, meaning in options.items()
    ]


def of_moments(time_parameters: Mapping[str, str]) -> list[Schema]:
    """Return the optional times of the query."""
    schema = {"type": "string", "format": "date-time"}
    return [
        {"name": name, "in": "query", "required": False, "description": meaning, "schema": schema}
        for name, meaning in time_parameters.items()
    ]


def of_switches(switches: Mapping[str, str]) -> list[Schema]:
    """What may be asked for in the query by true or false."""
    schema = {"type": "boolean", "default": False}
    return [
        {"name": name, "in": "query", "required": False, "description": meaning, "schema": schema}
        for name, meaning in switches.items()
    ]


def of_sending_again() -> list[Schema]:
    """The header by which a request is known when it comes again."""
    return [{"$ref": f"#/components/parameters/{name}"} for name in SENDING_AGAIN]


def of_looking_back() -> list[Schema]:
    """The parameter by which a request reads what was known at a row of the audit log."""
    return [{"$ref": f"#/components/parameters/{name}"} for name in LOOKING_BACK]


def of_listing(listing: Listing) -> list[Schema]:
    """The parameters of a list: the page, the order, and every filter."""
    shared = SHARED | (CURSOR if listing.key else {}) | (EXPORTING if listing.is_exported else SUMMARISED)
    parameters: list[Schema] = [{"$ref": f"#/components/parameters/{name}"} for name in shared]
    if listing.sorts:
        parameters.append(_sort(listing))
    for name, filter_ in listing.filters.items():
        parameters += _filters(name, filter_)
    return [*parameters, *_plain(listing)]


def _in_path(name: str) -> Schema:
    noun = name.removesuffix("_id")
    schema: Schema = {"type": "string"}
    description = f"Which {noun.replace('_', ' ')}."
    if noun in PREFIXES:
        schema = friendly_id(noun)
        description = schema.pop("description")
    elif noun in _EITHER:
        prefixes = [PREFIXES[kind] for kind in _EITHER[noun]]
        schema = friendly_id(_EITHER[noun][0])
        schema["pattern"] = schema["pattern"].replace(prefixes[0], f"({'|'.join(prefixes)})")
        description = f"The friendly id of the {noun.replace('_', ' ')}, {'_… or '.join(prefixes)}_…."
        del schema["description"]
    elif noun in _NUMBERED:
        schema = {"type": "integer", "minimum": 1}
        description = f"The number of the {_NUMBERED[noun]}."
    if noun == "project":
        schema["pattern"] = f"{schema['pattern'].replace('^', '^(').removesuffix('$')}|[0-9]+)$"
        description += " Its number does as well."
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _sort(listing: Listing) -> Schema:
    either_way = [direction + name for name in listing.sorts for direction in ("", "-")]
    description = (
        f"What the list is sorted by: one field, or up to {SORT_COLUMNS_MAX} with commas; a minus descends."
    )
    description += f" Left out, it is {listing.default_sort}, or what the cursor was written for."
    if bounded := listing.bounded_sorts:
        description += f" By {', '.join(bounded)}, or by several, at most {SORTED_MAX:,} records are sorted."
    for name in listing.ranges:
        description += f" With filter[{name}], by another than {name}, as many."
    for name, groups in listing.needs.items():
        filters = " and ".join(
            " or ".join(f"filter{filter_name}" for filter_name in group) for group in groups
        )
        description += f" {name} needs {filters}."
    return {
        "name": "sort",
        "in": "query",
        "description": description,
        "style": "form",
        "explode": False,
        "schema": {
            "type": "array",
            "items": {"type": "string", "enum": either_way},
        },
    }


def _filters(name: str, filter_: Filter) -> Iterator[Schema]:
    value = _value(filter_)
    meanings = _TIMES if "format" in value else _OTHERS
    for comparator in filter_.comparators:
        compares = "holds" if filter_.contains else meanings[comparator]
        short_form = f" `filter[{name}]` alone means the same." if comparator == "eq" else ""
        yield {
            "name": f"filter[{name}][{comparator}]",
            "in": "query",
            "description": (
                f"Only records whose {name} {compares} the value given: {filter_.expects}.{short_form}"
            ),
            "schema": value,
        }


def _plain(listing: Listing) -> Iterator[Schema]:
    for name, (filtered, comparator) in listing.plain.items():
        yield {
            "name": name,
            "in": "query",
            "description": f"Stands for `filter[{filtered}][{comparator}]`; give one of the two.",
            "schema": _value(listing.filters[filtered]),
        }


def _value(filter_: Filter) -> Schema:
    """What a filter's value looks like, found out by letting the filter read one."""
    if filter_.read is int:
        return {"type": "integer"}
    words = _LISTED.split(filter_.expects)
    if not _reads(filter_, _NO_WORD) and all(_reads(filter_, word) for word in words):
        return {"type": "string", "enum": words}
    is_moment = _reads(filter_, MOMENT_EXAMPLE) and isinstance(filter_.read(MOMENT_EXAMPLE), datetime)
    return {"type": "string", "format": "date-time"} if is_moment else {"type": "string"}


def _reads(filter_: Filter, text: str) -> bool:
    try:
        filter_.read(text)
    except ValueError:
        return False
    return True
