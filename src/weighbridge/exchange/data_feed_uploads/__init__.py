"""Uploads: the files that came to data feeds, and what became of each.

In comes a file, or an earlier upload whose file is to be taken again; out go a task that stores its rows,
counts, and every bad row. Read `records`, `actions`, then `tasks`, which has `feeding` do the work.
Permission: data collection.
"""
