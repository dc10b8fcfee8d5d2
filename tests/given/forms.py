"""Forms as a browser without scripts has them: what stands in the fields of a page, to be sent again."""

from collections.abc import Sequence
from html.parser import HTMLParser

from tests.server import Answer


class _FormReader(HTMLParser):
    """Reads the form that sends to an address; of buttons it takes none."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
        self.is_inside = False
        self.fields: dict[str, str] = {}
        self.text: str | None = None
        self.select: tuple[str, list[tuple[str, bool]]] | None = None

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.is_inside = said.get("action") == self.action
        elif self.is_inside and tag == "input" and "name" in said:
            is_box = said.get("type") in {"checkbox", "radio"}
            if not is_box or "checked" in said:
                self.fields[said["name"]] = said.get("value", "on" if is_box else "")
        elif self.is_inside and tag == "textarea":
            self.text = said["name"]
            self.fields[self.text] = ""
        elif self.is_inside and tag == "select":
            self.select = (said["name"], [])
        elif tag == "option" and self.select is not None:
            self.select[1].append((said.get("value", ""), "selected" in said))

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.fields[self.text] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_inside = False
        elif tag == "textarea":
            self.text = None
        elif tag == "select" and self.select is not None:
            name, options = self.select
            chosen = [value for value, is_selected in options if is_selected] or [options[0][0]]
            self.fields[name], self.select = chosen[-1], None


def typed_in(answer: Answer, action: str) -> dict[str, str]:
    """What stands in the form of a page that sends to an address, by the names of its fields."""
    reader = _FormReader(action)
    reader.feed(answer.text)
    return reader.fields
