"""The panel beside a model document: what each kind of part is made of, and what a project offers for it.

A form has one part of each kind, whose fields are named by it: `input.point`, `formula.formula`. What was
typed becomes the keys of a node; the unit is what the project or the core's own check says, unless one is
typed.

Invariants: a part that was read has a slug that no other part has, and a unit; everything else that is wrong
is said at its field, at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final

from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model import NODE_KINDS, Aggregate, Model
from weighbridge.core.model.parts import infer_unit, suggest_slug
from weighbridge.core.model.prepared import Types
from weighbridge.core.model.reading import is_node_slug
from weighbridge.core.model.writing import Fields, Written
from weighbridge.core.number import NumberError, limit_number
from weighbridge.core.problem import Problem
from weighbridge.core.unit import UnitError, parse_unit

KINDS: Final = tuple(NODE_KINDS.values())
"""The kinds of parts that can be added."""

MEANINGS: Final = {
    "input": "values measured in each period",
    "static_input": "a value fixed for the project",
    "constant": "a number of the methodology",
    "upstream": "an amount drawn from another ledger",
    "available": "the balance of another ledger",
    "formula": "computed from other parts",
}
"""What a part of each kind is, in a few words."""

OUTPUT_KINDS: Final = ("input", "static_input", "available", "formula")
"""The kinds whose value may be an output."""

CHOSEN_AT_FIRST: Final = ("input.aggregate", "upstream.order")
"""Fields that have a value before anything is typed."""

BETWEEN: Final = "/"
"""What stands between the two slugs of a choice."""


@dataclass(frozen=True, slots=True)
class OfferedValue:
    """Something of the project that a part can read: its key, its words and its unit."""

    key: str
    words: str
    unit: str


@dataclass(frozen=True, slots=True)
class OfferedLedger:
    """A ledger that a part can read, with its dimensions and the outputs that its batches bring along."""

    name: str
    unit: str
    dimensions: Sequence[str] = ()
    outputs: Sequence[OfferedValue] = ()


@dataclass(frozen=True, slots=True)
class PartsOffered:
    """What a project offers for the parts of a model."""

    points: Sequence[OfferedValue] = ()
    static_inputs: Sequence[OfferedValue] = ()
    ledgers: Sequence[OfferedLedger] = ()


@dataclass(frozen=True, slots=True)
class PartDraft:
    """What was typed for a part: the keys of its node, its unit, and what is wrong."""

    slug: str = ""
    unit: str | None = None
    is_array: bool = False
    refusal: str = ""
    """Why the unit cannot be told."""
    fields: Fields = field(default_factory=dict)
    problems: Sequence[Problem] = ()


class PartReader:
    """Reads the fields of a part of one kind, as they were typed."""

    def __init__(
        self, kind: str, text: Callable[[str], str], texts: Callable[[str], Sequence[str]],
        model: Model, types: Types, offered: PartsOffered,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.model = model
        self.types = types
        self.offered = offered
        self.problems: list[Problem] = []
        self.unit: str | None = None
        self.is_array = False
        self.refusal = ""
        self._text = text
        self._texts = texts

    def read(self) -> PartDraft:
        """The part, with everything that is wrong with it."""
        body: Mapping[str, Written] = _READERS[self.kind](self)
        slug = self._read_slug(body)
        unit = self._read_unit()
        fields: dict[str, Written] = {"slug": slug}
        if name := self.text("name"):
            fields["name"] = name
        fields |= body
        fields["unit"] = unit or ""
        if source := self.text("source"):
            fields["source"] = source
        if self.text("output"):
            fields["output"] = True
            if self.is_array:
                self.note("output", "An output must be one number, and this is one for each element.")
        return PartDraft(slug, unit, self.is_array, self.refusal, fields, self.problems)

    def text(self, name: str) -> str:
        return self._text(f"{self.kind}.{name}")

    def texts(self, name: str) -> Sequence[str]:
        return self._texts(f"{self.kind}.{name}")

    def note(self, name: str, message: str, code: str = "invalid") -> None:
        self.problems.append(Problem(message, f"{self.kind}.{name}", code))

    def choose(self, name: str, offered: Sequence[OfferedValue], what: str) -> OfferedValue | None:
        """The one of the offered values that was chosen."""
        key = self.text(name)
        chosen = next((value for value in offered if value.key == key), None)
        if chosen is None:
            self.note(name, f"Choose {what}." if not key else f"{key!r} is not offered; choose {what}.")
        return chosen

    def choose_ledger(self) -> OfferedLedger | None:
        name = self.text("ledger")
        chosen = next((ledger for ledger in self.offered.ledgers if ledger.name == name), None)
        if chosen is None:
            self.note("ledger", "Choose a ledger of the project.")
        else:
            self.unit = chosen.unit
        return chosen

    def _read_slug(self, body: Mapping[str, Written]) -> str:
        typed = self.text("slug")
        if not typed:
            words = self.text("name") or _name_body(body)
            if slug := suggest_slug(words, self.model):
                return slug
            self.note("name", "Give the part a name or a slug of Latin letters.", "required")
            return ""
        if not is_node_slug(typed):
            self.note(
                "slug", f"{typed[:80]!r} is no slug: it has small letters, digits and single underscores."
            )
        elif typed in self.model.by_slug:
            self.note("slug", f"The slug {typed} is already taken by another part.")
        return typed

    def _read_unit(self) -> str | None:
        typed = self.text("unit")
        if typed:
            try:
                return parse_unit(typed).text
            except UnitError as error:
                self.note("unit", str(error))
                return None
        if self.unit is None and not self.problems:
            self.note("unit", self.refusal or "Give the unit of the part.", "required")
        return self.unit


def _name_body(body: Mapping[str, Written]) -> str:
    """What a part is called that has no name: what it reads."""
    match body.get("input"), body.get("static_input"):
        case {"data_point_type": str(slug)}, _:
            return slug
        case _, str(slug):
            return slug
    return ""


def _read_input(reader: PartReader) -> Mapping[str, Written]:
    point = reader.choose("point", reader.offered.points, "what is measured")
    aggregate = reader.text("aggregate") or str(Aggregate.SUM)
    if aggregate not in {*Aggregate}:
        reader.note("aggregate", f"The aggregate must be one of {', '.join(Aggregate)}.")
    if point is None:
        return {}
    event_type, _, slug = point.key.partition(BETWEEN)
    reader.unit = "" if aggregate == Aggregate.COUNT else point.unit
    reader.is_array = aggregate == Aggregate.VALUES
    body = {"event_type": event_type, "data_point_type": slug, "aggregate": aggregate}
    if weight := reader.text("weight"):
        of, _, weight_slug = weight.partition(BETWEEN)
        if aggregate != Aggregate.AVERAGE:
            reader.note("weight", "Only an average has a weight.")
        elif of != event_type:
            reader.note("weight", "The weight must be of the same event type as what is measured.")
        body["weight"] = weight_slug
    return {"input": body}


def _read_static_input(reader: PartReader) -> Mapping[str, Written]:
    chosen = reader.choose("of", reader.offered.static_inputs, "a static input")
    if chosen is None:
        return {}
    reader.unit = chosen.unit
    return {"static_input": chosen.key}


def _read_constant(reader: PartReader) -> Mapping[str, Written]:
    typed = reader.text("value")
    if not reader.text("source"):
        reader.note("source", "Say where the constant comes from, such as a table of a standard.", "required")
    reader.unit = ""
    try:
        return {"constant": limit_number(Decimal(typed))}
    except (InvalidOperation, NumberError):
        reader.note("value", f"The value must be a number, but is {typed[:80]!r}.")
        return {}


def _read_upstream(reader: PartReader) -> Mapping[str, Written]:
    ledger = reader.choose_ledger()
    reader.is_array = True
    amount = reader.text("amount")
    if amount not in reader.model.by_slug:
        reader.note("amount", "Choose the part that says how much is drawn; add it first, if there is none.")
    if ledger is None:
        return {}
    body: dict[str, Written] = {"ledger": ledger.name, "amount": amount}
    if reader.text("order") == "pro_rata":
        body["order"] = "pro_rata"
    dimensions = DIMENSIONS[reader.model.partition_type]
    if match := [dimension for dimension in dimensions if dimension in ledger.dimensions]:
        body["match"] = match
    units = {f"{ledger.name}{BETWEEN}{output.key}": output for output in ledger.outputs}
    chosen = [units.get(key) for key in reader.texts("attributes")]
    if None in chosen:
        reader.note("attributes", f"Choose only outputs of {ledger.name}, the ledger that is drawn from.")
    if attributes := {output.key: output.unit for output in chosen if output is not None}:
        body["attributes"] = attributes
    return {"upstream": body}


def _read_available(reader: PartReader) -> Mapping[str, Written]:
    ledger = reader.choose_ledger()
    return {} if ledger is None else {"available": ledger.name}


def _read_formula(reader: PartReader) -> Mapping[str, Written]:
    formula = " ".join(reader.text("formula").split("\n"))
    if not formula:
        reader.note("formula", "Write the formula, such as mass * 2.", "required")
        return {}
    inferred = infer_unit(formula, reader.types, reader.model)
    reader.is_array, reader.refusal = inferred.is_array, inferred.refusal
    if inferred.unit is not None:
        reader.unit = inferred.unit.text
    elif inferred.is_refused:
        reader.note("formula", inferred.refusal)
    return {"formula": formula}


_READERS: Final[Mapping[str, Callable[[PartReader], Mapping[str, Written]]]] = {
    "input": _read_input,
    "static_input": _read_static_input,
    "constant": _read_constant,
    "upstream": _read_upstream,
    "available": _read_available,
    "formula": _read_formula,
}
