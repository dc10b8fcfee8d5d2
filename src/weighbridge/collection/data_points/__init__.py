"""Data points: the measured values of events.

A data point has no row of its own; it is a position in its event's row, and its id says which. What was
captured there never changes; corrections stand beside it, and the one in force is its value.
Permission: data collection.
"""
