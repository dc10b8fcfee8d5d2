"""What a sign-on by an identity provider has to satisfy: claims, addresses, and what a way there is bound to.

Pure: what came, and the time, are passed in. A refusal is a sentence for the person who signs in; it never
has in it what the other side has sent, but for names that the account itself has stated.

Sources: OpenID Connect Core 1.0, 3.1.3.7 (ID tokens); RFC 7636 (PKCE); RFC 9207 (issuer in the answer);
OpenID Connect Back-Channel Logout 1.0, 2.6; RFC 9700 (best practice).
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.platform.permission import find_role, limit_role, reduce_permissions

SKEW_SECONDS: Final = 60
"""How far the clocks of the service and of a provider may be apart."""

AGE_SECONDS_MAX: Final = 600
"""How long ago an ID token may have been made when it comes, for it is asked for just then."""

SECONDS_MAX: Final = 1_000_000_000_000
"""Seconds since 1970 up to which a number is taken for a time."""

SUBJECT_LENGTH_MAX: Final = 255
"""Characters by which a provider names a person, at most (OpenID Connect Core 1.0, 2)."""

GROUPS_MAX: Final = 2_000
"""Groups of a person that are looked at."""

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures that are taken: by a private key alone, so neither `none` nor one by a shared secret."""

VERIFIED_CLAIMS: Final = ("email_verified", "xms_edov")
"""Claims by one of which a provider says that an address is the person's; the second one is Entra's."""

LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
"""What a logout token says that happened."""


class SignOnRefusedError(Exception):
    """A person may not sign in, or what came does not show who they are; the message is for them."""


# What a way to a provider is bound to. The browser holds one secret; the nonce and the verifier of each way
# follow from it and from the way's state, so the database holds only hashes.


def derive_nonce(browser_secret: str, state: str) -> str:
    """The nonce that an ID token has to repeat."""
    return _derive("nonce", browser_secret, state)


def derive_verifier(browser_secret: str, state: str) -> str:
    """The code verifier (RFC 7636, 4.1): 43 characters."""
    return _derive("verifier", browser_secret, state)


def challenge_of(verifier: str) -> str:
    """The code challenge by S256 (RFC 7636, 4.2).

    >>> challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    return _encode(hashlib.sha256(verifier.encode()).digest())


def _derive(use: str, browser_secret: str, state: str) -> str:
    return _encode(hmac.digest(browser_secret.encode(), f"{use} {state}".encode(), "sha256"))


def _encode(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


# Claims.


@dataclass(frozen=True, slots=True)
class ExpectedToken:
    """What a token of a provider has to say."""

    issuer: str
    client_id: str
    now: int
    """Seconds since 1970."""


def check_token(claims: Mapping[str, Any], expected: ExpectedToken) -> None:
    """Raise SignOnRefusedError unless claims are by the provider, for this service, and of this time."""
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience
    if claims.get("iss") != expected.issuer:
        raise SignOnRefusedError("The identity provider's answer names another issuer.")
    if not isinstance(audiences, list) or expected.client_id not in audiences:
        raise SignOnRefusedError("The identity provider's answer is for another service.")
    if claims.get("azp", expected.client_id) != expected.client_id or (
        len(audiences) > 1 and "azp" not in claims
    ):
        raise SignOnRefusedError("The identity provider's answer was made for another service.")
    made, ends = (_seconds(claims.get(name)) for name in ("iat", "exp"))
    begins = _seconds(claims.get("nbf", expected.now))
    if made is None or ends is None or begins is None:
        raise SignOnRefusedError("The identity provider's answer does not say when it was made and ends.")
    if ends <= expected.now - SKEW_SECONDS or made < expected.now - AGE_SECONDS_MAX:
        raise SignOnRefusedError("The identity provider's answer has expired; sign in again.")
    if max(made, begins) > expected.now + SKEW_SECONDS:
        raise SignOnRefusedError(
            "The identity provider's answer is of a time to come; its clock and that of this service are "
            f"more than {SKEW_SECONDS} seconds apart."
        )


def check_id_token(claims: Mapping[str, Any], expected: ExpectedToken, nonce: str | None) -> str:
    """The subject of an ID token; raises SignOnRefusedError. A token that was refreshed needs no nonce."""
    check_token(claims, expected)
    given = claims.get("nonce")
    if nonce is not None and not (isinstance(given, str) and hmac.compare_digest(given, nonce)):
        raise SignOnRefusedError("The identity provider's answer belongs to another attempt to sign in.")
    return read_subject(claims)


def read_subject(claims: Mapping[str, Any]) -> str:
    """What the provider calls the person; raises SignOnRefusedError where it does not say."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_LENGTH_MAX or "\x00" in subject:
        raise SignOnRefusedError("The identity provider's answer does not say whom it is about.")
    return subject


@dataclass(frozen=True, slots=True)
class Logout:
    """Who has signed out at a provider, or which session has ended there; and the number of the message."""

    subject: str | None
    session: str | None
    token_id: str
    ends: int


def check_logout_token(claims: Mapping[str, Any], expected: ExpectedToken) -> Logout:
    """What a logout token says; raises SignOnRefusedError where it is none."""
    check_token(claims, expected)
    events, subject, session = claims.get("events"), claims.get("sub"), claims.get("sid")
    token_id = claims.get("jti")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict) or "nonce" in claims:
        raise SignOnRefusedError("The token is no logout token.")
    texts = [text for text in (subject, session) if text is not None]
    if not texts or not all(isinstance(text, str) and text and "\x00" not in text for text in texts):
        raise SignOnRefusedError("The logout token says neither whose sessions nor which one has ended.")
    if not isinstance(token_id, str) or not 0 < len(token_id) <= SUBJECT_LENGTH_MAX or "\x00" in token_id:
        raise SignOnRefusedError("The logout token has no number.")
    return Logout(subject, session, token_id, int(claims["exp"]))


def _seconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return int(value) if -SECONDS_MAX < value < SECONDS_MAX else None


# People: their address, and their groups.


def read_email(claims: Mapping[str, Any], domains: Collection[str]) -> str:
    """The address of a person, which the provider has verified and whose domain the account has named.

    Raises SignOnRefusedError.
    """
    email = claims.get("email")
    if not isinstance(email, str) or email.count("@") != 1 or not all(email.split("@")) or "\x00" in email:
        raise SignOnRefusedError("The identity provider does not say which e-mail address you have.")
    if not any(claims.get(name) in (True, "true", "1", 1) for name in VERIFIED_CLAIMS):
        raise SignOnRefusedError(
            "The identity provider has not verified your e-mail address; ask its administrator to."
        )
    if domain_of(email) not in domains:
        raise SignOnRefusedError("Your e-mail address is not of a domain that the account has named.")
    return email


def domain_of(email: str) -> str:
    """The domain of an address, in lower case."""
    return email.rpartition("@")[2].strip().lower()


def read_groups(claims: Mapping[str, Any], claim: str) -> list[str] | None:
    """The groups that a claim names; None where there is no such claim."""
    groups = claims.get(claim)
    if groups is None:
        return None
    listed = [groups] if isinstance(groups, str) else groups
    if not isinstance(listed, list):
        return []
    named = {name for name in listed[:GROUPS_MAX] if isinstance(name, str) and "\x00" not in name}
    return sorted(named)


@dataclass(frozen=True, slots=True)
class RoleOfGroup:
    """The role of the people in a group, by its name; in one project alone where one is named."""

    group: str
    role: str
    project: int | None = None


def find_permissions(groups: Iterable[str], roles: Iterable[RoleOfGroup]) -> tuple[str, ...]:
    """What people in groups may do by the roles of these groups; nothing for no such group.

    >>> find_permissions(["plant"], [RoleOfGroup("plant", "collector"), RoleOfGroup("office", "reader")])
    ('data_collection:write',)
    >>> find_permissions(["visitors"], [RoleOfGroup("plant", "collector")])
    ()
    """
    held = {*groups}
    given = [(find_role(one.role), one.project) for one in roles if one.group in held]
    return reduce_permissions(
        {one for role, project in given if role is not None for one in limit_role(role, project)}
    )
