"""Rows of the audit log as somebody outside has them: JSON, held against a head or under one.

Invariant: nothing but the rows, the head and the key is asked.
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from weighbridge.core.platform.audit_leaf import LEAF_FIELDS, hash_of_row
from weighbridge.core.proof.checkpoint import Checkpoint
from weighbridge.core.proof.edge import Edge
from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.inclusion import InclusionProof
from weighbridge.core.proof.signing import VerifierKey


def read_row(text: str) -> dict[str, Any]:
    """Read a row; fields that its hash is not made of may be left out or there. UnprovenError for no row."""
    try:
        row = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        raise UnprovenError(f"{text[:100]!r} is no JSON.") from None
    if not isinstance(row, dict) or (missing := [field for field in LEAF_FIELDS if field not in row]):
        lacks = f" without {', '.join(missing)}" if isinstance(row, dict) else ""
        raise UnprovenError(f"{text[:100]!r} is no row of an audit log{lacks}.")
    return row


def check_row(text: str, proof: InclusionProof, verifier: VerifierKey) -> tuple[int, Checkpoint]:
    """The number of a row and the head that it is proved to be under; UnprovenError when it is not."""
    row = read_row(text)
    if row["number"] != proof.index + 1:
        raise UnprovenError(f"The proof is of row {proof.index + 1}, and the row is {row['number']}.")
    return row["number"], proof.verify(hash_of_row(row), verifier)


def check_rows(lines: Iterable[str], head: Checkpoint) -> None:
    """Raise UnprovenError unless the lines begin with all rows of the head, unchanged and in their places."""
    edge = Edge()
    for line in lines:
        if edge.size == head.size:
            break
        row = read_row(line)
        if row["number"] != edge.size + 1:
            raise UnprovenError(
                f"Line {edge.size + 1} has row {row['number']}; rows begin at 1 without gaps."
            )
        edge.add(hash_of_row(row))
    if edge.size < head.size:
        raise UnprovenError(f"The head is of {head.size:,} rows, and here are {edge.size:,}.")
    if edge.root != head.root:
        raise UnprovenError(f"The first {head.size:,} rows are not those that the head was made of.")
