"""Puts another file in the place of the installed one, and the one before back.

Invariants: the path of the installed file always has a whole file, whenever an update is killed; what was
installed before an update is kept beside it; a file is judged, tried and installed as the same bytes; the
spool and the configuration are only read.
"""

import fcntl
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.agent.single_file.manifest import (
    AGENT_FILE_BYTES_MAX,
    AgentManifest,
    python_of_file,
    read_bytes,
    read_manifest,
)
from weighbridge.agent.single_file.signing import check_signature, read_trusted
from weighbridge.agent.single_file.sources import SignedFile, read_source
from weighbridge.agent.spool import check_spool_version
from weighbridge.errors import Refusal

TRIAL_SECONDS: Final = 600
"""How long a new file may take to unpack, load and check the configuration."""

TOLD_LENGTH_MAX: Final = 2_000
"""Characters of what a new version prints that an error repeats; the last ones."""

_MODE: Final = 0o755


@dataclass(frozen=True, slots=True)
class UpdatePolicy:
    """What an operator says about an update."""

    signers: Path | None = None
    """The file of allowed signers; the usual ones when it is None."""

    allow_downgrade: bool = False
    configuration: Path | None = None
    """The agent's file, which the new version has to accept."""

    spool: Path | None = None
    """The spool, which the new version has to read."""


@dataclass(frozen=True, slots=True)
class InstalledFile:
    """The file that runs this program, and its places on the disk."""

    path: Path

    @property
    def previous(self) -> Path:
        """What was installed before."""
        return self.path.with_name(f"{self.path.name}.previous")

    @property
    def new(self) -> Path:
        """What is about to be installed."""
        return self.path.with_name(f"{self.path.name}.new")

    @property
    def replaced(self) -> Path:
        """What is about to be the one before."""
        return self.path.with_name(f"{self.path.name}.replaced")

    def read_manifest(self) -> AgentManifest:
        """What the installed file says of itself."""
        content = read_bytes(self.path, AGENT_FILE_BYTES_MAX, "The installed file")
        return read_manifest(content, str(self.path))


def update(installed: InstalledFile, source: str, policy: UpdatePolicy) -> str:
    """Install a newer file; gives the sentence for the operator. Raises Refusal, and then nothing changed."""
    with _alone(installed):
        before = installed.read_manifest()
        signed_file = read_source(source, before.platform)
        signer = check_signature(
            signed_file.content,
            signed_file.signature,
            signed_file.place,
            read_trusted(before, policy.signers),
        )
        after = read_manifest(signed_file.content, signed_file.place)
        if signed_file.content == read_bytes(installed.path, AGENT_FILE_BYTES_MAX, "The installed file"):
            return f"{before.text} is installed already."
        _check_fit(signed_file, before, after, policy)
        _write(installed.new, signed_file.content)
        _try(installed.new, after, policy)
        _replace(installed, installed.new)
        return f"{after.text}, signed by {signer}, is installed in place of {before.version}."


def rollback(installed: InstalledFile, policy: UpdatePolicy) -> str:
    """Install the file again that the last update replaced, and keep the present one in its place."""
    with _alone(installed):
        if not installed.previous.exists():
            raise Refusal(f"There is no version to go back to: {installed.previous} does not exist.")
        before = installed.read_manifest()
        content = read_bytes(installed.previous, AGENT_FILE_BYTES_MAX, "The file of before")
        after = read_manifest(content, str(installed.previous))
        _check_spool(after, policy.spool)
        _write(installed.new, content)
        _try(installed.new, after, policy)
        _replace(installed, installed.new)
        return f"{after.text} is installed again, in place of {before.version}."


@contextmanager
def _alone(installed: InstalledFile) -> Iterator[None]:
    """Be the only one who replaces the file."""
    folder = installed.path.parent
    try:
        lock = os.open(folder / f".{installed.path.name}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise Refusal(
            f"{installed.path} cannot be replaced: {error.strerror}. Run this as the user who owns {folder}."
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in (installed.new, installed.replaced):
            left.unlink(missing_ok=True)
        yield
    except BlockingIOError:
        raise Refusal(f"{installed.path} is being updated by another process.") from None
    except OSError as error:
        raise Refusal(f"{installed.path} cannot be replaced: {error}.") from None
    finally:
        with suppress(OSError):
            installed.new.unlink(missing_ok=True)
        os.close(lock)


def _check_fit(file: SignedFile, before: AgentManifest, after: AgentManifest, policy: UpdatePolicy) -> None:
    """Raise Refusal for a file that is older than the installed one, or for another machine."""
    if after.platform != before.platform:
        raise Refusal(f"{file.place} is {after.text}, but this machine needs one for {before.platform}.")
    if (obstacle := after.find_obstacle()) is not None:
        raise Refusal(obstacle)
    if after.number < before.number and not policy.allow_downgrade:
        raise Refusal(
            f"{file.place} is {after.version}, which is older than the installed {before.version}."
            " Allow that with --allow-downgrade."
        )
    _check_spool(after, policy.spool)


def _check_spool(after: AgentManifest, spool: Path | None) -> None:
    """Raise Refusal where readings wait in a form that the other version does not read."""
    if spool is None or not spool.exists():
        return
    try:
        with closing(sqlite3.connect(f"file:{spool}?mode=ro", uri=True)) as connection:
            check_spool_version(connection, spool, after.spool_version)
    except sqlite3.Error as error:
        raise Refusal(f"The spool {spool} cannot be read: {error}.") from None


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it survives the loss of power."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), _MODE)
        file.flush()
        os.fsync(file.fileno())


def _try(path: Path, manifest: AgentManifest, policy: UpdatePolicy) -> None:
    """Unpack and load the new version, which says who it is and whether it accepts the configuration."""
    if _run(path, "--version").strip() != manifest.version:
        raise Refusal(f"{manifest.text} is not installed: it does not start as that version.")
    if policy.configuration is not None:
        _run(path, "check", str(policy.configuration))


def _run(path: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the file is signed by somebody whom the operator trusts
            [*python_of_file(), str(path), *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=TRIAL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Refusal(f"The new version is not installed: {words[0]} takes over {TRIAL_SECONDS} s.") from None
    if done.returncode:
        told = (done.stderr or done.stdout).strip()[-TOLD_LENGTH_MAX:]
        raise Refusal(f"The new version is not installed: its {words[0]} fails.\n{told}")
    return done.stdout


def _replace(installed: InstalledFile, new: Path) -> None:
    """Have the new file at the path, and the present one beside it; each step leaves a whole file there."""
    os.link(installed.path, installed.replaced)
    installed.replaced.replace(installed.previous)
    new.replace(installed.path)
    folder = os.open(installed.path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
