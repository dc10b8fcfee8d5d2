"""The static inputs that a model reads in a project, as the engine takes them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

import msgspec

from weighbridge.core.engine.element import StaticValue
from weighbridge.core.model import Dimension, Model, Node, StaticInput
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import ONE, compatible, parse_unit
from weighbridge.core.time.instant import Instant, Interval
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


async def statics_of(tx: Read, project: int, model: Model, used: Collection[int] | None = None) -> Statics:
    """All values of the static inputs that a model names, or those of them that were used.

    Raises Invalid for a value whose unit does not fit the node that reads it.
    """
    nodes = [(node, node.body) for node in model.nodes if isinstance(node.body, StaticInput)]
    if not nodes:
        return {}
    numbers = None if used is None else sorted(used)
    rows = await tx.rows(
        _Stored,
        """
        SELECT s.slug, s.id, s.value, s.unit, s.effective_from, a.name, f.name, l.name
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
        by_slug.setdefault(row.slug, []).append(_value(row))
    problems = [
        Problem(
            f"Node {node.slug!r} is in {node.unit} and reads the static input {body.slug!r} in {value.unit}, "
            "which count different things.",
            node.slug,
            "invalid",
        )
        for node, body in nodes
        for value in by_slug.get(body.slug, ())[:1]
        if not compatible(value.unit, node.unit)
    ]
    if problems:
        raise Invalid(problems)
    return {slug: tuple(values) for slug, values in by_slug.items()}


def problems_of_statics(model: Model, statics: Statics, slots: Sequence[Interval]) -> Iterator[Problem]:
    """Nodes that no run of the slots can give a value, because none is in force in any of them.

    `statics` are all values of the static inputs that the model names.
    """
    if not slots:
        return
    last = Instant.of(max(slot.start for slot in slots))
    for node in model.nodes:
        if not isinstance(node.body, StaticInput) or not _must_have_value(model, node, node.body):
            continue
        by, is_at_start = node.body.by, node.body.at is None
        if not any(
            _is_keyed_by(one, by) and (not is_at_start or one.effective_from <= last)
            for one in statics.get(node.body.slug, ())
        ):
            which = "" if by is None else f" for any {by}"
            when = f"in force at {last.text}" if is_at_start else "in the project"
            message = (
                f"Input {node.slug!r} reads the static input {node.body.slug!r}, "
                f"which has no value{which} {when}."
            )
            yield Problem(message, node.slug, "required")


def _must_have_value(model: Model, node: Node, body: StaticInput) -> bool:
    """Whether nothing stands in for the value: at elements, wherever there must be elements."""
    reader = node if body.at is None else model.node(body.at)
    return not reader.is_optional and reader.default is None


def _is_keyed_by(value: StaticValue, by: Dimension | None) -> bool:
    """Whether a value is one for each of a kind, and of no other kind."""
    keys = {one for one in Dimension if getattr(value, one) is not None}
    return keys == (set() if by is None else {by})


def _value(row: _Stored) -> StaticValue:
    return StaticValue(
        row.number,
        row.value,
        parse_unit(row.unit) if row.unit else ONE,
        row.effective_from,
        row.asset,
        row.feedstock,
        row.location,
    )
