"""Pages of mappings to Isometric Certify.

Read in this order: `offered.py` (what is chosen from: the registry's records and ours), `entries.py` (what
was chosen, as the contents of a mapping), `mappings.py` (the pages).
"""
