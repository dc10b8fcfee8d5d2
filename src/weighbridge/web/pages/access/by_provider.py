"""Sign in by an identity provider: choose one, go there, come back; and be signed out when it says so.

Addresses of a provider have its account and itself by their numbers, so the cell is found by the address.
A browser is sent on by a page and not by a redirect, because a form of ours may lead to our own pages alone.
"""

from secrets import token_urlsafe
from typing import Final

from weighbridge.core.platform.cell import read_account
from weighbridge.core.platform.sign_on import SignOnRefusedError, domain_of
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Forbidden, Invalid, NotFound, Refusal, Unauthorized
from weighbridge.http.caller import (
    WebRequest,
    base_database,
    cells,
    confirm_cell,
    database,
    enter_cell_of_address,
    find_cookie,
)
from weighbridge.http.limits import client_address
from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.authentication import SignInAttempt, count_attempt, forgive_attempts
from weighbridge.platform.sign_on.arrival import WAY_MINUTES, Answered, begin, finish, make_state
from weighbridge.platform.sign_on.confirmation import end_by_logout
from weighbridge.platform.sign_on.protocol import TOKEN_LENGTH_MAX, ProviderFailedError
from weighbridge.platform.sign_on.provider import (
    AccountProvider,
    Offer,
    find_provider,
    list_offers_of_domain,
    list_offers_to,
)
from weighbridge.web.framework.page import OPEN_FIELDS_MAX, open_page, read_fields
from weighbridge.web.framework.rendering import render_open_page
from weighbridge.web.framework.responses import Sendable, redirect_to
from weighbridge.web.framework.visit import is_https, keep_session
from weighbridge.web.pages.access.sign_in import local_path_or_home, program_of, show_sign_in

_NAME: Final = "weighbridge_way"
_FAILED: Final = "sign_in_refused"

CELLS_ASKED_MAX: Final = 64
"""Cells in which a domain is looked for."""


@open_page("POST", "/sign_in/provider", asks_provider=True)
async def sign_in_by_provider(request: WebRequest) -> Sendable:
    """Send a person to the identity provider that they chose, or that takes their e-mail address."""
    fields = await read_fields(request, OPEN_FIELDS_MAX)
    email, chosen, after = ("".join(fields.get(name, ())) for name in ("email", "provider", "next"))
    after = local_path_or_home(after)
    offers: list[Offer] = []
    try:
        if not chosen:
            offers = await _find_offers(request, email)
            if len(offers) > 1:
                return await show_sign_in(request, after, email, offers=offers)
            chosen = offers[0].key
        return await _leave(request, await _find_provider(request, chosen), after)
    except ProviderFailedError as failure:
        return await show_sign_in(request, after, email, _unreachable(failure), offers)
    except Refusal as refusal:
        return await show_sign_in(request, after, email, refusal, offers)


@open_page("GET", "/sign_in/providers/{provider}/callback", asks_provider=True)
async def come_back_from_provider(request: WebRequest) -> Sendable:
    """Take what an identity provider says of a person, and begin a session."""
    query = dict(request.query_params.items())
    secret = find_cookie(request, _cookie_name(request))
    address = client_address(request.scope, request.app.state.proxies)
    try:
        provider = await _find_provider(request, request.path_params["provider"])
        answered = Answered(query, secret, program_of(request), request.scope["state"]["request_id"])
        async with _client(request) as client:
            arrival = await finish(database(request), cells(request), client, provider, answered)
    except ProviderFailedError as failure:
        return await show_sign_in(request, "/", refusal=_unreachable(failure))
    except SignOnRefusedError as error:
        return await show_sign_in(request, "/", refusal=Unauthorized(str(error), _FAILED))
    except (Conflict, Forbidden, Invalid) as refusal:
        return await show_sign_in(request, "/", refusal=refusal)
    await forgive_attempts(database(request), SignInAttempt.by_provider(answered.state, address))
    return redirect_to(local_path_or_home(arrival.next), keep_session(request, arrival.secret))


@open_page("POST", "/sign_in/providers/{provider}/logout", is_from_elsewhere=True, asks_provider=True)
async def sign_out_by_provider(request: WebRequest) -> Sendable:
    """End the sessions of somebody who has signed out at an identity provider (back-channel logout)."""
    fields = await read_fields(request, OPEN_FIELDS_MAX)
    token = "".join(fields.get("logout_token", ()))[: TOKEN_LENGTH_MAX + 1]
    headers = {"Cache-Control": "no-store", "Content-Type": "application/json"}
    try:
        provider = await _find_provider(request, request.path_params["provider"])
        async with _client(request) as client:
            await end_by_logout(database(request), client, provider, token)
    except (SignOnRefusedError, NotFound):
        return Sendable(400, b'{"error":"invalid_request"}', headers)
    except ProviderFailedError:
        return Sendable(503, b'{"error":"temporarily_unavailable"}', headers)
    return Sendable(200, b"", {"Cache-Control": "no-store"})


# Which provider.


async def _find_offers(request: WebRequest, email: str) -> list[Offer]:
    """The providers of the one account that takes an address; Invalid where there is none, or several."""
    domain = domain_of(email)
    await enter_cell_of_address(request, email)
    async with database(request).read() as tx:
        offers = await list_offers_to(tx, email, domain)
    if not offers:
        for cell in (await cells(request).list())[:CELLS_ASKED_MAX]:
            async with base_database(request).in_cell(cell).read() as tx:
                offers += await list_offers_of_domain(tx, domain)
    accounts = {offer.account for offer in offers}
    if not accounts:
        message = "No account has an identity provider for this e-mail address."
        raise Invalid([Problem(message, "email", "unknown")])
    if len(accounts) > 1:
        message = "Several accounts take this domain; use the address at which your account signs in."
        raise Invalid([Problem(message, "email", "invalid")])
    return offers


async def _find_provider(request: WebRequest, key: str) -> AccountProvider:
    """The provider that an address names, in the cell of its account; NotFound where there is none."""
    account, _, number = key.partition(".")
    owner = read_account(f"a{account}.")
    if owner is None or not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound(message="There is no such identity provider.", code="no_such_path")
    await confirm_cell(request, owner)
    provider = await find_provider(database(request), owner, int(number), request.app.state.settings.address)
    if provider is None:
        raise NotFound(message="There is no such identity provider.", code="no_such_path")
    return provider


# The way there.


async def _leave(request: WebRequest, provider: AccountProvider, after: str) -> Sendable:
    """Begin a way to a provider, and send the browser there."""
    state = make_state(provider.account)
    secret = find_cookie(request, _cookie_name(request)) or token_urlsafe(32)
    attempt = SignInAttempt.by_provider(state, client_address(request.scope, request.app.state.proxies))
    await count_attempt(database(request), attempt)
    async with _client(request) as client:
        way = await begin(
            database(request), client, provider, state=state, browser_secret=secret, after=after
        )
    page = render_open_page(request, "access/leave.html", url=way.url, name=provider.record.name)
    return Sendable(
        page.status, page.content, {**page.headers, "Cache-Control": "no-store"}, (_cookie(request, secret),)
    )


def _client(request: WebRequest) -> OutgoingClient:
    return OutgoingClient(CallReach.of(request.app.state.settings.outgoing_networks))


def _cookie_name(request: WebRequest) -> str:
    return f"__Host-{_NAME}" if is_https(request) else _NAME


def _cookie(request: WebRequest, secret: str) -> str:
    flags = "HttpOnly; SameSite=Lax; Path=/" + ("; Secure" if is_https(request) else "")
    return f"{_cookie_name(request)}={secret}; Max-Age={WAY_MINUTES * 60}; {flags}"


def _unreachable(failure: ProviderFailedError) -> Refusal:
    return Unauthorized(f"The identity provider cannot be used now: {failure}", _FAILED)


PAGES = [*sign_in_by_provider, *come_back_from_provider, *sign_out_by_provider]
