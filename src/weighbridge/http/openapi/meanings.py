"""What a field means: the sentence that stands below it in its record, or the one that all records share.

A sentence is looked for where it is most at home:

1. below the field itself, as the docstring of the attribute;
2. below the field of the same name in the record that a request is about: for `NewFeedstock` and
   `FeedstockChange` that of `Feedstock`, for `IssuedApiToken` that of `ApiToken`, in the same file;
3. in `SHARED`, for names that mean the same wherever they stand;
4. in the docstring of the record that is the field's value: its first sentence.

Invariants: a name in `SHARED` is no record's alone; the same code gives the same sentences.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

Docstrings = Mapping[str, Mapping[str, str]]
"""Sentences by class and field."""

SHARED: Final[Mapping[str, str]] = {
    "code": "A word for the kind of problem, which a program may switch on; the sentence may change.",
    "corrections_count": "How many corrections of it stand: one in force, the others beneath it.",
    "corrections_total": "How many corrections were ever made of it, those that were reverted included.",
    "created_at": "When the record was made.",
    "current_page": "The number of this page, from 1; null when the list is walked by `cursor`.",
    "data": "The records of the page, in the order that `info.sort` says.",
    "description": "What people write about it, up to 10,000 characters; null when there is nothing.",
    "dismissal_reason": "Why it was dismissed; null unless it was.",
    "dismissed_at": "When it was dismissed; null unless it was.",
    "dismissed_by": "The name of the user who dismissed it; null unless someone did.",
    "error_message": "Why it failed, in a sentence; null unless it did.",
    "errors": "Everything that is wrong, each in a sentence of its own.",
    "evaluated": "How many records were evaluated.",
    "field": "What it is about: the path in the body, such as `data_points[0].value`, or the parameter.",
    "filter": "The filters that the page was cut with, such as `start_time[geq]`.",
    "finished_at": "When it ended, well or not; null until then.",
    "ghg": (
        "The greenhouse gas that the document tags the node with, such as `CO2`; null when it has no "
        "such tag."
    ),
    "has_rule_alerts": "Whether a data rule has found something in it that stands and was not dismissed.",
    "imputed": "Whether its event was not captured but imputed by a rule.",
    "in_service_until": "Until when it is expected to measure, exclusive; null says nothing.",
    "info": "Where the page stands in its list, and how to go on.",
    "is_output": "Whether the model gives it as an output.",
    "is_static": "Always false: what holds for long is a static input of its own.",
    "items": "How many records the answer holds.",
    "lca_role": (
        "The role in the life-cycle assessment that the document tags the node with; null without such a tag."
    ),
    "message": "What is wrong, in a sentence that names what came and what is allowed.",
    "next_cursor": "What `cursor` takes to get the next page; null on the last one, or where none is taken.",
    "next_page": "The number of the next page; null on the last one, and when walked by `cursor`.",
    "numeric_id": "The number by which the `args` of tasks name it.",
    "page_size": "How many records a page holds at most.",
    "partition": "What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut.",
    "previous_page": "The number of the page before; null on the first one, and when walked by `cursor`.",
    "raw_value": "The value as it was captured, which never changes; null for one that was imputed.",
    "request_id": "The id of the request in the logs, which its answer carries as `X-Request-Id`.",
    "rule_name": "What the rule is called now.",
    "rule_results": "What data rules found in it that stands, dismissed results included.",
    "rule_version": "Which version of the rule it was, counted from 1.",
    "slot": "What the slot is called, such as `2025-03` or `2025-W09`.",
    "sort": "The fields that the page is sorted by, in their order; a minus descends, as in `-created_at`.",
    "started_at": "When work on it began last; null while it waits.",
    "status": "Always the word `error`.",
    "statusCode": "The status of the answer, such as 422.",
    "substituted": "Whether a value that a rule made stands in the place of what was captured.",
    "total_is_estimate": "Whether `total_items` is an estimate, as it may be beyond 1,000.",
    "total_items": "How many records the whole list holds with these filters.",
    "total_pages": "How many pages that makes, 1 at least.",
    "ui_url": "Where the record opens in the web app.",
    "updated_at": "When the record was last changed.",
    "value_source": "Whether the value in force was captured, is a person's, or was made by a rule, and how.",
    "where": "An expression on a member's own values, such as `{{wet_mass}} > 0`; others are no members.",
    "yaml": "The document, as text in the model language.",
}
"""What a name means on every record that says nothing else about it."""

EXAMPLES: Final[Mapping[str, str]] = {
    "action": "event.create",
    "client_reference": "plant-7/2025-01-31/0042",
    "country": "DE",
    "event_type": "diesel-delivery",
    "external_id": "REC-2025-000117",
    "geography": "US-CA",
    "lat": "52.520008",
    "long": "13.404954",
    "postal_code": "10117",
    "request_id": "req_0f2c5a1be94d7783c6a01f52",
    "serial_number": "SN-48213",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "slug": "wet_mass",
    "time_zone": "Europe/Berlin",
    "token": "wb_live_…",
    "tracking_id": "LOT-7",
    "unit": "t",
    "user_email": "operator@example.com",
}
"""What a text of this name may look like."""

_ABOUT: Final = re.compile(r"^(?:New|Issued|Saved|Updated)?(?P<noun>.+?)(?:Change|Version)?$")


def meaning_of(record: type[msgspec.Struct], name: str, kind: Any) -> str | None:
    """The sentence for a field, with the records that its type is made of; None when there is none."""
    for one in (*_lineage(record), *(akin for about in _lineage(record) for akin in _akin(about))):
        if said := _docstrings(one.__module__).get(one.__name__, {}).get(name):
            return said
    return SHARED.get(name) or _first_sentence(kind)


def _lineage(record: type) -> Iterator[type]:
    return (one for one in record.__mro__ if one is not object)


def _akin(record: type) -> Iterator[type]:
    """The record that a request is about, when it stands in the same file."""
    about = _ABOUT.match(record.__name__)
    other = getattr(sys.modules.get(record.__module__), about["noun"], None) if about else None
    if isinstance(other, type) and other is not record:
        yield other


def _first_sentence(kind: Any) -> str | None:
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    told = " ".join((kind.__doc__ or "").split())
    sentence, stop, _ = told.partition(". ")
    return sentence + stop.strip() or None


@cache
def _docstrings(module: str) -> Docstrings:
    """The docstrings of the attributes of every class of a module, each on one line."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {one.name: dict(_docstrings_in(one)) for one in classes}


def _docstrings_in(record: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(record.body, record.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())
