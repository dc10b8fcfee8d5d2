"""The model document: read, checked against a project, described, compared, made active.

In comes YAML text; out go a model of the core, or flaws with line and column. Read `yaml_text`, then
`surroundings` (what the project has of what the document names) and `validation`; `schema`, `comparison` and
`activation` stand by themselves; `reach` says which versions a static input reaches.
"""
