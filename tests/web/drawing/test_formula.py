"""A formula is shown as mathematics: what divides stands below, what binds less stands in parentheses."""

import re

import pytest

from weighbridge.core.expression.parsing import parse
from weighbridge.web.display.formula import formula


def said(text: str) -> str:
    """The formula as letters: fractions as (a)/(b), powers as a^(b)."""
    markup = str(formula(parse(text)))
    markup = re.sub(r"<mfrac><mrow>(.*?)</mrow><mrow>(.*?)</mrow></mfrac>", r"(\1)/(\2)", markup)
    return re.sub(r"<[^>]+>", "", markup)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dry_mass - 2", "dry mass−2"),  # noqa: RUF001 - a real minus
        ("a - (b - c)", "a−(b−c)"),  # noqa: RUF001
        ("(a + b) * c", "(a+b)·c"),
        ("a * b + c", "a·b+c"),
        ("-a", "−a"),  # noqa: RUF001
        ("a >= 3", "a≥3"),
        ("abs(a)", "|a|"),
        ("max(a, b)", "max(a,b)"),
        ("quantity(44 / 12, 't{CO2e}/t{C}')", "(44)/(12)t CO₂e/t C"),
        ("quantity(a + 1, 'kWh')", "(a+1)kWh"),
        ("value(dry_mass, 'kg')", "value(dry mass in kg)"),
    ],
)
def test_a_formula_reads_as_it_computes(text: str, shown: str):
    assert said(text) == shown


def test_a_quotient_is_a_fraction():
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>" in formula(parse("a / b"))


def test_a_power_stands_above():
    assert "<msup><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></msup>" in formula(parse("a ^ 2"))


def test_a_choice_is_shown_by_its_cases():
    shown = formula(parse("if(a > 1, b, c)"))

    assert shown.count("<mtr>") == 2
    assert "otherwise" in shown


def test_a_text_is_no_markup():
    assert "<script>" not in formula(parse("if(a = '<script>', 1, 2)"))


def test_parentheses_grow_with_fractions_only():
    assert '<mo stretchy="false">(</mo>' in formula(parse("max(a, b)"))
    assert "<mo>(</mo>" in formula(parse("max(a / b, c)"))


def test_what_is_rounded_is_about_equal():
    assert "<mo>=</mo>" in formula(parse("a + b"), result="c")
    assert "<mo>≈</mo>" in formula(parse("a + b"), result="c", is_rounded=True)
