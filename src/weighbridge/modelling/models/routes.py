"""Paths of models."""

from tempfile import SpooledTemporaryFile

from weighbridge.collection.tenancy.project import project_for_record, project_named
from weighbridge.db.listing import Page, list_request
from weighbridge.http.arrival.body import LONG_BODY_BYTES_MAX
from weighbridge.http.attachment import Attachment, Spool
from weighbridge.http.endpoint import ReadCall, WriteCall, ask, get, patch, post
from weighbridge.modelling.document.comparison import compare
from weighbridge.modelling.document.schema import schema_of
from weighbridge.modelling.document.validation import validate
from weighbridge.modelling.models import actions, queries
from weighbridge.modelling.models.records import (
    Activation,
    Difference,
    Document,
    DocumentOfProject,
    Model,
    ModelChangeBody,
    NewModelBody,
    NewVersion,
    Schema,
    Simulated,
    Simulation,
    Validation,
    VersionLabelBody,
)
from weighbridge.modelling.simulation.simulation import simulate
from weighbridge.modelling.versions.stored import owned_model

_READ = "production_accounting:read"
_WRITE = "production_accounting:write"
_ONE = "/models/{model_id}"
_YAML = "application/yaml"


@get("/models", permission=_READ, returns=Page[Model], listing=queries.MODELS)
async def list_models(call: ReadCall) -> Page[Model]:
    """List the account's models, every version of each."""
    return await queries.list_models(call.tx, call.actor, list_request(call.query, queries.MODELS))


@get("/projects/{project_id}/models", permission=_READ, returns=Page[Model], listing=queries.MODELS)
async def list_project_models(call: ReadCall) -> Page[Model]:
    """List the models of a project, every version of each."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_models_of_project(call.tx, project, list_request(call.query, queries.MODELS))


@post(
    "/models",
    permission=_WRITE,
    body=NewModelBody,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Model,
    computes=True,
)
async def create_model(call: WriteCall, body: NewModelBody) -> Model:
    """Create a model from its YAML document, which is checked whole: units, names, its own cases.

    A model of a project is checked against its event types too; those that the project lacks may come later.
    """
    return await actions.create_model(call.tx, call.actor, body.model)


@ask(
    "/models/yaml_validate",
    permission=_READ,
    body=DocumentOfProject,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Validation,
)
async def validate_yaml(call: ReadCall, body: DocumentOfProject) -> Validation:
    """Say everything that is wrong with a document, with lines and columns; nothing is stored.

    The answer is 200 for a document that is wrong, too: `valid` says whether it could be saved.
    """
    project = None
    if body.project_id is not None:
        project = await project_for_record(call.tx, call.actor, body.project_id)
    return await validate(call.tx, project, body.yaml)


@get(_ONE, permission=_READ, returns=Model)
async def get_model(call: ReadCall) -> Model:
    """Read one version of a model."""
    return await queries.get_model(call.tx, call.actor, call.path["model_id"])


@patch(_ONE, permission=_WRITE, body=ModelChangeBody, returns=Model)
async def update_model(call: WriteCall, body: ModelChangeBody) -> Model:
    """Change the name, order or description of a version; what it computes changes only by a new version."""
    return await actions.update_model(call.tx, call.actor, call.path["model_id"], body.model)


@patch(
    _ONE + "/version_label",
    permission=_WRITE,
    body=VersionLabelBody,
    returns=Model,
    example={"model": {"version_label": "Protocol 1.2 (draft)"}},
)
async def set_version_label(call: WriteCall, body: VersionLabelBody) -> Model:
    """Set the label of a version; null or an empty text clears it.

    At most 255 characters: letters, numbers, spaces and `_ - . ( ) /`.
    """
    return await actions.set_version_label(call.tx, call.actor, call.path["model_id"], body.model)


@get(_ONE + "/document", permission=_READ, sends=(_YAML,))
async def download_model_document(call: ReadCall) -> Attachment:
    """Download the YAML document of a version, character by character as it was saved."""
    shown = await queries.get_model(call.tx, call.actor, call.path["model_id"])
    version = await owned_model(call.tx, call.actor, call.path["model_id"])
    content = version.document.encode()

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(content) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(content)
        spool.seek(0)
        return spool

    name = f"{shown.name} {shown.version}.yaml"
    return Attachment(name, f"{_YAML}; charset=utf-8", len(content), read)


@get(_ONE + "/versions", permission=_READ, returns=Page[Model], listing=queries.VERSIONS)
async def list_model_versions(call: ReadCall) -> Page[Model]:
    """List the versions of a model, whichever of them the path names."""
    request = list_request(call.query, queries.VERSIONS)
    return await queries.list_versions(call.tx, call.actor, call.path["model_id"], request)


@post(
    _ONE + "/versions",
    permission=_WRITE,
    body=NewVersion,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Model,
    computes=True,
)
async def create_model_version(call: WriteCall, body: NewVersion) -> Model:
    """Create the next version of a model, with an id of its own; 409 unless the path names the latest.

    Ledgers go on with the active version, unless `activate` makes the new one active at once.
    """
    return await actions.create_version(call.tx, call.actor, call.path["model_id"], body)


@post(_ONE + "/activate", permission=_WRITE, body=Activation, returns=Model, status=200, computes=True)
async def activate_model(call: WriteCall, _: Activation) -> Model:
    """Make a version the active one, which ledgers run from then on; the body may be left out.

    422 while the version has errors, names event types that the project lacks, or lacks the output that a
    ledger is credited by. Batches that were made stay as they are.
    """
    return await actions.activate_model(call.tx, call.actor, call.path["model_id"])


@get(
    _ONE + "/difference",
    permission=_READ,
    returns=Difference,
    query={"to": "The id of the version to compare with."},
    computes=True,
)
async def compare_models(call: ReadCall) -> Difference:
    """Compare two versions node by node: what was added, removed and changed on the way to the other."""
    return await compare(call.tx, call.actor, call.path["model_id"], call.query)


@get(_ONE + "/schema", permission=_READ, returns=Schema, computes=True)
async def get_model_schema(call: ReadCall) -> Schema:
    """Read what a version takes from outside, what it gives, and an example of a simulation."""
    return await schema_of(call.tx, call.actor, call.path["model_id"])


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
)
async def validate_model_yaml(call: ReadCall, body: Document) -> Validation:
    """Say everything that is wrong with a document that is to be the next version; nothing is stored.

    It is checked against the project of the model. The answer is 200 for a document that is wrong, too.
    """
    version = await owned_model(call.tx, call.actor, call.path["model_id"])
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
