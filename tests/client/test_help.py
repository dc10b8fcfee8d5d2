"""The client shows itself: signatures and docstrings of every operation, the same for both clients."""

import inspect
import pydoc
from collections.abc import Awaitable
from typing import get_args, get_origin

import pytest
from tests.client.test_operations import DOCUMENT
from tools.client_source import types

from weighbridge.client import AsyncClient, Client
from weighbridge.client.calls import Call
from weighbridge.client.flows import AsyncTaskHandle, TaskHandle, choose_progress, is_notebook
from weighbridge.client.made import operations
from weighbridge.client.pages import Listing
from weighbridge.client.walking import AsyncPages, Pages

WAITING = Client("http://127.0.0.1:1", token="x")  # noqa: S106 - nobody is asked
AWAITING = AsyncClient("http://127.0.0.1:1", token="x")  # noqa: S106
OPERATIONS = {(one.tag, one.verb): one for one in types.operations(DOCUMENT)}


def methods(client, kind, verb):
    return getattr(getattr(client, kind), verb)


@pytest.mark.parametrize(("kind", "verb"), sorted(OPERATIONS))
def test_an_operation_has_its_arguments_and_docstring_on_both_clients(kind, verb):
    function = getattr(operations, f"{kind}_{verb}")
    for client in (WAITING, AWAITING):
        method = methods(client, kind, verb)
        told = pydoc.render_doc(method, renderer=pydoc.plaintext)
        shown = inspect.signature(method)

        assert shown.parameters == inspect.signature(function).parameters
        assert inspect.getdoc(method) == inspect.getdoc(function)
        assert f"{OPERATIONS[kind, verb].method} {OPERATIONS[kind, verb].path}" in told
        assert f"{verb}(" in told
        assert all(name in told for name in shown.parameters)


@pytest.mark.parametrize(("kind", "verb"), sorted(OPERATIONS))
def test_what_one_client_gives_the_other_gives_to_be_awaited(kind, verb):
    made = inspect.signature(getattr(operations, f"{kind}_{verb}")).return_annotation
    waited, awaited = (
        inspect.signature(methods(client, kind, verb)).return_annotation for client in (WAITING, AWAITING)
    )

    if get_origin(made) is Listing:
        assert (get_origin(waited), get_origin(awaited)) == (Pages, AsyncPages)
        assert get_args(waited) == get_args(awaited) == get_args(made)
    else:
        assert get_origin(awaited) is Awaitable
        assert (waited, *get_args(awaited)) in {
            (*get_args(made), *get_args(made)),
            (TaskHandle, AsyncTaskHandle),
        }
        assert get_origin(made) is Call


def test_both_clients_and_their_lists_and_tasks_have_the_same_methods():
    for one, other in ((Client, AsyncClient), (Pages, AsyncPages), (TaskHandle, AsyncTaskHandle)):
        ours, theirs = (
            {
                name: [*inspect.signature(method).parameters]
                for name, method in inspect.getmembers(each, callable)
                if not name.startswith("_")
            }
            for each in (one, other)
        )
        assert ours == theirs


def test_help_on_a_method_names_what_it_gives():
    told = pydoc.render_doc(WAITING.projects.create, renderer=pydoc.plaintext)

    assert "create(*, name: str," in told
    assert "-> weighbridge.client.made.records.Project" in told
    assert "name: What people call it, such as `Plant North`." in told


def test_help_on_a_kind_of_record_lists_its_operations():
    told = pydoc.render_doc(WAITING.projects, renderer=pydoc.plaintext)

    for verb in ("create", "get", "list", "update"):
        assert f"{verb} = projects_{verb}(" in told
    assert {"create", "get", "list", "update"} <= {*dir(WAITING.projects)}


def test_a_line_of_progress_is_shown_in_notebooks_and_to_those_who_ask():
    seen = []

    assert is_notebook({"ipykernel": None})
    assert not is_notebook({"weighbridge": None})
    assert choose_progress(progress=False) is None
    assert choose_progress(progress=True) is not None
    assert choose_progress(seen.append) == seen.append
