"""An identity provider that lies as it is told, for what no honest one would send."""

import hmac
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from weighbridge.core.platform.sign_on import LOGOUT_EVENT

CLIENT: Final = "weighbridge"
KEY: Final = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
OTHER_KEY: Final = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})

_numbers = count(1)


class HostileProvider:
    """What it says of itself, whom it says that it has signed in, and how it signs that."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.email = f"eve{next(_numbers)}@plant.example"
        self.document: dict[str, Any] = {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/jwks",
            "code_challenge_methods_supported": ["S256"],
        }
        self.keys: Any = {"keys": [KEY.as_dict(private=False)]}
        self.claims: dict[str, Any] = {}
        self.sign: Callable[[dict[str, Any]], str] = sign
        self.asked: list[dict[str, str]] = []
        """What its token endpoint was sent."""
        self.called = threading.Event()
        """That somebody has asked it."""
        self.answers = threading.Event()
        """That it answers; until then whoever asks waits."""
        self.answers.set()

    def identify(self, **claims: Any) -> None:
        """Say of somebody what is said of everybody, but for these claims; None leaves one out."""
        now = int(time.time())
        usual = {
            "iss": self.issuer, "aud": CLIENT, "sub": "subject-1", "iat": now, "exp": now + 300,
            "email": self.email, "email_verified": True, "groups": ["operators"],
        }  # fmt: skip
        self.claims = {name: value for name, value in (usual | claims).items() if value is not None}

    def logout_token(self, **claims: Any) -> str:
        """A logout token, but for these claims."""
        now = int(time.time())
        usual = {
            "iss": self.issuer, "aud": CLIENT, "sub": "subject-1", "iat": now, "exp": now + 120,
            "jti": f"one-{time.monotonic_ns()}", "events": {LOGOUT_EVENT: {}},
        }  # fmt: skip
        return self.sign({name: value for name, value in (usual | claims).items() if value is not None})

    def answer(self, path: str, form: dict[str, str]) -> Any:
        """The object that it answers a request with, or bytes."""
        self.called.set()
        self.answers.wait()
        if path == "/.well-known/openid-configuration":
            return self.document
        if path == "/jwks":
            return self.keys
        self.asked.append(form)
        return {"access_token": "access", "refresh_token": "refresh", "id_token": self.sign(self.claims)}


def sign(claims: dict[str, Any]) -> str:
    """A token as an honest provider signs it."""
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)


def sign_by_another_key(claims: dict[str, Any]) -> str:
    """A token by a key that is not published, under the name of one that is."""
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, OTHER_KEY)


def sign_by_the_public_key(claims: dict[str, Any]) -> str:
    """A token by HS256, with the published key as the shared secret (the confusion of algorithms)."""
    said = f"{_encode(json.dumps({'alg': 'HS256', 'kid': 'one'}))}.{_encode(json.dumps(claims))}"
    return f"{said}.{_encode(hmac.digest(KEY.as_pem(private=False), said.encode(), 'sha256'))}"


def sign_by_nothing(claims: dict[str, Any]) -> str:
    """A token that says that it needs no signature."""
    return f"{_encode(json.dumps({'alg': 'none'}))}.{_encode(json.dumps(claims))}."


def _encode(part: str | bytes) -> str:
    content = part.encode() if isinstance(part, str) else part
    return urlsafe_b64encode(content).rstrip(b"=").decode()


@contextmanager
def hostile_provider() -> Iterator[HostileProvider]:
    """One that runs on a loopback port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["content-length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(sent).items()})

        def _answer(self, form: dict[str, str]) -> None:
            found = provider.answer(urlsplit(self.path).path, form)
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            try:
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = HostileProvider(f"http://127.0.0.1:{server.server_address[1]}")
    provider.identify()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
