"""The model document: read, checked against a project, described, compared, made active."""
