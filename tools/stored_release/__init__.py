"""What a released version leaves behind for those that follow: its data, its steps, its interface.

`make stored-release` writes `tests/durability/stored/VERSION/` before the tag is set: the database of the
demonstration with one record of each kind (`records.py`), its evidence files and the key of its audit log,
what the interface said of them (`answers.py`), the OpenAPI document, and the SHA-256 of every step of the
database. Tests start each later version on these data (`durability/test_released_data.py`) and hold its steps
against those that were released (`migrations/test_additive.py`). Read `__main__.py` first.
"""
