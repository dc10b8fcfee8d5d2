"""Mass balance: partitions, allocation, draws, and what is posted.

In come balances, what runs hold and need, and what they come to; out go draws and entries, exact to the
last digit. Read `partition`, then `allocation` (a whole in parts) and `rounding` (of totals and draws);
`drawing` (the values), `draw_order` and `pool/` (amounts from source batches); `timeline` (how an account
stands at every moment); then `posting` (credits, falls, deficits) with `taken` (what falls took), and
`instrument` for what is entered by hand; `circle` finds models that draw from each other.
"""
