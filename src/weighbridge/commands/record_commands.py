"""Commands for the records of a running service: list, show and act on all that the interface has.

`weighbridge events list PROJECT --since yesterday`: a command for each kind of record, with one below
it for each operation, made of the functions of the Python client. Words come in; tables for people go
out, `--json` and `--csv` for pipes. This module is imported only when such a command is called, because
the client is slow to import.
"""

import csv
import inspect
import json
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from cyclopts import App, Parameter
from cyclopts.validators import Number
from msgspec import UnsetType
from rich.console import Console
from rich.table import Table

from weighbridge.client import Client, WeighbridgeError
from weighbridge.client.calls import Call
from weighbridge.client.made import operations
from weighbridge.client.pages import Listing
from weighbridge.client.walking import Pages
from weighbridge.commands.contents import KINDS, RENAMED
from weighbridge.core.collection.custom_field import quote_cell
from weighbridge.errors import Refusal

# Words of the command line as arguments of a call.
#
# A time is `now`, `today`, `yesterday`, so long ago as `90m`, `12h`, `7d` or `4w`, a date, or a time with
# an offset. Days begin where the machine's clock says.


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

    def read(self, name: str, text: Any) -> Any:
        """The value that is sent. Raises Refusal for what cannot be read."""
        if self.is_time:
            return moment(text)
        if not self.is_json:
            return text
        try:
            return json.loads(text, parse_float=Decimal)
        except ValueError as error:
            raise Refusal(
                f"--{name.replace('_', '-')} must be valid JSON, but is {text!r}: {error}."
            ) from error


def read_form(parameter: inspect.Parameter, meaning: str = "") -> ArgumentForm:
    """How a parameter of a client's function is said, and what it means."""
    kinds = [kind for kind in _alternatives(parameter.annotation) if kind not in (UnsetType, types.NoneType)]
    is_time = datetime in kinds
    is_json = any(_is_structured(kind) for kind in kinds)
    word: Any = str
    if not is_time and not is_json:
        word = list[str] if any(get_origin(kind) is Sequence for kind in kinds) else _simple(kinds)
    cli_parameter = Parameter(help=f"{meaning} As JSON.".lstrip() if is_json else meaning, negative=())
    required = parameter.default is inspect.Parameter.empty
    return ArgumentForm(
        Annotated[word if required else word | None, cli_parameter],
        positional=parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD,
        required=required,
        is_time=is_time,
        is_json=is_json,
    )


def moment(text: str, now: datetime | None = None) -> str:
    """The time that words say, as the interface takes it.

    Raises Refusal for words that say none.
    """
    now = now or here()
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    words = {"now": now, "today": day, "yesterday": day - timedelta(days=1)}
    if text in words:
        return words[text].astimezone(UTC).isoformat()
    if (ago := _AGO.fullmatch(text)) is not None:
        back = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return (now - back).astimezone(UTC).isoformat()
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise Refusal(
            f"{text!r} is not a time; give now, today, yesterday, 90m, 12h, 7d, 4w, a date, or a time with "
            "an offset."
        ) from None
    return (parsed if parsed.tzinfo else parsed.astimezone()).isoformat()


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(
            alternative for argument in get_args(annotation) for alternative in _alternatives(argument)
        )
    return (annotation,)


def _is_structured(kind: Any) -> bool:
    if kind is Any or kind is Mapping or get_origin(kind) is Mapping:
        return True
    return get_origin(kind) is Sequence and any(
        _is_structured(alternative) for part in get_args(kind) for alternative in _alternatives(part)
    )


def _simple(kinds: list[Any]) -> Any:
    """One type for words: a choice, a number, yes or no, or a text."""
    for kind in kinds:
        if get_origin(kind) is Literal or kind in (bool, Decimal):
            return kind
    return kinds[0] if len(kinds) == 1 else str


# Answers on a terminal: tables for people, JSON and CSV for pipes.
#
# Numbers keep every digit in all three; in CSV no text begins as a formula does.


COLUMNS_MAX: Final = 7
"""Columns of a table for people; `--json` and `--csv` have all."""
WIDE: Final = 1_000
"""How wide a table is that goes to no terminal."""

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode
_LATER: Final = frozenset({"numeric_id", "ui_url", "created_at", "updated_at", "project_id"})
"""Fields that stand behind all others in a table, where there is room."""


class ShownForm(NamedTuple):
    """How an answer is shown."""

    as_json: bool
    as_csv: bool = False
    limit: int = 0


def show(answer: Any, form: ShownForm) -> None:
    """Write the answer to standard output."""
    if isinstance(answer, bytes):
        sys.stdout.buffer.write(answer)
    elif isinstance(answer, str):
        sys.stdout.write(answer)
    elif form.as_json:
        sys.stdout.write(msgspec.json.format(_encode(answer), indent=2).decode() + "\n")
    elif isinstance(answer, list):
        (_write_csv if form.as_csv else _write_table)([_fields(record) for record in answer])
    elif answer is not None:
        _write_record(_fields(answer))


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record, those that hold others as JSON."""
    return {name: _cell(value) for name, value in msgspec.structs.asdict(record).items()}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return _encode(value).decode().strip('"')


def _write_csv(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: quote_cell(cell) for name, cell in row.items()} for row in rows)


def _write_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        sys.stderr.write("There are none.\n")
        return
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = _find_fitting(rows, console.width)
    for name in names:
        table.add_column(name, no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in names))
    console.print(table)


def _find_fitting(rows: list[dict[str, Any]], width: int) -> list[str]:
    """The columns that fit side by side, the first two in any case."""
    plain = [name for name, cell in rows[0].items() if not cell.startswith(("{", "["))]
    chosen: list[str] = []
    for name in sorted(plain, key=lambda column: column in _LATER)[:COLUMNS_MAX]:
        width -= 1 + max(len(name), *(len(row[name]) for row in rows))
        if width < 0 and len(chosen) > 1:
            break
        chosen.append(name)
    return chosen


def _write_record(row: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, cell in row.items():
        table.add_row(name, cell)
    Console().print(table)


# How a function of the client becomes a command: its arguments as words, its answer shown.
#
# The signature that the command line reads is made of the function's own: times may be said as people say
# them, and what the interface takes as objects is given as JSON.


RECORDS = 50
"""How many records of a list are shown unless more are asked for."""
RECORDS_MAX = 1_000_000_000
"""The greatest number that may be asked for; 0 asks for all."""

_NOT_SAID = frozenset({"idempotency_key", "page", "page_size"})
_TIMES = ("start_time", "evaluated_at", "created_at", "updated_at")
"""What `--since` and `--until` are about: the first of these that a list can be filtered by."""

_EXPLAINED: Final = re.compile(r"^    (\w+): ((?:.|\n {8})+)", re.MULTILINE)
"""An argument in a docstring, its further lines indented more."""

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
_SAVE = Annotated[
    Path | None, Parameter(help="The folder to store the file in, under the name that the service gives it.")
]
_UNTIL = Annotated[str | None, Parameter(help="Up to when, said in the same way.")]


def build_command(function: Callable[..., Any]) -> Callable[..., None]:
    """The command that carries out what the function asks for, and shows the answer."""
    parameters = inspect.signature(function, eval_str=True).parameters
    returned = inspect.signature(function).return_annotation
    summary, meanings = _read_docstring(function)
    forms = {
        name: read_form(parameter, meanings.get(name, ""))
        for name, parameter in parameters.items() if name not in _NOT_SAID
    }  # fmt: skip
    is_list = "Listing" in str(returned)
    is_file = bool({bytes, str} & {*get_args(returned)})
    about = next((time_name for time_name in _TIMES if is_list and f"{time_name}_geq" in parameters), None)

    words = inspect.Signature(_words(forms, about, is_list=is_list, is_file=is_file))

    def command(*args: Any, **kwargs: Any) -> None:
        bound = words.bind(*args, **kwargs)
        bound.apply_defaults()
        message = bound.arguments
        form = ShownForm(message.pop("as_json"), message.pop("as_csv", False), message.pop("limit", RECORDS))
        for end, comparator in (("since", "geq"), ("until", "leq")):
            if (when := message.pop(end, None)) is not None:
                message[f"{about}_{comparator}"] = when
        folder = message.pop("save", None)
        with connected(message.pop("service_url")) as client:
            if folder is not None:
                _save(client, _ask(function, forms, message), folder)
                return
            show(_answer(client, _ask(function, forms, message), form), form)

    command.__signature__ = words  # type: ignore[attr-defined]
    command.__doc__ = summary
    command.__name__ = function.__name__
    command.__annotations__ = {}
    return command


def _read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What the docstring of a client's function says of the whole, and of each argument."""
    summary, _, explained = (inspect.getdoc(function) or "").partition("\nArgs:\n")
    return summary, {found[1]: " ".join(found[2].split()) for found in _EXPLAINED.finditer(explained)}


class connected:  # noqa: N801 - read as `with connected(url)`
    """A client whose refusals are told as those of every other command, and who says why it waits."""

    def __init__(self, url: str | None) -> None:
        try:
            self._client = Client(url, tell_retry=_tell_retry)
        except ValueError as error:
            raise Refusal(str(error)) from error

    def __enter__(self) -> Client:
        return self._client

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._client.close()
        if isinstance(error, WeighbridgeError):
            raise Refusal(str(error)) from error


def _tell_retry(seconds: float) -> None:
    """Say why nothing comes yet."""
    sys.stderr.write(f"The service does not answer, or is busy; trying again in {seconds:.0f} seconds.\n")
    sys.stderr.flush()


def _ask(function: Callable[..., Any], forms: dict[str, ArgumentForm], texts: dict[str, Any]) -> Any:
    """The call that the words ask for."""
    names = list(inspect.signature(function).parameters)
    arguments = {name: forms[name].read(name, value) for name, value in texts.items() if value is not None}
    positional = [arguments.pop(name) for name in names if forms.get(name) and forms[name].positional]
    return function(*positional, **arguments)


def _answer(client: Client, call: Call[Any] | Listing[Any], form: ShownForm) -> Any:
    if isinstance(call, Listing):
        records = Pages(client.run, call)
        return list(islice(records, form.limit or None))
    return client.carry(call)


def _save(client: Client, call: Call[Any], folder: Path) -> None:
    """Store a file under the name that the service gives it, and say where; nothing is written over."""
    file = client.download(call)
    try:
        sys.stdout.write(f"{file.save(folder)}\n")
    except OSError as error:
        raise Refusal(f"The file {file.name} cannot be stored in {folder}: {error.strerror}.") from error


def _words(
    forms: dict[str, ArgumentForm], about: str | None, *, is_list: bool, is_file: bool
) -> list[inspect.Parameter]:
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
    if is_file:
        more.append(("save", None, _SAVE))
    if about is not None:
        more += [("since", None, _SINCE), ("until", None, _UNTIL)]
    return words + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in more
    ]


__all__ = ["SERVICE", "build_command", "connected", "moment"]


# The command of each kind of record, made when it is asked for: `kinds.events` is `weighbridge events`.


SHOWN_AS = {"get": "show", "import_": "import"}


def __getattr__(kind: str) -> App:
    if kind not in KINDS:
        raise AttributeError(kind)
    return _app(kind)


@cache
def _app(kind: str) -> App:
    name = RENAMED.get(kind, kind).replace("_", "-")
    app = App(name=name, help=f"{name.replace('-', ' ').capitalize()}, over HTTP.")
    for verb, function in list_functions(kind).items():
        app.command(build_command(function), name=SHOWN_AS.get(verb, verb).replace("_", "-"))
    if kind == "async_tasks":
        app.command(watch)
    return app


def list_functions(kind: str) -> dict[str, Any]:
    """The functions of the client that make calls on this kind, by verb."""
    longer = tuple(
        f"{longer_kind}_"
        for longer_kind in KINDS
        if longer_kind != kind and longer_kind.startswith(f"{kind}_")
    )
    return {
        name.removeprefix(f"{kind}_"): function
        for name, function in inspect.getmembers(operations, inspect.isfunction)
        if name.startswith(f"{kind}_")
        and not name.startswith(longer)
        and function.__module__ == operations.__name__
    }


# `weighbridge generate`: say what would be made, make it, and show it.


_When = Annotated[str, Parameter(help="A time, a date, or yesterday, 7d and the like.")]


def generate(
    ledger_id: str,
    *,
    start: _When,
    end: _When,
    dry_run: Annotated[bool, Parameter(negative=(), help="Only say what would be made.")] = False,
    service_url: SERVICE = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")] = False,
) -> None:
    """Generate the batches of a period on a ledger, unless something is in the way.

    Example: `weighbridge generate lgr_… --start 2026-03-01 --end 2026-04-01`
    """
    with connected(service_url) as client:
        _refuse_problems(client, ledger_id, moment(start), moment(end))
        if dry_run:
            return
        task = client.batch_generations.create(ledger_id, start_time=moment(start), end_time=moment(end))
        result = task.wait()
        show([client.batches.get(batch) for batch in result["batches"]], ShownForm(as_json))


def _refuse_problems(client: Client, ledger: str, start: str, end: str) -> None:
    preview = client.batch_generations.generate_preview(ledger, start_time=start, end_time=end)
    problems = [f"{entry.name}: {problem}" for entry in preview.data for problem in entry.problems]
    if problems:
        raise Refusal("\n".join(problems))
    for entry in preview.data:
        sys.stderr.write(f"{entry.name}: {entry.count} batches, {entry.adjustments} of them adjusting\n")


# `weighbridge tasks watch`: wait for a task, with its progress.


def watch(
    task_id: int,
    *,
    service_url: SERVICE = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="Print JSON.")] = False,
) -> None:
    """Wait until a task has ended, show how far it is, and then what it came to.

    A task that fails ends the command with 1 and its sentence.
    """
    with connected(service_url) as client:
        task = client.task(task_id)
        task.wait()
        show(task.record, ShownForm(as_json))


# The clock of the machine at which a person says `yesterday`.


def here() -> datetime:
    """The time on this machine, in its zone."""
    return datetime.now().astimezone()
