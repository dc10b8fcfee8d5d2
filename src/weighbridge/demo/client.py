"""A client of the service in a few lines: JSON over HTTP, numbers as decimals both ways."""

from decimal import Decimal
from http.client import HTTPConnection, HTTPException
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

import msgspec

from weighbridge.core.identity.link import API_PREFIX
from weighbridge.errors import Refusal
from weighbridge.exchange.importing.kept_connection import reopened

TIMEOUT_SECONDS: Final = 30
SUCCESS: Final = range(200, 300)

_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode = msgspec.json.Decoder(float_hook=Decimal).decode


class Client:
    """One connection to the service at an address, with a token."""

    def __init__(self, address: str, token: str) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT_SECONDS)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, path: str) -> Any:
        """Read a record, or a list of them."""
        return self._send("GET", path, None)

    def post(self, path: str, body: Any) -> Any:
        """Write what the body says, and give the record that came of it."""
        return self._send("POST", path, _encode(body))

    def _send(self, method: str, path: str, body: bytes | None) -> Any:
        try:
            reopened(self._connection).request(method, API_PREFIX + path, body, self._headers)
            response = self._connection.getresponse()
            answer = _decode(response.read())
        except (OSError, HTTPException, msgspec.DecodeError) as error:
            raise Refusal(f"{method} {path} was not answered: {error}.") from error
        if response.status not in SUCCESS:
            messages = " ".join(problem["message"] for problem in answer["errors"])
            raise Refusal(f"{method} {path} was answered {response.status}: {messages}")
        return answer
