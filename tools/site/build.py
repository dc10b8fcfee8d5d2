"""Runs Sphinx over the source: every warning, such as that of a link that leads nowhere, is a problem."""

import io
import shutil
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.util.console import nocolor

from tools.site.source import DOCS, START, write_source
from tools.site.words import WordsAndTimes, words_of_others
from weighbridge import __version__

ROOT: Final = Path(__file__).parents[2]
SITE: Final = ROOT / "src" / "weighbridge" / "http" / "static" / "site"
"""Where the package has the site; it is part of a wheel that is built afterwards, and of no commit."""

_TOKENS: Final = ROOT / "src" / "weighbridge" / "web" / "static" / "tokens.css"
_UNUSED: Final = ("_sources", "objects.inv", ".buildinfo", "genindex.html")

_CONFIGURATION: Final[dict[str, Any]] = {
    "project": "Weighbridge",
    "version": __version__,
    "release": __version__,
    "extensions": ["myst_parser"],
    "root_doc": START.removesuffix(".md"),
    "html_theme": "theme",
    "html_title": "Weighbridge guide",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_domain_indices": False,
    "html_use_index": False,
    "myst_heading_anchors": 6,
    # Sphinx notes in its process what it has registered, and a second site there is no mistake.
    "suppress_warnings": ["misc.highlighting_failure", "app.add_node", "app.add_directive", "app.add_role"],
    "language": "en",
}


def build(folder: Path, docs: Path = DOCS) -> list[str]:
    """Build the site into a folder, in place of what is there; gives what is wrong with the documents."""
    said = io.StringIO()
    nocolor()
    with TemporaryDirectory() as working, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # between the generator and its reader
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        work = Path(working)
        write_source(work / "source", docs)
        theme = work / "themes" / "theme"
        shutil.copytree(Path(__file__).parent / "theme", theme)
        shutil.copy(_TOKENS, theme / "static")
        generator = Sphinx(
            str(work / "source"),
            None,
            str(work / "site"),
            str(work / "doctrees"),
            "html",
            confoverrides={
                **_CONFIGURATION,
                "html_theme_path": [str(work / "themes")],
                "html_context": {"other_words": words_of_others(docs)},
            },
            status=None,
            warning=said,
            freshenv=True,
        )
        generator.add_search_language(WordsAndTimes)
        generator.connect("html-page-context", _with_pages)
        generator.build()
        for page in (work / "site").rglob("*.html"):
            page.write_text(_for_everybody(page.read_text()))
        for name in _UNUSED:
            path = work / "site" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work / "site", folder)
        text = said.getvalue().replace(str(work / "source"), "docs")
    return [line for line in text.splitlines() if line.strip()]


def _with_pages(generator: Sphinx, _page: str, _template: str, context: dict[str, Any], _: object) -> None:
    """Tell a page of all pages, by the headings below which they stand.

    What the generator has for this takes longer than all else together: it copies each heading of each page.
    """
    titles = generator.env.titles
    context["guide"] = [
        (one["caption"], [(name, titles[name].astext()) for _, name in one["entries"]])
        for one in generator.env.master_doctree.findall(toctree)
    ]


def _for_everybody(page: str) -> str:
    """A page without headings that have no level, and in which what scrolls can have the focus."""
    page = page.replace('<p class="caption" role="heading">', '<p class="caption">')
    return page.replace("<pre>", '<pre tabindex="0">').replace("<table ", '<table tabindex="0" ')
