"""The streams that a version reads by the times of events, so that each event belongs to slots or is late."""

from collections.abc import Sequence

from weighbridge.accounting.inputs.streams import Catalogue, InputStream, streams_of
from weighbridge.accounting.inputs.window import Reach
from weighbridge.core.model import Model
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.document.yaml_text import read_model


async def streams_by_time(tx: Read, document: str, catalogue: Catalogue) -> Sequence[InputStream]:
    """What the version of a document reads by time; what it reads whatever its date belongs to no slot."""
    return by_time(await tx.in_thread(read_model, document), catalogue)


def by_time(model: Model, catalogue: Catalogue) -> Sequence[InputStream]:
    """What a version reads by time."""
    try:
        streams = streams_of(model, catalogue).streams
    except Invalid:
        # A version that the project no longer serves generates nothing, and its generation says why.
        return ()
    return [one for one in streams if one.window.reach is not Reach.ANY]
