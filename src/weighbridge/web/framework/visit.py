"""A visit is one request of a person on its way through a page, with the frame around that page.

`ask` and `do` execute an operation of the interface in the visit's own transaction, as the person who
has signed in; what the operation rejects for lack of a permission or of a record is rejected here as
well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.named_records.names import project_number
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Forbidden, NotFound
from weighbridge.http import wire
from weighbridge.http.caller import WebRequest
from weighbridge.http.endpoints.dry_runs import DryRun
from weighbridge.http.messages.operation import Answer, Call, Operation
from weighbridge.platform.records.accounts import Person
from weighbridge.web.display.figures import TimeFormat

# The frame around a page: the person's projects, the one they are in, and what waits there.


PROJECTS_MAX: Final = 100
"""Projects that are offered to change to."""

COUNT_MAX: Final = 99
"""What waits is counted up to here; more is shown as that and a plus sign."""


@dataclass(frozen=True, slots=True)
class FrameProject:
    """A project as the frame shows it."""

    number: int
    id: str
    name: str
    time_zone: str


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """One entry of the rail: its words, its address, and how many wait there."""

    title: str
    address: str
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class NavigationGroup:
    """Entries of the rail that belong together."""

    title: str
    entries: tuple[NavigationEntry, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a page."""

    project: FrameProject | None
    projects: Sequence[FrameProject]
    now: Instant
    alerts: int = 0
    proposals: int = 0
    tasks: int = 0

    @property
    def zone(self) -> str:
        """The time zone that times are shown in."""
        return self.project.time_zone if self.project else "UTC"

    @property
    def home(self) -> str:
        """Where the project begins, or all projects."""
        return f"/projects/{self.project.id}" if self.project else "/projects"

    @property
    def base(self) -> str:
        """What the paths of pages begin with that exist in each project and outside of any."""
        return self.home if self.project else ""


_PROJECTS: Final = """
    SELECT id, name, time_zone, now() FROM projects WHERE account_id = %s
     ORDER BY id = %s DESC, name, id LIMIT %s
"""
_WAITING: Final = """
    SELECT (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND status = 'fail' AND closed_at IS NULL
                                   LIMIT %(most)s) a),
           (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND approval_state = 'pending'
                                   LIMIT %(most)s) p),
           (SELECT count(*) FROM (SELECT FROM async_tasks
                                   WHERE account_id = %(account)s AND state IN ('pending', 'running')
                                   LIMIT %(most)s) t)
"""


async def read_frame(tx: Read, actor: Actor, named: str | None) -> Frame:
    """The frame of an actor's page, in the project that its path names; NotFound when they have none such."""
    wanted = 0 if named is None else project_number(named)
    rows = await tx.tuples(_PROJECTS, (actor.account_id, wanted, PROJECTS_MAX))
    projects = [FrameProject(number, ids.of("project", number), *rest) for number, *rest, _ in rows]
    if named is not None and (not projects or projects[0].number != wanted):
        raise NotFound("project", named)
    now = rows[0][-1] if rows else await tx.value("SELECT now()")
    if named is None:
        return Frame(None, projects, now)
    values = {"project": wanted, "account": actor.account_id, "most": COUNT_MAX + 1}
    [(alerts, proposals, tasks)] = await tx.tuples(_WAITING, values)
    sees_rules = actor.may("data_rules:read")
    return Frame(
        projects[0], projects, now, alerts if sees_rules else 0, proposals if sees_rules else 0, tasks
    )


def build_navigation(frame: Frame, actor: Actor) -> list[NavigationGroup]:
    """The rail of a page: what the person may see, by areas."""
    home = frame.home
    if frame.project is None:
        return [
            NavigationGroup("", (NavigationEntry("Projects", "/projects"),)),
            *_account_navigation("", actor),
        ]
    groups = [NavigationGroup("", (NavigationEntry("Overview", home),))]
    for title, permission, entries in _NAVIGATION:
        if actor.may(permission):
            waiting = {"Proposals": frame.proposals, "Results": frame.alerts}
            groups.append(
                NavigationGroup(
                    title,
                    tuple(
                        NavigationEntry(name, f"{home}/{path}", format_count(waiting.get(name, 0)))
                        for name, path in entries
                    ),
                )
            )
    return [*groups, *_account_navigation(home, actor)]


def format_count(number: int) -> str:
    """How many wait, for the eye; nothing where nothing does."""
    return "" if not number else f"{COUNT_MAX}+" if number > COUNT_MAX else str(number)


def _account_navigation(home: str, actor: Actor) -> list[NavigationGroup]:
    entries = [NavigationEntry("Tasks", f"{home}/async_tasks")]
    if actor.may("administration:read"):
        entries += [
            NavigationEntry("People", f"{home}/people"),
            NavigationEntry("Tokens", f"{home}/api_tokens"),
            NavigationEntry("Webhooks", f"{home}/webhooks"),
            NavigationEntry("Audit", f"{home}/audit_log"),
            NavigationEntry("Feature flags", f"{home}/feature_flags"),
            NavigationEntry("Health", f"{home}/health"),
        ]
    return [NavigationGroup("Project" if home else "Account", tuple(entries))]


_NAVIGATION: Final = (
    (
        "Data",
        "data_collection:read",
        (
            ("Events", "events"),
            ("Data points", "data_points"),
            ("Gaps", "gaps"),
            ("Feeds", "data_feeds"),
            ("Event types", "event_types"),
            ("Assets", "assets"),
            ("Locations", "locations"),
            ("Feedstocks", "feedstocks"),
            ("Outages", "outages"),
            ("Static inputs", "static_inputs"),
        ),
    ),
    (
        "Accounting",
        "production_accounting:read",
        (("Models", "models"), ("Ledgers", "ledgers"), ("Batches", "batches")),
    ),
    (
        "Quality",
        "data_rules:read",
        (
            ("Rules", "rules"),
            ("Results", "rule_results"),
            ("Proposals", "proposals"),
        ),
    ),
    ("Reporting", "production_accounting:read", (("Reports", "reports"), ("Methodologies", "methodologies"))),
)
"""The rail: groups of entries with the permission to see them; addresses are below the project."""


# A visit is one request of a person on its way through a page: who, in which transaction, with what typed.
#
# `ask` and `do` carry out an operation of the interface in the visit's own transaction, as the person who
# has signed in; what the operation refuses for lack of a permission or of a record is refused here as well.


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
class Redirect:
    """Where a browser goes on, after a form as a rule."""

    address: str
    notice: str = ""
    """What the next page reports."""


def lacking_permission(permission: str) -> str:
    """Return the message for a person who lacks a permission."""
    return f"You do not have the permission {permission}. Ask an administrator of the account for it."


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
    def moments(self) -> TimeFormat:
        """Times in the zone of the project."""
        return TimeFormat(self.frame.zone, self.frame.now)

    @property
    def is_partial(self) -> bool:
        """Whether a script asks for a part of the page."""
        return HTMX in self.request.headers

    def url(self, path: str) -> str:
        """Return the URL of a page of the project; names in braces are parameters of the visit's path."""
        return f"{self.frame.base}/{path.format_map(self.path)}"

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
            raise Forbidden(lacking_permission(permission), "permission_missing")

    def _call(self, query: tuple[tuple[str, str], ...], path: Mapping[str, str]) -> Call[Any]:
        state = self.request.app.state
        return Call(self.tx, self.actor, {**self.path, **path}, query, state.files, state.settings)
