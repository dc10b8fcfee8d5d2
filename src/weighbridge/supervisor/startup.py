"""Steps of a start: the port, the migrations, the key of the audit log, and a link for the first person.

A failure of a step is an error that a person can act on.

Invariants: no second service takes the port while this one lives; without a key the service runs and
signs no heads.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

import psycopg
import structlog
from psycopg.errors import InsufficientPrivilege

from weighbridge.core.platform.cell import Cell
from weighbridge.db.cell_creation import begin_steps, finish_steps, urls_in_cell
from weighbridge.db.cells import Cells, read_cells
from weighbridge.db.engine import Database, is_lost, url_on_node
from weighbridge.db.roles import (
    DatabaseUrls,
    can_switch_triggers_off,
    grant_running_role,
    newest_revision,
    read_revision_of,
)
from weighbridge.errors import Refusal
from weighbridge.platform.audit_keys import keep_key
from weighbridge.platform.audit_tree import key_file
from weighbridge.platform.kept_secrets import count_by_key, encrypt_all
from weighbridge.platform.secret_keys import SecretKeys, have_ring
from weighbridge.platform.users import DEFAULT_ACCOUNT, administrator_of, has_people, offer_first_user
from weighbridge.settings import Settings

# The port of the service: free when it is taken, and kept while the processes behind it restart.
#
# The API processes listen with SO_REUSEPORT, which would let a second service start on the same port. So
# the supervisor first binds without it, which fails while anyone listens, and then keeps a silent socket
# bound, which makes the same check of a second service fail while no API process listens.


@dataclass(frozen=True, slots=True)
class Port:
    """An address that this process has reserved until it ends."""

    host: str
    address: str
    number: int
    reservation: socket.socket

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.number}"

    @property
    def near_address(self) -> str:
        """The address at which this machine itself reaches the port."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.address, self.address)  # noqa: S104 - compared


def reserve(host: str, number: int) -> Port:
    """Reserve the port, or a free one for number 0."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe_address = probe.getsockname()
        reservation = socket.socket(family)
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reservation.bind(probe_address)
    except OSError as error:
        raise Refusal(f"The service cannot listen on {host} port {number}: {error.strerror}.") from error
    return Port(host, str(probe_address[0]), int(probe_address[1]), reservation)


# The migrations as a step of a start: a failure is a refusal that a person can act on.


if TYPE_CHECKING:
    from weighbridge.db.migration import Rehearsal

log = structlog.get_logger("weighbridge.supervisor")


def migrate_or_refuse(urls: DatabaseUrls, *, without_lost: bool = False) -> None:
    """Bring every cell of the database to the newest step of its history, and let the running role use it.

    A service starts `without_lost` cells: those on a node that cannot be reached stay as they are.

    A running role that has the power of the owner leaves a line of warning: it can switch off what
    keeps books and audit rows as they are.
    """
    try:
        cells, finished = read_cells(urls.migrating), read_cells(urls.migrating, only_open=True)
        lost = _find_lost_nodes(urls.migrating, cells) if without_lost else set()
        for cell in cells:
            if cell.node in lost:
                _warn_of_lost_cell(cell)
                continue
            within = urls_in_cell(urls, cell)
            is_newest = read_revision_of(within.migrating) == newest_revision()
            if lost and is_newest:
                continue  # what is granted or made goes to every node, so nothing is done for nothing
            if not is_newest:
                begin_steps(urls, cell)
            migrate_cell(within)
            if cell in finished:
                finish_steps(urls, cell)
        if can_switch_triggers_off(urls.running):
            log.warning(
                "database_role_owns_tables",
                remedy="let WEIGHBRIDGE_MIGRATION_DATABASE_URL name the role that owns the tables, and"
                " WEIGHBRIDGE_DATABASE_URL another",
            )
    except psycopg.Error as error:
        remedy = (
            " Run `weighbridge migrate` with WEIGHBRIDGE_MIGRATION_DATABASE_URL naming the role that owns"
            " the tables."
        )
        raise Refusal(
            f"The database cannot be migrated: {str(error).strip()}"
            + (remedy if isinstance(error, InsufficientPrivilege) else "")
        ) from error


def _find_lost_nodes(url: str, cells: Sequence[Cell]) -> set[str]:
    """The nodes of cells that cannot be reached now."""
    lost = set()
    for node in sorted({cell.node for cell in cells if cell.node is not None}):
        try:
            psycopg.connect(url_on_node(url, node)).close()
        except psycopg.OperationalError:
            lost.add(node)
    return lost


def _warn_of_lost_cell(cell: Cell) -> None:
    log.warning(
        "cell_lost",
        cell=cell.name,
        node=cell.node,
        remedy="its accounts are answered 503 until the node is back; run `weighbridge migrate` then if this"
        " version is a newer one",
    )


def migrate_cell(urls: DatabaseUrls) -> None:
    """Bring one cell to the newest step of its history, and let the running role use it."""
    if read_revision_of(urls.migrating) != newest_revision():
        _migrate(urls.migrating)
    grant_running_role(urls)


def _migrate(url: str) -> None:
    from alembic.util.exc import CommandError  # noqa: PLC0415 - alembic is slow to import

    from weighbridge.db.migration import migrate  # noqa: PLC0415 - as above

    try:
        migrate(url)
    except CommandError as error:
        raise Refusal(f"The database cannot be migrated: {str(error).strip()}") from error


def rehearse_or_refuse(url: str) -> "Rehearsal":
    """Carry out the steps that a database lacks, and undo them."""
    from alembic.util.exc import CommandError  # noqa: PLC0415 - alembic is slow to import

    from weighbridge.db.migration import rehearse  # noqa: PLC0415 - as above

    try:
        return rehearse(url)
    except (psycopg.Error, CommandError) as error:
        raise Refusal(f"The migrations cannot be rehearsed: {str(error).strip()}") from error


def keep_keys(url: str, settings: Settings) -> None:
    """Have this host have the key of the audit log, and those of secrets. Raises Refusal."""
    keep_audit_key(url, settings)
    keep_secret_keys(url, settings)


# The key of the audit log as a step of a start; where there is none, the service runs and signs no heads.


def keep_audit_key(url: str, settings: Settings) -> None:
    """Have this host have the key, made if the database knows none yet.

    Raises Refusal when a setting names a file that holds none.
    """
    try:
        is_kept = asyncio.run(_keep(url, settings))
    except Refusal as refusal:
        if settings.audit_key_file is not None:
            raise
        log.error("audit_key_missing", reason=str(refusal))  # noqa: TRY400 - no trace is of use here
        return
    if not is_kept:
        log.error(
            "audit_key_missing",
            file=str(key_file(settings)),
            remedy="let WEIGHBRIDGE_AUDIT_KEY_FILE name a copy of the file that another host of this database"
            " has, or a new key that signs from now on",
        )


async def _keep(url: str, settings: Settings) -> bool:
    is_kept = True
    async with Database(url, connections_max=1) as database:
        for cell in await Cells(database).list():
            try:
                async with database.in_cell(cell).write() as tx:
                    is_kept = await keep_key(tx, settings) is not None and is_kept
            except psycopg.OperationalError as error:
                if cell.node is None or not is_lost(error):
                    raise
                _warn_of_lost_cell(cell)
    return is_kept


# The keys of secrets as a step of a start, and secrets that a version before has left readable.


def keep_secret_keys(url: str, settings: Settings) -> None:
    """Have this host have the keys of secrets, and every secret encrypted that anybody could read.

    Without a setting the first start makes a file of them in the data folder. Raises Refusal where there is
    none and the database has secrets that other keys have encrypted.
    """
    asyncio.run(_keep_secret_keys(url, settings))


async def _keep_secret_keys(url: str, settings: Settings) -> None:
    keys = SecretKeys.of(settings)
    async with Database(url, connections_max=1, encryption=keys) as database:
        used: dict[bytes | None, int] = {}
        reachable = []
        for cell in await Cells(database).list():
            within = database.in_cell(cell)
            try:
                async with within.read() as tx:
                    used |= await count_by_key(tx)
            except psycopg.OperationalError as error:
                if cell.node is None or not is_lost(error):
                    raise
                _warn_of_lost_cell(cell)
            else:
                reachable.append(within)
        ring = have_ring(settings, keys, used.keys() - {None})
        if lacking := used.keys() - {None, *ring.ids}:
            log.error("secret_keys_missing", keys=sorted(name.hex() for name in lacking if name))
        for within in reachable if None in used else ():
            encrypted = await encrypt_all(within, ring)
            log.info("secrets_encrypted", secrets=encrypted)


# The first person as a step of a start: while nobody can sign in, a link is made by which somebody joins.


def first_user_link(url: str, address: str) -> str | None:
    """A link by which the first person joins, at the address of the service; None when somebody has.

    The link of an earlier start works no longer.
    """
    secret = asyncio.run(_offer(url))
    return None if secret is None else f"{address}/join?key={secret}"


async def _offer(url: str) -> str | None:
    async with Database(url, connections_max=1) as database:
        if await Cells(database).has_directory():  # people may be in another cell
            return None
        async with database.write() as tx:
            if await has_people(tx):
                return None
            actor = await administrator_of(tx, DEFAULT_ACCOUNT, f"start_{token_hex(12)}")
            return await offer_first_user(tx, actor)
