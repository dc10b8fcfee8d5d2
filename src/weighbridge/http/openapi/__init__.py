"""The interface describes itself: an OpenAPI document made from the endpoints, and a page that shows it.

The endpoints as they declare themselves (`http/endpoints/`) come in; the document and the page go out. Read
`document.py` first, then `parameters.py`, `schemas.py` and `answers.py` for its parts, `page.py`, and
`site.py`, the guide at /guide, last.
"""
