"""A change is what a caller wants different in a record; a field it leaves out stays as it is.

Invariants: fields that the record lacks are ignored, so that records and changes may differ in more than
what is changed; a name is taken without the spaces around it, as it is when a record is made.
"""

from typing import TypeVar

import msgspec

Record = TypeVar("Record", bound=msgspec.Struct)


def changed(record: Record, change: msgspec.Struct) -> Record:
    """The record as the caller wants it."""
    wanted = {
        name: value.strip() if name == "name" and isinstance(value, str) else value
        for name, value in msgspec.structs.asdict(change).items()
        if value is not msgspec.UNSET and name in record.__struct_fields__
    }
    return msgspec.structs.replace(record, **wanted)
