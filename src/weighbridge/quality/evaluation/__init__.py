"""Evaluation: apply rules to records over a period, where data changed, or as a preview without storing.

In the order of the work: `record_streams` and `series` read the records as SQL, `passes` turn them into
findings, `findings` stores these and updates results, `period_evaluation` does so for one rule and
period, and `incremental` for the automatic rules of a project. The pure evaluation is
`core.rule.evaluation`.
"""
