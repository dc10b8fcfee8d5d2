"""Foreign texts made up by what they reach in the code: request bodies, models, expressions, tables.

`readers.py` has what reads each of them, `corpus/` the texts to begin with, `__main__.py` makes up others,
guided by coverage. A text may be read or refused; anything else is a mistake of the reader.
"""
