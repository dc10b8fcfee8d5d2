"""What a workbook costs its reader grows with its parts, whatever little of it comes over the network."""

import time
from pathlib import Path

import pytest
from tests.given.workbooks import MAIN, sheet, text, workbook

from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.table import CsvFile

SECONDS_MAX = 2.0
HEADER = [text("start_time"), text("mass")]
LAST_COLUMNS = "".join(f'<row r="{line}"><c r="XFD{line}"><v>1</v></c></row>' for line in range(2, 3_002))

ONE_STYLE = '<xf numFmtId="200"/>'
FORM = "[a]" * 8_000
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="200" formatCode="{FORM}"/></numFmts>'
    f"<cellXfs>{ONE_STYLE * 40_000}</cellXfs></styleSheet>"
)

COSTLY = {
    "many styles of one long form": workbook(sheet([HEADER]), {"xl/styles.xml": STYLES}),
    "rows of one cell in the last column": workbook(
        sheet([HEADER]).replace("</sheetData>", f"{LAST_COLUMNS}</sheetData>")
    ),
}


@pytest.mark.parametrize("content", COSTLY.values(), ids=COSTLY)
def test_a_small_workbook_is_read_in_little_time(tmp_path: Path, content: bytes):
    file = tmp_path / "log.xlsx"
    file.write_bytes(content)
    began = time.thread_time()

    with open_table(CsvFile(file)) as table:
        header, rows = table.header, sum(1 for _ in table.rows)

    assert header == ["start_time", "mass"]
    assert rows in {0, 3_000}
    assert time.thread_time() - began < SECONDS_MAX
