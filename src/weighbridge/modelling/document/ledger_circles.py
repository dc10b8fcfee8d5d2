"""Which ledgers of a project draw from which, by the models that credit them, so that none make a circle.

Invariant: what is asked here is answered by the active versions; whoever changes one says what it would be.
"""

from dataclasses import dataclass

from weighbridge.core.ledger.circle import circle_through, described
from weighbridge.core.model import Available, Model, ModelError, Upstream
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model


@dataclass(frozen=True, slots=True)
class CreditingModel:
    """The model that credits a ledger, and the ledgers that it names as sources."""

    family: int
    sources: frozenset[str]


def sources_of(model: Model) -> frozenset[str]:
    """The ledgers that a model draws from or looks at."""
    return frozenset(node.body.ledger for node in model.nodes if isinstance(node.body, Upstream | Available))


async def crediting_models(tx: Read, project: int) -> dict[str, CreditingModel]:
    """What credits the ledgers of a project, by their names."""
    rows = await tx.tuples(
        """
        SELECT l.name, l.family_id, m.document
          FROM ledgers l
          JOIN model_families f ON f.id = l.family_id
          JOIN models m ON m.id = f.active_model_id
         WHERE l.project_id = %s
        """,
        (project,),
    )
    return await tx.in_thread(
        lambda: {name: CreditingModel(family, _sources(document)) for name, family, document in rows}
    )


def problem_of_circle(family: int, ledgers: dict[str, CreditingModel], field: str) -> list[Problem]:
    """That ledgers of a model draw from each other in a circle, by way of other models.

    That a model draws from a ledger which it credits itself is refused where it is run, as `own_ledger`.
    """
    own = [name for name, model in ledgers.items() if model.family == family]
    draws = {
        name: [one for one in model.sources if one not in ledgers or ledgers[one].family != model.family]
        for name, model in ledgers.items()
    }
    circle = circle_through(own, draws)
    if not circle:
        return []
    message = f"Ledgers would draw from each other in a circle: {described(circle)}."
    return [Problem(message, field, "cycle")]


def _sources(document: str) -> frozenset[str]:
    """Those of a stored document; none when the language has left the document behind."""
    try:
        return sources_of(read_model(document))
    except ModelError:
        return frozenset()
