"""An identity provider as its sign-on needs it: with its account, and with its secret where that is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.platform.encryption import UnopenedSecretError
from weighbridge.core.platform.sign_on import SignOnRefusedError, find_permissions, read_groups, read_subject
from weighbridge.db.engine import Database, Read
from weighbridge.http.outgoing import OutgoingClient
from weighbridge.platform.kept_secrets import IDENTITY_PROVIDER_SECRETS, decrypt_secret
from weighbridge.platform.provider_people import (
    IDENTITY_PROVIDER,
    SOURCE,
    list_given,
    read_roles,
    with_address,
)
from weighbridge.platform.provider_records import IdentityProvider
from weighbridge.platform.sign_on.protocol import (
    ClientCredentials,
    Metadata,
    ProviderFailedError,
    Tokens,
    read_userinfo,
)


@dataclass(frozen=True, slots=True)
class AccountProvider:
    """An identity provider and the account whose it is."""

    account: int
    record: IdentityProvider

    @property
    def id(self) -> int:
        """The number of the provider."""
        return self.record.id

    def permissions_of(self, groups: Sequence[str]) -> tuple[str, ...]:
        """What people in groups may do."""
        return find_permissions(groups, read_roles(self.record.roles))

    @property
    def gives(self) -> list[str]:
        """All that some group gives."""
        return list_given(self.record)


class Offer(msgspec.Struct, frozen=True):
    """An identity provider as the page to sign in offers it."""

    account: int
    id: int
    name: str

    @property
    def key(self) -> str:
        """What an address calls it."""
        return f"{self.account}.{self.id}"


_SELECT: Final = SQL("SELECT {} FROM {} WHERE p.account_id = %s AND p.id = %s").format(
    SQL(IDENTITY_PROVIDER.columns), SQL(SOURCE)
)
_OFFERS: Final = "SELECT p.account_id, p.id, p.name FROM identity_providers p"
_OF_ACCOUNT: Final = f"{_OFFERS} WHERE p.account_id = %s ORDER BY p.name"
_OF_PERSON: Final = f"""
    {_OFFERS} JOIN users u ON u.account_id = p.account_id
     WHERE lower(u.email) = lower(%s) AND u.password_hash IS NOT NULL AND p.domains @> ARRAY[%s::text]
     ORDER BY p.name
"""
_OF_DOMAIN: Final = f"{_OFFERS} WHERE p.domains @> ARRAY[%s::text] ORDER BY p.account_id, p.name LIMIT 40"


async def find_provider(
    database: Database, account: int, number: int, address: str
) -> AccountProvider | None:
    """The provider of an account with a number, if there is one."""
    async with database.read() as tx:
        record = await tx.row(IDENTITY_PROVIDER.make, _SELECT, (account, number))
    return None if record is None else AccountProvider(account, with_address(record, address))


async def list_offers(tx: Read, account: int) -> list[Offer]:
    """The providers of an account."""
    return await tx.rows(Offer, _OF_ACCOUNT, (account,))


async def list_offers_to(tx: Read, email: str, domain: str) -> list[Offer]:
    """The providers of the account in which somebody signs in with an address, for its domain."""
    return await tx.rows(Offer, _OF_PERSON, (email.strip(), domain))


async def list_offers_of_domain(tx: Read, domain: str) -> list[Offer]:
    """The providers that take addresses of a domain, of all accounts of a cell."""
    return await tx.rows(Offer, _OF_DOMAIN, (domain,))


async def has_providers(tx: Read) -> bool:
    """Whether some account of the cell has an identity provider."""
    return bool(await tx.value("SELECT EXISTS (SELECT FROM identity_providers)"))


async def read_time(database: Database) -> int:
    """The time by which tokens are looked at, in seconds since 1970."""
    row = await database.single("SELECT extract(epoch FROM now())::bigint")
    assert row is not None, "there is always a time"  # noqa: S101
    return int(row[0])


async def read_credentials(database: Database, provider: AccountProvider) -> ClientCredentials:
    """What proves to a provider who asks; raises ProviderFailedError where no key opens it."""
    place = IDENTITY_PROVIDER_SECRETS.place(provider.account, str(provider.id))
    async with database.read() as tx:
        envelope = await tx.value(
            "SELECT encrypted FROM identity_provider_secrets WHERE (account_id, provider_id) = (%s, %s)",
            (provider.account, provider.id),
        )
        try:
            secret = await decrypt_secret(tx, place, envelope, None)
        except UnopenedSecretError:
            raise ProviderFailedError("No key of this service opens the client secret.") from None
    return ClientCredentials(provider.record.client_id, secret.decode())


async def add_userinfo(
    client: OutgoingClient, metadata: Metadata, tokens: Tokens, subject: str, claims: dict[str, Any]
) -> dict[str, Any]:
    """Claims of an ID token with those of the userinfo endpoint, which has to be about the same person."""
    more = await read_userinfo(client, metadata, tokens.access_token)
    if more and read_subject(more) != subject:
        raise SignOnRefusedError("The identity provider's answers are about two people.")
    return {**more, **claims}


def groups_of(provider: AccountProvider, claims: dict[str, Any]) -> list[str]:
    """The groups that claims name; none where they have no such claim."""
    return read_groups(claims, provider.record.groups_claim) or []
