"""A link is where a record opens in the web app; an address is where something else is found.

A link is a path until the edge puts the service's address before it. An address may lead elsewhere.
"""

from typing import Final

API_PREFIX: Final = "/api/v1"
"""What the path of every operation begins with; it carries the version of the interface."""


class Link:
    """The path of a page, beginning with a slash. No dataclass, for those have a JSON form of their own."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def below(self, base_url: str) -> str:
        """The whole link, when the service answers at this address."""
        return base_url + self.path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)


class ResourceAddress(Link):
    """A path of the service, or the whole address of something outside of it."""

    __slots__ = ()

    def below(self, base_url: str) -> str:
        return super().below(base_url) if self.path.startswith("/") else self.path
