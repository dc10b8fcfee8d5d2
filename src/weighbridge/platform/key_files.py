"""Files with keys: for their owner alone, whole or not there, and on the disk before anything needs them."""

import os
from pathlib import Path
from secrets import token_hex
from typing import Final

_OWNER_ALONE: Final = 0o600


def write_key_file(file: Path, content: bytes, *, is_new: bool = False) -> bool:
    """Write a file with keys, in a folder that is made where it lacks; raises OSError.

    Whoever stops half-way leaves the file as it was. A new file is written once: False where there is one.
    """
    draft = file.with_name(f"{file.name}.{token_hex(4)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ALONE), "wb") as writing:
            writing.write(content)
            writing.flush()
            os.fsync(writing.fileno())
        if is_new:
            os.link(draft, file)
        else:
            draft.replace(file)
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    store_names(file.parent)
    return True


def store_names(folder: Path) -> None:
    """Have the names in a folder on the disk, which go there apart from what is in the files."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
