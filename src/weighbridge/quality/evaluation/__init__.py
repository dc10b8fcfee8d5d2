"""Evaluating rules over records: over a period, where data changed, or as a preview that stores nothing.

In come a stored version, a period or marks, and the records: events, or model runs. Out go the findings, and
with them results and corrections, by the packages below; a run says what it came to as numbers.

In the order of the work:

- `marks`: what a write leaves behind, so that automatic rules look at it
- `incremental`: take the marks of a project, and evaluate its automatic rules where data changed
- `queue`: a run that someone asked for, or that a new version needs, as a task
- `prepared_rule`: a version with its program, and where its data stand
- `event_records`, `model_run_records`: the statements that read records in order; how far windows reach
- `series_records`, `series_reach`, `series_pass`: the same for rules that fill gaps: the series of meters,
  how far a change of one reaches, and the pass that fills them
- `single_pass`: records in, findings out, a portion at a time
- `over_period`: all of that for one rule and period, under its lock, with what is stored
- `preview`: the same, with nothing stored

The pass itself is pure, and stands in `core.rule.evaluation`.
"""
