"""The web app: pages for people, rendered on the server over the handlers of the interface.

A page is a function at a path. It calls operations of the interface (`visit.ask`, `visit.do`) without HTTP,
with the permissions of the person who signed in, and names a template. Each folder imports only those below
it:

- `pages`: the pages, by what they show; `contents.py` lists them, and `records.py` opens any other record
- `forms`: forms made from the types that the interface takes
- `framework`: the decorators of pages, the visit with its session, lists and rendering; read `page.py`, then
  `visit.py`
- `display`: figures, times, pictures as SVG and formulas as MathML, as pure functions
"""
