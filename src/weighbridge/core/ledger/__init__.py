"""Mass balance: partitions, allocation, withdrawals, and what is posted.

Balances and the amounts that runs have and need come in; withdrawals and entries go out, exact to the last
digit. Read `allocation` (partitions, and a whole in parts), `drawing` (what runs withdraw, and models that
withdraw from each other), `lots` and `pool` (amounts from source batches), `posting` (balances over time,
credits, downward adjustments, deficits), and `instrument` for what is entered by hand.
"""
