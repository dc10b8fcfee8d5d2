"""Correction: how the corrections and proposals of a rule follow from its findings.

The input is the table of findings of an evaluation. The output is corrections in force, or proposals
that wait for a decision. `collection.measurements` decides which of several corrections of one value
prevails.

Read `proposals`, `adjustment`, then `imputation`. Callers undo all corrections of a rule through
`rules`, and those of a run through `rule_runs`.
"""
