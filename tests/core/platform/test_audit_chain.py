"""Design, Audit: each hash covers the row and the previous hash."""

import hashlib

from weighbridge.core.platform.audit import ANCHOR, link


def test_the_first_row_stands_on_32_zero_bytes():
    assert link(ANCHOR, b"{}") == hashlib.sha256(bytes(32) + b"{}").digest()


def test_a_changed_row_changes_every_hash_after_it():
    honest = link(link(ANCHOR, b"first"), b"second")
    forged = link(link(ANCHOR, b"First"), b"second")

    assert honest != forged
