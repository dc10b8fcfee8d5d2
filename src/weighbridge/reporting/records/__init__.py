"""Records of reporting: the data structures of its interface.

`registries` describes registries and methodologies; `reports` describes reports and what became of them;
`submissions` describes what is sent; `links` describes links that open a report. Nothing here reads the
database.
"""
