"""The demo as a caller of the service: records as plain objects, as a reader of the interface sees them."""

from types import TracebackType
from typing import Any, Self

from weighbridge import client
from weighbridge.client.call import Method, call
from weighbridge.errors import Refusal


class Client:
    """The service at an address, with a token."""

    def __init__(self, address: str, token: str) -> None:
        self._client = client.Client(address, token=token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str) -> Any:
        """Read a record, or a list of them."""
        return self._send("GET", path, None)

    def post(self, path: str, body: Any) -> Any:
        """Write what the body says, and give the record that came of it."""
        return self._send("POST", path, body)

    def _send(self, method: Method, path: str, body: Any) -> Any:
        try:
            return self._client.carry(call(method, path, Any, body=body))
        except client.WeighbridgeError as error:
            raise Refusal(f"{method} {path} was answered {error}.") from error
