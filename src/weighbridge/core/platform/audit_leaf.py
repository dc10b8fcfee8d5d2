"""The leaf of a row of the audit log: the bytes that its hash in the tree is made of.

They follow from the row as `GET /audit_log` shows it, without `user_name` and `hash`: what a user is called
may change, and the hash is made of the rest.

Invariant: the form never changes, or no head that was kept outside would vouch for a row any more.
"""

from collections.abc import Mapping
from typing import Any, Final

from weighbridge.core.proof.canonical import canonical_json
from weighbridge.core.proof.merkle import leaf_hash

LEAF_FIELDS: Final = (
    "id", "number", "at", "project_id", "user_id", "token_id", "request_id", "action", "object", "before",
    "after",
)  # fmt: skip
"""The fields of a row that are in its leaf."""


def hash_of_row(row: Mapping[str, Any]) -> bytes:
    """The hash of a row's leaf; times are texts, as the interface shows them, and ids are friendly ids.

    Raises KeyError when a field is missing.
    """
    return leaf_hash(canonical_json({field: row[field] for field in LEAF_FIELDS}))
