"""Every code that the source gives to a problem stands in the catalogue, and nothing else stands there."""

import ast
import re

from tests.architecture.source import files

from weighbridge.core.problem import CODES

CODE_AT = {"Problem": 2, "DocumentFlaw": 3, "refuse": 2, "note": 2}
"""Who is given a code, and at which position when it is not named."""

WORD = re.compile(r"[a-z]+(_[a-z]+)*")


def said() -> set[tuple[str, str]]:
    """Each code that a call gives as a literal, with the file."""
    found = set()
    for file in files():
        for call in (node for node in file.nodes() if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            at = CODE_AT.get(name, len(call.args))
            given = [*call.args[at : at + 1], *(one.value for one in call.keywords if one.arg == "code")]
            found |= {
                (one.value, file.path)
                for one in given
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    return found


def test_every_code_is_in_the_catalogue():
    unlisted = sorted((code, path) for code, path in said() if code not in CODES)

    assert not unlisted
    assert len(said()) > 100


def test_every_code_of_the_catalogue_is_a_word_that_the_source_has():
    text = "\n".join(file.text for file in files() if file.path != "core/error_code/")

    assert not [code for code in CODES if not WORD.fullmatch(code)]
    assert not [code for code in CODES if f'"{code}"' not in text]


def test_every_code_says_what_it_means_and_what_to_do():
    for code, entry in CODES.items():
        assert entry.meaning.endswith("."), code
        assert entry.remedy.endswith("."), code
