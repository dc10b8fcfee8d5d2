"""The second checker of bundles, in JavaScript: it finds the same, and calculates the same digits.

In every module of this folder both check each file (`conftest.py`); here is what only the second has.
"""

import io
import json
import random
import re
import subprocess
import zipfile
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.given import bundles, reports
from tests.given.second_checker import SCRIPT, run_second_checker
from tools.stored_release.folders import EVIDENCE, KEY, released

from weighbridge.core.bundle.archive import read_parts
from weighbridge.core.bundle.contents import UNCERTAIN
from weighbridge.core.bundle.tables import TABLES, define_events_table
from weighbridge.core.engine.slot_computation import GivenValues
from weighbridge.core.engine.trials import try_out
from weighbridge.core.expression import names, print_tree
from weighbridge.core.expression.arithmetic import raise_any
from weighbridge.core.expression.parsing import parse
from weighbridge.core.expression.pattern import compile_pattern
from weighbridge.core.model import ModelError, prepare
from weighbridge.core.model.canonical import write_canonical
from weighbridge.core.model.definition import Formula
from weighbridge.core.number import CONTEXT, plain, round_to
from weighbridge.core.signing import SigningKey, VerifierKey
from weighbridge.core.time.calendar import (
    CADENCES,
    EPOCH,
    EVENT,
    Instant,
    Interval,
    count_days,
    find_slot,
    label_slot,
)
from weighbridge.core.uncertainty.quantiles import student_quantile
from weighbridge.core.uncertainty.statement import Percentiles
from weighbridge.core.unit import UnitError, convert, parse_unit
from weighbridge.modelling.documents import read_model

ROOT = Path(__file__).parents[3]
FORMULAS = ROOT / "tests/given/second_checker_formulas.js"
UNITS = ROOT / "src/weighbridge/core/units.tsv"
LEAST_TRIED = 10


@pytest.fixture(scope="module")
def compute(node, tmp_path_factory):
    """Evaluate JavaScript over a list, with the parts of the second checker at hand."""
    folder = tmp_path_factory.mktemp("computing")

    def computed(expression, given):
        (folder / "given.json").write_text(json.dumps(given))
        text = (
            f"require({json.dumps(str(SCRIPT))});"
            f"require({json.dumps(str(FORMULAS))});"
            f"const given = require({json.dumps(str(folder / 'given.json'))}), parts = checkBundle.parts;"
            "const attempt = (one) => { try { return compute(one); } catch (error) { return null; } };"
            f"const compute = (one) => {expression};"
            "console.log(JSON.stringify(given.map(attempt)));"
        )
        (folder / "computing.js").write_text(text)
        words = [node, str(folder / "computing.js")]
        return json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)

    return computed


def some_numbers(count, seed):
    chance = random.Random(seed)  # noqa: S311 - the same numbers in every run
    return [
        Decimal((chance.randrange(2), tuple(map(int, str(chance.randrange(10 ** chance.randrange(1, 35))))),
                 chance.randrange(-40, 10)))
        for _ in range(count)
    ]  # fmt: skip


def attempted(operation, *operands):
    try:
        return plain(operation(*operands))
    except ArithmeticError:
        return None


def test_what_a_released_version_wrote_is_valid(node):
    files = []
    for folder in released():
        key = SigningKey.read((folder / KEY).read_bytes())
        for file in sorted((folder / EVIDENCE).iterdir()):
            if (content := file.read_bytes())[:4] == b"PK\x03\x04":
                head = bytes(read_parts(memoryview(content))["audit/head.checkpoint"]).decode()
                files.append((content, VerifierKey(head.split("\n")[0], key.public)))

    found = run_second_checker(node, files)

    assert [one.faults for one in found] == [[] for _ in files]
    assert all(one.counts["batches"] for one in found)


def test_it_says_what_it_calculated_and_what_it_leaves_open(node, account, api, drain):
    made = bundles.bundle(account, reports.claims(api, drain, 5, 3).report(4, "2.5"))

    [found] = run_second_checker(node, [(made.content, made.key)])

    assert found.faults == []
    assert (found.counts["batches"], found.counts["nodeValues"]) == (2, 2)
    assert [(one["total"], one["included"]) for one in found.runs] == [("5", "4"), ("3", "2.5")]
    assert any(sentence.startswith("report.html") for sentence in found.not_checked)


def test_another_key_opens_nothing(node, account, api, drain):
    made = bundles.bundle(account, reports.claims(api, drain, 5, 3).report(4))
    stranger = VerifierKey(made.key.name, SigningKey.made().public)

    [found] = run_second_checker(node, [(made.content, stranger)])

    assert {"SHA256SUMS.sig", "audit/head.checkpoint"} <= {one.split(":")[0] for one in found.faults}


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\\b", "a"])
def test_a_file_that_means_harm_is_refused_in_a_sentence(node, name):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED if name == "a" else zipfile.ZIP_STORED) as archive:
        archive.writestr(name, b"root" * 1000)
    key = VerifierKey("plant.example/audit_log/1", SigningKey.made().public)

    files = [(content, key) for content in (target.getvalue(), b"", b"PK\x03\x04" + b"\xff" * 40, b"no file")]
    found = run_second_checker(node, files)

    assert [len(one.faults) for one in found] == [1, 1, 1, 1]


def test_it_has_the_table_of_units():
    table = SCRIPT.read_text().partition("UNIT_TABLE = `\n")[2].partition("`;")[0]

    assert table == UNITS.read_text()


def listed_columns():
    """The columns that the page about bundles lists, by part: name, type, whether it is a key."""
    page = (ROOT / "docs/reference/proof-bundle.md").read_text()
    listed = {}
    for part, table in re.findall(r"^\*\*`([^`]+)`\*\*\n\n((?:\|.*\n)+)", page, re.MULTILINE):
        rows = [line.strip("|\n ").split(" | ") for line in table.splitlines()[2:]]
        listed[part] = [
            (name, kind, bool(rest) and rest[0].startswith("key"))
            for names, kind, *rest in rows
            for name in re.findall(r"`([^`]+)`", names)
        ]
    return listed


def test_the_page_lists_every_column_with_its_type(compute):
    def described(table):
        return [
            (one.name, str(one.kind) + "?" * one.is_optional, index < table.keys)
            for index, one in enumerate(table.columns)
        ]

    events = define_events_table("<type>", [])
    expected = {table.part: described(table) for table in TABLES[UNCERTAIN]}
    listed = listed_columns()
    listed["corrections.csv"] = [
        (name, {"from_value": "text?", "to_value": "text"}.get(name, kind), is_key)
        for name, kind, is_key in listed["corrections.csv"]
    ]

    assert listed.pop(events.part) == [*described(events), (".<slug>", "number, text or flag, ?", False)]
    assert listed == expected
    assert compute("parts.listColumns(one)", [*expected]) == [
        [list(one) for one in columns] for columns in expected.values()
    ]


def test_decimals_have_the_same_digits(compute):
    pairs = list(zip(some_numbers(300, 1), some_numbers(300, 2), strict=True))
    operations = {
        "add": CONTEXT.add,
        "subtract": CONTEXT.subtract,
        "multiply": CONTEXT.multiply,
        "divide": CONTEXT.divide,
    }
    given = [[plain(a), plain(b), name] for a, b in pairs for name in operations]

    found = compute("String(parts[one[2]](parts.parseDec(one[0]), parts.parseDec(one[1])))", given)

    assert found == [
        attempted(operation, CONTEXT.plus(a), CONTEXT.plus(b))
        for a, b in pairs
        for operation in operations.values()
    ]  # fmt: skip


def test_functions_of_numbers_have_the_same_digits(compute):
    functions = {
        "squareRoot": CONTEXT.sqrt,
        "exponential": CONTEXT.exp,
        "naturalLog": CONTEXT.ln,
        "commonLog": CONTEXT.log10,
    }
    values = [value for value in some_numbers(150, 3) if value > 0] + [
        value / 10**30 for value in some_numbers(60, 4)
    ]
    values = [CONTEXT.plus(value) for value in values if value]
    given = [[plain(value), name] for value in values for name in functions]

    found = compute("String(parts[one[1]](parts.parseDec(one[0])))", given)

    assert found == [attempted(function, value) for value in values for function in functions.values()]


def test_quantiles_have_the_same_digits(compute):
    chance = random.Random(7)  # noqa: S311 - the same numbers in every run
    tails = [Decimal(repr(chance.choice((0.025, 0.05, chance.uniform(0.001, 0.499))))) for _ in range(100)]
    tails += [Decimal(1).scaleb(-places) for places in range(1, 10)]
    degrees = [None, *(Decimal(repr(10 ** chance.uniform(-1, 8))) for _ in range(40)), Decimal("1e20")]
    pairs = [(tail, chance.choice(degrees)) for tail in tails]

    found = compute(
        "String(parts.findQuantile(parts.parseDec(one[0]), one[1] === null ? null : parts.parseDec(one[1])))",
        [[plain(tail), None if freedom is None else plain(freedom)] for tail, freedom in pairs],
    )

    assert found == [plain(student_quantile(1 - tail, freedom)) for tail, freedom in pairs]


def test_percentiles_have_the_same_deviation(compute):
    chance = random.Random(8)  # noqa: S311 - the same numbers in every run
    keys = ("low", "high", "probability")
    given = [
        [plain(low), plain(low + Decimal(chance.randrange(1, 9999)) / 1000), plain(probability)]
        for low in (Decimal(chance.randrange(1, 9999)) / 100 for _ in range(40))
        for probability in (Decimal("0.95"), Decimal(chance.randrange(1, 999)) / 1000)
    ]

    found = compute(
        'String(parts.findDeviation(new Map(["low", "high", "probability"].map('
        "(name, at) => [name, parts.parseDec(one[at])]))))",
        given,
    )

    made = [Percentiles(**dict(zip(keys, map(Decimal, texts), strict=True))) for texts in given]
    assert found == [plain(percentiles.deviation) for percentiles in made]


def test_powers_and_roundings_have_the_same_digits(compute):
    chance = random.Random(5)  # noqa: S311 - the same numbers in every run
    powers = [
        (abs(value).scaleb(-20), Decimal(chance.randrange(-6400, 6400)) / 100)
        for value in some_numbers(80, 6)
    ]
    powers = [(CONTEXT.plus(base), exponent) for base, exponent in powers]
    modes = ["half_even", "half_up", "half_down", "up", "down", "floor", "ceiling"]
    rounded = [(Decimal(chance.randrange(-9999, 9999)) / 1000, mode) for mode in modes for _ in range(40)]

    by_power = compute(
        "String(parts.raise(...one.map(parts.parseDec)))", [[*map(plain, pair)] for pair in powers]
    )
    by_mode = compute(
        "String(parts.roundTo(parts.parseDec(one[0]), 2, one[1]))",
        [[plain(value), mode] for value, mode in rounded],
    )

    assert by_power == [attempted(raise_any, *pair) for pair in powers]
    assert by_mode == [plain(round_to(value, 2, mode)) for value, mode in rounded]


def test_units_are_read_and_converted_alike(compute):
    names = [line.split("\t")[0].split(" ")[0] for line in UNITS.read_text().splitlines()]
    units = [name for name in names if not name.endswith("-")]
    units += [
        "kg{CO2e}/kWh",
        "m3",
        "1/yr",
        "t{wet}*km",
        "MJ/(m2*d)",
        "m²",
        "%",
        "kilotonnes",
        "ton",
        "kWh^-1",
    ]

    def known(unit):
        try:
            read = parse_unit(unit)
        except UnitError:
            return None
        return " ".join(f"{one.numerator}/{one.denominator}" for one in (read.factor, read.offset))

    found = compute(
        "(({ factor, offset }) => `${factor.n}/${factor.d} ${offset.n}/${offset.d}`)(parts.parseUnit(one))",
        units,
    )
    [heat] = compute(
        'String(parts.convert(parts.parseDec("14.85"), parts.parseUnit("degC"), parts.parseUnit("degF")))',
        [0],
    )

    assert found == [known(unit) for unit in units]
    assert heat == plain(convert(Decimal("14.85"), parse_unit("degC"), parse_unit("degF")))


def documents():
    """The models of this repository that can run."""
    found = []
    for file in sorted([*ROOT.glob("packages/*/models/*.yaml"), *ROOT.glob("examples/*.yaml")]):
        text = file.read_text()
        try:
            found.append((text, read_model(text)))
        except ModelError:
            continue
    return found


def test_models_have_the_same_canonical_text_and_formulas_the_same_tree(compute):
    read = documents()

    found = compute("parts.readModel(one).canonical", [text for text, _ in read])

    assert found == [write_canonical(model) for _, model in read]
    assert len(read) >= LEAST_TRIED


def test_formulas_are_printed_alike(compute):
    formulas = [
        "a+b*-c^2^3", "-(a+b)", "(a-b)-(c-d)", "not (a = 1 or b != 2) and c", "a is not null",
        "x between 1 and (2+3)",
        "f in ('a', \"b'c\")", "lookup(t, col, partition.feedstock, below)", 'to(a, "kg{CO2e}")', "(-a) > b",
        "{{wet-mass}} * 1.50", "a starts  with 'it''s'", "round(a.'b c', -2, half_up)", "NOT a CONTAINS 'x'",
    ]  # fmt: skip

    found = compute("parts.printExpression(parts.parseExpression(one))", formulas)

    assert found == [print_tree(parse(formula)) for formula in formulas]


ZONES = (
    "UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata", "Australia/Lord_Howe", "America/New_York",
    "Africa/Cairo",
)  # fmt: skip


def test_slots_are_cut_and_named_alike_in_every_zone(compute):
    chance = random.Random(7)  # noqa: S311 - the same moments in every run
    changes = [
        "2025-03-30T01",
        "2025-10-26T01",
        "2018-11-04T03",
        "2018-02-18T02",
        "2024-10-05T15",
        "2024-04-26T22",
    ]
    moments = [datetime.fromisoformat(f"{hour}:00:00+00:00") for hour in changes]
    moments = [moment + timedelta(minutes=step) for moment in moments for step in (-90, -30, -1, 0, 30, 61)]
    moments += [EPOCH + timedelta(minutes=chance.randrange(30_000_000)) for _ in range(20)]
    cases = [
        (cadence, moment, zone)
        for zone in ZONES
        for moment in moments
        for cadence in CADENCES
        if cadence != EVENT
    ]

    found = compute(
        "((slot) => [slot.start, slot.end, parts.labelSlot(one[0], slot, one[2]),"
        " String(parts.countDays({ start: one[1], end: slot.end }, one[2]))])(parts.findSlot(...one))",
        [(cadence, _milliseconds(moment), zone) for cadence, moment, zone in cases],
    )

    assert found == [_cut(*case) for case in cases]


def _cut(cadence, moment, name):
    zone = ZoneInfo(name)
    slot = find_slot(cadence, moment, zone)
    days = count_days(Interval(Instant.of(moment), slot.end), zone)
    return [_milliseconds(slot.start), _milliseconds(slot.end), label_slot(cadence, slot, zone), plain(days)]


def _milliseconds(moment):
    return (moment - EPOCH) // timedelta(milliseconds=1)


def test_patterns_match_alike(compute):
    patterns = [
        "^a.c$", "[a-c]{2,3}x?", r"\d+\.\d*", r"[\w-]+@", r"[^\W_]", "(ab|c)+$", "ü|ß",
        r"\S\s\S", "[.^$]", "a,b", r"\[x\]",
    ]  # fmt: skip
    texts = [
        "abc",
        "a\nc",
        "ccx",
        "12.5",
        "wood-7@",
        "_",
        "abab",
        "]a",
        "Grün",
        "a b",
        "a\x1cb",
        "^",
        "a,b",
        "[x]",
        "",
    ]
    pairs = [(text, pattern) for text in texts for pattern in patterns]

    found = compute("parts.matchesPattern(...one)", pairs)

    assert found == [compile_pattern(pattern).search(text) for text, pattern in pairs]


def shown(amount):
    """An amount as text; of an array, each of its numbers."""
    if amount is None:
        return None
    return [plain(one) for one in amount] if isinstance(amount, tuple) else plain(amount)


def calculated_formulas():
    """Each formula of a model in each of its cases: what it names, and what it comes to."""
    for text, model in documents():
        prepared = prepare(model)
        for case in model.cases:
            given = GivenValues(
                case.inputs, case.partition, case.durations, case.period_days, case.period_hours
            )
            trial = try_out(prepared, given, tuple(case.expect))
            values = {
                slug: [model.node(slug).unit.text, shown(amount)] for slug, amount in trial.values.items()
            }
            for slug, amount in trial.values.items():
                named = (
                    {one.text for one in names(model.node(slug).body.tree)}
                    if is_formula(model, slug)
                    else {""}
                )
                if named <= values.keys() | {f"partition.{name}" for name in case.partition}:
                    fields = {
                        "text": text, "slug": slug, "values": values, "partition": dict(case.partition),
                        "durations": {name: [*map(plain, some)] for name, some in case.durations.items()},
                        "days": shown(case.period_days), "hours": shown(case.period_hours)
                    }  # fmt: skip
                    yield fields, shown(amount)


def is_formula(model, slug):
    return isinstance(model.node(slug).body, Formula)


def test_formulas_of_models_come_to_the_same_in_every_case(compute):
    calculated = list(calculated_formulas())

    found = compute("calculateFormula(one)", [one for one, _ in calculated])

    assert found == [amount for _, amount in calculated]
    assert len(calculated) >= LEAST_TRIED


def examples():
    """Every example of the page about the language, and what the page says that it comes to."""
    page = (ROOT / "docs/reference/model-language.md").read_text()
    page = page[page.index("## Expressions") : page.index("## Numbers and rounding")]
    rows = re.findall(r"^\| `[^`]+` \| .+ \| `([^`]+)` \| `([^`]+)` \|$", page, re.MULTILINE)
    return [(example, came) for example, came in rows]


def test_every_example_of_the_language_comes_to_what_its_page_says(compute):
    listed = examples()

    found = compute("calculateExample(one)", [example for example, _ in listed])

    assert [f"{content} {unit}".strip() for content, unit in found] == [came for _, came in listed]
    assert len(listed) > LEAST_TRIED
