"""Mass balance: partitions, allocation, draws, and what is posted.

In come balances, what runs hold and need, and what they come to; out go draws and entries, exact to the
last digit. Read `partition`, then `allocation` (a whole in parts), `rounding` (of totals and draws),
`drawing` with `draw_order` (amounts from source batches), `posting` (credits, falls, deficits), and
`instrument` for what is entered by hand.
"""
