"""An answer in JSON on its way out: status, headers, and the bytes of the body.

The framework's own response works out for every request what is known here beforehand.

Invariants: an answer with a body tells its length and type; one without tells neither.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from weighbridge.http import wire
from weighbridge.http.edge import Send

_TYPE: Final = (b"content-type", wire.MEDIA_TYPE.encode())


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; the framework calls it to have it sent."""

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        if self.content:
            headers += [_TYPE, (b"content-length", str(len(self.content)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.content})
