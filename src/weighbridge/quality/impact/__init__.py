"""Impact: which tonnes would change if a proposal were approved, told before anyone approves it.

In comes the key of a result that proposes; out goes what the batches made of its data would come to without
and with the correction, and the deficits that would open. Both are worked out by the one plan of generation,
in a transaction that is always undone.

Read `slots`, then `comparison`.
"""
