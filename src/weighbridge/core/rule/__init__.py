"""Rules: conditions on records and their windows, read, checked, and evaluated in one pass.

rule, problems = read_rule("{{mass}} > (3 * avg({{mass}}))", {"kind": "rolling", "members": 10})
problems = check_rule(rule, Vocabulary("delivery", {"mass": PLAIN}))
evaluation = Evaluation(program_of(rule), zone)
alerts = [*evaluation.take(records), *evaluation.finish()]
"""

from weighbridge.core.rule.definition import TAGS, MemberScope, Rule, Target, Vocabulary
from weighbridge.core.rule.evaluation import Evaluation, Finding
from weighbridge.core.rule.functions import LANGUAGE
from weighbridge.core.rule.program import Program, program_of
from weighbridge.core.rule.reading import check_correction, check_rule, read_rule
from weighbridge.core.rule.record import Record
from weighbridge.core.rule.window import Calendar, Rolling, Window, affected, reach, read_window, write_window

__all__ = [
    "LANGUAGE",
    "TAGS",
    "Calendar",
    "Evaluation",
    "Finding",
    "MemberScope",
    "Program",
    "Record",
    "Rolling",
    "Rule",
    "Target",
    "Vocabulary",
    "Window",
    "affected",
    "check_correction",
    "check_rule",
    "program_of",
    "reach",
    "read_rule",
    "read_window",
    "write_window",
]
