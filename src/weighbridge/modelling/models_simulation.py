"""Describe, compare and simulate versions of a model; nothing is stored.

Read in this order: the difference of two versions, the schema of inputs and outputs, the simulation.

Invariants: all problems of a simulation are reported at once. A simulation costs at most COST_MAX
operations.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from weighbridge.collection.records.uncertainty import StatedUncertainty, build_stated, find_problems
from weighbridge.core import identity
from weighbridge.core.engine import GivenValues, Trial, add_attributes, try_out
from weighbridge.core.expression import FUNCTIONS, Budget, ExpressionError
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model import (
    COMPUTED_KINDS,
    NODE_KINDS,
    Aggregate,
    Amount,
    Case,
    DocumentChange,
    Input,
    Model,
    Node,
    StaticInput,
    Surroundings,
    Upstream,
    VersionDifference,
    compare_versions,
    list_equations,
    list_required_features,
    prepare,
    show,
)
from weighbridge.core.number import CONTEXT, NumberError, limit_number
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.time.calendar import (
    BEYOND_CALENDAR,
    Instant,
    Interval,
    count_days,
    count_hours,
    is_beyond_calendar,
)
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import Unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, Malformed
from weighbridge.modelling.documents import find_owned_model, read_model, read_surroundings
from weighbridge.modelling.records import (
    Change,
    ChangedNode,
    Difference,
    ModelName,
    NodeUncertainty,
    NodeValue,
    Schema,
    SchemaInput,
    SchemaOutput,
    Simulated,
    Simulation,
)

# The difference of two versions, node by node, as it goes on the wire.


async def compare(tx: Read, actor: Actor, before: str, query: Sequence[tuple[str, str]]) -> Difference:
    """What differs from a version to the one that the query names by `to`."""
    named = [value for name, value in query if name == "to"]
    if len(named) != 1:
        raise Malformed([Problem("to is required: the id of the other version, once.", "to", "required")])
    versions = [await find_owned_model(tx, actor, one) for one in (before, named[0])]
    difference = await tx.in_thread(_compare_documents, versions[0].document, versions[1].document)
    return Difference(
        before,
        named[0],
        list(difference.added),
        list(difference.removed),
        [ChangedNode(slug, list_plain_changes(changes)) for slug, changes in difference.changed.items()],
        list_plain_changes(difference.settings),
    )


def _compare_documents(before: str, after: str) -> VersionDifference:
    return compare_versions(read_model(before), read_model(after))


def list_plain_changes(changes: Sequence[DocumentChange]) -> list[Change]:
    """Changes of a document as JSON can hold them."""
    return [Change(change.key, _show_value(change.before), _show_value(change.after)) for change in changes]


def _show_value(value: object) -> object:
    """What JSON can hold of a value, without the options that are not set."""
    match value:
        case Mapping():
            return {key: _show_value(inner) for key, inner in value.items() if inner is not None}
        case list() | tuple():
            return [_show_value(inner) for inner in value]
        case Unit(text=text):
            return text
    return value


# The schema of a model: what it takes from outside, what it gives, and a simulation to begin with.


OPERATORS: Final = (
    *("add", "subtract", "multiply", "divide", "power", "negate"),
    *("equal", "not_equal", "less", "less_or_equal", "greater", "greater_or_equal"),
    *("and", "or", "not", "between", "in", "is_null"),
    *("contains", "starts_with", "ends_with", "matches"),
)
"""What formulas can do beside calling functions."""

_EXAMPLE: Final = (datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC))


async def build_schema(tx: Read, actor: Actor, friendly: str) -> Schema:
    """Describe a version to someone who has to feed it or to read its results."""
    version = await find_owned_model(tx, actor, friendly)
    model = await tx.in_thread(read_model, version.document)
    return Schema(
        ModelName(identity.of("model", 0, version.id), version.name, version.version),
        [_build_input(node) for node in model.nodes if find_body_key(node) not in COMPUTED_KINDS],
        [_build_output(number, node, model) for number, node in enumerate(model.outputs, 1)],
        list(OPERATORS),
        sorted(FUNCTIONS),
        _build_example(model),
    )


def find_body_key(node: Node) -> str:
    """The key of the document under which a node's body stands."""
    return NODE_KINDS[type(node.body)]


def find_outside_slug(node: Node) -> str:
    """What a node's value is called outside the model: the slug of its data point type or static input."""
    match node.body:
        case Input(data_point_type=slug) | StaticInput(slug=slug):
            return slug
    return node.slug


def is_array(node: Node) -> bool:
    """Whether a node takes one value for each event or draw."""
    match node.body:
        case Input() as body:
            return body.is_array
        case StaticInput(at=at):
            return at is not None
    return isinstance(node.body, Upstream)


def is_array_of_events(node: Node) -> bool:
    """Whether a node takes one value for each event, so that its elements have durations."""
    return isinstance(node.body, Input) and node.body.is_array


def list_given_names(node: Node) -> Iterator[str]:
    """The names under which a simulation gives a node its values: its slug, and its attributes."""
    yield node.slug
    if isinstance(node.body, Upstream):
        yield from (f"{node.slug}.{attribute}" for attribute in node.body.attributes)


def _build_input(node: Node) -> SchemaInput:
    body = node.body if isinstance(node.body, Input) else None
    return SchemaInput(
        slug=find_outside_slug(node),
        node=node.slug,
        name=node.label,
        type="numeric",
        unit=node.unit.text,
        description=node.description,
        kind=find_body_key(node),
        event_type=body.event_type if body else None,
        aggregate=str(body.aggregate) if body else None,
        is_array=is_array(node),
        is_required=not node.is_optional and node.default is None,
        default=node.default,
    )


def _build_output(number: int, node: Node, model: Model) -> SchemaOutput:
    return SchemaOutput(
        id=number,
        slug=node.slug,
        name=node.label,
        unit=node.unit.text,
        ghg=node.tags.get("ghg"),
        lca_role=node.tags.get("lca_role"),
        category=node.tags.get("category"),
        is_primary=node.slug == model.primary_output,
    )


def _build_example(model: Model) -> Simulation:
    """A simulation with a value for every input: those of a case that names them all, else ones."""
    ones: dict[str, Any] = {
        name: [Decimal(1)] if is_array(node) else Decimal(1)
        for node in model.nodes
        if find_body_key(node) not in COMPUTED_KINDS
        for name in list_given_names(node)
    }
    partition = {dimension: f"a {dimension}" for dimension in DIMENSIONS[model.partition_type]}
    case = next((case for case in model.cases if case.inputs.keys() >= ones.keys()), None)
    if case is not None:
        return _build_example_from_case(case, partition)
    asks = "function:duration_hours" in list_required_features(model)
    durations = {node.slug: [Decimal(1)] for node in model.nodes if asks and is_array_of_events(node)}
    return Simulation(ones, *_EXAMPLE, partition=partition, durations=durations)


def _build_example_from_case(case: Case, partition: dict[str, str]) -> Simulation:
    given = {name: write_amount(value) for name, value in case.inputs.items()}
    durations = {slug: list(hours) for slug, hours in case.durations.items()}
    return Simulation(given, *_EXAMPLE, partition=partition | dict(case.partition), durations=durations)


# A simulation computes a version once, from values that the caller gives; nothing is stored.
#
# A value is named by the slug of its node, or by that of its data point type or static input, and is in the
# unit of the node. A list given to an input that is one number is aggregated as its events would be.
#
# Invariants: everything that is wrong with what was given is said at once; a simulation costs at most
# COST_MAX operations.


COST_MAX: Final = 2_000_000
"""How many operations a simulation may cost."""

VALUES_MAX: Final = 100_000
"""Values that a simulation takes, those of all inputs and durations together."""

PROBLEMS_MAX: Final = 100
"""Problems of a simulation that are said at once."""

Numbers = Decimal | list[Decimal]


async def simulate(tx: Read, actor: Actor, friendly: str, request: Simulation) -> Simulated:
    """Compute a version with the values given; Invalid with everything that keeps it from being computed."""
    if request.end_time <= request.start_time:
        raise Invalid([Problem("end_time is not after start_time.", "end_time", "invalid")])
    if (count := _count(request)) > VALUES_MAX:
        message = f"inputs and durations hold {count:,} values; a simulation takes {VALUES_MAX:,} at most."
        raise Invalid([Problem(message, "inputs", "too_many")])
    start, end = Instant.of(request.start_time), Instant.of(request.end_time)
    version = await find_owned_model(tx, actor, friendly)
    surroundings = await read_surroundings(tx, version.project, version.document, is_final=False)
    slot, zone = Interval(start, end), await _read_zone(tx, version.project)
    if is_beyond_calendar(slot, zone):
        raise Invalid([Problem(BEYOND_CALENDAR, "start_time", "invalid")])
    lengths = count_days(slot, zone), count_hours(slot)
    primary, values = await tx.in_thread(_compute_nodes, version.document, surroundings, request, lengths)
    nodes = {value.slug: value for value in values}
    name = ModelName(identity.of("model", 0, version.id), version.name, version.version)
    return Simulated(name, start, end, nodes[primary], values)


def _count(request: Simulation) -> int:
    given = [*request.inputs.values(), *request.durations.values()]
    return sum(len(value) if isinstance(value, list) else 1 for value in given)


async def _read_zone(tx: Read, project: int | None) -> tzinfo:
    """The clock of a model's project, by which days are counted; outside projects UTC."""
    if project is None:
        return UTC
    return ZoneInfo(await tx.value("SELECT time_zone FROM projects WHERE id = %s", (project,)))


def _compute_nodes(
    document: str, surroundings: Surroundings, request: Simulation, lengths: tuple[Decimal, Decimal]
) -> tuple[str, list[NodeValue]]:
    """The primary output's slug, and the value of every node in the order of the document.

    The lengths are those of the period, in days and hours.
    """
    model = read_model(document)
    problems: list[Problem] = []
    inputs = _read_inputs(model, request.inputs, problems)
    durations = _read_durations(model, request.durations, problems)
    statements = _read_statements(model, request.uncertainties, problems)
    problems += _check_partition(model, request.partition)
    problems += _check_missing(model, inputs, problems)
    if problems:
        raise Invalid(problems)
    given = GivenValues(
        {name: tuple(value) if isinstance(value, list) else value for name, value in inputs.items()},
        request.partition,
        durations,
        *lengths,
        statements,
    )
    try:
        prepared = prepare(model, surroundings)
    except ExpressionError as error:
        raise Invalid([Problem(error.message, None, "not_computable")]) from None
    trial = try_out(prepared, given, budget=Budget(COST_MAX))
    if trial.problems:
        raise Invalid(limit_problems(trial.problems, PROBLEMS_MAX))
    results = trial.values
    shown = list_equations(prepared, add_attributes(results, given), request.partition)
    lines = {one.slug: one for one in shown}
    outputs = {node.slug for node in model.outputs}
    return model.primary_output, [
        NodeValue(
            slug=node.slug,
            name=node.label,
            kind=find_body_key(node),
            unit=node.unit.text,
            value=write_amount(results[node.slug]),
            equation=lines[node.slug].written if node.slug in lines else None,
            filled=lines[node.slug].filled if node.slug in lines else None,
            result=show(results[node.slug], node.unit),
            is_output=node.slug in outputs,
            uncertainty=_build_uncertainty(model, node, trial),
        )
        for node in model.nodes
    ]


def _build_uncertainty(model: Model, node: Node, trial: Trial) -> NodeUncertainty | None:
    value, found = trial.values[node.slug], (trial.uncertainties or {}).get(node.slug)
    if model.uncertainty is None or found is None or not isinstance(value, Decimal):
        return None
    combined, probability = found.combine(), model.uncertainty.coverage_probability
    expanded = combined.compute_expanded_uncertainty(probability)
    discount = trial.discounts.get(node.slug)
    return NodeUncertainty(
        standard_uncertainty=combined.standard_uncertainty,
        degrees_of_freedom=combined.degrees_of_freedom,
        coverage_probability=probability,
        low=CONTEXT.subtract(value, expanded),
        high=CONTEXT.add(value, expanded),
        credited_amount=None if discount is None else CONTEXT.subtract(value, discount),
    )


def _read_statements(
    model: Model, given: Mapping[str, StatedUncertainty], problems: list[Problem]
) -> dict[str, UncertaintyStatement]:
    """What is stated of the values of nodes; what is wrong is added to the problems."""
    statements: dict[str, UncertaintyStatement] = {}
    for slug, stated in given.items():
        field, node = f"uncertainties.{slug}", model.by_slug.get(slug)
        if node is None or not isinstance(node.body, Input | StaticInput):
            taking = [one.slug for one in model.nodes if isinstance(one.body, Input | StaticInput)]
            message = f"{field} must name an input or a static input: one of {', '.join(taking) or 'none'}."
            problems.append(Problem(message, field, "unknown"))
            continue
        problems += find_problems(stated, field, node.unit)
        statement, _ = build_stated(stated)
        if statement is not None:
            statements[slug] = statement
    return statements


def _read_inputs(model: Model, given: Mapping[str, Any], problems: list[Problem]) -> dict[str, Numbers]:
    """The values by the names that the engine knows; what is wrong is added to the problems."""
    inputs: dict[str, Numbers] = {}
    for key, value in given.items():
        names = _find_names(model, key)
        field = f"inputs.{key}"
        if isinstance(names, str):
            problems.append(Problem(names, field, "unknown"))
            continue
        try:
            numbers = _parse_numbers(value)
        except NumberError as error:
            problems.append(Problem(f"{field}: {error}", field, "invalid"))
            continue
        for name in names:
            if name in inputs:
                problems.append(Problem(f"{field} gives {name} a second value.", field, "twice"))
            # One value for the data points of several inputs is one data point, which each aggregates.
            inputs[name] = [numbers] if len(names) > 1 and isinstance(numbers, Decimal) else numbers
    return inputs


def _find_names(model: Model, key: str) -> list[str] | str:
    """The names that a key stands for, or why it stands for none."""
    taking = [node for node in model.nodes if find_body_key(node) not in COMPUTED_KINDS]
    own = [name for node in taking for name in list_given_names(node)]
    if key in own:
        return [key]
    nodes = [node for node in taking if find_outside_slug(node) == key]
    if not nodes:
        allowed = ", ".join(dict.fromkeys([*own, *(find_outside_slug(node) for node in taking)]))
        return f"The model takes no {key!r}; it takes {allowed or 'nothing'}."
    if not _are_alike(nodes):
        slugs = ", ".join(node.slug for node in nodes)
        return f"{key!r} may mean the values of {slugs}, which differ; name the nodes."
    return [node.slug for node in nodes]


def _are_alike(nodes: Sequence[Node]) -> bool:
    """Whether nodes read the same data points in the same unit, of which a count has none."""
    sources = {
        node.body.event_type if isinstance(node.body, Input) else find_body_key(node) for node in nodes
    }
    units = {
        node.unit
        for node in nodes
        if not isinstance(node.body, Input) or node.body.aggregate is not Aggregate.COUNT
    }
    return len(sources) == 1 and len(units) < 2


def _check_missing(model: Model, inputs: Mapping[str, Numbers], problems: Sequence[Problem]) -> list[Problem]:
    """The inputs that need a value and have none; silent while other values could not be read."""
    if problems:
        return []
    return [
        Problem(
            f"{name} has no value; give it as {name!r}"
            + (f" or {find_outside_slug(node)!r}." if find_outside_slug(node) != node.slug else "."),
            f"inputs.{name}",
            "required",
        )
        for node in model.nodes
        if find_body_key(node) not in COMPUTED_KINDS and not node.is_optional and node.default is None
        for name in list_given_names(node)
        if name not in inputs
    ]


def _read_durations(
    model: Model, given: Mapping[str, Any], problems: list[Problem]
) -> dict[str, tuple[Decimal, ...]]:
    arrays = [node.slug for node in model.nodes if is_array_of_events(node)]
    durations: dict[str, tuple[Decimal, ...]] = {}
    for slug, value in given.items():
        field = f"durations.{slug}"
        if slug not in arrays:
            allowed = ", ".join(arrays) or "no input"
            problems.append(Problem(f"{field}: {allowed} has durations.", field, "unknown"))
            continue
        try:
            hours = _parse_numbers(value)
        except NumberError as error:
            problems.append(Problem(f"{field}: {error}", field, "invalid"))
            continue
        durations[slug] = tuple(hours) if isinstance(hours, list) else (hours,)
    return durations


def _check_partition(model: Model, given: Mapping[str, str]) -> Iterator[Problem]:
    dimensions = DIMENSIONS[model.partition_type]
    for name in given:
        if name not in dimensions:
            have = ", ".join(dimensions) or "no dimensions"
            message = f"partition.{name}: a partition of type {model.partition_type} has {have}."
            yield Problem(message, f"partition.{name}", "unknown")


def _parse_numbers(value: Any) -> Numbers:
    """A number, or a list of numbers, as JSON brought them; NumberError says what else came."""
    if isinstance(value, list):
        return [_parse_number(one) for one in value]
    return _parse_number(value)


def _parse_number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise NumberError("a number or a list of numbers goes here.")
    return limit_number(Decimal(value))


def write_amount(value: Amount) -> Decimal | list[Decimal] | None:
    """Return an amount as JSON has it: one number, or a list of those of an array."""
    return list(value) if isinstance(value, tuple) else value
