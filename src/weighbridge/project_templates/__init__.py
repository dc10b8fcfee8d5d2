"""What a new project may begin with: event types, models with their test cases, and ledgers.

Each template is one YAML file; the documents of its models are in `models/`. Everything in it is what the
interface takes, and its operations create it. The demonstration begins with the same.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import yaml

BIOCHAR: Final = "biochar"
"""The template of the demonstration."""

TEMPLATES: Final = ("stored-carbon", BIOCHAR)
"""The templates by the names of their files, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class TemplateLedger:
    """A ledger, and the file of the model that credits it."""

    name: str
    unit: str
    model: str


@dataclass(frozen=True, slots=True)
class ProjectTemplate:
    """What a project begins with."""

    slug: str
    name: str
    about: str
    """What it is for, in a sentence or two."""
    event_types: Sequence[Mapping[str, Any]]
    """Event types as `POST /projects/{id}/event_types` takes them."""
    ledgers: Sequence[TemplateLedger]
    """From the source down: a model draws only on ledgers before its own."""


@cache
def read_template(slug: str) -> ProjectTemplate:
    """Return a template by its name; KeyError for one that is not offered."""
    if slug not in TEMPLATES:
        raise KeyError(slug)
    content = yaml.safe_load(files(__package__).joinpath(f"{slug}.yaml").read_text(encoding="utf-8"))
    ledgers = tuple(TemplateLedger(**ledger) for ledger in content["ledgers"])
    return ProjectTemplate(slug, content["name"], content["about"], tuple(content["event_types"]), ledgers)


def read_model(name: str) -> str:
    """Return the document of a model by the name of its file."""
    return files(__package__).joinpath("models", name).read_text(encoding="utf-8")


def model_file(name: str) -> AbstractContextManager[Path]:
    """Return the document of a model as a file."""
    return as_file(files(__package__).joinpath("models", name))
