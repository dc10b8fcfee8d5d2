"""The web app: pages for people, rendered on the server over the same queries and actions as the interface.

A page is a function behind a path that asks operations of the interface (`visit.ask`, `visit.do`) and
names a template; it never goes over HTTP, and has the permissions of whoever has signed in. Read `page.py`
first: the decorators `page` and `form` and what one request goes through; `visit.py` is what a function gets.

Around it are `session.py` (whose cookie), `arrival.py` (what was typed, and files), `crossing.py` (forms come
from our own pages), `answer.py` (pages on their way out, with their headers), `refusals.py` (refusals as
pages), `rendering.py` (templates),
`assets.py` (styles and scripts under hashed names), `frame.py` (rail, project, counts), `listing.py` (filters
and pages of a list), `as_data.py` (`.json`, `.csv`) and `notice.py` (what was just done).

`showing/` writes figures and times, `drawing/` pictures as SVG and formulas as MathML, all of them pure
functions. The areas have their pages in folders of their own: `access/` `overview/` `data/` `models/`
`rules/` `records/`; `contents.py` lists them all. What has no page of its own gets a plain one from
`records/`, so that every record opens, and is typed in by `forms/`. `guidance.py` finds the operation and the
guide that help with a page.
"""
