"""What happens to a package on its way: changed bytes are refused, and changed meanings do not pass the check
unless they are among those that no check of the package alone can find.
"""

import random
import re
from pathlib import Path

import pytest

from weighbridge.packages.checking import check_package
from weighbridge.packages.contents import PackageError, build, read_built, read_folder
from weighbridge.packages.reading import read_package

LIBRARY = Path(__file__).parents[2] / "packages"
NAME = "stationary-combustion"
CONTENTS = read_folder(LIBRARY / NAME)
BUILT = build(CONTENTS).content

CHANGED_BYTES = 200


def find_flaws(contents):
    return check_package(read_package(read_built(build(contents).content))).flaws


@pytest.mark.parametrize("seed", range(CHANGED_BYTES))
def test_a_package_with_one_changed_byte_is_refused(seed):
    chosen = random.Random(seed)  # noqa: S311 - which byte
    changed = bytearray(BUILT)
    place = chosen.randrange(len(changed))
    changed[place] ^= chosen.randrange(1, 256)

    with pytest.raises(PackageError):
        read_built(bytes(changed))


def list_changes(pattern, change):
    """Every change of one occurrence in the models: the file, and its text with the change."""
    for name, content in CONTENTS.items():
        text = content.decode()
        for found in re.finditer(pattern, text) if name.startswith("models/") else ():
            new = change(found[0])
            assert new != found[0]
            yield name, text[: found.start()] + new + text[found.end() :], found[0]


def with_another_last_digit(text):
    return text[:-1] + str((int(text[-1]) + 1) % 10)


CHANGES = {
    "a factor": list_changes(r"constant: [0-9.]+", with_another_last_digit),
    "a unit": list_changes(r"unit: (?:kg|t)(?=\{)", lambda text: text[:6] + "g"),
    "an operator": list_changes(r"(?<=[a-z]) [*] (?=[a-z])", lambda _: " / "),
    "what a case expects": list_changes(r"(?<=      )[a-z_]+: [0-9.]+(?=\n)", with_another_last_digit),
    "what a case begins with": list_changes(r"inputs: \{[a-z]+: [0-9]+", with_another_last_digit),
    "the section of a number": list_changes(r"source: cfr-98-[ac], Table [AC]-1", lambda text: f"{text}0"),
    "the document of a number": list_changes(r"source: cfr-98-[ac]", lambda text: f"{text}x"),
}
FOUND = [(kind, *change) for kind, changes in CHANGES.items() for change in changes]


def test_enough_changes_of_meaning_are_tried():
    assert len(FOUND) >= 50
    assert {kind for kind, *_ in FOUND} == set(CHANGES)


@pytest.mark.parametrize(
    ("name", "text"),
    [change[1:3] for change in FOUND],
    ids=[f"{kind} {name} {old}" for kind, name, _, old in FOUND],
)
def test_a_change_of_meaning_in_a_model_is_found_by_its_cases_or_sources(name, text):
    flaws = find_flaws({**CONTENTS, name: text.encode()})

    assert name in {flaw.file for flaw in flaws}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sources.yaml", "14 May 2024", "14 May 2023"),
        ("models/gas-by-volume.yaml", "Table C-1, natural gas", "Table C-2, natural gas"),
        ("pages.md", "tier 1", "tier 2"),
        ("event_types.yaml", 'unit: "ft^3"', 'unit: "m^3"'),
        ("package.yaml", "version: 1.1.0", "version: 1.2.0"),
    ],
)
def test_what_no_check_of_a_package_alone_can_find_changes_its_sums(name, old, new):
    text = CONTENTS[name].decode()
    changed = {**CONTENTS, name: text.replace(old, new, 1).encode()}

    assert old in text
    assert find_flaws(changed) == ()
    assert build(changed).sha256 != build(CONTENTS).sha256
