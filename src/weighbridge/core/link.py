"""A link is where a record opens in the web app.

It is a path until the edge puts the service's address before it.
"""


class Link:
    """The path of a page, beginning with a slash. No dataclass, for those have a JSON form of their own."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)
