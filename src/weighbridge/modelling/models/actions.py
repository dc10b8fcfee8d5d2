"""Make models and versions of them, change how they are shown, and choose the version that ledgers run."""

from collections.abc import Iterator

from weighbridge.collection.tenancy.project import project_for_record
from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.identity.unseen import problem_of_unseen
from weighbridge.core.model import ModelError, sha256
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.patch import changed
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.http.text import left_out
from weighbridge.modelling.document.activation import problems_of_activation
from weighbridge.modelling.document.validation import read_valid
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models import queries
from weighbridge.modelling.models.records import (
    DESCRIPTION_LENGTH_MAX,
    ORDER_MAX,
    VERSION_LABEL_LENGTH_MAX,
    Model,
    ModelChange,
    NewModel,
    NewVersion,
    VersionLabel,
)
from weighbridge.modelling.versions.stored import StoredModel, owned_model
from weighbridge.platform import changes


async def create_model(tx: Write, actor: Actor, request: NewModel) -> Model:
    """Make a model of a document; its first version is active.

    Raises Invalid with every flaw of the document and its line.
    """
    project = None if request.project_id is None else await project_for_record(tx, actor, request.project_id)
    model = await read_valid(tx, project, request.yaml, "model.yaml")
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
            family, model.name, model.cadence, model.partition_type, model.share_places, request.yaml,
            bytes.fromhex(sha256(model)),
        ),
    )  # fmt: skip
    await tx.execute("UPDATE model_families SET active_model_id = %s WHERE id = %s", (number, family))
    made = await queries.get_model(tx, actor, ids.of("model", 0, number))
    changes.record(tx, actor, action="model.create", target=made.id, project_id=project, after=made)
    return made


async def create_version(tx: Write, actor: Actor, friendly: str, request: NewVersion) -> Model:
    """Make the next version of a model; only on its latest, so that nobody's changes are left behind.

    A name that was given to the model itself stays until a document brings another one than the last.
    """
    latest = await owned_model(tx, actor, friendly)
    problems = [
        *_problems_of_label(request.version_label),
        *_problems_of_description(request.description, "description"),
    ]
    if problems:
        raise Invalid(problems)
    model = await read_valid(tx, latest.project, request.yaml, "yaml")
    # The row of the family is locked: of two that save at once, the second learns of the first.
    await tx.execute("SELECT FROM model_families WHERE id = %s FOR UPDATE", (latest.family,))
    await _refuse_unless_latest(tx, latest)
    shown = await queries.get_model(tx, actor, friendly)
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
            model.share_places, shown.order, request.yaml, bytes.fromhex(sha256(model)),
        ),
    )  # fmt: skip
    made = await queries.get_model(tx, actor, ids.of("model", 0, number))
    changes.record(
        tx, actor, action="model.create_version", target=made.id, project_id=latest.project, after=made
    )
    return await activate_model(tx, actor, made.id) if request.activate else made


async def activate_model(tx: Write, actor: Actor, friendly: str) -> Model:
    """Make a version the one that ledgers run, from one moment to the next.

    Raises Invalid while the version has errors, or a ledger is credited by an output that it lacks.
    """
    version = await owned_model(tx, actor, friendly)
    await tx.execute("SELECT FROM model_families WHERE id = %s FOR UPDATE", (version.family,))
    active: int = await tx.value(
        "SELECT active_model_id FROM model_families WHERE id = %s", (version.family,)
    )
    if active == version.id:
        return await queries.get_model(tx, actor, friendly)
    if problems := await problems_of_activation(tx, version):
        raise Invalid(problems)
    before = await queries.get_model(tx, actor, ids.of("model", 0, active))
    await tx.execute(
        "UPDATE model_families SET active_model_id = %s WHERE id = %s", (version.id, version.family)
    )
    after = await queries.get_model(tx, actor, friendly)
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


async def update_model(tx: Write, actor: Actor, friendly: str, request: ModelChange) -> Model:
    """Change the name, order or description of a version; what it computes never changes."""
    version = await owned_model(tx, actor, friendly, is_changed=True)
    before = await queries.get_model(tx, actor, friendly)
    requested = changed(before, request)
    problems = [*_problems_of_description(requested.description, "model.description")]
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


async def set_version_label(tx: Write, actor: Actor, friendly: str, request: VersionLabel) -> Model:
    """Set or clear the label of a version."""
    version = await owned_model(tx, actor, friendly, is_changed=True)
    label = request.version_label
    if not isinstance(label, str | None):
        raise Malformed([*left_out(request)])
    if problems := [*_problems_of_label(label)]:
        raise Invalid(problems)
    before = await queries.get_model(tx, actor, friendly)
    requested = changed(before, VersionLabel(label or None))
    return await _update(tx, actor, version, before, requested, action="model.set_version_label")


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
    after = await queries.get_model(tx, actor, before.id)
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


async def _refuse_unless_latest(tx: Write, request: StoredModel) -> None:
    newest: int = await tx.value("SELECT max(version) FROM models WHERE family_id = %s", (request.family,))
    if request.version == newest:
        return
    number: int = await tx.value(
        "SELECT id FROM models WHERE family_id = %s AND version = %s", (request.family, newest)
    )
    raise Conflict(
        f"This is version {request.version}; a new version is made of the latest, "
        f"version {newest}, {ids.of('model', 0, number)}."
    )


def _problems_of_label(label: str | None) -> Iterator[Problem]:
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


def _problems_of_description(description: str | None, field: str) -> Iterator[Problem]:
    if description is not None and len(description) > DESCRIPTION_LENGTH_MAX:
        yield Problem(
            f"{field} has {len(description)} characters; it has at most {DESCRIPTION_LENGTH_MAX}.",
            field,
            "invalid",
        )
