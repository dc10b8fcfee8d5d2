"""Assets: the equipment of a project, such as kilns, trucks and meters, by which events are tagged.

An asset has a name that is unique in its project and values for the project's custom fields. It is kept one
by one or as a spreadsheet. Permission: data collection.
"""
