"""Paths of gaps."""

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.errors import Invalid
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.capture.question import DETAIL_DAYS_MAX
from weighbridge.quality.gaps import queries
from weighbridge.quality.gaps.records import Gaps


@get(
    "/projects/{project_id}/event_types/{event_type_id}/gaps",
    permission="data_collection:read",
    returns=Gaps,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": f"When it ends, at most {DETAIL_DAYS_MAX} days later: slots from then on are not in it.",
    },
    computes=True,
)
async def list_gaps(call: ReadCall) -> Gaps:
    """List where an event type's meters lack valid values, and what stands before, after and in the gaps.

    A gap is expected slots of one meter, one after another, in which nothing was captured or nothing valid.
    Slots that outages cover, or out of service, neither count in it nor end it. It is told as far as it lies
    in the range; a range with more than 500 is refused.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_gaps(call.tx, project, call.path["event_type_id"], call.query)


ROUTES = [list_gaps]
