"""The model document: read from YAML, stored as versions, validated against a project, and activated.

Read `yaml_text`, then `stored` (stored versions, and what a project has of the things that they name),
then `validation`.
"""
