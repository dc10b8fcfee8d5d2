"""The keys of secrets as a process has them: from a file, or from a command that a file is given to.

They are read when a process starts, and again when the file has changed and a secret names a key that is not
known yet, or one is to be encrypted: so a service goes on while its keys are rotated.

Invariants: keys stay in memory, and in the file; a file that is made is its owner's alone, and is there whole
or not at all; nothing that a command writes is shown but what it says of an error.
"""

import asyncio
import shlex
import subprocess
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from weighbridge.core.platform.encryption import (
    KeyRing,
    SecretKey,
    SecretPlace,
    UnopenedSecretError,
    read_key_id,
)
from weighbridge.errors import Refusal
from weighbridge.platform.key_files import write_key_file
from weighbridge.settings import Settings

KEYS_FILE: Final = "secret-keys"
"""The file in the data folder, where no setting names another."""

FILE_BYTES_MAX: Final = 65_536
COMMAND_SECONDS_MAX: Final = 30
"""How long the command may take."""

_REASON_MAX: Final = 300
_OTHERS: Final = 0o077

_Stamp = tuple[int, int, int]


def keys_file(settings: Settings) -> Path:
    """Where the keys of secrets are."""
    return settings.secret_keys_file or settings.data_dir / KEYS_FILE


class SecretKeys:
    """The keys of this process; they are read at the first use, or by `load`."""

    def __init__(self, file: Path, command: str | None = None, *, is_own: bool = False) -> None:
        """Take keys from a file, or from a command that it is given to.

        `is_own` says that the service has made the file itself, for its owner alone.
        """
        self._file, self._command, self._is_own = file, command, is_own
        self._ring = KeyRing()
        self._stamp: _Stamp | None = None
        self._reading = asyncio.Lock()

    @classmethod
    def of(cls, settings: Settings) -> "SecretKeys":
        """The keys that the settings name."""
        is_own = settings.secret_keys_file is None and settings.secret_keys_command is None
        return cls(keys_file(settings), settings.secret_keys_command, is_own=is_own)

    def load(self) -> KeyRing:
        """Read the keys; Refusal with a sentence where the file or the command gives none."""
        stamp = self._look()
        if stamp is None:
            raise Refusal(f"There is no file {self._file} with the keys of secrets.")
        if self._is_own and self._file.stat().st_mode & _OTHERS:
            raise Refusal(f"{self._file} can be read by others than its owner. Run: chmod 600 {self._file}")
        self._ring = read_ring(self._file, self._command)
        self._stamp = stamp
        return self._ring

    def load_if_there(self) -> None:
        """Read the keys of a process that starts; without a file it starts, and reads it when a secret comes.

        Refusal where there is a file that gives no keys.
        """
        if self._look() is not None:
            self.load()

    async def encrypt(self, secret: bytes, place: SecretPlace) -> bytes:
        """Encrypt a secret for a place by the first key of the file as it is now."""
        await self._follow_file()
        return self._ring.encrypt(secret, place)

    async def decrypt(self, envelope: bytes, place: SecretPlace) -> bytes:
        """Open an envelope; UnopenedSecretError where it does not, also by keys that came meanwhile."""
        if read_key_id(envelope) not in self._ring.ids:
            await self._follow_file()
        return self._ring.decrypt(envelope, place)

    async def _follow_file(self) -> None:
        """Read the file where it is another one than was read; the keys so far stay where it cannot be."""
        async with self._reading:
            if self._look() in {None, self._stamp}:
                return
            try:
                await asyncio.to_thread(self.load)
            except Refusal as refusal:
                if not self._ring.keys:
                    raise UnopenedSecretError(str(refusal)) from None

    def _look(self) -> _Stamp | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def read_ring(file: Path, command: str | None) -> KeyRing:
    """The keys of a file, as a command unwraps them if there is one; Refusal with a sentence for none."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Refusal(f"The keys of secrets cannot be read from {file}: {error.strerror or error}.") from None
    if len(content) > FILE_BYTES_MAX:
        raise Refusal(f"{file} has {len(content):,} bytes; a file with keys has at most {FILE_BYTES_MAX:,}.")
    if command is not None:
        content = _unwrap(command, content)
    try:
        return KeyRing.read(content.decode())
    except UnicodeDecodeError:
        reason = "They are no text."
    except ValueError as error:
        reason = str(error)
    source = f"{file}" if command is None else "WEIGHBRIDGE_SECRET_KEYS_COMMAND"
    raise Refusal(f"{source} gives no keys of secrets: {reason}") from None


def _unwrap(command: str, content: bytes) -> bytes:
    """What a command writes that is given a file; it is started as it is, by no shell."""
    try:
        words = shlex.split(command)
        done = subprocess.run(  # noqa: S603 - the operator's own setting
            words, input=content, capture_output=True, timeout=COMMAND_SECONDS_MAX, check=False
        )
    except (OSError, ValueError, IndexError) as error:
        raise Refusal(f"WEIGHBRIDGE_SECRET_KEYS_COMMAND cannot be carried out: {error}.") from None
    except subprocess.TimeoutExpired:
        raise Refusal(
            f"WEIGHBRIDGE_SECRET_KEYS_COMMAND gave no keys within {COMMAND_SECONDS_MAX} seconds."
        ) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-_REASON_MAX:]
        raise Refusal(f"WEIGHBRIDGE_SECRET_KEYS_COMMAND ended with {done.returncode}: {said or 'no word'}")
    if len(done.stdout) > FILE_BYTES_MAX:
        raise Refusal(f"WEIGHBRIDGE_SECRET_KEYS_COMMAND wrote more than {FILE_BYTES_MAX:,} bytes.")
    return done.stdout


def write_ring(file: Path, ring: KeyRing, *, is_new: bool = False) -> KeyRing:
    """Write the keys, for the owner alone, so that whoever stops half-way leaves the file as it was.

    A new file is written once: where another process was first, its keys are read. Raises Refusal.
    """
    try:
        if not write_key_file(file, ring.text.encode(), is_new=is_new):
            return read_ring(file, None)
    except OSError as error:
        raise Refusal(
            f"The keys of secrets cannot be written to {file}: {error.strerror or error}."
        ) from None
    return ring


def with_new_key(ring: KeyRing) -> KeyRing:
    """The keys with a new one before them, which encrypts from then on."""
    return KeyRing((SecretKey.made(), *ring.keys))


def have_ring(settings: Settings, keys: SecretKeys, used: AbstractSet[bytes | None]) -> KeyRing:
    """The keys of this host; made where no setting names a file and no secret is encrypted yet.

    `used` are the names of the keys that have encrypted secrets. Raises Refusal.
    """
    file = keys_file(settings)
    if not file.exists():
        if settings.secret_keys_file is not None or settings.secret_keys_command is not None:
            raise Refusal(f"There is no file {file} with the keys of secrets, which a setting names.")
        if used:
            names = ", ".join(sorted(name.hex() for name in used if name))
            raise Refusal(
                f"There is no file {file}, and the database has secrets that are encrypted by {names}. Copy"
                " the file from another host or from where it is kept; if nobody has it any more, run"
                " `weighbridge secrets rotate --lost` and state the secrets anew."
            )
        write_ring(file, with_new_key(KeyRing()), is_new=True)
    return keys.load()
