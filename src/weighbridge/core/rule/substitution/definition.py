"""A substitution defines how a rule fills gaps: ordered tiers of methods, and the conditions for the borders.

A slot of a meter's series needs a value if the meter was operating and there is neither a valid captured
value nor a value from a person. The slots between two borders that need a value are a gap, with any number of
slots between them in which the meter was not operating. A border is a slot with a value of its own for which
`border_where` is true.

For each slot of a gap, the first tier whose `when` is true gives the method. `when` reads

    availability()  the share of operating slots with a valid captured value, from 0 to 1, unrounded: of the
                    last `availability_slots` up to the slot and with it, or of all so far
    gap_slots()     how many slots of the gap need a value; the same for each of them
    valid_slots()   how many slots before the gap had a valid captured value

A method says how the value of a gap's slot is found: fixed, from the borders, from a window, or computed.

    constant            a value that the rule names
    previous, next      the value of the border before or after the gap
    mean_before_after   the mean of both
    linear              on the straight line from one to the other, at the slot's start
    mean, median, minimum, maximum, percentile, mean_plus_sd
                        of the members of a window that ends at the slot
    greater_of, lesser_of
                        the largest or smallest of what several methods come to
    expression          computed from what else the slot's event holds

Invariants: a tier's number counts from 1; a condition that is undecided is not true, but a slot for which
`operating_where` is undecided, or that has no event to ask, was operating unless an outage was declared; a
percentile names its definition and a standard deviation its kind; a method never reads a value that a rule
put in; what `write_filling` writes reads to the same filling.

Reading makes a filling of the JSON that a rule carries, and checking finds what does not fit its records.

Invariants: neither raises for anything that JSON may hold; every problem names its field, and all of them are
found at once; what was read is written back in one form, which reads to the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.expression import (
    FUNCTIONS,
    PLAIN,
    Expression,
    ExpressionError,
    Kind,
    Language,
    NameScope,
    Type,
    check,
    parse,
)
from weighbridge.core.expression.meaning import between
from weighbridge.core.expression.tree import FunctionCall, Name, names
from weighbridge.core.number import CONTEXT, PLACES_MAX, round_to
from weighbridge.core.problem import Problem
from weighbridge.core.rule.definition import (
    FIELD,
    FieldReader,
    RuleTarget,
    Vocabulary,
    Window,
    read_window,
    write_window,
)
from weighbridge.core.rule.functions import DEFINITIONS, PLAIN_FUNCTIONS, make_leaf
from weighbridge.core.rule.reading import type_names

_HUNDRED: Final = Decimal(100)


class BorderMethod(StrEnum):
    """Methods that use the values before and after a gap."""

    PREVIOUS = "previous"
    NEXT = "next"
    MEAN_BEFORE_AFTER = "mean_before_after"
    LINEAR = "linear"


class WindowMethod(StrEnum):
    """What is found from the members of a window."""

    MEAN = "mean"
    MEDIAN = "median"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    PERCENTILE = "percentile"
    MEAN_PLUS_SD = "mean_plus_sd"


class ExtremeMethod(StrEnum):
    """Which of several values is taken."""

    GREATER_OF = "greater_of"
    LESSER_OF = "lesser_of"


class MissingBorderPolicy(StrEnum):
    """What becomes of a slot whose gap has no border on one side."""

    WAIT = "wait"
    """It waits until there is one after."""
    BEFORE = "before"
    """It has the value of the border before."""
    FIRST_AFTER = "first_after"
    """It has the value of the border after."""


class DeviationKind(StrEnum):
    """Which standard deviation: divided by one less than there are values, or by as many."""

    SAMPLE = "sample"
    POPULATION = "population"


class Conservative(StrEnum):
    """On which side a substitute is to err."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value that the rule names."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class FromBorders:
    """A value that follows from the borders of the gap.

    Without a border before and no word for that there is no value.
    """

    method: BorderMethod
    without_after: "MissingBorderPolicy | SlotMethod" = MissingBorderPolicy.WAIT
    without_before: "MissingBorderPolicy | SlotMethod | None" = None


@dataclass(frozen=True, slots=True)
class LookBack:
    """The members that a statistic is taken of: those of a window that a condition holds for."""

    window: Window
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class FromWindow:
    """A statistic of the members of a window."""

    method: WindowMethod
    look_back: LookBack
    p: Decimal | None = None
    """Of a percentile, from 0 to 100."""
    definition: str | None = None
    """Of a percentile."""
    factor: Decimal | None = None
    """How many standard deviations are added to the mean."""
    deviation: DeviationKind | None = None


@dataclass(frozen=True, slots=True)
class ExtremeOf:
    """The largest or smallest of what several methods come to."""

    method: ExtremeMethod
    methods: "tuple[SlotMethod, ...]"


@dataclass(frozen=True, slots=True)
class Computed:
    """A value computed from what else the slot's event holds."""

    expression: Expression
    text: str


SlotMethod = FixedValue | FromBorders | FromWindow | ExtremeOf | Computed
"""How the value of a slot is found."""


def name_of(method: SlotMethod) -> str:
    """The word by which a method is written."""
    match method:
        case FixedValue():
            return "constant"
        case Computed():
            return "expression"
        case _:
            return method.method.value


def list_parts(method: SlotMethod) -> Iterator[SlotMethod]:
    """A method and all those inside it."""
    yield method
    inner: tuple[object, ...] = ()
    match method:
        case FromBorders(without_after=after, without_before=before):
            inner = after, before
        case ExtremeOf(methods=methods):
            inner = methods
    for part in inner:
        if isinstance(part, SlotMethod):
            yield from list_parts(part)


_TURNED: Final = {
    WindowMethod.MINIMUM: WindowMethod.MAXIMUM,
    WindowMethod.MAXIMUM: WindowMethod.MINIMUM,
}
_OTHER: Final = {
    ExtremeMethod.GREATER_OF: ExtremeMethod.LESSER_OF,
    ExtremeMethod.LESSER_OF: ExtremeMethod.GREATER_OF,
}


def mirror_method(method: SlotMethod) -> SlotMethod:
    """The method that errs as far low as this one errs high.

    A percentile p becomes 100 - p, a maximum a minimum, the greater of several the lesser, and what is added
    to a mean is taken from it; all else stays.
    """
    match method:
        case FromWindow(method=WindowMethod.PERCENTILE, p=Decimal() as p):
            return replace(method, p=CONTEXT.subtract(_HUNDRED, p))
        case FromWindow(method=WindowMethod.MEAN_PLUS_SD, factor=Decimal() as factor):
            return replace(method, factor=CONTEXT.minus(factor))
        case FromWindow(method=statistic):
            return replace(method, method=_TURNED.get(statistic, statistic))
        case ExtremeOf(method=extreme, methods=methods):
            return ExtremeOf(_OTHER[extreme], tuple(map(mirror_method, methods)))
        case FromBorders(without_after=after, without_before=before):
            return replace(
                method,
                without_after=mirror_method(after) if isinstance(after, SlotMethod) else after,
                without_before=mirror_method(before) if isinstance(before, SlotMethod) else before,
            )
    return method


ROUNDINGS: Final = ("half_up", "half_even")
"""How a value in the middle is rounded: away from zero, or to the even digit."""


@dataclass(frozen=True, slots=True)
class ValueRounding:
    """To how many places after the point values are rounded (before it when negative), and which way."""

    places: int
    mode: str

    def of(self, value: Decimal) -> Decimal:
        """The value, rounded."""
        return round_to(value, self.places, self.mode)


@dataclass(frozen=True, slots=True)
class Tier:
    """A method, when it is taken, and the code by which a regime knows it."""

    method: SlotMethod
    when: Expression | None = None
    """Without one it is always taken."""
    when_text: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class GapFilling:
    """How a rule fills gaps, as it was read."""

    tiers: tuple[Tier, ...]
    border_where: Expression | None = None
    border_text: str | None = None
    operating_where: Expression | None = None
    operating_text: str | None = None
    availability_slots: int | None = None
    """Over how many operating slots availability is taken; None: over all so far."""
    rounding: ValueRounding | None = None
    conservative: Conservative = Conservative.HIGH
    is_tiered: bool = True
    """Whether it was written with tiers, and not as a single method."""


TIER_FUNCTIONS: Final = (
    make_leaf(
        "availability", "", between(0, 0),
        "The share of operating slots with a valid captured value, from 0 to 1.", "availability() >= 0.95",
    ),
    make_leaf(
        "gap_slots", "", between(0, 0), "How many slots of the whole gap need a value.", "gap_slots() <= 24"
    ),
    make_leaf(
        "valid_slots", "", between(0, 0), "How many slots before the gap had a valid captured value.",
        "valid_slots() > 720",
    ),
)  # fmt: skip
"""What a tier's `when` may look at."""

TIER_CALLS: Final = tuple(FunctionCall(function.name, ()) for function in TIER_FUNCTIONS)
AVAILABILITY, GAP_SLOTS, VALID_SLOTS = TIER_CALLS

_PLAIN: Final = {name: FUNCTIONS[name] for name in PLAIN_FUNCTIONS}

SLOT_LANGUAGE: Final = Language(_PLAIN)
"""The language of conditions on one slot, and of computed values."""

TIER_LANGUAGE: Final = Language({**_PLAIN, **{function.name: function for function in TIER_FUNCTIONS}})
"""The language of a tier's `when`."""


def write_filling(filling: GapFilling) -> dict[str, Any]:
    """How a rule fills gaps, as JSON; numbers are decimals."""
    document: dict[str, Any] = {}
    if filling.is_tiered:
        document["tiers"] = [_write_tier(tier) for tier in filling.tiers]
    else:
        document.update(_write_tier(filling.tiers[0]))
    rounding = filling.rounding
    options = {
        "border_where": filling.border_text,
        "operating_where": filling.operating_text,
        "availability_slots": filling.availability_slots,
        "round": None if rounding is None else {"places": rounding.places, "mode": rounding.mode},
        "conservative": filling.conservative.value,
    }
    return document | {name: value for name, value in options.items() if value is not None}


def _write_tier(tier: Tier) -> dict[str, Any]:
    head = {"when": tier.when_text, "code": tier.code}
    return {name: value for name, value in head.items() if value is not None} | write_method(tier.method)


def write_method(method: SlotMethod) -> dict[str, Any]:
    """A method as JSON, with all it takes."""
    document: dict[str, Any] = {"method": name_of(method)}
    match method:
        case FixedValue(value=value):
            document["value"] = value
        case Computed(text=text):
            document["expression"] = text
        case ExtremeOf(methods=methods):
            document["methods"] = [write_method(part) for part in methods]
        case FromBorders(method=kind, without_after=after, without_before=before):
            if kind is not BorderMethod.PREVIOUS:
                document["without_after"] = _write_without(after)
            if before is not None:
                document["without_before"] = _write_without(before)
        case FromWindow():
            document |= _write_from_window(method)
    return document


def _write_without(policy: MissingBorderPolicy | SlotMethod) -> Any:
    return policy.value if isinstance(policy, MissingBorderPolicy) else write_method(policy)


def _write_from_window(method: FromWindow) -> dict[str, Any]:
    fields = {
        "p": method.p,
        "definition": method.definition,
        "factor": method.factor,
        "deviation": None if method.deviation is None else method.deviation.value,
        "window": write_window(method.look_back.window),
    }
    return {name: value for name, value in fields.items() if value is not None}


TIERS_MAX: Final = 20
"""Tiers that a rule may carry."""

METHODS_MAX: Final = 5
"""Methods that `greater_of` and `lesser_of` may choose from."""

DEPTH_MAX: Final = 3
"""How deeply methods may be nested."""

AVAILABILITY_SLOTS_MAX: Final = 1_000_000
"""Slots that availability may be taken over: more than a year of minutes."""

CODE_LENGTH_MAX: Final = 40
"""Characters of the code by which a regime knows a tier."""

METHOD_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "constant": ("value",),
    BorderMethod.PREVIOUS.value: ("without_before",),
    BorderMethod.NEXT.value: ("without_after",),
    BorderMethod.MEAN_BEFORE_AFTER.value: ("without_after", "without_before"),
    BorderMethod.LINEAR.value: ("without_after", "without_before"),
    **{method.value: ("window",) for method in WindowMethod},
    WindowMethod.PERCENTILE.value: ("window", "p", "definition"),
    WindowMethod.MEAN_PLUS_SD.value: ("window", "factor", "deviation"),
    **{method.value: ("methods",) for method in ExtremeMethod},
    "expression": ("expression",),
}
"""The fields that each method may have, in addition to its name."""

METHOD_NAMES: Final = tuple(METHOD_FIELDS)
"""Every method, as it is written."""


def read_filling(mapping: Mapping[str, Any]) -> tuple[GapFilling | None, list[Problem]]:
    """Read how a rule fills gaps as it is written in JSON; None with everything that is wrong with it."""
    reader = FieldReader(mapping, FIELD)
    border, border_text = _read_condition(reader, "border_where")
    operating, operating_text = _read_condition(reader, "operating_where")
    slots = reader.whole("availability_slots", AVAILABILITY_SLOTS_MAX)
    rounding = _read_rounding(reader)
    conservative = reader.choice("conservative", list(Conservative), Conservative.HIGH)
    is_tiered = "tiers" in mapping
    tiers = _read_tiers(reader) if is_tiered else [_read_tier(reader, is_alone=True)]
    reader.refuse_the_rest("is no part of how a rule fills gaps")
    if reader.problems:
        return None, reader.problems
    return GapFilling(
        tuple(tier for tier in tiers if tier is not None),
        border, border_text, operating, operating_text, slots, rounding,
        Conservative(conservative), is_tiered,
    ), []  # fmt: skip


def check_filling(filling: GapFilling, records: Vocabulary, data_point: str) -> list[Problem]:
    """What keeps gaps of a data point from being filled where records have this vocabulary."""
    problems: list[Problem] = []
    slug = records.slug_of(Name((data_point,), is_verbatim=True))
    if slug is not None and records.types[slug].kind is not Kind.NUMBER:
        message = f"{FIELD} fills gaps with numbers, and {slug!r} of {records.label} holds none."
        problems.append(Problem(message, FIELD, "invalid"))
    for tree, field, kind, role in _list_expressions(filling):
        types, unknown = type_names(names(tree), [records], field, RuleTarget.DATA_POINT)
        problems += dict.fromkeys(unknown) or _check_kind(tree, types, kind, field, role)
    return problems


def _list_expressions(filling: GapFilling) -> Iterable[tuple[Expression, str, Kind, str]]:
    """What reads a slot, with its field, what it must give, and how it is called."""
    for tree, name in ((filling.border_where, "border_where"), (filling.operating_where, "operating_where")):
        if tree is not None:
            yield tree, f"{FIELD}.{name}", Kind.TRUTH, f"{name} must be true or false"
    for index, tier in enumerate(filling.tiers):
        field = f"{FIELD}.tiers[{index}]" if filling.is_tiered else FIELD
        for part in list_parts(tier.method):
            match part:
                case FromWindow(look_back=LookBack(where=where)) if where is not None:
                    yield where, f"{field}.window.where", Kind.TRUTH, "A where must be true or false"
                case Computed(expression=tree):
                    yield tree, f"{field}.expression", Kind.NUMBER, "What fills a gap must be a number"


def _check_kind(
    tree: Expression,
    types: Mapping[str, Type],
    kind: Kind,
    field: str,
    role: str,
    *,
    leaves: Mapping[Expression, Type] | None = None,
) -> list[Problem]:
    try:
        kind_found = check(tree, NameScope(types), leaves or {})
    except ExpressionError as error:
        return [Problem(str(error), field, "invalid")]
    if kind_found.kind is kind:
        return []
    return [Problem(str(ExpressionError(f"{role}; this is {kind_found}.", tree.position)), field, "invalid")]


def _read_condition(
    reader: FieldReader, name: str, language: Language = SLOT_LANGUAGE, *, is_required: bool = False
) -> tuple[Expression | None, str | None]:
    text = reader.take(name)
    if text is None and not is_required:
        return None, None
    if not isinstance(text, str) or not text.strip():
        reader.refuse(name, "is an expression, as a text")
        return None, None
    return _parse_condition(reader, name, text.strip(), language), text.strip()


def _parse_condition(reader: FieldReader, name: str, text: str, language: Language) -> Expression | None:
    try:
        return parse(text, language)
    except ExpressionError as error:
        reader.problems.append(Problem(str(error), f"{reader.path}.{name}", "invalid"))
        return None


def _read_rounding(reader: FieldReader) -> ValueRounding | None:
    inner = reader.inside("round")
    if inner is None:
        return None
    places = inner.whole("places", PLACES_MAX, least=-PLACES_MAX, is_required=True)
    mode = inner.choice("mode", ROUNDINGS)
    inner.refuse_the_rest("is no part of a rounding")
    return ValueRounding(places or 0, mode)


def _read_tiers(reader: FieldReader) -> list[Tier | None]:
    tiers_given = reader.take("tiers")
    if (
        not isinstance(tiers_given, Sequence)
        or isinstance(tiers_given, str)
        or not 1 <= len(tiers_given) <= TIERS_MAX
    ):
        reader.refuse("tiers", f"are 1 to {TIERS_MAX} tiers, in their order")
        return []
    tiers = []
    for index, tier_given in enumerate(tiers_given):
        inner = reader.at(f"tiers[{index}]", tier_given)
        if inner is None:
            continue
        tier = _read_tier(inner, is_alone=False)
        if "when" not in tier_given and index + 1 < len(tiers_given):
            inner.refuse("when", "may be left out of the last tier alone; no tier after it is reached")
        tiers.append(tier)
    return tiers


def _read_tier(reader: FieldReader, *, is_alone: bool) -> Tier | None:
    """A tier, or a single method without tiers, whose fields are among those of the filling."""
    when, when_text = (None, None) if is_alone else _read_condition(reader, "when", TIER_LANGUAGE)
    if when is not None:
        reader.problems += _check_when(when, f"{reader.path}.when")
    code = reader.take("code")
    code = code.strip() if isinstance(code, str) else code
    if code is not None and not (isinstance(code, str) and 1 <= len(code) <= CODE_LENGTH_MAX):
        reader.refuse("code", f"is a text of 1 to {CODE_LENGTH_MAX} characters")
    method = _read_method(reader, 1)
    if not is_alone:
        reader.refuse_the_rest("is no part of a tier with this method")
    return None if method is None else Tier(method, when, when_text, code)


def _check_when(tree: Expression, field: str) -> Iterable[Problem]:
    for name in names(tree):
        message = f"At {name.position}: a tier looks at no data; it may ask for {_ASKED}."
        return [Problem(message, field, "unknown")]
    leaves: dict[Expression, Type] = dict.fromkeys(TIER_CALLS, PLAIN)
    return _check_kind(tree, {}, Kind.TRUTH, field, "A when must be true or false", leaves=leaves)


_ASKED: Final = ", ".join(f"{call.function}()" for call in TIER_CALLS)


def _read_method(reader: FieldReader, depth: int) -> SlotMethod | None:
    name = reader.take("method")
    if depth > DEPTH_MAX:
        reader.refuse("method", f"is nested deeper than {DEPTH_MAX} methods")
        return None
    if name == "constant":
        return FixedValue(reader.number("value"))
    if name == "expression":
        tree, text = _read_condition(reader, "expression", is_required=True)
        return None if tree is None or text is None else Computed(tree, text)
    return _read_named_method(name, reader, depth)


def _read_named_method(name: Any, reader: FieldReader, depth: int) -> SlotMethod | None:
    match name:
        case str() if name in list(BorderMethod):
            return _read_from_borders(BorderMethod(name), reader, depth)
        case str() if name in list(WindowMethod):
            return _read_from_window(WindowMethod(name), reader)
        case str() if name in list(ExtremeMethod):
            return _read_extreme(ExtremeMethod(name), reader, depth)
    reader.refuse("method", f"that fills gaps is one of {', '.join(METHOD_NAMES)}")
    return None


def _read_from_borders(method: BorderMethod, reader: FieldReader, depth: int) -> FromBorders:
    after: MissingBorderPolicy | SlotMethod = MissingBorderPolicy.WAIT
    before = None
    if method is not BorderMethod.PREVIOUS:
        after = (
            _read_without(
                "without_after", (MissingBorderPolicy.WAIT, MissingBorderPolicy.BEFORE), reader, depth
            )
            or MissingBorderPolicy.WAIT
        )
    if method is not BorderMethod.NEXT:
        before = _read_without("without_before", (MissingBorderPolicy.FIRST_AFTER,), reader, depth)
    return FromBorders(method, after, before)


def _read_without(
    name: str, words: Sequence[MissingBorderPolicy], reader: FieldReader, depth: int
) -> MissingBorderPolicy | SlotMethod | None:
    value = reader.take(name)
    if value is None:
        return None
    if isinstance(value, Mapping):
        inner = reader.at(name, value)
        assert inner is not None  # noqa: S101 - it is an object
        method = _read_method(inner, depth + 1)
        inner.refuse_the_rest("is nothing that this method takes")
        return method
    if isinstance(value, str) and value in words:
        return MissingBorderPolicy(value)
    reader.refuse(name, f"is {', '.join(words)} or a method")
    return None


def _read_from_window(method: WindowMethod, reader: FieldReader) -> FromWindow | None:
    look_back = _look_back(reader)
    p = definition = factor = deviation = None
    if method is WindowMethod.PERCENTILE:
        p = reader.number("p", Decimal(0), _HUNDRED)
        definition = reader.choice("definition", DEFINITIONS)
    if method is WindowMethod.MEAN_PLUS_SD:
        factor = reader.number("factor", Decimal(0))
        deviation = reader.choice("deviation", list(DeviationKind))
    if look_back is None or reader.problems:
        return None
    return FromWindow(
        method, look_back, p, definition, factor, None if deviation is None else DeviationKind(deviation)
    )


def _look_back(reader: FieldReader) -> LookBack | None:
    window_given = reader.take("window")
    if not isinstance(window_given, Mapping):
        reader.refuse("window", "says which values the method is taken of; it is an object")
        return None
    window, problems = read_window(window_given, f"{reader.path}.window", allows_both=True)
    reader.problems += problems
    if window_given.get("include_current") is True:
        reader.refuse("window.include_current", "is false where gaps are filled; an empty slot is no member")
    where = None
    if window is not None and window.where is not None:
        where = _parse_condition(reader, "window.where", window.where, SLOT_LANGUAGE)
    return None if window is None else LookBack(window, where)


def _read_extreme(method: ExtremeMethod, reader: FieldReader, depth: int) -> ExtremeOf | None:
    methods_given = reader.take("methods")
    if (
        not isinstance(methods_given, Sequence)
        or isinstance(methods_given, str)
        or not 2 <= len(methods_given) <= METHODS_MAX
    ):
        reader.refuse("methods", f"are 2 to {METHODS_MAX} methods")
        return None
    parts = []
    for index, method_given in enumerate(methods_given):
        inner = reader.at(f"methods[{index}]", method_given)
        if inner is not None:
            parts.append(_read_method(inner, depth + 1))
            inner.refuse_the_rest("is nothing that this method takes")
    return ExtremeOf(method, tuple(part for part in parts if part is not None))
