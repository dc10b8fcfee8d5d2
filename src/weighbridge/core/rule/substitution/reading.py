"""Reading makes a filling of the JSON that a rule carries, and checking tells what does not fit its records.

Invariants: neither raises for anything that JSON may hold; every problem names its field, and all of them are
found at once; what was read is written back in one form, which reads to the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.expression import (
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
from weighbridge.core.expression.tree import Name, names
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import PLACES_MAX
from weighbridge.core.rule.definition import FIELD, RuleTarget, Vocabulary
from weighbridge.core.rule.percentile import DEFINITIONS
from weighbridge.core.rule.reading import types_of
from weighbridge.core.rule.substitution.definition import (
    ROUNDINGS,
    SLOT_LANGUAGE,
    TIER_CALLS,
    TIER_LANGUAGE,
    BorderMethod,
    Computed,
    Conservative,
    DeviationKind,
    ExtremeMethod,
    ExtremeOf,
    FixedValue,
    FromBorders,
    FromWindow,
    GapFilling,
    LookBack,
    SlotMethod,
    Tier,
    ValueRounding,
    WindowMethod,
    Without,
    parts_of,
)
from weighbridge.core.rule.window import FieldReader, read_window

TIERS_MAX: Final = 20
"""Tiers that a rule may carry."""

METHODS_MAX: Final = 5
"""Methods that `greater_of` and `lesser_of` may choose from."""

DEPTH_MAX: Final = 3
"""How deep methods may stand inside one another."""

AVAILABILITY_SLOTS_MAX: Final = 1_000_000
"""Slots that availability may be taken over: more than a year of minutes."""

CODE_LENGTH_MAX: Final = 40
"""Characters of the code by which a regime knows a tier."""

METHOD_NAMES: Final = ("constant", *BorderMethod, *WindowMethod, *ExtremeMethod, "expression")
"""Every method, as it is written."""

_HUNDRED: Final = Decimal(100)


def read_filling(given: Mapping[str, Any]) -> tuple[GapFilling | None, list[Problem]]:
    """Read how a rule fills gaps as it is written in JSON; None with everything that is wrong with it."""
    reader = FieldReader(given, FIELD)
    border, border_text = _condition(reader, "border_where")
    operating, operating_text = _condition(reader, "operating_where")
    slots = reader.whole("availability_slots", AVAILABILITY_SLOTS_MAX)
    rounding = _rounding(reader)
    conservative = reader.choice("conservative", list(Conservative), Conservative.HIGH)
    is_tiered = "tiers" in given
    tiers = _tiers(reader) if is_tiered else [_tier(reader, is_alone=True)]
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
        said = f"{FIELD} fills gaps with numbers, and {slug!r} of {records.label} holds none."
        problems.append(Problem(said, FIELD, "invalid"))
    for tree, field, kind, what in _expressions(filling):
        types, unknown = types_of(names(tree), [records], field, RuleTarget.DATA_POINT)
        problems += dict.fromkeys(unknown) or _wrong_kind(tree, types, kind, field, what)
    return problems


def _expressions(filling: GapFilling) -> Iterable[tuple[Expression, str, Kind, str]]:
    """What reads a slot, with its field, what it must give, and how it is called."""
    for tree, name in ((filling.border_where, "border_where"), (filling.operating_where, "operating_where")):
        if tree is not None:
            yield tree, f"{FIELD}.{name}", Kind.TRUTH, f"{name} must be true or false"
    for index, tier in enumerate(filling.tiers):
        field = f"{FIELD}.tiers[{index}]" if filling.is_tiered else FIELD
        for part in parts_of(tier.method):
            match part:
                case FromWindow(look_back=LookBack(where=where)) if where is not None:
                    yield where, f"{field}.window.where", Kind.TRUTH, "A where must be true or false"
                case Computed(expression=tree):
                    yield tree, f"{field}.expression", Kind.NUMBER, "What fills a gap must be a number"


def _wrong_kind(
    tree: Expression,
    types: Mapping[str, Type],
    kind: Kind,
    field: str,
    what: str,
    *,
    leaves: Mapping[Expression, Type] | None = None,
) -> list[Problem]:
    try:
        found = check(tree, NameScope(types), leaves or {})
    except ExpressionError as error:
        return [Problem(str(error), field, "invalid")]
    if found.kind is kind:
        return []
    return [Problem(str(ExpressionError(f"{what}; this is {found}.", tree.position)), field, "invalid")]


def _condition(
    reader: FieldReader, name: str, language: Language = SLOT_LANGUAGE, *, is_required: bool = False
) -> tuple[Expression | None, str | None]:
    given = reader.take(name)
    if given is None and not is_required:
        return None, None
    if not isinstance(given, str) or not given.strip():
        reader.refuse(name, "is an expression, as a text")
        return None, None
    return _parsed(reader, name, given.strip(), language), given.strip()


def _parsed(reader: FieldReader, name: str, text: str, language: Language) -> Expression | None:
    try:
        return parse(text, language)
    except ExpressionError as error:
        reader.problems.append(Problem(str(error), f"{reader.path}.{name}", "invalid"))
        return None


def _rounding(reader: FieldReader) -> ValueRounding | None:
    inner = reader.inside("round")
    if inner is None:
        return None
    places = inner.whole("places", PLACES_MAX, least=-PLACES_MAX, is_required=True)
    mode = inner.choice("mode", ROUNDINGS)
    inner.refuse_the_rest("is no part of a rounding")
    return ValueRounding(places or 0, mode)


def _tiers(reader: FieldReader) -> list[Tier | None]:
    given = reader.take("tiers")
    if not isinstance(given, Sequence) or isinstance(given, str) or not 1 <= len(given) <= TIERS_MAX:
        reader.refuse("tiers", f"are 1 to {TIERS_MAX} tiers, in their order")
        return []
    tiers = []
    for index, one in enumerate(given):
        inner = reader.at(f"tiers[{index}]", one)
        if inner is None:
            continue
        tier = _tier(inner, is_alone=False)
        if "when" not in one and index + 1 < len(given):
            inner.refuse("when", "may be left out of the last tier alone; no tier behind this one is taken")
        tiers.append(tier)
    return tiers


def _tier(reader: FieldReader, *, is_alone: bool) -> Tier | None:
    """A tier, or a single method without tiers, whose fields stand among those of the filling."""
    when, when_text = (None, None) if is_alone else _condition(reader, "when", TIER_LANGUAGE)
    if when is not None:
        reader.problems += _wrong_when(when, f"{reader.path}.when")
    code = reader.take("code")
    code = code.strip() if isinstance(code, str) else code
    if code is not None and not (isinstance(code, str) and 1 <= len(code) <= CODE_LENGTH_MAX):
        reader.refuse("code", f"is a text of 1 to {CODE_LENGTH_MAX} characters")
    method = _method(reader, 1)
    if not is_alone:
        reader.refuse_the_rest("is no part of a tier with this method")
    return None if method is None else Tier(method, when, when_text, code)


def _wrong_when(tree: Expression, field: str) -> Iterable[Problem]:
    for name in names(tree):
        said = f"At {name.position}: a tier looks at no data; it may ask for {_ASKED}."
        return [Problem(said, field, "unknown")]
    leaves: dict[Expression, Type] = dict.fromkeys(TIER_CALLS, PLAIN)
    return _wrong_kind(tree, {}, Kind.TRUTH, field, "A when must be true or false", leaves=leaves)


_ASKED: Final = ", ".join(f"{call.function}()" for call in TIER_CALLS)


def _method(reader: FieldReader, depth: int) -> SlotMethod | None:
    name = reader.take("method")
    if depth > DEPTH_MAX:
        reader.refuse("method", f"stands deeper than {DEPTH_MAX} methods inside one another")
        return None
    if name == "constant":
        return FixedValue(reader.number("value"))
    if name == "expression":
        tree, text = _condition(reader, "expression", is_required=True)
        return None if tree is None or text is None else Computed(tree, text)
    return _named_method(name, reader, depth)


def _named_method(name: Any, reader: FieldReader, depth: int) -> SlotMethod | None:
    match name:
        case str() if name in list(BorderMethod):
            return _from_borders(BorderMethod(name), reader, depth)
        case str() if name in list(WindowMethod):
            return _from_window(WindowMethod(name), reader)
        case str() if name in list(ExtremeMethod):
            return _extreme_of(ExtremeMethod(name), reader, depth)
    reader.refuse("method", f"that fills gaps is one of {', '.join(METHOD_NAMES)}")
    return None


def _from_borders(method: BorderMethod, reader: FieldReader, depth: int) -> FromBorders:
    after: Without | SlotMethod = Without.WAIT
    before = None
    if method is not BorderMethod.PREVIOUS:
        after = _without("without_after", (Without.WAIT, Without.BEFORE), reader, depth) or Without.WAIT
    if method is not BorderMethod.NEXT:
        before = _without("without_before", (Without.FIRST_AFTER,), reader, depth)
    return FromBorders(method, after, before)


def _without(
    name: str, words: Sequence[Without], reader: FieldReader, depth: int
) -> Without | SlotMethod | None:
    given = reader.take(name)
    if given is None:
        return None
    if isinstance(given, Mapping):
        inner = reader.at(name, given)
        assert inner is not None  # noqa: S101 - it is an object
        method = _method(inner, depth + 1)
        inner.refuse_the_rest("is nothing that this method takes")
        return method
    if isinstance(given, str) and given in words:
        return Without(given)
    reader.refuse(name, f"is {', '.join(words)} or a method")
    return None


def _from_window(method: WindowMethod, reader: FieldReader) -> FromWindow | None:
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
    given = reader.take("window")
    if not isinstance(given, Mapping):
        reader.refuse("window", "says which values the method is taken of; it is an object")
        return None
    window, problems = read_window(given, f"{reader.path}.window", allows_both=True)
    reader.problems += problems
    if given.get("include_current") is True:
        reader.refuse("window.include_current", "is false where gaps are filled; an empty slot is no member")
    where = None
    if window is not None and window.where is not None:
        where = _parsed(reader, "window.where", window.where, SLOT_LANGUAGE)
    return None if window is None else LookBack(window, where)


def _extreme_of(method: ExtremeMethod, reader: FieldReader, depth: int) -> ExtremeOf | None:
    given = reader.take("methods")
    if not isinstance(given, Sequence) or isinstance(given, str) or not 2 <= len(given) <= METHODS_MAX:
        reader.refuse("methods", f"are 2 to {METHODS_MAX} methods")
        return None
    parts = []
    for index, one in enumerate(given):
        inner = reader.at(f"methods[{index}]", one)
        if inner is not None:
            parts.append(_method(inner, depth + 1))
            inner.refuse_the_rest("is nothing that this method takes")
    return ExtremeOf(method, tuple(part for part in parts if part is not None))
