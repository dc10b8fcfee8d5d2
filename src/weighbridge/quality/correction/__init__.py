"""Rules that correct what they find, or propose to.

In comes the table of findings of an evaluation, with the corrections that these call for; out go corrections
in force, or proposals that results hold until a person decides. What prevails among corrections of one value
is decided below, in `collection.measurements`.

- `adjustment`: let the corrections of a rule be those that its findings call for
- `withdrawal`: take back what a rule says no more
- `imputation`: the events that a rule makes for slots in which none came
- `proposals`: corrections that need approval
- `placeholders`: what their statements have in common

Undoing all corrections of a rule at a caller's wish is an action of `rules`; of one run, of `rule_runs`.
"""
