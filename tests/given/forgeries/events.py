"""Forgeries of what was captured: events, their lines, names, meters, corrections and evidence."""

import hashlib
import re
from typing import Final

from tests.given.closed_bundles import EVENTS
from tests.given.forgeries.changes import (
    both,
    dropped,
    edited,
    exchanged,
    in_lines,
    in_record,
    later,
    more,
    renumbered,
    replaced,
    swapped,
    without,
    without_parts,
    without_writes,
)
from tests.given.forgeries.table import LISTED, SEALED, Forgery
from tests.given.tampering import Parts

DELIVERIES: Final = "events/delivery.csv"
LAST_EVENT: Final = 2**48 - 1
LAST_EVIDENCE: Final = 2**31 - 1
"""The highest keys, which come after those of every cell."""


def exchange_file(parts: Parts) -> None:
    """Another file in the place of the one that was attached, with its own digest."""
    [part] = [name for name in parts if name.startswith("evidence/")]
    text = b"12 t, weighed by somebody else\n"
    old, new = part.removeprefix("evidence/"), hashlib.sha256(text).hexdigest()
    del parts[part]
    parts[f"evidence/{new}"] = text
    table = parts["evidence.csv"].decode()
    parts["evidence.csv"] = re.sub(r",\d+," + old, f",{len(text)},{new}", table).encode()


CAPTURED: Final = [
    Forgery("the value of an event", "closed", replaced(EVENTS, ",10.5\n", ",9.5\n"),
        EVENTS, "neither captured nor corrected"),
    Forgery("the value of an event and of its line", "closed",
        both(replaced(EVENTS, ",10.5\n", ",9.5\n"), replaced("captured.txt", "{10.50}", "{9.5}")),
        "captured.txt", "is another than its last completion left"),
    Forgery("the contents of two deliveries swapped", "closed",
        both(swapped(EVENTS, ",10.5\n", ",25\n"), swapped("captured.txt", "{10.50}", "{25}")),
        "captured.txt", "is another than its last completion left"),
    Forgery("a single event of its own request", "closed",
        both(replaced(EVENTS, ",4.25\n", ",5.25\n"), replaced("captured.txt", "{4.25}", "{5.25}")),
        "audit/writes.jsonl", "is not as it was captured"),
    Forgery("when an event was", "closed",
        both(replaced(EVENTS, "2025-01-02T10:00", "2025-01-02T11:00"),
             replaced("captured.txt", "2025-01-02T10:00", "2025-01-02T11:00")),
        "captured.txt", "is another than its last completion left"),
    Forgery("what its sender called an event", "closed", replaced(EVENTS, "slip 5", "slip 6"),
        EVENTS, "was neither captured nor corrected"),
    Forgery("what its sender called an event, in its line too", "closed",
        both(replaced(EVENTS, "slip 5", "slip 6"), replaced("captured.txt", "slip 5", "slip 6")),
        "audit/writes.jsonl", "is not as it was captured"),
    Forgery("the notes of an event", "closed", replaced("captured.txt", "no more", "more"),
        "captured.txt", "is another than its last completion left"),
    Forgery("an event called imputed", "closed", replaced(EVENTS, "slip 5,false", "slip 5,true"),
        EVENTS, "is called imputed, and somebody stored it"),
    Forgery("the write of a request dropped", "closed", without_writes("event.create_many"),
        "audit/writes.json", "which stored no event of the bundle"),
    Forgery("the completion of an event dropped", "closed", without_writes("event.update"),
        "audit/writes.jsonl", "its events are not as they were captured"),
    Forgery("a write that stored one event dropped", "mixed",
        in_lines("audit/writes.jsonl", lambda rows: rows.pop(0)), LISTED, "somebody left the row out"),
    Forgery("what the sender called an event whose write was dropped", "closed",
        both(replaced(EVENTS, "slip 5", "slip 6"), replaced("captured.txt", "slip 5", "slip 6"),
             dropped("audit/writes.jsonl", "slip 5")), LISTED, "somebody left the row out"),
    Forgery("who stored an event", "closed",
        in_lines("audit/writes.jsonl", lambda rows: rows[0].update(user_id=999)),
        "audit/writes.jsonl", "The rows and their hashes do not lead to the root of the head"),
    Forgery("a rejected load called fit", "mixed",
        both(edited(DELIVERIES, ".grade", "fit", **{".grade": "reject"}),
             replaced("captured.txt", '"reject"', '"fit"')),
        "audit/writes.jsonl", "is not as it was captured"),
    Forgery("a load of one feedstock said to be of the other", "mixed",
        edited(DELIVERIES, "feedstock", "Wood", feedstock="Straw", version="0"),
        EVENTS, "was neither captured nor corrected"),
    Forgery("a reading of a meter said to be of the other one", "mixed",
        edited("events/meter.csv", "location", "South", **{".reading": "17.5"}),
        "events/meter.csv", "was neither captured nor corrected"),
    Forgery("the reading of a meter, in its line too", "mixed",
        both(edited("events/meter.csv", ".reading", "18.5", **{".reading": "17.5"}),
             replaced("captured.txt", "{17.5}", "{18.5}")),
        "audit/writes.jsonl", "is not as it was captured"),
    Forgery("an event that nobody stored added", "mixed",
        lambda parts: parts.update({"captured.txt": parts["captured.txt"] + re.sub(
            rb"^(\d+)\t\d+", rb"\1\t%d" % LAST_EVENT, parts["captured.txt"].splitlines(keepends=True)[-1])}),
        "captured.txt", "whose line is there"),
    Forgery("an imputed hour called measured", "filled",
        edited("events/hour.csv", "is_imputed", "false", is_imputed="true"),
        "node_values.csv", "when computed again"),
    Forgery("a measured hour called imputed", "filled",
        edited("events/hour.csv", "is_imputed", "true", is_imputed="false"),
        "events/hour.csv", "is called imputed, and somebody stored it"),
    Forgery("the value of an imputed hour", "filled",
        edited("events/hour.csv", ".so2", "11", is_imputed="true"), "corrections.csv", "it puts"),
    Forgery("what an imputed hour is called", "filled",
        edited("events/hour.csv", "client_reference", "slip", is_imputed="true"), SEALED,
        "of an event that no row binds"),
    Forgery("an hour that was missing hidden", "filled",
        both(dropped("events/hour.csv", ",true,"), dropped("captured.txt", "{NULL,NULL,NULL}")),
        "corrections.csv", "is not in events/hour.csv"),
]  # fmt: skip
NAMED: Final = [
    Forgery("the feedstock of all events renamed", "closed",
        both(replaced(EVENTS, '"Wood ""A"""', "Straw"), replaced("names.csv", '"Wood ""A"""', "Straw")),
        "names.csv", "is another than the log says"),
    Forgery("the names of two feedstocks swapped", "mixed",
        exchanged("names.csv", "name", {"name": "Straw"}, {"name": "Wood"}),
        "names.csv", "is another than the log says"),
    Forgery("the names of two locations swapped", "mixed",
        both(exchanged("names.csv", "name", {"name": "North"}, {"name": "South"}),
             swapped("events/meter.csv", "North", "South"), replaced("meters.csv", "North", "South")),
        "names.csv", "is another than the log says"),
    Forgery("the meter renamed", "closed",
        both(replaced(EVENTS, "Scale 1", "Scale 2"), *(
            replaced(part, "Scale 1", "Scale 2") for part in ("names.csv", "meters.csv", "outages.csv"))),
        "names.csv", "is another than the log says"),
    Forgery("a name that nothing calls", "closed", renumbered("names.csv", "asset"),
        "names.csv", "The audit log has no row for the asset"),
    Forgery("an event type called by another name", "mixed",
        replaced("names.csv", "delivery", "shipment"), "names.csv", "is another than the log says"),
    Forgery("the service of the meter", "closed", replaced("meters.csv", "2024-01-01", "2025-01-03"),
        "meters.csv", "is another than the log says"),
    Forgery("the service of the meter dropped", "closed", without("meters.csv", name="Scale 1"),
        "meters.csv", "is in service, but the bundle does not"),
    Forgery("the unit of a data point", "mixed",
        edited("event_types.csv", "unit", "MWh", event_type="meter"),
        "event_types.csv", "The unit of meter.reading is not the log's"),
    Forgery("data points in another order", "closed",
        replaced("event_types.csv", "delivery,mass,1,", "delivery,mass,2,"),
        EVENTS, "was neither captured nor corrected"),
    Forgery("the kind of a data point", "mixed",
        edited("event_types.csv", "value_type", "boolean", data_point="grade"),
        "corrections.csv", "which is neither true nor false"),
]  # fmt: skip
CORRECTED: Final = [
    Forgery("a correction dropped", "closed", dropped("corrections.csv", ",10.75,"),
        "corrections.csv", "is named, and is missing"),
    Forgery("a correction dropped with its mark in the lineage", "closed",
        both(dropped("corrections.csv", ",10.75,"),
             in_lines("lineage.jsonl", lambda lines: lines[-1].update(corrections=""))),
        "corrections.csv", "The correction in row"),
    Forgery("a correction of another value", "closed", replaced("corrections.csv", ",10.75,", ",10.85,"),
        "corrections.csv", "it puts"),
    Forgery("a correction by nobody", "closed", replaced("corrections.csv", ",manual,", ",completion,"),
        "node_values.csv", "when computed again"),
    Forgery("what a person corrected called a rule's work", "closed",
        replaced("corrections.csv", ",manual,", ",adjustment,"), "node_values.csv", "when computed again"),
    Forgery("what a rule corrected called a person's work", "entered",
        edited("corrections.csv", "origin", "manual"), "corrections.csv", "is not in the audit log"),
    Forgery("why a value was corrected", "closed", edited("corrections.csv", "reason", "Typed wrongly"),
        "corrections.csv", "is not in the audit log"),
    Forgery("who corrected a value", "closed", edited("corrections.csv", "user", more("1")),
        "corrections.csv", "is not in the audit log"),
    Forgery("when a value was corrected", "closed", edited("corrections.csv", "created_at", later),
        "corrections.csv", "is not in the audit log"),
    Forgery("what a value was before a person corrected it", "closed",
        edited("corrections.csv", "from_value", "11.5"), "corrections.csv", "is not in the audit log"),
    Forgery("what a value was before a rule corrected it", "entered",
        edited("corrections.csv", "from_value", "8"), SEALED, "for corrections by a rule"),
    Forgery("a substitution called an adjustment", "filled",
        edited("corrections.csv", "origin", "adjustment"), "node_values.csv", "when computed again"),
    Forgery("the version of the rule that corrected a value", "entered",
        edited("corrections.csv", "rule_version", "2"), "rules/", "Nothing in the bundle names this part"),
    Forgery("a correction of another event", "mixed",
        edited("corrections.csv", "event", lambda was: "4105" if was != "4105" else "4101"),
        "corrections.csv", "is none that batch"),
    Forgery("a correction of another data point", "mixed",
        edited("corrections.csv", "data_point", "grade"), "corrections.csv", "has no 'grade'"),
]  # fmt: skip
EVIDENCE: Final = [
    Forgery("another file in the place of the evidence", "mixed", exchange_file,
        "evidence.csv", "is another than the log says"),
    Forgery("the evidence dropped", "mixed",
        both(without_parts("evidence/"), without("evidence.csv", type="file")),
        "evidence.csv", "The audit log has evidence"),
    Forgery("the evidence renamed", "mixed", edited("evidence.csv", "name", "bill.txt", type="file"),
        "evidence.csv", "is another than the log says"),
    Forgery("the evidence attached to another event", "mixed",
        edited("evidence.csv", "event", more("5"), type="file"),
        "evidence.csv", "The audit log has no row for attaching"),
    Forgery("when evidence was attached", "mixed", edited("evidence.csv", "created_at", later),
        "evidence.csv", "is another than the log says"),
    Forgery("the address of the evidence", "mixed",
        edited("evidence.csv", "url", "https://plant.example/log/8", type="url"),
        "evidence.csv", "is another than the log says"),
    Forgery("evidence that nobody attached", "mixed",
        lambda parts: parts.update({"evidence.csv": parts["evidence.csv"] + re.sub(
            rb"^\d+", b"%d" % LAST_EVIDENCE, parts["evidence.csv"].splitlines(keepends=True)[-1])}),
        "evidence.csv", "The audit log has no row for attaching"),
    Forgery("the evidence said to be left out", "closed",
        replaced("bundle.json", '"is_redacted":false', '"is_redacted":true'), SEALED, "`is_redacted`"),
    Forgery("the evidence said to be left out, and its file dropped", "mixed",
        both(without_parts("evidence/"), in_record("bundle.json", lambda one: one.update(is_redacted=True))),
        SEALED, "`is_redacted`"),
]  # fmt: skip
OF_EVENTS: Final = [*CAPTURED, *NAMED, *CORRECTED, *EVIDENCE]
