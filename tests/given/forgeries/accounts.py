"""Forgeries of what was calculated and booked: models, batches, lineage, node values, ledgers, the report."""

from decimal import Decimal
from typing import Any, Final

from tests.given.forgeries.changes import (
    Change,
    Table,
    both,
    draws_of,
    edited,
    exchanged,
    in_lines,
    in_record,
    later,
    more,
    replaced,
    without,
    without_last_row,
    without_rows,
)
from tests.given.forgeries.table import SEALED, UNFOUND, Forgery
from tests.given.tampering import Parts

from weighbridge.core.model import hash_model
from weighbridge.core.number import plain
from weighbridge.modelling.documents import read_model


def forget_newest_batch(parts: Parts) -> None:
    """Without the newest batch of a run, with all that names it."""
    batches = Table(parts, "batches.csv")
    gone = max(batches.rows, key=lambda row: int(row["batch"] or 0))["batch"]
    for part, column in (("batches.csv", "batch"), ("node_values.csv", "batch"),
                         ("entries.csv", "posted_by"), ("deficits.csv", "posted_by")):  # fmt: skip
        table = Table(parts, part)
        table.rows = [row for row in table.rows if row[column] != gone]
        table.write(parts, part)
    number = int(gone or 0)
    in_lines("lineage.jsonl", lambda lines: lines.remove(next(x for x in lines if x["batch"] == number)))(
        parts
    )
    in_lines("slots.jsonl", lambda lines: lines.remove(next(x for x in lines if number in x["batches"])))(
        parts
    )


def shift_inclusions(report: Any) -> None:
    """Move some of what the report includes from one batch to another, with the same total."""
    first, second, *_ = report["inclusions"]
    for inclusion, amount in ((first, "-0.1"), (second, "0.1")):
        inclusion["amount"] = plain(Decimal(inclusion["amount"]) + Decimal(amount))


def shift_slot(lines: list[Any]) -> None:
    """The batches of a slot in two lines."""
    first = lines[0]
    lines.insert(1, first | {"batches": first["batches"][1:]})
    first["batches"] = first["batches"][:1]


def widen_draw(lines: list[Any]) -> None:
    """Another amount in the first draw."""
    draw = draws_of(lines)[0]
    draw["amount"] = plain(Decimal(draw["amount"]) + 1)


def hold_attribute(lines: list[Any]) -> None:
    """Another attribute in the first draw that has one."""
    next(draw for draw in draws_of(lines) if draw["attributes"])["attributes"][0] = "999"


def hold_unit(lines: list[Any]) -> None:
    """Another unit of the first attribute that travelled along."""
    next(draw for draw in draws_of(lines) if draw["attributes"])["units"][0] = "kg"


def in_models(was: bytes, becomes: bytes, *, anew: bool = False) -> Change:
    """Another text in the model that has one; with the digest of what it makes, if that is made anew."""

    def change(parts: Parts) -> None:
        part = next(name for name in parts if name.startswith("models/") and was in parts[name])
        parts[part] = parts[part].replace(was, becomes)
        if anew:
            digest = hash_model(read_model(parts[part].decode()))
            name = part.removeprefix("models/").removesuffix(".yaml")
            edited("models.csv", "sha256", digest, model_id=name)(parts)

    return change


MODELS: Final = [
    Forgery("a factor of the model", "mixed", in_models(b"0.8", b"0.9"),
        "models/", "The document is not the one that made the batches, by its digest"),
    Forgery("the text of the model, with its digest", "mixed", in_models(b"0.8", b"0.9", anew=True),
        "models.csv", "is another than the log says"),
    Forgery("what the model leaves out", "mixed", in_models(b"grade != 'reject'", b"grade = 'fit'"),
        "models/", "The document is not the one that made the batches, by its digest"),
    Forgery("the layout of the model", "mixed",
        in_models(b"cadence: monthly", b"cadence:  monthly # as agreed"), UNFOUND,
        "Layout and comments of a model document"),
    Forgery("the model renamed", "closed", replaced("models.csv", "Deliveries", "Shipments"),
        "models.csv", "is another than the log says"),
    Forgery("the version of the model", "mixed", edited("models.csv", "version", "2"),
        "models.csv", "is another than the log says"),
]  # fmt: skip


CALCULATED: Final = [
    Forgery("the output of a batch", "closed", replaced("node_values.csv", ",50.5,", ",51.5,"),
        "node_values.csv", "when computed again"),
    Forgery("the unit of a value", "mixed", edited("node_values.csv", "unit", "kg", unit="t"),
        "node_values.csv", "has another name, unit or purpose than in its model"),
    Forgery("the name of a value", "mixed", edited("node_values.csv", "name", "kept", node="stored"),
        "node_values.csv", "has another name, unit or purpose than in its model"),
    Forgery("the share of a partition", "mixed",
        edited("node_values.csv", "value", more("1"), node="power", whole="1000.5"),
        "node_values.csv", "when computed again"),
    Forgery("the whole that partitions share", "mixed",
        edited("node_values.csv", "whole", "1001.5", node="power", whole="1000.5"),
        "node_values.csv", "when computed again"),
    Forgery("a number of an array", "mixed",
        edited("node_values.csv", "elements", '["10.5"]', node="loads", elements='["10.25"]'),
        "node_values.csv", "by its elements, and"),
    Forgery("what was measured of an output", "filled",
        edited("node_values.csv", "contributions", '["61","0","0","0","0"]'),
        "node_values.csv", "when computed again"),
    Forgery("an output called an intermediate value", "mixed",
        edited("node_values.csv", "is_output", "false", node="steam"),
        "node_values.csv", "has another name, unit or purpose than in its model"),
    Forgery("a value of a batch dropped", "mixed", without("node_values.csv", node="spread"),
        "node_values.csv", "is missing; it comes to"),
    Forgery("the figure of an instrument", "entered",
        edited("node_values.csv", "value", "13", node="energy_intensity"),
        "node_values.csv", "is not what the log says"),
    Forgery("the amount of an instrument", "entered",
        both(edited("batches.csv", "total", "800", tracking_id="FUEL-2"),
             edited("batches.csv", "credited", "800", tracking_id="FUEL-2"),
             edited("entries.csv", "amount", "800", amount="700"),
             edited("node_values.csv", "value", "800", node="amount", value="700")),
        "batches.csv", "has another amount or ledger than the log says"),
    Forgery("an instrument renamed", "entered",
        edited("batches.csv", "tracking_id", "FUEL-9", tracking_id="FUEL-2"),
        "batches.csv", "has another name or time than the log says"),
    Forgery("the day of an instrument", "entered",
        both(edited("batches.csv", "start_time", "2025-01-09T00:00:00.000Z", tracking_id="FUEL-2"),
             edited("batches.csv", "end_time", "2025-01-10T00:00:00.000Z", tracking_id="FUEL-2")),
        "entries.csv", "and the slots end at"),
    Forgery("the total of a batch", "mixed", edited("batches.csv", "total", more("1"), total="3"),
        "batches.csv", "its run comes to"),
    Forgery("what a batch was credited with", "mixed",
        edited("batches.csv", "credited", more("1"), credited="3.6"),
        "batches.csv", "says that it was credited with"),
    Forgery("the places to which shares were cut", "mixed", edited("batches.csv", "share_places", "4"),
        "batches.csv", "places, and its model says"),
    Forgery("the name of a batch", "mixed", edited("batches.csv", "tracking_id", "2025-01 Reed"),
        "batches.csv", "and its slot and partition make"),
    Forgery("the slot of a batch", "mixed",
        edited("batches.csv", "end_time", "2025-02-02T00:00:00.000Z"), "entries.csv", "and the slots end at"),
    Forgery("the feedstock of a batch", "mixed", edited("batches.csv", "feedstock", "Straw"),
        "lineage.jsonl", "and that of the source"),
    Forgery("the newest batch of a run dropped", "mixed", forget_newest_batch,
        "events/application.csv", "was neither captured nor corrected"),
    Forgery("a batch said to be deleted", "mixed",
        edited("batches.csv", "deleted_at", "2026-01-01T00:00:00.000Z"),
        "entries.csv", "It is not undone as it was posted, and its batch was deleted"),
    Forgery("when a batch was made", "mixed", edited("batches.csv", "created_at", later),
        "batches.csv", "The audit log has another time for batch"),
    Forgery("the generation that made a batch", "mixed", edited("batches.csv", "generation", more("1")),
        "slots.jsonl", "was made by another model version or generation"),
    Forgery("the revision of the engine", "mixed", edited("batches.csv", "engine_revision", "1"),
        "batches.csv", "of the engine computed it, and releases compute by revision"),
    Forgery("the revision of the engine for an instrument", "entered",
        edited("batches.csv", "engine_revision", "2", tracking_id="FUEL-2"), SEALED, "`engine_revision`"),
]  # fmt: skip
TRACED: Final = [
    Forgery("an event that a batch read dropped", "closed",
        in_lines("lineage.jsonl", lambda lines: lines[0]["inputs"][0].update(
            events=lines[0]["inputs"][0]["events"].rpartition(",")[0])),
        "node_values.csv", "when computed again"),
    Forgery("the version of an event that a batch read", "closed",
        in_lines("lineage.jsonl", lambda lines: lines[-1]["inputs"][0].update(versions={})),
        "corrections.csv", "it puts"),
    Forgery("what a node read said to be of another node", "mixed",
        in_lines("lineage.jsonl", lambda lines: lines[0]["inputs"][0].update(nodes=["loads"])),
        "lineage.jsonl", "was made of other data than its run on other ledgers"),
    Forgery("an input said to be set aside", "mixed",
        in_lines("lineage.jsonl", lambda lines: lines[0].update(skipped=["power"])),
        "lineage.jsonl", "was made of other data than its run on other ledgers"),
    Forgery("the amount of a draw", "mixed", in_lines("lineage.jsonl", widen_draw),
        "entries.csv", "was computed from other draws than its run had drawn by then"),
    Forgery("a draw moved to another source", "mixed",
        in_lines("lineage.jsonl", lambda lines: draws_of(lines)[0].update(
            source=draws_of(lines)[0]["source"] + 1)),
        "entries.csv", "was computed from other draws than its run had drawn by then"),
    Forgery("a draw dropped", "entered",
        in_lines("lineage.jsonl", lambda lines: lines[-1]["draws"].pop()),
        "batches.csv", "Nothing that is reported rests on batch"),
    Forgery("a drawn attribute", "mixed", in_lines("lineage.jsonl", hold_attribute),
        "lineage.jsonl", "travelled along, and the source has"),
    Forgery("the unit of a drawn attribute", "entered", in_lines("lineage.jsonl", hold_unit),
        "lineage.jsonl", "travelled along, and the source has"),
    Forgery("how much was measured of what was drawn", "mixed",
        in_lines("lineage.jsonl", lambda lines: draws_of(lines)[-1].update(
            contributions=[*draws_of(lines)[-1]["contributions"][1:], "0"])),
        "lineage.jsonl", "what it rests on is not what the source rests on"),
    Forgery("the node that drew", "entered",
        in_lines("lineage.jsonl", lambda lines: draws_of(lines)[0].update(node="needed")),
        "entries.csv", "was computed from other draws than its run had drawn by then"),
    Forgery("a static input that a batch read dropped", "entered",
        in_lines("lineage.jsonl", lambda lines: lines[-1].update(static_inputs={})),
        "static_inputs.csv", "Nothing in the bundle rests on row"),
    Forgery("a batch that shares in a slot dropped", "mixed",
        in_lines("slots.jsonl", lambda lines: lines[-2].update(alongside=[])),
        "node_values.csv", "when computed again"),
    Forgery("the batches of a slot in two", "mixed", in_lines("slots.jsonl", shift_slot),
        "node_values.csv", "when computed again"),
    Forgery("the generation of a slot", "mixed",
        in_lines("slots.jsonl", lambda lines: lines[0].update(generation=lines[-1]["generation"])),
        "slots.jsonl", "was made by another model version or generation"),
    Forgery("the value of a static input", "entered", edited("static_inputs.csv", "value", "110"),
        "static_inputs.csv", "The value of the static_input"),
    Forgery("the unit of a static input", "entered", edited("static_inputs.csv", "unit", "g{CO2e}/t"),
        "static_inputs.csv", "The unit of the static_input"),
    Forgery("from when on a static input holds", "entered",
        edited("static_inputs.csv", "effective_from", "2024-01-01T00:00:00.000Z"),
        "static_inputs.csv", "The effective_from of the static_input"),
    Forgery("what a static input is the value of", "entered",
        edited("static_inputs.csv", "feedstock", "Straw"),
        "static_inputs.csv", "is of another feedstock than the log says"),
]  # fmt: skip
BOOKED: Final = [
    Forgery("a ledger renamed", "closed", replaced("ledgers.csv", "Deliveries", "Shipments"),
        "ledgers.csv", "is another than the log says"),
    Forgery("the unit of a ledger", "mixed", edited("ledgers.csv", "unit", "kg", name="Carbon"),
        "report.json", "is not what the batch is"),
    Forgery("the decimals of a ledger", "mixed", edited("ledgers.csv", "scale", "2", name="Carbon"),
        "ledgers.csv", "is another than the log says"),
    Forgery("the rounding of a ledger", "mixed", edited("ledgers.csv", "rounding", "down", name="Carbon"),
        "ledgers.csv", "is another than the log says"),
    Forgery("the output that a ledger keeps", "mixed",
        edited("ledgers.csv", "output", "applied", name="Carbon"),
        "ledgers.csv", "is another than the log says"),
    Forgery("the amount of an entry", "mixed", edited("entries.csv", "amount", more("1"), kind="credit"),
        "batches.csv", "says that it was credited with"),
    Forgery("the amounts of two entries moved", "mixed",
        exchanged("entries.csv", "amount", {"kind": "draw", "amount": "-4.5"},
                  {"kind": "draw", "amount": "-4"}), "entries.csv", "holds -"),
    Forgery("from when on an entry counts", "mixed",
        edited("entries.csv", "effective_at", "2025-01-15T00:00:00.000Z", kind="draw"),
        "entries.csv", "and the slots end at"),
    Forgery("when an entry was posted", "mixed", edited("entries.csv", "posted_at", later, kind="draw"),
        "entries.csv", "was posted at another time than its generation"),
    Forgery("an entry on another batch", "mixed", edited("entries.csv", "batch", more("1"), kind="draw"),
        "entries.csv", "which is of another ledger"),
    Forgery("a withdrawal dropped from the ledger", "mixed", without("entries.csv", kind="draw"),
        "entries.csv", "was computed from other draws than its run had drawn by then"),
    Forgery("a fall dropped", "closed", without("entries.csv", kind="fall"),
        "batches.csv", "its run comes to"),
    Forgery("a fall called a draw", "closed", edited("entries.csv", "kind", "draw", kind="fall"),
        "entries.csv", "A node draws, and an entry of kind"),
    Forgery("what an earlier report took dropped", "mixed", without("entries.csv", kind="report"),
        "entries.csv", "Its chain has posted 0"),
    Forgery("the report that took", "mixed", edited("entries.csv", "report", None, kind="report"),
        "entries.csv", "It is a report's, and names none"),
    Forgery("a deficit dropped", "mixed", without("deficits.csv"), "batches.csv", "its run comes to"),
    Forgery("the amount of a deficit", "mixed", edited("deficits.csv", "amount", more("1")),
        "batches.csv", "its run comes to"),
    Forgery("from when on a deficit counts", "mixed",
        edited("deficits.csv", "effective_at", "2025-02-02T00:00:00.000Z"), SEALED,
        "intermediate times of a deficit"),
]  # fmt: skip
REPORTED: Final = [
    Forgery("the report renamed", "closed", replaced("report.json", '"name":"All"', '"name":"Quarter 1"'),
        "report.json", "Its name is another than row"),
    Forgery("the amount of the report", "closed",
        replaced("report.json", '"amount":"50.5"', '"amount":"49.5"'),
        "report.json", "The report takes something else than row"),
    Forgery("what the report includes moved between batches", "mixed",
        in_record("report.json", shift_inclusions),
        "report.json", "The report takes something else than row"),
    Forgery("a batch dropped from the report", "mixed",
        in_record("report.json", lambda one: one.update(
            amount=plain(Decimal(one["amount"]) - Decimal(one["inclusions"].pop()["amount"])))),
        "report.json", "The report takes something else than row"),
    Forgery("the report that it restates", "mixed",
        in_record("report.json", lambda one: one.update(supersedes=None)), "report.json", "which has 0 left"),
    Forgery("the period of the report", "mixed",
        in_record("report.json", lambda one: one.update(end_time="2025-04-01T00:00:00.000Z")),
        "report.json", "Its end_time is another than row"),
    Forgery("from when on the report counts", "mixed",
        in_record("report.json", lambda one: one.update(effective_at="2025-03-02T00:00:00.000Z")),
        "report.json", "Its effective_at is another than row"),
    Forgery("the type of the report", "mixed",
        in_record("report.json", lambda one: one.update(report_type="annual")),
        "report.json", "Its report_type is another than row"),
    Forgery("the methodology of the report", "mixed",
        in_record("report.json", lambda one: one.update(methodology_id=7)),
        "methodology.json", "The part is missing"),
    Forgery("the reports whose place it takes", "succeeded",
        in_record("report.json", lambda one: one.pop("predecessors")),
        "report.json", "It takes the place of others than row"),
    Forgery("what a report had posted that was merged", "succeeded",
        edited("entries.csv", "amount", more("1"), kind="report", amount="-4"),
        "entries.csv", "and handed everything over"),
    Forgery("another part of the split dropped", "succeeded", without_last_row("report.split"),
        "audit/rows.jsonl", "was held"),
    Forgery("a report dropped that was merged", "succeeded",
        without_rows("report.accept", "report.deliver", "report.submit"),
        "audit/rows.jsonl", "The audit log does not say what the report"),
    Forgery("the project renamed", "mixed",
        in_record("bundle.json", lambda one: one.update(project_name="Plant 77")),
        "bundle.json", "is another than the log says"),
    Forgery("a project of another place", "closed",
        replaced("bundle.json", '"time_zone":"UTC"', '"time_zone":"Europe/Berlin"'),
        "bundle.json", "The time_zone of the project"),
    Forgery("the log of another service", "mixed",
        in_record("bundle.json", lambda one: one.update(audit_log="other.example/audit_log/1")),
        "bundle.json", "It names the log other.example/audit_log/"),
    Forgery("the revision of the engine that made the bundle", "mixed",
        in_record("bundle.json", lambda one: one.update(engine_revision=1)),
        "bundle.json", "of the engine computed it, and releases compute by revision"),
    Forgery("a report of another format", "mixed",
        in_record("bundle.json", lambda one: one.update(format=3)),
        "audit/", "Nothing in the bundle names this part"),
]  # fmt: skip
OF_ACCOUNTS: Final = [*MODELS, *CALCULATED, *TRACED, *BOOKED, *REPORTED]
