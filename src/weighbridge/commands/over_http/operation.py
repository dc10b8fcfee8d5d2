"""How a function of the client becomes a command: its arguments as words, its answer shown.

The signature that the command line reads is made of the function's own: times may be said as people say them,
and what the interface takes as objects is given as JSON.
"""

import inspect
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from weighbridge.client import Client, WeighbridgeError
from weighbridge.client.calls import Call
from weighbridge.client.pages import Listing, Pages
from weighbridge.commands.over_http import showing
from weighbridge.commands.over_http.arguments import ArgumentForm, form_of, moment
from weighbridge.errors import Refusal

RECORDS = 50
"""How many records of a list are shown unless more are asked for."""
RECORDS_MAX = 1_000_000_000
"""The greatest number that may be asked for; 0 asks for all."""

_NOT_SAID = frozenset({"idempotency_key", "page", "page_size"})
_TIMES = ("start_time", "evaluated_at", "created_at", "updated_at")
"""What `--since` and `--until` are about: the first of these that a list can be filtered by."""

_AS_JSON = Annotated[bool, Parameter(name="--json", negative=(), show_default=False, help="Print JSON.")]
_AS_CSV = Annotated[bool, Parameter(name="--csv", negative=(), show_default=False, help="Print CSV.")]
_LIMIT = Annotated[
    int,
    Parameter(help="How many records at most; 0 for all.", validator=Number(gte=0, lte=RECORDS_MAX)),
]
_WHERE = "Where the service is; WEIGHBRIDGE_URL by default."
SERVICE = Annotated[str | None, Parameter(name=["--url", "--service-url"], help=_WHERE)]
_SERVICE_BESIDE_URL = Annotated[str | None, Parameter(name="--service-url", help=_WHERE)]
"""The same for what has a field `url` itself, such as a webhook."""
_SINCE = Annotated[
    str | None, Parameter(help="From when on: yesterday, 7d, 12h, or a time such as 2026-01-31T00:00:00Z.")
]
_UNTIL = Annotated[str | None, Parameter(help="Up to when, said in the same way.")]


def command_of(function: Callable[..., Any]) -> Callable[..., None]:
    """The command that carries out what the function asks for, and shows the answer."""
    parameters = inspect.signature(function, eval_str=True).parameters
    forms = {name: form_of(one) for name, one in parameters.items() if name not in _NOT_SAID}
    is_list = "Listing" in str(inspect.signature(function).return_annotation)
    about = next((one for one in _TIMES if is_list and f"{one}_geq" in parameters), None)

    words = inspect.Signature(_words(forms, about, is_list=is_list))

    def command(*args: Any, **kwargs: Any) -> None:
        bound = words.bind(*args, **kwargs)
        bound.apply_defaults()
        said = bound.arguments
        form = showing.ShownForm(said.pop("as_json"), said.pop("as_csv", False), said.pop("limit", RECORDS))
        for end, comparator in (("since", "geq"), ("until", "leq")):
            if (when := said.pop(end, None)) is not None:
                said[f"{about}_{comparator}"] = when
        with connected(said.pop("service_url")) as client:
            showing.show(_answer(client, _asked(function, forms, said), form), form)

    command.__signature__ = words  # type: ignore[attr-defined]
    command.__doc__ = inspect.getdoc(function)
    command.__name__ = function.__name__
    command.__annotations__ = {}
    return command


class connected:  # noqa: N801 - read as `with connected(url)`
    """A client whose refusals are told as those of every other command, and who says why it waits."""

    def __init__(self, url: str | None) -> None:
        try:
            self._client = Client(url, pause=_told_pause)
        except ValueError as error:
            raise Refusal(str(error)) from error

    def __enter__(self) -> Client:
        return self._client

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._client.close()
        if isinstance(error, WeighbridgeError):
            raise Refusal(str(error)) from error


def _told_pause(seconds: float) -> None:
    """Let time pass before a call is sent again, and say so."""
    sys.stderr.write(f"The service does not answer, or is busy; trying again in {seconds:.0f} seconds.\n")
    sys.stderr.flush()
    time.sleep(seconds)


def _asked(function: Callable[..., Any], forms: dict[str, ArgumentForm], said: dict[str, Any]) -> Any:
    """The call that the words ask for."""
    names = list(inspect.signature(function).parameters)
    given = {name: forms[name].read(name, value) for name, value in said.items() if value is not None}
    positional = [given.pop(name) for name in names if forms.get(name) and forms[name].positional]
    return function(*positional, **given)


def _answer(client: Client, asked: Call[Any] | Listing[Any], form: showing.ShownForm) -> Any:
    if isinstance(asked, Listing):
        records = Pages(client.carry, asked)
        return list(islice(records, form.limit or None))
    return client.carry(asked)


def _words(forms: dict[str, ArgumentForm], about: str | None, *, is_list: bool) -> list[inspect.Parameter]:
    """What the command line takes: the function's own arguments, and how the answer is shown."""
    words = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if form.positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if form.required else None,
            annotation=form.annotation,
        )
        for name, form in forms.items()
    ]
    service = _SERVICE_BESIDE_URL if "url" in forms else SERVICE
    more: list[tuple[str, Any, Any]] = [("as_json", False, _AS_JSON), ("service_url", None, service)]
    if is_list:
        more += [("as_csv", False, _AS_CSV), ("limit", RECORDS, _LIMIT)]
    if about is not None:
        more += [("since", None, _SINCE), ("until", None, _UNTIL)]
    return words + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in more
    ]


__all__ = ["SERVICE", "command_of", "connected", "moment"]
