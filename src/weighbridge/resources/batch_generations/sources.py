"""A source is a set of events that some inputs of a model read alike: one event type, one filter.

Resolving a model against a project finds the event types and data point types that its inputs name, and
checks that their units can be converted; every input that cannot be served is named at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.core.model import Aggregate, Filter, Input, Model, Node
from weighbridge.core.problem import Problem
from weighbridge.core.unit import ONE, Unit, compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.resources.batch_generations.where import Column, Columns, condition


@dataclass(frozen=True, slots=True)
class ReadValue:
    """What one input node reads of each event, and how it is aggregated."""

    node: str
    aggregate: Aggregate
    column: Column
    unit: Unit
    weight: Column | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Events of one type that pass one filter, with everything that is read of them."""

    number: int
    event_type: int
    event_type_slug: str
    where: Composable
    reads: tuple[ReadValue, ...]

    @property
    def node_slugs(self) -> tuple[str, ...]:
        """The nodes that read this source."""
        return tuple(read.node for read in self.reads)

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that are read of each event, weights included."""
        columns = [column for read in self.reads for column in (read.column, read.weight) if column]
        return tuple(sorted({column.position for column in columns}))


class _DataPointType(msgspec.Struct, frozen=True):
    event_type: str
    event_type_number: int
    slug: str
    position: int
    value_type: str
    unit: str | None


Catalogue = Mapping[str, Mapping[str, _DataPointType]]
"""Data point types by the slugs of their event type and their own."""


async def resolve(tx: Read, project: int, model: Model) -> tuple[Source, ...]:
    """Find what the inputs of a model read in a project; raise Invalid naming each that finds nothing."""
    rows = await tx.rows(
        _DataPointType,
        """
        SELECT et.slug, et.id, dpt.slug, dpt.position, dpt.value_type, dpt.unit
          FROM event_types et
          JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s ORDER BY et.id, dpt.position
        """,
        (project,),
    )
    catalogue: dict[str, dict[str, _DataPointType]] = {}
    for row in rows:
        catalogue.setdefault(row.event_type, {})[row.slug] = row
    inputs = [(node, node.body) for node in model.nodes if isinstance(node.body, Input)]
    problems = [problem for node, body in inputs for problem in _problems(node, body, catalogue)]
    if problems:
        raise Invalid(problems)
    return tuple(_sources(inputs, catalogue))


def matching(source: Source) -> Composable:
    """The complete events of a source as a table `e`; takes the parameters project and event_type."""
    return SQL("""(
        SELECT e.* FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s
           AND e.is_complete AND e.voided_at IS NULL AND {where}
    ) AS e""").format(where=source.where)


def _sources(inputs: list[tuple[Node, Input]], catalogue: Catalogue) -> Iterator[Source]:
    alike: dict[tuple[str, Filter | None], list[tuple[Node, Input]]] = {}
    for node, body in inputs:
        alike.setdefault((body.event_type, body.where), []).append((node, body))
    for number, ((event_type, where), readers) in enumerate(alike.items(), start=1):
        points = catalogue[event_type]
        yield Source(
            number=number,
            event_type=next(iter(points.values())).event_type_number,
            event_type_slug=event_type,
            where=condition(where.tree, _columns(points)) if where else SQL("true"),
            reads=tuple(_read(node, body, points) for node, body in readers),
        )


def _read(node: Node, body: Input, points: Mapping[str, _DataPointType]) -> ReadValue:
    point = points[body.data_point_type]
    columns = _columns(points)
    weight = columns[body.weight] if body.weight else None
    return ReadValue(node.slug, body.aggregate, columns[point.slug], _unit(point), weight)


def _problems(node: Node, body: Input, catalogue: Catalogue) -> Iterator[Problem]:
    points = catalogue.get(body.event_type)
    if points is None:
        yield _problem(node, f"reads the event type {body.event_type!r}, which the project does not have")
        return
    for slug in filter(None, (body.data_point_type, body.weight)):
        point = points.get(slug)
        if point is None:
            has = ", ".join(points)
            yield _problem(node, f"reads {slug!r} of {body.event_type!r}, which has the data points {has}")
        elif point.value_type != "number" and body.aggregate is not Aggregate.COUNT:
            yield _problem(
                node, f"reads {slug!r} of {body.event_type!r}, which is a {point.value_type}, no number"
            )
    point = points.get(body.data_point_type)
    if not point or point.value_type != "number" or body.aggregate is Aggregate.COUNT:
        return
    if not compatible(_unit(point), node.unit):
        yield _problem(
            node,
            f"is in {node.unit} and reads {point.slug!r} in {point.unit or 'no unit'}, "
            "which count different things",
        )


def _problem(node: Node, fact: str) -> Problem:
    return Problem(f"Input {node.slug!r} {fact}.", node.slug, "invalid")


def _unit(point: _DataPointType) -> Unit:
    return parse_unit(point.unit) if point.unit else ONE


def _columns(points: Mapping[str, _DataPointType]) -> Columns:
    return {point.slug: Column(point.position, point.value_type) for point in points.values()}
