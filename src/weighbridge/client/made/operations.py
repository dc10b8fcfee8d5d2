"""Every operation of the interface as a function that makes its call.

Made by `make docs` from the OpenAPI document; change the service, not this file.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from weighbridge.client.calls import Call, Time, call
from weighbridge.client.made import records
from weighbridge.client.pages import Listing, Page


def agent_mappings_create(
    project_id: str,
    agent_id: int,
    *,
    replaces: int,
    variables: Sequence[Mapping[str, Any]],
    idempotency_key: str | None = None,
) -> Call[records.AgentMapping]:
    """Save the next version of an agent's mapping: all variables that it reads in addition to its file.

    POST /projects/{project_id}/agents/{agent_id}/mappings

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.
        replaces: The version that it was made from, 0 before the first; 409 when there is a newer one.
        variables: All variables that the agent is to read in addition to those of its file; none for
            its file alone.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/agents/{agent_id}/mappings",
        records.AgentMapping,
        names={"project_id": project_id, "agent_id": agent_id},
        body={"mapping": {"replaces": replaces, "variables": variables}},
        takes_key=True,
        key=idempotency_key,
    )


def agent_mappings_get(
    project_id: str,
    agent_id: int,
    agent_mapping_id: int,
) -> Call[records.AgentMapping]:
    """Read one version of an agent's mapping, by its number, with its variables.

    GET /projects/{project_id}/agents/{agent_id}/mappings/{agent_mapping_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.
        agent_mapping_id: The number of the agent mapping.

    """
    return call(
        "GET",
        "/projects/{project_id}/agents/{agent_id}/mappings/{agent_mapping_id}",
        records.AgentMapping,
        names={"project_id": project_id, "agent_id": agent_id, "agent_mapping_id": agent_mapping_id},
    )


def agent_mappings_list(
    project_id: str,
    agent_id: int,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.AgentMappingVersion]:
    """List the versions of an agent's mapping, newest first: who saved each, and when.

    GET /projects/{project_id}/agents/{agent_id}/mappings

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -version, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/agents/{agent_id}/mappings",
            Page[records.AgentMappingVersion],
            names={"project_id": project_id, "agent_id": agent_id},
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def agents_browse(
    project_id: str,
    agent_id: int,
    *,
    source: str,
    node: str | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.PlantAgent]:
    """Ask an agent for the nodes below a node of an OPC UA server; its answer comes with its next reports.

    POST /projects/{project_id}/agents/{agent_id}/browse

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.
        source: The source of type `opcua` whose server is asked.
        node: The node whose children are wanted; left out, the folder of the server's objects.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/agents/{agent_id}/browse",
        records.PlantAgent,
        names={"project_id": project_id, "agent_id": agent_id},
        body={"browsing": {"source": source, "node": node}},
        takes_key=True,
        key=idempotency_key,
    )


def agents_delete(
    project_id: str,
    agent_id: int,
) -> Call[None]:
    """Remove an agent that is gone; one that still runs registers again by its next report.

    DELETE /projects/{project_id}/agents/{agent_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/agents/{agent_id}",
        None,
        names={"project_id": project_id, "agent_id": agent_id},
    )


def agents_get(
    project_id: str,
    agent_id: int,
) -> Call[records.PlantAgent]:
    """Read one agent.

    GET /projects/{project_id}/agents/{agent_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.

    """
    return call(
        "GET",
        "/projects/{project_id}/agents/{agent_id}",
        records.PlantAgent,
        names={"project_id": project_id, "agent_id": agent_id},
    )


def agents_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    is_quiet: Literal["true", "false"] | None = None,
) -> Listing[records.PlantAgent]:
    """List the agents of a project: which is quiet, what each reads, and how far behind it is.

    GET /projects/{project_id}/agents

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        is_quiet: Only records whose is_quiet is the value given: true or false.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/agents",
            Page[records.PlantAgent],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[is_quiet][eq]": is_quiet,
            },
        )
    )


def agents_report(
    project_id: str,
    *,
    name: str,
    version: str,
    state: Mapping[str, Any],
    browsed: Mapping[str, Any] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.PlantAgent]:
    """Report the state of an agent; the first report of a name registers it.

    POST /projects/{project_id}/agents

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: The name of the agent in its file; the first report of a name registers it.
        version: The version of the program that it runs.
        state: What it says of itself.
        browsed: The answer to the question that the last response had; left out without one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/agents",
        records.PlantAgent,
        names={"project_id": project_id},
        body={"agent": {"name": name, "version": version, "state": state, "browsed": browsed}},
        takes_key=True,
        key=idempotency_key,
    )


def agents_update(
    project_id: str,
    agent_id: int,
    *,
    description: str | UnsetType | None = UNSET,
    quiet_after_seconds: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.PlantAgent]:
    """Change the description of an agent, or after how long without a report it counts as quiet.

    PATCH /projects/{project_id}/agents/{agent_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        agent_id: The number of the agent.
        description: What people write about it, such as where the machine stands.
        quiet_after_seconds: After how long without a report the agent counts as quiet.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/agents/{agent_id}",
        records.PlantAgent,
        names={"project_id": project_id, "agent_id": agent_id},
        body={"agent": {"description": description, "quiet_after_seconds": quiet_after_seconds}},
        takes_key=True,
        key=idempotency_key,
    )


def api_tokens_create(
    *,
    name: str,
    permissions: Sequence[str],
    expires_in_days: Literal[30, 60, 90, 180, 365] | UnsetType | None = UNSET,
    user_email: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedApiToken]:
    """Create a token; the answer shows it this once.

    POST /api_tokens

    Args:
        name: What the token is for, in the words of whoever made it.
        permissions: What the token may do: no more than the token that makes it. `data_collection:read`
            holds in all projects, `data_collection:read@prj_…` in that one alone.
        expires_in_days: How many days it lives: 30, 60, 90, 180 or 365; null for one that does not
            expire.
        user_email: The user whom it acts for, who is made when new; the caller's own user when left
            out.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/api_tokens",
        records.IssuedApiToken,
        body={
            "api_token": {
                "name": name,
                "permissions": permissions,
                "expires_in_days": expires_in_days,
                "user_email": user_email,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def api_tokens_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    user_id: str | None = None,
    status: Literal["working", "expired", "revoked"] | None = None,
) -> Listing[records.ApiToken]:
    """List the account's tokens, without their secrets.

    GET /api_tokens

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        user_id: Only records whose user_id is the value given: the number of a user.
        status: Only records whose status is the value given: working, expired, revoked.

    """
    return Listing(
        call(
            "GET",
            "/api_tokens",
            Page[records.ApiToken],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[user_id][eq]": user_id,
                "filter[status][eq]": status,
            },
        )
    )


def api_tokens_reassign(
    token_id: int,
    *,
    user_email: str,
    idempotency_key: str | None = None,
) -> Call[records.ApiToken]:
    """Have a token act for another user, such as when its own was shut out; it may do what it could before.

    PATCH /api_tokens/{token_id}

    Args:
        token_id: The number of the API token.
        user_email: The address of a user of the account who was not shut out.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/api_tokens/{token_id}",
        records.ApiToken,
        names={"token_id": token_id},
        body={"api_token": {"user_email": user_email}},
        takes_key=True,
        key=idempotency_key,
    )


def api_tokens_revoke(
    token_id: int,
) -> Call[None]:
    """Revoke a token and all that were issued by it: they open nothing any more, and stay in the list.

    DELETE /api_tokens/{token_id}

    Args:
        token_id: The number of the API token.

    """
    return call(
        "DELETE",
        "/api_tokens/{token_id}",
        None,
        names={"token_id": token_id},
    )


def asset_custom_fields_create(
    project_id: str,
    *,
    label: str,
    value_type: Literal["text", "number", "boolean", "date"],
    idempotency_key: str | None = None,
) -> Call[records.AssetCustomField]:
    """Create a custom field of a project's assets.

    POST /projects/{project_id}/asset_custom_fields

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        label: What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100
            characters.
        value_type: What its values are; a `date` is a text such as `2025-01-31`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/asset_custom_fields",
        records.AssetCustomField,
        names={"project_id": project_id},
        body={"asset_custom_field": {"label": label, "value_type": value_type}},
        takes_key=True,
        key=idempotency_key,
    )


def asset_custom_fields_delete(
    project_id: str,
    asset_custom_field_id: int,
) -> Call[None]:
    """Remove a custom field that no asset has a value for.

    DELETE /projects/{project_id}/asset_custom_fields/{asset_custom_field_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        asset_custom_field_id: The number of the asset custom field.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/asset_custom_fields/{asset_custom_field_id}",
        None,
        names={"project_id": project_id, "asset_custom_field_id": asset_custom_field_id},
    )


def asset_custom_fields_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.AssetCustomField]:
    """List the custom fields of a project's assets.

    GET /projects/{project_id}/asset_custom_fields

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/asset_custom_fields",
            Page[records.AssetCustomField],
            names={"project_id": project_id},
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def assets_create(
    project_id: str,
    *,
    name: str,
    asset_type: str | UnsetType | None = UNSET,
    serial_number: str | UnsetType | None = UNSET,
    description: str | UnsetType | None = UNSET,
    custom_fields: Mapping[str, Any] | UnsetType = UNSET,
    in_service_from: Time | UnsetType | None = UNSET,
    in_service_until: Time | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Asset]:
    """Create an asset; its custom fields are those of the project, by label.

    POST /projects/{project_id}/assets

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in the project, such as `Plant North`.
        asset_type: What sort of equipment it is, in the project's own words, such as `scale`; null when
            not said.
        serial_number: The maker's number on its plate; null when not said.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        custom_fields: Values by the label of the custom field, such as `{"Calibrated on":
            "2025-01-31"}`. A change keeps those that it leaves out; null takes one away.
        in_service_from: From when it is expected to measure, inclusive; null says nothing.
        in_service_until: Until when it is expected to measure, exclusive; null says nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/assets",
        records.Asset,
        names={"project_id": project_id},
        body={
            "asset": {
                "name": name,
                "asset_type": asset_type,
                "serial_number": serial_number,
                "description": description,
                "custom_fields": custom_fields,
                "in_service_from": in_service_from,
                "in_service_until": in_service_until,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def assets_delete(
    project_id: str,
    asset_id: str,
) -> Call[None]:
    """Remove an asset that no event, static input or batch names.

    DELETE /projects/{project_id}/assets/{asset_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        asset_id: The friendly id of the asset: ast_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/assets/{asset_id}",
        None,
        names={"project_id": project_id, "asset_id": asset_id},
    )


def assets_export(
    project_id: str,
) -> Call[str]:
    """Download a project's assets as a CSV file.

    GET /projects/{project_id}/assets/spreadsheet

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.

    """
    return call(
        "GET",
        "/projects/{project_id}/assets/spreadsheet",
        str,
        names={"project_id": project_id},
    )


def assets_get(
    project_id: str,
    asset_id: str,
) -> Call[records.Asset]:
    """Read one asset.

    GET /projects/{project_id}/assets/{asset_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        asset_id: The friendly id of the asset: ast_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/projects/{project_id}/assets/{asset_id}",
        records.Asset,
        names={"project_id": project_id, "asset_id": asset_id},
    )


def assets_import_(
    project_id: str,
    *,
    content: str,
    idempotency_key: str | None = None,
) -> Call[records.AssetImport]:
    """Create and change assets from a CSV file: all lines are taken, or none.

    POST /projects/{project_id}/assets/spreadsheet

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        content: The rows as CSV, with a header.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/assets/spreadsheet",
        records.AssetImport,
        names={"project_id": project_id},
        text=content,
        takes_key=True,
        key=idempotency_key,
    )


def assets_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Asset]:
    """List the assets of all projects of the account.

    GET /assets

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/assets",
            Page[records.Asset],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def assets_list_assets_of_project(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    filter_project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Asset]:
    """List a project's assets.

    GET /projects/{project_id}/assets

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/assets",
            Page[records.Asset],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": filter_project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def assets_update(
    project_id: str,
    asset_id: str,
    *,
    name: str | UnsetType = UNSET,
    asset_type: str | UnsetType | None = UNSET,
    serial_number: str | UnsetType | None = UNSET,
    description: str | UnsetType | None = UNSET,
    custom_fields: Mapping[str, Any] | UnsetType = UNSET,
    in_service_from: Time | UnsetType | None = UNSET,
    in_service_until: Time | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Asset]:
    """Change an asset; its name is fixed once batches were made of its events.

    PATCH /projects/{project_id}/assets/{asset_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        asset_id: The friendly id of the asset: ast_ and 24 hexadecimal digits.
        name: What people call it, once in the project, such as `Plant North`.
        asset_type: What sort of equipment it is, in the project's own words, such as `scale`; null when
            not said.
        serial_number: The maker's number on its plate; null when not said.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        custom_fields: Values by the label of the custom field, such as `{"Calibrated on":
            "2025-01-31"}`. A change keeps those that it leaves out; null takes one away.
        in_service_from: From when it is expected to measure, inclusive; null says nothing.
        in_service_until: Until when it is expected to measure, exclusive; null says nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/assets/{asset_id}",
        records.Asset,
        names={"project_id": project_id, "asset_id": asset_id},
        body={
            "asset": {
                "name": name,
                "asset_type": asset_type,
                "serial_number": serial_number,
                "description": description,
                "custom_fields": custom_fields,
                "in_service_from": in_service_from,
                "in_service_until": in_service_until,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def async_tasks_cancel(
    task_id: int,
    *,
    idempotency_key: str | None = None,
) -> Call[records.AsyncTask]:
    """Cancel a task that is pending or running: it is `failed` at once, and changes nothing.

    POST /async_tasks/{task_id}/cancel

    Args:
        task_id: The number of the async task.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/async_tasks/{task_id}/cancel",
        records.AsyncTask,
        names={"task_id": task_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def async_tasks_get(
    task_id: int,
) -> Call[records.AsyncTask]:
    """Read one async task; poll it every 2 to 5 seconds until it is complete or failed.

    GET /async_tasks/{task_id}

    Args:
        task_id: The number of the async task.

    """
    return call(
        "GET",
        "/async_tasks/{task_id}",
        records.AsyncTask,
        names={"task_id": task_id},
    )


def async_tasks_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    state: Literal["pending", "running", "complete", "failed"] | None = None,
    type: str | None = None,
    project_id: str | None = None,
    ledger_id: str | None = None,
) -> Listing[records.AsyncTask]:
    """List the account's async tasks of the kinds that the token may start or read, newest first.

    GET /async_tasks

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By created_at, state, type, or by
            several, at most 10,000 records are sorted.
        state: Only records whose state is the value given: pending, running, complete, failed.
        type: Only records whose type is the value given: a type of task.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        ledger_id: Only records whose ledger_id is the value given: an id lgr_….

    """
    return Listing(
        call(
            "GET",
            "/async_tasks",
            Page[records.AsyncTask],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[state][eq]": state,
                "filter[type][eq]": type,
                "filter[project_id][eq]": project_id,
                "filter[ledger_id][eq]": ledger_id,
            },
        )
    )


def audit_log_get_audit_consistency(
    *,
    from_: str,
    to: str,
) -> Call[str]:
    """Download the proof that a head extends an older one, with the newer head (as C2SP tlog-witness has
    it).

    GET /audit_log/consistency

    Args:
        from_: How many rows the older head has.
        to: How many rows the newer head has.

    """
    return call(
        "GET",
        "/audit_log/consistency",
        str,
        query={"from": from_, "to": to},
    )


def audit_log_get_audit_head() -> Call[str]:
    """Download the head of the account's log: how many rows are sealed and the root of their tree, signed.

    GET /audit_log/head
    """
    return call(
        "GET",
        "/audit_log/head",
        str,
    )


def audit_log_get_audit_key() -> Call[records.AuditKey]:
    """Read the public key by which heads of the account's log are verified.

    GET /audit_log/key
    """
    return call(
        "GET",
        "/audit_log/key",
        records.AuditKey,
    )


def audit_log_get_audit_keys() -> Call[records.AuditKeys]:
    """Read the history of the keys of the account's log: which one signs now, and how it follows the first.

    GET /audit_log/keys
    """
    return call(
        "GET",
        "/audit_log/keys",
        records.AuditKeys,
    )


def audit_log_get_audit_proof(
    *,
    number: str,
    size: str,
) -> Call[str]:
    """Download the proof that a row is under a head, with that head (C2SP tlog-proof).

    GET /audit_log/proof

    Args:
        number: The number of the row, from 1.
        size: How many rows the head has under which the row is proved to be.

    """
    return call(
        "GET",
        "/audit_log/proof",
        str,
        query={"number": number, "size": size},
    )


def audit_log_get_cosigned_head(
    *,
    cosignatures: str,
) -> Call[str]:
    """Download the newest head that enough witnesses have cosigned (C2SP tlog-cosignature).

    GET /audit_log/cosigned_head

    Args:
        cosignatures: How many witnesses have to have cosigned the head, from 1.

    """
    return call(
        "GET",
        "/audit_log/cosigned_head",
        str,
        query={"cosignatures": cosignatures},
    )


def audit_log_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    action: str | None = None,
    kind: str | None = None,
    object: str | None = None,
    project_id: str | None = None,
    request_id: str | None = None,
    number: str | None = None,
    number_geq: str | None = None,
    number_leq: str | None = None,
    user_id: str | None = None,
    at_geq: Time | None = None,
    at_leq: Time | None = None,
) -> Listing[records.AuditRow]:
    """List every write to the account's records, newest first, with its place in the sealed log.

    GET /audit_log

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. With filter[number], by another than
            number, as many. With filter[at], by another than at, as many.
        action: Only records whose action is the value given: an action, such as event.create.
        kind: Only records whose kind is the value given: a kind of record, such as event: what its
            actions begin with.
        object: Only records whose object is the value given: the id of an object.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        request_id: Only records whose request_id is the value given: a request's id.
        number: Only records whose number is the value given: a whole number.
        number_geq: Only records whose number is at least the value given: a whole number.
        number_leq: Only records whose number is at most the value given: a whole number.
        user_id: Only records whose user_id is the value given: a person's number, as `user_id` of a row
            has it.
        at_geq: Only records whose at is at or after the value given: a time with an offset or Z.
        at_leq: Only records whose at is at or before the value given: a time with an offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/audit_log",
            Page[records.AuditRow],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[action][eq]": action,
                "filter[kind][eq]": kind,
                "filter[object][eq]": object,
                "filter[project_id][eq]": project_id,
                "filter[request_id][eq]": request_id,
                "filter[number][eq]": number,
                "filter[number][geq]": number_geq,
                "filter[number][leq]": number_leq,
                "filter[user_id][eq]": user_id,
                "filter[at][geq]": at_geq,
                "filter[at][leq]": at_leq,
            },
        )
    )


def audit_log_list_audit_witnesses() -> Call[records.AuditWitnesses]:
    """List the witnesses that cosign heads of the account's log, and how each of them fares.

    GET /audit_log/witnesses
    """
    return call(
        "GET",
        "/audit_log/witnesses",
        records.AuditWitnesses,
    )


def balance_steps_list(
    ledger_id: str,
    *,
    since: str,
    as_of: str | None = None,
) -> Call[records.BalanceSteps]:
    """List step by step why the balance known at one row of the audit log is another one at a later row.

    GET /ledgers/{ledger_id}/balance_steps

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        since: The row of the audit log from which the steps start, as `as_of` takes it: a number or a
            time.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}/balance_steps",
        records.BalanceSteps,
        names={"ledger_id": ledger_id},
        query={"since": since, "as_of": as_of},
    )


def batch_generations_create(
    ledger_id: str,
    *,
    start_time: Time,
    end_time: Time,
    generate_concurrent_ledgers: bool | UnsetType = UNSET,
    model_version: Literal["latest"] | UnsetType | None = UNSET,
    batch_amounts: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
    data_point_ids: Sequence[str] | UnsetType | None = UNSET,
    skipped_data_point_type_ids: Sequence[int] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.AsyncTask]:
    """Start generating batches on a ledger; poll the task in the answer.

    POST /ledgers/{ledger_id}/batch_generations

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        start_time: The start of the range, inclusive; slots of which at least half lies in it are
            computed.
        end_time: The end of the range, exclusive.
        generate_concurrent_ledgers: Whether every ledger that the model credits in the project is
            credited, and not this one alone.
        model_version: With `latest` the active version replaces whole slots; without it a slot keeps
            the version it has.
        batch_amounts: What runs draw from batches by hand, for all runs together; without it they keep
            what they hold.
        data_point_ids: The complete set of data for the inputs that it touches, slot by slot; empty,
            all discover again.
        skipped_data_point_type_ids: Types whose data are set aside: their inputs take their defaults, a
            sum takes zero.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers/{ledger_id}/batch_generations",
        records.AsyncTask,
        names={"ledger_id": ledger_id},
        body={
            "start_time": start_time,
            "end_time": end_time,
            "generate_concurrent_ledgers": generate_concurrent_ledgers,
            "model_version": model_version,
            "batch_amounts": batch_amounts,
            "data_point_ids": data_point_ids,
            "skipped_data_point_type_ids": skipped_data_point_type_ids,
        },
        takes_key=True,
        key=idempotency_key,
    )


def batch_generations_generate_impact(
    ledger_id: str,
    *,
    start_time: Time,
    end_time: Time,
    generate_concurrent_ledgers: bool | UnsetType = UNSET,
    model_version: Literal["latest"] | UnsetType | None = UNSET,
    batch_amounts: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
    data_point_ids: Sequence[str] | UnsetType | None = UNSET,
    skipped_data_point_type_ids: Sequence[int] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.GenerationImpact]:
    """Say what generation would change, ledger after ledger down to reports, without storing anything.

    POST /ledgers/{ledger_id}/generate_impact

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        start_time: The start of the range, inclusive; slots of which at least half lies in it are
            computed.
        end_time: The end of the range, exclusive.
        generate_concurrent_ledgers: Whether every ledger that the model credits in the project is
            credited, and not this one alone.
        model_version: With `latest` the active version replaces whole slots; without it a slot keeps
            the version it has.
        batch_amounts: What runs draw from batches by hand, for all runs together; without it they keep
            what they hold.
        data_point_ids: The complete set of data for the inputs that it touches, slot by slot; empty,
            all discover again.
        skipped_data_point_type_ids: Types whose data are set aside: their inputs take their defaults, a
            sum takes zero.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers/{ledger_id}/generate_impact",
        records.GenerationImpact,
        names={"ledger_id": ledger_id},
        body={
            "start_time": start_time,
            "end_time": end_time,
            "generate_concurrent_ledgers": generate_concurrent_ledgers,
            "model_version": model_version,
            "batch_amounts": batch_amounts,
            "data_point_ids": data_point_ids,
            "skipped_data_point_type_ids": skipped_data_point_type_ids,
        },
        takes_key=True,
        key=idempotency_key,
    )


def batch_generations_generate_preview(
    ledger_id: str,
    *,
    start_time: Time,
    end_time: Time,
    generate_concurrent_ledgers: bool | UnsetType = UNSET,
    model_version: Literal["latest"] | UnsetType | None = UNSET,
    batch_amounts: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
    data_point_ids: Sequence[str] | UnsetType | None = UNSET,
    skipped_data_point_type_ids: Sequence[int] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Preview]:
    """Say how many batches generation would create, without creating any.

    POST /ledgers/{ledger_id}/generate_preview

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        start_time: The start of the range, inclusive; slots of which at least half lies in it are
            computed.
        end_time: The end of the range, exclusive.
        generate_concurrent_ledgers: Whether every ledger that the model credits in the project is
            credited, and not this one alone.
        model_version: With `latest` the active version replaces whole slots; without it a slot keeps
            the version it has.
        batch_amounts: What runs draw from batches by hand, for all runs together; without it they keep
            what they hold.
        data_point_ids: The complete set of data for the inputs that it touches, slot by slot; empty,
            all discover again.
        skipped_data_point_type_ids: Types whose data are set aside: their inputs take their defaults, a
            sum takes zero.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers/{ledger_id}/generate_preview",
        records.Preview,
        names={"ledger_id": ledger_id},
        body={
            "start_time": start_time,
            "end_time": end_time,
            "generate_concurrent_ledgers": generate_concurrent_ledgers,
            "model_version": model_version,
            "batch_amounts": batch_amounts,
            "data_point_ids": data_point_ids,
            "skipped_data_point_type_ids": skipped_data_point_type_ids,
        },
        takes_key=True,
        key=idempotency_key,
    )


def batches_create_batch_deletion(
    ledger_id: str,
    *,
    batch_ids: Sequence[str],
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.AsyncTask]:
    """Start undoing all that several batches of the ledger's project posted, together.

    POST /ledgers/{ledger_id}/batch_deletions

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        batch_ids: The friendly ids of the batches to delete, up to 10,000, such as `bat_…`.
        reason: Why they are deleted; it stands in the task and in the audit log.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers/{ledger_id}/batch_deletions",
        records.AsyncTask,
        names={"ledger_id": ledger_id},
        body={"batch_ids": batch_ids, "reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def batches_delete(
    batch_id: str,
) -> Call[records.AsyncTask]:
    """Start undoing all that one batch posted; poll the task in the answer.

    DELETE /batches/{batch_id}

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/batches/{batch_id}",
        records.AsyncTask,
        names={"batch_id": batch_id},
    )


def batches_get(
    batch_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.Batch]:
    """Read one batch with the first rows of its input data.

    GET /batches/{batch_id}

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/batches/{batch_id}",
        records.Batch,
        names={"batch_id": batch_id},
        query={"as_of": as_of},
    )


def batches_get_lineage(
    batch_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.Lineage]:
    """Show how a batch came about: every node's equation and value, down to the measurements.

    GET /batches/{batch_id}/lineage

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/batches/{batch_id}/lineage",
        records.Lineage,
        names={"batch_id": batch_id},
        query={"as_of": as_of},
    )


def batches_list(
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    id: str | None = None,
    friendly_id: str | None = None,
    tracking_id: str | None = None,
    start_time: Time | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    created_at: Time | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    model_run_id: str | None = None,
    is_stale: Literal["true", "false"] | None = None,
    project_id: str | None = None,
    ledger_id: str | None = None,
) -> Listing[records.Batch]:
    """List the batches of all the account's ledgers.

    GET /batches

    Args:
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By end_time, updated_at,
            tracking_id, state, or by several, at most 10,000 records are sorted. With
            filter[created_at], by another than created_at, as many.
        id: Only records whose id is the value given: an id bat_….
        friendly_id: Only records whose friendly_id is the value given: an id bat_….
        tracking_id: Only records whose tracking_id is the value given: a tracking id.
        start_time: Only records whose start_time is the value given: a time with an offset or Z.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time: Only records whose end_time is the value given: a time with an offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        created_at: Only records whose created_at is the value given: a time with an offset or Z.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        model_run_id: Only records whose model_run_id is the value given: an id mr_…, for all batches of
            its run.
        is_stale: Only records whose is_stale is the value given: true or false.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        ledger_id: Only records whose ledger_id is the value given: an id lgr_….

    """
    return Listing(
        call(
            "GET",
            "/batches",
            Page[records.Batch],
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[id][eq]": id,
                "filter[friendly_id][eq]": friendly_id,
                "filter[tracking_id][eq]": tracking_id,
                "filter[start_time][eq]": start_time,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][eq]": end_time,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "filter[created_at][eq]": created_at,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[model_run_id][eq]": model_run_id,
                "filter[is_stale][eq]": is_stale,
                "filter[project_id][eq]": project_id,
                "filter[ledger_id][eq]": ledger_id,
            },
        )
    )


def batches_list_input_data(
    batch_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
) -> Listing[records.InputRow]:
    """List every value that a batch was made of, page by page.

    GET /batches/{batch_id}/input_data

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.

    """
    return Listing(
        call(
            "GET",
            "/batches/{batch_id}/input_data",
            records.InputDataPage,
            names={"batch_id": batch_id},
            query={"as_of": as_of, "page": page, "page_size": page_size},
        )
    )


def batches_list_of_ledger(
    ledger_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    id: str | None = None,
    friendly_id: str | None = None,
    tracking_id: str | None = None,
    start_time: Time | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    created_at: Time | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    model_run_id: str | None = None,
    is_stale: Literal["true", "false"] | None = None,
) -> Listing[records.Batch]:
    """List the batches of one ledger.

    GET /ledgers/{ledger_id}/batches

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By end_time, created_at,
            updated_at, tracking_id, or by several, at most 10,000 records are sorted.
        id: Only records whose id is the value given: an id bat_….
        friendly_id: Only records whose friendly_id is the value given: an id bat_….
        tracking_id: Only records whose tracking_id is the value given: a tracking id.
        start_time: Only records whose start_time is the value given: a time with an offset or Z.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time: Only records whose end_time is the value given: a time with an offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        created_at: Only records whose created_at is the value given: a time with an offset or Z.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        model_run_id: Only records whose model_run_id is the value given: an id mr_…, for all batches of
            its run.
        is_stale: Only records whose is_stale is the value given: true or false.

    """
    return Listing(
        call(
            "GET",
            "/ledgers/{ledger_id}/batches",
            Page[records.Batch],
            names={"ledger_id": ledger_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[id][eq]": id,
                "filter[friendly_id][eq]": friendly_id,
                "filter[tracking_id][eq]": tracking_id,
                "filter[start_time][eq]": start_time,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][eq]": end_time,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "filter[created_at][eq]": created_at,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[model_run_id][eq]": model_run_id,
                "filter[is_stale][eq]": is_stale,
            },
        )
    )


def batches_list_of_project(
    project_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    id: str | None = None,
    friendly_id: str | None = None,
    tracking_id: str | None = None,
    start_time: Time | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    created_at: Time | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    model_run_id: str | None = None,
    is_stale: Literal["true", "false"] | None = None,
    filter_project_id: str | None = None,
    ledger_id: str | None = None,
) -> Listing[records.Batch]:
    """List the batches of all the project's ledgers.

    GET /projects/{project_id}/batches

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By end_time, updated_at,
            tracking_id, state, or by several, at most 10,000 records are sorted. With
            filter[created_at], by another than created_at, as many.
        id: Only records whose id is the value given: an id bat_….
        friendly_id: Only records whose friendly_id is the value given: an id bat_….
        tracking_id: Only records whose tracking_id is the value given: a tracking id.
        start_time: Only records whose start_time is the value given: a time with an offset or Z.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time: Only records whose end_time is the value given: a time with an offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        created_at: Only records whose created_at is the value given: a time with an offset or Z.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        model_run_id: Only records whose model_run_id is the value given: an id mr_…, for all batches of
            its run.
        is_stale: Only records whose is_stale is the value given: true or false.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.
        ledger_id: Only records whose ledger_id is the value given: an id lgr_….

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/batches",
            Page[records.Batch],
            names={"project_id": project_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[id][eq]": id,
                "filter[friendly_id][eq]": friendly_id,
                "filter[tracking_id][eq]": tracking_id,
                "filter[start_time][eq]": start_time,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][eq]": end_time,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "filter[created_at][eq]": created_at,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[model_run_id][eq]": model_run_id,
                "filter[is_stale][eq]": is_stale,
                "filter[project_id][eq]": filter_project_id,
                "filter[ledger_id][eq]": ledger_id,
            },
        )
    )


def batches_update_inputs(
    ledger_id: str,
    batch_id: str,
    *,
    data_point_ids: Sequence[str] | UnsetType | None = UNSET,
    batch_amounts: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
    skipped_data_point_type_ids: Sequence[int] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.UpdatedBatch]:
    """Start computing a batch again with other inputs; `processing` until the task in `Location` ends.

    PATCH /ledgers/{ledger_id}/batches/{batch_id}/update_inputs

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        data_point_ids: The complete set of data of the batch, for the inputs that it touches.
        batch_amounts: What the batch's run draws from other batches by hand.
        skipped_data_point_type_ids: Types whose data are set aside in the batch's slot.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/ledgers/{ledger_id}/batches/{batch_id}/update_inputs",
        records.UpdatedBatch,
        names={"ledger_id": ledger_id, "batch_id": batch_id},
        body={
            "data_point_ids": data_point_ids,
            "batch_amounts": batch_amounts,
            "skipped_data_point_type_ids": skipped_data_point_type_ids,
        },
        takes_key=True,
        key=idempotency_key,
    )


def calibrations_create(
    project_id: str,
    *,
    name: str,
    event_type_id: str,
    data_point_type: str,
    valid_from: Time,
    uncertainty: Mapping[str, Any],
    asset_id: str | UnsetType | None = UNSET,
    valid_until: Time | UnsetType | None = UNSET,
    as_found: Decimal | int | UnsetType | None = UNSET,
    as_left: Decimal | int | UnsetType | None = UNSET,
    error_unit: str | UnsetType | None = UNSET,
    evidence_id: int | UnsetType | None = UNSET,
    notes: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Calibration]:
    """Enter the calibration of a meter: how well its readings are known while the certificate holds.

    POST /projects/{project_id}/calibrations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, such as the number of the certificate: `D-K-15204-01`.
        event_type_id: The friendly id of the event type of the readings.
        data_point_type: The slug of the data point type that the meter measures, such as `wet_mass`.
        valid_from: From which start of a reading on it holds, inclusive.
        uncertainty: How well the readings are known. It is one effect: an error that all readings of
            the meter share while the calibration holds; where it names an `effect`, they share it with
            all that name it.
        asset_id: The friendly id of the meter; null for readings of events that name no asset.
        valid_until: Until when it holds, exclusive; null where the certificate names no end.
        as_found: The error that the calibration found before anything was adjusted, reading minus
            reference; null when not said. It says nothing of the uncertainty.
        as_left: The error that it left behind; null when not said.
        error_unit: The unit of both errors, such as `%` of a span; null when it is that of the data
            point type.
        evidence_id: The number of the file or link that is the certificate, attached to an event of the
            project; null without one.
        notes: What people write about it; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/calibrations",
        records.Calibration,
        names={"project_id": project_id},
        body={
            "calibration": {
                "name": name,
                "event_type_id": event_type_id,
                "data_point_type": data_point_type,
                "valid_from": valid_from,
                "uncertainty": uncertainty,
                "asset_id": asset_id,
                "valid_until": valid_until,
                "as_found": as_found,
                "as_left": as_left,
                "error_unit": error_unit,
                "evidence_id": evidence_id,
                "notes": notes,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def calibrations_delete(
    project_id: str,
    calibration_id: str,
) -> Call[None]:
    """Remove a calibration that was entered by mistake; batches made of its readings become stale.

    DELETE /projects/{project_id}/calibrations/{calibration_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        calibration_id: The friendly id of the calibration: cal_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/calibrations/{calibration_id}",
        None,
        names={"project_id": project_id, "calibration_id": calibration_id},
    )


def calibrations_get(
    project_id: str,
    calibration_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.Calibration]:
    """Read one calibration.

    GET /projects/{project_id}/calibrations/{calibration_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        calibration_id: The friendly id of the calibration: cal_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/calibrations/{calibration_id}",
        records.Calibration,
        names={"project_id": project_id, "calibration_id": calibration_id},
        query={"as_of": as_of},
    )


def calibrations_list(
    project_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    asset_id: str | None = None,
    event_type_id: str | None = None,
    data_point_type: str | None = None,
    valid_from_geq: Time | None = None,
    valid_from_leq: Time | None = None,
    valid_until_geq: Time | None = None,
    valid_until_leq: Time | None = None,
    in_force_at: Time | None = None,
) -> Listing[records.Calibration]:
    """List a project's calibrations: how well its meters measure, from when until when.

    GET /projects/{project_id}/calibrations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        asset_id: Only records whose asset_id is the value given: an id ast_….
        event_type_id: Only records whose event_type_id is the value given: an id et_….
        data_point_type: Only records whose data_point_type is the value given: the slug of a data point
            type.
        valid_from_geq: Only records whose valid_from is at or after the value given: a time with an
            offset or Z.
        valid_from_leq: Only records whose valid_from is at or before the value given: a time with an
            offset or Z.
        valid_until_geq: Only records whose valid_until is at or after the value given: a time with an
            offset or Z.
        valid_until_leq: Only records whose valid_until is at or before the value given: a time with an
            offset or Z.
        in_force_at: Only records whose in_force_at is the value given: a time with an offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/calibrations",
            Page[records.Calibration],
            names={"project_id": project_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[asset_id][eq]": asset_id,
                "filter[event_type_id][eq]": event_type_id,
                "filter[data_point_type][eq]": data_point_type,
                "filter[valid_from][geq]": valid_from_geq,
                "filter[valid_from][leq]": valid_from_leq,
                "filter[valid_until][geq]": valid_until_geq,
                "filter[valid_until][leq]": valid_until_leq,
                "filter[in_force_at][eq]": in_force_at,
            },
        )
    )


def calibrations_update(
    project_id: str,
    calibration_id: str,
    *,
    name: str | UnsetType = UNSET,
    event_type_id: str | UnsetType = UNSET,
    data_point_type: str | UnsetType = UNSET,
    valid_from: Time | UnsetType = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    valid_until: Time | UnsetType | None = UNSET,
    as_found: Decimal | int | UnsetType | None = UNSET,
    as_left: Decimal | int | UnsetType | None = UNSET,
    error_unit: str | UnsetType | None = UNSET,
    evidence_id: int | UnsetType | None = UNSET,
    notes: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Calibration]:
    """Change a calibration, for example until when it holds; `uncertainty` is replaced as a whole.

    PATCH /projects/{project_id}/calibrations/{calibration_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        calibration_id: The friendly id of the calibration: cal_ and 24 hexadecimal digits.
        name: What people call it, such as the number of the certificate: `D-K-15204-01`.
        event_type_id: The friendly id of the event type of the readings.
        data_point_type: The slug of the data point type that the meter measures, such as `wet_mass`.
        valid_from: From which start of a reading on it holds, inclusive.
        uncertainty: How well the readings are known. It is one effect: an error that all readings of
            the meter share while the calibration holds; where it names an `effect`, they share it with
            all that name it.
        asset_id: The friendly id of the meter; null for readings of events that name no asset.
        valid_until: Until when it holds, exclusive; null where the certificate names no end.
        as_found: The error that the calibration found before anything was adjusted, reading minus
            reference; null when not said. It says nothing of the uncertainty.
        as_left: The error that it left behind; null when not said.
        error_unit: The unit of both errors, such as `%` of a span; null when it is that of the data
            point type.
        evidence_id: The number of the file or link that is the certificate, attached to an event of the
            project; null without one.
        notes: What people write about it; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/calibrations/{calibration_id}",
        records.Calibration,
        names={"project_id": project_id, "calibration_id": calibration_id},
        body={
            "calibration": {
                "name": name,
                "event_type_id": event_type_id,
                "data_point_type": data_point_type,
                "valid_from": valid_from,
                "uncertainty": uncertainty,
                "asset_id": asset_id,
                "valid_until": valid_until,
                "as_found": as_found,
                "as_left": as_left,
                "error_unit": error_unit,
                "evidence_id": evidence_id,
                "notes": notes,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def capture_rates_get(
    project_id: str,
    event_type_id: str,
    *,
    start_time: str,
    end_time: str,
    period: str,
) -> Call[records.CaptureRate]:
    """Read how much of what an event type's meters were expected to measure is valid.

    GET /projects/{project_id}/event_types/{event_type_id}/capture_rate

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.
        start_time: The moment at which the range begins: slots that begin earlier are not in it.
        end_time: The moment at which it ends: slots that begin then or later are not in it.
        period: How the range is cut in the project's time zone: `day`, `month` or `quarter`.

    """
    return call(
        "GET",
        "/projects/{project_id}/event_types/{event_type_id}/capture_rate",
        records.CaptureRate,
        names={"project_id": project_id, "event_type_id": event_type_id},
        query={"start_time": start_time, "end_time": end_time, "period": period},
    )


def changes_issue_ticket(
    *,
    expires_in_seconds: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedTicket]:
    """Issue a ticket, which opens the stream of changes in place of the token until it expires.

    POST /changes/issue_ticket

    Args:
        expires_in_seconds: For how many seconds the ticket opens a stream, and a stream that it opened
            goes on: 1 to 3,600.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/changes/issue_ticket",
        records.IssuedTicket,
        body={"expires_in_seconds": expires_in_seconds},
        takes_key=True,
        key=idempotency_key,
    )


def changes_list(
    *,
    after: str | None = None,
    kind: str | None = None,
    project_id: str | None = None,
    page_size: str | None = None,
    wait: str | None = None,
    ticket: str | None = None,
) -> Call[records.ChangePage]:
    """Follow what changes: events, corrections, batches, tasks, rule results, reports and footprints, in
    one order.

    GET /changes

    Args:
        after: The `cursor` of a change or of the page before: what comes behind it. Without it the feed
            begins with the oldest change that is kept; `latest` gives the cursor for what comes from
            now on.
        kind: Only changes of these kinds, separated by commas: event, correction, batch, async_task,
            rule_result, report, ledger, footprint.
        project_id: Only changes in this project, by its id prj_… or its number.
        page_size: How many changes an answer holds at most, 1 to 1,000; by default 200.
        wait: How many seconds to wait until there is something to answer, 0 to 30; 0 is not at all.
        ticket: In place of a token, for a stream alone: a ticket of POST /changes/issue_ticket, as
            `EventSource` of a browser needs it.

    """
    return call(
        "GET",
        "/changes",
        records.ChangePage,
        query={
            "after": after,
            "kind": kind,
            "project_id": project_id,
            "page_size": page_size,
            "wait": wait,
            "ticket": ticket,
        },
    )


def data_feed_uploads_create_upload(
    project_id: str,
    data_feed_id: str,
    *,
    of_upload: int,
    dry_run: bool | UnsetType = UNSET,
    on_difference: Literal["report", "correct"] | UnsetType | None = UNSET,
    rows: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataFeedUpload]:
    """Upload a file to a data feed: a task stores each of its rows as an event.

    POST /projects/{project_id}/data_feeds/{data_feed_id}/uploads

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        of_upload: The number of an upload of the same feed, whose file is taken once more.
        dry_run: Whether everything is done as in earnest and then undone.
        on_difference: What becomes of events that differ from their rows, this time only; null as the
            data feed says.
        rows: Rows that are read in place of those of the file; its other rows are read as they are.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/data_feeds/{data_feed_id}/uploads",
        records.DataFeedUpload,
        names={"project_id": project_id, "data_feed_id": data_feed_id},
        body={
            "upload": {
                "of_upload": of_upload,
                "dry_run": dry_run,
                "on_difference": on_difference,
                "rows": rows,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def data_feed_uploads_download_bad_rows(
    project_id: str,
    data_feed_id: str,
    upload_id: str,
) -> Call[str]:
    """Download every bad row of an upload as CSV: its number, the column, the value and the reason.

    GET /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/bad_rows.csv

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        upload_id: Which upload.

    """
    return call(
        "GET",
        "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/bad_rows.csv",
        str,
        names={"project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id},
    )


def data_feed_uploads_get_invalid_rows(
    project_id: str,
    data_feed_id: str,
    upload_id: str,
) -> Call[records.InvalidRows]:
    """Read the first bad rows of an upload with their cells, as they stand in the file.

    GET /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/invalid_rows

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        upload_id: Which upload.

    """
    return call(
        "GET",
        "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/invalid_rows",
        records.InvalidRows,
        names={"project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id},
    )


def data_feed_uploads_get_upload(
    project_id: str,
    data_feed_id: str,
    upload_id: str,
) -> Call[records.DataFeedUpload]:
    """Read one upload: how far it is, and what it came to.

    GET /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        upload_id: Which upload.

    """
    return call(
        "GET",
        "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}",
        records.DataFeedUpload,
        names={"project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id},
    )


def data_feed_uploads_list_uploads(
    project_id: str,
    data_feed_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    file_name: str | None = None,
) -> Listing[records.DataFeedUpload]:
    """List the uploads of a data feed, the newest first.

    GET /projects/{project_id}/data_feeds/{data_feed_id}/uploads

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        file_name: Only records whose file_name is the value given: the name of a file.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/data_feeds/{data_feed_id}/uploads",
            Page[records.DataFeedUpload],
            names={"project_id": project_id, "data_feed_id": data_feed_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[file_name][eq]": file_name},
        )
    )


def data_feeds_create(
    project_id: str,
    *,
    name: str,
    event_type_id: str,
    columns: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    other_columns: Literal["refuse", "leave_out"] | UnsetType = UNSET,
    time_zone: str | UnsetType | None = UNSET,
    time_format: str | UnsetType | None = UNSET,
    rows_in_order: bool | UnsetType = UNSET,
    files_in_order: bool | UnsetType = UNSET,
    duration: str | UnsetType | None = UNSET,
    decimal_mark: Literal[".", ","] | UnsetType = UNSET,
    thousands_separator: Literal["none", ".", ",", "space", "'"] | UnsetType = UNSET,
    below_limit: Literal["refuse", "limit", "half", "zero"] | UnsetType = UNSET,
    above_limit: Literal["refuse", "limit"] | UnsetType = UNSET,
    encoding: str | UnsetType = UNSET,
    delimiter: str | UnsetType = UNSET,
    header_line: int | UnsetType = UNSET,
    units_line: bool | UnsetType = UNSET,
    sheet: str | UnsetType | None = UNSET,
    archive_files: str | UnsetType | None = UNSET,
    skip_rows: Sequence[str] | UnsetType = UNSET,
    tag_column: str | UnsetType | None = UNSET,
    value_column: str | UnsetType | None = UNSET,
    missing: Sequence[str] | UnsetType = UNSET,
    formulas: Literal["refuse", "take_stored"] | UnsetType = UNSET,
    location_ids: Sequence[str] | UnsetType = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    client_reference: Literal["row", "time", "column"] | UnsetType = UNSET,
    bad_rows: Literal["refuse_file", "skip"] | UnsetType = UNSET,
    on_difference: Literal["report", "correct"] | UnsetType = UNSET,
    watch: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataFeed]:
    """Say how the files of one source are read, once for all of them.

    POST /projects/{project_id}/data_feeds

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in its project.
        event_type_id: The friendly id of the event type of all its events.
        columns: What columns give; one that is not named here gives what its name says.
        other_columns: What becomes of columns that are not named here and whose names say nothing.
        time_zone: The zone of times without an offset, such as `Europe/Istanbul`; null refuses such
            times.
        time_format: The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or
            `epoch_seconds`, `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`,
            `excel_serial`, `excel_serial_1904`.
        rows_in_order: Each row is later than the one before it, which tells apart local times that come
            twice.
        files_in_order: Each file begins after what was stored of the files before it, which tells apart
            such times too.
        duration: How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a
            column gives ends.
        decimal_mark: What stands before the decimals of numbers that are texts.
        thousands_separator: What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`.
        below_limit: What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column
            then has a `flag`.
        above_limit: What a value such as `>1000` is: `limit` or `refuse`.
        encoding: The encoding of CSV files, such as `utf-8` or `windows-1252`.
        delimiter: The character between the cells of CSV files.
        header_line: The line that names the columns; what stands before it is passed over. 0 looks for
            it among the first 50 lines: it has every column that `columns` names.
        units_line: Whether the first line below the header holds the units of the columns.
        sheet: The sheet of a workbook, or a pattern of several, such as `*`; null is its first one.
        archive_files: The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is
            all of them.
        skip_rows: Patterns of rows that are no data, such as `Total*`, by the first cell that holds
            anything.
        tag_column: Of a long file, the column that says what a row is a value of; `columns` then names
            tags too.
        value_column: Of a long file, the column of the values.
        missing: Texts that say, as an empty cell does, that there is no value.
        formulas: What becomes of cells that hold a formula, which is never computed.
        location_ids: The locations of every event.
        feedstock_id: The feedstock of events whose rows name none.
        asset_id: The asset of events whose rows name none.
        client_reference: What the client references of events are made of: `row`, `time` or `column`.
        bad_rows: Whether a bad row, or one that differs from its event, refuses the file, or is left
            out of it.
        on_difference: Whether an event that the project has with other values than its row is told of,
            or corrected.
        watch: A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take
            files from.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/data_feeds",
        records.DataFeed,
        names={"project_id": project_id},
        body={
            "data_feed": {
                "name": name,
                "event_type_id": event_type_id,
                "columns": columns,
                "other_columns": other_columns,
                "time_zone": time_zone,
                "time_format": time_format,
                "rows_in_order": rows_in_order,
                "files_in_order": files_in_order,
                "duration": duration,
                "decimal_mark": decimal_mark,
                "thousands_separator": thousands_separator,
                "below_limit": below_limit,
                "above_limit": above_limit,
                "encoding": encoding,
                "delimiter": delimiter,
                "header_line": header_line,
                "units_line": units_line,
                "sheet": sheet,
                "archive_files": archive_files,
                "skip_rows": skip_rows,
                "tag_column": tag_column,
                "value_column": value_column,
                "missing": missing,
                "formulas": formulas,
                "location_ids": location_ids,
                "feedstock_id": feedstock_id,
                "asset_id": asset_id,
                "client_reference": client_reference,
                "bad_rows": bad_rows,
                "on_difference": on_difference,
                "watch": watch,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def data_feeds_delete(
    project_id: str,
    data_feed_id: str,
) -> Call[None]:
    """Remove a data feed to which no file was ever uploaded.

    DELETE /projects/{project_id}/data_feeds/{data_feed_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/data_feeds/{data_feed_id}",
        None,
        names={"project_id": project_id, "data_feed_id": data_feed_id},
    )


def data_feeds_get(
    project_id: str,
    data_feed_id: str,
) -> Call[records.DataFeed]:
    """Read one data feed.

    GET /projects/{project_id}/data_feeds/{data_feed_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.

    """
    return call(
        "GET",
        "/projects/{project_id}/data_feeds/{data_feed_id}",
        records.DataFeed,
        names={"project_id": project_id, "data_feed_id": data_feed_id},
    )


def data_feeds_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.DataFeed]:
    """List a project's data feeds.

    GET /projects/{project_id}/data_feeds

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/data_feeds",
            Page[records.DataFeed],
            names={"project_id": project_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def data_feeds_suggest_columns(
    project_id: str,
    *,
    event_type_id: str,
    header: Sequence[str],
    idempotency_key: str | None = None,
) -> Call[records.SuggestedColumns]:
    """Suggest what the columns of a header give to events of a type, and in which units they are.

    POST /projects/{project_id}/data_feed_suggestions

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.
        header: The names of the columns, as they stand in the first line of a file.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/data_feed_suggestions",
        records.SuggestedColumns,
        names={"project_id": project_id},
        body={"event_type_id": event_type_id, "header": header},
        takes_key=True,
        key=idempotency_key,
    )


def data_feeds_update(
    project_id: str,
    data_feed_id: str,
    *,
    name: str | UnsetType = UNSET,
    event_type_id: str | UnsetType = UNSET,
    columns: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    other_columns: Literal["refuse", "leave_out"] | UnsetType = UNSET,
    time_zone: str | UnsetType | None = UNSET,
    time_format: str | UnsetType | None = UNSET,
    rows_in_order: bool | UnsetType = UNSET,
    files_in_order: bool | UnsetType = UNSET,
    duration: str | UnsetType | None = UNSET,
    decimal_mark: Literal[".", ","] | UnsetType = UNSET,
    thousands_separator: Literal["none", ".", ",", "space", "'"] | UnsetType = UNSET,
    below_limit: Literal["refuse", "limit", "half", "zero"] | UnsetType = UNSET,
    above_limit: Literal["refuse", "limit"] | UnsetType = UNSET,
    encoding: str | UnsetType = UNSET,
    delimiter: str | UnsetType = UNSET,
    header_line: int | UnsetType = UNSET,
    units_line: bool | UnsetType = UNSET,
    sheet: str | UnsetType | None = UNSET,
    archive_files: str | UnsetType | None = UNSET,
    skip_rows: Sequence[str] | UnsetType = UNSET,
    tag_column: str | UnsetType | None = UNSET,
    value_column: str | UnsetType | None = UNSET,
    missing: Sequence[str] | UnsetType = UNSET,
    formulas: Literal["refuse", "take_stored"] | UnsetType = UNSET,
    location_ids: Sequence[str] | UnsetType = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    client_reference: Literal["row", "time", "column"] | UnsetType = UNSET,
    bad_rows: Literal["refuse_file", "skip"] | UnsetType = UNSET,
    on_difference: Literal["report", "correct"] | UnsetType = UNSET,
    watch: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataFeed]:
    """Change how files are read from now on; what was stored stays as it is.

    PATCH /projects/{project_id}/data_feeds/{data_feed_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_feed_id: Which data feed.
        name: What people call it, once in its project.
        event_type_id: The friendly id of the event type of all its events.
        columns: What columns give; one that is not named here gives what its name says.
        other_columns: What becomes of columns that are not named here and whose names say nothing.
        time_zone: The zone of times without an offset, such as `Europe/Istanbul`; null refuses such
            times.
        time_format: The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or
            `epoch_seconds`, `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`,
            `excel_serial`, `excel_serial_1904`.
        rows_in_order: Each row is later than the one before it, which tells apart local times that come
            twice.
        files_in_order: Each file begins after what was stored of the files before it, which tells apart
            such times too.
        duration: How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a
            column gives ends.
        decimal_mark: What stands before the decimals of numbers that are texts.
        thousands_separator: What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`.
        below_limit: What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column
            then has a `flag`.
        above_limit: What a value such as `>1000` is: `limit` or `refuse`.
        encoding: The encoding of CSV files, such as `utf-8` or `windows-1252`.
        delimiter: The character between the cells of CSV files.
        header_line: The line that names the columns; what stands before it is passed over. 0 looks for
            it among the first 50 lines: it has every column that `columns` names.
        units_line: Whether the first line below the header holds the units of the columns.
        sheet: The sheet of a workbook, or a pattern of several, such as `*`; null is its first one.
        archive_files: The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is
            all of them.
        skip_rows: Patterns of rows that are no data, such as `Total*`, by the first cell that holds
            anything.
        tag_column: Of a long file, the column that says what a row is a value of; `columns` then names
            tags too.
        value_column: Of a long file, the column of the values.
        missing: Texts that say, as an empty cell does, that there is no value.
        formulas: What becomes of cells that hold a formula, which is never computed.
        location_ids: The locations of every event.
        feedstock_id: The feedstock of events whose rows name none.
        asset_id: The asset of events whose rows name none.
        client_reference: What the client references of events are made of: `row`, `time` or `column`.
        bad_rows: Whether a bad row, or one that differs from its event, refuses the file, or is left
            out of it.
        on_difference: Whether an event that the project has with other values than its row is told of,
            or corrected.
        watch: A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take
            files from.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/data_feeds/{data_feed_id}",
        records.DataFeed,
        names={"project_id": project_id, "data_feed_id": data_feed_id},
        body={
            "data_feed": {
                "name": name,
                "event_type_id": event_type_id,
                "columns": columns,
                "other_columns": other_columns,
                "time_zone": time_zone,
                "time_format": time_format,
                "rows_in_order": rows_in_order,
                "files_in_order": files_in_order,
                "duration": duration,
                "decimal_mark": decimal_mark,
                "thousands_separator": thousands_separator,
                "below_limit": below_limit,
                "above_limit": above_limit,
                "encoding": encoding,
                "delimiter": delimiter,
                "header_line": header_line,
                "units_line": units_line,
                "sheet": sheet,
                "archive_files": archive_files,
                "skip_rows": skip_rows,
                "tag_column": tag_column,
                "value_column": value_column,
                "missing": missing,
                "formulas": formulas,
                "location_ids": location_ids,
                "feedstock_id": feedstock_id,
                "asset_id": asset_id,
                "client_reference": client_reference,
                "bad_rows": bad_rows,
                "on_difference": on_difference,
                "watch": watch,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def data_points_correct(
    project_id: str,
    data_point_id: str,
    *,
    value: Decimal | int | str | bool | UnsetType = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType | None = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataPoint]:
    """Correct a data point: the new value counts from now on, the captured one stays beside it.

    PATCH /projects/{project_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        value: The value that is to count: a number in the unit of its type, a text, or true or false,
            as its type says; left out, it stays.
        uncertainty: How well the value is known, in place of what its type states; null takes the
            statement away.
        reason: Why it is corrected, up to 1,000 characters; it stands with the correction.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/data_points/{data_point_id}",
        records.DataPoint,
        names={"project_id": project_id, "data_point_id": data_point_id},
        body={"data_point": {"value": value, "uncertainty": uncertainty, "reason": reason}},
        takes_key=True,
        key=idempotency_key,
    )


def data_points_correct_on_trial(
    project_id: str,
    data_point_id: str,
    *,
    value: Decimal | int | str | bool | UnsetType = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType | None = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Impact]:
    """Try, and change nothing: correct a data point: the new value counts from now on, the captured one
    stays beside it.

    PATCH /projects/{project_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        value: The value that is to count: a number in the unit of its type, a text, or true or false,
            as its type says; left out, it stays.
        uncertainty: How well the value is known, in place of what its type states; null takes the
            statement away.
        reason: Why it is corrected, up to 1,000 characters; it stands with the correction.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/data_points/{data_point_id}",
        records.Impact,
        names={"project_id": project_id, "data_point_id": data_point_id},
        query={"dry_run": True},
        body={"data_point": {"value": value, "uncertainty": uncertainty, "reason": reason}},
        takes_key=True,
        key=idempotency_key,
    )


def data_points_correct_of_event(
    project_id: str,
    event_id: str,
    data_point_id: str,
    *,
    value: Decimal | int | str | bool | UnsetType = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType | None = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataPoint]:
    """Correct a data point of an event, as below its project.

    PATCH /projects/{project_id}/events/{event_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        value: The value that is to count: a number in the unit of its type, a text, or true or false,
            as its type says; left out, it stays.
        uncertainty: How well the value is known, in place of what its type states; null takes the
            statement away.
        reason: Why it is corrected, up to 1,000 characters; it stands with the correction.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}",
        records.DataPoint,
        names={"project_id": project_id, "event_id": event_id, "data_point_id": data_point_id},
        body={"data_point": {"value": value, "uncertainty": uncertainty, "reason": reason}},
        takes_key=True,
        key=idempotency_key,
    )


def data_points_correct_of_event_on_trial(
    project_id: str,
    event_id: str,
    data_point_id: str,
    *,
    value: Decimal | int | str | bool | UnsetType = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType | None = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Impact]:
    """Try, and change nothing: correct a data point of an event, as below its project.

    PATCH /projects/{project_id}/events/{event_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        value: The value that is to count: a number in the unit of its type, a text, or true or false,
            as its type says; left out, it stays.
        uncertainty: How well the value is known, in place of what its type states; null takes the
            statement away.
        reason: Why it is corrected, up to 1,000 characters; it stands with the correction.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}",
        records.Impact,
        names={"project_id": project_id, "event_id": event_id, "data_point_id": data_point_id},
        query={"dry_run": True},
        body={"data_point": {"value": value, "uncertainty": uncertainty, "reason": reason}},
        takes_key=True,
        key=idempotency_key,
    )


def data_points_get(
    project_id: str,
    data_point_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.DataPoint]:
    """Read one data point: a measured value of an event, or what an output of a model run came to.

    GET /projects/{project_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/data_points/{data_point_id}",
        records.DataPoint,
        names={"project_id": project_id, "data_point_id": data_point_id},
        query={"as_of": as_of},
    )


def data_points_get_of_event(
    project_id: str,
    event_id: str,
    data_point_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.DataPoint]:
    """Read one data point of an event.

    GET /projects/{project_id}/events/{event_id}/data_points/{data_point_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}",
        records.DataPoint,
        names={"project_id": project_id, "event_id": event_id, "data_point_id": data_point_id},
        query={"as_of": as_of},
    )


def data_points_list_corrections(
    project_id: str,
    data_point_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    source: Literal["manual", "adjustment", "substitution"] | None = None,
    state: Literal["in_force", "superseded", "reverted"] | None = None,
) -> Listing[records.Correction]:
    """List the corrections of a data point, those that were reverted included.

    GET /projects/{project_id}/data_points/{data_point_id}/corrections

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        source: Only records whose source is the value given: manual, adjustment, substitution.
        state: Only records whose state is the value given: in_force, superseded, reverted.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/data_points/{data_point_id}/corrections",
            Page[records.Correction],
            names={"project_id": project_id, "data_point_id": data_point_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[source][eq]": source,
                "filter[state][eq]": state,
            },
        )
    )


def data_points_list(
    project_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    slug: str | None = None,
    asset_id: str | None = None,
    location_id: str | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    start_time: Time | None = None,
    end_time: Time | None = None,
) -> Listing[records.DataPoint]:
    """List a project's data points, in time order.

    GET /projects/{project_id}/data_points

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By created_at, value, or by
            several, at most 10,000 records are sorted. value needs filter[slug][eq] and
            filter[start_time][geq] and filter[start_time][leq] or filter[end_time][leq].
        slug: Only records whose slug is the value given: the slug of a data point type.
        asset_id: Only records whose asset_id is the value given: an id ast_….
        location_id: Only records whose location_id holds the value given: an id loc_….
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        start_time: Stands for `filter[start_time][geq]`; give one of the two.
        end_time: Stands for `filter[end_time][leq]`; give one of the two.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/data_points",
            Page[records.DataPoint],
            names={"project_id": project_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[slug][eq]": slug,
                "filter[asset_id][eq]": asset_id,
                "filter[location_id][eq]": location_id,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "start_time": start_time,
                "end_time": end_time,
            },
        )
    )


def data_points_list_event_corrections(
    project_id: str,
    event_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    source: Literal["manual", "adjustment", "substitution"] | None = None,
    state: Literal["in_force", "superseded", "reverted"] | None = None,
) -> Listing[records.Correction]:
    """List the corrections of an event: those of its data points, and those of its own times and tags.

    GET /projects/{project_id}/events/{event_id}/corrections

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        source: Only records whose source is the value given: manual, adjustment, substitution.
        state: Only records whose state is the value given: in_force, superseded, reverted.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/events/{event_id}/corrections",
            Page[records.Correction],
            names={"project_id": project_id, "event_id": event_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[source][eq]": source,
                "filter[state][eq]": state,
            },
        )
    )


def data_points_list_of_event(
    project_id: str,
    event_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    slug: str | None = None,
) -> Listing[records.DataPoint]:
    """List an event's data points, in the order of the event type's.

    GET /projects/{project_id}/events/{event_id}/data_points

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        slug: Only records whose slug is the value given: the slug of a data point type.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/events/{event_id}/data_points",
            Page[records.DataPoint],
            names={"project_id": project_id, "event_id": event_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[slug][eq]": slug,
            },
        )
    )


def data_points_revert(
    project_id: str,
    data_point_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.DataPoint]:
    """Restore the captured value and revert every correction of a data point. The body may be left out.

    POST /projects/{project_id}/data_points/{data_point_id}/revert

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        data_point_id: The friendly id of the data point: in_ and 24 hexadecimal digits.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/data_points/{data_point_id}/revert",
        records.DataPoint,
        names={"project_id": project_id, "data_point_id": data_point_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_answer_engagement_finding(
    report_id: str,
    engagement_id: str,
    finding_id: str,
    *,
    answer: str,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Answer a finding, as the operator.

    POST /reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/answer

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        finding_id: Which finding.
        answer: What was done or found, in a sentence or more.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/answer",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id},
        body={"answer": answer},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_conclude_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
    statement: str,
    signature: str,
    public_key: str,
) -> Call[records.Engagement]:
    """Conclude an engagement with the signed opinion, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/conclude

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.
        statement: The statement that the service proposed, unchanged.
        signature: Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`.
        public_key: The public key of the verifier: `ssh-ed25519 AAAA…`.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/conclude",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
        body={"statement": statement, "signature": signature, "public_key": public_key},
    )


def engagements_conclude_with_opinion(
    report_id: str,
    engagement_id: str,
    *,
    statement: str,
    signature: str,
    public_key: str,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Conclude an engagement with the signed opinion, which is then part of every bundle of the report.

    POST /reports/{report_id}/engagements/{engagement_id}/conclude

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        statement: The statement that the service proposed, unchanged.
        signature: Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`.
        public_key: The public key of the verifier: `ssh-ed25519 AAAA…`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/conclude",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        body={"statement": statement, "signature": signature, "public_key": public_key},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_create(
    report_id: str,
    *,
    verifier: str,
    scope: str,
    criteria: str,
    strata: Sequence[Mapping[str, Any]],
    assurance: Literal["reasonable", "limited"] | UnsetType = UNSET,
    materiality_percent: Decimal | int | UnsetType | None = UNSET,
    materiality_amount: Decimal | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Begin an engagement of a verifier on a report: scope, criteria, materiality, and what is sampled.

    POST /reports/{report_id}/engagements

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        verifier: Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`.
        scope: What is verified, such as `Carbon stored in the first quarter of 2025`.
        criteria: By which rules, such as `ISO 14064-2 and the methodology, version 2.1`.
        strata: The strata, 1 to 20, each of another event type.
        assurance: The level of assurance.
        materiality_percent: The threshold in percent of the total, above 0 to 100; this or an amount is
            required.
        materiality_amount: The threshold as an amount above zero, in the unit of the report.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements",
        records.Engagement,
        names={"report_id": report_id},
        body={
            "engagement": {
                "verifier": verifier,
                "scope": scope,
                "criteria": criteria,
                "strata": strata,
                "assurance": assurance,
                "materiality_percent": materiality_percent,
                "materiality_amount": materiality_amount,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def engagements_create_engagement_by_link(
    report_id: str,
    *,
    key: str,
    verifier: str,
    scope: str,
    criteria: str,
    strata: Sequence[Mapping[str, Any]],
    assurance: Literal["reasonable", "limited"] | UnsetType = UNSET,
    materiality_percent: Decimal | int | UnsetType | None = UNSET,
    materiality_amount: Decimal | int | UnsetType | None = UNSET,
) -> Call[records.Engagement]:
    """Begin an engagement on a report, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.
        verifier: Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`.
        scope: What is verified, such as `Carbon stored in the first quarter of 2025`.
        criteria: By which rules, such as `ISO 14064-2 and the methodology, version 2.1`.
        strata: The strata, 1 to 20, each of another event type.
        assurance: The level of assurance.
        materiality_percent: The threshold in percent of the total, above 0 to 100; this or an amount is
            required.
        materiality_amount: The threshold as an amount above zero, in the unit of the report.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements",
        records.Engagement,
        names={"report_id": report_id},
        query={"key": key},
        body={
            "engagement": {
                "verifier": verifier,
                "scope": scope,
                "criteria": criteria,
                "strata": strata,
                "assurance": assurance,
                "materiality_percent": materiality_percent,
                "materiality_amount": materiality_amount,
            }
        },
    )


def engagements_create_finding(
    report_id: str,
    engagement_id: str,
    *,
    kind: Literal["error", "omission", "request"],
    text: str,
    amount: Decimal | int | UnsetType | None = UNSET,
    event_id: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Record a finding: an error or an omission with its amount, or a request.

    POST /reports/{report_id}/engagements/{engagement_id}/findings

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        kind: An `error`, an `omission`, or a `request`.
        text: What was found, in a sentence or more.
        amount: By how much it would change the total of the report; required, except for a request,
            which has none.
        event_id: The record that it is about, such as `evt_…`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/findings",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        body={"finding": {"kind": kind, "text": text, "amount": amount, "event_id": event_id}},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_create_finding_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
    kind: Literal["error", "omission", "request"],
    text: str,
    amount: Decimal | int | UnsetType | None = UNSET,
    event_id: str | UnsetType | None = UNSET,
) -> Call[records.Engagement]:
    """Record a finding, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/findings

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.
        kind: An `error`, an `omission`, or a `request`.
        text: What was found, in a sentence or more.
        amount: By how much it would change the total of the report; required, except for a request,
            which has none.
        event_id: The record that it is about, such as `evt_…`.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/findings",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
        body={"finding": {"kind": kind, "text": text, "amount": amount, "event_id": event_id}},
    )


def engagements_decide_engagement_finding(
    report_id: str,
    engagement_id: str,
    finding_id: str,
    *,
    decision: Literal["resolve", "reopen", "withdraw"],
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Resolve, reopen or withdraw a finding, as the verifier.

    POST /reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/decide

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        finding_id: Which finding.
        decision: What is decided: `resolve`, `reopen` or `withdraw`.
        reason: Why, in a sentence that stays with the finding.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/decide",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id},
        body={"decision": decision, "reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_decide_finding_by_link(
    report_id: str,
    engagement_id: str,
    finding_id: str,
    *,
    key: str,
    decision: Literal["resolve", "reopen", "withdraw"],
    reason: str,
) -> Call[records.Engagement]:
    """Resolve, reopen or withdraw a finding, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/findings/{finding_id}/decide

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        finding_id: Which finding.
        key: What stands in the `url` of the link.
        decision: What is decided: `resolve`, `reopen` or `withdraw`.
        reason: Why, in a sentence that stays with the finding.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/findings/{finding_id}/decide",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id},
        query={"key": key},
        body={"decision": decision, "reason": reason},
    )


def engagements_draw_engagement_sample(
    report_id: str,
    engagement_id: str,
    *,
    seed_text: str,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """Draw the sample, once: the verifier's text completes the seed, which anybody can compute and follow.

    POST /reports/{report_id}/engagements/{engagement_id}/sample

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        seed_text: A text of the verifier, in one line, which the operator did not know before.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/sample",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        body={"seed_text": seed_text},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_draw_sample_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
    seed_text: str,
) -> Call[records.Engagement]:
    """Draw the sample of an engagement, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/sample

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.
        seed_text: A text of the verifier, in one line, which the operator did not know before.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/sample",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
        body={"seed_text": seed_text},
    )


def engagements_get(
    report_id: str,
    engagement_id: str,
) -> Call[records.Engagement]:
    """Read one engagement, with the effect of its open findings on the total of the report.

    GET /reports/{report_id}/engagements/{engagement_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.

    """
    return call(
        "GET",
        "/reports/{report_id}/engagements/{engagement_id}",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
    )


def engagements_get_engagement_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
) -> Call[records.Engagement]:
    """Read one engagement by a link to its report.

    GET /reports/{report_id}/by_link/engagements/{engagement_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/engagements/{engagement_id}",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
    )


def engagements_get_engagement_sample(
    report_id: str,
    engagement_id: str,
) -> Call[records.Sample]:
    """Read the sample: each record with readings, evidence, calibration, author, what it lacks and what
    changed.

    GET /reports/{report_id}/engagements/{engagement_id}/sample

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.

    """
    return call(
        "GET",
        "/reports/{report_id}/engagements/{engagement_id}/sample",
        records.Sample,
        names={"report_id": report_id, "engagement_id": engagement_id},
    )


def engagements_get_sample_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
) -> Call[records.Sample]:
    """Read the sample of an engagement by a link to its report.

    GET /reports/{report_id}/by_link/engagements/{engagement_id}/sample

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/sample",
        records.Sample,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
    )


def engagements_list(
    report_id: str,
) -> Call[records.Engagements]:
    """List the engagements of verifiers on a report, with findings and opinions, the oldest first.

    GET /reports/{report_id}/engagements

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/engagements",
        records.Engagements,
        names={"report_id": report_id},
    )


def engagements_list_engagements_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[records.Engagements]:
    """List the engagements on a report by a link to it.

    GET /reports/{report_id}/by_link/engagements

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/engagements",
        records.Engagements,
        names={"report_id": report_id},
        query={"key": key},
    )


def engagements_propose_opinion(
    report_id: str,
    engagement_id: str,
    *,
    conclusion: Literal["unmodified", "modified", "adverse", "disclaimer"],
    reasons: str,
    idempotency_key: str | None = None,
) -> Call[records.StatementToSign]:
    """Propose the statement of an opinion, for the verifier to sign; nothing is stored.

    POST /reports/{report_id}/engagements/{engagement_id}/statement

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        conclusion: The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`.
        reasons: The reasons, in the words of the verifier.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/statement",
        records.StatementToSign,
        names={"report_id": report_id, "engagement_id": engagement_id},
        body={"conclusion": conclusion, "reasons": reasons},
        takes_key=True,
        key=idempotency_key,
    )


def engagements_propose_opinion_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
    conclusion: Literal["unmodified", "modified", "adverse", "disclaimer"],
    reasons: str,
) -> Call[records.StatementToSign]:
    """Propose the statement of an opinion, by a link that may act as the verifier; nothing is stored.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/statement

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.
        conclusion: The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`.
        reasons: The reasons, in the words of the verifier.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/statement",
        records.StatementToSign,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
        body={"conclusion": conclusion, "reasons": reasons},
    )


def engagements_withdraw_by_link(
    report_id: str,
    engagement_id: str,
    *,
    key: str,
) -> Call[records.Engagement]:
    """End an engagement without an opinion, by a link that may act as the verifier.

    POST /reports/{report_id}/by_link/engagements/{engagement_id}/withdraw

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        key: What stands in the `url` of the link.

    """
    return call(
        "POST",
        "/reports/{report_id}/by_link/engagements/{engagement_id}/withdraw",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        query={"key": key},
        body={},
    )


def engagements_withdraw_of_open(
    report_id: str,
    engagement_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.Engagement]:
    """End an engagement without an opinion.

    POST /reports/{report_id}/engagements/{engagement_id}/withdraw

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        engagement_id: Which engagement.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/engagements/{engagement_id}/withdraw",
        records.Engagement,
        names={"report_id": report_id, "engagement_id": engagement_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def event_types_create(
    project_id: str,
    *,
    name: str,
    data_point_types: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    slug: str | UnsetType | None = UNSET,
    description: str | UnsetType | None = UNSET,
    cadence_amount: int | UnsetType | None = UNSET,
    cadence_unit: Literal["minute", "hour", "day", "week", "month"] | UnsetType | None = UNSET,
    valid_when: str | UnsetType | None = UNSET,
    reusable_in_batches: bool | UnsetType = UNSET,
    expected_locations: Literal["none", "one", "two"] | UnsetType = UNSET,
    requires_tracking_id: bool | UnsetType = UNSET,
    rolled_up_from: Mapping[str, Any] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.EventType]:
    """Create an event type with its data point types.

    POST /projects/{project_id}/event_types

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, such as `Diesel delivery`.
        data_point_types: The quantities that its events carry, in their order.
        slug: The name that events are sent with and models use; made from `name` when left out.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        cadence_amount: How many `cadence_unit`s lie between two of its events; null when nothing is
            expected.
        cadence_unit: The unit of its cadence; null when nothing is expected.
        valid_when: When an event counts as valid for the capture rate, such as `quality = 'good'`;
            null: when complete.
        reusable_in_batches: Whether one event may feed runs of several batches of a model.
        expected_locations: How many locations an event of the type names at least.
        requires_tracking_id: Whether an event of the type is refused without a tracking id.
        rolled_up_from: The readings that its events are to be made of; it needs a cadence, whose slots
            they are made for.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/event_types",
        records.EventType,
        names={"project_id": project_id},
        body={
            "event_type": {
                "name": name,
                "data_point_types": data_point_types,
                "slug": slug,
                "description": description,
                "cadence_amount": cadence_amount,
                "cadence_unit": cadence_unit,
                "valid_when": valid_when,
                "reusable_in_batches": reusable_in_batches,
                "expected_locations": expected_locations,
                "requires_tracking_id": requires_tracking_id,
                "rolled_up_from": rolled_up_from,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def event_types_delete(
    project_id: str,
    event_type_id: str,
) -> Call[None]:
    """Remove an event type that has no events.

    DELETE /projects/{project_id}/event_types/{event_type_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/event_types/{event_type_id}",
        None,
        names={"project_id": project_id, "event_type_id": event_type_id},
    )


def event_types_get(
    project_id: str,
    event_type_id: str,
) -> Call[records.EventType]:
    """Read one event type by its friendly id.

    GET /projects/{project_id}/event_types/{event_type_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/projects/{project_id}/event_types/{event_type_id}",
        records.EventType,
        names={"project_id": project_id, "event_type_id": event_type_id},
    )


def event_types_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    slug: str | None = None,
) -> Listing[records.EventType]:
    """List a project's event types; their slugs are what events are posted with.

    GET /projects/{project_id}/event_types

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        slug: Only records whose slug is the value given: a slug.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/event_types",
            Page[records.EventType],
            names={"project_id": project_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[slug][eq]": slug},
        )
    )


def event_types_update(
    project_id: str,
    event_type_id: str,
    *,
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    cadence_amount: int | UnsetType | None = UNSET,
    cadence_unit: Literal["minute", "hour", "day", "week", "month"] | UnsetType | None = UNSET,
    valid_when: str | UnsetType | None = UNSET,
    reusable_in_batches: bool | UnsetType = UNSET,
    expected_locations: Literal["none", "one", "two"] | UnsetType = UNSET,
    requires_tracking_id: bool | UnsetType = UNSET,
    data_point_types: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    rolled_up_from: Mapping[str, Any] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.EventType]:
    """Change an event type; the meaning of the values that events carry is fixed.

    PATCH /projects/{project_id}/event_types/{event_type_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.
        name: What people call it, such as `Diesel delivery`.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        cadence_amount: How many `cadence_unit`s lie between two of its events; null when nothing is
            expected.
        cadence_unit: The unit of its cadence; null when nothing is expected.
        valid_when: When an event counts as valid for the capture rate, such as `quality = 'good'`;
            null: when complete.
        reusable_in_batches: Whether one event may feed runs of several batches of a model.
        expected_locations: How many locations an event of the type names at least.
        requires_tracking_id: Whether an event of the type is refused without a tracking id.
        data_point_types: All that the event type is to have, in their order; one that is not among them
            is removed.
        rolled_up_from: The readings that its events are to be made of, in place of what was said
            before; all are made anew.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/event_types/{event_type_id}",
        records.EventType,
        names={"project_id": project_id, "event_type_id": event_type_id},
        body={
            "event_type": {
                "name": name,
                "description": description,
                "cadence_amount": cadence_amount,
                "cadence_unit": cadence_unit,
                "valid_when": valid_when,
                "reusable_in_batches": reusable_in_batches,
                "expected_locations": expected_locations,
                "requires_tracking_id": requires_tracking_id,
                "data_point_types": data_point_types,
                "rolled_up_from": rolled_up_from,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def events_create(
    project_id: str,
    *,
    event_type: str,
    start_time: Time,
    end_time: Time | UnsetType | None = UNSET,
    tracking_id: str | UnsetType | None = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    client_reference: str | UnsetType | None = UNSET,
    notes: str | UnsetType | None = UNSET,
    locations: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    data_points: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Event]:
    """Store one event, or up to 10,000 of which all or none are stored.

    POST /projects/{project_id}/events

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type: The slug of the event type, such as `diesel-delivery`.
        start_time: When what was measured began.
        end_time: When it ended; left out for a reading at `start_time`.
        tracking_id: The text by which events of one lot are known, such as `LOT-7`; null when it has
            none.
        feedstock_id: The feedstock that the event is tagged with, such as `fs_…`.
        asset_id: The asset that the event is tagged with, such as `ast_…`; the meter of its values.
        client_reference: The sender's own name for the event, once in the project; null when it has
            none.
        notes: What people write about the event, up to 10,000 characters; null when there is nothing.
        locations: The locations of the event by their ids, up to 10; its first is the meter when it has
            no asset.
        data_points: The values that were measured, each of another data point type.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/events",
        records.Event,
        names={"project_id": project_id},
        body={
            "event": {
                "event_type": event_type,
                "start_time": start_time,
                "end_time": end_time,
                "tracking_id": tracking_id,
                "feedstock_id": feedstock_id,
                "asset_id": asset_id,
                "client_reference": client_reference,
                "notes": notes,
                "locations": locations,
                "data_points": data_points,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def events_get(
    project_id: str,
    event_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.Event]:
    """Read one event.

    GET /projects/{project_id}/events/{event_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/events/{event_id}",
        records.Event,
        names={"project_id": project_id, "event_id": event_id},
        query={"as_of": as_of},
    )


def events_list(
    project_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    event_type_id: str | None = None,
    nexus_event_type_id: str | None = None,
    slug: str | None = None,
    location_id: str | None = None,
    feedstock_id: str | None = None,
    asset_id: str | None = None,
    tracking_id: str | None = None,
    rolled_up_event_id: str | None = None,
    client_reference: str | None = None,
    start_time: Time | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    updated_at: Time | None = None,
    updated_at_geq: Time | None = None,
    updated_at_leq: Time | None = None,
    status: Literal["complete", "incomplete"] | None = None,
) -> Listing[records.Event]:
    """List a project's events with their data points.

    GET /projects/{project_id}/events

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By end_time, created_at, status,
            tracking_id, or by several, at most 10,000 records are sorted. With filter[updated_at], by
            another than updated_at, as many.
        event_type_id: Only records whose event_type_id is the value given: an id et_….
        nexus_event_type_id: Only records whose nexus_event_type_id is the value given: an event type's
            number.
        slug: Only records whose slug is the value given: the slug of an event type.
        location_id: Only records whose location_id holds the value given: an id loc_….
        feedstock_id: Only records whose feedstock_id is the value given: an id fs_….
        asset_id: Only records whose asset_id is the value given: an id ast_….
        tracking_id: Only records whose tracking_id is the value given: a tracking id.
        rolled_up_event_id: Only records whose rolled_up_event_id is the value given: an id evt_….
        client_reference: Only records whose client_reference is the value given: a client reference.
        start_time: Only records whose start_time is the value given: a time with an offset or Z.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time: Only records whose end_time is the value given: a time with an offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        updated_at: Only records whose updated_at is the value given: a time with an offset or Z.
        updated_at_geq: Only records whose updated_at is at or after the value given: a time with an
            offset or Z.
        updated_at_leq: Only records whose updated_at is at or before the value given: a time with an
            offset or Z.
        status: Only records whose status is the value given: complete or incomplete.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/events",
            Page[records.Event],
            names={"project_id": project_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[event_type_id][eq]": event_type_id,
                "filter[nexus_event_type_id][eq]": nexus_event_type_id,
                "filter[slug][eq]": slug,
                "filter[location_id][eq]": location_id,
                "filter[feedstock_id][eq]": feedstock_id,
                "filter[asset_id][eq]": asset_id,
                "filter[tracking_id][eq]": tracking_id,
                "filter[rolled_up_event_id][eq]": rolled_up_event_id,
                "filter[client_reference][eq]": client_reference,
                "filter[start_time][eq]": start_time,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][eq]": end_time,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "filter[updated_at][eq]": updated_at,
                "filter[updated_at][geq]": updated_at_geq,
                "filter[updated_at][leq]": updated_at_leq,
                "filter[status][eq]": status,
            },
        )
    )


def events_update(
    project_id: str,
    event_id: str,
    *,
    event_type: str | UnsetType = UNSET,
    start_time: Time | UnsetType = UNSET,
    end_time: Time | UnsetType | None = UNSET,
    tracking_id: str | UnsetType | None = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    client_reference: str | UnsetType | None = UNSET,
    notes: str | UnsetType | None = UNSET,
    locations: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    data_points: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Event]:
    """Complete an event (first values, notes, client reference, locations), or correct what it holds.

    PATCH /projects/{project_id}/events/{event_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        event_type: The slug of the event type, which must be the one it has.
        start_time: When what was measured began.
        end_time: When it ended; the start for a reading.
        tracking_id: The text by which events of one lot are known, such as `LOT-7`; null when it has
            none.
        feedstock_id: The feedstock that the event is tagged with, such as `fs_…`; null takes the tag
            away.
        asset_id: The asset that the event is tagged with, such as `ast_…`; null takes the tag away.
        client_reference: The sender's own name for the event, once in the project; null when it has
            none.
        notes: What people write about the event, up to 10,000 characters; null when there is nothing.
        locations: The locations by their ids, in place of all that the event has.
        data_points: First values, or other values, each of a data point type; the rest stay as they
            are.
        reason: Why the event is corrected, up to 1,000 characters; it stands with every correction
            made.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/events/{event_id}",
        records.Event,
        names={"project_id": project_id, "event_id": event_id},
        body={
            "event": {
                "event_type": event_type,
                "start_time": start_time,
                "end_time": end_time,
                "tracking_id": tracking_id,
                "feedstock_id": feedstock_id,
                "asset_id": asset_id,
                "client_reference": client_reference,
                "notes": notes,
                "locations": locations,
                "data_points": data_points,
                "reason": reason,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def events_update_on_trial(
    project_id: str,
    event_id: str,
    *,
    event_type: str | UnsetType = UNSET,
    start_time: Time | UnsetType = UNSET,
    end_time: Time | UnsetType | None = UNSET,
    tracking_id: str | UnsetType | None = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    client_reference: str | UnsetType | None = UNSET,
    notes: str | UnsetType | None = UNSET,
    locations: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    data_points: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Impact]:
    """Try, and change nothing: complete an event (first values, notes, client reference, locations), or
    correct what it holds.

    PATCH /projects/{project_id}/events/{event_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        event_type: The slug of the event type, which must be the one it has.
        start_time: When what was measured began.
        end_time: When it ended; the start for a reading.
        tracking_id: The text by which events of one lot are known, such as `LOT-7`; null when it has
            none.
        feedstock_id: The feedstock that the event is tagged with, such as `fs_…`; null takes the tag
            away.
        asset_id: The asset that the event is tagged with, such as `ast_…`; null takes the tag away.
        client_reference: The sender's own name for the event, once in the project; null when it has
            none.
        notes: What people write about the event, up to 10,000 characters; null when there is nothing.
        locations: The locations by their ids, in place of all that the event has.
        data_points: First values, or other values, each of a data point type; the rest stay as they
            are.
        reason: Why the event is corrected, up to 1,000 characters; it stands with every correction
            made.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/events/{event_id}",
        records.Impact,
        names={"project_id": project_id, "event_id": event_id},
        query={"dry_run": True},
        body={
            "event": {
                "event_type": event_type,
                "start_time": start_time,
                "end_time": end_time,
                "tracking_id": tracking_id,
                "feedstock_id": feedstock_id,
                "asset_id": asset_id,
                "client_reference": client_reference,
                "notes": notes,
                "locations": locations,
                "data_points": data_points,
                "reason": reason,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def events_void(
    project_id: str,
    event_id: str,
) -> Call[None]:
    """Void an event that no batch was made of.

    DELETE /projects/{project_id}/events/{event_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/events/{event_id}",
        None,
        names={"project_id": project_id, "event_id": event_id},
    )


def evidence_create(
    event_id: str,
    *,
    url: str,
    name: str,
    type: Literal["url"] | UnsetType = UNSET,
    evidence_type: Literal["url"] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Evidence]:
    """Attach a file or a link to an event.

    POST /events/{event_id}/evidence

    Args:
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        url: Where the link leads, beginning with `https://` or `http://`.
        name: What people call it, such as `Laboratory report`.
        type: Always `url`; a file comes as `multipart/form-data`.
        evidence_type: Another name for `type`, which clients of the public interface send.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/events/{event_id}/evidence",
        records.Evidence,
        names={"event_id": event_id},
        body={"evidence": {"url": url, "name": name, "type": type, "evidence_type": evidence_type}},
        takes_key=True,
        key=idempotency_key,
    )


def evidence_download(
    project_id: str,
    event_id: str,
    evidence_id: int,
) -> Call[bytes]:
    """Download a file of evidence.

    GET /projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        evidence_id: The number of the evidence.

    """
    return call(
        "GET",
        "/projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file",
        bytes,
        names={"project_id": project_id, "event_id": event_id, "evidence_id": evidence_id},
    )


def evidence_get(
    project_id: str,
    event_id: str,
    evidence_id: int,
    *,
    as_of: str | None = None,
) -> Call[records.Evidence]:
    """Read one piece of evidence.

    GET /projects/{project_id}/events/{event_id}/evidences/{evidence_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        evidence_id: The number of the evidence.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/events/{event_id}/evidences/{evidence_id}",
        records.Evidence,
        names={"project_id": project_id, "event_id": event_id, "evidence_id": evidence_id},
        query={"as_of": as_of},
    )


def evidence_list_of_batch(
    batch_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    type: Literal["file", "url"] | None = None,
) -> Listing[records.Evidence]:
    """List the evidence of every event that a batch was made of.

    GET /batches/{batch_id}/evidences

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        type: Only records whose type is the value given: file or url.

    """
    return Listing(
        call(
            "GET",
            "/batches/{batch_id}/evidences",
            Page[records.Evidence],
            names={"batch_id": batch_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[type][eq]": type},
        )
    )


def evidence_list_of_event(
    project_id: str,
    event_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    type: Literal["file", "url"] | None = None,
) -> Listing[records.Evidence]:
    """List the evidence of one event.

    GET /projects/{project_id}/events/{event_id}/evidences

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_id: The friendly id of the event: evt_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        type: Only records whose type is the value given: file or url.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/events/{event_id}/evidences",
            Page[records.Evidence],
            names={"project_id": project_id, "event_id": event_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[type][eq]": type,
            },
        )
    )


def exports_download(
    export_id: str,
    *,
    key: str,
) -> Call[bytes]:
    """Download the file of an export by the address that `download_url` says, for 24 hours.

    GET /exports/{export_id}/download

    Args:
        export_id: The friendly id of the export: exp_ and 24 hexadecimal digits.
        key: What stands in the `download_url` of the export.

    """
    return call(
        "GET",
        "/exports/{export_id}/download",
        bytes,
        names={"export_id": export_id},
        query={"key": key},
    )


def exports_download_ledger_batches(
    ledger_id: str,
) -> Call[str]:
    """Download the batches of one ledger as CSV, oldest first.

    GET /ledgers/{ledger_id}/batches.csv

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}/batches.csv",
        str,
        names={"ledger_id": ledger_id},
    )


def exports_get(
    export_id: str,
) -> Call[records.Export]:
    """Read one export; poll it until it is completed, which it stays for 24 hours.

    GET /exports/{export_id}

    Args:
        export_id: The friendly id of the export: exp_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/exports/{export_id}",
        records.Export,
        names={"export_id": export_id},
    )


def feature_flags_get() -> Call[records.FeatureFlags]:
    """Read every feature flag of the account; false for those that are off.

    GET /feature_flags
    """
    return call(
        "GET",
        "/feature_flags",
        records.FeatureFlags,
    )


def feature_flags_update(
    *,
    rules_engine: bool | UnsetType = UNSET,
    data_capture_rate: bool | UnsetType = UNSET,
    approval_of_own: bool | UnsetType = UNSET,
    footprint_exchange: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FeatureFlags]:
    """Switch features of the account on or off; what a feature made stays, and is there again with it.

    PATCH /feature_flags

    Args:
        rules_engine: Whether the account has data rules with their runs and results.
        data_capture_rate: Whether event types of the account may say how often they are measured.
        approval_of_own: Whether people may approve what a rule that they wrote, or data that they sent,
            proposed.
        footprint_exchange: Whether partners' clients may read footprints of the account below `/pact`,
            and send events there.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/feature_flags",
        records.FeatureFlags,
        body={
            "feature_flags": {
                "rules_engine": rules_engine,
                "data_capture_rate": data_capture_rate,
                "approval_of_own": approval_of_own,
                "footprint_exchange": footprint_exchange,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def feedstocks_create(
    project_id: str,
    *,
    name: str,
    description: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Feedstock]:
    """Create a feedstock.

    POST /projects/{project_id}/feedstocks

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in the project, such as `Plant North`.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/feedstocks",
        records.Feedstock,
        names={"project_id": project_id},
        body={"feedstock": {"name": name, "description": description}},
        takes_key=True,
        key=idempotency_key,
    )


def feedstocks_delete(
    project_id: str,
    feedstock_id: str,
) -> Call[None]:
    """Remove a feedstock that no event and no batch names.

    DELETE /projects/{project_id}/feedstocks/{feedstock_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        feedstock_id: The friendly id of the feedstock: fs_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/feedstocks/{feedstock_id}",
        None,
        names={"project_id": project_id, "feedstock_id": feedstock_id},
    )


def feedstocks_get(
    project_id: str,
    feedstock_id: str,
) -> Call[records.Feedstock]:
    """Read one feedstock.

    GET /projects/{project_id}/feedstocks/{feedstock_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        feedstock_id: The friendly id of the feedstock: fs_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/projects/{project_id}/feedstocks/{feedstock_id}",
        records.Feedstock,
        names={"project_id": project_id, "feedstock_id": feedstock_id},
    )


def feedstocks_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Feedstock]:
    """List the feedstocks of all projects of the account.

    GET /feedstocks

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/feedstocks",
            Page[records.Feedstock],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def feedstocks_list_feedstocks_of_project(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    filter_project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Feedstock]:
    """List a project's feedstocks.

    GET /projects/{project_id}/feedstocks

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/feedstocks",
            Page[records.Feedstock],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": filter_project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def feedstocks_update(
    project_id: str,
    feedstock_id: str,
    *,
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Feedstock]:
    """Change a feedstock; its name is fixed once batches were made of its events.

    PATCH /projects/{project_id}/feedstocks/{feedstock_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        feedstock_id: The friendly id of the feedstock: fs_ and 24 hexadecimal digits.
        name: What people call it, once in the project, such as `Plant North`.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/feedstocks/{feedstock_id}",
        records.Feedstock,
        names={"project_id": project_id, "feedstock_id": feedstock_id},
        body={"feedstock": {"name": name, "description": description}},
        takes_key=True,
        key=idempotency_key,
    )


def footprint_calls_create(
    *,
    partner_id: int,
    kind: Literal["published", "request_created", "read"],
    footprint_ids: Sequence[str] | UnsetType = UNSET,
    criteria: Mapping[str, Any] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintCall]:
    """Read a partner's footprints, ask for some, or tell of ours; a worker does it until it is done.

    POST /footprint_calls

    Args:
        partner_id: The number of the partner.
        kind: What is to be done: `read` reads some, `request_created` asks for some, `published` tells
            of ours.
        footprint_ids: Of `published` the footprints that it is told of, required; of `read` those that
            are read, instead of all.
        criteria: Of `request_created` what is asked for, required, such as `{"productId":
            ["urn:gtin:4712345060507"]}`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprint_calls",
        records.FootprintCall,
        body={
            "footprint_call": {
                "partner_id": partner_id,
                "kind": kind,
                "footprint_ids": footprint_ids,
                "criteria": criteria,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprint_calls_get(
    footprint_call_id: str,
) -> Call[records.FootprintCall]:
    """Read one call: what is sent, and how far it came.

    GET /footprint_calls/{footprint_call_id}

    Args:
        footprint_call_id: Which footprint call.

    """
    return call(
        "GET",
        "/footprint_calls/{footprint_call_id}",
        records.FootprintCall,
        names={"footprint_call_id": footprint_call_id},
    )


def footprint_calls_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    partner_id: str | None = None,
    kind: Literal["published", "request_created", "request_fulfilled", "request_rejected", "read"]
    | None = None,
    state: Literal["pending", "delivered", "failed"] | None = None,
) -> Listing[records.FootprintCall]:
    """List what is sent to partners and read from them, the newest first.

    GET /footprint_calls

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        partner_id: Only records whose partner_id is the value given: the number of a partner.
        kind: Only records whose kind is the value given: published, request_created, request_fulfilled,
            request_rejected, read.
        state: Only records whose state is the value given: pending, delivered, failed.

    """
    return Listing(
        call(
            "GET",
            "/footprint_calls",
            Page[records.FootprintCall],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[partner_id][eq]": partner_id,
                "filter[kind][eq]": kind,
                "filter[state][eq]": state,
            },
        )
    )


def footprint_clients_create(
    *,
    name: str,
    partner_id: int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedFootprintClient]:
    """Create a client that may read footprints; the answer shows its secret this once.

    POST /footprint_clients

    Args:
        name: Whose client it is, in the words of whoever made it.
        partner_id: The number of the partner whose client it is, who is sent answers to its requests;
            null for none.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprint_clients",
        records.IssuedFootprintClient,
        body={"footprint_client": {"name": name, "partner_id": partner_id}},
        takes_key=True,
        key=idempotency_key,
    )


def footprint_clients_get(
    footprint_client_id: str,
) -> Call[records.FootprintClient]:
    """Read one client, without its secret.

    GET /footprint_clients/{footprint_client_id}

    Args:
        footprint_client_id: Which footprint client.

    """
    return call(
        "GET",
        "/footprint_clients/{footprint_client_id}",
        records.FootprintClient,
        names={"footprint_client_id": footprint_client_id},
    )


def footprint_clients_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    partner_id: str | None = None,
) -> Listing[records.FootprintClient]:
    """List the clients that may read footprints, without their secrets.

    GET /footprint_clients

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        partner_id: Only records whose partner_id is the value given: the number of a partner.

    """
    return Listing(
        call(
            "GET",
            "/footprint_clients",
            Page[records.FootprintClient],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[partner_id][eq]": partner_id},
        )
    )


def footprint_clients_revoke(
    footprint_client_id: str,
) -> Call[None]:
    """Revoke a client: it and its tokens open nothing any more, and it stays in the list.

    DELETE /footprint_clients/{footprint_client_id}

    Args:
        footprint_client_id: Which footprint client.

    """
    return call(
        "DELETE",
        "/footprint_clients/{footprint_client_id}",
        None,
        names={"footprint_client_id": footprint_client_id},
    )


def footprint_clients_update(
    footprint_client_id: str,
    *,
    name: str | UnsetType = UNSET,
    partner_id: int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintClient]:
    """Change the name of a client or whose it is; its id, its secret and its tokens stay as they are.

    PATCH /footprint_clients/{footprint_client_id}

    Args:
        footprint_client_id: Which footprint client.
        name: Whose client it is, in the words of whoever made it.
        partner_id: The number of the partner whose client it is, who is sent answers to its requests;
            null for none.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/footprint_clients/{footprint_client_id}",
        records.FootprintClient,
        names={"footprint_client_id": footprint_client_id},
        body={"footprint_client": {"name": name, "partner_id": partner_id}},
        takes_key=True,
        key=idempotency_key,
    )


def footprint_events_get(
    footprint_event_id: str,
) -> Call[records.FootprintEvent]:
    """Read one event, as it came.

    GET /footprint_events/{footprint_event_id}

    Args:
        footprint_event_id: Which footprint event.

    """
    return call(
        "GET",
        "/footprint_events/{footprint_event_id}",
        records.FootprintEvent,
        names={"footprint_event_id": footprint_event_id},
    )


def footprint_events_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    client_id: str | None = None,
    type: Literal[
        "org.wbcsd.pact.ProductFootprint.PublishedEvent.3",
        "org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3",
        "org.wbcsd.pact.ProductFootprint.RequestFulfilledEvent.3",
        "org.wbcsd.pact.ProductFootprint.RequestRejectedEvent.3",
    ]
    | None = None,
    received_at_geq: Time | None = None,
    received_at_leq: Time | None = None,
) -> Listing[records.FootprintEvent]:
    """List the events that clients have sent, the newest first.

    GET /footprint_events

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        client_id: Only records whose client_id is the value given: the number of a client.
        type: Only records whose type is the value given:
            org.wbcsd.pact.ProductFootprint.PublishedEvent.3,
            org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3,
            org.wbcsd.pact.ProductFootprint.RequestFulfilledEvent.3,
            org.wbcsd.pact.ProductFootprint.RequestRejectedEvent.3.
        received_at_geq: Only records whose received_at is at or after the value given: a time with an
            offset or Z.
        received_at_leq: Only records whose received_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/footprint_events",
            Page[records.FootprintEvent],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[client_id][eq]": client_id,
                "filter[type][eq]": type,
                "filter[received_at][geq]": received_at_geq,
                "filter[received_at][leq]": received_at_leq,
            },
        )
    )


def footprint_partners_create(
    *,
    name: str,
    address: str,
    client_id: str,
    client_secret: str,
    token_address: str | UnsetType = UNSET,
    is_notified: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintPartner]:
    """Create a partner: where its footprints are read and events are sent; its secret is never shown.

    POST /footprint_partners

    Args:
        name: What people call the partner; once in the account.
        address: What stands before `/3/footprints` there, such as `https://partner.example/pact`.
        client_id: What the partner calls this service.
        client_secret: The secret that the partner gave this service; it is kept and never shown.
        token_address: Where tokens are asked for; left out, the address and `/auth/token`.
        is_notified: Whether it is told of every new footprint, and of each that is deprecated.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprint_partners",
        records.FootprintPartner,
        body={
            "footprint_partner": {
                "name": name,
                "address": address,
                "client_id": client_id,
                "client_secret": client_secret,
                "token_address": token_address,
                "is_notified": is_notified,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprint_partners_get(
    footprint_partner_id: str,
) -> Call[records.FootprintPartner]:
    """Read one partner, without the secret.

    GET /footprint_partners/{footprint_partner_id}

    Args:
        footprint_partner_id: Which footprint partner.

    """
    return call(
        "GET",
        "/footprint_partners/{footprint_partner_id}",
        records.FootprintPartner,
        names={"footprint_partner_id": footprint_partner_id},
    )


def footprint_partners_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.FootprintPartner]:
    """List the partners with whom footprints are exchanged.

    GET /footprint_partners

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/footprint_partners",
            Page[records.FootprintPartner],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def footprint_partners_update(
    footprint_partner_id: str,
    *,
    name: str | UnsetType = UNSET,
    address: str | UnsetType = UNSET,
    client_id: str | UnsetType = UNSET,
    client_secret: str | UnsetType = UNSET,
    token_address: str | UnsetType = UNSET,
    is_notified: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintPartner]:
    """Change a partner; what waits to be sent goes to the new address.

    PATCH /footprint_partners/{footprint_partner_id}

    Args:
        footprint_partner_id: Which footprint partner.
        name: What people call the partner; once in the account.
        address: What stands before `/3/footprints` there, such as `https://partner.example/pact`.
        client_id: What the partner calls this service.
        client_secret: Another secret. Required with another address: the one that is kept is not sent
            there.
        token_address: Where tokens are asked for.
        is_notified: Whether it is told of every new footprint, and of each that is deprecated.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/footprint_partners/{footprint_partner_id}",
        records.FootprintPartner,
        names={"footprint_partner_id": footprint_partner_id},
        body={
            "footprint_partner": {
                "name": name,
                "address": address,
                "client_id": client_id,
                "client_secret": client_secret,
                "token_address": token_address,
                "is_notified": is_notified,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprint_products_create(
    *,
    name: str,
    company_name: str,
    company_ids: Sequence[str],
    product_ids: Sequence[str],
    declared_unit: Literal[
        "liter",
        "kilogram",
        "cubic meter",
        "kilowatt hour",
        "megajoule",
        "ton kilometer",
        "square meter",
        "piece",
        "hour",
        "megabit second",
    ],
    mass_per_declared_unit: Decimal | int,
    quantity: str,
    amounts: Mapping[str, Any],
    properties: Mapping[str, Any],
    product_classifications: Sequence[str] | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    comment: str | UnsetType | None = UNSET,
    declared_amount: Decimal | int | UnsetType = UNSET,
    geography: str | UnsetType | None = UNSET,
    exempted_percent: Decimal | int | UnsetType = UNSET,
    states_primary_data_share: bool | UnsetType = UNSET,
    valid_months: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintProduct]:
    """Create a product, of which footprints can be made.

    POST /footprint_products

    Args:
        name: What the company calls the product, such as `Bioethanol 98 %`; once in the account.
        company_name: The company whose footprint it is.
        company_ids: What identifies the company, as URNs such as `urn:company:example:plant`.
        product_ids: What identifies the product, as URNs such as `urn:gtin:4712345060507`.
        declared_unit: The unit that the product is declared in, such as `liter`.
        mass_per_declared_unit: The mass of the product in kg, without packaging, of a declared unit;
            zero where that means nothing.
        quantity: Where the amount of the product comes from: `amount` of the batch or report, or
            `node:slug`.
        amounts: Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with
            a minus before it, or a number for each declared unit, such as `{"fossilGhgEmissions":
            "node:emissions"}`.
        properties: What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
            `crossSectoralStandards`, and what the product has besides.
        product_classifications: Classes of the product, as URNs such as
            `urn:pact:productclassification:un-cpc:3413`.
        description: What the product is: its feedstock, process and packaging.
        comment: What its footprints say of how they are calculated; null when nothing.
        declared_amount: How many of these units one footprint is of.
        geography: Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of
            the United Nations (`Western Europe`); null for everywhere.
        exempted_percent: The percentage of emissions that is left out, from 0 to 100.
        states_primary_data_share: Whether `primaryDataShare` is stated, as the measured share of the
            amount.
        valid_months: How many months a footprint is valid from the end of its period, from 1 to 36.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprint_products",
        records.FootprintProduct,
        body={
            "footprint_product": {
                "name": name,
                "company_name": company_name,
                "company_ids": company_ids,
                "product_ids": product_ids,
                "declared_unit": declared_unit,
                "mass_per_declared_unit": mass_per_declared_unit,
                "quantity": quantity,
                "amounts": amounts,
                "properties": properties,
                "product_classifications": product_classifications,
                "description": description,
                "comment": comment,
                "declared_amount": declared_amount,
                "geography": geography,
                "exempted_percent": exempted_percent,
                "states_primary_data_share": states_primary_data_share,
                "valid_months": valid_months,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprint_products_get(
    footprint_product_id: str,
) -> Call[records.FootprintProduct]:
    """Read one product.

    GET /footprint_products/{footprint_product_id}

    Args:
        footprint_product_id: Which footprint product.

    """
    return call(
        "GET",
        "/footprint_products/{footprint_product_id}",
        records.FootprintProduct,
        names={"footprint_product_id": footprint_product_id},
    )


def footprint_products_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.FootprintProduct]:
    """List the products of which footprints are made.

    GET /footprint_products

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/footprint_products",
            Page[records.FootprintProduct],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def footprint_products_update(
    footprint_product_id: str,
    *,
    name: str | UnsetType = UNSET,
    company_name: str | UnsetType = UNSET,
    company_ids: Sequence[str] | UnsetType = UNSET,
    product_ids: Sequence[str] | UnsetType = UNSET,
    declared_unit: Literal[
        "liter",
        "kilogram",
        "cubic meter",
        "kilowatt hour",
        "megajoule",
        "ton kilometer",
        "square meter",
        "piece",
        "hour",
        "megabit second",
    ]
    | UnsetType = UNSET,
    mass_per_declared_unit: Decimal | int | UnsetType = UNSET,
    quantity: str | UnsetType = UNSET,
    amounts: Mapping[str, Any] | UnsetType = UNSET,
    properties: Mapping[str, Any] | UnsetType = UNSET,
    product_classifications: Sequence[str] | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    comment: str | UnsetType | None = UNSET,
    declared_amount: Decimal | int | UnsetType = UNSET,
    geography: str | UnsetType | None = UNSET,
    exempted_percent: Decimal | int | UnsetType = UNSET,
    states_primary_data_share: bool | UnsetType = UNSET,
    valid_months: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.FootprintProduct]:
    """Change a product; footprints that were made of it stay as they are.

    PATCH /footprint_products/{footprint_product_id}

    Args:
        footprint_product_id: Which footprint product.
        name: What the company calls the product, such as `Bioethanol 98 %`; once in the account.
        company_name: The company whose footprint it is.
        company_ids: What identifies the company, as URNs such as `urn:company:example:plant`.
        product_ids: What identifies the product, as URNs such as `urn:gtin:4712345060507`.
        declared_unit: The unit that the product is declared in, such as `liter`.
        mass_per_declared_unit: The mass of the product in kg, without packaging, of a declared unit;
            zero where that means nothing.
        quantity: Where the amount of the product comes from: `amount` of the batch or report, or
            `node:slug`.
        amounts: Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with
            a minus before it, or a number for each declared unit, such as `{"fossilGhgEmissions":
            "node:emissions"}`.
        properties: What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
            `crossSectoralStandards`, and what the product has besides.
        product_classifications: Classes of the product, as URNs such as
            `urn:pact:productclassification:un-cpc:3413`.
        description: What the product is: its feedstock, process and packaging.
        comment: What its footprints say of how they are calculated; null when nothing.
        declared_amount: How many of these units one footprint is of.
        geography: Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of
            the United Nations (`Western Europe`); null for everywhere.
        exempted_percent: The percentage of emissions that is left out, from 0 to 100.
        states_primary_data_share: Whether `primaryDataShare` is stated, as the measured share of the
            amount.
        valid_months: How many months a footprint is valid from the end of its period, from 1 to 36.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/footprint_products/{footprint_product_id}",
        records.FootprintProduct,
        names={"footprint_product_id": footprint_product_id},
        body={
            "footprint_product": {
                "name": name,
                "company_name": company_name,
                "company_ids": company_ids,
                "product_ids": product_ids,
                "declared_unit": declared_unit,
                "mass_per_declared_unit": mass_per_declared_unit,
                "quantity": quantity,
                "amounts": amounts,
                "properties": properties,
                "product_classifications": product_classifications,
                "description": description,
                "comment": comment,
                "declared_amount": declared_amount,
                "geography": geography,
                "exempted_percent": exempted_percent,
                "states_primary_data_share": states_primary_data_share,
                "valid_months": valid_months,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprints_check_of_sent(
    *,
    content: Mapping[str, Any],
    idempotency_key: str | None = None,
) -> Call[records.CheckedFootprint]:
    """Check a footprint: parts against totals, dates, units, forms of identifiers; nothing is stored.

    POST /footprints/check

    Args:
        content: A footprint: the object `ProductFootprint` of PACT.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprints/check",
        records.CheckedFootprint,
        body={"content": content},
        takes_key=True,
        key=idempotency_key,
    )


def footprints_create(
    *,
    product_id: int,
    batch_id: str | UnsetType = UNSET,
    report_id: str | UnsetType = UNSET,
    replaces: Sequence[str] | UnsetType = UNSET,
    comment: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Footprint]:
    """Make a footprint of a product from a batch or an accepted report, and tell partners of it.

    POST /footprints

    Args:
        product_id: The number of the product.
        batch_id: The batch that it is made from, such as `bat_…`.
        report_id: The accepted report that it is made from, such as `rpt_…`, instead of `batch_id`.
        replaces: The footprints that it takes the place of; left out, those of the same product that
            were made from this batch, or from a report that this one restates or came of.
        comment: What changed, or how it was calculated, besides what the product says.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprints",
        records.Footprint,
        body={
            "footprint": {
                "product_id": product_id,
                "batch_id": batch_id,
                "report_id": report_id,
                "replaces": replaces,
                "comment": comment,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def footprints_deprecate(
    footprint_id: str,
    *,
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.Footprint]:
    """Deprecate a footprint that nothing takes the place of, and tell partners; again, nothing changes.

    POST /footprints/{footprint_id}/deprecate

    Args:
        footprint_id: Which footprint.
        reason: Why it is not to be used any more, in a sentence.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/footprints/{footprint_id}/deprecate",
        records.Footprint,
        names={"footprint_id": footprint_id},
        body={"reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def footprints_get(
    footprint_id: str,
) -> Call[records.Footprint]:
    """Read one footprint.

    GET /footprints/{footprint_id}

    Args:
        footprint_id: Which footprint.

    """
    return call(
        "GET",
        "/footprints/{footprint_id}",
        records.Footprint,
        names={"footprint_id": footprint_id},
    )


def footprints_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    project_id: str | None = None,
    product_id: str | None = None,
    status: Literal["Active", "Deprecated"] | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Footprint]:
    """List the account's footprints, those that are deprecated included.

    GET /footprints

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -created_at, or what the cursor was written for.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        product_id: Only records whose product_id is the value given: the number of a product.
        status: Only records whose status is the value given: Active, Deprecated.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/footprints",
            Page[records.Footprint],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[project_id][eq]": project_id,
                "filter[product_id][eq]": product_id,
                "filter[status][eq]": status,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def gaps_list(
    project_id: str,
    event_type_id: str,
    *,
    start_time: str,
    end_time: str,
) -> Call[records.Gaps]:
    """List where an event type's meters lack valid values, and what stands before, after and in the gaps.

    GET /projects/{project_id}/event_types/{event_type_id}/gaps

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.
        start_time: The moment at which the range begins: slots that begin earlier are not in it.
        end_time: When it ends, at most 92 days later: slots from then on are not in it.

    """
    return call(
        "GET",
        "/projects/{project_id}/event_types/{event_type_id}/gaps",
        records.Gaps,
        names={"project_id": project_id, "event_type_id": event_type_id},
        query={"start_time": start_time, "end_time": end_time},
    )


def identity_providers_create(
    *,
    name: str,
    issuer: str,
    client_id: str,
    client_secret: str,
    domains: Sequence[str],
    roles: Sequence[Mapping[str, Any]],
    groups_claim: str | UnsetType = UNSET,
    is_required: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IdentityProvider]:
    """Create an identity provider: people of its domains sign in there, with the roles of their groups.

    POST /identity_providers

    Args:
        name: What people read on the button; once in the account.
        issuer: What the provider calls itself, below which its discovery document is, such as
            `https://id.example`.
        client_id: What the provider calls this service.
        client_secret: The secret that the provider gave this service; it is stored encrypted and never
            shown.
        domains: The domains of the e-mail addresses of people who may sign in, such as `plant.example`.
        roles: The roles of groups. Whoever is in several groups may do what each of them may; whoever
            is in none of them is refused, and everybody while no group has a role.
        groups_claim: The claim in which the provider sends the groups of a person.
        is_required: Whether passwords of the account no longer sign in, but for people who keep theirs.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/identity_providers",
        records.IdentityProvider,
        body={
            "identity_provider": {
                "name": name,
                "issuer": issuer,
                "client_id": client_id,
                "client_secret": client_secret,
                "domains": domains,
                "roles": roles,
                "groups_claim": groups_claim,
                "is_required": is_required,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def identity_providers_delete(
    identity_provider_id: str,
) -> Call[None]:
    """Delete an identity provider: sessions that began there end, and its people need a password.

    DELETE /identity_providers/{identity_provider_id}

    Args:
        identity_provider_id: Which identity provider.

    """
    return call(
        "DELETE",
        "/identity_providers/{identity_provider_id}",
        None,
        names={"identity_provider_id": identity_provider_id},
    )


def identity_providers_get(
    identity_provider_id: str,
) -> Call[records.IdentityProvider]:
    """Read one identity provider, without its secret.

    GET /identity_providers/{identity_provider_id}

    Args:
        identity_provider_id: Which identity provider.

    """
    return call(
        "GET",
        "/identity_providers/{identity_provider_id}",
        records.IdentityProvider,
        names={"identity_provider_id": identity_provider_id},
    )


def identity_providers_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.IdentityProvider]:
    """List the identity providers by which people of the account sign in.

    GET /identity_providers

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/identity_providers",
            Page[records.IdentityProvider],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def identity_providers_update(
    identity_provider_id: str,
    *,
    name: str | UnsetType = UNSET,
    issuer: str | UnsetType = UNSET,
    client_id: str | UnsetType = UNSET,
    client_secret: str | UnsetType = UNSET,
    domains: Sequence[str] | UnsetType = UNSET,
    roles: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    groups_claim: str | UnsetType = UNSET,
    is_required: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IdentityProvider]:
    """Change an identity provider; people who are linked have the roles of their groups at once.

    PATCH /identity_providers/{identity_provider_id}

    Args:
        identity_provider_id: Which identity provider.
        name: What people read on the button; once in the account.
        issuer: What the provider calls itself, below which its discovery document is, such as
            `https://id.example`.
        client_id: What the provider calls this service.
        client_secret: Another secret. Required with another issuer: the one that is kept is not sent
            there.
        domains: The domains of the e-mail addresses of people who may sign in, such as `plant.example`.
        roles: The roles of groups. Whoever is in several groups may do what each of them may; whoever
            is in none of them is refused, and everybody while no group has a role.
        groups_claim: The claim in which the provider sends the groups of a person.
        is_required: Whether passwords of the account no longer sign in, but for people who keep theirs.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/identity_providers/{identity_provider_id}",
        records.IdentityProvider,
        names={"identity_provider_id": identity_provider_id},
        body={
            "identity_provider": {
                "name": name,
                "issuer": issuer,
                "client_id": client_id,
                "client_secret": client_secret,
                "domains": domains,
                "roles": roles,
                "groups_claim": groups_claim,
                "is_required": is_required,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def instruments_create(
    ledger_id: str,
    *,
    external_id: str,
    amount: Decimal | int,
    name: str | UnsetType | None = UNSET,
    geography: str | UnsetType | None = UNSET,
    generation_tech: Literal["wind", "solar", "other"] | UnsetType | None = UNSET,
    issued_on: str | UnsetType | None = UNSET,
    purchased_on: str | UnsetType | None = UNSET,
    mass: Decimal | int | UnsetType | None = UNSET,
    energy_intensity: Decimal | int | UnsetType | None = UNSET,
    lower_heating_value: Decimal | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Instrument]:
    """Enter an instrument of a system ledger, which it credits with its amount.

    POST /ledgers/{ledger_id}/instruments

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        external_id: The number that its registry gave it, once in the ledger.
        amount: What it credits its ledger with, in the ledger's unit; above zero, with no more decimals
            than the ledger's `scale`.
        name: What people call it; null when not said.
        geography: Where the energy or fuel was made, such as `US-CA`; null when not said.
        generation_tech: How the energy behind a renewable energy credit was made; null when not said.
        issued_on: The day on which the registry issued it, such as `2025-01-31`; null when not said.
        purchased_on: The day on which it was bought, such as `2025-02-14`; null when not said.
        mass: The mass of the fuel, in t; null when not said.
        energy_intensity: The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said.
        lower_heating_value: The lower heating value of the fuel, in MJ/kg; null when not said.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers/{ledger_id}/instruments",
        records.Instrument,
        names={"ledger_id": ledger_id},
        body={
            "instrument": {
                "external_id": external_id,
                "amount": amount,
                "name": name,
                "geography": geography,
                "generation_tech": generation_tech,
                "issued_on": issued_on,
                "purchased_on": purchased_on,
                "mass": mass,
                "energy_intensity": energy_intensity,
                "lower_heating_value": lower_heating_value,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def instruments_list(
    ledger_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    external_id: str | None = None,
) -> Listing[records.Instrument]:
    """List the instruments of a system ledger; other ledgers have none.

    GET /ledgers/{ledger_id}/instruments

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for.
        external_id: Only records whose external_id is the value given: an external id.

    """
    return Listing(
        call(
            "GET",
            "/ledgers/{ledger_id}/instruments",
            Page[records.Instrument],
            names={"ledger_id": ledger_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[external_id][eq]": external_id,
            },
        )
    )


def ledgers_create(
    *,
    name: str,
    project_id: str | int,
    unit: str | UnsetType | None = UNSET,
    model_id: str | UnsetType | None = UNSET,
    output: str | UnsetType | None = UNSET,
    asset_category: str | UnsetType | None = UNSET,
    display_places: int | UnsetType | None = UNSET,
    scale: int | UnsetType = UNSET,
    rounding: Literal["half_even", "down"] | UnsetType = UNSET,
    system_ledger_type: Literal["renewable_energy_credits", "renewable_fuel", "embodied_emissions"]
    | UnsetType
    | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Ledger]:
    """Create a ledger of the project that the body names.

    POST /ledgers

    Args:
        name: What people call it, once in the project, such as `Wood chips on stock`; models draw from
            it by that.
        unit: Required, unless the kind of a system ledger gives it.
        model_id: The version of the model that credits it, such as `mod_…`; it can be given later,
            once.
        output: The slug of the output of the model that it keeps; its primary output when left out.
        asset_category: What its batches are, in the project's own words, such as `feedstock`; null when
            not said.
        display_places: To how many decimals pages round its amounts, at most its scale; six significant
            digits without it.
        scale: How many decimals its amounts have.
        rounding: How it rounds; with `down` no total exceeds what was computed, and draws round up. It
            never changes.
        system_ledger_type: Makes a system ledger, which instruments credit instead of a model.
        project_id: The project, as `prj_…` or its number.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/ledgers",
        records.Ledger,
        body={
            "ledger": {
                "name": name,
                "unit": unit,
                "model_id": model_id,
                "output": output,
                "asset_category": asset_category,
                "display_places": display_places,
                "scale": scale,
                "rounding": rounding,
                "system_ledger_type": system_ledger_type,
                "project_id": project_id,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def ledgers_create_ledger_of_project(
    project_id: str,
    *,
    name: str,
    unit: str | UnsetType | None = UNSET,
    model_id: str | UnsetType | None = UNSET,
    output: str | UnsetType | None = UNSET,
    asset_category: str | UnsetType | None = UNSET,
    display_places: int | UnsetType | None = UNSET,
    scale: int | UnsetType = UNSET,
    rounding: Literal["half_even", "down"] | UnsetType = UNSET,
    system_ledger_type: Literal["renewable_energy_credits", "renewable_fuel", "embodied_emissions"]
    | UnsetType
    | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Ledger]:
    """Create a ledger of the project in the path.

    POST /projects/{project_id}/ledgers

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in the project, such as `Wood chips on stock`; models draw from
            it by that.
        unit: Required, unless the kind of a system ledger gives it.
        model_id: The version of the model that credits it, such as `mod_…`; it can be given later,
            once.
        output: The slug of the output of the model that it keeps; its primary output when left out.
        asset_category: What its batches are, in the project's own words, such as `feedstock`; null when
            not said.
        display_places: To how many decimals pages round its amounts, at most its scale; six significant
            digits without it.
        scale: How many decimals its amounts have.
        rounding: How it rounds; with `down` no total exceeds what was computed, and draws round up. It
            never changes.
        system_ledger_type: Makes a system ledger, which instruments credit instead of a model.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/ledgers",
        records.Ledger,
        names={"project_id": project_id},
        body={
            "ledger": {
                "name": name,
                "unit": unit,
                "model_id": model_id,
                "output": output,
                "asset_category": asset_category,
                "display_places": display_places,
                "scale": scale,
                "rounding": rounding,
                "system_ledger_type": system_ledger_type,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def ledgers_delete(
    ledger_id: str,
) -> Call[None]:
    """Remove a ledger to which nothing was ever posted.

    DELETE /ledgers/{ledger_id}

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/ledgers/{ledger_id}",
        None,
        names={"ledger_id": ledger_id},
    )


def ledgers_get(
    ledger_id: str,
    *,
    effective_at: Time | None = None,
    as_of: str | None = None,
) -> Call[records.Ledger]:
    """Read one ledger, with what it holds and is short of, now or at named times.

    GET /ledgers/{ledger_id}

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        effective_at: What was produced and drawn up to this moment, which ends the slots and periods
            that it closes; without it, everything.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}",
        records.Ledger,
        names={"ledger_id": ledger_id},
        query={"effective_at": effective_at, "as_of": as_of},
    )


def ledgers_list_deficits(
    ledger_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.Deficits]:
    """List the times in which more was drawn from the ledger than it had produced, by partition and slot.

    GET /ledgers/{ledger_id}/deficits

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}/deficits",
        records.Deficits,
        names={"ledger_id": ledger_id},
        query={"as_of": as_of},
    )


def ledgers_list(
    *,
    effective_at: Time | None = None,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    project_id: str | None = None,
) -> Listing[records.Ledger]:
    """List the account's ledgers, with what they hold and are short of, now or at named times.

    GET /ledgers

    Args:
        effective_at: What was produced and drawn up to this moment, which ends the slots and periods
            that it closes; without it, everything.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.

    """
    return Listing(
        call(
            "GET",
            "/ledgers",
            Page[records.Ledger],
            query={
                "effective_at": effective_at,
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": project_id,
            },
        )
    )


def ledgers_list_of_project(
    project_id: str,
    *,
    effective_at: Time | None = None,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    filter_project_id: str | None = None,
) -> Listing[records.Ledger]:
    """List the ledgers of a project, with what they hold and are short of, now or at named times.

    GET /projects/{project_id}/ledgers

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        effective_at: What was produced and drawn up to this moment, which ends the slots and periods
            that it closes; without it, everything.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/ledgers",
            Page[records.Ledger],
            names={"project_id": project_id},
            query={
                "effective_at": effective_at,
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": filter_project_id,
            },
        )
    )


def ledgers_list_required_inputs(
    ledger_id: str,
) -> Call[records.RequiredInputs]:
    """List the inputs that the ledger's model needs.

    GET /ledgers/{ledger_id}/required_inputs

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}/required_inputs",
        records.RequiredInputs,
        names={"ledger_id": ledger_id},
    )


def ledgers_update(
    ledger_id: str,
    *,
    name: str | UnsetType = UNSET,
    asset_category: str | UnsetType | None = UNSET,
    display_places: int | UnsetType | None = UNSET,
    model_id: str | UnsetType = UNSET,
    output: str | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Ledger]:
    """Change a ledger's name or asset category, or give it a model while it has none.

    PATCH /ledgers/{ledger_id}

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        name: What people call it, once in the project, such as `Wood chips on stock`; models draw from
            it by that.
        asset_category: What its batches are, in the project's own words, such as `feedstock`; null when
            not said.
        display_places: To how many decimals pages round its amounts, at most its scale; null for six
            significant digits. All answers of the interface have every digit.
        model_id: The model that it runs, once and for all; only while it has none.
        output: With a model, the output of it that the ledger keeps; its primary output when left out.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/ledgers/{ledger_id}",
        records.Ledger,
        names={"ledger_id": ledger_id},
        body={
            "ledger": {
                "name": name,
                "asset_category": asset_category,
                "display_places": display_places,
                "model_id": model_id,
                "output": output,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def locations_create(
    project_id: str,
    *,
    name: str,
    lat: Decimal | int | UnsetType | None = UNSET,
    long: Decimal | int | UnsetType | None = UNSET,
    address: Mapping[str, Any] | UnsetType | None = UNSET,
    in_service_from: Time | UnsetType | None = UNSET,
    in_service_until: Time | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Location]:
    """Create a location.

    POST /projects/{project_id}/locations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in the project, such as `Plant North`.
        lat: The latitude in degrees from -90 to 90, as a number or a text.
        long: The longitude in degrees from -180 to 180, as a number or a text.
        address: Its postal address, which a change replaces as a whole; null when not said.
        in_service_from: From when it is expected to measure, inclusive, as a meter of events without an
            asset; null says nothing.
        in_service_until: Until when it is expected to measure, exclusive; null says nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/locations",
        records.Location,
        names={"project_id": project_id},
        body={
            "location": {
                "name": name,
                "lat": lat,
                "long": long,
                "address": address,
                "in_service_from": in_service_from,
                "in_service_until": in_service_until,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def locations_delete(
    project_id: str,
    location_id: str,
) -> Call[None]:
    """Remove a location that no event names.

    DELETE /projects/{project_id}/locations/{location_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        location_id: The friendly id of the location: loc_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/locations/{location_id}",
        None,
        names={"project_id": project_id, "location_id": location_id},
    )


def locations_get(
    project_id: str,
    location_id: str,
) -> Call[records.Location]:
    """Read one location.

    GET /projects/{project_id}/locations/{location_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        location_id: The friendly id of the location: loc_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/projects/{project_id}/locations/{location_id}",
        records.Location,
        names={"project_id": project_id, "location_id": location_id},
    )


def locations_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    filter_project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Location]:
    """List a project's locations; events name them by id.

    GET /projects/{project_id}/locations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/locations",
            Page[records.Location],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": filter_project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def locations_list_locations_of_account(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    project_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Location]:
    """List the locations of all projects of the account.

    GET /locations

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/locations",
            Page[records.Location],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": project_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def locations_update(
    project_id: str,
    location_id: str,
    *,
    name: str | UnsetType = UNSET,
    lat: Decimal | int | UnsetType | None = UNSET,
    long: Decimal | int | UnsetType | None = UNSET,
    address: Mapping[str, Any] | UnsetType | None = UNSET,
    in_service_from: Time | UnsetType | None = UNSET,
    in_service_until: Time | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Location]:
    """Change a location; its name is fixed once batches were made of its events.

    PATCH /projects/{project_id}/locations/{location_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        location_id: The friendly id of the location: loc_ and 24 hexadecimal digits.
        name: What people call it, once in the project, such as `Plant North`.
        lat: The latitude in degrees from -90 to 90, as a number or a text.
        long: The longitude in degrees from -180 to 180, as a number or a text.
        address: Its postal address, which a change replaces as a whole; null when not said.
        in_service_from: From when it is expected to measure, inclusive, as a meter of events without an
            asset; null says nothing.
        in_service_until: Until when it is expected to measure, exclusive; null says nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/locations/{location_id}",
        records.Location,
        names={"project_id": project_id, "location_id": location_id},
        body={
            "location": {
                "name": name,
                "lat": lat,
                "long": long,
                "address": address,
                "in_service_from": in_service_from,
                "in_service_until": in_service_until,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def methodologies_create(
    *,
    name: str,
    version: str,
    report_type: str,
    model_ids: Sequence[str] | UnsetType = UNSET,
    model_versions: Mapping[str, Any] | UnsetType = UNSET,
    other_versions: Literal["refuse", "note"] | UnsetType = UNSET,
    ledgers: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    submission_requirements: Sequence[Literal["no_open_alerts", "evidence"]] | UnsetType = UNSET,
    measured_share_min: Decimal | int | UnsetType | None = UNSET,
    registry_id: int | UnsetType | None = UNSET,
    mapping: Mapping[str, Any] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Methodology]:
    """Create a methodology, once by name and version; it never changes.

    POST /methodologies

    Args:
        name: What the methodology is called, such as `Biochar carbon removal`; once in each version.
        version: The version as its owner writes it, such as `2.1`.
        report_type: The type of the reports that follow it, such as `quarterly`.
        model_ids: The models that implement it, such as `mod_…`.
        model_versions: By an id in `model_ids` the versions of the model that implement it, such as
            `{"mod_…": [2, 3]}`; any version of a model that is not in it.
        other_versions: What becomes of a report with batches of other versions: `refuse` its
            submission, or `note` them.
        ledgers: The ledgers that its reports take of, each in its role, the first of them in the unit
            of the reports; empty where a report takes of one.
        submission_requirements: What must hold of a report before it is sent off, beside what must
            always hold.
        measured_share_min: How much of what a report takes has to be measured, from 0 to 1; null where
            it asks for none.
        registry_id: The registry that its reports go to, unless a submission names another one.
        mapping: How its reports are written: `format`, `template` and, if they are checked, `schema`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/methodologies",
        records.Methodology,
        body={
            "methodology": {
                "name": name,
                "version": version,
                "report_type": report_type,
                "model_ids": model_ids,
                "model_versions": model_versions,
                "other_versions": other_versions,
                "ledgers": ledgers,
                "submission_requirements": submission_requirements,
                "measured_share_min": measured_share_min,
                "registry_id": registry_id,
                "mapping": mapping,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def methodologies_get(
    methodology_id: str,
) -> Call[records.Methodology]:
    """Read one methodology.

    GET /methodologies/{methodology_id}

    Args:
        methodology_id: Which methodology.

    """
    return call(
        "GET",
        "/methodologies/{methodology_id}",
        records.Methodology,
        names={"methodology_id": methodology_id},
    )


def methodologies_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.Methodology]:
    """List the account's methodologies.

    GET /methodologies

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/methodologies",
            Page[records.Methodology],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def methodology_packages_create(
    *,
    name: str,
    idempotency_key: str | None = None,
) -> Call[records.MethodologyPackage]:
    """Take a methodology package into the account: a file, or by name one that ships with the service.

    POST /methodology_packages

    Args:
        name: The name of a package that ships with the service, such as `stationary-combustion`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/methodology_packages",
        records.MethodologyPackage,
        body={"methodology_package": {"name": name}},
        takes_key=True,
        key=idempotency_key,
    )


def methodology_packages_delete(
    methodology_package_id: str,
) -> Call[None]:
    """Remove a methodology package that is installed in no project.

    DELETE /methodology_packages/{methodology_package_id}

    Args:
        methodology_package_id: Which methodology package.

    """
    return call(
        "DELETE",
        "/methodology_packages/{methodology_package_id}",
        None,
        names={"methodology_package_id": methodology_package_id},
    )


def methodology_packages_download(
    methodology_package_id: str,
) -> Call[bytes]:
    """Download the file of a methodology package, the very bytes that were uploaded.

    GET /methodology_packages/{methodology_package_id}/content

    Args:
        methodology_package_id: Which methodology package.

    """
    return call(
        "GET",
        "/methodology_packages/{methodology_package_id}/content",
        bytes,
        names={"methodology_package_id": methodology_package_id},
    )


def methodology_packages_get(
    methodology_package_id: str,
) -> Call[records.MethodologyPackage]:
    """Read one methodology package with all that it brings: sources, models with their cases, and records.

    GET /methodology_packages/{methodology_package_id}

    Args:
        methodology_package_id: Which methodology package.

    """
    return call(
        "GET",
        "/methodology_packages/{methodology_package_id}",
        records.MethodologyPackage,
        names={"methodology_package_id": methodology_package_id},
    )


def methodology_packages_list_library_packages() -> Call[records.LibraryPackages]:
    """List the methodology packages that ship with the service, and whether the account has taken them.

    GET /library_packages
    """
    return call(
        "GET",
        "/library_packages",
        records.LibraryPackages,
    )


def methodology_packages_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    publisher: str | None = None,
) -> Listing[records.MethodologyPackage]:
    """List the account's methodology packages, the newest first; what they bring is in each by itself.

    GET /methodology_packages

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        name: Only records whose name is the value given: the name of a package.
        publisher: Only records whose publisher is the value given: a publisher.

    """
    return Listing(
        call(
            "GET",
            "/methodology_packages",
            Page[records.MethodologyPackage],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[publisher][eq]": publisher,
            },
        )
    )


def model_runs_create(
    model_id: str,
    *,
    start_time: Time,
    end_time: Time,
    data_point_ids: Sequence[str],
    idempotency_key: str | None = None,
) -> Call[records.ModelRun]:
    """Evaluate one version of a model at once over the data points that are named; it credits no ledger.

    POST /models/{model_id}/model_runs

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        start_time: The start of the period that it computes, inclusive.
        end_time: The end of that period, exclusive.
        data_point_ids: The friendly ids of the data points to evaluate, up to 10,000, such as `in_…`.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/model_runs",
        records.ModelRun,
        names={"model_id": model_id},
        body={
            "model_run": {"start_time": start_time, "end_time": end_time, "data_point_ids": data_point_ids}
        },
        takes_key=True,
        key=idempotency_key,
    )


def model_runs_delete(
    model_run_id: str,
) -> Call[None]:
    """Delete a run that stands alone; 422 with every blocker and its records for one behind a batch.

    DELETE /model_runs/{model_run_id}

    Args:
        model_run_id: The friendly id of the model run: mr_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/model_runs/{model_run_id}",
        None,
        names={"model_run_id": model_run_id},
    )


def model_runs_get(
    model_run_id: str,
) -> Call[records.ModelRun]:
    """Read one run with the value of every node; that behind a batch has the batch's values.

    GET /model_runs/{model_run_id}

    Args:
        model_run_id: The friendly id of the model run: mr_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/model_runs/{model_run_id}",
        records.ModelRun,
        names={"model_run_id": model_run_id},
    )


def model_runs_list(
    model_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
    state: Literal["complete", "failed", "processing"] | None = None,
) -> Listing[records.ModelRun]:
    """List the runs of one version of a model: those that stand alone, and those behind its batches.

    GET /models/{model_id}/model_runs

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for. By end_time, state, created_at,
            updated_at, or by several, at most 10,000 records are sorted.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.
        state: Only records whose state is the value given: complete or failed or processing.

    """
    return Listing(
        call(
            "GET",
            "/models/{model_id}/model_runs",
            Page[records.ModelRun],
            names={"model_id": model_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
                "filter[state][eq]": state,
            },
        )
    )


def models_activate(
    model_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.Model]:
    """Make a version the active one, which ledgers run from then on; the body may be left out.

    POST /models/{model_id}/activate

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/activate",
        records.Model,
        names={"model_id": model_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def models_compare(
    model_id: str,
    *,
    to: str,
) -> Call[records.Difference]:
    """Compare two versions node by node: what was added, removed and changed on the way to the other.

    GET /models/{model_id}/difference

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        to: The id of the version to compare with.

    """
    return call(
        "GET",
        "/models/{model_id}/difference",
        records.Difference,
        names={"model_id": model_id},
        query={"to": to},
    )


def models_create(
    *,
    yaml: str,
    project_id: str | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Model]:
    """Create a model from its YAML document, which is checked whole: units, names, its own cases.

    POST /models

    Args:
        yaml: The document, as text in the model language.
        project_id: The project that it belongs to, as `prj_…` or its number; left out, all projects may
            run it.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models",
        records.Model,
        body={"model": {"yaml": yaml, "project_id": project_id}},
        takes_key=True,
        key=idempotency_key,
    )


def models_create_model_version(
    model_id: str,
    *,
    yaml: str,
    version_label: str | UnsetType | None = UNSET,
    description: str | UnsetType | None = UNSET,
    activate: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Model]:
    """Create the next version of a model, with an id of its own; 409 unless the path names the latest.

    POST /models/{model_id}/versions

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        yaml: The document, as text in the model language.
        version_label: What people call the version, up to 255 characters.
        description: What people write about the version, up to 500 characters.
        activate: Whether generations are to run it from now on.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/versions",
        records.Model,
        names={"model_id": model_id},
        body={"yaml": yaml, "version_label": version_label, "description": description, "activate": activate},
        takes_key=True,
        key=idempotency_key,
    )


def models_download_model_document(
    model_id: str,
) -> Call[str]:
    """Download the YAML document of a version, character by character as it was saved.

    GET /models/{model_id}/document

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/models/{model_id}/document",
        str,
        names={"model_id": model_id},
    )


def models_get(
    model_id: str,
) -> Call[records.Model]:
    """Read one version of a model.

    GET /models/{model_id}

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/models/{model_id}",
        records.Model,
        names={"model_id": model_id},
    )


def models_get_model_schema(
    model_id: str,
) -> Call[records.Schema]:
    """Read what a version takes from outside, what it gives, and an example of a simulation.

    GET /models/{model_id}/schema

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/models/{model_id}/schema",
        records.Schema,
        names={"model_id": model_id},
    )


def models_list_model_versions(
    model_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.Model]:
    """List the versions of a model, whichever of them the path names.

    GET /models/{model_id}/versions

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is version, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/models/{model_id}/versions",
            Page[records.Model],
            names={"model_id": model_id},
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def models_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    project_id: str | None = None,
) -> Listing[records.Model]:
    """List the account's models, every version of each.

    GET /models

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.

    """
    return Listing(
        call(
            "GET",
            "/models",
            Page[records.Model],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": project_id,
            },
        )
    )


def models_list_of_project(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    filter_project_id: str | None = None,
) -> Listing[records.Model]:
    """List the models of a project, every version of each.

    GET /projects/{project_id}/models

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        filter_project_id: Only records whose project_id is the value given: an id prj_… or a project's
            number.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/models",
            Page[records.Model],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[project_id][eq]": filter_project_id,
            },
        )
    )


def models_set_version_label(
    model_id: str,
    *,
    version_label: str | None,
    idempotency_key: str | None = None,
) -> Call[records.Model]:
    """Set the label of a version; null or an empty text clears it.

    PATCH /models/{model_id}/version_label

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        version_label: What people call the version, up to 255 characters; null or an empty text clears
            it.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/models/{model_id}/version_label",
        records.Model,
        names={"model_id": model_id},
        body={"model": {"version_label": version_label}},
        takes_key=True,
        key=idempotency_key,
    )


def models_simulate(
    model_id: str,
    *,
    inputs: Mapping[str, Any],
    start_time: Time,
    end_time: Time,
    partition: Mapping[str, Any] | UnsetType = UNSET,
    durations: Mapping[str, Any] | UnsetType = UNSET,
    uncertainties: Mapping[str, Any] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Simulated]:
    """Compute a version once from the values given; nothing is stored.

    POST /models/{model_id}/simulate

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        inputs: Numbers, or lists of numbers, by the slug of the node or of its data point type, in the
            unit of the node.
        start_time: The start of the slot that is computed, inclusive.
        end_time: The end of the slot that is computed, exclusive.
        partition: The values of the partition for formulas that read them, such as `{"feedstock": "Wood
            chips"}`.
        durations: How many hours each event lasted, as a list by the slug of the node, for formulas
            that ask.
        uncertainties: How well the values of a node are known, by its slug, in place of what the
            document states of them.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/simulate",
        records.Simulated,
        names={"model_id": model_id},
        body={
            "inputs": inputs,
            "start_time": start_time,
            "end_time": end_time,
            "partition": partition,
            "durations": durations,
            "uncertainties": uncertainties,
        },
        takes_key=True,
        key=idempotency_key,
    )


def models_update(
    model_id: str,
    *,
    name: str | UnsetType = UNSET,
    order: int | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Model]:
    """Change the name, order or description of a version; what it computes changes only by a new version.

    PATCH /models/{model_id}

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        name: What the document calls the model, or what it was renamed to, such as `Biochar storage`.
        order: Where the version stands in a list that is sorted by `order`; the smaller goes first.
        description: What people write about the version, up to 500 characters; null when there is
            nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/models/{model_id}",
        records.Model,
        names={"model_id": model_id},
        body={"model": {"name": name, "order": order, "description": description}},
        takes_key=True,
        key=idempotency_key,
    )


def models_validate_model_yaml(
    model_id: str,
    *,
    yaml: str,
    idempotency_key: str | None = None,
) -> Call[records.Validation]:
    """Say everything that is wrong with a document that is to be the next version; nothing is stored.

    POST /models/{model_id}/yaml_validate

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        yaml: The document, as text in the model language.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/yaml_validate",
        records.Validation,
        names={"model_id": model_id},
        body={"yaml": yaml},
        takes_key=True,
        key=idempotency_key,
    )


def models_validate_yaml(
    *,
    yaml: str,
    project_id: str | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Validation]:
    """Say everything that is wrong with a document, with lines and columns; nothing is stored.

    POST /models/yaml_validate

    Args:
        yaml: The document, as text in the model language.
        project_id: The project whose event types and ledgers it may name, as `prj_…` or its number.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/yaml_validate",
        records.Validation,
        body={"yaml": yaml, "project_id": project_id},
        takes_key=True,
        key=idempotency_key,
    )


def outages_create(
    project_id: str,
    *,
    reason: str,
    start_time: Time,
    end_time: Time | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    location_id: str | UnsetType | None = UNSET,
    event_type_id: str | UnsetType | None = UNSET,
    evidence_url: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Outage]:
    """Declare an outage of an asset, of a location, of all meters of an event type, or of the project.

    POST /projects/{project_id}/outages

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        reason: Why nothing was measured, such as `Calibration of the analyser`.
        start_time: From when nothing is expected, inclusive.
        end_time: Until when nothing is expected, exclusive; null while it lasts.
        asset_id: The friendly id of the asset that was out; null when it names none.
        location_id: The friendly id of the location that was out, as a meter of its own; null when it
            names none.
        event_type_id: The event type that it is about: alone, all meters of it; null when it is about
            all event types.
        evidence_url: A link to what proves it, such as a page of the logbook; null without one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/outages",
        records.Outage,
        names={"project_id": project_id},
        body={
            "outage": {
                "reason": reason,
                "start_time": start_time,
                "end_time": end_time,
                "asset_id": asset_id,
                "location_id": location_id,
                "event_type_id": event_type_id,
                "evidence_url": evidence_url,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def outages_delete(
    project_id: str,
    outage_id: int,
) -> Call[None]:
    """Remove an outage, so that measurements are expected in its time again.

    DELETE /projects/{project_id}/outages/{outage_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        outage_id: The number of the outage.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/outages/{outage_id}",
        None,
        names={"project_id": project_id, "outage_id": outage_id},
    )


def outages_get(
    project_id: str,
    outage_id: int,
) -> Call[records.Outage]:
    """Read one outage.

    GET /projects/{project_id}/outages/{outage_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        outage_id: The number of the outage.

    """
    return call(
        "GET",
        "/projects/{project_id}/outages/{outage_id}",
        records.Outage,
        names={"project_id": project_id, "outage_id": outage_id},
    )


def outages_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    start_time_geq: Time | None = None,
    start_time_leq: Time | None = None,
    end_time_geq: Time | None = None,
    end_time_leq: Time | None = None,
) -> Listing[records.Outage]:
    """List a project's outages: when nothing was expected of which meter, and why.

    GET /projects/{project_id}/outages

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        start_time_geq: Only records whose start_time is at or after the value given: a time with an
            offset or Z.
        start_time_leq: Only records whose start_time is at or before the value given: a time with an
            offset or Z.
        end_time_geq: Only records whose end_time is at or after the value given: a time with an offset
            or Z.
        end_time_leq: Only records whose end_time is at or before the value given: a time with an offset
            or Z.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/outages",
            Page[records.Outage],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[start_time][geq]": start_time_geq,
                "filter[start_time][leq]": start_time_leq,
                "filter[end_time][geq]": end_time_geq,
                "filter[end_time][leq]": end_time_leq,
            },
        )
    )


def outages_update(
    project_id: str,
    outage_id: int,
    *,
    reason: str | UnsetType = UNSET,
    start_time: Time | UnsetType = UNSET,
    end_time: Time | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    location_id: str | UnsetType | None = UNSET,
    event_type_id: str | UnsetType | None = UNSET,
    evidence_url: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Outage]:
    """Change an outage, for example say when it ended; the audit log keeps what it said before.

    PATCH /projects/{project_id}/outages/{outage_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        outage_id: The number of the outage.
        reason: Why nothing was measured, such as `Calibration of the analyser`.
        start_time: From when nothing is expected, inclusive.
        end_time: Until when nothing is expected, exclusive; null while it lasts.
        asset_id: The friendly id of the asset that was out; null when it names none.
        location_id: The friendly id of the location that was out, as a meter of its own; null when it
            names none.
        event_type_id: The event type that it is about: alone, all meters of it; null when it is about
            all event types.
        evidence_url: A link to what proves it, such as a page of the logbook; null without one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/outages/{outage_id}",
        records.Outage,
        names={"project_id": project_id, "outage_id": outage_id},
        body={
            "outage": {
                "reason": reason,
                "start_time": start_time,
                "end_time": end_time,
                "asset_id": asset_id,
                "location_id": location_id,
                "event_type_id": event_type_id,
                "evidence_url": evidence_url,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def package_installations_create(
    project_id: str,
    *,
    package_id: int,
    keep_differing: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.PackageInstallation]:
    """Install a methodology package in a project, with the packages that it needs, all or nothing.

    POST /projects/{project_id}/package_installations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        package_id: The number of the package, of the account.
        keep_differing: Whether records of the same names that differ are left as they are; without it
            they refuse the installation.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/package_installations",
        records.PackageInstallation,
        names={"project_id": project_id},
        body={"package_installation": {"package_id": package_id, "keep_differing": keep_differing}},
        takes_key=True,
        key=idempotency_key,
    )


def package_installations_delete(
    package_installation_id: str,
) -> Call[records.PackageRemoval]:
    """Remove an installation with those of its records that nothing uses; says what stays, and why.

    DELETE /package_installations/{package_installation_id}

    Args:
        package_installation_id: The friendly id of the package installation: pki_ and 24 hexadecimal
            digits.

    """
    return call(
        "DELETE",
        "/package_installations/{package_installation_id}",
        records.PackageRemoval,
        names={"package_installation_id": package_installation_id},
    )


def package_installations_get(
    package_installation_id: str,
) -> Call[records.PackageInstallation]:
    """Read one installation: what was taken, and which of its records were changed here since.

    GET /package_installations/{package_installation_id}

    Args:
        package_installation_id: The friendly id of the package installation: pki_ and 24 hexadecimal
            digits.

    """
    return call(
        "GET",
        "/package_installations/{package_installation_id}",
        records.PackageInstallation,
        names={"package_installation_id": package_installation_id},
    )


def package_installations_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    record_id: str | None = None,
) -> Listing[records.PackageInstallation]:
    """List the packages that are installed in a project; their records are in each by itself.

    GET /projects/{project_id}/package_installations

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: the name of a package.
        record_id: Only records whose record_id holds the value given: the id of a record that came with
            a package.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/package_installations",
            Page[records.PackageInstallation],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[record_id][eq]": record_id,
            },
        )
    )


def package_installations_preview(
    project_id: str,
    *,
    package_id: int,
    keep_differing: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.InstallationPreview]:
    """Say what installing a methodology package would come to; nothing is stored.

    POST /projects/{project_id}/package_installations/preview

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        package_id: The number of the package, of the account.
        keep_differing: Whether records of the same names that differ are left as they are; without it
            they refuse the installation.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/package_installations/preview",
        records.InstallationPreview,
        names={"project_id": project_id},
        body={"package_installation": {"package_id": package_id, "keep_differing": keep_differing}},
        takes_key=True,
        key=idempotency_key,
    )


def package_installations_preview_package_upgrade(
    package_installation_id: str,
    *,
    package_id: int,
    keep_differing: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.UpgradePreview]:
    """Say what an upgrade would come to, record by record and ledger by ledger; nothing is stored.

    POST /package_installations/{package_installation_id}/upgrade/preview

    Args:
        package_installation_id: The friendly id of the package installation: pki_ and 24 hexadecimal
            digits.
        package_id: The number of a package of the account, of the same name and a higher version.
        keep_differing: Whether records that a new part would be called the same as, and that differ,
            are left as they are.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/package_installations/{package_installation_id}/upgrade/preview",
        records.UpgradePreview,
        names={"package_installation_id": package_installation_id},
        body={"upgrade": {"package_id": package_id, "keep_differing": keep_differing}},
        takes_key=True,
        key=idempotency_key,
    )


def package_installations_upgrade(
    package_installation_id: str,
    *,
    package_id: int,
    keep_differing: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.PackageUpgrade]:
    """Bring an installation to a higher version of its package, all or nothing.

    POST /package_installations/{package_installation_id}/upgrade

    Args:
        package_installation_id: The friendly id of the package installation: pki_ and 24 hexadecimal
            digits.
        package_id: The number of a package of the account, of the same name and a higher version.
        keep_differing: Whether records that a new part would be called the same as, and that differ,
            are left as they are.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/package_installations/{package_installation_id}/upgrade",
        records.PackageUpgrade,
        names={"package_installation_id": package_installation_id},
        body={"upgrade": {"package_id": package_id, "keep_differing": keep_differing}},
        takes_key=True,
        key=idempotency_key,
    )


def projects_create(
    *,
    name: str,
    description: str | UnsetType | None = UNSET,
    time_zone: str | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Project]:
    """Create a project.

    POST /projects

    Args:
        name: What people call it, such as `Plant North`.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        time_zone: The time zone that slots are cut in, by its IANA name.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects",
        records.Project,
        body={"project": {"name": name, "description": description, "time_zone": time_zone}},
        takes_key=True,
        key=idempotency_key,
    )


def projects_get(
    project_id: str,
) -> Call[records.Project]:
    """Read one project.

    GET /projects/{project_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.

    """
    return call(
        "GET",
        "/projects/{project_id}",
        records.Project,
        names={"project_id": project_id},
    )


def projects_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.Project]:
    """List the account's projects.

    GET /projects

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/projects",
            Page[records.Project],
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def projects_update(
    project_id: str,
    *,
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    time_zone: str | UnsetType = UNSET,
    status: Literal["active", "archived"] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Project]:
    """Change a project's name, description, status or, while it has no batches, its time zone.

    PATCH /projects/{project_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, such as `Plant North`.
        description: What people write about it, up to 10,000 characters; null when there is nothing.
        time_zone: The time zone that slots are cut in, by its IANA name.
        status: Whether it goes on; `archived` is a label, and keeps nobody from reading or writing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}",
        records.Project,
        names={"project_id": project_id},
        body={
            "project": {"name": name, "description": description, "time_zone": time_zone, "status": status}
        },
        takes_key=True,
        key=idempotency_key,
    )


def received_footprints_get(
    received_footprint_id: str,
) -> Call[records.ReceivedFootprint]:
    """Read one footprint of others, as it came.

    GET /received_footprints/{received_footprint_id}

    Args:
        received_footprint_id: Which received footprint.

    """
    return call(
        "GET",
        "/received_footprints/{received_footprint_id}",
        records.ReceivedFootprint,
        names={"received_footprint_id": received_footprint_id},
    )


def received_footprints_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    footprint_id: str | None = None,
    partner_id: str | None = None,
    client_id: str | None = None,
    received_at_geq: Time | None = None,
    received_at_leq: Time | None = None,
) -> Listing[records.ReceivedFootprint]:
    """List the footprints of others that were read or received, the newest first.

    GET /received_footprints

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        footprint_id: Only records whose footprint_id is the value given: what its owner calls it.
        partner_id: Only records whose partner_id is the value given: the number of a partner.
        client_id: Only records whose client_id is the value given: the number of a client.
        received_at_geq: Only records whose received_at is at or after the value given: a time with an
            offset or Z.
        received_at_leq: Only records whose received_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/received_footprints",
            Page[records.ReceivedFootprint],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[footprint_id][eq]": footprint_id,
                "filter[partner_id][eq]": partner_id,
                "filter[client_id][eq]": client_id,
                "filter[received_at][geq]": received_at_geq,
                "filter[received_at][leq]": received_at_leq,
            },
        )
    )


def registries_create(
    *,
    name: str,
    adapter: Literal["file", "http", "isometric_certify"],
    address: str | UnsetType | None = UNSET,
    status_address: str | UnsetType | None = UNSET,
    headers: Mapping[str, Any] | UnsetType = UNSET,
    timeout_seconds: int | UnsetType = UNSET,
    tries: int | UnsetType = UNSET,
    poll_seconds: int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Registry]:
    """Create a registry: where reports go; what its headers say is kept and never shown.

    POST /registries

    Args:
        name: What people call it, such as `Registry of removals`; once in the account.
        adapter: How reports get there: `http` posts them, `isometric_certify` makes them records of
            Isometric Certify, `file` keeps them for people to hand on.
        address: Where a report is posted; required unless it is `file`.
        status_address: Where it is asked for by its key, with `{key}` in it; left out, the address, a
            slash and the key.
        headers: Headers that prove who calls, such as `Authorization`; they are kept and never shown.
        timeout_seconds: From 1 to 120.
        tries: From 1 to 20.
        poll_seconds: From 1 to 86,400; 300 when left out, null where people write decisions down.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/registries",
        records.Registry,
        body={
            "registry": {
                "name": name,
                "adapter": adapter,
                "address": address,
                "status_address": status_address,
                "headers": headers,
                "timeout_seconds": timeout_seconds,
                "tries": tries,
                "poll_seconds": poll_seconds,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def registries_get(
    registry_id: str,
) -> Call[records.Registry]:
    """Read one registry.

    GET /registries/{registry_id}

    Args:
        registry_id: Which registry.

    """
    return call(
        "GET",
        "/registries/{registry_id}",
        records.Registry,
        names={"registry_id": registry_id},
    )


def registries_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Listing[records.Registry]:
    """List the account's registries.

    GET /registries

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.

    """
    return Listing(
        call(
            "GET",
            "/registries",
            Page[records.Registry],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[name][eq]": name},
        )
    )


def registries_update(
    registry_id: str,
    *,
    name: str | UnsetType = UNSET,
    address: str | UnsetType = UNSET,
    status_address: str | UnsetType = UNSET,
    headers: Mapping[str, Any] | UnsetType = UNSET,
    timeout_seconds: int | UnsetType = UNSET,
    tries: int | UnsetType = UNSET,
    poll_seconds: int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Registry]:
    """Change a registry; submissions under way go on with what is new.

    PATCH /registries/{registry_id}

    Args:
        registry_id: Which registry.
        name: What people call it, such as `Registry of removals`; once in the account.
        address: Where a report is posted, such as `https://registry.example/submissions`, or the base
            of the interface of Isometric Certify; null for `file`.
        status_address: Where it is asked for by its key, which stands for `{key}`; null unless the
            adapter is `http`.
        headers: All headers that prove who calls, instead of those that it has. Required with another
            address where it has any: those that are kept are not sent there.
        timeout_seconds: How long one request may take, to the end of its answer.
        tries: How often a submission is tried before its task fails.
        poll_seconds: How often it is asked for its decision on a report; null where people write that
            down.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/registries/{registry_id}",
        records.Registry,
        names={"registry_id": registry_id},
        body={
            "registry": {
                "name": name,
                "address": address,
                "status_address": status_address,
                "headers": headers,
                "timeout_seconds": timeout_seconds,
                "tries": tries,
                "poll_seconds": poll_seconds,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def registry_mappings_create(
    project_id: str,
    *,
    registry_id: int,
    ledger_id: str,
    contents: Mapping[str, Any],
    idempotency_key: str | None = None,
) -> Call[records.RegistryMapping]:
    """Map a ledger of a project to a registry with the adapter `isometric_certify`.

    POST /projects/{project_id}/registry_mappings

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        registry_id: The number of the registry, one with the adapter `isometric_certify`.
        ledger_id: The ledger whose reports are written by it.
        contents: The registry's project, removal template and components, with the values of ours that
            they take.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/registry_mappings",
        records.RegistryMapping,
        names={"project_id": project_id},
        body={"registry_mapping": {"registry_id": registry_id, "ledger_id": ledger_id, "contents": contents}},
        takes_key=True,
        key=idempotency_key,
    )


def registry_mappings_delete(
    project_id: str,
    registry_mapping_id: str,
) -> Call[None]:
    """Remove a mapping; reports that were submitted keep the plan that they were sent by.

    DELETE /projects/{project_id}/registry_mappings/{registry_mapping_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        registry_mapping_id: Which registry mapping.

    """
    return call(
        "DELETE",
        "/projects/{project_id}/registry_mappings/{registry_mapping_id}",
        None,
        names={"project_id": project_id, "registry_mapping_id": registry_mapping_id},
    )


def registry_mappings_get(
    project_id: str,
    registry_mapping_id: str,
) -> Call[records.RegistryMapping]:
    """Read one mapping to a registry.

    GET /projects/{project_id}/registry_mappings/{registry_mapping_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        registry_mapping_id: Which registry mapping.

    """
    return call(
        "GET",
        "/projects/{project_id}/registry_mappings/{registry_mapping_id}",
        records.RegistryMapping,
        names={"project_id": project_id, "registry_mapping_id": registry_mapping_id},
    )


def registry_mappings_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.RegistryMapping]:
    """List a project's mappings to registries.

    GET /projects/{project_id}/registry_mappings

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/registry_mappings",
            Page[records.RegistryMapping],
            names={"project_id": project_id},
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def registry_mappings_update(
    project_id: str,
    registry_mapping_id: str,
    *,
    contents: Mapping[str, Any] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.RegistryMapping]:
    """Change what a mapping says; reports that were submitted keep the plan that they were sent by.

    PATCH /projects/{project_id}/registry_mappings/{registry_mapping_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        registry_mapping_id: Which registry mapping.
        contents: The registry's project, removal template and components, with the values of ours that
            they take.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/projects/{project_id}/registry_mappings/{registry_mapping_id}",
        records.RegistryMapping,
        names={"project_id": project_id, "registry_mapping_id": registry_mapping_id},
        body={"registry_mapping": {"contents": contents}},
        takes_key=True,
        key=idempotency_key,
    )


def registry_statements_get(
    report_id: str,
) -> Call[records.RegistryStatement]:
    """Read what became of a report at Isometric Certify: its statement, its records there, and findings.

    GET /reports/{report_id}/registry_statement

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/registry_statement",
        records.RegistryStatement,
        names={"report_id": report_id},
    )


def registry_statements_list_registry_calls(
    report_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    method: str | None = None,
) -> Listing[records.RegistryCall]:
    """List the calls of Isometric Certify on behalf of a report: what was sent, and what came back.

    GET /reports/{report_id}/registry_calls

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        method: Only records whose method is the value given: a method such as `POST`.

    """
    return Listing(
        call(
            "GET",
            "/reports/{report_id}/registry_calls",
            Page[records.RegistryCall],
            names={"report_id": report_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[method][eq]": method},
        )
    )


def registry_statements_list_registry_catalogue(
    registry_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    kind: Literal[
        "project",
        "removal_template",
        "component_blueprint",
        "feedstock_type",
        "storage_location",
        "facility",
        "monitoring_requirement",
    ]
    | None = None,
    parent: str | None = None,
) -> Listing[records.CatalogueRecord]:
    """List what a registry had when it was read last: projects, removal templates, blueprints and places.

    GET /registries/{registry_id}/catalogue

    Args:
        registry_id: Which registry.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is name, or what the cursor was written for.
        kind: Only records whose kind is the value given: project, removal_template,
            component_blueprint, feedstock_type, storage_location, facility, monitoring_requirement.
        parent: Only records whose parent is the value given: the registry's id of a project.

    """
    return Listing(
        call(
            "GET",
            "/registries/{registry_id}/catalogue",
            Page[records.CatalogueRecord],
            names={"registry_id": registry_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[kind][eq]": kind,
                "filter[parent][eq]": parent,
            },
        )
    )


def registry_statements_read_registry_catalogue(
    registry_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.StartedCatalogue]:
    """Read anew what a registry with the adapter `isometric_certify` has, for mappings to choose from.

    POST /registries/{registry_id}/catalogue

    Args:
        registry_id: Which registry.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/registries/{registry_id}/catalogue",
        records.StartedCatalogue,
        names={"registry_id": registry_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def report_links_create(
    report_id: str,
    *,
    name: str,
    is_of_verifier: bool | UnsetType = UNSET,
    expires_in: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedReportLink]:
    """Make a link that opens a report to whoever has its address, without a token.

    POST /reports/{report_id}/links

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        name: Whom or what it is for, such as `Verifier, first review`.
        is_of_verifier: Whether its holder may act as the verifier.
        expires_in: How long it opens the report, in seconds: 60 to 31,622,400, which are 366 days.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/links",
        records.IssuedReportLink,
        names={"report_id": report_id},
        body={"link": {"name": name, "is_of_verifier": is_of_verifier, "expires_in": expires_in}},
        takes_key=True,
        key=idempotency_key,
    )


def report_links_download_bundle_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[bytes]:
    """Download the proof bundle of a report by a link to the report, with the `key` of its `url`.

    GET /reports/{report_id}/by_link/bundle

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/bundle",
        bytes,
        names={"report_id": report_id},
        query={"key": key},
    )


def report_links_get_audit_consistency_by_link(
    report_id: str,
    *,
    key: str,
    from_: str,
    to: str,
) -> Call[str]:
    """Download the proof that a head extends one that a verifier kept, by a link to a report.

    GET /reports/{report_id}/by_link/audit_log/consistency

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.
        from_: How many rows the older head has.
        to: How many rows the newer head has.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/consistency",
        str,
        names={"report_id": report_id},
        query={"key": key, "from": from_, "to": to},
    )


def report_links_get_audit_head_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[str]:
    """Download the newest head of the audit log behind a report, by a link to the report.

    GET /reports/{report_id}/by_link/audit_log/head

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/head",
        str,
        names={"report_id": report_id},
        query={"key": key},
    )


def report_links_get_audit_key_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[records.AuditKey]:
    """Read the public key of the audit log behind a report, by a link to the report.

    GET /reports/{report_id}/by_link/audit_log/key

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/key",
        records.AuditKey,
        names={"report_id": report_id},
        query={"key": key},
    )


def report_links_get_audit_keys_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[records.AuditKeys]:
    """Read the history of the keys of the audit log behind a report, by a link to the report.

    GET /reports/{report_id}/by_link/audit_log/keys

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/keys",
        records.AuditKeys,
        names={"report_id": report_id},
        query={"key": key},
    )


def report_links_get_audit_proof_by_link(
    report_id: str,
    *,
    key: str,
    number: str,
    size: str,
) -> Call[str]:
    """Download the proof that a row is under a head of the audit log, by a link to a report.

    GET /reports/{report_id}/by_link/audit_log/proof

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.
        number: The number of the row, from 1.
        size: How many rows the head has under which the row is proved to be.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/proof",
        str,
        names={"report_id": report_id},
        query={"key": key, "number": number, "size": size},
    )


def report_links_get_cosigned_head_by_link(
    report_id: str,
    *,
    key: str,
    cosignatures: str,
) -> Call[str]:
    """Download the newest head that enough witnesses have cosigned, by a link to a report.

    GET /reports/{report_id}/by_link/audit_log/cosigned_head

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.
        cosignatures: How many witnesses have to have cosigned the head, from 1.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/audit_log/cosigned_head",
        str,
        names={"report_id": report_id},
        query={"key": key, "cosignatures": cosignatures},
    )


def report_links_list_links_of_account(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    status: Literal["open", "expired", "revoked"] | None = None,
    user_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    expires_at_geq: Time | None = None,
    expires_at_leq: Time | None = None,
) -> Listing[records.ReportLink]:
    """List the links to all reports of the account, such as those of a user who was shut out.

    GET /report_links

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        status: Only records whose status is the value given: open, expired, revoked.
        user_id: Only records whose user_id is the value given: the number of a user.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        expires_at_geq: Only records whose expires_at is at or after the value given: a time with an
            offset or Z.
        expires_at_leq: Only records whose expires_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/report_links",
            Page[records.ReportLink],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[status][eq]": status,
                "filter[user_id][eq]": user_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[expires_at][geq]": expires_at_geq,
                "filter[expires_at][leq]": expires_at_leq,
            },
        )
    )


def report_links_list(
    report_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    status: Literal["open", "expired", "revoked"] | None = None,
    user_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    expires_at_geq: Time | None = None,
    expires_at_leq: Time | None = None,
) -> Listing[records.ReportLink]:
    """List the links to a report, those that have ended included.

    GET /reports/{report_id}/links

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        status: Only records whose status is the value given: open, expired, revoked.
        user_id: Only records whose user_id is the value given: the number of a user.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        expires_at_geq: Only records whose expires_at is at or after the value given: a time with an
            offset or Z.
        expires_at_leq: Only records whose expires_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/reports/{report_id}/links",
            Page[records.ReportLink],
            names={"report_id": report_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[status][eq]": status,
                "filter[user_id][eq]": user_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[expires_at][geq]": expires_at_geq,
                "filter[expires_at][leq]": expires_at_leq,
            },
        )
    )


def report_links_open_report(
    report_id: str,
    *,
    key: str,
) -> Call[records.Report]:
    """Read a report by a link, by the address that its `url` says.

    GET /reports/{report_id}/by_link

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link",
        records.Report,
        names={"report_id": report_id},
        query={"key": key},
    )


def report_links_reassign(
    report_id: str,
    link_id: int,
    *,
    user_email: str,
    idempotency_key: str | None = None,
) -> Call[records.ReportLink]:
    """Have another user answer for a link, such as when its own was shut out; its address stays.

    PATCH /reports/{report_id}/links/{link_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        link_id: The number of the link.
        user_email: The address of a user of the account who was not shut out.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/reports/{report_id}/links/{link_id}",
        records.ReportLink,
        names={"report_id": report_id, "link_id": link_id},
        body={"link": {"user_email": user_email}},
        takes_key=True,
        key=idempotency_key,
    )


def report_links_revoke(
    report_id: str,
    link_id: int,
) -> Call[None]:
    """Revoke a link to a report, at once; one that was revoked already stays as it is.

    DELETE /reports/{report_id}/links/{link_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        link_id: The number of the link.

    """
    return call(
        "DELETE",
        "/reports/{report_id}/links/{link_id}",
        None,
        names={"report_id": report_id, "link_id": link_id},
    )


def report_previews_preview_report(
    report_id: str,
    *,
    mapping: Mapping[str, Any] | UnsetType = UNSET,
    methodology_id: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.ReportPreview]:
    """Show what a report would be sent as, with every place at which that fails, and what of it was
    rounded.

    POST /reports/{report_id}/submission/preview

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        mapping: The mapping that is tried, as a methodology has it.
        methodology_id: The number of the methodology whose mapping is tried; without both, of the
            report's own.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/submission/preview",
        records.ReportPreview,
        names={"report_id": report_id},
        body={"mapping": mapping, "methodology_id": methodology_id},
        takes_key=True,
        key=idempotency_key,
    )


def report_uncertainty_get_materiality(
    report_id: str,
    *,
    threshold: str,
) -> Call[records.ReportMateriality]:
    """Read which effects can move what a report states by a threshold, alone and together (ISO 14064-3).

    GET /reports/{report_id}/materiality

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        threshold: By how much the total would have to move: a part of the amount above 0 and at most 1,
            such as `0.05`, or an amount with its unit, such as `12 t`.

    """
    return call(
        "GET",
        "/reports/{report_id}/materiality",
        records.ReportMateriality,
        names={"report_id": report_id},
        query={"threshold": threshold},
    )


def report_uncertainty_get_materiality_by_link(
    report_id: str,
    *,
    key: str,
    threshold: str,
) -> Call[records.ReportMateriality]:
    """Read which effects can move what a report states by a threshold, by a link to the report.

    GET /reports/{report_id}/by_link/materiality

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.
        threshold: By how much the total would have to move: a part of the amount above 0 and at most 1,
            such as `0.05`, or an amount with its unit, such as `12 t`.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/materiality",
        records.ReportMateriality,
        names={"report_id": report_id},
        query={"key": key, "threshold": threshold},
    )


def report_uncertainty_get(
    report_id: str,
) -> Call[records.ReportUncertainty]:
    """Read how uncertain what a report states is, with an interval and the budget of what its batches
    share.

    GET /reports/{report_id}/uncertainty

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/uncertainty",
        records.ReportUncertainty,
        names={"report_id": report_id},
    )


def report_uncertainty_get_report_uncertainty_by_link(
    report_id: str,
    *,
    key: str,
) -> Call[records.ReportUncertainty]:
    """Read how uncertain what a report states is, by a link to the report, with the `key` of its `url`.

    GET /reports/{report_id}/by_link/uncertainty

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        key: What stands in the `url` of the link.

    """
    return call(
        "GET",
        "/reports/{report_id}/by_link/uncertainty",
        records.ReportUncertainty,
        names={"report_id": report_id},
        query={"key": key},
    )


def reports_accept(
    report_id: str,
    *,
    reason: str | UnsetType | None = UNSET,
    reference: str | UnsetType | None = UNSET,
    amount: Decimal | int | UnsetType = UNSET,
    batches: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Write down that the receiver accepted a submitted report, or a part of it; what it accepted is
    posted.

    POST /reports/{report_id}/accept

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        reason: What the receiver says of it, such as `Issued after the audit of May`; needed where it
            accepts less.
        reference: What the receiver calls it, such as the number of the issuance.
        amount: How much it accepts, in the ledger's unit, where that is less than the report claims:
            shared over the batches in proportion to what is claimed of each.
        batches: How much it accepts of which batches, instead of `amount`; of those that are left out
            nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/accept",
        records.Report,
        names={"report_id": report_id},
        body={"reason": reason, "reference": reference, "amount": amount, "batches": batches},
        takes_key=True,
        key=idempotency_key,
    )


def reports_create(
    *,
    name: str,
    report_type: str,
    project_id: str | int,
    methodology_id: int | UnsetType | None = UNSET,
    ledgers: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    batch_ids: Sequence[str] | UnsetType = UNSET,
    batches: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    liability: Decimal | int | UnsetType | None = UNSET,
    liability_reason: str | UnsetType | None = UNSET,
    supersedes: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Create a report of a project as a draft; with `supersedes` it restates another one.

    POST /reports

    Args:
        name: What people call the report, such as `First quarter of 2025`.
        report_type: What kind of report it is, in the words of its receiver, such as `quarterly`.
        project_id: The project, as `prj_…` or its number.
        methodology_id: The number of the methodology that it follows; null when it names none.
        ledgers: The ledger of each role, where its methodology has several ledgers.
        batch_ids: The batches of which it takes all that remains, up to 10,000, such as `bat_…`.
        batches: The batches from which it takes so much, up to 10,000; instead of `batch_ids`.
        liability: What the claim owes its receiver, in its ledger's unit, where the truth is below
            zero; null for nothing. Only a restatement of what was once accepted owes something.
        liability_reason: Why it owes that; null where it owes nothing.
        supersedes: The report that it restates, such as `rpt_…`; without batches it begins with those
            of that one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports",
        records.Report,
        body={
            "report": {
                "name": name,
                "report_type": report_type,
                "project_id": project_id,
                "methodology_id": methodology_id,
                "ledgers": ledgers,
                "batch_ids": batch_ids,
                "batches": batches,
                "liability": liability,
                "liability_reason": liability_reason,
                "supersedes": supersedes,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def reports_delete(
    report_id: str,
) -> Call[None]:
    """Remove a report while it is a draft.

    DELETE /reports/{report_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/reports/{report_id}",
        None,
        names={"report_id": report_id},
    )


def reports_download_report_bundle(
    report_id: str,
) -> Call[bytes]:
    """Download the proof bundle of a report: a ZIP file that `weighbridge bundle check` checks offline.

    GET /reports/{report_id}/bundle

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/bundle",
        bytes,
        names={"report_id": report_id},
    )


def reports_download_report_time_stamp(
    report_id: str,
) -> Call[bytes]:
    """Download the time stamp (RFC 3161) over the proof bundle of a report, where an authority was asked.

    GET /reports/{report_id}/bundle/time_stamp

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/bundle/time_stamp",
        bytes,
        names={"report_id": report_id},
    )


def reports_download_submission(
    report_id: str,
) -> Call[bytes]:
    """Download the file of a report's submission, as it is handed on; of a draft, as it would be.

    GET /reports/{report_id}/submission/download

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/submission/download",
        bytes,
        names={"report_id": report_id},
    )


def reports_get(
    report_id: str,
) -> Call[records.Report]:
    """Read one report, with all that it takes.

    GET /reports/{report_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}",
        records.Report,
        names={"report_id": report_id},
    )


def reports_get_submission(
    report_id: str,
) -> Call[records.StoredSubmission]:
    """Read what is kept of a report's submission: to whom it goes, under which key, and how far it came.

    GET /reports/{report_id}/submission

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/reports/{report_id}/submission",
        records.StoredSubmission,
        names={"report_id": report_id},
    )


def reports_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    project_id: str | None = None,
    id: str | None = None,
    status: str | None = None,
    report_type: str | None = None,
    ledger_id: str | None = None,
    methodology_id: str | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.Report]:
    """List the account's reports.

    GET /reports

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.
        id: Only records whose id is the value given: an id rpt_….
        status: Only records whose status is the value given: one of draft, submitting, submitted,
            complete, rejected, failed, superseded, withdrawn.
        report_type: Only records whose report_type is the value given: a report type.
        ledger_id: Only records whose ledger_id is the value given: an id lgr_….
        methodology_id: Only records whose methodology_id is the value given: the number of a
            methodology.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/reports",
            Page[records.Report],
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[project_id][eq]": project_id,
                "filter[id][eq]": id,
                "filter[status][eq]": status,
                "filter[report_type][eq]": report_type,
                "filter[ledger_id][eq]": ledger_id,
                "filter[methodology_id][eq]": methodology_id,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def reports_make_report_bundle(
    report_id: str,
    *,
    redact: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.StartedBundle]:
    """Make the proof bundle of a draft, or of a report that others were merged or split into.

    POST /reports/{report_id}/bundle

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        redact: Whether evidence is left out, and stands in the bundle by its digests alone.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/bundle",
        records.StartedBundle,
        names={"report_id": report_id},
        body={"redact": redact},
        takes_key=True,
        key=idempotency_key,
    )


def reports_merge(
    report_id: str,
    *,
    report_ids: Sequence[str],
    name: str,
    reason: str,
    report_type: str | UnsetType = UNSET,
    reference: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Merge accepted reports of a ledger into one, which takes their place and holds all that they held.

    POST /reports/{report_id}/merge

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        report_ids: The other accepted reports that become one with it, up to 99, such as `rpt_…`.
        name: What people call the one that takes their place.
        reason: Why, in a sentence that stays with all of them.
        report_type: What kind of report it is; left out, the kind of the report in the path.
        reference: What the receiver calls the new report.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/merge",
        records.Report,
        names={"report_id": report_id},
        body={
            "report_ids": report_ids,
            "name": name,
            "reason": reason,
            "report_type": report_type,
            "reference": reference,
        },
        takes_key=True,
        key=idempotency_key,
    )


def reports_reject(
    report_id: str,
    *,
    reason: str,
    reference: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Write down that a report was rejected, or was certainly not received; what it holds is given back.

    POST /reports/{report_id}/reject

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        reason: Why, in a sentence that stays with the report.
        reference: What the receiver calls the decision.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/reject",
        records.Report,
        names={"report_id": report_id},
        body={"reason": reason, "reference": reference},
        takes_key=True,
        key=idempotency_key,
    )


def reports_split(
    report_id: str,
    *,
    parts: Sequence[Mapping[str, Any]],
    reason: str,
    reference: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SplitReports]:
    """Split an accepted report into several, which take its place and hold together all that it held.

    POST /reports/{report_id}/split

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        parts: The reports that take its place, 2 to 100; together they take all that it holds.
        reason: Why, in a sentence that stays with all of them.
        reference: What the receiver calls the split.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/split",
        records.SplitReports,
        names={"report_id": report_id},
        body={"parts": parts, "reason": reason, "reference": reference},
        takes_key=True,
        key=idempotency_key,
    )


def reports_submit(
    report_id: str,
    *,
    adapter: Literal["file"] | UnsetType = UNSET,
    registry_id: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SubmittedReport]:
    """Reserve what a report takes and send it off; refused with every requirement that it does not meet.

    POST /reports/{report_id}/submit

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        adapter: Sent as `file` it is kept for people to fetch, whatever its methodology says.
        registry_id: The number of the registry that it goes to, instead of the one that its methodology
            names.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/submit",
        records.SubmittedReport,
        names={"report_id": report_id},
        body={"adapter": adapter, "registry_id": registry_id},
        takes_key=True,
        key=idempotency_key,
    )


def reports_update(
    report_id: str,
    *,
    name: str | UnsetType = UNSET,
    report_type: str | UnsetType = UNSET,
    methodology_id: int | UnsetType | None = UNSET,
    ledgers: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    batch_ids: Sequence[str] | UnsetType = UNSET,
    batches: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    liability: Decimal | int | UnsetType | None = UNSET,
    liability_reason: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Change a report while it is a draft.

    PATCH /reports/{report_id}

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        name: What people call the report, such as `First quarter of 2025`.
        report_type: What kind of report it is, in the words of its receiver, such as `quarterly`.
        methodology_id: The number of the methodology that it follows; null when it names none.
        ledgers: The ledger of each role, instead of those that it has.
        batch_ids: The batches of which it takes all that remains, instead of those that it has.
        batches: The batches from which it takes so much, instead of those that it has.
        liability: What the claim owes its receiver, in its ledger's unit, where the truth is below
            zero; null for nothing. Only a restatement of what was once accepted owes something.
        liability_reason: Why it owes that; null where it owes nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/reports/{report_id}",
        records.Report,
        names={"report_id": report_id},
        body={
            "report": {
                "name": name,
                "report_type": report_type,
                "methodology_id": methodology_id,
                "ledgers": ledgers,
                "batch_ids": batch_ids,
                "batches": batches,
                "liability": liability,
                "liability_reason": liability_reason,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def reports_withdraw(
    report_id: str,
    *,
    reason: str,
    reference: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Report]:
    """Take back the claim of a report; what it holds is given back, also what was posted by its acceptance.

    POST /reports/{report_id}/withdraw

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        reason: Why the claim is taken back, in a sentence that stays with the report.
        reference: What the receiver calls the withdrawal, such as the number of a cancellation.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/withdraw",
        records.Report,
        names={"report_id": report_id},
        body={"reason": reason, "reference": reference},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_approve(
    project_id: str,
    rule_result_id: str,
    *,
    comment: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DataPointResult]:
    """Approve the correction that a rule result proposes, which is in force from then on.

    POST /projects/{project_id}/rule_results/{rule_result_id}/approve

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule_result_id: The friendly id of the rule result, dpres_… or mrres_….
        comment: What there is to say about it, in a sentence; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/{rule_result_id}/approve",
        records.DataPointResult,
        names={"project_id": project_id, "rule_result_id": rule_result_id},
        body={"comment": comment},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_bulk_approve(
    project_id: str,
    *,
    result_ids: Sequence[str],
    comment: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.DecidedResults]:
    """Approve what many rule results propose at once: all of them, or none.

    POST /projects/{project_id}/rule_results/bulk_approve

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        result_ids: The rule results to approve, up to 100.
        comment: What there is to say about all of them, in a sentence; null when there is nothing.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/bulk_approve",
        records.DecidedResults,
        names={"project_id": project_id},
        body={"result_ids": result_ids, "comment": comment},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_bulk_dismiss(
    project_id: str,
    *,
    result_ids: Sequence[str],
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.Dismissed]:
    """Dismiss many rule results at once, with one reason: all of them, or none.

    POST /projects/{project_id}/rule_results/bulk_dismiss

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        result_ids: The rule results to dismiss, up to 1,000, of either kind.
        reason: Why all of them are dismissed, in a sentence.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/bulk_dismiss",
        records.Dismissed,
        names={"project_id": project_id},
        body={"result_ids": result_ids, "reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_bulk_reject(
    project_id: str,
    *,
    result_ids: Sequence[str],
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.DecidedResults]:
    """Reject what many rule results propose at once, with one reason: all of them, or none.

    POST /projects/{project_id}/rule_results/bulk_reject

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        result_ids: The rule results to reject, up to 100.
        reason: Why all of them are rejected, in a sentence.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/bulk_reject",
        records.DecidedResults,
        names={"project_id": project_id},
        body={"result_ids": result_ids, "reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_dismiss(
    project_id: str,
    rule_result_id: str,
    *,
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.DataPointResult]:
    """Dismiss one rule result with a reason; one that is dismissed already stays as it is.

    POST /projects/{project_id}/rule_results/{rule_result_id}/dismiss

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule_result_id: The friendly id of the rule result, dpres_… or mrres_….
        reason: Why, in a sentence.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/{rule_result_id}/dismiss",
        records.DataPointResult,
        names={"project_id": project_id, "rule_result_id": rule_result_id},
        body={"reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_find_impact(
    project_id: str,
    *,
    result_ids: Sequence[str],
    idempotency_key: str | None = None,
) -> Call[records.ImpactOfProposals]:
    """Say what approving many rule results together would change; nothing is stored.

    POST /projects/{project_id}/rule_results/impact

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        result_ids: The rule results to be approved, up to 100.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/impact",
        records.ImpactOfProposals,
        names={"project_id": project_id},
        body={"result_ids": result_ids},
        takes_key=True,
        key=idempotency_key,
    )


def rule_results_get_impact(
    project_id: str,
    rule_result_id: str,
) -> Call[records.ImpactOfProposal]:
    """Say what approving a rule result would change: which batches and ledgers, by how much, which
    deficits.

    GET /projects/{project_id}/rule_results/{rule_result_id}/impact

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule_result_id: The friendly id of the rule result, dpres_… or mrres_….

    """
    return call(
        "GET",
        "/projects/{project_id}/rule_results/{rule_result_id}/impact",
        records.ImpactOfProposal,
        names={"project_id": project_id, "rule_result_id": rule_result_id},
    )


def rule_results_get(
    project_id: str,
    rule_result_id: str,
    *,
    as_of: str | None = None,
) -> Call[records.DataPointResult]:
    """Read one rule result: what was found, where it stands, and what it proposes.

    GET /projects/{project_id}/rule_results/{rule_result_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule_result_id: The friendly id of the rule result, dpres_… or mrres_….
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.

    """
    return call(
        "GET",
        "/projects/{project_id}/rule_results/{rule_result_id}",
        records.DataPointResult,
        names={"project_id": project_id, "rule_result_id": rule_result_id},
        query={"as_of": as_of},
    )


def rule_results_list_of_project(
    project_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    status: Literal["fail", "error", "dismissed", "pass"] | None = None,
    severity: Literal["warn", "fail"] | None = None,
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None = None,
    rule_version: str | None = None,
    evaluated_at_geq: Time | None = None,
    evaluated_at_leq: Time | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
    rule_id: str | None = None,
) -> Listing[records.DataPointResultOrModelRunResult]:
    """List what the rules of a project found, newest first, in data points and in model runs.

    GET /projects/{project_id}/rule_results

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By status, or by several, at most 10,000
            records are sorted. With filter[evaluated_at], by another than evaluated_at, as many. With
            filter[created_at], by another than created_at, as many.
        status: Only records whose status is the value given: fail, error, dismissed, pass.
        severity: Only records whose severity is the value given: warn, fail.
        approval_state: Only records whose approval_state is the value given: pending, approved,
            rejected, withdrawn, superseded.
        rule_version: Only records whose rule_version is the value given: a version's number.
        evaluated_at_geq: Only records whose evaluated_at is at or after the value given: a time with an
            offset or Z.
        evaluated_at_leq: Only records whose evaluated_at is at or before the value given: a time with
            an offset or Z.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.
        rule_id: Only records whose rule_id is the value given: an id rule_….

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/rule_results",
            records.RuleResultPage,
            names={"project_id": project_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[status][eq]": status,
                "filter[severity][eq]": severity,
                "filter[approval_state][eq]": approval_state,
                "filter[rule_version][eq]": rule_version,
                "filter[evaluated_at][geq]": evaluated_at_geq,
                "filter[evaluated_at][leq]": evaluated_at_leq,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
                "filter[rule_id][eq]": rule_id,
            },
        )
    )


def rule_results_list(
    rule_id: str,
    *,
    as_of: str | None = None,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    status: Literal["fail", "error", "dismissed", "pass"] | None = None,
    severity: Literal["warn", "fail"] | None = None,
    approval_state: Literal["pending", "approved", "rejected", "withdrawn", "superseded"] | None = None,
    rule_version: str | None = None,
    evaluated_at_geq: Time | None = None,
    evaluated_at_leq: Time | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.DataPointResultOrModelRunResult]:
    """List what a rule found, newest first, by every version of it.

    GET /rules/{rule_id}/rule_results

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        as_of: As it was known at a row of the account's audit log: the number of the row, such as
            `1042`, or a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The
            headers `As-Of-Number` and `As-Of-Time` name the row. A cursor keeps it. Not with
            `response_mode`.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By status, or by several, at most 10,000
            records are sorted. With filter[evaluated_at], by another than evaluated_at, as many. With
            filter[created_at], by another than created_at, as many.
        status: Only records whose status is the value given: fail, error, dismissed, pass.
        severity: Only records whose severity is the value given: warn, fail.
        approval_state: Only records whose approval_state is the value given: pending, approved,
            rejected, withdrawn, superseded.
        rule_version: Only records whose rule_version is the value given: a version's number.
        evaluated_at_geq: Only records whose evaluated_at is at or after the value given: a time with an
            offset or Z.
        evaluated_at_leq: Only records whose evaluated_at is at or before the value given: a time with
            an offset or Z.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/rules/{rule_id}/rule_results",
            records.RuleResultPage,
            names={"rule_id": rule_id},
            query={
                "as_of": as_of,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[status][eq]": status,
                "filter[severity][eq]": severity,
                "filter[approval_state][eq]": approval_state,
                "filter[rule_version][eq]": rule_version,
                "filter[evaluated_at][geq]": evaluated_at_geq,
                "filter[evaluated_at][leq]": evaluated_at_leq,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def rule_results_reject(
    project_id: str,
    rule_result_id: str,
    *,
    reason: str,
    idempotency_key: str | None = None,
) -> Call[records.DataPointResult]:
    """Reject the correction that a rule result proposes, with a reason; the value stays as it is.

    POST /projects/{project_id}/rule_results/{rule_result_id}/reject

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule_result_id: The friendly id of the rule result, dpres_… or mrres_….
        reason: Why, in a sentence.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rule_results/{rule_result_id}/reject",
        records.DataPointResult,
        names={"project_id": project_id, "rule_result_id": rule_result_id},
        body={"reason": reason},
        takes_key=True,
        key=idempotency_key,
    )


def rule_runs_get(
    rule_run_id: str,
) -> Call[records.RuleRun]:
    """Read one rule run: where it stands, and what it came to.

    GET /rule_runs/{rule_run_id}

    Args:
        rule_run_id: Which rule run.

    """
    return call(
        "GET",
        "/rule_runs/{rule_run_id}",
        records.RuleRun,
        names={"rule_run_id": rule_run_id},
    )


def rule_runs_list(
    rule_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    state: Literal["pending", "running", "complete", "failed", "reversed"] | None = None,
    kind: Literal["automatic", "backfill", "re_evaluation"] | None = None,
) -> Listing[records.RuleRun]:
    """List the runs of a rule, newest first.

    GET /rules/{rule_id}/rule_runs

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By created_at, or by several, at most
            10,000 records are sorted.
        state: Only records whose state is the value given: pending, running, complete, failed,
            reversed.
        kind: Only records whose kind is the value given: automatic, backfill, re_evaluation.

    """
    return Listing(
        call(
            "GET",
            "/rules/{rule_id}/rule_runs",
            Page[records.RuleRun],
            names={"rule_id": rule_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[state][eq]": state,
                "filter[kind][eq]": kind,
            },
        )
    )


def rule_runs_reverse(
    rule_run_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.RuleRun]:
    """Remove the corrections that a run wrote; its alerts stay. The body may be left out.

    POST /rule_runs/{rule_run_id}/reverse

    Args:
        rule_run_id: Which rule run.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/rule_runs/{rule_run_id}/reverse",
        records.RuleRun,
        names={"rule_run_id": rule_run_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def rule_runs_start(
    rule_id: str,
    *,
    start_time: Time,
    end_time: Time,
    idempotency_key: str | None = None,
) -> Call[records.AsyncTask]:
    """Start evaluating a rule again over a period; poll the task, whose `args` have the `rule_run_id`.

    POST /rules/{rule_id}/rule_runs

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        start_time: The start of the period to evaluate, inclusive.
        end_time: The end of the period to evaluate, exclusive.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/rules/{rule_id}/rule_runs",
        records.AsyncTask,
        names={"rule_id": rule_id},
        body={"start_time": start_time, "end_time": end_time},
        takes_key=True,
        key=idempotency_key,
    )


def rules_create(
    project_id: str,
    *,
    name: str,
    expression: str,
    effective_from: Time,
    effective_to: Time | UnsetType | None = UNSET,
    message: str | UnsetType | None = UNSET,
    target: Literal["data_point", "model_run"] | UnsetType = UNSET,
    data_point: str | UnsetType | None = UNSET,
    event_type_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    model_id: str | UnsetType | None = UNSET,
    evaluation: Literal["automatic", "on_demand"] | UnsetType = UNSET,
    window: Mapping[str, Any] | UnsetType | None = UNSET,
    window_member_scope: Literal["event", "location", "event_type", "project"] | UnsetType = UNSET,
    window_meters: Literal["own", "all"] | UnsetType | None = UNSET,
    purpose: Literal["alert", "adjust", "substitute", "impute"] | UnsetType = UNSET,
    severity: Literal["warn", "fail"] | UnsetType = UNSET,
    correction: Mapping[str, Any] | UnsetType | None = UNSET,
    tables: Mapping[str, Any] | UnsetType | None = UNSET,
    priority: int | UnsetType = UNSET,
    requires_approval: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SavedRule]:
    """Create a data rule: where its expression is true, there is an alert.

    POST /projects/{project_id}/rules

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        name: What people call it, once in the project, such as `Wet mass above 40 t`.
        expression: What says that something is wrong, in the rule language, such as `{{wet_mass}} >
            40`.
        effective_from: From when records are evaluated, inclusive.
        effective_to: Until when records are evaluated, exclusive; left out when the rule goes on.
        message: What it says to people with each alert; null when it says nothing.
        target: What it evaluates; it never changes.
        data_point: The slug of the data point that results are about; the first that the expression
            reads when left out.
        event_type_id: The event type that it watches, such as `et_…`; left out, it watches every one
            that has the data.
        asset_id: The asset whose events it watches, such as `ast_…`; left out, it watches those of
            every asset.
        model_id: The model whose runs it watches, such as `mod_…`; required with the target
            `model_run`.
        evaluation: When it is evaluated: whenever data change, or when asked for.
        window: Which members its aggregates look at, seen from the record; null when it has no window.
        window_member_scope: Which other records may be members of its window.
        window_meters: Whether windows, `previous` and `missed_slots` go by the record's own meter or by
            all of the scope; left out, it is `own`, and `all` with the scope `project` or the target
            `model_run`.
        purpose: Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes
            those that lack.
        severity: Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects
            takes `fail`.
        correction: What a value becomes that it finds wrong; null for a rule that alerts.
        tables: What its expressions `lookup`, by name, such as the tare of each lorry; null when it has
            no tables.
        priority: Which rule goes first where several correct one value: the smallest, from 1 to 1,000.
        requires_approval: Whether its corrections wait for someone's approval.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rules",
        records.SavedRule,
        names={"project_id": project_id},
        body={
            "rule": {
                "name": name,
                "expression": expression,
                "effective_from": effective_from,
                "effective_to": effective_to,
                "message": message,
                "target": target,
                "data_point": data_point,
                "event_type_id": event_type_id,
                "asset_id": asset_id,
                "model_id": model_id,
                "evaluation": evaluation,
                "window": window,
                "window_member_scope": window_member_scope,
                "window_meters": window_meters,
                "purpose": purpose,
                "severity": severity,
                "correction": correction,
                "tables": tables,
                "priority": priority,
                "requires_approval": requires_approval,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def rules_delete(
    rule_id: str,
) -> Call[None]:
    """Remove a data rule with its alerts; values that it corrected stay corrected.

    DELETE /rules/{rule_id}

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/rules/{rule_id}",
        None,
        names={"rule_id": rule_id},
    )


def rules_get(
    rule_id: str,
) -> Call[records.Rule]:
    """Read one data rule, as its newest version has it.

    GET /rules/{rule_id}

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/rules/{rule_id}",
        records.Rule,
        names={"rule_id": rule_id},
    )


def rules_list_rule_versions(
    rule_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
) -> Listing[records.RuleVersion]:
    """List the versions of a data rule, newest first.

    GET /rules/{rule_id}/versions

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -version, or what the cursor was written for.

    """
    return Listing(
        call(
            "GET",
            "/rules/{rule_id}/versions",
            Page[records.RuleVersion],
            names={"rule_id": rule_id},
            query={"page": page, "page_size": page_size, "sort": sort},
        )
    )


def rules_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    name: str | None = None,
    target: Literal["data_point", "model_run"] | None = None,
    evaluation: Literal["automatic", "on_demand"] | None = None,
    purpose: Literal["alert", "adjust", "substitute", "impute"] | None = None,
    severity: Literal["warn", "fail"] | None = None,
    event_type_id: str | None = None,
    asset_id: str | None = None,
) -> Listing[records.Rule]:
    """List a project's data rules, each as its newest version has it.

    GET /projects/{project_id}/rules

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        name: Only records whose name is the value given: a name.
        target: Only records whose target is the value given: data_point, model_run.
        evaluation: Only records whose evaluation is the value given: automatic, on_demand.
        purpose: Only records whose purpose is the value given: alert, adjust, substitute, impute.
        severity: Only records whose severity is the value given: warn, fail.
        event_type_id: Only records whose event_type_id is the value given: an id et_….
        asset_id: Only records whose asset_id is the value given: an id ast_….

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/rules",
            Page[records.Rule],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[name][eq]": name,
                "filter[target][eq]": target,
                "filter[evaluation][eq]": evaluation,
                "filter[purpose][eq]": purpose,
                "filter[severity][eq]": severity,
                "filter[event_type_id][eq]": event_type_id,
                "filter[asset_id][eq]": asset_id,
            },
        )
    )


def rules_preview(
    project_id: str,
    *,
    rule: Mapping[str, Any],
    start_time: Time,
    end_time: Time,
    idempotency_key: str | None = None,
) -> Call[records.RulePreview]:
    """Say what a rule would find and correct in a period, without storing anything.

    POST /projects/{project_id}/rules/preview

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        rule: The rule to try, as it would be made.
        start_time: The start of the period to try it over, inclusive.
        end_time: The end of that period, exclusive.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/rules/preview",
        records.RulePreview,
        names={"project_id": project_id},
        body={"rule": rule, "start_time": start_time, "end_time": end_time},
        takes_key=True,
        key=idempotency_key,
    )


def rules_undo_corrections(
    rule_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.UndoneCorrections]:
    """Revert every correction that a rule wrote; its alerts stay. The body may be left out.

    POST /rules/{rule_id}/undo_corrections

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/rules/{rule_id}/undo_corrections",
        records.UndoneCorrections,
        names={"rule_id": rule_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def rules_update(
    rule_id: str,
    *,
    name: str | UnsetType = UNSET,
    expression: str | UnsetType = UNSET,
    effective_from: Time | UnsetType = UNSET,
    effective_to: Time | UnsetType | None = UNSET,
    message: str | UnsetType | None = UNSET,
    data_point: str | UnsetType | None = UNSET,
    event_type_id: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    model_id: str | UnsetType | None = UNSET,
    evaluation: Literal["automatic", "on_demand"] | UnsetType = UNSET,
    window: Mapping[str, Any] | UnsetType | None = UNSET,
    window_member_scope: Literal["event", "location", "event_type", "project"] | UnsetType = UNSET,
    window_meters: Literal["own", "all"] | UnsetType = UNSET,
    purpose: Literal["alert", "adjust", "substitute", "impute"] | UnsetType = UNSET,
    severity: Literal["warn", "fail"] | UnsetType = UNSET,
    correction: Mapping[str, Any] | UnsetType | None = UNSET,
    tables: Mapping[str, Any] | UnsetType | None = UNSET,
    priority: int | UnsetType = UNSET,
    requires_approval: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SavedRule]:
    """Change a data rule; a change of what decides a result makes another version.

    PATCH /rules/{rule_id}

    Args:
        rule_id: The friendly id of the rule: rule_ and 24 hexadecimal digits.
        name: What people call it, once in the project, such as `Wet mass above 40 t`.
        expression: What says that something is wrong, in the rule language, such as `{{wet_mass}} >
            40`.
        effective_from: From when records are evaluated, inclusive.
        effective_to: Until when records are evaluated, exclusive; null when the rule goes on.
        message: What it says to people with each alert; null when it says nothing.
        data_point: The slug of the data point that results are about; null for the first that the
            expression reads.
        event_type_id: The event type that it watches, such as `et_…`; null for every one that has the
            data.
        asset_id: The asset whose events it watches, such as `ast_…`; null for those of every asset.
        model_id: The model whose runs it watches, such as `mod_…`; only for a rule whose target is
            `model_run`.
        evaluation: When it is evaluated: whenever data change, or when asked for.
        window: Which members its aggregates look at, seen from the record; null when it has no window.
        window_member_scope: Which other records may be members of its window.
        window_meters: Whether only records of the record's own meter may be members, or those of all
            meters of the scope.
        purpose: Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes
            those that lack.
        severity: Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects
            takes `fail`.
        correction: What a value becomes that it finds wrong; null for a rule that alerts.
        tables: What its expressions `lookup`, by name, such as the tare of each lorry; null when it has
            no tables.
        priority: Which rule goes first where several correct one value: the smallest, from 1 to 1,000.
        requires_approval: Whether its corrections wait for someone's approval.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/rules/{rule_id}",
        records.SavedRule,
        names={"rule_id": rule_id},
        body={
            "rule": {
                "name": name,
                "expression": expression,
                "effective_from": effective_from,
                "effective_to": effective_to,
                "message": message,
                "data_point": data_point,
                "event_type_id": event_type_id,
                "asset_id": asset_id,
                "model_id": model_id,
                "evaluation": evaluation,
                "window": window,
                "window_member_scope": window_member_scope,
                "window_meters": window_meters,
                "purpose": purpose,
                "severity": severity,
                "correction": correction,
                "tables": tables,
                "priority": priority,
                "requires_approval": requires_approval,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def saved_views_create(
    *,
    list_name: Literal[
        "events",
        "data_points",
        "event_types",
        "assets",
        "locations",
        "feedstocks",
        "outages",
        "static_inputs",
        "batches",
        "rules",
        "reports",
    ],
    name: str,
    query: str,
    is_default: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SavedView]:
    """Save a view of a list for the caller's own user; a default takes the place of the one before.

    POST /saved_views

    Args:
        list_name: The list of the web app, by the last part of its address.
        name: What the user calls the view; no other of the list has this name.
        query: The query of the list's address, without its question mark; empty for the list as it is.
        is_default: Whether the web app shows this view where the address of the list has no query.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/saved_views",
        records.SavedView,
        body={"saved_view": {"list_name": list_name, "name": name, "query": query, "is_default": is_default}},
        takes_key=True,
        key=idempotency_key,
    )


def saved_views_delete(
    saved_view_id: str,
) -> Call[None]:
    """Delete a saved view of the caller's own user.

    DELETE /saved_views/{saved_view_id}

    Args:
        saved_view_id: Which saved view.

    """
    return call(
        "DELETE",
        "/saved_views/{saved_view_id}",
        None,
        names={"saved_view_id": saved_view_id},
    )


def saved_views_get(
    saved_view_id: str,
) -> Call[records.SavedView]:
    """Read one saved view of the caller's own user.

    GET /saved_views/{saved_view_id}

    Args:
        saved_view_id: Which saved view.

    """
    return call(
        "GET",
        "/saved_views/{saved_view_id}",
        records.SavedView,
        names={"saved_view_id": saved_view_id},
    )


def saved_views_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    list_name: Literal[
        "events",
        "data_points",
        "event_types",
        "assets",
        "locations",
        "feedstocks",
        "outages",
        "static_inputs",
        "batches",
        "rules",
        "reports",
    ]
    | None = None,
) -> Listing[records.SavedView]:
    """List the saved views of the caller's own user.

    GET /saved_views

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        list_name: Only records whose list_name is the value given: events, data_points, event_types,
            assets, locations, feedstocks, outages, static_inputs, batches, rules, reports.

    """
    return Listing(
        call(
            "GET",
            "/saved_views",
            Page[records.SavedView],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[list_name][eq]": list_name},
        )
    )


def saved_views_update(
    saved_view_id: str,
    *,
    name: str | UnsetType = UNSET,
    query: str | UnsetType = UNSET,
    is_default: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.SavedView]:
    """Change the name or the query of a saved view, or whether the web app opens its list with it.

    PATCH /saved_views/{saved_view_id}

    Args:
        saved_view_id: Which saved view.
        name: What the user calls the view; no other of the list has this name.
        query: The query of the list's address, without its question mark.
        is_default: True makes it the default in place of the one before; false leaves the list without
            one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/saved_views/{saved_view_id}",
        records.SavedView,
        names={"saved_view_id": saved_view_id},
        body={"saved_view": {"name": name, "query": query, "is_default": is_default}},
        takes_key=True,
        key=idempotency_key,
    )


def statements_get(
    ledger_id: str,
    *,
    start_time: str,
    end_time: str,
    as_of: Time | None = None,
) -> Call[records.Statement]:
    """Read what each partition of a ledger had, produced and gave in a period.

    GET /ledgers/{ledger_id}/statement

    Args:
        ledger_id: The friendly id of the ledger: lgr_ and 24 hexadecimal digits.
        start_time: The moment at which the period begins: what counts for it is in the period before.
        end_time: The moment at which it ends: what counts for it is in the period.
        as_of: By what had been posted at this time; without it, by now.

    """
    return call(
        "GET",
        "/ledgers/{ledger_id}/statement",
        records.Statement,
        names={"ledger_id": ledger_id},
        query={"start_time": start_time, "end_time": end_time, "as_of": as_of},
    )


def static_inputs_create(
    project_id: str,
    *,
    slug: str,
    value: Decimal | int,
    effective_from: Time,
    unit: str | UnsetType | None = UNSET,
    asset_id: str | UnsetType | None = UNSET,
    feedstock_id: str | UnsetType | None = UNSET,
    location_id: str | UnsetType | None = UNSET,
    uncertainty: Mapping[str, Any] | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.StaticInput]:
    """Add a value that holds from a moment on.

    POST /projects/{project_id}/static_inputs

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        slug: The name that models read it by, such as `grid_factor`.
        value: The value, in its `unit`.
        effective_from: From when it holds, inclusive, until a later one of the same slug and keys.
        unit: The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number.
        asset_id: The friendly id of the asset that it holds for; null when it holds for every asset or
            none.
        feedstock_id: The friendly id of the feedstock that it holds for; null when it holds for every
            feedstock.
        location_id: The friendly id of the location that it holds for; null when it holds for every
            location.
        uncertainty: How well the value is known; null when not stated.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/projects/{project_id}/static_inputs",
        records.StaticInput,
        names={"project_id": project_id},
        body={
            "static_input": {
                "slug": slug,
                "value": value,
                "effective_from": effective_from,
                "unit": unit,
                "asset_id": asset_id,
                "feedstock_id": feedstock_id,
                "location_id": location_id,
                "uncertainty": uncertainty,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def static_inputs_get(
    project_id: str,
    static_input_id: int,
) -> Call[records.StaticInput]:
    """Read one static input.

    GET /projects/{project_id}/static_inputs/{static_input_id}

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        static_input_id: The number of the static input.

    """
    return call(
        "GET",
        "/projects/{project_id}/static_inputs/{static_input_id}",
        records.StaticInput,
        names={"project_id": project_id, "static_input_id": static_input_id},
    )


def static_inputs_list(
    project_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    slug: str | None = None,
    effective_from: Time | None = None,
    effective_from_geq: Time | None = None,
    effective_from_leq: Time | None = None,
    asset_id: str | None = None,
    feedstock_id: str | None = None,
    location_id: str | None = None,
) -> Listing[records.StaticInput]:
    """List a project's static inputs, those that newer ones have superseded too.

    GET /projects/{project_id}/static_inputs

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        slug: Only records whose slug is the value given: a slug.
        effective_from: Only records whose effective_from is the value given: a time with an offset or
            Z.
        effective_from_geq: Only records whose effective_from is at or after the value given: a time
            with an offset or Z.
        effective_from_leq: Only records whose effective_from is at or before the value given: a time
            with an offset or Z.
        asset_id: Only records whose asset_id is the value given: an id ast_….
        feedstock_id: Only records whose feedstock_id is the value given: an id fs_….
        location_id: Only records whose location_id is the value given: an id loc_….

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/static_inputs",
            Page[records.StaticInput],
            names={"project_id": project_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[slug][eq]": slug,
                "filter[effective_from][eq]": effective_from,
                "filter[effective_from][geq]": effective_from_geq,
                "filter[effective_from][leq]": effective_from_leq,
                "filter[asset_id][eq]": asset_id,
                "filter[feedstock_id][eq]": feedstock_id,
                "filter[location_id][eq]": location_id,
            },
        )
    )


def substitutions_list(
    project_id: str,
    event_type_id: str,
    *,
    start_time: str,
    end_time: str,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    slug: str | None = None,
    value_source: Literal["substituted", "imputed"] | None = None,
    asset_id: str | None = None,
    location_id: str | None = None,
    rule_id: str | None = None,
    tier: str | None = None,
    code: str | None = None,
) -> Listing[records.FilledValue]:
    """List every value that a rule put into a gap of an event type, with tier, code and how it was found.

    GET /projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions

    Args:
        project_id: The friendly id of the project: prj_ and 24 hexadecimal digits. Its number does as
            well.
        event_type_id: The friendly id of the event type: et_ and 24 hexadecimal digits.
        start_time: The moment at which the range begins: slots that begin earlier are not in it.
        end_time: When it ends, at most 92 days later: slots from then on are not in it.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is start_time, or what the cursor was written for.
        slug: Only records whose slug is the value given: the slug of a data point type.
        value_source: Only records whose value_source is the value given: substituted, imputed.
        asset_id: Only records whose asset_id is the value given: an id ast_….
        location_id: Only records whose location_id is the value given: an id loc_….
        rule_id: Only records whose rule_id is the value given: an id rule_….
        tier: Only records whose tier is the value given: a tier's number.
        code: Only records whose code is the value given: the code of a tier.

    """
    return Listing(
        call(
            "GET",
            "/projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions",
            Page[records.FilledValue],
            names={"project_id": project_id, "event_type_id": event_type_id},
            query={
                "start_time": start_time,
                "end_time": end_time,
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[slug][eq]": slug,
                "filter[value_source][eq]": value_source,
                "filter[asset_id][eq]": asset_id,
                "filter[location_id][eq]": location_id,
                "filter[rule_id][eq]": rule_id,
                "filter[tier][eq]": tier,
                "filter[code][eq]": code,
            },
        )
    )


def uncertainty_runs_get(
    uncertainty_run_id: str,
) -> Call[records.UncertaintyRun]:
    """Read one uncertainty run, with its results once the task is complete.

    GET /uncertainty_runs/{uncertainty_run_id}

    Args:
        uncertainty_run_id: The friendly id of the uncertainty run: unr_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/uncertainty_runs/{uncertainty_run_id}",
        records.UncertaintyRun,
        names={"uncertainty_run_id": uncertainty_run_id},
    )


def uncertainty_runs_list_of_batch(
    batch_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    state: Literal["pending", "running", "complete", "failed"] | None = None,
) -> Listing[records.UncertaintyRun]:
    """List the uncertainty runs of a batch, newest first.

    GET /batches/{batch_id}/uncertainty_runs

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By created_at, or by several, at most
            10,000 records are sorted.
        state: Only records whose state is the value given: pending, running, complete, failed.

    """
    return Listing(
        call(
            "GET",
            "/batches/{batch_id}/uncertainty_runs",
            Page[records.UncertaintyRun],
            names={"batch_id": batch_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[state][eq]": state},
        )
    )


def uncertainty_runs_list_of_report(
    report_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    state: Literal["pending", "running", "complete", "failed"] | None = None,
) -> Listing[records.UncertaintyRun]:
    """List the uncertainty runs of a report, newest first.

    GET /reports/{report_id}/uncertainty_runs

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for. By created_at, or by several, at most
            10,000 records are sorted.
        state: Only records whose state is the value given: pending, running, complete, failed.

    """
    return Listing(
        call(
            "GET",
            "/reports/{report_id}/uncertainty_runs",
            Page[records.UncertaintyRun],
            names={"report_id": report_id},
            query={"page": page, "page_size": page_size, "sort": sort, "filter[state][eq]": state},
        )
    )


def uncertainty_runs_start_of_batch(
    batch_id: str,
    *,
    trials: int | UnsetType = UNSET,
    seed: int | UnsetType = UNSET,
    coverage_probability: Decimal | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.StartedUncertaintyRun]:
    """Start Monte Carlo trials of the run of a batch; poll the task in the answer.

    POST /batches/{batch_id}/uncertainty_runs

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.
        trials: How many trials to compute, from 100 to 1,000,000.
        seed: Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials
            everywhere.
        coverage_probability: The coverage probability of the intervals, above 0 and below 1; null for
            that of the model.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/batches/{batch_id}/uncertainty_runs",
        records.StartedUncertaintyRun,
        names={"batch_id": batch_id},
        body={
            "uncertainty_run": {"trials": trials, "seed": seed, "coverage_probability": coverage_probability}
        },
        takes_key=True,
        key=idempotency_key,
    )


def uncertainty_runs_start_of_report(
    report_id: str,
    *,
    trials: int | UnsetType = UNSET,
    seed: int | UnsetType = UNSET,
    coverage_probability: Decimal | int | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.StartedUncertaintyRun]:
    """Start Monte Carlo trials of what a report holds in all; poll the task in the answer.

    POST /reports/{report_id}/uncertainty_runs

    Args:
        report_id: The friendly id of the report: rpt_ and 24 hexadecimal digits.
        trials: How many trials to compute, from 100 to 1,000,000.
        seed: Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials
            everywhere.
        coverage_probability: The coverage probability of the intervals, above 0 and below 1; null for
            that of the model.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/reports/{report_id}/uncertainty_runs",
        records.StartedUncertaintyRun,
        names={"report_id": report_id},
        body={
            "uncertainty_run": {"trials": trials, "seed": seed, "coverage_probability": coverage_probability}
        },
        takes_key=True,
        key=idempotency_key,
    )


def uncertainty_savings_get(
    batch_id: str,
) -> Call[records.UncertaintySavings]:
    """Read how uncertain a batch would be with each effect at zero, and which few effects would halve that.

    GET /batches/{batch_id}/uncertainty_savings

    Args:
        batch_id: The friendly id of the batch: bat_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/batches/{batch_id}/uncertainty_savings",
        records.UncertaintySavings,
        names={"batch_id": batch_id},
    )


def version_comparisons_compare_over_period(
    model_id: str,
    *,
    start_time: Time,
    end_time: Time,
    against: str | UnsetType | None = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.ComparedVersions]:
    """Say what a version would change over a past period against another, by batch and node.

    POST /models/{model_id}/compare

    Args:
        model_id: The friendly id of the model: mod_ and 24 hexadecimal digits.
        start_time: The start of the period, inclusive; slots of which at least half lies in it are
            compared.
        end_time: The end of the period, exclusive.
        against: The friendly id of another version of the model; without it, the active one.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/models/{model_id}/compare",
        records.ComparedVersions,
        names={"model_id": model_id},
        body={"start_time": start_time, "end_time": end_time, "against": against},
        takes_key=True,
        key=idempotency_key,
    )


def webhooks_create(
    *,
    url: str,
    change_types: Sequence[
        Literal[
            "event",
            "correction",
            "batch",
            "async_task",
            "rule_result",
            "report",
            "ledger",
            "footprint",
            "event.create",
            "event.update",
            "event.void",
            "event.restore",
            "correction.create",
            "correction.update",
            "correction.revert",
            "batch.create",
            "batch.update",
            "batch.delete",
            "async_task.create",
            "async_task.update",
            "async_task.start",
            "async_task.complete",
            "async_task.fail",
            "rule_result.create",
            "rule_result.update",
            "report.create",
            "report.update",
            "report.delete",
            "ledger.update",
            "footprint.create",
            "footprint.update",
        ]
    ]
    | UnsetType
    | None = UNSET,
    project_id: str | UnsetType | None = UNSET,
    description: str | UnsetType = UNSET,
    is_enabled: bool | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedWebhook]:
    """Have an address told of what changes from now on; the answer shows the secret this once.

    POST /webhooks

    Args:
        url: An address that begins with https://; http:// reaches only networks that the service was
            told of.
        change_types: Which changes are told; all that the caller's token may read when left out.
        project_id: The friendly id of the project whose changes are told; null for the whole account.
        description: What it is for, in the words of whoever made it.
        is_enabled: Whether changes are sent; while it is not, they wait in the feed, as long as that
            keeps them.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/webhooks",
        records.IssuedWebhook,
        body={
            "webhook": {
                "url": url,
                "change_types": change_types,
                "project_id": project_id,
                "description": description,
                "is_enabled": is_enabled,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )


def webhooks_delete(
    webhook_id: str,
) -> Call[None]:
    """Remove a webhook with the log of its deliveries.

    DELETE /webhooks/{webhook_id}

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.

    """
    return call(
        "DELETE",
        "/webhooks/{webhook_id}",
        None,
        names={"webhook_id": webhook_id},
    )


def webhooks_get_delivery(
    webhook_id: str,
    delivery_id: str,
) -> Call[records.WebhookDelivery]:
    """Read one delivery.

    GET /webhooks/{webhook_id}/deliveries/{delivery_id}

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        delivery_id: The friendly id of the delivery: dlv_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/webhooks/{webhook_id}/deliveries/{delivery_id}",
        records.WebhookDelivery,
        names={"webhook_id": webhook_id, "delivery_id": delivery_id},
    )


def webhooks_get(
    webhook_id: str,
) -> Call[records.Webhook]:
    """Read one webhook.

    GET /webhooks/{webhook_id}

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.

    """
    return call(
        "GET",
        "/webhooks/{webhook_id}",
        records.Webhook,
        names={"webhook_id": webhook_id},
    )


def webhooks_list_deliveries(
    webhook_id: str,
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    state: Literal["pending", "delivered", "failed"] | None = None,
    created_at_geq: Time | None = None,
    created_at_leq: Time | None = None,
) -> Listing[records.WebhookDelivery]:
    """List what was sent to a webhook and what became of it, the newest first.

    GET /webhooks/{webhook_id}/deliveries

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is -id, or what the cursor was written for.
        state: Only records whose state is the value given: pending, delivered, failed.
        created_at_geq: Only records whose created_at is at or after the value given: a time with an
            offset or Z.
        created_at_leq: Only records whose created_at is at or before the value given: a time with an
            offset or Z.

    """
    return Listing(
        call(
            "GET",
            "/webhooks/{webhook_id}/deliveries",
            Page[records.WebhookDelivery],
            names={"webhook_id": webhook_id},
            query={
                "page": page,
                "page_size": page_size,
                "sort": sort,
                "filter[state][eq]": state,
                "filter[created_at][geq]": created_at_geq,
                "filter[created_at][leq]": created_at_leq,
            },
        )
    )


def webhooks_list(
    *,
    page: int | None = None,
    page_size: int | None = None,
    sort: str | Sequence[str] | None = None,
    project_id: str | None = None,
) -> Listing[records.Webhook]:
    """List the account's webhooks, without their secrets.

    GET /webhooks

    Args:
        page: Which page of the list, from 1; the first one when left out. Not with `cursor`.
        page_size: How many records a page holds, 20 when left out; more are taken as 200.
        sort: What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left
            out, it is id, or what the cursor was written for.
        project_id: Only records whose project_id is the value given: an id prj_… or a project's number.

    """
    return Listing(
        call(
            "GET",
            "/webhooks",
            Page[records.Webhook],
            query={"page": page, "page_size": page_size, "sort": sort, "filter[project_id][eq]": project_id},
        )
    )


def webhooks_redeliver(
    webhook_id: str,
    delivery_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.WebhookDelivery]:
    """Send a delivery again now, under the same id.

    POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        delivery_id: The friendly id of the delivery: dlv_ and 24 hexadecimal digits.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
        records.WebhookDelivery,
        names={"webhook_id": webhook_id, "delivery_id": delivery_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def webhooks_roll_secret(
    webhook_id: str,
    *,
    overlap_hours: int | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.IssuedWebhook]:
    """Give a webhook a new secret, shown this once; those so far sign beside it until the overlap is over.

    POST /webhooks/{webhook_id}/roll_secret

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        overlap_hours: For how many hours the secrets so far sign beside the new one: 0 to 168; 0 ends
            them at once.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/webhooks/{webhook_id}/roll_secret",
        records.IssuedWebhook,
        names={"webhook_id": webhook_id},
        body={"overlap_hours": overlap_hours},
        takes_key=True,
        key=idempotency_key,
    )


def webhooks_try_(
    webhook_id: str,
    *,
    idempotency_key: str | None = None,
) -> Call[records.WebhookDelivery]:
    """Have a test delivered, of the type `weighbridge.webhook.test`: one attempt, also while disabled.

    POST /webhooks/{webhook_id}/test

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "POST",
        "/webhooks/{webhook_id}/test",
        records.WebhookDelivery,
        names={"webhook_id": webhook_id},
        body={},
        takes_key=True,
        key=idempotency_key,
    )


def webhooks_update(
    webhook_id: str,
    *,
    url: str | UnsetType = UNSET,
    change_types: Sequence[
        Literal[
            "event",
            "correction",
            "batch",
            "async_task",
            "rule_result",
            "report",
            "ledger",
            "footprint",
            "event.create",
            "event.update",
            "event.void",
            "event.restore",
            "correction.create",
            "correction.update",
            "correction.revert",
            "batch.create",
            "batch.update",
            "batch.delete",
            "async_task.create",
            "async_task.update",
            "async_task.start",
            "async_task.complete",
            "async_task.fail",
            "rule_result.create",
            "rule_result.update",
            "report.create",
            "report.update",
            "report.delete",
            "ledger.update",
            "footprint.create",
            "footprint.update",
        ]
    ]
    | UnsetType = UNSET,
    project_id: str | UnsetType | None = UNSET,
    description: str | UnsetType = UNSET,
    is_enabled: bool | UnsetType = UNSET,
    secret: str | UnsetType = UNSET,
    idempotency_key: str | None = None,
) -> Call[records.Webhook]:
    """Change a webhook, disable it, or enable it again: it goes on where it stood in the feed.

    PATCH /webhooks/{webhook_id}

    Args:
        webhook_id: The friendly id of the webhook: whk_ and 24 hexadecimal digits.
        url: Where requests are sent by POST.
        change_types: Which changes are told: `batch` for all of batches, `batch.create` for new ones.
        project_id: The friendly id of the project whose changes are told; null for the whole account.
        description: What it is for, in the words of whoever made it.
        is_enabled: A webhook that is enabled again goes on where it stood in the feed.
        secret: What the receiver checks signatures by from now on, `whsec_` and base64 of 24 to 64
            bytes, instead of all secrets so far. Required with a URL on another host.
        idempotency_key: A request sent again with the same key is executed once; made up where none is
            given.

    """
    return call(
        "PATCH",
        "/webhooks/{webhook_id}",
        records.Webhook,
        names={"webhook_id": webhook_id},
        body={
            "webhook": {
                "url": url,
                "change_types": change_types,
                "project_id": project_id,
                "description": description,
                "is_enabled": is_enabled,
                "secret": secret,
            }
        },
        takes_key=True,
        key=idempotency_key,
    )
