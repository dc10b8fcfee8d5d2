"""A reader takes the fields of an object out of it, one after the other, and notes what is wrong by its path.

Invariants: what is taken once is gone, so what is left over at the end is what nobody knows; a reader never
raises, and gives something of the right type in place of what is wrong.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from weighbridge.core.expression import Expression, ExpressionError, Language, parse
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import ZERO, NumberError, limited
from weighbridge.core.rule.substitution.definition import SLOT_LANGUAGE


class FieldReader:
    """Takes the fields of an object out of it, noting problems by their paths."""

    def __init__(self, given: Mapping[str, Any], path: str, problems: list[Problem] | None = None) -> None:
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems
        self._given = dict(given)

    def take(self, name: str) -> Any:
        return self._given.pop(name, None)

    def refuse(self, name: str, what: str) -> None:
        field = f"{self.path}.{name}"
        self.problems.append(Problem(f"{field} {what}.", field, "invalid"))

    def refuse_the_rest(self, what: str) -> None:
        for name in self._given:
            self.refuse(name, what)
        self._given.clear()

    def at(self, name: str, given: Any) -> "FieldReader | None":
        """A reader of an object inside this one."""
        if isinstance(given, Mapping):
            return FieldReader(given, f"{self.path}.{name}", self.problems)
        self.refuse(name, "is an object")
        return None

    def inside(self, name: str) -> "FieldReader | None":
        given = self.take(name)
        return None if given is None else self.at(name, given)

    def choice(self, name: str, allowed: Sequence[str], default: str | None = None) -> str:
        given = self.take(name)
        if given is None and default is not None:
            return default
        if isinstance(given, str) and given in allowed:
            return given
        self.refuse(name, f"is one of {', '.join(allowed)}")
        return allowed[0]

    def whole(self, name: str, most: int, *, least: int = 1, is_required: bool = False) -> int | None:
        given = self.take(name)
        if given is None and not is_required:
            return None
        if isinstance(given, int) and not isinstance(given, bool) and least <= given <= most:
            return given
        self.refuse(name, f"is a whole number from {least:,} to {most:,}")
        return None

    def number(self, name: str, least: Decimal | None = None, most: Decimal | None = None) -> Decimal:
        given = self.take(name)
        if isinstance(given, Decimal | int) and not isinstance(given, bool):
            try:
                value = limited(Decimal(given))
            except NumberError as error:
                self.refuse(name, f"is out of limits: {error}".removesuffix("."))
                return ZERO
            if (least is None or value >= least) and (most is None or value <= most):
                return value
        from_ = "" if least is None else f" from {least}"
        self.refuse(name, f"is a number{from_}{'' if most is None else f' to {most}'}")
        return ZERO

    def condition(
        self, name: str, language: Language = SLOT_LANGUAGE, *, is_required: bool = False
    ) -> tuple[Expression | None, str | None]:
        given = self.take(name)
        if given is None and not is_required:
            return None, None
        if not isinstance(given, str) or not given.strip():
            self.refuse(name, "is an expression, as a text")
            return None, None
        return self.parsed(name, given.strip(), language), given.strip()

    def parsed(self, name: str, text: str, language: Language) -> Expression | None:
        try:
            return parse(text, language)
        except ExpressionError as error:
            self.problems.append(Problem(str(error), f"{self.path}.{name}", "invalid"))
            return None
