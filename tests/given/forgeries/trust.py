"""Forgeries of what vouches for the rest: rules, findings, outages, the log, its keys, verifiers."""

import json
from typing import Any, Final

from tests.given.forgeries.changes import (
    Table,
    both,
    dropped,
    edited,
    in_lines,
    in_record,
    in_rows,
    later,
    more,
    replaced,
    without_parts,
    without_rows,
)
from tests.given.forgeries.table import SEALED, UNFOUND, Forgery
from tests.given.tampering import Parts

from weighbridge.core.bundle.contents import KEYS, ROWS
from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature

ENGAGEMENTS: Final = "verification/engagements.json"


def of_engagement(edit: Any) -> Any:
    """The engagement, edited."""
    return in_record(ENGAGEMENTS, lambda record: edit(record["engagements"][0]))


def draw_another(engagement: Any) -> None:
    """Another record in the place of the first one that was drawn."""
    drawn = {one["record"] for one in engagement["sample"]}
    first = engagement["sample"][0]
    first["record"] = next(number for number in range(first["record"] - 30, first["record"] + 30)
                           if number not in drawn)  # fmt: skip


def sign_as_another(parts: Parts) -> None:
    """An opinion that somebody else signed, under a key of their own."""
    other = SigningKey.made()
    part = next(name for name in parts if name.endswith(".opinion.json"))
    parts[f"{part}.sig"] = write_ssh_signature(parts[part], other, NAMESPACE).encode()
    of_engagement(lambda one: one.update(verifier_key=write_ssh_public_key(other.public)))(parts)


def move_row(rows: list[Any]) -> None:
    """The last row in the place of the first."""
    rows.insert(0, rows.pop())


def without_rules(parts: Parts) -> None:
    """Without the rules that are in the bundle."""
    for name in [name for name in parts if name.startswith("rules/")]:
        del parts[name]


PERIOD: Final = [
    Forgery("a late event dropped", "closed",
        both(dropped("late_events.csv", "2025-01-06"), dropped("captured.txt", "2025-01-06"),
             dropped("audit/writes.jsonl", "2025-01-06")), UNFOUND, "A row of the log without references"),
    Forgery("a late event dropped, though its line is there", "closed",
        dropped("late_events.csv", "2025-01-06"), "captured.txt", "whose line is there"),
    Forgery("a late event of another time", "closed",
        replaced("late_events.csv", "2025-01-06T12", "2025-01-06T13"),
        "late_events.csv", "has other times than were captured"),
    Forgery("a late event said to be of another type", "closed",
        replaced("late_events.csv", "delivery", "bill"), "", "is none of the type"),
    Forgery("when a late event was stored", "closed", edited("late_events.csv", "created_at", later),
        "late_events.csv", "was stored at another time by the log"),
    Forgery("an outage dropped", "closed", dropped("outages.csv", "Calibration"),
        "outages.csv", "The audit log has outage"),
    Forgery("an outage dropped with its row", "closed",
        both(dropped("outages.csv", "Calibration"), without_rows("outage.create")), UNFOUND,
        "A row of the log without references"),
    Forgery("an outage of another time", "closed", replaced("outages.csv", "2025-01-21", "2025-01-22"),
        "outages.csv", "is another than the log says"),
    Forgery("an outage that still lasts", "closed", edited("outages.csv", "end_time", None),
        "outages.csv", "is another than the log says"),
    Forgery("an outage for another reason", "closed", replaced("outages.csv", "Calibration", "Repair"),
        "outages.csv", "is another than the log says"),
    Forgery("an outage of everything", "closed", replaced("outages.csv", "Scale 1", ""),
        "outages.csv", "is another than the log says"),
    Forgery("what proves an outage", "closed",
        edited("outages.csv", "evidence_url", "https://plant.example/repair"),
        "outages.csv", "is another than the log says"),
    Forgery("a finding dropped", "closed", both(dropped("findings.csv", "trailer"), without_rules),
        "findings.csv", "was dismissed, but the bundle does not"),
    Forgery("a finding dropped with its row", "closed",
        both(dropped("findings.csv", "trailer"), without_rules, without_rows("rule_result.dismiss")),
        UNFOUND, "A row of the log without references"),
    Forgery("a finding dismissed for another reason", "closed",
        replaced("findings.csv", "with trailer", "as usual"),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("a finding of another value", "closed", replaced("findings.csv", ",25,", ",21,"),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("a finding of another event", "closed", edited("findings.csv", "event", more("2")),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("a finding in another data point", "closed", edited("findings.csv", "data_point", "moisture"),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("who dismissed a finding", "closed", edited("findings.csv", "dismissed_by", more("1")),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("when a finding was dismissed", "closed", edited("findings.csv", "dismissed_at", later),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("the rule that found something renamed", "closed",
        in_record("rules/*", lambda one: one.update(name="Plausible mass")),
        "rules/", "It is called otherwise, or of another user than the log says"),
    Forgery("what the rule that found something asks for", "closed",
        in_record("rules/*", lambda one: one.update(expression="{{mass}} > 24")),
        "rules/", "The expression of the rule is another than the log says"),
    Forgery("what a rule puts in the place of a value", "entered",
        in_record("rules/*", lambda one: one["correction"].update(expression="6.5")),
        "rules/", "The correction of the rule is another than the log says"),
    Forgery("what a rule is for", "entered",
        in_record("rules/*", lambda one: one.update(purpose="substitute")),
        "rules/", "The purpose of the rule is another than the log says"),
    Forgery("who answers for a rule", "entered",
        in_record("rules/*", lambda one: one.update(user_id=one["user_id"] + 1)),
        "rules/", "It is called otherwise, or of another user than the log says"),
    Forgery("when a rule was written", "entered",
        in_record("rules/*", lambda one: one.update(created_at="2024-12-31T00:00:00+00:00")), SEALED,
        "a rule is compared by its calculation"),
]  # fmt: skip
LOGGED: Final = [
    Forgery("the start of a generation dropped", "closed", without_rows("batch_generation.start"),
        "audit/rows.jsonl", "The audit log has no row for the start of the generation of"),
    Forgery("the end of a generation dropped", "closed", without_rows("batch_generation.finish"),
        "audit/rows.jsonl", "The audit log has no row for the end of the generation of"),
    Forgery("the row of the project dropped", "closed", without_rows("project.create"),
        "bundle.json", "The audit log has no row for the project"),
    Forgery("the row of a model dropped", "mixed", without_rows("model.create"),
        "models.csv", "The audit log has no row for the model"),
    Forgery("the row of a static input dropped", "entered", without_rows("static_input.create"),
        "static_inputs.csv", "The audit log has no row for the static_input"),
    Forgery("the row of an instrument dropped", "entered", without_rows("instrument.create"),
        "audit/rows.jsonl", "The audit log has no row for the instrument"),
    Forgery("the row of a rule dropped", "entered", without_rows("rule.create"),
        "rules/", "The audit log has no row for version"),
    Forgery("the row of a correction dropped", "closed", without_rows("data_point.correct"),
        "corrections.csv", "is not in the audit log"),
    Forgery("the dismissal dropped", "closed", without_rows("rule_result.dismiss"),
        "findings.csv", "The audit log has no row that dismissed finding"),
    Forgery("the row of the evidence dropped", "mixed", without_rows("evidence.create"),
        "evidence.csv", "The audit log has no row for attaching"),
    Forgery("the rows of the report dropped", "mixed",
        without_rows("report.create", "report.submit", "report.deliver", "report.accept"),
        "audit/rows.jsonl", "The audit log has no row for the report"),
    Forgery("the acceptance of the restated report dropped", "mixed", without_rows("report.accept"),
        "entries.csv", "; 0 was accepted"),
    Forgery("who created the report", "mixed", in_rows("report.create", lambda row: row.update(user_id=999)),
        "audit/", "The row and its proof do not lead to the root of the head"),
    Forgery("when the report was submitted", "mixed",
        in_rows("report.submit", lambda row: row.update(at="2026-01-01T00:00:00.000Z")),
        "audit/", "The row and its proof do not lead to the root of the head"),
    Forgery("that the report was withdrawn", "mixed",
        in_rows("report.submit", lambda row: row.update(action="report.withdraw")),
        "audit/", "The row and its proof do not lead to the root of the head"),
    Forgery("the request that a row belongs to", "mixed",
        in_rows("batch_generation.finish", lambda row: row.update(request_id="another")),
        "audit/", "The row and its proof do not lead to the root of the head"),
    Forgery("a row at another place of the log", "mixed", in_lines(ROWS, move_row),
        "audit/rows.jsonl", "Rows are sorted, each once; row"),
    Forgery("a row with the number of another", "mixed",
        in_rows("report.submit", lambda row: row.update(number=row["number"] + 1)),
        "audit/", "The row and its proof do not lead to the root of the head"),
]  # fmt: skip
KEPT: Final = [
    Forgery("that a key followed another dropped", "keyed",
        in_record(KEYS, lambda one: one["statements"].pop()),
        "audit/keys.json", "Its statements are others than those of the audit log"),
    Forgery("that a key followed another dropped with its row", "keyed",
        both(in_record(KEYS, lambda one: one["statements"].clear()), without_rows("audit_key.rotate")),
        UNFOUND, "such as that of a revocation"),
    Forgery("the order in which keys followed", "keyed",
        in_record(KEYS, lambda one: one["statements"].reverse()),
        "audit/keys.json", "Its statements are others than those of the audit log"),
    Forgery("when a key followed another", "keyed",
        in_record(KEYS, lambda one: one["statements"][0].update(
            text=one["statements"][0]["text"].replace("2025-04-01", "2025-04-02"))),
        "audit/keys.json", "does not hold"),
]  # fmt: skip
METHODOLOGY: Final = "methodology.json"


def name_others(parts: Parts) -> None:
    """The other batch of the report among those of other versions."""
    inclusions = json.loads(parts["report.json"])["inclusions"]
    in_record(METHODOLOGY, lambda one: one.update(
        other_batches=[inclusion["batch_id"] for inclusion in inclusions
                       if inclusion["batch_id"] not in one["other_batches"]]))(parts)  # fmt: skip


def allow_version(parts: Parts) -> None:
    """The version of the batch among those that the methodology names."""
    [other] = json.loads(parts[METHODOLOGY])["other_batches"]
    batch = next(row for row in Table(parts, "batches.csv").rows if row["batch_id"] == other)
    model = next(row for row in Table(parts, "models.csv").rows if row["model"] == batch["model"])

    def edit(record: Any) -> None:
        record["models"][0]["versions"].append(2)
        record["models"][0]["version_ids"].append(model["model_id"])
        record["other_batches"] = []

    in_record(METHODOLOGY, edit)(parts)


def allow_any(record: Any) -> None:
    """Any version allowed, and so no batch of another one."""
    record["models"][0].update(versions=[], version_ids=[])
    record["other_batches"] = []


FOLLOWED: Final = [
    Forgery("a batch of another version hidden", "versioned",
        in_record(METHODOLOGY, lambda one: one.update(other_batches=[])), METHODOLOGY,
        "and is not among the others"),
    Forgery("another batch said to be of another version", "versioned", name_others, METHODOLOGY,
        "and is not among the others"),
    Forgery("a version that the methodology names", "versioned", allow_version, METHODOLOGY,
        "is another than the log says"),
    Forgery("that the methodology names versions", "versioned", in_record(METHODOLOGY, allow_any),
        METHODOLOGY, "is another than the log says"),
    Forgery("what becomes of other versions", "versioned",
        in_record(METHODOLOGY, lambda one: one.update(other_versions="refuse")), METHODOLOGY,
        "is another than the log says"),
    Forgery("the methodology renamed", "versioned",
        in_record(METHODOLOGY, lambda one: one.update(name="Storage")), METHODOLOGY,
        "is another than the log says"),
    Forgery("the methodology dropped", "versioned",
        both(without_parts(METHODOLOGY),
             in_record("report.json", lambda one: one.update(methodology_id=None))),
        "report.json", "Its methodology_id is another than row"),
    Forgery("the row of the methodology dropped", "versioned", without_rows("methodology.create"),
        METHODOLOGY, "The audit log has no row for the methodology"),
]  # fmt: skip
VERIFIED: Final = [
    Forgery("a sample altered", "concluded", of_engagement(draw_another),
        "verification/engagements.json", "The seed of engagement"),
    Forgery("a record dropped from the sample", "concluded",
        of_engagement(lambda one: one["sample"].pop()),
        "verification/engagements.json", "The seed of engagement"),
    Forgery("the text of the seed", "concluded",
        of_engagement(lambda one: one.update(seed_text="friendlier")),
        "verification/engagements.json", "does not follow from its log head and text"),
    Forgery("an opinion signed by another key", "concluded", sign_as_another,
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("the conclusion of an opinion", "concluded",
        of_engagement(lambda one: one.update(conclusion="adverse")),
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("the materiality", "concluded",
        of_engagement(lambda one: one.update(materiality_percent="50")),
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("what the verifier found", "concluded",
        of_engagement(lambda one: one["findings"][0].update(amount="0")),
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("what the verifier found dropped", "concluded",
        of_engagement(lambda one: one["findings"].pop()),
        "verification/", "Its findings does not follow from engagement"),
    Forgery("what the verifier found resolved", "concluded",
        of_engagement(lambda one: one["findings"][0].update(state="resolved")),
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("the verifier renamed", "concluded",
        of_engagement(lambda one: one.update(verifier="Another Verifier Ltd")),
        "verification/engagements.json", "is another than the audit log says"),
    Forgery("an engagement said to be withdrawn", "concluded",
        of_engagement(lambda one: one.update(state="withdrawn")),
        "verification/", "Nothing in the bundle names this part"),
    Forgery("an amount of the population", "concluded",
        edited("verification/*.population.csv", "amount", more("1")),
        "verification/", "It is not the population of engagement"),
    Forgery("the engagement dropped", "concluded", without_parts("verification/"),
        "verification/engagements.json", "The audit log has the engagement"),
    Forgery("the engagement dropped with its rows", "concluded",
        both(without_parts("verification/"), without_rows(
            "engagement.create", "engagement.draw", "engagement.conclude", "finding.create",
            "finding.decide")), UNFOUND, "A row of the log without references"),
]  # fmt: skip
OF_TRUST: Final = [*PERIOD, *LOGGED, *KEPT, *FOLLOWED, *VERIFIED]
