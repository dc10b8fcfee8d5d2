"""Records of engagements, their samples and findings, and the bodies of requests about them."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.collection.records.events import Event
from weighbridge.core.engagement.findings import (
    DECISIONS,
    Assurance,
    Conclusion,
    EngagementState,
    FindingKind,
    FindingState,
)
from weighbridge.core.engagement.sampling import SAMPLE_SIZE_MAX, STRATA_MAX, SamplingMethod
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Description, Line, at_most, between, id_of, one_of, several

SIGNATURE_LENGTH_MAX: Final = 2_000
STATEMENT_LENGTH_MAX: Final = 200_000


class SampleStratum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the population that is drawn in one way: the records of an event type."""

    event_type: Line
    """The slug of the event type, such as `delivery`."""
    size: Annotated[int, between(1, SAMPLE_SIZE_MAX)]
    """How many records are drawn, from 1 to 1,000; 1,000 in all strata."""
    method: Annotated[Line, one_of(SamplingMethod)] = SamplingMethod.RANDOM
    """How records are drawn: `random`, or `monetary_unit`: in proportion to the amounts, without sign."""
    data_point: Line | None = None
    """The slug of the data point that is the amount of a record; `monetary_unit` needs one."""


class FindingsEffect(msgspec.Struct, frozen=True):
    """The effect of open findings on the total of the report."""

    signed: Decimal
    """By how much they would change the total, in `unit`."""
    absolute: Decimal
    """The sum of their amounts without sign, which is compared with the threshold."""
    threshold: Decimal
    """The threshold of materiality; of a percentage and an amount the smaller one."""
    is_material: bool
    """Whether `absolute` is more than the threshold."""
    total: Decimal
    """The total of the report."""
    unit: str
    """The unit of the ledger, such as `t`."""
    open_requests: int
    """Requests that are neither resolved nor withdrawn."""


class VerifierFinding(msgspec.Struct, frozen=True):
    """One finding of a verifier."""

    number: int
    """Its number in the engagement, from 1."""
    kind: Annotated[str, one_of(FindingKind)]
    """An `error`, an `omission`, or a `request`."""
    state: Annotated[str, one_of(FindingState)]
    """Whether it is `open`, `answered`, `resolved` or `withdrawn`; open and answered ones count."""
    event_id: str | None
    """The record that it is about, such as `evt_…`; null for the report as a whole."""
    text: str
    """What was found."""
    amount: Decimal | None
    """By how much it would change the total of the report, in its unit; null for a request."""
    recorded_by: str
    """The name of the user, or of the link."""
    recorded_at: Instant
    """When it was recorded."""
    answer: str | None
    """What the operator answered last; null while there is no answer."""
    answered_by: str | None
    """The name of the user who answered last; null while there is no answer."""
    answered_at: Instant | None
    """When it was answered last; null while there is no answer."""
    decision: str | None
    """Why the verifier resolved, reopened or withdrew it; null while they did not."""
    decided_at: Instant | None
    """When the verifier decided last; null while they did not."""


class Opinion(msgspec.Struct, frozen=True):
    """The signed opinion of a verifier."""

    conclusion: Annotated[str, one_of(Conclusion)]
    """The kind of opinion, by ISO 14064-3."""
    reasons: str
    """The reasons, in the words of the verifier."""
    statement: str
    """The statement that was signed: in-toto, as one line of JSON and its line end."""
    signature: str
    """Its signature (SSHSIG)."""
    public_key: str
    """The public key of the verifier, in a line as OpenSSH writes it."""
    bundle_sha256: str
    """The SHA-256 of the bundle that it is about."""


class Engagement(msgspec.Struct, frozen=True):
    """One engagement of a verifier on a report."""

    id: int
    """The number of the engagement."""
    report_id: str
    """The friendly id of the report."""
    state: Annotated[str, one_of(EngagementState)]
    """Whether it is `open`, `concluded` or `withdrawn`."""
    verifier: str
    """Who verifies, such as the body and its accreditation."""
    scope: str
    """What is verified."""
    criteria: str
    """By which rules."""
    assurance: Annotated[str, one_of(Assurance)]
    """The level of assurance: `reasonable` or `limited`."""
    materiality_percent: Decimal | None
    """The threshold of materiality in percent of the total; null where only an amount is agreed."""
    materiality_amount: Decimal | None
    """The threshold of materiality as an amount, in the unit of the report."""
    strata: list[SampleStratum]
    """The strata, each of another event type."""
    population_count: int
    """How many records the population had when the engagement began."""
    population_sha256: str
    """The SHA-256 of the population, as it is in the bundle."""
    log_rows: int
    """How many rows the audit log's head had when the engagement began."""
    log_root: str
    """The root hash of that head."""
    seed_text: str | None
    """The text by which the verifier completed the seed; null while no sample is drawn."""
    seed: str | None
    """The seed that follows from the head, the population and the text."""
    sample_count: int
    """How many records were drawn."""
    drawn_at: Instant | None
    """When the sample was drawn; null until then."""
    effect: FindingsEffect
    findings: list[VerifierFinding]
    """The findings, by number."""
    opinion: Opinion | None
    """Null until the engagement is concluded."""
    created_by: str
    """The name of the user, or of the link."""
    created_at: Instant
    """When it began."""
    ended_at: Instant | None
    """When it was concluded or withdrawn."""


class Engagements(msgspec.Struct, frozen=True):
    """The engagements on a report, the oldest first."""

    data: list[Engagement]
    """The engagements, the oldest first."""


class RecordChange(msgspec.Struct, frozen=True):
    """A change of a record since the engagement began."""

    what: str
    """What changed: a data point or a field, `evidence`, or `voided`."""
    before: str | None
    """The value before; null where there was none."""
    after: str | None
    """The value after; null where there is none."""
    at: Instant
    """When it was changed."""
    by: str
    """The name of the user, or of the user for whom a rule works."""
    reason: str | None
    """The reason that was given; null without one."""


class Adjustment(msgspec.Struct, frozen=True):
    """A calibration of a value: a correction by a rule of the kind adjustment."""

    data_point: str
    """The slug of the data point."""
    rule: str
    """What the rule is called."""
    version: int
    """The version of the rule."""
    before: str | None
    """The value as captured."""
    after: str
    """The value that the calibration gives."""


class SampledRecord(msgspec.Struct, frozen=True):
    """A record of a sample, with what a verifier looks at."""

    stratum: int
    """The number of its stratum, from 1."""
    amount: Decimal | None
    """Its amount when the engagement began; null if it had none."""
    is_certain: bool
    """Whether it was drawn in any case: by its amount, or because the whole stratum is."""
    event: Event
    """The record as it is now, with its readings and evidence."""
    serial_number: str | None
    """The serial number of its meter, where the asset has one."""
    calibration: list[Adjustment]
    """The calibrations of its values that are in force."""
    missing: list[str]
    """What it lacks: `evidence`, required data points, `meter`."""
    recorded_by: str | None
    """The name of the user who recorded it; null where the log names none."""
    recorded_at: Instant
    """When it was recorded."""
    changes: list[RecordChange]
    """What was changed since the engagement began, the oldest first."""


class PopulationChanges(msgspec.Struct, frozen=True):
    """How the population differs from what it was when the engagement began, by the ids of its records."""

    added: list[str]
    """Records that were not in it."""
    removed: list[str]
    """Records that are not in it any more."""
    changed: list[str]
    """Records with another amount."""


class Sample(msgspec.Struct, frozen=True):
    """The sample of an engagement."""

    data: list[SampledRecord]
    """The records that were drawn, by stratum and number."""
    population_changes: PopulationChanges


class NewEngagement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is agreed before a sample is drawn."""

    verifier: Line
    """Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`."""
    scope: Description
    """What is verified, such as `Carbon stored in the first quarter of 2025`."""
    criteria: Description
    """By which rules, such as `ISO 14064-2 and the methodology, version 2.1`."""
    strata: Annotated[list[SampleStratum], several(STRATA_MAX)]
    """The strata, 1 to 20, each of another event type."""
    assurance: Annotated[Line, one_of(Assurance)] = Assurance.REASONABLE
    """The level of assurance."""
    materiality_percent: Decimal | None = None
    """The threshold in percent of the total, above 0 to 100; this or an amount is required."""
    materiality_amount: Decimal | None = None
    """The threshold as an amount above zero, in the unit of the report."""


class NewEngagementBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/engagements."""

    engagement: NewEngagement
    """What is agreed."""


class SampleDraw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body that draws the sample."""

    seed_text: Line
    """A text of the verifier, in one line, which the operator did not know before."""


class NewFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a verifier found."""

    kind: Annotated[Line, one_of(FindingKind)]
    """An `error`, an `omission`, or a `request`."""
    text: Description
    """What was found, in a sentence or more."""
    amount: Decimal | None = None
    """By how much it would change the total of the report; required, except for a request, which has none."""
    event_id: Annotated[str, id_of("event")] | None = None
    """The record that it is about, such as `evt_…`."""


class NewFindingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body that records a finding."""

    finding: NewFinding
    """What was found."""


class FindingAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The operator's answer to a finding."""

    answer: Description
    """What was done or found, in a sentence or more."""


class FindingDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The verifier's decision about a finding."""

    decision: Annotated[Line, one_of(DECISIONS)]
    """What is decided: `resolve`, `reopen` or `withdraw`."""
    reason: Description
    """Why, in a sentence that stays with the finding."""


class OpinionDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the verifier wants to conclude."""

    conclusion: Annotated[Line, one_of(Conclusion)]
    """The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`."""
    reasons: Description
    """The reasons, in the words of the verifier."""


class StatementToSign(msgspec.Struct, frozen=True):
    """The statement of an opinion, to be signed byte for byte."""

    statement: str
    """The statement: in-toto, as one line of JSON and its line end."""
    namespace: str
    """The namespace of the signature, for `ssh-keygen -Y sign -n`."""


class SignedOpinion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The signed opinion, which concludes the engagement."""

    statement: Annotated[str, at_most(STATEMENT_LENGTH_MAX)]
    """The statement that the service proposed, unchanged."""
    signature: Annotated[str, at_most(SIGNATURE_LENGTH_MAX)]
    """Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`."""
    public_key: Annotated[str, at_most(SIGNATURE_LENGTH_MAX)]
    """The public key of the verifier: `ssh-ed25519 AAAA…`."""


class EngagementEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body that withdraws an engagement, which may be left out."""
