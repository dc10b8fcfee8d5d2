"""Exports: lists as files.

In comes a list that is asked for with `response_mode=summary_with_export`, out goes a file of all its rows,
for 24 hours. Read `routes`, then `tasks`, which make the file.
"""
