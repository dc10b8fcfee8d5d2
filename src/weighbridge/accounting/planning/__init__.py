"""Planning: everything that a generation would post. Nothing is written.

In the order of the work: `slots` and `explicit_inputs` determine what is computed, `scope` checks the
request, `plan` holds the results and compares them with what was posted, `exclusions` reports what is
left out, `planner` computes each version, and `proposal` derives journal entries and combines all of it.
"""
