r"""A pattern is a small regular expression that is matched in time linear in the text.

It knows literals, `.`, classes `[a-z]` and `[^a-z]`, `\d \w \s` and their capitals, `* + ?`, counts
`{2,5}`, groups, `|`, and the anchors `^` and `$`. It does not know back references or look-around, so
no pattern can make a match run away. It is read into a tree, unfolded into states, and all states
that are alive advance together over the text.

Invariants: a search looks at each character once, with at most STATES_MAX states alive, and tells what it
costs while it goes on, the same for the same pattern and text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

LENGTH_MAX: Final = 200
"""The longest pattern."""

COUNT_MAX: Final = 50
"""The largest count in braces."""

DEPTH_MAX: Final = 20
"""How deep groups may be nested."""

STATES_MAX: Final = 300
"""The most states that a pattern may unfold to."""


Spend = Callable[[int], None]
"""Takes note of so many states that were looked at, each a simple operation, and may end the match."""

_TOLD_AFTER: Final = 5_000
"""States that are visited between two checks of the budget: a few milliseconds."""


def spend_nothing(_count: int) -> None:
    """Spend nothing."""


class PatternError(ValueError):
    """A pattern cannot be read; the message is a full sentence."""


@dataclass(frozen=True, slots=True)
class State:
    """One step of a match: it takes a character, is at an anchor, or leads on at once."""

    takes: Callable[[str], bool] | None = None
    anchor: str = ""
    leads_to: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern unfolded; a state that takes or is passed is followed by the next, the last by a match."""

    states: tuple[State, ...]

    def search(self, text: str, spend: Spend = spend_nothing) -> bool:
        """Whether the pattern matches anywhere in the text; each state that is looked at is spent."""
        alive: set[int] = set()
        looked_at = 0
        for index in range(len(text) + 1):
            looked_at += len(alive) + 1
            if looked_at >= _TOLD_AFTER:
                spend(looked_at)
                looked_at = 0
            at_end = index == len(text)
            self._reach(0, alive, anchors=("^" if index == 0 else "") + ("$" if at_end else ""))
            if at_end or len(self.states) in alive:
                spend(looked_at)
                return len(self.states) in alive
            matching_steps = [step for step in alive if self._takes(step, text[index])]
            alive = set()
            for step in matching_steps:
                self._reach(step + 1, alive, anchors="$" if index + 1 == len(text) else "")
        raise AssertionError("the end of the text is among the places that are looked at")

    def _takes(self, index: int, character: str) -> bool:
        accepts = self.states[index].takes
        return accepts is not None and accepts(character)

    def _reach(self, start: int, alive: set[int], anchors: str) -> None:
        """Add every state that can be reached from one without taking a character."""
        pending_states = [start]
        while pending_states:
            index = pending_states.pop()
            if index in alive:
                continue
            alive.add(index)
            if index == len(self.states):
                continue
            state = self.states[index]
            pending_states += state.leads_to
            if state.anchor and state.anchor in anchors:
                pending_states.append(index + 1)


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """Read a pattern."""
    if len(text) > LENGTH_MAX:
        raise PatternError(f"A pattern has at most {LENGTH_MAX} characters; this one has {len(text)}.")
    reader = _PatternReader(text)
    tree = reader.choice()
    if reader.position < len(text):
        raise reader.refusal("a closing parenthesis has no opening one")
    states: list[State] = []
    _unfold(tree, states)
    return Pattern(tuple(states))


@dataclass(frozen=True, slots=True)
class _One:
    takes: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Anchor:
    sign: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    items: tuple["_Tree", ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    branches: tuple["_Tree", ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    item: "_Tree"
    low: int
    high: int | None


_Tree = _One | _Anchor | _Sequence | _Choice | _Repeat


def _unfold(tree: _Tree, states: list[State]) -> None:
    """Append the states of a tree; when it has matched, the state after the last of them is next."""
    if len(states) > STATES_MAX:
        raise PatternError(f"The pattern unfolds to more than {STATES_MAX} states; use smaller counts.")
    match tree:
        case _One(takes=takes):
            states.append(State(takes=takes))
        case _Anchor(sign=sign):
            states.append(State(anchor=sign))
        case _Sequence(items=items):
            for item in items:
                _unfold(item, states)
        case _Choice(branches=branches):
            _unfold_choice(branches, states)
        case _Repeat():
            _unfold_repeat(tree, states)


def _unfold_choice(branches: tuple[_Tree, ...], states: list[State]) -> None:
    exits = []
    for branch in branches[:-1]:
        fork = len(states)
        states.append(State())
        _unfold(branch, states)
        exits.append(len(states))
        states.append(State())
        states[fork] = State(leads_to=(fork + 1, len(states)))
    _unfold(branches[-1], states)
    for leave in exits:
        states[leave] = State(leads_to=(len(states),))


def _unfold_repeat(tree: _Repeat, states: list[State]) -> None:
    for _ in range(tree.low):
        _unfold(tree.item, states)
    forks = []
    for _ in range(1 if tree.high is None else tree.high - tree.low):
        forks.append(len(states))
        states.append(State())
        _unfold(tree.item, states)
    if tree.high is None:
        states.append(State(leads_to=(forks[0],)))
    for fork in forks:
        states[fork] = State(leads_to=(fork + 1, len(states)))


_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "d": str.isdecimal,
    "w": lambda character: character.isalnum() or character == "_",
    "s": str.isspace,
    "D": lambda character: not character.isdecimal(),
    "W": lambda character: not (character.isalnum() or character == "_"),
    "S": lambda character: not character.isspace(),
}
_COUNTS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class _PatternReader:
    """Reads the text of a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def choice(self) -> _Tree:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return _Choice(tuple(branches)) if len(branches) > 1 else branches[0]

    def refusal(self, reason: str) -> PatternError:
        return PatternError(f"In the pattern {self.text!r}, {reason}.")

    def _sequence(self) -> _Tree:
        items: list[_Tree] = []
        while self._peek() not in {"", "|", ")"}:
            item = self._item()
            counts = self._counts()
            items.append(item if counts is None else _Repeat(item, *counts))
        return _Sequence(tuple(items))

    def _item(self) -> _Tree:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return _One(self._class())
        if character in "^$":
            return _Anchor(character)
        if character == ".":
            return _One(lambda _: True)
        if character == "\\":
            return _One(self._escaped())
        if character in "*+?{":
            raise self.refusal(f"the {character} repeats nothing")
        return _One(character.__eq__)

    def _group(self) -> _Tree:
        if self._peek() == "?":
            raise self.refusal("a group that starts with ? is not known")
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.refusal(f"groups are nested deeper than {DEPTH_MAX}")
        inner = self.choice()
        self.depth -= 1
        if not self._take(")"):
            raise self.refusal("a parenthesis is not closed")
        return inner

    def _escaped(self) -> Callable[[str], bool]:
        character = self._next()
        if character in _CLASSES:
            return _CLASSES[character]
        if character == "" or character.isalnum():
            raise self.refusal(f"\\{character} is not known")
        return character.__eq__

    def _class(self) -> Callable[[str], bool]:
        is_negated = self._take("^")
        tests: list[Callable[[str], bool]] = []
        if self._peek() == "]":
            raise self.refusal("a bracket is empty")
        while not self._take("]"):
            character = self._next()
            if character == "":
                raise self.refusal("a bracket is not closed")
            if character == "\\":
                tests.append(self._escaped())
            elif self._peek() == "-" and self.text[self.position + 1 : self.position + 2] not in {"", "]"}:
                self._next()
                tests.append(_match_range(character, self._next()))
            else:
                tests.append(character.__eq__)
        return lambda character: any(test(character) for test in tests) is not is_negated

    def _counts(self) -> tuple[int, int | None] | None:
        counts = _COUNTS.get(self._peek())
        if counts is not None:
            self._next()
        elif self._take("{"):
            counts = self._braces()
        if counts is not None and self._peek() in {*_COUNTS, "{"}:
            raise self.refusal("a repetition is repeated")
        return counts

    def _braces(self) -> tuple[int, int | None]:
        inner, brace, _ = self.text[self.position :].partition("}")
        low, comma, high = inner.partition(",")
        bounds = [bound for bound in (low, high) if bound]
        if not brace or not low or not all(bound.isdecimal() and len(bound) < 4 for bound in bounds):
            raise self.refusal("a count in braces is not of the form {2}, {2,} or {2,5}")
        if any(int(bound) > COUNT_MAX for bound in bounds) or (high and int(high) < int(low)):
            raise self.refusal(f"a count in braces is beyond {COUNT_MAX} or out of order")
        self.position += len(inner) + 1
        return int(low), int(high) if high else None if comma else int(low)

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _next(self) -> str:
        character = self._peek()
        self.position += 1
        return character

    def _take(self, character: str) -> bool:
        if self._peek() != character:
            return False
        self.position += 1
        return True


def _match_range(low: str, high: str) -> Callable[[str], bool]:
    return lambda character: low <= character <= high
