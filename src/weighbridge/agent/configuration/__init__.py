"""Configuration: the one YAML file of an agent, checked as a whole.

Read `records.py` first, which is the file as types: what may stand there, what it means, which values it
takes. `yaml_text.py` reads the text with its lines, `reading.py` makes records of it and collects every
problem, `meaning.py` finds what no part alone tells, `credentials.py` reads tokens and passwords from where
they are kept, `reference.py` makes the reference page of the same types.
"""
