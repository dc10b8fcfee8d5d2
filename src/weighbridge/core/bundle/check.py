"""The check of a whole bundle, from its first byte to the last digit of its last batch.

In this order; all faults of a step are told, and what is not vouched for is not looked into any further:

1. the archive is byte for byte what its parts make;
2. every part has the digest that was signed, and the signature is that of the caller's key;
3. the head of the audit log is signed by it too, and each row is under that head;
4. all rows are written the one way there is, and hang together; the log says of the report what it says;
5. the indexes and the page are what the other parts make;
6. every batch comes to what it says, computed again.

Invariant: a bundle without faults is byte for byte the one that the service made, and its amounts follow from
its events.
"""

from dataclasses import dataclass, field

from weighbridge.core.bundle.books import check_books
from weighbridge.core.bundle.coherence import PAGE, check_events, check_evidence, check_parts, check_rows
from weighbridge.core.bundle.contents import (
    DATA_PACKAGE,
    MANIFEST,
    RO_CRATE,
    SIGNATURE,
    SUMS,
    BundleContents,
    IndexedPart,
    ReadModel,
    contents_of,
    data_package,
    digest_of_part,
    ro_crate,
)
from weighbridge.core.bundle.form.archive import Faults, UnreadableError, parts_of
from weighbridge.core.bundle.form.tables import BundleTable, lines_of
from weighbridge.core.bundle.log import compare_with_log
from weighbridge.core.bundle.page import page_of
from weighbridge.core.bundle.recomputation import Advance, RecomputedBatches, check_drawn, recompute
from weighbridge.core.bundle.trust import Vouched, verify_audit, verify_sums
from weighbridge.core.engine.slot_computation import unreleased
from weighbridge.core.model import PreparedModel, prepare
from weighbridge.core.proof.signing import VerifierKey


@dataclass(slots=True)
class CheckedBundle:
    """What was found of a bundle."""

    faults: Faults = field(default_factory=Faults)
    contents: BundleContents | None = None
    vouched: Vouched = field(default_factory=Vouched)
    recomputed: RecomputedBatches = field(default_factory=RecomputedBatches)
    part_count: int = 0


def check_bundle(
    content: memoryview, key: VerifierKey, read_model: ReadModel, advance: Advance = lambda _: None
) -> CheckedBundle:
    """Check a bundle by a key that somebody trusted gave; `advance` is told of batches computed again."""
    checked = CheckedBundle()
    faults = checked.faults
    try:
        parts = parts_of(content)
    except UnreadableError as error:
        faults.add("", str(error))
        return checked
    checked.part_count = len(parts)
    verify_sums(parts, key, faults)
    checked.vouched = verify_audit(parts, key, faults)
    checked.contents = contents = contents_of(parts, read_model, faults)
    if contents is None or faults:
        return checked
    check_parts(contents, checked.vouched, faults)
    _guarded(faults, contents, checked.vouched)
    check_made(contents, checked.vouched, faults)
    if not faults:
        checked.recomputed = recompute(contents, faults, advance)
        check_events(contents, faults)
    return checked


def _guarded(faults: Faults, contents: BundleContents, vouched: Vouched) -> None:
    """What compares rows may meet any nonsense that a key was made to sign."""
    try:
        check_rows(contents, faults)
        check_books(contents, vouched, faults)
        check_drawn(contents, faults)
        check_evidence(contents, faults)
        compare_with_log(contents, vouched, faults)
        if (unknown := unreleased(contents.manifest.engine_revision)) is not None:
            faults.add(MANIFEST, f"{unknown[0].upper()}{unknown[1:]}.")
        if vouched.head is not None and vouched.head.origin != contents.manifest.audit_log:
            faults.add(
                "bundle.json", f"It names the log {contents.manifest.audit_log}, not that of its head."
            )
    except (UnreadableError, ArithmeticError, KeyError, ValueError, TypeError) as error:
        faults.add("", f"Its rows cannot be compared: {type(error).__name__} {error}.")


def prepared_models(contents: BundleContents) -> dict[int, PreparedModel]:
    """The models, ready to run."""
    return {number: prepare(model) for number, model in contents.documents.items()}


def check_made(contents: BundleContents, vouched: Vouched, faults: Faults) -> None:
    """Hold what follows from the other parts against what it would be."""
    try:
        made = made_parts(contents, vouched)
    except (KeyError, ArithmeticError, ValueError, TypeError) as error:
        faults.add("", f"Its page cannot be made again: {type(error).__name__} {error}.")
        return
    for name, content in made.items():
        if bytes(contents.parts.get(name, b"")) != content:
            faults.add(name, "It is not what the other parts make.")


def made_parts(contents: BundleContents, vouched: Vouched) -> dict[str, bytes]:
    """The page and the indexes that the other parts make, each of which describes those before it."""
    indexed = {
        name: IndexedPart(name, len(content), digest_of_part(content))
        for name, content in contents.parts.items()
        if name not in {PAGE, DATA_PACKAGE, RO_CRATE, SUMS, SIGNATURE}
    }
    page = b"".join(page_of(contents, prepared_models(contents), vouched))
    package = data_package(contents.report.id, indexed, row_counts(contents))
    for name, content in ((PAGE, page), (DATA_PACKAGE, package)):
        indexed[name] = IndexedPart(name, len(content), digest_of_part(memoryview(content)))
    published = (contents.report.effective_at or contents.report.end_time or "")[:10]
    crate = ro_crate(contents.report.name, published, [indexed[name] for name in sorted(indexed)])
    return {PAGE: page, DATA_PACKAGE: package, RO_CRATE: crate}


def row_counts(contents: BundleContents) -> dict[BundleTable, int]:
    """How many rows each table has."""
    counts = {table: _lines(contents.parts[table.part], table.part) - 1 for table in contents.tables}
    return counts | {file.table: len(file) for file in contents.events.values()}


def _lines(content: memoryview, part: str) -> int:
    return sum(1 for _ in lines_of(content, part))
