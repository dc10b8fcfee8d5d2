"""Isometric Certify: what a mapping names, the plan of what is sent, and how numbers are compared.

The registry keeps projects, removals, data points and sources; a mapping (`mapping.py`) names those of its
records that ours become. A plan (`plan.py`) is the list of what is sent, in order; each of its steps has a
reference that follows from our ids and from what the step says. `numbers.py` compares what came back.

Invariants: equal facts give equal plans and equal references; a number is equal to another one only if both
are the same double.
"""
