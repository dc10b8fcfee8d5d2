"""A balance over time has one step for each month, as high as what was there, below the line when short."""

import re
from decimal import Decimal

from weighbridge.web.display.charts import STEPS_HEIGHT, steps


def test_the_highest_month_has_the_whole_height_and_half_of_it_half():
    drawn = steps([("Jan", Decimal(2), "2 t"), ("Feb", Decimal(4), "4 t")], alt_text="balance")

    assert re.findall(r'height="([\d.]+)" class="level"', drawn) == [
        str(STEPS_HEIGHT // 2),
        str(STEPS_HEIGHT),
    ]
    assert "<title>4 t</title>" in drawn


def test_what_is_short_hangs_from_the_line():
    drawn = steps([("Jan", Decimal(3), "3 t"), ("Feb", Decimal(-1), "short")], alt_text="balance")

    [base] = re.findall(r'y1="([\d.]+)"', drawn)
    assert f'y="{base}" width="54" height="30" class="level short"' in drawn
    assert base == "91"


def test_nothing_at_all_is_a_line():
    assert 'class="base"' in steps([("Jan", Decimal(0), "0 t")], alt_text="balance")
