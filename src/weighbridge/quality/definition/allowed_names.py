"""What rules can name: the data points of an event type, the nodes of a model.

A rule for model runs names the nodes of the model's active version.
"""

from weighbridge.core.expression import PLAIN, TEXT, TRUTH
from weighbridge.core.rule import Vocabulary
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model

_TYPES = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


async def vocabularies_of_event_types(tx: Read, project: int) -> dict[int, Vocabulary]:
    """The vocabulary of each event type of a project, by its number."""
    rows = await tx.tuples(
        """
        SELECT et.id, et.slug, et.cadence_unit IS NOT NULL,
               array_agg(t.slug ORDER BY t.position) FILTER (WHERE t.slug IS NOT NULL),
               array_agg(t.value_type ORDER BY t.position) FILTER (WHERE t.slug IS NOT NULL)
          FROM event_types et
          LEFT JOIN data_point_types t ON (t.project_id, t.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s GROUP BY et.project_id, et.id ORDER BY et.id
        """,
        (project,),
    )
    return {
        number: Vocabulary(
            f"an event of type {slug!r}",
            {name: _TYPES[kind] for name, kind in zip(slugs or (), kinds or (), strict=True)},
            has_cadence=has_cadence,
        )
        for number, slug, has_cadence, slugs, kinds in rows
    }


async def vocabulary_of_family(tx: Read, family: int) -> Vocabulary:
    """The vocabulary of a model's runs: the nodes of its active version."""
    document: str = await tx.value(
        """
        SELECT m.document FROM model_families f JOIN models m ON m.id = f.active_model_id WHERE f.id = %s
        """,
        (family,),
    )
    model = await tx.in_thread(read_model, document)
    return Vocabulary(
        f"a run of {model.name!r}",
        {node.slug: PLAIN for node in model.nodes},
        {node.slug: node.name for node in model.nodes if node.name is not None},
    )
