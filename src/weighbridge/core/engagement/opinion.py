"""The opinion of a verifier: an in-toto statement over a bundle, and its SSHSIG signature.

The statement names the file of the bundle and the parts that state something, each by its SHA-256, so that a
later bundle of the report can be compared with it, part by part. Its predicate has everything that the
opinion rests on: scope, criteria, materiality, the population and the sample by their digests, the findings,
the effect.

`ssh-keygen -Y sign -n weighbridge-opinion` makes the signature, and `ssh-keygen -Y verify` accepts it.

Invariants: the same engagement, bundle, conclusion and time give the same bytes; a signature for any other
purpose is not one for an opinion.
"""

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.engagement.findings import (
    CountedFinding,
    Effect,
    FindingKind,
    FindingState,
    Materiality,
    compute_effect,
)
from weighbridge.core.number import plain
from weighbridge.core.signing import (
    VerifierKey,
    read_ssh_public_key,
    verify_ssh_signature,
    write_canonical_json,
)

NAMESPACE: Final = "weighbridge-opinion"
"""What the signature is for, so that no other signature of the key passes for it."""

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://weighbridge.example/docs/reference/proof-bundle/opinion/v1"
"""Names the form of the predicate, which docs/reference/proof-bundle.md specifies."""

KEY_NAME: Final = "verifier"

_WITHOUT_SUBJECT: Final = (
    "audit/", "evidence/", "verification/", "SHA256SUMS", "datapackage.json", "report.html",
    "ro-crate-metadata.json",
)  # fmt: skip


def hash_record(value: Any) -> str:
    """The SHA-256 of a record as it is written in bundles, with its line end."""
    return hashlib.sha256(write_canonical_json(value) + b"\n").hexdigest()


def list_subjects(report: str, bundle_sha256: str, parts: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the opinion is about: the file, then its parts by name.

    Parts of the log change with every bundle, and so do the page and the indexes, which follow from the
    others. Files of evidence are in `evidence.csv` by their digests, and the engagement is in the predicate.
    """
    named = {name: digest for name, digest in parts.items() if not name.startswith(_WITHOUT_SUBJECT)}
    return [
        {"digest": {"sha256": bundle_sha256}, "name": f"{report}.zip"},
        *({"digest": {"sha256": named[name]}, "name": name} for name in sorted(named)),
    ]


def list_changed_parts(subjects: Sequence[Mapping[str, Any]], parts: Mapping[str, str]) -> list[str]:
    """The parts that differ from those that an opinion was about, are new, or are missing."""
    before = {subject["name"]: subject["digest"]["sha256"] for subject in subjects[1:]}
    now = {name: digest for name, digest in parts.items() if not name.startswith(_WITHOUT_SUBJECT)}
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def effect_of_record(engagement: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> Effect:
    """The effect of the open findings of an engagement, as both are recorded."""
    counted = [
        CountedFinding(FindingKind(one["kind"]), FindingState(one["state"]), _number(one["amount"]))
        for one in findings
    ]
    materiality = Materiality(
        _number(engagement["materiality_percent"]), _number(engagement["materiality_amount"])
    )
    return compute_effect(counted, Decimal(engagement["total"]), materiality)


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def build_predicate(
    engagement: Mapping[str, Any],
    findings: Sequence[Mapping[str, Any]],
    conclusion: str,
    reasons: str,
    time: str,
) -> dict[str, Any]:
    """What the opinion says of an engagement as it is recorded."""
    effect = effect_of_record(engagement, findings)
    sample = engagement["sample"]
    return {
        "assurance": engagement["assurance"],
        "conclusion": conclusion,
        "criteria": engagement["criteria"],
        "effect": {
            "absolute": plain(effect.absolute),
            "is_material": effect.is_material,
            "signed": plain(effect.signed),
            "threshold": plain(effect.threshold),
            "total": engagement["total"],
            "unit": engagement["unit"],
        },
        "engagement": engagement["engagement"],
        "findings": [
            {name: finding[name] for name in ("amount", "kind", "number", "record", "state")}
            for finding in findings
        ],
        "findings_sha256": hash_record(list(findings)),
        "log": {name: engagement[f"log_{name}"] for name in ("root", "rows")},
        "materiality": {name: engagement[f"materiality_{name}"] for name in ("amount", "percent")},
        "population": {name: engagement[f"population_{name}"] for name in ("count", "sha256")},
        "reasons": reasons,
        "report": engagement["report_id"],
        "sample": {
            "count": len(sample),
            "seed": engagement["seed"],
            "seed_text": engagement["seed_text"],
            "sha256": hash_record(list(sample)),
        },
        "scope": engagement["scope"],
        "strata": engagement["strata"],
        "time": time,
        "verifier": engagement["verifier"],
    }


def write_statement(subjects: Sequence[Mapping[str, Any]], predicate: Mapping[str, Any]) -> bytes:
    """The statement that is signed: JSON by RFC 8785 and one line end."""
    statement = {
        "_type": STATEMENT_TYPE,
        "predicate": predicate,
        "predicateType": PREDICATE_TYPE,
        "subject": list(subjects),
    }
    return write_canonical_json(statement) + b"\n"


def read_ssh_key(text: str) -> VerifierKey:
    """The Ed25519 key in a line as OpenSSH writes it; UnprovenError for any other text."""
    return VerifierKey(KEY_NAME, read_ssh_public_key(text))


def verify_opinion(statement: bytes, signature: str, key: str) -> None:
    """UnprovenError unless the signature over the statement is by the key."""
    verify_ssh_signature(statement, signature, read_ssh_key(key), NAMESPACE)
