"""The Merkle tree over the audit log, its signed heads and proofs, and counts of refused requests."""
