"""The asset spreadsheet: all assets of a project as one file, out and in.

In comes the text of a CSV file, out go created and changed assets, or every problem by its line. Read
`spreadsheet.py` for the form of the file, `checking.py` for what an asset must be like, `exchange.py` for
how both become statements.
"""
