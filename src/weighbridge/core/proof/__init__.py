"""Proofs that a stranger checks: trees of hashes, signed heads, and the files that carry both.

In come the hashes of a log's rows and a key; out go texts in public formats, and the check of each of them,
which needs nothing of the service. Read in this order:

- `canonical`: the bytes of a record that are hashed (RFC 8785, decimals as texts)
- `merkle`: hashes of leaves and nodes, which parts a proof is made of, and how it is verified (RFC 6962)
- `edge`: a tree that grows, in as much memory as it has levels
- `signing`, `key_name`: Ed25519 keys, to sign with and to verify by, and what they are called
- `checkpoint`: a signed head (C2SP tlog-checkpoint, signed-note)
- `inclusion`, `consistency`: the files of the two proofs (C2SP tlog-proof, tlog-witness)
- `ssh_signature`: a signature that `ssh-keygen -Y verify` takes (SSHSIG)

Worked example: of three rows with the leaf hashes a, b, c the root is H(1, H(1, a, b), c). That b is in it is
proved by a and c, in this order: H(1, a, b) from the first, the root from the second. That the tree of three
extends the tree of two is proved by c alone: the old root is H(1, a, b), and with c it becomes the new one.

Invariants: nothing here reads a file, a clock or a database; whatever is not proved raises UnprovenError.
"""
