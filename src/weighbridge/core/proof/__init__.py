"""Proofs that a verifier checks: trees of hashes, signed heads, and the files that carry both.

The hashes of a log's rows and a key come in; texts in public formats go out, and the check of each of them,
which needs nothing of the service. Read in this order:

- `merkle`: hashes of leaves and nodes, a tree that grows, proofs of inclusion and consistency (RFC 6962)
- `signing`: the bytes of a record that are hashed (RFC 8785, decimals as texts), Ed25519 keys and their
  names, and signatures that `ssh-keygen -Y verify` takes (SSHSIG)
- `checkpoint`: a signed head and the files of proofs (C2SP tlog-checkpoint, signed-note, tlog-proof)

Worked example: of three rows with the leaf hashes a, b, c the root is H(1, H(1, a, b), c). That b is in it
is proved by a and c, in this order: H(1, a, b) from the first, the root from the second. That the tree of
three extends the tree of two is proved by c alone: the old root is H(1, a, b), and with c it becomes the
new one.

Invariants: nothing here reads a file, a clock or a database; everything unproved raises UnprovenError.
"""
