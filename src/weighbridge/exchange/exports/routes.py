"""Paths of exports."""

from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Final

from weighbridge.accounting.batches.queries import LEDGER_BATCHES, list_ledger_batches
from weighbridge.accounting.batches.records import Batch
from weighbridge.accounting.ledgers.queries import ledger_to_read
from weighbridge.core.platform.export_format import MEDIA_TYPES, ExportFormat
from weighbridge.core.platform.permission import ANY
from weighbridge.db.engine import Read
from weighbridge.db.listing import Page, list_request
from weighbridge.exchange.export_rows.records import Query, RecordTable
from weighbridge.exchange.exports import queries
from weighbridge.exchange.exports.records import Export, ExportResult
from weighbridge.http import wire
from weighbridge.http.access.linked import LinkCall, Linked
from weighbridge.http.arrival.upload import SPOOL_BYTES
from weighbridge.http.attachment import Attachment, Spool
from weighbridge.http.endpoint import ReadCall, by_link, get

_ONE: Final = "/exports/{export_id}"


@get(_ONE, permission=ANY, returns=Export, task_results={"export": ExportResult})
async def get_export(call: ReadCall) -> Export:
    """Read one export; poll it until it is completed, which it stays for 24 hours.

    Its file is asked for with `response_mode=summary_with_export` on a list. It takes the permission to read
    that list.
    """
    return await queries.get_export(call.tx, call.actor, call.path["export_id"])


@by_link(
    _ONE + "/download",
    query={queries.KEY: "What stands in the `download_url` of the export."},
    sends=tuple(MEDIA_TYPES.values()),
)
async def download_export(call: LinkCall) -> Linked:
    """Download the file of an export by the address that `download_url` says, for 24 hours."""
    stored = await queries.export_behind(call.tx, call.path["export_id"], call.query.get(queries.KEY, ""))
    assert stored.storage_key is not None, "a file that is there is kept"  # noqa: S101
    assert stored.size is not None, "a file that is there has a size"  # noqa: S101
    assert stored.sha256 is not None, "a file that is there has a digest"  # noqa: S101
    return Linked(
        stored.account,
        Attachment(
            name=f"{call.path['export_id']}.{stored.format}",
            media_type=MEDIA_TYPES[stored.format],
            size=stored.size,
            read=partial(call.files.get, stored.storage_key, stored.size, stored.sha256),
        ),
    )


@get(
    "/ledgers/{ledger_id}/batches.csv",
    permission="production_accounting:read",
    computes=True,
    sends=(MEDIA_TYPES[ExportFormat.CSV],),
)
async def download_ledger_batches(call: ReadCall) -> Attachment:
    """Download the batches of one ledger as CSV, oldest first.

    Texts that a spreadsheet would compute begin with an apostrophe.
    """
    ledger = ledger_to_read(call.tx, call.actor, call.path["ledger_id"])

    async def read(tx: Read, query: Query) -> Page[Batch]:
        request = list_request(query, LEDGER_BATCHES)
        return await list_ledger_batches(tx, ledger.project, ledger.key, request)

    table = RecordTable(Batch, read, (), wire.encoder(call.settings.address))
    spool = SpooledTemporaryFile[bytes](max_size=SPOOL_BYTES)
    try:
        async for block in table.csv(call.tx, guards=True):
            spool.write(block)
    except BaseException:
        spool.close()
        raise
    size = spool.tell()
    spool.seek(0)
    return Attachment(
        name=f"{call.path['ledger_id']}-batches.csv",
        media_type=MEDIA_TYPES[ExportFormat.CSV],
        size=size,
        read=partial(_ready, spool),
    )


async def _ready(spool: Spool) -> Spool:
    return spool


ROUTES = [get_export, download_export, download_ledger_batches]
