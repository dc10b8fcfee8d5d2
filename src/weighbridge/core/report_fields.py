"""Fields that a mapping of a report may name, and lists that it may repeat parts for.

A field has a path such as `report.amount`. A list stands in a scope: batches (`inclusions`) in the report or
in a group of them; what a batch was made of in a part for each batch. Some fields go by a name of the
report's own: `inclusion.node.SLUG` is what a node of the batch's model came to, and
`inclusion.attribute.LABEL` what the asset of the batch has in a custom field.

Invariant: every field has a value of its kind, or none, in every report that is submitted.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class FieldKind(StrEnum):
    """What the value of a field is."""

    TEXT = "text"
    NUMBER = "number"
    """An exact number; where it has a unit, another field says which."""
    MOMENT = "moment"
    """A time in UTC, to the millisecond."""
    VALUE = "value"
    """An exact number, a text, or true or false."""


EACH: Final = "inclusions"
"""The list of the batches that a report takes from, oldest first."""

GROUPS: Final = "groups"
"""The list of groups of these batches, by the value of a field of theirs; within groups, of theirs again."""

LEDGERS: Final = "ledgers"
"""The list of the ledgers that a report takes of, each in its role; one without a role of a report of one."""

REPORT: Final = "report"
"""The scope outside of every list."""

OF_UNCERTAINTY: Final[Mapping[str, bool]] = {
    "standard_uncertainty": True,
    "relative_standard_uncertainty": False,
    "degrees_of_freedom": False,
    "coverage_probability": False,
    "coverage_factor": False,
    "expanded_uncertainty": True,
    "low": True,
    "high": True,
}
"""How well an amount is known, of a report and of each batch; whether it is in the unit of the amount."""

OF_REPORT: Final[Mapping[str, FieldKind]] = {
    "report.id": FieldKind.TEXT,
    "report.name": FieldKind.TEXT,
    "report.report_type": FieldKind.TEXT,
    "report.amount": FieldKind.NUMBER,
    "report.liability": FieldKind.NUMBER,
    "report.unit": FieldKind.TEXT,
    "report.start_time": FieldKind.MOMENT,
    "report.end_time": FieldKind.MOMENT,
    "report.effective_at": FieldKind.MOMENT,
    "report.supersedes": FieldKind.TEXT,
    "report.measured_share": FieldKind.NUMBER,
    **{f"report.{name}": FieldKind.NUMBER for name in OF_UNCERTAINTY},
    "project.id": FieldKind.TEXT,
    "project.name": FieldKind.TEXT,
    "ledger.id": FieldKind.TEXT,
    "ledger.name": FieldKind.TEXT,
    "methodology.name": FieldKind.TEXT,
    "methodology.version": FieldKind.TEXT,
}
"""Fields that occur once."""

OF_INCLUSION: Final[Mapping[str, FieldKind]] = {
    "inclusion.number": FieldKind.NUMBER,
    "inclusion.batch_id": FieldKind.TEXT,
    "inclusion.tracking_id": FieldKind.TEXT,
    "inclusion.start_time": FieldKind.MOMENT,
    "inclusion.end_time": FieldKind.MOMENT,
    "inclusion.amount": FieldKind.NUMBER,
    "inclusion.unit": FieldKind.TEXT,
    "inclusion.role": FieldKind.TEXT,
    "inclusion.ledger_id": FieldKind.TEXT,
    "inclusion.counted": FieldKind.NUMBER,
    "inclusion.feedstock": FieldKind.TEXT,
    "inclusion.asset": FieldKind.TEXT,
    "inclusion.model_name": FieldKind.TEXT,
    "inclusion.model_version": FieldKind.NUMBER,
    **{f"inclusion.{name}": FieldKind.NUMBER for name in OF_UNCERTAINTY},
}
"""Fields of each batch, within a part that is repeated."""

UNITS: Final[Mapping[str, str]] = {
    "report.amount": "report.unit",
    "report.liability": "report.unit",
    "inclusion.amount": "inclusion.unit",
    "inclusion.counted": "report.unit",
    "role.amount": "role.unit",
    "role.counted": "report.unit",
    "group.amount": "group.unit",
    "node.value": "node.unit",
    "output.value": "output.unit",
    "node.standard_uncertainty": "node.unit",
    "output.standard_uncertainty": "output.unit",
    "input.value": "input.unit",
    "input.captured_value": "input.unit",
    "static_input.value": "static_input.unit",
    "static_input.standard_uncertainty": "static_input.unit",
    **{
        f"{record}.{name}": f"{record}.unit"
        for record in ("report", "inclusion")
        for name, has_unit in OF_UNCERTAINTY.items()
        if has_unit
    },
}
"""Fields that say in what unit others are."""


_OF_NODE: Final = {
    "slug": FieldKind.TEXT, "name": FieldKind.TEXT, "value": FieldKind.NUMBER, "unit": FieldKind.TEXT,
    "standard_uncertainty": FieldKind.NUMBER,
}  # fmt: skip


class ListKind(NamedTuple):
    """A list: what a record of it is called in paths, where the list stands, and the fields of a record."""

    record: str
    within: tuple[str, ...]
    fields: Mapping[str, FieldKind]


def _name(record: str, fields: Mapping[str, FieldKind]) -> Mapping[str, FieldKind]:
    return {f"{record}.{name}": kind for name, kind in fields.items()}


LISTS: Final[Mapping[str, ListKind]] = {
    EACH: ListKind("inclusion", (REPORT, GROUPS, LEDGERS), OF_INCLUSION),
    LEDGERS: ListKind(
        "role",
        (REPORT,),
        _name("role", {
            "name": FieldKind.TEXT, "ledger_id": FieldKind.TEXT, "ledger_name": FieldKind.TEXT,
            "sign": FieldKind.NUMBER, "amount": FieldKind.NUMBER, "unit": FieldKind.TEXT,
            "counted": FieldKind.NUMBER,
        }),
    ),
    GROUPS: ListKind(
        "group",
        (REPORT, GROUPS),
        _name("group", {
            "key": FieldKind.TEXT, "number": FieldKind.NUMBER, "amount": FieldKind.NUMBER,
            "unit": FieldKind.TEXT, "count": FieldKind.NUMBER, "start_time": FieldKind.MOMENT,
            "end_time": FieldKind.MOMENT,
        }),
    ),
    "nodes": ListKind("node", (EACH,), _name("node", _OF_NODE)),
    "outputs": ListKind("output", (EACH,), _name("output", _OF_NODE)),
    "inputs": ListKind(
        "input",
        (EACH,),
        _name("input", {
            "event_id": FieldKind.TEXT, "data_point_id": FieldKind.TEXT, "slug": FieldKind.TEXT,
            "unit": FieldKind.TEXT, "value": FieldKind.VALUE, "captured_value": FieldKind.VALUE,
            "is_substituted": FieldKind.VALUE, "is_imputed": FieldKind.VALUE,
        }),
    ),
    "evidence": ListKind(
        "evidence",
        (EACH,),
        _name("evidence", {
            "event_id": FieldKind.TEXT, "type": FieldKind.TEXT, "name": FieldKind.TEXT,
            "url": FieldKind.TEXT, "content_type": FieldKind.TEXT, "size": FieldKind.NUMBER,
            "sha256": FieldKind.TEXT, "created_at": FieldKind.MOMENT,
        }),
    ),
    "corrections": ListKind(
        "correction",
        (EACH,),
        _name("correction", {
            "event_id": FieldKind.TEXT, "slug": FieldKind.TEXT, "source": FieldKind.TEXT,
            "from_value": FieldKind.VALUE, "to_value": FieldKind.VALUE, "reason": FieldKind.TEXT,
            "created_at": FieldKind.MOMENT,
        }),
    ),
    "static_inputs": ListKind(
        "static_input",
        (EACH,),
        _name("static_input", {
            "node": FieldKind.TEXT, "slug": FieldKind.TEXT, "value": FieldKind.NUMBER,
            "unit": FieldKind.TEXT, "effective_from": FieldKind.MOMENT, "feedstock": FieldKind.TEXT,
            "asset": FieldKind.TEXT, "location": FieldKind.TEXT, "source": FieldKind.TEXT,
            "standard_uncertainty": FieldKind.NUMBER,
        }),
    ),
    "attributes": ListKind(
        "attribute",
        (EACH,),
        _name("attribute", {"label": FieldKind.TEXT, "value": FieldKind.VALUE}),
    ),
}  # fmt: skip
"""What a mapping may repeat a part for."""

NODE: Final[Mapping[str, str]] = {
    REPORT: "report.node.", GROUPS: "group.node.", LEDGERS: "role.node.", EACH: "inclusion.node.",
}  # fmt: skip
"""What paths of values of nodes begin with, in each scope: of a batch, or the sum of those of a group or"
" all."""

ATTRIBUTE: Final = "inclusion.attribute."
"""What paths of custom fields of a batch's asset begin with."""


def find_kind(path: str, scopes: tuple[str, ...]) -> FieldKind | None:
    """The kind of a field within some lists, the innermost last; None where no field has that path there."""
    if path in OF_REPORT:
        return OF_REPORT[path]
    for scope in scopes:
        if scope in LISTS and path in LISTS[scope].fields:
            return LISTS[scope].fields[path]
    if EACH in scopes and path.startswith(ATTRIBUTE) and len(path) > len(ATTRIBUTE):
        return FieldKind.VALUE
    nodes = [NODE[scope] for scope in (REPORT, *scopes) if scope in NODE]
    is_node = any(path.startswith(start) and len(path) > len(start) for start in nodes)
    return FieldKind.NUMBER if is_node else None


def list_fields(scopes: tuple[str, ...]) -> list[str]:
    """The paths that have a name of their own within some lists."""
    return [*OF_REPORT, *(path for scope in scopes if scope in LISTS for path in LISTS[scope].fields)]


def find_unit_field(path: str) -> str | None:
    """The field that says in what unit another one is; None where it has no unit."""
    if any(path.startswith(start) for start in NODE.values()):
        return f"{path}{OF_UNIT}"
    return UNITS.get(path)


BASIS: Final = "inclusion\x00basis"
"""The key of the batch that the details of a batch are of, the newest of its run; no mapping can name it."""

OF_LIST: Final = "\x00list"
"""What the key of a list of a batch ends with, which no mapping can name."""

OF_UNIT: Final = "\x00unit"
"""What the path of a node's unit ends with, which no mapping can name."""
