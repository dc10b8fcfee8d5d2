"""Paths of capture rates."""

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.errors import Invalid
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.capture_rates import queries
from weighbridge.quality.capture_rates.records import CaptureRate


@get(
    "/projects/{project_id}/event_types/{event_type_id}/capture_rate",
    permission="data_collection:read",
    returns=CaptureRate,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": "The moment at which it ends: slots that begin then or later are not in it.",
        "period": "How the range is cut in the project's time zone: `day`, `month` or `quarter`.",
    },
    computes=True,
)
async def get_capture_rate(call: ReadCall) -> CaptureRate:
    """Read how much of what an event type's meters were expected to measure is valid.

    Slots of the cadence count that begin in the range and have ended. They are expected of a meter that is in
    service when they begin, unless declared outages cover all of one. Imputed slots are never valid.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_capture_rate(call.tx, project, call.path["event_type_id"], call.query)


ROUTES = [get_capture_rate]
