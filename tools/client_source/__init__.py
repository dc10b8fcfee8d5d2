"""Makes the parts of the Python client that follow from the OpenAPI document.

In: the document that the service serves. Out: `records.py`, `operations.py` and `groups.py` of
`weighbridge.client`. Read `types.py` first, then the three files named after what they make.
"""
