"""The form of an identity provider: its fields, and how what was typed becomes a body."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from weighbridge.core.platform.permission import ROLES
from weighbridge.platform.provider_records import IDENTITY_PROVIDER_BODIES, IdentityProvider
from weighbridge.web.forms.fields import FieldDeclaration, FormField, fields_of

_ROLES: Final = {role.name: role.title for role in ROLES}

PROVIDER_FIELDS: Final = (
    *fields_of(
        IDENTITY_PROVIDER_BODIES.new,
        (
            FieldDeclaration("name", "Name", "what people read on the button"),
            FieldDeclaration("issuer", "Issuer", "https://id.example, without /.well-known"),
            FieldDeclaration("client_id", "Client ID", "as the provider gave it"),
            FieldDeclaration(
                "client_secret", "Secret", "as the provider gave it; it is stored and never shown"
            ),
        ),
    ),
    FormField("domains", "E-mail domains", "line", help="with commas between", is_required=True),
    *fields_of(
        IDENTITY_PROVIDER_BODIES.new,
        (
            FieldDeclaration("groups_claim", "Claim of the groups", "empty: groups"),
            FieldDeclaration(
                "roles",
                "Roles of groups",
                "whoever is in none of the groups is refused",
                fields=(
                    FieldDeclaration("group", "Group", "exactly as the provider sends it"),
                    FieldDeclaration("role", "Role", "", choices=_ROLES, usual="reader"),
                    FieldDeclaration("project_id", "Project", "its ID prj_…; empty for all projects"),
                ),
            ),
            FieldDeclaration(
                "is_required", "Passwords no longer sign in", "but for people who keep their password"
            ),
        ),
    ),
)


def build_provider(body: Mapping[str, Any]) -> dict[str, Any]:
    """A provider as the interface takes it, with its domains as a list."""
    made = dict(body)
    if "domains" in made:
        made["domains"] = [part.strip() for part in (made["domains"] or "").split(",") if part.strip()]
    return made


def show_provider(provider: IdentityProvider) -> dict[str, Any]:
    """A provider as its form shows it, with its domains in one line."""
    shown = msgspec.structs.asdict(provider)
    return shown | {"domains": ", ".join(provider.domains)}
