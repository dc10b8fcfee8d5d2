"""A model is a methodology that runs: nodes, each with a unit and one way to get its value.

First the tree of a model document as it was written: the line and column of each part, and the validation
errors found in it. A validation error is a full sentence with its place; reading collects them and never
stops at the first.

Then the model itself. A node is an input (data points, aggregated), a static input, a constant, a draw from
another ledger, that ledger's balance, or a formula over other nodes. Versions are immutable, so these values
are.

Invariants: slugs are unique; a model in which `check_model` finds no error has an order, its units fit, and
its primary output is one number.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

from weighbridge.core.expression import Expression, ExpressionError, Table, names
from weighbridge.core.expression.tree import FunctionCall, walk
from weighbridge.core.ledger.allocation import SHARE_PLACES_DEFAULT
from weighbridge.core.ledger.drawing import DrawOrder
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.discount import Discount
from weighbridge.core.uncertainty.effects import COVERAGE_PROBABILITY
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import Unit

# A source is the tree of a model document as it was written, with the line and column of each part.
#
# Invariants: lines and columns count from 1; a mapping has no key twice; a scalar keeps the text that was
# written with its value, and only an unquoted scalar is anything but text.


@dataclass(frozen=True, slots=True)
class SourceMark:
    """A place in the document."""

    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True)
class SourceExtent:
    """Where a part stands in the text: its first character, the one after its last, and how it is written.

    The style of a text is empty or its first character (a quote, `|`, `>`); that of a list or mapping is
    `[` where it is in brackets and `-` where its indentation says what belongs to it.
    """

    start: int = 0
    end: int = 0
    style: str = ""

    @property
    def is_bracketed(self) -> bool:
        return self.style == "["


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value: text, a decimal, true or false, or nothing."""

    value: str | Decimal | bool | None
    text: str
    mark: SourceMark = field(default=SourceMark(), compare=False)
    is_plain: bool = field(default=True, compare=False)
    """Whether the text is on one line of the document, character for character, from the mark on."""
    extent: SourceExtent = field(default=SourceExtent(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SourceListing:
    """Items in order."""

    items: tuple["Source", ...]
    mark: SourceMark = field(default=SourceMark(), compare=False)
    extent: SourceExtent = field(default=SourceExtent(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A key and its value in the document."""

    key: str
    value: "Source"
    mark: SourceMark = field(default=SourceMark(), compare=False)
    written: Scalar = field(default=Scalar("", ""), compare=False, repr=False)
    """The key as it is written."""


@dataclass(frozen=True, slots=True)
class SourceMapping:
    """Entries by key, in the order they are written."""

    entries: tuple[SourceEntry, ...]
    mark: SourceMark = field(default=SourceMark(), compare=False)
    extent: SourceExtent = field(default=SourceExtent(), compare=False, repr=False)

    def get(self, key: str) -> "Source | None":
        """Return the value of a key."""
        return next((entry.value for entry in self.entries if entry.key == key), None)


Source = Scalar | SourceListing | SourceMapping


def describe(source: Source) -> str:
    """Say what a source is, for a refusal."""
    match source:
        case SourceMapping():
            return "a mapping"
        case SourceListing():
            return "a list"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str()):
            return f"the text {source.text[:40]!r}"
        case Scalar():
            return source.text


# A flaw is one thing that is wrong with a model document: a full sentence, and where it is.
#
# Invariants: checks collect flaws and never stop at the first, but after FLAWS_MAX; flaws are listed from
# top to bottom.


FLAWS_MAX: Final = 100
"""How many flaws are looked for; a document with more is not worth the time."""


@dataclass(frozen=True, slots=True)
class DocumentFlaw:
    """What is wrong, its place, the node it is about, and a word that a program may switch on."""

    message: str
    mark: SourceMark
    node: str | None = None
    code: str = "invalid"

    @property
    def line(self) -> int:
        return self.mark.line

    @property
    def column(self) -> int:
        return self.mark.column

    def __str__(self) -> str:
        return f"{self.mark}: {self.message}"

    def problem(self, field: str = "yaml") -> Problem:
        """The flaw as a problem of the request that carries the document in a field."""
        return Problem(f"At {self}", field, self.code)


class ModelError(ValueError):
    """A document is no model; carries every flaw."""

    def __init__(self, flaws: Iterable[DocumentFlaw]) -> None:
        self.flaws = order_flaws(flaws)
        super().__init__("\n".join(str(flaw) for flaw in self.flaws))


def order_flaws(flaws: Iterable[DocumentFlaw]) -> tuple[DocumentFlaw, ...]:
    """Flaws from top to bottom, each once, and no more than FLAWS_MAX."""
    sorted_flaws = sorted(dict.fromkeys(flaws), key=lambda flaw: (flaw.line, flaw.column, flaw.message))
    return tuple(sorted_flaws[:FLAWS_MAX])


def build_expression_flaw(error: ExpressionError, text: Scalar, key: str, node: str) -> DocumentFlaw:
    """Build the validation error of an expression under a key of a node."""
    mark, position = text.mark, error.position
    if text.is_plain and position.line == 1:
        mark = SourceMark(mark.line, mark.column + position.column - 1)
    return DocumentFlaw(f"In the {key} of {node}, at {position}: {error.message}", mark, node, "expression")


Amount = Decimal | tuple[Decimal, ...] | None
"""What a node comes to: a number, an array of them, or None when it is optional and had no data."""


class Aggregate(StrEnum):
    """How the data points of an input become its value."""

    SUM = "sum"
    AVERAGE = "average"
    TIME_WEIGHTED = "time_weighted"
    MIN = "min"
    MAX = "max"
    COUNT = "count"
    FIRST = "first"
    LAST = "last"
    MEDIAN = "median"
    DELTA = "delta"
    VALUES = "values"


class Share(StrEnum):
    """How data without the partition's dimension count for the partitions that run."""

    EVEN = "even"
    BY = "by"
    REPEAT = "repeat"


class BoundaryPolicy(StrEnum):
    """What becomes of an event that lies across a slot's boundary."""

    REPORT = "report"
    PRORATE = "prorate"
    START = "start"
    END = "end"


class Dimension(StrEnum):
    """What keys a static input."""

    ASSET = "asset"
    FEEDSTOCK = "feedstock"
    LOCATION = "location"


SHAREABLE: Final = frozenset({Aggregate.SUM, Aggregate.COUNT, Aggregate.DELTA})
"""Aggregates of amounts, which may be divided over partitions; all others are repeated."""

JOINED_ON: Final = ("tracking_id", "interval")
"""Keys that events may be joined on, in addition to a text data point."""

FULL_COVERAGE: Final = Decimal(100)
NO_COVERAGE: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The condition of a `where`: over asset, location, feedstock, tracking_id and data point slugs."""

    tree: Expression
    written: Scalar = field(compare=False)


@dataclass(frozen=True, slots=True)
class Join:
    """Elements matched to those of another input, one to one or many to one.

    `on` is `tracking_id`, `interval`, or the slug of a text data point.
    """

    to: str
    on: str


@dataclass(frozen=True, slots=True)
class Input:
    """Data points of one type, aggregated."""

    event_type: str
    data_point_type: str
    aggregate: Aggregate
    weight: str | None = None
    is_partitioning: bool = False
    share_written: Share | None = None
    share_by: str | None = None
    straddle: BoundaryPolicy = BoundaryPolicy.REPORT
    where: EventFilter | None = None
    join: Join | None = None
    is_any_period: bool = False
    coverage: Decimal | None = None
    """Percent of the slot that must be covered; None when the event type's cadence decides."""

    @property
    def is_array(self) -> bool:
        return self.aggregate is Aggregate.VALUES

    @property
    def share(self) -> Share:
        """The share as written, or what the aggregate takes when none is."""
        if self.share_written is not None:
            return self.share_written
        return Share.EVEN if self.aggregate in SHAREABLE else Share.REPEAT


@dataclass(frozen=True, slots=True)
class StaticInput:
    """The project's value in force at the slot's start, or at each element of an input."""

    slug: str
    at: str | None = None
    by: Dimension | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    value: Decimal


@dataclass(frozen=True, slots=True)
class Upstream:
    """Draws from another ledger of the project: an array, one element for each draw.

    `attributes` are outputs of the source batches that travel along; their unit is None when only the
    source's model defines it.
    """

    ledger: str
    amount: str | None = None
    order: DrawOrder = DrawOrder.FIFO
    match: tuple[str, ...] = ()
    attributes: Mapping[str, Unit | None] = field(default_factory=dict)
    is_manual: bool = False
    allocation_group: str | None = None


@dataclass(frozen=True, slots=True)
class Available:
    """The balance of a source ledger at the slot's end."""

    ledger: str


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over other nodes."""

    tree: Expression
    written: Scalar = field(compare=False)


Body = Input | StaticInput | Constant | Upstream | Available | Formula

NODE_KINDS: Final[Mapping[type, str]] = {
    Input: "input",
    StaticInput: "static_input",
    Constant: "constant",
    Upstream: "upstream",
    Available: "available",
    Formula: "formula",
}
"""The document key of each kind of body."""

COMPUTED_KINDS: Final = (NODE_KINDS[Constant], NODE_KINDS[Formula])
"""The kinds of nodes that take nothing from outside."""

OUTSIDE_KINDS: Final = tuple(kind for kind in NODE_KINDS.values() if kind not in COMPUTED_KINDS)
"""The kinds of nodes that take something from outside."""


UncertaintyKey = tuple[str, str]
"""A table, and a column of it."""


@dataclass(frozen=True, slots=True)
class UncertaintySetting:
    """What a model asks for: that its runs compute how well their outputs are known."""

    coverage_probability: Decimal = COVERAGE_PROBABILITY
    correlations: tuple[tuple[str, str, Decimal], ...] = ()
    """Pairs of effects or nodes, and their correlation coefficients."""
    mark: SourceMark = field(default=SourceMark(), compare=False)


@dataclass(frozen=True, slots=True)
class ExpectedUncertainty:
    """What a case expects of the uncertainty of a node, in its unit; None is not compared."""

    standard_uncertainty: Decimal
    degrees_of_freedom: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Rounding:
    places: int
    mode: str = "half_even"


@dataclass(frozen=True, slots=True)
class Node:
    """One step of the methodology."""

    slug: str
    unit: Unit
    body: Body
    mark: SourceMark = field(default=SourceMark(), compare=False)
    name: str | None = None
    description: str | None = None
    source: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False
    default: Decimal | None = None
    is_output: bool = False
    rounding: Rounding | None = None
    uncertainty: UncertaintyStatement | None = None
    """How well its value is known, or each of its values that states nothing itself."""
    discount: Discount | None = None
    """Of an output: how much less than its value a ledger that keeps it is credited with."""

    @property
    def label(self) -> str:
        """The name for people."""
        return self.name or self.slug.replace("_", " ")

    @property
    def allocation_group(self) -> str | None:
        """The name by which sources are given to a node that draws by hand: its group, or its own slug."""
        if not isinstance(self.body, Upstream) or not self.body.is_manual:
            return None
        return self.body.allocation_group or self.slug


@dataclass(frozen=True, slots=True)
class Case:
    """A check that the document carries: inputs, and what must come of them."""

    name: str
    inputs: Mapping[str, Decimal | tuple[Decimal, ...]]
    expect: Mapping[str, Decimal | tuple[Decimal, ...]]
    source: str | None = None
    places: int | None = None
    mode: str = "half_even"
    partition: Mapping[str, str] = field(default_factory=dict)
    durations: Mapping[str, tuple[Decimal, ...]] = field(default_factory=dict)
    period_days: Decimal | None = None
    period_hours: Decimal | None = None
    uncertainties: Mapping[str, UncertaintyStatement] = field(default_factory=dict)
    """How well the values that it gives are known, by node."""
    expect_uncertainty: Mapping[str, ExpectedUncertainty] = field(default_factory=dict)
    expect_credit: Mapping[str, Decimal] = field(default_factory=dict)
    """What outputs with a discount are credited with, in their units and before a ledger rounds it."""
    mark: SourceMark = field(default=SourceMark(), compare=False)


@dataclass(frozen=True, slots=True)
class Model:
    """A whole document."""

    name: str
    cadence: str
    partition_type: str
    primary_output: str
    nodes: tuple[Node, ...]
    about: str | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    share_places: int = SHARE_PLACES_DEFAULT
    """Places at which values that partitions share are cut, in the unit of the node that shares them."""
    uncertainty: UncertaintySetting | None = None
    """Given where runs compute the uncertainty of their outputs."""
    table_uncertainties: Mapping[UncertaintyKey, UncertaintyStatement] = field(default_factory=dict)
    """How well what is read from a column of a table is known."""
    primary_output_mark: SourceMark = field(default=SourceMark(), compare=False)
    by_slug: Mapping[str, Node] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_slug", {node.slug: node for node in self.nodes})

    def node(self, slug: str) -> Node:
        """The node of a slug; KeyError when there is none."""
        return self.by_slug[slug]

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(node.slug for node in self.nodes)

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The nodes whose values become output data points; the primary output is one of them."""
        return tuple(node for node in self.nodes if node.is_output or node.slug == self.primary_output)

    @property
    def partitioning(self) -> tuple[Node, ...]:
        """The inputs whose data define the partitions that run: those marked, else the first."""
        inputs = [node for node in self.nodes if isinstance(node.body, Input)]
        partitioning_nodes = [
            node for node in inputs if isinstance(node.body, Input) and node.body.is_partitioning
        ]
        return tuple(partitioning_nodes or inputs[:1])


# The features of the language that a model makes use of, so that an engine can refuse what it lacks.
#
# Formulas, constants, weights and defaults are understood by every engine and are no features; cadence and
# partition type occur in the model.
#
# Invariants: two models that differ in what an engine must be able to do differ in their features.


_OF_TIME: Final = frozenset({"duration_hours", "period_days", "period_hours"})
"""The functions that ask how long something lasts."""


def list_required_features(model: Model) -> set[str]:
    """What an engine must support, as words: `aggregate:median`, `join:tracking_id`, `upstream:fifo`."""
    of_nodes = {feature for node in model.nodes for feature in _list_features(node, model)}
    if model.share_places != SHARE_PLACES_DEFAULT:
        of_nodes |= {"share_places"}
    if any(node.discount for node in model.nodes):
        of_nodes |= {"discount"}
    return of_nodes if model.uncertainty is None else of_nodes | {"uncertainty"}


def _list_features(node: Node, model: Model) -> Iterator[str]:
    match node.body:
        case Input() as used:
            yield from _list_input_features(used, model)
        case StaticInput(at=at, by=by):
            yield "static_input"
            yield from ["static_input:at"] if at else []
            yield from [f"static_input:by:{by}"] if by else []
        case Upstream() as upstream:
            yield "upstream"
            yield "upstream:manual" if upstream.is_manual else f"upstream:{upstream.order}"
            yield from ["upstream:attributes"] if upstream.attributes else []
            yield from ["upstream:match"] if upstream.match else []
        case Available():
            yield "available"
        case Formula(tree=tree):
            yield from _list_formula_features(tree)


def _list_input_features(input_: Input, model: Model) -> Iterator[str]:
    yield f"aggregate:{input_.aggregate}"
    if input_.share_written is not None or model.partition_type != "time":
        yield f"share:{input_.share}"
    if input_.straddle is not BoundaryPolicy.REPORT:
        yield f"straddle:{input_.straddle}"
    if input_.where is not None:
        yield "where"
    if input_.join is not None:
        yield f"join:{input_.join.on if input_.join.on in JOINED_ON else 'text'}"
    if input_.is_any_period:
        yield "period:any"
    if input_.coverage or (input_.coverage is None and input_.straddle is BoundaryPolicy.PRORATE):
        yield "coverage"


def _list_formula_features(tree: Expression) -> Iterator[str]:
    for name in names(tree):
        if name.path[0] == "partition":
            yield "partition_name"
    for node in walk(tree):
        if isinstance(node, FunctionCall) and node.function in _OF_TIME:
            yield f"function:{node.function}"
