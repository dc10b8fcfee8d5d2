"""Paths of substitutions."""

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.db.listing import Page
from weighbridge.errors import Invalid
from weighbridge.http.endpoint import ReadCall, get
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.capture.question import DETAIL_DAYS_MAX
from weighbridge.quality.substitutions import queries
from weighbridge.quality.substitutions.records import FilledValue


@get(
    "/projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions",
    permission="data_collection:read",
    returns=Page[FilledValue],
    listing=queries.SUBSTITUTIONS,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": f"When it ends, at most {DETAIL_DAYS_MAX} days later: slots from then on are not in it.",
    },
)
async def list_substitutions(call: ReadCall) -> Page[FilledValue]:
    """List every value that a rule put into a gap of an event type, with tier, code and how it was found.

    Values in force count, of slots that begin in the range and have ended, expected or not: those that
    stand in the place of a captured value that is not to count, and those of events that a rule made where
    none was captured.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.list_substitutions(call.tx, project, call.path["event_type_id"], call.query)


ROUTES = [list_substitutions]
