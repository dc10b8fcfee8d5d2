"""The pool: what a generation may draw from, while it draws.

In come source batches, what drawers hold of them and how their accounts stand; out go moves. Read `pool` (who
draws what, with a worked example), `held_lots` (who holds what), `free_amounts` (what each source has left)
with `releases` (what becomes free elsewhere), `room` (what may be drawn from which moment on), `shelves` (the
sources of a need, in order), `obtainable` (what could be had in all).
"""
