"""Makes the parts of the Python and the TypeScript client that follow from the OpenAPI document.

In: the document that the service serves. Out: `records.py`, `operations.py` and `groups.py` of
`weighbridge.client`, and the files of `clients/typescript/src/made`. Read `types.py` first, then the three
files named after what they make, and `typescript.py`.
"""
