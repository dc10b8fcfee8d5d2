"""Markdown of a package is shown as a page, and nothing of it is executed or fetched."""

import re

import pytest
from lxml import html
from tests.given import packages

from weighbridge.web.display.markdown import BRACKETS_MAX, COLUMNS_MAX, LINES_MAX, TEXT_MAX, render_markdown

ALLOWED = {
    "a", "blockquote", "br", "code", "div", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


def elements(text):
    """The elements of what is shown."""
    shown = html.fragment_fromstring(str(render_markdown(text)), create_parent="section")
    return [one for one in shown.iter() if one is not shown]


def test_headings_lists_tables_and_links_are_shown():
    shown = str(
        render_markdown(
            "# Title\n\nTwo *words*:\n\n- one\n- `two`\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n"
            "See [the rule](https://example.org/rule)."
        )
    )

    assert "<h3>Title</h3>" in shown
    assert "<em>words</em>" in shown
    assert "<li><code>two</code></li>" in shown.replace("\n", "").replace("<p>", "").replace("</p>", "")
    assert '<div class="table" tabindex="0" role="region" aria-label="Table"><table>' in shown
    assert "<td>2</td>" in shown
    assert '<a href="https://example.org/rule" rel="noopener noreferrer nofollow">the rule</a>' in shown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<table onmouseover=alert(1)><tr><td>1",
        "<!-- --> <![CDATA[ <script> ]]> <?php ?> <!DOCTYPE html>",
        "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#115;cript:alert(1))",
        "[a](data:text/html;base64,PHNjcmlwdD4=) [b](vbscript:x) [c](file:///etc/passwd)",
        "[a](/projects) [b](//evil.example/) [c](?x=1) [d](\\\\evil.example)",
        '[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)> <https://e.example/"onclick=alert(1)>',
        '[a](https://e.example/"onclick="alert(1) \'title" onclick="alert(1)\')',
        "![a](https://e.example/x.png) ![b](javascript:alert(1))",
        "```html onclick=alert(1)\n</code></pre><script>alert(1)</script>\n```",
        "`<script>`\n\n    <script>alert(1)</script>",
        "> " * 9_000 + "<script>",
        "- " * 9_000 + "x",
        "[" * BRACKETS_MAX + "x" + "]" * BRACKETS_MAX,
        "*a **b " * 2_000,
        "|a" * COLUMNS_MAX + "|\n" + "|-" * COLUMNS_MAX + "|\n" + "|b\n" * (LINES_MAX - 2),
    ],
)
def test_nothing_of_a_hostile_text_is_an_element_that_does_something(text):
    assert len(text) <= TEXT_MAX
    for one in elements(text):
        assert one.tag in ALLOWED, html.tostring(one)
        assert not [name for name in one.attrib if name.startswith("on") or name in {"src", "style"}]
        if one.tag == "a":
            assert re.match("https?://", one.get("href"))
            assert one.get("rel") == "noopener noreferrer nofollow"


@pytest.mark.parametrize(
    "text",
    [
        "# " + "x" * TEXT_MAX,
        "- x\n" * (LINES_MAX + 1),
        "[" * (BRACKETS_MAX + 1),
        "|a" * (COLUMNS_MAX + 2) + "\n" + "|-" * (COLUMNS_MAX + 2),
    ],
)
def test_what_would_take_long_to_read_is_shown_as_it_was_written(text):
    [shown] = elements(text + "<b>")

    assert (shown.tag, shown.text) == ("pre", text + "<b>")


@pytest.mark.parametrize("name", sorted(one.name for one in packages.LIBRARY.iterdir() if one.is_dir()))
def test_the_pages_of_the_library_are_shown_as_pages(name):
    shown = elements(packages.shipped(name)["pages.md"].decode())

    assert shown[0].tag == "h3"
    assert "pre" not in {one.tag for one in shown}
