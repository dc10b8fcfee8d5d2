"""What the page of values over time shows: which series over which range, their values and their slots.

Read in this order: `series.py` (the values of one series), `ranges.py` (ranges by name and beside one
another), `chosen_series.py` (what an address asks for), `slot_strips.py` (what became of expected slots).
"""
