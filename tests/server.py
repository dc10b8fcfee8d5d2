"""The real application behind real HTTP on a loopback port, and the callers that knock at it.

The server and the actions that prepare a test run on one event loop in a thread of their own; tests are
ordinary functions. An account is made for each test, so no test sees what another one stored.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

import httpx2
import msgspec
import psycopg
import uvicorn
import uvloop
from psycopg.conninfo import make_conninfo
from psycopg.errors import UndefinedTable
from tests.connections import Connections

from weighbridge.app import build
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.platform.cell import FIRST, Cell, local_schema
from weighbridge.core.platform.encryption import KeyRing, SecretKey
from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.core.problem import CODES
from weighbridge.core.signing import SigningKey
from weighbridge.db.cell_creation import add_cell, url_in_cell, url_in_schema, urls_in_cell
from weighbridge.db.cells import Cells, read_cells
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.engine import Database
from weighbridge.db.roles import DatabaseUrls, grant_running_role
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.audit_keys import keep_key
from weighbridge.platform.secret_keys import SecretKeys, write_ring
from weighbridge.platform.users import create_account, place_account
from weighbridge.settings import Settings
from weighbridge.supervisor.startup import migrate_cell

DEADLINE_SECONDS = 60.0
WORK_SECONDS = 0.05
BODY_BYTES_MAX = 4_194_304
HEAD_BYTES_MAX = 262_144
"""Long heads reach the product, in however many pieces they arrive."""

_account_numbers = count(1)

Result = TypeVar("Result")
Query = Mapping[str, str] | Iterable[tuple[str, str]]

_LISTENING: dict[str, Any] = {
    "lifespan": "on", "ws": "none", "log_config": None, "access_log": False,
    "h11_max_incomplete_event_size": HEAD_BYTES_MAX,
    "proxy_headers": False,  # the application alone says which proxies are believed
}  # fmt: skip
_NEXT_UNFINISHED_TASK = """
    SELECT id FROM async_tasks WHERE account_id = %s AND id > %s AND state IN ('pending', 'running')
     ORDER BY id LIMIT 1
"""

_WAITING_TASKS = """
    SELECT t.id FROM async_tasks t JOIN procrastinate_jobs j ON (j.args ->> 'task_id')::integer = t.id
     WHERE t.account_id = %s AND t.state IN ('pending', 'running') AND j.status = 'todo'
       AND j.scheduled_at IS NULL
"""

_LEFT_IN_PATHS = "%/?&=:@!$'()*+,;~[]|"
"""What paths of tests say themselves, a query after ? included."""

_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode = msgspec.json.Decoder(float_hook=Decimal).decode


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `body` keeps every digit of every number."""

    status: int
    fields: Sequence[tuple[str, str]]
    content: bytes

    @property
    def headers(self) -> httpx2.Headers:
        """Its header fields, whatever the case of their names."""
        return httpx2.Headers(self.fields)

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    @property
    def body(self) -> Any:
        return _decode(self.content)

    @property
    def data(self) -> Any:
        return self.body["data"]

    @property
    def info(self) -> Any:
        return self.body["info"]

    @property
    def errors(self) -> Any:
        return self.body["errors"]

    @property
    def error(self) -> Any:
        """The one thing that is wrong."""
        assert len(self.errors) == 1, self.text
        return self.errors[0]

    def check_codes(self) -> None:
        """Fail unless every error has a code that the catalogue has for this status."""
        for error in self.errors:
            assert error["code"] in CODES, self.text
            assert self.status in CODES[error["code"]].statuses, f"{self.status} {self.text}"

    def expect_not_found(self, kind: str, named: object) -> None:
        """Fail unless it says that the account has no record of this type and id."""
        assert self.expect(404).errors == [
            {"message": "record not found", "code": "not_found", "type": kind, "id": str(named)}
        ]

    def expect(self, status: int) -> "Answer":
        """Fail with the whole answer unless it has the status."""
        assert self.status == status, f"{self.status} {self.text}"
        return self


class Caller:
    """Someone who sends requests with one token, or with none."""

    def __init__(self, server: "Server", token: str | None) -> None:
        self.token = token
        self.server = server

    def get(self, path: str, query: Query = ()) -> Answer:
        return self.send("GET", path, query=query)

    def post(self, path: str, body: Any) -> Answer:
        return self.send("POST", path, content=body if isinstance(body, bytes) else _encode(body))

    def upload(self, path: str, filename: str, content: bytes, **texts: str) -> Answer:
        """Send a file as a browser's form does, with texts beside it."""
        form = httpx2.Request("POST", "http://form", files={"file": (filename, content)}, data=texts)
        headers = {"content-type": form.headers["content-type"]}
        return self.send("POST", path, content=form.read(), headers=headers)

    def patch(self, path: str, body: Any, **more: Any) -> Answer:
        return self.send("PATCH", path, content=body if isinstance(body, bytes) else _encode(body), **more)

    def delete(self, path: str) -> Answer:
        return self.send("DELETE", path)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Query = (),
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request below the API's prefix; headers given here stand before the usual ones."""
        usual = {} if self.token is None else {"authorization": f"Bearer {self.token}"}
        if content is not None:
            usual["content-type"] = "application/json"
        given = {name.lower(): value for name, value in (headers or {}).items()}
        answer = self.server.request(method, API_PREFIX + path, query, content, usual | given)
        if answer.status >= 400 and method != "HEAD":
            answer.check_codes()
        return answer


class Account:
    """An account with its administrator, and no projects yet."""

    def __init__(self, server: "Server", actor: Actor, cell: Cell) -> None:
        self.actor = actor
        self.server = server
        self.cell = cell

    @property
    def id(self) -> int:
        return self.actor.account_id

    @property
    def database(self) -> Database:
        """The database in the cell in which the account lives."""
        return self.server.connections.in_cell(self.cell)

    def caller(self, *permissions: str) -> Caller:
        """A caller whose new token has these permissions, or all when none are named."""
        token = self.server.run(self._token(permissions or ALL_PERMISSIONS))
        return Caller(self.server, token)

    def expired_caller(self) -> Caller:
        """A caller whose token, which may do everything, ran out yesterday."""
        caller = self.caller()
        self.server.sql(
            """
            UPDATE api_tokens
               SET created_at = now() - interval '91 days', expires_at = now() - interval '1 day'
             WHERE id = (SELECT max(id) FROM api_tokens WHERE account_id = %s)
            """,
            self.id,
        )
        return caller

    def drain(self) -> None:
        """Carry out the account's unfinished tasks here and now, oldest first."""
        last = 0
        while found := self.sql(_NEXT_UNFINISHED_TASK, self.id, last):
            [(last,)] = found
            self._carry_out(last)

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement past the service, in the cell in which the account lives, and give its rows."""
        if self.cell == self.server.cell:
            return self.server.sql(statement, *values)
        with psycopg.connect(url_in_cell(self.server.urls.migrating, self.cell)) as connection:
            return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]

    @contextmanager
    def working(self) -> Iterator[None]:
        """Have the account's tasks carried out meanwhile, but for those that are another's for now."""
        stopping = threading.Event()

        def work() -> None:
            while not stopping.wait(WORK_SECONDS):
                for (task,) in self.sql(_WAITING_TASKS, self.id):
                    self._carry_out(task)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            stopping.set()
            thread.join()

    def _carry_out(self, task: int) -> None:
        from weighbridge import worker  # noqa: PLC0415 - tests without tasks need none of its imports

        self.server.run(worker.attempt_task(self.database, task, tasks=self.server.tasks))

    async def _token(self, permissions: Iterable[str]) -> str:
        async with self.database.write() as tx:
            return await create_token(
                tx,
                self.actor,
                user_id=self.actor.user_id,
                name="test",
                permissions=list(permissions),
                lifetime_days=90,
            )


class Server:
    """The application on a free port, as long as the `with` block lasts."""

    def __init__(
        self,
        database_url: str,
        *,
        pooler_url: str | None = None,
        second_cell: str | None = None,
        other_cell: str | None = None,
        **settings: Any,
    ) -> None:
        """Serve the database of the owner's URL; the service itself comes to it as the running role.

        With the URL of a pooler its requests come that way. With the name of a second cell, which is made
        where it is not there, accounts live in it, and what is done past the service is done there. Other
        accounts live in another cell, if one is named, and otherwise in the first.
        """
        urls = self.urls = DatabaseUrls(make_conninfo(database_url, user=RUNNING_ROLE), database_url)
        grant_running_role(urls)
        self._cells = {"second_cell": second_cell, "other_cell": other_cell}
        self.cell, self.other_cell = (
            FIRST if name is None else _ensure_cell(urls, name) for name in self._cells.values()
        )
        self.owner_url = url_in_cell(urls.migrating, self.cell)
        self.running_url = _url_of_service(urls.running, self.cell)
        self.anyone = Caller(self, None)

        with ExitStack() as closing:
            self.folder = Path(closing.enter_context(TemporaryDirectory(prefix="wb-")))
            keys = SecretKeys(store_secret_keys(self.folder))
            self.connections = Database(urls.running, connections_max=4, encryption=keys)
            self.database = self.connections.in_cell(self.cell)
            self._socket = closing.enter_context(_listening_socket())
            self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
            self._connections = closing.enter_context(
                Connections(*self._socket.getsockname(), DEADLINE_SECONDS)
            )
            self._connection = closing.enter_context(psycopg.connect(self.owner_url, autocommit=True))
            if pooler_url is not None:
                settings["session_database_url"] = urls.running
            self.settings = _settings(
                pooler_url or urls.running,
                self.address,
                {
                    "data_dir": self.folder,
                    "audit_key_file": _key_file(self.folder),
                    "secret_keys_file": store_secret_keys(self.folder),
                }
                | settings,
            )
            self._uvicorn = uvicorn.Server(uvicorn.Config(build(self.settings), **_LISTENING))
            self._closing = closing.pop_all()
        self._started: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=self._run, name="server")

    def again(self, **settings: Any) -> "Server":
        """Another service of the same database, whose accounts live where those of this one do."""
        return Server(self.urls.migrating, **self._cells, **settings)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._loop = self._started.result(DEADLINE_SECONDS)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._uvicorn.should_exit = True
        self._thread.join(DEADLINE_SECONDS)
        self._closing.close()

    @cached_property
    def tasks(self) -> Mapping[str, Any]:
        """What a worker of this service can carry out, built once as a worker builds it."""
        from weighbridge import worker  # noqa: PLC0415 - tests without tasks need none of its imports

        return {
            **worker.TASKS,
            "export": worker.exporter(self.settings).make,
            "report_bundle": worker.bundler(self.settings).make,
            "report_submission": worker.submitter(self.settings).submit,
            "report_notice": worker.submitter(self.settings).tell,
            "data_feed_upload": worker.feeder(self.settings).take_in,
            "registry_catalogue": worker.catalogue_reader(self.settings).read,
        }

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the server's loop and give its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE_SECONDS)

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement past the service, committed at once, and give its rows."""
        cursor = self._connection.execute(statement, values)  # type: ignore[arg-type] # statements of tests
        return cursor.fetchall() if cursor.description else []

    def change_form(self, statement: str) -> None:
        """Change the form of a table past the service, which a cluster does through its coordinator."""
        with psycopg.connect(urls_in_cell(self.urls, self.cell).migrating) as connection:
            connection.execute(statement)  # type: ignore[arg-type] # statements of tests

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Begin a transaction past the service; it commits when the block ends."""
        with psycopg.connect(self.owner_url) as connection:
            yield connection

    def await_blocked(self) -> None:
        """Wait until some statement of the service waits for a lock that a transaction of the test holds."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        blocked = (
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        while not self.sql(blocked):
            assert time.monotonic() < deadline, "a statement waits for a lock"
            time.sleep(0.005)

    def account(self) -> Account:
        """Make an account of its own for a test."""
        return self._account_in(self.cell)

    def first_account(self) -> Account:
        """Make an account in the first cell, wherever others of this service live."""
        return self._account_in(FIRST)

    def other_account(self) -> Account:
        """Make an account in another cell than that of a test, where there are several."""
        return self._account_in(self.other_cell)

    def _account_in(self, cell: Cell) -> Account:
        return Account(self, self.run(self._account(cell, f"account {next(_account_numbers)}")), cell)

    @staticmethod
    def together(work: Callable[[], Result], times: int) -> list[Result]:
        """Do the same so many times at once, as many callers would."""
        with ThreadPoolExecutor(times) as callers:
            return [future.result() for future in [callers.submit(work) for _ in range(times)]]

    def request(
        self, method: str, path: str, query: Query, content: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        target = quote(path, safe=_LEFT_IN_PATHS)
        if pairs := list(query.items() if isinstance(query, Mapping) else query):
            target += ("&" if "?" in path else "?") + urlencode(pairs, quote_via=quote)
        head, body = self._connections.send(method, target, content, headers)
        return Answer(head.status, head.fields, body)

    async def _account(self, cell: Cell, name: str) -> Actor:
        cells = Cells(self.connections)
        place, number = await place_account(cells, self.connections, cell, name)
        async with self.connections.in_cell(place).write() as tx:
            return await create_account(tx, name=name, request_id="given", number=number)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as in the service
            runner.run(self._serve())

    async def _serve(self) -> None:
        async with self.connections:
            serving = asyncio.create_task(self._uvicorn.serve(sockets=[self._socket]))
            while not self._uvicorn.started and not serving.done():  # noqa: ASYNC110 - uvicorn tells by this flag
                await asyncio.sleep(0.01)
            try:
                assert self._uvicorn.started, "the application does not start"
                await self._keep_key()
                self._started.set_result(asyncio.get_running_loop())
            except Exception as error:  # noqa: BLE001 - whoever waits for the start hears of it at once
                self._started.set_exception(error)
                self._uvicorn.should_exit = True
            await serving

    async def _keep_key(self) -> None:
        """Have each cell know the key that signs the audit log."""
        with suppress(UndefinedTable):  # on an empty database there is nobody to know the key
            for cell in {FIRST, self.cell, self.other_cell}:
                async with self.connections.in_cell(cell).write() as tx:
                    assert await keep_key(tx, self.settings), "a service signs its audit log"


def _ensure_cell(urls: DatabaseUrls, name: str) -> Cell:
    """A cell of a database, made at once: no other process uses the database yet."""
    known = {cell.name: cell for cell in read_cells(urls.migrating)}
    return known.get(name) or add_cell(urls, name, migrate_cell, wait=lambda _: None)


def _key_file(folder: Path) -> Path:
    """The file of a key of its own, for databases that know those of other servers."""
    file = folder / "key.pem"
    file.write_bytes(SigningKey.made().pem)
    return file


SECRET_KEYS = KeyRing((SecretKey(bytes(range(32))),))
"""The keys of secrets of all servers of tests, for they share databases."""


def store_secret_keys(folder: Path) -> Path:
    """The file with these keys."""
    file = folder / "secret-keys"
    write_ring(file, SECRET_KEYS)
    return file


def _listening_socket() -> socket.socket:
    """A socket that says it is TCP: asyncio then sends small packets at once."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    return listening


def _url_of_service(url: str, cell: Cell) -> str:
    """How the service comes to a cell: on a node it uses the tables of the node, and locks those."""
    found = url_in_cell(url, cell)
    if cell.schema is None or cell.node is None:
        return found
    return url_in_schema(found, f"{local_schema(cell.schema)},{cell.schema}")


def _settings(database_url: str, address: str, changes: Mapping[str, Any]) -> Settings:
    usual = {
        "database_url": database_url,
        "base_url": address,
        "request_body_bytes": BODY_BYTES_MAX,
        "failed_authentications_per_minute": 0,
        "refusals_per_second": 0,
        "outgoing_networks": ("127.0.0.0/8",),
    }
    return Settings(**usual | changes)
