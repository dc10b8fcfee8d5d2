"""The commands of the command line, a file for each.

`contents.py` names the function of each command, and `app.py` imports its file when the command is called. A
file imports what is slow to import inside the command. Commands that print data have `--json`.
"""
