"""Records of collection: the data structures of its interface.

`projects` describes projects and what they name, `data_points` describes event types and data points,
and `events` describes events with their evidence and rule results.
"""
