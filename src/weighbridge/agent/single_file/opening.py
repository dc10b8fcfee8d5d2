"""The code of the agent's file as a folder to import from, unpacked once and checked at every start.

Native libraries cannot be loaded out of an archive, and compiling again at each start takes seconds and
memory that small machines lack. So the code is unpacked, loaded once so that Python compiles it, and sealed.

Invariants: code is run only out of a folder that belongs to this user or to root, in which nobody else may
write, and whose every file has the digest that the archive, or the seal for compiled code, gives it; a folder
has its name only once it is whole; no code is removed while a process runs it.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

MANIFEST: Final = "manifest.json"
BESIDE: Final = "weighbridge-agent.unpacked"
"""The folder of unpacked code in that of the archive, where its owner started it."""

CACHE: Final = "weighbridge-agent"
FOLDER_VARIABLE: Final = "WEIGHBRIDGE_AGENT_UNPACKED"
"""Names another folder for unpacked code."""

SEAL: Final = "seal.json"
LOCK: Final = "lock"
LOCK_SECONDS: Final = 300
"""How long another process may take to unpack; a small machine takes a minute."""

_PAUSE_SECONDS: Final = 0.05
_DIGEST_LENGTH: Final = 32
_SHARED_MODE: Final = 0o755
_PRIVATE_MODE: Final = 0o700
_FOREIGN_WRITE: Final = 0o022
_UNFINISHED: Final = "unfinished-"
_CODE: Final = re.compile(rf"[0-9a-f]{{{_DIGEST_LENGTH}}}-[a-z]+-\d+")

_held: Final[list[int]] = []
"""Locks on the code of this process, until it ends."""


class OpeningError(Exception):
    """The code cannot be unpacked or is damaged; the message says which."""


def open_code(archive: str) -> str:
    """The folder with the code of an archive, unpacked where it was not before."""
    with Path(archive).open("rb") as file, zipfile.ZipFile(file) as opened:
        digest = hashlib.file_digest(_at_start(file), "sha256").hexdigest()[:_DIGEST_LENGTH]
        name = f"{digest}-{sys.implementation.cache_tag}"
        manifest = json.loads(opened.read(MANIFEST))
        problems = []
        for folder, mode in _list_folders(Path(archive)):
            try:
                if (code := _open_in(folder, mode, name, opened, manifest)) is not None:
                    return str(code)
            except OSError as error:
                problems.append(f"{folder}: {error.strerror or error}")
    raise OpeningError(
        f"The code of {archive} cannot be unpacked anywhere. {'; '.join(problems)}. Name a folder that only"
        f" you may write in by {FOLDER_VARIABLE}, or start the file once as its owner."
    )


def _at_start(file: BufferedReader) -> BufferedReader:
    file.seek(0)
    return file


def _list_folders(archive: Path) -> Iterator[tuple[Path, int]]:
    """Where code may be, with the mode of the folder: beside the archive, or in a cache of the user.

    A service that may not write beside the archive uses what its owner has unpacked there.
    """
    if told := os.environ.get(FOLDER_VARIABLE):
        yield Path(told), _PRIVATE_MODE
        return
    yield archive.parent / BESIDE, _SHARED_MODE
    if of_unit := os.environ.get("CACHE_DIRECTORY"):  # as systemd gives it
        yield Path(of_unit.partition(":")[0]) / BESIDE, _PRIVATE_MODE
    home = os.environ.get("HOME", "")
    if (cache := os.environ.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else "")).startswith("/"):
        yield Path(cache) / CACHE, _PRIVATE_MODE


def _open_in(
    folder: Path, mode: int, name: str, archive: zipfile.ZipFile, manifest: dict[str, Any]
) -> Path | None:
    """The code in a folder; None where it is not, and this process may not unpack it."""
    is_ours = _make_folder(folder, mode)
    code = folder / name
    with _locked(folder, writes=is_ours):
        flaw = find_flaw(code, manifest)
        if flaw is not None:
            if not is_ours:
                return None
            if code.exists():
                sys.stderr.write(f"{flaw} It is unpacked again.\n")
            _unpack(archive, manifest, folder, code)
        _hold(code, writes=is_ours)
        if is_ours:
            _remove_unused(folder, name)
    return code


def _make_folder(folder: Path, mode: int) -> bool:
    """Whether this user may write in the folder, which is made where that is possible.

    Raises OSError for a folder in which another one than root or this user may put code.
    """
    with suppress(FileExistsError):
        folder.mkdir(mode, parents=True)
        folder.chmod(mode)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {0, os.geteuid()}:
        raise OSError(f"is not a folder of {'root' if os.geteuid() == 0 else 'this user or root'}")
    if found.st_mode & _FOREIGN_WRITE:
        raise OSError("other users may write in it")
    return found.st_uid == os.geteuid() and os.access(folder, os.W_OK)


@contextmanager
def _locked(folder: Path, *, writes: bool) -> Iterator[None]:
    """Be the only one who unpacks or removes in a folder, or keep others from that."""
    lock = _open_lock(folder / LOCK, writes=writes)
    try:
        deadline = time.monotonic() + LOCK_SECONDS
        while lock is not None:
            try:
                fcntl.flock(lock, (fcntl.LOCK_EX if writes else fcntl.LOCK_SH) | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"another process holds its lock for {LOCK_SECONDS} seconds") from None
                time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _open_lock(path: Path, *, writes: bool) -> int | None:
    if writes:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None


def _hold(code: Path, *, writes: bool) -> None:
    """Keep the code from being removed until this process ends."""
    lock = _open_lock(code.with_name(f"{code.name}.{LOCK}"), writes=writes)
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_SH)
        _held.append(lock)


def _remove_unused(folder: Path, kept: str) -> None:
    """Remove the code of other archives that no process runs."""
    for entry in [*folder.iterdir()]:
        if entry.name != kept and _CODE.fullmatch(entry.name):
            lock_path = entry.with_name(f"{entry.name}.{LOCK}")
            lock = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unused = entry.rename(entry.with_name(f"{_UNFINISHED}{entry.name}"))
                shutil.rmtree(unused, ignore_errors=True)
                lock_path.unlink()
            except BlockingIOError:
                pass  # it runs
            finally:
                os.close(lock)


# Whether unpacked code is whole, and is that of the archive.


def find_flaw(code: Path, manifest: dict[str, Any]) -> str | None:
    """What is wrong with unpacked code, in a sentence; None where all of it is as it was unpacked."""
    try:
        seal = json.loads((code / SEAL).read_bytes())
        expected = _list_expected(manifest) | {str(path): str(digest) for path, digest in seal.items()}
        found = set()
        for path in _list_files(code):
            if path == SEAL:
                continue
            if hash_file(code / path) != expected.get(path):
                return f"The unpacked file {code / path} has changed."
            found.add(path)
    except (OSError, ValueError, AttributeError) as error:
        return f"The unpacked code {code} cannot be read: {error}."
    if missing := expected.keys() - found:
        return f"The unpacked file {code / min(missing)} is missing."
    return None


def _list_expected(manifest: dict[str, Any]) -> dict[str, str]:
    """The digests of the files for this Python by their paths below the folder of the code."""
    return {path: digest for path, (_, digest) in _list_members(manifest).items()}


def _list_members(manifest: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """What the archive has for this Python: its name there and its digest, by the path when unpacked."""
    own = f"code/cp{sys.version_info.major}{sys.version_info.minor}/"
    members = {}
    for name, digest in manifest["files"].items():
        for start in ("code/common/", own):
            if name.startswith(start):
                members[name.removeprefix(start)] = (name, digest)
    return members


def _list_files(folder: Path) -> Iterator[str]:
    """The paths of all that is below a folder; raises ValueError for what is neither file nor folder."""
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    yield os.path.relpath(entry.path, folder)
                else:
                    raise ValueError(f"{entry.path} is not a file")


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Unpacking: into a folder of another name, which gets its own when everything is there.


def _unpack(archive: zipfile.ZipFile, manifest: dict[str, Any], folder: Path, code: Path) -> None:
    made = folder / f"{_UNFINISHED}{os.getpid()}"
    try:
        _write_code(archive, manifest, made)
        if code.exists():
            code.rename(folder / f"{_UNFINISHED}{os.getpid()}-damaged")
        made.rename(code)
    finally:
        # What another process left unfinished goes, too: this one alone may write here.
        for left in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)


def _write_code(archive: zipfile.ZipFile, manifest: dict[str, Any], made: Path) -> None:
    """Write, load and seal the code in a new folder."""
    made.mkdir(_SHARED_MODE)
    for path, (name, digest) in _list_members(manifest).items():
        content = _read_member(archive, name, digest)
        target = made / path
        if not target.resolve().is_relative_to(made.resolve()):
            raise OpeningError(f"{archive.filename} has a file outside of its folder: {name}.")
        target.parent.mkdir(_SHARED_MODE, parents=True, exist_ok=True)
        target.write_bytes(content)
    before = set(_list_files(made))
    _compile(made, manifest["modules"])
    seal = {path: hash_file(made / path) for path in sorted(set(_list_files(made)) - before)}
    (made / SEAL).write_text(json.dumps(seal))
    for entry in (made, *made.rglob("*")):
        entry.chmod(_SHARED_MODE if entry.is_dir() else 0o644)


def _read_member(archive: zipfile.ZipFile, name: str, digest: str) -> bytes:
    """A file of the archive, which has to have the digest that the manifest gives it."""
    try:
        content = archive.read(name)
    except (KeyError, OSError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise OpeningError(f"{archive.filename} is damaged: {error}. Install it again.") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise OpeningError(f"{archive.filename} is damaged: {name} has changed. Install it again.")
    return content


def _compile(made: Path, modules: list[str]) -> None:
    """Load the code once in a process of its own: Python keeps what it compiled, and every library loads."""
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            sys.path[:0] = [str(made)]
            sys.dont_write_bytecode = False
            for module in modules:
                __import__(module)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the other process has to know
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise OpeningError(
            f"The code cannot be loaded out of {made.parent}; see above. Where programs may not run out of"
            f" that folder (noexec), name another one by {FOLDER_VARIABLE}."
        )
