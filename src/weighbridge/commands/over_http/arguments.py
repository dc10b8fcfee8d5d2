"""Words of the command line as arguments of a call.

A time is `now`, `today`, `yesterday`, so long ago as `90m`, `12h`, `7d` or `4w`, a date, or a time with an
offset. Days begin where the machine's clock says.
"""

import inspect
import json
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from cyclopts import Parameter
from msgspec import UnsetType

from weighbridge.commands.over_http.clock import here
from weighbridge.errors import Refusal

_AGO: Final = re.compile(r"(\d{1,6})([mhdw])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class ArgumentForm:
    """How one argument is said."""

    annotation: Any
    positional: bool
    required: bool
    is_time: bool
    is_json: bool

    def read(self, name: str, said: Any) -> Any:
        """The value that is sent. Raises Refusal for what cannot be read."""
        if self.is_time:
            return moment(said)
        if not self.is_json:
            return said
        try:
            return json.loads(said, parse_float=Decimal)
        except ValueError as error:
            raise Refusal(f"--{name.replace('_', '-')} takes JSON; {said!r} is none: {error}.") from error


def form_of(parameter: inspect.Parameter) -> ArgumentForm:
    """How a parameter of a client's function is said."""
    kinds = [kind for kind in _alternatives(parameter.annotation) if kind not in (UnsetType, types.NoneType)]
    is_time = datetime in kinds
    is_json = any(_is_structured(kind) for kind in kinds)
    word: Any = str
    if not is_time and not is_json:
        word = list[str] if any(get_origin(kind) is Sequence for kind in kinds) else _simple(kinds)
    told = Parameter(help="JSON.") if is_json else Parameter(negative=())
    required = parameter.default is inspect.Parameter.empty
    return ArgumentForm(
        Annotated[word if required else word | None, told],
        positional=parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD,
        required=required,
        is_time=is_time,
        is_json=is_json,
    )


def moment(said: str, now: datetime | None = None) -> str:
    """The time that words say, as the interface takes it.

    Raises Refusal for words that say none.
    """
    now = now or here()
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    words = {"now": now, "today": day, "yesterday": day - timedelta(days=1)}
    if said in words:
        return words[said].astimezone(UTC).isoformat()
    if (ago := _AGO.fullmatch(said)) is not None:
        back = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return (now - back).astimezone(UTC).isoformat()
    try:
        parsed = datetime.fromisoformat(said)
    except ValueError:
        raise Refusal(
            f"{said!r} is no time; say now, today, yesterday, 90m, 12h, 7d, 4w, a date, or a time with an "
            "offset."
        ) from None
    return (parsed if parsed.tzinfo else parsed.astimezone()).isoformat()


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(one for each in get_args(annotation) for one in _alternatives(each))
    return (annotation,)


def _is_structured(kind: Any) -> bool:
    if kind is Any or kind is Mapping or get_origin(kind) is Mapping:
        return True
    return get_origin(kind) is Sequence and any(
        _is_structured(each) for part in get_args(kind) for each in _alternatives(part)
    )


def _simple(kinds: list[Any]) -> Any:
    """One type for words: a choice, a number, yes or no, or a text."""
    for kind in kinds:
        if get_origin(kind) is Literal or kind in (bool, Decimal):
            return kind
    return kinds[0] if len(kinds) == 1 else str
