"""Reading builds a rule from its texts, and checking finds what does not fit its records.

Invariants: neither raises for any text or window; every problem names its field, and its place there where
it has one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    Expression,
    ExpressionError,
    Kind,
    NameScope,
    Type,
    check,
    parse,
)
from weighbridge.core.expression.tree import FunctionCall, Name, Number, Word, names, walk
from weighbridge.core.identity import find_nearest, list_briefly
from weighbridge.core.problem import Problem
from weighbridge.core.rule.definition import CORRECTION_EXPRESSION as CORRECTION
from weighbridge.core.rule.definition import (
    MemberScope,
    Rolling,
    Rule,
    RuleTarget,
    Vocabulary,
    Window,
    is_tag,
    read_window,
)
from weighbridge.core.rule.facts import FACTS, asks_calibration, is_fact
from weighbridge.core.rule.functions import (
    AGGREGATES,
    DEFINITIONS,
    LANGUAGE,
    is_aggregate,
    is_lookup,
    list_aggregates,
    list_lookups,
)
from weighbridge.core.rule.tables import LookupTable, check_table_column, read_tables

EXPRESSION: Final = "expression"
WHERE: Final = "window.where"
SAME: Final = "window.same"
_WORDS: Final = {Kind.NUMBER: "a number", Kind.TEXT: "a text", Kind.TRUTH: "true or false"}
_HUNDRED: Final = Decimal(100)


def read_rule(
    expression: str,
    window: Mapping[str, Any] | None = None,
    scope: str = MemberScope.EVENT_TYPE,
    target: str = RuleTarget.DATA_POINT,
    correction: str | None = None,
    tables: Mapping[str, Any] | None = None,
) -> tuple[Rule | None, list[Problem]]:
    """Read a rule; None with everything that is wrong with it by itself."""
    parsed_window, problems = read_window(window) if window is not None else (None, [])
    read, wrong = read_tables(tables)
    problems += wrong
    tree = _parse_expression(expression, EXPRESSION, problems)
    if target == RuleTarget.MODEL_RUN and asks_calibration(tree):
        message = "A rule on model runs cannot ask for the calibration of a meter; a rule on data points can."
        problems.append(Problem(message, EXPRESSION, "invalid"))
    where = (
        _parse_expression(parsed_window.where, WHERE, problems)
        if parsed_window and parsed_window.where
        else None
    )
    same = (
        _parse_expression(parsed_window.same, SAME, problems)
        if parsed_window and parsed_window.same
        else None
    )
    becomes = None if correction is None else _parse_expression(correction, CORRECTION, problems)
    problems += [*_check_window(parsed_window, scope), *_check_where(where, WHERE), *_check_where(same, SAME)]
    for expression_tree, field in ((tree, EXPRESSION), (becomes, CORRECTION)):
        problems += _check_aggregates(expression_tree, field, has_window=window is not None)
    if not wrong:
        texts = ((tree, EXPRESSION), (where, WHERE), (same, SAME), (becomes, CORRECTION))
        for expression_tree, field in texts:
            problems += _check_lookups(expression_tree, field, read)
    if tree is None or problems:
        return None, problems
    own_names, members = _read_by(tree)
    if becomes is not None:
        own_names, members = own_names + _read_by(becomes)[0], members + _read_by(becomes)[1]
    members += names(where) if where is not None else ()
    members += names(same) if same is not None else ()
    return Rule(
        tree, RuleTarget(target), MemberScope(scope), parsed_window, where, becomes,
        _remove_duplicates(own_names), _remove_duplicates(members),
        tuple(dict.fromkeys((*list_aggregates(tree), *list_aggregates(becomes)))),
        read, same,
    ), []  # fmt: skip


def check_rule(rule: Rule, records: Vocabulary, members: Sequence[Vocabulary] = ()) -> list[Problem]:
    """What does not fit the records of a vocabulary; `members` are those of all records in their windows."""
    read_types = _type_expression(rule, rule.tree, EXPRESSION, records, members)
    problems = list(read_types.problems)
    conditions = [(one, field) for one, field in ((rule.where, WHERE), (rule.same, SAME)) if one is not None]
    of_window, unknown = type_names(
        [name for one, _ in conditions for name in names(one)], read_types.around, EXPRESSION, rule.target
    )
    problems += [problem for problem in unknown if problem not in problems]
    if problems:
        return problems
    try:
        _require_truth(rule.tree, read_types.check(rule.tree), "A rule says what is wrong, so it")
    except ExpressionError as error:
        problems.append(_build_problem(error, EXPRESSION))
    for condition, field in conditions:
        try:
            found = _check(condition, of_window, rule.tables)
            if field is WHERE:
                _require_truth(condition, found, "A where")
        except ExpressionError as error:
            problems.append(_build_problem(error, field))
    return problems


def check_correction(
    rule: Rule, records: Vocabulary, members: Sequence[Vocabulary], data_point: str
) -> list[Problem]:
    """What keeps the rule's correction from being computed for a data point of this vocabulary."""
    slug = records.slug_of(Name((data_point,), is_verbatim=True))
    if rule.correction is None or slug is None:
        return []
    read_types = _type_expression(rule, rule.correction, CORRECTION, records, members)
    if read_types.problems:
        return read_types.problems
    try:
        result_type = read_types.check(rule.correction)
    except ExpressionError as error:
        return [_build_problem(error, CORRECTION)]
    kind = records.types[slug].kind
    if result_type.kind is kind:
        return []
    message = f"{CORRECTION} gives {_WORDS[result_type.kind]}, and {slug!r} is {_WORDS[kind]}."
    return [Problem(message, CORRECTION, "invalid")]


@dataclass(frozen=True, slots=True)
class _ReadTypes:
    """The types of what an expression reads, and what it reads that there is not."""

    own: dict[str, Type]
    of_members: dict[str, Type]
    around: Sequence[Vocabulary]
    problems: list[Problem]
    tables: Mapping[str, LookupTable]

    def check(self, tree: Expression) -> Type:
        """Find the type of an expression, in which aggregates are leaves."""
        of_aggregates: dict[Expression, Type] = {
            call: _type_aggregate(call, self.of_members, self.tables) for call in list_aggregates(tree)
        }
        return _check(tree, self.own, self.tables, of_aggregates)


def _type_expression(
    rule: Rule, tree: Expression, field: str, records: Vocabulary, members: Sequence[Vocabulary]
) -> _ReadTypes:
    vocabularies = [records, *members] if rule.scope is MemberScope.PROJECT else [records]
    read_names, read_of_members = _read_by(tree)
    own_types, problems = type_names(_remove_duplicates(read_names), [records], field, rule.target)
    of_members, unknown = type_names(_remove_duplicates(read_of_members), vocabularies, field, rule.target)
    problems += [problem for problem in unknown if problem not in problems]
    if any(call.function == "missed_slots" for call in list_aggregates(tree)) and not records.has_cadence:
        message = f"missed_slots needs a cadence, which {records.label} has not."
        problems.append(Problem(message, field, "invalid"))
    return _ReadTypes(own_types, of_members, vocabularies, problems, rule.tables)


def _require_truth(tree: Expression, type_: Type, expression_name: str) -> None:
    if type_.kind is not Kind.TRUTH:
        raise ExpressionError(f"{expression_name} must be true or false; this is {type_}.", tree.position)


def _check(
    tree: Expression,
    types: Mapping[str, Type],
    tables: Mapping[str, LookupTable],
    results: Mapping[Expression, Type] | None = None,
) -> Type:
    """Find the type of an expression by those of its names; facts, cells of tables and what has a result
    already are leaves.
    """
    leaves: dict[Expression, Type] = {
        node: FACTS[node.function].type
        for node in walk(tree)
        if isinstance(node, FunctionCall) and is_fact(node)
    }
    leaves |= results or {}
    # Those inside of aggregates read members, which have names of their own.
    outside = {node for node in walk(tree, leaves.__contains__) if is_lookup(node)}
    leaves |= {call: _type_lookup(call, types, tables) for call in list_lookups(tree) if call in outside}
    return check(tree, NameScope(types), leaves)


def _type_lookup(call: FunctionCall, types: Mapping[str, Type], tables: Mapping[str, LookupTable]) -> Type:
    """The type of a cell; the key has to be what the key column holds."""
    table, column, key = call.arguments
    assert isinstance(table, Word) and isinstance(column, Word)  # noqa: S101, PT018 - they are words
    of = tables[table.text]
    key_type, wanted = check(key, NameScope(types)), of.find_type(of.columns[0])
    if key_type.kind is not wanted.kind:
        message = (
            f"The key of lookup is {_WORDS[key_type.kind]}, and {of.columns[0]} of {of.name} is "
            f"{_WORDS[wanted.kind]}."
        )
        raise ExpressionError(message, call.position)
    return of.find_type(column.text)


def _type_aggregate(
    call: FunctionCall, of_members: Mapping[str, Type], tables: Mapping[str, LookupTable]
) -> Type:
    meaning = AGGREGATES[call.function]
    types = [
        _check(argument, of_members, tables) for argument in call.arguments if not isinstance(argument, Word)
    ]
    if meaning.of_numbers and types[0].kind is not Kind.NUMBER:
        raise ExpressionError(f"{call.function} is taken of numbers; this is {types[0]}.", call.position)
    if meaning.of_truths and types[0].kind is not Kind.TRUTH:
        raise ExpressionError(
            f"{call.function} is taken of a condition, true or false; this is {types[0]}.", call.position
        )
    return types[0] if meaning.gives_member else PLAIN


def type_names(
    read_names: Iterable[Name], vocabularies: Sequence[Vocabulary], field: str, target: RuleTarget
) -> tuple[dict[str, Type], list[Problem]]:
    """Find the types of names by their texts, and a problem for each that no vocabulary knows."""
    types: dict[str, Type] = {}
    problems: list[Problem] = []
    for name in read_names:
        type_ = TEXT if is_tag(name, target) else find_type(name, vocabularies)
        if type_ is None:
            problems.append(explain_unknown_name(name, vocabularies[0], field))
        else:
            types[name.text] = type_
    return types, problems


def find_type(name: Name, vocabularies: Sequence[Vocabulary]) -> Type | None:
    """Return the type of a name in the first vocabulary that knows it."""
    for vocabulary in vocabularies:
        slug = vocabulary.slug_of(name)
        if slug is not None:
            return ignore_unit(vocabulary.types[slug])
    return None


def ignore_unit(value_type: Type) -> Type:
    """The type of a value without its unit."""
    return PLAIN if value_type.kind is Kind.NUMBER else Type(value_type.kind)


def explain_unknown_name(name: Name, vocabulary: Vocabulary, field: str) -> Problem:
    """What is said of a name that a vocabulary does not know: what was meant, else what there is."""
    close = find_nearest(name.path[-1], vocabulary.types)
    if close:
        hint = f"; did you mean {{{{{close}}}}}?"
    else:
        hint = (
            f"; it has {list_briefly(vocabulary.types)}." if vocabulary.types else "; it has no values yet."
        )
    message = f"At {name.position}: {vocabulary.label} has nothing called {name.text!r}{hint}"
    return Problem(message, field, "unknown")


def _parse_expression(text: str, field: str, problems: list[Problem]) -> Expression | None:
    try:
        return parse(text, LANGUAGE)
    except ExpressionError as error:
        problems.append(_build_problem(error, field))
        return None


def _check_window(window: Window | None, scope: str) -> Iterable[Problem]:
    if isinstance(window, Rolling) and scope == MemberScope.EVENT and not window.includes_current:
        message = "With window_member_scope event the record is the only member: say include_current: true."
        yield Problem(message, "window.include_current", "invalid")


def _check_where(where: Expression | None, field: str) -> Iterable[Problem]:
    for node in walk(where) if where is not None else ():
        if is_aggregate(node):
            message = f"A {field.rpartition('.')[2]} looks at one member by itself and has no aggregates."
            yield _build_problem(ExpressionError(message, node.position), field)


def _check_lookups(
    tree: Expression | None, field: str, tables: Mapping[str, LookupTable]
) -> Iterable[Problem]:
    for call in list_lookups(tree):
        table, column, key = call.arguments
        assert isinstance(table, Word) and isinstance(column, Word)  # noqa: S101, PT018 - they are words
        if sentence := check_table_column(tables, table.text, column.text):
            yield _build_problem(ExpressionError(sentence, call.position), field)
        if any(is_aggregate(node) or is_fact(node) or is_lookup(node) for node in walk(key)):
            message = "The key of lookup is found from values of the record alone."
            yield _build_problem(ExpressionError(message, call.position), field)


def _check_aggregates(tree: Expression | None, field: str, *, has_window: bool) -> Iterable[Problem]:
    for node in walk(tree) if tree is not None else ():
        if not (isinstance(node, FunctionCall) and is_aggregate(node)):
            continue
        if not has_window and AGGREGATES[node.function].needs_window:
            message = f"{node.function} looks at the members of a window; the rule has none."
            yield _build_problem(ExpressionError(message, node.position), field)
        for argument in node.arguments:
            if any(is_aggregate(inner) for inner in walk(argument)):
                message = f"{node.function} takes values of single members, and cannot contain an aggregate."
                yield _build_problem(ExpressionError(message, node.position), field)
        yield from _check_percentile(node, field)


def _check_percentile(call: FunctionCall, field: str) -> Iterable[Problem]:
    if call.function != "percentile":
        return
    share, *definition = call.arguments[1:]
    if not isinstance(share, Number) or share.value > _HUNDRED:
        message = "The p of percentile is written as a number from 0 to 100."
        yield _build_problem(ExpressionError(message, call.position), field)
    if definition and isinstance(definition[0], Word) and definition[0].text not in DEFINITIONS:
        definitions = ", ".join(DEFINITIONS)
        message = f"The definition of percentile is one of {definitions}; here is {definition[0].text!r}."
        yield _build_problem(ExpressionError(message, call.position), field)


def _read_by(tree: Expression) -> tuple[list[Name], list[Name]]:
    """List what an expression reads of the record itself, and of the members of its window."""
    own_names = [*names(tree, is_aggregate)]
    of_members: list[Name] = []
    for call in dict.fromkeys(list_aggregates(tree)):
        of_members += names(call)
        if AGGREGATES[call.function].reads_record:
            own_names += names(call)
    return own_names, of_members


def _remove_duplicates(names_read: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(dict.fromkeys(names_read))


def _build_problem(error: ExpressionError, field: str) -> Problem:
    return Problem(str(error), field, "invalid")
