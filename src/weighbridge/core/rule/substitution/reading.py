"""Reading makes a filling of the JSON that a rule carries, and checking finds what does not fit its records.

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
from weighbridge.core.expression.tree import FunctionCall, Name, Word, names, walk
from weighbridge.core.identity import is_slug, list_briefly
from weighbridge.core.number import PLACES_MAX
from weighbridge.core.problem import Problem
from weighbridge.core.rule.definition import FIELD, PERIODS, FieldReader, RuleTarget, Vocabulary
from weighbridge.core.rule.functions import DEFINITIONS
from weighbridge.core.rule.reading import type_names
from weighbridge.core.rule.substitution.definition import (
    AVAILABILITY,
    AVAILABILITY_SLOTS_MAX,
    CODE_LENGTH_MAX,
    DEPTH_MAX,
    METHOD_NAMES,
    METHODS_MAX,
    PERIOD_CALLS,
    ROUNDINGS,
    SLOT_LANGUAGE,
    TIER_CALLS,
    TIER_LANGUAGE,
    TIERS_MAX,
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
    MissingBorderPolicy,
    OperatingSource,
    SlotMethod,
    Tier,
    ValueRounding,
    WindowMethod,
    list_parts,
)
from weighbridge.core.rule.substitution.sources import read_statement
from weighbridge.core.rule.substitution.windows import AROUND_GAP, LookBack, read_gap_window

_HUNDRED: Final = Decimal(100)


def read_filling(mapping: Mapping[str, Any]) -> tuple[GapFilling | None, list[Problem]]:
    """Read how a rule fills gaps as it is written in JSON; None with everything that is wrong with it."""
    reader = FieldReader(mapping, FIELD)
    border, border_text = _read_condition(reader, "border_where")
    operating, operating_text = _read_condition(reader, "operating_where")
    operating_from = _read_operating_source(reader)
    slots = reader.whole("availability_slots", AVAILABILITY_SLOTS_MAX)
    rounding = _read_rounding(reader)
    conservative = reader.choice("conservative", list(Conservative), Conservative.HIGH)
    fills_to_end, fills_lacking = _read_truth(reader, "fill_to_end"), _read_truth(reader, "fill_lacking")
    is_tiered = "tiers" in mapping
    tiers = _read_tiers(reader) if is_tiered else [_read_tier(reader, is_alone=True)]
    reader.refuse_the_rest("is no part of how a rule fills gaps")
    if reader.problems:
        return None, reader.problems
    return GapFilling(
        tuple(tier for tier in tiers if tier is not None),
        border, border_text, operating, operating_text, slots, rounding,
        Conservative(conservative), is_tiered, operating_from, fills_to_end,
        fills_lacking,
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


def check_operating_source(filling: GapFilling, event_types: Mapping[str, Vocabulary]) -> list[Problem]:
    """What keeps events of another type from saying when meters were operating; by slug, those there are."""
    source = filling.operating_from
    if source is None:
        return []
    records = event_types.get(source.event_type)
    if records is None:
        field = f"{FIELD}.operating_from.event_type"
        known = list_briefly(event_types) or "none"
        message = f"{field} is {source.event_type!r}, which is no event type of the project; it has {known}."
        return [Problem(message, field, "unknown")]
    field = f"{FIELD}.operating_from.where"
    types, unknown = type_names(names(source.where), [records], field, RuleTarget.DATA_POINT)
    role = "operating_from.where must be true or false"
    return list(dict.fromkeys(unknown)) or _check_kind(source.where, types, Kind.TRUTH, field, role)


def _read_truth(reader: FieldReader, name: str) -> bool:
    value = reader.take(name, default=False)
    if not isinstance(value, bool):
        reader.refuse(name, "is true or false")
    return value is True


def _read_operating_source(reader: FieldReader) -> OperatingSource | None:
    inner = reader.inside("operating_from")
    if inner is None:
        return None
    event_type = inner.take("event_type")
    if not isinstance(event_type, str) or not is_slug(event_type):
        inner.refuse("event_type", "is the slug of an event type")
    where, text = _read_condition(inner, "where", is_required=True)
    inner.refuse_the_rest("is no part of operating_from")
    if where is None or text is None or not isinstance(event_type, str):
        return None
    return OperatingSource(event_type, where, text)


def _list_expressions(filling: GapFilling) -> Iterable[tuple[Expression, str, Kind | None, str]]:
    """What reads a slot, with its field, what it must give, if that matters, and how it is called."""
    for tree, name in ((filling.border_where, "border_where"), (filling.operating_where, "operating_where")):
        if tree is not None:
            yield tree, f"{FIELD}.{name}", Kind.TRUTH, f"{name} must be true or false"
    for index, tier in enumerate(filling.tiers):
        field = f"{FIELD}.tiers[{index}]" if filling.is_tiered else FIELD
        for part in list_parts(tier.method):
            match part:
                case FromWindow(look_back=LookBack(where=where)) if where is not None:
                    yield where, f"{field}.window.where", Kind.TRUTH, "A where must be true or false"
            match part:
                case FromWindow(look_back=LookBack(same=same)) if same is not None:
                    yield same, f"{field}.window.same", None, ""
                case Computed(expression=tree):
                    yield tree, f"{field}.expression", Kind.NUMBER, "What fills a gap must be a number"


def _check_kind(
    tree: Expression,
    types: Mapping[str, Type],
    kind: Kind | None,
    field: str,
    role: str,
    *,
    leaves: Mapping[Expression, Type] | None = None,
) -> list[Problem]:
    try:
        kind_found = check(tree, NameScope(types), leaves or {})
    except ExpressionError as error:
        return [Problem(str(error), field, "invalid")]
    if kind is None or kind_found.kind is kind:
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
    statement = read_statement(reader)
    method = _read_method(reader, 1)
    if not is_alone:
        reader.refuse_the_rest("is no part of a tier with this method")
    return None if method is None else Tier(method, when, when_text, code, statement)


def _check_when(tree: Expression, field: str) -> Iterable[Problem]:
    for name in names(tree):
        message = f"At {name.position}: a tier looks at no data; it may ask for {_ASKED}."
        return [Problem(message, field, "unknown")]
    for node in walk(tree):
        if isinstance(node, FunctionCall) and node.function == AVAILABILITY.function:
            for word in node.arguments:
                if isinstance(word, Word) and word.text not in PERIOD_CALLS:
                    message = f"At {word.position}: availability is taken of one of {', '.join(PERIODS)}."
                    return [Problem(message, field, "invalid")]
    leaves: dict[Expression, Type] = dict.fromkeys((*TIER_CALLS, *PERIOD_CALLS.values()), PLAIN)
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
            return _read_from_window(WindowMethod(name), reader, depth)
        case str() if name in list(ExtremeMethod):
            return _read_extreme(ExtremeMethod(name), reader, depth)
    reader.refuse("method", f"that fills gaps is one of {', '.join(METHOD_NAMES)}")
    return None


def _read_from_borders(method: BorderMethod, reader: FieldReader, depth: int) -> FromBorders:
    after: MissingBorderPolicy | SlotMethod = MissingBorderPolicy.WAIT
    before = within = None
    if method is not BorderMethod.PREVIOUS:
        after = (
            _read_without(
                "without_after", (MissingBorderPolicy.WAIT, MissingBorderPolicy.BEFORE), reader, depth
            )
            or MissingBorderPolicy.WAIT
        )
        within = _read_after_within(reader, after)
    if method is not BorderMethod.NEXT:
        before = _read_without("without_before", (MissingBorderPolicy.FIRST_AFTER,), reader, depth)
    return FromBorders(method, after, before, within)


def _read_after_within(reader: FieldReader, without_after: MissingBorderPolicy | SlotMethod) -> str | None:
    if reader.given.get("after_within") is None:
        reader.take("after_within")
        return None
    period = reader.choice("after_within", tuple(PERIODS))
    if without_after is MissingBorderPolicy.WAIT:
        reader.refuse("without_after", "says what is taken when no value comes within the period; not wait")
    return period


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


def _read_from_window(method: WindowMethod, reader: FieldReader, depth: int) -> FromWindow | None:
    look_back = _read_look_back(reader)
    p = definition = factor = deviation = confidence = None
    if method is WindowMethod.PERCENTILE:
        p = reader.number("p", Decimal(0), _HUNDRED)
        definition = reader.choice("definition", DEFINITIONS)
    if method is WindowMethod.MEAN_PLUS_SD:
        factor = reader.number("factor", Decimal(0))
        deviation = DeviationKind(reader.choice("deviation", list(DeviationKind)))
    if method is WindowMethod.CONFIDENCE_LIMIT:
        confidence = reader.number("confidence", _CONFIDENCE_MIN, _CONFIDENCE_MAX)
    without = reader.inside("without_members")
    other = None if without is None else _read_method(without, depth + 1)
    if without is not None:
        without.refuse_the_rest("is nothing that this method takes")
    if look_back is None or reader.problems:
        return None
    return FromWindow(method, look_back, p, definition, factor, deviation, confidence, without_members=other)


_CONFIDENCE_MIN: Final = Decimal(1)
_CONFIDENCE_MAX: Final = Decimal("99.9")
"""Percent that a confidence interval may have."""


def _read_look_back(reader: FieldReader) -> LookBack | None:
    given = reader.take("window")
    if not isinstance(given, Mapping):
        reader.refuse("window", "says which values the method is taken of; it is an object")
        return None
    fields = dict(given)
    same_text = fields.pop("same", None)
    window, problems = read_gap_window(fields, f"{reader.path}.window")
    reader.problems += problems
    if fields.get("include_current") is True and fields.get("kind") != AROUND_GAP:
        reader.refuse("window.include_current", "is false where gaps are filled; an empty slot is no member")
    where = same = None
    if window is not None and window.where is not None:
        where = _parse_condition(reader, "window.where", window.where, SLOT_LANGUAGE)
    if same_text is not None and (not isinstance(same_text, str) or not same_text.strip()):
        reader.refuse("window.same", "is an expression, as a text")
    elif same_text is not None:
        same_text = same_text.strip()
        same = _parse_condition(reader, "window.same", same_text, SLOT_LANGUAGE)
    return None if window is None else LookBack(window, where, same, same_text)


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
