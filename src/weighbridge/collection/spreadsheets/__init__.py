"""The asset spreadsheet: all assets of a project as one file, out and in."""
