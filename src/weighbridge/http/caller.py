"""The caller of a request: the actor behind its token, or a client that the service does not know.

`authenticate_caller` gives the actor, within its limits and with the permission asked for. `admit_stranger`
and `await_time` bound requests that carry nothing the process knows. `find_cookie` reads the service's
cookies.

Invariants: nobody waits longer than `WAIT_SECONDS`; the memory is bounded.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from psycopg import OperationalError

from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.core.platform.permission import Actor, account_of_token, hash_token
from weighbridge.core.platform.ticket import read_ticket
from weighbridge.core.problem import Problem
from weighbridge.db.cells import Cells
from weighbridge.db.engine import MOVED, Database, Read
from weighbridge.db.replica import Replica
from weighbridge.errors import TooManyRequests, Unauthorized
from weighbridge.http.admission import admit
from weighbridge.http.limits import FailedAuthentications, Places, RateLimiter, client_address, seconds_left

if TYPE_CHECKING:
    from litestar import Request
    from litestar.datastructures import State

    from weighbridge.http.idempotency import IdempotencyKeyLocks
    from weighbridge.http.limits import Shares, SharesOfHosts

    WebRequest = Request[Any, Any, State]
else:
    # Commands load endpoints for their actions; only what serves them needs the framework.
    WebRequest = Any
Result = TypeVar("Result")


def database(request: WebRequest) -> Database:
    """The database of the application, in the cell of the request's account once that is known.

    Where the account has moved meanwhile, transactions end with the error `MOVED`.
    """
    return enter_database(request, base_database(request))


def enter_database(request: WebRequest, base: Database) -> Database:
    """A database in the cell of the request's account, which has to live there once it is known."""
    place = base.in_cell(cell_of(request))
    if not cells(request).are_several:
        return place
    return place.of_account(request.scope["state"].get("account"))


def base_database(request: WebRequest) -> Database:
    """The database that the application was made with."""
    return cast("Database", request.app.state.database)


def cell_of(request: WebRequest) -> Cell:
    """The cell of the request's account once that is known, and the first one until then."""
    return cast("Cell", request.scope["state"].get("cell", FIRST))


def cells(request: WebRequest) -> Cells:
    """What the process knows of the cells."""
    return cast("Cells", request.app.state.cells)


async def enter_cell(request: WebRequest, account: int | None) -> None:
    """Have a request carried out in the cell of an account; in the first one where it names none."""
    request.scope["state"]["cell"] = await cells(request).find(account)


async def ask_in_cell(
    request: WebRequest, account: int | None, question: Callable[[Database], Awaitable[Result]]
) -> Result | None:
    """What a question gives in the cell of an account, wherever that has moved to; None for no account.

    For secrets that name their account and are not looked at yet, so that it may be anybody's number.
    """
    await enter_cell(request, account)
    place = base_database(request).in_cell(cell_of(request))
    if account is None or not cells(request).are_several:
        return await question(place)
    try:
        return await question(place.of_account(account))
    except OperationalError as error:
        if error.sqlstate != MOVED:
            raise
    cells(request).forget(account)
    await enter_cell(request, account)
    moved = base_database(request).in_cell(cell_of(request))
    return None if moved is place else await question(moved.of_account(account))


async def confirm_cell(request: WebRequest, account: int | None) -> None:
    """Have a request carried out in the cell of an account that its process may remember wrongly."""
    if account is not None and cells(request).are_several:
        await ask_in_cell(request, account, lambda place: place.single("SELECT true"))
    else:
        await enter_cell(request, account)


def forget_cell(request: WebRequest) -> None:
    """Look anew for the cell of the request's account with its next request, for it has moved."""
    account = request.scope["state"].get("account")
    if account is not None:
        cells(request).forget(account)


async def enter_cell_of_address(request: WebRequest, address: str) -> None:
    """Have a request carried out in the cell in which somebody signs in with an address."""
    request.scope["state"]["cell"] = await cells(request).find_address(address)


async def from_replica(
    request: WebRequest, read_function: Callable[[Read], Awaitable[Result]]
) -> Result | None:
    """What is read of the replica; None where there is none, or it has to be read from the primary.

    It follows the host of the first cell; nodes have none.
    """
    if not has_replica(request) or cell_of(request).node is not None:
        return None
    replica: Replica = request.app.state.replica
    return await replica.serve(database(request), read_function)


def has_replica(request: WebRequest) -> bool:
    """Whether lists are read of a replica."""
    return request.app.state.replica is not None


def shares(request: WebRequest) -> "Shares":
    """What each account may take of this process, on the host where it lives."""
    of_hosts: SharesOfHosts = request.app.state.shares
    return of_hosts.to(cell_of(request).node)


def key_locks(request: WebRequest) -> "IdempotencyKeyLocks":
    """The idempotency keys that are under way in this process."""
    return cast("IdempotencyKeyLocks", request.app.state.key_locks)


def read_token(request: WebRequest) -> str:
    """The token that the request carries; empty when it carries none."""
    header = request.headers.get("authorization", "").strip()
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else header


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request shows to say who sends it: a token, or a ticket that stands for one."""

    text: str
    is_ticket: bool = False

    @property
    def account(self) -> int | None:
        """The account that it names, whether it is genuine or not."""
        if not self.is_ticket:
            return account_of_token(self.text)
        ticket = read_ticket(self.text)
        return None if ticket is None else ticket.account_id


async def recognise(request: WebRequest, place: Database, credential: Credential) -> Actor:
    """Whom a token or a ticket acts for now; raises Unauthorized where it is not valid, or no longer."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    authenticate = app.authenticate_ticket if credential.is_ticket else app.authenticate
    return cast("Actor", await authenticate(place, credential.text, request_id))


async def authenticate_caller(
    request: WebRequest, permission: str, credential: Credential | None = None
) -> Actor:
    """The actor behind the token, or behind another credential that the operation takes.

    Refused when there is none or the permission is missing. Of a request that another process let through,
    that one has said who it is.
    """
    state = request.scope["state"]
    passed_on: Actor | None = state.get("actor")
    if passed_on is not None:
        await enter_cell(request, passed_on.account_id)
        state["account"] = passed_on.account_id
        return passed_on
    credential = credential or Credential(read_token(request))
    limiter: RateLimiter = request.app.state.limiter
    state["limit"] = limiter.untouched().headers
    if not credential.text:
        raise Unauthorized(
            "The request carries no token; send it as Authorization: Bearer <token>.", "token_missing"
        )
    actor = state["actor"] = await _recognise_credential(request, credential)
    state["account"] = actor.account_id
    if actor.token_id is not None:
        allowance = await limiter.admit(database(request), actor.token_id)
        state["limit"] = allowance.headers
        if allowance.is_used_up:
            raise TooManyRequests(
                f"The token has made its {allowance.limit:,} requests of this minute.",
                retry_after_seconds=limiter.seconds_left(),
            )
    admitted = state["actor"] = admit_caller(request, actor, permission)
    return admitted


def admit_caller(request: WebRequest, actor: Actor, permission: str) -> Actor:
    """The actor for the operation of a request; Forbidden or NotFound where it may not have that done."""
    operation = request.route_handler.opt.get("operation")
    spans_projects = operation is not None and operation.spans_projects
    path = cast("Mapping[str, str]", request.path_params)
    return admit(actor, permission, path, spans_projects=spans_projects)


async def _recognise_credential(request: WebRequest, credential: Credential) -> Actor:
    """Whom the credential acts for; an address that tried too many others has to wait with unknown ones."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    failures: FailedAuthentications = app.failures
    now = asyncio.get_running_loop().time()
    address = client_address(request.scope, app.proxies)
    if failures.is_used_up(address, now) and not _is_known(request, credential):
        failures.refuse(address, request_id)
        raise TooManyRequests(
            [
                Problem(
                    "Too many tokens of this address were refused in this minute.", None, "too_many_failures"
                )
            ],
            retry_after_seconds=seconds_left(now),
        )
    try:
        return await _authenticate(request, credential)
    except Unauthorized as refusal:
        failures.count(address, refusal.problems[0].code or refusal.code, request_id, now)
        raise


async def _authenticate(request: WebRequest, credential: Credential) -> Actor:
    """Whom it acts for; a token that does not name its account may be of another cell than the first."""

    async def authenticate(place: Database) -> Actor:
        return await recognise(request, place, credential)

    account = credential.account
    try:
        actor = await ask_in_cell(request, account, authenticate)
    except Unauthorized:
        moved = await cells(request).find_of_secret(hash_token(credential.text)) if account is None else None
        if moved is None:
            raise
        actor = await ask_in_cell(request, moved, authenticate)
    if actor is None:
        raise Unauthorized("The token is not one of this service.", "token_unknown")
    return actor


def _is_known(request: WebRequest, credential: Credential) -> bool:
    """Whether the process knows a token, without a question to any database; tickets it never knows."""
    app, cell = request.app.state, cells(request).recall(credential.account)
    if cell is None or credential.is_ticket:
        return False
    place, request_id = base_database(request).in_cell(cell), request.scope["state"]["request_id"]
    return app.recall_authorization(place, credential.text, request_id) is not None


# Strangers: requests that carry nothing the process knows, such as those for open pages and by links.
#
# Each client address, and each link, has so many of them at once in a second; further ones wait for their
# time before they ask the database anything, and are refused where that would be long. Refusals leave at a
# pace of their own, for a refusal takes a process as long as many an answer: while one waits, its
# connection brings no other request. Those that come through are carried out a few at a time, each link and
# address in its turn: were all that come at once carried out at once, callers with a token would wait for
# all of them together.
#
# Invariants: nobody waits longer than `WAIT_SECONDS` for their time, and `REFUSED_SECONDS_MAX` for a
# refusal; who sends a body slowly keeps no place; the memory is bounded: what came longest ago goes first.


PER_SECOND: Final = 10
"""Requests of strangers that one address has in a second in the long run, in each process."""

AT_ONCE: Final = 15
"""Requests of strangers that one address has at once."""

ADDRESSES_OF_LINK: Final = 2
"""How many times as many requests one link has: one address cannot use it up for the others."""

AT_WORK: Final = 2
"""Requests of strangers that a process carries out at a time; one link, or else one address, has half."""

ASKING: Final = 16
"""Requests of strangers that wait for an identity provider at a time, a quarter of them for the same one."""

WAIT_SECONDS: Final = 1.0
"""How long such a request waits for its time, at most."""

REFUSALS_PER_SECOND: Final = 10
"""Refusals that leave in a second to one address, or of one link, in the long run, in each process."""

REFUSED_SECONDS_MAX: Final = 10.0
"""How long a refusal waits for its time, at most; the first wait as long as a request would."""

KEYS_MAX: Final = 20_000
"""Addresses and links that a process remembers, at most."""

NO_ACCOUNT: Final = 0
"""The number by which strangers share connections; no account has it."""

_CODE: Final = "rate_limited"


class Arrivals:
    """Says when requests of each key have their time; `now` is in seconds, by any clock that goes evenly."""

    def __init__(self, per_second: int = PER_SECOND, at_once: int = AT_ONCE) -> None:
        self._interval = 1 / per_second
        self._ahead = at_once / per_second
        self._next: OrderedDict[Hashable, float] = OrderedDict()
        self._next_refusal: OrderedDict[Hashable, float] = OrderedDict()

    def wait(self, key: Hashable, now: float) -> float | None:
        """How many seconds a request of a key waits; None where that is too long, and it is not counted."""
        next_one = max(self._next.pop(key, now), now)
        seconds = max(0.0, next_one - now - self._ahead)
        is_let_in = seconds <= WAIT_SECONDS
        _keep(self._next, key, next_one + self._interval if is_let_in else next_one)
        return seconds if is_let_in else None

    def refusal_wait(self, key: Hashable, now: float) -> float:
        """How many seconds the refusal of a request of a key waits."""
        seconds = max(WAIT_SECONDS, self._next_refusal.pop(key, now) - now)
        _keep(self._next_refusal, key, now + min(seconds + 1 / REFUSALS_PER_SECOND, REFUSED_SECONDS_MAX))
        return seconds

    async def come(self, key: Hashable) -> None:
        """Wait for the time of a request of a key; TooManyRequests where there are too many."""
        now = asyncio.get_running_loop().time()
        seconds = self.wait(key, now)
        if seconds is None:
            await asyncio.sleep(self.refusal_wait(key, now))
            message = "There were too many requests without a token, of this address or by this link."
            raise TooManyRequests([Problem(message, None, _CODE)], retry_after_seconds=1)
        if seconds:
            await asyncio.sleep(seconds)


class Strangers:
    """What strangers may take of a process."""

    def __init__(self) -> None:
        self.addresses = Arrivals()
        self.links = Arrivals(ADDRESSES_OF_LINK * PER_SECOND, ADDRESSES_OF_LINK * AT_ONCE)
        self.places = Places(AT_WORK, occupied="Others are served who carry no token either", code=_CODE)
        self.asking = Places(
            ASKING, share=ASKING // 4, occupied="Others sign in by an identity provider just now", code=_CODE
        )


def _keep(times: OrderedDict[Hashable, float], key: Hashable, time: float) -> None:
    times[key] = time
    if len(times) > KEYS_MAX:
        times.popitem(last=False)


async def await_time(request: WebRequest, link: Hashable = None) -> Hashable:
    """Wait for a stranger's time, by address and then by link; gives by which of them the request counts."""
    app = request.app.state
    strangers: Strangers = app.strangers
    address = client_address(request.scope, app.proxies)
    await strangers.addresses.come(address)
    if link is None:
        return address
    await strangers.links.come(link)
    return link


@asynccontextmanager
async def admit_stranger(request: WebRequest, link: Hashable = None) -> AsyncIterator[None]:
    """Let a stranger's request in at its time, with its place and its share of the connections."""
    key = await await_time(request, link)
    if request.method == "POST":
        await request.body()
    strangers: Strangers = request.app.state.strangers
    async with strangers.places.of(key), shares(request).turn(NO_ACCOUNT):
        yield


@asynccontextmanager
async def admit_asking_stranger(request: WebRequest) -> AsyncIterator[None]:
    """Let in a stranger's request that another service is asked for, which may be slow.

    It has a place of its own kind, by the provider that its path names or else by its address, so that a slow
    provider keeps nobody from other pages; and it holds no connection while it waits.
    """
    address = await await_time(request)
    if request.method == "POST":
        await request.body()
    strangers: Strangers = request.app.state.strangers
    async with strangers.asking.of(request.path_params.get("provider", address)):
        yield


# The cookies of the service, read by a reader of its own that takes time in step with what it reads.
#
# The reader of Python's library takes the square of it for quoted values (CPython before 3.11.10 and
# 3.12.6), and anybody may send such. The service writes no quoted value, so this one reads none.
#
# Invariant: of what a browser sends only the first `HEADER_LENGTH_MAX` characters are read.


HEADER_LENGTH_MAX: Final = 4_096
"""Characters of the cookies of one request that are read; ours take less than 3,000."""

_VALUE: Final = re.compile(r"[A-Za-z0-9_=.-]*")
"""What the service writes into a cookie: words, numbers, random text and base64."""


def find_cookie(request: WebRequest, name: str) -> str:
    """The value of a cookie of the service; empty where there is none, or none that the service has written.

    Of several with one name the last counts: browsers send those of longer paths first, and ours have the
    shortest.
    """
    return read_cookie(request.headers.get("cookie", ""), name)


def read_cookie(header: str, name: str) -> str:
    """The last value of a name in a Cookie header; empty for none, and for one that no cookie of ours has."""
    for pair in reversed(header[:HEADER_LENGTH_MAX].split(";")):
        cookie_name, _, value = pair.partition("=")
        if cookie_name.strip() == name:
            value = value.strip()
            return value if _VALUE.fullmatch(value) else ""
    return ""
