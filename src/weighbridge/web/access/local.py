"""A local address is a path of this service, and nothing that a browser would read as another site's."""

from typing import Final

LENGTH_MAX: Final = 2_000
"""Characters of an address to come back to, at most."""


def is_local(text: str) -> bool:
    """Whether a text is the path of a page here: one slash, then no slash, backslash or control character."""
    return (
        text.startswith("/")
        and len(text) <= LENGTH_MAX
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
        and "\\" not in text
    )
