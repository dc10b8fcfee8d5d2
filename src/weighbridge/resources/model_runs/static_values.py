"""The static inputs that a model run reads: the values of its project in force when its period starts.

With `at` there is a value for each element of an input, in force at its start; with `by` the value is that
of the element's asset, feedstock or location, or of the one that all events of the run share.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core.instant import Instant, Interval
from weighbridge.core.model import Dimension, Model, Node, StaticInput
from weighbridge.core.problem import Problem
from weighbridge.core.unit import ONE, compatible, convert, parse_unit
from weighbridge.db.engine import Read
from weighbridge.resources.model_runs.readings import GivenEvent, Readings

_DIMENSIONS: Final = tuple(str(dimension) for dimension in Dimension)


class _StaticValue(msgspec.Struct, frozen=True):
    slug: str
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset: int | None
    feedstock: int | None
    location: int | None

    def is_of(self, key: Mapping[str, int | None]) -> bool:
        return all(getattr(self, name) == key.get(name) for name in _DIMENSIONS)


async def static_values(
    tx: Read, project: int, model: Model, readings: Readings, period: Interval
) -> tuple[dict[str, Decimal | list[Decimal]], list[Problem]]:
    """The value of every static input of a model, and why one has none."""
    wanted = [(node, node.body) for node in model.nodes if isinstance(node.body, StaticInput)]
    rows = await tx.rows(
        _StaticValue,
        """
        SELECT slug, value, unit, effective_from, asset_id, feedstock_id, location_id
          FROM static_inputs WHERE project_id = %s AND slug = ANY (%s) ORDER BY effective_from, id
        """,
        (project, sorted({body.slug for _, body in wanted})),
    )
    found: dict[str, Decimal | list[Decimal]] = {}
    problems: list[Problem] = []
    for node, body in wanted:
        own = [row for row in rows if row.slug == body.slug]
        try:
            value = _value(node, body, own, readings, period)
        except _NoValueError as error:
            stands_in = node.is_optional or node.default is not None
            if error.problem.code != "required" or not stands_in:
                problems.append(error.problem)
        else:
            found[node.slug] = value
    return found, problems


class _NoValueError(Exception):
    """A static input has no value; where only that is missing, a default or an optional node goes on."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def _value(
    node: Node, body: StaticInput, rows: Sequence[_StaticValue], readings: Readings, period: Interval
) -> Decimal | list[Decimal]:
    if body.at is not None:
        elements = readings.get(body.at, ())
        return [
            _in_force(node, body, rows, element.event.time.start, _key(body, element.event))
            for element in elements
        ]
    key = {} if body.by is None else {str(body.by): _shared(node, body, readings)}
    value = _in_force(node, body, rows, period.start, key)
    for row in rows:
        if row.is_of(key) and period.start < row.effective_from < period.end and _in(row, node) != value:
            moment = row.effective_from.text
            raise _NoValueError(_problem(node, body, f"changes at {moment}, inside the period", "changes"))
    return value


def _in_force(
    node: Node,
    body: StaticInput,
    rows: Sequence[_StaticValue],
    moment: datetime,
    key: Mapping[str, int | None],
) -> Decimal:
    for row in reversed(rows):
        if row.effective_from <= moment and row.is_of(key):
            return _in(row, node)
    of = f" for its {body.by}" if body.by else ""
    said = f"has no value{of} in force at {Instant.of(moment).text}"
    raise _NoValueError(_problem(node, body, said, "required"))


def _in(row: _StaticValue, node: Node) -> Decimal:
    unit = ONE if row.unit is None else parse_unit(row.unit)
    if not compatible(unit, node.unit):
        message = (
            f"Node {node.slug!r} is in {node.unit} and the static input {row.slug!r} in "
            f"{row.unit or 'no unit'}, which count different things."
        )
        raise _NoValueError(Problem(message, node.slug, "invalid"))
    return convert(row.value, unit, node.unit)


def _key(body: StaticInput, event: GivenEvent) -> dict[str, int | None]:
    return {} if body.by is None else {str(body.by): event.tags[body.by]}


def _shared(node: Node, body: StaticInput, readings: Readings) -> int:
    """The one asset, feedstock or location that the events of the run name."""
    assert body.by is not None  # noqa: S101 - asked for by its caller only
    events = {element.event.number: element.event for elements in readings.values() for element in elements}
    named = {event.tags[body.by] for event in events.values()} - {None}
    if len(named) == 1:
        return next(_numbers(named))
    said = f"goes by {body.by}, of which the events of the run name {len(named)}"
    raise _NoValueError(_problem(node, body, said, "required"))


def _numbers(named: set[int | None]) -> Iterator[int]:
    yield from (one for one in named if one is not None)


def _problem(node: Node, body: StaticInput, fact: str, code: str) -> Problem:
    return Problem(f"Node {node.slug!r}: the static input {body.slug!r} {fact}.", node.slug, code)
