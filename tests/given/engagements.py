"""Engagements that a test starts from: a verifier with a key and a link, and what they do on a report."""

from dataclasses import dataclass, field
from typing import Any

from tests.given.collection import Record

from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature

SEED_TEXT = "Lottery of 14 April 2025: 3 8 17 29 41 44"


def agreed(**fields: Any) -> Record:
    """What is agreed, unless a test says otherwise."""
    stratum = {"event_type": "delivery", "data_point": "mass", "method": "monetary_unit", "size": 3}
    return {
        "engagement": {
            "verifier": "Example Verification Ltd",
            "scope": "The first quarter of 2025",
            "criteria": "ISO 14064-2",
            "materiality_percent": 5,
            "strata": [stratum],
        }
        | fields
    }


@dataclass(frozen=True, slots=True)
class Verifier:
    """A verifier who has nothing but a link, and a key of their own."""

    anyone: Any
    path: str
    """The path below the report's link."""
    key: str
    """The secret of the link."""
    signing: SigningKey = field(default_factory=SigningKey.made)

    def url(self, path: str) -> str:
        """The address of an operation by the link."""
        return f"{self.path}/engagements{path}?key={self.key}"

    def post(self, path: str, body: Any) -> Any:
        """Ask for something by the link."""
        return self.anyone.post(self.url(path), body)

    def get(self, path: str) -> Any:
        """Read something by the link."""
        return self.anyone.get(self.url(path))

    @property
    def public_key(self) -> str:
        """The key as OpenSSH writes it."""
        return write_ssh_public_key(self.signing.public)

    def sign(self, statement: str) -> str:
        """The signature over a statement."""
        return write_ssh_signature(statement.encode(), self.signing, NAMESPACE)

    def begin(self, **fields: Any) -> Record:
        """An engagement that begins."""
        begun: Record = self.post("", agreed(**fields)).expect(201).body
        return begun

    def draw(self, engagement: Record, text: str = SEED_TEXT) -> Record:
        """An engagement with its sample."""
        drawn: Record = self.post(f"/{engagement['id']}/sample", {"seed_text": text}).expect(200).body
        return drawn

    def find(self, engagement: Record, kind: str = "error", amount: Any = -0.4, **fields: Any) -> Record:
        """An engagement with one finding more."""
        finding = {"kind": kind, "text": "The slip states another mass.", "amount": amount} | fields
        found: Record = self.post(f"/{engagement['id']}/findings", {"finding": finding}).expect(201).body
        return found

    def decide(self, engagement: Record, number: int, decision: str = "resolve") -> Record:
        """An engagement of which the verifier has decided about a finding."""
        body = {"decision": decision, "reason": "The corrected value is that of the slip."}
        decided: Record = self.post(f"/{engagement['id']}/findings/{number}/decide", body).expect(200).body
        return decided

    def propose(self, engagement: Record, conclusion: str = "unmodified") -> Any:
        """What is answered to the draft of an opinion."""
        draft = {"conclusion": conclusion, "reasons": "No material misstatement was found."}
        return self.post(f"/{engagement['id']}/statement", draft)

    def conclude(self, engagement: Record, conclusion: str = "unmodified") -> Record:
        """An engagement that is concluded."""
        statement = self.propose(engagement, conclusion).expect(200).body["statement"]
        signed = {"statement": statement, "signature": self.sign(statement), "public_key": self.public_key}
        concluded: Record = self.post(f"/{engagement['id']}/conclude", signed).expect(200).body
        return concluded


def verifier(api: Any, anyone: Any, report: Record, **fields: Any) -> Verifier:
    """A verifier with a link to a report that lets them act."""
    link = {"name": "Verifier, first review", "is_of_verifier": True} | fields
    url = api.post(f"/reports/{report['id']}/links", {"link": link}).expect(201).body["url"]
    path, _, key = url[url.index("/reports/") :].partition("?key=")
    return Verifier(anyone, path, key)


def make_bundle(api: Any, drain: Any, report: Record) -> None:
    """Have the service make the bundle of a draft."""
    api.post(f"/reports/{report['id']}/bundle", {}).expect(202)
    drain()
