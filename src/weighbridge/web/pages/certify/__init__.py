"""Pages of mappings to Isometric Certify.

Read in this order: `offered.py` (what is chosen from: the registry's records and ours), `rows.py` (samples,
sensors and time series as rows), `entries.py` (what was chosen, as the contents of a mapping, and the other
way round), `mappings.py` (the pages).
"""
