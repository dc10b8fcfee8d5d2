"""The reference of the model language, made from the tables that the engine itself uses.

Out goes one page of Markdown. Read `page`, then `examples`, what its examples are computed with.
"""
