"""Bundles that somebody changed: byte by byte, row by row, part by part, with and without a key."""

import json
import random
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from tests.given.bundles import KEY, Bundle

from weighbridge.core.bundle.archive import ArchivePart, Faults, read_parts, write_directory, write_headers
from weighbridge.core.bundle.check import render_parts
from weighbridge.core.bundle.contents import (
    HEAD,
    NAMESPACE,
    ROWS,
    SEAL,
    SIGNATURE,
    SUMS,
    WRITE_PROOF,
    WRITES,
    IndexedPart,
    TrustResult,
    hash_part,
    name_proof_part,
    read_contents,
    verify_audit,
    write_sums,
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
from weighbridge.core.signing import SigningKey, VerifierKey, write_canonical_json, write_ssh_signature

Parts = dict[str, bytes]
Change = tuple[str, bytes]
"""What was done, in words, and the file that came of it."""

ANOTHER: Final = SigningKey.made()


def taken_apart(bundle: Bundle) -> Parts:
    """The parts of a bundle."""
    return {name: bytes(content) for name, content in read_parts(memoryview(bundle.content)).items()}


def put_together(parts: Mapping[str, bytes], names: list[str] | None = None) -> bytes:
    """A file of parts, in the order of their names unless another is given."""
    order = sorted(parts) if names is None else names
    made = [ArchivePart(name, len(parts[name]), zlib.crc32(parts[name])) for name in order]
    written = b"".join(
        header + parts[part.name] for header, part in zip(write_headers(made), made, strict=True)
    )
    return written + write_directory(made)


def signed(parts: Mapping[str, bytes], key: SigningKey = KEY) -> bytes:
    """A file of parts with digests made anew, and a signature over them."""
    others = {name: content for name, content in parts.items() if name not in {SUMS, SIGNATURE}}
    digests = write_sums(
        [IndexedPart(name, len(content), hash_part(memoryview(content))) for name, content in others.items()]
    )
    signature = write_ssh_signature(digests, key, NAMESPACE).encode()
    return put_together({**others, SUMS: digests, SIGNATURE: signature})


def byte_changes(bundle: Bundle, count: int, seed: int) -> Iterator[Change]:
    """Files with one byte changed, anywhere."""
    chance = random.Random(seed)  # noqa: S311 - the same changes in every run
    for _ in range(count):
        place = chance.randrange(len(bundle.content))
        value = (bundle.content[place] + chance.randrange(1, 256)) % 256
        changed = bytearray(bundle.content)
        changed[place] = value
        yield f"byte {place:,} of {len(changed):,} became {value}", bytes(changed)


def structural_changes(bundle: Bundle) -> Iterator[Change]:
    """Files with rows, parts or frames changed; what is changed inside is signed anew with the right key."""
    parts = taken_apart(bundle)
    for name, content in parts.items():
        if name in {SUMS, SIGNATURE}:
            continue
        if name.endswith((".csv", ".jsonl")):
            for what, lines in _rows_changed(name, content.splitlines(keepends=True)):
                yield f"{name}: {what}", signed({**parts, name: b"".join(lines)})
        yield f"{name}: removed", signed({one: text for one, text in parts.items() if one != name})
        yield f"{name}: a byte behind it", signed({**parts, name: content + b"\n"})
    yield from _files_changed(parts)
    yield from _frames_changed(bundle, parts)


def _rows_changed(name: str, lines: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    first = 1 if name.endswith(".csv") else 0
    rows = lines[first:]
    for at in {0, len(rows) // 2, len(rows) - 1} if rows else ():
        yield f"row {at} dropped", [*lines[:first], *rows[:at], *rows[at + 1 :]]
        yield f"row {at} doubled", [*lines[:first], *rows[: at + 1], *rows[at:]]
        otherwise = re.sub(rb"(?<=[,\"\[])(-?\d+)(?=[,\"\]\n])", rb"\1.0", rows[at], count=1)
        if otherwise != rows[at]:
            yield (
                f"row {at}: a whole number with a point",
                [*lines[:first], *rows[:at], otherwise, *rows[at + 1 :]],
            )
        longer = re.sub(rb"(\d\.\d+)(?=[,\"\n])", rb"\g<1>0", rows[at], count=1)
        if longer != rows[at]:
            yield (
                f"row {at}: a decimal with a zero more",
                [*lines[:first], *rows[:at], longer, *rows[at + 1 :]],
            )
    if len(rows) > 1:
        yield "two rows swapped", [*lines[:first], rows[1], rows[0], *rows[2:]]
    if first:
        yield "its columns doubled", [lines[0], *lines]


def _files_changed(parts: Parts) -> Iterator[Change]:
    for name in ("notes.txt", "events/other.csv", "evidence/" + "0" * 64, "audit/999.tlog-proof", "zzz"):
        yield f"{name} added", signed({**parts, name: b"more\n"})
    yield "the signature of another key", signed(parts, ANOTHER)
    head = parts["audit/head.checkpoint"].decode()
    older = re.sub(r"\n(\d+)\n", lambda found: f"\n{int(found[1]) - 1}\n", head, count=1)
    yield "a head of fewer rows", signed({**parts, "audit/head.checkpoint": older.encode()})
    manifest = json.loads(parts["bundle.json"])
    for field, value in {"format": 2, "time_zone": "Pacific/Auckland", "is_redacted": True}.items():
        text = json.dumps({**manifest, field: value}, separators=(",", ":"), sort_keys=True) + "\n"
        if text.encode() != parts["bundle.json"]:
            yield f"bundle.json: {field} is {value}", signed({**parts, "bundle.json": text.encode()})


def _frames_changed(bundle: Bundle, parts: Parts) -> Iterator[Change]:
    content, names = bundle.content, sorted(parts)
    yield "a byte behind the end", content + b"\0"
    yield "the last byte missing", content[:-1]
    yield "a comment of the archive", content[:-2] + b"\x02\x00hi"
    yield "bytes before the beginning", b"#!" + content
    yield "the file twice", content + content
    yield "parts in another order", put_together(parts, [names[1], names[0], *names[2:]])
    yield "a part twice", put_together(parts, [*names[:3], names[2], *names[3:]])
    yield "nothing", b""
    yield "half of it", content[: len(content) // 2]
    yield "an empty archive", write_directory([])


def remade(bundle: Bundle, change: Callable[[Parts], None], read_model: Any, key: SigningKey = KEY) -> bytes:
    """A file whose parts were changed by somebody who has the key, with indexes and page made anew."""
    parts = taken_apart(bundle)
    change(parts)
    views = {name: memoryview(content) for name, content in parts.items()}
    contents = read_contents(views, read_model, Faults())
    assert contents is not None
    log = tuple((name, content) for name, content in sorted(parts.items()) if name.startswith("audit/"))
    for name, content in render_parts(contents, _vouched_by(log, bundle.key)).items():
        parts[name] = content
    return signed(parts, key)


def rewrite_log(
    parts: Parts,
    change: Callable[[dict[str, Any]], None],
    verifier: VerifierKey,
    key: SigningKey = KEY,
) -> None:
    """Write the rows anew as a whole log, each changed, under a head of their own and with a seal of these
    parts, as a holder of the key could.
    """
    held = {part: [json.loads(line) for line in parts[part].splitlines()] for part in (ROWS, WRITES, SEAL)}
    for name in [name for name in parts if name.endswith(".tlog-proof")]:
        del parts[name]
    numbers = sorted({row["number"] for rows in held.values() for row in rows})
    anew = {number: place for place, number in enumerate(numbers, start=1)}
    for row in (row for rows in held.values() for row in rows):
        row["number"] = anew[row["number"]]
        change(row)
    for part in (ROWS, WRITES):
        parts[part] = _lines(held[part])
    [seal] = held[SEAL]
    sums = [
        f"{hash_part(content)}  {name}" for name, content in parts.items() if name not in {SUMS, SIGNATURE}
    ]
    seal["after"] = describe_sealed(json.loads(parts["bundle.json"])["format"], sums)
    parts[SEAL] = _lines(held[SEAL])
    leaf_of = {row["number"]: hash_of_row(row) for rows in held.values() for row in rows}
    leaves = [leaf_of[place] for place in range(1, len(numbers) + 1)]
    head = sign_checkpoint(Checkpoint(verifier.name, len(leaves), compute_root(leaves)), key)
    parts[HEAD] = head.encode()
    for row in (*held[ROWS], seal):
        spans = list_inclusion_spans(row["number"] - 1, len(leaves))
        path = [compute_root(leaves[span.start : span.end]) for span in spans]
        parts[name_proof_part(row["number"])] = InclusionProof(row["number"] - 1, path, head).text.encode()
    proof = json.loads(parts[WRITE_PROOF])
    proof["events"] = {str(anew[int(number)]): hashes for number, hashes in proof["events"].items()}
    outside = list_outside_spans([row["number"] - 1 for row in held[WRITES]], len(leaves))
    proof["log"] = [compute_root(leaves[span.start : span.end]).hex() for span in outside]
    parts[WRITE_PROOF] = write_canonical_json(proof) + b"\n"


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(write_canonical_json(row) + b"\n" for row in rows)


@lru_cache(maxsize=4)
def _vouched_by(log: tuple[tuple[str, bytes], ...], key: VerifierKey) -> TrustResult:
    """What the log of a bundle vouches for, whose parts most changes leave as they are."""
    return verify_audit({name: memoryview(content) for name, content in log}, key, Faults())
