"""The static inputs that a model reads in a project, as the engine takes them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from weighbridge.collection.measurements.uncertainties import build_stored
from weighbridge.core.engine.slot_computation import StaticValue
from weighbridge.core.model import Dimension, Model, Node, StaticInput
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import ONE, are_compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

Statics = Mapping[str, tuple[StaticValue, ...]]
"""Values by the slug of their static input."""


class _Stored(msgspec.Struct, frozen=True):
    slug: str
    number: int
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset: str | None
    feedstock: str | None
    location: str | None
    uncertainty: dict[str, Any] | None


async def read_statics(
    tx: Read, project: int, model: Model, only_numbers: Collection[int] | None = None
) -> Statics:
    """All values of the static inputs that a model names, or those of them that were used.

    Raises Invalid for a value whose unit does not fit the node that reads it.
    """
    nodes = [(node, node.body) for node in model.nodes if isinstance(node.body, StaticInput)]
    if not nodes:
        return {}
    numbers = None if only_numbers is None else sorted(only_numbers)
    rows = await tx.rows(
        _Stored,
        """
        SELECT s.slug, s.id, s.value, s.unit, s.effective_from, a.name, f.name, l.name, s.uncertainty
          FROM static_inputs s
          LEFT JOIN assets a ON (a.project_id, a.id) = (s.project_id, s.asset_id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (s.project_id, s.feedstock_id)
          LEFT JOIN locations l ON (l.project_id, l.id) = (s.project_id, s.location_id)
         WHERE s.project_id = %s AND s.slug = ANY (%s) AND (%s::integer[] IS NULL OR s.id = ANY (%s))
         ORDER BY s.effective_from, s.id
        """,
        (
            project, sorted({body.slug for _, body in nodes}), numbers, numbers,
        ),
    )  # fmt: skip
    by_slug: dict[str, list[StaticValue]] = {}
    for row in rows:
        by_slug.setdefault(row.slug, []).append(_build_static_value(row))
    problems = [
        Problem(
            f"Node {node.slug!r} is in {node.unit} and reads the static input {body.slug!r} in {value.unit}, "
            "which count different things.",
            node.slug,
            "invalid",
        )
        for node, body in nodes
        for value in by_slug.get(body.slug, ())[:1]
        if not are_compatible(value.unit, node.unit)
    ]
    if problems:
        raise Invalid(problems)
    return {slug: tuple(values) for slug, values in by_slug.items()}


def check_statics(model: Model, statics: Statics, slots: Sequence[Interval]) -> Iterator[Problem]:
    """Nodes that no run of the slots can give a value, because none is in force in any of them.

    `statics` are all values of the static inputs that the model names.
    """
    if not slots:
        return
    last = Instant.of(max(slot.start for slot in slots))
    for node in model.nodes:
        if not isinstance(node.body, StaticInput) or not _has_no_substitute(model, node, node.body):
            continue
        dimension, is_at_start = node.body.by, node.body.at is None
        if not any(
            _is_keyed_by(static_value, dimension) and (not is_at_start or static_value.effective_from <= last)
            for static_value in statics.get(node.body.slug, ())
        ):
            which_value = "" if dimension is None else f" for any {dimension}"
            when = f"in force at {last.text}" if is_at_start else "in the project"
            message = (
                f"Input {node.slug!r} reads the static input {node.body.slug!r}, "
                f"which has no value{which_value} {when}."
            )
            yield Problem(message, node.slug, "required")


def _has_no_substitute(model: Model, node: Node, body: StaticInput) -> bool:
    """Whether the value has no default: at elements, wherever there must be elements."""
    reader = node if body.at is None else model.node(body.at)
    return not reader.is_optional and reader.default is None


def _is_keyed_by(value: StaticValue, dimension: Dimension | None) -> bool:
    """Whether a value is one for each of a kind, and of no other kind."""
    keys = {key for key in Dimension if getattr(value, key) is not None}
    return keys == (set() if dimension is None else {dimension})


def _build_static_value(row: _Stored) -> StaticValue:
    return StaticValue(
        row.number,
        row.value,
        parse_unit(row.unit) if row.unit else ONE,
        row.effective_from,
        row.asset,
        row.feedstock,
        row.location,
        None if row.uncertainty is None else build_stored(row.uncertainty),
    )
