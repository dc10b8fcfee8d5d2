"""Records of identity providers: where people are sent to sign in, and which roles their groups have."""

from typing import Annotated, Final

import msgspec

from weighbridge.core.platform.permission import ROLES
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import ADDRESS_MAX, Line, at_most, id_of, one_of

DOMAINS_MAX: Final = 100
"""Domains of one identity provider, at most."""

DOMAIN_LENGTH_MAX: Final = 253
"""Characters of a domain, at most."""

GROUP_ROLES_MAX: Final = 200
"""Groups of one identity provider that have a role, at most."""

ROLE_NAMES: Final = tuple(role.name for role in ROLES)
"""What roles are called in requests."""


class GroupRole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The role of the people in a group of the identity provider."""

    group: Line
    """The group, exactly as the provider sends it: a name, a path or an id."""
    role: Annotated[str, one_of(ROLE_NAMES)]
    """What people in the group may do, as one of the roles."""
    project_id: Annotated[str, id_of("project")] | None = None
    """The project that the role is limited to; null for a role in all projects, and for administrators."""


class IdentityProvider(msgspec.Struct, frozen=True):
    """An identity provider by which people of the account sign in (OpenID Connect)."""

    id: int
    """The number of the identity provider."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What people read on the button; once in the account."""
    issuer: Annotated[str, Sent(Annotated[str, at_most(ADDRESS_MAX)])]
    """What the provider calls itself, below which its discovery document is, such as `https://id.example`."""
    client_id: Annotated[str, Sent(Line)]
    """What the provider calls this service."""
    domains: Annotated[
        list[str],
        Sent(list[Annotated[str, at_most(DOMAIN_LENGTH_MAX)]]),
    ]
    """The domains of the e-mail addresses of people who may sign in, such as `plant.example`."""
    roles: Annotated[list[GroupRole], Sent(list[GroupRole], is_json=True)]
    """The roles of groups. Whoever is in several groups may do what each of them may; whoever is in none of
    them is refused, and everybody while no group has a role."""
    groups_claim: Annotated[str, Sent(Line, default="groups")]
    """The claim in which the provider sends the groups of a person."""
    is_required: Annotated[bool, Sent(bool, default=False)]
    """Whether passwords of the account no longer sign in, but for people who keep theirs."""
    redirect_uri: str
    """Where the provider sends people back to; it is registered there."""
    logout_uri: str
    """Where the provider says that somebody has signed out (OpenID Connect Back-Channel Logout 1.0)."""
    sign_in_url: str
    """The address of the account's own page to sign in."""
    failure: str | None
    """Why the provider could not be asked, in a sentence; null where it could."""
    failing_since: Instant | None
    """Since when it could not be asked; null where it could."""
    created_at: Instant
    updated_at: Instant


IDENTITY_PROVIDER_BODIES: Final = RequestBodies(
    IdentityProvider,
    "identity_provider",
    "/identity_providers",
    leading=("name", "issuer", "client_id", "client_secret"),
    extra={
        "client_secret": Sent(
            Annotated[str, at_most(1_000)],
            meaning="The secret that the provider gave this service; it is stored encrypted and never shown.",
            change_meaning=(
                "Another secret. Required with another issuer: the one that is kept is not sent there."
            ),
        )
    },
)
