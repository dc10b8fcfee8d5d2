"""What was compiled of a template is kept for the next process, and never used for another text."""

import sys

import pytest
from jinja2 import DictLoader, Environment

from weighbridge.web.framework.rendering import CompiledTemplates


@pytest.fixture
def rendered(tmp_path, monkeypatch):
    """Renders a text as a new process does, with what others kept in the folder of the test."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def render(text):
        made = Environment(
            loader=DictLoader({"page.html": text}),
            autoescape=True,
            bytecode_cache=CompiledTemplates(tmp_path),
        )
        return made.get_template("page.html").render(name="Ada")

    return render


def test_what_was_compiled_is_used_by_the_next_process(rendered, tmp_path):
    assert rendered("Hello {{ name }}") == "Hello Ada"
    [kept] = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"Hello ", b"Salut "))

    assert rendered("Hello {{ name }}") == "Salut Ada"


def test_another_text_is_compiled_anew(rendered):
    rendered("Hello {{ name }}")

    assert rendered("Good day {{ name }}") == "Good day Ada"


@pytest.mark.parametrize("length", [0, 10, 40, 100])
def test_what_was_kept_in_part_is_compiled_anew(rendered, tmp_path, length):
    rendered("Hello {{ name }}")
    [kept] = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:length])

    assert rendered("Hello {{ name }}") == "Hello Ada"


def test_where_nothing_can_be_kept_each_process_compiles_for_itself(rendered, tmp_path):
    tmp_path.rmdir()
    tmp_path.write_text("a file where the folder should be")

    assert rendered("Hello {{ name }}") == "Hello Ada"


def test_nothing_is_kept_where_python_keeps_nothing_either(rendered, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert rendered("Hello {{ name }}") == "Hello Ada"
    assert [*tmp_path.iterdir()] == []
