"""An operator who has the log and its true key, writes a bundle otherwise, and also tells the log of it.

His log is the one of a true bundle, with every row where it was. Only the row about the parts is his own, and
comes last: so he could have written it when he made the bundle. Digests, indexes, page, proofs and signature
follow from what he wrote. What he wrote still has to agree with the rows that the log had before.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.given.bundles import KEY, Bundle
from tests.given.tampering import Parts, remade, rewrite_log, signed, taken_apart

from weighbridge.core.bundle.contents import (
    HEAD,
    MANIFEST,
    ROWS,
    SEAL,
    SIGNATURE,
    SUMS,
    WRITE_PROOF,
    WRITES,
    hash_part,
    name_proof_part,
)
from weighbridge.core.bundle.seal import describe_sealed
from weighbridge.core.platform.audit import hash_of_row
from weighbridge.core.proof import (
    Checkpoint,
    InclusionProof,
    compute_root,
    list_inclusion_spans,
    list_outside_spans,
    sign_checkpoint,
)
from weighbridge.core.signing import SigningKey, write_canonical_json
from weighbridge.modelling.documents import read_model

Change = Callable[[Parts], None]


def rows_of(parts: Parts, part: str) -> list[dict[str, Any]]:
    """The rows of the log in a part, or the records of any part of lines."""
    return [json.loads(line) for line in parts[part].splitlines()]


def write_rows(parts: Parts, part: str, rows: list[dict[str, Any]]) -> None:
    """Write records as the lines of a part."""
    parts[part] = b"".join(write_canonical_json(row) + b"\n" for row in rows)


class Operator:
    """Who has the log of a bundle and its key; the log has the rows of the bundle alone."""

    def __init__(self, bundle: Bundle, key: SigningKey = KEY) -> None:
        self._key = key
        honest = remade(bundle, self._shrink(bundle), read_model, key)
        self.bundle = Bundle(honest, bundle.key)
        self._parts = taken_apart(self.bundle)
        rows = [row for part in (ROWS, WRITES, SEAL) for row in rows_of(self._parts, part)]
        self._leaves = [hash_of_row(row) for row in sorted(rows, key=lambda row: int(row["number"]))]

    def _shrink(self, bundle: Bundle) -> Change:
        def change(parts: Parts) -> None:
            rewrite_log(parts, lambda _: None, bundle.key, self._key)

        return change

    def forge(self, change: Change, *, tells: bool = True) -> bytes:
        """A file that he changed; he tells the log of its parts, unless he leaves the row as it was."""

        def changing(parts: Parts) -> None:
            change(parts)
            if tells:
                self._tell(parts)

        try:
            return remade(self.bundle, changing, read_model, self._key)
        except Exception:  # noqa: BLE001 - what cannot be read any more is signed as it is
            parts = dict(self._parts)
            changing(parts)
            return signed(parts, self._key)

    def _tell(self, parts: Parts) -> None:
        """Write the row about the parts, and prove it with the other rows under a new head."""
        [seal] = rows_of(parts, SEAL)
        sums = [f"{hash_part(memoryview(content))}  {name}" for name, content in parts.items()
                if name not in {SUMS, SIGNATURE}]  # fmt: skip
        form = json.loads(parts[MANIFEST])["format"]
        write_rows(parts, SEAL, [seal | {"after": describe_sealed(form, sums)}])
        leaves = [*self._leaves[:-1], hash_of_row(rows_of(parts, SEAL)[0])]
        origin = parts[HEAD].decode().partition("\n")[0]
        head = sign_checkpoint(Checkpoint(origin, len(leaves), compute_root(leaves)), self._key)
        parts[HEAD] = head.encode()
        for number in range(1, len(leaves) + 1):
            if name_proof_part(number) in parts:
                spans = list_inclusion_spans(number - 1, len(leaves))
                path = [compute_root(leaves[span.start : span.end]) for span in spans]
                parts[name_proof_part(number)] = InclusionProof(number - 1, path, head).text.encode()
        proof = json.loads(parts[WRITE_PROOF])
        places = [row["number"] - 1 for row in rows_of(parts, WRITES)]
        outside = list_outside_spans(places, len(leaves))
        proof["log"] = [compute_root(leaves[span.start : span.end]).hex() for span in outside]
        parts[WRITE_PROOF] = write_canonical_json(proof) + b"\n"
