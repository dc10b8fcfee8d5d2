"""Rule runs: evaluations of a version of a rule over a period, with what each came to.

States: pending, running, complete, failed, reversed. Permission: data rules.
"""
