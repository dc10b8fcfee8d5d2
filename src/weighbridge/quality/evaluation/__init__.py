"""Evaluating rules over records, at once or as data change."""
