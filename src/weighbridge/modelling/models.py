"""Models: versioned calculations, each one YAML document.

A version never changes what it computes; one version of a family is active, and ledgers run that one.
Permission: production accounting.
"""

from collections.abc import Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Final

from msgspec import Struct, structs
from psycopg.sql import SQL, Composed

from weighbridge.core import identity
from weighbridge.core.identity import Link, problem_of_name, problem_of_unseen
from weighbridge.core.model import ModelError, hash_model
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Conflict, Forbidden, Invalid, Malformed
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, get, patch, post
from weighbridge.http.messages.body import LONG_BODY_BYTES_MAX
from weighbridge.http.messages.operation import Attachment, Spool
from weighbridge.http.text import left_out
from weighbridge.modelling.documents import StoredModel, find_owned_model, read_model
from weighbridge.modelling.models_simulation import build_schema, compare, simulate
from weighbridge.modelling.records import (
    DESCRIPTION_LENGTH_MAX,
    MODEL_BODIES,
    ORDER_MAX,
    VERSION_LABEL_LENGTH_MAX,
    Activation,
    Difference,
    Document,
    DocumentOfProject,
    Model,
    NewModelBody,
    NewVersion,
    Schema,
    Simulated,
    Simulation,
    Validation,
    VersionLabelBody,
)
from weighbridge.modelling.validation import check_activation, read_valid, validate
from weighbridge.platform import changes
from weighbridge.platform.tenancy import (
    find,
    project_filter,
    project_for_record,
    project_of,
    refuse_shared,
    shared_or_seen,
)

MODELS: Final = Listing(
    sorts={
        "id": "m.id",
        "name": "m.name",
        "order": "m.sort_order",
        "version": "m.version",
        "created_at": "m.created_at",
        "updated_at": "m.updated_at",
    },
    default_sort="id",
    key=("m.id",),
    filters={
        "name": Filter("m.name", str, "a name"),
        "project_id": project_filter("f.project_id"),
    },
    is_exported=True,
)

VERSIONS: Final = Listing(
    sorts={"version": "m.version", "created_at": "m.created_at", "updated_at": "m.updated_at"},
    default_sort="version",
    key=("m.id",),
)

_SOURCE: Final = "models m JOIN model_families f ON f.id = m.family_id"


def _link_page(project: str | None, model: str) -> Link | None:
    return None if project is None else Link(f"/projects/{project}/models/{model}")


MODEL: Final = row_of(
    Model,
    Column("id", "m.id", partial(identity.of, "model", 0)),
    Column("project_id", "f.project_id", unless_null(partial(identity.of, "project"))),
    Column("name", "m.name"),
    Column("version", "m.version"),
    Column("version_label", "m.version_label"),
    Column("description", "m.description"),
    Column("is_latest", "m.version = (SELECT max(version) FROM models n WHERE n.family_id = m.family_id)"),
    Column("is_active", "m.id = f.active_model_id"),
    Column("cadence", "m.cadence"),
    Column("partition_type", "m.partition_type"),
    Column("order", "m.sort_order"),
    Column("sha256", "encode(m.sha256, 'hex')"),
    Column("created_at", "m.created_at"),
    Column("updated_at", "m.updated_at"),
    Derived("ui_url", ("project_id", "id"), _link_page),
)


def _limit_to_seen(actor: Actor) -> Composed:
    return shared_or_seen(actor, "f.account_id", "f.project_id")


async def read_model_version(tx: Read, actor: Actor, friendly: str) -> Model:
    """One version of the account's models."""
    numbered = SQL("{} AND m.id = %s").format(_limit_to_seen(actor))
    return await find(tx, MODEL, _SOURCE, numbered, (identity.number("model", friendly),))


async def insert_model(tx: Write, actor: Actor, project: int | None, text: str) -> Model:
    """Make a model of its document, of a project or of none; Invalid with every flaw and its line."""
    model = await read_valid(tx, project, text, "model.yaml")
    family: int = await tx.value(
        "INSERT INTO model_families (account_id, project_id) VALUES (%s, %s) RETURNING id",
        (actor.account_id, project),
    )
    number: int = await tx.value(
        """
        INSERT INTO models (family_id, version, name, cadence, partition_type, share_places, document, sha256)
        VALUES (%s, 1, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            family, model.name, model.cadence, model.partition_type, model.share_places, text,
            bytes.fromhex(hash_model(model)),
        ),
    )  # fmt: skip
    await tx.execute("UPDATE model_families SET active_model_id = %s WHERE id = %s", (number, family))
    made = await read_model_version(tx, actor, identity.of("model", 0, number))
    changes.record(tx, actor, action="model.create", target=made.id, project_id=project, after=made)
    return made


async def _refuse_reaching_others(tx: Read, actor: Actor, version: StoredModel) -> None:
    """Raise Forbidden where somebody limited to projects would write a model that other projects run."""
    refuse_shared(actor, version.project, "The model")
    seen = actor.projects
    if seen is None:
        return
    linked = "SELECT EXISTS (SELECT FROM ledgers WHERE family_id = %s AND project_id <> ALL (%s))"
    if await tx.value(linked, (version.family, sorted(seen))):
        raise Forbidden(
            "Ledgers of other projects run the model; to write it takes the permission in the account.",
            "permission_missing",
        )


async def create_version(tx: Write, actor: Actor, friendly: str, request: NewVersion) -> Model:
    """Make the next version of a model; only on its latest, so that nobody's changes are left behind.

    A name that was given to the model itself stays until a document brings another one than the last.
    """
    latest = await find_owned_model(tx, actor, friendly)
    await _refuse_reaching_others(tx, actor, latest)
    problems = [
        *_check_label(request.version_label),
        *_check_description(request.description, "description"),
    ]
    if problems:
        raise Invalid(problems)
    model = await read_valid(tx, latest.project, request.yaml, "yaml")
    # The row of the family is locked: of two that save at once, the second learns of the first.
    await tx.execute("SELECT FROM model_families WHERE id = %s FOR UPDATE", (latest.family,))
    await _require_latest(tx, latest)
    shown = await read_model_version(tx, actor, friendly)
    is_renamed = model.name != await tx.in_thread(_name_in, latest.document)
    number: int = await tx.value(
        """
        INSERT INTO models (family_id, version, name, version_label, description, cadence, partition_type,
                            share_places, sort_order, document, sha256)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            latest.family, latest.version + 1, model.name if is_renamed else shown.name,
            request.version_label or None, request.description, model.cadence, model.partition_type,
            model.share_places, shown.order, request.yaml, bytes.fromhex(hash_model(model)),
        ),
    )  # fmt: skip
    made = await read_model_version(tx, actor, identity.of("model", 0, number))
    changes.record(
        tx, actor, action="model.create_version", target=made.id, project_id=latest.project, after=made
    )
    return await set_active_version(tx, actor, made.id) if request.activate else made


async def set_active_version(tx: Write, actor: Actor, friendly: str) -> Model:
    """Make a version the one that ledgers run, from one moment to the next.

    Raises Invalid while the version has errors, or a ledger is credited by an output that it lacks.
    """
    version = await find_owned_model(tx, actor, friendly)
    await _refuse_reaching_others(tx, actor, version)
    await tx.execute("SELECT FROM model_families WHERE id = %s FOR UPDATE", (version.family,))
    active: int = await tx.value(
        "SELECT active_model_id FROM model_families WHERE id = %s", (version.family,)
    )
    if active == version.id:
        return await read_model_version(tx, actor, friendly)
    if problems := await check_activation(tx, version):
        raise Invalid(problems)
    before = await read_model_version(tx, actor, identity.of("model", 0, active))
    await tx.execute(
        "UPDATE model_families SET active_model_id = %s WHERE id = %s", (version.id, version.family)
    )
    after = await read_model_version(tx, actor, friendly)
    changes.record(
        tx,
        actor,
        action="model.activate",
        target=friendly,
        project_id=version.project,
        before=before,
        after=after,
    )
    return after


async def _update(
    tx: Write, actor: Actor, version: StoredModel, before: Model, requested: Model, *, action: str
) -> Model:
    if requested == before:
        return before
    await tx.execute(
        """
        UPDATE models SET name = %s, sort_order = %s, description = %s, version_label = %s, updated_at = now()
         WHERE id = %s
        """,
        (requested.name, requested.order, requested.description, requested.version_label, version.id),
    )
    after = await read_model_version(tx, actor, before.id)
    changes.record(
        tx, actor, action=action, target=after.id, project_id=version.project, before=before, after=after
    )
    return after


def _name_in(document: str) -> str | None:
    """The name that a stored document gives; None when the language has left the document behind."""
    try:
        return read_model(document).name
    except ModelError:
        return None


async def _require_latest(tx: Write, request: StoredModel) -> None:
    newest: int = await tx.value("SELECT max(version) FROM models WHERE family_id = %s", (request.family,))
    if request.version == newest:
        return
    number: int = await tx.value(
        "SELECT id FROM models WHERE family_id = %s AND version = %s", (request.family, newest)
    )
    raise Conflict(
        f"This is version {request.version}; a new version is made of the latest, "
        f"version {newest}, {identity.of('model', 0, number)}."
    )


def _check_label(label: str | None) -> Iterator[Problem]:
    if not label:
        return
    if label.isspace():
        yield Problem(
            "version_label holds nothing but blanks; null or an empty text clears it.",
            "version_label",
            "invalid",
        )
        return
    if len(label) > VERSION_LABEL_LENGTH_MAX:
        yield Problem(
            f"version_label has {len(label)} characters; it has at most {VERSION_LABEL_LENGTH_MAX}.",
            "version_label",
            "invalid",
        )
    if unseen := problem_of_unseen(label, "version_label"):
        yield unseen
        return
    strange = [one for one in dict.fromkeys(label) if not _is_of_a_label(one)]
    if strange:
        yield Problem(
            f"version_label holds {', '.join(map(repr, strange[:5]))}; "
            "it takes letters, numbers, spaces and _ - . ( ) /.",
            "version_label",
            "invalid",
        )


def _is_of_a_label(character: str) -> bool:
    """Whether a version label may hold the character: a letter of any alphabet, a digit, a space, _-.()/."""
    return character.isalpha() or character.isdecimal() or character in " _-.()/"


def _check_description(description: str | None, field: str) -> Iterator[Problem]:
    if description is not None and len(description) > DESCRIPTION_LENGTH_MAX:
        yield Problem(
            f"{field} has {len(description)} characters; it has at most {DESCRIPTION_LENGTH_MAX}.",
            field,
            "invalid",
        )


_READ = "production_accounting:read"
_WRITE = "production_accounting:write"
_ONE = "/models/{model_id}"
_YAML = "application/yaml"


@get("/models", permission=_READ, returns=Page[Model], listing=MODELS, spans_projects=True)
async def list_models(call: ReadCall) -> Page[Model]:
    """List the account's models, every version of each."""
    request = list_request(call.query, MODELS)
    return await read_page(
        call.tx, MODEL, MODELS, request, source=_SOURCE, where=[_limit_to_seen(call.actor)]
    )


@get("/projects/{project_id}/models", permission=_READ, returns=Page[Model], listing=MODELS)
async def list_project_models(call: ReadCall) -> Page[Model]:
    """List the models of a project, every version of each."""
    project, request = await project_of(call), list_request(call.query, MODELS)
    of_project = SQL("f.project_id = {}").format(Literal(project))
    return await read_page(call.tx, MODEL, MODELS, request, source=_SOURCE, where=[of_project])


@post(
    "/models",
    permission=_WRITE,
    body=NewModelBody,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Model,
    computes=True,
    spans_projects=True,
)
async def create_model(call: WriteCall, body: NewModelBody) -> Model:
    """Create a model from its YAML document, which is checked whole: units, names, its own cases.

    A model of a project is checked against its event types too; those that the project lacks may come later.
    """
    tx, actor, request = call.tx, call.actor, body.model
    project = None if request.project_id is None else await project_for_record(tx, actor, request.project_id)
    refuse_shared(actor, project, "The model")
    return await insert_model(tx, actor, project, request.yaml)


@ask(
    "/models/yaml_validate",
    permission=_READ,
    body=DocumentOfProject,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Validation,
    spans_projects=True,
)
async def validate_yaml(call: ReadCall, body: DocumentOfProject) -> Validation:
    """Say everything that is wrong with a document, with lines and columns; nothing is stored.

    The answer is 200 for a document that is wrong, too: `valid` says whether it could be saved.
    """
    project = None
    if body.project_id is not None:
        project = await project_for_record(call.tx, call.actor, body.project_id)
    return await validate(call.tx, project, body.yaml)


@get(_ONE, permission=_READ, returns=Model, spans_projects=True)
async def get_model(call: ReadCall) -> Model:
    """Read one version of a model."""
    return await read_model_version(call.tx, call.actor, call.path["model_id"])


@patch(_ONE, permission=_WRITE, body=MODEL_BODIES.change_body, returns=Model, spans_projects=True)
async def update_model(call: WriteCall, body: Struct) -> Model:
    """Change the name, order or description of a version; what it computes changes only by a new version."""
    tx, actor, friendly = call.tx, call.actor, call.path["model_id"]
    version = await find_owned_model(tx, actor, friendly, is_changed=True)
    await _refuse_reaching_others(tx, actor, version)
    before = await read_model_version(tx, actor, friendly)
    requested = MODEL_BODIES.changed(before, body)
    problems = [*_check_description(requested.description, "model.description")]
    if wrong := problem_of_name(requested.name, "A model", "model.name"):
        problems.append(wrong)
    if abs(requested.order) > ORDER_MAX:
        problems.append(
            Problem(
                f"model.order is {requested.order}; it is a whole number from {-ORDER_MAX} to {ORDER_MAX}.",
                "model.order",
                "invalid",
            )
        )
    if problems:
        raise Invalid(problems)
    return await _update(tx, actor, version, before, requested, action="model.update")


@patch(
    _ONE + "/version_label",
    permission=_WRITE,
    body=VersionLabelBody,
    returns=Model,
    example={"model": {"version_label": "Protocol 1.2 (draft)"}},
    spans_projects=True,
)
async def set_version_label(call: WriteCall, body: VersionLabelBody) -> Model:
    """Set the label of a version; null or an empty text clears it.

    At most 255 characters: letters, numbers, spaces and `_ - . ( ) /`.
    """
    tx, actor, friendly, request = call.tx, call.actor, call.path["model_id"], body.model
    version = await find_owned_model(tx, actor, friendly, is_changed=True)
    await _refuse_reaching_others(tx, actor, version)
    label = request.version_label
    if not isinstance(label, str | None):
        raise Malformed([*left_out(request)])
    if problems := [*_check_label(label)]:
        raise Invalid(problems)
    before = await read_model_version(tx, actor, friendly)
    requested = structs.replace(before, version_label=label or None)
    return await _update(tx, actor, version, before, requested, action="model.set_version_label")


@get(_ONE + "/document", permission=_READ, sends=(_YAML,), spans_projects=True)
async def download_model_document(call: ReadCall) -> Attachment:
    """Download the YAML document of a version, character by character as it was saved."""
    shown = await read_model_version(call.tx, call.actor, call.path["model_id"])
    version = await find_owned_model(call.tx, call.actor, call.path["model_id"])
    content = version.document.encode()

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(content) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(content)
        spool.seek(0)
        return spool

    name = f"{shown.name} {shown.version}.yaml"
    return Attachment(name, f"{_YAML}; charset=utf-8", len(content), read)


@get(_ONE + "/versions", permission=_READ, returns=Page[Model], listing=VERSIONS, spans_projects=True)
async def list_model_versions(call: ReadCall) -> Page[Model]:
    """List the versions of a model, whichever of them the path names."""
    request = list_request(call.query, VERSIONS)
    tx, actor = call.tx, call.actor
    version = await find_owned_model(tx, actor, call.path["model_id"])
    of_family = SQL("m.family_id = {}").format(Literal(version.family))
    return await read_page(
        tx, MODEL, VERSIONS, request, source=_SOURCE, where=[_limit_to_seen(actor), of_family]
    )


@post(
    _ONE + "/versions",
    permission=_WRITE,
    body=NewVersion,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Model,
    computes=True,
    spans_projects=True,
)
async def create_model_version(call: WriteCall, body: NewVersion) -> Model:
    """Create the next version of a model, with an id of its own; 409 unless the path names the latest.

    Ledgers go on with the active version, unless `activate` makes the new one active at once.
    """
    return await create_version(call.tx, call.actor, call.path["model_id"], body)


@post(
    _ONE + "/activate",
    permission=_WRITE,
    body=Activation,
    returns=Model,
    status=200,
    computes=True,
    spans_projects=True,
)
async def activate_model(call: WriteCall, _: Activation) -> Model:
    """Make a version the active one, which ledgers run from then on; the body may be left out.

    422 while the version has errors, names event types that the project lacks, or lacks the output that a
    ledger is credited by. Batches that were made stay as they are.
    """
    return await set_active_version(call.tx, call.actor, call.path["model_id"])


@get(
    _ONE + "/difference",
    permission=_READ,
    returns=Difference,
    query={"to": "The id of the version to compare with."},
    computes=True,
    spans_projects=True,
)
async def compare_models(call: ReadCall) -> Difference:
    """Compare two versions node by node: what was added, removed and changed on the way to the other."""
    return await compare(call.tx, call.actor, call.path["model_id"], call.query)


@get(_ONE + "/schema", permission=_READ, returns=Schema, computes=True, spans_projects=True)
async def get_model_schema(call: ReadCall) -> Schema:
    """Read what a version takes from outside, what it gives, and an example of a simulation."""
    return await build_schema(call.tx, call.actor, call.path["model_id"])


@ask(
    _ONE + "/simulate",
    permission=_READ,
    body=Simulation,
    returns=Simulated,
    example={
        "inputs": {"wet-mass": [12, 9], "moisture": [12, 18]},
        "start_time": "2025-01-01T00:00:00Z",
        "end_time": "2025-02-01T00:00:00Z",
    },
    spans_projects=True,
)
async def simulate_model(call: ReadCall, body: Simulation) -> Simulated:
    """Compute a version once from the values given; nothing is stored.

    Values go by the slug of a node, or of its data point type or static input, in the unit of the node. A
    list given to an input that is one number is aggregated. The answer has every node with its value and,
    for a formula, the equation as it is written and with its values filled in.
    """
    return await simulate(call.tx, call.actor, call.path["model_id"], body)


@ask(
    _ONE + "/yaml_validate",
    permission=_READ,
    body=Document,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Validation,
    spans_projects=True,
)
async def validate_model_yaml(call: ReadCall, body: Document) -> Validation:
    """Say everything that is wrong with a document that is to be the next version; nothing is stored.

    It is checked against the project of the model. The answer is 200 for a document that is wrong, too.
    """
    version = await find_owned_model(call.tx, call.actor, call.path["model_id"])
    return await validate(call.tx, version.project, body.yaml)


ROUTES = [
    list_models,
    list_project_models,
    create_model,
    validate_yaml,
    get_model,
    update_model,
    set_version_label,
    download_model_document,
    list_model_versions,
    create_model_version,
    activate_model,
    compare_models,
    get_model_schema,
    simulate_model,
    validate_model_yaml,
]
