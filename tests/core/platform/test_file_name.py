"""Names of files: what they say, and that every system takes them."""

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.file_name import BYTES_MAX, describe_query, name_file

MOMENT = datetime(2026, 3, 1, 10, 15, tzinfo=UTC)
TAKEN_BY_WINDOWS = re.compile(
    r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)', re.IGNORECASE
)


def test_a_name_says_project_what_filters_and_time():
    filters = describe_query(
        [
            ("filter[slug][eq]", "delivery"), ("filter[start_time][geq]", "2026-01-01T00:00:00Z"),
            ("tracking_id", "LOT-7"), ("sort", "-id"), ("page_size", "20"), ("response_mode", "summary"),
        ]
    )  # fmt: skip

    friendly = "exp_5ddcb7c47918819ac458b979"
    name = name_file("csv", "Plant North", "events", *filters, moment=MOMENT, friendly=friendly)

    assert name == (
        "plant-north_events_slug-delivery_start-time-from-2026-01-01_tracking-id-lot-7"
        "_20260301T101500Z_c458b979.csv"
    )


def test_letters_of_any_script_stay_and_all_else_becomes_a_hyphen():
    assert (
        name_file("zip", "Anlage Süd/2: „Öl“", "木炭", moment=MOMENT)
        == "anlage-süd-2-öl_木炭_20260301T101500Z.zip"
    )
    assert name_file("csv", None, "", "???", moment=MOMENT) == "20260301T101500Z.csv"


@given(st.lists(st.text(max_size=300), max_size=4), st.text(max_size=40))
def test_every_system_takes_every_name(parts, friendly):
    name = name_file("parquet", *parts, moment=MOMENT, friendly=friendly.replace("/", ""))

    assert len(name.encode()) <= BYTES_MAX
    assert name[0] not in ".-_"
    assert not TAKEN_BY_WINDOWS.search(name)
    assert name.endswith(".parquet")
