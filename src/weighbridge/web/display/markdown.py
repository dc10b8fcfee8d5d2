"""Markdown of others as HTML: headings, lists, tables, emphasis, code and links to other sites.

Invariants: no HTML, image or script of the text comes through; a link leads to a site by http or https; what
would take long to read is shown as it was written.
"""

from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

TEXT_MAX: Final = 20_000
"""Characters of a text in Markdown that is shown as pages are; a longer one is shown as it was written."""

LINES_MAX: Final = 500
"""Lines of a text in Markdown that is shown as pages are."""

COLUMNS_MAX: Final = 30
"""Columns of its tables."""

BRACKETS_MAX: Final = 500
"""Brackets in it, each of which may begin a link."""

_HEADINGS_BELOW: Final = 2
"""By how many levels its headings are below those of the page."""


def render_markdown(text: str) -> Markup:
    """A text in Markdown as HTML; preformatted where it is too long or too involved."""
    if not _is_plain(text):
        return Markup('<pre class="long">{}</pre>').format(text)
    reader = _MarkdownReader()
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + _HEADINGS_BELOW, 6)}"
        for one in token.children or ():
            if one.type == "link_open":
                one.attrSet("rel", "noopener noreferrer nofollow")
    # What the reader writes of a text is escaped, for HTML in it counts as text.
    html = reader.renderer.render(tokens, reader.options, {})
    for tag, replacement in _TABLES:
        html = html.replace(tag, replacement)
    return Markup(html)  # noqa: S704


_TABLES: Final = (
    ("<table>", '<div class="table" tabindex="0" role="region" aria-label="Table"><table>'),
    ("</table>", "</table></div>"),
)


def _is_plain(text: str) -> bool:
    """Whether reading a text takes little, whatever it says."""
    lines = text.splitlines()
    return (
        len(text) <= TEXT_MAX
        and len(lines) <= LINES_MAX
        and text.count("[") <= BRACKETS_MAX
        and all(line.count("|") <= COLUMNS_MAX + 1 for line in lines)
    )


class _MarkdownReader(MarkdownIt):
    """Reads Markdown without HTML and images, and with links to other sites alone."""

    def __init__(self) -> None:
        super().__init__("js-default", {"html": False, "linkify": False})
        self.disable("image")

    def validateLink(self, url: str) -> bool:  # noqa: N802 - so the reader calls it
        """Whether an address is one of a site."""
        return url.lower().startswith(("https://", "http://"))
