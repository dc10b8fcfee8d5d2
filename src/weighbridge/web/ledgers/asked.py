"""What a generation is asked for: the fields of its form, in an address or as they were typed.

Draws by hand are said for one period. Once another period is chosen they are left out, so that nothing is
drawn for a month that was meant for another one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.web.visit import Visit

LATEST: Final = "latest"

DRAW: Final = "draw:"
"""What the name of a field for a draw by hand begins with; the group and the batch follow."""

_PLAIN: Final = ("from", "until", "model_version", "together")


@dataclass(frozen=True, slots=True)
class Draw:
    """So much of a batch, as it was typed."""

    field: str
    group: str
    batch: str
    text: str


@dataclass(frozen=True, slots=True)
class GenerationAsked:
    """The fields of the form."""

    values: Mapping[str, str]
    """The fields that are there once."""
    skipped: tuple[str, ...]
    """Numbers of data point types that are set aside."""
    draws: tuple[Draw, ...] | None
    """What is drawn by hand; None where nothing is said of it, and runs keep what they hold."""
    start: Instant | None
    end: Instant | None

    @property
    def is_chosen(self) -> bool:
        """Whether a period is chosen."""
        return self.start is not None and self.end is not None

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The fields again, as the form that starts the generation carries them."""
        plain = [(name, self.values[name]) for name in _PLAIN if self.values.get(name)]
        skips = [("skip", one) for one in self.skipped]
        if self.draws is None:
            return plain + skips
        drawn = [(one.field, one.text) for one in self.draws]
        return [*plain, *skips, ("by_hand", self.period), ("held", "yes"), *drawn]

    @property
    def address(self) -> str:
        """The same as the query of an address."""
        return urlencode(self.pairs)

    @property
    def period(self) -> str:
        """The period as a word, by which draws are known to be meant for it."""
        return f"{self.values.get('from', '')}/{self.values.get('until', '')}"

    def body(self, problems: list[Problem]) -> dict[str, Any]:
        """The body of the interface; collects what no number was typed for."""
        body: dict[str, Any] = {
            "start_time": (self.start and self.start.text) or "",
            "end_time": (self.end and self.end.text) or "",
        }
        if self.values.get("model_version") == LATEST:
            body["model_version"] = LATEST
        if self.values.get("together") == "yes":
            body["generate_concurrent_ledgers"] = True
        if self.skipped:
            body["skipped_data_point_type_ids"] = [int(one) for one in self.skipped]
        if self.draws is not None:
            amounts = [_amount(one, problems) for one in self.draws]
            body["batch_amounts"] = [one for one in amounts if one is not None]
        return body

    def at_fields(self, problems: Sequence[Problem]) -> list[Problem]:
        """Problems of the interface, at the fields of the form that they are about."""
        return [self._at_field(one) for one in problems]

    def _at_field(self, problem: Problem) -> Problem:
        for index, draw in enumerate(self.draws or ()):
            if (problem.field or "").startswith(f"batch_amounts[{index}]"):
                return Problem(problem.message, draw.field, problem.code, problem.records)
        names = {"start_time": "from", "end_time": "until"}
        return Problem(
            problem.message, names.get(problem.field or "", problem.field), problem.code, problem.records
        )


def asked_of(visit: Visit) -> GenerationAsked:
    """What was typed, or else what stands in the address."""
    typed = [(name, value) for name, values in visit.typed.items() for value in values]
    pairs = [(name, value.strip()) for name, value in typed or visit.query]
    values = dict(pairs)
    start, end = (visit.moments.typed(values.get(name, "")) for name in ("from", "until"))
    skipped = tuple(dict.fromkeys(value for name, value in pairs if name == "skip" and value.isdigit()))
    asked = GenerationAsked(values, skipped, None, start, end)
    if values.get("by_hand") not in {"/", asked.period}:
        return asked
    draws = [_draw(name, value) for name, value in pairs if name.startswith(DRAW) and value]
    if batch := values.get("other_batch"):
        name = f"{DRAW}{values.get('other_group', '')}:{batch}"
        draws.append(_draw(name, values.get("other_amount", "")))
    if not draws and values.get("held") != "yes":
        return asked
    return GenerationAsked(values, skipped, tuple(draws), start, end)


def _draw(name: str, text: str) -> Draw:
    group, _, batch = name.removeprefix(DRAW).partition(":")
    return Draw(name, group, batch, text)


def _amount(draw: Draw, problems: list[Problem]) -> dict[str, Any] | None:
    try:
        amount = Decimal(draw.text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        said = f"{draw.text!r} is no amount that can be drawn of {draw.batch}."
        problems.append(Problem(said, draw.field, "invalid"))
        return None
    named: dict[str, Any] = {"batch_id": draw.batch, "primary_output_amount": amount}
    return named | ({"allocation_group": draw.group} if draw.group else {})
