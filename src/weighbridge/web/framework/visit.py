"""A visit: one request of a person on its way through a page, with its session and the frame around the page.

The session has the cookie, the CSRF token of forms and the notice for the next page. `ask` and `do` execute
an operation of the interface in the visit's own transaction, as the person who has signed in; what the
operation rejects for lack of a permission or of a record is rejected here as well.

Invariants: the cookie is HttpOnly and SameSite=Lax, and Secure where people reach the service by https;
a form is taken only from our own pages; a token is never taken from a cookie.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.platform.cell import read_account
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Forbidden, NotFound
from weighbridge.http import wire
from weighbridge.http.admission import AccountOnly, admit
from weighbridge.http.caller import (
    WebRequest,
    ask_in_cell,
    await_time,
    base_database,
    cells,
    database,
    find_cookie,
)
from weighbridge.http.endpoints.dry_runs import DryRun
from weighbridge.http.messages.operation import Answer, Call, Endpoint, Operation
from weighbridge.platform.authentication import hash_secret, recognise_session
from weighbridge.platform.records import SESSION_DAYS, Person
from weighbridge.platform.tenancy import project_number, seen_of_account
from weighbridge.web.display.figures import TimeFormat

_NAME: Final = "weighbridge_session"
THEME: Final = "weighbridge_theme"
"""The cookie with the theme of a person."""

THEMES: Final = ("light", "dark")


def read_session_secret(request: WebRequest) -> str:
    """Read the session's secret from the cookie; empty without one."""
    return find_cookie(request, _name(is_https(request)))


def keep_session(request: WebRequest, secret: str) -> dict[str, str]:
    """Return the header that stores the secret in the browser."""
    return {"Set-Cookie": _cookie(request, secret, SESSION_DAYS * 86_400)}


def forget_session(request: WebRequest) -> dict[str, str]:
    """Return the header that removes the secret from the browser."""
    return {"Set-Cookie": _cookie(request, "", 0)}


async def read_person(request: WebRequest) -> Person | None:
    """Read the person of the session; None without a session."""
    secret = read_session_secret(request)
    if not secret:
        return None
    account, cache_key = read_account(secret), ("session", hash_secret(secret))
    cell = cells(request).recall(account)
    if cell is None or base_database(request).in_cell(cell).memory.recall(cache_key) is None:
        await await_time(request)  # guessed secrets reach the database at a limited rate
    request_id = request.scope["state"]["request_id"]
    person = await ask_in_cell(request, account, lambda place: recognise_session(place, secret, request_id))
    if person is not None:
        database(request).memory.keep(cache_key, True, 1)  # noqa: FBT003 - a flag that the session is known
    return person


def is_https(request: WebRequest) -> bool:
    """Whether the service is reached by https."""
    address: str = request.app.state.settings.address
    return address.startswith("https:")


def _name(secure: bool) -> str:  # noqa: FBT001 - the name has its meaning
    return f"__Host-{_NAME}" if secure else _NAME


def _cookie(request: WebRequest, value: str, seconds: int) -> str:
    secure = is_https(request)
    flags = "HttpOnly; SameSite=Lax; Path=/" + ("; Secure" if secure else "")
    return f"{_name(secure)}={value}; Max-Age={seconds}; {flags}"


# Protection against cross-site request forgery. The browser states the origin of a request (Sec-Fetch-Site,
# Origin), and a form carries a token derived from the session's secret, which only pages of this session
# have.


FIELD: Final = "csrf_token"
"""The field of a form with the CSRF token."""

HEADER: Final = "x-csrf-token"
"""The header with the CSRF token of a request that is not a form."""

_FOREIGN: Final = (
    "The form was sent from another site or from an earlier session. Nothing was changed. "
    "Reload the page and send the form again."
)


def csrf_token_of(secret: str) -> str:
    """Return the CSRF token of a session."""
    return hashlib.sha256(f"form {secret}".encode()).hexdigest()[:32]


def check_same_origin(request: WebRequest) -> None:
    """Raise Forbidden unless the browser states that a page of this service sends the request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        is_ours = site == "same-origin"
    else:
        origin = request.headers.get("origin", "")
        is_ours = origin.partition("://")[2] == request.headers.get("host", "") != ""
    if not is_ours:
        raise Forbidden(_FOREIGN, "form_foreign")


def check_csrf_token(request: WebRequest, secret: str, typed: str) -> None:
    """Raise Forbidden unless the form or the header has the CSRF token of the session."""
    token = typed or request.headers.get(HEADER, "")
    if not hmac.compare_digest(token.encode(), csrf_token_of(secret).encode()):
        raise Forbidden(_FOREIGN, "form_foreign")


# A notice: the result of a form, shown once on the page after the redirect. It is stored in a cookie for
# the time of the redirect.


_COOKIE: Final = "weighbridge_notice"
_SECONDS: Final = 30
NOTICE_LENGTH_MAX: Final = 500
"""Characters of a notice, at most."""


def build_notice_cookie(notice: str) -> dict[str, str]:
    """Return the header that stores a notice for the next page; an empty notice removes it."""
    value = urlsafe_b64encode(notice[:NOTICE_LENGTH_MAX].encode()).decode()
    seconds = _SECONDS if notice else 0
    return {"Set-Cookie": f"{_COOKIE}={value}; Max-Age={seconds}; HttpOnly; SameSite=Lax; Path=/"}


def read_notice(request: WebRequest) -> str:
    """Read the notice of the previous page; empty without one."""
    try:
        return urlsafe_b64decode(find_cookie(request, _COOKIE)).decode()
    except ValueError:
        return ""


# Local URLs.


LOCAL_URL_LENGTH_MAX: Final = 2_000
"""Characters of a URL to return to, at most."""


def is_local(text: str) -> bool:
    """Whether a text is a path of this service, and no browser reads it as a URL of another site."""
    return (
        text.startswith("/")
        and len(text) <= LOCAL_URL_LENGTH_MAX
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
        and "\\" not in text
    )


# The frame around a page: the projects, the current one, its open items and the navigation.


PROJECTS_MAX: Final = 100
"""Projects in the switcher, at most."""

COUNT_MAX: Final = 99
"""Open items are counted up to this number; more are shown with a plus sign."""


@dataclass(frozen=True, slots=True)
class FrameProject:
    """A project in the switcher."""

    number: int
    id: str
    name: str
    time_zone: str


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """An entry of the navigation: its title, its URL, and the number of open items."""

    title: str
    address: str
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class NavigationGroup:
    """A group of entries of the navigation."""

    title: str
    entries: tuple[NavigationEntry, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame around a page."""

    project: FrameProject | None
    projects: Sequence[FrameProject]
    now: Instant
    alerts: int = 0
    warnings: int = 0
    proposals: int = 0
    tasks: int = 0

    @property
    def zone(self) -> str:
        """The time zone of all times on the page."""
        return self.project.time_zone if self.project else "UTC"

    @property
    def home(self) -> str:
        """The URL of the project, or of the list of projects."""
        return f"/projects/{self.project.id}" if self.project else "/projects"

    @property
    def base(self) -> str:
        """The prefix of pages that exist in each project and outside of projects."""
        return self.home if self.project else ""


_PROJECTS: Final = """
    SELECT id, name, time_zone, now() FROM projects WHERE {}
     ORDER BY id = %s DESC, name, id LIMIT %s
"""
_WAITING: Final = """
    SELECT (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND status = 'fail' AND closed_at IS NULL
                                     AND severity = 'fail' LIMIT %(most)s) a),
           (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND status = 'fail' AND closed_at IS NULL
                                     AND severity = 'warn' LIMIT %(most)s) w),
           (SELECT count(*) FROM (SELECT FROM data_point_results
                                   WHERE project_id = %(project)s AND approval_state = 'pending'
                                   LIMIT %(most)s) p),
           (SELECT count(*) FROM (SELECT FROM async_tasks
                                   WHERE account_id = %(account)s AND state IN ('pending', 'running')
                                     AND (NOT %(limited)s OR project_id = %(project)s)
                                   LIMIT %(most)s) t)
"""


async def read_frame(tx: Read, actor: Actor, project_name: str | None) -> Frame:
    """Read the frame in the project that the path names; NotFound if the actor sees no such project."""
    wanted_number = 0 if project_name is None else project_number(project_name)
    statement = SQL(_PROJECTS).format(seen_of_account(actor.leave(), "account_id", "id"))
    rows = await tx.tuples(statement, (wanted_number, PROJECTS_MAX))
    projects = [
        FrameProject(number, identity.of("project", number), *project_fields)
        for number, *project_fields, _ in rows
    ]
    if project_name is not None and (not projects or projects[0].number != wanted_number):
        raise NotFound("project", project_name)
    now = rows[0][-1] if rows else await tx.value("SELECT now()")
    if project_name is None:
        return Frame(None, projects, now)
    values = {
        "project": wanted_number, "account": actor.account_id, "most": COUNT_MAX + 1,
        "limited": actor.is_limited,
    }  # fmt: skip
    [(alerts, warnings, proposals, tasks)] = await tx.tuples(_WAITING, values)
    sees_rules = actor.may("data_rules:read")
    if not sees_rules:
        alerts = warnings = proposals = 0
    return Frame(projects[0], projects, now, alerts, warnings, proposals, tasks)


def build_navigation(frame: Frame, actor: Actor) -> list[NavigationGroup]:
    """Return the navigation, with the pages that the actor may see."""
    home = frame.home
    if frame.project is None:
        catalogue = NavigationEntry("Methodology packages", "/methodology_packages")
        may_read = actor.may("production_accounting:read")
        return [
            NavigationGroup(
                "", (NavigationEntry("Projects", "/projects"), *((catalogue,) if may_read else ()))
            ),
            *_account_navigation("", actor),
        ]
    groups = [NavigationGroup("", (NavigationEntry("Overview", home),))]
    for title, permission, entries in _NAVIGATION:
        if actor.may(permission) and (title != _OF_ACCOUNT or actor.find_projects(permission) is None):
            open_counts = {"Proposals": frame.proposals, "Results": frame.alerts}
            groups.append(
                NavigationGroup(
                    title,
                    tuple(
                        NavigationEntry(name, f"{home}/{path}", format_count(open_counts.get(name, 0)))
                        for name, path in entries
                    ),
                )
            )
    return [*groups, *_account_navigation(home, actor)]


def format_count(number: int) -> str:
    """Return a number of open items as text; empty for none."""
    return "" if not number else f"{COUNT_MAX}+" if number > COUNT_MAX else str(number)


def _account_navigation(home: str, actor: Actor) -> list[NavigationGroup]:
    entries = [NavigationEntry("Tasks", f"{home}/async_tasks")]
    if actor.may("administration:read"):
        entries += [
            NavigationEntry("People", f"{home}/people"),
            NavigationEntry("Identity providers", f"{home}/identity_providers"),
            NavigationEntry("Tokens", f"{home}/api_tokens"),
            NavigationEntry("Webhooks", f"{home}/webhooks"),
            NavigationEntry("Footprint clients", f"{home}/footprint_clients"),
            NavigationEntry("Audit", f"{home}/audit_log"),
            NavigationEntry("Feature flags", f"{home}/feature_flags"),
            NavigationEntry("Health", f"{home}/health"),
        ]
    return [NavigationGroup("Project" if home else "Account", tuple(entries))]


_OF_ACCOUNT: Final = "Footprints"
"""The group whose records belong to the account, wherever it is shown."""

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
            ("Calibrations", "calibrations"),
            ("Agents", "agents"),
            ("Static inputs", "static_inputs"),
        ),
    ),
    (
        "Accounting",
        "production_accounting:read",
        (
            ("Models", "models"),
            ("Ledgers", "ledgers"),
            ("Batches", "batches"),
            ("Packages", "package_installations"),
        ),
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
    (
        "Reporting",
        "production_accounting:read",
        (
            ("Reports", "reports"),
            ("Methodologies", "methodologies"),
            ("Registry mappings", "registry_mappings"),
        ),
    ),
    (
        _OF_ACCOUNT,
        "production_accounting:read",
        (
            ("Footprints", "footprints"),
            ("Products", "footprint_products"),
            ("Received", "received_footprints"),
            ("Partners", "footprint_partners"),
            ("Check", "footprints/check"),
        ),
    ),
)
"""Groups of the navigation with their permission; paths are below the project."""


# A visit: one request of a person.


HTMX: Final = "hx-request"
"""The header of a request for a part of a page."""


@dataclass(frozen=True, slots=True)
class View:
    """The content of a page: a template with its context, and the request that gives the same data."""

    template: str
    context: Mapping[str, Any]
    title: str
    call: str = ""
    """Path and query of the request, below the prefix of the interface."""
    method: str = "GET"
    """The method of that request; other than GET if the page is a form."""
    crumbs: tuple[tuple[str, str], ...] = ()
    """The breadcrumb: titles and URLs, without the page itself."""
    has_csv: bool = False
    """Whether the page is a list that is available as CSV."""
    status: int = 200
    guide: str = ""
    """The guide of a page without a request, by its path below `docs/`."""
    field_count: int = 0
    """About how many fields a form shows, if a record or a request determines it."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect, usually after a form."""

    address: str
    notice: str = ""
    """The result that the next page shows once."""


_WHOM_TO_ASK: Final = "Ask an administrator of the account for it."


def lacking_permission(permission: str) -> str:
    """Return the message for a person who lacks a permission."""
    return f"You do not have the permission {permission}. {_WHOM_TO_ASK}"


def admit_person(actor: Actor, permission: str, path: Mapping[str, str], *, spans_projects: bool) -> Actor:
    """The actor of a person for a page or an operation; Forbidden or NotFound where they may not have it."""
    try:
        return admit(actor.leave(), permission, path, spans_projects=spans_projects)
    except AccountOnly:
        sentence = (
            f"You have the permission {permission} in single projects only; this takes it in the account."
        )
        raise Forbidden(
            f"{sentence} Ask an administrator of the account for it.", "permission_missing"
        ) from None
    except Forbidden:
        raise Forbidden(lacking_permission(permission), "permission_missing") from None


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
    """Return a page of a template; other arguments are its context."""
    return View(template, context, title, call, method, crumbs, has_csv, guide=guide, field_count=field_count)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a person who has signed in."""

    tx: Any
    """The transaction: reading for a page, writing for a form."""
    person: Person
    request: WebRequest
    frame: Frame
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    typed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The fields of the form with their values; empty for a page."""
    problems: tuple[Problem, ...] = ()
    """The problems of the form."""
    file: Any = None
    """The stored file of the form; None without one."""

    @property
    def actor(self) -> Actor:
        """The actor of the visit."""
        return self.person.actor

    @property
    def reading(self) -> Read:
        """The transaction, for reading."""
        tx: Read = self.tx
        return tx

    @property
    def moments(self) -> TimeFormat:
        """The format of times in the project's zone."""
        return TimeFormat(self.frame.zone, self.frame.now)

    @property
    def is_partial(self) -> bool:
        """Whether a script requests a part of the page."""
        return HTMX in self.request.headers

    def url(self, path: str) -> str:
        """Return the URL of a page of the project; names in braces are parameters of the visit's path."""
        return f"{self.frame.base}/{path.format_map(self.path)}"

    def may(self, permission: str) -> bool:
        """Whether the person has a permission."""
        return self.actor.may(permission)

    def asked(self, name: str, default: str = "") -> str:
        """Return a parameter of the query."""
        return next((value for key, value in self.query if key == name), default)

    def text(self, name: str, default: str = "") -> str:
        """Return the value of a field without surrounding spaces."""
        return next((value.strip() for value in self.typed.get(name, ())), default)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a field."""
        return self.typed.get(name, ())

    def refused(self, problems: tuple[Problem, ...]) -> "Visit":
        """Return the visit with the problems of its form."""
        return replace(self, problems=problems)

    async def ask(self, endpoint: Endpoint, query: tuple[tuple[str, str], ...] = (), **path: str) -> Any:
        """Execute an operation that reads; path parameters default to those of the visit."""
        operation = endpoint.operation
        call = self._call(operation, query, path)
        answer = await operation.function(call)  # type: ignore[misc] # all have one
        return answer.record if isinstance(answer, Answer) else answer

    async def do(self, endpoint: Endpoint, body: Any = None, **path: str) -> Any:
        """Execute an operation with a body; plain data are decoded like its JSON."""
        operation = endpoint.operation
        call = self._call(operation, (), path)
        if operation.body is None:
            answer = await operation.function(call)  # type: ignore[misc] # as above
        else:
            decoded_body = wire.decode(self.request.app.state.encode(body), operation.body)
            answer = await operation.function(call, decoded_body)  # type: ignore[misc] # as above
        return answer.record if isinstance(answer, Answer) else answer

    async def keep(self, endpoint: Endpoint, **path: str) -> Any:
        """Execute an operation that takes the file of the form."""
        operation = endpoint.operation
        call = self._call(operation, (), path)
        return await operation.function(call, self.file)  # type: ignore[misc] # as above

    async def attempt(self, endpoint: Endpoint, dry_run: DryRun, body: Any, **path: str) -> Any:
        """Return the impact of an operation, in a transaction that is rolled back (a page that `tries`)."""
        operation = endpoint.operation
        call = self._call(operation, (), path)
        if not call.actor.may(dry_run.permission):
            raise Forbidden(lacking_permission(dry_run.permission), "permission_missing")
        decoded_body = wire.decode(self.request.app.state.encode(body), operation.body)
        function = operation.function
        assert function is not None, "an endpoint has a function"  # noqa: S101
        return await dry_run.look(call, partial(function, call, decoded_body))

    def _call(
        self, operation: Operation, query: tuple[tuple[str, str], ...], path: Mapping[str, str]
    ) -> Call[Any]:
        """The call of an operation; Forbidden or NotFound where the person may not have it done."""
        state, whole_path = self.request.app.state, {**self.path, **path}
        # The path of the page may name a project, that of the operation none.
        own_path = {name: text for name, text in whole_path.items() if f"{{{name}}}" in operation.path}
        actor = admit_person(
            self.actor, operation.permission, own_path, spans_projects=operation.spans_projects
        )
        return Call(self.tx, actor, whole_path, query, state.files, state.settings)
