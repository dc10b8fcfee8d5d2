"""The pool: what a generation may withdraw, while it withdraws.

Source batches and the balances of their accounts come in; movements go out. Read `pool` (who withdraws
what, with a worked example), `lots` (what each source has left, who has what, and the order of sources) and
`obtainable` (what may be withdrawn from which instant on, and in total).
"""
