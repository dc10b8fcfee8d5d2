"""Methodology packages: methodologies as files that an account has, to begin projects with.

A file is checked as a whole in a sandbox before it is kept: every flaw is named, and every case of its models
is computed. A package never changes: another version of it is another record. Packages that ship with the
service are taken into the account by name. Permission: production accounting.

Invariants: the same bytes are kept once; a package that an installation uses stays.
"""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from secrets import token_hex
from typing import Final, LiteralString

import msgspec
from msgspec import structs
from psycopg.sql import SQL, Composable

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core.identity import Link
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid, Refusal
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.http.messages.body import FILE_PART, Form, Upload
from weighbridge.http.messages.operation import Attachment, Files
from weighbridge.packages.contents import PACKAGE_BYTES_MAX
from weighbridge.packages.describing import PackageDescription, describe_package, read_manifest
from weighbridge.packages.reading import PackageManifest
from weighbridge.packages.records import (
    LibraryPackage,
    LibraryPackages,
    MethodologyPackage,
    NewMethodologyPackageBody,
    PackageContents,
    PackageSignature,
)
from weighbridge.packages.requirements import Candidate, list_required, read_candidates
from weighbridge.packages.shipped import find_shipped, is_shipped, read_library
from weighbridge.packages.signatures import Publishers, check_publisher, find_signer, read_publishers
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, number_named, of_account, of_projects
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.sandbox.work import SandboxLimits
from weighbridge.settings import Settings

# Read packages.


PACKAGES: Final = Listing(
    sorts={"id": "p.id", "name": "p.name", "title": "p.title", "created_at": "p.created_at"},
    default_sort="-id",
    key=("p.id",),
    filters={
        "name": Filter("p.name", str, "the name of a package"),
        "publisher": Filter("p.publisher", str, "a publisher"),
    },
)


def _link_page(number: int) -> Link:
    return Link(f"/methodology_packages/{number}")


def _no_signature() -> PackageSignature:
    return PackageSignature("unsigned", None, None, "")


_INSTALLATIONS: Final[LiteralString] = """
    (SELECT count(*) FROM package_installations i
      WHERE i.package_id = p.id
        AND i.project_id IN (SELECT j.id FROM projects j WHERE j.account_id = p.account_id))
"""


_PACKAGE: Final = row_of(
    MethodologyPackage,
    Column("id", "p.id"),
    Column("name", "p.name"),
    Column("version", "p.version"),
    Column("title", "p.title"),
    Column("about", "p.about"),
    Column("licence", "p.licence"),
    Column("publisher", "p.publisher"),
    Column("engine_revision", "p.engine_revision"),
    Column("requires", "p.requires"),
    Column("sha256", "encode(p.file_sha256, 'hex')"),
    Column("size_bytes", "p.size_bytes"),
    Column("documents", "p.documents"),
    Column("measures", "p.measures"),
    Column("signature", (), _no_signature),
    Column("installation_count", _INSTALLATIONS),
    Column("user_id", "p.user_id"),
    Column("created_at", "p.created_at"),
    Column("contents", (), lambda: None),
    Derived("ui_url", ("id",), _link_page),
)
"""Without who signed it, which the operator's file of publishers says, and without its contents."""


_EXACT: Final = msgspec.json.Decoder(float_hook=Decimal)


async def read_package_record(tx: Read, actor: Actor, settings: Settings, text: str) -> MethodologyPackage:
    """One package of the actor's account, with all that it brings; NotFound for any other text."""
    number = number_named("methodology_package", text)
    shown = await find(tx, _PACKAGE, "methodology_packages p", _numbered(actor), (number,))
    [signed] = await sign_records(tx, settings, await _count_seen(tx, actor, [shown]))
    return structs.replace(signed, contents=await read_contents(tx, number))


async def _count_seen(
    tx: Read, actor: Actor, packages: Sequence[MethodologyPackage]
) -> list[MethodologyPackage]:
    """Packages with the number of installations in the projects that the actor sees."""
    if actor.projects is None:
        return [*packages]
    statement = SQL(
        "SELECT package_id, count(*) FROM package_installations WHERE package_id = ANY (%s) AND {} GROUP BY 1"
    ).format(of_projects(actor, "project_id"))
    counts: dict[int, int] = dict(await tx.tuples(statement, ([one.id for one in packages],)))
    return [structs.replace(one, installation_count=counts.get(one.id, 0)) for one in packages]


def _numbered(actor: Actor) -> Composable:
    return SQL("{} AND p.id = %s").format(of_account(actor, "p.account_id"))


async def read_contents(tx: Read, number: int) -> PackageContents:
    """All that a package brings."""
    text: str = await tx.value("SELECT contents FROM methodology_packages WHERE id = %s", (number,))
    return await tx.in_thread(decode_contents, text)


def decode_contents(text: str) -> PackageContents:
    """What was kept of a package, with the digits of its numbers."""
    return msgspec.convert(_EXACT.decode(text), PackageContents)


async def sign_records(
    tx: Read, settings: Settings, records: Sequence[MethodologyPackage]
) -> list[MethodologyPackage]:
    """The same packages with what is known of who signed them."""
    rows = await tx.tuples(
        "SELECT id, signer FROM methodology_packages WHERE id = ANY (%s)", ([one.id for one in records],)
    )
    signers: dict[int, bytes | None] = dict(rows)

    def sign() -> list[MethodologyPackage]:
        publishers = read_publishers(settings.package_publishers)
        return [
            structs.replace(one, signature=_describe_signature(signers[one.id], publishers, one.sha256))
            for one in records
        ]

    return await tx.in_thread(sign)  # files of the operator and of the library are read


def _describe_signature(signer: bytes | None, publishers: Publishers, sha256: str) -> PackageSignature:
    """What is known of who signed a file of this digest."""
    known = find_signer(signer, publishers, is_shipped=is_shipped(sha256))
    return PackageSignature(known.state, known.fingerprint, known.publisher, known.sentence)


# Take packages.


PACKAGE_LIMITS: Final = SandboxLimits(cpu_seconds=60)
"""What checking a package may take."""

PACKAGE_SAID: Final = "The package"
"""How a refusal of a sandbox begins that checks a package."""


@dataclass(frozen=True, slots=True)
class SentPackage:
    """A file that was put into the store for a new package."""

    key: str
    content: bytes
    sha256: bytes


@asynccontextmanager
async def keep_package(store: EvidenceStore, upload: Upload) -> AsyncIterator[SentPackage]:
    """Put a file into the store; it is removed when the block ends with a refusal."""
    if not upload.size:
        raise Invalid([Problem("The file is empty.", FILE_PART, "required")])
    upload.content.seek(0)
    content = await asyncio.to_thread(upload.content.read)
    key = token_hex(KEY_BYTES)
    await store.put_file(key, io.BytesIO(content))
    try:
        yield SentPackage(key, content, upload.sha256)
    except Refusal:
        with suppress(Refusal):
            await store.delete(key)
        raise


async def insert_package(
    tx: Write, files: Files, actor: Actor, settings: Settings, sent: SentPackage
) -> MethodologyPackage:
    """Check a file that is in the store and keep it as a package; the same bytes give what is there."""
    await tx.execute(*locks.hold(locks.methodology_packages(actor.account_id)))
    same = await tx.value(
        "SELECT id FROM methodology_packages WHERE account_id = %s AND file_sha256 = %s",
        (actor.account_id, sent.sha256),
    )
    if same is not None:
        await tx.meanwhile(files.delete(sent.key))
        return await read_package_record(tx, actor, settings, str(same))
    description = await _describe(tx, files, actor, sent.content)
    manifest = description.manifest
    publishers = await tx.in_thread(read_publishers, settings.package_publishers)
    problems = [
        *await _check_taken(tx, actor, manifest),
        *_check_signature(description, publishers),
    ]
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO methodology_packages (account_id, name, version, title, about, licence, publisher,
                                          engine_revision, requires, file_sha256, size_bytes, storage_key,
                                          signer, contents, user_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            actor.account_id, manifest.name, manifest.version, manifest.title, manifest.about,
            manifest.licence, manifest.publisher, manifest.engine_revision, jsonb(dict(manifest.requires)),
            sent.sha256, len(sent.content), sent.key, description.signer, description.contents,
            actor.user_id,
        ),
    )  # fmt: skip
    made = await read_package_record(tx, actor, settings, str(number))
    changes.record(
        tx, actor, action="methodology_package.create", target=str(number),
        after=structs.replace(made, contents=None),
    )  # fmt: skip
    return made


async def _describe(tx: Write, files: Files, actor: Actor, content: bytes) -> PackageDescription:
    """What a package says, checked with the packages that it needs."""
    manifest = await tx.meanwhile(
        read_apart(actor.account_id, PACKAGE_SAID, PACKAGE_LIMITS, read_manifest, content)
    )
    root = Candidate(0, manifest.name, manifest.version, b"", manifest.requires)
    required = list_required(root, await read_candidates(tx, actor), {})
    contents = [await read_file(tx, files, one.id) for one in required]
    return await tx.meanwhile(
        read_apart(actor.account_id, PACKAGE_SAID, PACKAGE_LIMITS, describe_package, content, contents)
    )


async def read_file(tx: Write, files: Files, number: int) -> bytes:
    """The file of a package."""
    [(key, size, sha256)] = await tx.tuples(
        "SELECT storage_key, size_bytes, file_sha256 FROM methodology_packages WHERE id = %s", (number,)
    )
    with await tx.meanwhile(files.get(key, size, sha256)) as spool:
        return await asyncio.to_thread(spool.read)


async def _check_taken(tx: Read, actor: Actor, manifest: PackageManifest) -> list[Problem]:
    if not await tx.value(
        "SELECT true FROM methodology_packages WHERE account_id = %s AND name = %s AND version = %s",
        (actor.account_id, manifest.name, manifest.version),
    ):
        return []
    message = (
        f"The account has version {manifest.version} of {manifest.name} already, with another content; a"
        " package that changes has another version."
    )
    return [Problem(message, FILE_PART, "taken")]


def _check_signature(description: PackageDescription, publishers: Publishers) -> list[Problem]:
    signer = find_signer(description.signer, publishers)
    sentence = check_publisher(signer, description.manifest.publisher)
    return [] if sentence is None else [Problem(sentence, FILE_PART, "wrong_publisher")]


async def take_from_library(call: WriteCall, name: str) -> MethodologyPackage:
    """Take a package that ships with the service into the account."""
    shipped = await call.tx.in_thread(find_shipped, name)
    if shipped is None:
        known = ", ".join(one.manifest.name for one in read_library())
        message = f"methodology_package.name is {shorten(name)!r}; packages that ship here are {known}."
        raise Invalid([Problem(message, "methodology_package.name", "unknown")])
    content, key = shipped.built.content, token_hex(KEY_BYTES)
    await call.tx.meanwhile(call.files.put_file(key, io.BytesIO(content)))
    sent = SentPackage(key, content, bytes.fromhex(shipped.built.sha256))
    try:
        return await insert_package(call.tx, call.files, call.actor, call.settings, sent)
    except Refusal:
        with suppress(Refusal):
            await call.files.delete(key)
        raise


# Paths of packages.


_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"
_PATH: Final = "/methodology_packages"
_ONE: Final = f"{_PATH}/{{methodology_package_id}}"
_ZIP: Final = "application/zip"
_FORM: Final = Form(
    file_bytes_max=PACKAGE_BYTES_MAX,
    file="A package as `weighbridge package build` builds it (ZIP).",
    texts={},
    wrapping="methodology_package",
    received=keep_package,
)


@get(_PATH, permission=_READ, returns=Page[MethodologyPackage], listing=PACKAGES, spans_projects=True)
async def list_methodology_packages(call: ReadCall) -> Page[MethodologyPackage]:
    """List the account's methodology packages, the newest first; what they bring is in each by itself."""
    request = list_request(call.query, PACKAGES)
    owned = [of_account(call.actor, "p.account_id")]
    page = await read_page(call.tx, _PACKAGE, PACKAGES, request, source="methodology_packages p", where=owned)
    packages = await _count_seen(call.tx, call.actor, page.data)
    return Page(await sign_records(call.tx, call.settings, packages), page.info)


@get("/library_packages", permission=_READ, returns=LibraryPackages, spans_projects=True)
async def list_library_packages(call: ReadCall) -> LibraryPackages:
    """List the methodology packages that ship with the service, and whether the account has taken them."""
    shipped = await call.tx.in_thread(read_library)
    rows = await call.tx.tuples(
        "SELECT encode(file_sha256, 'hex'), id FROM methodology_packages WHERE account_id = %s",
        (call.actor.account_id,),
    )
    taken: dict[str, int] = dict(rows)
    return LibraryPackages(
        [
            LibraryPackage(
                one.manifest.name, one.manifest.version, one.manifest.title, one.manifest.about,
                one.manifest.licence, [*one.documents], [*one.measures],
                one.built.sha256, taken.get(one.built.sha256),
            )
            for one in shipped
        ]
    )  # fmt: skip


@post(
    _PATH,
    permission=_WRITE,
    body=NewMethodologyPackageBody,
    form=_FORM,
    returns=MethodologyPackage,
    example={"methodology_package": {"name": "stationary-combustion"}},
)
async def create_methodology_package(
    call: WriteCall, new: NewMethodologyPackageBody | SentPackage
) -> MethodologyPackage:
    """Take a methodology package into the account: a file, or by name one that ships with the service.

    A file is sent as multipart/form-data. It is checked whole, and every flaw is named with its file, line
    and column; every case of its models is computed. The same bytes again answer the package that is there. A
    package is data: nothing in it is executed.
    """
    if isinstance(new, SentPackage):
        return await insert_package(call.tx, call.files, call.actor, call.settings, new)
    return await take_from_library(call, new.methodology_package.name)


@get(_ONE, permission=_READ, returns=MethodologyPackage, spans_projects=True)
async def get_methodology_package(call: ReadCall) -> MethodologyPackage:
    """Read one methodology package with all that it brings: sources, models with their cases, and records."""
    return await read_package_record(call.tx, call.actor, call.settings, call.path["methodology_package_id"])


@get(f"{_ONE}/content", permission=_READ, sends=(_ZIP,), spans_projects=True)
async def download_methodology_package(call: ReadCall) -> Attachment:
    """Download the file of a methodology package, the very bytes that were uploaded."""
    number = number_named("methodology_package", call.path["methodology_package_id"])
    package = await find(call.tx, _PACKAGE, "methodology_packages p", _numbered(call.actor), (number,))
    key: str = await call.tx.value("SELECT storage_key FROM methodology_packages WHERE id = %s", (number,))
    return Attachment(
        name=f"{package.name}-{package.version}.zip",
        media_type=_ZIP,
        size=package.size_bytes,
        read=partial(call.files.get, key, package.size_bytes, bytes.fromhex(package.sha256)),
    )


@delete(_ONE, permission=_WRITE)
async def delete_methodology_package(call: WriteCall) -> None:
    """Remove a methodology package that is installed in no project."""
    number = number_named("methodology_package", call.path["methodology_package_id"])
    await call.tx.execute(
        "SELECT FROM methodology_packages WHERE account_id = %s AND id = %s FOR UPDATE",
        (call.actor.account_id, number),
    )
    before = await find(call.tx, _PACKAGE, "methodology_packages p", _numbered(call.actor), (number,))
    if before.installation_count:
        message = (
            f"{before.name} {before.version} is installed in {before.installation_count} projects; remove it"
            " there, or upgrade it, first."
        )
        raise Invalid([Problem(message, code="in_use")])
    await call.tx.execute("DELETE FROM methodology_packages WHERE id = %s", (number,))
    changes.record(
        call.tx, call.actor, action="methodology_package.delete", target=str(number), before=before
    )


ROUTES = [
    list_methodology_packages,
    create_methodology_package,
    list_library_packages,
    get_methodology_package,
    download_methodology_package,
    delete_methodology_package,
]
