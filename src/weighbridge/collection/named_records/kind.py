"""A kind of record that has a name, and what its names and its removal depend on."""

from dataclasses import dataclass
from typing import Final, LiteralString


@dataclass(frozen=True, slots=True)
class NamedKind:
    """A noun whose records have names that are unique in their project."""

    noun: str
    a_noun: str
    """The noun with its article, as a sentence about a new one begins."""
    table: LiteralString
    read_by: LiteralString
    """Whether what batches were made of names the record of this `project` and `number`, in SQL."""
    fixed: str
    """Why the name of a record is fixed once batches depend on it."""
    named_by: str
    """What may name a record, which then stays."""


_READ_BY_TAG: Final = """
    EXISTS (SELECT FROM runs r WHERE r.project_id = %(project)s AND r.{tag} = number)
    OR EXISTS (SELECT FROM events e
                WHERE e.project_id = %(project)s AND e.{tag} = number
                  AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                           WHERE project_id = %(project)s))
"""
"""Partitions are ordered and filtered by the names of their tags: results depend on them."""

_READ_BY_PLACE: Final = """
    EXISTS (SELECT FROM events e
             WHERE e.project_id = %(project)s AND number = ANY (e.location_ids)
               AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                        WHERE project_id = %(project)s))
"""
"""Models filter events by the names of their locations: a result depends on them."""

_EVERYTHING: Final = "Events, voided ones and corrections included, static inputs, outages or data feeds"

FEEDSTOCK: Final = NamedKind(
    noun="feedstock",
    a_noun="A feedstock",
    table="feedstocks",
    read_by=_READ_BY_TAG.format(tag="feedstock_id"),
    fixed="Batches were made of events of this feedstock and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
)
ASSET: Final = NamedKind(
    noun="asset",
    a_noun="An asset",
    table="assets",
    read_by=_READ_BY_TAG.format(tag="asset_id"),
    fixed="Batches were made of events of this asset and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
)
LOCATION: Final = NamedKind(
    noun="location",
    a_noun="A location",
    table="locations",
    read_by=_READ_BY_PLACE,
    fixed="Batches were made of events at this location and may depend on its name; the name is fixed.",
    named_by="Events, voided ones included, static inputs or outages",
)
