"""Data points: the measured values of events.

A data point has no row of its own; it is a position in its event's row, and its id says which.
Permission: data collection.
"""
