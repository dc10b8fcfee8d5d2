"""The distribution of trials as a picture: columns, and below them the intervals that are compared.

A table beside it has the same numbers; the picture says in words what it shows.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.records.uncertainty_runs import TrialHistogram
from weighbridge.web.display.charts import element, label, picture

WIDTH: Final = 600
COLUMNS_HEIGHT: Final = 120
ROW_HEIGHT: Final = 22
"""The height of the line of one interval, with its name."""

NamedInterval = tuple[str, Decimal, Decimal]
"""What an interval is called, and its ends."""


def draw_histogram(histogram: TrialHistogram, intervals: Sequence[NamedInterval], *, alt_text: str) -> Markup:
    """Draw a histogram with intervals below it, all on one scale."""
    low = min(histogram.edges[0], *(start for _, start, _ in intervals))
    high = max(histogram.edges[-1], *(end for _, _, end in intervals))
    span = Fraction(high - low) or Fraction(1)

    def place(value: Decimal) -> Fraction:
        return Fraction(value - low) / span * WIDTH

    most = max(histogram.counts, default=0) or 1
    parts = []
    for index, count in enumerate(histogram.counts):
        start, end = place(histogram.edges[index]), place(histogram.edges[index + 1])
        height = Fraction(count * COLUMNS_HEIGHT, most)
        parts.append(
            element(
                "rect", x=start, y=COLUMNS_HEIGHT - height, width=max(end - start, Fraction(1)),
                height=height, class_="remaining",
            )
        )  # fmt: skip
    for row, (name, first, last) in enumerate(intervals):
        top = COLUMNS_HEIGHT + 8 + row * ROW_HEIGHT
        left, right = place(first), place(last)
        parts.append(
            element("rect", x=left, y=top, width=max(right - left, Fraction(1)), height=4, class_="drawn")
        )
        parts.append(label(name, left, top + 15))
    whole = COLUMNS_HEIGHT + 8 + len(intervals) * ROW_HEIGHT
    return picture(WIDTH, whole, parts, alt_text=alt_text)
