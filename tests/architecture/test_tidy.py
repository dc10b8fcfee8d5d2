"""The habits of the house, as tests: each failure names the place and the habit."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.source import AREAS, ROOT, File, Noun, files, nouns, verbs

FUNCTION_LINES_MAX = 50
FILE_LINES_MAX = 700
"""A file is one idea that reads from top to bottom; most have 200 to 500 lines."""
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "service"}

CLOCKS = {
    ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today"),
    ("Instant", "now"), ("time", "time"), ("time", "time_ns"),
}  # fmt: skip
CLOCK_PLACES: tuple[str, ...] = (
    "http/limits.py",
    "agent/readings.py",
    "commands/record_commands.py",
)
"""Files that may ask what time it is. The database's clock dates what is stored; a rate limit stores no
date, and has to tell its callers when a minute begins before it asks the database anything. The edge agent
runs beside a plant, where there is no database, and dates what arrives there; `yesterday` is that of the
machine at which somebody says it."""


TESTS_OF_VERBS = (
    "tests/{noun.area}/**/test_*.py",
    "tests/{noun.area}/named_records/*.py",
    "tests/contract/**/*.py",
    "tests/durability/*.py",
)


def test_no_function_is_longer_than_a_screen():
    long = [
        f"{file.path}:{node.lineno} {node.name} has {length} lines, over {FUNCTION_LINES_MAX}"
        for file in files()
        for node in file.nodes()
        if not file.made
        and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]

    assert not long, "\n".join(long)


def test_no_file_is_longer_than_a_reader_keeps_in_mind():
    long = [
        f"{file.path} has {length} lines, over {FILE_LINES_MAX}"
        for file in files()
        if not file.made and (length := file.text.count("\n")) > FILE_LINES_MAX
    ]

    assert not long, "\n".join(long)


def test_no_module_has_a_name_that_fits_anything():
    vague = [
        f"{file.path} is named for nothing that it holds"
        for file in files()
        if VAGUE_NAMES.intersection(file.path.removesuffix(".py").split("/"))
    ]

    assert not vague, "\n".join(vague)


def test_every_file_says_what_it_is():
    silent = [
        f"{file.path} opens without a docstring"
        for file in files()
        if file.tree.body and not ast.get_docstring(file.tree)
    ]

    assert not silent, "\n".join(silent)


def test_only_the_named_places_ask_what_time_it_is():
    asked = [
        f"{file.path}:{node.lineno} asks the clock; pass the time in, or let the database say now()"
        for file in files()
        if not file.stands_in(*CLOCK_PLACES)
        for node in file.nodes()
        if isinstance(node, ast.Attribute) and (_name(node.value), node.attr) in CLOCKS
    ]

    assert not asked, "\n".join(asked)


def test_only_the_database_layer_commits():
    commits = [
        f"{file.path}:{node.lineno} commits; only db.write() does"
        for file in files()
        if not file.stands_in("db/*")
        for node in _calls(file)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "commit"
    ]

    assert not commits, "\n".join(commits)


def test_only_commands_print():
    prints = [
        f"{file.path}:{node.lineno} prints; log instead"
        for file in files()
        if not file.stands_in("cli.py", "commands/*")
        for node in _calls(file)
        if _name(node.func) == "print"
    ]

    assert not prints, "\n".join(prints)


FLOATS = (
    *("core/uncertainty/draws.py", "core/uncertainty/float_functions.py"),
    *("core/uncertainty/inverse_distributions.py", "core/uncertainty/sampling.py"),
    *("core/uncertainty/trial_summary.py", "core/expression/trial_values.py"),
    *("core/engine/trial_inputs.py", "core/engine/uncertainty_trials.py"),
    "core/engine/chain_trials.py",
    "reporting/isometric/numbers.py",
)
"""Where trials are computed, and numbers of a registry that keeps doubles: binary floats are allowed here and
nowhere else (decisions 68 and 72)."""


def test_no_binary_float_stands_on_the_path_of_a_number():
    floats = [
        f"{file.path}:{node.lineno} has a binary float; numbers are decimals"
        for file in files()
        if file.stands_in("core/*", *(f"{area}/*" for area in AREAS)) and not file.stands_in(*FLOATS)
        for node in file.nodes()
        if _name(node) == "float" or (isinstance(node, ast.Constant) and isinstance(node.value, float))
    ]

    assert not floats, "\n".join(floats)


def test_every_verb_has_a_test():
    missing = [
        f"{verb} has no {noun.tests}/test_{verb.partition('_')[0]}.py, and no test names it"
        for noun, verb in _verbs()
        if not _has_file(noun, verb) and not _is_named(noun, verb)
    ]

    assert not missing, "\n".join(missing)


def _verbs() -> Iterator[tuple[Noun, str]]:
    """What can be done to each noun."""
    by_path = {noun.path: noun for noun in nouns()}
    for file in files():
        if noun := by_path.get(file.path):
            for verb in verbs(file):
                yield noun, verb


def _has_file(noun: Noun, verb: str) -> bool:
    """Whether a test file is named for the verb: `test_create`, `test_create_events` or `test_events`."""
    action, _, thing = verb.partition("_")
    names = (verb, action, thing)
    return any(next(ROOT.glob(f"tests/{noun.area}/*/test_{name}.py"), None) for name in names)


def _is_named(noun: Noun, verb: str) -> bool:
    """Whether a test says the verb's name; a name of one word counts only as `actions.word`."""
    name = verb if "_" in verb else f"actions.{verb}"
    texts = (path.read_text() for pattern in TESTS_OF_VERBS for path in ROOT.glob(pattern.format(noun=noun)))
    return any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts)


def _calls(file: File) -> Iterator[ast.Call]:
    return (node for node in file.nodes() if isinstance(node, ast.Call))


def _name(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def test_cookies_are_read_in_one_place_which_takes_time_in_step_with_them():
    readers = [
        f"{file.path} reads cookies by another's reader; http/caller.py reads those of the service"
        for file in files()
        if re.search(
            r"\bhttp\.cookies\b|\brequest\.cookies\b|\bconnection\.cookies\b|SimpleCookie", file.text
        )
    ]

    assert not readers, "\n".join(readers)


def test_the_list_of_time_zones_is_gathered_from_its_files_in_one_place():
    gatherers = {file.path for file in files() if "available_timezones" in file.text}

    assert gatherers == {"core/time/calendar.py"}, "use time_zone_names, which reads the files once"
