"""The form of a bundle: the archive, its tables, and the one way in which each row is written.

In comes a content; out come parts and rows, or the sentence why they are none. Read `archive`, `text_form`,
`rows`, `tables`, then `lineage` and `events`; `fault` is what does not hold.
"""
