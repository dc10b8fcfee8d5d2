"""Paths of registries."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, patch, post
from weighbridge.reporting.registries import actions, queries
from weighbridge.reporting.registries.records import NewRegistryBody, Registry, RegistryChangeBody

_ONE = "/registries/{registry_id}"


@get(
    "/registries",
    permission="production_accounting:read",
    returns=Page[Registry],
    listing=queries.REGISTRIES,
)
async def list_registries(call: ReadCall) -> Page[Registry]:
    """List the account's registries."""
    return await queries.list_registries(call.tx, call.actor, list_request(call.query, queries.REGISTRIES))


@get(_ONE, permission="production_accounting:read", returns=Registry)
async def get_registry(call: ReadCall) -> Registry:
    """Read one registry."""
    return await queries.get_registry(call.tx, call.actor, call.path["registry_id"])


@post(
    "/registries",
    permission="production_accounting:write",
    body=NewRegistryBody,
    returns=Registry,
    example={
        "registry": {
            "name": "Registry of removals",
            "adapter": "http",
            "address": "https://registry.example/submissions",
            "headers": {"Authorization": "Bearer …"},
        }
    },
)
async def create_registry(call: WriteCall, body: NewRegistryBody) -> Registry:
    """Create a registry: where reports go; what its headers say is kept and never shown."""
    return await actions.create_registry(call.tx, call.actor, body.registry)


@patch(
    _ONE,
    permission="production_accounting:write",
    body=RegistryChangeBody,
    returns=Registry,
    example={"registry": {"timeout_seconds": 60}},
)
async def update_registry(call: WriteCall, body: RegistryChangeBody) -> Registry:
    """Change a registry; submissions under way go on with what is new.

    Another `address` or `status_address` takes `headers` as well where the registry has any: what they say is
    known to those alone who stated them, and is not sent to an address that somebody else names.
    """
    return await actions.update_registry(call.tx, call.actor, call.path["registry_id"], body.registry)


ROUTES = [list_registries, get_registry, create_registry, update_registry]
