"""The command of each kind of record, made when it is asked for: `kinds.events` is `weighbridge events`."""

import inspect
from functools import cache
from typing import Any

from cyclopts import App

from weighbridge.client.made import operations
from weighbridge.commands.over_http import KINDS, RENAMED
from weighbridge.commands.over_http.operation import command_of
from weighbridge.commands.over_http.watching import watch

SHOWN_AS = {"get": "show", "import_": "import"}


def __getattr__(kind: str) -> App:
    if kind not in KINDS:
        raise AttributeError(kind)
    return _app(kind)


@cache
def _app(kind: str) -> App:
    name = RENAMED.get(kind, kind).replace("_", "-")
    app = App(name=name, help=f"{name.replace('-', ' ').capitalize()}, over HTTP.")
    for verb, function in functions_of(kind).items():
        app.command(command_of(function), name=SHOWN_AS.get(verb, verb).replace("_", "-"))
    if kind == "async_tasks":
        app.command(watch)
    return app


def functions_of(kind: str) -> dict[str, Any]:
    """The functions of the client that make calls on this kind, by verb."""
    longer = tuple(f"{other}_" for other in KINDS if other != kind and other.startswith(f"{kind}_"))
    return {
        name.removeprefix(f"{kind}_"): function
        for name, function in inspect.getmembers(operations, inspect.isfunction)
        if name.startswith(f"{kind}_")
        and not name.startswith(longer)
        and function.__module__ == operations.__name__
    }
