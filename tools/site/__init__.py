"""The guide as a site: what `make site` builds of `docs/`, and the service has at /guide.

In come the Markdown files that the package brings along; out goes a folder of pages with a search that needs
no other host. `source.py` makes the generator's input of them, `build.py` runs the generator; `theme/` is how
the pages look. Decision 49 says why it is Sphinx.
"""
