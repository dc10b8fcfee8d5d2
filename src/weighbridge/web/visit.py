"""A visit is one request of a person on its way through a page: who, in which transaction, with what typed.

`ask` and `do` carry out an operation of the interface in the visit's own transaction, as the person who has
signed in; what the operation refuses for lack of a permission or of a record is refused here as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import Forbidden
from weighbridge.http import wire
from weighbridge.http.call import Answer, Call
from weighbridge.http.caller import WebRequest
from weighbridge.http.computing.trial import DryRun
from weighbridge.http.operation import Operation
from weighbridge.platform.sessions.records import Person
from weighbridge.web.frame import Frame
from weighbridge.web.showing.moments import Moments

HTMX: Final = "hx-request"
"""The header by which a page is asked for in part."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: a template with what it is given, and where the same data are had by program."""

    template: str
    context: Mapping[str, Any]
    title: str
    call: str = ""
    """Path and query of the call below the prefix of the interface that gives the same data."""
    method: str = "GET"
    """The method of that call: another one where the page is a form, which the call carries out."""
    crumbs: tuple[tuple[str, str], ...] = ()
    """The way to the page: names and addresses, the page itself left out."""
    has_csv: bool = False
    """Whether the page is a list, which is given as CSV as well."""
    status: int = 200
    guide: str = ""
    """The guide of a page that has no call, by its path below `docs/`."""
    field_count: int = 0
    """About how many fields a form shows, where a record or whoever asks decides that."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a browser goes on, after a form as a rule."""

    address: str
    said: str = ""
    """What the next page says about what was done."""


def view(
    template: str,
    title: str,
    *,
    call: str = "",
    method: str = "GET",
    crumbs: tuple[tuple[str, str], ...] = (),
    has_csv: bool = False,
    guide: str = "",
    field_count: int = 0,
    **context: Any,
) -> View:
    """A page made of a template; what else is given is what the template knows."""
    return View(template, context, title, call, method, crumbs, has_csv, guide=guide, field_count=field_count)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a person who has signed in."""

    tx: Any
    """The transaction: it reads for a page, and writes for a form."""
    person: Person
    request: WebRequest
    frame: Frame
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    typed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was typed into the form, by the names of its fields; empty before anything was."""
    problems: tuple[Problem, ...] = ()
    """What was wrong with what was typed."""
    file: Any = None
    """The file that came with the form, in the store already; None without one."""

    @property
    def actor(self) -> Actor:
        """For whom the visit acts."""
        return self.person.actor

    @property
    def reading(self) -> Read:
        """The transaction, for whoever only reads."""
        tx: Read = self.tx
        return tx

    @property
    def moments(self) -> Moments:
        """Times in the zone of the project."""
        return Moments(self.frame.zone, self.frame.now)

    @property
    def is_partial(self) -> bool:
        """Whether a script asks for a part of the page."""
        return HTMX in self.request.headers

    def may(self, permission: str) -> bool:
        """Whether the person holds a permission."""
        return self.actor.may(permission)

    def asked(self, name: str, default: str = "") -> str:
        """A parameter of the query."""
        return next((value for key, value in self.query if key == name), default)

    def text(self, name: str, default: str = "") -> str:
        """What was typed into a field, without spaces around it."""
        return next((value.strip() for value in self.typed.get(name, ())), default)

    def texts(self, name: str) -> tuple[str, ...]:
        """All that was typed or chosen under a name."""
        return self.typed.get(name, ())

    def refused(self, problems: tuple[Problem, ...]) -> "Visit":
        """The same visit, whose form was refused."""
        return replace(self, problems=problems)

    async def ask(
        self, handler: HTTPRouteHandler, query: tuple[tuple[str, str], ...] = (), **path: str
    ) -> Any:
        """The answer of an operation that reads; what is not given of its path is taken from the visit's."""
        operation = self._allowed(handler)
        answer = await operation.function(self._call(query, path))  # type: ignore[misc] # all have one
        return answer.record if isinstance(answer, Answer) else answer

    async def do(self, handler: HTTPRouteHandler, body: Any = None, **path: str) -> Any:
        """Carry out an operation that writes or asks with a body; plain data, read as its JSON would be."""
        operation = self._allowed(handler)
        call = self._call((), path)
        if operation.body is None:
            answer = await operation.function(call)  # type: ignore[misc] # as above
        else:
            arrived = wire.decode(self.request.app.state.encode(body), operation.body)
            answer = await operation.function(call, arrived)  # type: ignore[misc] # as above
        return answer.record if isinstance(answer, Answer) else answer

    async def keep(self, handler: HTTPRouteHandler, **path: str) -> Any:
        """Carry out an operation that takes the file which came with the form."""
        operation = self._allowed(handler)
        return await operation.function(self._call((), path), self.file)  # type: ignore[misc] # as above

    async def attempt(self, handler: HTTPRouteHandler, dry_run: DryRun, body: Any, **path: str) -> Any:
        """What an operation would come to, in a transaction that is undone (a page that `tries`)."""
        operation = self._allowed(handler)
        self._need(dry_run.permission)
        call = self._call((), path)
        arrived = wire.decode(self.request.app.state.encode(body), operation.body)
        function = operation.function
        assert function is not None, "an endpoint has a function"  # noqa: S101
        return await dry_run.look(call, partial(function, call, arrived))

    def _allowed(self, handler: HTTPRouteHandler) -> Operation:
        operation: Operation = handler.opt["operation"]
        self._need(operation.permission)
        return operation

    def _need(self, permission: str) -> None:
        if not self.may(permission):
            said = f"You lack the permission {permission}; whoever administers the account gives it."
            raise Forbidden(said, "permission_missing")

    def _call(self, query: tuple[tuple[str, str], ...], path: Mapping[str, str]) -> Call[Any]:
        state = self.request.app.state
        return Call(self.tx, self.actor, {**self.path, **path}, query, state.files, state.settings)
