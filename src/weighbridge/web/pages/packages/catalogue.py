"""The catalogue: packages that ship with the service and those of the account, with search and upload."""

from dataclasses import dataclass
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.packages.methodology_packages import (
    create_methodology_package,
    list_library_packages,
    list_methodology_packages,
)
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

PATH: Final = "/methodology_packages"

OF_ACCOUNT, OF_LIBRARY = "package", "library"
"""What a chosen package is found by: its number in the account, or its name in the library."""

PACKAGES_SHOWN: Final = "200"
"""Packages of the account that are looked through."""


@dataclass(frozen=True, slots=True)
class OfferedPackage:
    """A package as a row of the catalogue."""

    name: str
    version: str
    title: str
    about: str
    publisher: str
    licence: str
    signature: str
    documents: list[str]
    """The titles of the documents that it was written from."""
    measures: list[str]
    """The names of the event types that it brings."""
    number: int | None
    """That of the package in the account; None for one of the library that was not taken yet."""

    @property
    def choice(self) -> str:
        """How a form says which package is chosen."""
        return f"{OF_LIBRARY}:{self.name}" if self.number is None else f"{OF_ACCOUNT}:{self.number}"

    def has_words(self, words: list[str]) -> bool:
        """Whether all of some words are somewhere in what it says."""
        texts = (self.name, self.title, self.about, self.publisher, *self.documents, *self.measures)
        text = "\n".join(texts).lower()
        return all(word in text for word in words)


async def list_offered(visit: Visit) -> list[OfferedPackage]:
    """The packages of the account, and those of the library that it has not taken."""
    page_of = (("page_size", PACKAGES_SHOWN), ("sort", "name"))
    own = (await visit.ask(list_methodology_packages, page_of)).data
    library = (await visit.ask(list_library_packages)).data
    return [
        *(
            OfferedPackage(
                one.name, one.version, one.title, one.about, one.publisher, one.licence,
                one.signature.sentence, one.documents, one.measures, one.id,
            )
            for one in own
        ),
        *(
            OfferedPackage(
                one.name, one.version, one.title, one.about, "Weighbridge", one.licence,
                "The package ships with this service.", one.documents, one.measures, None,
            )
            for one in library
            if one.package_id is None
        ),
    ]  # fmt: skip


async def catalogue(visit: Visit) -> View:
    """The packages that contain the words that were typed, or all."""
    words = visit.asked("words").lower().split()
    offered = [one for one in await list_offered(visit) if one.has_words(words)]
    return view(
        "packages/catalogue.html", "Methodology packages", call=PATH, offered=offered,
        words=visit.asked("words"), path=PATH,
    )  # fmt: skip


@form(
    PATH,
    permission="production_accounting:write",
    error_page=catalogue,
    upload_form=create_methodology_package.operation.form,
)
async def send_package(visit: Visit) -> Redirect:
    """Take a file as a package, or one of the library by its name."""
    if visit.file is not None:
        made = await visit.keep(create_methodology_package)
    elif name := visit.text("name"):
        made = await visit.do(create_methodology_package, {"methodology_package": {"name": name}})
    else:
        raise Invalid([Problem("Select a file.", "file", "required")])
    return Redirect(f"{PATH}/{made.id}")


PAGES = [
    *page(PATH, permission="production_accounting:read", of=list_methodology_packages)(catalogue),
    *send_package,
]
