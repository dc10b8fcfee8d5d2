"""The commands of the command line, a file for each.

A file has `register(app)`, which adds its command with the help text, and imports what is slow to import
inside the command, so that `weighbridge --help` is quick. Commands that print data have `--json`.
"""
