"""Rules of what is collected, each file by itself.

`correction` determines which of several values is in force, and its states; `custom_field` has what assets
may carry, `evidence` which files may support an event, `data_feed` how files are read, and `capture` what a
capture rate is.
"""
