"""Paths of version comparisons: asked of the version that would be new."""

from weighbridge.accounting.version_comparisons import queries
from weighbridge.accounting.version_comparisons.records import ComparedPeriod, ComparedVersions
from weighbridge.http.endpoint import ReadCall, ask


@ask(
    "/models/{model_id}/compare",
    permission="production_accounting:read",
    body=ComparedPeriod,
    returns=ComparedVersions,
    of_one_snapshot=True,
    example={"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-04-01T00:00:00Z"},
)
async def compare_over_period(call: ReadCall, body: ComparedPeriod) -> ComparedVersions:
    """Say what a version would change over a past period against another, by batch and node.

    Both versions are computed over the data as they are now, whatever was generated before and by whichever
    version, as if each were activated and replaced it; nothing is stored. Without `against` it is the version
    that ledgers run now. Each version has the slots of its own cadence; where these differ, ask for a period
    that holds whole slots of both. 422 for a version that could not be activated, for a model that no ledger
    runs, and for a period that cuts generated slots of another cadence in two.
    """
    return await queries.compare_over_period(call.tx, call.actor, call.path["model_id"], body)


ROUTES = [compare_over_period]
