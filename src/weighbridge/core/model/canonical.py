"""The canonical text of a model: the same for two documents that say the same, however they are laid out.

It is JSON with one order of keys, formulas printed from their trees, numbers in their shortest form
and defaults left out. Its SHA-256 is what a batch keeps to say which model made it.

Invariants: comments, quoting, spacing and the order of keys do not change it; the order of nodes does,
for the first input defines the partitions when none is marked.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.expression import Table, print_tree
from weighbridge.core.ledger.allocation import SHARE_PLACES_DEFAULT
from weighbridge.core.ledger.drawing import DrawOrder
from weighbridge.core.model.definition import (
    Available,
    BoundaryPolicy,
    Case,
    Constant,
    Formula,
    Input,
    Model,
    Node,
    StaticInput,
    UncertaintySetting,
    Upstream,
)
from weighbridge.core.number import plain
from weighbridge.core.uncertainty.statement import list_fields
from weighbridge.core.unit import Unit

Plain = Mapping[str, object]


def write_canonical(model: Model) -> str:
    """Write a model in its one canonical form."""
    return json.dumps(
        _write_json_value(write_plain_model(model)), ensure_ascii=False, indent=1, sort_keys=True
    )


def hash_model(model: Model) -> str:
    """The hash of the canonical text, in hexadecimal."""
    return hashlib.sha256(write_canonical(model).encode()).hexdigest()


def write_plain_model(model: Model) -> Plain:
    """A model as mappings, lists, texts and decimals."""
    return {
        "name": model.name,
        "about": model.about,
        "cadence": model.cadence,
        "partition_type": model.partition_type,
        "primary_output": model.primary_output,
        "share_places": None if model.share_places == SHARE_PLACES_DEFAULT else model.share_places,
        "uncertainty": _write_setting(model.uncertainty),
        "tables": {name: _write_table(table, model) for name, table in model.tables.items()},
        "nodes": [write_plain_node(node) for node in model.nodes],
        "cases": [_write_case(case) for case in model.cases],
    }


def write_plain_node(node: Node) -> Plain:
    """A node as mappings, lists, texts and decimals, without what is not said or a default."""
    return {
        "slug": node.slug,
        "name": node.name,
        "description": node.description,
        "unit": node.unit.text,
        **_write_body(node),
        "source": node.source,
        "tags": dict(node.tags),
        "optional": node.is_optional,
        "default": node.default,
        "output": node.is_output,
        "round": node.rounding and {"places": node.rounding.places, "mode": node.rounding.mode},
        "uncertainty": node.uncertainty and list_fields(node.uncertainty),
        "discount": node.discount and dict(node.discount.list_fields()),
    }


def _write_setting(setting: UncertaintySetting | None) -> Plain | None:
    if setting is None:
        return None
    return {
        "coverage_probability": setting.coverage_probability,
        "correlations": [
            {"between": [one, other], "coefficient": coefficient}
            for one, other, coefficient in setting.correlations
        ],
    }


def _write_body(node: Node) -> Plain:
    match node.body:
        case Input() as body:
            return {"input": _write_input(body)}
        case StaticInput(slug=slug, at=at, by=by):
            return {"static_input": {"slug": slug, "at": at, "by": by}}
        case Constant(value=value):
            return {"constant": value}
        case Formula(tree=tree):
            return {"formula": print_tree(tree)}
        case Available(ledger=ledger):
            return {"available": ledger}
        case Upstream() as body:
            return {"upstream": _write_upstream(body)}


def _write_input(body: Input) -> Plain:
    return {
        "event_type": body.event_type,
        "data_point_type": body.data_point_type,
        "aggregate": body.aggregate,
        "weight": body.weight,
        "partitions": body.is_partitioning,
        "share": body.share_written,
        "share_by": body.share_by,
        "straddle": None if body.straddle is BoundaryPolicy.REPORT else body.straddle,
        "where": body.where and print_tree(body.where.tree),
        "join": body.join and {"to": body.join.to, "on": body.join.on},
        "period": "any" if body.is_any_period else None,
        "coverage": body.coverage,
    }


def _write_upstream(body: Upstream) -> Plain:
    return {
        "ledger": body.ledger,
        "amount": body.amount,
        "order": None if body.order is DrawOrder.FIFO else body.order,
        "match": list(body.match),
        "attributes": [[slug, unit and unit.text] for slug, unit in body.attributes.items()],
        "select": "manual" if body.is_manual else None,
        "allocation_group": body.allocation_group,
    }


def _write_table(table: Table, model: Model) -> Plain:
    stated = {
        column: list_fields(statement)
        for (name, column), statement in model.table_uncertainties.items()
        if name == table.name
    }
    return {
        "uncertainty": stated,
        "columns": [[column.name, column.type.unit] for column in table.columns],
        "rows": [list(row) for row in table.rows],
    }


def _write_case(case: Case) -> Plain:
    return {
        "name": case.name,
        "source": case.source,
        "inputs": dict(case.inputs),
        "expect": dict(case.expect),
        "places": case.places,
        "mode": None if case.mode == "half_even" else case.mode,
        "partition": dict(case.partition),
        "durations": dict(case.durations),
        "period_days": case.period_days,
        "period_hours": case.period_hours,
        "uncertainties": {slug: list_fields(statement) for slug, statement in case.uncertainties.items()},
        "expect_uncertainty": {
            slug: {
                "standard_uncertainty": expected.standard_uncertainty,
                "degrees_of_freedom": expected.degrees_of_freedom,
            }
            for slug, expected in case.expect_uncertainty.items()
        },
        "expect_credit": dict(case.expect_credit),
    }


def _write_json_value(content: object) -> object:
    """What JSON can hold; a number becomes text so that no digit can be lost on the way back."""
    match content:
        case Mapping():
            return {key: _write_json_value(value) for key, value in content.items() if not _is_omitted(value)}
        case list() | tuple():
            return [_write_json_value(item) for item in content]
        case Decimal():
            return plain(content)
        case Unit(text=text):
            return text
    return content


def _is_omitted(value: object) -> bool:
    return value is None or value is False or (isinstance(value, dict | list) and not value)


# The difference of two versions of a model: node by node and setting by setting, never by line.
#
# Invariants: two models have no difference exactly when their canonical texts are equal, but for the order
# of nodes, which is reported as a change of the setting `nodes`.


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One key whose value differs; None means that the key is absent."""

    key: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """What was added, removed and changed from one version to the other."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[DocumentChange, ...]]
    settings: tuple[DocumentChange, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.settings)


def compare_versions(before: Model, after: Model) -> VersionDifference:
    """Compare two versions."""
    old = {node.slug: write_plain_node(node) for node in before.nodes}
    new = {node.slug: write_plain_node(node) for node in after.nodes}
    common_slugs = [slug for slug in new if slug in old]
    changes_of_nodes = {slug: _list_changes(old[slug], new[slug]) for slug in common_slugs}
    settings = _list_changes(_select_settings(before, common_slugs), _select_settings(after, common_slugs))
    return VersionDifference(
        added=tuple(slug for slug in new if slug not in old),
        removed=tuple(slug for slug in old if slug not in new),
        changed={slug: changes for slug, changes in changes_of_nodes.items() if changes},
        settings=settings,
    )


def _select_settings(model: Model, names: list[str]) -> Mapping[str, object]:
    """All but the nodes themselves; of those, the order of the ones that both versions have."""
    return {**write_plain_model(model), "nodes": [slug for slug in model.slugs if slug in names]}


def _list_changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[DocumentChange, ...]:
    keys = dict.fromkeys([*before, *after])
    changes = [DocumentChange(key, before.get(key), after.get(key)) for key in keys]
    return tuple(change for change in changes if change.before != change.after)
