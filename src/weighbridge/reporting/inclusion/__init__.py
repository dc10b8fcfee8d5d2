"""Inclusion of batches in reports: what remains of them, what is reserved and posted, and its moves."""
