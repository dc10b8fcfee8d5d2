"""Seed, Resources: values are numbers. Design, sections 1, 2 and 5: numbers are decimals from the meter to
the ledger, JSON numbers on the wire that never pass through a binary float; at most 34 significant
digits, exponent within 100 either way.
"""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given_a


def answered(api, project, digits):
    """Send a number as these very characters; give the answer's characters."""
    content = json.dumps({"event": given_a.event_body(values={"mass": "@"})}).replace('"@"', digits).encode()
    text = api.post(f"/projects/{project['id']}/events", content).expect(201).text
    return re.search(r'"value":([^,]+),', text)[1]


def refused(api, project, digits):
    content = json.dumps({"event": given_a.event_body(values={"mass": "@"})}).replace('"@"', digits).encode()
    return api.post(f"/projects/{project['id']}/events", content)


@pytest.fixture
def project(api):
    """A project whose deliveries have a mass."""
    return given_a.measuring(api, given_a.number("mass"))


@pytest.mark.parametrize(
    "digits",
    [
        "0", "1", "-1", "0.1", "0.30000000000000004", "1.50", "100", "1.0", "0.000", "-0.10",
        "1234567890123.123456789012",
        "9007199254740993",
        "18446744073709551616",
        "-9223372036854775809",
        "1234567890123456789012345",
        "1234567890123456789012345678901234",
        "-0.1234567890123456789012345678901234",
        "99999999999999999.99999999999999999",
    ],
)  # fmt: skip
def test_a_number_comes_back_to_the_last_digit(api, project, digits):
    assert answered(api, project, digits) == digits


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("1e3", "1000"), ("1E+3", "1000"), ("12.5e-3", "0.0125"), ("1e-7", "0.0000001"),
        ("1e100", "1" + "0" * 100),
        ("1e-100", "1e-100"),
        ("9.999999999999999999999999999999999e99", "9999999999999999999999999999999999" + "0" * 66),
        ("-0", "0"), ("-0.0", "0.0"), ("0e5", "0"), ("0.00e-5", "0"),
        ("12345678901234567890123456789012340000", "12345678901234567890123456789012340000"),
        ("1" + "0" * 100, "1" + "0" * 100),
    ],
)  # fmt: skip
def test_a_number_means_the_same_however_it_was_written(api, project, sent, value):
    came = answered(api, project, sent)

    assert Decimal(came) == Decimal(value)
    assert not came.startswith("-0")


@pytest.mark.parametrize(
    "digits",
    [
        "12345678901234567890123456789012345",
        "0.12345678901234567890123456789012345",
        "-1234567890123456789012345678901234.5",
        "1.2345678901234567890123456789012345e50",
    ],
)
def test_thirty_five_digits_are_refused(api, project, digits):
    error = refused(api, project, digits).expect(422).error

    assert (error["field"], error["code"]) == ("data_points[0].value", "invalid")
    assert "34 significant digits" in error["message"]


@pytest.mark.parametrize(
    "digits", ["1e101", "-1e101", "1e-101", "1e400", "1e-400", "1e6143", "1" + "0" * 101]
)
def test_an_exponent_beyond_a_hundred_is_refused(api, project, digits):
    error = refused(api, project, digits).expect(422).error

    assert error["field"] == "data_points[0].value"
    assert "1e-100 to 1e100" in error["message"]


@pytest.mark.parametrize(
    "digits", ["1e99999999999999999999", "-1e-99999999999999999999", "0e99999999999999999999"]
)
def test_an_exponent_beyond_all_decimals_is_refused(api, project, digits):
    answer = refused(api, project, digits)

    assert answer.status in {400, 422}, answer.text


@pytest.mark.parametrize(
    "digits", ["0e-20000", "0e20000", "0e999999999", "1." + "0" * 20_000, "0." + "0" * 20_000]
)
def test_zeros_without_end_are_refused_or_kept_and_harm_nothing(api, project, digits):
    answer = refused(api, project, digits)

    assert answer.status in {201, 422}, answer.text
    assert len(api.get(f"/projects/{project['id']}/data_points").expect(200).text) < 2_000


@pytest.mark.parametrize(
    "digits", ["1" * 10_000, "-" + "9" * 10_000, "0." + "1" * 10_000, "1" * 5_000 + ".5"]
)
def test_a_number_of_ten_thousand_digits_is_refused(api, project, digits):
    answer = refused(api, project, digits)

    assert answer.status in {400, 422}, answer.text
    assert len(answer.text) < 1_000


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "nan",
        "1_000",
        "0x10",
        "01",
        "+1",
        ".5",
        "5.",
        "1e",
        "1,5",
        "--1",
        "\uff11",
    ],
)
def test_what_is_no_json_number_is_refused(api, project, text):
    assert refused(api, project, text).expect(400).errors


@pytest.mark.parametrize("text", ['"1"', '"NaN"', '"1e3"', "true", "null", "[1]", '{"value": 1}'])
def test_what_is_no_number_is_refused_where_a_number_stands(api, project, text):
    error = refused(api, project, text).expect(422).error

    assert "it takes a number" in error["message"]


def test_a_number_sent_in_bulk_is_as_exact_as_one_alone(api, project):
    digits = ["1234567890123.123456789012", "18446744073709551616", "1.50"]
    bodies = ", ".join(
        json.dumps(given_a.event_body(values={"mass": "@"})).replace('"@"', number) for number in digits
    )
    api.post(f"/projects/{project['id']}/events", f'{{"events": [{bodies}]}}'.encode()).expect(201)

    text = api.get(f"/projects/{project['id']}/data_points").expect(200).text

    assert re.findall(r'"value":([^,]+),', text) == digits
    assert re.findall(r'"raw_value":([^,]+),', text) == digits


def test_the_database_holds_the_digits_that_were_sent(api, project, sql):
    answered(api, project, "1234567890123.123456789012")

    [(text,)] = sql("SELECT numbers[1]::text FROM events WHERE project_id = %s", project["numeric_id"])

    assert text == "1234567890123.123456789012"


decimals = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**20), max_value=10**20),
    st.builds(
        lambda sign, digits, exponent: Decimal((sign, digits, exponent)),
        st.integers(0, 1),
        st.lists(st.integers(0, 9), min_size=1, max_size=34)
        .filter(lambda digits: digits[0] or len(digits) == 1)
        .map(tuple),
        st.integers(-60, 60),
    ),
    st.integers(-(10**34) + 1, 10**34 - 1).map(Decimal),
)


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=st.lists(decimals, min_size=1, max_size=40))
def test_any_numbers_within_the_limits_come_back_equal(api, project, values):
    receipts = given_a.events(api, project, [given_a.event_body(values={"mass": value}) for value in values])

    for receipt, value in list(zip(receipts, values, strict=True))[:5]:
        [point] = api.get(f"/projects/{project['id']}/events/{receipt['id']}").body["data_points"]
        assert Decimal(point["value"]) == value
