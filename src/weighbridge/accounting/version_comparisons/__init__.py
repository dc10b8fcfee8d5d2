"""Version comparisons: what a version of a model would have come to over a past period, against another.

Both versions are planned by the one plan of generation over the data as they are now, as if each were the
active one and replaced what was generated; nothing is written. Permission: production accounting.
"""
