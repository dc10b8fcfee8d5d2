"""What is asked of an identity provider over HTTP, and what its answers have to be.

    metadata = await read_metadata(client, provider.issuer)
    tokens = await exchange_code(client, metadata, credentials, code=..., verifier=..., redirect_uri=...)
    claims = await read_signed(client, metadata, tokens.id_token)

`read_signed` verifies a signature; what the claims have to say is in `core/platform/sign_on.py`.

Invariants: every address is of https, or on the machine itself, and within the reach of the service's calls;
an answer has at most so many bytes and comes within its time; a signature is by a key that the provider
publishes, of a kind that needs a private key; nothing that was sent or received is in the text of an error.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote, urlencode

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key, KeySet, RSAKey

from weighbridge.core.platform.sign_on import ALGORITHMS, SignOnRefusedError
from weighbridge.http.outgoing import (
    ANSWER_BYTES_MAX,
    NoAnswer,
    NotSent,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingRequest,
    is_private,
)

SECONDS: Final = 10
"""How long an identity provider may take for one answer."""

KEYS_MAX: Final = 100
"""Keys of an identity provider that are read."""

TOKEN_LENGTH_MAX: Final = 32_768
"""Characters of a token that is read."""

RSA_BITS: Final = (2_048, 8_192)
"""How long keys of RSA are: shorter ones prove nothing, longer ones cost much."""

_DISCOVERY: Final = "/.well-known/openid-configuration"
_FORM: Final = "application/x-www-form-urlencoded"
_SCOPES: Final = ("openid", "email", "profile")
_OFFERED_SCOPES: Final = ("groups", "offline_access")
_KINDS: Final[dict[Any, type[RSAKey | ECKey]]] = {"RSA": RSAKey, "EC": ECKey}


class ProviderFailedError(Exception):
    """A provider could not be asked, or its answer is none; the message is a sentence with its host alone."""


class GrantEndedError(Exception):
    """The provider does not give anything for a code or a refresh token, or no longer."""


_ENDED: Final = frozenset({
    "invalid_grant", "invalid_request", "access_denied", "interaction_required", "login_required",
    "consent_required",
})  # fmt: skip
"""What an answer says that is about the person, and not about the service as a client.

Requests of the service are always of one form, so `invalid_request` is about what they ask for: so say
libraries of providers that the person of a refresh token was locked.
"""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a provider says of itself in its discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    scopes: tuple[str, ...]
    names_itself: bool
    """Whether its answers in the browser say who gives them (RFC 9207)."""
    takes_basic: bool
    """Whether it takes the client's secret as HTTP Basic authentication, and else in the form."""


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """What the service calls itself at a provider, and the secret that proves it."""

    client_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider gives for a code or a refresh token."""

    access_token: str = field(repr=False)
    id_token: str | None = field(repr=False)
    refresh_token: str | None = field(repr=False)


async def read_metadata(client: OutgoingClient, issuer: str) -> Metadata:
    """What a provider says of itself; raises ProviderFailedError."""
    document = await _ask(client, "GET", issuer.rstrip("/") + _DISCOVERY)
    if document.get("issuer") != issuer:
        raise ProviderFailedError("The discovery document is of another issuer than the one that was stated.")
    endpoints: dict[str, Any] = {
        name: document.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
    }
    userinfo = document.get("userinfo_endpoint")
    for name, address in (*endpoints.items(), ("userinfo_endpoint", userinfo)):
        if not is_private(address) and not (name == "userinfo_endpoint" and address is None):
            raise ProviderFailedError(f"The discovery document has no {name} of https.")
    methods = _texts(document.get("token_endpoint_auth_methods_supported")) or ("client_secret_basic",)
    if not {"client_secret_basic", "client_secret_post"} & {*methods}:
        raise ProviderFailedError("The identity provider takes no client secret.")
    challenges = document.get("code_challenge_methods_supported")
    if challenges is not None and "S256" not in _texts(challenges):
        raise ProviderFailedError("The identity provider takes no code challenge by S256 (PKCE).")
    return Metadata(
        issuer=issuer,
        **endpoints,
        userinfo_endpoint=userinfo,
        scopes=_texts(document.get("scopes_supported")),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        takes_basic="client_secret_basic" in methods,
    )


def build_authorization_url(
    metadata: Metadata, client_id: str, *, redirect_uri: str, state: str, nonce: str, challenge: str
) -> str:
    """Where a browser is sent to sign in."""
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "scope": " ".join((*_SCOPES, *(one for one in _OFFERED_SCOPES if one in metadata.scopes))),
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    joint = "&" if "?" in metadata.authorization_endpoint else "?"
    return f"{metadata.authorization_endpoint}{joint}{urlencode(asked)}"


async def exchange_code(
    client: OutgoingClient,
    metadata: Metadata,
    credentials: ClientCredentials,
    *,
    code: str,
    verifier: str,
    redirect_uri: str,
) -> Tokens:
    """The tokens for a code; raises ProviderFailedError, and SignOnRefusedError for one that is not taken."""
    asked = {
        "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
        "redirect_uri": redirect_uri,
    }  # fmt: skip
    try:
        return await _ask_for_tokens(client, metadata, credentials, asked)
    except GrantEndedError:
        raise SignOnRefusedError(
            "The identity provider does not take its own answer; sign in again."
        ) from None


async def refresh(
    client: OutgoingClient, metadata: Metadata, credentials: ClientCredentials, refresh_token: str
) -> Tokens:
    """The tokens for a refresh token; raises ProviderFailedError and GrantEndedError."""
    asked = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    return await _ask_for_tokens(client, metadata, credentials, asked)


async def read_userinfo(client: OutgoingClient, metadata: Metadata, access_token: str) -> dict[str, Any]:
    """What a provider says of a person at its userinfo endpoint; raises ProviderFailedError."""
    if metadata.userinfo_endpoint is None:
        return {}
    bearer = {"Authorization": f"Bearer {access_token}"}
    return await _ask(client, "GET", metadata.userinfo_endpoint, bearer)


async def read_signed(client: OutgoingClient, metadata: Metadata, token: str) -> dict[str, Any]:
    """The claims of a token that the provider has signed.

    Raises SignOnRefusedError where it has not, and ProviderFailedError where its keys cannot be read.
    """
    if len(token) > TOKEN_LENGTH_MAX:
        raise SignOnRefusedError("The identity provider's answer is too long.")
    keys = _read_keys(await _ask(client, "GET", metadata.jwks_uri))
    try:
        signed = jws.deserialize_compact(token.encode(), keys, algorithms=[*ALGORITHMS])
        claims = json.loads(signed.payload, parse_float=Decimal)
    except (JoseError, ValueError, TypeError, RecursionError):
        raise SignOnRefusedError("The identity provider's answer is not signed by one of its keys.") from None
    if not isinstance(claims, dict):
        raise SignOnRefusedError("The identity provider's answer says nothing.")
    return claims


def _read_keys(document: Mapping[str, Any]) -> KeySet:
    """The keys by which a provider signs; those of other kinds and uses are left out."""
    listed = document.get("keys")
    if not isinstance(listed, list) or len(listed) > KEYS_MAX:
        raise ProviderFailedError(f"The identity provider publishes no list of at most {KEYS_MAX} keys.")
    keys: list[Key] = []
    for one in listed:
        kind = _KINDS.get(one.get("kty")) if isinstance(one, dict) else None
        if kind is None or one.get("use", "sig") != "sig" or not _is_of_good_length(one):
            continue
        try:
            keys.append(kind.import_key({name: one[name] for name in _PUBLIC if name in one}))
        except (JoseError, ValueError, TypeError):
            continue
    if not keys:
        raise ProviderFailedError("The identity provider publishes no key by which it signs.")
    return KeySet(keys)


def _is_of_good_length(key: Mapping[str, Any]) -> bool:
    """Whether a key is none of RSA, or one of a length that is taken: six bits are a character of it."""
    modulus = key.get("n")
    return key["kty"] != "RSA" or (
        isinstance(modulus, str) and RSA_BITS[0] <= 6 * len(modulus) <= RSA_BITS[1] + 6
    )


_PUBLIC: Final = ("kty", "kid", "use", "alg", "n", "e", "crv", "x", "y")
"""Members of a key that are read: whatever a provider publishes besides is left."""


async def _ask_for_tokens(
    client: OutgoingClient, metadata: Metadata, credentials: ClientCredentials, asked: Mapping[str, str]
) -> Tokens:
    headers, form = {"Content-Type": _FORM}, dict(asked)
    if metadata.takes_basic:
        pair = f"{quote(credentials.client_id, safe='')}:{quote(credentials.secret, safe='')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    else:
        form |= {"client_id": credentials.client_id, "client_secret": credentials.secret}
    answer = await _send(client, "POST", metadata.token_endpoint, headers, urlencode(form).encode())
    if answer.status in (400, 401) and _read_object(answer.content).get("error") in _ENDED:
        raise GrantEndedError
    given = _accept(metadata.token_endpoint, answer)
    access, identity, further = (given.get(name) for name in ("access_token", "id_token", "refresh_token"))
    if not isinstance(access, str) or not all(isinstance(one, str | None) for one in (identity, further)):
        raise ProviderFailedError("The identity provider gave no tokens.")
    return Tokens(access, identity, further)


async def _ask(
    client: OutgoingClient, method: str, address: str, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    return _accept(address, await _send(client, method, address, headers or {}))


async def _send(
    client: OutgoingClient, method: str, address: str, headers: Mapping[str, str], content: bytes = b""
) -> OutgoingAnswer:
    told = {"Accept": "application/json", **headers}
    try:
        return await client.send(OutgoingRequest(method, address, told, content, SECONDS))
    except (NotSent, NoAnswer) as error:
        raise ProviderFailedError(str(error)) from None


def _accept(address: str, answer: OutgoingAnswer) -> dict[str, Any]:
    """The object that an answer has; raises ProviderFailedError."""
    path = address.partition("?")[0]
    if answer.status != 200:
        raise ProviderFailedError(f"{path} answered with status {answer.status}.")
    if len(answer.content) >= ANSWER_BYTES_MAX:
        raise ProviderFailedError(f"The answer of {path} has {ANSWER_BYTES_MAX:,} bytes or more.")
    found = _read_object(answer.content)
    if not found:
        raise ProviderFailedError(f"The answer of {path} is no JSON object.")
    return found


def _read_object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content, parse_float=Decimal)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
