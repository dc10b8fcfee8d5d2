"""Reports: invariants about what they state, reserve and post."""

from typing import Final

from weighbridge.verification.invariant import Invariant

REPORTS: Final = (
    Invariant(
        "what a chain of reports has posted and reserved is what its reports state, at every moment",
        "batch {id}: reports hold {actual} of it for a moment for which they state {expected}",
        """
        SELECT chain.project_id, wrong.batch_id, wrong.posted, wrong.expected
          FROM (SELECT DISTINCT project_id, chain_id FROM reports) AS chain
         CROSS JOIN LATERAL misposted_of_chain(chain.project_id, chain.chain_id) AS wrong
        """,
    ),
    Invariant(
        "a report counts from the latest end of its batches' slots on, or from when what it restates did",
        "batch {id}: it ends at {expected}, and a report that takes from it counts from {actual} on",
        """
        SELECT i.project_id, i.batch_id, r.effective_at, b.end_time
          FROM reports r
          JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE r.effective_at < b.end_time
        """,
    ),
)
"""What holds of reports."""
