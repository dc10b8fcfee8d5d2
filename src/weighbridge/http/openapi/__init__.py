"""The interface describes itself: an OpenAPI document made from the endpoints, and a page that shows it.

In come the endpoints as they declare themselves (`http/endpoints/`); out go the document and the page.
Read `document.py` first, then `parameters.py`, `schemas.py` with `meanings.py` and `answers.py` for its
parts, `page.py`, `guides.py` and `site.py`, the guide at /guide, last.
"""
