"""A call: what is sent and what comes back, as a value that says nothing of how it travels.

Each operation of the interface is a function that makes a call; the client for programs that wait and the one
for programs that await carry out the same calls.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar
from urllib.parse import quote

from weighbridge.client.values import of_query, written

T = TypeVar("T")
PREFIX: Final = "/api/v1"
Method = Literal["GET", "POST", "PATCH", "DELETE"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call. `kind` is what the answer is read as: a record, `str`, `bytes` or None."""

    method: Method
    path: str
    kind: type[T] | Any
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str | None = None
    takes_key: bool = False
    """Whether the operation takes an Idempotency-Key, by which it may be sent again."""
    key: str | None = None

    @property
    def repeatable(self) -> bool:
        """Whether the call may be sent again when nobody knows whether it arrived."""
        return self.method == "GET" or self.takes_key


def call(
    method: Method,
    path: str,
    kind: Any,
    *,
    names: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    text: str | None = None,
    takes_key: bool = False,
    key: str | None = None,
) -> Call[Any]:
    """The call of an operation. `names` fill the path, what is None is left out, `text` is CSV."""
    for name, value in (names or {}).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    content, content_type = None, None
    if body is not None:
        content, content_type = written(body), "application/json"
    elif text is not None:
        content, content_type = text.encode(), "text/csv; charset=utf-8"
    return Call(
        method,
        PREFIX + path,
        kind,
        tuple((name, of_query(value)) for name, value in (query or {}).items() if value is not None),
        content,
        content_type,
        takes_key,
        key,
    )
