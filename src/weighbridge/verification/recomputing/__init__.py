"""What a recomputation is made of: slots that are computed together, what their batches had, and what
is compared.

- `portions`: slots that are computed together, in the order in which generations made them
- `lineage`, `draws`, `named_partitions`: data, withdrawals and partitions as the batches had them
- `calculations`: the values that batches keep of nodes, and how they differ
- `recomputed`: what was found
"""
