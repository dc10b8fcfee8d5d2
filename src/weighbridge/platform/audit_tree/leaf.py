"""The hash of a sealed row of the audit log, and what it is made of."""

from typing import Any

from weighbridge.core.identity import ids
from weighbridge.core.platform.audit_leaf import LEAF_FIELDS, hash_of_row
from weighbridge.platform.audit_log.records import SealedRow


def leaf_of(row: SealedRow) -> bytes:
    """The hash of the row's leaf in its account's tree."""
    return hash_of_row(shown(row))


def shown(row: SealedRow) -> dict[str, Any]:
    """The fields of the row that are hashed, as the interface shows them."""
    fields = {field: getattr(row, field) for field in LEAF_FIELDS}
    fields["at"] = row.at.text
    fields["project_id"] = None if row.project_id is None else ids.of("project", row.project_id)
    return fields
