"""Export all assets of a project as a spreadsheet, and import one.

Invariants: a file is imported as a whole or not at all. An asset is changed by one line at most. An
export is one snapshot, and no transaction stays open while a client reads it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from weighbridge.collection.named_records import spreadsheet
from weighbridge.collection.named_records.nouns import ASSETS, assets_behind, locked_assets, value_types
from weighbridge.collection.named_records.spreadsheet import CONTENT, SheetLine, merge_change
from weighbridge.collection.records.projects import Asset, AssetImport
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.db.engine import Read, Write
from weighbridge.db.statements import canonical, canonical_sha256
from weighbridge.errors import Invalid
from weighbridge.http.messages.body import SPOOL_BYTES
from weighbridge.http.messages.operation import Attachment, Spool
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import name_download
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.sandbox.work import SandboxLimits

SPREADSHEET_LIMITS: Final = SandboxLimits(memory_bytes=536_870_912, cpu_seconds=20)
"""What reading a spreadsheet of assets may take: 512 MB, and 20 seconds of a processor."""

_ROWS_AT_ONCE = 1_000
"""Assets that are held in memory while a spreadsheet is written."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """An asset as a line of a spreadsheet wants it, and the asset that is there, unless it is to be made."""

    line: SheetLine
    there: Asset | None
    before: Mapping[str, Any]
    desired: Mapping[str, Any]


async def export_assets(tx: Read, project: int) -> Attachment:
    """Write the assets of a project to a file."""
    types = await value_types(tx, project)
    spool: Spool = SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - whoever sends it closes it
    spool.write(spreadsheet.MARK + spreadsheet.write_lines([spreadsheet.write_header(types)]))
    last = 0
    while assets := await assets_behind(tx, project, last, _ROWS_AT_ONCE):
        rows = [spreadsheet.write_cells(asset, types) for asset in assets]
        spool.write(spreadsheet.write_lines(rows))
        last = identity.number("asset", assets[-1].id, project)
    size = spool.tell()
    spool.seek(0)

    async def read() -> Spool:
        return spool

    name = await name_download(tx, project, "csv", "assets")
    return Attachment(name, f"{spreadsheet.MEDIA_TYPE}; charset=utf-8", size, read)


async def import_assets(tx: Write, actor: Actor, project: int, text: str) -> AssetImport:
    """Make and change assets as a spreadsheet says, all of it or nothing."""
    types = dict(await value_types(tx, project))
    reading = read_apart(
        actor.account_id, "The spreadsheet", SPREADSHEET_LIMITS, spreadsheet.read, text, types
    )
    lines, problems = await tx.meanwhile(reading)
    asset_changes, of_assets = await _changes(tx, project, lines)
    problems += of_assets
    renamed = [
        change for change in asset_changes if change.there and change.desired["name"] != change.before["name"]
    ]
    held = None
    if renamed and not problems:
        held = await staleness.hold_off_generations(tx, project)
        fixed = await ASSETS.fixed_names(tx, held, _numbers(project, renamed))
        message = "renames an asset whose name batches depend on"
        numbered = zip(renamed, _numbers(project, renamed), strict=True)
        problems += [
            change.line.problem("name", message, "in_use") for change, number in numbered if number in fixed
        ]
    if problems:
        ordered = sorted(problems, key=lambda problem: _read_line_number(problem.field))
        raise Invalid(limit_problems(ordered, spreadsheet.PROBLEMS_MAX))
    result, summary = await _store(tx, project, text, asset_changes)
    if result.created or result.updated:
        target = f"{result.created + result.updated} assets"
        changes.record(
            tx, actor, held, action="asset.import", target=target, project_id=project, after=summary
        )
    return result


async def _changes(
    tx: Write, project: int, lines: Sequence[SheetLine]
) -> tuple[list[LineChange], list[Problem]]:
    """What the lines want of which assets, and what is wrong with that."""
    numbers = [identity.number("asset", line.id, project) for line in lines if line.id is not None]
    names = [line.change["name"] for line in lines if "name" in line.change]
    there = await locked_assets(tx, project, numbers, names)
    by_id = {asset.id: asset for asset in there}
    by_name = {asset.name: asset for asset in there}
    asset_changes: list[LineChange] = []
    problems: list[Problem] = []
    for line in lines:
        if line.id is not None and line.id not in by_id:
            problems.append(
                line.problem("id", f"is {line.id!r}, which is no asset of the project", "unknown")
            )
            continue
        asset = by_id[line.id] if line.id is not None else by_name.get(line.change["name"])
        before = _BLANK if asset is None else {name: getattr(asset, name) for name in CONTENT}
        asset_changes.append(LineChange(line, asset, before, merge_change(before, line.change)))
    return asset_changes, [*problems, *_conflicts(asset_changes, by_name)]


def _conflicts(asset_changes: Sequence[LineChange], by_name: Mapping[str, Asset]) -> Iterator[Problem]:
    """Lines that name one asset, and names that two assets would have."""
    first_of_asset: dict[str, int] = {}
    first_of_name: dict[str, int] = {}
    renamed = {
        change.there.id
        for change in asset_changes
        if change.there and change.there.name != change.desired["name"]
    }
    for change in asset_changes:
        name, line = change.desired["name"], change.line
        if change.there and (first := first_of_asset.setdefault(change.there.id, line.number)) != line.number:
            column = "name" if line.id is None else "id"
            yield line.problem(column, f"names the asset of line {first:,} a second time", "taken")
        elif (first := first_of_name.setdefault(name, line.number)) != line.number:
            yield line.problem("name", f"is {name!r}, as in line {first:,}", "taken")
        elif (holder := by_name.get(name)) and holder != change.there and holder.id not in renamed:
            yield line.problem("name", f"is {name!r}, which another asset of the project has", "taken")


async def _store(
    tx: Write, project: int, text: str, asset_changes: Sequence[LineChange]
) -> tuple[AssetImport, dict[str, object]]:
    """Write the assets; gives what came of it, and what the audit row says of it."""
    new = [change for change in asset_changes if change.there is None]
    altered = [change for change in asset_changes if change.there and change.desired != change.before]
    numbers = _numbers(project, altered)
    # Changes come first: a new asset may take a name that another one gives up.
    await tx.execute(
        """
        UPDATE assets a
           SET name = sent.name, asset_type = sent.asset_type, serial_number = sent.serial_number,
               description = sent.description, custom_values = sent.custom_values::jsonb, updated_at = now()
          FROM unnest(%s::integer[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
               AS sent (id, name, asset_type, serial_number, description, custom_values)
         WHERE a.project_id = %s AND a.id = sent.id
        """,
        (numbers, *_columns(altered), project),
    )
    made = await tx.tuples(
        """
        INSERT INTO assets (project_id, name, asset_type, serial_number, description, custom_values)
        SELECT %s, name, asset_type, serial_number, description, custom_values::jsonb
          FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[]) WITH ORDINALITY
               AS sent (name, asset_type, serial_number, description, custom_values, place)
         ORDER BY place
        RETURNING id
        """,
        (project, *_columns(new)),
    )
    summary: dict[str, object] = {
        "created": [identity.of("asset", project, number) for (number,) in made],
        "updated": [identity.of("asset", project, number) for number in numbers],
        "sha256": canonical_sha256(text),
    }
    return AssetImport(len(new), len(altered), len(asset_changes) - len(new) - len(altered)), summary


def _columns(asset_changes: Sequence[LineChange]) -> Iterator[list[str | None]]:
    """The values of each column, custom fields as JSON."""
    for name in CONTENT:
        values = [change.desired[name] for change in asset_changes]
        yield [canonical(value).decode() for value in values] if name == "custom_fields" else values


_BLANK: Final[Mapping[str, Any]] = {**dict.fromkeys(CONTENT), "custom_fields": {}}


def _numbers(project: int, asset_changes: Sequence[LineChange]) -> list[int]:
    """The numbers of the assets that are there."""
    return [identity.number("asset", change.there.id, project) for change in asset_changes if change.there]


def _read_line_number(field: str | None) -> int:
    """The number of the line in `lines[12].name`."""
    return int((field or "lines[0]").partition("[")[2].partition("]")[0])
