"""Why a batch can be stale, and which record says so."""

from typing import Final

DATA_POINT_CORRECTED: Final = "data_point_corrected"
EVENT_CORRECTED: Final = "event_corrected"
EVENT_WITHDRAWN: Final = "event_withdrawn"
STATIC_INPUT_ADDED: Final = "static_input_added"
SERVICE_CHANGED: Final = "service_changed"
BATCH_DELETED: Final = "batch_deleted"
SOURCE_ADJUSTED: Final = "source_adjusted"
INPUTS_REPLACED: Final = "inputs_replaced"
ENGINE_CHANGED: Final = "engine_changed"
UPSTREAM_STALE: Final = "upstream_stale"

REASONS: Final = {
    DATA_POINT_CORRECTED: "a value that it used was corrected; the record is the data point",
    EVENT_CORRECTED: "times or tags of an event that it used were corrected; the record is the event",
    EVENT_WITHDRAWN: "an imputed event that it used was withdrawn; the record is the event",
    STATIC_INPUT_ADDED: "a static input that its model reads has another value for its time; "
    "the record is the static input",
    SERVICE_CHANGED: "a meter whose data it used says otherwise when it was in service; "
    "the record is the asset or location",
    BATCH_DELETED: "another batch of its run was deleted; the record is that batch",
    SOURCE_ADJUSTED: "a run that it draws from has another batch since; the record is that batch",
    INPUTS_REPLACED: "other inputs were named for its run on another ledger; "
    "the record is the batch made of them",
    ENGINE_CHANGED: "the arithmetic has changed since it was computed; "
    "the record is the revision of the engine that computed it",
    UPSTREAM_STALE: "a batch that it draws from is stale; the record is that batch",
}
"""What each reason means."""
