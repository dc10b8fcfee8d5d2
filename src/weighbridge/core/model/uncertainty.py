"""What a document says about uncertainty: whether runs compute it, and how well its numbers are known.

The key `uncertainty` of the document asks for it, and gives the coverage probability of intervals and the
correlations of effects. The same key of a node says how well its value is known: of a constant, and of inputs
and static inputs the values that state none themselves. A table says it of its columns. What a case states is
of the values that it gives.

    uncertainty: {coverage_probability: 0.95}
    nodes:
      - {slug: factor, constant: 0.207, unit: "kg{CO2e}/kWh", uncertainty: {relative_standard: 0.05}}

Invariants: a statement that was read is complete, and its unit fits the value that it is about.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.expression import Kind, Table
from weighbridge.core.model.definition import (
    Constant,
    DocumentFlaw,
    ExpectedUncertainty,
    Input,
    Model,
    Scalar,
    Source,
    SourceMapping,
    StaticInput,
    UncertaintySetting,
)
from weighbridge.core.model.reading import Reader
from weighbridge.core.number import plain
from weighbridge.core.uncertainty.discount import PERCENTILE_BELOW, STANDARD_DEVIATIONS_MAX, Discount
from weighbridge.core.uncertainty.effects import COVERAGE_PROBABILITY, list_correlation_problems
from weighbridge.core.uncertainty.statement import UncertaintyStatement, build_statement
from weighbridge.core.unit import Unit

SETTING_KEYS: Final = ("coverage_probability", "correlations")
CORRELATION_KEYS: Final = ("between", "coefficient")
DISCOUNT_KEYS: Final = ("standard_deviations", "percentile")
EXPECTED_KEYS: Final = ("standard_uncertainty", "degrees_of_freedom")
CORRELATIONS_MAX: Final = 500
"""How many correlations a document may give."""

STATED: Final = (Constant, Input, StaticInput)
"""The bodies of nodes whose values may be uncertain by themselves; others are by what they need."""


def read_statement(reader: Reader, key: str, unit: Unit | None) -> UncertaintyStatement | None:
    """Read the uncertainty under a key, of a value in a unit; None without one, or with flaws."""
    source = reader.get(key)
    return None if source is None else read_statement_of(reader, key, source, unit)


def read_statement_of(
    reader: Reader, key: str, source: Source, unit: Unit | None
) -> UncertaintyStatement | None:
    """Read an uncertainty, of a value in a unit; None with flaws."""
    if not isinstance(source, SourceMapping):
        reader.note(f"The {key} of {reader.what} must be a mapping, such as {{standard: 0.5}}.", source.mark)
        return None
    count = len(reader.flaws)
    statement, problems = build_statement(_read_fields(source), unit)
    for problem in problems:
        field = (problem.field or "").split(".")[0]
        place = source.get(field)
        reader.note(
            f"in the {key} of {reader.what}, {_lower(problem.message)}", place.mark if place else source.mark
        )
    return statement if len(reader.flaws) == count else None


def read_column_statements(reader: Reader, table: Table) -> dict[tuple[str, str], UncertaintyStatement]:
    """Read how well what is read from the columns of a table is known."""
    statements: dict[tuple[str, str], UncertaintyStatement] = {}
    for entry in reader.entries("uncertainty"):
        index = table.column(entry.key)
        column = None if index is None else table.columns[index].type
        if column is None or column.kind is not Kind.NUMBER:
            reader.note(
                f"The uncertainty of {reader.what} names {entry.key!r}, no column of numbers.", entry.mark
            )
            continue
        statement = read_statement_of(reader, f"uncertainty.{entry.key}", entry.value, column.unit)
        if statement is not None:
            statements[table.name, entry.key] = statement
    return statements


def read_setting(reader: Reader) -> UncertaintySetting | None:
    """Read what the document asks for; None without it."""
    options = reader.reader("uncertainty", "the uncertainty of the model")
    if options is None:
        return None
    options.allow(SETTING_KEYS)
    probability = options.number("coverage_probability")
    if probability is not None and not 0 < probability < 1:
        options.note(
            "The coverage_probability must be above 0 and below 1, such as 0.95; here is"
            f" {plain(probability)}.",
            options.mark_of("coverage_probability"),
        )
        return None
    return UncertaintySetting(probability or COVERAGE_PROBABILITY, _read_correlations(options), options.mark)


def read_discount(reader: Reader) -> Discount | None:
    """Read the discount of an output; None without one, or with flaws."""
    options = reader.reader("discount", f"the discount of {reader.what}")
    if options is None:
        return None
    options.allow(DISCOUNT_KEYS)
    deviations, percentile = options.number("standard_deviations"), options.number("percentile")
    if options.has("standard_deviations") == options.has("percentile"):
        options.note(
            f"The discount of {reader.what} has either standard_deviations, such as 1, or a percentile, such"
            " as 0.05.",
            options.mark,
        )
        return None
    if deviations is not None and not 0 < deviations <= STANDARD_DEVIATIONS_MAX:
        options.note(
            f"The standard_deviations of a discount must be above 0 and at most {STANDARD_DEVIATIONS_MAX};"
            f" here is {plain(deviations)}.",
            options.mark_of("standard_deviations"),
        )
        return None
    if percentile is not None and not 0 < percentile < PERCENTILE_BELOW:
        options.note(
            f"The percentile of a discount must be above 0 and below {PERCENTILE_BELOW}, such as 0.05; here"
            f" is {plain(percentile)}.",
            options.mark_of("percentile"),
        )
        return None
    is_read = deviations is not None or percentile is not None
    return Discount(deviations, percentile) if is_read else None


def read_expected(reader: Reader, key: str, source: Source) -> ExpectedUncertainty | None:
    """Read what a case expects of the uncertainty of a node: a number, or a mapping."""
    if not isinstance(source, SourceMapping):
        number = reader.number_of(key, source)
        return None if number is None else ExpectedUncertainty(number)
    options = Reader(source, f"{key} of {reader.what}", reader.flaws)
    options.allow(EXPECTED_KEYS)
    uncertainty = options.number("standard_uncertainty", is_required=True)
    degrees = options.number("degrees_of_freedom")
    return None if uncertainty is None else ExpectedUncertainty(uncertainty, degrees)


def read_case_statements(reader: Reader, units: Mapping[str, Unit]) -> dict[str, UncertaintyStatement]:
    """Read what a case states of the values that it gives, by node."""
    statements = {
        entry.key: read_statement_of(reader, f"uncertainties.{entry.key}", entry.value, units.get(entry.key))
        for entry in reader.entries("uncertainties")
    }
    return {slug: statement for slug, statement in statements.items() if statement is not None}


def check_uncertainty(model: Model) -> Iterator[DocumentFlaw]:
    """Find statements of what has none, and correlations that contradict one another."""
    for node in model.nodes:
        if node.uncertainty is not None and not isinstance(node.body, STATED):
            yield DocumentFlaw(
                f"{node.slug} has an uncertainty, which only constants, inputs and static inputs state; that"
                " of others is computed.",
                node.mark,
                node.slug,
            )
        if node.discount is not None and node not in model.outputs:
            yield DocumentFlaw(
                f"{node.slug} has a discount and is no output; a discount is of what a ledger keeps.",
                node.mark,
                node.slug,
            )
        elif node.discount is not None and model.uncertainty is None:
            yield DocumentFlaw(
                f"{node.slug} has a discount, which follows from its uncertainty; give the model the key"
                " uncertainty, too.",
                node.mark,
                node.slug,
            )
    if model.uncertainty is None:
        return
    for problem in list_correlation_problems(model.uncertainty.correlations):
        yield DocumentFlaw(f"In the uncertainty of the model: {problem.message}", model.uncertainty.mark)


def list_effects(model: Model) -> set[str]:
    """Return the names of what a model states; its correlations may name effects of a project's data, too."""
    nodes = {node.slug for node in model.nodes if isinstance(node.body, STATED)}
    statements = [
        *(node.uncertainty for node in model.nodes),
        *model.table_uncertainties.values(),
        *(statement for case in model.cases for statement in case.uncertainties.values()),
    ]
    return nodes | {statement.effect for statement in statements if statement and statement.effect}


def _read_correlations(options: Reader) -> tuple[tuple[str, str, Decimal], ...]:
    items = options.items("correlations")
    if len(items) > CORRELATIONS_MAX:
        options.note(f"A model gives at most {CORRELATIONS_MAX} correlations.", code="limit")
        return ()
    correlations = []
    for index, item in enumerate(items, 1):
        if not isinstance(item, SourceMapping):
            options.note(f"Correlation {index} must be a mapping with between and coefficient.", item.mark)
            continue
        reader = Reader(item, f"correlation {index}", options.flaws)
        reader.allow(CORRELATION_KEYS)
        names = [name.text for name in reader.items("between", is_required=True) if isinstance(name, Scalar)]
        coefficient = reader.number("coefficient", is_required=True)
        if len(names) != 2:
            reader.note("The between of a correlation lists two names of effects or nodes.")
        elif coefficient is not None:
            correlations.append((names[0], names[1], coefficient))
    return tuple(correlations)


def _read_fields(source: SourceMapping) -> dict[str, Any]:
    return {entry.key: _read_field(entry.value) for entry in source.entries}


def _read_field(value: Source) -> Any:
    match value:
        case Scalar(value=content):
            return content
        case SourceMapping():
            return _read_fields(value)
    return [_read_field(item) for item in value.items]


def _lower(message: str) -> str:
    """A sentence that goes on after a comma; it may begin with a key, which stays as it is."""
    return message[:1].lower() + message[1:]
