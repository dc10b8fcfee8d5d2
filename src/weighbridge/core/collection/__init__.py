"""Rules of what is collected, each file by itself.

`correction` says which of several values is in force, and its states; `custom_field` and `spreadsheet` what
assets carry and how it is written in a file; `evidence` and `file_type` what may stand behind an event.
"""
