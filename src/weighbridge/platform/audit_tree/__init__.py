"""The audit log as a tree of hashes for each account: kept, headed, proved, and signed.

The rows are the leaves, in the order of their numbers. Read in this order:

- `leaf`: the hash of a sealed row
- `stored`: the roots of any parts of a tree, from the hashes that are kept
- `keys`: the key that heads are signed with, in a file, and the public keys that the database knows
- `heads`: heads and proofs as the files that strangers check
- `export`: the rows for them

Sealing, in `audit_log/tasks.py`, adds to the tree; nothing else does.

Invariants: a head or a proof reads a number of rows that grows with the logarithm of the log; the private key
is never in the database, so whoever can rewrite it cannot sign a head.
"""
