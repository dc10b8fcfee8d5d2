"""Mass balance: partitions, allocation, draws, and what is posted.

In come balances, what runs hold and need, and what they come to; out go draws and entries, exact to the
last digit. Read `partition`, then `allocation` (a whole in parts) and `rounding` (of totals and draws);
`drawing` (the values) and `pool` (amounts from source batches), which is made of `held_lots`, `shelves` and
`draw_order`, of `timeline` and `room` (what may be drawn from which moment on), `releases` and `obtainable`;
then `posting` (credits, falls, deficits), and `instrument` for what is entered by hand.
"""
