"""What a run on a cluster leaves out is there, and is part of what it is asked for."""

import re

from tests.architecture.source import ROOT
from tests.left_out import LEFT_OUT, is_left_out, sentences


def asked():
    """The folders and files that `make test-citus` runs when it is not told otherwise."""
    [found] = re.findall(r"^ON_A_NODE = ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return [word for word in found.split() if word != "\\"]


def test_every_test_that_is_left_out_is_there_and_was_asked_for():
    for named in LEFT_OUT:
        file, _, test = named.partition("::")

        assert f"def {test}(" in (ROOT / file).read_text() if test else (ROOT / file).is_file(), named
    assert len(sentences(asked())) == len(LEFT_OUT)


def test_what_is_left_out_is_named_with_its_reason():
    [file, *_] = LEFT_OUT

    assert is_left_out(f"{file}::test_anything[3]")
    assert not is_left_out("tests/accounting/batches/test_list.py::test_anything")
    assert sentences([file]) == [f"{file} is left out: {LEFT_OUT[file]}."]
    assert sentences(["tests/web"]) == []
